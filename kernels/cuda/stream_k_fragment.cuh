// kernels/cuda/stream_k_fragment.cuh — what fragments of weights add to the sums of many tokens.
//
// A warp tile is two tiles of 16 rows with all tokens: weights become fp16 operands A of m16n8k16
// in registers once, and each operand B of x is read once for both tiles. Sums are fp32.
//
// x lies in shared memory in panels of 64 columns, [panel][token][128 bytes]. A row's chunks of 16
// bytes are swizzled by the row's number, so that neither the eight rows of an ldmatrix nor the
// four rows of a load of 8 bytes a lane share a bank. Rows of fp16 weights lie alike.
#pragma once
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/fragments_fp16.cuh"

enum { PANEL_COLUMNS = 64, PANEL_ROW = PANEL_COLUMNS * 2, WARP_TILES = 2 };

// What a row's chunk numbers are XORed with.
static __device__ inline int swizzle_of(int row) { return (row & 3) << 1 | (row >> 2 & 1); }

static __device__ inline void load_matrices(unsigned (&r)[4], const char *from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(from))
                 : "memory");
}

static __device__ inline void load_two_matrices(unsigned (&r)[2], const char *from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(from))
                 : "memory");
}

// A warp's sums: two tiles, and EIGHTS times eight tokens.
template <int EIGHTS> struct warp_sums { float of[WARP_TILES][EIGHTS][4]; };

// ---- fragments

template <enum dtype TYPE> struct stream_fragment {
    enum { BYTES = fragment<TYPE>::BYTES, STEP = BYTES, GROUPS = fragment<TYPE>::GROUPS };
    enum { COLUMNS = GROUPS * GROUP_COLUMNS };

    // Where a lane begins to copy a tile; copy() copies one fragment from there.
    static __device__ inline const char *start(const char *tile, int) {
        return tile + threadIdx.x % LANES * 16;
    }
    static __device__ inline void copy(char *to, const char *from, int, int) {
        const int at = threadIdx.x % LANES * 16;
#pragma unroll
        for (int i = 0; i * 512 < BYTES; i++)
            if ((i + 1) * 512 <= BYTES || at + i * 512 < BYTES)
                copy16(to + at + i * 512, from + i * 512);
    }

    // Adds the products of the first or the last half of the groups of two fragments.
    template <int HALF, int EIGHTS>
    static __device__ __forceinline__ void add(warp_sums<EIGHTS> &sums, const char *fragments,
                                               const char *x) {
        const int lane = threadIdx.x % LANES, g = lane / 4, t = lane % 4;
        const int own = g * PANEL_ROW + ((t / 2 ^ swizzle_of(g)) << 4) + t % 2 * 8;
        fp16_fragment<TYPE> from[WARP_TILES];
#pragma unroll
        for (int m = 0; m < WARP_TILES; m++) {
            from[m].load(fragments + m * BYTES, lane);
            from[m].prepare();
        }
#pragma unroll
        for (int u = HALF * GROUPS / 2; u < (HALF + 1) * GROUPS / 2; u++) {
            const char *panel = x + u / 2 * EIGHTS * 8 * PANEL_ROW;
            const int first = own ^ u % 2 * 64, last = first ^ 32;
            group_operands a[WARP_TILES];
#pragma unroll
            for (int m = 0; m < WARP_TILES; m++)
                a[m] = weights_of<TYPE>(from[m], u);
#pragma unroll
            for (int n = 0; n < EIGHTS; n++) {
                const uint2 b = *(const uint2 *)(panel + n * 8 * PANEL_ROW + first);
                const uint2 c = *(const uint2 *)(panel + n * 8 * PANEL_ROW + last);
#pragma unroll
                for (int m = 0; m < WARP_TILES; m++) {
                    multiply(sums.of[m][n], a[m].first, b.x, b.y);
                    multiply(sums.of[m][n], a[m].last, c.x, c.y);
                }
            }
        }
    }
};

// Two panels of rows of fp16.
template <> struct stream_fragment<DTYPE_F16> {
    enum { GROUPS = 4, COLUMNS = GROUPS * GROUP_COLUMNS, STEP = COLUMNS * 2 };
    enum { PANEL = TILE_ROWS * PANEL_ROW, BYTES = 2 * PANEL };

    static __device__ inline const char *start(const char *tile, int columns) {
        const int lane = threadIdx.x % LANES;
        return tile + lane / 8 * columns * (int)sizeof(__half) + lane % 8 * 16;
    }
    // The second panel of the last fragment may lie past the row; it is filled with zeros.
    static __device__ inline void copy(char *to, const char *from, int columns, int left) {
        const int lane = threadIdx.x % LANES, row = lane / 8;
#pragma unroll
        for (int i = 0; i < TILE_ROWS / 4; i++) {
            char *own =
                to + (row + 4 * i) * PANEL_ROW + ((lane % 8 ^ swizzle_of(row + 4 * (i & 1))) << 4);
            const char *at = from + (size_t)i * 4 * columns * sizeof(__half);
            copy16(own, at);
            copy16(own + PANEL, left > PANEL_COLUMNS ? at + PANEL_ROW : at, left > PANEL_COLUMNS);
        }
    }

    template <int EIGHTS> struct operands { // for one product of each tile with each eight tokens
        unsigned a[WARP_TILES][4], b[EIGHTS][2];

        __device__ __forceinline__ void load(const char *fragments, const char *x, int k) {
            const int lane = threadIdx.x % LANES, swizzle = swizzle_of(lane % 8);
#pragma unroll
            for (int m = 0; m < WARP_TILES; m++)
                load_matrices(a[m], fragments + m * BYTES + lane % 16 * PANEL_ROW +
                                        ((2 * k + lane / 16 ^ swizzle) << 4));
            const char *own = x + lane % 8 * PANEL_ROW + ((2 * k + lane / 8 % 2 ^ swizzle) << 4);
            if (EIGHTS == 1) load_two_matrices(b[0], own);
#pragma unroll
            for (int n = 0; n < EIGHTS / 2; n++) {
                unsigned two[4];
                load_matrices(two, own + (2 * n + lane / 16) * 8 * PANEL_ROW);
                b[2 * n][0] = two[0], b[2 * n][1] = two[1];
                b[2 * n + 1][0] = two[2], b[2 * n + 1][1] = two[3];
            }
        }
    };

    // The next operands are loaded while these are multiplied.
    template <int HALF, int EIGHTS>
    static __device__ __forceinline__ void add(warp_sums<EIGHTS> &sums, const char *fragments,
                                               const char *x) {
        enum { PRODUCTS = PANEL_COLUMNS / 16 };
        operands<EIGHTS> next[2];
        fragments += HALF * PANEL, x += HALF * EIGHTS * 8 * PANEL_ROW;
        next[0].load(fragments, x, 0);
#pragma unroll
        for (int k = 0; k < PRODUCTS; k++) {
            if (k + 1 < PRODUCTS) next[(k + 1) % 2].load(fragments, x, k + 1);
#pragma unroll
            for (int n = 0; n < EIGHTS; n++)
#pragma unroll
                for (int m = 0; m < WARP_TILES; m++)
                    multiply(sums.of[m][n], next[k % 2].a[m], next[k % 2].b[n][0],
                             next[k % 2].b[n][1]);
        }
    }
};
