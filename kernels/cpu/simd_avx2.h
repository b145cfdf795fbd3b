// kernels/cpu/simd_avx2.h — the primitives of the *.inc files in AVX2, FMA and F16C.
//
// simd_generic.h says what each of them means.
#ifndef CPU_SIMD_AVX2_H
#define CPU_SIMD_AVX2_H

#include "kernels/cpu/simd_256.h"

enum { BYTE_PLANES = 2, WIDE_SUMS = 0 };

// The first operand of maddubs is unsigned and pairs are summed in int16. A signed weight
// therefore hands its sign to the activation: |w| <= 128 and |x| <= 127 fit a pair's sum.
static inline vi vi_signed_start(int32_t offset) {
    (void)offset;
    return _mm256_setzero_si256();
}
static inline vi vi_signed_dot(vi sum, vb w, vb x) {
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    __asm__ volatile("" : "+x"(sum)); // as in va_dot()
    return sum;
}

// int16 pairs, widened by va_flush() before they can overflow.
static inline va va_zero(void) { return _mm256_setzero_si256(); }
static inline va va_dot(va sum, vb w, vb x) {
    sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(w, x));
    __asm__ volatile("" : "+x"(sum)); // add now: the compiler would keep every product till the end
    return sum;
}
static inline va va_dot_four(va sum, vb w, const int8_t *x) {
    return va_dot(sum, w, vb_broadcast(x));
}
static inline vi va_flush(vi sum, va a) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, _mm256_set1_epi16(1)));
}

#endif
