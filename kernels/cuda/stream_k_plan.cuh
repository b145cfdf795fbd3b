// kernels/cuda/stream_k_plan.cuh — how a product is cut up, and where its parts lie.
//
// A CTA tile is up to 16 tiles of 16 rows; its steps are the fragments of a row. A tile is cut into
// splits, and each block computes a range of consecutive splits. Three tiles of 8 steps, four
// blocks:
//
//   splits a tile   block 0     block 1               block 2               block 3     longest
//   1               tile 0      tile 1                tile 2                -           8 steps
//   2               0: 0 … 3    0: 4 … 7   1: 0 … 3   1: 4 … 7              2: 0 … 7    8
//   8, to the step  0: 0 … 5    0: 6, 7    1: 0 … 3   1: 4 … 7   2: 0, 1    2: 2 … 7    6
//
// With one split a tile there is nothing to join, but the last wave of tiles leaves blocks idle. To
// the step, as in Stream-K, every block has equally much, but most tiles are joined from two
// blocks' sums or more. 2, 4 or 8 splits lie between. cost_of() estimates each, for each height of
// a CTA tile, and the cheapest is taken: nothing is measured at run time.
//
// At most two tiles of a block's range are shared with other blocks: the one in which the range
// begins and the one in which it ends. So it has two places for partial sums
// (STREAM_K_PARTS): the even one for the first, the odd one for a tile that begins inside the
// range.
#pragma once
#include "kernels/cuda/stream_k.cuh"
#include "kernels/cuda/stream_k_fragment.cuh"

#include <cmath>

enum { WARPS = STREAM_K_WARPS, THREADS = WARPS * LANES, MAX_STAGES = 8 };
enum { STREAM_K_STATIC_BYTES = 1024 }; // upper bound of the shared memory that is not placed here

struct stream_k_plan { // a product and how it is cut up, the same for all blocks
    struct gemv args;
    int tiles; // of 16 rows, of all parts; GATED: gate's and up's alternate
    int part_tiles[LINEAR_PARTS];
    size_t tile_bytes;       // from one to the next
    int block_tiles;         // tiles of a CTA tile, an even number
    int steps;               // of a CTA tile: fragments of a row
    int tile_splits, splits; // of a CTA tile; of all, divided over the blocks
    int blocks;
    int warp_groups; // that compute the same rows
    int stages;
    unsigned stage_bytes, x_at, exchange_at; // in shared memory; x in its stage
    float *parts;                            // [blocks x STREAM_K_PARTS][a tile's sums]
    unsigned *arrived;                       // [blocks x WARPS], 0 between calls
};

// ---- layout

static __host__ __device__ inline int first_step(const stream_k_plan &plan, int block) {
    const int split = (int)((long long)block * plan.splits / plan.blocks);
    const int tile = split / plan.tile_splits;
    return tile * plan.steps + (split - tile * plan.tile_splits) * plan.steps / plan.tile_splits;
}

// The block that computes a split.
static __host__ __device__ inline int block_of(const stream_k_plan &plan, int split) {
    return (int)(((long long)(split + 1) * plan.blocks - 1) / plan.splits);
}

struct stream_k_tile {
    int part, index; // its number within the part
};

static __device__ inline stream_k_tile tile_of(const stream_k_plan &plan, int index) {
    int part = 0;
    if (plan.args.store == GEMV_GATED) return {index & 1, index >> 1};
#pragma unroll
    for (int i = 0; i + 1 < LINEAR_PARTS; i++)
        if (part == i && index >= plan.part_tiles[i]) index -= plan.part_tiles[i], part++;
    return {part, index};
}

// ---- the choice

enum { WAYS = 4 }; // of cutting all tiles alike: into 1, 2, 4 or 8 splits

struct stream_k_card {
    int blocks, shared_bytes;
};

// The sums of a tile that two warp groups exchange.
static size_t exchange_bytes(int block_tiles, int tokens) {
    return block_tiles <= WARPS ? (size_t)(WARPS / 2) * LANES * (size_t)tokens / 8 * 16 : 0;
}

// Returns how many stages fit the card with CTA tiles of `block_tiles` tiles; two are needed.
template <enum dtype TYPE>
static int lay_out(const struct stream_k_card *card, struct stream_k_plan *plan, int block_tiles,
                   int tokens) {
    typedef stream_fragment<TYPE> kind;
    const int fragments = block_tiles * kind::BYTES;
    const int stage = fragments + tokens * kind::COLUMNS * (int)sizeof(__half);
    const int fitting = (card->shared_bytes - (int)exchange_bytes(block_tiles, tokens)) / stage;
    plan->block_tiles = block_tiles;
    plan->warp_groups = block_tiles <= WARPS ? 2 : 1;
    plan->stages = min(fitting, MAX_STAGES);
    plan->stage_bytes = (unsigned)stage;
    plan->x_at = (unsigned)fragments;
    plan->exchange_at = (unsigned)(plan->stages * stage);
    return fitting;
}

// Estimates a block's time, measured in bytes that a multiprocessor reads meanwhile. A step is
// bound by its bytes, those of x being cheaper; or by unpacking and multiplying, 16 columns at a
// time, which is no faster for a tile of few rows; or by memory latency. Joining sums costs several
// times that latency.
template <enum dtype TYPE> static double cost_of(const struct stream_k_plan *plan, int tokens) {
    enum { PRODUCT_BYTES = 3200, TOKEN_BYTES = 60, STEP_BYTES = 8 << 10 };
    enum { LATENCY_BYTES = 48 << 10, JOIN_BYTES = 96 << 10 };
    const double part = (double)plan->block_tiles * TILE_ROWS * tokens * sizeof(float);
    const int products = stream_fragment<TYPE>::COLUMNS / 16 / plan->warp_groups;
    const double computed = (double)products * (PRODUCT_BYTES + TOKEN_BYTES * tokens);
    const double read = plan->x_at + (plan->stage_bytes - plan->x_at) / 4.0;
    const double latency = (double)LATENCY_BYTES / (plan->stages - 1);
    const double step = STEP_BYTES + fmax(fmax(read, computed), latency);
    const bool alike =
        plan->tile_splits < plan->steps; // then splits have many steps, and blocks whole splits
    const double splits = ceil((double)plan->splits / plan->blocks);
    const double steps = alike ? splits * ceil((double)plan->steps / plan->tile_splits) : splits;
    if (plan->tile_splits == 1) return steps * step + part;
    const double sharers = alike ? plan->tile_splits : plan->steps / splits + 2;
    const int joins = plan->splits > plan->blocks ? 2 : 1;
    return steps * step + joins * (double)JOIN_BYTES + (1 + sharers) * part / 2;
}

static void divide(const struct stream_k_card *card, struct stream_k_plan *plan, int tile_splits) {
    const int tiles = (int)ceil_divide((size_t)plan->tiles, (size_t)plan->block_tiles);
    plan->tile_splits = tile_splits;
    plan->splits = tiles * tile_splits;
    plan->blocks = min(card->blocks, plan->splits);
}

// Finds the cheapest way to cut a product up. False if two stages do not fit.
template <enum dtype TYPE>
static bool choose_splits(const struct stream_k_card *card, struct stream_k_plan *plan,
                          int tokens) {
    typedef stream_fragment<TYPE> kind;
    const struct gemv *args = &plan->args;
    struct stream_k_plan best = {};
    double least = 0;
    plan->tiles = 0;
    for (int i = 0; i < args->count; i++) {
        plan->part_tiles[i] = (args->parts[i].rows + TILE_ROWS - 1) / TILE_ROWS;
        plan->tiles += plan->part_tiles[i];
    }
    plan->steps = (args->columns + kind::COLUMNS - 1) / kind::COLUMNS;
    plan->tile_bytes = TYPE == DTYPE_F16 ? (size_t)TILE_ROWS * (size_t)args->columns * 2
                                         : (size_t)plan->steps * kind::BYTES;
    for (int block_tiles = WARP_TILES; block_tiles <= STREAM_K_ROWS / TILE_ROWS;
         block_tiles += WARP_TILES) {
        if (lay_out<TYPE>(card, plan, block_tiles, tokens) < 2) break;
        for (int way = 0; way <= WAYS; way++) {
            const int tile_splits = way < WAYS ? 1 << way : plan->steps;
            if (tile_splits > plan->steps) continue;
            divide(card, plan, tile_splits);
            const double cost = cost_of<TYPE>(plan, tokens);
            if (best.blocks == 0 || cost < least) best = *plan, least = cost;
        }
    }
    *plan = best;
    return best.blocks > 0;
}

static size_t shared_bytes(const struct stream_k_plan *plan, int tokens) {
    return plan->exchange_at + exchange_bytes(plan->block_tiles, tokens);
}

// How many tokens the card computes in one launch: 8, 16, 32 or 64; an uncommon type has kernels
// for 16 and 64 only.
template <enum dtype TYPE>
static int tokens_at_once(const struct stream_k_card *card, struct stream_k_plan *plan) {
    const int least = IS_COMMON<TYPE> ? 8 : 16, step = IS_COMMON<TYPE> ? 2 : 4;
    int tokens = least;
    while (tokens < plan->args.tokens && tokens < STREAM_K_TOKENS)
        tokens *= step;
    while (tokens >= least && !choose_splits<TYPE>(card, plan, tokens))
        tokens /= step;
    return tokens < least ? 0 : tokens;
}
