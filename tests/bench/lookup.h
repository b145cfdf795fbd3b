// tests/bench/lookup.h — what speculative decoding gains and costs.
//
// `quire-measure lookup` lets the model continue the same past twice, with and without
// `--speculate`: greedily after a log that repeats itself, where drafts are accepted as soon as the
// model repeats too, and sampled after a log without repetition, where they can only cost. Both
// must produce the same tokens, which is checked.
#ifndef TESTS_BENCH_LOOKUP_H
#define TESTS_BENCH_LOOKUP_H

#include "app/bench/bench.h"

// tokens: to write, 0: 400; depths: the past, the first counts, none: 256. Prints to stdout;
// returns the exit code.
int lookup_bench_run(const struct bench_options *options);

#endif
