// kernels/cuda/experts_many.cuh — a product of a mixture for many tokens: a grouped GEMM on tensor
// cores, one group for each expert.
//
//   weights  of each expert [rows, columns], in the order of tiles.cuh
//   x, y     struct expert_product
//
//   grid   (ceil(row tiles / TILES), items);  block  WARPS x 32
//   shared stages of [fragments of TILES tiles][x in panels]
//
// A block computes up to 16 tiles of 16 rows, or 8 where the card's shared memory is short,
// alternating between gate and up or all of one matrix, for one work item. A warp tile is two of
// them with all slots of the item, as in stream_k_kernel.cuh: packed weights become fp16 operands
// in registers once for the whole item, and x is gathered by slot into shared memory. Copies run
// ahead of the products by all stages but one. The row blocks of an item, and the items of an
// expert, are neighbours in the grid, so that weights that are read again come from the level-2
// cache. The order of sums depends on columns alone. Bound by the tensor cores, and by unpacking
// where items are small.
#pragma once
#include "kernels/cuda/act.cuh"
#include "kernels/cuda/experts.cuh"
#include "kernels/cuda/stream_k_fragment.cuh"

enum { MANY_WARPS = 8, SMALL_WARPS = 4 }; // of a block; where shared memory is short
enum { MANY_STAGES_MAX = 4, MANY_STATIC_BYTES = 1024 };

struct many_plan {
    struct expert_product args;
    int tiles; // of 16 rows, of gate and up together
    int steps; // fragments of a row
    int stages;
};

template <enum dtype TYPE, int EIGHTS, int WARPS> struct many_stage {
    typedef stream_fragment<TYPE> kind;
    enum { THREADS = WARPS * LANES, TILES = WARPS * WARP_TILES };
    enum { SLOTS = EIGHTS * 8, X_AT = TILES * kind::BYTES };
    enum { BYTES = X_AT + SLOTS * kind::COLUMNS * 2 };
};

// What is copied in each step: a warp copies two tiles of weights, a thread some 16-byte chunks of
// x.
template <enum dtype TYPE, int EIGHTS, int WARPS> struct many_copies {
    typedef stream_fragment<TYPE> kind;
    typedef many_stage<TYPE, EIGHTS, WARPS> stage;
    enum { PANELS = kind::COLUMNS / PANEL_COLUMNS, CHUNKS = PANELS * stage::SLOTS * 8 };
    enum { COPIES = CHUNKS / (int)stage::THREADS, ROWS = stage::SLOTS * 8 / (int)stage::THREADS };
    static_assert(CHUNKS % (int)stage::THREADS == 0 && stage::SLOTS * 8 % (int)stage::THREADS == 0,
                  "even");
    const char *tiles[WARP_TILES];
    const __half *rows[ROWS]; // NULL past the last slot
    int columns;

    __device__ many_copies(const many_plan &plan, const expert_item &item, int first_tile)
        : columns(plan.args.weights[0].columns) {
        const int matrices = plan.args.gated ? 2 : 1;
        const size_t tile_bytes =
            TYPE == DTYPE_F16 ? (size_t)TILE_ROWS * columns * 2 : (size_t)plan.steps * kind::BYTES;
#pragma unroll
        for (int i = 0; i < WARP_TILES; i++) {
            const int tile = min(first_tile + threadIdx.x / LANES * WARP_TILES + i, plan.tiles - 1);
            const char *data = (const char *)plan.args.weights[tile % matrices].data[item.expert];
            tiles[i] = kind::start(data + tile / matrices * tile_bytes, columns);
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int slot = (threadIdx.x + i * (int)stage::THREADS) / 8 % stage::SLOTS;
            rows[i] = slot < item.count
                          ? plan.args.x + (size_t)input_row(plan.args, item.first + slot) * columns
                          : nullptr;
        }
    }
    __device__ __forceinline__ void copy(const many_plan &plan, char *to, int step) {
        char *fragments = to + threadIdx.x / LANES * WARP_TILES * kind::BYTES;
        const int left = columns - step * kind::COLUMNS;
#pragma unroll
        for (int i = 0; i < WARP_TILES; i++)
            kind::copy(fragments + i * kind::BYTES, tiles[i] + (size_t)step * kind::STEP, columns,
                       left);
#pragma unroll
        for (int i = 0; i < COPIES; i++) {
            const int chunk = threadIdx.x % 8, panel = i / ROWS;
            const int slot = (threadIdx.x + i * (int)stage::THREADS) / 8 % stage::SLOTS;
            const int column = step * kind::COLUMNS + panel * PANEL_COLUMNS + chunk * 8;
            const __half *from = rows[i % ROWS];
            const bool valid = from && column < columns;
            copy16(to + stage::X_AT + (panel * stage::SLOTS + slot) * PANEL_ROW +
                       ((chunk ^ swizzle_of(slot % 8)) << 4),
                   valid ? from + column : plan.args.x, valid);
        }
    }
};

static __device__ inline void many_wait(int stages) { // until the oldest of stages - 1 has arrived
    if (stages == 2)
        copy_wait<0>();
    else if (stages == 3)
        copy_wait<1>();
    else
        copy_wait<2>();
}

// ---- what becomes of sums: a lane has those of two rows of a tile, 8 apart

template <int EIGHTS>
static __device__ inline void add_bias(float (&sums)[EIGHTS][4], const expert_weights &of,
                                       int expert, int row) {
    if (!of.bias) return;
    const float *bias = of.bias + (size_t)expert * of.rows;
    const float upper = row < of.rows ? bias[row] : 0;
    const float lower = row + 8 < of.rows ? bias[row + 8] : 0;
#pragma unroll
    for (int j = 0; j < 4 * EIGHTS; j++)
        sums[j / 4][j % 4] += j % 4 < 2 ? upper : lower;
}

// Stores sums of TILES tiles in y's rows: a rank's or, of results, a slot's.
template <typename result_t, int TILES, int EIGHTS>
static __device__ inline void store_tiles(const many_plan &plan, const expert_item &item,
                                          const warp_sums<EIGHTS> &sums, int first_row) {
    const int lane = threadIdx.x % LANES, rows = plan.args.weights[0].rows;
#pragma unroll
    for (int j = 0; j < 2 * EIGHTS; j++) {
        const int slot = j / 2 * 8 + lane % 4 * 2 + j % 2;
        if (slot >= item.count) continue;
        const int rank = item.first + slot;
        const size_t at = plan.args.gated ? rank : slot_of(plan.args.work, rank);
        result_t *y = (result_t *)plan.args.y + at * rows;
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            const int row = first_row + i * 8;
            if (row < rows) from_float(sums.of[i / 2][j / 2][i % 2 * 2 + j % 2], &y[row]);
        }
    }
}

template <int EIGHTS>
static __device__ inline void store_many(const many_plan &plan, const expert_item &item,
                                         int first_tile, warp_sums<EIGHTS> &sums) {
    const int tile = first_tile + threadIdx.x / LANES * WARP_TILES;
    const int matrices = plan.args.gated ? 2 : 1;
    const int row = tile / matrices * TILE_ROWS + threadIdx.x % LANES / 4;
    if (tile >= plan.tiles) return;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++)
        add_bias(sums.of[m], plan.args.weights[m % matrices], item.expert,
                 row + m / matrices * TILE_ROWS);
    if (plan.args.gated) {
        with_act(plan.args.act, [&](auto chosen) {
#pragma unroll
            for (int j = 0; j < 4 * EIGHTS; j++) {
                float &gate = sums.of[0][j / 4][j % 4];
                gate = act_of(chosen.value, gate, sums.of[1][j / 4][j % 4], plan.args.limit);
            }
        });
        store_tiles<__half, 1>(plan, item, sums, row);
    } else {
        store_tiles<float, WARP_TILES>(plan, item, sums, row);
    }
}

template <enum dtype TYPE, int EIGHTS, int WARPS>
static __global__ __launch_bounds__(WARPS *LANES,
                                    1) void many_kernel(const __grid_constant__ many_plan plan) {
    typedef many_stage<TYPE, EIGHTS, WARPS> stage;
    typedef stream_fragment<TYPE> kind;
    extern __shared__ __align__(128) char shared[];
    const int first_tile = blockIdx.x * stage::TILES, ahead = plan.stages - 1;
    const int ring_bytes = plan.stages * stage::BYTES;
    grid_launch_dependents();
    grid_wait();
    if (blockIdx.y >= count_items(plan.args.work)) return;
    const expert_item item = item_at(plan.args.work, blockIdx.y);
    many_copies<TYPE, EIGHTS, WARPS> copies(plan, item, first_tile);
    for (int i = 0; i < ahead; i++) {
        if (i < plan.steps) copies.copy(plan, shared + i * stage::BYTES, i);
        copy_commit();
    }
    warp_sums<EIGHTS> sums = {};
    int slot = 0, slot_ahead = ahead * stage::BYTES;
    for (int step = 0; step < plan.steps; step++) {
        many_wait(plan.stages);
        __syncthreads(); // orders all copies of the stage before its reads, and the last reads
        if (step + ahead < plan.steps) copies.copy(plan, shared + slot_ahead, step + ahead);
        copy_commit();
        const char *at = shared + slot;
        const char *fragments = at + threadIdx.x / LANES * WARP_TILES * kind::BYTES;
        kind::template add<0, EIGHTS>(sums, fragments, at + stage::X_AT);
        kind::template add<1, EIGHTS>(sums, fragments, at + stage::X_AT);
        slot = slot + stage::BYTES == ring_bytes ? 0 : slot + (int)stage::BYTES;
        slot_ahead = slot_ahead + stage::BYTES == ring_bytes ? 0 : slot_ahead + (int)stage::BYTES;
    }
    store_many(plan, item, first_tile, sums);
}

// Whether a block of the card holds two stages, the least; the smaller one for any card is compiled
// for types that need it.
template <enum dtype TYPE, int EIGHTS, int WARPS>
static int many_stages(const struct device *device) {
    const int budget = (int)device->properties.sharedMemPerBlockOptin - MANY_STATIC_BYTES;
    const int fitting = budget / (int)many_stage<TYPE, EIGHTS, WARPS>::BYTES;
    return fitting < 2 ? 0 : min(fitting, (int)MANY_STAGES_MAX);
}

template <enum dtype TYPE, int EIGHTS, int WARPS>
static void many_start(struct device *device, struct many_plan *plan) {
    typedef many_stage<TYPE, EIGHTS, WARPS> stage;
    const auto kernel = many_kernel<TYPE, EIGHTS, WARPS>;
    plan->stages = many_stages<TYPE, EIGHTS, WARPS>(device);
    ASSERT(plan->stages > 0);
    const size_t shared = (size_t)plan->stages * stage::BYTES;
    device_allow_more(device, (const void *)kernel, shared);
    const dim3 grid(ceil_divide((size_t)plan->tiles, stage::TILES),
                    (unsigned)plan->args.work.most_items);
    launch_after(device, kernel, grid, dim3(stage::THREADS), shared, *plan);
}

template <enum dtype TYPE>
static constexpr bool MANY_NEEDS_SMALL =
    2 * many_stage<TYPE, 4, MANY_WARPS>::BYTES + MANY_STATIC_BYTES > LEAST_SHARED;

// The most slots of an item; FEW_SLOTS: the card's shared memory is too small for this kernel.
template <enum dtype TYPE> static int32_t many_slots_of(const struct device *device) {
    if (many_stages<TYPE, 8, MANY_WARPS>(device)) return MANY_SLOTS;
    bool fits = many_stages<TYPE, 4, MANY_WARPS>(device);
    if constexpr (MANY_NEEDS_SMALL<TYPE>) fits |= many_stages<TYPE, 4, SMALL_WARPS>(device) > 0;
    return fits ? MANY_SLOTS / 2 : FEW_SLOTS;
}

template <enum dtype TYPE>
static void many_launch_of(struct device *device, const struct expert_product *args,
                           int32_t item_slots) {
    const struct expert_weights *w = &args->weights[0];
    struct many_plan plan = {};
    plan.args = *args;
    plan.tiles = (w->rows + TILE_ROWS - 1) / TILE_ROWS * (args->gated ? 2 : 1);
    plan.steps = (w->columns + stream_fragment<TYPE>::COLUMNS - 1) / stream_fragment<TYPE>::COLUMNS;
    if (item_slots > MANY_SLOTS / 2) return many_start<TYPE, 8, MANY_WARPS>(device, &plan);
    if constexpr (MANY_NEEDS_SMALL<TYPE>)
        if (!many_stages<TYPE, 4, MANY_WARPS>(device))
            return many_start<TYPE, 4, SMALL_WARPS>(device, &plan);
    many_start<TYPE, 4, MANY_WARPS>(device, &plan);
}
