// app/bench/bench.h — how fast is it here, and how near to what the machine can do?
//
// `quire bench decode|prefill` measures a model file or a named shape with random weights, made
// in memory. The ceiling (read bandwidth) is measured in the same run, so a percentage means
// this machine, now. Speeds are the median of several runs; the spread is printed beside them.
#ifndef APP_BENCH_H
#define APP_BENCH_H

#include <stdbool.h>
#include <stdint.h>

struct bench_options {
    bool decode, prefill;   // which to run
    const char *model_path; // a file, or NULL and
    const char *shape;      // a named shape
    const char *type;       // of its weights: "q8_0"
    const char *backend;    // as in engine_options
    const char *kv_type;
    int32_t threads; // 0: one a core
    int32_t tokens;  // decoded in a run; 0: 32
    int32_t prompt;  // tokens of a prefill; 0: 512
    int32_t depth;   // tokens in the cache before a decode; 0: 16
    int32_t runs;    // 0: 5
    bool json;
};

// Prints to stdout; returns the exit code.
int bench_run(const struct bench_options *options);

#endif
