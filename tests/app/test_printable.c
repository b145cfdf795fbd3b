// tests/app/test_printable.c — nothing that a terminal would obey gets through.
#include "app/base/printable.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <string.h>

static void text_of_every_kind_becomes_one_harmless_line(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *shown;
    } cases[] = {
        {"plain", 5, "plain"},
        {"Ġca\xc3\xa7\xe4\xb8\xad", 9, "Ġca\xc3\xa7\xe4\xb8\xad"},
        {"a\nb\tc\rd\\", 8, "a\\nb\\tc\\rd\\\\"},
        {"\033]0;x\a", 6, "\\x1b]0;x\\x07"},
        {"\0z", 2, "\\x00z"},
        {"\x7f\xc2\x9b", 3, "\\x7f\\xc2\\x9b"}, // DEL, C1
        {"\xff\xc3", 2, "\\xff\\xc3"},          // ill-formed
        {"\xe2\x80\xae", 3, "\\xe2\\x80\\xae"}, // right to left override
        {"\xef\xbf\xbd", 3, "\xef\xbf\xbd"},    // U+FFFD itself
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text out = {0};
        assert_int_equal(printable_append(&out, cases[i].bytes, cases[i].length), STATUS_OK);
        assert_string_equal(text_string(&out), cases[i].shown);
        text_deinit(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_every_kind_becomes_one_harmless_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
