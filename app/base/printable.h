// app/base/printable.h — text of unknown origin, as one line that a terminal only shows.
#ifndef APP_PRINTABLE_H
#define APP_PRINTABLE_H

#include "kernels/base/text.h"

// Appends the bytes with every control character, backslash and ill-formed byte written as an
// escape: \n, \t, \\, \x1b. Other characters stay.
MUST_CHECK enum status printable_append(struct text *out, const char *bytes, size_t length);

#endif
