// kernels/cuda/gemv.cuh — products of a matrix and a few tokens' rows.
#pragma once
#include "kernels/cuda/tiles.cuh"

enum { GEMV_TOKENS = 8 }; // in one launch; more tokens take several

// What is done with the sums.
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
    const __half *x;          // [..., columns], 16-byte aligned; unused with a norm
    const float *stream;      // [..., columns] fp32: x = rmsnorm(stream) * norm
    const float *norm;        // [columns] or NULL; only if gemv_norms()
    const int32_t *row_index; // of x: [tokens] device, or NULL
    float eps;
    int32_t columns, tokens;
};

// More are faster normed once than by every block.
enum { GEMV_NORMED_TOKENS = 4 };

// Can the product norm its input itself?
bool gemv_norms(const struct device *device, int32_t tokens, int32_t columns);
// Does gemv_launch() accept the matrix?
bool gemv_fits(const struct weight *w);
void gemv_launch(struct device *device, const struct gemv *args);
