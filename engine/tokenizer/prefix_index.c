#include "engine/tokenizer/prefix_index.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

static int compare_texts(const struct prefix_entry *a, const struct prefix_entry *b) {
    const size_t common = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->bytes, b->bytes, common);
    if (order != 0) return order;
    return a->length < b->length ? -1 : a->length > b->length;
}

static int compare_entries(const void *a, const void *b) {
    const struct prefix_entry *entry_a = a, *entry_b = b;
    const int order = compare_texts(entry_a, entry_b);
    if (order != 0) return order;
    return entry_a->id < entry_b->id ? -1 : entry_a->id > entry_b->id;
}

void prefix_index_build(struct prefix_index *index, struct prefix_entry *entries, size_t count) {
    *index = (struct prefix_index){.entries = entries};
    if (count == 0) return;
    ASSERT(entries && count < UINT32_MAX);
    qsort(entries, count, sizeof entries[0], compare_entries);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_texts(&entries[i], &entries[index->count - 1]) != 0)
            entries[index->count++] = entries[i];
    for (size_t i = 0; i < index->count; i++) {
        ASSERT(entries[i].length > 0);
        index->from[(unsigned char)entries[i].bytes[0] + 1]++;
    }
    for (size_t byte = 0; byte < 256; byte++)
        index->from[byte + 1] += index->from[byte];
    ASSERT(index->from[256] == index->count);
}

void prefix_index_deinit(struct prefix_index *index) {
    free(index->entries);
    *index = (struct prefix_index){0};
}

// The first entry in [low, high) whose byte at `depth` is at least `byte`; all are longer.
static size_t lower_bound(const struct prefix_index *index, size_t low, size_t high, size_t depth,
                          unsigned byte) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((unsigned char)index->entries[middle].bytes[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct prefix_entry *prefix_index_next(const struct prefix_index *index,
                                             struct prefix_walk *walk, const char *bytes,
                                             size_t length) {
    while (walk->depth < length) {
        const unsigned byte = (unsigned char)bytes[walk->depth];
        if (walk->depth == 0) {
            walk->low = index->from[byte];
            walk->high = index->from[byte + 1];
        } else {
            walk->low = lower_bound(index, walk->low, walk->high, walk->depth, byte);
            walk->high = lower_bound(index, walk->low, walk->high, walk->depth, byte + 1);
        }
        walk->depth++;
        if (walk->low == walk->high) {
            walk->depth = SIZE_MAX; // no longer one will come
            return NULL;
        }
        const struct prefix_entry *shortest = &index->entries[walk->low];
        if (shortest->length == walk->depth) {
            walk->low++; // the others have a byte at this depth
            return shortest;
        }
    }
    return NULL;
}

const struct prefix_entry *prefix_index_longest(const struct prefix_index *index, const char *bytes,
                                                size_t length) {
    const struct prefix_entry *longest = NULL;
    struct prefix_walk walk = {0};
    for (const struct prefix_entry *next;
         (next = prefix_index_next(index, &walk, bytes, length)) != NULL;)
        longest = next;
    return longest;
}
