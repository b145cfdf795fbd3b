// tests/bench/cache/show.h — the figures of `quire-measure cache`, for people and for programs.
#ifndef TESTS_BENCH_CACHE_SHOW_H
#define TESTS_BENCH_CACHE_SHOW_H

#include "tests/bench/cache/parts.h"

void cache_print(const struct kv_bench *bench);      // tables within 80 columns, to stdout
bool cache_print_json(const struct kv_bench *bench); // false: memory is short

extern const char *const RESUME_FROM_NAMES[RESUME_FROM_COUNT];

// Bytes a second of what a line brought to the device, until it was ready; 0: none.
double resume_line_speed(const struct resume_line *line);

#endif
