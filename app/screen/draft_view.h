// app/screen/draft_view.h — draws the line being edited, in as many rows as it needs.
//
//   > the first row of a draft, which the term     broken by the terminal, so that it is copied
//   inal breaks                                    as one line
//   another line of it
//
// A draft that is taller than the screen shows the rows around the cursor. Each drawing replaces
// the one before in one write. The terminal may have moved the rows when its width changed; their
// number is known from the text that was drawn.
//
//   away ──draw──► drawn ──hide──► away, with the cursor where the draft began
//                    └───leave───► away, with the cursor behind the draft's end
//
// One for the process, as there is one screen. Needs a terminal that moves its cursor. Threads:
// the UI's.
#ifndef APP_DRAFT_VIEW_H
#define APP_DRAFT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

struct draft {
    const char *prompt; // harmless
    bool bold;          // the prompt
    const char *line;
    size_t length, point; // bytes; point: the cursor's
};

void draft_view_draw(const struct draft *draft);
void draft_view_resized(const struct draft *draft); // `draft` as it was drawn
void draft_view_hide(void);
bool draft_view_leave(const struct draft *draft); // true: the cursor is on an empty line already

// In terminal.h's footer: on one line, the part around the cursor. Nothing of the above changes.
void draft_view_footer(const struct draft *draft);

#endif
