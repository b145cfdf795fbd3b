// tests/kernels/test_kv_cache.c — elements of eight bits and their scales; blocks as a whole.
#include "tests/kernels/subjects.h"

enum { SEED = 20261123, ROWS = 400, MOST = 256 };

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// By the format's definition: (1 + fraction / 8) * 2^(exponent - 7), fraction / 8 * 2^-6 below.
static double fp8_value(int code) {
    const int exponent = code >> 3 & 15, fraction = code & 7;
    const double size = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    return code & 0x80 ? -size : size;
}

static void every_fp8_code_decodes_as_its_format_defines(void **state) {
    (void)state;
    for (int code = 0; code < 256; code++) {
        const float value = fp8_to_float((uint8_t)code);
        if ((code & 0x7F) == 0x7F) {
            assert_true(isnan(value));
            continue;
        }
        assert_true((double)value == fp8_value(code) && (signbit(value) != 0) == (code >= 0x80));
        assert_int_equal(float_to_fp8(value), code);
    }
    assert_true(fp8_to_float(0x7E) == 448);
}

// The nearest of all codes, of two equally near the even one.
static int nearest_fp8(float value) {
    int best = 0;
    for (int code = 0; code < 0x7F; code++) {
        const double size = fabs((double)value), error = fabs(fp8_value(code) - size);
        const double least = fabs(fp8_value(best) - size);
        if (error < least || (error == least && code % 2 == 0)) best = code;
    }
    return best | (signbit(value) ? 0x80 : 0);
}

static void check_nearest(float value) {
    if (float_to_fp8(value) != nearest_fp8(value))
        fail_msg("%a: %d, not %d", (double)value, float_to_fp8(value), nearest_fp8(value));
}

static void a_float_rounds_to_the_nearest_fp8(void **state) {
    (void)state;
    uint64_t random = SEED;
    for (int code = 0; code + 1 < 0x7F; code++) { // halves between neighbours, and next to them
        const float middle = (float)((fp8_value(code) + fp8_value(code + 1)) / 2);
        const float around[] = {nextafterf(middle, 0), middle, nextafterf(middle, 1000)};
        for (int i = 0; i < 3; i++) {
            check_nearest(around[i]);
            check_nearest(-around[i]);
        }
    }
    for (int i = 0; i < 100000; i++) {
        const uint32_t exponent = 127 - 14 + (uint32_t)random_below(&random, 24);
        const uint32_t fraction = (uint32_t)random_below(&random, 1 << 23);
        const uint32_t sign = (uint32_t)random_below(&random, 2);
        check_nearest(float_of(sign << 31 | exponent << 23 | fraction));
    }
    const float ends[] = {0, 1e-30F, 449, 480, 1e30F};
    for (int i = 0; i < 5; i++)
        check_nearest(ends[i]);
}

static void fill_row(float *values, int32_t count, int row, uint64_t *random) {
    const float size = ldexpf(1, random_below(random, 60) - 30);
    for (int32_t i = 0; i < count; i++)
        values[i] = row % 7 == 0 ? 0 : size * random_float(random);
    if (row % 11 == 0) values[random_below(random, count)] *= 1000; // an outlier
    if (row % 13 == 0) values[random_below(random, count)] = INFINITY;
    if (row % 17 == 0) values[random_below(random, count)] = NAN;
    if (row % 19 == 0) values[0] = 1e-35F;
}

static void check_row(const struct cpu_isa *isa, enum dtype type, int32_t count, int row,
                      uint64_t *random) {
    const double largest = type == DTYPE_FP8 ? 448 : 127;
    float *values = floats_alloc((size_t)count), kept[MOST], highest = 0;
    uint8_t *elements = guarded_alloc((size_t)count);
    fill_row(values, count, row, random);
    for (int32_t i = 0; i < count; i++)
        highest = isfinite(values[i]) ? fmaxf(highest, fabsf(values[i])) : INFINITY;
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(values[i])) highest = INFINITY;
    const float scale = bf16_to_float(isa->store_scaled(type, elements, values, count));
    const float expected = kv_scale(type, highest);
    assert_memory_equal(&scale, &expected, sizeof scale);
    assert_true(highest < INFINITY || isnan(scale));
    dtype_to_float(type, elements, kept, (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(elements[i], kv_quantize(type, values[i], scale));
        if (isnan(scale)) continue;
        const double value = (double)values[i], step = (double)scale;
        const double allowed = type == DTYPE_INT8 ? step / 2 : fmax(fabs(value) / 16, step / 1024);
        assert_true(fabs(value) <= largest * step + 1e-30);
        assert_true(fabs((double)kept[i] * step - value) <= allowed * 1.000001 + 1e-30);
    }
    guarded_free(elements, (size_t)count);
    floats_free(values, (size_t)count);
}

static void quantized_heads_are_within_half_a_step_on_every_isa(void **state) {
    (void)state;
    static const char *const names[] = {"generic", "avx2", "avxvnni", "avx512"};
    uint64_t random = SEED + 1;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        if (!isa_force(names[n])) {
            printf("skip: this machine has no %s\n", names[n]);
            continue;
        }
        const struct cpu_isa *isa = isa_choose()->isa;
        for (int row = 0; row < ROWS; row++)
            for (int t = 0; t < 2; t++)
                check_row(isa, t ? DTYPE_INT8 : DTYPE_FP8, 1 + random_below(&random, MOST), row,
                          &random);
    }
    assert_true(isa_force(NULL));
}

static void cache_types_are_found_by_name(void **state) {
    (void)state;
    enum dtype type;
    assert_true(kv_type_find("fp8", &type) && type == DTYPE_FP8);
    assert_true(kv_type_find("INT8", &type) && type == DTYPE_INT8);
    assert_true(kv_type_find("f16", &type) && type == DTYPE_F16);
    assert_false(kv_type_find("q8_0", &type));
    assert_false(dtype_find("fp8", &type)); // no weight has it
    assert_string_equal(dtype_name(DTYPE_FP8), "fp8");
    assert_string_equal(dtype_name(DTYPE_INT8), "int8");
}

static void copying_blocks_leaves_the_others_unchanged(void **state) {
    (void)state;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        struct kv_cache cache = {.type = which % 2 ? DTYPE_INT8 : DTYPE_BF16,
                                 .num_layers = 3,
                                 .num_kv_heads = 2,
                                 .head_size = 10,
                                 .block_size = 7,
                                 .num_blocks = 6};
        const size_t bytes = kv_block_bytes(&cache);
        uint8_t *data = guarded_alloc(6 * bytes);
        cache.data = data;
        for (size_t i = 0; i < 6 * bytes; i++)
            data[i] = (uint8_t)(i / bytes * 41 + i % bytes);
        const uint32_t source[] = {5, 1}, destination[] = {0, 3}, now[] = {5, 1, 2, 1, 4, 5};
        const struct copy_blocks args = {
            .cache = &cache, .source = source, .destination = destination, .pairs = 2};
        subject.backend->copy_blocks(subject.device, &args);
        for (size_t i = 0; i < 6 * bytes; i++)
            assert_int_equal(data[i], (uint8_t)(now[i / bytes] * 41 + i % bytes));
        guarded_free(data, 6 * bytes);
        subject_close(&subject);
    }
}

static void swapped_blocks_return_intact_in_other_places(void **state) {
    (void)state;
    enum { BLOCKS = 6, SLOTS = 4 };
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        struct kv_cache cache = {.type = which % 2 ? DTYPE_FP8 : DTYPE_F16,
                                 .num_layers = 2,
                                 .num_kv_heads = 3,
                                 .head_size = 6,
                                 .block_size = 5,
                                 .num_blocks = BLOCKS};
        const size_t bytes = kv_block_bytes(&cache);
        uint8_t *data = guarded_alloc(BLOCKS * bytes);
        void *slab;
        assert_int_equal(subject.backend->alloc_host(subject.device, SLOTS * bytes, &slab),
                         STATUS_OK);
        memset(slab, 0xEE, SLOTS * bytes); // whatever is not written stays poison
        cache.data = data;
        for (size_t i = 0; i < BLOCKS * bytes; i++)
            data[i] = (uint8_t)(i / bytes * 41 + i % bytes);
        const uint32_t from[] = {5, 0, 2}, to[] = {1, 4, 0}, slots[] = {3, 0, 1};
        struct swap_blocks args = {
            .cache = &cache, .host = slab, .blocks = from, .slots = slots, .pairs = 3, .out = true};
        subject.backend->swap_blocks(subject.device, &args);
        args.blocks = to;
        args.out = false;
        subject.backend->swap_blocks(subject.device, &args);
        assert_int_equal(subject.backend->sync(subject.device), STATUS_OK);
        const uint32_t now[] = {2, 5, 2, 3, 0, 5};
        for (size_t i = 0; i < BLOCKS * bytes; i++)
            assert_int_equal(data[i], (uint8_t)(now[i / bytes] * 41 + i % bytes));
        for (size_t i = 0; i < bytes; i++) // slot 2 was not named
            assert_int_equal(((uint8_t *)slab)[2 * bytes + i], 0xEE);
        subject.backend->release_host(subject.device, slab, SLOTS * bytes);
        guarded_free(data, BLOCKS * bytes);
        subject_close(&subject);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fp8_code_decodes_as_its_format_defines),
        cmocka_unit_test(a_float_rounds_to_the_nearest_fp8),
        cmocka_unit_test(quantized_heads_are_within_half_a_step_on_every_isa),
        cmocka_unit_test(cache_types_are_found_by_name),
        cmocka_unit_test(copying_blocks_leaves_the_others_unchanged),
        cmocka_unit_test(swapped_blocks_return_intact_in_other_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
