// kernels/cuda/gemv_input.cuh — a segment of x into shared memory, in the order of gemv_fragment.cuh.
//
// x is read past the level-1 cache: other blocks may have written it while this kernel runs. A norm
// takes the residual stream whole, each value loaded once: a thread keeps GEMV_ITEMS times 8
// columns.
#pragma once
#include "kernels/cuda/gemv_stream.cuh"

enum { GEMV_ITEMS = 2, PLAIN_ITEMS = 4, ROUND_COLUMNS = 8 * LANES };
enum { GEMV_ROUNDS = GEMV_NORMED_ELEMENTS / ROUND_COLUMNS };
static_assert(GEMV_NORMED_ELEMENTS == GEMV_ITEMS * 8 * LANES * GEMV_WARPS, "kept by the threads");

struct gemv_x {     // where it goes
    char *x, *sums; // in shared memory
    int stride, sums_stride;
    int first_column, units;
};

// Columns 4t ... 4t + 3 and 16 + 4t ... of a unit of a token.
struct x_item {
    int token, unit, t, column; // unit and column of the segment's first are 0
    bool some;
};

template <bool ONE>
static __device__ inline x_item item_of(const gemv &args, const gemv_x &to, int i) {
    x_item item;
    item.t = i % 4;
    item.token = ONE ? 0 : i / 4 / to.units;
    item.unit = i / 4 - item.token * to.units;
    item.column = to.first_column + item.unit * UNIT_COLUMNS + 4 * item.t;
    item.some = i < (ONE ? 1 : args.tokens) * to.units * 4;
    return item;
}

static __device__ inline float sum_of(uint2 four) {
    const float2 a = __half22float2(as_halves(four.x)), b = __half22float2(as_halves(four.y));
    return a.x + a.y + (b.x + b.y);
}

// Every lane of a warp calls it. The means are kept in two parts: the second is the first's
// rounding error.
static __device__ inline void put_item(const gemv_x &to, bool minima,
                                       const x_item &item, uint2 first, uint2 last) {
    if (item.some)
        *(uint4 *)(to.x + item.token * to.stride + item.unit * X_BYTES + item.t * 16) =
            make_uint4(first.x, first.y, last.x, last.y);
    if (!minima) return;
    float upper = sum_of(first), lower = sum_of(last);
    for (int offset = 1; offset < 4; offset *= 2) {
        upper += __shfl_xor_sync(0xffffffffu, upper, offset);
        lower += __shfl_xor_sync(0xffffffffu, lower, offset);
    }
    const __half2 mean = __floats2half2_rn(upper / 16, lower / 16);
    const float2 taken = __half22float2(mean);
    const __half2 rest = __floats2half2_rn(upper / 16 - taken.x, lower / 16 - taken.y);
    if (item.some && item.t == 0)
        *(uint2 *)(to.sums + item.token * to.sums_stride + item.unit / QUAD_UNITS * XSUM_BYTES +
                   item.unit % QUAD_UNITS * 8) = make_uint2(as_bits(mean), as_bits(rest));
}

static __device__ inline uint2 scaled(float4 v, float4 w, float scale) {
    return make_uint2(as_bits(halves(v.x * scale * w.x, v.y * scale * w.y)),
                      as_bits(halves(v.z * scale * w.z, v.w * scale * w.w)));
}

static __device__ inline float squares_of(float4 v) {
    return v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
}

// The weights of the norm for a thread's items: it has the same ones of every token.
struct norm_weights {
    float4 of[GEMV_ITEMS][2];
};

template <bool ONE>
static __device__ inline void load_norms(norm_weights &norms, const gemv &args) {
#pragma unroll
    for (int k = 0; k < GEMV_ITEMS; k++) {
        const int i = threadIdx.x + k * blockDim.x, all = args.columns / 8;
        if (i >= (ONE ? 1 : args.tokens) * all) break;
        const int unit = (ONE ? i : i % all) / 4;
        const float4 *from = (const float4 *)(args.norm + unit * UNIT_COLUMNS + i % 4 * 4);
        norms.of[k][0] = from[0], norms.of[k][1] = from[4];
    }
}

// A row's units. What the last cell has past it is 0.
static __device__ inline gemv_x of_row(const gemv &args, gemv_x to) {
    const int units = args.columns / UNIT_COLUMNS, past = to.units - units;
    for (int i = threadIdx.x; i < args.tokens * past * 4; i += blockDim.x)
        *(uint4 *)(to.x + i / 4 / past * to.stride + (units + i / 4 % past) * X_BYTES +
                   i % 4 * 16) = make_uint4(0, 0, 0, 0);
    to.units = units;
    return to;
}

// x = stream / sqrt(mean(stream^2) + eps) * norm. A round of a warp is 256 columns of one token.
template <bool ONE>
static __device__ inline void stage_normed(const gemv &args, const gemv_x &cells, bool minima,
                                           const norm_weights &norms) {
    const gemv_x to = of_row(args, cells);
    __shared__ float rounds[GEMV_ROUNDS];
    const int threads = blockDim.x, lane = threadIdx.x % LANES;
    const int a_token = args.columns / ROUND_COLUMNS;
    float4 v[GEMV_ITEMS][2];
#pragma unroll
    for (int k = 0; k < GEMV_ITEMS; k++) {
        const x_item item = item_of<ONE>(args, to, threadIdx.x + k * threads);
        if (!item.some) break;
        const size_t row = args.row_index ? args.row_index[item.token] : item.token;
        const float *from = args.stream + row * args.columns + item.column;
        v[k][0] = __ldcg((const float4 *)from), v[k][1] = __ldcg((const float4 *)(from + 16));
    }
#pragma unroll
    for (int k = 0; k < GEMV_ITEMS; k++) {
        const int round = (threadIdx.x + k * threads) / LANES;
        if (round >= (ONE ? 1 : args.tokens) * a_token) break;
        const float sum = warp_sum(squares_of(v[k][0]) + squares_of(v[k][1]));
        if (lane == 0) rounds[round] = sum;
    }
    __syncthreads(); // the rounds' sums are there before they are added up
#pragma unroll
    for (int k = 0; k < GEMV_ITEMS; k++) {
        const int round = (threadIdx.x + k * threads) / LANES;
        if (round >= (ONE ? 1 : args.tokens) * a_token) break;
        const x_item item = item_of<ONE>(args, to, threadIdx.x + k * threads);
        float sum = 0;
        for (int i = lane; i < a_token; i += LANES)
            sum += rounds[item.token * a_token + i];
        const float scale = rsqrtf(warp_sum(sum) / args.columns + args.eps);
        put_item(to, minima, item, scaled(v[k][0], norms.of[k][0], scale),
                 scaled(v[k][1], norms.of[k][1], scale));
    }
}

template <bool ONE>
static __device__ inline void stage_plain(const gemv &args, const gemv_x &to, bool minima) {
    const int threads = blockDim.x;
    const int count = (ONE ? 1 : args.tokens) * to.units * 4;
    for (int base = 0; base < count; base += PLAIN_ITEMS * threads) {
        uint2 v[PLAIN_ITEMS][2];
#pragma unroll
        for (int k = 0; k < PLAIN_ITEMS; k++) {
            const x_item item = item_of<ONE>(args, to, base + threadIdx.x + k * threads);
            v[k][0] = v[k][1] = make_uint2(0, 0);
            if (!item.some || item.column >= args.columns) continue;
            const size_t row = args.row_index ? args.row_index[item.token] : item.token;
            const __half *from = args.x + row * args.columns + item.column;
            v[k][0] = __ldcg((const uint2 *)from), v[k][1] = __ldcg((const uint2 *)(from + 16));
        }
#pragma unroll
        for (int k = 0; k < PLAIN_ITEMS; k++) {
            if (base + k * threads >= count) break;
            const x_item item = item_of<ONE>(args, to, base + threadIdx.x + k * threads);
            put_item(to, minima, item, v[k][0], v[k][1]);
        }
    }
}
