// app/screen/row.h — a label with text next to it, as in /help, /set and /stats.
//
// The text wraps between words within its own column. If the screen leaves it too few columns, it
// goes below the label, slightly indented. Without styles each row is one line, however long.
//
// Memory: none. Threads: the UI's.
#ifndef APP_ROW_H
#define APP_ROW_H

#include "app/screen/wrap.h"

struct row {
    const char *label;
    int columns; // of the label with the blanks after it; a longer label takes more
    const char *text;
    enum wrap_style label_style, style;
};

void row_show(const struct row *row);

#endif
