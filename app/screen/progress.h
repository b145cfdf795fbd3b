// app/screen/progress.h — the progress of something long, and the time left.
//
//   loading ━━━━━━━━━━━━━─────── 64 % · 2 s left
//   reading ━━━━━━━━━━━━━─────── 2,816/4,300 tokens · 3 s left
//
// One line, at most as wide as the screen: a narrow one drops the bar first, then the time. The
// time left is extrapolated from the speed so far, and not shown before that is known.
//
// Embedded by its owner; {0} begins with the first call. Threads: the UI's.
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
    const char *unit;    // "tokens"; NULL: in per cent
    int64_t done, total; // total > 0
    int64_t now_ms;      // clock_ms()
    int columns;         // of the screen
};

// Appends the line, without escapes.
MUST_CHECK enum status progress_line(struct progress *progress, const struct progress_now *now,
                                     struct text *line);

// Writes the line to stderr in place of the previous one; nothing on a terminal without escapes.
void progress_show(struct progress *progress, const struct progress_now *now);
void progress_clear(struct progress *progress); // erases the line

#endif
