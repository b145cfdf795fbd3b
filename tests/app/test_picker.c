// tests/app/test_picker.c — keys and lines of a picker, without a terminal.
#include "app/console/picker.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, RETURN = 0x0D, BACKSPACE = 0x7F, CTRL_U = 0x15 };

static const char *const ITEMS[] = {"red fox", "brown bear", "grey fox", "blue whale", "Fox bear"};
enum { COUNT = sizeof ITEMS / sizeof ITEMS[0] };

static struct picker picker_of(size_t at) {
    struct picker picker;
    const struct picker_options options = {
        .title = "animals", .items = ITEMS, .count = COUNT, .at = at};
    assert_int_equal(picker_init(&picker, &options), STATUS_OK);
    return picker;
}

static void type(struct picker *picker, const char *text) {
    for (; *text; text++)
        assert_int_equal(picker_press(picker, (unsigned char)*text, ROWS), PICKER_GOES_ON);
}

static size_t marked(const struct picker *picker) {
    size_t item = SIZE_MAX;
    return picker_marked(picker, &item) ? item : SIZE_MAX;
}

static void expect_line(const struct picker *picker, size_t row, int columns, const char *line) {
    struct text text = {0};
    assert_int_equal(picker_line(picker, row, columns, &text), STATUS_OK);
    assert_string_equal(text_string(&text), line);
    text_deinit(&text);
}

static void arrow_keys_move_the_mark_and_scroll_the_list(void **state) {
    (void)state;
    struct picker picker = picker_of(0);
    expect_line(&picker, 0, 40, "> red fox");
    expect_line(&picker, 2, 40, "  grey fox");
    for (int i = 0; i < 3; i++)
        picker_press(&picker, KEY_DOWN, ROWS);
    assert_int_equal(marked(&picker), 3);
    expect_line(&picker, 0, 40, "  brown bear");
    expect_line(&picker, 2, 40, "> blue whale");
    picker_press(&picker, KEY_UP, ROWS);
    expect_line(&picker, 1, 40, "> grey fox");
    picker_press(&picker, KEY_HOME, ROWS);
    picker_press(&picker, KEY_UP, ROWS);
    assert_int_equal(marked(&picker), 0);
    picker_press(&picker, KEY_PAGE_DOWN, ROWS);
    assert_int_equal(marked(&picker), 3);
    picker_press(&picker, KEY_END, ROWS);
    picker_press(&picker, KEY_DOWN, ROWS);
    assert_int_equal(marked(&picker), 4);
    picker_press(&picker, KEY_PAGE_UP, ROWS);
    assert_int_equal(marked(&picker), 1);
    picker_deinit(&picker);
}

static void typing_filters_to_items_with_every_word(void **state) {
    (void)state;
    struct picker picker = picker_of(2);
    type(&picker, "fox");
    assert_int_equal(picker.shown_count, 3);
    assert_int_equal(marked(&picker), 2); // stays marked
    type(&picker, " bear");
    assert_int_equal(picker.shown_count, 1);
    expect_line(&picker, 0, 40, "> Fox bear");
    expect_line(&picker, 1, 40, "");
    for (int i = 0; i < 5; i++)
        picker_press(&picker, BACKSPACE, ROWS);
    assert_int_equal(picker.shown_count, 3);
    picker_press(&picker, CTRL_U, ROWS);
    assert_int_equal(picker.shown_count, COUNT);
    assert_int_equal(marked(&picker), 4);
    picker_deinit(&picker);
}

static void enter_chooses_only_a_shown_item(void **state) {
    (void)state;
    struct picker picker = picker_of(1);
    type(&picker, "xyzzy");
    assert_int_equal(marked(&picker), SIZE_MAX);
    assert_int_equal(picker_press(&picker, RETURN, ROWS), PICKER_GOES_ON);
    assert_int_equal(picker_press(&picker, KEY_DOWN, ROWS), PICKER_GOES_ON);
    picker_press(&picker, CTRL_U, ROWS);
    assert_int_equal(picker_press(&picker, RETURN, ROWS), PICKER_CHOSE);
    assert_int_equal(picker_press(&picker, KEY_ESCAPE, ROWS), PICKER_LEFT);
    assert_int_equal(picker_press(&picker, 0x03, ROWS), PICKER_LEFT);
    picker_deinit(&picker);
}

static void backspace_deletes_whole_characters(void **state) {
    (void)state;
    struct picker picker = picker_of(0);
    type(&picker, "aé");
    picker_press(&picker, BACKSPACE, ROWS);
    assert_string_equal(text_string(&picker.filter), "a");
    picker_press(&picker, BACKSPACE, ROWS);
    picker_press(&picker, BACKSPACE, ROWS);
    assert_int_equal(picker.filter.length, 0);
    picker_deinit(&picker);
}

static void paste(struct picker *picker, const char *string, bool taken, const char *filter) {
    struct text text = {0};
    assert_int_equal(text_append_string(&text, string), STATUS_OK);
    assert_int_equal(picker_paste(picker, &text, ROWS), taken);
    assert_string_equal(text_string(&picker->filter), filter);
    text_deinit(&text);
}

static void only_a_pasted_line_is_part_of_the_filter(void **state) {
    (void)state;
    char longest[202] = "";
    struct picker picker = picker_of(0);
    paste(&picker, "", true, "");
    paste(&picker, "fo", true, "fo");
    paste(&picker, "x\n", true, "fox");
    assert_int_equal(picker.shown_count, 3);
    paste(&picker, " bear\nq", false, "fox");
    paste(&picker, "\t", false, "fox");
    paste(&picker, "\177", false, "fox");
    memset(longest, ' ', 198);
    paste(&picker, longest, false, "fox");
    assert_int_equal(picker.shown_count, 3);
    picker_deinit(&picker);
}

static void item_lines_are_cut_to_the_width(void **state) {
    (void)state;
    struct picker picker = picker_of(0);
    expect_line(&picker, 0, 6, "> red…");
    expect_line(&picker, 1, 12, "  brown bear");
    picker_deinit(&picker);
}

static void replacing_the_items_keeps_the_marked_one(void **state) {
    (void)state;
    static const char *const all[] = {"ant", "bee", "grey fox", "red fox", "brown bear"};
    struct picker picker = picker_of(2);
    type(&picker, "fox");
    struct picker_options options = {.items = all, .count = 5};
    assert_int_equal(picker_replace(&picker, &options), STATUS_OK);
    assert_int_equal(picker.shown_count, 2);
    assert_int_equal(marked(&picker), 2);
    picker_press(&picker, KEY_DOWN, ROWS);
    expect_line(&picker, 1, 40, "> red fox");
    options.count = 3;
    assert_int_equal(picker_replace(&picker, &options), STATUS_OK); // without the marked one
    assert_int_equal(marked(&picker), 2);
    picker_deinit(&picker);
}

static void hidden_search_words_are_matched(void **state) {
    (void)state;
    static const char *const words[] = {"a red fox", "b", "c grey fox", "d sea", "e"};
    struct picker picker;
    const struct picker_options options = {
        .title = "animals", .items = ITEMS, .words = words, .count = COUNT};
    assert_int_equal(picker_init(&picker, &options), STATUS_OK);
    type(&picker, "sea");
    assert_int_equal(marked(&picker), 3);
    picker_press(&picker, CTRL_U, ROWS);
    type(&picker, "bear"); // shown, but none of the words
    assert_int_equal(picker.shown_count, 0);
    picker_deinit(&picker);
}

// After each key the mark is on the screen, and the filter's items are those that have its words.
static void random_keys_keep_the_mark_on_the_screen(void **state) {
    (void)state;
    static const int keys[] = {
        KEY_UP, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME,      KEY_END, 'f',  'o',
        ' ',    'e',      BACKSPACE,   CTRL_U,        KEY_PAGE_DOWN, 0xC3,    0x01, 'B'};
    unsigned seed = 9;
    for (int round = 0; round < 200; round++) {
        struct picker picker = picker_of((size_t)rand_r(&seed) % COUNT);
        for (int i = 0; i < 60; i++) {
            const size_t rows = 1 + (size_t)rand_r(&seed) % 6;
            picker_press(&picker, keys[(size_t)rand_r(&seed) % 16], rows);
            assert_true(picker.shown_count == 0 || picker.at < picker.shown_count);
            assert_true(picker.at >= picker.top && picker.at < picker.top + rows);
            for (size_t j = 1; j < picker.shown_count; j++)
                assert_true(picker.shown[j] > picker.shown[j - 1]);
        }
        picker_deinit(&picker);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrow_keys_move_the_mark_and_scroll_the_list),
        cmocka_unit_test(typing_filters_to_items_with_every_word),
        cmocka_unit_test(enter_chooses_only_a_shown_item),
        cmocka_unit_test(backspace_deletes_whole_characters),
        cmocka_unit_test(only_a_pasted_line_is_part_of_the_filter),
        cmocka_unit_test(item_lines_are_cut_to_the_width),
        cmocka_unit_test(replacing_the_items_keeps_the_marked_one),
        cmocka_unit_test(hidden_search_words_are_matched),
        cmocka_unit_test(random_keys_keep_the_mark_on_the_screen),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
