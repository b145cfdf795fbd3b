// app/cli/models.h — `quire models`: lists the models on this machine (finder.h) with size, type
// and whether they would fit, and unfinished downloads of `quire pull`.
#ifndef APP_MODELS_H
#define APP_MODELS_H

#include "app/cli/args.h"

// Prints to stdout; returns the exit code.
int models_run(const struct args *args);

// `quire models rm NAME`: removes a model from Hugging Face's cache, or with hf:ORG/REPO a whole
// repository. Asks at a terminal; elsewhere it needs --yes.
int models_remove(const struct args *args);

#endif
