// tests/engine/tokenizer/test_pretokenizer.c — where texts are cut.
//
// cuts.txt in this folder holds random texts and the lengths of their words, made with the
// published expressions and another regular expression library.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/pretokenizer.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/vector_file.h"

static struct pretokenizer *open_named(const char *name) {
    struct pretokenizer *pretokenizer;
    struct error err = {0};
    const struct gguf_string string = {name, strlen(name)};
    if (pretokenizer_open(string, &pretokenizer, &err) != STATUS_OK) fail_msg("%s", err.text);
    return pretokenizer;
}

static void cut(const struct pretokenizer *pretokenizer, const char *bytes, size_t length,
                struct token_ids *lengths) {
    struct pretokenizer_walk *walk;
    assert_int_equal(pretokenizer_walk_create(pretokenizer, &walk), STATUS_OK);
    pretokenizer_walk_start(walk, bytes, length);
    lengths->count = 0;
    size_t start, word, total = 0;
    do {
        assert_int_equal(pretokenizer_walk_next(walk, &start, &word), STATUS_OK);
        if (word) assert_int_equal(token_ids_push(lengths, (int32_t)word), STATUS_OK);
        if (word) assert_int_equal(start, total); // no gaps
        total += word;
    } while (word);
    assert_int_equal(total, length);
    pretokenizer_walk_destroy(walk);
}

static void splits_match_the_published_expressions(void **state) {
    (void)state;
    char *file = vector_file_read(TESTS_DIR "/engine/tokenizer/cuts.txt", NULL);
    assert_non_null(file);
    struct vector vector = {0};
    struct token_ids lengths = {0};
    int vectors = 0;
    for (const char *cursor = file; vector_file_next(&cursor, &vector); vectors++) {
        struct pretokenizer *pretokenizer = open_named(vector.name);
        cut(pretokenizer, text_string(&vector.text), vector.text.length, &lengths);
        if (lengths.count != vector.numbers.count ||
            memcmp(lengths.ids, vector.numbers.ids, lengths.count * sizeof lengths.ids[0]) != 0)
            fail_msg("%s cuts \"%s\" into %zu words, expected %zu", vector.name,
                     text_string(&vector.text), lengths.count, vector.numbers.count);
        pretokenizer_close(pretokenizer);
    }
    assert_true(vectors >= 500);
    token_ids_deinit(&lengths);
    vector_deinit(&vector);
    free(file);
}

static void each_ill_formed_byte_is_a_word_of_its_own(void **state) {
    (void)state;
    struct pretokenizer *pretokenizer = open_named("gpt-2");
    struct token_ids lengths = {0};
    static const char text[] = "ab\xFF\xC3\xA9 \xE2\x96  x\xF0\x9F";
    static const int32_t expected[] = {2, 1, 2, 1, 1, 1, 1, 2, 1, 1};
    cut(pretokenizer, text, sizeof text - 1, &lengths);
    assert_int_equal(lengths.count, sizeof expected / sizeof expected[0]);
    assert_memory_equal(lengths.ids, expected, sizeof expected);
    token_ids_deinit(&lengths);
    pretokenizer_close(pretokenizer);
}

static void unknown_pre_tokenizers_are_refused_by_name(void **state) {
    (void)state;
    struct pretokenizer *pretokenizer = open_named("");
    assert_string_equal(pretokenizer_name(pretokenizer), "default");
    pretokenizer_close(pretokenizer);
    struct token_ids lengths = {0}; // "default" and no name are one, and not GPT-2's
    pretokenizer = open_named("default");
    cut(pretokenizer, "it's...1234", 11, &lengths);
    assert_int_equal(lengths.count, 6); // it ' s ... 123 4
    token_ids_deinit(&lengths);
    pretokenizer_close(pretokenizer);
    pretokenizer = open_named("llama-v3");
    assert_true(pretokenizer_ignores_merges(pretokenizer));
    assert_true(pretokenizer_adds_bos(pretokenizer));
    pretokenizer_close(pretokenizer);
    pretokenizer = NULL;
    struct error err = {0};
    const struct gguf_string unknown = {"qwen2x", 6};
    assert_int_equal(pretokenizer_open(unknown, &pretokenizer, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "\"qwen2x\""));
    assert_null(pretokenizer);
}

// Backtracking that grew with the square of a run's length would take hours here.
static void long_runs_are_split_in_linear_time(void **state) {
    (void)state;
    enum { BYTES = 1 << 19 };
    static const char *const names[] = {
        "gpt-2",      "smollm",     "llama-bpe",    "qwen2",          "tekken",      "gpt-4o",
        "kimi-k2",    "falcon",     "deepseek-llm", "deepseek-coder", "deepseek-v3", "bloom",
        "seed-coder", "bailingmoe", "jais-2",       "exaone-moe",     "afmoe",       "cohere2moe",
        "superbpe",   "laguna",     "youtu",        "spark2_5",       "default"};
    static const char *const units[] = {
        " ", "a", "1", "=", "\n", " \n", "\xE6\x88\x91", "\xCC\x81", "\x80", "'", "a ", "\xC2\xA0"};
    char *text = malloc(BYTES);
    assert_non_null(text);
    struct token_ids lengths = {0};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        struct pretokenizer *pretokenizer = open_named(names[n]);
        for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
            if (!CHECK_TAKES(n + u)) continue;
            const size_t unit = strlen(units[u]);
            for (size_t i = 0; i < BYTES; i++)
                text[i] = units[u][i % unit];
            text[BYTES - 1] = 'x'; // what follows a run may send the expression back
            cut(pretokenizer, text, BYTES, &lengths);
        }
        pretokenizer_close(pretokenizer);
    }
    token_ids_deinit(&lengths);
    free(text);
}

#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]"
#define SHORT "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
#define ANY   "[^\\r\\n\\p{L}\\p{N}]?"

// Kimi's expression as it was published, with a class without another.
static struct pretokenizer *open_published(void) {
    static const char pattern[] = "[\\p{Han}]+|" ANY UPPER "*" LOWER "+" SHORT "|" ANY UPPER
                                  "+" LOWER "*" SHORT "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
                                  "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    struct pretokenizer *pretokenizer;
    struct expression *expression;
    assert_int_equal(pretokenizer_create(&pretokenizer), STATUS_OK);
    assert_int_equal(
        expression_create(pattern, sizeof pattern - 1, false, "test", &expression, NULL),
        STATUS_OK);
    assert_int_equal(pretokenizer_add(pretokenizer, expression, CUT_ISOLATED, false, NULL),
                     STATUS_OK);
    return pretokenizer;
}

static void class_subtraction_matches_the_golden_splits(void **state) {
    (void)state;
    char *file = vector_file_read(TESTS_DIR "/engine/tokenizer/cuts.txt", NULL);
    assert_non_null(file);
    struct pretokenizer *published = open_published();
    struct vector vector = {0};
    struct token_ids lengths = {0};
    int vectors = 0;
    for (const char *cursor = file; vector_file_next(&cursor, &vector);) {
        if (strcmp(vector.name, "kimi-k2") != 0) continue;
        cut(published, text_string(&vector.text), vector.text.length, &lengths);
        assert_int_equal(lengths.count, vector.numbers.count);
        assert_memory_equal(lengths.ids, vector.numbers.ids, lengths.count * sizeof lengths.ids[0]);
        vectors++;
    }
    assert_true(vectors >= 10);
    // More repetitions than the machine code's own stack has room for.
    enum { BYTES = 1 << 20 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    memset(text, 'a', BYTES);
    cut(published, text, BYTES, &lengths);
    assert_int_equal(lengths.count, 1);
    free(text);
    token_ids_deinit(&lengths);
    vector_deinit(&vector);
    free(file);
    pretokenizer_close(published);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_match_the_published_expressions),
        cmocka_unit_test(each_ill_formed_byte_is_a_word_of_its_own),
        cmocka_unit_test(unknown_pre_tokenizers_are_refused_by_name),
        cmocka_unit_test(long_runs_are_split_in_linear_time),
        cmocka_unit_test(class_subtraction_matches_the_golden_splits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
