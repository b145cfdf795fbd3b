// kernels/cuda/unpack.cuh — single weights as floats, from the order of tiles.cuh.
#pragma once
#include "kernels/cuda/tiles.cuh"

// Weight (row, column) of a packed matrix. Slow but simple, for code that needs a few of them.
template <enum dtype TYPE>
static __device__ inline float weight_at(const weight &w, int row, int column) {
    const int in_row = row % TILE_ROWS, group = column / GROUP_COLUMNS % fragment<TYPE>::GROUPS;
    const int half = column % 32 / 16, e = column % 4;
    fragment<TYPE> from;
    from.load(fragments_of<TYPE>::at(w, row, column), in_row % 8 * 4 + column % 16 / 4);
    const int index = in_row / 8 + e / 2 * 2;
    float value = 0;
#pragma unroll
    for (int u = 0; u < fragment<TYPE>::GROUPS; u++) { // what is indexed by u is in registers
        if (u != group) continue;
        const group_operands a = from.operands(u);
        const unsigned pair = half ? a.last[index] : a.first[index];
        value = e % 2 ? high_float(pair) : low_float(pair);
        value *= from.factor(u, in_row / 8, half); // exact; so what follows rounds once, as a
        value *= from.row_factor(in_row / 8);      // processor's reading does
        if constexpr (fragment<TYPE>::MINIMA) value -= from.minimum(u, in_row / 8, half);
    }
    return value;
}
template <> __device__ inline float weight_at<DTYPE_F32>(const weight &w, int row, int column) {
    return ((const float *)w.data)[(size_t)row * w.columns + column];
}
template <> __device__ inline float weight_at<DTYPE_F16>(const weight &w, int row, int column) {
    return __half2float(((const __half *)w.data)[(size_t)row * w.columns + column]);
}
