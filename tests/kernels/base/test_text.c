// tests/kernels/base/test_text.c — text.h rule by rule; UTF-8 against Unicode's own tables.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/text.h"
#include "tests/check.h"

static void a_growing_text_always_ends_with_a_nul(void **state) {
    (void)state;
    struct text text = {0};
    assert_string_equal(text_string(&text), "");
    for (size_t i = 0; i < 5000; i++) {
        const char letter = (char)('a' + i % 26);
        assert_int_equal(text_append(&text, &letter, 1), STATUS_OK);
        assert_int_equal(text.length, i + 1);
        assert_true(text.capacity > text.length);
        assert_int_equal(text.bytes[i + 1], '\0');
    }
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(text.bytes[i], 'a' + i % 26);
    text_deinit(&text);
    assert_true(text.bytes == NULL && text.length == 0 && text.capacity == 0);
}

static void a_text_may_contain_zero_bytes(void **state) {
    (void)state;
    struct text text = {0};
    assert_int_equal(text_append(&text, NULL, 0), STATUS_OK);
    assert_string_equal(text_string(&text), "");
    assert_int_equal(text_append(&text, "a\0b", 3), STATUS_OK);
    assert_int_equal(text.length, 3);
    assert_memory_equal(text.bytes, "a\0b", 4);
    text_deinit(&text);
}

static void clearing_a_text_keeps_its_buffer(void **state) {
    (void)state;
    struct text text = {0};
    text_clear(&text);
    assert_int_equal(text_append_string(&text, "one two three"), STATUS_OK);
    const char *bytes = text.bytes;
    text_clear(&text);
    assert_int_equal(text.length, 0);
    assert_string_equal(text_string(&text), "");
    assert_int_equal(text_append_string(&text, "four"), STATUS_OK);
    assert_ptr_equal(text.bytes, bytes);
    assert_string_equal(text.bytes, "four");
    text_deinit(&text);
}

static void an_impossible_length_leaves_the_text_unchanged(void **state) {
    (void)state;
    struct text text = {0};
    assert_int_equal(text_append_string(&text, "kept"), STATUS_OK);
    const struct text before = text;
    assert_int_equal(text_append(&text, "x", SIZE_MAX), STATUS_NO_MEMORY);
    assert_int_equal(text_append(&text, "x", SIZE_MAX / 2), STATUS_NO_MEMORY);
    assert_memory_equal(&text, &before, sizeof text);
    assert_string_equal(text.bytes, "kept");
    text_deinit(&text);
}

static void formatting_appends_strings_of_any_length(void **state) {
    (void)state;
    struct text text = {0};
    char expected[2048] = "";
    for (int width = 0; width < 60; width++) {
        const size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%*d|", width, width);
        assert_int_equal(text_format(&text, "%*d|", width, width), STATUS_OK);
        assert_string_equal(text.bytes, expected);
        assert_int_equal(text.length, strlen(expected));
    }
    assert_int_equal(text_format(&text, "%s", ""), STATUS_OK);
    assert_string_equal(text.bytes, expected);
    text_deinit(&text);
}

static bool is_surrogate(uint32_t code_point) {
    return code_point >= 0xD800 && code_point <= 0xDFFF;
}

static void every_code_point_survives_a_round_trip(void **state) {
    (void)state;
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; code_point++) {
        if (is_surrogate(code_point)) continue;
        char bytes[UTF8_MAX_BYTES];
        const size_t length = utf8_encode(code_point, bytes);
        const size_t expected = code_point < 0x80      ? 1
                                : code_point < 0x800   ? 2
                                : code_point < 0x10000 ? 3
                                                       : 4;
        size_t used = 0;
        if (length != expected || utf8_decode(bytes, length, &used) != code_point ||
            used != length || !utf8_valid(bytes, length, NULL))
            fail_msg("U+%04X", code_point);
        for (size_t cut = 1; cut < length; cut++)
            if (utf8_incomplete_tail(bytes, cut) != cut || utf8_valid(bytes, cut, NULL))
                fail_msg("U+%04X cut to %zu bytes", code_point, cut);
        if (utf8_incomplete_tail(bytes, length) != 0) fail_msg("tail of U+%04X", code_point);
    }
}

// How Unicode 15 replaces ill-formed bytes: tables 3-8 to 3-11, one U+FFFD a maximal subpart.
static void ill_formed_utf8_is_replaced_as_unicode_recommends(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t code_points[12];
        size_t count;
    } cases[] = {
        {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41",
         9,
         {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0x41},
         9},
        {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41",
         9,
         {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0x41},
         9},
        {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42",
         9,
         {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0x41, 0xFFFD, 0xFFFD, 0x42},
         9},
        {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 9, {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0x41}, 5},
        {"\xE1\x80", 2, {0xFFFD}, 1},
        {"\xF1\x80\x80", 3, {0xFFFD}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t at = 0, count = 0, used = 0;
        for (; at < cases[i].length; at += used, count++) {
            assert_true(count < cases[i].count);
            assert_int_equal(utf8_decode(cases[i].bytes + at, cases[i].length - at, &used),
                             cases[i].code_points[count]);
            assert_true(used > 0);
        }
        assert_int_equal(at, cases[i].length);
        assert_int_equal(count, cases[i].count);
    }
}

// The plainest validator: decode by the bit patterns alone, then ask what must hold.
static bool plainly_valid(const unsigned char *in, size_t length, size_t *bad) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    for (size_t at = 0; at < length;) {
        const unsigned char lead = in[at];
        const size_t bytes = lead < 0x80           ? 1
                             : (lead >> 5) == 6    ? 2
                             : (lead >> 4) == 0xE  ? 3
                             : (lead >> 3) == 0x1E ? 4
                                                   : 0;
        uint32_t code_point = bytes == 1 ? lead : lead & (0x7Fu >> bytes);
        *bad = at;
        if (bytes == 0 || at + bytes > length) return false;
        for (size_t i = 1; i < bytes; i++) {
            if (in[at + i] >> 6 != 2) return false;
            code_point = code_point << 6 | (in[at + i] & 0x3Fu);
        }
        if (code_point < least[bytes] || code_point > 0x10FFFF || is_surrogate(code_point))
            return false;
        at += bytes;
    }
    return true;
}

static void utf8_validation_agrees_with_a_naive_validator(void **state) {
    (void)state;
    // Bytes at the borders of the tables, so that valid and almost valid sequences are common.
    static const unsigned char alphabet[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                             0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
                                             0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF};
    uint32_t seed = 7;
    print_message("seed %u\n", seed);
    int valid = 0;
    for (int round = 0; round < 300000; round++) {
        unsigned char bytes[6];
        size_t expected = 0, found = 99;
        seed = seed * 1664525u + 1013904223u;
        const size_t length = (seed >> 24) % (sizeof bytes + 1);
        for (size_t i = 0; i < length; i++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[i] = alphabet[(seed >> 16) % sizeof alphabet];
        }
        const bool is_valid = plainly_valid(bytes, length, &expected);
        assert_int_equal(utf8_valid((const char *)bytes, length, &found), is_valid);
        if (!is_valid) assert_int_equal(found, expected);
        assert_int_equal(utf8_valid((const char *)bytes, length, NULL), is_valid);
        valid += is_valid;
    }
    assert_true(valid > 10000);
}

static void only_an_incomplete_trailing_character_is_held_back(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t tail;
    } cases[] = {
        {"", 0},
        {"a", 0},
        {"\xC3\xA9", 0},
        {"a\xC3", 1},
        {"\xE2\x82", 2},
        {"\xF0\x9F\x98", 3},
        {"\xF0\x9F\x98\x80", 0},
        {"\xE0\x80", 0},
        {"\xED\xA0", 0},
        {"\xF4\x90", 0},
        {"\xC0", 0},
        {"\xFF", 0},
        {"\x80\x80", 0},
        {"\xC3\xC3", 1},
        {"\xE2\x82\xAC\xE2", 1},
        {"\xF5\x80\x80", 0},
        {"\xC3\x28", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(utf8_incomplete_tail(cases[i].bytes, strlen(cases[i].bytes)),
                         cases[i].tail);
}

static void control_characters_are_those_that_unicode_lists(void **state) {
    (void)state;
    for (uint32_t code_point = 0; code_point < 0x3000; code_point++) {
        char text[2 + UTF8_MAX_BYTES] = "\xC3\xA9";
        const size_t length = utf8_encode(code_point, text + 2);
        assert_int_equal(utf8_has_control(text, 2 + length),
                         code_point < 0x20 || (code_point > 0x7E && code_point < 0xA0));
    }
    assert_false(utf8_has_control("", 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_growing_text_always_ends_with_a_nul),
        cmocka_unit_test(a_text_may_contain_zero_bytes),
        cmocka_unit_test(clearing_a_text_keeps_its_buffer),
        cmocka_unit_test(an_impossible_length_leaves_the_text_unchanged),
        cmocka_unit_test(formatting_appends_strings_of_any_length),
        cmocka_unit_test(every_code_point_survives_a_round_trip),
        cmocka_unit_test(ill_formed_utf8_is_replaced_as_unicode_recommends),
        cmocka_unit_test(utf8_validation_agrees_with_a_naive_validator),
        cmocka_unit_test(only_an_incomplete_trailing_character_is_held_back),
        cmocka_unit_test(control_characters_are_those_that_unicode_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
