// tests/bench/cache/cache.h — the KV cache, for those who change it.
//
// `quire-measure cache` measures what `quire bench kv` does not: forks while the sequence decodes,
// resuming from a disk whose pages left memory, finding a log, what fifty turns write to the disk,
// and two conversations that do not fit the device together. What would take too long or too much
// memory is reported as not measured (null in JSON).
//
// Its other files: meter.h (a disk pool that measures), parts.h (the measurements and what they
// found).
#ifndef TESTS_BENCH_CACHE_H
#define TESTS_BENCH_CACHE_H

#include "app/bench/bench.h"

// Prints to stdout; returns the exit code. SIGINT and SIGTERM end it early, and the folder is
// removed then too.
int cache_bench_run(const struct bench_options *options);

#endif
