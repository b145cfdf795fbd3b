// app/console/pager.h — shows long output one screenful at a time.
//
//   pager_begin ─► whatever prints ─► pager_end: its pages, each followed by
//   83 more lines · Space: more, q: quit
//
// Pages stay in the terminal's scrollback, like all output. Space and PgDn show the next page,
// Enter and ↓ the next line, End all the rest; q, Esc, ^C and ^D end it. Output that fits the
// screen is shown at once, and so is all output on a terminal without escapes or while an answer is
// being written. Words typed before the first page appeared go to the next prompt, and so does text
// pasted at any time. A character that means nothing here leaves too and is typed at the prompt, as
// the first of the line that follows it; so is a q or G that is followed at once by another
// character. Other unknown keys do nothing.
//
// Embedded by its owner. Memory: owned until pager_end(). Threads: the UI's.
#ifndef APP_PAGER_H
#define APP_PAGER_H

#include "app/console/console.h"

struct pager {
    struct console *console; // borrowed
    struct text text;        // what was printed, with its escapes
    bool pages;
    char letter; // the q or G that ended it, which may begin a line; or 0
};

void pager_begin(struct pager *pager, struct console *console);
void pager_end(struct pager *pager);

// Finds where the first `rows` rows of text[from..length) end on a screen of this width, or
// `length`. Styles and wrap.h's erasing take no columns.
struct pager_rows {
    size_t end;
    size_t count;               // rows before `end`
    bool mid_line;              // `end` is where the terminal breaks a line
    size_t style, style_length; // the last style before the end
};
struct pager_rows pager_take(const struct text *text, size_t from, size_t rows, int width);

#endif
