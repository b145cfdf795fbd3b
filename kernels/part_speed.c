// kernels/part_speed.c — a model that is nothing but feed-forwards.
//
// Each layer has weights of its own, at least as many bytes together as SPREAD times the last
// cache, so each was read longest ago when its turn comes. Caches replace lines at random, though,
// and keep a share of what is read in a circle; a processor next to a card, whose caches the card
// does not know, gets enough to read that this share is small. A token chooses all experts of a
// layer: which ones they are does not change what is read. The first steps map pages, wake threads
// and are recorded, and are not timed; of the others the median counts, since an answer has all of
// them.
#include "kernels/part_speed.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/cost.h"
#include "kernels/host.h"

enum {
    MATRICES = 3, // gate, up, down
    LAYERS_MAX = 512,
    SPREAD = 2,
    SPREAD_IN_HOST = 8,
    WARM_STEPS = 3,
    STEPS_MAX = 50,
    PAUSE_BYTES = 16 << 20,
    STEP_KEY = 1,
    PAUSE_KEY = 2, // and the number of readings
};

static const size_t LEAST_BYTES = (size_t)256 << 20, MOST_BYTES = (size_t)512 << 20;
static const size_t LEAST_IN_HOST = (size_t)1 << 30, MOST_IN_HOST = (size_t)4 << 30;
static const int64_t LEAST_US = 250000;

struct layer {
    struct weight matrices[MATRICES]; // dense
    struct expert_weights stacks[MATRICES];
};

struct trial {
    const struct backend *backend;
    struct device *device;
    struct part_shape shape;
    int32_t tokens;
    bool in_host;
    int32_t layers;
    int32_t readings;                // of the pause
    char *weights;                   // [MATRICES, layers, used] matrices, those of all layers alike
    const void **matrices[MATRICES]; // [layers, used] where they are on the device
    struct layer *of_layers;
    void *rows, *normed, *inner, *up, *sums; // on the device
    void *chosen, *shares, *pause;           // the same
    void **lists;                            // [layers * MATRICES] in host memory
};

static int32_t experts_of(const struct part_shape *shape) {
    return shape->used > 0 ? shape->used : 1;
}

static struct weight matrix_of(const struct trial *trial, int i) {
    const struct part_shape *shape = &trial->shape;
    const bool back = i == MATRICES - 1;
    return (struct weight){.type = shape->type,
                           .rows = back ? shape->dim : shape->width,
                           .columns = back ? shape->width : shape->dim,
                           .in_host = trial->in_host};
}

static size_t layer_bytes(const struct trial *trial) {
    size_t bytes = 0;
    for (int i = 0; i < MATRICES; i++) {
        const struct weight matrix = matrix_of(trial, i);
        bytes += (size_t)experts_of(&trial->shape) * weight_bytes(&matrix);
    }
    return bytes;
}

static size_t list_bytes(const struct trial *trial) {
    return (size_t)experts_of(&trial->shape) * sizeof(void *);
}

struct sizes { // in bytes
    size_t dim, width, chosen, shares;
};

static struct sizes sizes_of(const struct trial *trial) {
    const size_t tokens = (size_t)trial->tokens,
                 choices = tokens * (size_t)experts_of(&trial->shape);
    return (struct sizes){.dim = tokens * (size_t)trial->shape.dim * sizeof(float),
                          .width = tokens * (size_t)trial->shape.width * sizeof(float),
                          .chosen = choices * sizeof(int32_t),
                          .shares = choices * sizeof(float)};
}

static enum status alloc_rows(struct trial *trial) {
    const struct backend *backend = trial->backend;
    const struct sizes sizes = sizes_of(trial);
    TRY(backend->alloc(trial->device, sizes.dim, &trial->rows));
    TRY(backend->alloc(trial->device, sizes.dim, &trial->sums));
    TRY(backend->alloc(trial->device, sizes.width, &trial->inner));
    TRY(backend->alloc(trial->device, sizes.width, &trial->up));
    TRY(backend->alloc(trial->device, sizes.chosen, &trial->chosen));
    TRY(backend->alloc(trial->device, sizes.shares, &trial->shares));
    return backend->alloc(trial->device, PAUSE_BYTES, &trial->pause);
}

static void release_rows(struct trial *trial) {
    const struct backend *backend = trial->backend;
    const struct sizes sizes = sizes_of(trial);
    backend->release(trial->device, trial->rows, sizes.dim);
    backend->release(trial->device, trial->sums, sizes.dim);
    backend->release(trial->device, trial->inner, sizes.width);
    backend->release(trial->device, trial->up, sizes.width);
    backend->release(trial->device, trial->chosen, sizes.chosen);
    backend->release(trial->device, trial->shares, sizes.shares);
    backend->release(trial->device, trial->pause, PAUSE_BYTES);
}

static enum status fill_rows(struct trial *trial) {
    const struct backend *backend = trial->backend;
    const struct sizes sizes = sizes_of(trial);
    const int32_t used = experts_of(&trial->shape);
    const size_t choices = (size_t)trial->tokens * (size_t)used;
    float *zeros = calloc(1, sizes.dim), *shares = calloc(choices, sizeof *shares);
    int32_t *chosen = calloc(choices, sizeof *chosen);
    enum status status = zeros && shares && chosen ? STATUS_OK : STATUS_NO_MEMORY;
    for (size_t i = 0; status == STATUS_OK && i < choices; i++) {
        chosen[i] = (int32_t)i % used;
        shares[i] = 1.0F / (float)used;
    }
    if (status == STATUS_OK) {
        backend->to_device(trial->device, trial->rows, zeros, sizes.dim);
        backend->to_device(trial->device, trial->sums, zeros, sizes.dim);
        backend->to_device(trial->device, trial->chosen, chosen, sizes.chosen);
        backend->to_device(trial->device, trial->shares, shares, sizes.shares);
        status = backend->sync(trial->device);
    }
    free(zeros);
    free(shares);
    free(chosen);
    return status;
}

static void fill_weights(struct trial *trial) {
    const size_t used = (size_t)experts_of(&trial->shape);
    char *at = trial->weights;
    for (int i = 0; i < MATRICES; i++) {
        const struct weight matrix = matrix_of(trial, i);
        const size_t each = weight_bytes(&matrix), of_layer = used * each;
        for (size_t e = 0; e < used; e++)
            dtype_fill_random(matrix.type, at + e * each,
                              (size_t)matrix.rows * (size_t)matrix.columns, 0.02F, 1);
        for (int32_t l = 1; l < trial->layers; l++)
            memcpy(at + (size_t)l * of_layer, at, of_layer);
        at += (size_t)trial->layers * of_layer;
    }
}

// The weights of all layers, as the backend wants them: on a card one by one, and in host memory in
// one piece, since a model's lie there in large ones, whose pages are large.
static enum status place_weights(struct trial *trial) {
    const struct backend *backend = trial->backend;
    const size_t count = (size_t)trial->layers * (size_t)experts_of(&trial->shape);
    const char *bytes = trial->weights;
    for (int i = 0; i < MATRICES; i++) {
        struct weight matrix = matrix_of(trial, i);
        const size_t each = weight_bytes(&matrix);
        matrix.data = bytes;
        if (!trial->in_host) {
            for (size_t n = 0; n < count; n++, matrix.data = bytes + n * each)
                TRY(backend->weights(trial->device, &matrix, &trial->matrices[i][n]));
        } else {
            const void *first;
            matrix.rows *= (int32_t)count;
            TRY(backend->weights(trial->device, &matrix, &first));
            for (size_t n = 0; n < count; n++)
                trial->matrices[i][n] = (const char *)first + n * each;
        }
        bytes += count * each;
    }
    return STATUS_OK;
}

static enum status make_layer(struct trial *trial, int32_t index) {
    const size_t used = (size_t)experts_of(&trial->shape);
    struct layer *layer = &trial->of_layers[index];
    for (int i = 0; i < MATRICES; i++) {
        struct weight *matrix = &layer->matrices[i];
        const void **list = &trial->matrices[i][(size_t)index * used];
        void **kept = &trial->lists[index * MATRICES + i];
        *matrix = matrix_of(trial, i);
        matrix->data = list[0];
        TRY(trial->backend->alloc_host(trial->device, list_bytes(trial), kept));
        memcpy(*kept, list, list_bytes(trial));
        layer->stacks[i] = (struct expert_weights){.data = *kept,
                                                   .type = matrix->type,
                                                   .rows = matrix->rows,
                                                   .columns = matrix->columns,
                                                   .in_host = trial->in_host};
    }
    return STATUS_OK;
}

static void run_layer(struct trial *trial, const struct layer *layer) {
    const struct part_shape *shape = &trial->shape;
    const struct linear_input in = {.x = trial->rows, .tokens = trial->tokens},
                              inner = {.x = trial->inner, .tokens = trial->tokens};
    if (shape->used > 0) {
        trial->backend->experts(trial->device, &(struct experts){.y = trial->sums,
                                                                 .x = trial->rows,
                                                                 .chosen = trial->chosen,
                                                                 .shares = trial->shares,
                                                                 .gate = layer->stacks[0],
                                                                 .up = layer->stacks[1],
                                                                 .down = layer->stacks[2],
                                                                 .tokens = trial->tokens,
                                                                 .experts = shape->used,
                                                                 .used = shape->used,
                                                                 .add = true});
        return;
    }
    trial->backend->gated_linear(trial->device, &(struct gated_linear){.in = in,
                                                                       .y = trial->inner,
                                                                       .up_rows = trial->up,
                                                                       .gate = layer->matrices[0],
                                                                       .up = layer->matrices[1]});
    trial->backend->linear(trial->device,
                           &(struct linear){.in = inner,
                                            .parts = {{trial->sums, layer->matrices[2], NULL}},
                                            .count = 1,
                                            .store = LINEAR_ADD});
}

static void enqueue(struct trial *trial, bool computes) {
    for (int32_t i = 0; i < trial->layers; i++) {
        if (computes) run_layer(trial, &trial->of_layers[i]);
        for (int32_t r = 0; r < trial->readings; r++)
            trial->backend->read(trial->device, trial->pause, PAUSE_BYTES, 0);
    }
}

// Of one step, which is recorded where steps are; 0: the device failed.
static int64_t step_us(struct trial *trial, bool computes) {
    const struct backend *backend = trial->backend;
    const uint64_t key = computes ? STEP_KEY : PAUSE_KEY + (uint64_t)trial->readings;
    const int64_t before_us = clock_now_us();
    if (!backend->replay) {
        enqueue(trial, computes);
    } else if (!backend->replay(trial->device, key)) {
        enqueue(trial, computes);
        if (!backend->recorded(trial->device)) enqueue(trial, computes);
    }
    if (backend->sync(trial->device) != STATUS_OK) return 0;
    const int64_t us = clock_now_us() - before_us;
    return us > 0 ? us : 1;
}

static int compare(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static int64_t usual_step_us(struct trial *trial, bool computes) {
    int64_t steps[STEPS_MAX], all = 0;
    int count = 0;
    for (int i = 0; i < WARM_STEPS + STEPS_MAX && all < LEAST_US; i++) {
        const int64_t us = step_us(trial, computes);
        if (us == 0) return 0;
        if (i < WARM_STEPS) continue;
        all += us;
        steps[count++] = us;
    }
    qsort(steps, (size_t)count, sizeof steps[0], compare);
    return steps[count / 2];
}

// There are two copies for a while, which together take half of the memory at most.
static size_t in_host_bytes(void) {
    enum { SHARE = 4 };
    const size_t wanted = SPREAD_IN_HOST * host_cache_bytes(), spare = host_spare_memory() / SHARE;
    const size_t bytes = wanted < LEAST_IN_HOST  ? LEAST_IN_HOST
                         : wanted > MOST_IN_HOST ? MOST_IN_HOST
                                                 : wanted;
    return bytes < spare ? bytes : spare;
}

static enum status make(struct trial *trial) {
    const struct part_shape *shape = &trial->shape;
    const struct workspace workspace = {
        .max_tokens = trial->tokens,
        .max_features = shape->dim > shape->width ? shape->dim : shape->width,
        .max_seqs = 1,
        .max_context = 64, // no attention and no logits are computed, but a card reserves for some
        .num_heads = 1,
        .head_size = 64,
        .max_logits = 1,
        .vocabulary = 64,
        .experts = shape->used,
        .experts_used = shape->used,
        .expert_rows = shape->used > 0 ? shape->width : 0,
        .expert_outputs = shape->used > 0 ? shape->dim : 0,
    };
    struct device_info info;
    const size_t each = layer_bytes(trial);
    trial->backend->info(trial->device, &info);
    size_t bytes = SPREAD * info.cache_bytes;
    if (bytes < LEAST_BYTES) bytes = LEAST_BYTES;
    if (bytes > MOST_BYTES) bytes = MOST_BYTES;
    if (trial->in_host) bytes = in_host_bytes();
    const size_t layers = bytes / each + 1;
    trial->layers = layers < LAYERS_MAX ? (int32_t)layers : LAYERS_MAX;
    trial->weights = malloc((size_t)trial->layers * each);
    trial->of_layers = calloc((size_t)trial->layers, sizeof *trial->of_layers);
    trial->lists = calloc((size_t)trial->layers * MATRICES, sizeof *trial->lists);
    if (!trial->weights || !trial->of_layers || !trial->lists) return STATUS_NO_MEMORY;
    for (int i = 0; i < MATRICES; i++) {
        trial->matrices[i] =
            calloc((size_t)trial->layers * (size_t)experts_of(shape), sizeof trial->matrices[i][0]);
        if (!trial->matrices[i]) return STATUS_NO_MEMORY;
    }
    fill_weights(trial);
    TRY(place_weights(trial));
    TRY(alloc_rows(trial));
    TRY(fill_rows(trial));
    for (int32_t i = 0; i < trial->layers; i++)
        TRY(make_layer(trial, i));
    return trial->backend->reserve(trial->device, &workspace);
}

// How many readings take about that long, and how long a step of them alone takes. False: the
// device failed.
static bool choose_pause(struct trial *trial, double pause_s, int64_t *pause_us) {
    const double wanted_us = pause_s * 1e6 * trial->layers;
    *pause_us = 0;
    if (pause_s <= 0) return true;
    trial->readings = 1;
    *pause_us = usual_step_us(trial, false);
    if (*pause_us > 0 && 2 * (double)*pause_us <= wanted_us) {
        trial->readings = (int32_t)(wanted_us / (double)*pause_us);
        *pause_us = usual_step_us(trial, false);
    }
    return *pause_us > 0;
}

static void free_all(struct trial *trial) {
    release_rows(trial);
    for (int32_t i = 0; trial->lists && i < trial->layers * MATRICES; i++)
        trial->backend->release_host(trial->device, trial->lists[i], list_bytes(trial));
    free(trial->lists);
    free(trial->of_layers);
    for (int i = 0; i < MATRICES; i++)
        free(trial->matrices[i]);
    free(trial->weights);
}

struct part_speed part_speed_measure(const struct backend *backend, struct device *device,
                                     const struct part_trial *how) {
    const struct part_shape *shape = &how->shape;
    ASSERT(shape->dim > 0 && shape->width > 0 && how->tokens > 0);
    ASSERT(shape->used >= 0 && shape->used <= EXPERTS_USED_MAX);
    struct trial trial = {.backend = backend,
                          .device = device,
                          .shape = *shape,
                          .tokens = how->tokens,
                          .in_host = how->in_host};
    struct part_speed speed = {0};
    int64_t pause_us;
    if (make(&trial) == STATUS_OK && choose_pause(&trial, how->pause_s, &pause_us)) {
        const int64_t us = usual_step_us(&trial, true);
        const double parts_us = (double)(us - pause_us) / trial.layers;
        if (us > 0 && parts_us > 0)
            speed = (struct part_speed){parts_us * 1e-6, layer_bytes(&trial)};
    }
    free_all(&trial);
    return speed;
}
