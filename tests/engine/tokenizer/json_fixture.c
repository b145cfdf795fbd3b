#include "tests/engine/tokenizer/json_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

static void append(struct text *text, const char *string) {
    ASSERT(text_append_string(text, string) == STATUS_OK);
}

void json_fixture_string(struct text *text, const char *bytes, size_t length) {
    append(text, "\"");
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        if (byte == '"' || byte == '\\' || byte < 0x20)
            ASSERT(text_format(text, "\\u%04x", byte) == STATUS_OK);
        else
            ASSERT(text_append(text, bytes + i, 1) == STATUS_OK);
    }
    append(text, "\"");
}

static const char *const merged[][2] = {{"h", "e"},     {"l", "l"}, {"he", "ll"}, {"hell", "o"},
                                        {"Ġ", "hello"}, {"o", "o"}, {"1", "2"},   {"Ġ", "Ġ"}};

const char *json_fixture_bytes(void) {
    static char room[16384];
    struct text text = {0};
    append(&text, "{\"type\":\"BPE\",\"unk_token\":null,\"vocab\":{");
    uint32_t next = 256;
    for (uint32_t byte = 0; byte < 256; byte++) {
        const bool prints = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
        char character[UTF8_MAX_BYTES];
        const size_t length = utf8_encode(prints ? byte : next++, character);
        json_fixture_string(&text, character, length);
        ASSERT(text_format(&text, ":%u,", (unsigned)byte) == STATUS_OK);
    }
    const size_t count = sizeof merged / sizeof merged[0];
    for (size_t i = 0; i < count; i++)
        ASSERT(text_format(&text, "\"%s%s\":%zu%s", merged[i][0], merged[i][1], 256 + i,
                           i + 1 < count ? "," : "},\"merges\":[") == STATUS_OK);
    for (size_t i = 0; i < count; i++)
        ASSERT(text_format(&text, "\"%s %s\"%s", merged[i][0], merged[i][1],
                           i + 1 < count ? "," : "]}") == STATUS_OK);
    ASSERT(text.length < sizeof room);
    memcpy(room, text.bytes, text.length + 1);
    text_deinit(&text);
    return room;
}

static void write_merges(struct text *text, const struct gguf *gguf, bool pairs) {
    struct gguf_array merges;
    ASSERT(gguf_find_array(gguf, "tokenizer.ggml.merges", &merges));
    append(text, "\"merges\":[");
    size_t cursor = 0;
    for (size_t i = 0; i < merges.count; i++) {
        const struct gguf_string merge = gguf_array_next_string(&merges, &cursor);
        const char *space = memchr(merge.bytes, ' ', merge.length);
        ASSERT(space);
        const size_t left = (size_t)(space - merge.bytes);
        if (i) append(text, ",\n");
        if (pairs) append(text, "[");
        json_fixture_string(text, merge.bytes, pairs ? left : merge.length);
        if (pairs) append(text, ", ");
        if (pairs) json_fixture_string(text, space + 1, merge.length - left - 1);
        if (pairs) append(text, "]");
    }
    append(text, "]");
}

static void write_tokens(struct text *text, const struct gguf *gguf,
                         const struct tokenizer *tokenizer, bool added) {
    struct gguf_array types;
    const bool typed = gguf_find_array(gguf, "tokenizer.ggml.token_type", &types);
    bool first = true;
    for (int32_t id = 0; id < tokenizer_vocabulary(tokenizer); id++) {
        const int64_t type = typed ? gguf_array_int(&types, (size_t)id) : 1;
        const struct gguf_string piece = tokenizer_piece(tokenizer, id);
        if ((type == 3 || type == 4) != added) continue;
        append(text, first ? "" : ",");
        first = false;
        if (added)
            ASSERT(text_format(text, "{\"id\":%d,\"special\":%s,\"content\":", (int)id,
                               type == 3 ? "true" : "false") == STATUS_OK);
        json_fixture_string(text, piece.bytes, piece.length);
        if (added)
            append(text, "}");
        else
            ASSERT(text_format(text, ":%d", (int)id) == STATUS_OK);
    }
}

void json_fixture_from_gguf(struct text *text, const struct gguf *gguf,
                            const struct tokenizer *tokenizer, const char *expression, bool pairs) {
    const bool bytes = expression != NULL;
    append(text, "{\"version\":\"1.0\",\"added_tokens\":[");
    write_tokens(text, gguf, tokenizer, true);
    if (bytes) {
        append(text, "],\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"Sequence\","
                     "\"pretokenizers\":[{\"type\":\"Split\",\"behavior\":\"Isolated\","
                     "\"pattern\":{\"Regex\":");
        json_fixture_string(text, expression, strlen(expression));
        append(text, "}},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]},"
                     "\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\",");
    } else {
        append(text, "],\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},"
                     "\"content\":\"▁\"},\"pre_tokenizer\":null,\"decoder\":{\"type\":\"Sequence\","
                     "\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"String\":\"▁\"},"
                     "\"content\":\" \"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"}]},"
                     "\"model\":{\"type\":\"BPE\",\"byte_fallback\":true,\"fuse_unk\":true,"
                     "\"unk_token\":\"<unk>\",");
    }
    append(text, "\"vocab\":{");
    write_tokens(text, gguf, tokenizer, false);
    append(text, "},");
    write_merges(text, gguf, pairs);
    append(text, "}}");
}

static struct gguf_string string_of(const char *text) {
    return text ? (struct gguf_string){text, strlen(text)} : (struct gguf_string){0};
}

enum status json_fixture_open(struct json_fixture *fixture, struct error *err) {
    const struct {
        const char *name, *value;
    } parts[] = {
        {"normalizer", fixture->normalizer},
        {"pre_tokenizer", fixture->pre_tokenizer},
        {"decoder", fixture->decoder},
        {"post_processor", fixture->post_processor},
        {"model", fixture->model ? fixture->model : json_fixture_bytes()},
    };
    text_clear(&fixture->text);
    ASSERT(text_format(&fixture->text, "{\"added_tokens\": [%s]",
                       fixture->added ? fixture->added : "") == STATUS_OK);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        ASSERT(text_format(&fixture->text, ",\n  \"%s\": %s", parts[i].name,
                           parts[i].value ? parts[i].value : "null") == STATUS_OK);
    append(&fixture->text, "}\n");
    const struct tokenizer_json files = {.name = "fixture",
                                         .tokenizer = {fixture->text.bytes, fixture->text.length},
                                         .config = string_of(fixture->config),
                                         .generation = string_of(fixture->generation),
                                         .shape = string_of(fixture->shape)};
    return tokenizer_open_json(&files, &fixture->tokenizer, err);
}

void json_fixture_deinit(struct json_fixture *fixture) {
    tokenizer_close(fixture->tokenizer);
    text_deinit(&fixture->text);
}
