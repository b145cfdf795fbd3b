// app/cli/man.h — the manual page quire(1).
//
// Written in mdoc from the tables that --help is made of, and from the chat's own commands, so
// that it cannot say anything else. `man -l -` and mandoc read it.
#ifndef APP_MAN_H
#define APP_MAN_H

#include <stdio.h>

void man_print(FILE *out);

#endif
