// app/bench/speculation.h — what guessed tokens gain and cost.
//
// `quire bench lookup` lets the model write twice, with and without `--speculate`, after the same
// past: greedily after a log that repeats itself, where guesses come true as soon as the model
// repeats too, and sampled after a log without repetition, where they can only cost. The two must
// write the same tokens; that is checked.
#ifndef APP_BENCH_SPECULATION_H
#define APP_BENCH_SPECULATION_H

#include "app/bench/bench.h"

// tokens: to write, 0: 400; depths: the past, the first counts, none: 256. Prints to stdout;
// returns the exit code.
int bench_lookup_run(const struct bench_options *options);

#endif
