// kernels/dtype.c — sizes and meanings of element types, in plain C.
#include "kernels/dtype.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "engine/base/assert.h"
#include "kernels/blocks.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian and mapped");

struct dtype_row {
    const char *name;
    int32_t block_bytes, block_elements;
};

#define DTYPE_ROW(id, bytes, elements, text) [DTYPE_##id] = {text, bytes, elements},
static const struct dtype_row table[DTYPE_COUNT] = {DTYPE_MAP(DTYPE_ROW)};
#undef DTYPE_ROW

static const struct dtype_row *row_of(enum dtype type) {
    ASSERT((unsigned)type < DTYPE_COUNT);
    return &table[type];
}

const char *dtype_name(enum dtype type) { return row_of(type)->name; }

bool dtype_find(const char *name, enum dtype *type) {
    for (unsigned i = 0; i < DTYPE_COUNT; i++)
        if (strcasecmp(name, table[i].name) == 0) {
            *type = (enum dtype)i;
            return true;
        }
    return false;
}

int32_t dtype_block_elements(enum dtype type) { return row_of(type)->block_elements; }

int32_t dtype_block_bytes(enum dtype type) { return row_of(type)->block_bytes; }

size_t dtype_row_bytes(enum dtype type, int32_t elements) {
    const struct dtype_row *row = row_of(type);
    ASSERT(elements >= 0 && elements % row->block_elements == 0);
    return (size_t)(elements / row->block_elements) * (size_t)row->block_bytes;
}

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

float bf16_to_float(bf16 value) { return float_of_bits((uint32_t)value << 16); }

bf16 float_to_bf16(float value) {
    const uint32_t bits = float_bits(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return (bf16)(bits >> 16 | 0x40);
    return (bf16)round_shift(bits, 16);
}

static void q8_0_to_float(const struct block_q8_0 *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < BLOCK_ELEMENTS; i++)
        values[i] = d * (float)block->q[i];
}

static void q4_0_to_float(const struct block_q4_0 *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < BLOCK_ELEMENTS / 2; i++) {
        values[i] = d * (float)((block->q[i] & 15) - 8);
        values[i + BLOCK_ELEMENTS / 2] = d * (float)((block->q[i] >> 4) - 8);
    }
}

// The two products are exact in fp32 (at most 22 bits), so only the subtraction rounds.
static void q4_k_to_float(const struct block_q4_k *block, float *values) {
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

static void q5_k_to_float(const struct block_q5_k *block, float *values) {
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

static void q6_k_to_float(const struct block_q6_k *block, float *values) {
    const float d = half_to_float(block->d);
    for (int i = 0; i < SUPER_ELEMENTS; i++) {
        const int n = i / 128, k = i % 128 / 32, l = i % 32;
        const uint8_t low = block->low[64 * n + 32 * (k % 2) + l];
        const int nibble = k < 2 ? low & 15 : low >> 4;
        const int quant = (nibble | (block->high[32 * n + l] >> (2 * k) & 3) << 4) - 32;
        values[i] = d * (float)(block->scales[i / 16] * quant);
    }
}

static void halves_to_float(enum dtype type, const void *source, float *values, size_t elements) {
    for (size_t i = 0; i < elements; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)source + 2 * i, sizeof bits);
        values[i] = type == DTYPE_F16 ? half_to_float(bits) : bf16_to_float(bits);
    }
}

void dtype_to_float(enum dtype type, const void *blocks, float *values, size_t elements) {
    const size_t step = (size_t)row_of(type)->block_elements;
    ASSERT(elements % step == 0);
    const char *block = blocks;
    switch (type) {
    case DTYPE_F32:
        memcpy(values, blocks, elements * sizeof(float));
        return;
    case DTYPE_F16:
    case DTYPE_BF16:
        halves_to_float(type, blocks, values, elements);
        return;
    case DTYPE_Q8_0:
    case DTYPE_Q4_0:
    case DTYPE_Q4_K:
    case DTYPE_Q5_K:
    case DTYPE_Q6_K:
    case DTYPE_COUNT:
        break;
    }
    for (size_t i = 0; i < elements; i += step, block += table[type].block_bytes) {
        const void *at = block;
        if (type == DTYPE_Q8_0)
            q8_0_to_float(at, values + i);
        else if (type == DTYPE_Q4_0)
            q4_0_to_float(at, values + i);
        else if (type == DTYPE_Q4_K)
            q4_k_to_float(at, values + i);
        else if (type == DTYPE_Q5_K)
            q5_k_to_float(at, values + i);
        else
            q6_k_to_float(at, values + i);
    }
}

static uint64_t random_next(uint64_t *state) { // splitmix64 (Steele, Lea, Flood 2014)
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void random_bytes(uint64_t *state, char *bytes, size_t length) {
    for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
        const uint64_t word = random_next(state);
        memcpy(bytes + i, &word, length - i < sizeof word ? length - i : sizeof word);
    }
}

static void random_plain(enum dtype type, char *values, size_t elements, float deviation,
                         uint64_t *state) {
    const float width = deviation * sqrtf(12) * 0x1p-24f; // a uniform variable of width 1: 1/12
    for (size_t i = 0; i < elements; i++) {
        const int32_t centred = (int32_t)(random_next(state) >> 40) - (1 << 23);
        const float value = width * (float)centred;
        const uint16_t bits = type == DTYPE_F16 ? float_to_half(value) : float_to_bf16(value);
        if (type == DTYPE_F32)
            memcpy(values + 4 * i, &value, sizeof value);
        else
            memcpy(values + 2 * i, &bits, sizeof bits);
    }
}

// A block of random bits with unit d has the root mean square below, from the uniform
// distributions of q, scale and min. A K block's dmin is the mean of q times d, so that the
// mean is about 0; the others get there by a random sign of d.
static void random_scale(enum dtype type, char *block, float deviation, uint64_t *state) {
    const float sign = random_next(state) & 1 ? 1.0F : -1.0F;
    half d[2] = {0};
    size_t offset = 0, length = sizeof d[0];
    switch (type) {
    case DTYPE_Q8_0:
        d[0] = float_to_half(sign * deviation / 73.9F);
        break;
    case DTYPE_Q4_0:
        d[0] = float_to_half(sign * deviation / 4.64F);
        break;
    case DTYPE_Q4_K:
        d[0] = float_to_half(deviation / 258.3F);
        d[1] = float_to_half(deviation / 258.3F * 7.5F);
        length = sizeof d;
        break;
    case DTYPE_Q5_K:
        d[0] = float_to_half(deviation / 526.9F);
        d[1] = float_to_half(deviation / 526.9F * 15.5F);
        length = sizeof d;
        break;
    case DTYPE_Q6_K:
        d[0] = float_to_half(sign * deviation / 1365.7F);
        offset = offsetof(struct block_q6_k, d);
        break;
    case DTYPE_F32:
    case DTYPE_F16:
    case DTYPE_BF16:
    case DTYPE_COUNT:
        return;
    }
    memcpy(block + offset, d, length);
}

void dtype_fill_random(enum dtype type, void *blocks, size_t elements, float deviation,
                       uint64_t seed) {
    const struct dtype_row *row = row_of(type);
    ASSERT(elements % (size_t)row->block_elements == 0);
    uint64_t state = seed;
    if (row->block_elements == 1) {
        random_plain(type, blocks, elements, deviation, &state);
        return;
    }
    const size_t count = elements / (size_t)row->block_elements;
    const size_t bytes = (size_t)row->block_bytes;
    for (size_t i = 0; i < count; i++) {
        char *block = (char *)blocks + i * bytes;
        random_bytes(&state, block, bytes);
        random_scale(type, block, deviation, &state);
    }
}
