// kernels/shared_past.h — which part of their past do the sequences of a step have in common?
//
//   sequence 0   7 3 12 40          blocks of 16 keys; spans: 7 3 of all three, 12 of two
//   sequence 1   7 3 12  9 15
//   sequence 2   7 3 88
//
// Forks have the same blocks at the beginning of their block tables, so tables form a tree. Its
// inner nodes become spans where reading them once saves enough; others stay with each sequence.
//
// Memory: the caller's. Time: each table is read about once.
#ifndef KERNELS_SHARED_PAST_H
#define KERNELS_SHARED_PAST_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct shared_past_rule {
    int32_t block_size;
    int32_t keys;  // a span begins and ends at multiples of this
    int32_t least; // keys that a span must save reading
};

struct shared_past_arrays { // struct shared_past's, to be filled
    int32_t *order, *common, *own;
    struct shared_span *spans; // [SHARED_SPANS_MAX]
};

// The batch's pointers are host memory here. Only sequences with one query share. Returns how many
// spans a sequence has at most; if 0, the arrays are undefined.
int32_t shared_past_find(const struct batch *batch, const struct shared_past_rule *rule,
                         const struct shared_past_arrays *found);

#ifdef __cplusplus
}
#endif
#endif
