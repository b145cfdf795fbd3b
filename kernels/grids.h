// kernels/grids.h — blocks whose values are rows of a code book: IQ1, IQ2 and IQ3.
//
// The layouts and code books of the ggml project: facts of the GGUF file format. A block is 256
// values; an index picks a row of the type's code book, which is the levels of eight values (IQ1,
// IQ2: three levels) or of four (IQ3: eight levels). Signs, or IQ1's shift, are stored next to it.
//
// Here a row is a number of four nibbles, so that one way of spreading nibbles to bytes serves
// all: nibble i of IQ1 and IQ2 is the level of value i and, four times it, of value i + 4; nibble
// i of IQ3 is the level of value i. A level and its sign index the type's table of values.
#ifndef KERNELS_GRIDS_H
#define KERNELS_GRIDS_H

#include <stdint.h>

#include "kernels/half.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SUPER_ELEMENTS = 256, SUPER_GROUPS = 8, OCTETS = 32 }; // groups of 32, octets of 8 values

#define PACKED __attribute__((packed))

// IQ1: value = d * (2 * scale + 1) * (level - 1 + 1/8 or - 1/8), that is / 8 * iq1_values[...].

// Octet o's index has its low byte in q[o] and three bits on top at bit 3 * (o % 4) of
// high[o / 4]; there bits 12 to 14 are the group's scale and bit 15 makes its shift - 1/8.
struct PACKED block_iq1_s {
    half d;
    uint8_t q[OCTETS];
    uint16_t high[SUPER_GROUPS];
};

// Nibble o of `high` has three bits on top of q[o], and bit 3 makes the octet's shift - 1/8. Each
// 16 values have a scale: number s % 4 of the three-bit fields of scales[s / 4]. Bits 12 to 15 of
// the four are d, the lowest first.
struct PACKED block_iq1_m {
    uint8_t q[OCTETS];
    uint8_t high[OCTETS / 2];
    uint16_t scales[4];
};

// IQ2: value = d * (2 * scale + 1) / 8 * iq2_values[...].

// A group: four indices, then 32 bits: four times seven signs (all_signs()) and the scale on top.
struct PACKED block_iq2_xxs {
    half d;
    struct PACKED {
        uint8_t q[4];
        uint32_t signs_and_scale;
    } groups[SUPER_GROUPS];
};

// An octet: nine bits of index, seven signs. Each 16 values have a scale, a nibble of `scales`.
struct PACKED block_iq2_xs {
    half d;
    uint16_t q[OCTETS];
    uint8_t scales[SUPER_GROUPS];
};

// Octet o's index has two bits on top at bit 2 * (o % 4) of high[o / 4]; eight signs; scales as
// in iq2_xs.
struct PACKED block_iq2_s {
    half d;
    uint8_t q[OCTETS], signs[OCTETS];
    uint8_t high[SUPER_GROUPS], scales[SUPER_GROUPS];
};

// IQ3_XXS: value = d * (2 * scale + 1) / 4 * iq3_xxs_values[...]. An index for each four values;
// signs and scale of each group as in iq2_xxs.
struct PACKED block_iq3_xxs {
    half d;
    uint8_t q[2 * OCTETS];
    uint32_t signs_and_scale[SUPER_GROUPS];
};

// IQ3_S: value = d * (2 * scale + 1) * iq3_s_values[...]. Bit i of high[g] is on top of the
// index q[8 * g + i]; eight signs for each octet; a group's scale is a nibble of `scales`.
struct PACKED block_iq3_s {
    half d;
    uint8_t q[2 * OCTETS];
    uint8_t high[SUPER_GROUPS], signs[OCTETS];
    uint8_t scales[SUPER_GROUPS / 2];
};

#undef PACKED

// The code books, each followed by a row of zeros, so that the last row too can be read as the
// lower half of 32 bits.
#define GRID_ROWS(rows) ((rows) + 1)
extern const uint16_t iq1_grid[GRID_ROWS(2048)];
extern const uint16_t iq2_xxs_grid[GRID_ROWS(256)], iq2_xs_grid[GRID_ROWS(512)];
extern const uint16_t iq2_s_grid[GRID_ROWS(1024)];
extern const uint16_t iq3_xxs_grid[GRID_ROWS(256)], iq3_s_grid[GRID_ROWS(512)];

// By level + 4 * sign (iq1: the shift's sign; in eighths) or, of the iq3, level + 8 * sign.
extern const int8_t iq1_values[16], iq2_values[16], iq3_xxs_values[16], iq3_s_values[16];

// Eight signs from seven: their number is even.
static inline uint8_t all_signs(uint32_t seven) {
    uint32_t parity = seven ^ seven >> 4;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    return (uint8_t)(seven | (parity & 1) << 7);
}

static inline half iq1_m_unit(const struct block_iq1_m *block) {
    return (half)(block->scales[0] >> 12 | (block->scales[1] >> 12) << 4 |
                  (block->scales[2] >> 12) << 8 | (block->scales[3] >> 12) << 12);
}

#ifdef __cplusplus
}
#endif
#endif
