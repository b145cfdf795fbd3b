// kernels/cuda/unpacked.cuh — packed matrices as rows of fp16, for cuBLASLt.
//
// The products of a step come in the same order as in the step before, so the next matrix is known.
// It is unpacked ahead of time on a stream of its own, into the other of two buffers, while the
// current product runs and leaves some multiprocessors and most of the memory bandwidth idle. The
// order is only a prediction: any other matrix is unpacked when it is needed.
//
//   unpacked_find ─► the product that reads the rows is enqueued ─► unpacked_ahead
//
// Invariant: a buffer is written only after the product that read it, and read only after it is
// written, whichever streams these run on.
#pragma once
#include "kernels/cuda/device.cuh"

enum { UNPACKED_PARTS = 2 };

struct unpacked_set { // matrices of one shape, whose rows are stored one after the other
    struct weight w[UNPACKED_PARTS];
    int count;
};

struct unpacked *unpacked_create(struct device *device); // NULL: no memory
void unpacked_destroy(struct unpacked *unpacked);

bool unpacked_fits(const struct unpacked_set *set);

// All rows of a set that fits, valid until the next unpacked_find() or unpacked_strip().
const __half *unpacked_find(struct device *device, const struct unpacked_set *set);

// At most unpacked_strip_rows() rows of w from `first` on, a multiple of TILE_ROWS; valid as above.
const __half *unpacked_strip(struct device *device, const struct weight *w, int32_t first,
                             int32_t rows);
int32_t unpacked_strip_rows(const struct weight *w);

// Starts to unpack the set that is predicted next. Not while a step is recorded.
void unpacked_ahead(struct device *device);
