// kernels/half.h — numbers of sixteen bits, and what they are in thirty-two.
#ifndef KERNELS_HALF_H
#define KERNELS_HALF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t half; // the bits of an IEEE binary16; only kernels do arithmetic on it
typedef uint16_t bf16; // the bits of a bfloat16

float half_to_float(half value);
half float_to_half(float value); // round to nearest even, overflow to infinity
float bf16_to_float(bf16 value);
bf16 float_to_bf16(float value); // round to nearest even

#ifdef __cplusplus
}
#endif
#endif
