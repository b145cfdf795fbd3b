// app/screen/row.h — a label with text beside it: the rows of /help, /set and /stats.
//
// The second column keeps its words whole and goes on below itself. Where the screen leaves it too
// few columns it stands below the label, indented a little. Not on a terminal that takes styles:
// one line for each row, however long.
//
// Threads: the UI's. Owns nothing.
#ifndef APP_ROW_H
#define APP_ROW_H

#include "app/screen/wrap.h"

struct row {
    const char *label;
    int columns; // of the label and the blanks after it; a longer label uses more
    const char *text;
    enum wrap_style label_style, style;
};

void row_show(const struct row *row);

#endif
