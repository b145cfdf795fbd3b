#include "kernels/half.h"

#include <string.h>

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// binary16: sign 1, exponent 5 (bias 15), fraction 10. A subnormal is fraction * 2^-24, which
// fp32 holds exactly, so the multiplication below is exact.
float half_to_float(half value) {
    const uint32_t sign = (uint32_t)(value & 0x8000) << 16;
    const uint32_t exponent = (value >> 10) & 31, fraction = value & 1023;
    if (exponent == 0) return float_of_bits(sign | float_bits((float)fraction * 0x1p-24f));
    if (exponent == 31) return float_of_bits(sign | 0x7F800000u | fraction << 13);
    return float_of_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

// Drops `drop` low bits of `bits`, rounding to nearest and ties to even. A carry runs into the
// exponent, which is the rounding up to the next power of two, or to infinity.
static uint32_t round_shift(uint32_t bits, unsigned drop) {
    const uint32_t odd = (bits >> drop) & 1, below_half = (1u << (drop - 1)) - 1;
    return (bits + below_half + odd) >> drop;
}

half float_to_half(float value) {
    const uint32_t bits = float_bits(value), magnitude = bits & 0x7FFFFFFFu;
    const uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t result;
    if (magnitude > 0x7F800000u)
        result = 0x7E00u | (magnitude >> 13 & 1023); // a quiet NaN keeps its payload's top
    else if (magnitude >= 0x47800000u)               // 65536 and above
        result = 0x7C00u;
    else if (magnitude >= 0x38800000u) // 2^-14, the smallest normal half
        result = round_shift(magnitude - ((127 - 15) << 23), 13);
    else if (magnitude >= 0x33000000u) // 2^-25, half of the smallest subnormal
        result = round_shift((magnitude & 0x7FFFFFu) | 0x800000u, 126 - (magnitude >> 23));
    else
        result = 0;
    return (half)(sign | result);
}

bf16 float_to_bf16(float value) {
    const uint32_t bits = float_bits(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return (bf16)(bits >> 16 | 0x40);
    return (bf16)round_shift(bits, 16);
}

float fp8_to_float(uint8_t value) {
    const uint32_t exponent = value >> 3 & 15, fraction = value & 7;
    const uint32_t sign = (uint32_t)(value & 0x80) << 24;
    if ((value & 0x7F) == 0x7F) return float_of_bits(sign | 0x7FC00000u);
    if (exponent == 0) return float_of_bits(sign | float_bits((float)fraction * 0x1p-9f));
    return float_of_bits(sign | (exponent + 127 - 7) << 23 | fraction << 20);
}
