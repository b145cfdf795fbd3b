// app/cli/models.h — `quire models`: models that are on this machine already (finder.h), with their
// size, type, and whether they would fit.
#ifndef APP_MODELS_H
#define APP_MODELS_H

#include "app/cli/args.h"

// Prints to stdout; returns the exit code.
int models_run(const struct args *args);

#endif
