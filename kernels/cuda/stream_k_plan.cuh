// kernels/cuda/stream_k_plan.cuh — how a product is cut up, and what of it is where.
//
// A tile is up to 16 tiles of 16 rows, one block's at a time; its steps are cells of its rows. A
// tile is cut into pieces, and each block has a run of neighbouring pieces. With one cut there is
// nothing to join; with 2, 4 or 8 blocks of a cluster have one tile; with as many as it has steps,
// runs end anywhere (Stream-K).
#pragma once
#include "kernels/cuda/stream_k.cuh"
#include "kernels/cuda/stream_k_cell.cuh"

#include <cmath>

enum { WARPS = STREAM_K_WARPS, THREADS = WARPS * LANES, MAX_STAGES = 8 };
enum { STATIC_BYTES = 1024 }; // of shared memory that is not laid out here, at most

struct stream_k_plan { // a product, and how it is cut up: the same for all blocks
    struct gemv args;
    int tiles; // of 16 rows, of all parts; GATED: gate's and up's in turn
    int part_tiles[LINEAR_PARTS];
    size_t tile_bytes; // from one to the next
    int a_block;       // of them in a tile of the block, even
    int steps;         // of such a tile: cells of a row
    int cuts, pieces;  // of such a tile; of all: the blocks share these out
    int blocks;
    bool clusters; // of `cuts` blocks, a tile each
    int groups;    // of warps that share a tile's rows
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

enum { WAYS = 4 }; // to cut a tile for a cluster: into 1, 2, 4 or 8

// How many clusters of each size a card runs at once. Where it has none, blocks join by memory.
struct stream_k_card {
    int blocks, room; // bytes of shared memory
    int clusters[WAYS];
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
// often. Steps of many tokens are bound by the tensor cores, whose products count HMMA_BYTES each;
// to join sums by memory takes several round trips.
template <enum dtype TYPE> static double cost_of(const struct stream_k_plan *plan, int tokens) {
    enum { HMMA_BYTES = 150, CLUSTER_BYTES = 50 << 10, MEMORY_BYTES = 200 << 10 };
    const int part = plan->a_block * TILE_ROWS * tokens * (int)sizeof(float);
    const int a_warp = WARP_TILES * stream_cell<TYPE>::COLUMNS / 16 * tokens / 8;
    const int products = plan->a_block > WARPS ? 2 * a_warp : a_warp;
    const double step = fmax((double)plan->stage_bytes, (double)products * HMMA_BYTES);
    const double pieces = (double)plan->pieces / plan->blocks;
    const double steps =
        (plan->cuts < plan->steps ? ceil(pieces) : pieces) * plan->steps / plan->cuts;
    if (plan->clusters) return ceil(steps) * step + CLUSTER_BYTES + 2.0 * part;
    if (plan->cuts == 1) return steps * step + part;
    const double sharers = plan->cuts < plan->steps ? plan->cuts : 2 + 1 / pieces * plan->steps;
    return ceil(steps) * step + (plan->cuts < plan->steps ? 1 : 2) * (double)MEMORY_BYTES +
           (1 + sharers) * part;
}

static void share_out(const struct stream_k_card *card, struct stream_k_plan *plan, int cuts,
                      int clusters) {
    const int tiles = (int)ceil_divide((size_t)plan->tiles, (size_t)plan->a_block);
    plan->cuts = cuts;
    plan->pieces = tiles * cuts;
    plan->clusters = cuts > 1 && cuts <= 8 && clusters >= tiles;
    plan->blocks = plan->clusters ? plan->pieces : min(card->blocks, plan->pieces);
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
            share_out(card, plan, cuts, way < WAYS ? card->clusters[way] : 0);
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

// Tokens that fit the card at once.
template <enum dtype TYPE>
static int tokens_at_once(const struct stream_k_card *card, struct stream_k_plan *plan) {
    int tokens = 8;
    while (tokens < plan->args.tokens && tokens < STREAM_K_TOKENS)
        tokens *= 2;
    while (tokens > 0 && !cut_up<TYPE>(card, plan, tokens))
        tokens /= 2;
    return tokens;
}
