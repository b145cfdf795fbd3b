// kernels/cuda/repack_grids.cuh — what repack.cuh needs for IQ1, IQ2 and IQ3.
//
// put_code(fragment, u, row, half, blocks, o): the code of octet o of a row, or of quartet q.
#pragma once
#include "kernels/blocks.h"
#include "kernels/cuda/tiles.cuh"

static __device__ inline unsigned all_eight(unsigned seven) { // signs: an even number is set
    return (seven & 127) | (__popc(seven & 127) & 1) << 7;
}

template <enum dtype TYPE>
static __device__ inline void put_code(fragment<TYPE> &to, int u, int row, int half,
                                       const block_iq1_s *block, int o) {
    const unsigned high = block->high[o / 4];
    to.put_code(u, row, half, block->q[o] | (high >> 3 * (o % 4) & 7) << 8, high >> 15);
}
template <enum dtype TYPE>
static __device__ inline void put_code(fragment<TYPE> &to, int u, int row, int half,
                                       const block_iq1_m *block, int o) {
    const unsigned high = block->high[o / 2] >> o % 2 * 4 & 15;
    to.put_code(u, row, half, block->q[o] | (high & 7) << 8, high >> 3);
}
template <enum dtype TYPE>
static __device__ inline void put_code(fragment<TYPE> &to, int u, int row, int half,
                                       const block_iq2_xxs *block, int o) {
    const unsigned bits = block->groups[o / 4].signs_and_scale;
    to.put_code(u, row, half, block->groups[o / 4].q[o % 4], all_eight(bits >> 7 * (o % 4)));
}
template <enum dtype TYPE>
static __device__ inline void put_code(fragment<TYPE> &to, int u, int row, int half,
                                       const block_iq2_xs *block, int o) {
    to.put_code(u, row, half, block->q[o] & 511u, block->q[o] >> 9);
}
template <enum dtype TYPE>
static __device__ inline void put_code(fragment<TYPE> &to, int u, int row, int half,
                                       const block_iq2_s *block, int o) {
    to.put_code(u, row, half, block->q[o] | (block->high[o / 4] >> 2 * (o % 4) & 3u) << 8,
                block->signs[o]);
}
template <enum dtype TYPE>
static __device__ inline void put_code(fragment<TYPE> &to, int u, int row, int half,
                                       const block_iq3_xxs *block, int q) {
    const unsigned signs = all_eight(block->signs_and_scale[q / 8] >> 7 * (q / 2 % 4));
    to.put_code(u, row, half, block->q[q], signs >> q % 2 * 4 & 15);
}
template <enum dtype TYPE>
static __device__ inline void put_code(fragment<TYPE> &to, int u, int row, int half,
                                       const block_iq3_s *block, int q) {
    to.put_code(u, row, half, block->q[q] | (block->high[q / 8] >> q % 8 & 1u) << 8,
                block->signs[q / 2] >> q % 2 * 4 & 15);
}

// Scale n of a row, which belongs to group n or to half group n.
static __device__ inline unsigned scale_of(const block_iq1_s *block, int n) {
    return block->high[n] >> 12 & 7;
}
static __device__ inline unsigned scale_of(const block_iq1_m *block, int n) {
    return block->scales[n / 4] >> 3 * (n % 4) & 7;
}
static __device__ inline unsigned scale_of(const block_iq2_xxs *block, int n) {
    return block->groups[n].signs_and_scale >> 28;
}
static __device__ inline unsigned scale_of(const block_iq3_xxs *block, int n) {
    return block->signs_and_scale[n] >> 28;
}
template <typename block_t>
static __device__ inline unsigned scale_of(const block_t *block, int n) {
    return block->scales[n / 2] >> n % 2 * 4 & 15;
}

template <typename block_t> static __device__ inline unsigned d_of(const block_t *block) {
    return block->d;
}
static __device__ inline unsigned d_of(const block_iq1_m *block) {
    return block->scales[0] >> 12 | (block->scales[1] >> 12) << 4 | (block->scales[2] >> 12) << 8 |
           (block->scales[3] >> 12) << 12;
}

template <enum dtype TYPE, typename block_t>
static __device__ inline void put_grid_params(char *to, int row, const block_t *from, bool valid) {
    enum { WORDS = fragment<TYPE>::SCALE_WORDS };
    unsigned *scales = (unsigned *)(to + fragment<TYPE>::SCALES) + row * WORDS;
    for (int i = 0; i < WORDS; i++) {
        unsigned word = 0;
        for (int n = 0; valid && n < 8; n++)
            word |= scale_of(from, 8 * i + n) << 4 * n;
        scales[i] = word;
    }
    ((unsigned short *)(to + fragment<TYPE>::D))[row] = (unsigned short)(valid ? d_of(from) : 0);
}

// Writes a lane's codes of a fragment; where codes are octets, its neighbour's as well.
template <enum dtype TYPE, typename block_t>
static __device__ inline void put_grid_codes(char *to, int lane, const block_t *const (&rows)[2]) {
    fragment<TYPE> codes = {};
    for (int n = 0; n < 4 * fragment<TYPE>::GROUPS; n++) {
        const int u = n / 4, row = n / 2 % 2, half = n % 2, quartet = 8 * u + 4 * half + lane % 4;
        if (rows[row])
            put_code<TYPE>(codes, u, row, half, rows[row],
                           fragment<TYPE>::OCTETS ? quartet / 2 : quartet);
    }
    codes.store_codes(to, lane);
}
