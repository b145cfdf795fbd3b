// kernels/cuda/gemv_stream.cuh — in which order a block reads the weights of a product.
//
// Output rows are cut into tiles of 16, dealt to the blocks round robin. A strip is a tile of one
// matrix. With a gate and an up matrix, the gate's strips come first: alternating between the two
// streams makes them interfere, and memory delivers a seventh less.
//
// A block's strips form one sequence of fragments, which is cut evenly into splits, one for each
// team of warps; the members of a team read neighbouring fragments in parallel. So a team reads
// long stretches of memory and shares at most its first and its last strip with other teams.
//
// The work is done in steps. A step covers a wave of tiles, few enough that a split touches at most
// GEMV_STRIPS strips, and one segment of x. A gemv_cursor is a warp's position in all this; it runs
// ahead of the products and says what to copy next.
#pragma once
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/gemv.cuh"
#include "kernels/cuda/gemv_fragment.cuh"

enum { GEMV_WARPS = 16, GEMV_STRIPS = 3 };
enum { WAVE_STRIPS = 2 * GEMV_WARPS }; // at most, so that no split is longer than two strips

struct gemv_plan { // a product and how it is cut up, the same for all blocks
    struct gemv args;
    int tiles; // of all parts; GATED: of one matrix
    int part_tiles[LINEAR_PARTS];
    int block_tiles, larger;                      // tiles of a block; blocks that have one more
    int matrices;                                 // matrices of a tile: GATED 2, else 1
    int fragments;                                // of a strip, of a block
    size_t tile_bytes;                            // from one tile to the next
    int waves, wave_tiles;                        // waves of a block; tiles of a wave
    int segments, segment_fragments;              // segments of x; fragments of a segment
    int warps_log2;                               // of a block
    int halves;                                   // blocks of a tile, which divide its columns
    int x_stride, x_sums_stride;                  // bytes from one token to the next
    unsigned x_at, x_sums_at, sums_at, totals_at, // in shared memory, after the rings
        halves_at;
};

// How a card's shared memory is divided. The rings get what is left: for any product at least two
// fragments a warp.
struct gemv_budget {
    int warps;
    int32_t tokens;    // at once, at most
    size_t x, x_alone; // bytes of x and its sums; the same for a single token
};

static struct gemv_budget budget_of(const struct device *device) {
    const size_t all = device->properties.sharedMemPerBlockOptin;
    if (all > 200 << 10) return {GEMV_WARPS, GEMV_TOKENS, 73 << 10, 73 << 10}; // 8 x 4096
    return {GEMV_WARPS / 2, GEMV_TOKENS / 2, all / 5, all * 3 / 8};
}

struct gemv_tiles {
    int first, count;
};

// 1 where two blocks divide a tile, else 0. A single token's tiles are never divided, and its
// kernel has no registers for that.
template <int TOKENS> static __device__ inline int halved(const gemv_plan &plan) {
    return TOKENS == 1 ? 0 : plan.halves - 1;
}
// Which of a tile's halves is the block's.
template <int TOKENS> static __device__ inline int half_of(const gemv_plan &plan) {
    return blockIdx.x & halved<TOKENS>(plan);
}
// Blocks that have tiles of their own.
template <int TOKENS> static __device__ inline int tile_blocks(const gemv_plan &plan) {
    return gridDim.x >> halved<TOKENS>(plan);
}

// A block's tiles of a wave: the i-th is first + i * tile_blocks().
template <int TOKENS>
static __device__ inline gemv_tiles wave_tiles(const gemv_plan &plan, int wave) {
    const int block = blockIdx.x >> halved<TOKENS>(plan), before = wave * plan.wave_tiles;
    const int all = plan.block_tiles + (block < plan.larger);
    return {block + before * tile_blocks<TOKENS>(plan), max(0, min(all - before, plan.wave_tiles))};
}

struct gemv_tile {
    int part, index; // its part (GATED: the gate), and its number within the part
};

static __device__ inline gemv_tile tile_of(const gemv_plan &plan, int index) {
    int part = 0;
    if (plan.matrices > 1) return {0, index};
#pragma unroll
    for (int i = 0; i + 1 < LINEAR_PARTS; i++)
        if (part == i && index >= plan.part_tiles[i]) index -= plan.part_tiles[i], part++;
    return {part, index};
}

// Fragments of a strip within a segment.
static __device__ inline int strip_fragments(const gemv_plan &plan, int segment) {
    return min(plan.fragments - segment * plan.segment_fragments, plan.segment_fragments);
}

// A team's split of a step, which its members walk strip by strip. The team reads rows of
// neighbouring fragments, one for each member; the last row of a strip may be short.
template <enum dtype TYPE> struct gemv_split {
    enum { TEAM = gemv_fragment<TYPE>::TEAM };
    int fragments, rows; // of a strip
    int strip, row;      // the current ones
    int left;            // rows left in the split

    // In the current strip: the team's rows, whether they include its first and its last row, and a
    // member's fragments.
    __device__ int straight() const { return min(left, rows - row); }
    __device__ bool begins() const { return row == 0; }
    __device__ bool ends() const { return row + left >= rows; }
    __device__ int first_fragment(int warp) const { return row * TEAM + warp % TEAM; }
    __device__ int member_fragments(int warp) const {
        const int last = (row + straight() - 1) * TEAM + warp % TEAM;
        return straight() - (TEAM > 1 && last >= fragments);
    }
    __device__ void next_strip() {
        left -= straight();
        row = 0;
        strip++;
    }
};

template <enum dtype TYPE>
static __device__ inline gemv_split<TYPE> split_of(const gemv_plan &plan, int strips, int segment,
                                                   int warp) {
    enum { TEAM = gemv_fragment<TYPE>::TEAM };
    gemv_split<TYPE> split;
    split.fragments = strip_fragments(plan, segment);
    split.rows = (split.fragments + TEAM - 1) / TEAM;
    const int all = strips * split.rows, team = warp / TEAM, shift = plan.warps_log2;
    int first = team;
    split.left = team < all;
    if (all * TEAM >= 1 << shift) {
        first = all * team * TEAM >> shift;
        split.left = (all * (team + 1) * TEAM >> shift) - first;
    }
    // first / rows: the quotient is small, so that the rounded division is exact.
    split.strip = (int)__fdividef((float)first + 0.5f, (float)split.rows);
    split.row = first - split.strip * split.rows;
    return split;
}

// What a warp copies next. What it needs only between strips is kept in shared memory.
template <enum dtype TYPE, int TOKENS> struct gemv_cursor {
    struct position {
        gemv_split<TYPE> split;
        int first_tile, tiles; // of the wave
        int wave, segment;
    };
    const char *from; // this lane's part of the next fragment
    int count;        // fragments from there on, a row apart; 0 at the end of the work
    int row_bytes;    // F16 only
    position *kept;

    __device__ gemv_cursor(const gemv_plan &plan, int warp)
        : from(nullptr), count(0), row_bytes(plan.args.columns * (int)sizeof(__half)) {
        __shared__ position positions[GEMV_WARPS];
        kept = &positions[warp];
        position at = {};
        at.segment = -1;
        jump(plan, warp, at);
    }
    __device__ void next(const gemv_plan &plan, int warp) {
        from += gemv_fragment<TYPE>::STEP * gemv_fragment<TYPE>::TEAM;
        if (--count > 0) return;
        position at = *kept;
        __syncwarp(); // orders the lanes' reads before the next write
        at.split.next_strip();
        jump(plan, warp, at);
    }
    // Moves from where the split stands to this warp's next fragment.
    __device__ void jump(const gemv_plan &plan, int warp, position &at) {
        for (;;) {
            while (at.split.left == 0)
                if (!next_step(plan, warp, at)) return;
            count = at.split.member_fragments(warp);
            if (count > 0) break;
            at.split.next_strip();
        }
        const int lane = threadIdx.x % LANES, matrix = at.split.strip >= at.tiles;
        const int tile_of_wave = matrix ? at.split.strip - at.tiles : at.split.strip;
        const gemv_tile tile =
            tile_of(plan, at.first_tile + tile_of_wave * tile_blocks<TOKENS>(plan));
        const int fragment = half_of<TOKENS>(plan) * plan.fragments +
                             at.segment * plan.segment_fragments + at.split.first_fragment(warp);
        from = (const char *)plan.args.parts[tile.part + matrix].data +
               tile.index * plan.tile_bytes + (size_t)fragment * gemv_fragment<TYPE>::STEP;
        from += TYPE == DTYPE_F16 ? lane / 8 * row_bytes + lane % 8 * 16 : lane * 16;
        if (lane == 0) *kept = at;
        __syncwarp(); // orders the write before the reads
    }
    // Moves on to the next step; false after the last one.
    static __device__ bool next_step(const gemv_plan &plan, int warp, position &at) {
        if (++at.segment == plan.segments) at.segment = 0, at.wave++;
        if (at.wave == plan.waves) return false;
        const gemv_tiles tiles = wave_tiles<TOKENS>(plan, at.wave);
        at.first_tile = tiles.first;
        at.tiles = tiles.count;
        at.split = split_of<TYPE>(plan, tiles.count * plan.matrices, at.segment, warp);
        return true;
    }
};

// ---- copies

// Copies four rows at a time; their chunks of 16 bytes go where gemv_fragment<F16> reads them.
static __device__ inline void copy_rows(char *to, const char *from, int row_bytes) {
    const int lane = threadIdx.x % LANES, row = lane / 8;
    to += row * 128 + (lane % 8 ^ 2 * row) * 16;
#pragma unroll
    for (int i = 0; i < TILE_ROWS / 4; i++)
        copy16(to + i * 512, from + (size_t)i * 4 * row_bytes);
}

// 512 bytes at a time, at most seven times: no fragment is longer.
static __device__ inline void copy_packed(char *to, const char *from, int bytes) {
    const int at = threadIdx.x % LANES * 16;
#pragma unroll
    for (int i = 0; i < 7; i++)
        if ((i + 1) * 512 <= bytes || at + i * 512 < bytes)
            copy16(to + at + i * 512, from + i * 512);
}

// A warp's ring of STAGES fragments: the next ones are copied while the warp works on the front.
template <enum dtype TYPE, int STAGES, int TOKENS> struct gemv_ring {
    enum { BYTES = gemv_fragment<TYPE>::BYTES };
    char *memory;
    int slot, slot_ahead, warp; // slots are byte offsets
    gemv_cursor<TYPE, TOKENS> ahead;

    __device__ gemv_ring(const gemv_plan &plan, char *memory, int warp)
        : memory(memory), slot(0), slot_ahead(0), warp(warp), ahead(plan, warp) {
#pragma unroll 1 // the body is long
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
        copy_commit();
        slot_ahead = slot_ahead == (STAGES - 1) * BYTES ? 0 : slot_ahead + BYTES;
    }
    // Waits until every lane's copies of the next fragment have arrived, and returns it.
    __device__ __forceinline__ const char *front() {
        copy_wait<STAGES - 1>();
        __syncwarp();
        return memory + slot;
    }
    // Frees the front, once every lane has read it.
    __device__ __forceinline__ void pop() {
        __syncwarp();
        slot = slot == (STAGES - 1) * BYTES ? 0 : slot + BYTES;
    }
};
