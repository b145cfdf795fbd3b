#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/screen/stream.h"
#include "tests/app/screen.h"
#include "tests/check.h"

enum { RANDOM_TEXTS = CHECK_ROUNDS(300, 30), WIDTH = 40 };

static const unsigned SEED = 612;

static struct text written; // by the streams of this file

static void append_written(const char *bytes, size_t length) {
    assert_int_equal(text_append(&written, bytes, length), STATUS_OK);
}

static struct stream_options options_of(bool styled, enum thought_look look) {
    return (struct stream_options){.write = append_written,
                                   .width = styled ? WIDTH : 0,
                                   .styled = styled,
                                   .markdown = styled,
                                   .thought = {look, styled, WIDTH, 3}};
}

// In pieces of 1 to `most` characters; 0: at once. Each piece counts as a token.
static void play_text(const struct stream_options *options, const char *text, size_t length,
                      size_t most) {
    struct stream stream;
    int32_t tokens = 0;
    stream_begin(&stream, options);
    for (size_t at = 0; at < length;) {
        size_t end = most ? at : length;
        for (size_t n = most ? 1 + (size_t)rand() % most : 0, used; n > 0 && end < length; n--) {
            utf8_decode(text + end, length - end, &used);
            end += used;
        }
        stream_append(&stream, text + at, end - at, ++tokens);
        at = end;
    }
    stream_end(&stream);
    stream_deinit(&stream);
}

static void show(struct screen *screen, const struct stream_options *options, const char *text,
                 size_t most) {
    text_clear(&written);
    play_text(options, text, strlen(text), most);
    screen_clear(screen, WIDTH, false);
    screen_write(screen, text_string(&written), written.length);
}

static void assert_rows(const struct screen *screen, const char *const *rows) {
    char row[SCREEN_COLUMNS * 8];
    int i = 0;
    for (; rows[i]; i++)
        assert_string_equal(screen_row(screen, i, row), rows[i]);
    for (; i <= screen->row; i++)
        assert_string_equal(screen_row(screen, i, row), "");
}

static const char THOUGHT[] = "<think>\nOne row.\n\nThe second has so many words that it breaks at "
                              "the edge.\nThird.\nFourth.\n</think>\n\nThe **answer**.";

static void a_thought_folds_to_one_line(void **state) {
    (void)state;
    static struct screen screen;
    const struct stream_options options = options_of(true, THOUGHT_FOLDS);
    for (size_t most = 0; most < 6; most++) {
        show(&screen, &options, THOUGHT, most);
        char row[SCREEN_COLUMNS * 8];
        const char *line = screen_row(&screen, 0, row);
        assert_memory_equal(line, "[thought for 0.0 s, ", 20);
        assert_string_equal(screen_row(&screen, 1, row), "");
        assert_string_equal(screen_row(&screen, 2, row), "The answer.");
        for (int i = 3; i < 20; i++)
            assert_string_equal(screen_row(&screen, i, row), "");
        assert_int_equal(screen.row, 3);
        assert_false(screen.broke_itself);
    }
}

static void the_last_rows_of_a_running_thought_are_shown(void **state) {
    (void)state;
    static struct screen screen;
    static const char *const rows[] = {"thinking…", "│ breaks at the edge.", "│ Third.",
                                       "│ Fourth.", NULL};
    const struct stream_options options = options_of(true, THOUGHT_FOLDS);
    const size_t length = (size_t)(strstr(THOUGHT, "\n</think>") - THOUGHT);
    for (size_t most = 1; most < 6; most++) {
        struct stream stream;
        text_clear(&written);
        stream_begin(&stream, &options);
        for (size_t at = 0, piece; at < length; at += piece) {
            piece = 1 + (size_t)rand() % most;
            if (piece > length - at) piece = length - at;
            stream_append(&stream, THOUGHT + at, piece, 1);
        }
        stream_append(&stream, " x", 2, 1); // a word is held until something comes after it
        screen_clear(&screen, WIDTH, false);
        screen_write(&screen, text_string(&written), written.length);
        assert_rows(&screen, rows);
        stream_deinit(&stream);
    }
}

static void an_unfolded_thought_stays_above_its_summary(void **state) {
    (void)state;
    static struct screen screen;
    const struct stream_options options = options_of(true, THOUGHT_STAYS);
    show(&screen, &options, THOUGHT, 0);
    static const char *const rows[] = {"thinking…",
                                       "│ One row.",
                                       "│",
                                       "│ The second has so many words that it",
                                       "│ breaks at the edge.",
                                       "│ Third.",
                                       "│ Fourth.",
                                       "[thought for 0.0 s, 1 token]",
                                       "",
                                       "The answer.",
                                       NULL};
    assert_rows(&screen, rows);
}

static void a_hidden_thought_leaves_one_line(void **state) {
    (void)state;
    static struct screen screen;
    const struct stream_options options = options_of(true, THOUGHT_HIDDEN);
    show(&screen, &options, THOUGHT, 0);
    static const char *const rows[] = {"[thought for 0.0 s, 1 token]", "", "The answer.", NULL};
    assert_rows(&screen, rows);
    assert_null(strstr(text_string(&written), "Fourth"));
    assert_non_null(strstr(text_string(&written), "thinking… 1 token\033"));
}

static void a_thought_is_labelled_without_styles(void **state) {
    (void)state;
    struct stream_options options = options_of(false, THOUGHT_FOLDS);
    text_clear(&written);
    play_text(&options, "<think>Hm.</think>\n\nThe **answer**.\n", 36, 0);
    assert_string_equal(text_string(&written),
                        "[thinking]\nHm.\n[thought for 0.0 s, 1 token]\n\nThe **answer**.\n");
    text_clear(&written);
    options.thought.look = THOUGHT_HIDDEN;
    play_text(&options, "<think>Hm.</think>\n\nYes.", 24, 3);
    assert_non_null(strstr(text_string(&written), " tokens]\n\nYes.\n"));
    assert_null(strstr(text_string(&written), "Hm."));
}

static void an_interrupted_thought_is_folded(void **state) {
    (void)state;
    static struct screen screen;
    static const char *const rows[] = {"[thought for 0.0 s, 1 token]", "", NULL};
    const struct stream_options options = options_of(true, THOUGHT_FOLDS);
    show(&screen, &options, "<think>\nLet me see", 0);
    assert_rows(&screen, rows);
}

static void without_markdown_text_is_only_wrapped(void **state) {
    (void)state;
    static struct screen screen;
    static const char *const rows[] = {"# A **b** and more words than one line", "has `room` for.",
                                       NULL};
    struct stream_options options = options_of(true, THOUGHT_FOLDS);
    options.markdown = false;
    show(&screen, &options, "# A **b** and more words than one line has `room` for.", 2);
    assert_rows(&screen, rows);
}

// The rest of an answer whose beginning is on the screen.
static void a_continued_answer_resumes_where_it_stopped(void **state) {
    (void)state;
    struct stream stream;
    const struct stream_options options = options_of(true, THOUGHT_FOLDS);
    text_clear(&written);
    stream_begin(&stream, &options);
    stream_skip(&stream, "<think>Hm.</think>Look:\n\n```c\nint a", 36);
    assert_int_equal(written.length, 0);
    stream_append(&stream, "; // *x*\n```\nSo *it* is.", 24, 9);
    stream_end(&stream);
    assert_string_equal(text_string(&written), "; \033[0;2m// *x*\033[0m\n\033[0;2m───\033[0m\nSo "
                                               "\033[0;3mit\033[0m is.\n");
    text_clear(&written);
    stream_skip(&stream, "", 0);
    stream_deinit(&stream);
    stream_begin(&stream, &options);
    stream_skip(&stream, "<think>Let me", 13);
    stream_append(&stream, " see</think>\nYes", 16, 9);
    stream_end(&stream);
    assert_null(strstr(text_string(&written), "see"));
    assert_non_null(strstr(text_string(&written), "Yes"));
    stream_deinit(&stream);
}

static void each_write_leaves_the_terminal_plain(void **state) {
    (void)state;
    static struct screen screen;
    static const char text[] = "# Head\n**bold** `code` [a](b)\n> quote\n```x\ny\n```\n";
    struct stream stream;
    const struct stream_options options = options_of(true, THOUGHT_FOLDS);
    text_clear(&written);
    screen_clear(&screen, WIDTH, false);
    stream_begin(&stream, &options);
    for (size_t i = 0; text[i]; i++) {
        text_clear(&written);
        stream_append(&stream, text + i, 1, 1);
        screen_write(&screen, text_string(&written), written.length);
        assert_int_equal(screen.styles, 0);
    }
    stream_end(&stream);
    stream_deinit(&stream);
}

static void escapes_from_a_model_are_shown_not_obeyed(void **state) {
    (void)state;
    static struct screen screen;
    const struct stream_options options = options_of(true, THOUGHT_STAYS);
    show(&screen, &options,
         "<think>\033[2J\a</think>\033]0;title\007 **\033[31mred** `\033[H` \xc2\x9b"
         "5m \x7f\b\n```\033[?25l\n\033[6n\n```\n",
         1);
    static const char *const rows[] = {"thinking…", "│ ␛[2J␇", NULL};
    char row[SCREEN_COLUMNS * 8];
    for (int i = 0; rows[i]; i++)
        assert_string_equal(screen_row(&screen, i, row), rows[i]);
    assert_string_equal(screen_row(&screen, 4, row), "␛]0;title␇ ␛[31mred `␛[H` \uFFFD5m ␡␈");
    assert_string_equal(screen_row(&screen, 5, row), "─── ␛[?25l");
    assert_string_equal(screen_row(&screen, 6, row), "␛[6n");
}

static void a_resize_loses_no_text(void **state) {
    (void)state;
    struct stream stream;
    struct stream_options options = options_of(true, THOUGHT_STAYS);
    text_clear(&written);
    stream_begin(&stream, &options);
    stream_append(&stream, "<think>first second", 19, 1);
    stream_resize(&stream, 20);
    stream_append(&stream, " third</think>❤️ fou", 24, 2);
    stream_resize(&stream, 60);
    stream_append(&stream, "rth **fifth** sixth", 19, 3);
    stream_end(&stream);
    static const char *const words[] = {"first", "second", "third", "fou", "rth", "fifth", "sixth"};
    const char *at = text_string(&written);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        at = strstr(at, words[i]);
        assert_non_null(at);
    }
    stream_deinit(&stream);
}

static void push_text(struct stream *stream, const char *text) {
    stream_append(stream, text, strlen(text), 1);
}

// Shown whole, and folded again, while it is written: the second fold is of what came after it.
static void a_thought_can_be_unfolded_and_folded_again(void **state) {
    (void)state;
    static struct screen screen;
    static const char *const rows[] = {"thinking…", "│ one",    "│ two", "│ three",
                                       "│ four",    "│ five x", "",      "│ nine",
                                       "│ ten",     "│ eleven", NULL};
    static const enum thought_look looks[] = {THOUGHT_FOLDS, THOUGHT_HIDDEN};
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        struct stream stream;
        const struct stream_options options = options_of(true, looks[i]);
        text_clear(&written);
        stream_begin(&stream, &options);
        push_text(&stream, "<think>\n");
        if (looks[i] == THOUGHT_FOLDS) push_text(&stream, "one\ntwo\n");
        stream_change_look(&stream, THOUGHT_STAYS);
        if (looks[i] == THOUGHT_HIDDEN) push_text(&stream, "one\ntwo\n");
        push_text(&stream, "three\nfour\nfive x");
        stream_change_look(&stream, looks[i]);
        push_text(&stream, "\nseven\neight\nnine\nten\neleven x");
        screen_clear(&screen, WIDTH, false);
        screen_write(&screen, text_string(&written), written.length);
        if (looks[i] == THOUGHT_FOLDS) assert_rows(&screen, rows);
        push_text(&stream, "</think>Yes.");
        stream_end(&stream);
        screen_clear(&screen, WIDTH, false);
        screen_write(&screen, text_string(&written), written.length);
        char row[SCREEN_COLUMNS * 8];
        assert_string_equal(screen_row(&screen, 5, row), "│ five x");
        assert_string_equal(screen_row(&screen, 6, row), "[thought]");
        assert_string_equal(screen_row(&screen, 8, row), "Yes.");
        assert_false(screen.broke_itself);
        stream_deinit(&stream);
    }
}

static void random_text(char *text, size_t bytes) {
    static const char *const parts[] = {
        "<think>", "</think>", "word ", "longer-word ", "\n",   "\n\n", "**",      "*",  "`",
        "```\n",   "- ",       "> ",    "❤️",       "漢字", "😀 ",   "\033[2J", "\t", "é"};
    size_t length = 0;
    text[0] = '\0';
    if (rand() % 2) strcpy(text, "<think>");
    length = strlen(text);
    while (length + 16 < bytes) {
        const char *part = parts[(size_t)rand() % (sizeof parts / sizeof parts[0])];
        strcpy(text + length, part);
        length += strlen(part);
    }
}

static void the_screen_does_not_depend_on_how_text_arrives(void **state) {
    (void)state;
    static struct screen at_once, in_pieces;
    static char row[SCREEN_COLUMNS * 8], other[SCREEN_COLUMNS * 8];
    srand(SEED);
    print_message("seed %u\n", SEED);
    for (int n = 0; n < RANDOM_TEXTS; n++) {
        char text[900];
        random_text(text, 50 + (size_t)rand() % 800);
        const struct stream_options options = options_of(true, (enum thought_look)(rand() % 3));
        show(&at_once, &options, text, 0);
        show(&in_pieces, &options, text, 1 + (size_t)rand() % 7);
        assert_int_equal(at_once.row, in_pieces.row);
        for (int i = 0; i <= at_once.row; i++) {
            screen_row(&at_once, i, row);
            screen_row(&in_pieces, i, other);
            if (strncmp(row, "[thought for", 12) != 0) assert_string_equal(row, other);
        }
    }
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thought_folds_to_one_line),
        cmocka_unit_test(the_last_rows_of_a_running_thought_are_shown),
        cmocka_unit_test(an_unfolded_thought_stays_above_its_summary),
        cmocka_unit_test(a_hidden_thought_leaves_one_line),
        cmocka_unit_test(a_thought_is_labelled_without_styles),
        cmocka_unit_test(an_interrupted_thought_is_folded),
        cmocka_unit_test(without_markdown_text_is_only_wrapped),
        cmocka_unit_test(a_continued_answer_resumes_where_it_stopped),
        cmocka_unit_test(each_write_leaves_the_terminal_plain),
        cmocka_unit_test(escapes_from_a_model_are_shown_not_obeyed),
        cmocka_unit_test(a_resize_loses_no_text),
        cmocka_unit_test(a_thought_can_be_unfolded_and_folded_again),
        cmocka_unit_test(the_screen_does_not_depend_on_how_text_arrives),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    text_deinit(&written);
    return failed;
}
