// Rows as a terminal counts them.
#include <locale.h>
#include <string.h>

#include "app/console/pager.h"
#include "tests/check.h"

enum { WIDTH = 10 };

static struct pager_rows take_rows(const char *string, size_t from, size_t rows) {
    struct text text = {0};
    assert_int_equal(text_append_string(&text, string), STATUS_OK);
    const struct pager_rows taken = pager_take(&text, from, rows, WIDTH);
    text_deinit(&text);
    return taken;
}

static void a_row_ends_at_the_end_of_its_line(void **state) {
    (void)state;
    const struct pager_rows two = take_rows("one\ntwo\nthree\n", 0, 2);
    assert_int_equal(two.end, strlen("one\ntwo\n"));
    assert_int_equal(two.count, 2);
    assert_false(two.mid_line);
    assert_int_equal(take_rows("one\ntwo\nthree\n", two.end, 2).count, 1);
    assert_int_equal(take_rows("one\ntwo", 0, 5).count, 2);
    assert_int_equal(take_rows("", 0, 5).count, 0);
}

static void a_long_line_takes_several_rows(void **state) {
    (void)state;
    const struct pager_rows one = take_rows("0123456789abc\n", 0, 1);
    assert_int_equal(one.end, 10);
    assert_true(one.mid_line);
    assert_int_equal(take_rows("0123456789\nabc", 0, SIZE_MAX).count, 2); // full, and no row more
    assert_int_equal(take_rows("漢字漢字漢字", 0, 1).end, strlen("漢字漢字漢"));
    assert_int_equal(take_rows("\tabc", 0, 1).end, 3); // a tab, and two of three
}

static void escapes_take_no_columns(void **state) {
    (void)state;
    const struct pager_rows one = take_rows("\033[1m0123456789\033[0mabc", 0, 1);
    assert_int_equal(one.end, strlen("\033[1m0123456789\033[0m"));
    assert_int_equal(one.style, strlen("\033[1m0123456789"));
    assert_int_equal(one.style_length, 4);
    // A word that moves: erased from column 7 on, and written again below.
    assert_int_equal(take_rows("words word\033[7G\033[K\nwordy\n", 0, SIZE_MAX).count, 2);
    assert_int_equal(take_rows("table: 1 row\r\033[Kab", 0, SIZE_MAX).count,
                     2); // it was broken already
}

static void incomplete_sequences_at_the_end_are_accepted(void **state) {
    (void)state;
    static const char *const ends[] = {"\033", "\033[",    "\033[1",
                                       "\xE6", "\xE6\xBC", "a\033[999999999999G"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        assert_int_equal(take_rows(ends[i], 0, SIZE_MAX).end, strlen(ends[i]));
}

static void the_pages_add_up_to_the_text(void **state) {
    (void)state;
    static const char *const parts[] = {
        "word ", "\n", "漢字", "\033[1m", "\033[0m", "\t", "longer-than-a-line", "x"};
    for (unsigned seed = 1; seed < 300; seed++) {
        struct text text = {0};
        unsigned random = seed;
        for (int i = 0; i < 60; i++) {
            random = random * 1103515245u + 12345u;
            assert_int_equal(text_append_string(&text, parts[random >> 16 & 7]), STATUS_OK);
        }
        const size_t rows = 1 + seed % 5, all = pager_take(&text, 0, SIZE_MAX, WIDTH).count;
        size_t at = 0, count = 0;
        while (at < text.length) {
            const struct pager_rows taken = pager_take(&text, at, rows, WIDTH);
            assert_true(taken.end > at && taken.count <= rows);
            at = taken.end;
            count += taken.count;
        }
        assert_in_range(count, all, all + 1); // styles alone at the end
        text_deinit(&text);
    }
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_ends_at_the_end_of_its_line),
        cmocka_unit_test(a_long_line_takes_several_rows),
        cmocka_unit_test(escapes_take_no_columns),
        cmocka_unit_test(incomplete_sequences_at_the_end_are_accepted),
        cmocka_unit_test(the_pages_add_up_to_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
