// kernels/cpu/simd_256.h — the primitives of the *.inc files that AVX2, FMA and F16C give to every
// instruction set with vectors of 256 bits. simd_avx2.h and simd_avxvnni.h add the products of
// bytes.
//
// simd_generic.h says what each of them means.
#ifndef CPU_SIMD_256_H
#define CPU_SIMD_256_H

#include <immintrin.h>
#include <string.h>

#include "kernels/cpu/isa.h"

enum { LANES = 8, TILE_TOKENS = 4, PLAIN_TOKENS = 3 };

typedef __m256 vf;
typedef __m256i vi;
typedef __m256i vb;
typedef __m256i va;

static inline void vf_settle(vf *a) { __asm__ volatile("" : "+x"(*a)); }
static inline vf vf_zero(void) { return _mm256_setzero_ps(); }
static inline vf vf_set(float x) { return _mm256_set1_ps(x); }
static inline vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
static inline void vf_store(float *p, vf a) { _mm256_storeu_ps(p, a); }
static inline vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vf vf_div(vf a, vf b) { return _mm256_div_ps(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
static inline vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
static inline vf vf_abs(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a); }
static inline vf vf_round(vf a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vf vf_zero_below(vf a, vf x, float limit) {
    return _mm256_and_ps(a, _mm256_cmp_ps(x, _mm256_set1_ps(limit), _CMP_NLT_UQ));
}
static inline vf vf_scale_by_power(vf a, vf n) {
    const __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), exponent));
}
static inline vf vf_load_half(const half *p) {
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}
static inline vf vf_load_bf16(const bf16 *p) {
    const __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)p);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
// An e4m3's bits in a half's places are 2^-8 of it. Its NaN becomes a number; caches hold none.
static inline vf vf_load_fp8(const uint8_t *p) {
    const __m128i bytes = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(const void *)p));
    const __m128i sign = _mm_slli_epi16(_mm_and_si128(bytes, _mm_set1_epi16(0x80)), 8);
    const __m128i rest = _mm_slli_epi16(_mm_and_si128(bytes, _mm_set1_epi16(0x7F)), 7);
    return _mm256_mul_ps(_mm256_cvtph_ps(_mm_or_si128(sign, rest)), _mm256_set1_ps(256));
}
static inline vf vf_load_int8(const int8_t *p) {
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}
static inline void vf_store_half(half *p, vf a) {
    _mm_storeu_si128((__m128i *)(void *)p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

static inline float vf_sum(vf a) {
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}
// vf_sum() of each of four: halves of 4, then of 2 and 1 lanes are added.
static inline void vf_four_sums(float sums[4], const vf a[4]) {
    const vf ab = _mm256_add_ps(_mm256_permute2f128_ps(a[0], a[1], 0x20),
                                _mm256_permute2f128_ps(a[0], a[1], 0x31));
    const vf cd = _mm256_add_ps(_mm256_permute2f128_ps(a[2], a[3], 0x20),
                                _mm256_permute2f128_ps(a[2], a[3], 0x31));
    const vf two = _mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE));
    const vf one = _mm256_add_ps(two, _mm256_movehdup_ps(two)); // a, c and b, d in even lanes
    const __m128 acbd =
        _mm_shuffle_ps(_mm256_castps256_ps128(one), _mm256_extractf128_ps(one, 1), 0x88);
    _mm_storeu_ps(sums, _mm_shuffle_ps(acbd, acbd, 0xD8));
}
static inline float vf_highest(vf a) {
    __m128 top = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    top = _mm_max_ps(top, _mm_movehl_ps(top, top));
    return _mm_cvtss_f32(_mm_max_ss(top, _mm_movehdup_ps(top)));
}
static inline vf vf_sums(const vf a[LANES]) {
    const vf low = _mm256_hadd_ps(_mm256_hadd_ps(a[0], a[1]), _mm256_hadd_ps(a[2], a[3]));
    const vf high = _mm256_hadd_ps(_mm256_hadd_ps(a[4], a[5]), _mm256_hadd_ps(a[6], a[7]));
    return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20),
                         _mm256_permute2f128_ps(low, high, 0x31));
}

static inline vi vi_set(int32_t x) { return _mm256_set1_epi32(x); }
static inline vi vi_and(vi a, vi b) { return _mm256_and_si256(a, b); }
static inline vi vi_xor(vi a, vi b) { return _mm256_xor_si256(a, b); }
static inline vi vi_add(vi a, vi b) { return _mm256_add_epi32(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm256_or_si256(a, b); }
static inline vi vi_left(vi a, int n) { return _mm256_slli_epi32(a, n); }
static inline vi vi_right(vi a, int n) { return _mm256_srli_epi32(a, n); }
static inline vi vi_right_signed(vi a, int n) { return _mm256_srai_epi32(a, n); }
static inline vf vi_to_float(vi a) { return _mm256_cvtepi32_ps(a); }
static inline vf vi_low_half(vi a) {
    const __m256i low = _mm256_and_si256(a, _mm256_set1_epi32(0xFFFF));
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
}

static inline vb vb_broadcast(const int8_t *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    return _mm256_set1_epi32(four);
}
// Within each 16 bytes: lane i of w[s] becomes lane s of w[i].
static inline void vb_transpose(vb w[4]) {
    const __m256i ab_low = _mm256_unpacklo_epi32(w[0], w[1]),
                  cd_low = _mm256_unpacklo_epi32(w[2], w[3]);
    const __m256i ab_high = _mm256_unpackhi_epi32(w[0], w[1]),
                  cd_high = _mm256_unpackhi_epi32(w[2], w[3]);
    w[0] = _mm256_unpacklo_epi64(ab_low, cd_low);
    w[1] = _mm256_unpackhi_epi64(ab_low, cd_low);
    w[2] = _mm256_unpacklo_epi64(ab_high, cd_high);
    w[3] = _mm256_unpackhi_epi64(ab_high, cd_high);
}
static inline __m256i two_rows(const uint8_t *low, const uint8_t *high) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)low)),
        _mm_loadu_si128((const __m128i *)(const void *)high), 1);
}
static inline void vb_interleave(vb out[4], const uint8_t *const row[LANES], size_t offset) {
    out[0] = two_rows(row[0] + offset, row[4] + offset);
    out[1] = two_rows(row[1] + offset, row[5] + offset);
    out[2] = two_rows(row[2] + offset, row[6] + offset);
    out[3] = two_rows(row[3] + offset, row[7] + offset);
    vb_transpose(out);
}
static inline void vb_interleave_step(vb out[4], vb w[4], const uint8_t *const row[LANES],
                                      size_t offset, int step) {
    (void)w;
    if (step == 7) vb_interleave(out, row, offset);
}
static inline void vi_word_pairs(vi out[2], const uint8_t *const row[LANES], size_t offset) {
    __m256i part[2]; // four rows: the first words, the second ones
    for (int i = 0; i < 2; i++, row += 4) {
        __m256i w[4];
        for (int r = 0; r < 4; r++)
            w[r] = _mm256_loadu_si256((const __m256i *)(const void *)(row[r] + offset));
        part[i] = _mm256_unpacklo_epi64(_mm256_unpacklo_epi32(w[0], w[1]),
                                        _mm256_unpacklo_epi32(w[2], w[3]));
    }
    out[0] = _mm256_permute2x128_si256(part[0], part[1], 0x20);
    out[1] = _mm256_permute2x128_si256(part[0], part[1], 0x31);
}

// For segments.inc: as in simd_avx512.h, with one pair of parts.
static inline vb vb_load(const uint8_t *p) {
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
static inline vb vb_load_groups(const int8_t *first, const int8_t *second) {
    (void)second;
    return _mm256_loadu_si256((const __m256i *)(const void *)first);
}
static inline vb vb_load32(const uint8_t *p) { return vb_load(p); }
static inline vb vb_spread(vb a, int i) {
    return _mm256_shuffle_epi8(a, _mm256_set1_epi32(0x03020100 + 0x04040404 * i));
}
static inline vi vi_left_pairs(vi a, int n) { return _mm256_slli_epi32(a, n); }
static inline vi vi_right_pairs(vi a, int n) { return _mm256_srli_epi32(a, n); }
static inline vi vi_signed_byte(vi a, int i) {
    return _mm256_srai_epi32(_mm256_slli_epi32(a, 24 - 8 * i), 24);
}
static inline void vi_join_halves(vi sums[2], const vi a[2]) {
    sums[0] = _mm256_permute2x128_si256(a[0], a[1], 0x20);
    sums[1] = _mm256_permute2x128_si256(a[0], a[1], 0x31);
}

static inline vb vb_lookup(const int8_t table[16], vb a) {
    const __m128i once = _mm_loadu_si128((const __m128i *)(const void *)table);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(once), a);
}

static inline vi vi_grid(const uint16_t *grid, vi index) {
    const __m256i rows = _mm256_i32gather_epi32((const int *)(const void *)grid, index, 2);
    return _mm256_and_si256(rows, _mm256_set1_epi32(0xFFFF));
}

static inline int32_t bytes_sum16(const int8_t q[16]) {
    const __m256i wide = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)q));
    const __m256i pairs = _mm256_madd_epi16(wide, _mm256_set1_epi16(1));
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1)));
}
static inline void vf_store_bytes(int8_t *p, vf a) {
    const __m256i wide = _mm256_cvtps_epi32(a);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
    _mm_storel_epi64((__m128i *)(void *)p, _mm_packs_epi16(words, words));
}

#endif
