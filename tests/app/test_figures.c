#include <locale.h>

#include "app/base/figures.h"
#include "tests/check.h"

static void counts_are_printed_with_commas(void **state) {
    (void)state;
    char text[COUNT_TEXT_BYTES];
    assert_string_equal(count_format(0, text), "0");
    assert_string_equal(count_format(999, text), "999");
    assert_string_equal(count_format(1204, text), "1,204");
    assert_string_equal(count_format(-123456, text), "-123,456");
    assert_string_equal(count_format(INT64_MIN, text), "-9,223,372,036,854,775,808");
}

static void one_thing_is_named_in_the_singular(void **state) {
    (void)state;
    char text[COUNT_TEXT_BYTES];
    assert_string_equal(nouns_format(0, "byte", text), "0 bytes");
    assert_string_equal(nouns_format(1, "message", text), "1 message");
    assert_string_equal(nouns_format(1204, "block", text), "1,204 blocks");
}

static void ages_are_printed_in_one_unit(void **state) {
    (void)state;
    const int64_t minute = 60 * 1000, day = 24 * 60 * minute;
    const struct {
        int64_t age_ms;
        const char *text;
    } table[] = {
        {-5, "now"},           {minute - 1, "now"},
        {3 * minute, "3 min"}, {119 * minute, "119 min"},
        {120 * minute, "2 h"}, {2 * day - 1, "47 h"},
        {2 * day, "2 d"},      {90 * day, "3 mo"},
        {800 * day, "2 y"},
    };
    char text[AGE_TEXT_BYTES];
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_string_equal(age_format(table[i].age_ms, text), table[i].text);
}

static void fits(const char *text, int columns, bool pad, const char *expected) {
    struct text out = {0};
    assert_int_equal(text_fit(&out, text, columns, pad), STATUS_OK);
    assert_string_equal(text_string(&out), expected);
    text_deinit(&out);
}

static void text_is_cut_and_padded_to_columns(void **state) {
    (void)state;
    fits("short", 8, false, "short");
    fits("short", 8, true, "short   ");
    fits("two\nlines", 12, false, "two lines");
    fits("exactly8", 8, true, "exactly8");
    fits("one too many", 8, false, "one too…");
}

static void wide_characters_take_two_columns(void **state) {
    (void)state;
    if (!setlocale(LC_CTYPE, "C.UTF-8")) {
        print_message("skipped: no UTF-8 locale\n");
        skip();
    }
    assert_int_equal(text_columns("日本語"), 6);
    fits("日本語", 6, false, "日本語");
    fits("日本語", 5, false, "日本…");
    fits("日本語", 4, true, "日… ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_printed_with_commas),
        cmocka_unit_test(one_thing_is_named_in_the_singular),
        cmocka_unit_test(ages_are_printed_in_one_unit),
        cmocka_unit_test(text_is_cut_and_padded_to_columns),
        cmocka_unit_test(wide_characters_take_two_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
