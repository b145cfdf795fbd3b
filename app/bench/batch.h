// app/bench/batch.h — what many at once cost.
//
// `quire bench batch` times the scheduler alone, on runs of all kinds up to the most it takes, and
// K answers to one past against one of them. The past is computed before the clock runs; the
// answers are as long in every run and share its blocks.
#ifndef APP_BENCH_BATCH_H
#define APP_BENCH_BATCH_H

#include "app/bench/bench.h"

// tokens: of each answer, 0: 200; depths: the past, the first counts, none: 1,000; batches: K,
// none: 1, 2, 4, 8. Prints to stdout; returns the exit code.
int bench_batch_run(const struct bench_options *options);

#endif
