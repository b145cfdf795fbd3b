// kernels/cuda/gemv_stream.cuh — how a block goes through the weights of a product.
//
// Work is cut into tiles of 16 rows, which the blocks take in turn: at the set-th turn block b has
// the tiles of b + set * blocks. `members` warps share a tile, and each takes every members-th cell
// of it. A gemv_cursor is a warp's place in that order, over segments of x, sets and matrices; it
// runs ahead of the products and copies.
#pragma once
#include "kernels/cuda/gemv.cuh"
#include "kernels/cuda/gemv_cell.cuh"

enum { GEMV_WARPS = 16, GEMV_SLOTS = 2 };

struct gemv_plan { // a product, and how it is cut up: the same for all blocks
    struct gemv args;
    int tiles; // of all parts; GATED: of one
    int part_tiles[LINEAR_PARTS];
    int cells;                                    // of a tile
    size_t tile_bytes;                            // from a tile to the next one
    int members_log2;                             // warps that share a tile, a power of two
    int groups;                                   // tiles at a time of a block
    int sets;                                     // turns
    int passes;                                   // matrices of a tile: GATED 2, else 1
    int segments, per_cells;                      // of x, and cells of one
    int warps;                                    // that multiply
    int slot_floats;                              // of the sums of a set
    unsigned x_at, x_sums_at, sums_at, totals_at; // in shared memory, after the rings
};

struct gemv_tile {
    int part, index; // the first of its parts, and the tile in it; part < 0: none
};

static __device__ inline gemv_tile tile_of(const gemv_plan &plan, int set, int group) {
    int index = (set * gridDim.x + blockIdx.x) * plan.groups + group, part = 0;
    if (index >= plan.tiles) return {-1, 0};
    if (plan.passes > 1) return {0, index};
#pragma unroll
    for (int i = 0; i + 1 < LINEAR_PARTS; i++)
        if (part == i && index >= plan.part_tiles[i]) index -= plan.part_tiles[i], part++;
    return {part, index};
}

// Which of a tile's members a warp is, and which warp of its group a member. In every other set the
// halves change places: where cells do not come out even, no warp always has more.
static __device__ inline int member_of(const gemv_plan &plan, int warp, int set) {
    const int members = 1 << plan.members_log2;
    return (warp & (members - 1)) ^ (set & 1 ? members / 2 : 0);
}

// The cells of a tile in a segment that are a member's.
static __device__ inline int cells_of_member(const gemv_plan &plan, int segment, int member) {
    const int first = segment * plan.per_cells;
    const int left = min(plan.cells - first, plan.per_cells) - member;
    return left > 0 ? ((left - 1) >> plan.members_log2) + 1 : 0;
}

// Where a warp copies next.
template <enum dtype TYPE> struct gemv_cursor {
    const char *from; // this lane's part of the next cell
    int left;         // cells of this tile
    int segment, set, pass;

    __device__ gemv_cursor(const gemv_plan &plan, int warp)
        : from(nullptr), left(0), segment(0), set(0), pass(-1) {
        find(plan, warp);
    }
    __device__ bool ended() const { return left == 0; }
    __device__ void next(const gemv_plan &plan, int warp) {
        from += (size_t)gemv_cell<TYPE>::STEP << plan.members_log2;
        if (--left == 0) find(plan, warp);
    }
    // The next tile with a cell for this warp.
    __device__ void find(const gemv_plan &plan, int warp) {
        while (left == 0) {
            if (++pass == plan.passes) {
                pass = 0;
                if (++set == plan.sets) set = 0, segment++;
                if (segment == plan.segments) return;
            }
            const gemv_tile tile = tile_of(plan, set, warp >> plan.members_log2);
            if (tile.part >= 0) enter(plan, tile, warp);
        }
    }
    __device__ void enter(const gemv_plan &plan, const gemv_tile &tile, int warp) {
        const int lane = threadIdx.x % LANES, member = member_of(plan, warp, set);
        left = cells_of_member(plan, segment, member);
        from = (const char *)plan.args.parts[tile.part + pass].data + tile.index * plan.tile_bytes +
               (size_t)(segment * plan.per_cells + member) * gemv_cell<TYPE>::STEP;
        from += TYPE == DTYPE_F16
                    ? lane / 8 * plan.args.columns * (int)sizeof(__half) + lane % 8 * 16
                    : lane * 16;
    }
};

// ---- barriers in shared memory (mbarrier)

struct gemv_barriers {
    unsigned long long left[GEMV_SLOTS], taken[GEMV_SLOTS]; // sums of a set
};

static __device__ inline unsigned shared_address(const void *memory) {
    return (unsigned)__cvta_generic_to_shared(memory);
}
static __device__ inline void barrier_init(unsigned long long *barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
                 : "memory");
}
// What the warp has written, or read, before is done for those who wait.
static __device__ inline void barrier_arrive(unsigned long long *barrier) {
    __syncwarp();
    if (threadIdx.x % LANES == 0)
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(
                         shared_address(barrier))
                     : "memory");
}
static __device__ inline void barrier_wait(unsigned long long *barrier, int parity) {
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

// ---- copies

static __device__ inline void copy16(void *shared, const void *global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)),
                 "l"(global)
                 : "memory");
}

// Four rows at a time: their chunks of 16 bytes lie as gemv_cell<F16> reads them.
static __device__ inline void copy_rows(char *to, const char *from, int columns) {
    const int lane = threadIdx.x % LANES, row = lane / 8;
    to += row * 128 + (lane % 8 ^ 2 * row) * 16;
#pragma unroll
    for (int i = 0; i < TILE_ROWS / 4; i++)
        copy16(to + i * 512, from + (size_t)i * 4 * columns * sizeof(__half));
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
        for (int i = 0; i < STAGES - 1; i++)
            copy_next(plan);
    }
    __device__ __forceinline__ void copy_next(const gemv_plan &plan) {
        if (!ahead.ended()) {
            if (TYPE == DTYPE_F16)
                copy_rows(memory + slot_ahead, ahead.from, plan.args.columns);
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
