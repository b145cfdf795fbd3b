// app/screen/columns.h — styled lines of text beside one another.
//
//   River  │ Length
//   Nile   │  6,650
//
// Each column has lines of its own; the shorter one is followed by blanks. A style that a line ends
// with goes on in the next line of its column, and not in the column beside it. Texts are harmless,
// broken at their column's width already, and have no escapes but styles.
//
// No memory, no threads.
#ifndef APP_COLUMNS_H
#define APP_COLUMNS_H

#include <stdbool.h>

#include "kernels/base/text.h"

enum { COLUMNS_MOST = 32, COLUMNS_APART = 3 }; // what stands between two takes COLUMNS_APART

enum alignment { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_CENTER };

struct column {
    const char *text; // lines, each with its newline
    int width;
    enum alignment alignment;
};

// Columns that the bytes take on a terminal at most, without their styles.
int styled_columns(const char *bytes, size_t length);

// Appends all lines of all columns, and the rule that goes below a header.
MUST_CHECK enum status columns_put(const struct column *columns, size_t count, int indent,
                                   struct text *out);
MUST_CHECK enum status columns_put_rule(const struct column *columns, size_t count, int indent,
                                        struct text *out);

#endif
