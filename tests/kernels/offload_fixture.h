// tests/kernels/offload_fixture.h — a device of offload.h, and next to it the two that it is made
// of, to compute the same with each alone. The card is the reference backend, or a test's own that
// is made from it.
#ifndef TESTS_OFFLOAD_FIXTURE_H
#define TESTS_OFFLOAD_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/offload.h"

enum {
    SEED = 4711,
    COLUMNS = 64,
    ROWS = 96,
    WIDE = 192, // columns at most
    EXPERTS = 6,
    USED = 2,
    USED_MOST = 3,
    MOST = 700, // tokens
};

static const struct workspace limits = {.max_tokens = MOST,
                                        .max_features = WIDE,
                                        .max_seqs = 1,
                                        .experts = EXPERTS,
                                        .experts_used = USED_MOST,
                                        .expert_rows = ROWS,
                                        .expert_outputs = COLUMNS};

struct offload_fixture {
    const struct backend *backend; // of the device under test
    struct device *device;
    struct device *card, *processor;  // of the reference backend and of backend_cpu()
    char *matrices;                   // see matrix()
    float *x, *y, *expected, *normed; // [MOST, ROWS], the first two random
};

static inline float *random_rows(unsigned *state, size_t count) {
    float *rows = calloc(count, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = (float)rand_r(state) / (float)RAND_MAX - 0.5F;
    return rows;
}

static inline void open_device(const struct backend *backend, struct device **device) {
    const struct device_options options = {.threads = 2};
    assert_int_equal(backend->open(&options, device, NULL), STATUS_OK);
}

static inline void fixture_open(struct offload_fixture *f, const struct backend *card,
                                const struct offload_memory *memory) {
    const struct device_options options = {.threads = 2};
    const size_t count = (size_t)4 * ROWS * COLUMNS * EXPERTS;
    unsigned seed = SEED;
    f->backend = card;
    open_device(card, &f->device);
    open_device(backend_reference(), &f->card);
    open_device(backend_cpu(), &f->processor);
    assert_int_equal(offload_open(&f->backend, &f->device, &options, memory, NULL), STATUS_OK);
    assert_int_equal(f->backend->reserve(f->device, &limits), STATUS_OK);
    assert_int_equal(backend_reference()->reserve(f->card, &limits), STATUS_OK);
    assert_int_equal(backend_cpu()->reserve(f->processor, &limits), STATUS_OK);
    f->matrices = calloc(count, 2);
    assert_non_null(f->matrices);
    dtype_fill_random(DTYPE_Q8_0, f->matrices, count, 0.1F, SEED);
    f->x = random_rows(&seed, MOST * ROWS);
    f->y = random_rows(&seed, MOST * ROWS);
    f->expected = calloc(MOST * ROWS, sizeof(float));
    f->normed = calloc(MOST * ROWS, sizeof(float));
    assert_non_null(f->expected);
    assert_non_null(f->normed);
}

static inline void fixture_close(struct offload_fixture *f) {
    f->backend->close(f->device);
    backend_reference()->close(f->card);
    backend_cpu()->close(f->processor);
    free(f->matrices);
    free(f->x);
    free(f->y);
    free(f->expected);
    free(f->normed);
}

static inline struct weight matrix(const struct offload_fixture *f, int nth, int32_t rows,
                                   int32_t columns, bool in_host) {
    const size_t bytes = ROWS * dtype_row_bytes(DTYPE_Q8_0, COLUMNS);
    return (struct weight){.data = f->matrices + (size_t)nth * bytes,
                           .type = DTYPE_Q8_0,
                           .rows = rows,
                           .columns = columns,
                           .in_host = in_host};
}

static inline struct expert_weights stack(const struct offload_fixture *f, const void **at, int nth,
                                          int32_t rows, int32_t columns) {
    for (int e = 0; e < EXPERTS; e++)
        at[e] = matrix(f, nth * EXPERTS + e, rows, columns, true).data;
    return (struct expert_weights){
        .data = at, .type = DTYPE_Q8_0, .rows = rows, .columns = columns, .in_host = true};
}

// A mixture of the fixture's rows whose three stacks are its first matrices; `at` gets where they
// are.
static inline struct experts mixture(const struct offload_fixture *f, const void *at[3][EXPERTS],
                                     const int32_t *chosen, const float *shares) {
    return (struct experts){.x = f->x,
                            .y = f->y,
                            .chosen = chosen,
                            .shares = shares,
                            .up = stack(f, at[0], 0, ROWS, COLUMNS),
                            .gate = stack(f, at[1], 1, ROWS, COLUMNS),
                            .down = stack(f, at[2], 2, COLUMNS, ROWS),
                            .tokens = 1,
                            .experts = EXPERTS,
                            .used = USED};
}

static inline void assert_rows(const float *found, const float *expected, size_t count) {
    assert_memory_equal(found, expected, count * sizeof found[0]);
}

static inline double difference(const float *found, const float *expected, size_t count) {
    double sum = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)(found[i] - expected[i]) * (double)(found[i] - expected[i]);
        norm += (double)expected[i] * (double)expected[i];
    }
    return sqrt(sum / norm);
}

// For a card that spoils memory as soon as it is there.
static inline enum status alloc_spoiled(struct device *device, size_t bytes, void **memory) {
    TRY(backend_reference()->alloc(device, bytes, memory));
    memset(*memory, 0xff, bytes);
    return STATUS_OK;
}

#endif
