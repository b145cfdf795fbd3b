// app/screen/wrap.h — keeps words whole at the screen's edge, while they are still being written.
//
// A word is written as it comes. When its next character would not fit the line, its beginning is
// erased and written again on the next line. A word that fills a line by itself, and scripts of
// wide characters, break where the line ends.
//
// Erasing requires the column. On a line where terminals disagree on the columns of a picture
// (cells.h) it is unknown: a patient wrap holds each word there until it is whole, and then writes
// it where it fits; any other leaves the line to the terminal.
//
// The caller chooses styles: escapes are written only where the style changes, and a word keeps its
// own when it moves. A broken line continues after the lead, which is indented like the beginning
// of the line.
//
// {.width = w} begins at column 0; width 0 breaks nothing. Owned: wrap_deinit(). No threads.
#ifndef APP_WRAP_H
#define APP_WRAP_H

#include <stdbool.h>

#include "app/screen/cells.h"
#include "kernels/base/text.h"

enum wrap_style { // bits
    WRAP_PLAIN = 0,
    WRAP_BOLD = 1,
    WRAP_DIM = 2,
    WRAP_ITALIC = 4,
    WRAP_UNDERLINE = 8,
    WRAP_CODE = 16, // the rest are colours, or without them underlined and bold
    WRAP_STRING = 32,
    WRAP_NUMBER = 64,
    WRAP_KEYWORD = 128,
};

struct wrap {
    int width;    // of the screen, in columns
    int column;   // of the next character, at most; >= width: the line is full
    bool left;    // the terminal breaks this line
    bool lost;    // it does, and until the next line the column is not known
    bool breaks;  // with lost: the next blank ends the line
    bool ran_on;  // the terminal has broken the line before
    bool again;   // a word that goes on is written again, on a line that is new to it
    bool passed;  // the terminal does not know any more that the line is full
    bool patient; // may hold words: the owner calls wrap_flush() before it stops
    bool holds;   // the words of this line
    bool held;    // the word is not written yet

    unsigned style;      // of what comes
    unsigned written;    // that the terminal has now
    struct text word;    // as far as it is on this line, with its changes of style
    int word_columns;    // of that
    unsigned word_style; // that it begins with
    unsigned last_style; // that it ends with
    bool word_unsure;    // its columns are only the most

    struct text lead; // that a broken line goes on with, dimmed
    int lead_columns;
    bool whole_words; // every word is held, every line broken here: no escape but styles goes out
    struct cells cells;
};

void wrap_use_colors(bool colors); // for the whole process, which begins with them

void wrap_deinit(struct wrap *wrap);

// Appends harmless text (printable_text) with the line breaks and escapes that it needs.
MUST_CHECK enum status wrap_append(struct wrap *wrap, const char *bytes, size_t length,
                                   struct text *out);

// Lets the terminal break the rest of this line, unless every line is broken here: code, tables.
MUST_CHECK enum status wrap_leave_line(struct wrap *wrap, struct text *out);

// Sets the lead of continuation lines from here on; one wider than half the screen is ignored.
// Copied.
MUST_CHECK enum status wrap_set_lead(struct wrap *wrap, const char *lead, int columns);

// Writes what is held.
MUST_CHECK enum status wrap_flush(struct wrap *wrap, struct text *out);

// Resets the terminal's style until the next character, so that others may write.
MUST_CHECK enum status wrap_rest(struct wrap *wrap, struct text *out);

// The cursor is about to leave the text and return. That makes a terminal forget that a line is
// full: it would overwrite the last character instead of breaking the line.
void wrap_settle(struct wrap *wrap);

// The cursor was put at the beginning of a line.
void wrap_restart(struct wrap *wrap);

// The screen has another width. Where that may have moved what is in the current line, this ends
// with its next blank.
void wrap_resize(struct wrap *wrap, int width);

// Others have written, and the cursor is at the beginning of a line: the text goes on there.
void wrap_return(struct wrap *wrap);

#endif
