// app/screen/cluster_keys.c — Readline commands that work on clusters (app/base/clusters.h).
//
// Readline's own commands work on code points and the locale's character types, so each is replaced
// by one with the same meaning and arguments, on all keys it is bound to, because people rebind
// keys in their inputrc. A replacement of text is one change for undo.
//
// A word is a run of clusters that begin with a letter or a digit: marks, which are neither, do not
// end the word they are in. Only the first code point of a cluster has a case: the marks after it
// stay as they are, though one of them (U+0345) has a capital that is a letter.
#include "app/screen/cluster_keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <wctype.h>

// After <stdio.h>: Readline's headers use FILE.
#include <readline/readline.h>

#include "app/base/clusters.h"
#include "kernels/base/text.h"

static int end_at(int point) {
    return (int)cluster_end(rl_line_buffer, (size_t)rl_end, (size_t)point);
}

static int begin_before(int point) {
    return (int)cluster_begin(rl_line_buffer, (size_t)rl_end, (size_t)point);
}

static int step(int point, bool back) { return back ? begin_before(point) : end_at(point); }

// `count` characters from there; below 0: back.
static int by_characters(int point, int count) {
    const bool back = count < 0;
    for (int left = abs(count); left > 0 && point != (back ? 0 : rl_end); left--)
        point = step(point, back);
    return point;
}

// The first code point of a cluster decides whether it is part of a word; the marks after it belong
// to it.
static bool is_in_word(int begin) {
    size_t used;
    return iswalnum((wint_t)utf8_decode(rl_line_buffer + begin, (size_t)(rl_end - begin), &used));
}

static int by_words(int point, int count) {
    const bool back = count < 0;
    const int edge = back ? 0 : rl_end;
    for (int left = abs(count); left > 0; left--)
        for (int inside = 0; inside < 2; inside++) // first what lies between words
            while (point != edge && is_in_word(back ? begin_before(point) : point) == inside)
                point = step(point, back);
    return point;
}

static int forward_char(int count, int key) {
    (void)key;
    rl_point = by_characters(rl_point, count);
    return 0;
}

static int backward_char(int count, int key) { return forward_char(-count, key); }

static int forward_word(int count, int key) {
    (void)key;
    rl_point = by_words(rl_point, count);
    return 0;
}

static int backward_word(int count, int key) { return forward_word(-count, key); }

// Killed text can be yanked; the order decides at which end it joins text killed before.
static int kill_to(int point) {
    const int from = rl_point;
    rl_kill_text(from, point);
    rl_point = from < point ? from : point;
    return 0;
}

static int delete_char(int count, int key) {
    (void)key;
    const int from = rl_point, to = by_characters(from, count);
    if (rl_explicit_arg) return kill_to(to);
    rl_delete_text(from < to ? from : to, from < to ? to : from);
    rl_point = from < to ? from : to;
    return 0;
}

static int rubout(int count, int key) {
    int to = rl_point;
    if (count < 0) return delete_char(-count, key);
    for (int left = count; left > 0 && to > 0; left--)
        to = (int)cluster_backspace(rl_line_buffer, (size_t)rl_end, (size_t)to);
    if (rl_explicit_arg) return kill_to(to);
    rl_delete_text(to, rl_point);
    rl_point = to;
    return 0;
}

static int kill_word(int count, int key) {
    (void)key;
    return kill_to(by_words(rl_point, count));
}

static int backward_kill_word(int count, int key) { return kill_word(-count, key); }

// Replaces text as one change; the cursor moves after it.
static void replace_text(int from, int to, const struct text *text) {
    rl_begin_undo_group();
    rl_delete_text(from, to);
    rl_point = from;
    rl_insert_text(text_string(text));
    rl_end_undo_group();
}

static enum status copy(int from, int to, struct text *out) {
    return text_append(out, rl_line_buffer + from, (size_t)(to - from));
}

// Swaps two ranges, of which the first is before the second.
static void swap(int first, int first_end, int second, int second_end) {
    struct text text = {0};
    if (copy(second, second_end, &text) == STATUS_OK &&
        copy(first_end, second, &text) == STATUS_OK && copy(first, first_end, &text) == STATUS_OK)
        replace_text(first, second_end, &text);
    text_deinit(&text);
}

// Swaps the character before the cursor with the one at it; at the end of the line, swaps the last
// two.
static int transpose_chars(int count, int key) {
    (void)count, (void)key;
    const int at = rl_point < rl_end ? rl_point : begin_before(rl_end);
    const int begin = begin_before(at);
    if (begin < at) swap(begin, at, at, end_at(at));
    return 0;
}

// The word before the cursor goes behind the one at it, or `count` words further.
static int transpose_words(int count, int key) {
    (void)key;
    const int second_end = by_words(rl_point, count), second = by_words(second_end, -1);
    const int first = by_words(second, -count), first_end = by_words(first, 1);
    if (first < first_end && first_end <= second) swap(first, first_end, second, second_end);
    return 0;
}

enum letter_case { UPPER, LOWER, CAPITAL };

static enum status append_cased(struct text *out, int at, bool upper) {
    char encoded[UTF8_MAX_BYTES];
    size_t used;
    const int end = end_at(at);
    const uint32_t c = utf8_decode(rl_line_buffer + at, (size_t)(end - at), &used);
    const uint32_t cased = (uint32_t)(upper ? towupper((wint_t)c) : towlower((wint_t)c));
    if (cased == c) return copy(at, end, out); // its bytes may be ill-formed
    TRY(text_append(out, encoded, utf8_encode(cased, encoded)));
    return copy(at + (int)used, end, out);
}

// From the cursor to the end of the word; below 0: from the beginning of the one before.
static int change_case(int count, enum letter_case letter_case) {
    const int to = by_words(rl_point, count);
    const int begin = rl_point < to ? rl_point : to, end = rl_point < to ? to : rl_point;
    struct text text = {0};
    enum status status = STATUS_OK;
    bool inside = false;
    for (int at = begin; at < end && status == STATUS_OK; at = end_at(at)) {
        status =
            append_cased(&text, at, letter_case == UPPER || (letter_case == CAPITAL && !inside));
        inside = is_in_word(at);
    }
    if (status == STATUS_OK) replace_text(begin, end, &text);
    text_deinit(&text);
    return 0;
}

static int upcase_word(int count, int key) {
    (void)key;
    return change_case(count, UPPER);
}

static int downcase_word(int count, int key) {
    (void)key;
    return change_case(count, LOWER);
}

static int capitalize_word(int count, int key) {
    (void)key;
    return change_case(count, CAPITAL);
}

static void replace(rl_command_func_t *command, rl_command_func_t *by) {
    const Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap};
    for (size_t m = 0; m < sizeof maps / sizeof maps[0]; m++) {
        char **keys = rl_invoking_keyseqs_in_map(command, maps[m]);
        for (size_t i = 0; keys && keys[i]; i++) {
            rl_bind_keyseq_in_map(keys[i], by, maps[m]);
            free(keys[i]);
        }
        free(keys);
    }
}

void cluster_keys_bind(void) {
    static const struct {
        rl_command_func_t *command, *by;
    } commands[] = {
        {rl_forward_char, forward_char},
        {rl_backward_char, backward_char},
        {rl_forward_word, forward_word},
        {rl_backward_word, backward_word},
        {rl_delete, delete_char},
        {rl_rubout, rubout},
        {rl_kill_word, kill_word},
        {rl_backward_kill_word, backward_kill_word},
        {rl_transpose_chars, transpose_chars},
        {rl_transpose_words, transpose_words},
        {rl_upcase_word, upcase_word},
        {rl_downcase_word, downcase_word},
        {rl_capitalize_word, capitalize_word},
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        replace(commands[i].command, commands[i].by);
    rl_bind_keyseq_if_unbound("\\e[3~", delete_char); // Delete, which /etc/inputrc may not know
}
