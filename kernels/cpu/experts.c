// kernels/cpu/experts.c — a mixture of experts. Rows are sorted by expert, so that an expert's
// matrices are read once for all its tokens.
//
// A slot is one expert's result for one token. Each is computed as if it were alone, and a token's
// results are added in the order of its choice, so the bits of a row depend on that row alone.
//
// Experts of few tokens are computed together: threads divide the rows of all their matrices, and
// wait for one another three times for all of them, not for each. An expert of many tokens is
// computed alone, so that its activations stay in the cache.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/cpu/device.h"

enum { ROUTE_TOKENS = 16, COMBINE_TOKENS = 4, JOB_SLOTS = 64 };

struct expert_scratch {
    int32_t slots;      // max_tokens * experts_used; a token's j-th expert is slot token * used + j
    int32_t *token_of;  // [slots], sorted by expert
    int32_t *rank_of;   // [slots], of a slot in that order
    float *hidden, *up; // [slots, expert_rows], in that order
    float *results;     // [slots, max_features], in that order
};

void expert_scratch_destroy(struct expert_scratch *scratch) {
    if (!scratch) return;
    free(scratch->token_of);
    free(scratch->rank_of);
    free(scratch->hidden);
    free(scratch->up);
    free(scratch->results);
    free(scratch);
}

enum status expert_scratch_create(const struct workspace *workspace,
                                  struct expert_scratch **scratch) {
    if (workspace->experts_used == 0) return STATUS_OK;
    ASSERT(workspace->experts <= EXPERTS_MAX && workspace->experts_used <= EXPERTS_USED_MAX);
    struct expert_scratch *made = calloc(1, sizeof *made);
    if (!made) return STATUS_NO_MEMORY;
    made->slots = workspace->max_tokens * workspace->experts_used;
    const size_t slots = (size_t)made->slots, rows = (size_t)workspace->expert_rows;
    made->token_of = calloc(slots, sizeof *made->token_of);
    made->rank_of = calloc(slots, sizeof *made->rank_of);
    made->hidden = calloc(slots * rows, sizeof *made->hidden);
    made->up = calloc(slots * rows, sizeof *made->up);
    made->results = calloc(slots * (size_t)workspace->max_features, sizeof *made->results);
    if (!made->token_of || !made->rank_of || !made->hidden || !made->up || !made->results) {
        expert_scratch_destroy(made);
        return STATUS_NO_MEMORY;
    }
    *scratch = made;
    return STATUS_OK;
}

// Each expert's weight, and what it is chosen by: the score itself where that is the same order.
static void weigh_experts(const struct route *args, const float *scores, float *weights,
                          float *keys) {
    float highest = -INFINITY, sum = 0;
    for (int32_t e = 0; e < args->experts; e++)
        highest = fmaxf(highest, scores[e]);
    for (int32_t e = 0; e < args->experts; e++) {
        const float weight =
            args->gating == GATING_SIGMOID ? 1 / (1 + expf(-scores[e])) : expf(scores[e] - highest);
        weights[e] = isnan(weight) ? 0 : weight;
        sum += weights[e];
    }
    for (int32_t e = 0; e < args->experts; e++) {
        if (args->gating == GATING_SOFTMAX) weights[e] /= sum;
        keys[e] = scores[e];
        if (args->bias || args->groups) keys[e] = weights[e] + (args->bias ? args->bias[e] : 0);
    }
}

// Scores are visited in order, so a score that was chosen before an equal one has the lower index.
static void choose_experts(const float *scores, int32_t experts, int32_t used, int32_t *chosen,
                           float *best) {
    ASSERT(used > 0);
    int32_t kept = 0;
    for (int32_t e = 0; e < experts; e++) {
        const float score = isnan(scores[e]) ? -INFINITY : scores[e];
        if (kept == used && !(score > best[kept - 1])) continue;
        int32_t at = kept < used ? kept++ : kept - 1;
        for (; at > 0 && score > best[at - 1]; at--) {
            best[at] = best[at - 1];
            chosen[at] = chosen[at - 1];
        }
        best[at] = score;
        chosen[at] = e;
    }
}

// No expert of the other groups is chosen.
static void leave_groups(const struct route *args, float *keys) {
    ASSERT(args->groups > 0 && args->experts % args->groups == 0);
    const int32_t each = args->experts / args->groups;
    float sums[EXPERT_GROUPS_MAX] = {0}, best[EXPERT_GROUPS_MAX] = {0};
    int32_t order[EXPERT_GROUPS_MAX], two[2];
    for (int32_t g = 0; g < args->groups; g++) {
        choose_experts(keys + g * each, each, 2, two, best);
        sums[g] = best[0] + (args->best_of_group ? 0 : best[1]);
    }
    choose_experts(sums, args->groups, args->groups, order, best);
    for (int32_t j = args->groups_used; j < args->groups; j++)
        for (int32_t e = 0; e < each; e++)
            keys[order[j] * each + e] = -INFINITY;
}

// A sparse mixer's weights, of the chosen alone.
static void mix_experts(const struct route *args, const float *scores, const int32_t *chosen,
                        float *weights) {
    bool taken[EXPERTS_MAX] = {false};
    ASSERT(args->experts <= EXPERTS_MAX);
    for (int32_t j = 0; j < args->used; j++) {
        const float best = scores[chosen[j]];
        float sum = 0;
        for (int32_t e = 0; e < args->experts; e++) {
            const float score = scores[e];
            const bool near = best - score <= args->nearness * fmaxf(fabsf(score), best);
            if (near && !taken[e]) sum += expf(score - best);
        }
        weights[chosen[j]] = sum > 0 ? 1 / sum : 0;
        taken[chosen[j]] = true;
    }
}

static void route_tokens(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct route *args = context;
    const size_t used = (size_t)args->used;
    float weights[EXPERTS_MAX], keys[EXPERTS_MAX], best[EXPERTS_USED_MAX];
    (void)thread;
    for (size_t t = (size_t)begin; t < (size_t)end; t++) {
        int32_t *chosen = args->chosen + t * used;
        float sum = 0;
        const float *scores = (const float *)args->scores + t * (size_t)args->experts;
        weigh_experts(args, scores, weights, keys);
        if (args->groups) leave_groups(args, keys);
        choose_experts(keys, args->experts, args->used, chosen, best);
        if (args->gating == GATING_SPARSE_MIXER) mix_experts(args, scores, chosen, weights);
        for (size_t j = used; j > 0; j--)
            sum += weights[chosen[j - 1]];
        for (size_t j = 0; j < used; j++)
            args->shares[t * used + j] = weights[chosen[j]] /
                                         (args->raw ? 1 : fmaxf(sum, (float)ROUTE_LEAST_SUM)) *
                                         (args->gains ? args->gains[chosen[j]] : 1.0f);
    }
}

void cpu_route(struct device *device, const struct route *args) {
    ASSERT(route_is_possible(args));
    struct route copy = *args;
    threads_for(device->threads, args->tokens, ROUTE_TOKENS, route_tokens, &copy);
}

static bool is_computed(const struct experts *args, int32_t slot) {
    const int32_t expert = args->chosen[slot];
    return expert != EXPERT_NONE && expert_within(&args->only, expert);
}

// Sorts slots by expert: first[e] ... first[e + 1] - 1 become the ranks of expert e's slots, in
// token order. A slot whose expert is not computed has rank -1.
static void sort_slots(struct expert_scratch *scratch, const struct experts *args,
                       int32_t first[EXPERTS_MAX + 1]) {
    const int32_t slots = args->tokens * args->used;
    int32_t next[EXPERTS_MAX];
    memset(first, 0, ((size_t)args->experts + 1) * sizeof first[0]);
    for (int32_t s = 0; s < slots; s++) {
        ASSERT(args->chosen[s] >= EXPERT_NONE && args->chosen[s] < args->experts);
        if (is_computed(args, s)) first[args->chosen[s] + 1]++;
    }
    for (int32_t e = 0; e < args->experts; e++) {
        first[e + 1] += first[e];
        next[e] = first[e];
    }
    ASSERT(first[args->experts] <= slots);
    for (int32_t s = 0; s < slots; s++) {
        scratch->rank_of[s] = -1;
        if (!is_computed(args, s)) continue;
        scratch->rank_of[s] = next[args->chosen[s]]++;
        scratch->token_of[scratch->rank_of[s]] = s / args->used;
    }
}

// Experts begin ... end - 1, those without a slot among them.
struct expert_job {
    struct device *device;
    const struct experts *args;
    const int32_t *first; // [experts + 1], as sort_slots() leaves it
    int32_t begin, end;
};

// Appends the products of each expert's matrix with its rows of x: the rows of its ranks' tokens
// where token_of is given, otherwise the rows of those ranks. Returns the number of parts.
static int32_t append_products(const struct expert_job *job, const struct expert_weights *weights,
                               const float *x, const int32_t *token_of, float *y,
                               struct linear_part *parts) {
    const size_t rows = (size_t)weights->rows, from = (size_t)job->first[job->begin];
    int32_t count = 0;
    for (int32_t e = job->begin; e < job->end; e++) {
        const int32_t first = job->first[e], slots = job->first[e + 1] - first;
        if (slots == 0) continue;
        ASSERT(count < JOB_SLOTS);
        parts[count++] = (struct linear_part){
            .weight = expert_weight(weights, e),
            .y = y + (size_t)first * rows,
            .x = token_of ? x : x + from * (size_t)weights->columns,
            .row_index = token_of ? token_of + from : NULL,
            .bias = weights->bias ? weights->bias + (size_t)e * rows : NULL,
            .tokens = slots,
            // The experts of one token share its row.
            .first_token = token_of && job->args->tokens == 1 ? 0 : first - (int32_t)from,
        };
    }
    return count;
}

static void compute_experts(const struct expert_job *job) {
    const struct expert_scratch *scratch = job->device->experts;
    const struct experts *args = job->args;
    const int32_t first = job->first[job->begin], slots = job->first[job->end] - first;
    ASSERT(slots > 0 && first + slots <= scratch->slots);
    const size_t at = (size_t)first * (size_t)args->gate.rows;
    struct linear_part parts[2 * JOB_SLOTS];
    const bool gated = args->gate.data != args->up.data; // else up serves as gate
    int32_t count =
        append_products(job, &args->gate, args->x, scratch->token_of, scratch->hidden, parts);
    if (gated)
        count +=
            append_products(job, &args->up, args->x, scratch->token_of, scratch->up, parts + count);
    cpu_multiply(job->device, parts, count);
    cpu_act_and_mul(job->device,
                    &(struct act_and_mul){.gate = scratch->hidden + at,
                                          .up = (gated ? scratch->up : scratch->hidden) + at,
                                          .rows = slots,
                                          .dim = args->gate.rows,
                                          .act = args->act,
                                          .limit = args->limit});
    count = append_products(job, &args->down, scratch->hidden, NULL, scratch->results, parts);
    cpu_multiply(job->device, parts, count);
}

// Where a job ends that begins with an expert.
static int32_t job_end(const struct expert_job *job) {
    const int32_t *first = job->first, *next = first + 1, begin = job->begin;
    const int32_t most = job->device->max_rows < JOB_SLOTS ? job->device->max_rows : JOB_SLOTS;
    int32_t end = begin + 1;
    if (next[begin] - first[begin] >= TILES_LEAST) return end;
    while (end < job->args->experts && next[end] - first[end] < TILES_LEAST &&
           next[end] - first[begin] <= most)
        end++;
    return end;
}

static void combine(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct expert_job *job = context;
    const struct experts *args = job->args;
    const size_t dim = (size_t)args->down.rows, used = (size_t)args->used;
    (void)thread;
    for (size_t t = (size_t)begin; t < (size_t)end; t++) {
        float *y = (float *)args->y + t * dim;
        if (!args->add) memset(y, 0, dim * sizeof *y);
        for (size_t j = 0; j < used; j++) {
            const int32_t rank = job->device->experts->rank_of[t * used + j];
            if (rank < 0) continue;
            const float *from = job->device->experts->results + (size_t)rank * dim;
            const float share = args->shares[t * used + j];
            for (size_t i = 0; i < dim; i++)
                y[i] += share * from[i];
        }
    }
}

void cpu_experts(struct device *device, const struct experts *args) {
    struct expert_scratch *scratch = device->experts;
    ASSERT(scratch && args->tokens * args->used <= scratch->slots);
    ASSERT(args->experts <= EXPERTS_MAX && args->gate.rows <= device->limits.expert_rows);
    ASSERT(args->down.rows <= device->limits.max_features);
    ASSERT(args->gate.columns <= device->limits.max_features);
    ASSERT(args->gate.rows == args->up.rows && args->gate.rows == args->down.columns);
    int32_t first[EXPERTS_MAX + 1];
    sort_slots(scratch, args, first);
    struct expert_job job = {.device = device, .args = args, .first = first};
    for (; job.begin < args->experts; job.begin = job.end) {
        job.end = job_end(&job);
        if (first[job.end] > first[job.begin]) compute_experts(&job);
    }
    threads_for(device->threads, args->tokens, COMBINE_TOKENS, combine, &job);
}
