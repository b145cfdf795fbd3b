// app/console/picker.h — choosing from a list: arrows, letters that narrow it down, Enter, Esc.
//
//   conversations · fox_
//   > 3f2a91bc  a fox in the wood
//     77c0aa12  foxes and bears
//   ──────
//   the marked one at length, where there is room and the caller has more to show
//   2 of 14 · Enter chooses, Esc leaves
//
// ↑ ↓ (^P ^N), PgUp, PgDn, Home and End move; typing keeps the items that contain all the words,
// ignoring case; Backspace and ^U delete; Enter chooses; Esc, ^C and ^D leave.
// Without escapes (a dumb terminal) the list is printed with numbers, and the
// person is asked for one.
//
// The state does not depend on a terminal, so keys and lines are tested without one.
//
// Memory: items are borrowed, the rest is owned: picker_deinit(). Threads: the UI's.
#ifndef APP_PICKER_H
#define APP_PICKER_H

#include <stdbool.h>
#include <stddef.h>

#include "app/console/keys.h"

struct picker_options;

// Loads all items (and words) of a list that began with the first ones only; those stay valid until
// picker_run() returns. False: there are no more.
typedef bool picker_more(void *user, struct picker_options *options);

// Appends at most so many lines about an item, each with its newline.
typedef enum status picker_preview(void *user, size_t item, int columns, int lines,
                                   struct text *text);

struct picker_options {
    const char *title;        // what the items are
    const char *const *items; // [count], one line each
    const char *const *words; // [count], what the filter looks in; NULL: the items
    size_t count, at;         // at: marked first
    picker_more *more;        // called once when the person looks further; NULL: these are all
    picker_preview *preview;  // NULL: none
    void *user;
};

struct picker {
    struct picker_options options;
    struct text filter;
    size_t *shown; // items that match the filter
    size_t shown_count;
    size_t at, top; // of those: the marked one, and the first on the screen
};

enum picker_answer { PICKER_GOES_ON, PICKER_CHOSE, PICKER_LEFT };

MUST_CHECK enum status picker_init(struct picker *picker, const struct picker_options *options);
void picker_deinit(struct picker *picker);

// A byte or an enum key (keys.h). `rows` items are on the screen.
enum picker_answer picker_press(struct picker *picker, int key, size_t rows);

// Replaces the items by those of *options; the mark stays on the one with the same text, if there
// is one.
MUST_CHECK enum status picker_replace(struct picker *picker, const struct picker_options *options);

// The marked item. False: no item matches the filter.
bool picker_marked(const struct picker *picker, size_t *item);

// Appends the line of item `row` on the screen, at most so many columns.
MUST_CHECK enum status picker_line(const struct picker *picker, size_t row, int columns,
                                   struct text *line);

// Lets the person choose. False: none was chosen.
bool picker_run(struct console *console, const struct picker_options *options, size_t *chosen);

#endif
