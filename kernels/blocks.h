// kernels/blocks.h — how the bytes of a quantised block are laid out. Private to kernels/.
//
// The block layouts of the ggml project: facts of the GGUF file format. The structs are
// packed, so a block may start at any byte of a mapped file.
#ifndef KERNELS_BLOCKS_H
#define KERNELS_BLOCKS_H

#include <assert.h>
#include <stdint.h>

#include "kernels/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BLOCK_ELEMENTS = 32, SUPER_ELEMENTS = 256, PACKED_SCALE_BYTES = 12 };

#define PACKED __attribute__((packed))

struct PACKED block_q8_0 { // value i = d * q[i]
    half d;
    int8_t q[BLOCK_ELEMENTS];
};

struct PACKED block_q4_0 { // value = d * (q - 8); low nibbles are elements 0..15, high 16..31
    half d;
    uint8_t q[BLOCK_ELEMENTS / 2];
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

#undef PACKED

static_assert(sizeof(struct block_q8_0) == 34, "as in the file");
static_assert(sizeof(struct block_q4_0) == 18, "as in the file");
static_assert(sizeof(struct block_q4_k) == 144, "as in the file");
static_assert(sizeof(struct block_q5_k) == 176, "as in the file");
static_assert(sizeof(struct block_q6_k) == 210, "as in the file");

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

#ifdef __cplusplus
}
#endif
#endif
