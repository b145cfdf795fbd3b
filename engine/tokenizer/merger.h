// engine/tokenizer/merger.h — joins neighbouring symbols, the best pair first, until none is left.
//
// Shared by both BPE algorithms. A word is a list of symbols; a pair of neighbours that may
// be joined has a rank, low ranks first, and of equal ranks the leftmost. A heap of (rank,
// place) finds the next pair, so a word of n bytes costs O(n log n). Entries of pairs that no
// longer exist stay in the heap and are known by their rank when they surface.
//
//   place    0   1   2   3   4   5         a symbol lives at the offset of its first byte
//   symbols  h   e   l   l   o   .         and ends where the next one begins
//            he -    l   l   o   .
//
// Owned by one call of tokenizer_encode(); reused for all its words. About 40 bytes for each
// byte of the longest word.
#ifndef ENGINE_MERGER_H
#define ENGINE_MERGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

enum { MERGER_MAX_BYTES = INT32_MAX }; // of one word
#define MERGER_NONE UINT32_MAX

struct merger_symbol {
    int32_t id;
    int32_t joined;          // id of this symbol and the next one joined, if rank says so
    uint32_t rank;           // of that pair; MERGER_NONE: they do not join, or this is gone
    uint32_t previous, next; // places; MERGER_NONE before the first, `length` after the last
};

struct merger {
    struct merger_symbol *symbols; // [capacity], by place
    uint64_t *heap;                // [2 * capacity], rank << 32 | place
    size_t capacity, heap_count;
    uint32_t length; // bytes of the word
    uint32_t last;   // place of the last symbol added
};

// True when the symbols at `left` and `right`, which are neighbours, may be joined:
// *rank < MERGER_NONE says when, *id what they become.
typedef bool merger_find(const void *context, const struct merger *merger, uint32_t left,
                         uint32_t right, uint32_t *rank, int32_t *id);

void merger_deinit(struct merger *merger); // {0} is fine

// An empty word of `length` bytes, 0 < length <= MERGER_MAX_BYTES.
MUST_CHECK enum status merger_start(struct merger *merger, size_t length);

// The next symbol; places rise, the first is 0.
void merger_add(struct merger *merger, uint32_t place, int32_t id);

// Joins all there is. Afterwards the word is: for (p = 0; p < length; p = symbols[p].next).
void merger_run(struct merger *merger, merger_find *find, const void *context);

#endif
