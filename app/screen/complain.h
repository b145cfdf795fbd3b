// app/screen/complain.h — the one line on stderr that says why.
//
// Errors may quote what a file or an argument holds, so the line is made harmless to a terminal.
// Where stderr is one, its words are kept whole at the screen's edge.
#ifndef APP_COMPLAIN_H
#define APP_COMPLAIN_H

#include "kernels/base/status.h"

void complain(const char *text);        // "quire: TEXT"
void complain_mildly(const char *text); // "TEXT", which is good to know

// The error's text, or the status's where it has none. Returns `code`.
int complain_failed(int code, enum status status, const struct error *err);

#endif
