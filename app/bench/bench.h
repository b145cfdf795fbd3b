// app/bench/bench.h — how fast is a model here, and how close to what the machine can do?
//
// `quire bench decode|prefill` measures a model file, or a named shape with random weights in
// memory. The ceiling (read bandwidth) is measured before and after each row; the highest so far
// counts. A step that reads less than that measurement's buffer runs partly from caches, so it has
// no percentage. Speeds are the median of several runs after a warm-up, printed with their spread.
//
// There is one row per prompt length of a prefill, and per depth and batch size of a decode. A
// prefill computes a fresh prompt in every run. A decode starts at its depth in every run: `batch`
// sequences without common tokens are prefilled before the clock starts, then decoded together. A
// row that does not fit the KV memory or the context says so; the others still run.
#ifndef APP_BENCH_BENCH_H
#define APP_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "app/bench/subject.h"
#include "app/cli/args.h"

struct bench_options {
    bool decode, prefill; // which to run
    struct bench_subject subject;
    int32_t tokens;              // tokens decoded per sequence and run; 0: 32
    struct args_numbers prompts; // prompt tokens of a prefill; none: 512
    struct args_numbers depths;  // tokens in the cache before a decode; none: 16
    struct args_numbers batches; // sequences that decode together; none: 1
    int32_t branches;            // branches of a past before answers fork; 0: 1
    int32_t runs;                // 0: 5
    bool json, one_line;         // the rows as JSON; without line breaks
};

// Prints to stdout; returns the exit code.
int bench_run(const struct bench_options *options);

#endif
