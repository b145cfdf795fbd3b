// tests/engine/tokenizer/test_memory.c — the n-th allocation fails, for n = 1, 2, …
//
// The linker leads our calls of malloc, calloc and realloc here (--wrap).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/detokenizer.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/json_fixture.h"
#include "tests/engine/tokenizer/vocabulary_fixture.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static long allocations_left = -1; // below 0: no limit

static bool allocation_refused(void) {
    if (allocations_left < 0) return false;
    if (allocations_left == 0) return true;
    allocations_left--;
    return false;
}

void *__wrap_malloc(size_t bytes) { return allocation_refused() ? NULL : __real_malloc(bytes); }

void *__wrap_calloc(size_t count, size_t bytes) {
    return allocation_refused() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes) {
    return allocation_refused() ? NULL : __real_realloc(old, bytes);
}

static const char sample[] = "hello the  \xE6\x88\x91\xFF hello, hello the <think> abc";

struct source {
    const struct gguf *gguf;
    struct tokenizer_json json; // if there is no gguf
};

static enum status open_source(const struct source *source, struct tokenizer **tokenizer) {
    return source->gguf ? tokenizer_open(source->gguf, tokenizer, NULL)
                        : tokenizer_open_json(&source->json, tokenizer, NULL);
}

// Opens, encodes and decodes with `limit` allocations; true when they were enough.
static bool all_works_with(const struct source *source, long limit) {
    char text_bytes[400];
    for (size_t i = 0; i < sizeof text_bytes; i++) // long enough for the cache of words
        text_bytes[i] = sample[i % (sizeof sample - 1)];
    const struct piece pieces[] = {{PIECE_CONTROL, "</s>", 4},
                                   {PIECE_TEXT, text_bytes, sizeof text_bytes}};
    struct tokenizer *tokenizer = NULL;
    struct token_ids ids = {0};
    struct text text = {0};
    struct detokenizer detokenizer;
    allocations_left = limit;
    enum status status = open_source(source, &tokenizer);
    assert_true(status == STATUS_OK || !tokenizer);
    if (status == STATUS_OK) status = tokenizer_encode(tokenizer, pieces, 2, &ids);
    assert_true(status == STATUS_OK || ids.count == 0);
    detokenizer_init(&detokenizer, tokenizer, true, true);
    for (size_t i = 0; status == STATUS_OK && i < ids.count; i++) {
        const struct detokenizer held = detokenizer;
        const size_t length = text.length;
        status = detokenizer_push(&detokenizer, ids.ids[i], &text);
        if (status == STATUS_OK) continue;
        assert_int_equal(text.length, length);
        assert_int_equal(detokenizer.held, held.held);
        assert_int_equal(detokenizer.started, held.started);
    }
    allocations_left = -1;
    assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
    text_deinit(&text);
    token_ids_deinit(&ids);
    tokenizer_close(tokenizer);
    return status == STATUS_OK;
}

static void fail_each_in_turn(const struct source *source) {
    long limit = 0;
    while (limit < 10000 && !all_works_with(source, limit))
        limit++;
    printf("%ld allocations\n", limit);
    assert_in_range(limit, 10, 9999);
}

static void byte_level_open_survives_every_failed_allocation(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    fail_each_in_turn(&(struct source){.gguf = fixture->gguf});
    vocabulary_fixture_destroy(fixture);
}

static void sentencepiece_open_survives_every_failed_allocation(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_sentencepiece();
    fail_each_in_turn(&(struct source){.gguf = fixture->gguf});
    vocabulary_fixture_destroy(fixture);
}

static void fail_fixture(struct json_fixture *fixture) {
    struct error err = {0};
    if (json_fixture_open(fixture, &err) != STATUS_OK) fail_msg("%s", err.text);
    struct source source = {
        .json = {.name = "fixture", .tokenizer = {fixture->text.bytes, fixture->text.length}}};
    fail_each_in_turn(&source);
    json_fixture_deinit(fixture);
}

static void byte_level_json_survives_every_failed_allocation(void **state) {
    (void)state;
    struct json_fixture fixture = {
        .normalizer = "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"},"
                      "{\"type\":\"Lowercase\"},{\"type\":\"Replace\",\"pattern\":"
                      "{\"Regex\":\" {3,}\"},\"content\":\" \"}]}",
        .pre_tokenizer = "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\"},"
                         "{\"type\":\"ByteLevel\",\"add_prefix_space\":false}]}",
        .added = "{\"id\":264,\"content\":\"</s>\",\"special\":true},"
                 "{\"id\":265,\"content\":\"<THINK>\",\"normalized\":true}"};
    fail_fixture(&fixture);
}

static void unigram_json_survives_every_failed_allocation(void **state) {
    (void)state;
    struct json_fixture fixture = {
        .model = "{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\",0],[\"▁\",-1],"
                 "[\"hello\",-2],[\"▁the\",-2],[\"a\",-3]]}",
        .pre_tokenizer = "{\"type\":\"Metaspace\",\"replacement\":\"▁\"}",
        .added = "{\"id\":5,\"content\":\"</s>\",\"special\":true}"};
    fail_fixture(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_level_open_survives_every_failed_allocation),
        cmocka_unit_test(sentencepiece_open_survives_every_failed_allocation),
        cmocka_unit_test(byte_level_json_survives_every_failed_allocation),
        cmocka_unit_test(unigram_json_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
