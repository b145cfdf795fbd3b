// app/cli/known_models.h — the models that /model offers and understands.
//
// In this order: models used before, newest first; the sections of the config file; what finder.h
// finds on this machine; the demo model. Opens none of them.
#ifndef APP_KNOWN_MODELS_H
#define APP_KNOWN_MODELS_H

#include "app/chat/model_finder.h"
#include "app/cli/args.h"

// The functions of struct model_finder (model_finder.h); `args` is a struct args.
MUST_CHECK enum status known_models_list(const void *args, struct db *db,
                                         struct model_choices *choices, struct error *err);
MUST_CHECK enum status known_models_find(const void *args, struct db *db, const char *name,
                                         struct wanted_model *wanted, struct error *err);
MUST_CHECK enum status known_models_open(const void *args, struct db *db, int64_t source,
                                         struct wanted_model *wanted, struct error *err);

#endif
