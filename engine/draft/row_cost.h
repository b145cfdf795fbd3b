// engine/draft/row_cost.h — how long does a step with so many rows take?
//
// Of steps that decode: one row for each answer, and one for each draft token. Kernels and caches
// make that a curve that no formula knows, so it is measured, and forgotten slowly, as contexts
// grow and machines get busy. Plain data.
#ifndef ENGINE_DRAFT_ROW_COST_H
#define ENGINE_DRAFT_ROW_COST_H

#include <stdint.h>

enum { ROW_COST_MOST = 64 }; // rows; more cost as many

struct row_cost { // {0}: nothing is known
    struct {
        float us;     // mean of what was measured
        float weight; // of how much, less with each step; 0: of nothing
    } rows[ROW_COST_MOST + 1];
};

void row_cost_note(struct row_cost *cost, int32_t rows, int64_t us);

// What a step of so many rows is expected to take, in arbitrary units: only ratios have a meaning.
float row_cost_us(const struct row_cost *cost, int32_t rows);

#endif
