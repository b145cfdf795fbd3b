// app/screen/wrap.h — wraps text between words while it is still being written.
//
// A word is written as it arrives. If its next character would not fit the line, its beginning is
// erased and rewritten on the next line. A word that fills a whole line, and scripts of wide
// characters, break at the end of the line.
//
// Erasing requires knowing the column. It is unknown on a line where terminals disagree on the
// width of a picture (cells.h). There a patient wrap holds each word until it is complete and then
// writes it where it fits; any other wrap leaves the line to the terminal.
//
// The caller chooses styles: escapes are written only when the style changes, and a word that moves
// keeps its own. A continuation line starts with the lead, which is indented like the start of the
// line.
//
// {.width = w} starts at column 0; width 0 breaks nothing. Owned: wrap_deinit(). Threads: no state.
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
    WRAP_CODE = 16, // this and the rest: colours, or else underlined and bold
    WRAP_STRING = 32,
    WRAP_NUMBER = 64,
    WRAP_KEYWORD = 128,
};

struct wrap {
    int width;    // of the screen, in columns
    int column;   // maximum column of the next character; >= width: the line is full
    bool left;    // the terminal breaks this line
    bool lost;    // it does, and the column is unknown until the next line
    bool breaks;  // with lost: the next blank ends the line
    bool ran_on;  // the terminal broke the previous line
    bool again;   // rewrite a continued word on a new line
    bool passed;  // the terminal has forgotten that the line is full
    bool patient; // may hold words: the owner calls wrap_flush() before it pauses
    bool holds;   // holds the words of this line
    bool held;    // the current word is not written yet

    unsigned style;      // of the next text
    unsigned written;    // the terminal's current style
    struct text word;    // the part on this line, with its style changes
    int word_columns;    // columns of `word`
    unsigned word_style; // style at its start
    unsigned last_style; // style at its end
    bool word_unsure;    // its columns are only a maximum

    struct text lead; // prefix of continuation lines, dimmed
    int lead_columns;
    bool whole_words; // hold every word, break every line here, write no escapes but styles
    struct cells cells;
};

void wrap_use_colors(bool colors); // for the whole process; initially true

void wrap_deinit(struct wrap *wrap);

// Appends safe text (printable_text) with the line breaks and escapes it needs.
MUST_CHECK enum status wrap_append(struct wrap *wrap, const char *bytes, size_t length,
                                   struct text *out);

// Lets the terminal break the rest of this line (code, tables), unless `whole_words` is set.
MUST_CHECK enum status wrap_leave_line(struct wrap *wrap, struct text *out);

// Sets the lead of continuation lines from here on; copies it. Ignores one wider than half the
// screen.
MUST_CHECK enum status wrap_set_lead(struct wrap *wrap, const char *lead, int columns);

// Writes held text.
MUST_CHECK enum status wrap_flush(struct wrap *wrap, struct text *out);

// Resets the terminal's style until the next character, so that others can write.
MUST_CHECK enum status wrap_rest(struct wrap *wrap, struct text *out);

// The cursor is about to leave the text and return. That makes a terminal forget that a line is
// full: it would overwrite the last character instead of breaking the line.
void wrap_settle(struct wrap *wrap);

// The cursor was moved to the start of a line.
void wrap_restart(struct wrap *wrap);

// Sets a new width of the screen. If the resize may have moved the text of the current line, the
// line ends at its next blank.
void wrap_resize(struct wrap *wrap, int width);

// Others have written, and the cursor is at the start of a line: the text continues there, and
// repeats the beginning of its last word.
void wrap_return(struct wrap *wrap);

// The column where the text ends on a screen that is being resized to this width, or -1 if it is
// unknown: terminals disagree on its line, or break it.
int wrap_end_column(const struct wrap *wrap, int width);

// The cursor was moved to the start of the line below: the text continues there.
void wrap_continue_below(struct wrap *wrap);

#endif
