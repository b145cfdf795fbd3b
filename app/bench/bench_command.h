// app/bench/bench_command.h — `quire bench WHAT…`: chooses the measurement, the model and options.
//
// A row of one table for each word; words of one measurement (decode and prefill, attention and
// swap) can be given together, and none is decode and prefill. Prints to stdout.
#ifndef APP_BENCH_COMMAND_H
#define APP_BENCH_COMMAND_H

#include "app/bench/bench.h"
#include "app/cli/config.h"

int bench_command_run(const struct args *args, const struct config *config); // the exit code

// What the options say to measure. The first finds the model's path, empty if a shape is measured,
// or returns an exit code; the other borrows from both.
int bench_find_model(const struct args *args, struct text *path);
struct bench_options bench_options_of(const struct args *args, const struct text *model);

#endif
