// app/bench/batch.h — the cost of many requests at once.
//
// `quire bench batch` times K answers to one past against a single one. The past is computed before
// the clock starts; answers are equally long in every run and share its blocks. With branches the
// past goes on in several ways, each half as long again, and answers are in forks of these in turn.
#ifndef APP_BENCH_BATCH_H
#define APP_BENCH_BATCH_H

#include "app/bench/bench.h"

// tokens: of each answer, 0: 200; depths: of pasts, none: 1,000; batches: K, none: 1, 2, 4, 8.
// Prints to stdout; returns the exit code.
int bench_batch_run(const struct bench_options *options);

#endif
