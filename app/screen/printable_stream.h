// app/screen/printable_stream.h — a FILE of which a terminal sees what it may
// (app/base/printable.h).
//
// For a library that writes text of unknown origin by itself. Its control characters of ASCII, by
// which it moves the cursor, pass. What is written is on stdout when the call returns.
#ifndef APP_PRINTABLE_STREAM_H
#define APP_PRINTABLE_STREAM_H

#include <stdio.h>

// One for the process; NULL without memory. Never closed.
FILE *printable_stream(void);

#endif
