// kernels/reference/candidates.c — the simple form: each logit is compared with the last of those
// kept, and inserted in order. Totals are added up in double.
#include <math.h>

#include "kernels/base/assert.h"
#include "kernels/reference/reference.h"

static void penalise_row(float *logits, const struct choice *choice,
                         const struct penalty *penalties) {
    for (int32_t i = 0; i < choice->num_penalties; i++) {
        const struct penalty *penalty = &penalties[choice->first_penalty + i];
        ASSERT(penalty->id >= 0);
        logits[penalty->id] = penalised_logit(logits[penalty->id], choice, penalty->occurrences);
    }
}

// Ids are visited in order, so a candidate that was kept before an equal one has the lower id.
static void choose_candidates(const float *logits, int32_t vocabulary, int32_t count,
                              struct candidate *best) {
    int32_t kept = 0;
    for (int32_t id = 0; id < vocabulary; id++) {
        const float logit = logits[id] + 0.0f; // -0 + 0 is 0
        if (isnan(logit) || (kept == count && !(logit > best[kept - 1].logit))) continue;
        int32_t at = kept < count ? kept++ : kept - 1;
        for (; at > 0 && logit > best[at - 1].logit; at--)
            best[at] = best[at - 1];
        best[at] = (struct candidate){id, logit};
    }
    for (; kept < count; kept++)
        best[kept] = (struct candidate){-1, 0};
}

static float log_total_of(const float *logits, int32_t vocabulary) {
    double highest = -(double)INFINITY, total = 0;
    for (int32_t id = 0; id < vocabulary; id++)
        if ((double)logits[id] > highest) highest = (double)logits[id];
    if (isinf(highest)) return (float)highest;
    for (int32_t id = 0; id < vocabulary; id++)
        if (!isnan(logits[id])) total += exp((double)logits[id] - highest);
    return (float)(highest + log(total));
}

void reference_candidates(struct device *device, const struct candidates *args) {
    (void)device;
    ASSERT(args->rows > 0 && args->most <= CANDIDATES_MAX);
    ASSERT(args->vocabulary > 0 && args->vocabulary <= CANDIDATES_VOCABULARY_MAX);
    for (size_t r = 0; r < (size_t)args->rows; r++) {
        const struct choice *choice = &args->choices[r];
        float *logits = args->logits + r * (size_t)args->vocabulary;
        ASSERT(choice->count >= 0 && choice->count <= args->most);
        if (choice->count == 0) continue;
        ASSERT(choice->num_penalties >= 0 && choice->num_penalties <= PENALTIES_MAX);
        if (args->log_totals && choice->log_total)
            args->log_totals[r] = log_total_of(logits, args->vocabulary);
        penalise_row(logits, choice, args->penalties);
        choose_candidates(logits, args->vocabulary, choice->count, args->best + r * CANDIDATES_MAX);
    }
}
