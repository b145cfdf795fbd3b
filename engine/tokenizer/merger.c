// engine/tokenizer/merger.c — byte pair encoding with a heap whose old entries are left in it.
//
// Joining at `left` changes two pairs: of `left` with what now follows it, and of what precedes it
// with `left`. Their old entries are somewhere in the heap. They are not searched for: a symbol
// knows the rank of its pair now, and an entry that surfaces with another rank is skipped.
//
//   l o w e r     ranks: l+o 7, e+r 3, o+w 9, lo+w 4
//   heap          3:e  7:l  9:o           join e+r
//                 7:l  9:o                join l+o; now lo+w has rank 4
//                 4:l  9:o                join lo+w
//                 9:o                     o is gone (its rank is NONE): skipped
//   low er
//
// The key is rank << 32 | place, so equal ranks are joined from the left, as the algorithm demands.
// Words of up to SHORT_WORD_BYTES, which are nearly all, do without the heap.
#include "engine/tokenizer/merger.h"

#include <stdlib.h>

#include "kernels/base/assert.h"

enum { SHORT_WORD_BYTES = 32 };

static void heap_push(struct merger *merger, uint64_t key) {
    uint64_t *heap = merger->heap;
    size_t at = merger->heap_count++;
    while (at > 0 && heap[(at - 1) / 2] > key) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = key;
}

static uint64_t heap_pop(struct merger *merger) {
    uint64_t *heap = merger->heap;
    const uint64_t top = heap[0], key = heap[--merger->heap_count];
    const size_t count = merger->heap_count;
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= key) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = key;
    return top;
}

void merger_deinit(struct merger *merger) {
    free(merger->symbols);
    free(merger->heap);
    *merger = (struct merger){0};
}

enum status merger_start(struct merger *merger, size_t length) {
    ASSERT(length > 0 && length <= MERGER_MAX_BYTES);
    if (length > merger->capacity) {
        const size_t capacity = length < 64 ? 64 : length + length / 2;
        merger_deinit(merger);
        merger->symbols = malloc(capacity * sizeof merger->symbols[0]);
        merger->heap = malloc(2 * capacity * sizeof merger->heap[0]);
        if (!merger->symbols || !merger->heap) {
            merger_deinit(merger);
            return STATUS_NO_MEMORY;
        }
        merger->capacity = capacity;
    }
    merger->heap_count = 0;
    merger->length = (uint32_t)length;
    merger->last = MERGER_NONE;
    return STATUS_OK;
}

void merger_add(struct merger *merger, uint32_t place, int32_t id) {
    ASSERT(place < merger->length);
    ASSERT(merger->last == MERGER_NONE ? place == 0 : place > merger->last);
    if (merger->last != MERGER_NONE) merger->symbols[merger->last].next = place;
    merger->symbols[place] = (struct merger_symbol){
        .id = id, .rank = MERGER_NONE, .previous = merger->last, .next = merger->length};
    merger->last = place;
}

// Joins the symbol at `left`, which stays, with the next one, which is gone.
static void join_symbols(struct merger *merger, uint32_t left) {
    struct merger_symbol *symbols = merger->symbols;
    const uint32_t right = symbols[left].next;
    symbols[left].id = symbols[left].joined;
    symbols[left].next = symbols[right].next;
    symbols[right].rank = MERGER_NONE;
    if (symbols[left].next < merger->length) symbols[symbols[left].next].previous = left;
}

// Updates whether the symbol at `place` joins with the one that now follows it.
static void update_symbol(struct merger *merger, uint32_t place, merger_find *find,
                          const void *context) {
    struct merger_symbol *symbol = &merger->symbols[place];
    symbol->rank = MERGER_NONE;
    if (symbol->next >= merger->length) return;
    uint32_t rank;
    int32_t id;
    if (!find(context, merger, place, symbol->next, &rank, &id)) return;
    symbol->rank = rank;
    symbol->joined = id;
}

// For a short word: searching all symbols for the best pair is faster than keeping a heap.
static void run_short(struct merger *merger, merger_find *find, const void *context) {
    const struct merger_symbol *symbols = merger->symbols;
    for (uint32_t place = 0; place < merger->length; place = symbols[place].next)
        update_symbol(merger, place, find, context);
    for (;;) {
        uint32_t best = MERGER_NONE, left = 0;
        for (uint32_t place = 0; place < merger->length; place = symbols[place].next) {
            if (symbols[place].rank >= best) continue;
            best = symbols[place].rank;
            left = place;
        }
        if (best == MERGER_NONE) return;
        join_symbols(merger, left);
        update_symbol(merger, left, find, context);
        if (symbols[left].previous != MERGER_NONE)
            update_symbol(merger, symbols[left].previous, find, context);
    }
}

static void refresh(struct merger *merger, uint32_t place, merger_find *find, const void *context) {
    update_symbol(merger, place, find, context);
    if (merger->symbols[place].rank != MERGER_NONE)
        heap_push(merger, (uint64_t)merger->symbols[place].rank << 32 | place);
}

// The heap never overflows: each of n symbols is pushed once at first, and each of at most
// n - 1 joins takes one entry and brings at most two.
void merger_run(struct merger *merger, merger_find *find, const void *context) {
    struct merger_symbol *symbols = merger->symbols;
    ASSERT(merger->last != MERGER_NONE && symbols[merger->last].next == merger->length);
    if (merger->length <= SHORT_WORD_BYTES) {
        run_short(merger, find, context);
        return;
    }
    for (uint32_t place = 0; place < merger->length; place = symbols[place].next)
        refresh(merger, place, find, context);
    while (merger->heap_count > 0) {
        const uint64_t key = heap_pop(merger);
        const uint32_t left = (uint32_t)key;
        if (symbols[left].rank != key >> 32) continue;
        join_symbols(merger, left);
        refresh(merger, left, find, context);
        if (symbols[left].previous != MERGER_NONE)
            refresh(merger, symbols[left].previous, find, context);
    }
}
