// tests/engine/tokenizer/test_sentencepiece.c — sentencepiece.h against the plainest way.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/check.h"
#include "tests/engine/tokenizer/vocabulary_fixture.h"

static int32_t plain_find(const struct vocabulary_fixture *fixture, const char *text,
                          size_t length) {
    for (size_t id = 0; id < fixture->count; id++)
        if (fixture->types[id] == TOKEN_NORMAL && strlen(fixture->tokens[id]) == length &&
            memcmp(fixture->tokens[id], text, length) == 0)
            return (int32_t)id;
    return TOKEN_NONE;
}

enum { MAX_SYMBOLS = 1024 };

// Joins the leftmost of the best-scored pairs, over the whole text, and begins again.
static void naive_encode(const struct vocabulary_fixture *fixture, const char *text, size_t length,
                         struct token_ids *ids) {
    char marked[3 * MAX_SYMBOLS];
    size_t starts[MAX_SYMBOLS + 1], count = 0, bytes = 0;
    assert_true(length + 1 < MAX_SYMBOLS);
    for (size_t i = 0, used; i <= length; i += used) { // the first round is the space before
        starts[count++] = bytes;
        used = 1;
        const char *from = i == 0 ? " " : text + i - 1;
        if (i > 0 && utf8_decode(from, length - i + 1, &used) == UTF8_REPLACEMENT &&
            memcmp(from, "\xEF\xBF\xBD", used) != 0)
            used = 1;
        const bool space = *from == ' ';
        memcpy(marked + bytes, space ? "▁" : from, space ? 3 : used);
        bytes += space ? 3 : used;
    }
    starts[count] = bytes;
    for (;;) {
        size_t where = count;
        float best = -INFINITY;
        for (size_t i = 0; i + 1 < count; i++) {
            const int32_t id = plain_find(fixture, marked + starts[i], starts[i + 2] - starts[i]);
            if (id == TOKEN_NONE || (where < count && fixture->scores[id] <= best)) continue;
            best = fixture->scores[id];
            where = i;
        }
        if (where == count) break;
        memmove(starts + where + 1, starts + where + 2, (count - where - 1) * sizeof starts[0]);
        count--;
    }
    for (size_t i = 0; i < count; i++) {
        const int32_t id = plain_find(fixture, marked + starts[i], starts[i + 1] - starts[i]);
        if (id != TOKEN_NONE) assert_int_equal(token_ids_push(ids, id), STATUS_OK);
        for (size_t b = starts[i]; id == TOKEN_NONE && b < starts[i + 1]; b++)
            assert_int_equal(token_ids_push(ids, (unsigned char)marked[b]), STATUS_OK);
    }
}

// Byte tokens have ids 0 to 255. With `inner_marks` a token may hold a space inside, so that
// texts cannot be cut at words.
static struct vocabulary_fixture *random_vocabulary(bool inner_marks) {
    static const char *const units[] = {"▁", "a", "b", "c", "é"};
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("llama", "default");
    vocabulary_fixture_add_bytes(fixture);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        vocabulary_fixture_add(fixture, units[i], TOKEN_NORMAL, -100);
    const uint32_t tokens = 5 + next_random(60);
    for (uint32_t i = 0; i < tokens; i++) {
        char text[FIXTURE_TEXT_BYTES] = "";
        const uint32_t length = 2 + next_random(4);
        for (uint32_t u = 0, last = 0; u < length; u++) {
            uint32_t unit = next_random(sizeof units / sizeof units[0]);
            if (!inner_marks && unit == 0 && last != 0) unit = 1; // unit 0 is the mark
            memcpy(text + strlen(text), units[unit], strlen(units[unit]));
            last = unit;
        }
        if (plain_find(fixture, text, strlen(text)) == TOKEN_NONE) // few scores: many are equal
            vocabulary_fixture_add(fixture, text, TOKEN_NORMAL, 2 - (float)next_random(5));
    }
    struct error err = {0};
    if (vocabulary_fixture_open(fixture, &err) != STATUS_OK) fail_msg("%s", err.text);
    return fixture;
}

static void sentencepiece_agrees_with_a_naive_algorithm(void **state) {
    (void)state;
    static const char *const units[] = {
        " ",  "a",       "b", "c", "\xC3\xA9", "\xE2\x96\x81", "abc", "\xFF", "\xE6\x88\x91",
        "\n", "\xF0\x9F"};
    seed = 5;
    printf("seed %u\n", seed);
    for (int round = 0; round < 400; round++) {
        struct vocabulary_fixture *fixture = random_vocabulary(round % 4 == 0);
        char text[600];
        size_t length = 0;
        const size_t wanted = 1 + next_random(sizeof text - 1);
        while (length < wanted)
            for (const char *unit = units[next_random(sizeof units / sizeof units[0])];
                 *unit && length < wanted; unit++)
                text[length++] = *unit;
        struct token_ids ids = {0}, expected = {0};
        const struct piece piece = {PIECE_TEXT, text, length};
        assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
        naive_encode(fixture, text, length, &expected);
        assert_int_equal(ids.count, expected.count);
        assert_memory_equal(ids.ids, expected.ids, ids.count * sizeof ids.ids[0]);
        token_ids_deinit(&ids);
        token_ids_deinit(&expected);
        vocabulary_fixture_destroy(fixture);
    }
}

static void decoding_returns_the_bytes_after_one_space(void **state) {
    (void)state;
    seed = 3;
    printf("seed %u\n", seed);
    struct vocabulary_fixture *fixture = vocabulary_fixture_sentencepiece();
    for (int round = 0; round < 500; round++) {
        char bytes[300];
        const size_t length = 1 + next_random(sizeof bytes);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (char)next_random(256);
        // U+2581 itself comes back as a space: the format cannot tell them apart.
        for (size_t i = 0; i + 2 < length; i++)
            if (memcmp(bytes + i, "\xE2\x96\x81", 3) == 0) bytes[i] = 'x';
        struct token_ids ids = {0};
        struct text back = {0};
        const struct piece piece = {PIECE_TEXT, bytes, length};
        assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
        for (size_t i = 0; i < ids.count; i++)
            assert_int_equal(tokenizer_decode(fixture->tokenizer, ids.ids[i], true, &back),
                             STATUS_OK);
        assert_int_equal(back.length, length + 1);
        assert_int_equal(back.bytes[0], ' ');
        assert_memory_equal(back.bytes + 1, bytes, length);
        token_ids_deinit(&ids);
        text_deinit(&back);
    }
    vocabulary_fixture_destroy(fixture);
}

static void expect_ids(const struct tokenizer *tokenizer, const char *text, const int32_t *expected,
                       size_t count) {
    struct token_ids ids = {0};
    const struct piece piece = {PIECE_TEXT, text, strlen(text)};
    assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
    assert_int_equal(ids.count, count);
    assert_memory_equal(ids.ids, expected, count * sizeof ids.ids[0]);
    token_ids_deinit(&ids);
}

static void token_names_in_text_are_plain_text(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("llama", NULL);
    fixture->bos = vocabulary_fixture_add(fixture, "<s>", TOKEN_CONTROL, 0);
    const int32_t bytes = vocabulary_fixture_add_bytes(fixture);
    fixture->adds_space = 0;
    const int32_t less = vocabulary_fixture_add(fixture, "<", TOKEN_NORMAL, 0);
    const int32_t start = vocabulary_fixture_add(fixture, "<s", TOKEN_NORMAL, 0);
    const int32_t zero = vocabulary_fixture_add(fixture, "<0x0A", TOKEN_NORMAL, 0);
    vocabulary_fixture_add(fixture, "<0", TOKEN_NORMAL, 0);
    vocabulary_fixture_add(fixture, "<0x", TOKEN_NORMAL, 0);
    vocabulary_fixture_add(fixture, "<0x0", TOKEN_NORMAL, 0);
    assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
    const int32_t expected[] = {start, bytes + '>', zero, bytes + '>', less};
    expect_ids(fixture->tokenizer, "<s><0x0A><", expected, 5);
    vocabulary_fixture_destroy(fixture);
}

static void a_character_without_byte_tokens_is_one_unknown(void **state) {
    (void)state;
    for (int with_unknown = 0; with_unknown < 2; with_unknown++) {
        struct vocabulary_fixture *fixture = vocabulary_fixture_create("llama", NULL);
        const int32_t unknown = vocabulary_fixture_add(fixture, "<unk>", TOKEN_UNKNOWN, 0);
        const int32_t a = vocabulary_fixture_add(fixture, "▁a", TOKEN_NORMAL, 0);
        vocabulary_fixture_add(fixture, "▁", TOKEN_NORMAL, 0);
        vocabulary_fixture_add(fixture, "a", TOKEN_NORMAL, 0);
        if (with_unknown) fixture->unknown = unknown;
        struct error err = {0};
        assert_int_equal(vocabulary_fixture_open(fixture, &err),
                         with_unknown ? STATUS_OK : STATUS_BAD_FILE);
        const int32_t expected[] = {a, unknown, unknown};
        if (with_unknown) expect_ids(fixture->tokenizer, "a\xE6\x88\x91\xFF", expected, 3);
        vocabulary_fixture_destroy(fixture);
    }
}

static void the_space_prefix_follows_each_special_token(void **state) {
    (void)state;
    for (int prefix = 0; prefix < 2; prefix++) {
        struct vocabulary_fixture *fixture = vocabulary_fixture_create("llama", NULL);
        vocabulary_fixture_add_bytes(fixture);
        const int32_t end = vocabulary_fixture_add(fixture, "</s>", TOKEN_CONTROL, 0);
        const int32_t mark = vocabulary_fixture_add(fixture, "▁", TOKEN_NORMAL, -1);
        const int32_t b = vocabulary_fixture_add(fixture, "▁b", TOKEN_NORMAL, 0);
        vocabulary_fixture_add(fixture, "b", TOKEN_NORMAL, 0);
        fixture->adds_space = prefix;
        assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
        assert_int_equal(tokenizer_adds_space_prefix(fixture->tokenizer), prefix);
        const struct piece pieces[] = {{PIECE_CONTROL, " b</s>", 6},
                                       {PIECE_TEXT, "", 0},
                                       {PIECE_CONTROL, "</s>", 4},
                                       {PIECE_TEXT, " b", 2}};
        const int32_t with[] = {mark, b, end, end, mark, b}, without[] = {b, end, end, b};
        struct token_ids ids = {0};
        assert_int_equal(tokenizer_encode(fixture->tokenizer, pieces, 4, &ids), STATUS_OK);
        assert_int_equal(ids.count, prefix ? 6 : 4);
        assert_memory_equal(ids.ids, prefix ? with : without, ids.count * sizeof ids.ids[0]);
        token_ids_deinit(&ids);
        vocabulary_fixture_destroy(fixture);
    }
}

static void encoding_a_line_without_spaces_is_not_quadratic(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_sentencepiece();
    const size_t length = 1 << 20;
    char *line = malloc(length);
    assert_non_null(line);
    for (size_t i = 0; i < length; i++)
        line[i] = "hello"[i % 5];
    struct token_ids ids = {0};
    const struct piece piece = {PIECE_TEXT, line, length};
    const clock_t start = clock();
    assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%.2f s\n", seconds);
    assert_true(seconds < 20); // with sanitizers; a quadratic way takes hours
    assert_in_range(ids.count, length / 5, length / 5 + 5);
    token_ids_deinit(&ids);
    free(line);
    vocabulary_fixture_destroy(fixture);
}

static void encode(const struct vocabulary_fixture *fixture, const char *text,
                   struct token_ids *ids) {
    const struct piece piece = {PIECE_TEXT, text, strlen(text)};
    ids->count = 0;
    assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, ids), STATUS_OK);
}

static void extra_spaces_are_trimmed_if_the_file_says_so(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("llama", NULL);
    vocabulary_fixture_add_bytes(fixture);
    const int32_t mark = vocabulary_fixture_add(fixture, "▁", TOKEN_NORMAL, -1);
    vocabulary_fixture_add(fixture, "▁▁", TOKEN_NORMAL, -2);
    fixture->trims_space = 1;
    assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
    struct token_ids ids = {0};
    encode(fixture, "  a   b ", &ids);
    const int32_t expected[] = {mark, 'a', mark, 'b'};
    assert_int_equal(ids.count, 4);
    assert_memory_equal(ids.ids, expected, sizeof expected);
    encode(fixture, "   ", &ids);
    assert_int_equal(ids.count, 0);
    token_ids_deinit(&ids);
    vocabulary_fixture_destroy(fixture);
}

static void broken_vocabularies_are_refused(void **state) {
    (void)state;
    for (int broken = 0; broken < 3; broken++) {
        struct vocabulary_fixture *fixture = vocabulary_fixture_create("llama", NULL);
        vocabulary_fixture_add_bytes(fixture);
        if (broken == 0) fixture->no_scores = true;
        if (broken == 1) vocabulary_fixture_add(fixture, "<0x0G>", TOKEN_BYTE, 0);
        if (broken == 2) vocabulary_fixture_add(fixture, "a", TOKEN_NORMAL, NAN);
        struct error err = {0};
        assert_int_equal(vocabulary_fixture_open(fixture, &err), STATUS_BAD_FILE);
        assert_true(strlen(err.text) > 10);
        vocabulary_fixture_destroy(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentencepiece_agrees_with_a_naive_algorithm),
        cmocka_unit_test(decoding_returns_the_bytes_after_one_space),
        cmocka_unit_test(token_names_in_text_are_plain_text),
        cmocka_unit_test(a_character_without_byte_tokens_is_one_unknown),
        cmocka_unit_test(the_space_prefix_follows_each_special_token),
        cmocka_unit_test(encoding_a_line_without_spaces_is_not_quadratic),
        cmocka_unit_test(extra_spaces_are_trimmed_if_the_file_says_so),
        cmocka_unit_test(broken_vocabularies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
