// tests/engine/tokenizer/test_published.c — ids of published vocabularies, against ids of others.
//
// published.h says where they are. Each is also written as a tokenizer.json and compared with that
// on random text.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/engine/model/gguf_touch.h"
#include "tests/engine/tokenizer/agreement.h"
#include "tests/engine/tokenizer/vector_file.h"
#include "tests/published.h"

enum { ROUND_TRIPS = CHECK_ROUNDS(100 * 1000, 10 * 1000) };

static const char separator[] = "\n__ggml_vocab_test__\n"; // the last one may be missing
static const char *folder;

struct check {              // besides the vectors
    const char *expression; // of a tokenizer.json over bytes
    bool json, pairs;       // is one written? merges as pairs
};

static void check_vocabulary(const char *name, struct check check) {
    char path[1024];
    size_t length;
    snprintf(path, sizeof path, "%s/vocab/%s.inp", folder, name);
    char *input = vector_file_read(path, &length);
    snprintf(path, sizeof path, "%s/vocab/%s.out", folder, name);
    char *output = vector_file_read(path, NULL);
    if (!input || !output) fail_msg("no vectors for %s in %s/vocab", name, folder);
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    snprintf(path, sizeof path, "%s/vocab/%s.gguf", folder, name);
    agreement_open(path, &gguf, &tokenizer);
    int vectors = 0, misses = 0;
    const char *line = output;
    struct token_ids expected = {0};
    for (char *text = input, *end; *text; text = end) {
        const char *next = strstr(text, separator);
        const struct piece piece = {PIECE_TEXT, text, next ? (size_t)(next - text) : strlen(text)};
        end = text + piece.length + (next ? sizeof separator - 1 : 0);
        vector_file_numbers(&line, &expected);
        if (!agreement_both_ways(tokenizer, piece, &expected)) misses++;
        vectors++;
    }
    token_ids_deinit(&expected);
    printf("%s, %s: %d vectors, %d misses\n", name, tokenizer_description(tokenizer), vectors,
           misses);
    assert_true(vectors > 40);
    assert_int_equal(misses, 0);
    assert_int_equal(*line, '\0');
    agreement_round_trips(tokenizer, ROUND_TRIPS);
    if (check.json) agreement_with_json(gguf, tokenizer, check.expression, check.pairs);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    free(input);
    free(output);
}

static void gpt_2_ids_match_the_golden_vectors(void **state) {
    (void)state;
    check_vocabulary("gpt-2", (struct check){.json = true, .expression = AGREEMENT_GPT2});
}

static void llama_3_ids_match_the_golden_vectors(void **state) {
    (void)state;
    check_vocabulary("llama-bpe", (struct check){0});
}

static void qwen2_ids_match_the_golden_vectors(void **state) {
    (void)state;
    check_vocabulary(
        "qwen2",
        (struct check){.json = true, .expression = AGREEMENT_WORDS("\\p{N}"), .pairs = true});
}

static void mpt_ids_with_runs_of_spaces_match_the_golden_vectors(void **state) {
    (void)state;
    check_vocabulary("mpt",
                     (struct check){.json = true, .expression = AGREEMENT_GPT2, .pairs = true});
}

static void llama_2_ids_match_the_golden_vectors(void **state) {
    (void)state;
    check_vocabulary("llama-spm", (struct check){0});
}

static void phi_3_ids_match_the_golden_vectors(void **state) {
    (void)state;
    check_vocabulary("phi-3", (struct check){0});
}

// As the model's tokenizer.json says of them; ids as another implementation has them.
static void phi_3_marks_absorb_the_line_end_after_them(void **state) {
    (void)state;
    char path[1024];
    static const char prompt[] = "<|user|>\nSYS\nHI<|end|>\n<|assistant|>\n";
    static const int32_t expected[] = {32010, 317, 21554, 13, 17628, 32007, 32001};
    snprintf(path, sizeof path, "%s/vocab/phi-3.gguf", folder);
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    struct token_ids ids = {0};
    agreement_open(path, &gguf, &tokenizer);
    const struct piece piece = {PIECE_CONTROL, prompt, sizeof prompt - 1};
    assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
    assert_int_equal(ids.count, sizeof expected / sizeof expected[0]);
    assert_memory_equal(ids.ids, expected, sizeof expected);
    token_ids_deinit(&ids);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
}

static void gemma_4_ids_match_the_golden_vectors(void **state) {
    (void)state;
    check_vocabulary("gemma-4", (struct check){.json = true});
}

static void vocabulary_files_account_for_every_byte(void **state) {
    (void)state;
    char path[1024];
    int found = 0;
    snprintf(path, sizeof path, "%s/vocab", folder);
    DIR *files = opendir(path);
    assert_non_null(files);
    for (const struct dirent *entry; (entry = readdir(files));) {
        struct gguf *gguf = NULL;
        struct error err = {0};
        if (!strstr(entry->d_name, ".gguf")) continue;
        snprintf(path, sizeof path, "%s/vocab/%s", folder, entry->d_name);
        if (gguf_open(path, &gguf, &err) != STATUS_OK) fail_msg("%s", err.text);
        gguf_touch(gguf);
        gguf_close(gguf);
        found++;
    }
    closedir(files);
    assert_true(found > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vocabulary_files_account_for_every_byte),
        cmocka_unit_test(gpt_2_ids_match_the_golden_vectors),
        cmocka_unit_test(llama_3_ids_match_the_golden_vectors),
        cmocka_unit_test(qwen2_ids_match_the_golden_vectors),
        cmocka_unit_test(mpt_ids_with_runs_of_spaces_match_the_golden_vectors),
        cmocka_unit_test(llama_2_ids_match_the_golden_vectors),
        cmocka_unit_test(phi_3_ids_match_the_golden_vectors),
        cmocka_unit_test(phi_3_marks_absorb_the_line_end_after_them),
        cmocka_unit_test(gemma_4_ids_match_the_golden_vectors),
    };
    folder = published_folder();
    return folder ? cmocka_run_group_tests(tests, NULL, NULL) : PUBLISHED_SKIPPED;
}
