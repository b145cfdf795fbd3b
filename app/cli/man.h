// app/cli/man.h — the manual page quire(1).
//
// Generated as mdoc from the tables behind --help and the chat commands, so that it cannot
// contradict them. `man -l -` and mandoc display it.
#ifndef APP_MAN_H
#define APP_MAN_H

#include <stdio.h>

void man_print(FILE *out);

#endif
