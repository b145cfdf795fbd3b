// app/bench/batch.h — how much do many requests at once cost?
//
// `quire bench batch` compares K answers after one past with a single answer. The past is computed
// before the clock starts; in every run the answers have the same length and share the past's
// blocks. With branches, the past continues in several ways, each half as long again, and the
// answers fork from these in turn.
#ifndef APP_BENCH_BATCH_H
#define APP_BENCH_BATCH_H

#include "app/bench/bench.h"

// tokens: per answer, 0: 200; depths: length of pasts, none: 1,000; batches: K, none: 1, 2, 4, 8.
// Prints to stdout; returns the exit code.
int bench_batch_run(const struct bench_options *options);

#endif
