// kernels/cuda/stream_k_plan.cuh — how a product is cut up, and what of it is where.
//
// A tile is up to 16 tiles of 16 rows, one block's at a time; its steps are cells of its rows. A
// tile is cut into pieces, and each block has a run of neighbouring pieces. With one cut there is
// nothing to join; with 2, 4 or 8 as many blocks may have a tile, each of them no other; with as
// many cuts as it has steps runs end anywhere.
#pragma once
#include "kernels/cuda/stream_k.cuh"
#include "kernels/cuda/stream_k_fragment.cuh"

#include <cmath>

enum { WARPS = STREAM_K_WARPS, THREADS = WARPS * LANES, MAX_STAGES = 8 };
enum { STREAM_K_STATIC_BYTES = 1024 }; // of shared memory that is not laid out here, at most

struct stream_k_plan { // a product, and how it is cut up: the same for all blocks
    struct gemv args;
    int tiles; // of 16 rows, of all parts; GATED: gate's and up's in turn
    int part_tiles[LINEAR_PARTS];
    size_t tile_bytes; // from one to the next
    int a_block;       // of them in a tile of the block, even
    int steps;         // of such a tile: cells of a row
    int cuts, pieces;  // of such a tile; of all: the blocks share these out
    int blocks;
    int groups; // of warps that share a tile's rows
    int stages;
    unsigned stage_bytes, x_at, exchange_at; // in shared memory; x in its stage
    float *parts;                            // [blocks x STREAM_K_PARTS][a tile's sums]
    unsigned *arrived;                       // [blocks x WARPS], 0 between calls
};

// ---- what is where

static __host__ __device__ inline int first_step(const stream_k_plan &plan, int block) {
    const int piece = (int)((long long)block * plan.pieces / plan.blocks);
    const int tile = piece / plan.cuts;
    return tile * plan.steps + (piece - tile * plan.cuts) * plan.steps / plan.cuts;
}

// Of a piece.
static __host__ __device__ inline int block_of(const stream_k_plan &plan, int piece) {
    return (int)(((long long)(piece + 1) * plan.blocks - 1) / plan.pieces);
}

struct stream_k_tile {
    int part, index; // the tile in it
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

enum { WAYS = 4 }; // to cut all tiles alike: into 1, 2, 4 or 8

struct stream_k_card {
    int blocks, room; // bytes of shared memory
};

// What two groups exchange of a tile.
static size_t exchange_bytes(int a_block, int tokens) {
    return a_block <= WARPS ? (size_t)(WARPS / 2) * LANES * (size_t)tokens / 8 * 16 : 0;
}

// Stages that fit the card, of tiles of so many rows. Two is the least.
template <enum dtype TYPE>
static int lay_out(const struct stream_k_card *card, struct stream_k_plan *plan, int a_block,
                   int tokens) {
    typedef stream_cell<TYPE> piece;
    const int cells = a_block * piece::BYTES;
    const int stage = cells + tokens * piece::COLUMNS * (int)sizeof(__half);
    const int fitting = (card->room - (int)exchange_bytes(a_block, tokens)) / stage;
    plan->a_block = a_block;
    plan->groups = a_block <= WARPS ? 2 : 1;
    plan->stages = min(fitting, MAX_STAGES);
    plan->stage_bytes = (unsigned)stage;
    plan->x_at = (unsigned)cells;
    plan->exchange_at = (unsigned)(plan->stages * stage);
    return fitting;
}

// Of a block's time, in bytes that a multiprocessor reads meanwhile, for tiles that are cut so
// often. A step is bound by its bytes, those of x being cheaper, by unpacking and multiplying 16
// columns at a time, which a tile of few rows does not make faster, or by how long memory takes to
// answer; to join sums takes several such times.
template <enum dtype TYPE> static double cost_of(const struct stream_k_plan *plan, int tokens) {
    enum { PRODUCT_BYTES = 3200, TOKEN_BYTES = 60, STEP_BYTES = 8 << 10 };
    enum { LATENCY_BYTES = 48 << 10, JOIN_BYTES = 96 << 10 };
    const double part = (double)plan->a_block * TILE_ROWS * tokens * sizeof(float);
    const int products = stream_cell<TYPE>::COLUMNS / 16 / plan->groups;
    const double computed = (double)products * (PRODUCT_BYTES + TOKEN_BYTES * tokens);
    const double read = plan->x_at + (plan->stage_bytes - plan->x_at) / 4.0;
    const double latency = (double)LATENCY_BYTES / (plan->stages - 1);
    const double step = STEP_BYTES + fmax(fmax(read, computed), latency);
    const bool alike = plan->cuts < plan->steps; // pieces are of many steps, blocks have whole ones
    const double pieces = ceil((double)plan->pieces / plan->blocks);
    const double steps = alike ? pieces * ceil((double)plan->steps / plan->cuts) : pieces;
    if (plan->cuts == 1) return steps * step + part;
    const double sharers = alike ? plan->cuts : plan->steps / pieces + 2;
    const int joins = plan->pieces > plan->blocks ? 2 : 1;
    return steps * step + joins * (double)JOIN_BYTES + (1 + sharers) * part / 2;
}

static void share_out(const struct stream_k_card *card, struct stream_k_plan *plan, int cuts) {
    const int tiles = (int)ceil_divide((size_t)plan->tiles, (size_t)plan->a_block);
    plan->cuts = cuts;
    plan->pieces = tiles * cuts;
    plan->blocks = min(card->blocks, plan->pieces);
}

// The cheapest way to cut a product up. False if two stages do not fit.
template <enum dtype TYPE>
static bool cut_up(const struct stream_k_card *card, struct stream_k_plan *plan, int tokens) {
    typedef stream_cell<TYPE> piece;
    const struct gemv *args = &plan->args;
    struct stream_k_plan best = {};
    double least = 0;
    plan->tiles = 0;
    for (int i = 0; i < args->count; i++) {
        plan->part_tiles[i] = (args->parts[i].rows + TILE_ROWS - 1) / TILE_ROWS;
        plan->tiles += plan->part_tiles[i];
    }
    plan->steps = (args->columns + piece::COLUMNS - 1) / piece::COLUMNS;
    plan->tile_bytes = TYPE == DTYPE_F16 ? (size_t)TILE_ROWS * (size_t)args->columns * 2
                                         : (size_t)plan->steps * piece::BYTES;
    for (int a_block = WARP_TILES; a_block <= STREAM_K_ROWS / TILE_ROWS; a_block += WARP_TILES) {
        if (lay_out<TYPE>(card, plan, a_block, tokens) < 2) break;
        for (int way = 0; way <= WAYS; way++) {
            const int cuts = way < WAYS ? 1 << way : plan->steps;
            if (cuts > plan->steps) continue;
            share_out(card, plan, cuts);
            const double cost = cost_of<TYPE>(plan, tokens);
            if (best.blocks == 0 || cost < least) best = *plan, least = cost;
        }
    }
    *plan = best;
    return best.blocks > 0;
}

static size_t shared_bytes(const struct stream_k_plan *plan, int tokens) {
    return plan->exchange_at + exchange_bytes(plan->a_block, tokens);
}

// How many tokens the card computes at once: 8, 16, 32 or 64; 16 or 64 of an uncommon type, which
// has fewer kernels.
template <enum dtype TYPE>
static int tokens_at_once(const struct stream_k_card *card, struct stream_k_plan *plan) {
    const int least = IS_COMMON<TYPE> ? 8 : 16, step = IS_COMMON<TYPE> ? 2 : 4;
    int tokens = least;
    while (tokens < plan->args.tokens && tokens < STREAM_K_TOKENS)
        tokens *= step;
    while (tokens >= least && !cut_up<TYPE>(card, plan, tokens))
        tokens /= step;
    return tokens < least ? 0 : tokens;
}
