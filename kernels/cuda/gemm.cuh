// kernels/cuda/gemm.cuh — products of a matrix and many tokens' rows.
#pragma once
#include "kernels/cuda/device.cuh"

enum { GEMM_PARTS = 2 };

// y = x W^T + bias in fp16 or fp32, or y += x W^T in fp32; for `count` matrices of one shape.
struct gemm {
    void *y[GEMM_PARTS];         // [tokens, w.rows]
    struct weight w[GEMM_PARTS]; // as in tiles.cuh
    const float *bias[GEMM_PARTS];
    int32_t count;
    const __half *x; // [tokens, w.columns]
    int32_t tokens;
    enum linear_store store;
};

void gemm_launch(struct device *device, const struct gemm *args);
