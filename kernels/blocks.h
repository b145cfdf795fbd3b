// kernels/blocks.h — how the bytes of a quantised block are laid out. Private to kernels/.
//
// The block layouts of the ggml project: facts of the GGUF file format. The structs are
// packed, so a block may start at any byte of a mapped file.
#ifndef KERNELS_BLOCKS_H
#define KERNELS_BLOCKS_H

#include <assert.h>
#include <stdint.h>

#include "kernels/dtype_table.h"
#include "kernels/grids.h"
#include "kernels/half.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BLOCK_ELEMENTS = 32, NVFP4_ELEMENTS = 64, PACKED_SCALE_BYTES = 12 };

#define PACKED __attribute__((packed))

struct PACKED block_q8_0 { // value i = d * q[i]
    half d;
    int8_t q[BLOCK_ELEMENTS];
};

struct PACKED block_q4_0 { // value = d * (q - 8); low nibbles are elements 0..15, high 16..31
    half d;
    uint8_t q[BLOCK_ELEMENTS / 2];
};

struct PACKED block_q4_1 { // value = d * q + m; nibbles as q4_0
    half d, m;
    uint8_t q[BLOCK_ELEMENTS / 2];
};

struct PACKED block_q5_0 { // value = d * (q - 16); bit i of `high` is the fifth of element i
    half d;
    uint8_t high[BLOCK_ELEMENTS / 8];
    uint8_t q[BLOCK_ELEMENTS / 2]; // nibbles as q4_0
};

struct PACKED block_q5_1 { // value = d * q + m; bits as q5_0
    half d, m;
    uint8_t high[BLOCK_ELEMENTS / 8];
    uint8_t q[BLOCK_ELEMENTS / 2];
};

// Sixteen groups of 16: value = d * scale * q - dmin * min, the scale being the low nibble of
// scales[g], the min the high one. Each half of 128 elements has 32 bytes of q: quarter k of it
// takes bits 2k and 2k + 1 of q[l].
struct PACKED block_q2_k {
    uint8_t scales[SUPER_ELEMENTS / 16];
    uint8_t q[SUPER_ELEMENTS / 4];
    half d, dmin;
};

// Sixteen groups of 16: value = d * scale[g] * (q - 4), scales packed (q3_k_scale). The low two
// bits of q lie as in q2_k; bit g of high[l] is the third of element l of the g-th 32.
struct PACKED block_q3_k {
    uint8_t high[SUPER_ELEMENTS / 8];
    uint8_t q[SUPER_ELEMENTS / 4];
    uint8_t scales[PACKED_SCALE_BYTES];
    half d;
};

// Eight groups of 32: value = d * scale[g] * q - dmin * min[g], scale and min packed in six
// bits. Each 32 bytes of q hold two groups: the low nibbles, then the high nibbles.
struct PACKED block_q4_k {
    half d, dmin;
    uint8_t scales[PACKED_SCALE_BYTES];
    uint8_t q[SUPER_ELEMENTS / 2];
};

struct PACKED block_q5_k { // as q4_k; bit g of high[l] is the fifth bit of element l of group g
    half d, dmin;
    uint8_t scales[PACKED_SCALE_BYTES];
    uint8_t high[SUPER_ELEMENTS / 8];
    uint8_t q[SUPER_ELEMENTS / 2];
};

// Sixteen groups of 16: value = d * scales[g] * (q - 32). Each half of 128 elements has 64
// bytes of `low` and 32 of `high`: quarter k of it takes the low (k < 2) or high nibbles of
// low[32 * (k % 2) + l], and bits 2k and 2k + 1 of high[l].
struct PACKED block_q6_k {
    uint8_t low[SUPER_ELEMENTS / 2];
    uint8_t high[SUPER_ELEMENTS / 4];
    int8_t scales[SUPER_ELEMENTS / 16];
    half d;
};

struct PACKED block_iq4_nl { // value = d * iq4_values[q]; nibbles as q4_0
    half d;
    uint8_t q[BLOCK_ELEMENTS / 2];
};

// Eight groups of 32: value = d * scale[g] * iq4_values[q], scales packed (iq4_xs_scale); each
// group's 16 bytes have nibbles as q4_0.
struct PACKED block_iq4_xs {
    half d;
    uint8_t high[2], low[SUPER_ELEMENTS / 64];
    uint8_t q[SUPER_ELEMENTS / 2];
};

// Value = 2^(exponent - 127) * fp4_values[q] / 2: a float of one sign, two exponent and one
// fraction bit (OCP Microscaling Formats 1.0); nibbles as q4_0.
struct PACKED block_mxfp4 {
    uint8_t exponent;
    uint8_t q[BLOCK_ELEMENTS / 2];
};

// Four groups of 16: value = nvfp4_scale(scales[g]) * fp4_values[q]; a group's 8 bytes of q are its
// first eight elements in their low nibbles, the others in the high ones. A matrix has one scale
// more (struct weight, backend.h).
struct PACKED block_nvfp4 {
    uint8_t scales[4];
    uint8_t q[NVFP4_ELEMENTS / 2];
};

// Value = d * (q - 1), q being digits of three: digit n of a byte is tq1_0_digit(). The digits n
// of q[0 ... 31] are 32 values, n = 0 ... 4; then those of q[32 ... 47] 16 each; then those of
// last[0 ... 3] four each, n = 0 ... 3.
struct PACKED block_tq1_0 {
    uint8_t q[48], last[4];
    half d;
};

struct PACKED block_tq2_0 { // value = d * (q - 1); two bits each, as in q2_k
    uint8_t q[SUPER_ELEMENTS / 4];
    half d;
};

#undef PACKED

extern const int8_t iq4_values[16], fp4_values[16];

// The values of one block of a quantised type.
void block_to_float(enum dtype type, const void *block, float *values);

#define BLOCK(id, name, gguf, bytes, ...)                                    \
    static_assert(sizeof(struct block_##name) == (bytes), "as in the file"); \
    void name##_to_float(const struct block_##name *block, float *values);
PACKED_DTYPE_MAP(BLOCK)
#undef BLOCK

// Group g's scale and min, 0 to 63 each: groups 0..3 lie in the low six bits of bytes g and
// g + 4; groups 4..7 have four bits in a nibble of byte g + 4 and two on top of those bytes.
static inline void packed_scale(const uint8_t scales[PACKED_SCALE_BYTES], int g, uint8_t *scale,
                                uint8_t *min) {
    if (g < 4) {
        *scale = scales[g] & 63;
        *min = scales[g + 4] & 63;
    } else {
        *scale = (uint8_t)((scales[g + 4] & 15) | (scales[g - 4] >> 6) << 4);
        *min = (uint8_t)((scales[g + 4] >> 4) | (scales[g] >> 6) << 4);
    }
}

// Bit i of 32.
static inline int high_bit(const uint8_t high[4], int i) { return high[i / 8] >> i % 8 & 1; }

// Group g's scale, -32 to 31: four bits in a nibble of bytes 0 ... 7, low ones first; two of byte
// 8 + g % 4 on top.
static inline int q3_k_scale(const uint8_t scales[PACKED_SCALE_BYTES], int g) {
    const int low = g < 8 ? scales[g] & 15 : scales[g - 8] >> 4;
    return (low | (scales[8 + g % 4] >> g / 4 * 2 & 3) << 4) - 32;
}

// The same for IQ4_XS: a nibble of `low`, with two bits of the 16 of `high` on top.
static inline int iq4_xs_scale(const struct block_iq4_xs *block, int g) {
    const int low = block->low[g / 2] >> g % 2 * 4 & 15;
    return (low | (block->high[g / 4] >> g % 4 * 2 & 3) << 4) - 32;
}

// Half of an e4m3 without its sign, because the table holds the values doubled; 0x7F is 0. With the
// sign's bit set it is a number like the others. The bits in a half's places are 2^-8 of it.
static inline float nvfp4_scale(uint8_t byte) {
    return byte == 0x7F ? 0 : half_to_float((half)((byte & 0x7F) << 7)) * 0x1p7F;
}

// A byte is a fraction in 256ths; base-3 digit n is the n-th after the point.
static inline int tq1_0_digit(uint8_t byte, int n) {
    static const uint8_t power[5] = {1, 3, 9, 27, 81};
    return (uint8_t)(byte * power[n]) * 3 >> 8;
}

#ifdef __cplusplus
}
#endif
#endif
