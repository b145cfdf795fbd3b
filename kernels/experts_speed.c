// kernels/experts_speed.c — one random expert, copied until caches cannot hold the copies.
//
// Tokens choose the experts in turns, so each one was read longest ago and comes from memory. The
// first turn, which maps the pages and wakes the threads, is not timed.
#include "kernels/experts_speed.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/cost.h"

enum { STACKS = 3, LEAST_US = 60000, MOST_TOKENS = 2000 };

static const size_t ALL_BYTES = (size_t)256 << 20;

struct trial {
    const struct backend *backend;
    struct device *device;
    struct experts args;
    struct expert_weights *stacks[STACKS];
    const void *matrices[STACKS][EXPERTS_MAX];
    int32_t chosen[EXPERTS_USED_MAX];
    float shares[EXPERTS_USED_MAX];
    char *weights;
    float *rows; // x and y
    size_t expert_bytes;
};

static enum dtype type_of(const struct experts_shape *shape) {
    static const enum dtype TYPES[] = {DTYPE_Q4_K, DTYPE_Q8_0};
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++)
        if (shape->dim % dtype_block_elements(TYPES[i]) == 0 &&
            shape->width % dtype_block_elements(TYPES[i]) == 0)
            return TYPES[i];
    return DTYPE_F32;
}

// One expert is made at random, and the others are copies of it.
static bool make_experts(struct trial *trial, const struct experts_shape *shape) {
    const enum dtype type = type_of(shape);
    struct experts *args = &trial->args;
    const size_t elements = STACKS * (size_t)shape->dim * (size_t)shape->width;
    size_t offset = 0;
    trial->stacks[0] = &args->gate;
    trial->stacks[1] = &args->up;
    trial->stacks[2] = &args->down;
    for (int i = 0; i < STACKS; i++) {
        const bool back = i == STACKS - 1;
        *trial->stacks[i] = (struct expert_weights){.data = trial->matrices[i],
                                                    .type = type,
                                                    .rows = back ? shape->dim : shape->width,
                                                    .columns = back ? shape->width : shape->dim};
        trial->expert_bytes += expert_bytes(trial->stacks[i]);
    }
    const size_t fitting = ALL_BYTES / trial->expert_bytes;
    args->experts = fitting < EXPERTS_MAX ? (int32_t)fitting : EXPERTS_MAX;
    if (args->experts < shape->used) args->experts = shape->used;
    trial->weights = malloc((size_t)args->experts * trial->expert_bytes);
    if (!trial->weights) return false;
    dtype_fill_random(type, trial->weights, elements, 0.02F, 1);
    for (size_t e = 1; e < (size_t)args->experts; e++)
        memcpy(trial->weights + e * trial->expert_bytes, trial->weights, trial->expert_bytes);
    for (int i = 0; i < STACKS; offset += expert_bytes(trial->stacks[i++]))
        for (size_t e = 0; e < (size_t)args->experts; e++)
            trial->matrices[i][e] = trial->weights + e * trial->expert_bytes + offset;
    return true;
}

// The n-th token chooses the experts that were chosen longest ago.
static void run_token(struct trial *trial, int64_t nth) {
    const int32_t experts = trial->args.experts, used = trial->args.used;
    for (int32_t j = 0; j < used; j++) {
        trial->chosen[j] = (int32_t)((nth * used + j) % experts);
        trial->shares[j] = 1;
    }
    trial->backend->experts(trial->device, &trial->args);
}

static double time_tokens(struct trial *trial) {
    int64_t tokens = 0, us = 0;
    for (int32_t i = 0; i * trial->args.used < trial->args.experts; i++)
        run_token(trial, i); // the pages are mapped, the threads awake
    const int64_t before_us = clock_now_us();
    for (; us < LEAST_US && tokens < MOST_TOKENS; us = clock_now_us() - before_us)
        run_token(trial, tokens++);
    if (trial->backend->sync(trial->device) != STATUS_OK || us <= 0) return 0;
    return (double)tokens * trial->args.used * (double)trial->expert_bytes * 1e6 / (double)us;
}

double experts_speed_measure(const struct backend *backend, struct device *device,
                             const struct experts_shape *shape) {
    ASSERT(shape->dim > 0 && shape->width > 0);
    ASSERT(shape->used > 0 && shape->used <= EXPERTS_USED_MAX);
    struct trial *trial = calloc(1, sizeof *trial);
    double speed = 0;
    if (!trial) return 0;
    trial->backend = backend;
    trial->device = device;
    trial->args.used = shape->used;
    trial->args.tokens = 1;
    trial->args.chosen = trial->chosen;
    trial->args.shares = trial->shares;
    trial->rows = calloc(2 * (size_t)shape->dim, sizeof *trial->rows);
    trial->args.x = trial->rows;
    trial->args.y = trial->rows ? trial->rows + shape->dim : NULL;
    for (int32_t i = 0; i < shape->dim && trial->rows; i++)
        trial->rows[i] = (float)(i % 5) - 2;
    if (trial->rows && make_experts(trial, shape)) {
        const struct workspace workspace = {
            .max_tokens = 1,
            .max_features = shape->dim > shape->width ? shape->dim : shape->width,
            .max_seqs = 1,
            .experts = trial->args.experts,
            .experts_used = shape->used,
            .expert_rows = shape->width,
            .expert_outputs = shape->dim,
        };
        if (backend->reserve(device, &workspace) == STATUS_OK) speed = time_tokens(trial);
    }
    free(trial->rows);
    free(trial->weights);
    free(trial);
    return speed;
}
