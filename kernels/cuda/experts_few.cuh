// kernels/cuda/experts_few.cuh — a product of a mixture for few tokens: every chosen expert's
// weights are read once, as fast as memory gives them.
//
//   weights  of each expert [rows, columns], in the order of tiles.cuh
//   x, y     struct expert_product
//
//   grid   (ceil(row tiles / tiles of a block), items);  block  WARPS x 32
//   shared x of the item's slots and its means, as gemv_fragment.cuh has them, a segment of columns;
//          partial sums [2][WARPS][matrices][32 lanes][4] fp32
//
// Blocks are small and many are resident, so that some always wait for memory while others
// multiply, and the blocks of the next kernel find room before the last of this one are done. A
// warp has a tile of 16 rows, or every n-th of its cells (split K), and then the next tile; it
// loads cells straight to registers, one ahead of the products, from tile to tile without a pause.
// The 8 columns of the tensor cores' product are the item's slots. A product whose work is older
// than the kernel before it loads its first weights before grid_wait().
//
// Partial sums are added in the order of warps: the order of a row's sum depends on its type and
// columns alone. Bound by reading the weights of the experts that were chosen.
#pragma once
#include "kernels/cuda/experts.cuh"
#include "kernels/cuda/gemv_input.cuh"

#include <cmath>

enum { FEW_WARPS = 4, FEW_THREADS = FEW_WARPS * LANES };
enum { FEW_SEGMENT = 3072 }; // columns of x at once

// A cell in registers. Rows of fp16 or fp32 have cells too, of four units.
template <enum dtype TYPE> struct few_cell {
    enum { UNITS = cell<TYPE>::UNITS, MINIMA = cell<TYPE>::MINIMA };
    cell<TYPE> weights;

    __device__ void load(const void *data, int tile, int index, int columns) {
        const int a_row = (columns + UNITS * UNIT_COLUMNS - 1) / (UNITS * UNIT_COLUMNS);
        weights.load((const char *)data + ((size_t)tile * a_row + index) * cell<TYPE>::BYTES,
                     threadIdx.x % LANES);
    }
    __device__ __forceinline__ void add(float (&sums)[4], const char *x, const char *x_sums) const {
        gemv_cell<TYPE>::add_loaded(sums, weights, x, x_sums);
    }
};

static __device__ inline uint2 four_halves(const __half *from) { return *(const uint2 *)from; }
static __device__ inline uint2 four_halves(const float *from) {
    const float4 v = *(const float4 *)from;
    return make_uint2(as_bits(halves(v.x, v.y)), as_bits(halves(v.z, v.w)));
}

template <typename type> struct few_rows {
    enum { UNITS = 4, MINIMA = 0 };
    uint2 of[UNITS][2][2]; // of each row of a lane its first and its last four columns

    __device__ void load(const void *data, int tile, int index, int columns) {
        const int lane = threadIdx.x % LANES, first = index * UNITS * UNIT_COLUMNS + lane % 4 * 4;
        const type *from = (const type *)data + (size_t)(tile * TILE_ROWS + lane / 4) * columns;
#pragma unroll
        for (int i = 0; i < UNITS * 4; i++) {
            const int u = i / 4, row = i / 2 % 2, half = i % 2;
            const int column = first + u * UNIT_COLUMNS + half * 16;
            of[u][row][half] = column < columns
                                   ? four_halves(from + (size_t)row * 8 * columns + column)
                                   : make_uint2(0, 0);
        }
    }
    __device__ __forceinline__ void add(float (&sums)[4], const char *x, const char *) const {
#pragma unroll
        for (int u = 0; u < UNITS; u++) {
            const uint4 b = *(const uint4 *)(x + u * X_BYTES + threadIdx.x % 4 * 16);
            const unsigned first[4] = {of[u][0][0].x, of[u][1][0].x, of[u][0][0].y, of[u][1][0].y};
            const unsigned last[4] = {of[u][0][1].x, of[u][1][1].x, of[u][0][1].y, of[u][1][1].y};
            multiply(sums, first, b.x, b.y);
            multiply(sums, last, b.z, b.w);
        }
    }
};
template <> struct few_cell<DTYPE_F16> : few_rows<__half> {};
template <> struct few_cell<DTYPE_F32> : few_rows<float> {};

struct few_plan {
    struct expert_product args;
    int tiles;                   // of 16 rows
    int cells;                   // of a tile's row
    int splits;                  // warps that a tile's cells are split over
    int turns;                   // tiles that a warp has one after the other; 1 if segments > 1
    int segments, segment_cells; // of x
    int x_stride, x_sums_stride; // bytes from a slot's to the next one's
    int x_sums_at, partial_at;   // in shared memory, after x
};

// Where a warp is: a cell of one of its tiles.
struct few_place {
    int turn, cell;
};

template <enum dtype TYPE, int MATRICES> struct few_warp {
    few_cell<TYPE> cells[MATRICES];
    const void *data[MATRICES];
    int first_tile, first_cell; // of the warp

    __device__ few_warp(const few_plan &plan, const expert_item &item) {
        const int warp = threadIdx.x / LANES, together = FEW_WARPS / plan.splits;
        first_tile = blockIdx.x * together * plan.turns + warp / plan.splits;
        first_cell = warp % plan.splits;
#pragma unroll
        for (int m = 0; m < MATRICES; m++)
            data[m] = plan.args.weights[m].data[item.expert];
    }
    __device__ int tile(const few_plan &plan, int turn) const {
        return first_tile + turn * (FEW_WARPS / plan.splits);
    }
    __device__ bool some(const few_plan &plan, few_place at) const {
        return at.turn < plan.turns && tile(plan, at.turn) < plan.tiles && at.cell < plan.cells;
    }
    __device__ void load(const few_plan &plan, few_place at) {
        if (!some(plan, at)) return;
#pragma unroll
        for (int m = 0; m < MATRICES; m++)
            cells[m].load(data[m], tile(plan, at.turn), at.cell, plan.args.weights[0].columns);
    }
    __device__ few_place after(const few_plan &plan, few_place at) const {
        at.cell += plan.splits;
        return at.cell < plan.cells ? at : few_place{at.turn + 1, first_cell};
    }
};

// A segment's columns of the item's slots; zeros past the last column. Warps take 256 columns of a
// slot in turn, and have several on their way at once.
template <bool MINIMA>
static __device__ inline void stage_few(const few_plan &plan, const expert_item &item,
                                        const gemv_x &to) {
    enum { AT_ONCE = 4 };
    const int columns = plan.args.weights[0].columns, lane = threadIdx.x % LANES;
    const int a_slot = (to.units * 4 + LANES - 1) / LANES, all = item.count * a_slot;
    for (int first = threadIdx.x / LANES; first < all; first += AT_ONCE * FEW_WARPS) {
        uint2 v[AT_ONCE][2];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int piece = first + k * FEW_WARPS, slot = piece / a_slot;
            const int i = (piece - slot * a_slot) * LANES + lane;
            const int column = to.first_column + i / 4 * UNIT_COLUMNS + i % 4 * 4;
            v[k][0] = v[k][1] = make_uint2(0, 0);
            if (piece >= all || column >= columns) continue;
            const __half *x =
                plan.args.x + (size_t)input_row(plan.args, item.first + slot) * columns;
            v[k][0] = __ldcg((const uint2 *)(x + column));
            if (column + 16 < columns) v[k][1] = __ldcg((const uint2 *)(x + column + 16));
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int piece = first + k * FEW_WARPS, slot = piece / a_slot;
            const int i = (piece - slot * a_slot) * LANES + lane;
            put_item(to, MINIMA, {slot, i / 4, i % 4, 0, piece < all && i < to.units * 4}, v[k][0],
                     v[k][1]);
        }
    }
}

// The tiles that the warps have just finished: their partial sums are added and stored.
template <int MATRICES>
static __device__ inline void finish_few(const few_plan &plan, const expert_item &item, int turn,
                                         const float (&sums)[MATRICES][4], float4 *partial) {
    const int warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, splits = plan.splits;
    const int together = FEW_WARPS / splits;
    const int first_tile = (blockIdx.x * plan.turns + turn) * together;
    partial += turn % 2 * FEW_WARPS * MATRICES * LANES;
#pragma unroll
    for (int m = 0; m < MATRICES; m++)
        partial[(warp * MATRICES + m) * LANES + lane] =
            make_float4(sums[m][0], sums[m][1], sums[m][2], sums[m][3]);
    __syncthreads(); // all partial sums are there; those of the turn before were read
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
        store_answer(plan.args, item, row, item.first + slot, sum, through);
    }
}

template <enum dtype TYPE, int MATRICES>
static __global__ __launch_bounds__(FEW_THREADS,
                                    4) void few_kernel(const __grid_constant__ few_plan plan) {
    typedef few_cell<TYPE> kind;
    enum { UNITS = kind::UNITS };
    extern __shared__ __align__(128) char shared[];
    expert_item item;
    if (!plan.args.early) grid_wait();
    grid_launch_dependents();
    if (!find_item(plan.args.work, blockIdx.y, &item)) return;
    few_warp<TYPE, MATRICES> warp(plan, item), next = warp;
    few_place at = {0, warp.first_cell};
    warp.load(plan, at);
    if (plan.args.early) grid_wait();
    const int slot = min((int)threadIdx.x % LANES / 4, item.count - 1);
    const char *own_x = shared + slot * plan.x_stride;
    const char *own_sums = shared + plan.x_sums_at + slot * plan.x_sums_stride;
    float sums[MATRICES][4] = {};
    for (int segment = 0; segment < plan.segments; segment++) {
        const int begin = segment * plan.segment_cells;
        const int end = min(begin + plan.segment_cells, plan.cells);
        __syncthreads(); // the segment before was read
        stage_few<kind::MINIMA>(plan, item,
                                {shared, shared + plan.x_sums_at, plan.x_stride, plan.x_sums_stride,
                                 begin * UNITS * UNIT_COLUMNS, (end - begin) * UNITS});
        __syncthreads(); // x is there
        for (int turn = 0; turn < plan.turns; turn++) {
            while (at.turn == turn && at.cell < end) {
                const few_place then = warp.after(plan, at);
                const int cell = at.cell - begin;
                next.load(plan, then);
#pragma unroll
                for (int m = 0; m < MATRICES; m++) {
                    if (warp.some(plan, at))
                        warp.cells[m].add(sums[m], own_x + cell * UNITS * X_BYTES,
                                          own_sums + cell * UNITS / QUAD_UNITS * XSUM_BYTES);
                    warp.cells[m] = next.cells[m];
                }
                at = then;
            }
            if (end < plan.cells) break;
            finish_few<MATRICES>(plan, item, turn, sums, (float4 *)(shared + plan.partial_at));
#pragma unroll
            for (int i = 0; i < MATRICES * 4; i++)
                sums[i / 4][i % 4] = 0;
        }
    }
}

// Warps that a tile is split over: as many as leave each some cells to take one after the other.
// Nothing else may decide it, as it is part of the order of sums.
static inline int few_splits(int cells) { return cells > 4 ? 4 : cells > 2 ? 2 : 1; }

// Tiles one after the other: as many as leave the card's multiprocessors some blocks each, for what
// is likely to be chosen.
static inline int few_turns(const struct device *device, const few_plan *plan) {
    const struct expert_work *work = &plan->args.work;
    const double touched = work->experts * (1 - pow(1 - 1.0 / work->experts, work->slot_count));
    const double groups = ceil((double)plan->tiles * plan->splits / FEW_WARPS);
    const double each = groups * touched / (8.0 * device->properties.multiProcessorCount);
    return plan->segments > 1 || each < 1 ? 1 : each < 4 ? (int)each : 4;
}

template <enum dtype TYPE>
static void few_cut(const struct device *device, const struct expert_product *args,
                    struct few_plan *plan) {
    typedef few_cell<TYPE> kind;
    const int columns = kind::UNITS * UNIT_COLUMNS, slots = args->work.items ? FEW_SLOTS : 1;
    plan->args = *args;
    plan->tiles = (args->weights[0].rows + TILE_ROWS - 1) / TILE_ROWS;
    plan->cells = (args->weights[0].columns + columns - 1) / columns;
    plan->splits = few_splits(plan->cells);
    plan->segment_cells = min(plan->cells, FEW_SEGMENT / columns);
    plan->segments = (plan->cells + plan->segment_cells - 1) / plan->segment_cells;
    plan->turns = few_turns(device, plan);
    const int units = plan->segment_cells * kind::UNITS;
    plan->x_stride = odd_stride(units * X_BYTES, X_BYTES);
    plan->x_sums_stride = odd_stride(units / QUAD_UNITS * XSUM_BYTES, XSUM_BYTES);
    plan->x_sums_at = slots * plan->x_stride;
    plan->partial_at = plan->x_sums_at + (kind::MINIMA ? slots * plan->x_sums_stride : 0);
}

template <enum dtype TYPE>
static void few_launch_of(struct device *device, const struct expert_product *args) {
    struct few_plan plan = {};
    few_cut<TYPE>(device, args, &plan);
    const size_t a_turn = FEW_WARPS * (args->gated ? 2 : 1) * LANES * sizeof(float4);
    const size_t shared = (size_t)plan.partial_at + 2 * a_turn;
    const dim3 grid(ceil_divide((size_t)plan.tiles, (size_t)(FEW_WARPS / plan.splits * plan.turns)),
                    (unsigned)args->work.most_items);
    const auto kernel = args->gated ? few_kernel<TYPE, 2> : few_kernel<TYPE, 1>;
    static size_t allowed[2] = {46 << 10, 46 << 10}; // without asking, beside what is static
    if (shared > allowed[args->gated]) {
        device_note(device, cudaFuncSetAttribute(
                                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        allowed[args->gated] = shared;
    }
    launch_after(device, kernel, grid, dim3(FEW_THREADS), shared, plan);
}
