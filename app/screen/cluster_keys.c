#include "app/screen/cluster_keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
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

// What a character begins with says whether it is in a word: marks that follow it belong to it.
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

// What is killed can be yanked; the order says where it joins what was killed before.
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

static int rubout(int count, int key) { return delete_char(-count, key); }

static int kill_word(int count, int key) {
    (void)key;
    return kill_to(by_words(rl_point, count));
}

static int backward_kill_word(int count, int key) { return kill_word(-count, key); }

// The character before the cursor goes behind the one at it; at the end, the last two change
// places.
static int transpose_chars(int count, int key) {
    (void)count, (void)key;
    const int at = rl_point < rl_end ? rl_point : begin_before(rl_end);
    const int begin = begin_before(at), end = end_at(at);
    if (begin == at) return 0;
    char *first = rl_copy_text(begin, at), *second = rl_copy_text(at, end);
    rl_begin_undo_group();
    rl_delete_text(begin, end);
    rl_point = begin;
    rl_insert_text(second);
    rl_insert_text(first);
    rl_end_undo_group();
    free(first);
    free(second);
    return 0;
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
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        replace(commands[i].command, commands[i].by);
    rl_bind_keyseq_if_unbound("\\e[3~", delete_char); // Delete, which /etc/inputrc may not know
}
