// kernels/cuda/gemv_packing.cuh — packed weights as the tensor cores' operand A.
//
// A unit is 32 neighbouring columns of a row. The four lanes of a row share it: lane t of them
// makes 8 weights, four pairs of fp16, of which the first two pairs go to the first product and
// the others to the second (mma.m16n8k16). Which columns those are is free, as x is read alike:
//   whole  pair i is columns 8t + 2i, + 1
//   split  pairs 0, 1 are columns 4t ... 4t + 3, pairs 2, 3 the same of the unit's second half
//
// An integer q goes into the mantissa of a half whose exponent makes one step worth 1: 1024 + q
// in bits 0 ... 9, 64 + q in bits 4 ... 9. The bias goes off again in fp16, exactly. What is
// left to fp32, once for many columns, is the factor of a unit (BY_UNIT) or of a whole stage.
//
// A packing<TYPE> has
//   UNITS, BYTES  of a row in one stage; a row's last stage may have fewer units
//   STRIDE        bytes between rows in shared memory: room for BYTES and what the row's start is
//                 past a multiple of 16, and few bank conflicts
//   SPLIT, MINIMA, ALIGNED: the columns; groups of 32 have a minimum, which is taken off apart;
//                 rows start at multiples of 16
//   load(row)     what the whole stage shares;  factor(row, u), minimum_factor, minima(t)
//   unit(row, u, t, a)  the four pairs, up to the factor
#pragma once
#include "kernels/cuda/cuda.cuh"

// A stage of a row in shared memory. It starts at any even address: at `even` plus 2 bytes or not.
// Words at a multiple of 4 from the start are read through `even`, others through `odd`.
struct packed_row {
    const char *start, *even, *odd;
    unsigned even_shift, odd_shift;
    __device__ packed_row(const char *slot, unsigned skip) {
        const unsigned two = skip & 2;
        start = slot + skip;
        even = slot + (skip & ~3u), even_shift = 8 * two;
        odd = even + 2 * two, odd_shift = 16 - 8 * two;
    }
    // Four bytes at an even offset. `lanes` is a multiple of 4, `offset` known to the compiler.
    __device__ unsigned word(int offset, int lanes) const {
        const char *from = (offset % 4 ? odd - 2 : even) + offset + lanes;
        return __funnelshift_r(((const unsigned *)from)[0], ((const unsigned *)from)[1],
                               offset % 4 ? odd_shift : even_shift);
    }
    __device__ float half(int offset) const {
        return __half2float(*(const __half *)(start + offset));
    }
};

// a & mask | high, as one instruction: the compiler makes it two where both are constants.
static __device__ inline unsigned mask_or(unsigned a, unsigned mask, unsigned high) {
    unsigned result;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(result) : "r"(a), "r"(mask), "r"(high));
    return result;
}

static __device__ inline __half2 as_halves(unsigned bits) { return *(const __half2 *)&bits; }
static __device__ inline unsigned as_bits(__half2 pair) { return *(const unsigned *)&pair; }

// Both halves `a`, a value that fp16 has.
static __device__ inline __half2 both(float a) { return __float2half2_rn(a); }

// Bytes 0, 1 or 2, 3 of a word, each in its own 16 bits, with `high` in the upper byte.
static __device__ inline unsigned spread_low(unsigned word, unsigned high) {
    return __byte_perm(word, high, 0x4140);
}
static __device__ inline unsigned spread_high(unsigned word, unsigned high) {
    return __byte_perm(word, high, 0x4342);
}
// Byte `at` of a word twice, as 1024 + its value.
static __device__ inline __half2 twice(unsigned word, int at) {
    return as_halves(__byte_perm(word, 0x64, 0x4040 | at << 8 | at));
}

template <enum dtype TYPE> struct packing;

struct packing_plain { // 16 bits a weight
    enum { UNITS = 4, BYTES = 256, STRIDE = 320, BY_UNIT = 0 };
    enum { SPLIT = 0, MINIMA = 0, ALIGNED = 1 };
    __device__ void load(const packed_row &) {}
    __device__ float factor(const packed_row &, int) const { return 1; }
};

template <> struct packing<DTYPE_F16> : packing_plain {
    __device__ void unit(const packed_row &row, int u, int t, unsigned (&a)[4]) const {
        const uint4 bits = *(const uint4 *)(row.start + 64 * u + 16 * t);
        a[0] = bits.x, a[1] = bits.y, a[2] = bits.z, a[3] = bits.w;
    }
};

template <> struct packing<DTYPE_BF16> : packing_plain {
    static __device__ unsigned pair(unsigned bits) {
        return as_bits(
            __floats2half2_rn(__uint_as_float(bits << 16), __uint_as_float(bits & 0xffff0000u)));
    }
    __device__ void unit(const packed_row &row, int u, int t, unsigned (&a)[4]) const {
        const uint4 bits = *(const uint4 *)(row.start + 64 * u + 16 * t);
        a[0] = pair(bits.x), a[1] = pair(bits.y), a[2] = pair(bits.z), a[3] = pair(bits.w);
    }
};

template <> struct packing<DTYPE_Q8_0> {
    enum { UNITS = 8, BYTES = 8 * 34, STRIDE = 288, BY_UNIT = 1 };
    enum { SPLIT = 1, MINIMA = 0, ALIGNED = 0 };
    __device__ void load(const packed_row &) {}
    __device__ float factor(const packed_row &row, int u) const { return row.half(34 * u); }
    __device__ void unit(const packed_row &row, int u, int t, unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const unsigned q = row.word(34 * u + 2 + 16 * i, 4 * t) ^ 0x80808080u;
            a[2 * i] = as_bits(__hsub2(as_halves(spread_low(q, 0x64)), both(1024 + 128)));
            a[2 * i + 1] = as_bits(__hsub2(as_halves(spread_high(q, 0x64)), both(1024 + 128)));
        }
    }
};

// Nibbles in bits 0 ... 3 of each half, or `upper`: in bits 4 ... 7.
static __device__ inline __half2 nibbles(unsigned spread, int upper) {
    return as_halves(upper ? mask_or(spread, 0x00f000f0u, 0x54005400u)
                           : mask_or(spread, 0x000f000fu, 0x64006400u));
}

template <> struct packing<DTYPE_Q4_0> {
    enum { UNITS = 8, BYTES = 8 * 18, STRIDE = 176, BY_UNIT = 1 };
    enum { SPLIT = 1, MINIMA = 0, ALIGNED = 0 };
    __device__ void load(const packed_row &) {}
    __device__ float factor(const packed_row &row, int u) const { return row.half(18 * u); }
    __device__ void unit(const packed_row &row, int u, int t, unsigned (&a)[4]) const {
        const unsigned word = row.word(18 * u + 2, 4 * t);
        const unsigned low = spread_low(word, 0), high = spread_high(word, 0);
        a[0] = as_bits(__hsub2(nibbles(low, 0), both(1024 + 8)));
        a[1] = as_bits(__hsub2(nibbles(high, 0), both(1024 + 8)));
        a[2] = as_bits(__hsub2(nibbles(low, 1), both(64 + 8)));
        a[3] = as_bits(__hsub2(nibbles(high, 1), both(64 + 8)));
    }
};

// What Q4_K and Q5_K blocks begin with: d, dmin and eight scales and minima of six bits. A
// weight is made as scale * q, an integer that fp16 has; so is each scale * bias.
struct packing_super {
    enum { UNITS = 8, BY_UNIT = 0, SPLIT = 0, MINIMA = 1, ALIGNED = 1 };
    float d, minimum_factor;
    unsigned scales[2], lows[2]; // four bytes each

    __device__ void load(const packed_row &row) {
        const uint4 head = *(const uint4 *)row.start;
        const float2 factors = __half22float2(as_halves(head.x));
        d = factors.x, minimum_factor = factors.y;
        scales[0] = head.y & 0x3f3f3f3fu, lows[0] = head.z & 0x3f3f3f3fu;
        scales[1] = mask_or(head.w, 0x0f0f0f0fu, head.y >> 2 & 0x30303030u);
        lows[1] = mask_or(head.w >> 4, 0x0f0f0f0fu, head.z >> 2 & 0x30303030u);
    }
    __device__ float factor(const packed_row &, int) const { return d; }
    // The minima of groups 2t and 2t + 1.
    __device__ unsigned minima(int t) const {
        const unsigned word = t / 2 ? lows[1] : lows[0];
        const unsigned pair = t % 2 ? spread_high(word, 0x64) : spread_low(word, 0x64);
        return as_bits(__hsub2(as_halves(pair), both(1024)));
    }
    __device__ __half2 scale(int u) const {
        return __hsub2(twice(scales[u / 4], u % 4), both(1024));
    }
};

template <> struct packing<DTYPE_Q4_K> : packing_super {
    enum { BYTES = 144, STRIDE = 160 };
    __device__ void unit(const packed_row &row, int u, int t, unsigned (&a)[4]) const {
        const uint2 q = *(const uint2 *)(row.start + 16 + 32 * (u / 2) + 8 * t);
        const __half2 by = scale(u), bias = __hmul2(by, both(u % 2 ? -64 : -1024));
        a[0] = as_bits(__hfma2(nibbles(spread_low(q.x, 0), u % 2), by, bias));
        a[1] = as_bits(__hfma2(nibbles(spread_high(q.x, 0), u % 2), by, bias));
        a[2] = as_bits(__hfma2(nibbles(spread_low(q.y, 0), u % 2), by, bias));
        a[3] = as_bits(__hfma2(nibbles(spread_high(q.y, 0), u % 2), by, bias));
    }
};

template <> struct packing<DTYPE_Q5_K> : packing_super {
    enum { BYTES = 176, STRIDE = 176 };
    // Bit u of each byte of `high` becomes the fifth bit.
    static __device__ unsigned fives(unsigned low, unsigned high, int u) {
        const unsigned fifth = u < 4 ? high << (4 - u) : high >> (u - 4);
        return mask_or(u % 2 ? low >> 4 : low, 0x0f0f0f0fu, fifth & 0x10101010u);
    }
    __device__ void unit(const packed_row &row, int u, int t, unsigned (&a)[4]) const {
        const uint2 high = *(const uint2 *)(row.start + 16 + 8 * t);
        const uint2 low = *(const uint2 *)(row.start + 48 + 32 * (u / 2) + 8 * t);
        const __half2 by = scale(u), bias = __hmul2(by, both(-1024));
        const unsigned q[2] = {fives(low.x, high.x, u), fives(low.y, high.y, u)};
#pragma unroll
        for (int i = 0; i < 2; i++) {
            a[2 * i] = as_bits(__hfma2(as_halves(spread_low(q[i], 0x64)), by, bias));
            a[2 * i + 1] = as_bits(__hfma2(as_halves(spread_high(q[i], 0x64)), by, bias));
        }
    }
};

// A weight is made as scale * q, an integer up to 4096: rounded to eleven bits.
template <> struct packing<DTYPE_Q6_K> {
    enum { UNITS = 8, BYTES = 210, STRIDE = 240, BY_UNIT = 0 };
    enum { SPLIT = 1, MINIMA = 0, ALIGNED = 0 };
    float d;
    unsigned scales[4]; // four bytes each, 128 added
    __device__ void load(const packed_row &row) {
        d = row.half(208);
        for (int i = 0; i < 4; i++)
            scales[i] = row.word(192 + 4 * i, 0) ^ 0x80808080u;
    }
    __device__ float factor(const packed_row &, int) const { return d; }
    __device__ void unit(const packed_row &row, int u, int t, unsigned (&a)[4]) const {
        const int part = u / 4, quarter = u % 4, shift = 2 * quarter;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const unsigned l = row.word(64 * part + 32 * (quarter % 2) + 16 * i, 4 * t);
            const unsigned h = row.word(128 + 32 * part + 16 * i, 4 * t);
            const unsigned top = (shift < 4 ? h << (4 - shift) : h >> (shift - 4)) & 0x30303030u;
            const unsigned q = mask_or(quarter / 2 ? l >> 4 : l, 0x0f0f0f0fu, top);
            const __half2 by = __hsub2(twice(scales[u / 2], u % 2 * 2 + i), both(1024 + 128));
            const __half2 low = __hsub2(as_halves(spread_low(q, 0x64)), both(1024 + 32));
            const __half2 high = __hsub2(as_halves(spread_high(q, 0x64)), both(1024 + 32));
            a[2 * i] = as_bits(__hmul2(low, by)), a[2 * i + 1] = as_bits(__hmul2(high, by));
        }
    }
};
