// app/bench/ops.h — single ops of a backend, compared with what the device can do.
//
// `quire bench attention` runs one decode step's paged attention over caches of several lengths
// and batch sizes at the heads of llama-3-8b (32 over 8, of 128), with each kernel that the backend
// has. Figures are per layer; a step covers more layers than any processor cache can hold. `quire
// bench swap` moves blocks between host and device. Bytes are computed by kernels/cost.h; the read
// bandwidth and the plain copy to compare with are measured in the same run. Cases that do not fit
// the free memory, that a kernel lacks or that would take seconds are skipped with a message.
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
