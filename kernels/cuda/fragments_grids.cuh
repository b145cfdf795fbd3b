// kernels/cuda/fragments_grids.cuh — fragments of types whose codes index a code book: IQ1, IQ2,
// IQ3.
//
//   codes   bit fields, one for each half group of a row. An octet of columns belongs to two lanes,
//           which then share an owner's codes; 16 bytes a chunk, so that a warp reads neighbours
//   top     the bits of the fields that the chunks cannot hold
//   scales  16 rows x a nibble for each group, or for each half
//   d       of each row
//
// A row of a code book is four nibbles, each the level of a value (grids.h). With the value's sign
// above the level, a nibble picks a byte of a table: 128 + the value in the type's steps. Operands
// are these values / 64, exactly.
#pragma once
#include "kernels/cuda/fragments_coded.cuh"
#include "kernels/grids.h"

#define GRID(name, rows) static __device__ const uint16_t name##_rows[rows]
#include "kernels/grids.inc"
#undef GRID

// Spreads four bits: each becomes the lowest bit of a nibble.
static __device__ inline unsigned spread_bits(unsigned four) {
    const unsigned two = (four | four << 6) & 0x0303u;
    return (two | two << 3) & 0x1111u;
}

// Turns four bytes into two operands.
static __device__ inline void grid_operands(unsigned bytes, unsigned &first, unsigned &next) {
    const __half2 step = __float2half2_rn(1.0f / 64), bias = __float2half2_rn(-(1024 + 128) / 64);
    first = as_bits(__hfma2(as_halves(__byte_perm(bytes, 0x64646464u, 0x4140)), step, bias));
    next = as_bits(__hfma2(as_halves(__byte_perm(bytes, 0x64646464u, 0x4342)), step, bias));
}

template <bool OF_OCTETS, int CHUNKS, int TOP_WORDS, bool HALVED> struct grid_fragment {
    enum { GROUPS = 8, LAST_SHIFT = 0, FACTORS = HALVED ? 2 : 1, MINIMA = 0, STAGES = 3 };
    enum { COMMON = 0, OCTETS = OF_OCTETS, OWNERS = LANES / (OCTETS ? 2 : 1) };
    enum { TOP = CHUNKS * 16 * OWNERS, SCALES = TOP + TOP_WORDS * 4 * OWNERS };
    enum { SCALE_WORDS = HALVED ? 2 : 1, D = SCALES + TILE_ROWS * 4 * SCALE_WORDS };
    enum { BYTES = D + TILE_ROWS * 2, WORDS = CHUNKS * 4 + TOP_WORDS };
    unsigned words[WORDS], scales[2][SCALE_WORDS], d_bits[2];
    int quarter; // the lane's columns within a half group

    __device__ void load(const char *from, int lane) {
        const int owner = lane / (LANES / OWNERS);
        quarter = lane % 4;
#pragma unroll
        for (int i = 0; i < CHUNKS; i++) {
            const uint4 four = words_at(from, (i * OWNERS + owner) * 16);
            words[4 * i] = four.x, words[4 * i + 1] = four.y;
            words[4 * i + 2] = four.z, words[4 * i + 3] = four.w;
        }
#pragma unroll
        for (int i = 0; i < TOP_WORDS; i++)
            words[4 * CHUNKS + i] = ((const unsigned *)(from + TOP))[owner * TOP_WORDS + i];
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const int at = lane / 4 + 8 * row;
#pragma unroll
            for (int i = 0; i < SCALE_WORDS; i++)
                scales[row][i] = ((const unsigned *)(from + SCALES))[at * SCALE_WORDS + i];
            d_bits[row] = half_at(from, D + at * 2);
        }
    }
    __device__ void store_codes(char *to, int lane) const { // where load() reads them
        const int owner = lane / (LANES / OWNERS);
        for (int i = 0; i < CHUNKS; i++)
            *(uint4 *)(to + (i * OWNERS + owner) * 16) =
                make_uint4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
        for (int i = 0; i < TOP_WORDS; i++)
            ((unsigned *)(to + TOP))[owner * TOP_WORDS + i] = words[4 * CHUNKS + i];
    }
    // Field n of a run of BITS-bit fields that begins at a word. at() numbers a row's half groups.
    static __device__ int at(int u, int row, int half) { return 4 * u + 2 * row + half; }
    template <int BITS> __device__ unsigned field(int first, int n) const {
        return words[first + n * BITS / 32] >> n * BITS % 32 & ((1u << BITS) - 1);
    }
    template <int BITS> __device__ void put(int first, int n, unsigned bits) {
        words[first + n * BITS / 32] |= bits << n * BITS % 32;
    }
    __device__ float factor(int u, int row, int half) const { // 2 scale + 1
        const int n = HALVED ? 2 * u + half : u;
        const unsigned word = scales[row][n / 8];
        const unsigned twice = n % 8 ? word >> (4 * (n % 8) - 1) : word << 1;
        return __uint_as_float(0x4b000001u | (twice & 0x1e)) - (float)(1 << 23);
    }
    __device__ float d(int row) const { return low_float(d_bits[row]); }
    // The lane's four values of an octet's code book row, with their signs, if any, above them.
    __device__ unsigned own_four(unsigned row, unsigned signs) const {
        const int other = quarter % 2;
        return (row >> 2 * other & 0x3333u) | spread_bits(signs >> 4 * other & 15) << 2;
    }
};

// ---- IQ1: eleven bits of index, three levels, and a shift of them up or down

template <bool HALVED> struct iq1_fragment : grid_fragment<true, 3, 0, HALVED> {
    __device__ void put_code(int u, int row, int half, unsigned index, unsigned shift) {
        this->template put<8>(0, this->at(u, row, half), index & 255);
        this->template put<4>(8, this->at(u, row, half), index >> 8 | shift << 3);
    }
    __device__ group_operands operands(int u) const {
        group_operands a;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = i / 2, n = this->at(u, row, i % 2);
            const unsigned high = this->template field<4>(8, n);
            const unsigned code = iq1_rows[this->template field<8>(0, n) | (high & 7) << 8];
            const unsigned four = this->own_four(code, high & 8 ? 0xff : 0);
            const unsigned bytes = __byte_perm(0x80898179u, 0x80877f77u, four);
            i % 2 ? grid_operands(bytes, a.last[row], a.last[row + 2])
                  : grid_operands(bytes, a.first[row], a.first[row + 2]);
        }
        return a;
    }
    __device__ float row_factor(int row) const { return this->d(row) * 8; } // values are eighths
};
template <> struct fragment<DTYPE_IQ1_S> : iq1_fragment<false> {};
template <> struct fragment<DTYPE_IQ1_M> : iq1_fragment<true> {};

// ---- IQ2: eight to ten bits of index, eight signs, three levels

template <enum dtype TYPE, int TOP_WORDS, bool HALVED>
struct iq2_fragment : grid_fragment<true, 4, TOP_WORDS, HALVED> {
    __device__ void put_code(int u, int row, int half, unsigned index, unsigned signs) {
        const int n = this->at(u, row, half);
        this->template put<8>(0, n, index & 255);
        if (TYPE == DTYPE_IQ2_XS) signs = (signs & 127) | index >> 8 << 7;
        this->template put<8>(8, n, signs);
        if constexpr (TYPE == DTYPE_IQ2_S) this->template put<2>(16, n, index >> 8);
    }
    __device__ unsigned octet(int n) const { // the lane's four values of it
        const unsigned index = this->template field<8>(0, n);
        unsigned signs = this->template field<8>(8, n);
        if constexpr (TYPE == DTYPE_IQ2_XXS) return this->own_four(iq2_xxs_rows[index], signs);
        if constexpr (TYPE == DTYPE_IQ2_S)
            return this->own_four(iq2_s_rows[index | this->template field<2>(16, n) << 8], signs);
        const unsigned high = signs >> 7 << 8;
        signs &= 127; // the eighth follows from the others: the number of minus signs is even
        signs |= __popc(signs) << 7 & 128;
        return this->own_four(iq2_xs_rows[index | high], signs);
    }
    __device__ group_operands operands(int u) const {
        group_operands a;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = i / 2;
            const unsigned four = octet(this->at(u, row, i % 2));
            const unsigned bytes = __byte_perm(0x80ab9988u, 0x80556778u, four);
            i % 2 ? grid_operands(bytes, a.last[row], a.last[row + 2])
                  : grid_operands(bytes, a.first[row], a.first[row + 2]);
        }
        return a;
    }
    __device__ float row_factor(int row) const { return this->d(row) * 8; } // values are eighths
};
template <> struct fragment<DTYPE_IQ2_XXS> : iq2_fragment<DTYPE_IQ2_XXS, 0, false> {};
template <> struct fragment<DTYPE_IQ2_XS> : iq2_fragment<DTYPE_IQ2_XS, 0, true> {};
template <> struct fragment<DTYPE_IQ2_S> : iq2_fragment<DTYPE_IQ2_S, 2, true> {};

// ---- IQ3: eight or nine bits of index for four values, eight levels

template <enum dtype TYPE, int TOP_WORDS>
struct iq3_fragment : grid_fragment<false, 3, TOP_WORDS, false> {
    __device__ void put_code(int u, int row, int half, unsigned index, unsigned signs) {
        const int n = this->at(u, row, half);
        this->template put<8>(0, n, index & 255);
        this->template put<4>(8, n, signs);
        if constexpr (TYPE == DTYPE_IQ3_S) this->template put<1>(12, n, index >> 8);
    }
    __device__ unsigned quartet(int n) const {
        const unsigned index = this->template field<8>(0, n);
        const unsigned signs = spread_bits(this->template field<4>(8, n)) << 3;
        if constexpr (TYPE == DTYPE_IQ3_S)
            return iq3_s_rows[index | this->template field<1>(12, n) << 8] | signs;
        return iq3_xxs_rows[index] | signs;
    }
    // The table's sixteen bytes are two registers for each sign.
    static __device__ unsigned bytes_of(unsigned four) {
        const bool s = TYPE == DTYPE_IQ3_S;
        const unsigned level = four & 0x7777u, which = (four >> 1 & 0x4444u) | 0x3210u;
        const unsigned plus =
            __byte_perm(s ? 0x87858381u : 0x9c948c84u, s ? 0x8f8d8b89u : 0xbeb4aca4u, level);
        const unsigned minus =
            __byte_perm(s ? 0x797b7d7fu : 0x646c747cu, s ? 0x71737577u : 0x424c545cu, level);
        return __byte_perm(plus, minus, which);
    }
    __device__ group_operands operands(int u) const {
        group_operands a;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = i / 2;
            const unsigned bytes = bytes_of(quartet(this->at(u, row, i % 2)));
            i % 2 ? grid_operands(bytes, a.last[row], a.last[row + 2])
                  : grid_operands(bytes, a.first[row], a.first[row + 2]);
        }
        return a;
    }
    __device__ float row_factor(int row) const {
        return this->d(row) * (TYPE == DTYPE_IQ3_S ? 64 : 16); // of IQ3_XXS values are quarters
    }
};
template <> struct fragment<DTYPE_IQ3_XXS> : iq3_fragment<DTYPE_IQ3_XXS, 0> {};
template <> struct fragment<DTYPE_IQ3_S> : iq3_fragment<DTYPE_IQ3_S, 1> {};
