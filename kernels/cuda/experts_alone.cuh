// kernels/cuda/experts_alone.cuh — the down product of a lone token's experts, and their sum.
//
//   weights  of each expert [rows, columns], in the order of tiles.cuh
//   x        [used, columns]  fp16, a row for each of the token's experts
//   y        [rows]           fp32 = or += sum over j of shares[j] * (x[j] down[j]^T + bias[j])
//
//   grid   tiles of 16 rows;  block  WARPS x 32
//   shared x with its means, as in gemv_fragment.cuh; sums [used][splits][16] fp32
//
// A block has its rows of all experts, so that it can add them up. A warp takes an expert's split
// of the tile after another, the fragments that a warp of few_kernel would: sums have the same
// order, and so the same bits. Whom the router has chosen is known since the kernel before the
// previous one, so a warp's first fragments are on their way before grid_wait().
//
// Bound by latency, and by reading the weights of the chosen experts.
#pragma once
#include "kernels/cuda/experts_few.cuh"

enum { ALONE_WARPS = 8, ALONE_THREADS = ALONE_WARPS * LANES };
enum { ALONE_SHARED = 100 << 10 }; // bytes, so that two blocks fit a multiprocessor of 228 KiB
enum { ALONE_STATIC_BYTES = 1024 };

static size_t alone_most(const struct device *device) {
    return min((size_t)ALONE_SHARED,
               device->properties.sharedMemPerBlockOptin - ALONE_STATIC_BYTES);
}

struct alone_plan {
    struct few_plan few;
    const float *shares;
    bool add;
    int sums_at; // in shared memory, after x
};

// A warp's split after `split`. Every second time neighbours change places, since the first splits
// of an expert may have a fragment more.
static __device__ inline int next_split(int split) { return (split + ALONE_WARPS) ^ 1; }

// What a warp reads next: whose split, and which fragment of the tile.
template <enum dtype TYPE> struct alone_cursor {
    const char *tile; // NULL past the last
    int split;        // counted over all experts
    int fragment;

    __device__ alone_cursor(const few_plan &plan) { enter(plan, threadIdx.x / LANES); }
    __device__ void enter(const few_plan &plan, int next) {
        split = next;
        fragment = next % plan.splits;
        tile = nullptr;
        if (next >= plan.args.work.used * plan.splits) return;
        const int expert = plan.args.work.chosen[next / plan.splits];
        tile = few_fragment<TYPE>::start(plan.args.weights[0].data[expert], blockIdx.x,
                                         plan.fragments, plan.args.weights[0].columns);
    }
    // Loads the fragment, if there is one, and moves on.
    __device__ __forceinline__ void load(const few_plan &plan, few_fragment<TYPE> &to) {
        if (!tile) return;
        to.load(tile, fragment, plan.args.weights[0].columns);
        fragment += plan.splits;
        if (fragment >= plan.fragments) enter(plan, next_split(split));
    }
};

// All that the warps have of the tile: a sum for each expert, split and row.
template <enum dtype TYPE, int AHEAD>
static __device__ __forceinline__ void
multiply_alone(const few_plan &plan, few_fragment<TYPE> (&ahead)[AHEAD], alone_cursor<TYPE> &cursor,
               const char *shared, float *sums_of) {
    enum { GROUPS = few_fragment<TYPE>::GROUPS };
    const int lane = threadIdx.x % LANES, splits = plan.splits;
    for (int split = threadIdx.x / LANES; split < plan.args.work.used * splits;
         split = next_split(split)) {
        const char *x = shared + split / splits * plan.x_stride;
        const char *x_sums = shared + plan.x_sums_at + split / splits * plan.x_sums_stride;
        float sums[4] = {};
        for (int f = split % splits; f < plan.fragments; f += splits) {
            ahead[0].add(sums, x + f * GROUPS * X_BYTES,
                         x_sums + f * GROUPS / QUAD_GROUPS * XSUM_BYTES);
#pragma unroll
            for (int i = 0; i + 1 < AHEAD; i++)
                ahead[i] = ahead[i + 1];
            cursor.load(plan, ahead[AHEAD - 1]);
        }
        if (lane % 4) continue; // the other columns of the product are no tokens
        sums_of[split * TILE_ROWS + lane / 4] = sums[0];
        sums_of[split * TILE_ROWS + lane / 4 + 8] = sums[2];
    }
}

// The experts' results for one row, added up in their order.
static __device__ inline float add_experts(const alone_plan &plan, const float *sums, int row,
                                           float sum) {
    const expert_product &args = plan.few.args;
    const expert_weights &down = args.weights[0];
    for (int j = 0; j < args.work.used; j++) {
        float result = 0;
        for (int i = 0; i < plan.few.splits; i++)
            result += sums[(j * plan.few.splits + i) * TILE_ROWS + row % TILE_ROWS];
        if (down.bias) result += down.bias[(size_t)args.work.chosen[j] * down.rows + row];
        sum += plan.shares[j] * result;
    }
    return sum;
}

template <enum dtype TYPE>
static __global__ __launch_bounds__(ALONE_THREADS,
                                    2) void alone_kernel(const __grid_constant__ alone_plan plan) {
    enum { AHEAD = sizeof(few_fragment<TYPE>) <= 104 ? 3 : 2 }; // as many as registers hold
    extern __shared__ __align__(128) char shared[];
    const few_plan &few = plan.few;
    float *y = (float *)few.args.y, *sums = (float *)(shared + plan.sums_at);
    const int row = blockIdx.x * TILE_ROWS + (int)threadIdx.x;
    const bool stores = threadIdx.x < TILE_ROWS && row < few.args.weights[0].rows;
    few_fragment<TYPE> ahead[AHEAD];
    grid_launch_dependents();
    alone_cursor<TYPE> cursor(few);
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        cursor.load(few, ahead[i]);
    grid_wait();
    const float old = stores && plan.add ? __ldcg(&y[row]) : 0;
    stage_few<few_fragment<TYPE>::MINIMA, ALONE_WARPS>(
        few, {0, 0, few.args.work.used},
        {shared, shared + few.x_sums_at, few.x_stride, few.x_sums_stride, 0,
         few.fragments * few_fragment<TYPE>::GROUPS});
    __syncthreads(); // orders x before its reads
    multiply_alone<TYPE, AHEAD>(few, ahead, cursor, shared, sums);
    __syncthreads(); // orders the sums before their reads
    if (stores) y[row] = add_experts(plan, sums, row, old);
}

// Returns false if x does not fit the shared memory.
template <enum dtype TYPE>
static bool alone_launch_of(struct device *device, const struct expert_sum *args) {
    const auto kernel = alone_kernel<TYPE>;
    const int used = args->down.work.used;
    struct alone_plan plan = {};
    few_cut<TYPE>(&args->down, &plan.few, used);
    plan.shares = args->shares;
    plan.add = args->add;
    plan.sums_at = plan.few.partial_at;
    const size_t sums = (size_t)(used * plan.few.splits * TILE_ROWS) * sizeof(float);
    const size_t shared = (size_t)plan.sums_at + sums;
    if (plan.few.segments > 1 || shared > alone_most(device)) return false;
    device_allow_more(device, (const void *)kernel, shared);
    launch_after(device, kernel, dim3(plan.few.tiles), dim3(ALONE_THREADS), shared, plan);
    return true;
}
