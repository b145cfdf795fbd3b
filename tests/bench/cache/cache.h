// tests/bench/cache/cache.h — the KV cache whole, for those who change it.
//
// `quire-measure cache` measures what `quire bench kv` does and more: forks while the sequence
// decodes, resuming from a disk whose pages left memory, finding a log, what fifty turns write to
// the disk, and two conversations that do not fit the device together. What would take too long or
// too much memory is reported as skipped (null in JSON).
//
// Its other files: meter.h (a disk pool that measures), parts.h (the measurements and what they
// found), show.h (for people and for programs).
#ifndef TESTS_BENCH_CACHE_H
#define TESTS_BENCH_CACHE_H

#include "app/bench/kv.h"

// Prints to stdout; returns the exit code. SIGINT and SIGTERM end it early, and the folder is
// removed then too.
int cache_bench_run(const struct bench_kv_options *options);

#endif
