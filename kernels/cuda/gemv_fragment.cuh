// kernels/cuda/gemv_fragment.cuh — what one fragment of weights adds to the sums of a few tokens.
//
// Tensor cores multiply: weights are operand A and x is operand B of m16n8k16, fp16 in, fp32 out.
// x lies in shared memory in the order of the fragments. A token has 64 bytes for each group, 16
// for each t of a lane 4 g + t. It also has 32 bytes for each four groups: the means of the half
// groups, which multiply the minima, in fp16, and the rounding errors of these. Tokens are an odd
// number of these units apart, so that lanes that read together use different banks. add() takes
// pointers to where the fragment's columns of the lane's token begin.
#pragma once
#include "kernels/cuda/tiles.cuh"

enum { X_BYTES = 64, XSUM_BYTES = 32 };
// `bytes` rounded up to an odd multiple of `each`.
static inline int odd_stride(int bytes, int each) { return ((bytes + each - 1) / each | 1) * each; }

enum { PLAIN_COLUMNS = 64, PLAIN_BYTES = TILE_ROWS * PLAIN_COLUMNS * 2 };

template <enum dtype TYPE> struct gemv_fragment {
    enum { BYTES = fragment<TYPE>::BYTES, STEP = BYTES, GROUPS = fragment<TYPE>::GROUPS };
    enum { COLUMNS = GROUPS * GROUP_COLUMNS, STAGES = fragment<TYPE>::STAGES };
    enum { HAS_MINIMA = fragment<TYPE>::MINIMA };
    enum { TEAM = 1 }; // warps that read neighbouring fragments
    enum {
        PARTED = fragment<TYPE>::LAST_SHIFT || fragment<TYPE>::FACTORS > 1
    }; // a group's products

    static __device__ inline void subtract_minima(float (&sums)[4], const fragment<TYPE> &weights,
                                                  const char *x_sums) {
        const char *at = x_sums + threadIdx.x % 4 * 8;
        const uint2 low = *(const uint2 *)at;
        const uint2 high =
            GROUPS > QUAD_GROUPS ? *(const uint2 *)(at + XSUM_BYTES) : make_uint2(0, 0);
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
        fragment<TYPE> weights;
        weights.load(ring, threadIdx.x % LANES);
        add_loaded(sums, weights, x, x_sums);
    }
    static __device__ __forceinline__ void
    add_loaded(float (&sums)[4], const fragment<TYPE> &weights, const char *x, const char *x_sums) {
        const char *own_x = x + threadIdx.x % 4 * 16;
        float parts[2][4] = {}; // sums of the groups' first products, and of their last
#pragma unroll
        for (int u = 0; u < GROUPS; u++) {
            const group_operands a = weights.operands(u);
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
                        fmaf(fragment<TYPE>::FACTORS > 1 ? weights.factor(u, i / 2, 1) : factor,
                             last[i], parts[1][i]);
            }
        }
        const float last_factor =
            fragment<TYPE>::FACTORS > 1 ? 1 : 1.0f / (1 << fragment<TYPE>::LAST_SHIFT);
#pragma unroll
        for (int i = 0; i < 4; i++)
            sums[i] = fmaf(weights.row_factor(i / 2), fmaf(last_factor, parts[1][i], parts[0][i]),
                           sums[i]);
        if constexpr (HAS_MINIMA) subtract_minima(sums, weights, x_sums);
    }
};

// Rows of fp16. In the ring a row's chunks of 16 bytes are swizzled by twice its number, so that
// the lanes of a load use different banks.
template <> struct gemv_fragment<DTYPE_F16> {
    enum { BYTES = PLAIN_BYTES, STEP = PLAIN_COLUMNS * 2, GROUPS = PLAIN_COLUMNS / GROUP_COLUMNS };
    enum { COLUMNS = PLAIN_COLUMNS, HAS_MINIMA = 0, STAGES = 6 };
    enum { TEAM = 8 }; // a fragment has only 128 contiguous bytes of each row

    static __device__ inline void add(float (&sums)[4], const char *ring, const char *x,
                                      const char *) {
        const int lane = threadIdx.x % LANES, g = lane / 4, t = lane % 4;
        const char *upper = ring + g * 128 + t % 2 * 8, *lower = upper + 8 * 128;
        const char *own_x = x + t * 16;
#pragma unroll
        for (int u = 0; u < GROUPS; u++) {
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
