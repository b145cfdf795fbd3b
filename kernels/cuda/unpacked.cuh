// kernels/cuda/unpacked.cuh — packed matrices as rows of fp16, on their way to cuBLASLt.
//
// A step's products come in the order of the step before, so the matrix that is wanted next is
// known, and is unpacked on a stream of its own, into the other of two buffers, while the product
// runs: that leaves some multiprocessors idle, and memory nearly all. The order is only a guess:
// what comes otherwise is unpacked when it is wanted.
//
//   unpacked_find ─► the product that reads the rows is enqueued ─► unpacked_ahead
//
// Invariant: a buffer is written only after the product that read it, and read only after it is
// written, whichever streams they are on.
#pragma once
#include "kernels/cuda/cuda.cuh"

enum { UNPACKED_PARTS = 2 };

struct unpacked_set { // matrices of one shape, whose rows lie one after the other
    struct weight w[UNPACKED_PARTS];
    int count;
};

struct unpacked *unpacked_create(void); // NULL: no memory
void unpacked_destroy(struct unpacked *unpacked);

bool unpacked_fits(const struct unpacked_set *set);

// All rows of the set, which fits. Until the next unpacked_find() or unpacked_strip().
const __half *unpacked_find(struct device *device, const struct unpacked_set *set);

// Rows of w from `first` on, a multiple of TILE_ROWS, at most unpacked_strip_rows(). Until the
// next.
const __half *unpacked_strip(struct device *device, const struct weight *w, int32_t first,
                             int32_t rows);
int32_t unpacked_strip_rows(const struct weight *w);

// Begins with what is probably wanted next. Not while steps are recorded.
void unpacked_ahead(struct device *device);
