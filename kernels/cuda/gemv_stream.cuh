// kernels/cuda/gemv_stream.cuh — how a block goes through the weights of a product.
//
// Work is cut into tiles of 16 rows, which the blocks take in turn. A piece is a tile of one
// matrix; with a gate and an up matrix those of the gate come first: taken in turn, as one of each,
// the two streams get in each other's way, and memory gives a seventh less. The cells of a block's
// pieces, in their order, are cut evenly into runs, one for each team of warps, whose members take
// cells in turn: so a team reads long stretches of memory, and shares at most its first and its
// last piece with others. It goes in turns: a round of pieces, few enough that a run touches
// GEMV_PIECES of them at most, and of these a segment of x. A gemv_cursor is a warp's place; it
// runs ahead of the products and copies.
#pragma once
#include "kernels/cuda/gemv.cuh"
#include "kernels/cuda/gemv_fragment.cuh"

enum { GEMV_WARPS = 16, GEMV_PIECES = 3 };
enum { ROUND_PIECES = 2 * GEMV_WARPS }; // at most: runs of no more cells than two pieces have

struct gemv_plan { // a product, and how it is cut up: the same for all blocks
    struct gemv args;
    int tiles; // of all parts; GATED: of one
    int part_tiles[LINEAR_PARTS];
    int share, larger;                            // tiles of a block, and blocks with one more
    int passes;                                   // matrices of a tile: GATED 2, else 1
    int cells;                                    // of a piece
    size_t tile_bytes;                            // from a tile to the next one
    int rounds, round_tiles;                      // of the share
    int segments, per_cells;                      // of x, and cells of one
    int warps_log2;                               // of a block
    int outputs;                                  // of a piece
    int x_stride, x_sums_stride;                  // bytes from a token's to the next one's
    unsigned x_at, x_sums_at, sums_at, totals_at; // in shared memory, after the rings
};

// What a card's shared memory is shared out to. The rings have what is left: at least two cells a
// warp, whatever the product.
struct gemv_room {
    int warps;
    int32_t tokens;    // at once, at most
    size_t x, x_alone; // bytes of x and its sums, and of one token's
};

static struct gemv_room room_of(const struct device *device) {
    const size_t all = device->properties.sharedMemPerBlockOptin;
    if (all > 200 << 10) return {GEMV_WARPS, GEMV_TOKENS, 72 << 10, 72 << 10};
    return {GEMV_WARPS / 2, GEMV_TOKENS / 2, all / 5, all * 3 / 8};
}

struct gemv_tiles {
    int first, count;
};

// A block's tiles of a round: the i-th is first + i * gridDim.x.
static __device__ inline gemv_tiles round_tiles(const gemv_plan &plan, int round) {
    const int block = blockIdx.x, before = round * plan.round_tiles;
    const int all = plan.share + (block < plan.larger);
    return {block + before * (int)gridDim.x, max(0, min(all - before, plan.round_tiles))};
}

struct gemv_tile {
    int part, index; // the first of its parts, and the tile in it
};

static __device__ inline gemv_tile tile_of(const gemv_plan &plan, int index) {
    int part = 0;
    if (plan.passes > 1) return {0, index};
#pragma unroll
    for (int i = 0; i + 1 < LINEAR_PARTS; i++)
        if (part == i && index >= plan.part_tiles[i]) index -= plan.part_tiles[i], part++;
    return {part, index};
}

// Of a piece, in a segment.
static __device__ inline int piece_cells(const gemv_plan &plan, int segment) {
    return min(plan.cells - segment * plan.per_cells, plan.per_cells);
}

// A team's run of a turn, and the way of one of its members through it, piece by piece. Cells of a
// team are next to one another, a member each: a row of cells. A piece's last may be short.
template <enum dtype TYPE> struct gemv_run {
    enum { TEAM = gemv_cell<TYPE>::TEAM };
    int cells, rows; // of a piece
    int piece, row;  // at hand
    int left;        // rows

    // Of the piece at hand: rows, whether the team has its first and its last, a member's cells.
    __device__ int straight() const { return min(left, rows - row); }
    __device__ bool begins() const { return row == 0; }
    __device__ bool ends() const { return row + left >= rows; }
    __device__ int first_cell(int warp) const { return row * TEAM + warp % TEAM; }
    __device__ int member_cells(int warp) const {
        const int last = (row + straight() - 1) * TEAM + warp % TEAM;
        return straight() - (TEAM > 1 && last >= cells);
    }
    __device__ void next_piece() {
        left -= straight();
        row = 0;
        piece++;
    }
};

template <enum dtype TYPE>
static __device__ inline gemv_run<TYPE> run_of(const gemv_plan &plan, int pieces, int segment,
                                               int warp) {
    enum { TEAM = gemv_cell<TYPE>::TEAM };
    gemv_run<TYPE> run;
    run.cells = piece_cells(plan, segment);
    run.rows = (run.cells + TEAM - 1) / TEAM;
    const int all = pieces * run.rows, team = warp / TEAM, shift = plan.warps_log2;
    int first = team;
    run.left = team < all;
    if (all * TEAM >= 1 << shift) {
        first = all * team * TEAM >> shift;
        run.left = (all * (team + 1) * TEAM >> shift) - first;
    }
    // Pieces are few, so that this is first / rows.
    run.piece = (int)__fdividef((float)first + 0.5f, (float)run.rows);
    run.row = first - run.piece * run.rows;
    return run;
}

// Where a warp copies next. What it needs only from piece to piece lies in shared memory.
template <enum dtype TYPE> struct gemv_cursor {
    struct place {
        gemv_run<TYPE> run;
        int first_tile, tiles; // of the round
        int round, segment;
    };
    const char *from; // this lane's part of the next cell
    int count;        // cells from there on, a row apart; 0: it has ended
    int row_bytes;    // of F16
    place *kept;

    __device__ gemv_cursor(const gemv_plan &plan, int warp)
        : from(nullptr), count(0), row_bytes(plan.args.columns * (int)sizeof(__half)) {
        __shared__ place places[GEMV_WARPS];
        kept = &places[warp];
        place at = {};
        at.segment = -1;
        jump(plan, warp, at);
    }
    __device__ void next(const gemv_plan &plan, int warp) {
        from += gemv_cell<TYPE>::STEP * gemv_cell<TYPE>::TEAM;
        if (--count > 0) return;
        place at = *kept;
        __syncwarp(); // all lanes have read it
        at.run.next_piece();
        jump(plan, warp, at);
    }
    // From where the run stands to the next cell of this warp.
    __device__ void jump(const gemv_plan &plan, int warp, place &at) {
        for (;;) {
            while (at.run.left == 0)
                if (!turn(plan, warp, at)) return;
            count = at.run.member_cells(warp);
            if (count > 0) break;
            at.run.next_piece();
        }
        const int lane = threadIdx.x % LANES, pass = at.run.piece >= at.tiles;
        const int tile_of_round = pass ? at.run.piece - at.tiles : at.run.piece;
        const gemv_tile tile = tile_of(plan, at.first_tile + tile_of_round * (int)gridDim.x);
        const int cell = at.segment * plan.per_cells + at.run.first_cell(warp);
        from = (const char *)plan.args.parts[tile.part + pass].data + tile.index * plan.tile_bytes +
               (size_t)cell * gemv_cell<TYPE>::STEP;
        from += TYPE == DTYPE_F16 ? lane / 8 * row_bytes + lane % 8 * 16 : lane * 16;
        if (lane == 0) *kept = at;
        __syncwarp(); // it is there before it is read
    }
    // To the next turn; false: there is none.
    static __device__ bool turn(const gemv_plan &plan, int warp, place &at) {
        if (++at.segment == plan.segments) at.segment = 0, at.round++;
        if (at.round == plan.rounds) return false;
        const gemv_tiles tiles = round_tiles(plan, at.round);
        at.first_tile = tiles.first;
        at.tiles = tiles.count;
        at.run = run_of<TYPE>(plan, tiles.count * plan.passes, at.segment, warp);
        return true;
    }
};

// ---- copies

static __device__ inline void copy16(void *shared, const void *global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(shared)),
                 "l"(global)
                 : "memory");
}

// Four rows at a time: their chunks of 16 bytes lie as gemv_cell<F16> reads them.
static __device__ inline void copy_rows(char *to, const char *from, int row_bytes) {
    const int lane = threadIdx.x % LANES, row = lane / 8;
    to += row * 128 + (lane % 8 ^ 2 * row) * 16;
#pragma unroll
    for (int i = 0; i < TILE_ROWS / 4; i++)
        copy16(to + i * 512, from + (size_t)i * 4 * row_bytes);
}

// In pieces of 512 bytes; a cell has at most seven.
static __device__ inline void copy_packed(char *to, const char *from, int bytes) {
    const int at = threadIdx.x % LANES * 16;
#pragma unroll
    for (int i = 0; i < 7; i++)
        if ((i + 1) * 512 <= bytes || at + i * 512 < bytes)
            copy16(to + at + i * 512, from + i * 512);
}

// A warp's ring of STAGES cells: what it will need next is copied while it works on what it has.
template <enum dtype TYPE, int STAGES> struct gemv_ring {
    enum { BYTES = gemv_cell<TYPE>::BYTES };
    char *memory;
    int slot, slot_ahead, warp; // slots in bytes
    gemv_cursor<TYPE> ahead;

    __device__ gemv_ring(const gemv_plan &plan, char *memory, int warp)
        : memory(memory), slot(0), slot_ahead(0), warp(warp), ahead(plan, warp) {
#pragma unroll 1 // it is long
        for (int i = 0; i < STAGES - 1; i++)
            copy_next(plan);
    }
    __device__ __forceinline__ void copy_next(const gemv_plan &plan) {
        if (ahead.count > 0) {
            if (TYPE == DTYPE_F16)
                copy_rows(memory + slot_ahead, ahead.from, ahead.row_bytes);
            else
                copy_packed(memory + slot_ahead, ahead.from, BYTES);
            ahead.next(plan, warp);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        slot_ahead = slot_ahead == (STAGES - 1) * BYTES ? 0 : slot_ahead + BYTES;
    }
    // The next cell, when every lane's copies of it have arrived.
    __device__ __forceinline__ const char *front() {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        __syncwarp();
        return memory + slot;
    }
    // Every lane has read it.
    __device__ __forceinline__ void pop() {
        __syncwarp();
        slot = slot == (STAGES - 1) * BYTES ? 0 : slot + BYTES;
    }
};
