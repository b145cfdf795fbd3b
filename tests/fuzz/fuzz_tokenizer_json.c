// tests/fuzz/fuzz_tokenizer_json.c — any tokenizer.json, any text: refused, or ids in range.
//
//   byte 0      0: text | NUL | tokenizer.json | NUL | tokenizer_config.json | NUL |
//               generation_config.json
//               1: text | NUL | normalizer | NUL | pre_tokenizer | NUL | decoder | NUL | added
//               tokens, with a byte-level model
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/detokenizer.h"
#include "kernels/base/assert.h"
#include "tests/engine/tokenizer/json_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { PARTS = 5 };

// Copies with watched ends, each with a NUL behind it. The last part may hold NULs.
static void split_parts(const char *bytes, size_t length, char *parts[PARTS],
                        size_t lengths[PARTS]) {
    for (size_t i = 0; i < PARTS; i++) {
        const char *end = length && i + 1 < PARTS ? memchr(bytes, '\0', length) : NULL;
        lengths[i] = end ? (size_t)(end - bytes) : length;
        parts[i] = malloc(lengths[i] + 1);
        ASSERT(parts[i]);
        if (lengths[i]) memcpy(parts[i], bytes, lengths[i]);
        parts[i][lengths[i]] = '\0';
        bytes += lengths[i] + (end != NULL);
        length -= lengths[i] + (end != NULL);
    }
}

static void check_text(const struct tokenizer *tokenizer, const char *bytes, size_t length) {
    struct token_ids ids = {0};
    struct text text = {0};
    struct detokenizer detokenizer;
    const struct piece pieces[] = {{PIECE_CONTROL, bytes, length}, {PIECE_TEXT, bytes, length}};
    // An expression may take too many steps, and a normaliser may let a text grow too long.
    const enum status status = tokenizer_encode(tokenizer, pieces, 2, &ids);
    ASSERT(status == STATUS_OK || status == STATUS_UNSUPPORTED || status == STATUS_TOO_LONG ||
           status == STATUS_NO_MEMORY);
    ASSERT(status == STATUS_OK || ids.count == 0);
    detokenizer_init(&detokenizer, tokenizer, true, tokenizer_adds_space_prefix(tokenizer));
    for (size_t i = 0; i < ids.count; i++) {
        ASSERT(ids.ids[i] >= 0 && ids.ids[i] < tokenizer_vocabulary(tokenizer));
        ASSERT(detokenizer_push(&detokenizer, ids.ids[i], &text) == STATUS_OK);
    }
    ASSERT(detokenizer_finish(&detokenizer, &text) == STATUS_OK);
    ASSERT(utf8_valid(text_string(&text), text.length, NULL));
    ids.count = 0;
    if (tokenizer_encode(tokenizer, &pieces[1], 1, &ids) == STATUS_OK)
        for (size_t i = 0; i < ids.count; i++) // the unknown token is special, and text may be that
            ASSERT(!tokenizer_is_special(tokenizer, ids.ids[i]) ||
                   ids.ids[i] == tokenizer_unknown(tokenizer));
    token_ids_deinit(&ids);
    text_deinit(&text);
}

static void check_tokenizer(const struct tokenizer *tokenizer, const char *text, size_t length) {
    static const char fixed[] =
        "Hello <s></s>\n 12 \xC3\xA9\xE6\x88\x91 e\xCC\x81 \xFF the   the the";
    check_text(tokenizer, fixed, sizeof fixed - 1);
    check_text(tokenizer, text, length);
}

static void fuzz_files(char *const parts[PARTS], const size_t lengths[PARTS]) {
    struct tokenizer *tokenizer = NULL;
    struct error err = {0};
    const struct tokenizer_json files = {.name = "input",
                                         .tokenizer = {parts[1], lengths[1]},
                                         .config = {parts[2], lengths[2]},
                                         .generation = {parts[3], lengths[3]}};
    if (tokenizer_open_json(&files, &tokenizer, &err) == STATUS_OK)
        check_tokenizer(tokenizer, parts[0], lengths[0]);
    else
        ASSERT(!tokenizer && strlen(err.text) > 0);
    tokenizer_close(tokenizer);
}

static void fuzz_parts(char *const parts[PARTS], const size_t lengths[PARTS]) {
    struct json_fixture fixture = {
        .normalizer = parts[1], .pre_tokenizer = parts[2], .decoder = parts[3], .added = parts[4]};
    struct error err = {0};
    if (json_fixture_open(&fixture, &err) == STATUS_OK)
        check_tokenizer(fixture.tokenizer, parts[0], lengths[0]);
    json_fixture_deinit(&fixture);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    char *parts[PARTS];
    size_t lengths[PARTS];
    if (length == 0 || bytes[0] > 1) return 0;
    split_parts((const char *)bytes + 1, length - 1, parts, lengths);
    if (bytes[0] == 0)
        fuzz_files(parts, lengths);
    else
        fuzz_parts(parts, lengths);
    for (size_t i = 0; i < PARTS; i++)
        free(parts[i]);
    return 0;
}
