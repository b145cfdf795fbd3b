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
    if (type == DTYPE_F32) {
        memcpy(values, blocks, elements * sizeof(float));
    } else if (step == 1) {
        halves_to_float(type, blocks, values, elements);
    } else {
        for (size_t i = 0; i < elements; i += step, block += table[type].block_bytes)
            block_to_float(type, block, values + i);
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

// Powers of two, two neighbours of them so often that the root mean square is the deviation.
static void random_exponent(struct block_mxfp4 *block, float deviation, uint64_t *state) {
    const float unit = deviation / 2.926F;
    const int below = (int)floorf(log2f(unit));
    const float low = ldexpf(1, below) * ldexpf(1, below); // of its square, as of the higher one's
    const float share = (unit * unit - low) / (3 * low);
    const bool higher = (float)(random_next(state) >> 40) * 0x1p-24F < share;
    block->exponent = (uint8_t)(127 + below + (higher ? 1 : 0));
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
    case DTYPE_Q4_1:
        d[0] = float_to_half(deviation / 4.61F);
        d[1] = float_to_half(deviation / 4.61F * -7.5F);
        length = sizeof d;
        break;
    case DTYPE_Q5_0:
        d[0] = float_to_half(sign * deviation / 9.25F);
        break;
    case DTYPE_Q5_1:
        d[0] = float_to_half(deviation / 9.23F);
        d[1] = float_to_half(deviation / 9.23F * -15.5F);
        length = sizeof d;
        break;
    case DTYPE_Q2_K:
        d[0] = float_to_half(deviation / 13.87F);
        d[1] = float_to_half(deviation / 13.87F * 1.5F);
        offset = offsetof(struct block_q2_k, d);
        length = sizeof d;
        break;
    case DTYPE_Q3_K:
        d[0] = float_to_half(sign * deviation / 43.3F);
        offset = offsetof(struct block_q3_k, d);
        break;
    case DTYPE_IQ4_NL:
        d[0] = float_to_half(sign * deviation / 67.4F);
        break;
    case DTYPE_IQ4_XS:
        d[0] = float_to_half(sign * deviation / 1246.0F);
        break;
    case DTYPE_MXFP4:
        random_exponent((struct block_mxfp4 *)(void *)block, deviation, state);
        return;
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
