// kernels/cuda/gemv.cuh — products of matrices and a few tokens' rows.
#pragma once
#include "kernels/cuda/tiles.cuh"

enum { GEMV_TOKENS = 8 }; // at once; more are done in turn

// What becomes of sums.
enum gemv_store {
    GEMV_HALVES, // y = sum + bias, fp16
    GEMV_FLOATS, // the same in fp32
    GEMV_ADD,    // y += sum, fp32
    GEMV_GATED,  // y = silu(sum) * the sum of the second matrix, fp16
};

struct gemv_part {
    const void *data; // as in tiles.cuh
    void *y;          // [tokens, rows]
    const float *bias;
    int32_t rows;
};

// parts[i].y = x W[i]^T, all of one type and of `columns` columns.
struct gemv {
    struct gemv_part parts[LINEAR_PARTS];
    int32_t count; // GATED: 2, and only the first has y
    enum gemv_store store;
    enum dtype type;          // as kept_type() says
    const __half *x;          // [..., columns], 16-byte aligned; or, with a norm, none
    const float *stream;      // [..., columns] fp32: x = rmsnorm(stream) * norm
    const float *norm;        // [columns] or NULL; where gemv_norms()
    const int32_t *row_index; // of x: [tokens] device, or NULL
    float eps;
    int32_t columns, tokens;
};

// Elements of the stream that a block norms; more are normed faster once than by every block.
enum { GEMV_NORMED_ELEMENTS = 8192 };

// Whether a product norms its input itself.
bool gemv_norms(const struct device *device, int32_t tokens, int32_t columns);
// Whether gemv_launch takes a matrix.
bool gemv_fits(const struct weight *w);
void gemv_launch(struct device *device, const struct gemv *args);
