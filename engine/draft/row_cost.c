// engine/draft/row_cost.c — measured where it was, and a straight line where it was not.
//
// A count of rows that was never measured is assumed to take EACH_ROW longer for each row than the
// nearest smaller one that was. What was measured counts as much against that assumption as its
// weight against ASSUMED: so one disturbed step does not keep drafts away for long, and neither
// does what was true a thousand steps ago.
#include "engine/draft/row_cost.h"

#include "kernels/base/assert.h"

static const float EACH_ROW = 0.1f, ASSUMED = 1, WEIGHT_MOST = 16, FORGET = 0.998f;

static int32_t clamp(int32_t rows) {
    ASSERT(rows > 0);
    return rows < ROW_COST_MOST ? rows : ROW_COST_MOST;
}

void row_cost_note(struct row_cost *cost, int32_t rows, int64_t us) {
    for (int32_t i = 1; i <= ROW_COST_MOST; i++)
        cost->rows[i].weight *= FORGET;
    float *weight = &cost->rows[clamp(rows)].weight, *mean = &cost->rows[clamp(rows)].us;
    *weight = *weight + 1 < WEIGHT_MOST ? *weight + 1 : WEIGHT_MOST;
    *mean += ((float)us - *mean) / *weight;
}

float row_cost_us(const struct row_cost *cost, int32_t rows) {
    float us = 1;
    int32_t known = 0;
    for (int32_t i = 1; i <= clamp(rows); i++) {
        const float weight = cost->rows[i].weight;
        if (weight == 0) continue;
        const float assumed = us * (1 + EACH_ROW * (float)(i - known));
        us = known ? (weight * cost->rows[i].us + ASSUMED * assumed) / (weight + ASSUMED)
                   : cost->rows[i].us;
        known = i;
    }
    return us * (1 + EACH_ROW * (float)(clamp(rows) - (known ? known : 1)));
}
