// engine/draft/row_cost.c — measured where it was, and a straight line where it was not.
//
// A count of rows that was never measured is assumed to lie on the line through the two nearest
// smaller ones that were, and EACH_ROW of a step above one row for each further row where there is
// but one. What was measured counts as much against that assumption as its weight against ASSUMED,
// and the first measurements of a count as no more than MOST times what is assumed: so one
// disturbed step does not keep drafts away for long, and neither does what was true a thousand
// steps ago. Nor do fewer rows take longer than more of them that were measured more.
//
// The curve has steps where a tile of a kernel is full: 9 rows may take half as long again as 8. No
// line shows them, so a count that was hardly measured may take less than is assumed by DOUBT.
#include "engine/draft/row_cost.h"

#include "kernels/base/assert.h"

static const float EACH_ROW = 0.25f, LEAST_ROW = 0.02f, ASSUMED = 1, WEIGHT_MOST = 16,
                   FORGET = 0.998f, MOST = 2, DOUBT = 0.2f;

static int32_t clamp(int32_t rows) {
    ASSERT(rows > 0);
    return rows < ROW_COST_MOST ? rows : ROW_COST_MOST;
}

void row_cost_note(struct row_cost *cost, int32_t rows, int64_t us) {
    const float expected = row_cost_us(cost, rows), known = cost->rows[1].weight;
    float measured = (float)us;
    if (rows > 1 && known > 0 && measured > MOST * expected) measured = MOST * expected;
    for (int32_t i = 1; i <= ROW_COST_MOST; i++)
        cost->rows[i].weight *= FORGET;
    float *weight = &cost->rows[clamp(rows)].weight, *mean = &cost->rows[clamp(rows)].us;
    *weight = *weight + 1 < WEIGHT_MOST ? *weight + 1 : WEIGHT_MOST;
    *mean += (measured - *mean) / *weight;
}

// On the line through what was measured of fewer rows.
static float us_on_line(const struct row_cost *cost, int32_t rows) {
    float us = 1, each = EACH_ROW;
    int32_t known = 0;
    for (int32_t i = 1; i <= rows; i++) {
        const float weight = cost->rows[i].weight, before = us;
        if (weight == 0) continue;
        if (known == 0) {
            us = cost->rows[i].us;
            each = us * EACH_ROW / (float)i;
        } else {
            const float assumed = us + each * (float)(i - known);
            us = (weight * cost->rows[i].us + ASSUMED * assumed) / (weight + ASSUMED);
            each = (us - before) / (float)(i - known);
            if (each < LEAST_ROW * before / (float)known) each = LEAST_ROW * before / (float)known;
        }
        known = i;
    }
    return us + each * (float)(rows - (known ? known : 1));
}

float row_cost_us(const struct row_cost *cost, int32_t rows) {
    const int32_t count = clamp(rows);
    float us = us_on_line(cost, count);
    for (int32_t i = count + 1; i <= ROW_COST_MOST; i++)
        if (cost->rows[i].weight > cost->rows[count].weight && cost->rows[i].us < us)
            us = cost->rows[i].us;
    return us;
}

float row_cost_least_us(const struct row_cost *cost, int32_t rows) {
    const float unknown = 1 / (1 + cost->rows[clamp(rows)].weight);
    return row_cost_us(cost, rows) * (1 - DOUBT * unknown * unknown);
}
