#include "engine/tokenizer/byte_bpe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"

enum {
    BYTE_CHARACTERS = 256 + 68, // code points 0…0x143: 68 bytes are not printable
};

static const char replacement[] = "\xEF\xBF\xBD"; // U+FFFD

struct byte_bpe {
    const struct vocabulary *vocabulary;
    int32_t byte_ids[256];
    char characters[256][2]; // UTF-8 of the character for each byte
    unsigned char character_bytes[256];
    int16_t byte_of[BYTE_CHARACTERS]; // -1: no byte's character
    struct merge_table merges;        // owned
};

static bool stands_for_itself(uint32_t byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

static void fill_characters(struct byte_bpe *bpe) {
    for (size_t i = 0; i < BYTE_CHARACTERS; i++)
        bpe->byte_of[i] = -1;
    uint32_t next = 256;
    for (uint32_t byte = 0; byte < 256; byte++) {
        const uint32_t code_point = stands_for_itself(byte) ? byte : next++;
        char encoded[UTF8_MAX_BYTES];
        const size_t length = utf8_encode(code_point, encoded);
        ASSERT(length <= 2 && code_point < BYTE_CHARACTERS);
        memcpy(bpe->characters[byte], encoded, length);
        bpe->character_bytes[byte] = (unsigned char)length;
        bpe->byte_of[code_point] = (int16_t)byte;
    }
}

// Bytes that never occur in well-formed UTF-8; some vocabularies have no tokens for them.
static bool never_in_text(size_t byte) { return byte == 0xC0 || byte == 0xC1 || byte >= 0xF5; }

// A letter is in every vocabulary: one without some is no vocabulary of bytes.
static enum status find_byte_ids(struct byte_bpe *bpe, const char *name, struct error *err) {
    size_t lost = 0, last = 0;
    for (size_t byte = 0; byte < 256; byte++) {
        int32_t id =
            vocabulary_find(bpe->vocabulary, bpe->characters[byte], bpe->character_bytes[byte]);
        if (id == TOKEN_NONE) id = bpe->vocabulary->unknown;
        bpe->byte_ids[byte] = id;
        if (id != TOKEN_NONE || never_in_text(byte)) continue;
        last = byte;
        lost++;
        if (byte < 0x80 && isprint((int)byte))
            return error_set(
                err, STATUS_BAD_FILE,
                "%s: byte 0x%02zX has no token, and the vocabulary has no unknown token", name,
                byte);
    }
    if (lost > 0)
        log_write(LOG_WARNING,
                  "%s: %zu byte values, such as 0x%02zX, have no token and are skipped in text",
                  name, lost, last);
    return STATUS_OK;
}

enum status byte_bpe_create(const struct vocabulary *vocabulary, struct merge_table *merges,
                            const char *name, struct byte_bpe **bpe, struct error *err) {
    struct byte_bpe *created = calloc(1, sizeof *created);
    if (!created) return STATUS_NO_MEMORY;
    created->vocabulary = vocabulary;
    fill_characters(created);
    ASSERT(merges->slots);
    const enum status status = find_byte_ids(created, name, err);
    if (status != STATUS_OK) {
        free(created);
        return status;
    }
    created->merges = *merges;
    *merges = (struct merge_table){0};
    *bpe = created;
    return STATUS_OK;
}

void byte_bpe_destroy(struct byte_bpe *bpe) {
    if (bpe) merge_table_deinit(&bpe->merges);
    free(bpe);
}

static int32_t find_whole(const struct byte_bpe *bpe, const char *word, size_t length) {
    char characters[VOCABULARY_MAX_TEXT_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        const size_t byte = (unsigned char)word[i];
        if (used + 2 > sizeof characters) return TOKEN_NONE;
        memcpy(characters + used, bpe->characters[byte], 2);
        used += bpe->character_bytes[byte];
    }
    ASSERT(used >= length);
    return vocabulary_find(bpe->vocabulary, characters, used);
}

static bool find_merge(const void *context, const struct merger *merger, uint32_t left,
                       uint32_t right, uint32_t *rank, int32_t *id) {
    const struct merge_slot *slot =
        merge_table_find(context, merger->symbols[left].id, merger->symbols[right].id);
    *rank = slot->rank;
    *id = slot->id;
    return slot->rank != MERGER_NONE;
}

enum status byte_bpe_encode(const struct byte_bpe *bpe, struct merger *merger, const char *word,
                            size_t length, bool whole_first, struct token_ids *ids) {
    ASSERT(length > 0);
    if (length == 1 && bpe->byte_ids[(unsigned char)word[0]] != TOKEN_NONE)
        return token_ids_push(ids, bpe->byte_ids[(unsigned char)word[0]]);
    if (length == 1 && (unsigned char)word[0] >= 0x80) { // alone, as all ill-formed bytes are
        word = replacement;
        length = sizeof replacement - 1;
    }
    const int32_t whole = whole_first ? find_whole(bpe, word, length) : TOKEN_NONE;
    if (whole != TOKEN_NONE) return token_ids_push(ids, whole);
    uint32_t known = 0, places = 0;
    for (size_t i = 0; i < length; i++)
        known += bpe->byte_ids[(unsigned char)word[i]] != TOKEN_NONE;
    if (known == 0) return STATUS_OK;
    TRY(merger_start(merger, known));
    for (size_t i = 0; i < length; i++) {
        const int32_t id = bpe->byte_ids[(unsigned char)word[i]];
        if (id != TOKEN_NONE) merger_add(merger, places++, id);
    }
    merger_run(merger, find_merge, &bpe->merges);
    for (uint32_t place = 0; place < places; place = merger->symbols[place].next)
        TRY(token_ids_push(ids, merger->symbols[place].id));
    return STATUS_OK;
}

enum status byte_bpe_decode(const struct byte_bpe *bpe, struct gguf_string piece,
                            struct text *text) {
    const size_t before = text->length;
    for (size_t i = 0, used; i < piece.length; i += used) {
        const uint32_t code_point = utf8_decode(piece.bytes + i, piece.length - i, &used);
        const int byte = code_point < BYTE_CHARACTERS ? bpe->byte_of[code_point] : -1;
        const char decoded = (char)byte;
        const enum status status =
            byte >= 0 ? text_append(text, &decoded, 1) : text_append(text, piece.bytes + i, used);
        if (status != STATUS_OK) {
            text->length = before;
            if (text->bytes) text->bytes[before] = '\0';
            return status;
        }
    }
    return STATUS_OK;
}
