// kernels/cpu/simd_avx512.h — the primitives of the *.inc files in AVX-512 F, BW, DQ, VL, VNNI.
//
// simd_generic.h says what each of them means.
#ifndef CPU_SIMD_AVX512_H
#define CPU_SIMD_AVX512_H

#include <immintrin.h>
#include <string.h>

#include "kernels/cpu/isa.h"

enum { LANES = 16, TILE_TOKENS = 8, PLAIN_TOKENS = 6, BYTE_PLANES = 1, WIDE_SUMS = 1 };

typedef __m512 vf;
typedef __m512i vi;
typedef __m512i vb;
typedef __m512i va;

static inline void vf_settle(vf *a) { __asm__ volatile("" : "+v"(*a)); }
static inline vf vf_zero(void) { return _mm512_setzero_ps(); }
static inline vf vf_set(float x) { return _mm512_set1_ps(x); }
static inline vf vf_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void vf_store(float *p, vf a) { _mm512_storeu_ps(p, a); }
static inline vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vf vf_div(vf a, vf b) { return _mm512_div_ps(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline vf vf_max(vf a, vf b) { return _mm512_max_ps(a, b); }
static inline vf vf_abs(vf a) { return _mm512_andnot_ps(_mm512_set1_ps(-0.0F), a); }
static inline vf vf_round(vf a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vf vf_zero_below(vf a, vf x, float limit) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_set1_ps(limit), _CMP_NLT_UQ), a);
}
static inline vf vf_scale_by_power(vf a, vf n) { return _mm512_scalef_ps(a, n); }
static inline vf vf_load_half(const half *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
static inline vf vf_load_bf16(const bf16 *p) {
    const __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
// An e4m3's bits in a half's places are 2^-8 of it. Its NaN becomes a number; caches hold none.
static inline vf vf_load_fp8(const uint8_t *p) {
    const __m256i bytes = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p));
    const __m256i sign = _mm256_slli_epi16(_mm256_and_si256(bytes, _mm256_set1_epi16(0x80)), 8);
    const __m256i rest = _mm256_slli_epi16(_mm256_and_si256(bytes, _mm256_set1_epi16(0x7F)), 7);
    return _mm512_mul_ps(_mm512_cvtph_ps(_mm256_or_si256(sign, rest)), _mm512_set1_ps(256));
}
static inline vf vf_load_int8(const int8_t *p) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}
static inline void vf_store_half(half *p, vf a) {
    _mm256_storeu_si256((__m256i *)(void *)p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

static inline float vf_sum(vf a) { return _mm512_reduce_add_ps(a); }
static inline float vf_highest(vf a) { return _mm512_reduce_max_ps(a); }
// vf_sum() of each of four: halves of 8, then of 4, 2 and 1 lanes are added.
static inline void vf_four_sums(float sums[4], const vf a[4]) {
    const vf ab = _mm512_add_ps(_mm512_shuffle_f32x4(a[0], a[1], 0x44),
                                _mm512_shuffle_f32x4(a[0], a[1], 0xEE));
    const vf cd = _mm512_add_ps(_mm512_shuffle_f32x4(a[2], a[3], 0x44),
                                _mm512_shuffle_f32x4(a[2], a[3], 0xEE));
    const vf four =
        _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xDD));
    const vf two = _mm512_add_ps(four, _mm512_permute_ps(four, 0x4E));
    const vf one = _mm512_add_ps(two, _mm512_permute_ps(two, 0xB1));
    _mm_storeu_ps(sums, _mm512_castps512_ps128(_mm512_maskz_compress_ps(0x1111, one)));
}
// Reduces four vectors to one whose 128-bit quarter i holds the quarter sums of a[0..3].
static inline vf four_sums(const vf a[4]) {
    const vf ab = _mm512_add_ps(_mm512_unpacklo_ps(a[0], a[1]), _mm512_unpackhi_ps(a[0], a[1]));
    const vf cd = _mm512_add_ps(_mm512_unpacklo_ps(a[2], a[3]), _mm512_unpackhi_ps(a[2], a[3]));
    return _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xEE));
}
static inline vf vf_sums(const vf a[LANES]) {
    const vf p = four_sums(a), q = four_sums(a + 4), r = four_sums(a + 8), s = four_sums(a + 12);
    const vf pq = _mm512_add_ps(_mm512_shuffle_f32x4(p, q, 0x88), _mm512_shuffle_f32x4(p, q, 0xDD));
    const vf rs = _mm512_add_ps(_mm512_shuffle_f32x4(r, s, 0x88), _mm512_shuffle_f32x4(r, s, 0xDD));
    return _mm512_add_ps(_mm512_shuffle_f32x4(pq, rs, 0x88), _mm512_shuffle_f32x4(pq, rs, 0xDD));
}

static inline vi vi_set(int32_t x) { return _mm512_set1_epi32(x); }
static inline vi vi_and(vi a, vi b) { return _mm512_and_si512(a, b); }
static inline vi vi_xor(vi a, vi b) { return _mm512_xor_si512(a, b); }
static inline vi vi_add(vi a, vi b) { return _mm512_add_epi32(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm512_or_si512(a, b); }
static inline vi vi_left(vi a, int n) { return (vi)((__v16su)a << n); }
static inline vi vi_right(vi a, int n) { return (vi)((__v16su)a >> n); }
static inline vi vi_right_signed(vi a, int n) { return (vi)((__v16si)a >> n); }
static inline vf vi_to_float(vi a) { return _mm512_cvtepi32_ps(a); }
static inline vf vi_low_half(vi a) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(a)); }

static inline vb vb_broadcast(const int8_t *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    return _mm512_set1_epi32(four);
}
static inline __m128i load16(const uint8_t *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}
// Within each 16 bytes: lane i of w[s] becomes lane s of w[i].
static inline void vb_transpose(vb w[4]) {
    const __m512i ab_low = _mm512_unpacklo_epi32(w[0], w[1]),
                  cd_low = _mm512_unpacklo_epi32(w[2], w[3]);
    const __m512i ab_high = _mm512_unpackhi_epi32(w[0], w[1]),
                  cd_high = _mm512_unpackhi_epi32(w[2], w[3]);
    w[0] = _mm512_unpacklo_epi64(ab_low, cd_low);
    w[1] = _mm512_unpackhi_epi64(ab_low, cd_low);
    w[2] = _mm512_unpacklo_epi64(ab_high, cd_high);
    w[3] = _mm512_unpackhi_epi64(ab_high, cd_high);
}
static inline __m256i two_rows(const uint8_t *low, const uint8_t *high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load16(low)), load16(high), 1);
}
static inline __m512i four_rows(const uint8_t *const row[LANES], int first, size_t offset) {
    const __m256i low = two_rows(row[first] + offset, row[first + 4] + offset);
    const __m256i high = two_rows(row[first + 8] + offset, row[first + 12] + offset);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
// Step 0 … 7 of vb_interleave(), between which `w` is kept.
static inline void vb_interleave_step(vb out[4], vb w[4], const uint8_t *const row[LANES],
                                      size_t offset, int step) {
    if (step < 4) w[step] = four_rows(row, step, offset);
    if (step == 4 || step == 5) {
        const int i = 2 * (step - 4);
        const vb low = _mm512_unpacklo_epi32(w[i], w[i + 1]);
        w[i + 1] = _mm512_unpackhi_epi32(w[i], w[i + 1]);
        w[i] = low;
    }
    if (step == 6 || step == 7) {
        const int i = step - 6;
        out[2 * i] = _mm512_unpacklo_epi64(w[i], w[i + 2]);
        out[2 * i + 1] = _mm512_unpackhi_epi64(w[i], w[i + 2]);
    }
}
static inline void vb_interleave(vb out[4], const uint8_t *const row[LANES], size_t offset) {
    out[0] = four_rows(row, 0, offset);
    out[1] = four_rows(row, 1, offset);
    out[2] = four_rows(row, 2, offset);
    out[3] = four_rows(row, 3, offset);
    vb_transpose(out);
}
static inline __m512i two_long_rows(const uint8_t *low, const uint8_t *high) {
    const __m512i first =
        _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)low));
    return _mm512_inserti64x4(first, _mm256_loadu_si256((const __m256i *)(const void *)high), 1);
}
static inline void vi_word_pairs(vi out[2], const uint8_t *const row[LANES], size_t offset) {
    // Rows 0 … 7 and 8 … 15; quarters are the first words of four rows, and the second ones.
    __m512i part[2];
    for (int i = 0; i < 2; i++, row += 8) {
        const __m512i ab = _mm512_unpacklo_epi32(two_long_rows(row[0] + offset, row[4] + offset),
                                                 two_long_rows(row[1] + offset, row[5] + offset));
        const __m512i cd = _mm512_unpacklo_epi32(two_long_rows(row[2] + offset, row[6] + offset),
                                                 two_long_rows(row[3] + offset, row[7] + offset));
        part[i] = _mm512_unpacklo_epi64(ab, cd);
    }
    out[0] = _mm512_shuffle_i32x4(part[0], part[1], 0x88);
    out[1] = _mm512_shuffle_i32x4(part[0], part[1], 0xDD);
}

// For segments.inc. A vector has four parts of 16 bytes, two pairs of them. Pairs are shifted by
// different counts: the second by 2 bits less to the left, or more to the right, than the first.
// vb_load32() has the same 32 bytes in both; vb_load_groups() 32 of each pointer. vb_spread()
// copies lane i of each part to all of the part. vi_join_halves() takes the sums of four sets of
// four rows: sums[p] has part p of all rows.
static inline vb vb_load(const uint8_t *p) { return _mm512_loadu_si512(p); }
static inline vb vb_load_groups(const int8_t *first, const int8_t *second) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)first);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)second);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
static inline vb vb_load32(const uint8_t *p) {
    return _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
static inline vb vb_spread(vb a, int i) {
    return _mm512_shuffle_epi8(
        a, _mm512_add_epi8(_mm512_set1_epi32(0x03020100), _mm512_set1_epi8((char)(4 * i))));
}
static inline vi pair_counts(int first, int second) {
    return _mm512_inserti64x4(_mm512_set1_epi32(first), _mm256_set1_epi32(second), 1);
}
static inline vi vi_left_pairs(vi a, int n) { return _mm512_sllv_epi32(a, pair_counts(n, n - 2)); }
static inline vi vi_right_pairs(vi a, int n) { return _mm512_srlv_epi32(a, pair_counts(n, n + 2)); }
static inline vi vi_signed_byte(vi a, int i) {
    return _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_set1_epi32(1 << 8 * i), a);
}
static inline void vi_join_halves(vi sums[4], const vi a[4]) {
    const __m512i ab_even = _mm512_shuffle_i32x4(a[0], a[1], 0x88),
                  cd_even = _mm512_shuffle_i32x4(a[2], a[3], 0x88);
    const __m512i ab_odd = _mm512_shuffle_i32x4(a[0], a[1], 0xDD),
                  cd_odd = _mm512_shuffle_i32x4(a[2], a[3], 0xDD);
    sums[0] = _mm512_shuffle_i32x4(ab_even, cd_even, 0x88);
    sums[1] = _mm512_shuffle_i32x4(ab_odd, cd_odd, 0x88);
    sums[2] = _mm512_shuffle_i32x4(ab_even, cd_even, 0xDD);
    sums[3] = _mm512_shuffle_i32x4(ab_odd, cd_odd, 0xDD);
}

static inline vb vb_lookup(const int8_t table[16], vb a) {
    const __m128i once = _mm_loadu_si128((const __m128i *)(const void *)table);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(once), a);
}

static inline vi vi_grid(const uint16_t *grid, vi index) {
    const __m512i rows = _mm512_i32gather_epi32(index, grid, 2);
    return _mm512_and_si512(rows, _mm512_set1_epi32(0xFFFF));
}

// The first operand of dpbusd is unsigned, so a signed weight gets 128 added and the sum starts
// at -128 times the sum of the activations.
static inline vi vi_signed_start(int32_t offset) { return _mm512_set1_epi32(16 * offset); }
static inline vi vi_signed_dot(vi sum, vb w, vb x) {
    return _mm512_dpbusd_epi32(sum, _mm512_xor_si512(w, _mm512_set1_epi8((char)0x80)), x);
}

static inline va va_zero(void) { return _mm512_setzero_si512(); }
static inline va va_dot(va sum, vb w, vb x) { return _mm512_dpbusd_epi32(sum, w, x); }
static inline vi va_flush(vi sum, va a) { return _mm512_add_epi32(sum, a); }
// GCC 12 would load the four bytes into a vector of their own first.
static inline va va_dot_four(va sum, vb w, const int8_t *x) {
    struct four {
        int8_t bytes[4];
    };
    __asm__("vpdpbusd %2%{1to16%}, %1, %0"
            : "+v"(sum)
            : "v"(w), "m"(*(const struct four *)(const void *)x));
    return sum;
}

static inline int32_t bytes_sum16(const int8_t q[16]) {
    const __m512i wide = _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)q));
    return _mm512_reduce_add_epi32(wide);
}
static inline void vf_store_bytes(int8_t *p, vf a) {
    _mm_storeu_si128((__m128i *)(void *)p, _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(a)));
}

#endif
