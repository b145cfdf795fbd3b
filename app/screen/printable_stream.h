// app/screen/printable_stream.h — a FILE whose output is made safe for the terminal
// (app/base/printable.h).
//
// For a library that itself writes text of unknown origin. ASCII control characters, which the
// library uses to move the cursor, pass. What is written is on stdout when the call returns.
#ifndef APP_PRINTABLE_STREAM_H
#define APP_PRINTABLE_STREAM_H

#include <stdio.h>

// One per process; NULL without memory. Never closed.
FILE *printable_stream(void);

#endif
