// kernels/cuda/stream_k.cuh — products of matrices and some dozens of tokens' rows.
#pragma once
#include "kernels/cuda/gemv.cuh"

enum { STREAM_K_TOKENS = 64 }; // at once, at most; more are done in turn

enum {
    STREAM_K_ROWS = 256, // of a tile, at most
    STREAM_K_WARPS = 8,  // of a block, and as many counters of arrivals
    STREAM_K_PARTS = 2,  // that a block leaves, at most
    STREAM_K_PART_FLOATS = STREAM_K_ROWS * STREAM_K_TOKENS,
};

// The same product as gemv_launch, for what gemv_fits; x is normed already.
void stream_k_launch(struct device *device, const struct gemv *args);
