// kernels/cuda/stream_k_sums.cuh — what becomes of a warp's sums: those of groups of warps, of a
// cluster or of blocks that share a tile are joined, in an order that depends on none's pace; then
// they are stored.
#pragma once
#include "kernels/cuda/stream_k_plan.cuh"

struct stream_k_output { // of a lane and one of its warp's tiles: rows `row` and row + 8
    void *y;
    float bias[2];
    int row, rows; // 0 rows: nothing is stored
};

static __device__ inline stream_k_output output_of(const stream_k_plan &plan, int index,
                                                   bool some) {
    const stream_k_tile tile = tile_of(plan, min(index, plan.tiles - 1));
    const gemv_part &part = plan.args.parts[tile.part];
    stream_k_output out = {part.y, {0, 0}, 0, 0};
    out.row = tile.index * TILE_ROWS + threadIdx.x % LANES / 4;
    if (some && index < plan.tiles) out.rows = part.rows;
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (part.bias && out.row + 8 * i < out.rows) out.bias[i] = part.bias[out.row + 8 * i];
    return out;
}

// Element i of a lane's four is of this token, from `token` on.
static __device__ inline int token_of(int token, int i) {
    return token + threadIdx.x % 4 * 2 + i % 2;
}

static __device__ inline bool is_stored(const stream_k_plan &plan, const stream_k_output &out,
                                        int token, int i) {
    return token_of(token, i) < plan.args.tokens && out.row + i / 2 * 8 < out.rows;
}

static __device__ inline size_t index_of(const stream_k_output &out, int token, int i) {
    return (size_t)token_of(token, i) * out.rows + out.row + i / 2 * 8;
}

// What is in y already.
static __device__ inline void add_y(const stream_k_plan &plan, const stream_k_output &out,
                                    int token, float (&sum)[4]) {
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (is_stored(plan, out, token, i))
            sum[i] += __ldcg((const float *)out.y + index_of(out, token, i));
}

static __device__ inline void store_four(const stream_k_plan &plan, const stream_k_output &out,
                                         int token, const float (&sum)[4],
                                         const float (&other)[4]) {
    const enum gemv_store kind = plan.args.store;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (!is_stored(plan, out, token, i)) continue;
        const size_t at = index_of(out, token, i);
        const float value = sum[i] + out.bias[i / 2];
        if (kind == GEMV_HALVES)
            from_float(value, &((__half *)out.y)[at]);
        else if (kind == GEMV_GATED)
            from_float(value / (1 + __expf(-value)) * other[i], &((__half *)out.y)[at]);
        else
            ((float *)out.y)[at] = value;
    }
}

// `first` is the first of the warp's two tiles, `token` of its tokens.
template <int EIGHTS>
static __device__ inline void store_sums(const stream_k_plan &plan, warp_sums<EIGHTS> &sums,
                                         int first, int token) {
    const bool gated = plan.args.store == GEMV_GATED;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++) {
        const stream_k_output out = output_of(plan, first + m, !gated || m == 0);
        if (plan.args.store == GEMV_ADD)
#pragma unroll
            for (int n = 0; n < EIGHTS; n++)
                add_y(plan, out, token + 8 * n, sums.of[m][n]);
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
            store_four(plan, out, token + 8 * n, sums.of[m][n], sums.of[WARP_TILES - 1][n]);
    }
}

static __device__ inline void add_to(float (&sum)[4], float4 other) {
    sum[0] += other.x, sum[1] += other.y, sum[2] += other.z, sum[3] += other.w;
}

// Two groups that share their rows share their tokens out: the first has the first HALF of the
// eights. A tile at a time is exchanged.
template <int EIGHTS, int HALF>
static __device__ inline void join_groups(const stream_k_plan &plan, warp_sums<HALF> &joined,
                                          const warp_sums<EIGHTS> &sums, char *shared) {
    const int warp = threadIdx.x / LANES, upper = warp / (WARPS / 2);
    float4 *own = (float4 *)(shared + plan.exchange_at) + warp % (WARPS / 2) * EIGHTS * LANES +
                  threadIdx.x % LANES;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++) {
        __syncthreads(); // what was there before is taken
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
            if (upper == n < HALF) own[n * LANES] = *(const float4 *)sums.of[m][n];
        __syncthreads(); // the other group's are there
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

// A warp's part of a tile that blocks share: leaves its sums, and, if it is the last of them, has
// the sums of all. A block's first part is its even one; a tile that begins inside it is its odd
// one.
template <int EIGHTS>
static __device__ inline bool join_blocks(const stream_k_plan &plan, warp_sums<EIGHTS> &sums,
                                          int tile, bool begun) {
    enum { FLOATS = WARP_TILES * EIGHTS * LANES, ONCE = EIGHTS > 2 ? 8 / EIGHTS : 4 };
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, block = blockIdx.x;
    const int first = block_of(plan, tile * plan.cuts);
    const int last = block_of(plan, tile * plan.cuts + plan.cuts - 1);
    float4 *parts = (float4 *)plan.parts + (size_t)warp * FLOATS + lane;
    float4 *own = parts + (2 * (size_t)block + begun) * WARPS * FLOATS;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++)
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
            __stcg(own + (m * EIGHTS + n) * LANES, *(const float4 *)sums.of[m][n]);
    __threadfence(); // the part is seen before the count
    __syncwarp();
    unsigned before = 0;
    if (lane == 0) before = atomicInc(plan.arrived + first * WARPS + warp, last - first);
    if (__shfl_sync(0xffffffffu, before, 0) != (unsigned)(last - first)) return false;
    __threadfence(); // the others' parts are read after the count
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

static __device__ inline void cluster_sync() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

// 16 bytes of the shared memory of a block of the cluster.
static __device__ inline float4 load_from(unsigned address, int rank) {
    float4 value = {};
#if __CUDA_ARCH__ >= 900
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "r"(there)
                 : "memory");
#endif
    return value;
}

// A tile that a cluster shares: each block leaves its sums in its own shared memory, which its
// stages no longer need, and then adds up all blocks' of some of the tokens, in the blocks' order,
// and stores them.
template <int EIGHTS>
static __device__ inline void join_cluster(const stream_k_plan &plan, const warp_sums<EIGHTS> &sums,
                                           char *shared, int first, int token) {
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, cuts = plan.cuts;
    const int rank = blockIdx.x % cuts;
    const bool gated = plan.args.store == GEMV_GATED;
    float4 *own = (float4 *)shared + warp * WARP_TILES * EIGHTS * LANES + lane;
    stream_k_output out[WARP_TILES];
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++)
        out[m] = output_of(plan, first + m, !gated || m == 0);
    __syncthreads(); // all warps are done with the stages
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++)
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
            own[(n * WARP_TILES + m) * LANES] = *(const float4 *)sums.of[m][n];
    cluster_sync(); // all blocks' sums are there
    for (int n = rank; n < EIGHTS; n += cuts) {
        const unsigned from = shared_address(own + n * WARP_TILES * LANES);
        float sum[WARP_TILES][4] = {};
#pragma unroll 8
        for (int i = 0; i < cuts; i++)
#pragma unroll
            for (int m = 0; m < WARP_TILES; m++)
                add_to(sum[m], load_from(from + m * LANES * sizeof(float4), i));
#pragma unroll
        for (int m = 0; m < WARP_TILES; m++)
            if (plan.args.store == GEMV_ADD) add_y(plan, out[m], token + 8 * n, sum[m]);
#pragma unroll
        for (int m = 0; m < WARP_TILES; m++)
            store_four(plan, out[m], token + 8 * n, sum[m], sum[WARP_TILES - 1]);
    }
    cluster_sync(); // no block ends while others read what it left
}

struct stream_k_run {
    int tile, from, to; // steps [from, to) of all
};

// The sums of a run, of the warp's rows, from `token` on.
template <int EIGHTS>
static __device__ __forceinline__ void finish_run(const stream_k_plan &plan,
                                                  warp_sums<EIGHTS> &sums, char *shared,
                                                  const stream_k_run &run, int token) {
    const int place = threadIdx.x / LANES % (WARPS / plan.groups) * WARP_TILES;
    const int first = run.tile * plan.a_block + place, start = run.tile * plan.steps;
    const bool whole = run.from == start && run.to == start + plan.steps;
    const bool begun = run.from > first_step(plan, blockIdx.x);
    if (plan.clusters)
        join_cluster(plan, sums, shared, place < plan.a_block ? first : plan.tiles, token);
    else if (place < plan.a_block && (whole || join_blocks(plan, sums, run.tile, begun)))
        store_sums(plan, sums, first, token);
}
