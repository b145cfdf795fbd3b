// tests/engine/tokenizer/test_normalizer.c — what texts become.
//
// normal_forms.txt in this folder holds random characters that compose and decompose, and the
// bytes of their normal form, made with another library's Unicode data.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/normalizer.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/vector_file.h"

enum { LIMIT = 1 << 24 };

static struct normalizer of_kind(enum normalizer_kind kind) {
    struct normalizer normalizer = {0};
    const struct normalizer_step step = {.kind = kind, .with = "-", .with_length = 1};
    assert_int_equal(normalizer_add(&normalizer, step, NULL), STATUS_OK);
    return normalizer;
}

static enum normalizer_kind kind_named(const char *name) {
    static const char *const names[] = {"NFC", "NFD", "NFKC", "NFKD"}; // as the enum
    for (size_t i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) return (enum normalizer_kind)i;
    fail_msg("%s", name);
    return NORMALIZE_NFC;
}

// Alone, and where composed letters and ASCII come before and behind it.
static void check_form(const struct vector *vector) {
    static const char *const around[][2] = {{"", ""}, {"ab \xC3\xA9", " z"}, {"\xFF", "\xC3"}};
    struct normalizer normalizer = of_kind(kind_named(vector->name));
    struct text text = {0}, normal = {0}, expected = {0};
    const bool decomposes = strstr(vector->name, "D") != NULL;
    for (size_t i = 0; i < 3; i++) {
        const char *before = i == 1 && decomposes ? "ab e\xCC\x81 " : around[i][0];
        text_clear(&text);
        text_clear(&expected);
        assert_int_equal(text_append_string(&text, i == 1 ? "ab \xC3\xA9 " : around[i][0]),
                         STATUS_OK);
        assert_int_equal(
            text_append_string(&expected, i == 1 && !decomposes ? "ab \xC3\xA9 " : before),
            STATUS_OK);
        // A mark at the start would belong to what comes before it.
        assert_int_equal(text_append(&text, i == 1 ? "\n" : "", i == 1), STATUS_OK);
        assert_int_equal(text_append(&expected, i == 1 ? "\n" : "", i == 1), STATUS_OK);
        assert_int_equal(text_append(&text, text_string(&vector->text), vector->text.length),
                         STATUS_OK);
        for (size_t b = 0; b < vector->numbers.count; b++) {
            const char byte = (char)vector->numbers.ids[b];
            assert_int_equal(text_append(&expected, &byte, 1), STATUS_OK);
        }
        assert_int_equal(text_append_string(&text, around[i][1]), STATUS_OK);
        assert_int_equal(text_append_string(&expected, around[i][1]), STATUS_OK);
        assert_int_equal(
            normalizer_apply(&normalizer, text_string(&text), text.length, true, LIMIT, &normal),
            STATUS_OK);
        if (normal.length != expected.length ||
            memcmp(text_string(&normal), text_string(&expected), normal.length) != 0)
            fail_msg("%s of \"%s\" is \"%s\"", vector->name, text_string(&text),
                     text_string(&normal));
    }
    text_deinit(&text);
    text_deinit(&normal);
    text_deinit(&expected);
    normalizer_deinit(&normalizer);
}

static void normal_forms_match_the_golden_vectors(void **state) {
    (void)state;
    char *file = vector_file_read(TESTS_DIR "/engine/tokenizer/normal_forms.txt", NULL);
    assert_non_null(file);
    struct vector vector = {0};
    int vectors = 0;
    for (const char *cursor = file; vector_file_next(&cursor, &vector); vectors++)
        check_form(&vector);
    assert_int_equal(vectors, 100);
    vector_deinit(&vector);
    free(file);
}

static void the_length_limit_holds_within_one_step(void **state) {
    (void)state;
    struct normalizer normalizer = {0};
    struct normalizer_step step = {
        .kind = NORMALIZE_REPLACE, .with = "0123456789", .with_length = 10};
    struct text out = {0};
    assert_int_equal(expression_create("a", 1, true, "test", &step.expression, NULL), STATUS_OK);
    assert_int_equal(normalizer_add(&normalizer, step, NULL), STATUS_OK);
    assert_int_equal(normalizer_apply(&normalizer, "aaaaaaaaaa", 10, true, 100, &out), STATUS_OK);
    assert_int_equal(out.length, 100);
    assert_int_equal(normalizer_apply(&normalizer, "aaaaaaaaaa", 10, true, 99, &out),
                     STATUS_TOO_LONG);
    text_deinit(&out);
    normalizer_deinit(&normalizer);
}

static void the_prefix_is_added_only_to_the_first_text(void **state) {
    (void)state;
    struct normalizer normalizer = of_kind(NORMALIZE_BEGIN_FIRST);
    struct text out = {0};
    assert_int_equal(normalizer_apply(&normalizer, "a", 1, true, LIMIT, &out), STATUS_OK);
    assert_string_equal(text_string(&out), "-a");
    assert_int_equal(normalizer_apply(&normalizer, "a", 1, false, LIMIT, &out), STATUS_OK);
    assert_string_equal(text_string(&out), "a");
    assert_int_equal(normalizer_apply(&normalizer, "-a", 2, true, LIMIT, &out), STATUS_OK);
    assert_string_equal(text_string(&out), "-a");
    assert_int_equal(normalizer_apply(&normalizer, "", 0, true, LIMIT, &out), STATUS_OK);
    assert_int_equal(out.length, 0);
    text_deinit(&out);
    normalizer_deinit(&normalizer);
}

// Marks of two classes in turn, which have to be sorted: a quadratic way takes hours.
static void sorting_combining_marks_is_not_quadratic(void **state) {
    (void)state;
    enum { BYTES = 1 << 20 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    for (size_t i = 0; i < BYTES; i += 4)
        memcpy(text + i, "\xCC\x81\xCC\xA3", 4);
    struct normalizer normalizer = of_kind(NORMALIZE_NFC);
    struct text out = {0};
    assert_int_equal(normalizer_apply(&normalizer, text, BYTES, true, LIMIT, &out), STATUS_OK);
    assert_int_equal(out.length, BYTES);
    assert_memory_equal(out.bytes, "\xCC\xA3\xCC\xA3", 4);
    free(text);
    text_deinit(&out);
    normalizer_deinit(&normalizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_forms_match_the_golden_vectors),
        cmocka_unit_test(the_length_limit_holds_within_one_step),
        cmocka_unit_test(the_prefix_is_added_only_to_the_first_text),
        cmocka_unit_test(sorting_combining_marks_is_not_quadratic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
