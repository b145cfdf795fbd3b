// app/screen/progress.h — how far something long has come, and how long it will still take.
//
//   loading ━━━━━━━━━━━━━─────── 64 % · 2 s left
//   reading ━━━━━━━━━━━━━─────── 2,816/4,300 tokens · 3 s left
//
// One line, at most as wide as the screen: on a narrow one the bar goes first, then the time. The
// time left is what the rest takes at the speed so far, and is not said before that is known.
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

// The same on stderr, in place of the line before; nothing where a terminal takes no escapes.
void progress_show(struct progress *progress, const struct progress_now *now);
void progress_clear(struct progress *progress); // takes it away

#endif
