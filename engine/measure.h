// engine/measure.h — how fast is an engine, and how fast could it be?
//
// What benchmarks ask, and nobody else. Threads: as engine.h says.
#ifndef ENGINE_MEASURE_H
#define ENGINE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;

// Waits until the weights are where they will be read from (kernels/huge_pages.h). No request may
// run.
void engine_settle(struct engine *engine);

// The bytes per second at which the device reads its memory (kernels/read_speed.h); 0: no memory is
// left to measure that. If weights in two places leave none, the rate that they were placed by. No
// request may run.
double engine_measure_read(struct engine *engine);

// How many bytes a step must read for its speed to be comparable with that.
size_t engine_read_bytes(struct engine *engine);

// The bytes that a step of `rows` sequences of `context` tokens each must read: in a mixture only
// the experts that are likely to be chosen, in windowed layers only the keys in the window.
size_t engine_step_bytes(const struct engine *engine, int32_t rows, int32_t context);

// Is that only an expectation? Several tokens of a mixture may choose the same experts, and then a
// step reads less.
bool engine_step_bytes_vary(const struct engine *engine, int32_t rows);

// What a token of one answer takes now if weights are in two places, with experts hit as often as
// they were lately. Zeros for any other model.
struct engine_split {
    double hits;       // the share of choices that had a copy on the card
    size_t host_bytes; // of weights that are read in host memory
    double tokens_s;   // predicted; 0: unknown rates
};
struct engine_split engine_split(const struct engine *engine);

#endif
