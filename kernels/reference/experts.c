// kernels/reference/experts.c — a mixture of experts: the router, and the chosen experts' sum.
#include <math.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/cost.h"
#include "kernels/host.h"
#include "kernels/reference/reference.h"

// Each expert's weight, and what it is chosen by: the score itself where that is the same order.
static void weigh_experts(const struct route *args, const float *scores, double *weights,
                          double *keys) {
    double highest = (double)-INFINITY, sum = 0;
    for (int32_t e = 0; e < args->experts; e++)
        highest = fmax(highest, (double)scores[e]);
    for (int32_t e = 0; e < args->experts; e++) {
        const double score = (double)scores[e];
        const double weight =
            args->gating == GATING_SIGMOID ? 1 / (1 + exp(-score)) : exp(score - highest);
        weights[e] = isnan(weight) ? 0 : weight;
        sum += weights[e];
    }
    for (int32_t e = 0; e < args->experts; e++) {
        if (args->gating == GATING_SOFTMAX) weights[e] /= sum;
        keys[e] = (double)scores[e];
        if (args->bias || args->groups)
            keys[e] = weights[e] + (double)(args->bias ? args->bias[e] : 0);
    }
}

// The best expert that is not chosen yet; of equal ones the lowest index.
static int32_t best_left(const double *scores, int32_t experts, const int32_t *chosen,
                         int32_t count) {
    int32_t best = -1;
    for (int32_t e = 0; e < experts; e++) {
        bool taken = false;
        for (int32_t j = 0; j < count; j++)
            taken = taken || chosen[j] == e;
        if (taken) continue;
        if (best < 0 || scores[e] > scores[best] || (isnan(scores[best]) && !isnan(scores[e])))
            best = e;
    }
    return best;
}

// No expert of the other groups is chosen.
static void leave_groups(const struct route *args, double *keys) {
    const int32_t each = args->experts / args->groups;
    double sums[EXPERT_GROUPS_MAX];
    int32_t kept[EXPERT_GROUPS_MAX], two[2];
    for (int32_t g = 0; g < args->groups; g++) {
        for (int32_t j = 0; j < 2; j++)
            two[j] = best_left(keys + g * each, each, two, j);
        sums[g] = keys[g * each + two[0]] + (args->best_of_group ? 0 : keys[g * each + two[1]]);
    }
    for (int32_t j = 0; j < args->groups; j++) {
        kept[j] = best_left(sums, args->groups, kept, j);
        for (int32_t e = 0; e < each && j >= args->groups_used; e++)
            keys[kept[j] * each + e] = (double)-INFINITY;
    }
}

// A sparse mixer's weights, of the chosen alone.
static void mix_experts(const struct route *args, const float *scores, const int32_t *chosen,
                        double *weights) {
    bool taken[EXPERTS_MAX] = {false};
    ASSERT(args->experts <= EXPERTS_MAX);
    for (int32_t j = 0; j < args->used; j++) {
        const double best = (double)scores[chosen[j]];
        double sum = 0;
        for (int32_t e = 0; e < args->experts; e++) {
            const double score = (double)scores[e];
            const bool near = best - score <= (double)args->nearness * fmax(fabs(score), best);
            if (near && !taken[e]) sum += exp(score - best);
        }
        weights[chosen[j]] = sum > 0 ? 1 / sum : 0;
        taken[chosen[j]] = true;
    }
}

void reference_route(struct device *device, const struct route *args) {
    (void)device;
    double weights[EXPERTS_MAX], keys[EXPERTS_MAX];
    ASSERT(route_is_possible(args));
    for (int32_t t = 0; t < args->tokens; t++) {
        int32_t *chosen = args->chosen + (size_t)t * (size_t)args->used;
        float *shares = args->shares + (size_t)t * (size_t)args->used;
        const float *scores = (const float *)args->scores + (size_t)t * (size_t)args->experts;
        double sum = 0;
        weigh_experts(args, scores, weights, keys);
        if (args->groups) leave_groups(args, keys);
        for (int32_t j = 0; j < args->used; j++) {
            chosen[j] = best_left(keys, args->experts, chosen, j);
            ASSERT(chosen[j] >= 0);
        }
        if (args->gating == GATING_SPARSE_MIXER) mix_experts(args, scores, chosen, weights);
        for (int32_t j = 0; j < args->used; j++)
            sum += weights[chosen[j]];
        for (int32_t j = 0; j < args->used; j++)
            shares[j] = (float)(weights[chosen[j]] / (args->raw ? 1 : fmax(sum, ROUTE_LEAST_SUM))) *
                        (args->gains ? args->gains[chosen[j]] : 1.0f);
    }
}

// Row r of an expert's matrix times x, and its bias.
static float row_product(struct device *device, const struct expert_weights *weights,
                         int32_t expert, int32_t row, const float *x) {
    const struct weight weight = expert_weight(weights, expert);
    double sum = 0;
    host_weight_row(&weight, row, device->row);
    for (int32_t i = 0; i < weights->columns; i++)
        sum += (double)device->row[i] * (double)x[i];
    const size_t at = (size_t)expert * (size_t)weights->rows + (size_t)row;
    return weights->bias ? (float)sum + weights->bias[at] : (float)sum;
}

static void add_expert(struct device *device, const struct experts *args, int32_t token,
                       int32_t nth) {
    const size_t slot = (size_t)token * (size_t)args->used + (size_t)nth;
    const int32_t expert = args->chosen[slot];
    if (expert == EXPERT_NONE || !expert_within(&args->only, expert)) return;
    const float *x = (const float *)args->x + (size_t)token * (size_t)args->gate.columns;
    float *y = (float *)args->y + (size_t)token * (size_t)args->down.rows;
    ASSERT(expert >= 0 && expert < args->experts);
    for (int32_t r = 0; r < args->gate.rows; r++)
        device->hidden[r] =
            reference_act(args->act, row_product(device, &args->gate, expert, r, x),
                          row_product(device, &args->up, expert, r, x), args->limit);
    for (int32_t r = 0; r < args->down.rows; r++)
        y[r] += args->shares[slot] * row_product(device, &args->down, expert, r, device->hidden);
}

void reference_experts(struct device *device, const struct experts *args) {
    ASSERT(args->gate.rows <= device->limits.expert_rows);
    ASSERT(args->gate.columns <= device->limits.max_features);
    ASSERT(args->used <= device->limits.experts_used);
    ASSERT(args->gate.rows == args->up.rows && args->gate.rows == args->down.columns);
    for (int32_t t = 0; t < args->tokens; t++) {
        if (!args->add)
            memset((float *)args->y + (size_t)t * (size_t)args->down.rows, 0,
                   (size_t)args->down.rows * sizeof(float));
        for (int32_t j = 0; j < args->used; j++)
            add_expert(device, args, t, j);
    }
}

void reference_gather_experts(struct device *device, const struct gather_experts *args) {
    (void)device;
    ASSERT(args->stack_count > 0 && args->stack_count <= GATHERED_STACKS);
    for (int32_t i = 0; i < args->stack_count; i++)
        for (size_t j = 0; j < (size_t)args->count; j++) {
            const struct gathered *stack = &args->stacks[i];
            const size_t rows = (size_t)stack->from.rows, chosen = (size_t)args->chosen[j];
            const struct weight one = expert_weight(&stack->from, args->chosen[j]);
            memcpy((char *)stack->rows + j * weight_bytes(&one), one.data, weight_bytes(&one));
            stack->list[j] = stack->to + j * stack->stride_bytes;
            if (stack->bias)
                memcpy(stack->bias + j * rows, stack->from.bias + chosen * rows,
                       rows * sizeof stack->bias[0]);
        }
    for (int32_t j = 0; j < args->count; j++)
        args->ids[j] = j;
}
