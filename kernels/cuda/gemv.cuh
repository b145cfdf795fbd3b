// kernels/cuda/gemv.cuh — the product of a packed matrix and a few tokens' rows.
#pragma once
#include "kernels/cuda/cuda.cuh"

// y[t] = x[row_index ? row_index[t] : t] w^T + bias
struct gemv {
    __half *y16; // [tokens, w.rows], one of the two
    float *y32;
    const __half *x;          // [..., w.columns]
    const int32_t *row_index; // [tokens] device, or NULL
    const float *bias;        // [w.rows] device, or NULL
    struct weight w;          // data aligned to 16 bytes
    int32_t tokens;
};

// Whether gemv_launch takes it. A row's result depends on that row and its weights alone.
bool gemv_fits(const struct weight *w);
void gemv_launch(struct device *device, const struct gemv *args);
