// tests/kernels/plain_route.h — the router in plain loops and double, for the tests of all
// backends.
#ifndef TESTS_PLAIN_ROUTE_H
#define TESTS_PLAIN_ROUTE_H

#include <math.h>

#include "kernels/backend.h"

// How many of `count` keys come before the one at `index`.
static inline int32_t ahead_of(const double *keys, int32_t count, int32_t index) {
    int32_t ahead = 0;
    for (int32_t i = 0; i < count; i++)
        ahead += keys[i] > keys[index] || (keys[i] == keys[index] && i < index);
    return ahead;
}

// Are the keys of ranks first ... last and the next one equal, or farther apart than fp32 rounds?
static inline bool ranks_are_clear(const double *keys, int32_t count, int32_t first, int32_t last) {
    double sorted[EXPERTS_MAX];
    bool clear = true;
    for (int32_t i = 0; i < count; i++)
        sorted[ahead_of(keys, count, i)] = keys[i];
    for (int32_t i = first; i <= last && i + 1 < count; i++)
        clear = clear && (sorted[i] == sorted[i + 1] || sorted[i] > sorted[i + 1] + 2e-6);
    return clear;
}

static inline bool plain_leave_groups(const struct route *args, double *keys) {
    const int32_t each = args->experts / args->groups;
    double sums[EXPERT_GROUPS_MAX] = {0};
    for (int32_t e = 0; e < args->experts; e++) {
        const int32_t g = e / each;
        if (ahead_of(keys + g * each, each, e - g * each) < (args->best_of_group ? 1 : 2))
            sums[g] += keys[e];
    }
    for (int32_t e = 0; e < args->experts; e++)
        if (ahead_of(sums, args->groups, e / each) >= args->groups_used) keys[e] = -HUGE_VAL;
    return ranks_are_clear(sums, args->groups, args->groups_used - 1, args->groups_used - 1);
}

// A sparse mixer's weights of the chosen. False: a score lies where near ends.
static inline bool plain_mix(const struct route *args, const float *scores, const int32_t *chosen,
                             double *weights) {
    bool taken[EXPERTS_MAX] = {false}, clear = true;
    for (int32_t j = 0; j < args->used; j++) {
        const double best = (double)scores[chosen[j]];
        double sum = 0;
        for (int32_t e = 0; e < args->experts; e++) {
            const double score = (double)scores[e];
            const double reach = (double)args->nearness * fmax(fabs(score), best);
            if (!taken[e] && best - score <= reach) sum += exp(score - best);
            clear = clear && fabs(best - score - reach) > 2e-6;
        }
        weights[chosen[j]] = 1 / sum;
        taken[chosen[j]] = true;
    }
    return clear;
}

// What one token's experts and shares are. False: a choice is too narrow to be the same in fp32.
static inline bool plain_route(const struct route *args, const float *scores, int32_t *chosen,
                               double *shares) {
    double weights[EXPERTS_MAX], keys[EXPERTS_MAX], all = 0, sum = 0;
    bool clear = true;
    for (int32_t e = 0; e < args->experts; e++)
        all += exp((double)scores[e]);
    for (int32_t e = 0; e < args->experts; e++) {
        const double power = exp((double)scores[e]);
        weights[e] = args->gating == GATING_SIGMOID ? power / (1 + power) : power / all;
        keys[e] = args->bias ? weights[e] + (double)args->bias[e] : weights[e];
    }
    if (args->groups) clear = plain_leave_groups(args, keys);
    if (args->groups || args->bias)
        clear = clear && ranks_are_clear(keys, args->experts, 0, args->used - 1);
    for (int32_t e = 0; e < args->experts; e++) {
        const int32_t ahead = ahead_of(keys, args->experts, e);
        if (ahead >= args->used) continue;
        chosen[ahead] = e;
    }
    if (args->gating == GATING_SPARSE_MIXER)
        clear = plain_mix(args, scores, chosen, weights) && clear;
    for (int32_t j = 0; j < args->used; j++)
        sum += weights[chosen[j]];
    for (int32_t j = 0; j < args->used; j++)
        shares[j] = weights[chosen[j]] / (args->raw ? 1 : sum) *
                    (double)(args->gains ? args->gains[chosen[j]] : 1);
    return clear;
}

// The shapes that are tried, each with and without its groups.
static const int32_t ROUTE_SHAPES[][4] = {
    // experts, used, groups, groups_used
    {1, 1, 0, 0},   {5, 5, 0, 0},     {7, 3, 0, 0},     {8, 2, 0, 0},
    {32, 4, 4, 2},  {60, 12, 30, 11}, {64, 8, 8, 8},    {128, 8, 8, 4},
    {160, 6, 0, 0}, {256, 8, 8, 4},   {512, 32, 32, 3}, {1024, 32, 4, 1},
};
enum { ROUTE_KINDS = 64 }; // of each shape

// Sets the nth combination of settings for a route of this shape. False: the shape cannot have it,
// such as groups where it has none.
static inline bool route_kind(const int32_t shape[4], int nth, struct route *args) {
    const bool grouped = nth & 16, mixes = nth & 32;
    args->experts = shape[0];
    args->used = shape[1];
    args->groups = grouped ? shape[2] : 0;
    args->groups_used = grouped ? shape[3] : 0;
    args->gating = mixes ? GATING_SPARSE_MIXER : nth & 8 ? GATING_SIGMOID : GATING_SOFTMAX;
    args->nearness = 0.1F;
    args->raw = nth & 4;
    args->best_of_group = (nth >> 2 ^ nth) & 1;
    if (!(nth & 2)) args->bias = NULL;
    if (!(nth & 1)) args->gains = NULL;
    return mixes ? !(nth & (2 | 8 | 16)) : !grouped || args->groups > 0;
}

#endif
