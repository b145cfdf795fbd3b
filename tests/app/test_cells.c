#include <locale.h>
#include <string.h>

#include "app/screen/cells.h"
#include "kernels/base/text.h"
#include "tests/check.h"

static void takes(const char *text, int columns, bool sure) {
    struct cells cells = {0};
    struct cells_added last = {0};
    int sum = 0;
    bool all_sure = true;
    const size_t length = strlen(text);
    for (size_t at = 0, used; at < length; at += used) {
        last = cells_add(&cells, utf8_decode(text + at, length - at, &used));
        sum += last.columns;
        all_sure = all_sure && last.sure;
    }
    if (sum != columns || all_sure != sure) print_error("%s: %d\n", text, sum);
    assert_int_equal(sum, columns);
    assert_int_equal(all_sure, sure);
}

static void widths_that_all_terminals_agree_on_are_certain(void **state) {
    (void)state;
    takes("cat", 3, true);
    takes("caf\u00e9", 4, true);
    takes("cafe\u0301", 4, true);
    takes("\u6f22\u5b57", 4, true);
    takes("\u1112\u1161\u11ab", 2, true); // a syllable of three conjoining letters
    takes("\u0928\u093f", 2, true);
    takes("\U0001F600", 2, true);
    takes("\U0001F600\uFE0F", 2, true);
    takes("\u200b\u2060", 0, true);
}

static void disputed_widths_are_the_largest_and_uncertain(void **state) {
    (void)state;
    takes("\u2764\uFE0F", 2, false);
    takes("1\uFE0F\u20E3", 2, false);
    takes("\U0001F44D\U0001F3FD", 4, false);
    takes("\U0001F468\u200D\U0001F469\u200D\U0001F467", 6, false);
    takes("\U0001F1E9\U0001F1EA", 2, false); // after the first letter
    takes("\U0001F1E9x", 3, false);
    takes("\u2705\uFE0E", 2, false);
    takes("\U0010FFFF", 2, false); // in no table
    takes("\u00AD", 1, false);
}

static void joining_characters_stay_with_their_base(void **state) {
    (void)state;
    struct cells cells = {0};
    assert_false(cells_add(&cells, 0x1F468).joined);
    assert_true(cells_add(&cells, 0x200D).joined);
    assert_true(cells_add(&cells, 0x1F469).joined);
    assert_false(cells_add(&cells, 0x1F467).joined);
    assert_false(cells_add(&cells, 'e').joined);
    assert_true(cells_add(&cells, 0x301).joined);
    assert_true(cells_add(&cells, 0x200D).joined);
    assert_false(cells_add(&cells, 'e').joined);
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_that_all_terminals_agree_on_are_certain),
        cmocka_unit_test(disputed_widths_are_the_largest_and_uncertain),
        cmocka_unit_test(joining_characters_stay_with_their_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
