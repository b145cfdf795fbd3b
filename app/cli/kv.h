// app/cli/kv.h — `quire kv`: what is cached on disk, for which conversations, and is it intact?
//
//   quire kv         models, conversations and bytes; the sums are exact
//   quire kv check   reads every block; EXIT_RUN_TIME if any was damaged or missing
//   quire kv drop    deletes every block: costs time later, loses no conversation
//
// A missing folder is an empty cache. Needs no model.
#ifndef APP_KV_H
#define APP_KV_H

#include "app/cli/args.h"
#include "app/cli/config.h"

// Prints to stdout; returns the exit code.
int kv_run(const struct args *args, const struct config *config);

#endif
