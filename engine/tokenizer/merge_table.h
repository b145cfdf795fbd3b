// engine/tokenizer/merge_table.h — what two neighbouring tokens merge into, and with which rank.
//
// Training found the merges one after another; the earlier one goes first (Sennrich et al.,
// arXiv 1508.07909). A merge whose parts or result are not plain tokens is omitted: it can never
// apply, because every symbol is a token. Of two merges of one pair the first counts.
//
// Memory: owned slots, twice as many as merges. Immutable once the merges are in.
#ifndef ENGINE_MERGE_TABLE_H
#define ENGINE_MERGE_TABLE_H

#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/vocabulary.h"

enum { MERGE_TABLE_MAX = 1 << 24 };

struct merge_slot { // rank MERGER_NONE: empty
    int32_t left, right;
    uint32_t rank;
    int32_t id;
};

struct merge_table { // {0} holds nothing and must not be searched
    struct merge_slot *slots;
    unsigned bits;
};

// Allocates slots for `merges` <= MERGE_TABLE_MAX merges.
MUST_CHECK enum status merge_table_init(struct merge_table *table, size_t merges);
void merge_table_deinit(struct merge_table *table); // {0} is fine

// The texts of both parts, as the vocabulary writes them.
void merge_table_add(struct merge_table *table, const struct vocabulary *vocabulary,
                     struct gguf_string left, struct gguf_string right, uint32_t rank);

// "left right": no part holds a space, as the first one in the text separates them.
void merge_table_add_line(struct merge_table *table, const struct vocabulary *vocabulary,
                          struct gguf_string line, uint32_t rank);

// The pair's slot, or an empty one; either id may be TOKEN_NONE.
static inline const struct merge_slot *merge_table_find(const struct merge_table *table,
                                                        int32_t left, int32_t right) {
    // Multiplicative hashing (Knuth, volume 3, section 6.4) with 2^64 over the golden ratio.
    const uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    const size_t mask = ((size_t)1 << table->bits) - 1;
    for (size_t i = (pair ^ pair >> 29) * 0x9E3779B97F4A7C15u >> (64 - table->bits);;
         i = (i + 1) & mask) {
        const struct merge_slot *slot = &table->slots[i];
        if (slot->rank == MERGER_NONE || (slot->left == left && slot->right == right)) return slot;
    }
}

#endif
