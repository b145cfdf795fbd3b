// app/bench/ops.h — single ops of a backend, against what the device can do.
//
// `quire bench attention` runs one decode step's paged attention over caches of several lengths
// and batch sizes at the heads of llama-3-8b (32 over 8, of 128), with each kernel that the backend
// has; the figures are of one layer, and a step goes over as many as no processor cache holds.
// `quire bench swap` moves blocks between host and device. Bytes are those of kernels/cost.h; the
// read bandwidth and the plain copy that they are compared with are measured in the same run.
// Cases that do not fit the free memory, that a kernel does not have or that would take seconds are
// left out, and said so.
#ifndef APP_BENCH_OPS_H
#define APP_BENCH_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/bench/subject.h"

struct bench_ops_options {
    bool attention, swap;         // which to run
    struct bench_subject subject; // no model; kv_type "auto" is f16
    int32_t runs;                 // 0: 5
    bool json, one_line;          // the results as JSON; without line breaks
};

// Prints to stdout; returns the exit code.
int bench_ops_run(const struct bench_ops_options *options);

#endif
