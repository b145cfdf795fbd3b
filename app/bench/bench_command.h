// app/bench/bench_command.h — `quire bench WHAT…`: chooses the measurement, the model and options.
//
// One table has a row per word. Words of the same measurement (decode and prefill, attention and
// swap) can be combined; without a word it runs decode and prefill. An option on the command line
// that none of the chosen measurements has is refused.
#ifndef APP_BENCH_COMMAND_H
#define APP_BENCH_COMMAND_H

#include "app/bench/bench.h"
#include "app/cli/config.h"

int bench_command_run(const struct args *args, const struct config *config); // the exit code

// Finds the model, unless a shape is named, and measures it. The config says where the disk
// tier goes without --kv-dir, and where measured rates are kept; {0}: nowhere. Returns the exit
// code.
int bench_model_run(const struct args *args, const struct config *config,
                    int (*run)(const struct bench_options *options));

#endif
