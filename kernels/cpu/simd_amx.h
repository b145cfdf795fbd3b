// kernels/cpu/simd_amx.h — the primitives of matrix.inc and pairs.inc in AMX, in addition to those
// of AVX-512.
//
// A tile register has up to 16 rows of 64 bytes. C = C + A B, where A [16, 4 k] is row-major, and
// each four bytes of B [k, 64] are multiplied with four neighbouring columns of A. The vectors that
// vb_interleave() makes are rows of B as they are.
#ifndef CPU_SIMD_AMX_H
#define CPU_SIMD_AMX_H

#include <assert.h>
#include <math.h>

#include "kernels/cpu/simd_avx512.h"

static_assert(MATRIX_TOKENS == 16 && LANES == 16, "a tile of sums is full");

// Tile registers: 0 and 1 hold sums, 2 and 3 activations, 4 and 5 weights.
struct matrix_shape {
    uint8_t palette, first_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

// For products of `steps` times four columns, by this thread, until matrix_close().
static inline void matrix_open(int steps) {
    struct matrix_shape shape = {.palette = 1};
    for (int i = 0; i < 6; i++) {
        shape.rows[i] = (uint8_t)(i < 4 ? MATRIX_TOKENS : steps);
        shape.row_bytes[i] = (uint16_t)(i / 2 == 1 ? 4 * steps : 64);
    }
    __asm__ volatile("" ::"r"(&shape) : "memory"); // the intrinsic declares a read of 8 bytes only
    _tile_loadconfig(&shape);
}
static inline void matrix_close(void) { _tile_release(); }

// sums[t][lane] = the product of 4 * steps columns of each token with each row. Calls alternate
// between two sets of registers, so that a product need not wait for the previous one's sums.
static inline void matrix_dot(int set, int32_t sums[MATRIX_TOKENS][LANES], const int8_t *q,
                              const vb *w) {
    __asm__ volatile("" ::: "memory"); // the loads below do not declare that they read memory
    if (set == 0) {
        _tile_zero(0);
        _tile_loadd(2, q, 32);
        _tile_loadd(4, w, sizeof(vb));
        _tile_dpbssd(0, 2, 4);
        _tile_stored(0, sums, LANES * sizeof(int32_t));
    } else {
        _tile_zero(1);
        _tile_loadd(3, q, 32);
        _tile_loadd(5, w, sizeof(vb));
        _tile_dpbssd(1, 3, 5);
        _tile_stored(1, sums, LANES * sizeof(int32_t));
    }
}

// Two tiles of tokens and two of rows: registers 0 to 3 hold the four tiles of sums, 4 and 5 the
// tokens, 6 and 7 the rows. All tiles are full.
static inline void pairs_open(void) {
    struct matrix_shape shape = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        shape.rows[i] = MATRIX_TOKENS;
        shape.row_bytes[i] = 64;
    }
    __asm__ volatile("" ::"r"(&shape) : "memory");
    _tile_loadconfig(&shape);
}
static inline void pairs_load_sums(float sums[4][MATRIX_TOKENS][LANES]) {
    __asm__ volatile("" ::: "memory");
    _tile_loadd(0, sums[0], 64);
    _tile_loadd(1, sums[1], 64);
    _tile_loadd(2, sums[2], 64);
    _tile_loadd(3, sums[3], 64);
}
static inline void pairs_store_sums(float sums[4][MATRIX_TOKENS][LANES]) {
    _tile_stored(0, sums[0], 64);
    _tile_stored(1, sums[1], 64);
    _tile_stored(2, sums[2], 64);
    _tile_stored(3, sums[3], 64);
}
// The same with sums as rows of an array, `stride` floats apart.
static inline void pairs_load_out(const float *out, size_t stride) {
    __asm__ volatile("" ::: "memory");
    _tile_loadd(0, out, 4 * stride);
    _tile_loadd(1, out + LANES, 4 * stride);
    _tile_loadd(2, out + MATRIX_TOKENS * stride, 4 * stride);
    _tile_loadd(3, out + MATRIX_TOKENS * stride + LANES, 4 * stride);
}
static inline void pairs_store_out(float *out, size_t stride) {
    _tile_stored(0, out, 4 * stride);
    _tile_stored(1, out + LANES, 4 * stride);
    _tile_stored(2, out + MATRIX_TOKENS * stride, 4 * stride);
    _tile_stored(3, out + MATRIX_TOKENS * stride + LANES, 4 * stride);
}
static inline void pairs_clear(void) {
    __asm__ volatile("" ::: "memory");
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}
static inline void pairs_load_tokens(const struct act_bf16 *first, const struct act_bf16 *second) {
    _tile_loadd(4, first, 64);
    _tile_loadd(5, second, 64);
}
static inline void pairs_load_rows(const vb first[16], const vb second[16]) {
    _tile_loadd(6, first, 64);
    _tile_loadd(7, second, 64);
}
static inline void pairs_dot(void) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
}

// Rounds 32 columns to bf16, to nearest even.
static inline void near_columns(bf16 to[32], const vf x[2]) {
    _mm512_storeu_si512(to, (__m512i)_mm512_cvtne2ps_pbh(x[1], x[0]));
}

// a where `mask` has a bit, else -infinity.
static inline vf vf_keep(vf a, uint32_t mask) {
    return _mm512_mask_blend_ps((__mmask16)mask, _mm512_set1_ps(-INFINITY), a);
}

// Sixteen 16-bit numbers from each of two rows, side by side.
static inline vb vb_join(const uint8_t *low, const uint8_t *high) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)low);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)high);
    return _mm512_or_si512(_mm512_cvtepu16_epi32(a),
                           _mm512_slli_epi32(_mm512_cvtepu16_epi32(b), 16));
}

static inline vi vf_bits(vf a) { return _mm512_castps_si512(a); }
static inline vf vf_of_bits(vi a) { return _mm512_castsi512_ps(a); }
static inline vi vi_load(const int32_t *p) { return _mm512_load_si512(p); }
static inline vb vb_subtract(vb a, int n) { return _mm512_sub_epi8(a, _mm512_set1_epi8((char)n)); }

#endif
