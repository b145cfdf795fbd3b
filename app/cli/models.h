// app/cli/models.h — `quire models`: models that are on this machine already (finder.h), with their
// size, type, and whether they would fit; and what is there of a `quire pull` that did not end.
#ifndef APP_MODELS_H
#define APP_MODELS_H

#include "app/cli/args.h"

// Prints to stdout; returns the exit code.
int models_run(const struct args *args);

// `quire models rm NAME`: removes one of Hugging Face's cache, or with hf:ORG/REPO all of a
// repository there. Asks at a terminal; elsewhere it needs --yes.
int models_remove(const struct args *args);

#endif
