// kernels/cuda/stream_k_kernel.cuh — y = x W^T for some dozens of tokens: one stream of weights,
// divided evenly over the blocks.
//
//   W  [rows, columns]    in the order of tiles.cuh; up to three of them for one x
//   x  [tokens, columns]  fp16, or rows picked by row_index
//   y  [tokens, rows]     fp16, or fp32, stored or added
//
//   grid   one block a multiprocessor, or fewer;  block  WARPS x 32
//   shared stages of [fragments of 16 rows][x in panels], then the sums that warp groups exchange
//
// The decomposition is Stream-K's (Osama et al., arXiv 2301.03598). The work is CTA tiles of up to
// 256 rows times steps of one fragment's columns, a flat list that is divided evenly over the
// blocks: in whole tiles, in equal splits of tiles, or to the step, whichever reads least, as
// stream_k_plan.cuh decides. Partial sums of a tile that is split are left in
// device->stream_k_parts, in the order in which lanes hold them. The last block to arrive with a
// warp's part adds all parts in block order, so that it does not matter which block that is.
//
// A warp tile is two tiles of 16 rows with all tokens. Where the CTA tile has 128 rows or less, two
// warp groups compute the same rows, each from half of every fragment's columns.
//
// Copies of weights and x run ahead of the products by all stages but one. Those of weights start
// before grid_wait(), because weights depend on no other kernel. Packed weights are rounded to
// fp16. The order of sums depends on the card and on the number of tokens. Bound by reading W; past
// 32 tokens by the tensor cores.
#pragma once
#include "kernels/cuda/stream_k_sums.cuh"

// ---- copies

struct stream_k_cursor { // a block's position in its range of steps
    int tile, step;      // within the tile

    __device__ stream_k_cursor(const stream_k_plan &plan, int first)
        : tile(first / plan.steps), step(first % plan.steps) {}
    // True when the next step belongs to another tile.
    __device__ bool next(const stream_k_plan &plan) {
        if (++step < plan.steps) return false;
        step = 0, tile++;
        return true;
    }
};

// The fragments that a warp copies next: every WARPS-th of the CTA tile.
template <enum dtype TYPE> struct weight_stream {
    typedef stream_fragment<TYPE> kind;
    const char *rows[2];
    stream_k_cursor at;

    __device__ weight_stream(const stream_k_plan &plan, int first) : at(plan, first) {
        enter(plan);
    }
    __device__ void enter(const stream_k_plan &plan) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int index = at.tile * plan.block_tiles + threadIdx.x / LANES + i * WARPS;
            const stream_k_tile of = tile_of(plan, min(index, plan.tiles - 1));
            rows[i] = kind::start((const char *)plan.args.parts[of.part].data +
                                      of.index * plan.tile_bytes,
                                  plan.args.columns);
        }
    }
    __device__ __forceinline__ void copy(const stream_k_plan &plan, char *stage) {
        const int fragment = threadIdx.x / LANES;
        const size_t from = (size_t)at.step * kind::STEP;
        char *to = stage + fragment * kind::BYTES;
        const int columns = plan.args.columns, left = columns - at.step * kind::COLUMNS;
        if (fragment < plan.block_tiles) kind::copy(to, rows[0] + from, columns, left);
        if (fragment + WARPS < plan.block_tiles)
            kind::copy(to + WARPS * kind::BYTES, rows[1] + from, columns, left);
        if (at.next(plan)) enter(plan);
    }
};

// What a thread copies of x next: one chunk of 16 bytes of some tokens' rows.
template <enum dtype TYPE, int EIGHTS> struct x_stream {
    enum { TOKENS = 8 * EIGHTS, PANELS = stream_fragment<TYPE>::COLUMNS / PANEL_COLUMNS };
    enum { CHUNKS = PANELS * TOKENS * 8, COPIES = (CHUNKS + THREADS - 1) / THREADS };
    enum { ROWS = TOKENS * 8 > THREADS ? TOKENS * 8 / THREADS : 1 };
    const __half *row[ROWS]; // NULL past the last token
    stream_k_cursor at;

    __device__ x_stream(const stream_k_plan &plan, int first) : at(plan, first) {
        const gemv &args = plan.args;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int token = token_of(i);
            row[i] = nullptr;
            if (token >= args.tokens) continue;
            const size_t from = args.row_index ? args.row_index[token] : token;
            row[i] = args.x + from * args.columns;
        }
    }
    static __device__ int token_of(int copy) { return (threadIdx.x + copy * THREADS) / 8 % TOKENS; }
    __device__ __forceinline__ void copy(const stream_k_plan &plan, char *x) {
#pragma unroll
        for (int i = 0; i < COPIES; i++) {
            const int item = threadIdx.x + i * THREADS, chunk = item % 8, token = token_of(i);
            const int panel = item / (8 * TOKENS);
            const int column =
                at.step * stream_fragment<TYPE>::COLUMNS + panel * PANEL_COLUMNS + chunk * 8;
            const __half *from = row[i % ROWS];
            const bool valid = from && column < plan.args.columns;
            if (CHUNKS % THREADS == 0 || item < CHUNKS)
                copy16(x + (panel * TOKENS + token) * PANEL_ROW +
                           ((chunk ^ swizzle_of(token % 8)) << 4),
                       valid ? from + column : plan.args.x, valid);
        }
        at.next(plan);
    }
};

// Waits until the oldest of `stages` - 1 stages has arrived.
static __device__ inline void wait_stage(int stages) {
    switch (stages) {
    case 2:
        return copy_wait<0>();
    case 3:
        return copy_wait<1>();
    case 4:
        return copy_wait<2>();
    case 5:
        return copy_wait<3>();
    case 6:
        return copy_wait<4>();
    case 7:
        return copy_wait<5>();
    default:
        return copy_wait<MAX_STAGES - 2>();
    }
}

// ---- the kernel

template <enum dtype TYPE, int EIGHTS>
static __global__
__launch_bounds__(THREADS, 1) void stream_k_kernel(const __grid_constant__ stream_k_plan plan) {
    typedef stream_fragment<TYPE> kind;
    extern __shared__ __align__(128) char shared[];
    const int warp = threadIdx.x / LANES, warp_tile = warp % (WARPS / plan.warp_groups);
    const bool both = plan.warp_groups == 1, upper = warp != warp_tile;
    const bool active = warp_tile * WARP_TILES < plan.block_tiles;
    const int begin = first_step(plan, blockIdx.x), end = first_step(plan, blockIdx.x + 1);
    const int ring_bytes = plan.stages * plan.stage_bytes, ahead = plan.stages - 1;
    grid_launch_dependents();
    weight_stream<TYPE> weights(plan, begin);
    for (int i = 0; i < ahead; i++)
        if (begin + i < end) weights.copy(plan, shared + i * plan.stage_bytes);
    grid_wait();
    x_stream<TYPE, EIGHTS> x(plan, begin);
    for (int i = 0; i < ahead; i++) {
        if (begin + i < end) x.copy(plan, shared + i * plan.stage_bytes + plan.x_at);
        copy_commit();
    }
    int slot = 0, slot_ahead = ahead * plan.stage_bytes;
    for (int from = begin, to; from < end; from = to) {
        const int tile = from / plan.steps;
        to = min(end, (tile + 1) * plan.steps);
        warp_sums<EIGHTS> sums = {};
        for (int step = from; step < to; step++) {
            wait_stage(plan.stages);
            __syncthreads(); // orders all copies of the stage before its reads, and the last reads
            if (step + ahead < end) {
                weights.copy(plan, shared + slot_ahead);
                x.copy(plan, shared + slot_ahead + plan.x_at);
            }
            copy_commit();
            const char *stage = shared + slot,
                       *fragments = stage + warp_tile * WARP_TILES * kind::BYTES;
            if (active && (both || !upper))
                kind::template add<0, EIGHTS>(sums, fragments, stage + plan.x_at);
            if (active && (both || upper))
                kind::template add<1, EIGHTS>(sums, fragments, stage + plan.x_at);
            slot = slot + plan.stage_bytes == ring_bytes ? 0 : slot + plan.stage_bytes;
            slot_ahead =
                slot_ahead + plan.stage_bytes == ring_bytes ? 0 : slot_ahead + plan.stage_bytes;
        }
        if (both) {
            finish_range(plan, sums, {tile, from, to}, 0);
        } else {
            enum { HALF = (EIGHTS + 1) / 2 };
            warp_sums<HALF> joined;
            join_warp_groups(plan, joined, sums, shared);
            finish_range(plan, joined, {tile, from, to}, upper * HALF * 8);
        }
    }
}

// ---- launching

static struct stream_k_card card_of(const struct device *device) {
    const struct cudaDeviceProp *card = &device->properties;
    return {card->multiProcessorCount, (int)card->sharedMemPerBlockOptin - STREAM_K_STATIC_BYTES};
}

template <enum dtype TYPE, int EIGHTS>
static void launch(struct device *device, struct stream_k_plan *plan) {
    const size_t shared = shared_bytes(plan, EIGHTS * 8);
    const auto kernel = stream_k_kernel<TYPE, EIGHTS>;
    device_allow_more(device, (const void *)kernel, shared);
    launch_after(device, kernel, dim3((unsigned)plan->blocks), dim3(THREADS), shared, *plan);
}

// Returns how many tokens were computed.
template <enum dtype TYPE>
static int32_t launch_type(struct device *device, struct stream_k_plan *plan) {
    const struct stream_k_card card = card_of(device);
    const int tokens = tokens_at_once<TYPE>(&card, plan);
    ASSERT(tokens > 0); // the smallest number fits any card
    plan->args.tokens = min(plan->args.tokens, tokens);
    if (tokens == STREAM_K_TOKENS) launch<TYPE, 8>(device, plan);
    if (tokens == 16) launch<TYPE, 2>(device, plan);
    if constexpr (IS_COMMON<TYPE>) {
        if (tokens == 8) launch<TYPE, 1>(device, plan);
        if (tokens == 32) launch<TYPE, 4>(device, plan);
    }
    return plan->args.tokens;
}
