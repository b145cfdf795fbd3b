// app/cli/help.h — what `quire --help` and `quire --version` say.
#ifndef APP_HELP_H
#define APP_HELP_H

#include <stdio.h>

void help_print(FILE *out);    // at most 80 columns
void version_print(FILE *out); // "quire 0.1.0"

#endif
