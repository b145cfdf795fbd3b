// app/tokenize.h — `quire tokenize`: the tokens of stdin's text.
#ifndef APP_TOKENIZE_H
#define APP_TOKENIZE_H

#include "app/args.h"

// One a line on stdout: pieces, or ids with --ids. Returns the exit code.
int tokenize_run(const struct args *args);

#endif
