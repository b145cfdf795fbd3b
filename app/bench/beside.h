// app/bench/beside.h — how long an answer in front waits when a long prompt is computed beside it.
//
// An answer decodes in the foreground. The longest time between two of its tokens is taken alone,
// and again while a request in the background computes a prompt; and the longest step of such a
// prompt alone. A scheduler that cuts prompts into chunks lets the second exceed the first by the
// third at most.
//
// Threads: one. Nothing else may run on the engine.
#ifndef APP_BENCH_BESIDE_H
#define APP_BENCH_BESIDE_H

#include "app/bench/samples.h"
#include "engine/engine.h"

struct beside_options {
    struct engine *engine; // borrowed
    int32_t past;          // tokens before the answer
    int32_t prompt;        // tokens of the other
    int32_t runs;
};

struct beside {                    // milliseconds
    struct figure alone, together; // the longest between two tokens
    struct figure chunk;           // the longest step of the prompt alone
};

MUST_CHECK enum status beside_measure(const struct beside_options *options, struct beside *found);

#endif
