// engine/tokenizer/prefix_index.h — which of these texts begin here?
//
//   text      <thinking
//   entries   "<", "<th", "<think>", "<thinking"      those that begin here: "<", "<th",
//   "<thinking"
//
// A sorted list: the texts with a common beginning lie side by side, the shortest first, and
// each further byte narrows the range by two binary searches. So thousands of texts that begin
// alike cost no more than their length.
//
// Memory: owned entries; texts are borrowed. Immutable once built.
#ifndef ENGINE_PREFIX_INDEX_H
#define ENGINE_PREFIX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct prefix_entry {
    const char *bytes; // borrowed
    size_t length;     // above 0
    int32_t id;
};

struct prefix_index {             // {0} is empty
    struct prefix_entry *entries; // sorted, no text twice
    size_t count;
    uint32_t from[257]; // entries[from[b]..from[b + 1]) begin with byte b
};

struct prefix_walk {  // {0} begins one
    size_t low, high; // the entries that agree in the bytes so far
    size_t depth;     // how many bytes that is
};

// `entries`, from malloc, move in, also on failure; of two equal texts the lower id is kept.
void prefix_index_build(struct prefix_index *index, struct prefix_entry *entries, size_t count);
void prefix_index_deinit(struct prefix_index *index); // {0} is fine

// The next longer entry that begins bytes[0..length), or NULL. The same bytes in every call.
const struct prefix_entry *prefix_index_next(const struct prefix_index *index,
                                             struct prefix_walk *walk, const char *bytes,
                                             size_t length);

// The longest of them, or NULL.
const struct prefix_entry *prefix_index_longest(const struct prefix_index *index, const char *bytes,
                                                size_t length);

// Does any entry begin with this byte?
static inline bool prefix_index_begins(const struct prefix_index *index, char byte) {
    const size_t first = (unsigned char)byte;
    return index->from[first] != index->from[first + 1];
}

#endif
