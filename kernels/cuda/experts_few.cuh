// kernels/cuda/experts_few.cuh — a product of a mixture for few tokens: every chosen expert's
// weights are read once, as fast as memory delivers them.
//
//   weights  of each expert [rows, columns], in the order of tiles.cuh
//   x, y     struct expert_product
//
//   grid   as many blocks as are resident at once, or as there are units;  block  WARPS x 32
//   shared a segment of x for the item's slots, with its means, as in gemv_fragment.cuh; partial
//          sums [2][WARPS][matrices][32 lanes][4] fp32; where each expert's matrices are
//
// A unit is what a block's warps compute together of an item: as many tiles of 16 rows as there are
// warps, or fewer, whose fragments several warps share (split K). The flat list of all items' units
// is divided evenly over the blocks. A warp loads fragments straight into registers, one ahead of
// the products, from unit to unit and item to item without a pause. The 8 columns of the tensor
// core product are the item's slots.
//
// Where the experts' matrices are is read before grid_wait(), of all of them, so that the choice
// alone stands before the weights. A product whose work items are older than the previous kernel
// loads its first weights before, too.
//
// Partial sums are added in warp order, so the order of a row's sum depends on its type and columns
// alone. Bound by reading the weights of the chosen experts.
#pragma once
#include "kernels/cuda/act.cuh"
#include "kernels/cuda/experts.cuh"
#include "kernels/cuda/gemv_input.cuh"

enum { FEW_WARPS = 4, FEW_THREADS = FEW_WARPS * LANES };
enum { FEW_SEGMENT = 3072 }; // columns of x at once
enum { FEW_STATIC_BYTES = 1024 };

// A fragment in registers. Plain rows of fp16 or fp32 are cut into fragments of four groups.
template <enum dtype TYPE> struct few_fragment {
    enum { GROUPS = fragment<TYPE>::GROUPS, MINIMA = fragment<TYPE>::MINIMA };
    fragment<TYPE> weights;

    // Where a tile begins that has `fragments` fragments.
    static __device__ const char *start(const void *data, int tile, int fragments, int columns) {
        return (const char *)data + (size_t)tile * fragments * fragment<TYPE>::BYTES;
    }
    __device__ void load(const char *tile, int index, int columns) {
        weights.load(tile + (size_t)index * fragment<TYPE>::BYTES, threadIdx.x % LANES);
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

    static __device__ const char *start(const void *data, int tile, int, int columns) {
        return (const char *)((const type *)data + (size_t)tile * TILE_ROWS * columns);
    }
    __device__ void load(const char *tile, int index, int columns) {
        const int lane = threadIdx.x % LANES, first = index * GROUPS * GROUP_COLUMNS + lane % 4 * 4;
        const type *from = (const type *)tile + (size_t)(lane / 4) * columns;
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
    int units;                       // of an item
    int segments, segment_fragments; // of x
    int x_stride, x_sums_stride;     // bytes from one slot to the next
    int x_sums_at, partial_at;       // in shared memory, after x
    int matrices_at;
};

// In shared memory: where each expert's matrices are, all gates and then all ups.
static __device__ inline const void **few_matrices(const few_plan &plan) {
    extern __shared__ __align__(128) char shared[];
    return (const void **)(shared + plan.matrices_at);
}

// What a warp loads next: a fragment of its tile of a unit. What it needs only between tiles is
// kept in shared memory.
template <enum dtype TYPE, int MATRICES> struct few_cursor {
    struct place {
        int item, unit, left; // units that are left, with this one
        int expert, after;    // of this item, and of the next, loaded early
    };
    few_fragment<TYPE> fragments[MATRICES];
    const char *tile[MATRICES]; // NULL past the last
    int fragment;
    place *kept;

    __device__ few_cursor(const few_plan &plan, int first, int count, int items) {
        __shared__ place places[FEW_WARPS];
        const int item = first / plan.units, after = min(item + 1, items - 1);
        kept = &places[threadIdx.x / LANES];
        const place at = {item, first % plan.units, count, item_at(plan.args.work, item).expert,
                          item_at(plan.args.work, after).expert};
        enter(plan, at);
    }
    __device__ void enter(const few_plan &plan, const place &at) {
        const int warp = threadIdx.x / LANES, together = FEW_WARPS / plan.splits;
        const int index = at.unit * together + warp / plan.splits;
        const void *const *matrices = few_matrices(plan) + at.expert;
        fragment = warp % plan.splits;
#pragma unroll
        for (int m = 0; m < MATRICES; m++)
            tile[m] = at.left > 0 && index < plan.tiles
                          ? few_fragment<TYPE>::start(matrices[m * plan.args.experts], index,
                                                      plan.fragments, plan.args.weights[0].columns)
                          : nullptr;
        if (threadIdx.x % LANES == 0) *kept = at;
        __syncwarp(); // orders the write before the reads
    }
    // Loads the fragment of one matrix, if there is one.
    __device__ __forceinline__ void load(const few_plan &plan, int m) {
        if (tile[m]) fragments[m].load(tile[m], fragment, plan.args.weights[0].columns);
    }
    __device__ __forceinline__ void next(const few_plan &plan) {
        fragment += plan.splits;
        if (fragment < plan.fragments) return;
        place at = *kept;
        __syncwarp(); // orders the lanes' reads before the next write
        at.left--;
        if (++at.unit == plan.units) {
            at.unit = 0;
            at.item++;
            at.expert = at.after;
            if (at.left > plan.units) at.after = item_at(plan.args.work, at.item + 1).expert;
        }
        enter(plan, at);
    }
};

// Copies a segment's columns of the item's slots, with zeros past the last column. Warps take
// chunks of 256 columns of a slot round robin, and have several loads in flight.
template <bool MINIMA, int WARPS>
static __device__ inline void stage_few(const few_plan &plan, const expert_item &item,
                                        const gemv_x &to) {
    enum { AT_ONCE = 4 };
    const int columns = plan.args.weights[0].columns, lane = threadIdx.x % LANES;
    const int a_slot = (to.groups * 4 + LANES - 1) / LANES, all = item.count * a_slot;
    for (int first = threadIdx.x / LANES; first < all; first += AT_ONCE * WARPS) {
        uint2 v[AT_ONCE][2];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int chunk = first + k * WARPS, slot = chunk / a_slot;
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
            const int chunk = first + k * WARPS, slot = chunk / a_slot;
            const int i = (chunk - slot * a_slot) * LANES + lane;
            put_item(to, MINIMA, {slot, i / 4, i % 4, 0, chunk < all && i < to.groups * 4}, v[k][0],
                     v[k][1]);
        }
    }
}

// Stores the result of one row and rank: `sum`, or where gated act(sum, through).
static __device__ inline void store_result(const expert_product &args, const expert_item &item,
                                           int row, int rank, float sum, float through) {
    const int rows = args.weights[0].rows;
    const size_t bias = (size_t)item.expert * rows + row;
    if (args.weights[0].bias) sum += args.weights[0].bias[bias];
    if (!args.gated) {
        ((float *)args.y)[(size_t)slot_of(args.work, rank) * rows + row] = sum;
        return;
    }
    if (args.weights[1].bias) through += args.weights[1].bias[bias];
    from_float(act_of(args.act, sum, through, args.limit),
               (__half *)args.y + (size_t)rank * rows + row);
}

// Adds and stores the partial sums of the unit that the warps have just finished.
template <int MATRICES>
static __device__ inline void finish_few(const few_plan &plan, const expert_item &item, int unit,
                                         const float (&sums)[MATRICES][4], float4 *partial) {
    const int warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, splits = plan.splits;
    const int together = FEW_WARPS / splits, first_tile = unit % plan.units * together;
    partial += unit % 2 * FEW_WARPS * MATRICES * LANES;
#pragma unroll
    for (int m = 0; m < MATRICES; m++)
        partial[(warp * MATRICES + m) * LANES + lane] =
            make_float4(sums[m][0], sums[m][1], sums[m][2], sums[m][3]);
    __syncthreads(); // orders the partial sums before their reads; two units back were read before
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
    const void **matrices = few_matrices(plan);
    for (int i = threadIdx.x; i < MATRICES * plan.args.experts; i += FEW_THREADS)
        matrices[i] = plan.args.weights[i / plan.args.experts].data[i % plan.args.experts];
    if (!plan.args.early) grid_wait();
    grid_launch_dependents();
    __syncthreads(); // orders the experts' matrices before they are read
    const int items = count_items(plan.args.work), all = items * plan.units;
    const int each = all / gridDim.x, larger = all % gridDim.x, block = blockIdx.x;
    const int first = block * each + min(block, larger), end = first + each + (block < larger);
    if (first == end) return;
    few_cursor<TYPE, MATRICES> ahead(plan, first, end - first, items);
#pragma unroll
    for (int m = 0; m < MATRICES; m++)
        ahead.load(plan, m);
    ahead.next(plan);
    if (plan.args.early) grid_wait();
    const int warp = threadIdx.x / LANES, together = FEW_WARPS / plan.splits;
    expert_item item;
    for (int unit = first; unit < end; unit++) {
        const bool enters = unit == first || unit % plan.units == 0;
        const bool exists = unit % plan.units * together + warp / plan.splits < plan.tiles;
        if (enters) item = item_at(plan.args.work, unit / plan.units);
        const int slot = min((int)threadIdx.x % LANES / 4, item.count - 1);
        float sums[MATRICES][4] = {};
        int fragment = warp % plan.splits;
        for (int segment = 0; segment < plan.segments; segment++) {
            const int begin = segment * plan.segment_fragments;
            const int stop = min(begin + plan.segment_fragments, plan.fragments);
            if (enters || plan.segments > 1) {
                __syncthreads(); // orders the last reads of x before these writes
                stage_few<kind::MINIMA, FEW_WARPS>(
                    plan, item,
                    {shared, shared + plan.x_sums_at, plan.x_stride, plan.x_sums_stride,
                     begin * GROUPS * GROUP_COLUMNS, (stop - begin) * GROUPS});
                __syncthreads(); // orders x before its reads
            }
            for (; fragment < stop; fragment += plan.splits) {
                const int at = (fragment - begin) * GROUPS;
                const char *x = shared + slot * plan.x_stride + at * X_BYTES;
                const char *x_sums = shared + plan.x_sums_at + slot * plan.x_sums_stride +
                                     at / QUAD_GROUPS * XSUM_BYTES;
#pragma unroll
                for (int m = 0; m < MATRICES; m++) {
                    const kind now = ahead.fragments[m];
                    ahead.load(plan, m);
                    if (exists) now.add(sums[m], x, x_sums);
                }
                ahead.next(plan);
            }
        }
        finish_few<MATRICES>(plan, item, unit, sums, (float4 *)(shared + plan.partial_at));
    }
}

// Warps that a tile is split over, so that each still has several fragments. It may depend on
// nothing else, as it determines the order of sums.
static inline int few_splits(int fragments) { return fragments > 4 ? 4 : fragments > 2 ? 2 : 1; }

// `slots` share a block's x.
template <enum dtype TYPE>
static void few_cut(const struct expert_product *args, struct few_plan *plan, int slots) {
    typedef few_fragment<TYPE> kind;
    const int columns = kind::GROUPS * GROUP_COLUMNS;
    plan->args = *args;
    plan->tiles = (args->weights[0].rows + TILE_ROWS - 1) / TILE_ROWS;
    plan->fragments = (args->weights[0].columns + columns - 1) / columns;
    plan->splits = few_splits(plan->fragments);
    plan->segment_fragments = min(plan->fragments, FEW_SEGMENT / columns);
    plan->segments = (plan->fragments + plan->segment_fragments - 1) / plan->segment_fragments;
    plan->units = (plan->tiles * plan->splits + FEW_WARPS - 1) / FEW_WARPS;
    const int groups = plan->segment_fragments * kind::GROUPS;
    plan->x_stride = odd_stride(groups * X_BYTES, X_BYTES);
    plan->x_sums_stride = odd_stride(groups / QUAD_GROUPS * XSUM_BYTES, XSUM_BYTES);
    plan->x_sums_at = slots * plan->x_stride;
    plan->partial_at = plan->x_sums_at + (kind::MINIMA ? slots * plan->x_sums_stride : 0);
    plan->matrices_at =
        plan->partial_at + 2 * FEW_WARPS * (args->gated ? 2 : 1) * LANES * (int)sizeof(float4);
}

// Bytes of dynamic shared memory; a segment of x is short enough for any card.
static size_t few_shared(const struct few_plan *plan) {
    const int matrices = plan->args.gated ? 2 : 1;
    return (size_t)plan->matrices_at + (size_t)(matrices * plan->args.experts) * sizeof(void *);
}

template <enum dtype TYPE, int MATRICES>
static void few_start(struct device *device, const few_plan &plan) {
    const auto kernel = few_kernel<TYPE, MATRICES>;
    const size_t shared = few_shared(&plan);
    int resident = 0;
    device_allow_more(device, (const void *)kernel, shared);
    device_note(device, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel,
                                                                      FEW_THREADS, shared));
    const int blocks = max(1, resident) * device->properties.multiProcessorCount;
    const int units = plan.args.work.most_items * plan.units;
    launch_after(device, kernel, dim3(min(blocks, units)), dim3(FEW_THREADS), shared, plan);
}

template <enum dtype TYPE>
static void few_launch_of(struct device *device, const struct expert_product *args) {
    struct few_plan plan = {};
    few_cut<TYPE>(args, &plan, args->work.items ? FEW_SLOTS : 1);
    args->gated ? few_start<TYPE, 2>(device, plan) : few_start<TYPE, 1>(device, plan);
}
