// app/cli/help.h — prints `quire --help`, `quire help` and `quire --version`.
#ifndef APP_HELP_H
#define APP_HELP_H

#include <stdbool.h>
#include <stdio.h>

void help_print(FILE *out); // at most 80 columns

// `quire help WORD`: explains one command or option. False: no such name.
bool help_print_topic(FILE *out, const char *topic);
void version_print(FILE *out); // "quire 0.2.0"

#endif
