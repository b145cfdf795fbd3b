// app/console/picker.h — one of a list: arrows, letters that narrow it down, Enter, Esc.
//
//   conversations · fox_
//   > 3f2a91bc  a fox in the wood
//     77c0aa12  foxes and bears
//   2 of 14 · Enter chooses, Esc leaves
//
// ↑ ↓ (^P ^N), PgUp, PgDn, Home and End move; what is typed keeps the items that have all its
// words, in any case of letters; Backspace and ^U take back; Enter chooses; Esc, ^C and ^D leave.
// Without escapes (a dumb terminal, NO_COLOR) the list is printed with numbers, and one is asked
// for.
//
// The state is a struct that knows no terminal, so keys and lines are tested without one.
//
// Memory: items are borrowed, the rest is owned: picker_deinit(). Threads: the UI's.
#ifndef APP_PICKER_H
#define APP_PICKER_H

#include <stdbool.h>
#include <stddef.h>

#include "app/console/console.h"

// All items, where the list began with the first of them only, which stay until picker_run() is
// over; false: there are no more.
typedef bool picker_more(void *user, const char *const **items, size_t *count);

struct picker_options {
    const char *title;        // what the items are
    const char *const *items; // [count], one line each
    size_t count, at;         // at: where it begins
    picker_more *more;        // asked once when the person looks further; or NULL: that is all
    void *user;
};

struct picker {
    struct picker_options options;
    struct text filter;
    size_t *shown; // items that have the filter's words
    size_t shown_count;
    size_t at, top; // of those: the marked one, and the first on the screen
};

enum picker_key { // beyond the bytes
    PICKER_UP = 256,
    PICKER_DOWN,
    PICKER_PAGE_UP,
    PICKER_PAGE_DOWN,
    PICKER_HOME,
    PICKER_END,
    PICKER_ESCAPE,
};

enum picker_answer { PICKER_GOES_ON, PICKER_CHOSE, PICKER_LEFT };

MUST_CHECK enum status picker_init(struct picker *picker, const struct picker_options *options);
void picker_deinit(struct picker *picker);

// A byte, or a picker_key. `rows` items are on the screen.
enum picker_answer picker_press(struct picker *picker, int key, size_t rows);

// These items instead; the mark stays on the one with the same text, if there is one.
MUST_CHECK enum status picker_replace(struct picker *picker, const char *const *items,
                                      size_t count);

// Which item is marked; false: none is left by the filter.
bool picker_marked(const struct picker *picker, size_t *item);

// Appends the line of item `row` on the screen, at most so many columns.
MUST_CHECK enum status picker_line(const struct picker *picker, size_t row, int columns,
                                   struct text *line);

// Asks the person. False: none was chosen.
bool picker_run(struct console *console, const struct picker_options *options, size_t *chosen);

#endif
