// kernels/cuda/gemm.cuh — products of matrices and many tokens' rows.
#pragma once
#include "kernels/cuda/cuda.cuh"

// y = x W^T + bias in fp16 or fp32, or y += x W^T in fp32.
struct gemm {
    void *y;         // [tokens, w.rows]
    const __half *x; // [tokens, w.columns]
    struct weight w; // as in tiles.cuh
    const float *bias;
    int32_t tokens;
    enum linear_store store;
};

void gemm_launch(struct device *device, const struct gemm *args);
