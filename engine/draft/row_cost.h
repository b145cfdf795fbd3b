// engine/draft/row_cost.h — how long does a step of n rows take?
//
// A decode step has a row for each answer and one for each draft token. Kernels and caches make
// its time a curve that no formula predicts, so it is measured, and old measurements fade, because
// contexts grow and machines get busy. Plain data.
#ifndef ENGINE_DRAFT_ROW_COST_H
#define ENGINE_DRAFT_ROW_COST_H

#include <stdint.h>

enum { ROW_COST_MOST = 64 }; // a step of more rows counts as one of this many

struct row_cost { // {0}: nothing is known
    struct {
        float us;     // mean of what was measured
        float weight; // of the measurements, which fades with each step; 0: none
    } rows[ROW_COST_MOST + 1];
};

void row_cost_note(struct row_cost *cost, int32_t rows, int64_t us);

// The expected time of a step. Until one was measured, only ratios have a meaning.
float row_cost_us(const struct row_cost *cost, int32_t rows);

// The least that it may take: less than that, the less this many rows were measured.
float row_cost_least_us(const struct row_cost *cost, int32_t rows);

#endif
