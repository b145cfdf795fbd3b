// app/bench/bench_command.h — `quire bench WHAT…`: chooses the measurement, the model and options.
//
// One table has a row per word. Words of the same measurement (decode and prefill, attention and
// swap) can be combined; without a word it runs decode and prefill. Prints to stdout.
#ifndef APP_BENCH_COMMAND_H
#define APP_BENCH_COMMAND_H

#include "app/bench/bench.h"
#include "app/cli/config.h"

int bench_command_run(const struct args *args, const struct config *config); // the exit code

// Turn the options into a measurement. bench_find_model() sets the model's path, empty for a shape,
// and returns an exit code; the result of bench_options_of() borrows from both arguments.
int bench_find_model(const struct args *args, struct text *path);
struct bench_options bench_options_of(const struct args *args, const struct text *model);

#endif
