// app/screen/columns.h — puts columns of styled text side by side.
//
//   River  │ Length
//   Nile   │  6,650
//
// Each column has its own lines; shorter columns are padded with blanks. A style still active at
// the end of a line continues on the next line of the same column, not in the next column. Texts
// must be safe for a terminal, already broken at the width of their column, and contain no escapes
// but styles.
//
// Memory and threads: no state.
#ifndef APP_COLUMNS_H
#define APP_COLUMNS_H

#include <stdbool.h>

#include "kernels/base/text.h"

enum { COLUMNS_MOST = 32, COLUMNS_APART = 3 }; // COLUMNS_APART: width of the separator

enum alignment { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_CENTER };

struct column {
    const char *text; // lines, each with its newline
    int width;
    enum alignment alignment;
};

// The maximum columns that the bytes occupy on a terminal, not counting styles.
int styled_columns(const char *bytes, size_t length);

// Append all lines of all columns, and the rule below a header.
MUST_CHECK enum status columns_put(const struct column *columns, size_t count, int indent,
                                   struct text *out);
MUST_CHECK enum status columns_put_rule(const struct column *columns, size_t count, int indent,
                                        struct text *out);

#endif
