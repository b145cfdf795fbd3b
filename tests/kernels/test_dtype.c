// tests/kernels/test_dtype.c — dtype.h against the formats' definitions, element by element.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/dtype.h"
#include "kernels/grids.h"
#include "tests/check.h"

enum { BLOCKS = 37, SEED = 20240607 };

static const uint64_t FNV_START = 0xCBF29CE484222325u;

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
static double fp4_value(unsigned q) {
    const unsigned exponent = q >> 1 & 3, fraction = q & 1;
    const double size = exponent ? ldexp(1 + fraction / 2.0, (int)exponent - 1) : fraction / 2.0;
    return q & 8 ? -size : size;
}

static double mxfp4_value(const uint8_t *block, unsigned i) {
    return ldexp(fp4_value(nibble_of(block + 1, i)), block[0] - 127);
}

// The same times the scale of 16, an e4m3: without its sign, and only 0x7F is no number, but 0.
static double nvfp4_value(const uint8_t *block, unsigned i) {
    const unsigned q = bits_at(block + 4 + i / 16 * 8 + i % 8, i % 16 / 8 * 4, 4);
    const unsigned scale = block[i / 16], exponent = bits_at(block + i / 16, 3, 4);
    const double fraction = bits_at(block + i / 16, 0, 3);
    const double unit = exponent ? ldexp(8 + fraction, (int)exponent - 10) : ldexp(fraction, -9);
    return scale == 0x7F ? 0 : unit * fp4_value(q);
}

static double iq4_nl_value(const uint8_t *block, unsigned i) {
    return half_at(block) * iq4_step(nibble_of(block + 2, i));
}

static double q4_1_value(const uint8_t *block, unsigned i) {
    return half_at(block) * nibble_of(block + 4, i) + half_at(block + 2);
}

// A row of a code book: the levels of eight values, or of four.
static unsigned level_of_8(uint16_t row, unsigned i) {
    return bits_at((const uint8_t *)&row, 4 * (i % 4) + 2 * (i % 8 / 4), 2);
}

static unsigned level_of_4(uint16_t row, unsigned i) {
    return bits_at((const uint8_t *)&row, 4 * (i % 4), 3);
}

static double iq2_size(uint16_t row, unsigned i) {
    static const int sizes[] = {8, 25, 43};
    return sizes[level_of_8(row, i)];
}

static double iq1_size(uint16_t row, unsigned i, unsigned shift_sign) {
    return (int)level_of_8(row, i) - 1 + (shift_sign ? -0.125 : 0.125);
}

// Sign i of eight, of which seven are there and the last makes the number of minuses even.
static double sign_of(unsigned seven, unsigned i) {
    unsigned minuses = 0;
    for (unsigned k = 0; k < 7; k++)
        minuses += seven >> k & 1;
    return (i % 8 < 7 ? seven >> i % 8 & 1 : minuses % 2) ? -1 : 1;
}

static double iq1_s_value(const uint8_t *block, unsigned i) {
    const uint8_t *high = block + 34 + i / 32 * 2;
    const unsigned index = block[2 + i / 8] + 256 * bits_at(high, 3 * (i / 8 % 4), 3);
    const double size = iq1_size(iq1_grid[index], i, bits_at(high, 15, 1));
    return half_at(block) * (2 * bits_at(high, 12, 3) + 1) * size;
}

static double iq1_m_value(const uint8_t *block, unsigned i) {
    const uint8_t *high = block + 32, *scales = block + 48;
    const unsigned octet = i / 8, index = block[octet] + 256 * bits_at(high, 4 * octet, 3);
    const unsigned scale = bits_at(scales, i / 64 * 16 + i / 16 % 4 * 3, 3);
    unsigned d = 0;
    for (unsigned k = 0; k < 4; k++)
        d += bits_at(scales, 16 * k + 12, 4) << 4 * k;
    return half_value(d) * (2 * scale + 1) *
           iq1_size(iq1_grid[index], i, bits_at(high, 4 * octet + 3, 1));
}

static double iq2_xxs_value(const uint8_t *block, unsigned i) {
    const uint8_t *group = block + 2 + i / 32 * 8;
    const double size = iq2_size(iq2_xxs_grid[group[i / 8 % 4]], i);
    const double sign = sign_of(bits_at(group + 4, i / 8 % 4 * 7, 7), i);
    return half_at(block) * (2 * bits_at(group + 4, 28, 4) + 1) / 8 * sign * size;
}

static double iq2_xs_value(const uint8_t *block, unsigned i) {
    const double size = iq2_size(iq2_xs_grid[bits_at(block + 2, i / 8 * 16, 9)], i);
    const double sign = sign_of(bits_at(block + 2, i / 8 * 16 + 9, 7), i);
    return half_at(block) * (2 * bits_at(block + 66, i / 16 * 4, 4) + 1) / 8 * sign * size;
}

static double iq2_s_value(const uint8_t *block, unsigned i) {
    const unsigned index = block[2 + i / 8] + 256 * bits_at(block + 66, i / 8 * 2, 2);
    const double sign = bits_at(block + 34, i, 1) ? -1 : 1;
    const double scale = 2 * bits_at(block + 74, i / 16 * 4, 4) + 1;
    return half_at(block) * scale / 8 * sign * iq2_size(iq2_s_grid[index], i);
}

static double iq3_xxs_value(const uint8_t *block, unsigned i) {
    static const int sizes[] = {4, 12, 20, 28, 36, 44, 52, 62};
    const uint8_t *word = block + 66 + i / 32 * 4;
    const double size = sizes[level_of_4(iq3_xxs_grid[block[2 + i / 4]], i)];
    const double sign = sign_of(bits_at(word, i / 8 % 4 * 7, 7), i);
    return half_at(block) * (2 * bits_at(word, 28, 4) + 1) / 4 * sign * size;
}

static double iq3_s_value(const uint8_t *block, unsigned i) {
    const unsigned index = block[2 + i / 4] + 256 * bits_at(block + 66, i / 4, 1);
    const double size = 2 * level_of_4(iq3_s_grid[index], i) + 1;
    const double sign = bits_at(block + 74, i, 1) ? -1 : 1;
    return half_at(block) * (2 * bits_at(block + 106, i / 32 * 4, 4) + 1) * sign * size;
}

// Digit n behind the point of a number of base 3, which a byte gives in 256ths.
static double digit_value(unsigned byte, unsigned n) {
    const double shifted = byte / 256.0 * pow(3, n);
    return floor((shifted - floor(shifted)) * 3) - 1;
}

static double tq1_0_value(const uint8_t *block, unsigned i) {
    const double digit = i < 160   ? digit_value(block[i % 32], i / 32)
                         : i < 240 ? digit_value(block[32 + i % 16], (i - 160) / 16)
                                   : digit_value(block[48 + i % 4], (i - 240) / 4);
    return half_at(block + 52) * digit;
}

static double tq2_0_value(const uint8_t *block, unsigned i) {
    const int q = (int)bits_at(block + i / 128 * 32 + i % 32, i % 128 / 32 * 2, 2);
    return half_at(block + 64) * (q - 1);
}

static double f32_value(const uint8_t *block, unsigned i) {
    float value;
    memcpy(&value, block + 4 * i, sizeof value);
    return (double)value;
}

static double f16_value(const uint8_t *block, unsigned i) { return half_at(block + 2 * i); }

static double bf16_value(const uint8_t *block, unsigned i) {
    return f32_value((const uint8_t[]){0, 0, block[2 * i], block[2 * i + 1]}, 0);
}

static double value_of(enum dtype type, const uint8_t *row, unsigned i) {
#define DEFINITION(id, name, ...) [DTYPE_##id] = name##_value,
    static double (*const definitions[DTYPE_COUNT])(const uint8_t *,
                                                    unsigned) = {DTYPE_MAP(DEFINITION)};
#undef DEFINITION
    const unsigned elements = (unsigned)dtype_block_elements(type);
    const uint8_t *block = row + i / elements * (unsigned)dtype_block_bytes(type);
    return definitions[type](block, i % elements);
}

static void every_type_decodes_as_its_format_defines(void **state) {
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

static uint64_t fnv(uint64_t hash, const void *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u;
    return hash;
}

enum { GOLDEN_STEP = 51, GOLDEN_VALUES = 256 / GOLDEN_STEP + 1 };

// Blocks of 256 values of random bytes, each 51st of its values, and the FNV-1a of them all as
// fp32.
static const struct golden {
    enum dtype type;
    const char *hex;
    float values[GOLDEN_VALUES];
    uint64_t hash;
} goldens[] = {
    {DTYPE_IQ1_S,
     "373da136a7b2100195663a76d1f27d9d425069d35d04e7fb18de4699c13bab89b221ec22a37bdb17dd61369b"
     "5e50069a5fb8",
     {-5.7037353515625F, 2.4444580078125F, 19.0667724609375F, 3.4222412109375F, -4.4000244140625F,
      -1.1407470703125F},
     0xC28C31C0268FB639u},
    {DTYPE_IQ1_M,
     "41c8e6bce4c7f87d9eb3f439176633ea92ac95dbf56f35b475a3be3a83288382956384b46f120c3e6ef6d2ef"
     "c372c5885b370a2f879fd83b",
     {-3.93280029296875F, -3.93280029296875F, -0.72235107421875F, -0.72235107421875F,
      0.56182861328125F, -7.94586181640625F},
     0x7B0113A7DFE88F8Cu},
    {DTYPE_IQ2_XXS,
     "683cf208a4a36b81b233aec4e22fe5e276f99af234ae664a36597c5169620756da0f1a0b032487a866dc5270"
     "19e6830b30c8df0adb75d45c41165ca885ea4f097d9f",
     {-7.7109375F, -106.7138671875F, 5.9208984375F, -92.9443359375F, -3.3046875F, 112.4970703125F},
     0xCD3065597EC717A4u},
    {DTYPE_IQ2_XS,
     "4f3d7411962ac6586321065bae31ee9437679f443130f8e1e2f96f3fba8a3b3b5697b0a10956bf24adaececa"
     "c4b59c17b7182d376cfca2b8ceb8c43711feeee77488237274dbc18b28dd",
     {49.9339599609375F, -19.9072265625F, 95.3887939453125F, -33.1787109375F, -22.5615234375F,
      35.8330078125F},
     0xE67203C2453263B3u},
    {DTYPE_IQ2_S,
     "033a970e131f7dc81e5d79b9522a8a08190a8b78f0f72843c2691306b6cb82321a5f97fa94dd76144ced5099"
     "c58146cdf7e04d4d6f68ae98b4c078bad0491283f2284dfa7eea7dd339049e9353f7750823d4",
     {-21.79248046875F, -44.61822509765625F, -35.22491455078125F, 11.27197265625F,
      -16.43829345703125F, 20.28955078125F},
     0x88E476CDDA604FAEu},
    {DTYPE_IQ3_XXS,
     "fe3e86c15217504cff906119598c0fd512baabb67fba27cc1a7235a04e7dad22095abb53d3c0c40d0329ab02"
     "a0fced18863efdbdf4acafcf85a54bbaa00db598b50537f82eadd890777b7c59d9d15a65747a694bd105524c"
     "a05d73f29489ed5ba0c5",
     {-110.126953125F, -26.220703125F, -183.544921875F, -5.244140625F, 208.017578125F,
      43.701171875F},
     0x9C549FAC58E8BDEBu},
    {DTYPE_IQ3_S,
     "403f86d23d1354f467fdfde560ef603f083165922da4c9e0cafec68a3a9965d5aaf7ef62baa31bb6b5cc844f"
     "8b10a302d893567ce5e4dc3f69cfbf874fe7bb758eb12bce7107431ba165ec5737412e244433a229c97630c3"
     "80648d74ff23aca1281258cc51736bd6066adbbd4f25",
     {458.5625F, 48.9375F, 541.9375F, -505.6875F, 99.6875F, 27.1875F},
     0xAA5D81A75EA997BDu},
    {DTYPE_TQ1_0,
     "26f80497c67adfb6a2836fb16d429ed79d5365ea490c9bd71cab75e49b12163baa123f455edd8e7c31370af7"
     "2f0e94d24b7bb589e03d",
     {-1.46875F, 1.46875F, 0.0F, -1.46875F, 0.0F, 0.0F},
     0xB54722602C917584u},
    {DTYPE_TQ2_0,
     "910929e7849e6732c2a9289f6525719b34d4f6694e3780f909ea1c8456d57418e19857df9c0d37ce36947e99"
     "5ffcb20a46e9dcdd8d796879308f2111dd5d66b32d3f",
     {0.0F, 1.7939453125F, 0.0F, 3.587890625F, 0.0F, 1.7939453125F},
     0xFAE5E86974894158u},
    {DTYPE_NVFP4,
     "105ce10a2903e45cac920ada1b16dd97a03ae40b5ed9566480950585a2c1aa9f08c2f0e67978e3a734cc5698"
     "ef5c7a03f31fae7a18eebdc69723434e16c4e9fe2d1b4202e3af6082cc138129c804961c4d5fd340323984e4"
     "ae791e0f6b9346a0e6e0a40932b74b5f751afcc21e0efab7b298eb3b847bf9ee2a08db4c418d7f9183c71ad4"
     "1e32cd04d0c33e56f0a42324",
     {-0.015625F, -0.1171875F, -22.0F, 0.064453125F, 0.0F, 0.9375F},
     0x8B072D44004A4DECu},
};

static void blocks_decode_to_the_golden_values(void **state) {
    (void)state;
    for (size_t g = 0; g < sizeof goldens / sizeof goldens[0]; g++) {
        const struct golden *golden = &goldens[g];
        const size_t bytes = dtype_row_bytes(golden->type, 256);
        uint8_t block[256];
        float values[256];
        assert_int_equal(strlen(golden->hex), 2 * bytes);
        for (size_t i = 0; i < bytes; i++) {
            const char pair[3] = {golden->hex[2 * i], golden->hex[2 * i + 1]};
            block[i] = (uint8_t)strtoul(pair, NULL, 16);
        }
        dtype_to_float(golden->type, block, values, 256);
        for (size_t i = 0; i < GOLDEN_VALUES; i++)
            if (values[GOLDEN_STEP * i] != golden->values[i])
                fail_msg("%s, element %zu: %g, not %g", dtype_name(golden->type), GOLDEN_STEP * i,
                         (double)values[GOLDEN_STEP * i], (double)golden->values[i]);
        assert_true(fnv(FNV_START, values, sizeof values) == golden->hash);
    }
}

// Each of the 256 scales with each of the 16 codes, with the FNV-1a that gguf-py's reading has.
static void every_scale_of_nvfp4_reads_as_the_format_says(void **state) {
    (void)state;
    uint8_t block[36];
    float values[64];
    uint64_t hash = FNV_START;
    for (unsigned i = 4; i < sizeof block; i++)
        block[i] = (uint8_t)((i - 4) % 8 * 17 + 128); // codes 0 ... 7, then 8 ... 15
    for (unsigned first = 0; first < 256; first += 4) {
        for (unsigned i = 0; i < 4; i++)
            block[i] = (uint8_t)(first + i);
        dtype_to_float(DTYPE_NVFP4, block, values, 64);
        for (unsigned i = 0; i < 64; i++)
            assert_true(values[i] == (float)nvfp4_value(block, i));
        hash = fnv(hash, values, sizeof values);
    }
    assert_true(hash == 0x47D950C8B21C029Du);
}

// The FNV-1a of the values of all rows, as bytes.
static void codebooks_match_the_format(void **state) {
    (void)state;
    static const int levels_of_iq3_xxs[] = {4, 12, 20, 28, 36, 44, 52, 62};
    static const struct {
        const char *name;
        const uint16_t *rows;
        unsigned count, values;
        uint64_t hash;
    } books[] = {
        {"iq1", iq1_grid, 2048, 8, 0x6703ED863501AE2Eu},
        {"iq2_xxs", iq2_xxs_grid, 256, 8, 0xBB4EE025B5AC6E8Eu},
        {"iq2_xs", iq2_xs_grid, 512, 8, 0xC9B1EE61E79909BDu},
        {"iq2_s", iq2_s_grid, 1024, 8, 0x123EDD38A3B62B90u},
        {"iq3_xxs", iq3_xxs_grid, 256, 4, 0xDFA5DC83D6A155D5u},
        {"iq3_s", iq3_s_grid, 512, 4, 0xFA37020C25B44829u},
    };
    for (size_t b = 0; b < sizeof books / sizeof books[0]; b++) {
        uint64_t hash = FNV_START;
        for (unsigned r = 0; r < books[b].count; r++)
            for (unsigned i = 0; i < books[b].values; i++) {
                const uint16_t row = books[b].rows[r];
                const int8_t value =
                    (int8_t)(books[b].rows == iq1_grid       ? (int)level_of_8(row, i) - 1
                             : books[b].rows == iq3_xxs_grid ? levels_of_iq3_xxs[level_of_4(row, i)]
                             : books[b].values == 4          ? (int)(2 * level_of_4(row, i) + 1)
                                                             : (int)iq2_size(row, i));
                hash = fnv(hash, &value, 1);
            }
        if (hash != books[b].hash) fail_msg("%s is another one", books[b].name);
        assert_int_equal(books[b].rows[books[b].count], 0); // the row behind the last
    }
}

static void every_half_converts_exactly_in_both_directions(void **state) {
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

static void random_weights_have_the_requested_deviation(void **state) {
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

static void names_and_row_sizes_match_the_table(void **state) {
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
        cmocka_unit_test(every_type_decodes_as_its_format_defines),
        cmocka_unit_test(blocks_decode_to_the_golden_values),
        cmocka_unit_test(every_scale_of_nvfp4_reads_as_the_format_says),
        cmocka_unit_test(codebooks_match_the_format),
        cmocka_unit_test(every_half_converts_exactly_in_both_directions),
        cmocka_unit_test(floats_round_to_the_nearest_even_half),
        cmocka_unit_test(floats_round_to_the_nearest_even_bf16),
        cmocka_unit_test(random_weights_have_the_requested_deviation),
        cmocka_unit_test(names_and_row_sizes_match_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
