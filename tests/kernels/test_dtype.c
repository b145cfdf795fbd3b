// tests/kernels/test_dtype.c — dtype.h against the formats' definitions, element by element.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/dtype.h"
#include "tests/check.h"

enum { BLOCKS = 37, SEED = 20240607 };

static unsigned bits_at(const uint8_t *bytes, unsigned first, unsigned count) {
    unsigned value = 0; // bit 0 is the lowest bit of byte 0
    for (unsigned i = 0; i < count; i++)
        value |= (unsigned)(bytes[(first + i) / 8] >> (first + i) % 8 & 1) << i;
    return value;
}

// The value of a binary16 by its definition, in double.
static double half_value(unsigned bits) {
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = (int)bits_at((const uint8_t[]){bits & 255, bits >> 8 & 255}, 10, 5);
    const int fraction = (int)(bits & 1023);
    if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

static double half_at(const uint8_t *bytes) { return half_value(bits_at(bytes, 0, 16)); }

static double q8_0_value(const uint8_t *block, unsigned i) {
    return half_at(block) * (int8_t)block[2 + i];
}

static double q4_0_value(const uint8_t *block, unsigned i) {
    const unsigned byte = i < 16 ? i : i - 16;
    return half_at(block) * ((int)bits_at(block + 2 + byte, i < 16 ? 0 : 4, 4) - 8);
}

// Scale and min of group g by the table of the format: twelve bytes are eight low parts and,
// for the upper four groups, two bits on top of the lower groups' bytes.
static void six_bits(const uint8_t *packed, unsigned g, unsigned *scale, unsigned *min) {
    if (g < 4) {
        *scale = bits_at(packed, 8 * g, 6);
        *min = bits_at(packed, 8 * (g + 4), 6);
        return;
    }
    *scale = bits_at(packed, 8 * (g + 4), 4) + 16 * bits_at(packed, 8 * (g - 4) + 6, 2);
    *min = bits_at(packed, 8 * (g + 4) + 4, 4) + 16 * bits_at(packed, 8 * g + 6, 2);
}

static double q4_k_value(const uint8_t *block, unsigned i) {
    unsigned scale, min;
    six_bits(block + 4, i / 32, &scale, &min);
    const uint8_t *byte = block + 16 + i / 64 * 32 + i % 32;
    const unsigned q = bits_at(byte, i % 64 < 32 ? 0 : 4, 4);
    return half_at(block) * scale * q - half_at(block + 2) * min;
}

static double q5_k_value(const uint8_t *block, unsigned i) {
    unsigned scale, min;
    six_bits(block + 4, i / 32, &scale, &min);
    const uint8_t *byte = block + 48 + i / 64 * 32 + i % 32;
    const unsigned q =
        bits_at(byte, i % 64 < 32 ? 0 : 4, 4) + 16 * bits_at(block + 16 + i % 32, i / 32, 1);
    return half_at(block) * scale * q - half_at(block + 2) * min;
}

static double q6_k_value(const uint8_t *block, unsigned i) {
    const unsigned upper = i / 128, within = i % 128;
    const uint8_t *low = block + 64 * upper + within % 64;
    const uint8_t *high = block + 128 + 32 * upper + within % 32;
    const unsigned q =
        bits_at(low, within < 64 ? 0 : 4, 4) + 16 * bits_at(high, 2 * (within / 32), 2);
    return half_at(block + 208) * (int8_t)block[192 + i / 16] * ((int)q - 32);
}

// 32 elements: the first 16 in low nibbles, the others in high ones.
static unsigned nibble_of(const uint8_t *q, unsigned i) {
    return bits_at(q + i % 16, i < 16 ? 0 : 4, 4);
}

static double q5_0_value(const uint8_t *block, unsigned i) {
    const unsigned q = nibble_of(block + 6, i) + 16 * bits_at(block + 2 + i / 8, i % 8, 1);
    return half_at(block) * ((int)q - 16);
}

static double q5_1_value(const uint8_t *block, unsigned i) {
    const unsigned q = nibble_of(block + 8, i) + 16 * bits_at(block + 4 + i / 8, i % 8, 1);
    return half_at(block) * q + half_at(block + 2);
}

static double q2_k_value(const uint8_t *block, unsigned i) {
    const unsigned q = bits_at(block + 16 + i / 128 * 32 + i % 32, i % 128 / 32 * 2, 2);
    const double scale = half_at(block + 80) * bits_at(block + i / 16, 0, 4);
    return scale * q - half_at(block + 82) * bits_at(block + i / 16, 4, 4);
}

static double q3_k_value(const uint8_t *block, unsigned i) {
    const uint8_t *scales = block + 96;
    const unsigned group = i / 16, low = bits_at(scales + group % 8, group < 8 ? 0 : 4, 4);
    const unsigned top = bits_at(scales + 8 + group % 4, group / 4 * 2, 2);
    const unsigned q = bits_at(block + 32 + i / 128 * 32 + i % 32, i % 128 / 32 * 2, 2) +
                       4 * bits_at(block + i % 32, i / 32, 1);
    return half_at(block + 108) * ((int)(low + 16 * top) - 32) * ((int)q - 4);
}

static double iq4_step(unsigned q) {
    static const int steps[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                1,    13,   25,  38,  53,  69,  89,  113};
    return steps[q];
}

static double iq4_xs_value(const uint8_t *block, unsigned i) {
    const unsigned group = i / 32, low = bits_at(block + 4 + group / 2, group % 2 * 4, 4);
    const unsigned top = bits_at(block + 2 + group / 4, group % 4 * 2, 2);
    const double step = iq4_step(nibble_of(block + 8 + 16 * group, i % 32));
    return half_at(block) * ((int)(low + 16 * top) - 32) * step;
}

// Sign, two bits of exponent (bias 1), one of fraction; no exponent: a subnormal.
static double mxfp4_value(const uint8_t *block, unsigned i) {
    const unsigned q = nibble_of(block + 1, i), exponent = q >> 1 & 3, fraction = q & 1;
    const double size = exponent ? ldexp(1 + fraction / 2.0, (int)exponent - 1) : fraction / 2.0;
    return ldexp(q & 8 ? -size : size, block[0] - 127);
}

static double value_of(enum dtype type, const uint8_t *row, unsigned i) {
    const unsigned elements = (unsigned)dtype_block_elements(type);
    const uint8_t *block = row + i / elements * (unsigned)dtype_block_bytes(type);
    float plain;
    switch (type) {
    case DTYPE_F32:
        memcpy(&plain, block, sizeof plain);
        return (double)plain;
    case DTYPE_F16:
        return half_at(block);
    case DTYPE_BF16:
        memcpy(&plain, (const uint8_t[]){0, 0, block[0], block[1]}, sizeof plain);
        return (double)plain;
    case DTYPE_Q8_0:
        return q8_0_value(block, i % elements);
    case DTYPE_Q4_0:
        return q4_0_value(block, i % elements);
    case DTYPE_Q4_1:
        return half_at(block) * nibble_of(block + 4, i % elements) + half_at(block + 2);
    case DTYPE_Q5_0:
        return q5_0_value(block, i % elements);
    case DTYPE_Q5_1:
        return q5_1_value(block, i % elements);
    case DTYPE_Q2_K:
        return q2_k_value(block, i % elements);
    case DTYPE_Q3_K:
        return q3_k_value(block, i % elements);
    case DTYPE_IQ4_NL:
        return half_at(block) * iq4_step(nibble_of(block + 2, i % elements));
    case DTYPE_IQ4_XS:
        return iq4_xs_value(block, i % elements);
    case DTYPE_MXFP4:
        return mxfp4_value(block, i % elements);
    case DTYPE_Q4_K:
        return q4_k_value(block, i % elements);
    case DTYPE_Q5_K:
        return q5_k_value(block, i % elements);
    case DTYPE_Q6_K:
        return q6_k_value(block, i % elements);
    case DTYPE_COUNT:
        break;
    }
    fail();
    return 0;
}

static void every_type_decodes_as_its_format_says(void **state) {
    (void)state;
    static uint8_t bytes[BLOCKS * 256 * 4];
    static float values[BLOCKS * 256 + 1];
    printf("seed %d\n", SEED);
    for (enum dtype type = 0; type < DTYPE_COUNT; type++) {
        const unsigned elements = BLOCKS * (unsigned)dtype_block_elements(type);
        dtype_fill_random(type, bytes, elements, 0.5F, SEED + type);
        values[elements] = 77;
        dtype_to_float(type, bytes, values, elements);
        for (unsigned i = 0; i < elements; i++)
            if (values[i] != (float)value_of(type, bytes, i))
                fail_msg("%s, element %u: %g, not %g", dtype_name(type), i, (double)values[i],
                         value_of(type, bytes, i));
        assert_true(values[elements] == 77);
    }
}

static void every_half_is_exact_both_ways(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 65536; bits++) {
        const double expected = half_value(bits);
        const float value = half_to_float((half)bits);
        if (isnan(expected)) {
            assert_true(isnan(value));
            assert_true(isnan(half_to_float(float_to_half(value))));
            continue;
        }
        assert_true((double)value == expected && !signbit(value) == !signbit(expected));
        assert_int_equal(float_to_half(value), bits);
    }
}

// Between two neighbouring halves, the nearer one is right; in the middle, the even one.
static void floats_round_to_the_nearest_even_half(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 0x7BFF; bits++) {
        const float low = half_to_float((half)bits), high = half_to_float((half)(bits + 1));
        const float middle = low + (high - low) / 2;
        assert_int_equal(float_to_half(middle), bits % 2 ? bits + 1 : bits);
        assert_int_equal(float_to_half(nextafterf(middle, low)), bits);
        assert_int_equal(float_to_half(nextafterf(middle, high)), bits + 1);
        assert_int_equal(float_to_half(-middle), 0x8000 | (bits % 2 ? bits + 1 : bits));
    }
    assert_int_equal(float_to_half(65519.996F), 0x7BFF);
    assert_int_equal(float_to_half(65520), 0x7C00);
    assert_int_equal(float_to_half(INFINITY), 0x7C00);
    assert_int_equal(float_to_half(0x1p-149f), 0);
}

static void floats_round_to_the_nearest_even_bf16(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 0x7F7F; bits++) {
        const float low = bf16_to_float((bf16)bits), high = bf16_to_float((bf16)(bits + 1));
        const float middle = low + (high - low) / 2;
        assert_int_equal(float_to_bf16(low), bits);
        assert_int_equal(float_to_bf16(middle), bits % 2 ? bits + 1 : bits);
        assert_int_equal(float_to_bf16(nextafterf(middle, low)), bits);
        assert_int_equal(float_to_bf16(nextafterf(middle, high)), bits + 1);
    }
    assert_int_equal(float_to_bf16(INFINITY), 0x7F80);
    assert_true(isnan(bf16_to_float(float_to_bf16(NAN))));
}

static void random_weights_have_the_deviation_asked_for(void **state) {
    (void)state;
    static uint8_t bytes[256 * 256 * 4];
    static float values[256 * 256];
    for (enum dtype type = 0; type < DTYPE_COUNT; type++) {
        double sum = 0, squares = 0;
        dtype_fill_random(type, bytes, 256 * 256, 0.02F, SEED);
        dtype_to_float(type, bytes, values, 256 * 256);
        for (int i = 0; i < 256 * 256; i++) {
            assert_true(isfinite(values[i]));
            sum += (double)values[i];
            squares += (double)values[i] * (double)values[i];
        }
        const double mean = sum / 65536, deviation = sqrt(squares / 65536 - mean * mean);
        assert_true(fabs(mean) < 0.002);
        assert_true(fabs(deviation - 0.02) < 0.001);
    }
}

static void names_and_sizes_are_those_of_the_table(void **state) {
    (void)state;
    enum dtype type = DTYPE_COUNT;
    assert_true(dtype_find("Q4_K", &type) && type == DTYPE_Q4_K);
    assert_true(dtype_find("bf16", &type) && type == DTYPE_BF16);
    assert_false(dtype_find("q4_k_m", &type));
    assert_false(dtype_find("", &type));
    assert_int_equal(type, DTYPE_BF16);
    assert_string_equal(dtype_name(DTYPE_Q8_0), "q8_0");
    assert_int_equal(dtype_row_bytes(DTYPE_Q8_0, 1024), 1088);
    assert_int_equal(dtype_row_bytes(DTYPE_Q6_K, 512), 420);
    assert_int_equal(dtype_row_bytes(DTYPE_F32, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_decodes_as_its_format_says),
        cmocka_unit_test(every_half_is_exact_both_ways),
        cmocka_unit_test(floats_round_to_the_nearest_even_half),
        cmocka_unit_test(floats_round_to_the_nearest_even_bf16),
        cmocka_unit_test(random_weights_have_the_deviation_asked_for),
        cmocka_unit_test(names_and_sizes_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
