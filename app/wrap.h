// app/wrap.h — words that do not break at the screen's edge, while they are still being written.
//
// A word is written as it comes. When its next character would not fit the line, what is there
// of it is erased and written again on the next line. A word that fills a line by itself, and
// scripts of wide characters, break where the terminal breaks them.
//
// {.width = w} begins at column 0; width 0 changes nothing. Owned: wrap_deinit(). No threads.
#ifndef APP_WRAP_H
#define APP_WRAP_H

#include <stdbool.h>

#include "engine/base/text.h"

struct wrap {
    int width;        // of the screen, in columns
    int column;       // that comes next; == width: the line is full
    bool lost;        // the column is not known until the next line
    struct text word; // as far as it is on this line
    int word_columns; // of that
};

void wrap_deinit(struct wrap *wrap);

// Appends harmless text (terminal_neutralise) with the line breaks that it needs.
MUST_CHECK enum status wrap_append(struct wrap *wrap, const char *bytes, size_t length,
                                   struct text *out);

// The screen has another width; what it did to the line is not known.
void wrap_resize(struct wrap *wrap, int width);

#endif
