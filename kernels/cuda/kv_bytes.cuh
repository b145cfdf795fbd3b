// kernels/cuda/kv_bytes.cuh — keys and values of eight bits and their scales (kernels/kv_cache.h).
//
// Kernels that multiply in tensor cores read an element as fp16: the element times its scale,
// rounded once. All of them convert it here, so that a key is the same number to each.
#pragma once
#include "kernels/cuda/device.cuh"

#include <cfloat>
#include <cuda_fp8.h> // after device.cuh, which keeps cuda_fp16.h from naming its type half

struct kv_fp8 { // an element
    uint8_t bits;
};
struct kv_int8 {
    int8_t bits;
};

// multiplied: the type of K and V in tensor cores.
template <typename cache_t> struct kv_traits {
    typedef cache_t multiplied;
    static const bool scaled = false;
};
template <> struct kv_traits<kv_fp8> {
    typedef __half multiplied;
    static const bool scaled = true;
    static const int largest = 448;
};
template <> struct kv_traits<kv_int8> {
    typedef __half multiplied;
    static const bool scaled = true;
    static const int largest = 127;
};

static __device__ inline float to_float(kv_fp8 element) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(element.bits, __NV_E4M3)));
}
static __device__ inline float to_float(kv_int8 element) { return element.bits; }

// Where a key's K, V and scales lie, in bytes from the beginning of the cache.
struct kv_place {
    size_t k, v, k_scale, v_scale;
};

// Where the scales for a head of a block begin, as kv_scale_offset() says.
static __device__ inline size_t kv_scales_at(const kv_cache &cache, unsigned head) {
    const unsigned size = cache.head_size, step = cache.scale_elements;
    const size_t planes =
        plane_of(cache, cache.num_layers, false) * cache.num_kv_heads * cache.block_size;
    const unsigned nth = step ? (head * size + step - 1) / step : head;
    return planes * size + (size_t)nth * cache.block_size * sizeof(bf16);
}

// Of the row of head_size elements with this number, counted through all blocks, layers, K and V,
// heads and keys. It is one of K.
static __device__ inline kv_place kv_place_of(const kv_cache &cache, unsigned row) {
    const unsigned heads = (unsigned)plane_of(cache, cache.num_layers, false) * cache.num_kv_heads;
    const unsigned size = cache.head_size, v = cache.latent ? 0 : cache.num_kv_heads;
    const unsigned keys = cache.block_size, offset = row % keys, head = row / keys % heads;
    const size_t extent = row / keys / heads * kv_scales_at(cache, heads);
    const size_t k = extent + ((size_t)head * keys + offset) * size;
    return {k, k + (size_t)v * keys * size,
            extent + kv_scales_at(cache, head) + offset * sizeof(bf16),
            extent + kv_scales_at(cache, head + v) + offset * sizeof(bf16)};
}

// Where a head's keys of a layer lie in any block; where a key lies takes no division then.
struct kv_head {
    size_t block_bytes;
    unsigned k, v, k_scale, v_scale; // in a block, of its first key
};

static __device__ inline kv_head kv_head_of(const kv_cache &cache, int layer, int head) {
    const unsigned heads = cache.num_kv_heads, first = 2 * layer * heads + head;
    const unsigned head_bytes = (unsigned)cache.block_size * cache.head_size;
    return {kv_scales_at(cache, 2 * cache.num_layers * heads), first * head_bytes,
            (first + heads) * head_bytes, (unsigned)kv_scales_at(cache, first),
            (unsigned)kv_scales_at(cache, first + heads)};
}

// Of the key in a slot, counted through all blocks, whose size is a power of two.
static __device__ inline kv_place kv_place_at(const kv_cache &cache, const kv_head &head,
                                              unsigned slot) {
    const unsigned offset = slot & (cache.block_size - 1);
    const size_t block = (slot >> (31 - __clz(cache.block_size))) * head.block_bytes;
    return {block + head.k + offset * cache.head_size, block + head.v + offset * cache.head_size,
            block + head.k_scale + offset * sizeof(bf16),
            block + head.v_scale + offset * sizeof(bf16)};
}

// A scale as two factors that fp16 has, 1 to 2 and a power of two; the product with an element is
// rounded by the first, or by the second where it is subnormal.
struct kv_factors {
    __half2 fraction, power;
};

static __device__ inline unsigned kv_pack_factors(unsigned scale) { // of a bf16's bits
    const int exponent = (int)(scale >> 7 & 0xFF) - 127;
    const unsigned normal = (unsigned)(min(exponent, 15) + 15) << 10;
    const unsigned small = exponent < -24 ? 0 : 1u << max(exponent + 24, 0);
    const unsigned power = exponent < -14 ? small : normal;
    const unsigned fraction = exponent == 128 ? 0x7E00 : 0x3C00 | (scale & 0x7F) << 3; // 128: NaN
    return fraction | power << 16;
}

static __device__ inline __half2 half2_of(unsigned bits) { return *(const __half2 *)&bits; }
static __device__ inline unsigned bits_of(__half2 pair) { return *(const unsigned *)&pair; }

static __device__ inline kv_factors kv_unpack_factors(unsigned packed) {
    return {half2_of(__byte_perm(packed, 0, 0x1010)), half2_of(__byte_perm(packed, 0, 0x3232))};
}

// Four elements as fp16, without their scale.
static __device__ inline void kv_widen(unsigned four, __half2 (&pairs)[2], kv_fp8) {
    pairs[0] = __half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)four, __NV_E4M3));
    pairs[1] = __half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(four >> 16), __NV_E4M3));
}
static __device__ inline void kv_widen(unsigned four, __half2 (&pairs)[2], kv_int8) {
    const unsigned biased = four ^ 0x80808080; // from 0 on, in the last bits of 1024
    const __half2 bias = half2_of(0x64806480);
    pairs[0] = __hsub2(half2_of(__byte_perm(biased, 0x64646464, 0x4140)), bias);
    pairs[1] = __hsub2(half2_of(__byte_perm(biased, 0x64646464, 0x4342)), bias);
}

// Eight elements, four of them in each word, as fp16.
template <typename cache_t>
static __device__ inline uint4 kv_halves8(unsigned low, unsigned high, const kv_factors &factors,
                                          cache_t type) {
    __half2 pairs[2][2];
    kv_widen(low, pairs[0], type);
    kv_widen(high, pairs[1], type);
    unsigned bits[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        bits[i] = bits_of(__hmul2(__hmul2(pairs[i / 2][i % 2], factors.fraction), factors.power));
    return make_uint4(bits[0], bits[1], bits[2], bits[3]);
}

// The bits of the scale of a head whose largest magnitude is `highest`, as kv_scale() says.
template <typename cache_t> static __device__ inline bf16 kv_scale_of(float highest) {
    if (!(highest <= FLT_MAX)) return 0x7FC0;
    if (highest < 0x1p-100f) return 0;
    return (bf16)((__float_as_uint(__fdiv_rn(highest, kv_traits<cache_t>::largest)) + 0xFFFF) >>
                  16);
}

// 1 / scale, or 0 where all elements are 0.
static __device__ inline float kv_inverse(bf16 scale) {
    const float value = __uint_as_float((unsigned)scale << 16);
    return value > 0 ? __frcp_rn(value) : 0;
}

// value / scale to the nearest, as kv_quantize() says.
static __device__ inline uint8_t kv_element_of(float value, float inverse, kv_fp8) {
    return inverse > 0 ? __nv_cvt_float_to_fp8(__fmul_rn(value, inverse), __NV_SATFINITE, __NV_E4M3)
                       : 0;
}
static __device__ inline uint8_t kv_element_of(float value, float inverse, kv_int8) {
    return inverse > 0 ? (uint8_t)__float2int_rn(__fmul_rn(value, inverse)) : 0;
}
