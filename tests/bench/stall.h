// tests/bench/stall.h — how long a foreground answer waits while a long prompt is computed.
//
// An answer decodes in the foreground. Its longest time between two tokens is measured alone and
// while a background request computes a prompt; the longest step of such a prompt is measured too.
// With a scheduler that cuts prompts into chunks, the second exceeds the first by at most the
// third.
//
// Threads: one. Nothing else may run on the engine.
#ifndef TESTS_BENCH_STALL_H
#define TESTS_BENCH_STALL_H

#include "app/bench/harness.h"

struct stall_options {
    struct harness *harness; // borrowed
    int32_t past;            // tokens before the answer
    int32_t prompt;          // tokens of the other
    int32_t runs;
};

struct stall {                     // milliseconds
    struct figure alone, together; // the longest between two tokens
    struct figure chunk;           // the longest step of the prompt alone
};

MUST_CHECK enum status stall_measure(const struct stall_options *options, struct stall *found);

#endif
