// app/cli/pull.h — `quire pull hf:ORG/REPO[:WHICH]`, and -m hf:… of a model that is not here yet.
//
// What the repository has is listed, one is chosen for this machine's memory unless it is named,
// and its files go to Hugging Face's own cache (hub_cache.h), where other programs find them too.
// HF_ENDPOINT, HF_TOKEN (else the file HF_TOKEN_PATH, $HF_HOME/token, ~/.cache/huggingface/token),
// HF_HOME, HF_HUB_CACHE and HF_HUB_OFFLINE are read as the hub's own client reads them.
#ifndef APP_PULL_H
#define APP_PULL_H

#include "app/cli/args.h"

// Prints the model's path to stdout; returns the exit code.
int pull_run(const struct args *args);

// The same for a chat at a terminal, which asks before it downloads. CANCELLED: the answer was no,
// or ^C.
MUST_CHECK enum status pull_wanted(const struct args *args, const char *name, struct error *err);

// UNSUPPORTED in one line if nothing may be asked of the net: --offline, or HF_HUB_OFFLINE for a
// hub's name.
MUST_CHECK enum status pull_check_offline(const struct args *args, const char *name,
                                          struct error *err);

#endif
