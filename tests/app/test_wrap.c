#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/screen/wrap.h"
#include "tests/check.h"

enum { ROWS = 400, COLUMNS_MAX = 60, TEXTS = 300, WORDS = 120 };

// As much of a terminal as wrapping needs: newlines, lines that are full, and "\033[nG\033[K".
struct screen {
    char rows[ROWS][COLUMNS_MAX + 1];
    int width, row, column;
};

static void screen_put(struct screen *screen, char character) {
    if (screen->column == screen->width) {
        screen->row++;
        screen->column = 0;
    }
    assert_true(screen->row < ROWS);
    screen->rows[screen->row][screen->column++] = character;
}

static void screen_write(struct screen *screen, const char *bytes) {
    while (*bytes) {
        int column, used = 0;
        if (sscanf(bytes, "\033[%dG\033[K%n", &column, &used) == 1 && used > 0) {
            screen->column = column - 1;
            memset(screen->rows[screen->row] + screen->column, '\0',
                   (size_t)(screen->width - screen->column));
            bytes += used;
        } else if (*bytes == '\n') {
            assert_true(++screen->row < ROWS);
            screen->column = 0;
            bytes++;
        } else {
            screen_put(screen, *bytes++);
        }
    }
}

static void trim_rows(struct screen *screen) {
    for (int row = 0; row < ROWS; row++) {
        size_t length = strlen(screen->rows[row]);
        while (length > 0 && screen->rows[row][length - 1] == ' ')
            screen->rows[row][--length] = '\0';
    }
}

// The plain way: a word goes on this line if it fits, else on the next.
static void lay_out(struct screen *screen, const char *text) {
    while (*text) {
        const size_t length = strcspn(text, " \n");
        if (length > 0 && screen->column + (int)length > screen->width) {
            screen->row++;
            screen->column = 0;
        }
        for (size_t i = 0; i < length; i++)
            screen_put(screen, text[i]);
        text += length;
        if (*text == '\n') {
            screen->row++;
            screen->column = 0;
        } else if (*text == ' ' && screen->column < screen->width) {
            screen_put(screen, ' ');
        }
        text += *text != '\0';
    }
}

static void random_text(char *text, int width) {
    for (int word = 0; word < WORDS; word++) {
        const int length = 1 + rand() % (width - 1);
        for (int i = 0; i < length; i++)
            *text++ = (char)('a' + rand() % 26);
        *text++ = rand() % 10 ? ' ' : '\n';
    }
    *text = '\0';
}

static void wrapped_words_agree_with_a_naive_layout(void **state) {
    (void)state;
    const unsigned seed = 20240611;
    print_message("seed %u\n", seed);
    srand(seed);
    static struct screen found, expected;
    static char text[WORDS * (COLUMNS_MAX + 1) + 1];
    for (int n = 0; n < TEXTS; n++) {
        const int width = 8 + rand() % (COLUMNS_MAX - 7);
        found = expected = (struct screen){.width = width};
        random_text(text, width);
        struct wrap wrap = {.width = width};
        struct text out = {0};
        for (size_t at = 0, length = strlen(text); at < length;) {
            size_t piece = 1 + (size_t)rand() % 9;
            if (piece > length - at) piece = length - at;
            assert_int_equal(wrap_append(&wrap, text + at, piece, &out), STATUS_OK);
            at += piece;
        }
        screen_write(&found, out.bytes);
        lay_out(&expected, text);
        trim_rows(&found);
        trim_rows(&expected);
        for (int row = 0; row < ROWS; row++)
            assert_string_equal(found.rows[row], expected.rows[row]);
        wrap_deinit(&wrap);
        text_deinit(&out);
    }
}

static void wrapped(struct wrap *wrap, const char *text, const char *expected) {
    struct text out = {0};
    assert_int_equal(wrap_append(wrap, text, strlen(text), &out), STATUS_OK);
    assert_string_equal(text_string(&out), expected);
    text_deinit(&out);
}

static void width_zero_changes_nothing(void **state) {
    (void)state;
    struct wrap wrap = {0};
    wrapped(&wrap, "any words\tat all\n", "any words\tat all\n");
    wrap_deinit(&wrap);
}

static void a_word_wider_than_the_line_is_not_wrapped(void **state) {
    (void)state;
    struct wrap wrap = {.width = 8};
    wrapped(&wrap, "0123456789abcdefghi", "0123456789abcdefghi");
    wrap_deinit(&wrap);
}

static void after_a_shrink_a_reflowed_line_ends_at_the_next_blank(void **state) {
    (void)state;
    struct wrap wrap = {.width = 10};
    wrapped(&wrap, "hello wor", "hello wor");
    wrap_resize(&wrap, 8);
    wrapped(&wrap, "ldwide and more\n", "ldwide\nand more\n");
    wrapped(&wrap, "abcde fghi", "abcde fg\033[7G\033[K\nfghi");
    wrap_deinit(&wrap);
}

static void after_a_resize_words_wrap_to_the_new_width(void **state) {
    (void)state;
    struct wrap wrap = {.width = 10};
    wrapped(&wrap, "one tw", "one tw");
    wrap_resize(&wrap, 8);
    wrapped(&wrap, "enty", "en\033[5G\033[K\ntwenty");
    wrap_resize(&wrap, 20);
    wrapped(&wrap, " and thirty four", " and thirty fo\033[19G\033[K\nfour");
    wrap_deinit(&wrap);
}

static void interrupted_text_resumes_with_its_whole_word(void **state) {
    (void)state;
    struct wrap wrap = {.width = 10};
    wrapped(&wrap, "one tw", "one tw");
    wrap_return(&wrap);
    wrapped(&wrap, "enty three", "twenty thr\033[8G\033[K\nthree");
    wrap_return(&wrap);
    wrapped(&wrap, " four", "four");
    assert_int_equal(wrap_set_lead(&wrap, "| ", 2), STATUS_OK);
    wrap_return(&wrap);
    wrapped(&wrap, "teen", "\033[0;2m| \033[0mfourteen");
    wrap_deinit(&wrap);
}

static void cursor_comes_back_to_where_the_text_ends(void **state) {
    (void)state;
    struct wrap wrap = {.width = 10};
    wrapped(&wrap, "one tw", "one tw");
    assert_int_equal(wrap_end_column(&wrap, 20), 6);
    assert_int_equal(wrap_end_column(&wrap, 7), 6);
    assert_int_equal(wrap_end_column(&wrap, 6), -1); // the terminal breaks the line
    wrap_continue_below(&wrap);
    wrapped(&wrap, "enty three", "enty three");
    wrap_deinit(&wrap);
}

static void end_of_a_line_that_the_terminal_broke_is_unknown(void **state) {
    (void)state;
    struct wrap wrap = {.width = 10};
    struct text out = {0};
    assert_int_equal(wrap_leave_line(&wrap, &out), STATUS_OK);
    wrapped(&wrap, "0123456789", "0123456789");
    assert_int_equal(wrap_end_column(&wrap, 20), 10);
    wrapped(&wrap, "ab", "ab");
    assert_int_equal(wrap_end_column(&wrap, 20), -1);
    wrapped(&wrap, "\nc", "\nc");
    assert_int_equal(wrap_end_column(&wrap, 20), 1);
    wrap_deinit(&wrap);
    text_deinit(&out);
}

// After the cursor has left the text, a terminal writes over the last column of a full line.
static void text_after_a_full_line_starts_a_new_line(void **state) {
    (void)state;
    struct wrap wrap = {.width = 8};
    wrapped(&wrap, "01234567", "01234567");
    wrap_settle(&wrap);
    wrapped(&wrap, "89", "\n89");
    wrapped(&wrap, "\n漢字漢字", "\n漢字漢字");
    wrap_settle(&wrap);
    wrapped(&wrap, "漢", "\n漢");
    wrap_deinit(&wrap);
}

static void settling_a_line_that_is_not_full_changes_nothing(void **state) {
    (void)state;
    struct wrap wrap = {.width = 8};
    wrapped(&wrap, "one two", "one two");
    wrap_settle(&wrap);
    wrapped(&wrap, "x", "x");
    wrap_settle(&wrap);
    wrapped(&wrap, "y  z", "\033[5G\033[K\ntwoxy  z");
    wrap_settle(&wrap);
    wrapped(&wrap, "  \nthree", "\nthree");
    wrap_deinit(&wrap);
}

static void a_line_left_to_the_terminal_is_not_wrapped(void **state) {
    (void)state;
    struct wrap wrap = {.width = 8};
    struct text out = {0};
    assert_int_equal(wrap_leave_line(&wrap, &out), STATUS_OK);
    wrapped(&wrap, "int a = b;", "int a = b;");
    wrap_settle(&wrap);
    wrapped(&wrap, " c = d", " c = d");
    wrap_settle(&wrap);
    wrapped(&wrap, "  e", "\n  e");
    wrap_settle(&wrap);
    wrapped(&wrap, "01234567", "01234567");
    text_deinit(&out);
    wrap_deinit(&wrap);
}

static void a_moved_word_keeps_its_styles(void **state) {
    (void)state;
    struct wrap wrap = {.width = 10};
    wrapped(&wrap, "hello wo", "hello wo");
    wrap.style = WRAP_BOLD;
    wrapped(&wrap, "rl", "\033[0;1mrl");
    wrapped(&wrap, "d", "\033[7G\033[K\n\033[0mwo\033[0;1mrld");
    wrap_deinit(&wrap);
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrapped_words_agree_with_a_naive_layout),
        cmocka_unit_test(width_zero_changes_nothing),
        cmocka_unit_test(a_word_wider_than_the_line_is_not_wrapped),
        cmocka_unit_test(text_after_a_full_line_starts_a_new_line),
        cmocka_unit_test(settling_a_line_that_is_not_full_changes_nothing),
        cmocka_unit_test(a_line_left_to_the_terminal_is_not_wrapped),
        cmocka_unit_test(a_moved_word_keeps_its_styles),
        cmocka_unit_test(after_a_shrink_a_reflowed_line_ends_at_the_next_blank),
        cmocka_unit_test(after_a_resize_words_wrap_to_the_new_width),
        cmocka_unit_test(interrupted_text_resumes_with_its_whole_word),
        cmocka_unit_test(cursor_comes_back_to_where_the_text_ends),
        cmocka_unit_test(end_of_a_line_that_the_terminal_broke_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
