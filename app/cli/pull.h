// app/cli/pull.h — `quire pull hf:ORG/REPO[:WHICH]`, and -m hf:… for a model that is not on this
// machine yet.
//
// Lists the repository's models, chooses one for this machine's memory unless WHICH names it, and
// downloads it to Hugging Face's own cache (hub_cache.h), where other programs find it too.
// HF_ENDPOINT, HF_TOKEN (else the file HF_TOKEN_PATH, $HF_HOME/token, ~/.cache/huggingface/token),
// HF_HOME, HF_HUB_CACHE and HF_HUB_OFFLINE mean the same as for the hub's own client.
#ifndef APP_PULL_H
#define APP_PULL_H

#include "app/cli/args.h"

// Prints the model's path to stdout; returns the exit code.
int pull_run(const struct args *args);

// The same for a chat at a terminal; asks before downloading. CANCELLED: the user said no or
// pressed ^C.
MUST_CHECK enum status pull_wanted(const struct args *args, const char *name, struct error *err);

// UNSUPPORTED if the network must not be used: --offline, or HF_HUB_OFFLINE for a hub name.
MUST_CHECK enum status pull_check_offline(const struct args *args, const char *name,
                                          struct error *err);

#endif
