// kernels/cuda/fragments_fp16.cuh — the weights of a fragment as fp16, for every type.
//
//   fp16_fragment<TYPE> from;      load() reads the lane's words and computes nothing
//   from.load(fragment, lane);     prepare() computes what all groups share
//   from.prepare();
//   weights_of<TYPE>(from, u)      operands A of group u: weights rounded to fp16 once, or twice
//                                  where a scale has more bits than a half or a minimum is
//                                  subtracted
//
// For types without minima a weight is an operand times its factor. For the others the exponent of
// 1024 is put over an operand's quants, which makes a half of them 1024 + q, or in the last operand
// 1024 + (q << LAST_SHIFT); subtracting 1024 leaves q exactly.
#pragma once
#include "kernels/cuda/tiles.cuh"

static __device__ inline __half2 one_of(__half2 pair, int which) {
    return which ? __high2half2(pair) : __low2half2(pair);
}

// q - OFFSET, of a half of a group.
template <int OFFSET, int LAST_SHIFT>
static __device__ inline __half2 quant_of(__half2 biased, int half) {
    if (LAST_SHIFT == 0 || !half) return __hadd2(biased, __float2half2_rn(-1024 - OFFSET));
    return __hfma2(biased, __float2half2_rn(1.0f / (1 << LAST_SHIFT)),
                   __float2half2_rn(-(1024 >> LAST_SHIFT) - OFFSET));
}

// weight(biased, u, row, half): for the first or last half of group u, row g or g + 8.
template <enum dtype TYPE> struct fp16_fragment : fragment<TYPE> {
    __device__ void prepare() {}
};

template <enum dtype TYPE> struct fp16_centred : fragment<TYPE> {
    __device__ void prepare() {}
    __device__ __half2 weight(__half2 biased, int u, int row, int half) const {
        return __hmul2(quant_of<fragment<TYPE>::OFFSET, fragment<TYPE>::LAST_SHIFT>(biased, half),
                       as_halves(this->scale_bits(u, row)));
    }
};
template <> struct fp16_fragment<DTYPE_Q8_0> : fp16_centred<DTYPE_Q8_0> {};
template <> struct fp16_fragment<DTYPE_Q4_0> : fp16_centred<DTYPE_Q4_0> {};
template <> struct fp16_fragment<DTYPE_Q5_0> : fp16_centred<DTYPE_Q5_0> {};
template <> struct fp16_fragment<DTYPE_TQ1_0> : fp16_centred<DTYPE_TQ1_0> {};
template <> struct fp16_fragment<DTYPE_TQ2_0> : fp16_centred<DTYPE_TQ2_0> {};

template <enum dtype TYPE> struct fp16_affine : fragment<TYPE> {
    __device__ void prepare() {}
    __device__ __half2 weight(__half2 biased, int u, int row, int half) const {
        const __half2 both = as_halves(this->both(u, row));
        return __hfma2(quant_of<0, fragment<TYPE>::LAST_SHIFT>(biased, half), __low2half2(both),
                       __high2half2(both));
    }
};
template <> struct fp16_fragment<DTYPE_Q4_1> : fp16_affine<DTYPE_Q4_1> {};
template <> struct fp16_fragment<DTYPE_Q5_1> : fp16_affine<DTYPE_Q5_1> {};

template <enum dtype TYPE> struct fp16_halved : fragment<TYPE> {
    __half2 d2[2];
    __device__ void prepare() {
        d2[0] = __float2half2_rn(this->d(0)), d2[1] = __float2half2_rn(this->d(1));
    }
    __device__ __half2 weight(__half2 biased, int u, int row, int half) const {
        const __half2 both = __hmul2(this->scales(u, row), d2[row]);
        return __hmul2(quant_of<fragment<TYPE>::OFFSET, fragment<TYPE>::LAST_SHIFT>(biased, half),
                       one_of(both, half));
    }
};
template <> struct fp16_fragment<DTYPE_Q6_K> : fp16_halved<DTYPE_Q6_K> {};
template <> struct fp16_fragment<DTYPE_Q3_K> : fp16_halved<DTYPE_Q3_K> {};

// scale * q is exact. The fused d * (scale * q) - minimum rounds once; the minimum was rounded
// before.
static __device__ inline __half2 scaled_less(__half2 biased, __half2 scale, __half2 d,
                                             __half2 minimum, int shift) {
    const __half2 factor = __hmul2(scale, __float2half2_rn(1.0f / (1 << shift)));
    const __half2 bias = __hmul2(scale, __float2half2_rn(-(1024 >> shift)));
    return __hfma2(__hfma2(biased, factor, bias), d, minimum);
}

template <enum dtype TYPE> struct fp16_super : fragment<TYPE> {
    __half2 scale[2][4], minimum[2][4]; // of two groups each
    __half2 d2[2];
    __device__ void prepare() {
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const __half2 less = __float2half2_rn(-this->dmin(row));
            d2[row] = __float2half2_rn(this->d(row));
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const unsigned pair = i % 2 ? 0x4342 : 0x4140;
                scale[row][i] = small_pair<0>(this->scales(row, i / 2), pair);
                minimum[row][i] = __hmul2(small_pair<0>(this->lows(row, i / 2), pair), less);
            }
        }
    }
    __device__ __half2 weight(__half2 biased, int u, int row, int half) const {
        return scaled_less(biased, one_of(scale[row][u / 2], u % 2), d2[row],
                           one_of(minimum[row][u / 2], u % 2), half * this->LAST_SHIFT);
    }
};
template <> struct fp16_fragment<DTYPE_Q4_K> : fp16_super<DTYPE_Q4_K> {};
template <> struct fp16_fragment<DTYPE_Q5_K> : fp16_super<DTYPE_Q5_K> {};

template <> struct fp16_fragment<DTYPE_Q2_K> : fragment<DTYPE_Q2_K> {
    __half2 d2[2], less[2];
    __device__ void prepare() {
#pragma unroll
        for (int row = 0; row < 2; row++)
            d2[row] = __float2half2_rn(d(row)), less[row] = __float2half2_rn(-dmin(row));
    }
    __device__ __half2 weight(__half2 biased, int u, int row, int half) const {
        return scaled_less(biased, one_of(scales(u, row), half), d2[row],
                           one_of(__hmul2(lows(u, row), less[row]), half), half * LAST_SHIFT);
    }
};

template <enum dtype TYPE>
static __device__ inline group_operands weights_of(const fp16_fragment<TYPE> &from, int u) {
    group_operands a = from.operands(u);
#pragma unroll
    for (int i = 0; i < 4; i++)
        if constexpr (fragment<TYPE>::MINIMA) {
            a.first[i] = as_bits(from.weight(as_halves(a.first[i] | 0x64006400u), u, i % 2, 0));
            a.last[i] = as_bits(from.weight(as_halves(a.last[i] | 0x64006400u), u, i % 2, 1));
        } else {
            const float of_row = from.row_factor(i % 2);
            const __half2 first = __float2half2_rn(from.factor(u, i % 2, 0) * of_row);
            const __half2 last = __float2half2_rn(from.factor(u, i % 2, 1) * of_row);
            a.first[i] = as_bits(__hmul2(as_halves(a.first[i]), first));
            a.last[i] = as_bits(__hmul2(as_halves(a.last[i]), last));
        }
    return a;
}

// Eight neighbouring columns of row g or g + 8, from the operands that weights_of() returns. Lane t
// of four holds columns 4t ... of both halves of a group. It keeps those of one half and exchanges
// the others with its neighbour: an even t ends with columns 4t ... 4t + 7 of the first half, an
// odd one with 4t - 4 ... 4t + 3 of the last.
static __device__ inline uint4 eight_weights(const group_operands &a, int row) {
    const bool odd = threadIdx.x % 2;
    const uint2 first = make_uint2(a.first[row], a.first[row + 2]);
    const uint2 last = make_uint2(a.last[row], a.last[row + 2]);
    const uint2 kept = odd ? last : first, given = odd ? first : last;
    const uint2 got = make_uint2(__shfl_xor_sync(0xffffffffu, given.x, 1),
                                 __shfl_xor_sync(0xffffffffu, given.y, 1));
    return odd ? make_uint4(got.x, got.y, kept.x, kept.y)
               : make_uint4(kept.x, kept.y, got.x, got.y);
}
