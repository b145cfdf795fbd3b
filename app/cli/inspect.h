// app/cli/inspect.h — `quire inspect MODEL`: what is in a model file, and would it run here?
//
// Reads the header only; works on files that hold just a vocabulary. Nothing from the file
// reaches the terminal as it is.
#ifndef APP_INSPECT_H
#define APP_INSPECT_H

#include "app/cli/args.h"

int inspect_run(const struct args *args); // returns the exit code

#endif
