#include <string.h>

#include "app/base/printable.h"
#include "app/screen/terminal.h"
#include "tests/check.h"

static void becomes(const char *bytes, size_t length, const char *expected) {
    struct text out = {0};
    assert_int_equal(printable_text(bytes, length, &out), STATUS_OK);
    assert_string_equal(text_string(&out), expected);
    text_deinit(&out);
}

static void ordinary_text_is_unchanged(void **state) {
    (void)state;
    const char text[] = "Hello, wörld 日本語 🦊\n\tindented";
    becomes(text, strlen(text), text);
}

static void escapes_become_symbols(void **state) {
    (void)state;
    becomes("\033[31mred\033]0;title\007", 18, "␛[31mred␛]0;title␇");
    becomes("a\0b\x7f", 4, "a␀b␡");
    becomes("back\b\b", 6, "back␈␈");
}

static void carriage_returns_are_removed(void **state) {
    (void)state;
    becomes("one\r\ntwo\rthree", 14, "one\ntwothree");
}

static void c1_and_ill_formed_bytes_are_replaced(void **state) {
    (void)state;
    becomes("\xc2\x9b"
            "31m",
            5,
            "\xEF\xBF\xBD"
            "31m");
    becomes("\x9b\xff", 2, "\xEF\xBF\xBD\xEF\xBF\xBD");
}

static void no_control_character_gets_through(void **state) {
    (void)state;
    for (uint32_t code_point = 0; code_point < 0x3000; code_point++) {
        char bytes[UTF8_MAX_BYTES];
        struct text out = {0};
        assert_int_equal(printable_text(bytes, utf8_encode(code_point, bytes), &out), STATUS_OK);
        for (size_t at = 0, used; at < out.length; at += used) {
            const uint32_t got = utf8_decode(out.bytes + at, out.length - at, &used);
            assert_true(got == '\n' || got == '\t' || (got >= 0x20 && got < 0x7F) || got >= 0xA0);
            assert_false((got >= 0x2028 && got <= 0x202E) || (got >= 0x2066 && got <= 0x2069));
        }
        text_deinit(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_text_is_unchanged),
        cmocka_unit_test(escapes_become_symbols),
        cmocka_unit_test(carriage_returns_are_removed),
        cmocka_unit_test(c1_and_ill_formed_bytes_are_replaced),
        cmocka_unit_test(no_control_character_gets_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
