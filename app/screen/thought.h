// app/screen/thought.h — how a model's thinking looks while it is written, and when it is done.
//
//   folds    its last rows, dimmed, behind a bar; then one line in their place
//   stays    all of it, dimmed, behind a bar; then one line below it
//   hidden   how many tokens it has, in one line; then one line in its place
//
//   closed ──begin──► open ──append──► open ──end, with the line──► closed
//
// Without styles nothing can be taken back: "[thinking]", the text as it comes, and the line. So
// a thought is told from an answer by its words and its bar, not by its look alone.
//
// Only harmless text comes in. Of escapes, styles go out, and what goes back up over the rows
// that are shown: their number is known, because every line of them is broken here.
//
// {0} is closed; owned: thought_deinit(). No threads.
#ifndef APP_THOUGHT_H
#define APP_THOUGHT_H

#include "app/screen/wrap.h"

enum thought_look { THOUGHT_FOLDS, THOUGHT_STAYS, THOUGHT_HIDDEN };

struct thought_options {
    enum thought_look look;
    bool styled;
    int width; // of the screen
    int rows;  // that a folding one shows at once
};

struct thought {
    struct thought_options options;
    bool open;
    struct wrap wrap;
    struct text rows; // those that are shown, with newlines between them; of a folding one
    int shown;        // rows below the first line
};

void thought_deinit(struct thought *thought);

MUST_CHECK enum status thought_begin(struct thought *thought, const struct thought_options *options,
                                     struct text *out);
// `tokens`: that it has so far.
MUST_CHECK enum status thought_append(struct thought *thought, const char *text, size_t length,
                                      int tokens, struct text *out);
MUST_CHECK enum status thought_end(struct thought *thought, const char *line, struct text *out);

// The screen has another width, and its rows are where nobody knows: they stay, others begin.
MUST_CHECK enum status thought_resize(struct thought *thought, int width, struct text *out);

// From now on it looks so. What is shown by then stays.
MUST_CHECK enum status thought_change_look(struct thought *thought, enum thought_look look,
                                           struct text *out);

#endif
