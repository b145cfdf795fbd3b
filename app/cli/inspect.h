// app/cli/inspect.h — `quire inspect MODEL`: what is in a model file, and would it run here?
//
// Reads only the header; also works on files that contain just a vocabulary. Everything from the
// file is made safe to print.
#ifndef APP_INSPECT_H
#define APP_INSPECT_H

#include "app/cli/args.h"
#include "app/cli/config.h"

int inspect_run(const struct args *args, const struct config *config); // returns the exit code

#endif
