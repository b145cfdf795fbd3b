#include "engine/tokenizer/sentencepiece.h"

#include <inttypes.h>
#include <string.h>

enum { MARK_BYTES = 3 }; // U+2581, which stands for a space
static const char mark[] = "\xE2\x96\x81";

static bool begins_with_mark(const char *bytes, size_t length) {
    return length >= MARK_BYTES && memcmp(bytes, mark, MARK_BYTES) == 0;
}

// Is there a U+2581 behind another character?
static bool has_inner_mark(struct gguf_string text) {
    size_t start = 0;
    while (begins_with_mark(text.bytes + start, text.length - start))
        start += MARK_BYTES;
    for (size_t i = start; i < text.length; i++)
        if (begins_with_mark(text.bytes + i, text.length - i)) return true;
    return false;
}

static int hex_digit(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return -1;
}

// The byte that "<0x0A>" names, or -1.
static int named_byte(struct gguf_string text) {
    if (text.length != 6 || memcmp(text.bytes, "<0x", 3) != 0 || text.bytes[5] != '>') return -1;
    const int high = hex_digit(text.bytes[3]), low = hex_digit(text.bytes[4]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

enum status sentencepiece_init(struct sentencepiece *sentencepiece, const struct gguf *gguf,
                               const struct vocabulary *vocabulary, struct error *err) {
    struct sentencepiece made = {.vocabulary = vocabulary, .cuts_words = true};
    if (!vocabulary->has_scores)
        return error_set(err, STATUS_BAD_FILE, "%s: no tokenizer.ggml.scores", gguf_path(gguf));
    for (size_t byte = 0; byte < 256; byte++)
        made.byte_ids[byte] = TOKEN_NONE;
    for (int32_t id = 0; id < vocabulary->count; id++) {
        const struct gguf_string text = vocabulary->tokens[id].text;
        const enum token_type type = vocabulary_type(vocabulary, id);
        const bool plain = type == TOKEN_NORMAL || type == TOKEN_USER_DEFINED;
        if (plain && has_inner_mark(text)) made.cuts_words = false;
        if (type != TOKEN_BYTE) continue;
        const int byte = named_byte(text);
        if (byte < 0)
            return error_set(err, STATUS_BAD_FILE, "%s: byte token %" PRId32 " is not \"<0x..>\"",
                             gguf_path(gguf), id);
        if (made.byte_ids[byte] == TOKEN_NONE) made.byte_ids[byte] = id;
    }
    for (int byte = 0; byte < 256; byte++)
        if (made.byte_ids[byte] == TOKEN_NONE && vocabulary->unknown == TOKEN_NONE)
            return error_set(err, STATUS_BAD_FILE,
                             "%s: byte 0x%02X has no token, and there is none for unknown text",
                             gguf_path(gguf), (unsigned)byte);
    *sentencepiece = made;
    return STATUS_OK;
}

// U+2581 in the text counts as the space that it is going to be taken for.
size_t sentencepiece_word(const struct sentencepiece *sentencepiece, const char *bytes,
                          size_t length) {
    if (!sentencepiece->cuts_words) return length;
    bool after_space = true;
    for (size_t i = 0; i < length; i++) {
        const bool space = bytes[i] == ' ';
        if (space && !after_space) return i;
        after_space = space || (i + 1 >= MARK_BYTES &&
                                begins_with_mark(bytes + i + 1 - MARK_BYTES, MARK_BYTES));
    }
    return length;
}

// Bytes of the character at the start: 1 for an ill-formed one.
static size_t character_bytes(const char *bytes, size_t length) {
    size_t used;
    if (utf8_decode(bytes, length, &used) != UTF8_REPLACEMENT) return used;
    return length >= 3 && memcmp(bytes, "\xEF\xBF\xBD", 3) == 0 ? 3 : 1;
}

static enum status mark_spaces(struct text *scratch, struct piece text, bool space_prefix) {
    text_clear(scratch);
    if (space_prefix) TRY(text_append(scratch, mark, MARK_BYTES));
    for (size_t i = 0; i < text.length;) {
        const char *space = memchr(text.bytes + i, ' ', text.length - i);
        const size_t until = space ? (size_t)(space - text.bytes) : text.length;
        TRY(text_append(scratch, text.bytes + i, until - i));
        if (space) TRY(text_append(scratch, mark, MARK_BYTES));
        i = until + (space ? 1 : 0);
    }
    return STATUS_OK;
}

// High scores first. A float's bits order like an integer's once the negative ones are turned
// over; adding zero makes -0 and 0 one.
static uint32_t rank_of(float score) {
    const float number = score + 0.0f;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint32_t rising = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return ~rising;
}

struct joining {
    const struct vocabulary *vocabulary;
    const char *bytes;
};

static bool find_join(const void *context, const struct merger *merger, uint32_t left,
                      uint32_t right, uint32_t *rank, int32_t *id) {
    const struct joining *joining = context;
    const size_t length = merger->symbols[right].next - left;
    *id = vocabulary_find(joining->vocabulary, joining->bytes + left, length);
    if (*id == TOKEN_NONE) return false;
    *rank = rank_of(joining->vocabulary->tokens[*id].score);
    return true;
}

// A character that is no token, by its bytes.
static enum status push_bytes(const struct sentencepiece *sentencepiece, const char *bytes,
                              size_t length, struct token_ids *ids) {
    bool all = true;
    for (size_t i = 0; i < length; i++)
        all = all && sentencepiece->byte_ids[(unsigned char)bytes[i]] != TOKEN_NONE;
    if (!all) return token_ids_push(ids, sentencepiece->vocabulary->unknown);
    for (size_t i = 0; i < length; i++)
        TRY(token_ids_push(ids, sentencepiece->byte_ids[(unsigned char)bytes[i]]));
    return STATUS_OK;
}

enum status sentencepiece_encode(const struct sentencepiece *sentencepiece, struct merger *merger,
                                 struct text *scratch, struct piece text, bool space_prefix,
                                 struct token_ids *ids) {
    TRY(mark_spaces(scratch, text, space_prefix));
    const struct joining joining = {sentencepiece->vocabulary, scratch->bytes};
    TRY(merger_start(merger, scratch->length));
    for (size_t at = 0, used; at < scratch->length; at += used) {
        used = character_bytes(joining.bytes + at, scratch->length - at);
        merger_add(merger, (uint32_t)at,
                   vocabulary_find(sentencepiece->vocabulary, joining.bytes + at, used));
    }
    merger_run(merger, find_join, &joining);
    for (uint32_t at = 0; at < merger->length; at = merger->symbols[at].next) {
        const struct merger_symbol *symbol = &merger->symbols[at];
        if (symbol->id != TOKEN_NONE)
            TRY(token_ids_push(ids, symbol->id));
        else
            TRY(push_bytes(sentencepiece, joining.bytes + at, symbol->next - at, ids));
    }
    return STATUS_OK;
}

enum status sentencepiece_decode(const struct sentencepiece *sentencepiece, int32_t id,
                                 struct text *text) {
    const struct gguf_string piece = sentencepiece->vocabulary->tokens[id].text;
    if (vocabulary_type(sentencepiece->vocabulary, id) == TOKEN_BYTE) {
        const char byte = (char)named_byte(piece);
        return text_append(text, &byte, 1);
    }
    const size_t before = text->length;
    for (size_t i = 0; i < piece.length;) {
        const bool space = begins_with_mark(piece.bytes + i, piece.length - i);
        const enum status status =
            space ? text_append(text, " ", 1) : text_append(text, piece.bytes + i, 1);
        if (status != STATUS_OK) {
            text->length = before;
            if (text->bytes) text->bytes[before] = '\0';
            return status;
        }
        i += space ? MARK_BYTES : 1;
    }
    return STATUS_OK;
}
