// kernels/blocks.c — the values that a quantised block stands for.
#include "kernels/blocks.h"

#include <math.h>
#include <stdbool.h>

#include "kernels/base/assert.h"

const int8_t iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                               1,    13,   25,  38,  53,  69,  89,  113};
const int8_t fp4_values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

void q8_0_to_float(const struct block_q8_0 *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < BLOCK_ELEMENTS; i++)
        values[i] = d * (float)block->q[i];
}

void q4_0_to_float(const struct block_q4_0 *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < BLOCK_ELEMENTS / 2; i++) {
        values[i] = d * (float)((block->q[i] & 15) - 8);
        values[i + BLOCK_ELEMENTS / 2] = d * (float)((block->q[i] >> 4) - 8);
    }
}

void q4_1_to_float(const struct block_q4_1 *block, float *values) {
    const float d = half_to_float(block->d), m = half_to_float(block->m);
    for (int i = 0; i < BLOCK_ELEMENTS / 2; i++) {
        values[i] = d * (float)(block->q[i] & 15) + m;
        values[i + BLOCK_ELEMENTS / 2] = d * (float)(block->q[i] >> 4) + m;
    }
}

void q5_0_to_float(const struct block_q5_0 *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < BLOCK_ELEMENTS; i++) {
        const int low = i < 16 ? block->q[i] & 15 : block->q[i - 16] >> 4;
        values[i] = d * (float)((low | high_bit(block->high, i) << 4) - 16);
    }
}

void q5_1_to_float(const struct block_q5_1 *block, float *values) {
    const float d = half_to_float(block->d), m = half_to_float(block->m);
    for (int i = 0; i < BLOCK_ELEMENTS; i++) {
        const int low = i < 16 ? block->q[i] & 15 : block->q[i - 16] >> 4;
        values[i] = d * (float)(low | high_bit(block->high, i) << 4) + m;
    }
}

void q2_k_to_float(const struct block_q2_k *block, float *values) {
    const float d = half_to_float(block->d), dmin = half_to_float(block->dmin);
    for (int i = 0; i < SUPER_ELEMENTS; i++) {
        const int quant = block->q[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
        const uint8_t scale = block->scales[i / 16];
        values[i] = d * (float)((scale & 15) * quant) - dmin * (float)(scale >> 4);
    }
}

void q3_k_to_float(const struct block_q3_k *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < SUPER_ELEMENTS; i++) {
        const int low = block->q[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
        const int quant = (low | (block->high[i % 32] >> i / 32 & 1) << 2) - 4;
        values[i] = d * (float)(q3_k_scale(block->scales, i / 16) * quant);
    }
}

// The two products are exact in fp32 (at most 22 bits), so only the subtraction rounds.
void q4_k_to_float(const struct block_q4_k *block, float *values) {
    const float d = half_to_float(block->d), dmin = half_to_float(block->dmin);
    for (int g = 0; g < 8; g++) {
        uint8_t scale, min;
        packed_scale(block->scales, g, &scale, &min);
        const uint8_t *q = block->q + 32 * (g / 2);
        for (int l = 0; l < 32; l++) {
            const int quant = g % 2 ? q[l] >> 4 : q[l] & 15;
            values[32 * g + l] = d * (float)(scale * quant) - dmin * (float)min;
        }
    }
}

void q5_k_to_float(const struct block_q5_k *block, float *values) {
    const float d = half_to_float(block->d), dmin = half_to_float(block->dmin);
    for (int g = 0; g < 8; g++) {
        uint8_t scale, min;
        packed_scale(block->scales, g, &scale, &min);
        const uint8_t *q = block->q + 32 * (g / 2);
        for (int l = 0; l < 32; l++) {
            const int low = g % 2 ? q[l] >> 4 : q[l] & 15;
            const int quant = low | (block->high[l] >> g & 1) << 4;
            values[32 * g + l] = d * (float)(scale * quant) - dmin * (float)min;
        }
    }
}

void q6_k_to_float(const struct block_q6_k *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < SUPER_ELEMENTS; i++) {
        const int n = i / 128, k = i % 128 / 32, l = i % 32;
        const uint8_t low = block->low[64 * n + 32 * (k % 2) + l];
        const int nibble = k < 2 ? low & 15 : low >> 4;
        const int quant = (nibble | (block->high[32 * n + l] >> (2 * k) & 3) << 4) - 32;
        values[i] = d * (float)(block->scales[i / 16] * quant);
    }
}

void iq4_nl_to_float(const struct block_iq4_nl *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < BLOCK_ELEMENTS / 2; i++) {
        values[i] = d * (float)iq4_values[block->q[i] & 15];
        values[i + BLOCK_ELEMENTS / 2] = d * (float)iq4_values[block->q[i] >> 4];
    }
}

void iq4_xs_to_float(const struct block_iq4_xs *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < SUPER_ELEMENTS; i++) {
        const uint8_t pair = block->q[i / 32 * 16 + i % 16];
        const int value = iq4_values[i % 32 < 16 ? pair & 15 : pair >> 4];
        values[i] = d * (float)(iq4_xs_scale(block, i / 32) * value);
    }
}

// The table holds the values doubled.
void mxfp4_to_float(const struct block_mxfp4 *block, float *values) {
    const int power = (int)block->exponent - 127 - 1;
    for (int i = 0; i < BLOCK_ELEMENTS / 2; i++) {
        values[i] = ldexpf((float)fp4_values[block->q[i] & 15], power);
        values[i + BLOCK_ELEMENTS / 2] = ldexpf((float)fp4_values[block->q[i] >> 4], power);
    }
}

void nvfp4_to_float(const struct block_nvfp4 *block, float *values) {
    for (int i = 0; i < NVFP4_ELEMENTS; i++) {
        const uint8_t pair = block->q[i / 16 * 8 + i % 8];
        const int value = fp4_values[i % 16 < 8 ? pair & 15 : pair >> 4];
        values[i] = nvfp4_scale(block->scales[i / 16]) * (float)value;
    }
}

void tq1_0_to_float(const struct block_tq1_0 *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < SUPER_ELEMENTS; i++) {
        const int byte = i < 160 ? i % 32 : i < 240 ? 32 + i % 16 : 48 + i % 4;
        const int n = i < 160 ? i / 32 : i < 240 ? (i - 160) / 16 : (i - 240) / 4;
        const uint8_t digits = byte < 48 ? block->q[byte] : block->last[byte - 48];
        values[i] = d * (float)(tq1_0_digit(digits, n) - 1);
    }
}

void tq2_0_to_float(const struct block_tq2_0 *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < SUPER_ELEMENTS; i++) {
        const int quant = block->q[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
        values[i] = d * (float)(quant - 1);
    }
}

void block_to_float(enum dtype type, const void *block, float *values) {
    switch (type) {
#define CASE(id, name, ...)             \
    case DTYPE_##id:                    \
        name##_to_float(block, values); \
        return;
        PACKED_DTYPE_MAP(CASE)
#undef CASE
    case DTYPE_F32:
    case DTYPE_F16:
    case DTYPE_BF16:
    case DTYPE_COUNT:
    case DTYPE_FP8:
    case DTYPE_INT8:
        ASSERT(false);
    }
}
