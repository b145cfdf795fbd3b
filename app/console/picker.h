// app/console/picker.h — lets the user choose from a list: arrows, letters to filter it, Enter,
// Esc.
//
//   conversations · fox_
//   > 3f2a91bc  a fox in the wood
//     77c0aa12  foxes and bears
//   ──────
//   a preview of the marked item, if there is space and the caller has one
//   2 of 14 · Enter chooses, Esc cancels
//
// ↑ ↓ (^P ^N), PgUp, PgDn, Home and End move; typing filters the items to those that contain all
// the words, ignoring case; Backspace and ^U delete; Enter chooses; Esc, ^C and ^D cancel. A pasted
// line is part of the filter; any other paste waits at the prompt. On a dumb terminal, without
// escapes, prints the list with numbers and asks for one.
//
// struct picker does not depend on a terminal, so keys and lines are tested without one.
//
// Memory: items are borrowed, the rest is owned: picker_deinit(). Threads: the UI's.
#ifndef APP_PICKER_H
#define APP_PICKER_H

#include <stdbool.h>
#include <stddef.h>

#include "app/console/keys.h"

struct picker_options;

// Loads all items (and words) of a list that started with only the first ones, which stay valid
// until picker_run() returns. False: no more.
typedef bool picker_more(void *user, struct picker_options *options);

// Appends at most `lines` lines about an item, each with its newline.
typedef enum status picker_preview(void *user, size_t item, int columns, int lines,
                                   struct text *text);

struct picker_options {
    const char *title;        // what the items are
    const char *const *items; // [count], one line each
    const char *const *words; // [count], texts to filter by; NULL: the items
    size_t count, at;         // at: the item marked first
    picker_more *more;        // called once when the user looks further; NULL: these are all
    picker_preview *preview;  // NULL: none
    void *user;
};

struct picker {
    struct picker_options options;
    struct text filter;
    size_t *shown; // items that match the filter
    size_t shown_count;
    size_t at, top; // indices in `shown`: the marked item, and the first on screen
};

enum picker_answer { PICKER_GOES_ON, PICKER_CHOSE, PICKER_LEFT };

MUST_CHECK enum status picker_init(struct picker *picker, const struct picker_options *options);
void picker_deinit(struct picker *picker);

// A byte or an enum key_code (keys.h). `rows`: items on the screen.
enum picker_answer picker_press(struct picker *picker, int key, size_t rows);

// Adds a pasted text to the filter. False: it is longer than a line or than the filter may be.
bool picker_paste(struct picker *picker, const struct text *pasted, size_t rows);

// Replaces the items with those of *options. The mark stays on the item with the same text, if any.
MUST_CHECK enum status picker_replace(struct picker *picker, const struct picker_options *options);

// The marked item. False: no item matches the filter.
bool picker_marked(const struct picker *picker, size_t *item);

// Appends the line of item `row` on the screen, at most `columns` wide.
MUST_CHECK enum status picker_line(const struct picker *picker, size_t row, int columns,
                                   struct text *line);

// Lets the user choose. False: none was chosen.
bool picker_run(struct console *console, const struct picker_options *options, size_t *chosen);

#endif
