// engine/measure.h — how fast is an engine, and how fast could it be?
//
// Only benchmarks ask. Threads: as in engine.h.
#ifndef ENGINE_MEASURE_H
#define ENGINE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;

// Waits until the weights have moved to where they will be read from (kernels/huge_pages.h). No
// request may be running.
void engine_settle(struct engine *engine);

// Measures how many bytes per second the device reads from its memory (kernels/read_speed.h); 0:
// there is no memory left to do so. If weights in two places have taken it all, this is the rate
// that their placement assumed. No request may be running.
double engine_measure_read(struct engine *engine);

// How many bytes a step reads before its speed can be compared with engine_measure_read().
size_t engine_read_bytes(struct engine *engine);

// The bytes that a step of `rows` sequences of `context` tokens each must read: in a mixture only
// the experts that are likely to be chosen, in windowed layers only the keys in the window.
size_t engine_step_bytes(const struct engine *engine, int32_t rows, int32_t context);

// Is that only an expectation? Several tokens of a mixture may choose the same experts, and then a
// step reads less.
bool engine_step_bytes_vary(const struct engine *engine, int32_t rows);

// With weights in two places: what a token of a lone answer reads and takes, at the share of hits
// that recent steps had. Zeros if all weights are in one place.
struct engine_split {
    double hits;       // the share of chosen experts that had a copy on the card
    size_t host_bytes; // what is read in host memory
    double tokens_s;   // predicted; 0: the rates are unknown
};
struct engine_split engine_split(const struct engine *engine);

#endif
