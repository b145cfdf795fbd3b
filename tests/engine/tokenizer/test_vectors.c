// tests/engine/tokenizer/test_vectors.c — ids of our own vocabularies, against ids of others.
//
// vocabularies/ has one of each kind that quire reads, texts, and what llama.cpp and Hugging Face's
// tokenizers make of them; make.py there wrote all of it, and may write more of it elsewhere:
//
//   texts.txt   text "TEXT", or control "TEXT" where control tokens are looked for
//   ids.txt     kind FILE PRE…, then a line of ids for each text, or "=": those of the kind before.
//               FILE stands for itself, and with each PRE as its tokenizer.ggml.pre if there are
//               any
//
// demo_vectors.txt has the same for the built-in model, made by a plain BPE of its tokenizer.json.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/engine/tokenizer/agreement.h"
#include "tests/engine/tokenizer/json_fixture.h"
#include "tests/engine/tokenizer/vector_file.h"
#include "tests/engine/tokenizer/vocabulary_fixture.h"

enum {
    ROUND_TRIPS = CHECK_ROUNDS(100 * 1000, 10 * 1000),
    ROUND_TRIPS_EACH = CHECK_ROUNDS(1000, 100),
    MAX_KINDS = 128,
    MAX_NAME = 512,
};

struct kind {
    char name[MAX_NAME]; // FILE PRE…
    struct token_ids *ids;
};

static const char *folder = TESTS_DIR "/engine/tokenizer/vocabularies";
static struct vector *texts;
static struct kind kinds[MAX_KINDS];
static size_t text_count, kind_count;

static char *read_file(const char *name, size_t *length) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *bytes = vector_file_read(path, length);
    if (!bytes) fail_msg("cannot read %s", path);
    return bytes;
}

static void read_texts(void) {
    char *file = read_file("texts.txt", NULL);
    const char *cursor = file;
    for (struct vector vector = {0}; vector_file_next(&cursor, &vector);
         vector = (struct vector){0}) {
        texts = realloc(texts, (text_count + 1) * sizeof texts[0]);
        assert_non_null(texts);
        texts[text_count++] = vector;
    }
    free(file);
}

static void read_kinds(void) {
    char *file = read_file("ids.txt", NULL);
    for (const char *cursor = file; !strncmp(cursor, "kind ", 5);) {
        assert_true(kind_count < MAX_KINDS);
        struct kind *kind = &kinds[kind_count++];
        cursor += 5;
        const size_t length = strcspn(cursor, "\n");
        assert_true(length < MAX_NAME);
        memcpy(kind->name, cursor, length);
        cursor += length + 1;
        kind->ids = calloc(text_count, sizeof kind->ids[0]);
        assert_non_null(kind->ids);
        for (size_t i = 0; i < text_count; i++) {
            const bool same = *cursor == '=';
            assert_true(!same || kind > kinds);
            vector_file_numbers(&cursor, &kind->ids[i]);
            if (same)
                assert_int_equal(
                    token_ids_append(&kind->ids[i], kind[-1].ids[i].ids, kind[-1].ids[i].count),
                    STATUS_OK);
        }
    }
    free(file);
}

static void forget_all(void) {
    for (size_t i = 0; i < text_count; i++)
        vector_deinit(&texts[i]);
    free(texts);
    for (size_t k = 0; k < kind_count; k++) {
        for (size_t i = 0; i < text_count; i++)
            token_ids_deinit(&kinds[k].ids[i]);
        free(kinds[k].ids);
    }
}

static void compare_kind(const struct tokenizer *tokenizer, const struct kind *kind,
                         bool both_ways) {
    size_t misses = 0;
    for (size_t i = 0; i < text_count; i++) {
        const bool control = strcmp(texts[i].name, "control") == 0;
        const struct piece piece = {control ? PIECE_CONTROL : PIECE_TEXT,
                                    text_string(&texts[i].text), texts[i].text.length};
        misses += !(both_ways && !control ? agreement_both_ways
                                          : agreement_of_ids)(tokenizer, piece, &kind->ids[i]);
    }
    printf("%s: %zu texts, %zu misses\n", tokenizer_description(tokenizer), text_count, misses);
    assert_int_equal(misses, 0);
}

static void check_json_kind(const struct kind *kind) {
    struct tokenizer_json files = {.name = kind->name};
    struct tokenizer *tokenizer;
    struct error err = {0};
    size_t length;
    char *bytes = read_file(kind->name, &length);
    files.tokenizer.bytes = bytes;
    files.tokenizer.length = length;
    if (tokenizer_open_json(&files, &tokenizer, &err) != STATUS_OK) fail_msg("%s", err.text);
    compare_kind(tokenizer, kind, false); // a normaliser changes texts for good
    tokenizer_close(tokenizer);
    free(bytes);
}

static struct gguf_array array_of(const struct gguf *gguf, const char *key) {
    struct gguf_array array = {0};
    if (!gguf_find_array(gguf, key, &array)) fail_msg("no %s", key);
    return array;
}

// The file's vocabulary under another pre-tokeniser's name.
static struct vocabulary_fixture *copy_as(const struct gguf *gguf, const char *pre) {
    struct vocabulary_fixture *copy = vocabulary_fixture_create("gpt2", pre);
    struct gguf_array tokens = array_of(gguf, "tokenizer.ggml.tokens");
    struct gguf_array types = array_of(gguf, "tokenizer.ggml.token_type");
    struct gguf_array merges = array_of(gguf, "tokenizer.ggml.merges");
    char text[2 * FIXTURE_TEXT_BYTES];
    size_t cursor = 0;
    for (size_t i = 0; i < tokens.count; i++) {
        const struct gguf_string token = gguf_array_next_string(&tokens, &cursor);
        snprintf(text, sizeof text, "%.*s", (int)token.length, token.bytes);
        vocabulary_fixture_add(copy, text, (enum token_type)gguf_array_int(&types, i), 0);
    }
    cursor = 0;
    for (size_t i = 0; i < merges.count; i++) {
        const struct gguf_string merge = gguf_array_next_string(&merges, &cursor);
        snprintf(text, sizeof text, "%.*s", (int)merge.length, merge.bytes);
        char *space = strchr(text + 1, ' ');
        assert_non_null(space);
        *space = '\0';
        vocabulary_fixture_merge(copy, text, space + 1);
    }
    (void)gguf_find_int(gguf, "tokenizer.ggml.eos_token_id", &copy->eos);
    (void)gguf_find_int(gguf, "tokenizer.ggml.unknown_token_id", &copy->unknown);
    bool adds_space;
    if (gguf_find_bool(gguf, "tokenizer.ggml.add_space_prefix", &adds_space))
        copy->adds_space = adds_space;
    return copy;
}

static void check_as(const struct gguf *gguf, const struct kind *kind, const char *pre) {
    static const struct {
        const char *pre, *expression;
    } known[] = {{"gpt-2", AGREEMENT_GPT2}, {"qwen2", AGREEMENT_WORDS("\\p{N}")}};
    struct error err = {0};
    struct vocabulary_fixture *copy = copy_as(gguf, pre);
    if (vocabulary_fixture_open(copy, &err) != STATUS_OK) fail_msg("%s: %s", pre, err.text);
    compare_kind(copy->tokenizer, kind, true);
    agreement_round_trips(copy->tokenizer, ROUND_TRIPS_EACH);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(pre, known[i].pre) == 0)
            agreement_with_json(copy->gguf, copy->tokenizer, known[i].expression, i == 0);
    vocabulary_fixture_destroy(copy);
}

static void check_gguf_kind(const struct kind *kind) {
    char names[MAX_NAME], path[1024];
    snprintf(names, sizeof names, "%s", kind->name);
    char *rest = names, *file = strsep(&rest, " ");
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    agreement_open(path, &gguf, &tokenizer);
    if (!rest) {
        compare_kind(tokenizer, kind, true);
        agreement_round_trips(tokenizer, ROUND_TRIPS_EACH);
    }
    while (rest)
        check_as(gguf, kind, strsep(&rest, " "));
    tokenizer_close(tokenizer);
    gguf_close(gguf);
}

static void ids_match_the_golden_vectors_of_the_kind(void **state) {
    const struct kind *kind = *state;
    if (strstr(kind->name, ".json"))
        check_json_kind(kind);
    else
        check_gguf_kind(kind);
}

static void demo_model_ids_match_the_golden_vectors(void **state) {
    (void)state;
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    agreement_open(TESTS_DIR "/../engine/demo/quire-demo-30m-q8_0.gguf", &gguf, &tokenizer);
    char *file = vector_file_read(TESTS_DIR "/engine/tokenizer/demo_vectors.txt", NULL);
    assert_non_null(file);
    struct vector vector = {0};
    int vectors = 0, misses = 0;
    for (const char *cursor = file; vector_file_next(&cursor, &vector); vectors++) {
        const bool control = strcmp(vector.name, "control") == 0;
        const struct piece piece = {control ? PIECE_CONTROL : PIECE_TEXT, text_string(&vector.text),
                                    vector.text.length};
        if (!agreement_both_ways(tokenizer, piece, &vector.numbers)) misses++;
    }
    printf("%d vectors, %d misses\n", vectors, misses);
    agreement_round_trips(tokenizer, ROUND_TRIPS);
    assert_true(vectors >= 40);
    assert_int_equal(misses, 0);
    vector_deinit(&vector);
    free(file);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
}

// So that ids which one guesses are ids of the other.
static void the_drafter_shares_the_demo_models_tokens(void **state) {
    (void)state;
    struct gguf *files[2];
    struct tokenizer *tokenizers[2];
    agreement_open(TESTS_DIR "/../engine/demo/quire-demo-30m-q8_0.gguf", &files[0], &tokenizers[0]);
    agreement_open(TESTS_DIR "/../engine/demo/quire-demo-3m-q8_0.gguf", &files[1], &tokenizers[1]);
    const int32_t count = tokenizer_vocabulary(tokenizers[0]);
    assert_int_equal(count, tokenizer_vocabulary(tokenizers[1]));
    for (int32_t id = 0; id < count; id++) {
        struct text pair[2] = {{0}};
        for (int i = 0; i < 2; i++)
            assert_int_equal(tokenizer_decode(tokenizers[i], id, true, &pair[i]), STATUS_OK);
        assert_string_equal(text_string(&pair[0]), text_string(&pair[1]));
        assert_int_equal(tokenizer_ends_turn(tokenizers[0], id),
                         tokenizer_ends_turn(tokenizers[1], id));
        text_deinit(&pair[0]);
        text_deinit(&pair[1]);
    }
    for (int i = 0; i < 2; i++) {
        tokenizer_close(tokenizers[i]);
        gguf_close(files[i]);
    }
}

int main(int argc, char **argv) {
    struct CMUnitTest tests[MAX_KINDS + 2] = {
        cmocka_unit_test(demo_model_ids_match_the_golden_vectors),
        cmocka_unit_test(the_drafter_shares_the_demo_models_tokens),
    };
    if (argc > 1) folder = argv[1];
    read_texts();
    read_kinds();
    for (size_t i = 0; i < kind_count; i++)
        tests[2 + i] = (struct CMUnitTest){.name = kinds[i].name,
                                           .test_func = ids_match_the_golden_vectors_of_the_kind,
                                           .initial_state = &kinds[i]};
    const int failed = _cmocka_run_group_tests("vectors", tests, 2 + kind_count, NULL, NULL);
    forget_all();
    return failed || kind_count < 50;
}
