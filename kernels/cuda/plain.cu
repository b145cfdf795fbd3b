// kernels/cuda/plain.cu — y = x W^T, W in rows of fp32 or fp16.
//
//   W       [rows, columns]    fp32 or fp16
//   x       [tokens, columns]  fp16, or the fp32 stream, normed here; or rows picked by row_index
//   y       [tokens, rows]     fp16, or fp32, stored or added
//   normed  [tokens, columns]  fp16, out, with a norm
//
//   grid (ceil(rows / WARPS), tokens);  block WARPS x 32, a warp a row; fp32 sums
//
// Rows are short and latency is long, so several loads are in flight; those of weights, which no
// kernel writes, before grid_wait(). Each warp norms all of x for itself, which takes less than a
// kernel of its own; the first row's warps keep what is normed.
#include "kernels/cuda/norm.cuh"
#include "kernels/cuda/plain.cuh"

enum { WARPS = 4, KEPT = 16, STEP = 4 * LANES }; // loads in flight; columns of a warp's load
static_assert((int)PLAIN_NORMED_COLUMNS == (int)KEPT * STEP, "kept by the lanes");

template <enum dtype TYPE>
static __device__ inline float4 four_weights(const void *rows, size_t at) {
    if (TYPE == DTYPE_F32) return *(const float4 *)((const float *)rows + at);
    const uint2 four = *(const uint2 *)((const __half *)rows + at);
    return make_float4(low_float(four.x), high_float(four.x), low_float(four.y),
                       high_float(four.y));
}

// The row's first loads.
template <enum dtype TYPE>
static __device__ inline void keep_row(float4 (&kept)[KEPT], const void *rows, size_t first,
                                       int columns) {
#pragma unroll
    for (int k = 0, column = 4 * (int)(threadIdx.x % LANES); k < KEPT; k++, column += STEP)
        if (column < columns) kept[k] = four_weights<TYPE>(rows, first + column);
}

// sum + the products of four columns
static __device__ inline float add_four(float sum, uint2 x, float4 by) {
    sum = fmaf(low_float(x.x), by.x, sum);
    sum = fmaf(high_float(x.x), by.y, sum);
    sum = fmaf(low_float(x.y), by.z, sum);
    return fmaf(high_float(x.y), by.w, sum);
}

static __device__ inline void store(const gemv &args, int token, int row, float sum) {
    const gemv_part &part = args.parts[0];
    const size_t at = (size_t)token * part.rows + row;
    sum += part.bias ? part.bias[row] : 0.0f;
    if (args.store == GEMV_ADD)
        ((float *)part.y)[at] += sum;
    else if (args.store == GEMV_FLOATS)
        ((float *)part.y)[at] = sum;
    else
        from_float(sum, &((__half *)part.y)[at]);
}

template <enum dtype TYPE>
static __global__
__launch_bounds__(WARPS *LANES) void plain_kernel(const __grid_constant__ gemv args) {
    const gemv_part &part = args.parts[0];
    const int row = blockIdx.x * WARPS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int token = blockIdx.y, columns = row < part.rows ? args.columns : 0;
    const size_t first = (size_t)row * args.columns;
    float4 kept[KEPT];
    grid_launch_dependents();
    keep_row<TYPE>(kept, part.data, first, columns);
    grid_wait();
    if (row >= part.rows) return;
    const __half *x =
        args.x + (size_t)(args.row_index ? args.row_index[token] : token) * args.columns;
    float sum = 0;
#pragma unroll
    for (int k = 0, column = 4 * lane; k < KEPT; k++, column += STEP)
        if (column < columns) sum = add_four(sum, *(const uint2 *)(x + column), kept[k]);
#pragma unroll 4
    for (int column = 4 * lane + KEPT * STEP; column < columns; column += STEP)
        sum = add_four(sum, *(const uint2 *)(x + column),
                       four_weights<TYPE>(part.data, first + column));
    sum = warp_sum(sum);
    if (lane == 0) store(args, token, row, sum);
}

template <enum dtype TYPE>
static __global__
__launch_bounds__(WARPS *LANES) void normed_kernel(const __grid_constant__ gemv args,
                                                   __half *normed) {
    const gemv_part &part = args.parts[0];
    const int row = blockIdx.x * WARPS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int token = blockIdx.y, columns = row < part.rows ? args.columns : 0;
    const size_t first = (size_t)row * args.columns, begin = (size_t)token * args.columns;
    const float *x = args.stream + begin;
    float4 kept[KEPT], norms[KEPT], v[KEPT];
    float squares = 0, sum = 0;
    grid_launch_dependents();
    keep_row<TYPE>(kept, part.data, first, columns);
    keep_row<DTYPE_F32>(norms, args.norm, 0, columns);
    grid_wait();
    if (row >= part.rows) return;
    keep_row<DTYPE_F32>(v, x, 0, columns);
#pragma unroll
    for (int k = 0, column = 4 * lane; k < KEPT; k++, column += STEP)
        if (column < columns) squares += squares_of(v[k]);
    const float scale = rsqrtf(warp_sum(squares) / columns + args.eps);
#pragma unroll
    for (int k = 0, column = 4 * lane; k < KEPT; k++, column += STEP) {
        if (column >= columns) continue;
        const uint2 four = scaled(v[k], norms[k], scale);
        if (row == 0) *(uint2 *)(normed + begin + column) = four;
        sum = add_four(sum, four, kept[k]);
    }
    sum = warp_sum(sum);
    if (lane == 0) store(args, token, row, sum);
}

void plain_launch(struct device *device, const struct gemv *args, __half *normed) {
    ASSERT(args->count == 1 && args->store != GEMV_GATED && !is_packed(args->type));
    ASSERT(!args->norm || args->columns <= PLAIN_NORMED_COLUMNS);
    const bool wide = args->type == DTYPE_F32;
    const dim3 grid(ceil_divide((size_t)args->parts[0].rows, WARPS), (unsigned)args->tokens);
    if (args->norm)
        launch_after(device, wide ? normed_kernel<DTYPE_F32> : normed_kernel<DTYPE_F16>, grid,
                     dim3(WARPS * LANES), 0, *args, normed);
    else
        launch_after(device, wide ? plain_kernel<DTYPE_F32> : plain_kernel<DTYPE_F16>, grid,
                     dim3(WARPS * LANES), 0, *args);
}
