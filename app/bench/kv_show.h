// app/bench/kv_show.h — the figures of `quire bench kv`, for people and for programs.
#ifndef APP_BENCH_KV_SHOW_H
#define APP_BENCH_KV_SHOW_H

#include "app/bench/kv_parts.h"

void bench_kv_print(const struct kv_bench *bench);      // tables within 80 columns, to stdout
bool bench_kv_print_json(const struct kv_bench *bench); // false: memory is short

extern const char *const RESUME_FROM_NAMES[RESUME_FROM_COUNT];

// Bytes a second of what a line brought to the device, until it was ready; 0: none.
double resume_line_speed(const struct resume_line *line);

#endif
