// kernels/cuda/repack.cuh — rows of a file's blocks into the fragments of tiles.cuh.
//
//   from  [rows, columns]  as in the file, on the card for the duration of the call
//   to    tiles of fragments
//
//   grid  fragments;  block  LANES: a lane writes what the same lane of a product will read, and
//         each of the first 16 the params of a row
//
// Exact: bits are moved. A type provides file_block; quant_of(), the code of a column as its
// fragment stores it; and put_params().
#pragma once
#include "kernels/cuda/tiles.cuh"

#include "kernels/blocks.h"
#include "kernels/cuda/repack_grids.cuh"

template <enum dtype TYPE> struct file_block;
#define CASE(id, name, gguf, bytes, elements, ...) \
    template <> struct file_block<DTYPE_##id> {    \
        typedef block_##name type;                 \
        enum { COLUMNS = elements };               \
    };
PACKED_DTYPE_MAP(CASE)
#undef CASE

template <enum dtype TYPE>
static constexpr bool IS_GRID =
    TYPE == DTYPE_IQ1_S || TYPE == DTYPE_IQ1_M || TYPE == DTYPE_IQ2_XXS || TYPE == DTYPE_IQ2_XS ||
    TYPE == DTYPE_IQ2_S || TYPE == DTYPE_IQ3_XXS || TYPE == DTYPE_IQ3_S;

// ---- codes

static __device__ inline unsigned nibble_of(const uint8_t *q, int i) { // 32 of them, low ones first
    return q[i % 16] >> i % 32 / 16 * 4 & 15;
}
static __device__ inline unsigned bit_of(const uint8_t *high, int i) { // 32 of them
    return high[i % 32 / 8] >> i % 8 & 1;
}
// Two-bit value i: 128 of them take 32 bytes, and neighbours lie in different bytes.
static __device__ inline unsigned two_of(const uint8_t *q, int i) {
    return q[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
}

template <typename block_t>
static __device__ inline unsigned quant_of(const block_t *row, int column) { // types of nibbles
    return nibble_of(row[column / 32].q, column);
}
static __device__ inline unsigned quant_of(const block_q8_0 *row, int column) {
    return (uint8_t)row[column / 32].q[column % 32] ^ 0x80;
}
static __device__ inline unsigned quant_of(const block_q5_0 *row, int column) {
    const block_q5_0 *block = row + column / 32;
    return nibble_of(block->q, column) | bit_of(block->high, column) << 4;
}
static __device__ inline unsigned quant_of(const block_q5_1 *row, int column) {
    const block_q5_1 *block = row + column / 32;
    return nibble_of(block->q, column) | bit_of(block->high, column) << 4;
}
static __device__ inline unsigned quant_of(const block_q2_k *row, int column) {
    return two_of(row[column / 256].q, column % 256);
}
static __device__ inline unsigned quant_of(const block_q3_k *row, int column) {
    const block_q3_k *block = row + column / 256;
    const int at = column % 256;
    return two_of(block->q, at) | (block->high[at % 32] >> at / 32 & 1) << 2;
}
static __device__ inline unsigned quant_of(const block_q4_k *row, int column) {
    const int group = column % 256 / 32;
    return row[column / 256].q[group / 2 * 32 + column % 32] >> group % 2 * 4 & 15;
}
static __device__ inline unsigned quant_of(const block_q5_k *row, int column) {
    const int group = column % 256 / 32, at = group / 2 * 32 + column % 32;
    const block_q5_k *block = row + column / 256;
    return (block->q[at] >> group % 2 * 4 & 15) | (block->high[column % 32] >> group & 1) << 4;
}
static __device__ inline unsigned quant_of(const block_q6_k *row, int column) {
    const int part = column % 256 / 128, quarter = column % 128 / 32, at = column % 32;
    const block_q6_k *block = row + column / 256;
    return (block->low[64 * part + 32 * (quarter % 2) + at] >> quarter / 2 * 4 & 15) |
           (block->high[32 * part + at] >> 2 * quarter & 3) << 4;
}
static __device__ inline unsigned quant_of(const block_iq4_xs *row, int column) {
    return nibble_of(row[column / 256].q + column % 256 / 32 * 16, column);
}

static __device__ inline unsigned quant_of(const block_nvfp4 *row, int column) {
    const int at = column % 64;
    return row[column / 64].q[at / 16 * 8 + at % 8] >> at % 16 / 8 * 4 & 15;
}

static __device__ inline unsigned quant_of(const block_tq1_0 *row, int column) { // digits of three
    const block_tq1_0 *block = row + column / 256;
    const int i = column % 256, all = i < 160 ? i % 32 : i < 240 ? 32 + i % 16 : 48 + i % 4;
    const int n = i < 160 ? i / 32 : i < 240 ? (i - 160) / 16 : (i - 240) / 4;
    unsigned digits = all < 48 ? block->q[all] : block->last[all - 48];
    for (int power = 0; power < n; power++)
        digits = digits * 3 & 255;
    return digits * 3 >> 8;
}

static __device__ inline unsigned quant_of(const block_tq2_0 *row, int column) {
    return two_of(row[column / 256].q, column % 256);
}

// ---- params
//
// put_params(fragment, row, blocks, groups): the params of a row, from its blocks at the fragment's
// first column. `groups` of the fragment's groups lie in the matrix; of super blocks, all or none.

static __device__ inline void put_bytes(char *to, const void *from, int count, bool valid) {
    for (int i = 0; i < count; i++)
        to[i] = valid ? ((const char *)from)[i] : 0;
}

// Each group's d, and its m where there is one.
template <enum dtype TYPE, typename block_t>
static __device__ inline void put_params(char *to, int row, const block_t *from, int groups) {
    enum { BYTES = fragment<TYPE>::PARAMS / fragment<TYPE>::GROUPS };
    for (int i = 0; i < fragment<TYPE>::GROUPS; i++)
        put_bytes(to + row * fragment<TYPE>::PARAMS + i * BYTES, &from[i].d, BYTES, i < groups);
}

// Set when a weight exceeds what its fragment can hold; exceeds_of() reads and clears it.
static __device__ bool too_large;

template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_mxfp4 *from, int groups) {
    char *two_rows = to + row % 8 * 2 * fragment<TYPE>::PARAMS;
    for (int i = 0; i < fragment<TYPE>::GROUPS; i++) {
        put_bytes(two_rows + i / 2 * 4 + row / 8 * 2 + i % 2, &from[i].exponent, 1, i < groups);
        if (i < groups && ldexpf(1, from[i].exponent - 127) > FP4_LARGEST) too_large = true;
    }
}
// `whole` is the scale of the matrix.
static __device__ inline void put_nvfp4_params(char *to, int row, const block_nvfp4 *from,
                                               int groups, float whole) {
    typedef fragment<DTYPE_NVFP4> shape;
    for (int i = 0; i < 2 * shape::GROUPS; i++) {
        const unsigned byte = i / 2 < groups ? from[i / 4].scales[i % 4] : 0;
        const unsigned scale = byte == 0x7f ? 0 : byte & 0x7f;
        to[row * shape::PARAMS + i] = (char)scale;
        if (low_float(scale << 7) * 256 * fabsf(whole) > FP4_LARGEST) too_large = true;
    }
    if (row < 4) ((float *)(to + shape::WHOLE))[row] = whole;
}
template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_q4_k *from, int groups) {
    put_bytes(to + row * 16, from, 16, groups);
}
template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_q5_k *from, int groups) {
    put_bytes(to + row * 16, from, 16, groups);
}
template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_iq4_xs *from, int groups) {
    put_bytes(to + row * 8, from, 8, groups);
}
template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_q6_k *from, int groups) {
    put_bytes(to + row * 16, from->scales, 16, groups);
    put_bytes(to + fragment<TYPE>::D + row * 2, &from->d, 2, groups);
}
template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_q2_k *from, int groups) {
    put_bytes(to + row * 16, from->scales, 16, groups);
    put_bytes(to + fragment<TYPE>::D + row * 4, &from->d, 4, groups);
}
template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_q3_k *from, int groups) {
    for (int g = 0; g < 16; g++) { // q3_k_scale() of blocks.h
        const int low = !groups ? 0 : g < 8 ? from->scales[g] & 15 : from->scales[g - 8] >> 4;
        const int high = groups ? from->scales[8 + g % 4] >> g / 4 * 2 & 3 : 2;
        to[row * 16 + g] = (char)((low | high << 4) - 32);
    }
    put_bytes(to + fragment<TYPE>::D + row * 2, &from->d, 2, groups);
}

template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_tq1_0 *from, int groups) {
    put_bytes(to + fragment<TYPE>::D + row * 2, &from->d, 2, groups);
}
template <enum dtype TYPE>
static __device__ inline void put_params(char *to, int row, const block_tq2_0 *from, int groups) {
    put_bytes(to + fragment<TYPE>::D + row * 2, &from->d, 2, groups);
}

// The quants of a row's group that one lane holds: four of each half, from `column` on.
template <enum dtype TYPE>
static __device__ inline void put_group(unsigned *low, unsigned *high, int u, int row,
                                        const typename file_block<TYPE>::type *blocks, int column) {
    typedef fragment<TYPE> shape;
    for (int i = 0; i < 8; i++) {
        const int half = i / 4, e = i % 4;
        const unsigned q = quant_of(blocks, column + 16 * half + e);
        low[shape::word_at(u, row, half)] |= shape::placed(q, u, half, e);
        if constexpr (shape::HIGH_BYTES > 0)
            high[shape::high_word_at(u)] |= shape::high_placed(q, u, row, half, e);
    }
}

// Writes a lane's low and high bits of a fragment's quants.
template <enum dtype TYPE>
static __device__ inline void put_quants(char *to, const weight &from, size_t row_bytes,
                                         int first_row, int first_column, int lane) {
    typedef fragment<TYPE> shape;
    typedef typename file_block<TYPE>::type block_t;
    unsigned low[shape::QUANT_BYTES / 128] = {}, high[shape::HIGH_BYTES / 128 + 1] = {};
    for (int u = 0; u < shape::GROUPS; u++)
        for (int r = 0; r < 2; r++) {
            const int row = first_row + lane / 4 + 8 * r;
            const int column = first_column + GROUP_COLUMNS * u + lane % 4 * 4;
            if (row < from.rows && column < from.columns)
                put_group<TYPE>(low, high, u, r,
                                (const block_t *)((const char *)from.data + row * row_bytes),
                                column);
        }
    for (int i = 0; i < shape::QUANT_BYTES / 512; i++)
        *(uint4 *)(to + shape::QUANTS + i * 512 + lane * 16) =
            make_uint4(low[4 * i], low[4 * i + 1], low[4 * i + 2], low[4 * i + 3]);
    if constexpr (shape::HIGH_BYTES > 0)
        for (int i = 0; i < shape::HIGH_BYTES / 512; i++)
            *(uint4 *)(to + shape::HIGH + i * 512 + lane * 16) =
                make_uint4(high[4 * i], high[4 * i + 1], high[4 * i + 2], high[4 * i + 3]);
}

// A row's blocks from a fragment's first column on; NULL for a row past the matrix.
template <enum dtype TYPE>
static __device__ inline const typename file_block<TYPE>::type *
blocks_of(const weight &from, size_t row_bytes, int row, int column) {
    typedef typename file_block<TYPE>::type block_t;
    if (row >= from.rows) return nullptr;
    return (const block_t *)((const char *)from.data + row * row_bytes) +
           column / file_block<TYPE>::COLUMNS;
}

// Writes a lane's share of the fragment that begins at first_row and first_column.
template <enum dtype TYPE>
static __device__ inline void repack_fragment(char *to, const weight &from, size_t row_bytes,
                                              int first_row, int first_column, int lane) {
    typedef typename file_block<TYPE>::type block_t;
    const block_t *blocks = blocks_of<TYPE>(from, row_bytes, first_row + lane, first_column);
    if constexpr (IS_GRID<TYPE>) {
        const int row = first_row + lane / 4;
        const block_t *const rows[2] = {blocks_of<TYPE>(from, row_bytes, row, first_column),
                                        blocks_of<TYPE>(from, row_bytes, row + 8, first_column)};
        if (lane < TILE_ROWS) put_grid_params<TYPE>(to, lane, blocks, blocks);
        put_grid_codes<TYPE>(to, lane, rows);
    } else {
        const int groups =
            min((from.columns - first_column) / GROUP_COLUMNS, fragment<TYPE>::GROUPS);
        const int own_groups = blocks ? groups : 0;
        if constexpr (TYPE == DTYPE_NVFP4) {
            const float whole = from.scale != 0 ? from.scale : 1;
            if (lane < TILE_ROWS) put_nvfp4_params(to, lane, blocks, own_groups, whole);
        } else if (lane < TILE_ROWS) {
            put_params<TYPE>(to, lane, blocks, own_groups);
        }
        put_quants<TYPE>(to, from, row_bytes, first_row, first_column, lane);
    }
}

template <enum dtype TYPE>
static __global__ __launch_bounds__(LANES) void repack_kernel(char *to, weight from,
                                                              size_t row_bytes) {
    const int a_row = fragments_of<TYPE>::a_row(from);
    repack_fragment<TYPE>(to + (size_t)blockIdx.x * fragment<TYPE>::BYTES, from, row_bytes,
                          blockIdx.x / a_row * TILE_ROWS,
                          blockIdx.x % a_row * fragments_of<TYPE>::COLUMNS, threadIdx.x);
}
