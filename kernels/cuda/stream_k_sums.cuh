// kernels/cuda/stream_k_sums.cuh — joining and storing a warp's sums. Warp groups and blocks that
// share a tile join theirs in a fixed order, whichever of them finishes first.
#pragma once
#include "kernels/cuda/stream_k_plan.cuh"

// Where a lane's sums of one of the warp's tiles go: two rows, eight apart, and two tokens of each
// eight.
struct stream_k_output {
    void *y;
    float bias[2];
    bool valid[2]; // false for a row past the matrix
    int rows, at;  // rows of y; index of the lane's first element
    int tokens;    // left from the lane's first on

    __device__ stream_k_output(const stream_k_plan &plan, int index, int first_token) {
        const stream_k_tile tile = tile_of(plan, min(index, plan.tiles - 1));
        const gemv_part &part = plan.args.parts[tile.part];
        const int lane = threadIdx.x % LANES, row = tile.index * TILE_ROWS + lane / 4;
        const int token = first_token + lane % 4 * 2;
        y = part.y, rows = part.rows;
        at = token * rows + row, tokens = plan.args.tokens - token;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            valid[i] = index < plan.tiles && row + 8 * i < rows;
            bias[i] = part.bias && valid[i] ? part.bias[row + 8 * i] : 0;
        }
    }
    // Is element i of four within y, for the n-th eight tokens?
    __device__ bool has(int n, int i) const { return 8 * n + i % 2 < tokens && valid[i / 2]; }
    __device__ int index(int n, int i) const { return at + (8 * n + i % 2) * rows + i / 2 * 8; }
};

template <enum gemv_store STORE>
static __device__ inline void store_one(const stream_k_output &out, int index, float sum,
                                        float other) {
    if (STORE == GEMV_HALVES)
        from_float(sum, (__half *)out.y + index);
    else if (STORE == GEMV_GATED)
        from_float(__fdividef(sum, 1 + __expf(-sum)) * other, (__half *)out.y + index);
    else
        ((float *)out.y)[index] = sum;
}

// `first` is the warp's first tile, `token` its first token.
template <enum gemv_store STORE, int EIGHTS>
static __device__ inline void store_as(const stream_k_plan &plan, warp_sums<EIGHTS> &sums,
                                       int first, int token) {
#pragma unroll
    for (int m = 0; m < (STORE == GEMV_GATED ? 1 : WARP_TILES); m++) {
        const stream_k_output out(plan, first + m, token);
        if (STORE == GEMV_ADD) // start all loads before the first result is needed
#pragma unroll
            for (int j = 0; j < 4 * EIGHTS; j++)
                if (out.has(j / 4, j % 4))
                    sums.of[m][j / 4][j % 4] +=
                        __ldcg((const float *)out.y + out.index(j / 4, j % 4));
#pragma unroll
        for (int j = 0; j < 4 * EIGHTS; j++)
            if (out.has(j / 4, j % 4))
                store_one<STORE>(out, out.index(j / 4, j % 4),
                                 sums.of[m][j / 4][j % 4] + out.bias[j % 4 / 2],
                                 sums.of[WARP_TILES - 1][j / 4][j % 4]);
    }
}

template <int EIGHTS>
static __device__ inline void store_sums(const stream_k_plan &plan, warp_sums<EIGHTS> &sums,
                                         int first, int token) {
    switch (plan.args.store) {
    case GEMV_HALVES:
        return store_as<GEMV_HALVES>(plan, sums, first, token);
    case GEMV_FLOATS:
        return store_as<GEMV_FLOATS>(plan, sums, first, token);
    case GEMV_ADD:
        return store_as<GEMV_ADD>(plan, sums, first, token);
    case GEMV_GATED:
        return store_as<GEMV_GATED>(plan, sums, first, token);
    }
}

static __device__ inline void add_to(float (&sum)[4], float4 other) {
    sum[0] += other.x, sum[1] += other.y, sum[2] += other.z, sum[3] += other.w;
}

// Joins the sums of two warp groups that computed the same rows. The first group ends with the
// first HALF of the eights of tokens, the second with the rest. One tile is exchanged at a time.
template <int EIGHTS, int HALF>
static __device__ inline void join_warp_groups(const stream_k_plan &plan, warp_sums<HALF> &joined,
                                               const warp_sums<EIGHTS> &sums, char *shared) {
    const int warp = threadIdx.x / LANES, upper = warp / (WARPS / 2);
    float4 *own = (float4 *)(shared + plan.exchange_at) + warp % (WARPS / 2) * EIGHTS * LANES +
                  threadIdx.x % LANES;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++) {
        __syncthreads(); // orders the reads of the last exchange before these writes
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
            if (upper == n < HALF) own[n * LANES] = *(const float4 *)sums.of[m][n];
        __syncthreads(); // orders the other group's writes before these reads
#pragma unroll
        for (int n = 0; n < HALF; n++) {
            const int other = upper ? HALF + n : n;
#pragma unroll
            for (int i = 0; i < 4; i++)
                joined.of[m][n][i] =
                    upper ? (HALF + n < EIGHTS ? sums.of[m][HALF + n][i] : 0) : sums.of[m][n][i];
            if (other < EIGHTS) add_to(joined.of[m][n], own[other * LANES]);
        }
    }
}

// Leaves a warp's sums of a tile that several blocks share. True for the last of these warps, which
// then holds the sums of all. A block has two slots for parts: the even one for the tile that its
// range begins in, the odd one for a tile that begins inside the range.
template <int EIGHTS>
static __device__ inline bool join_blocks(const stream_k_plan &plan, warp_sums<EIGHTS> &sums,
                                          int tile, bool begun) {
    enum { FLOATS = WARP_TILES * EIGHTS * LANES, ONCE = EIGHTS > 2 ? 8 / EIGHTS : 4 };
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, block = blockIdx.x;
    const int first = block_of(plan, tile * plan.tile_splits);
    const int last = block_of(plan, tile * plan.tile_splits + plan.tile_splits - 1);
    float4 *parts = (float4 *)plan.parts + (size_t)warp * FLOATS + lane;
    float4 *own = parts + (2 * (size_t)block + begun) * WARPS * FLOATS;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++)
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
            __stcg(own + (m * EIGHTS + n) * LANES, *(const float4 *)sums.of[m][n]);
    __syncwarp(); // orders all lanes' stores before the count
    bool is_last = false;
    if (lane == 0) is_last = count_arrival(plan.arrived + first * WARPS + warp, last - first);
    if (!__shfl_sync(0xffffffffu, is_last, 0)) return false;
    __syncwarp(); // orders the count before the reads of the other parts
    sums = {};
    const int odd = first_step(plan, first) < tile * plan.steps;
    for (int block = first; block <= last; block += ONCE) {
        float4 others[ONCE][WARP_TILES][EIGHTS];
#pragma unroll
        for (int i = 0; i < ONCE; i++) {
            const float4 *from =
                parts + (2 * (size_t)(block + i) + (block + i == first && odd)) * WARPS * FLOATS;
            if (block + i <= last)
#pragma unroll
                for (int j = 0; j < WARP_TILES * EIGHTS; j++)
                    others[i][j / EIGHTS][j % EIGHTS] = __ldcg(from + j * LANES);
        }
#pragma unroll
        for (int i = 0; i < ONCE; i++)
            if (block + i <= last)
#pragma unroll
                for (int j = 0; j < WARP_TILES * EIGHTS; j++)
                    add_to(sums.of[j / EIGHTS][j % EIGHTS], others[i][j / EIGHTS][j % EIGHTS]);
    }
    return true;
}

struct stream_k_range {
    int tile, from, to; // steps [from, to) of the flat list
};

// Joins and stores a range's sums: the warp's rows, from `token` on.
template <int EIGHTS>
static __device__ __forceinline__ void finish_range(const stream_k_plan &plan,
                                                    warp_sums<EIGHTS> &sums,
                                                    const stream_k_range &range, int token) {
    const int warp_tile = threadIdx.x / LANES % (WARPS / plan.warp_groups) * WARP_TILES;
    const int start = range.tile * plan.steps;
    const bool whole = range.from == start && range.to == start + plan.steps;
    const bool begun = range.from > first_step(plan, blockIdx.x);
    if (warp_tile < plan.block_tiles && (whole || join_blocks(plan, sums, range.tile, begun)))
        store_sums(plan, sums, range.tile * plan.block_tiles + warp_tile, token);
}
