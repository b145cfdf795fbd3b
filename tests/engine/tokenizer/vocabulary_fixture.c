#include "tests/engine/tokenizer/vocabulary_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "tests/engine/model/gguf_writer.h"

uint32_t seed;

uint32_t next_random(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * below >> 32);
}

struct vocabulary_fixture *vocabulary_fixture_create(const char *model, const char *pre) {
    struct vocabulary_fixture *fixture = calloc(1, sizeof *fixture);
    ASSERT(fixture);
    fixture->model = model;
    fixture->pre = pre;
    fixture->bos = fixture->eos = fixture->eot = fixture->unknown = INT64_MIN;
    fixture->adds_bos = fixture->adds_space = fixture->trims_space = -1;
    return fixture;
}

void vocabulary_fixture_destroy(struct vocabulary_fixture *fixture) {
    if (!fixture) return;
    tokenizer_close(fixture->tokenizer);
    gguf_close(fixture->gguf);
    free(fixture->file);
    free(fixture);
}

int32_t vocabulary_fixture_add(struct vocabulary_fixture *fixture, const char *text,
                               enum token_type type, float score) {
    ASSERT(fixture->count < FIXTURE_MAX_TOKENS && strlen(text) < FIXTURE_TEXT_BYTES);
    const size_t id = fixture->count++;
    snprintf(fixture->tokens[id], FIXTURE_TEXT_BYTES, "%s", text);
    fixture->types[id] = (int32_t)type;
    fixture->scores[id] = score;
    return (int32_t)id;
}

void vocabulary_fixture_merge(struct vocabulary_fixture *fixture, const char *left,
                              const char *right) {
    ASSERT(fixture->merge_count < FIXTURE_MAX_MERGES);
    snprintf(fixture->merges[fixture->merge_count++], sizeof fixture->merges[0], "%s %s", left,
             right);
}

int32_t vocabulary_fixture_add_characters(struct vocabulary_fixture *fixture) {
    const int32_t first = (int32_t)fixture->count;
    uint32_t next = 256;
    for (uint32_t byte = 0; byte < 256; byte++) {
        const bool prints = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
        char text[UTF8_MAX_BYTES + 1];
        text[utf8_encode(prints ? byte : next++, text)] = '\0';
        vocabulary_fixture_add(fixture, text, TOKEN_NORMAL, 0);
    }
    return first;
}

int32_t vocabulary_fixture_add_bytes(struct vocabulary_fixture *fixture) {
    const int32_t first = (int32_t)fixture->count;
    for (unsigned byte = 0; byte < 256; byte++) {
        char text[8];
        snprintf(text, sizeof text, "<0x%02X>", byte);
        vocabulary_fixture_add(fixture, text, TOKEN_BYTE, 0);
    }
    return first;
}

static void write_strings(struct gguf_writer *writer, const char *key, const char *texts,
                          size_t stride, size_t count) {
    const char **pointers = malloc((count + 1) * sizeof pointers[0]);
    ASSERT(pointers);
    for (size_t i = 0; i < count; i++)
        pointers[i] = texts + i * stride;
    gguf_writer_strings(writer, key, pointers, count);
    free(pointers);
}

static void write_ids(struct gguf_writer *writer, const struct vocabulary_fixture *fixture) {
    const struct {
        const char *key;
        int64_t value;
    } ids[] = {
        {"tokenizer.ggml.bos_token_id", fixture->bos},
        {"tokenizer.ggml.eos_token_id", fixture->eos},
        {"tokenizer.ggml.eot_token_id", fixture->eot},
        {"tokenizer.ggml.unknown_token_id", fixture->unknown},
    };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (ids[i].value != INT64_MIN) gguf_writer_int(writer, ids[i].key, GGUF_I64, ids[i].value);
    if (fixture->adds_bos >= 0)
        gguf_writer_int(writer, "tokenizer.ggml.add_bos_token", GGUF_BOOL, fixture->adds_bos);
    if (fixture->adds_space >= 0)
        gguf_writer_int(writer, "tokenizer.ggml.add_space_prefix", GGUF_BOOL, fixture->adds_space);
    if (fixture->trims_space >= 0)
        gguf_writer_int(writer, "tokenizer.ggml.remove_extra_whitespaces", GGUF_BOOL,
                        fixture->trims_space);
}

enum status vocabulary_fixture_open(struct vocabulary_fixture *fixture, struct error *err) {
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    if (fixture->model) gguf_writer_string(&writer, "tokenizer.ggml.model", fixture->model);
    if (fixture->pre) gguf_writer_string(&writer, "tokenizer.ggml.pre", fixture->pre);
    if (!fixture->no_tokens)
        write_strings(&writer, "tokenizer.ggml.tokens", fixture->tokens[0], FIXTURE_TEXT_BYTES,
                      fixture->count);
    if (!fixture->no_types)
        gguf_writer_array(&writer, "tokenizer.ggml.token_type", GGUF_I32, fixture->count,
                          fixture->types, fixture->count * sizeof fixture->types[0]);
    if (!fixture->no_scores)
        gguf_writer_array(&writer, "tokenizer.ggml.scores", GGUF_F32, fixture->count,
                          fixture->scores, fixture->count * sizeof fixture->scores[0]);
    if (fixture->merge_count)
        write_strings(&writer, "tokenizer.ggml.merges", fixture->merges[0],
                      sizeof fixture->merges[0], fixture->merge_count);
    write_ids(&writer, fixture);
    fixture->file = gguf_writer_finish(&writer, &fixture->file_bytes);
    gguf_writer_deinit(&writer);
    TRY(gguf_open_memory(fixture->file, fixture->file_bytes, "fixture", &fixture->gguf, err));
    return tokenizer_open(fixture->gguf, &fixture->tokenizer, err);
}

struct vocabulary_fixture *vocabulary_fixture_byte_level(void) {
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "qwen2");
    vocabulary_fixture_add_characters(fixture);
    static const char *const merges[][2] = {
        {"h", "e"}, {"t", "he"},  {"Ġ", "the"},  {"i", "n"}, {"e", "r"},  {"Ġ", "a"},
        {"l", "l"}, {"he", "ll"}, {"hell", "o"}, {"Ġ", "Ġ"}, {"ĠĠ", "Ġ"}, {"a", "n"},
        {"Ã", "©"}, {"<", "|"},   {"|", ">"},    {"i", "m"}, {"Ċ", "Ċ"},  {"1", "2"},
    };
    for (size_t i = 0; i < sizeof merges / sizeof merges[0]; i++) {
        char joined[FIXTURE_TEXT_BYTES];
        snprintf(joined, sizeof joined, "%s%s", merges[i][0], merges[i][1]);
        vocabulary_fixture_add(fixture, joined, TOKEN_NORMAL, 0);
        vocabulary_fixture_merge(fixture, merges[i][0], merges[i][1]);
    }
    vocabulary_fixture_add(fixture, "<|im_start|>", TOKEN_CONTROL, 0);
    fixture->eos = vocabulary_fixture_add(fixture, "<|im_end|>", TOKEN_CONTROL, 0);
    fixture->bos = vocabulary_fixture_add(fixture, "<|endoftext|>", TOKEN_CONTROL, 0);
    vocabulary_fixture_add(fixture, "<think>", TOKEN_USER_DEFINED, 0);
    ASSERT(vocabulary_fixture_open(fixture, NULL) == STATUS_OK);
    return fixture;
}

struct vocabulary_fixture *vocabulary_fixture_sentencepiece(void) {
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("llama", NULL);
    fixture->unknown = vocabulary_fixture_add(fixture, "<unk>", TOKEN_UNKNOWN, 0);
    fixture->bos = vocabulary_fixture_add(fixture, "<s>", TOKEN_CONTROL, 0);
    fixture->eos = vocabulary_fixture_add(fixture, "</s>", TOKEN_CONTROL, 0);
    vocabulary_fixture_add_bytes(fixture);
    static const char *const texts[] = {
        "▁",      "a",   "b",  "c",    "d",    "e",  "h",    "l",
        "o",      "t",   "é",  "<",    "/",    "s",  ">",    "\xEF\xBF\xBD",
        "▁▁",     "▁t",  "he", "▁the", "▁▁▁▁", "ll", "hell", "hello",
        "▁hello", "▁he", "</", "s>",   "ab",   "bc", "abc",  "▁a",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        vocabulary_fixture_add(fixture, texts[i], TOKEN_NORMAL, -(float)i);
    vocabulary_fixture_add(fixture, "<think>", TOKEN_USER_DEFINED, 0);
    ASSERT(vocabulary_fixture_open(fixture, NULL) == STATUS_OK);
    return fixture;
}
