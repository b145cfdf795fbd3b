// app/screen/progress.h — shows the progress of a long operation and the time left.
//
//   loading ━━━━━━━━━━━━━─────── 64 % · 2 s left
//   reading ━━━━━━━━━━━━━─────── 2,816/4,300 tokens · 3 s left
//
// One line, at most as wide as the screen: a narrow one loses the bar first, then the time. The
// time left is extrapolated from the speed so far, once that is known.
//
// Embedded by its owner; starts as {0}. Threads: the UI's.
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/text.h"

struct progress {
    bool begun;
    int64_t from_ms, from_done; // at the first call
    bool shown;                 // on stderr
};

struct progress_now {
    const char *what;    // "reading"
    const char *unit;    // "tokens"; NULL: show per cent
    int64_t done, total; // total > 0
    int64_t now_ms;      // clock_ms()
    int columns;         // of the screen
};

// Appends the line, without escapes.
MUST_CHECK enum status progress_line(struct progress *progress, const struct progress_now *now,
                                     struct text *line);

// Replaces the previous line on stderr; does nothing on a terminal without escapes.
void progress_show(struct progress *progress, const struct progress_now *now);
void progress_clear(struct progress *progress); // erases the line

#endif
