// engine/draft/suffix_index.c — chains of positions, as compressors of text have them.
//
//   text       the cat sat on the mat . the cat        SUFFIX_LEAST = 2
//   position    0   1   2   3  4   5   6  7   8   9
//   chain of "the cat"                 9 ─► 2          followed by "sat on the mat"
//
// A suffix automaton would give the longest match for sure, but takes fifty bytes for each token.
// Here the CHAIN_MOST latest positions are compared, which finds it but where a pair of tokens is
// so common that its longest match is far back.
//
// In a text that is overwritten (history.c), a chain may lead on to positions that were overwritten
// since. That costs comparisons and nothing else: what they have is compared, not believed.
#include "engine/draft/suffix_index.h"

#include <stdlib.h>

#include "kernels/base/assert.h"

enum { CHAIN_MOST = 64, BITS_LEAST = 10, BITS_MOST = 18 };

enum status suffix_index_init(struct suffix_index *index, int32_t capacity) {
    ASSERT(capacity > 0);
    int32_t bits = BITS_LEAST;
    while (bits < BITS_MOST && 1 << bits < capacity)
        bits++;
    *index = (struct suffix_index){.capacity = capacity, .bits = bits};
    index->latest = calloc((size_t)1 << bits, sizeof index->latest[0]);
    index->previous = calloc((size_t)capacity + 1, sizeof index->previous[0]);
    if (index->latest && index->previous) return STATUS_OK;
    suffix_index_deinit(index);
    return STATUS_NO_MEMORY;
}

void suffix_index_deinit(struct suffix_index *index) {
    free(index->latest);
    free(index->previous);
    *index = (struct suffix_index){0};
}

// Of the SUFFIX_LEAST tokens before `end`. Knuth's multiplier, 2^32 / phi.
static uint32_t hash_before(const struct suffix_index *index, const int32_t *end) {
    uint32_t hash = 0;
    for (int i = 1; i <= SUFFIX_LEAST; i++)
        hash = (hash + (uint32_t)end[-i]) * 2654435769u;
    return hash >> (32 - index->bits);
}

void suffix_index_add(struct suffix_index *index, const int32_t *text, int32_t position) {
    ASSERT(position >= SUFFIX_LEAST && position <= index->capacity);
    int32_t *latest = &index->latest[hash_before(index, text + position)];
    index->previous[position] = *latest;
    *latest = position;
}

static int32_t count_equal(const int32_t *text, int32_t at, const int32_t *tokens, int32_t length) {
    const int32_t most = at < length ? at : length;
    int32_t count = 0;
    while (count < most && count < SUFFIX_MOST &&
           text[at - 1 - count] == tokens[length - 1 - count])
        count++;
    return count;
}

struct suffix_match suffix_index_find(const struct suffix_index *index, const int32_t *text,
                                      const int32_t *tokens, int32_t length) {
    struct suffix_match best = {0};
    if (length < SUFFIX_LEAST) return best;
    int32_t at = index->latest[hash_before(index, tokens + length)];
    for (int tried = 0; at > 0 && tried < CHAIN_MOST; tried++) {
        const int32_t count = count_equal(text, at, tokens, length);
        if (count >= SUFFIX_LEAST && count > best.length) best = (struct suffix_match){at, count};
        if (best.length == SUFFIX_MOST) break;
        at = index->previous[at];
    }
    return best;
}
