// tests/kernels/base/test_size.c — size.h rule by rule.
#include <string.h>

#include "kernels/base/size.h"
#include "tests/check.h"

static void overflowing_products_and_sums_are_refused(void **state) {
    (void)state;
    size_t result = 77;
    assert_false(size_mul(SIZE_MAX, 2, &result));
    assert_false(size_mul((size_t)1 << 32, (size_t)1 << 32, &result));
    assert_false(size_add(SIZE_MAX, 1, &result));
    assert_int_equal(result, 77);
    assert_true(size_mul(SIZE_MAX, 1, &result));
    assert_true(result == SIZE_MAX);
    assert_true(size_mul((size_t)1 << 32, ((size_t)1 << 32) - 1, &result));
    assert_true(result == (SIZE_MAX >> 32) << 32);
    assert_true(size_mul(SIZE_MAX, 0, &result));
    assert_int_equal(result, 0);
    assert_true(size_add(SIZE_MAX - 1, 1, &result));
    assert_true(result == SIZE_MAX);
}

static void rounding_up_gives_the_next_multiple(void **state) {
    (void)state;
    for (size_t value = 0; value < 200; value++)
        for (size_t multiple = 1; multiple < 40; multiple++) {
            const size_t rounded = size_round_up(value, multiple);
            assert_int_equal(rounded % multiple, 0);
            assert_true(rounded >= value && rounded < value + multiple);
        }
}

static void sizes_parse_with_every_usual_suffix(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t bytes;
    } good[] = {
        {"0", 0},
        {"512", 512},
        {"512B", 512},
        {"64K", 65536},
        {"64k", 65536},
        {"64KB", 65536},
        {"64KiB", 65536},
        {"1.5G", (size_t)3 << 29},
        {"2GiB", (size_t)2 << 30},
        {"0.5M", 524288},
        {"3t", (size_t)3 << 40},
        {"1048575T", (size_t)1048575 << 40},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        size_t bytes = 1;
        assert_int_equal(size_parse(good[i].text, &bytes), STATUS_OK);
        assert_int_equal(bytes, good[i].bytes);
    }
}

static void malformed_sizes_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",   " 1",   "-1",  "+1",  "K",   "G1",       "1 G",  "1GG", "1GBs",  "1i",   "1iB",
        "1X", "1,5G", "nan", "inf", ".5G", "5000000T", "9e99", "1G ", "1KiBB", "0x10", "1e3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        size_t bytes = 77;
        if (size_parse(bad[i], &bytes) != STATUS_BAD_INPUT) fail_msg("'%s' was read", bad[i]);
        assert_int_equal(bytes, 77);
    }
}

static void sizes_are_printed_in_the_largest_fitting_unit(void **state) {
    (void)state;
    static const struct {
        size_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {640, "640 B"},
        {1023, "1023 B"},
        {1024, "1.0 KiB"},
        {1536, "1.5 KiB"},
        {100 * 1024, "100 KiB"},
        {1024 * 1024 - 1, "1.0 MiB"},
        {(size_t)3 << 29, "1.5 GiB"},
        {(size_t)1 << 40, "1.0 TiB"},
        {SIZE_MAX, "16777216 TiB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[SIZE_TEXT_BYTES];
        assert_ptr_equal(size_format(cases[i].bytes, text), text);
        assert_string_equal(text, cases[i].text);
    }
}

static void a_printed_size_parses_back_within_rounding(void **state) {
    (void)state;
    for (size_t bytes = 1; bytes < (size_t)1 << 50; bytes = bytes * 5 / 3 + 1) {
        char text[SIZE_TEXT_BYTES];
        size_t back = 0;
        size_format(bytes, text);
        char *space = strchr(text, ' '); // people may write it without
        memmove(space, space + 1, strlen(space));
        assert_int_equal(size_parse(text, &back), STATUS_OK);
        const double error = ((double)back - (double)bytes) / (double)bytes;
        assert_true(error > -0.06 && error < 0.06);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflowing_products_and_sums_are_refused),
        cmocka_unit_test(rounding_up_gives_the_next_multiple),
        cmocka_unit_test(sizes_parse_with_every_usual_suffix),
        cmocka_unit_test(malformed_sizes_are_refused),
        cmocka_unit_test(sizes_are_printed_in_the_largest_fitting_unit),
        cmocka_unit_test(a_printed_size_parses_back_within_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
