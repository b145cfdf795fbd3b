// kernels/cuda/fragments_coded.cuh — fragments of types whose codes index a table of values.
//
//   params  16 rows x PARAMS bytes: what a block of the file stores besides the codes
//   codes   a word of eight for each row of a group; 16 bytes a lane, 512 consecutive bytes a warp
//
// An operand is the table's value, exact in fp16, possibly times a power of two. So these types
// have no minima: all that is left is one factor for each group.
#pragma once
#include "kernels/cuda/fragments_scaled.cuh"

// ---- numbers of four bits
//
// A code is a sign, two bits of exponent and one of fraction. With the sign at bit 15 of a half and
// the other three at bits 11 ... 9, the half is exactly the number times 2^-14, and this holds for
// zero and for the subnormal 0.5 as well. A word therefore stores its four pairs of codes so that
// one shift brings the first two there, and two shifts the others:
//   sign and magnitude at bits 15, 11 ... 9;  12, 8 ... 6;  14, 5 ... 3;  13, 2 ... 0
// Loading refuses scales above FP4_LARGEST, with which weights would exceed 12, so nothing
// overflows. At the other end, weights under 2^-22 become 0 where they are rounded to fp16.
#define FP4_LARGEST 2.0f

template <int COUNT> struct fp4_codes { // of COUNT groups
    enum { GROUPS = COUNT, QUANT_BYTES = COUNT * 256, HIGH_BYTES = 0 };
    enum { LAST_SHIFT = 0, MINIMA = 0, COMMON = 1 };
    uint4 codes[COUNT / 2];
    static __device__ int word_at(int u, int row, int) { return 2 * u + row; }
    static __device__ unsigned placed(unsigned code, int, int half, int e) {
        const int pair = 2 * half + e / 2, at = e % 2 * 16;
        const int sign = pair == 0 ? 15 : pair == 1 ? 12 : 16 - pair;
        return ((code >> 3) << sign | (code & 7) << (9 - 3 * pair)) << at;
    }
    __device__ void load_codes(const char *from, int lane) {
#pragma unroll
        for (int i = 0; i < COUNT / 2; i++)
            codes[i] = words_at(from, i * 512 + lane * 16);
    }
    __device__ group_operands operands(int u) const {
        group_operands a;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const unsigned word = word_of(codes[u / 2], u % 2 * 2 + row);
            a.first[row] = word & 0x8e008e00u;
            a.first[row + 2] = word << 3 & 0x8e008e00u;
            a.last[row] = (word << 1 & 0x80008000u) | (word << 6 & 0x0e000e00u);
            a.last[row + 2] = (word << 2 & 0x80008000u) | (word << 9 & 0x0e000e00u);
        }
        return a;
    }
};

// The params are one exponent for each group, rows g and g + 8 alternating, two groups a word. A
// group's factor is the exponent of a float, and as a half it is exact from 2^-24 to 2^15.
template <> struct fragment<DTYPE_MXFP4> : fp4_codes<6> {
    enum { PARAMS = GROUPS, QUANTS = TILE_ROWS * PARAMS, BYTES = QUANTS + QUANT_BYTES };
    enum { FACTORS = 1, STAGES = 4 };
    unsigned exponents[GROUPS / 2];
    __device__ void load(const char *from, int lane) {
#pragma unroll
        for (int i = 0; i < GROUPS / 2; i++)
            exponents[i] = *(const unsigned *)(from + lane / 4 * 2 * PARAMS + 4 * i);
        load_codes(from + QUANTS, lane);
    }
    __device__ float factor(int u, int row, int) const {
        const int at = u % 2 * 8 + row * 16; // of the eight bits that become a float's exponent
        const unsigned word = exponents[u / 2];
        return __uint_as_float((at < 23 ? word << (23 - at) : word >> (at - 23)) & 0x7f800000u);
    }
    __device__ float row_factor(int) const { return 1 << 14; }
};

// The params are an e4m3 for each half group, without a sign and never 0x7F; behind the codes lies
// the scale of the whole matrix, four times. An e4m3's bits in a half's places are 2^-8 of it.
template <> struct fragment<DTYPE_NVFP4> : fp4_codes<8> {
    enum { PARAMS = 2 * GROUPS, QUANTS = TILE_ROWS * PARAMS, WHOLE = QUANTS + QUANT_BYTES };
    enum { BYTES = WHOLE + 16, FACTORS = 2, STAGES = 3 };
    uint4 params[2];
    float whole;
    __device__ void load(const char *from, int lane) {
        params[0] = words_at(from, lane / 4 * PARAMS);
        params[1] = words_at(from, (lane / 4 + 8) * PARAMS);
        load_codes(from + QUANTS, lane);
        whole = *(const float *)(from + WHOLE);
    }
    __device__ float factor(int u, int row, int half) const {
        const unsigned word = word_of(params[row], u / 2);
        const unsigned pair = __byte_perm(word, 0, u % 2 ? 0x4342 : 0x4140) << 7;
        return half ? high_float(pair) : low_float(pair);
    }
    __device__ float row_factor(int) const { return whole * (1 << (14 + 8)); }
};

// ---- steps of IQ4

// Turns eight codes into the bytes of two words: 128 + the step that each code stands for. A byte
// permutation selects among eight bytes by three bits, so the fourth bit of a code chooses between
// the results of two.
static __device__ inline void iq4_bytes(unsigned codes, unsigned (&bytes)[2]) {
    const unsigned of_eight = codes & 0x77777777u;
    const unsigned which = (codes >> 1 & 0x44444444u) | 0x32103210u;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const unsigned low = __byte_perm(0x3f2d1801u, 0x766a5d4fu, of_eight >> 16 * i);
        const unsigned high = __byte_perm(0xa6998d81u, 0xf1d9c5b5u, of_eight >> 16 * i);
        bytes[i] = __byte_perm(low, high, which >> 16 * i);
    }
}

// Operands are steps / 128, below 1, which keeps their factors large enough for a half.
struct iq4_codes : nibbles {
    enum { GROUPS = 8, LAST_SHIFT = 0, FACTORS = 1, MINIMA = 0, STAGES = 3, HIGH_BYTES = 0 };
    static __device__ unsigned placed(unsigned code, int, int half, int e) {
        return code << (16 * half + 4 * e);
    }
    static __device__ unsigned steps(unsigned bytes, unsigned selector) {
        const __half2 biased = as_halves(__byte_perm(bytes, 0x64646464u, selector));
        return as_bits(__hfma2(biased, __float2half2_rn(1.0f / 128), __float2half2_rn(-9)));
    }
    __device__ group_operands operands(int u) const {
        group_operands a;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            unsigned bytes[2];
            iq4_bytes(word_of(low[u / 2], u % 2 * 2 + row), bytes);
            a.first[row] = steps(bytes[0], 0x4140), a.first[row + 2] = steps(bytes[0], 0x4342);
            a.last[row] = steps(bytes[1], 0x4140), a.last[row + 2] = steps(bytes[1], 0x4342);
        }
        return a;
    }
};

template <> struct fragment<DTYPE_IQ4_NL> : iq4_codes { // the params are d of each group
    enum { PARAMS = 16, QUANTS = TILE_ROWS * PARAMS, BYTES = QUANTS + QUANT_BYTES, COMMON = 0 };
    uint4 params[2];
    __device__ void load(const char *from, int lane) {
        params[0] = words_at(from, lane / 4 * PARAMS),
        params[1] = words_at(from, (lane / 4 + 8) * PARAMS);
        load_low(from + QUANTS, lane);
    }
    __device__ float factor(int u, int row, int) const {
        return low_float(short_of(word_of(params[row], u / 2), u % 2));
    }
    __device__ float row_factor(int) const { return 128; }
};

// The params are as in the file: d, then eight scales of six bits, the upper two of each first.
template <> struct fragment<DTYPE_IQ4_XS> : iq4_codes {
    enum { PARAMS = 8, QUANTS = TILE_ROWS * PARAMS, BYTES = QUANTS + QUANT_BYTES, COMMON = 1 };
    uint2 params[2];
    __device__ void load(const char *from, int lane) {
        params[0] = *(const uint2 *)(from + lane / 4 * PARAMS);
        params[1] = *(const uint2 *)(from + (lane / 4 + 8) * PARAMS);
        load_low(from + QUANTS, lane);
    }
    __device__ float factor(int u, int row, int) const {
        const unsigned high = params[row].x >> (16 + 2 * u) << 4 & 0x30;
        const unsigned scale = (params[row].y >> 4 * u & 15) | high;
        return __uint_as_float(0x4b000000u | scale) - (float)((1 << 23) + 32); // 2^23 + scale
    }
    __device__ float row_factor(int row) const { return low_float(params[row].x) * 128; }
};
