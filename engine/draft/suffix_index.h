// engine/draft/suffix_index.h — where did the last tokens of a log occur before?
//
// An index over the tokens of a text that grows at its end. A position lies between two tokens, and
// its suffix is the tokens before it. Positions with the same last SUFFIX_LEAST tokens form a
// chain, the latest first.
//
// Memory: suffix_index_init(); 8 bytes for each token of the text, touched as the text grows.
#ifndef ENGINE_DRAFT_SUFFIX_INDEX_H
#define ENGINE_DRAFT_SUFFIX_INDEX_H

#include <stdint.h>

#include "kernels/base/status.h"

enum {
    SUFFIX_LEAST = 2, // tokens that must be equal
    SUFFIX_MOST = 64, // more are not compared
};

struct suffix_index {
    int32_t *latest;   // [1 << bits] by the hash of SUFFIX_LEAST tokens; 0: none
    int32_t *previous; // [capacity + 1] the next position in the chain
    int32_t capacity, bits;
};

struct suffix_match {
    int32_t at;     // the position after it
    int32_t length; // tokens that are equal; 0: none
};

MUST_CHECK enum status suffix_index_init(struct suffix_index *index, int32_t capacity);
void suffix_index_deinit(struct suffix_index *index); // {0} is fine

// Adds the position, which is at least SUFFIX_LEAST and at most the capacity.
void suffix_index_add(struct suffix_index *index, const int32_t *text, int32_t position);

// The longest match among the latest positions that end like tokens [0, length); of equal ones the
// latest. `text` is what was indexed; a negative token in it matches nothing.
struct suffix_match suffix_index_find(const struct suffix_index *index, const int32_t *text,
                                      const int32_t *tokens, int32_t length);

#endif
