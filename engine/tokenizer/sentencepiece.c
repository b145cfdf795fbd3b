#include "engine/tokenizer/sentencepiece.h"

#include <inttypes.h>
#include <string.h>

#include "kernels/base/assert.h"

enum { MARK_BYTES = 3 }; // U+2581, which stands for a space
static const char mark[] = "\xE2\x96\x81";

static bool begins_with_mark(const char *bytes, size_t length) {
    return length >= MARK_BYTES && memcmp(bytes, mark, MARK_BYTES) == 0;
}

// Bytes of the space or U+2581, which is taken for one, at the start, or 0.
static size_t space_bytes(const char *bytes, size_t length) {
    if (bytes[0] == ' ') return 1;
    return bytes[0] == mark[0] && begins_with_mark(bytes, length) ? MARK_BYTES : 0;
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

size_t sentencepiece_character(const char *bytes, size_t length) {
    size_t used;
    if (utf8_decode(bytes, length, &used) != UTF8_REPLACEMENT) return used;
    return length >= 3 && memcmp(bytes, "\xEF\xBF\xBD", 3) == 0 ? 3 : 1;
}

// The first and last byte of a character: those of a space for U+2581 too.
struct character {
    size_t bytes;
    unsigned char first, last;
};

static struct character read_character(const char *bytes, size_t length) {
    const size_t space = space_bytes(bytes, length);
    if (space) return (struct character){space, ' ', ' '};
    const size_t used = sentencepiece_character(bytes, length);
    return (struct character){used, (unsigned char)bytes[0], (unsigned char)bytes[used - 1]};
}

static void note_neighbours(struct sentencepiece *sentencepiece, struct gguf_string text) {
    struct character character, before = {0};
    for (size_t at = 0; at < text.length; at += character.bytes) {
        character = read_character(text.bytes + at, text.length - at);
        if (at > 0)
            sentencepiece->neighbours[before.last][character.first / 8] |=
                (unsigned char)(1 << character.first % 8);
        before = character;
    }
}

static enum status note_byte(struct sentencepiece *sentencepiece, int32_t id, const char *name,
                             struct error *err) {
    const int byte = named_byte(sentencepiece->vocabulary->tokens[id].text);
    if (byte < 0)
        return error_set(err, STATUS_BAD_FILE, "%s: byte token %" PRId32 " is not \"<0x..>\"", name,
                         id);
    if (sentencepiece->byte_ids[byte] == TOKEN_NONE) sentencepiece->byte_ids[byte] = id;
    return STATUS_OK;
}

enum status sentencepiece_init(struct sentencepiece *sentencepiece,
                               const struct vocabulary *vocabulary, const char *name,
                               struct error *err) {
    struct sentencepiece made = {.vocabulary = vocabulary, .has_all_bytes = true};
    for (size_t byte = 0; byte < 256; byte++)
        made.byte_ids[byte] = TOKEN_NONE;
    for (int32_t id = 0; id < vocabulary->count; id++) {
        const enum token_type type = vocabulary_type(vocabulary, id);
        if (type == TOKEN_NORMAL || type == TOKEN_USER_DEFINED)
            note_neighbours(&made, vocabulary->tokens[id].text);
        if (type == TOKEN_BYTE) TRY(note_byte(&made, id, name, err));
    }
    for (int byte = 0; byte < 256; byte++) {
        if (made.byte_ids[byte] != TOKEN_NONE) continue;
        made.has_all_bytes = false;
        if (vocabulary->unknown == TOKEN_NONE)
            return error_set(
                err, STATUS_BAD_FILE,
                "%s: byte 0x%02X has no token, and the vocabulary has no unknown token", name,
                (unsigned)byte);
    }
    *sentencepiece = made;
    return STATUS_OK;
}

void sentencepiece_deinit(struct sentencepiece *sentencepiece) {
    merge_table_deinit(&sentencepiece->merges);
    *sentencepiece = (struct sentencepiece){0};
}

// Adjacent unknown characters may be one token; then there is no cut between two of them.
size_t sentencepiece_word(const struct sentencepiece *sentencepiece, const char *bytes,
                          size_t length) {
    ASSERT(length > 0);
    if (sentencepiece->fuses_unknown && !sentencepiece->has_all_bytes) return length;
    unsigned char last = 0;
    for (size_t at = 0; at < length;) {
        const unsigned char byte = (unsigned char)bytes[at];
        const struct character character = byte < 0x80 ? (struct character){1, byte, byte}
                                                       : read_character(bytes + at, length - at);
        const unsigned first = character.first;
        if (at > 0 && !(sentencepiece->neighbours[last][first / 8] >> first % 8 & 1)) return at;
        last = character.last;
        at += character.bytes;
    }
    return length;
}

static enum status mark_spaces(struct text *scratch, struct piece text, bool space_prefix,
                               bool keeps_spaces) {
    text_clear(scratch);
    if (space_prefix) TRY(text_append(scratch, mark, MARK_BYTES));
    if (keeps_spaces) return text_append(scratch, text.bytes, text.length);
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
    const struct sentencepiece *sentencepiece;
    const char *bytes;
};

static bool find_merge(const void *context, const struct merger *merger, uint32_t left,
                       uint32_t right, uint32_t *rank, int32_t *id) {
    const struct joining *joining = context;
    const struct merge_slot *slot = merge_table_find(
        &joining->sentencepiece->merges, merger->symbols[left].id, merger->symbols[right].id);
    *rank = slot->rank;
    *id = slot->id;
    return slot->rank != MERGER_NONE;
}

static bool find_join(const void *context, const struct merger *merger, uint32_t left,
                      uint32_t right, uint32_t *rank, int32_t *id) {
    const struct joining *joining = context;
    const size_t length = merger->symbols[right].next - left;
    const struct vocabulary *vocabulary = joining->sentencepiece->vocabulary;
    *id = vocabulary_find(vocabulary, joining->bytes + left, length);
    if (*id == TOKEN_NONE) return false;
    *rank = rank_of((float)vocabulary->tokens[*id].score);
    return true;
}

static bool has_bytes(const struct sentencepiece *sentencepiece, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (sentencepiece->byte_ids[(unsigned char)bytes[i]] == TOKEN_NONE) return false;
    return true;
}

enum status sentencepiece_push_unknown(const struct sentencepiece *sentencepiece, const char *bytes,
                                       size_t length, struct token_ids *ids) {
    ASSERT(length > 0);
    if (!has_bytes(sentencepiece, bytes, length))
        return token_ids_push(ids, sentencepiece->vocabulary->unknown);
    for (size_t i = 0; i < length; i++)
        TRY(token_ids_push(ids, sentencepiece->byte_ids[(unsigned char)bytes[i]]));
    return STATUS_OK;
}

static enum status push_symbols(const struct sentencepiece *sentencepiece,
                                const struct merger *merger, const char *bytes,
                                struct token_ids *ids) {
    bool unknown = false; // is the id before this one the unknown token?
    for (uint32_t at = 0; at < merger->length; at = merger->symbols[at].next) {
        const struct merger_symbol *symbol = &merger->symbols[at];
        ASSERT(symbol->next > at);
        const size_t length = symbol->next - at;
        if (symbol->id != TOKEN_NONE) {
            TRY(token_ids_push(ids, symbol->id));
            unknown = false;
            continue;
        }
        const bool again = unknown;
        unknown = !has_bytes(sentencepiece, bytes + at, length);
        if (unknown && again && sentencepiece->fuses_unknown) continue;
        TRY(sentencepiece_push_unknown(sentencepiece, bytes + at, length, ids));
    }
    return STATUS_OK;
}

enum status sentencepiece_encode(const struct sentencepiece *sentencepiece, struct merger *merger,
                                 struct text *scratch, struct piece text, bool space_prefix,
                                 struct token_ids *ids) {
    TRY(mark_spaces(scratch, text, space_prefix, sentencepiece->keeps_spaces));
    const struct vocabulary *vocabulary = sentencepiece->vocabulary;
    const struct joining joining = {sentencepiece, scratch->bytes};
    ASSERT(scratch->length > 0);
    TRY(merger_start(merger, scratch->length));
    for (size_t at = 0, used; at < scratch->length; at += used) {
        used = sentencepiece_character(joining.bytes + at, scratch->length - at);
        merger_add(merger, (uint32_t)at, vocabulary_find(vocabulary, joining.bytes + at, used));
    }
    merger_run(merger, sentencepiece->merges.slots ? find_merge : find_join, &joining);
    return push_symbols(sentencepiece, merger, joining.bytes, ids);
}

enum status sentencepiece_decode(const struct sentencepiece *sentencepiece, int32_t id,
                                 struct text *text) {
    ASSERT(id >= 0 && id < sentencepiece->vocabulary->count);
    const struct gguf_string piece = sentencepiece->vocabulary->tokens[id].text;
    if (vocabulary_type(sentencepiece->vocabulary, id) == TOKEN_BYTE) {
        ASSERT(named_byte(piece) >= 0); // checked when it was opened
        const char byte = (char)named_byte(piece);
        return text_append(text, &byte, 1);
    }
    const size_t before = text->length;
    for (size_t i = 0; i < piece.length;) {
        const bool space =
            !sentencepiece->keeps_marks && begins_with_mark(piece.bytes + i, piece.length - i);
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
