// kernels/cuda/gemv_input.cuh — a segment of x into shared memory, in the order of
// gemv_fragment.cuh.
//
// x is read past the level-1 cache, because other blocks may have written it while this kernel
// runs. A norm needs the whole residual stream but loads each value once: a thread keeps 8 columns
// in registers for each of its items.
#pragma once
#include "kernels/cuda/gemv_stream.cuh"
#include "kernels/cuda/norm.cuh"

enum { CHUNK_COLUMNS = 8 * LANES };

// How many items of a token a thread has, at most, where `tokens` tokens are normed.
static __host__ __device__ constexpr int gemv_rounds(int tokens) { return tokens == 1 ? 2 : 1; }

struct gemv_x {     // where x goes
    char *x, *sums; // in shared memory
    int stride, sums_stride;
    int first_column, groups;
};

// Columns 4t ... 4t + 3 and 16 + 4t ... 16 + 4t + 3 of a token's group.
struct x_item {
    int token, group, t, column; // group counts from the segment's first
    bool valid;
};

// The i-th of a token.
template <int TOKENS>
static __device__ inline x_item item_of(const gemv &args, const gemv_x &to, int i, int token) {
    x_item item;
    item.t = i % 4;
    item.token = token;
    item.group = i / 4;
    item.column = to.first_column + item.group * GROUP_COLUMNS + 4 * item.t;
    item.valid = i < to.groups * 4 && (TOKENS == 1 || token < args.tokens);
    return item;
}

static __device__ inline float sum_of(uint2 four) {
    const float2 a = __half22float2(as_halves(four.x)), b = __half22float2(as_halves(four.y));
    return a.x + a.y + (b.x + b.y);
}

// Called by every lane of a warp. Means are stored as two halves, the second of which is the first
// one's rounding error.
static __device__ inline void put_item(const gemv_x &to, bool minima, const x_item &item,
                                       uint2 first, uint2 last) {
    if (item.valid)
        *(uint4 *)(to.x + item.token * to.stride + item.group * X_BYTES + item.t * 16) =
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
    if (item.valid && item.t == 0)
        *(uint2 *)(to.sums + item.token * to.sums_stride + item.group / QUAD_GROUPS * XSUM_BYTES +
                   item.group % QUAD_GROUPS * 8) = make_uint2(as_bits(mean), as_bits(rest));
}

// The norm's weights for a thread's items, which have the same columns of every token.
template <int TOKENS> struct norm_weights {
    float4 of[gemv_rounds(TOKENS)][2];
    __device__ void load(const gemv &args) {
#pragma unroll
        for (int m = 0; m < gemv_rounds(TOKENS); m++) {
            const int i = threadIdx.x + m * blockDim.x;
            if (i >= args.columns / 8) break;
            const float4 *from = (const float4 *)(args.norm + i / 4 * GROUP_COLUMNS + i % 4 * 4);
            of[m][0] = from[0], of[m][1] = from[4];
        }
    }
};

// Limits `to` to the groups of a row, and clears what the last fragment has past them.
static __device__ inline gemv_x of_row(const gemv &args, gemv_x to) {
    const int groups = args.columns / GROUP_COLUMNS, past = to.groups - groups;
    for (int i = threadIdx.x; i < args.tokens * past * 4; i += blockDim.x)
        *(uint4 *)(to.x + i / 4 / past * to.stride + (groups + i / 4 % past) * X_BYTES +
                   i % 4 * 16) = make_uint4(0, 0, 0, 0);
    to.groups = groups;
    return to;
}

// From the sums of a token's chunks, which all lanes add up.
static __device__ inline float scale_of(const gemv &args, const float *sums, int chunks) {
    float sum = 0;
    for (int i = threadIdx.x % LANES; i < chunks; i += LANES)
        sum += sums[i];
    return rsqrtf(warp_sum(sum) / args.columns + args.eps);
}

// x = stream / sqrt(mean(stream^2) + eps) * norm. A warp takes chunks of 256 columns.
template <int TOKENS>
static __device__ inline void stage_normed(const gemv &args, const gemv_x &fragments, bool minima,
                                           const norm_weights<TOKENS> &norms) {
    enum { ROUNDS = gemv_rounds(TOKENS), CHUNKS = ROUNDS * GEMV_WARPS };
    __shared__ float chunk_sums[TOKENS][CHUNKS];
    const gemv_x to = of_row(args, fragments);
    const int threads = blockDim.x, lane = threadIdx.x % LANES;
    const int chunks = args.columns / CHUNK_COLUMNS;
    float4 v[ROUNDS][TOKENS][2];
    float scales[TOKENS];
#pragma unroll
    for (int m = 0; m < ROUNDS; m++)
#pragma unroll
        for (int k = 0; k < TOKENS; k++) {
            const x_item item = item_of<TOKENS>(args, to, threadIdx.x + m * threads, k);
            if (!item.valid) break;
            const size_t row = args.row_index ? args.row_index[k] : k;
            const float *from = args.stream + row * args.columns + item.column;
            v[m][k][0] = __ldcg((const float4 *)from);
            v[m][k][1] = __ldcg((const float4 *)(from + 16));
        }
#pragma unroll
    for (int m = 0; m < ROUNDS; m++)
#pragma unroll
        for (int k = 0; k < TOKENS; k++) {
            const int chunk = (threadIdx.x + m * threads) / LANES;
            if (chunk >= chunks || (TOKENS > 1 && k >= args.tokens)) break;
            const float sum = warp_sum(squares_of(v[m][k][0]) + squares_of(v[m][k][1]));
            if (lane == 0) chunk_sums[k][chunk] = sum;
        }
    __syncthreads(); // orders the chunks' sums before they are added
    if (TOKENS > 1)
#pragma unroll
        for (int k = 0; k < TOKENS; k++)
            scales[k] = scale_of(args, chunk_sums[k], chunks);
#pragma unroll
    for (int m = 0; m < ROUNDS; m++)
#pragma unroll
        for (int k = 0; k < TOKENS; k++) {
            const int chunk = (threadIdx.x + m * threads) / LANES;
            if (chunk >= chunks || (TOKENS > 1 && k >= args.tokens)) break;
            const float scale = TOKENS > 1 ? scales[k] : scale_of(args, chunk_sums[k], chunks);
            put_item(to, minima, item_of<TOKENS>(args, to, threadIdx.x + m * threads, k),
                     scaled(v[m][k][0], norms.of[m][0], scale),
                     scaled(v[m][k][1], norms.of[m][1], scale));
        }
}

// A thread has an item of each token at once, of a single token four. Where the columns are so few
// that threads would be idle, several share a column's tokens.
template <int TOKENS>
static __device__ inline void stage_plain(const gemv &args, const gemv_x &to, bool minima) {
    enum { ROUNDS = TOKENS == 1 ? 4 : 1 };
    const int threads = blockDim.x, all = to.groups * 4;
    int first = threadIdx.x, token = 0, apart = 1; // this thread's first item and token
    if (TOKENS > 1) {
        while (apart < TOKENS && 2 * apart * all <= threads)
            apart *= 2;
        for (int i = 1; i < apart; i++)
            if (first >= all) first -= all, token++;
    }
    for (int base = 0; base < all; base += ROUNDS * threads) {
        uint2 v[ROUNDS][TOKENS][2];
#pragma unroll
        for (int m = 0; m < ROUNDS; m++)
#pragma unroll
            for (int k = 0; k < TOKENS; k++) {
                const x_item item =
                    item_of<TOKENS>(args, to, base + first + m * threads, k * apart + token);
                v[m][k][0] = v[m][k][1] = make_uint2(0, 0);
                if (!item.valid || item.column >= args.columns) continue;
                const size_t row = args.row_index ? args.row_index[item.token] : item.token;
                const __half *from = args.x + row * args.columns + item.column;
                v[m][k][0] = __ldcg((const uint2 *)from);
                v[m][k][1] = __ldcg((const uint2 *)(from + 16));
            }
#pragma unroll
        for (int m = 0; m < ROUNDS; m++)
#pragma unroll
            for (int k = 0; k < TOKENS; k++) {
                // the same for all lanes
                if (base + m * threads >= all || (TOKENS > 1 && k * apart >= args.tokens)) break;
                put_item(to, minima,
                         item_of<TOKENS>(args, to, base + first + m * threads, k * apart + token),
                         v[m][k][0], v[m][k][1]);
            }
    }
}
