// kernels/cuda/gemv_fragment.cuh — what one cell of weights adds to the sums of a few tokens.
//
// The products are the tensor cores', weights their A and x their B: m16n8k16, fp16 in, fp32 out.
// x lies in shared memory in the order of the cells: for each token and unit 64 bytes, 16 for each
// t of a lane 4 g + t; and the means of its half units, which the minima are multiplied with, for
// each token and four units 32 bytes: fp16, and what that rounded off. From a token to the next are
// odd numbers of these, so that lanes that read together lie in different banks. What is given to
// add() is where the cell's part of the lane's token begins.
#pragma once
#include "kernels/cuda/tiles.cuh"

enum { X_BYTES = 64, XSUM_BYTES = 32 };
// The least odd number of `each` that has room for `bytes`.
static inline int odd_stride(int bytes, int each) { return ((bytes + each - 1) / each | 1) * each; }

enum { PLAIN_COLUMNS = 64, PLAIN_BYTES = TILE_ROWS * PLAIN_COLUMNS * 2 };

template <enum dtype TYPE> struct gemv_cell {
    enum { BYTES = cell<TYPE>::BYTES, STEP = BYTES, UNITS = cell<TYPE>::UNITS };
    enum { COLUMNS = UNITS * UNIT_COLUMNS, STAGES = cell<TYPE>::STAGES };
    enum { HAS_MINIMA = cell<TYPE>::MINIMA };
    enum { TEAM = 1 }; // warps that read neighbouring cells
    enum { PARTED = cell<TYPE>::LAST_SHIFT || cell<TYPE>::FACTORS > 1 }; // a unit's products

    static __device__ inline void take_minima(float (&sums)[4], const cell<TYPE> &weights,
                                              const char *x_sums) {
        const char *at = x_sums + threadIdx.x % 4 * 8;
        const uint2 low = *(const uint2 *)at;
        const uint2 high =
            UNITS > QUAD_UNITS ? *(const uint2 *)(at + XSUM_BYTES) : make_uint2(0, 0);
        unsigned minima[4];
        weights.minima(minima);
        float taken[4] = {};
        multiply(taken, minima, low.x, high.x);
        multiply(taken, minima, low.y, high.y);
#pragma unroll
        for (int i = 0; i < 4; i++)
            sums[i] = fmaf(-16 * weights.minimum_factor(i / 2), taken[i], sums[i]);
    }

    static __device__ inline void add(float (&sums)[4], const char *ring, const char *x,
                                      const char *x_sums) {
        cell<TYPE> weights;
        weights.load(ring, threadIdx.x % LANES);
        add_loaded(sums, weights, x, x_sums);
    }
    static __device__ __forceinline__ void add_loaded(float (&sums)[4], const cell<TYPE> &weights,
                                                      const char *x, const char *x_sums) {
        const char *own_x = x + threadIdx.x % 4 * 16;
        float parts[2][4] = {}; // of the units' first products, of their last
#pragma unroll
        for (int u = 0; u < UNITS; u++) {
            const unit_operands a = weights.operands(u);
            const uint4 b = *(const uint4 *)(own_x + u * X_BYTES);
            float first[4] = {}, last[4] = {};
            multiply(first, a.first, b.x, b.y);
            multiply(PARTED ? last : first, a.last, b.z, b.w);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const float factor = weights.factor(u, i / 2, 0);
                parts[0][i] = fmaf(factor, first[i], parts[0][i]);
                if (PARTED)
                    parts[1][i] =
                        fmaf(cell<TYPE>::FACTORS > 1 ? weights.factor(u, i / 2, 1) : factor,
                             last[i], parts[1][i]);
            }
        }
        const float last_factor =
            cell<TYPE>::FACTORS > 1 ? 1 : 1.0f / (1 << cell<TYPE>::LAST_SHIFT);
#pragma unroll
        for (int i = 0; i < 4; i++)
            sums[i] = fmaf(weights.row_factor(i / 2), fmaf(last_factor, parts[1][i], parts[0][i]),
                           sums[i]);
        if constexpr (HAS_MINIMA) take_minima(sums, weights, x_sums);
    }
};

// Rows of fp16. In the ring a row's chunks of 16 bytes are swapped by twos of its number, so that
// the lanes of a load lie in different banks.
template <> struct gemv_cell<DTYPE_F16> {
    enum { BYTES = PLAIN_BYTES, STEP = PLAIN_COLUMNS * 2, UNITS = PLAIN_COLUMNS / UNIT_COLUMNS };
    enum { COLUMNS = PLAIN_COLUMNS, HAS_MINIMA = 0, STAGES = 6 };
    enum { TEAM = 8 }; // a row's bytes lie together only in a cell

    static __device__ inline void add(float (&sums)[4], const char *ring, const char *x,
                                      const char *) {
        const int lane = threadIdx.x % LANES, g = lane / 4, t = lane % 4;
        const char *upper = ring + g * 128 + t % 2 * 8, *lower = upper + 8 * 128;
        const char *own_x = x + t * 16;
#pragma unroll
        for (int u = 0; u < UNITS; u++) {
            const int first = ((4 * u + t / 2) ^ (2 * g & 7)) * 16;
            const int last = ((4 * u + 2 + t / 2) ^ (2 * g & 7)) * 16;
            const uint2 a = *(const uint2 *)(upper + first), b = *(const uint2 *)(lower + first);
            const uint2 c = *(const uint2 *)(upper + last), d = *(const uint2 *)(lower + last);
            const unsigned firsts[4] = {a.x, b.x, a.y, b.y}, lasts[4] = {c.x, d.x, c.y, d.y};
            const uint4 of = *(const uint4 *)(own_x + u * X_BYTES);
            multiply(sums, firsts, of.x, of.y);
            multiply(sums, lasts, of.z, of.w);
        }
    }
};
