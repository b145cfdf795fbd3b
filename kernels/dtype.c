// kernels/dtype.c — sizes and meanings of element types, in plain C.
#include "kernels/dtype.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/assert.h"
#include "kernels/blocks.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian and mapped");

// How a block holds the scale of all its values.
enum scale_form {
    SCALE_NONE,
    SCALE_HALF,
    SCALE_PAIR,     // and a min
    SCALE_EXPONENT, // a power of two
    SCALE_FP8S,     // four of e4m3, one for each quarter of the block
    SCALE_QUARTERS, // a half whose four bits lie on top of each of four 16-bit numbers
};

struct dtype_row {
    const char *name;
    int32_t block_bytes, block_elements;
    enum scale_form form;
    size_t scale_offset;
    float deviation, min;
};

#define DTYPE_ROW(id, name, gguf, bytes, elements, form, offset, deviation, min) \
    [DTYPE_##id] = {#name, bytes, elements, SCALE_##form, offset, deviation, min},
#define CACHE_ROW(id, name, bytes) [DTYPE_##id] = {#name, bytes, 1, SCALE_NONE, 0, 1, 0},
static const struct dtype_row table[] = {DTYPE_MAP(DTYPE_ROW) CACHE_DTYPE_MAP(CACHE_ROW)};
#undef CACHE_ROW
#undef DTYPE_ROW

static const struct dtype_row *row_of(enum dtype type) {
    ASSERT((unsigned)type < sizeof table / sizeof table[0] && type != DTYPE_COUNT);
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

static void halves_to_float(enum dtype type, const void *source, float *values, size_t elements) {
    for (size_t i = 0; i < elements; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)source + 2 * i, sizeof bits);
        values[i] = type == DTYPE_F16 ? half_to_float(bits) : bf16_to_float(bits);
    }
}

static void bytes_to_float(enum dtype type, const void *source, float *values, size_t elements) {
    const uint8_t *bytes = source;
    for (size_t i = 0; i < elements; i++)
        values[i] = type == DTYPE_FP8 ? fp8_to_float(bytes[i]) : (float)(int8_t)bytes[i];
}

void dtype_to_float(enum dtype type, const void *blocks, float *values, size_t elements) {
    const size_t step = (size_t)row_of(type)->block_elements;
    ASSERT(elements % step == 0);
    const char *block = blocks;
    if (type == DTYPE_F32) {
        memcpy(values, blocks, elements * sizeof(float));
    } else if (type == DTYPE_FP8 || type == DTYPE_INT8) {
        bytes_to_float(type, blocks, values, elements);
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

void dtype_set_scale(enum dtype type, void *block, float scale, float min) {
    const struct dtype_row *row = row_of(type);
    const half pair[2] = {float_to_half(scale), float_to_half(min)};
    uint8_t *bytes = (uint8_t *)block + row->scale_offset;
    switch (row->form) {
    case SCALE_NONE:
        return;
    case SCALE_HALF:
        memcpy(bytes, pair, sizeof pair[0]);
        return;
    case SCALE_PAIR:
        memcpy(bytes, pair, sizeof pair);
        return;
    case SCALE_EXPONENT:
        *bytes = (uint8_t)(127 + ilogbf(scale));
        return;
    case SCALE_FP8S:
        memset(bytes, float_to_fp8(scale), 4);
        return;
    case SCALE_QUARTERS:
        for (int i = 0; i < 4; i++) {
            uint8_t *top = bytes + 2 * i + 1;
            *top = (uint8_t)((*top & 15) | (pair[0] >> 4 * i & 15) << 4);
        }
        return;
    }
}

// One of the two powers of two around `unit`, drawn so that their root mean square is the unit.
static float random_power(float unit, uint64_t *state) {
    const float below = ldexpf(1, (int)floorf(log2f(unit))), low = below * below;
    const float share = (unit * unit - low) / (3 * low);
    const bool higher = (float)(random_next(state) >> 40) * 0x1p-24F < share;
    return higher ? 2 * below : below;
}

// The same of the two e4m3 around it.
static uint8_t random_fp8(float unit, uint64_t *state) {
    const uint8_t nearest = float_to_fp8(unit);
    const uint8_t code = (uint8_t)(nearest - (fp8_to_float(nearest) > unit));
    const float low = fp8_to_float(code), high = fp8_to_float((uint8_t)(code + 1));
    const float share = (unit * unit - low * low) / (high * high - low * low);
    return (uint8_t)(code + ((float)(random_next(state) >> 40) * 0x1p-24F < share));
}

// A min, or else a random sign of the scale, makes the mean of a block of random bits about 0.
static void random_scale(enum dtype type, char *block, float deviation, uint64_t *state) {
    const struct dtype_row *row = row_of(type);
    const float sign = random_next(state) & 1 ? 1.0F : -1.0F, unit = deviation / row->deviation;
    if (row->form == SCALE_EXPONENT)
        dtype_set_scale(type, block, random_power(unit, state), 0);
    else if (row->form == SCALE_FP8S)
        for (size_t i = 0; i < 4; i++)
            block[row->scale_offset + i] = (char)random_fp8(unit, state);
    else if (row->form == SCALE_PAIR)
        dtype_set_scale(type, block, unit, unit * row->min);
    else
        dtype_set_scale(type, block, sign * unit, 0);
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
