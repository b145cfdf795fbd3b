// app/console/pager.h — shows something long a screenful at a time.
//
//   pager_begin ─► whatever prints ─► pager_end: its pages, each followed by
//   83 more lines · Space goes on, q leaves
//
// Pages stay in the terminal's scrollback, as all output does. Space and PgDn show the next page,
// Enter and ↓ the next line, End all the rest; q, Esc, ^C and ^D end. What fits the screen is shown
// at once, and so is everything without escapes or while an answer is being written.
// Words that were typed before a page was there are the next line's; from then on the keys are the
// page's, and one that means nothing to it does nothing.
//
// Embedded by its owner. Memory: owned until pager_end(). Threads: the UI's.
#ifndef APP_PAGER_H
#define APP_PAGER_H

#include "app/console/console.h"

struct pager {
    struct console *console; // borrowed
    struct text text;        // what was printed, with its escapes
    bool pages;
};

void pager_begin(struct pager *pager, struct console *console);
void pager_end(struct pager *pager);

// Where `rows` rows of a screen of this width end in text[from..length), or `length`. Styles, and
// wrap.h's erasing, take no columns.
struct pager_rows {
    size_t end;
    size_t count;               // rows up to there
    bool mid_line;              // the terminal broke the line there
    size_t style, style_length; // the last style before the end
};
struct pager_rows pager_take(const struct text *text, size_t from, size_t rows, int width);

#endif
