// kernels/blocks_grids.c — the code books, and the values that a block of their rows stands for.
//
// Every value is exact in fp32: d has 11 bits, the scale at most 5, a step of a table at most 6.
#include "kernels/blocks.h"

#define GRID(name, rows) const uint16_t name##_grid[GRID_ROWS(rows)]
#include "kernels/grids.inc"
#undef GRID

const int8_t iq1_values[16] = {-7, 1, 9, 0, -9, -1, 7, 0};
const int8_t iq2_values[16] = {8, 25, 43, 0, -8, -25, -43, 0};
const int8_t iq3_xxs_values[16] = {4,  12,  20,  28,  36,  44,  52,  62,
                                   -4, -12, -20, -28, -36, -44, -52, -62};
const int8_t iq3_s_values[16] = {1, 3, 5, 7, 9, 11, 13, 15, -1, -3, -5, -7, -9, -11, -13, -15};

// Eight values of a row of three levels; bit i of `signs` is the sign of value i.
static void octet_to_float(uint16_t row, const int8_t table[16], unsigned signs, float unit,
                           float values[8]) {
    for (int i = 0; i < 8; i++) {
        const unsigned level = (unsigned)row >> (4 * (i % 4) + 2 * (i / 4)) & 3,
                       sign = signs >> i & 1;
        values[i] = unit * (float)table[level + 4 * sign];
    }
}

// Four values of a row of eight levels.
static void quartet_to_float(uint16_t row, const int8_t table[16], unsigned signs, float unit,
                             float values[4]) {
    for (int i = 0; i < 4; i++) {
        const unsigned level = (unsigned)row >> 4 * i & 7, sign = signs >> i & 1;
        values[i] = unit * (float)table[level + 8 * sign];
    }
}

void iq1_s_to_float(const struct block_iq1_s *block, float *values) {
    const float d = half_to_float(block->d);
    for (int o = 0; o < OCTETS; o++) {
        const unsigned high = block->high[o / 4], scale = high >> 12 & 7;
        const unsigned index = block->q[o] | (high >> 3 * (o % 4) & 7) << 8;
        octet_to_float(iq1_grid[index], iq1_values, high >> 15 ? 255 : 0,
                       d * (float)(2 * scale + 1) * 0.125F, values + 8 * o);
    }
}

void iq1_m_to_float(const struct block_iq1_m *block, float *values) {
    const float d = half_to_float(iq1_m_unit(block));
    for (int o = 0; o < OCTETS; o++) {
        const unsigned high = block->high[o / 2] >> o % 2 * 4 & 15, index = block->q[o];
        const unsigned scale = block->scales[o / 8] >> 3 * (o / 2 % 4) & 7;
        octet_to_float(iq1_grid[index | (high & 7) << 8], iq1_values, high >> 3 ? 255 : 0,
                       d * (float)(2 * scale + 1) * 0.125F, values + 8 * o);
    }
}

void iq2_xxs_to_float(const struct block_iq2_xxs *block, float *values) {
    const float d = half_to_float(block->d);
    for (int o = 0; o < OCTETS; o++) {
        const uint32_t bits = block->groups[o / 4].signs_and_scale;
        octet_to_float(iq2_xxs_grid[block->groups[o / 4].q[o % 4]], iq2_values,
                       all_signs(bits >> 7 * (o % 4) & 127),
                       d * (float)(2 * (bits >> 28) + 1) * 0.125F, values + 8 * o);
    }
}

void iq2_xs_to_float(const struct block_iq2_xs *block, float *values) {
    const float d = half_to_float(block->d);
    for (int o = 0; o < OCTETS; o++) {
        const unsigned q = block->q[o],
                       scale = (unsigned)block->scales[o / 4] >> o / 2 % 2 * 4 & 15;
        octet_to_float(iq2_xs_grid[q & 511], iq2_values, all_signs(q >> 9),
                       d * (float)(2 * scale + 1) * 0.125F, values + 8 * o);
    }
}

void iq2_s_to_float(const struct block_iq2_s *block, float *values) {
    const float d = half_to_float(block->d);
    for (int o = 0; o < OCTETS; o++) {
        const unsigned index = block->q[o] | ((unsigned)block->high[o / 4] >> 2 * (o % 4) & 3) << 8;
        const unsigned scale = (unsigned)block->scales[o / 4] >> o / 2 % 2 * 4 & 15;
        octet_to_float(iq2_s_grid[index], iq2_values, block->signs[o],
                       d * (float)(2 * scale + 1) * 0.125F, values + 8 * o);
    }
}

void iq3_xxs_to_float(const struct block_iq3_xxs *block, float *values) {
    const float d = half_to_float(block->d);
    for (int q = 0; q < 2 * OCTETS; q++) {
        const uint32_t bits = block->signs_and_scale[q / 8];
        const unsigned signs = all_signs(bits >> 7 * (q / 2 % 4) & 127);
        quartet_to_float(iq3_xxs_grid[block->q[q]], iq3_xxs_values, signs >> q % 2 * 4,
                         d * (float)(2 * (bits >> 28) + 1) * 0.25F, values + 4 * q);
    }
}

void iq3_s_to_float(const struct block_iq3_s *block, float *values) {
    const float d = half_to_float(block->d);
    for (int q = 0; q < 2 * OCTETS; q++) {
        const unsigned index = block->q[q] | ((unsigned)block->high[q / 8] >> q % 8 & 1) << 8;
        const unsigned scale = (unsigned)block->scales[q / 16] >> q / 8 % 2 * 4 & 15;
        quartet_to_float(iq3_s_grid[index], iq3_s_values,
                         (unsigned)block->signs[q / 2] >> q % 2 * 4, d * (float)(2 * scale + 1),
                         values + 4 * q);
    }
}
