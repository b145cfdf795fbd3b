// kernels/cuda/experts_few.cuh — a product of a mixture for few tokens: every chosen expert's
// weights are read once, as fast as memory delivers them.
//
//   weights  of each expert [rows, columns], in the order of tiles.cuh
//   x, y     struct expert_product
//
//   grid   (ceil(row tiles / tiles of a block), items);  block  WARPS x 32
//   shared a segment of x for the item's slots, with its means, as in gemv_fragment.cuh; partial
//          sums [2][WARPS][matrices][32 lanes][4] fp32
//
// Blocks are small and many are resident: while some wait for memory others multiply, and blocks of
// the next kernel can start before the last of this one are done. A warp computes a tile of 16
// rows, or every n-th fragment of it (split K), and then the next tile. It loads fragments straight
// into registers, one ahead of the products, from tile to tile without a pause. The 8 columns of
// the tensor core product are the item's slots. A product whose work items are older than the
// previous kernel loads its first weights before grid_wait().
//
// Partial sums are added in warp order, so the order of a row's sum depends on its type and columns
// alone. Bound by reading the weights of the chosen experts.
#pragma once
#include "kernels/cuda/experts.cuh"
#include "kernels/cuda/gemv_input.cuh"

#include <cmath>

enum { FEW_WARPS = 4, FEW_THREADS = FEW_WARPS * LANES };
enum { FEW_SEGMENT = 3072 }; // columns of x at once

// A fragment in registers. Plain rows of fp16 or fp32 are cut into fragments of four groups.
template <enum dtype TYPE> struct few_fragment {
    enum { GROUPS = fragment<TYPE>::GROUPS, MINIMA = fragment<TYPE>::MINIMA };
    fragment<TYPE> weights;

    __device__ void load(const void *data, int tile, int index, int columns) {
        const int a_row = (columns + GROUPS * GROUP_COLUMNS - 1) / (GROUPS * GROUP_COLUMNS);
        weights.load((const char *)data + ((size_t)tile * a_row + index) * fragment<TYPE>::BYTES,
                     threadIdx.x % LANES);
    }
    __device__ __forceinline__ void add(float (&sums)[4], const char *x, const char *x_sums) const {
        gemv_fragment<TYPE>::add_loaded(sums, weights, x, x_sums);
    }
};

static __device__ inline uint2 four_halves(const __half *from) { return *(const uint2 *)from; }
static __device__ inline uint2 four_halves(const float *from) {
    const float4 v = *(const float4 *)from;
    return make_uint2(as_bits(halves(v.x, v.y)), as_bits(halves(v.z, v.w)));
}

template <typename type> struct few_rows {
    enum { GROUPS = 4, MINIMA = 0 };
    uint2 of[GROUPS][2][2]; // [group][row of the lane][first or last half]: four columns

    __device__ void load(const void *data, int tile, int index, int columns) {
        const int lane = threadIdx.x % LANES, first = index * GROUPS * GROUP_COLUMNS + lane % 4 * 4;
        const type *from = (const type *)data + (size_t)(tile * TILE_ROWS + lane / 4) * columns;
#pragma unroll
        for (int i = 0; i < GROUPS * 4; i++) {
            const int u = i / 4, row = i / 2 % 2, half = i % 2;
            const int column = first + u * GROUP_COLUMNS + half * 16;
            of[u][row][half] = column < columns
                                   ? four_halves(from + (size_t)row * 8 * columns + column)
                                   : make_uint2(0, 0);
        }
    }
    __device__ __forceinline__ void add(float (&sums)[4], const char *x, const char *) const {
#pragma unroll
        for (int u = 0; u < GROUPS; u++) {
            const uint4 b = *(const uint4 *)(x + u * X_BYTES + threadIdx.x % 4 * 16);
            const unsigned first[4] = {of[u][0][0].x, of[u][1][0].x, of[u][0][0].y, of[u][1][0].y};
            const unsigned last[4] = {of[u][0][1].x, of[u][1][1].x, of[u][0][1].y, of[u][1][1].y};
            multiply(sums, first, b.x, b.y);
            multiply(sums, last, b.z, b.w);
        }
    }
};
template <> struct few_fragment<DTYPE_F16> : few_rows<__half> {};
template <> struct few_fragment<DTYPE_F32> : few_rows<float> {};

struct few_plan {
    struct expert_product args;
    int tiles;                       // of 16 rows
    int fragments;                   // of a row of the tile
    int splits;                      // warps that a tile's fragments are split over
    int warp_tiles;                  // that a warp computes one after another; 1 if segments > 1
    int segments, segment_fragments; // of x
    int x_stride, x_sums_stride;     // bytes from one slot to the next
    int x_sums_at, partial_at;       // in shared memory, after x
};

// A warp's position: a fragment of its nth tile.
struct few_position {
    int nth, fragment;
};

template <enum dtype TYPE, int MATRICES> struct few_warp {
    few_fragment<TYPE> fragments[MATRICES];
    const void *data[MATRICES];
    int first_tile, first_fragment; // of the warp

    __device__ few_warp(const few_plan &plan, const expert_item &item) {
        const int warp = threadIdx.x / LANES, together = FEW_WARPS / plan.splits;
        first_tile = blockIdx.x * together * plan.warp_tiles + warp / plan.splits;
        first_fragment = warp % plan.splits;
#pragma unroll
        for (int m = 0; m < MATRICES; m++)
            data[m] = plan.args.weights[m].data[item.expert];
    }
    __device__ int tile(const few_plan &plan, int nth) const {
        return first_tile + nth * (FEW_WARPS / plan.splits);
    }
    __device__ bool valid(const few_plan &plan, few_position at) const {
        return at.nth < plan.warp_tiles && tile(plan, at.nth) < plan.tiles &&
               at.fragment < plan.fragments;
    }
    __device__ void load(const few_plan &plan, few_position at) {
        if (!valid(plan, at)) return;
#pragma unroll
        for (int m = 0; m < MATRICES; m++)
            fragments[m].load(data[m], tile(plan, at.nth), at.fragment,
                              plan.args.weights[0].columns);
    }
    __device__ few_position after(const few_plan &plan, few_position at) const {
        at.fragment += plan.splits;
        return at.fragment < plan.fragments ? at : few_position{at.nth + 1, first_fragment};
    }
};

// Copies a segment's columns of the item's slots, with zeros past the last column. Warps take
// chunks of 256 columns of a slot round robin, and have several loads in flight.
template <bool MINIMA>
static __device__ inline void stage_few(const few_plan &plan, const expert_item &item,
                                        const gemv_x &to) {
    enum { AT_ONCE = 4 };
    const int columns = plan.args.weights[0].columns, lane = threadIdx.x % LANES;
    const int a_slot = (to.groups * 4 + LANES - 1) / LANES, all = item.count * a_slot;
    for (int first = threadIdx.x / LANES; first < all; first += AT_ONCE * FEW_WARPS) {
        uint2 v[AT_ONCE][2];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int chunk = first + k * FEW_WARPS, slot = chunk / a_slot;
            const int i = (chunk - slot * a_slot) * LANES + lane;
            const int column = to.first_column + i / 4 * GROUP_COLUMNS + i % 4 * 4;
            v[k][0] = v[k][1] = make_uint2(0, 0);
            if (chunk >= all || column >= columns) continue;
            const __half *x =
                plan.args.x + (size_t)input_row(plan.args, item.first + slot) * columns;
            v[k][0] = __ldcg((const uint2 *)(x + column));
            if (column + 16 < columns) v[k][1] = __ldcg((const uint2 *)(x + column + 16));
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int chunk = first + k * FEW_WARPS, slot = chunk / a_slot;
            const int i = (chunk - slot * a_slot) * LANES + lane;
            put_item(to, MINIMA, {slot, i / 4, i % 4, 0, chunk < all && i < to.groups * 4}, v[k][0],
                     v[k][1]);
        }
    }
}

// Adds and stores the partial sums of the tiles that the warps have just finished.
template <int MATRICES>
static __device__ inline void finish_few(const few_plan &plan, const expert_item &item, int nth,
                                         const float (&sums)[MATRICES][4], float4 *partial) {
    const int warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, splits = plan.splits;
    const int together = FEW_WARPS / splits;
    const int first_tile = (blockIdx.x * plan.warp_tiles + nth) * together;
    partial += nth % 2 * FEW_WARPS * MATRICES * LANES;
#pragma unroll
    for (int m = 0; m < MATRICES; m++)
        partial[(warp * MATRICES + m) * LANES + lane] =
            make_float4(sums[m][0], sums[m][1], sums[m][2], sums[m][3]);
    __syncthreads(); // orders the partial sums before their reads; two tiles back were read before
    for (int o = threadIdx.x; o < together * TILE_ROWS * FEW_SLOTS; o += FEW_THREADS) {
        const int in_tile = o % TILE_ROWS, slot = o / TILE_ROWS % FEW_SLOTS;
        const int tile = o / (TILE_ROWS * FEW_SLOTS);
        const int row = (first_tile + tile) * TILE_ROWS + in_tile;
        if (slot >= item.count || row >= plan.args.weights[0].rows) continue;
        const int from = in_tile % 8 * 4 + slot / 2, element = in_tile / 8 * 2 + slot % 2;
        float sum = 0, through = 0;
        for (int w = tile * splits; w < (tile + 1) * splits; w++) {
            sum += ((const float *)&partial[w * MATRICES * LANES + from])[element];
            through += ((const float *)&partial[((w + 1) * MATRICES - 1) * LANES + from])[element];
        }
        store_result(plan.args, item, row, item.first + slot, sum, through);
    }
}

template <enum dtype TYPE, int MATRICES>
static __global__ __launch_bounds__(FEW_THREADS,
                                    4) void few_kernel(const __grid_constant__ few_plan plan) {
    typedef few_fragment<TYPE> kind;
    enum { GROUPS = kind::GROUPS };
    extern __shared__ __align__(128) char shared[];
    expert_item item;
    if (!plan.args.early) grid_wait();
    grid_launch_dependents();
    if (!find_item(plan.args.work, blockIdx.y, &item)) return;
    few_warp<TYPE, MATRICES> warp(plan, item), next = warp;
    few_position at = {0, warp.first_fragment};
    warp.load(plan, at);
    if (plan.args.early) grid_wait();
    const int slot = min((int)threadIdx.x % LANES / 4, item.count - 1);
    const char *own_x = shared + slot * plan.x_stride;
    const char *own_sums = shared + plan.x_sums_at + slot * plan.x_sums_stride;
    float sums[MATRICES][4] = {};
    for (int segment = 0; segment < plan.segments; segment++) {
        const int begin = segment * plan.segment_fragments;
        const int end = min(begin + plan.segment_fragments, plan.fragments);
        __syncthreads(); // orders the last segment's reads before these writes
        stage_few<kind::MINIMA>(plan, item,
                                {shared, shared + plan.x_sums_at, plan.x_stride, plan.x_sums_stride,
                                 begin * GROUPS * GROUP_COLUMNS, (end - begin) * GROUPS});
        __syncthreads(); // orders x before its reads
        for (int nth = 0; nth < plan.warp_tiles; nth++) {
            while (at.nth == nth && at.fragment < end) {
                const few_position then = warp.after(plan, at);
                const int fragment = at.fragment - begin;
                next.load(plan, then);
#pragma unroll
                for (int m = 0; m < MATRICES; m++) {
                    if (warp.valid(plan, at))
                        warp.fragments[m].add(sums[m], own_x + fragment * GROUPS * X_BYTES,
                                              own_sums +
                                                  fragment * GROUPS / QUAD_GROUPS * XSUM_BYTES);
                    warp.fragments[m] = next.fragments[m];
                }
                at = then;
            }
            if (end < plan.fragments) break;
            finish_few<MATRICES>(plan, item, nth, sums, (float4 *)(shared + plan.partial_at));
#pragma unroll
            for (int i = 0; i < MATRICES * 4; i++)
                sums[i / 4][i % 4] = 0;
        }
    }
}

// Warps that a tile is split over, so that each still has several fragments. It may depend on
// nothing else, as it determines the order of sums.
static inline int few_splits(int fragments) { return fragments > 4 ? 4 : fragments > 2 ? 2 : 1; }

// Tiles that a warp computes one after another: as many as leave each multiprocessor some blocks,
// for the number of experts that is likely to be chosen.
static inline int few_tiles_per_warp(const struct device *device, const few_plan *plan) {
    const struct expert_work *work = &plan->args.work;
    const double touched = work->experts * (1 - pow(1 - 1.0 / work->experts, work->slot_count));
    const double warp_tiles = ceil((double)plan->tiles * plan->splits / FEW_WARPS);
    const double each = warp_tiles * touched / (8.0 * device->properties.multiProcessorCount);
    return plan->segments > 1 || each < 1 ? 1 : each < 4 ? (int)each : 4;
}

template <enum dtype TYPE>
static void few_cut(const struct device *device, const struct expert_product *args,
                    struct few_plan *plan) {
    typedef few_fragment<TYPE> kind;
    const int columns = kind::GROUPS * GROUP_COLUMNS, slots = args->work.items ? FEW_SLOTS : 1;
    plan->args = *args;
    plan->tiles = (args->weights[0].rows + TILE_ROWS - 1) / TILE_ROWS;
    plan->fragments = (args->weights[0].columns + columns - 1) / columns;
    plan->splits = few_splits(plan->fragments);
    plan->segment_fragments = min(plan->fragments, FEW_SEGMENT / columns);
    plan->segments = (plan->fragments + plan->segment_fragments - 1) / plan->segment_fragments;
    plan->warp_tiles = few_tiles_per_warp(device, plan);
    const int groups = plan->segment_fragments * kind::GROUPS;
    plan->x_stride = odd_stride(groups * X_BYTES, X_BYTES);
    plan->x_sums_stride = odd_stride(groups / QUAD_GROUPS * XSUM_BYTES, XSUM_BYTES);
    plan->x_sums_at = slots * plan->x_stride;
    plan->partial_at = plan->x_sums_at + (kind::MINIMA ? slots * plan->x_sums_stride : 0);
}

template <enum dtype TYPE>
static void few_launch_of(struct device *device, const struct expert_product *args) {
    struct few_plan plan = {};
    few_cut<TYPE>(device, args, &plan);
    const size_t tile_bytes = FEW_WARPS * (args->gated ? 2 : 1) * LANES * sizeof(float4);
    const size_t shared = (size_t)plan.partial_at + 2 * tile_bytes;
    const dim3 grid(
        ceil_divide((size_t)plan.tiles, (size_t)(FEW_WARPS / plan.splits * plan.warp_tiles)),
        (unsigned)args->work.most_items);
    const auto kernel = args->gated ? few_kernel<TYPE, 2> : few_kernel<TYPE, 1>;
    static size_t allowed[2] = {46 << 10, 46 << 10}; // need no attribute, with what is static
    if (shared > allowed[args->gated]) {
        device_note(device, cudaFuncSetAttribute(
                                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        allowed[args->gated] = shared;
    }
    launch_after(device, kernel, grid, dim3(FEW_THREADS), shared, plan);
}
