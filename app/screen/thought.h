// app/screen/thought.h — how a model's thinking looks while it is written, and when it is done.
//
//   folds    its last rows, dimmed, after a bar; when done one line in their place
//   stays    all of it, dimmed, after a bar; when done one line below it
//   hidden   the number of its tokens in one line; when done one line in its place
//
//   closed ──begin──► open ──append──► open ──end, with the line──► closed
//
// Without styles nothing can be erased: "[thinking]", the text as it comes, and the line. So labels
// and the bar distinguish a thought from an answer, not its style alone.
//
// Input must be harmless. Of escapes the output contains styles, and moves back up over the rows
// that are shown; their number is known, because every line of them is broken here.
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

// The screen has another width, so its rows may be anywhere: they are left, and new ones begin.
MUST_CHECK enum status thought_resize(struct thought *thought, int width, struct text *out);

// Changes the look from now on. What is already shown stays.
MUST_CHECK enum status thought_change_look(struct thought *thought, enum thought_look look,
                                           struct text *out);

#endif
