// kernels/half.h — floating-point numbers of 16 and of 8 bits, and what they are in 32.
#ifndef KERNELS_HALF_H
#define KERNELS_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t half; // the bits of an IEEE binary16; only kernels do arithmetic on it
typedef uint16_t bf16; // the bits of a bfloat16

float half_to_float(half value);
half float_to_half(float value); // round to nearest even, overflow to infinity

static inline float bf16_to_float(bf16 value) {
    const uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}
bf16 float_to_bf16(float value); // round to nearest even

// An e4m3 of the OCP's 8-bit formats (arXiv 2209.05433): sign 1, exponent 4 (bias 7), fraction 3;
// no infinity, NaN 0x7F and 0xFF, 448 the largest.
float fp8_to_float(uint8_t value);

// A finite value to the nearest e4m3, ties to even; larger than 448 it becomes 448. Without
// branches, so that a loop of it is vectorised.
static inline uint8_t float_to_fp8(float value) {
    const float magic = 0x1.8p23f, shifted = value * 512 + magic; // to whole multiples of 2^-9
    uint32_t bits, rounded, start;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&rounded, &shifted, sizeof rounded);
    memcpy(&start, &magic, sizeof start);
    const uint32_t sign = bits >> 24 & 0x80u, magnitude = bits & 0x7FFFFFFFu;
    const uint32_t normal =
        ((magnitude + 0x7FFFFu + (magnitude >> 20 & 1)) >> 20) - ((127 - 7) << 3);
    const uint32_t steps = sign ? start - rounded : rounded - start;
    const uint32_t code = magnitude < 0x3C800000u ? steps : normal; // 2^-6, the smallest normal one
    return (uint8_t)(sign | (code < 0x7Eu ? code : 0x7Eu));
}

#ifdef __cplusplus
}
#endif
#endif
