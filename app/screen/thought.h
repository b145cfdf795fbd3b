// app/screen/thought.h — shows a model's thinking while it is written, and once it is done.
//
//   folds    its last rows, dimmed, after a bar; when done one line in their place
//   stays    all of it, dimmed, after a bar; when done one line below it
//   hidden   the number of its tokens in one line; when done one line in its place
//
//   closed ──begin──► open ──append──► open ──end, with the line──► closed
//
// Without styles nothing can be erased, so the output is "[thinking]", the text as it arrives, and
// the line. Labels and the bar, not style alone, distinguish a thought from an answer.
//
// Input must be safe to print. The only escapes in the output are styles, and moves back up over
// the shown rows, whose number is known because every line is broken here.
//
// {0} is closed; owned: thought_deinit(). Threads: no state.
#ifndef APP_THOUGHT_H
#define APP_THOUGHT_H

#include "app/screen/wrap.h"

enum thought_look { THOUGHT_FOLDS, THOUGHT_STAYS, THOUGHT_HIDDEN };

struct thought_options {
    enum thought_look look;
    bool styled;
    int width; // of the screen
    int rows;  // most rows of a folding thought
};

struct thought {
    struct thought_options options;
    bool open;
    struct wrap wrap;
    struct text rows; // folding: the rows shown, separated by newlines
    int shown;        // rows below the first line
};

void thought_deinit(struct thought *thought);

MUST_CHECK enum status thought_begin(struct thought *thought, const struct thought_options *options,
                                     struct text *out);
// `tokens`: how many the thought has so far.
MUST_CHECK enum status thought_append(struct thought *thought, const char *text, size_t length,
                                      int tokens, struct text *out);
MUST_CHECK enum status thought_end(struct thought *thought, const char *line, struct text *out);

// After a resize the old rows may be anywhere: leaves them as they are and starts new ones.
MUST_CHECK enum status thought_resize(struct thought *thought, int width, struct text *out);

// Changes the look of what follows. What is already shown stays.
MUST_CHECK enum status thought_change_look(struct thought *thought, enum thought_look look,
                                           struct text *out);

#endif
