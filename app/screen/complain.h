// app/screen/complain.h — prints one-line errors to stderr.
//
// Errors may quote files or arguments, so the line is made safe for a terminal. If stderr is a
// terminal, long lines break between words.
#ifndef APP_COMPLAIN_H
#define APP_COMPLAIN_H

#include "kernels/base/status.h"

void complain(const char *text);        // "quire: TEXT"
void complain_mildly(const char *text); // "TEXT", a hint

// Prints the error's text, or the status's if there is none. Returns `code`.
int complain_failed(int code, enum status status, const struct error *err);

#endif
