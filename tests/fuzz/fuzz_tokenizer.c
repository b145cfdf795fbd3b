// tests/fuzz/fuzz_tokenizer.c — any vocabulary, any text, any pieces: ids that are in range.
//
//   byte 0      0: the rest is u8 text length | text | GGUF file
//               1, 2: a fixed byte-level or SentencePiece vocabulary and the rest as pieces:
//               u8 header (bit 7: control, bits 0 to 6: length) | bytes
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/detokenizer.h"
#include "kernels/base/assert.h"
#include "tests/engine/tokenizer/vocabulary_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MAX_PIECES = 64 };

// Every id is one, and the stream of them is well-formed text.
static void check_ids(const struct tokenizer *tokenizer, const struct token_ids *ids) {
    struct text text = {0};
    struct detokenizer detokenizer;
    detokenizer_init(&detokenizer, tokenizer, true, true);
    for (size_t i = 0; i < ids->count; i++) {
        ASSERT(ids->ids[i] >= 0 && ids->ids[i] < tokenizer_vocabulary(tokenizer));
        ASSERT(detokenizer_push(&detokenizer, ids->ids[i], &text) == STATUS_OK);
    }
    ASSERT(detokenizer_finish(&detokenizer, &text) == STATUS_OK);
    ASSERT(utf8_valid(text_string(&text), text.length, NULL));
    text_deinit(&text);
}

static void check_text(const struct tokenizer *tokenizer, const char *bytes, size_t length) {
    struct token_ids ids = {0};
    const struct piece pieces[] = {{PIECE_CONTROL, bytes, length}, {PIECE_TEXT, bytes, length}};
    ASSERT(tokenizer_encode(tokenizer, pieces, 2, &ids) == STATUS_OK);
    ASSERT(ids.count > 0 || length == 0);
    check_ids(tokenizer, &ids);
    token_ids_deinit(&ids);
}

static void fuzz_file(const uint8_t *bytes, size_t length) {
    static const char fixed[] = "Hello <s></s>\n 12 \xC3\xA9\xE6\x88\x91 \xFF the   the the";
    const size_t text_length = length > 0 && bytes[0] < length ? bytes[0] : 0;
    const size_t skip = length > 0 ? 1 + text_length : 0;
    const size_t file_length = length - skip;
    void *file = malloc(file_length + (file_length == 0)); // aligned, with watched ends
    ASSERT(file != NULL);
    memcpy(file, bytes + skip, file_length);
    struct gguf *gguf = NULL;
    struct tokenizer *tokenizer = NULL;
    struct error err = {0};
    if (gguf_open_memory(file, file_length, "input", &gguf, &err) == STATUS_OK) {
        if (tokenizer_open(gguf, &tokenizer, &err) == STATUS_OK) {
            check_text(tokenizer, fixed, sizeof fixed - 1);
            check_text(tokenizer, (const char *)bytes + 1, text_length);
        } else {
            ASSERT(!tokenizer && err.status != STATUS_OK);
        }
    }
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    free(file);
}

static size_t read_pieces(const uint8_t *bytes, size_t length, struct piece *pieces) {
    size_t count = 0;
    for (size_t at = 0; at < length && count < MAX_PIECES; count++) {
        const uint8_t header = bytes[at++];
        size_t wanted = header & 0x7F;
        if (wanted > length - at) wanted = length - at;
        pieces[count] = (struct piece){header & 0x80 ? PIECE_CONTROL : PIECE_TEXT,
                                       (const char *)bytes + at, wanted};
        at += wanted;
    }
    return count;
}

// Byte-level: the bytes come back. Without control pieces nothing is special.
static void fuzz_pieces(const struct tokenizer *tokenizer, bool byte_level, const uint8_t *bytes,
                        size_t length) {
    struct piece pieces[MAX_PIECES] = {0};
    struct token_ids ids = {0};
    struct text expected = {0}, found = {0};
    const size_t count = read_pieces(bytes, length, pieces);
    ASSERT(tokenizer_encode(tokenizer, pieces, count, &ids) == STATUS_OK);
    check_ids(tokenizer, &ids);
    for (size_t i = 0; i < count; i++)
        ASSERT(text_append(&expected, pieces[i].bytes, pieces[i].length) == STATUS_OK);
    for (size_t i = 0; i < ids.count; i++)
        ASSERT(tokenizer_decode(tokenizer, ids.ids[i], true, &found) == STATUS_OK);
    if (byte_level)
        ASSERT(found.length == expected.length &&
               memcmp(text_string(&found), text_string(&expected), found.length) == 0);
    for (size_t i = 0; i < count; i++)
        pieces[i].kind = PIECE_TEXT;
    ids.count = 0;
    ASSERT(tokenizer_encode(tokenizer, pieces, count, &ids) == STATUS_OK);
    for (size_t i = 0; i < ids.count; i++)
        ASSERT(!tokenizer_is_special(tokenizer, ids.ids[i]));
    const struct piece whole = {PIECE_TEXT, text_string(&expected), expected.length};
    struct token_ids again = {0};
    ASSERT(tokenizer_encode(tokenizer, &whole, 1, &again) == STATUS_OK);
    ASSERT(again.count == ids.count);
    ASSERT(ids.count == 0 || memcmp(again.ids, ids.ids, ids.count * sizeof ids.ids[0]) == 0);
    token_ids_deinit(&again);
    token_ids_deinit(&ids);
    text_deinit(&expected);
    text_deinit(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static struct vocabulary_fixture *byte_level, *sentencepiece; // reachable until the end
    if (!byte_level) {
        byte_level = vocabulary_fixture_byte_level();
        sentencepiece = vocabulary_fixture_sentencepiece();
    }
    if (length == 0) return 0;
    if (bytes[0] == 0) fuzz_file(bytes + 1, length - 1);
    if (bytes[0] == 1) fuzz_pieces(byte_level->tokenizer, true, bytes + 1, length - 1);
    if (bytes[0] == 2) fuzz_pieces(sentencepiece->tokenizer, false, bytes + 1, length - 1);
    return 0;
}
