#include "engine/tokenizer/byte_bpe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/assert.h"

enum {
    BYTE_CHARACTERS = 256 + 68, // code points 0…0x143: 68 bytes are not printable
};

// A slot of the merge table; `rank` MERGER_NONE is an empty one.
struct merge_slot {
    int32_t left, right;
    uint32_t rank;
    int32_t id;
};

struct byte_bpe {
    const struct vocabulary *vocabulary;
    int32_t byte_ids[256];
    char characters[256][2]; // UTF-8 of the character for each byte
    unsigned char character_bytes[256];
    int16_t byte_of[BYTE_CHARACTERS]; // -1: no byte's character
    struct merge_slot *slots;
    size_t slot_bits;
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

static enum status find_byte_ids(struct byte_bpe *bpe, const struct gguf *gguf, struct error *err) {
    for (size_t byte = 0; byte < 256; byte++) {
        int32_t id =
            vocabulary_find(bpe->vocabulary, bpe->characters[byte], bpe->character_bytes[byte]);
        if (id == TOKEN_NONE) id = bpe->vocabulary->unknown;
        if (id == TOKEN_NONE)
            return error_set(err, STATUS_BAD_FILE,
                             "%s: byte 0x%02zX has no token, and there is none for unknown text",
                             gguf_path(gguf), byte);
        bpe->byte_ids[byte] = id;
    }
    return STATUS_OK;
}

// Multiplicative hashing (Knuth, volume 3, section 6.4) with 2^64 over the golden ratio.
static struct merge_slot *slot_of(const struct byte_bpe *bpe, int32_t left, int32_t right) {
    const uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    const size_t mask = ((size_t)1 << bpe->slot_bits) - 1;
    for (size_t i = (pair ^ pair >> 29) * 0x9E3779B97F4A7C15u >> (64 - bpe->slot_bits);;
         i = (i + 1) & mask) {
        struct merge_slot *slot = &bpe->slots[i];
        if (slot->rank == MERGER_NONE || (slot->left == left && slot->right == right)) return slot;
    }
}

static enum status alloc_slots(struct byte_bpe *bpe, size_t merges) {
    bpe->slot_bits = 4;
    while (((size_t)1 << bpe->slot_bits) < 2 * merges)
        bpe->slot_bits++;
    const size_t slots = (size_t)1 << bpe->slot_bits;
    bpe->slots = malloc(slots * sizeof bpe->slots[0]);
    if (!bpe->slots) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < slots; i++)
        bpe->slots[i] = (struct merge_slot){.rank = MERGER_NONE};
    return STATUS_OK;
}

// "left right". A character for the space itself is never ' ', so the first one separates.
static void add_merge(struct byte_bpe *bpe, struct gguf_string merge, uint32_t rank) {
    const char *space = merge.length ? memchr(merge.bytes, ' ', merge.length) : NULL;
    if (!space) return;
    const size_t left_bytes = (size_t)(space - merge.bytes);
    const size_t right_bytes = merge.length - left_bytes - 1;
    char joined[VOCABULARY_MAX_TEXT_BYTES];
    if (left_bytes + right_bytes > sizeof joined) return;
    const int32_t left = vocabulary_find(bpe->vocabulary, merge.bytes, left_bytes);
    const int32_t right = vocabulary_find(bpe->vocabulary, space + 1, right_bytes);
    if (left == TOKEN_NONE || right == TOKEN_NONE) return;
    memcpy(joined, merge.bytes, left_bytes);
    memcpy(joined + left_bytes, space + 1, right_bytes);
    const int32_t id = vocabulary_find(bpe->vocabulary, joined, left_bytes + right_bytes);
    if (id == TOKEN_NONE) return;
    struct merge_slot *slot = slot_of(bpe, left, right);
    if (slot->rank == MERGER_NONE) *slot = (struct merge_slot){left, right, rank, id};
}

static enum status read_merges(struct byte_bpe *bpe, const struct gguf *gguf, struct error *err) {
    struct gguf_array merges;
    if (!gguf_find_array(gguf, "tokenizer.ggml.merges", &merges) || merges.type != GGUF_STRING)
        return error_set(err, STATUS_BAD_FILE, "%s: no strings in tokenizer.ggml.merges",
                         gguf_path(gguf));
    if (merges.count > BYTE_BPE_MAX_MERGES)
        return error_set(err, STATUS_BAD_FILE, "%s: %zu merges; at most %d are possible",
                         gguf_path(gguf), merges.count, BYTE_BPE_MAX_MERGES);
    TRY(alloc_slots(bpe, merges.count));
    size_t cursor = 0;
    for (size_t rank = 0; rank < merges.count; rank++)
        add_merge(bpe, gguf_array_next_string(&merges, &cursor), (uint32_t)rank);
    return STATUS_OK;
}

enum status byte_bpe_open(const struct gguf *gguf, const struct vocabulary *vocabulary,
                          struct byte_bpe **bpe, struct error *err) {
    struct byte_bpe *opened = calloc(1, sizeof *opened);
    if (!opened) return STATUS_NO_MEMORY;
    opened->vocabulary = vocabulary;
    fill_characters(opened);
    enum status status = find_byte_ids(opened, gguf, err);
    if (status == STATUS_OK) status = read_merges(opened, gguf, err);
    if (status != STATUS_OK)
        byte_bpe_close(opened);
    else
        *bpe = opened;
    return status;
}

void byte_bpe_close(struct byte_bpe *bpe) {
    if (bpe) free(bpe->slots);
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
    return vocabulary_find(bpe->vocabulary, characters, used);
}

static bool find_merge(const void *context, const struct merger *merger, uint32_t left,
                       uint32_t right, uint32_t *rank, int32_t *id) {
    const struct merge_slot *slot =
        slot_of(context, merger->symbols[left].id, merger->symbols[right].id);
    *rank = slot->rank;
    *id = slot->id;
    return slot->rank != MERGER_NONE;
}

enum status byte_bpe_encode(const struct byte_bpe *bpe, struct merger *merger, const char *word,
                            size_t length, bool whole_first, struct token_ids *ids) {
    if (length == 1) return token_ids_push(ids, bpe->byte_ids[(unsigned char)word[0]]);
    const int32_t whole = whole_first ? find_whole(bpe, word, length) : TOKEN_NONE;
    if (whole != TOKEN_NONE) return token_ids_push(ids, whole);
    TRY(merger_start(merger, length));
    for (uint32_t place = 0; place < length; place++)
        merger_add(merger, place, bpe->byte_ids[(unsigned char)word[place]]);
    merger_run(merger, find_merge, bpe);
    for (uint32_t place = 0; place < length; place = merger->symbols[place].next)
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
