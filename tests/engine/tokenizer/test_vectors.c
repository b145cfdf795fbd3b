// tests/engine/tokenizer/test_vectors.c — ids of published vocabularies, against ids of others.
//
// SHARED_DIR/vocab/NAME.inp holds texts, NAME.out one line of ids for each, NAME.gguf the
// vocabulary, which is also written as a tokenizer.json and compared with that on random text.
// demo_vectors.txt beside this file holds the same for the built-in model, made
// by a plain BPE of its tokenizer.json.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/tokenizer/detokenizer.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/json_fixture.h"
#include "tests/engine/tokenizer/vector_file.h"

enum { ROUND_TRIPS = CHECK_ROUNDS(100 * 1000, 10 * 1000) };

#define GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define WORDS(digits)                                                                             \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits "| ?[^\\s\\p{L}\\p{N}]+" \
    "[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

static const char separator[] = "\n__ggml_vocab_test__\n"; // the last one may be missing

static void open_vocabulary(const char *path, struct gguf **gguf, struct tokenizer **tokenizer) {
    struct error err = {0};
    if (gguf_open(path, gguf, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (tokenizer_open(*gguf, tokenizer, &err) != STATUS_OK) fail_msg("%s", err.text);
}

static void print_ids(const char *what, const struct token_ids *ids) {
    printf("  %s", what);
    for (size_t i = 0; i < ids->count; i++)
        printf(" %d", ids->ids[i]);
    printf("\n");
}

static bool ids_equal(const struct token_ids *a, const struct token_ids *b) {
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->ids, b->ids, a->count * sizeof a->ids[0]) == 0);
}

// The ids of the text are the expected ones, and the ids' text is the text.
static bool vector_holds(const struct tokenizer *tokenizer, struct piece piece,
                         const struct token_ids *expected) {
    struct token_ids ids = {0};
    assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
    const bool equal = ids_equal(&ids, expected);
    if (!equal) {
        printf("\"%.*s\"\n", (int)piece.length, piece.bytes);
        print_ids("expected", expected);
        print_ids("found", &ids);
    }
    struct text back = {0};
    struct detokenizer detokenizer;
    detokenizer_init(&detokenizer, tokenizer, true, tokenizer_adds_space_prefix(tokenizer));
    for (size_t i = 0; i < ids.count; i++)
        assert_int_equal(detokenizer_push(&detokenizer, ids.ids[i], &back), STATUS_OK);
    assert_int_equal(detokenizer_finish(&detokenizer, &back), STATUS_OK);
    assert_int_equal(back.length, piece.length);
    assert_memory_equal(text_string(&back), piece.bytes, piece.length);
    text_deinit(&back);
    token_ids_deinit(&ids);
    return equal;
}

static uint32_t random_below(uint64_t *state, uint32_t count) { // Knuth's MMIX
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % count);
}

// Letters, spaces and digits, and any characters but surrogates; some that normal forms change.
static void random_text(uint64_t *state, uint32_t most, struct text *text) {
    static const char *const common[] = {" ", " ", "e", "a", "t", "the", "1", "\n", ".", "'s"};
    text_clear(text);
    for (uint32_t left = 1 + random_below(state, most); left > 0; left--) {
        char encoded[UTF8_MAX_BYTES];
        const uint32_t kind = random_below(state, 8);
        uint32_t code_point = random_below(state, kind < 5 ? 0x300 : kind < 7 ? 0x3000 : 0x110000);
        if (code_point >= 0xD800 && code_point < 0xE000) code_point -= 0x800;
        if (code_point == 0x2581) code_point = 'x'; // SentencePiece takes it for a space
        const char *string = common[random_below(state, 10)];
        assert_int_equal(kind < 3 ? text_append_string(text, string)
                                  : text_append(text, encoded, utf8_encode(code_point, encoded)),
                         STATUS_OK);
    }
}

// Every text comes back, byte by byte.
static void check_round_trips(const struct tokenizer *tokenizer, int count) {
    uint64_t state = 2026;
    struct text text = {0}, back = {0};
    struct token_ids ids = {0};
    struct detokenizer detokenizer;
    for (int i = 0; i < count; i++) {
        random_text(&state, 24, &text);
        const struct piece piece = {PIECE_TEXT, text.bytes, text.length};
        ids.count = 0;
        text_clear(&back);
        assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
        detokenizer_init(&detokenizer, tokenizer, true, tokenizer_adds_space_prefix(tokenizer));
        for (size_t t = 0; t < ids.count; t++)
            assert_int_equal(detokenizer_push(&detokenizer, ids.ids[t], &back), STATUS_OK);
        assert_int_equal(detokenizer_finish(&detokenizer, &back), STATUS_OK);
        if (back.length != text.length || memcmp(back.bytes, text.bytes, text.length) != 0)
            fail_msg("text %d, seed 2026: \"%s\" comes back as \"%s\"", i, text.bytes,
                     text_string(&back));
    }
    text_deinit(&text);
    text_deinit(&back);
    token_ids_deinit(&ids);
}

// The same vocabulary from a tokenizer.json has the same ids.
static void check_json(const struct gguf *gguf, const struct tokenizer *tokenizer,
                       const char *expression, bool pairs) {
    struct text json = {0}, text = {0};
    struct tokenizer *other;
    struct error err = {0};
    json_fixture_from_gguf(&json, gguf, tokenizer, expression, pairs);
    const struct tokenizer_json files = {.name = "written", .tokenizer = {json.bytes, json.length}};
    if (tokenizer_open_json(&files, &other, &err) != STATUS_OK) fail_msg("%s", err.text);
    uint64_t state = 7;
    struct token_ids ids = {0}, expected = {0};
    for (int i = 0; i < CHECK_ROUNDS(3000, 300); i++) {
        random_text(&state, 40, &text);
        const struct piece piece = {PIECE_TEXT, text.bytes, text.length};
        ids.count = expected.count = 0;
        assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &expected), STATUS_OK);
        assert_int_equal(tokenizer_encode(other, &piece, 1, &ids), STATUS_OK);
        if (!ids_equal(&ids, &expected)) fail_msg("seed 7, text %d: \"%s\"", i, text.bytes);
    }
    token_ids_deinit(&ids);
    token_ids_deinit(&expected);
    text_deinit(&json);
    text_deinit(&text);
    tokenizer_close(other);
}

struct check {              // besides the vectors
    const char *expression; // of a tokenizer.json over bytes
    bool json, pairs;       // is one written? merges as pairs
};

static void check_vocabulary(const char *name, struct check check) {
    char path[1024];
    size_t length;
    snprintf(path, sizeof path, "%s/vocab/%s.inp", SHARED_DIR, name);
    char *input = vector_file_read(path, &length);
    snprintf(path, sizeof path, "%s/vocab/%s.out", SHARED_DIR, name);
    char *output = vector_file_read(path, NULL);
    if (!input || !output) {
        free(input);
        free(output);
        printf("skipped: no vectors for %s\n", name);
        skip();
        return;
    }
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    snprintf(path, sizeof path, "%s/vocab/%s.gguf", SHARED_DIR, name);
    open_vocabulary(path, &gguf, &tokenizer);
    int vectors = 0, misses = 0;
    const char *line = output;
    struct token_ids expected = {0};
    for (char *text = input, *end; *text; text = end) {
        const char *next = strstr(text, separator);
        const struct piece piece = {PIECE_TEXT, text, next ? (size_t)(next - text) : strlen(text)};
        end = text + piece.length + (next ? sizeof separator - 1 : 0);
        vector_file_numbers(&line, &expected);
        if (!vector_holds(tokenizer, piece, &expected)) misses++;
        vectors++;
    }
    token_ids_deinit(&expected);
    printf("%s, %s: %d vectors, %d misses\n", name, tokenizer_description(tokenizer), vectors,
           misses);
    assert_true(vectors > 40);
    assert_int_equal(misses, 0);
    assert_int_equal(*line, '\0');
    check_round_trips(tokenizer, ROUND_TRIPS);
    if (check.json) check_json(gguf, tokenizer, check.expression, check.pairs);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    free(input);
    free(output);
}

static void gpt_2_agrees(void **state) {
    (void)state;
    check_vocabulary("gpt-2", (struct check){.json = true, .expression = GPT2});
}

static void llama_3_agrees(void **state) {
    (void)state;
    check_vocabulary("llama-bpe", (struct check){0});
}

static void qwen2_agrees(void **state) {
    (void)state;
    check_vocabulary("qwen2",
                     (struct check){.json = true, .expression = WORDS("\\p{N}"), .pairs = true});
}

static void mpt_with_its_runs_of_spaces_agrees(void **state) {
    (void)state;
    check_vocabulary("mpt", (struct check){.json = true, .expression = GPT2, .pairs = true});
}

static void llama_2_agrees(void **state) {
    (void)state;
    check_vocabulary("llama-spm", (struct check){0});
}

static void phi_3_agrees(void **state) {
    (void)state;
    check_vocabulary("phi-3", (struct check){0});
}

// As the model's tokenizer.json says of them; ids as another implementation has them.
static void marks_of_phi_3_take_the_lines_end(void **state) {
    (void)state;
    static const char path[] = SHARED_DIR "/vocab/phi-3.gguf";
    static const char prompt[] = "<|user|>\nSYS\nHI<|end|>\n<|assistant|>\n";
    static const int32_t expected[] = {32010, 317, 21554, 13, 17628, 32007, 32001};
    if (access(path, R_OK) != 0) skip();
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    struct token_ids ids = {0};
    open_vocabulary(path, &gguf, &tokenizer);
    const struct piece piece = {PIECE_CONTROL, prompt, sizeof prompt - 1};
    assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
    assert_int_equal(ids.count, sizeof expected / sizeof expected[0]);
    assert_memory_equal(ids.ids, expected, sizeof expected);
    token_ids_deinit(&ids);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
}

static void gemma_4_agrees(void **state) {
    (void)state;
    check_vocabulary("gemma-4", (struct check){.json = true});
}

static void demo_model_agrees(void **state) {
    (void)state;
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    open_vocabulary(TESTS_DIR "/../engine/demo/quire-demo-30m-q8_0.gguf", &gguf, &tokenizer);
    char *file = vector_file_read(TESTS_DIR "/engine/tokenizer/demo_vectors.txt", NULL);
    assert_non_null(file);
    struct vector vector = {0};
    int vectors = 0, misses = 0;
    for (const char *cursor = file; vector_file_next(&cursor, &vector); vectors++) {
        const bool control = strcmp(vector.name, "control") == 0;
        const struct piece piece = {control ? PIECE_CONTROL : PIECE_TEXT, text_string(&vector.text),
                                    vector.text.length};
        if (!vector_holds(tokenizer, piece, &vector.numbers)) misses++;
    }
    printf("%d vectors, %d misses\n", vectors, misses);
    check_round_trips(tokenizer, ROUND_TRIPS);
    assert_true(vectors >= 40);
    assert_int_equal(misses, 0);
    vector_deinit(&vector);
    free(file);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
}

// So that ids which one guesses are ids of the other.
static void the_drafter_has_the_demo_model_s_tokens(void **state) {
    (void)state;
    struct gguf *files[2];
    struct tokenizer *tokenizers[2];
    open_vocabulary(TESTS_DIR "/../engine/demo/quire-demo-30m-q8_0.gguf", &files[0],
                    &tokenizers[0]);
    open_vocabulary(TESTS_DIR "/../engine/demo/quire-demo-3m-q8_0.gguf", &files[1], &tokenizers[1]);
    const int32_t count = tokenizer_vocabulary(tokenizers[0]);
    assert_int_equal(count, tokenizer_vocabulary(tokenizers[1]));
    for (int32_t id = 0; id < count; id++) {
        struct text texts[2] = {{0}};
        for (int i = 0; i < 2; i++)
            assert_int_equal(tokenizer_decode(tokenizers[i], id, true, &texts[i]), STATUS_OK);
        assert_string_equal(text_string(&texts[0]), text_string(&texts[1]));
        assert_int_equal(tokenizer_ends_turn(tokenizers[0], id),
                         tokenizer_ends_turn(tokenizers[1], id));
        text_deinit(&texts[0]);
        text_deinit(&texts[1]);
    }
    for (int i = 0; i < 2; i++) {
        tokenizer_close(tokenizers[i]);
        gguf_close(files[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demo_model_agrees),
        cmocka_unit_test(the_drafter_has_the_demo_model_s_tokens),
        cmocka_unit_test(gpt_2_agrees),
        cmocka_unit_test(llama_3_agrees),
        cmocka_unit_test(qwen2_agrees),
        cmocka_unit_test(mpt_with_its_runs_of_spaces_agrees),
        cmocka_unit_test(llama_2_agrees),
        cmocka_unit_test(phi_3_agrees),
        cmocka_unit_test(marks_of_phi_3_take_the_lines_end),
        cmocka_unit_test(gemma_4_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
