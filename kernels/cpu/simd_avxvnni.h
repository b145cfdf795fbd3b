// kernels/cpu/simd_avxvnni.h — the primitives of the *.inc files in AVX2, FMA, F16C and AVX-VNNI,
// which laptops and small servers have without AVX-512.
//
// simd_generic.h says what each of them means.
#ifndef CPU_SIMD_AVXVNNI_H
#define CPU_SIMD_AVXVNNI_H

#include "kernels/cpu/simd_256.h"

enum { BYTE_PLANES = 1, WIDE_SUMS = 1 };

// The first operand of dpbusd is unsigned, so a signed weight gets 128 added and the sum starts
// at -128 times the sum of the activations.
static inline vi vi_signed_start(int32_t offset) { return _mm256_set1_epi32(16 * offset); }
static inline vi vi_signed_dot(vi sum, vb w, vb x) {
    return _mm256_dpbusd_avx_epi32(sum, _mm256_xor_si256(w, _mm256_set1_epi8((char)0x80)), x);
}

static inline va va_zero(void) { return _mm256_setzero_si256(); }
static inline va va_dot(va sum, vb w, vb x) { return _mm256_dpbusd_avx_epi32(sum, w, x); }
static inline va va_dot_four(va sum, vb w, const int8_t *x) {
    return va_dot(sum, w, vb_broadcast(x));
}
static inline vi va_flush(vi sum, va a) { return _mm256_add_epi32(sum, a); }

#endif
