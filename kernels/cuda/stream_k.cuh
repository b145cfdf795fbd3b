// kernels/cuda/stream_k.cuh — products of a matrix and some dozens of tokens' rows.
#pragma once
#include "kernels/cuda/gemv.cuh"

enum { STREAM_K_TOKENS = 64 }; // at most in one launch; more tokens take several

enum {
    STREAM_K_ROWS = 256, // of a CTA tile, at most
    STREAM_K_WARPS = 8,  // of a block; each has its own counter of arrivals
    STREAM_K_PARTS = 2,  // that a block leaves for others to add, at most
    STREAM_K_PART_FLOATS = STREAM_K_ROWS * STREAM_K_TOKENS,
};

// The same product as gemv_launch(), for matrices that gemv_fits(); x is already normed.
void stream_k_launch(struct device *device, const struct gemv *args);
