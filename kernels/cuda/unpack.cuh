// kernels/cuda/unpack.cuh — eight neighbouring weights of a row, as floats.
//
// The blocks are laid out as in the file (kernels/blocks.h): a block starts at any even byte, so
// bytes are read one or two at a time here. This is the plain form; kernels that are measured
// read wider.
#pragma once
#include "kernels/cuda/cuda.cuh"

#include "kernels/blocks.h"

static __device__ inline float half_bits(const void *at) {
    const uint8_t *bytes = (const uint8_t *)at;
    return __half2float(__ushort_as_half((unsigned short)(bytes[0] | bytes[1] << 8)));
}

// Weights [column, column + 8) of `row`; column is a multiple of 8.
template <enum dtype TYPE>
static __device__ inline void unpack8(const void *row, int column, float (&w)[8]);

template <> __device__ inline void unpack8<DTYPE_F32>(const void *row, int column, float (&w)[8]) {
    const float *at = (const float *)row + column;
    for (int i = 0; i < 8; i++)
        w[i] = at[i];
}

template <> __device__ inline void unpack8<DTYPE_F16>(const void *row, int column, float (&w)[8]) {
    const __half *at = (const __half *)row + column;
    for (int i = 0; i < 8; i++)
        w[i] = __half2float(at[i]);
}

template <> __device__ inline void unpack8<DTYPE_BF16>(const void *row, int column, float (&w)[8]) {
    const __nv_bfloat16 *at = (const __nv_bfloat16 *)row + column;
    for (int i = 0; i < 8; i++)
        w[i] = __bfloat162float(at[i]);
}

template <> __device__ inline void unpack8<DTYPE_Q8_0>(const void *row, int column, float (&w)[8]) {
    const block_q8_0 *block = (const block_q8_0 *)row + column / 32;
    const float d = half_bits(&block->d);
    for (int i = 0; i < 8; i++)
        w[i] = d * block->q[column % 32 + i];
}

template <> __device__ inline void unpack8<DTYPE_Q4_0>(const void *row, int column, float (&w)[8]) {
    const block_q4_0 *block = (const block_q4_0 *)row + column / 32;
    const float d = half_bits(&block->d);
    const int at = column % 16, shift = column % 32 / 16 * 4;
    for (int i = 0; i < 8; i++)
        w[i] = d * (float)((block->q[at + i] >> shift & 15) - 8);
}

static __device__ inline void group_scale(const uint8_t *scales, int group, float *scale,
                                          float *min) {
    int s, m;
    if (group < 4) {
        s = scales[group] & 63;
        m = scales[group + 4] & 63;
    } else {
        s = (scales[group + 4] & 15) | (scales[group - 4] >> 6) << 4;
        m = (scales[group + 4] >> 4) | (scales[group] >> 6) << 4;
    }
    *scale = (float)s;
    *min = (float)m;
}

template <> __device__ inline void unpack8<DTYPE_Q4_K>(const void *row, int column, float (&w)[8]) {
    const block_q4_k *block = (const block_q4_k *)row + column / 256;
    const int group = column % 256 / 32, at = group / 2 * 32 + column % 32, shift = group % 2 * 4;
    float scale, min;
    group_scale(block->scales, group, &scale, &min);
    scale *= half_bits(&block->d);
    min *= half_bits(&block->dmin);
    for (int i = 0; i < 8; i++)
        w[i] = scale * (float)(block->q[at + i] >> shift & 15) - min;
}

template <> __device__ inline void unpack8<DTYPE_Q5_K>(const void *row, int column, float (&w)[8]) {
    const block_q5_k *block = (const block_q5_k *)row + column / 256;
    const int group = column % 256 / 32, lane = column % 32, at = group / 2 * 32 + lane;
    const int shift = group % 2 * 4;
    float scale, min;
    group_scale(block->scales, group, &scale, &min);
    scale *= half_bits(&block->d);
    min *= half_bits(&block->dmin);
    for (int i = 0; i < 8; i++) {
        const int q = (block->q[at + i] >> shift & 15) | (block->high[lane + i] >> group & 1) << 4;
        w[i] = scale * (float)q - min;
    }
}

template <> __device__ inline void unpack8<DTYPE_Q6_K>(const void *row, int column, float (&w)[8]) {
    const block_q6_k *block = (const block_q6_k *)row + column / 256;
    const int in = column % 256, part = in / 128, quarter = in % 128 / 32, lane = in % 32;
    const uint8_t *low = block->low + 64 * part + 32 * (quarter % 2) + lane;
    const uint8_t *high = block->high + 32 * part + lane;
    const float scale = half_bits(&block->d) * (float)block->scales[in / 16];
    for (int i = 0; i < 8; i++) {
        const int q = (low[i] >> quarter / 2 * 4 & 15) | (high[i] >> 2 * quarter & 3) << 4;
        w[i] = scale * (float)(q - 32);
    }
}
