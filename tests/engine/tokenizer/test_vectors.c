// tests/engine/tokenizer/test_vectors.c — ids of published vocabularies, against ids of others.
//
// SHARED_DIR/vocab/NAME.inp holds texts, NAME.out one line of ids for each, NAME.gguf the
// vocabulary. demo_vectors.txt beside this file holds the same for the built-in model, made
// by a plain BPE of its tokenizer.json.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/detokenizer.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/vector_file.h"

static const char separator[] = "\n__ggml_vocab_test__\n";

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

static void check_vocabulary(const char *name) {
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
    for (char *text = input, *end; (end = strstr(text, separator));
         text = end + sizeof separator - 1) {
        vector_file_numbers(&line, &expected);
        const struct piece piece = {PIECE_TEXT, text, (size_t)(end - text)};
        if (!vector_holds(tokenizer, piece, &expected)) misses++;
        vectors++;
    }
    token_ids_deinit(&expected);
    printf("%s, %s: %d vectors, %d misses\n", name, tokenizer_description(tokenizer), vectors,
           misses);
    assert_true(vectors > 40);
    assert_int_equal(misses, 0);
    assert_int_equal(*line, '\0');
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    free(input);
    free(output);
}

static void gpt_2_agrees(void **state) {
    (void)state;
    check_vocabulary("gpt-2");
}

static void llama_3_agrees(void **state) {
    (void)state;
    check_vocabulary("llama-bpe");
}

static void qwen2_agrees(void **state) {
    (void)state;
    check_vocabulary("qwen2");
}

static void mpt_with_its_runs_of_spaces_agrees(void **state) {
    (void)state;
    check_vocabulary("mpt");
}

static void llama_2_agrees(void **state) {
    (void)state;
    check_vocabulary("llama-spm");
}

static void phi_3_agrees(void **state) {
    (void)state;
    check_vocabulary("phi-3");
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
    assert_true(vectors >= 40);
    assert_int_equal(misses, 0);
    vector_deinit(&vector);
    free(file);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demo_model_agrees),
        cmocka_unit_test(gpt_2_agrees),
        cmocka_unit_test(llama_3_agrees),
        cmocka_unit_test(qwen2_agrees),
        cmocka_unit_test(mpt_with_its_runs_of_spaces_agrees),
        cmocka_unit_test(llama_2_agrees),
        cmocka_unit_test(phi_3_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
