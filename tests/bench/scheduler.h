// tests/bench/scheduler.h — what scheduling costs, and how long an answer waits for a prompt.
#ifndef TESTS_BENCH_SCHEDULER_H
#define TESTS_BENCH_SCHEDULER_H

#include "app/bench/bench.h"

// depths: the past before the answer, the first counts, none: 1,000. Prints to stdout; returns the
// exit code.
int scheduler_bench_run(const struct bench_options *options);

#endif
