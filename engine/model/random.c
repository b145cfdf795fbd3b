// engine/model/random.c — random weights at the shape of a known model.
//
// A matrix is a prefix of one random text per type, which repeats itself after a while; so the
// time goes into copying and not into chance. Which there are the parts of layers ask for, as they
// do of a file (loader.h).
#include <stdlib.h>
#include <string.h>

#include "engine/model/loader.h"
#include "engine/model/placement_need.h"
#include "engine/model/shape.h"
#include "kernels/base/assert.h"
#include "kernels/cost.h"

enum { CHUNK_BLOCKS = 1 << 17 };

struct fill { // at least one chunk, which is repeated
    char *memory;
    size_t bytes;
};

struct random {
    struct model *model;
    enum dtype type;
    bool has_experts, tied;
    struct placement_need *need; // only this is counted; there is no device. NULL: weights are made
    size_t bytes_of_type[DTYPE_COUNT];
    struct fill fills[DTYPE_COUNT];
    enum status status;
};

static const char *fill_of(struct random *random, enum dtype type, size_t bytes) {
    struct fill *fill = &random->fills[type];
    const size_t chunk = CHUNK_BLOCKS * (size_t)dtype_block_bytes(type);
    const size_t wanted = bytes > chunk ? bytes : chunk;
    if (bytes <= fill->bytes) return fill->memory;
    char *memory = realloc(fill->memory, wanted);
    if (!memory) {
        random->status = STATUS_NO_MEMORY;
        return NULL;
    }
    fill->memory = memory;
    if (fill->bytes == 0) {
        dtype_fill_random(type, memory, CHUNK_BLOCKS * (size_t)dtype_block_elements(type), 0.02f,
                          1);
        fill->bytes = chunk;
    }
    while (fill->bytes < wanted) {
        const size_t left = wanted - fill->bytes;
        const size_t part = left < chunk ? left : chunk;
        memcpy(memory + fill->bytes, memory + fill->bytes % chunk, part);
        fill->bytes += part;
    }
    return memory;
}

// Files have other types where a type does not fit: routers are fp32, only experts are MXFP4, and
// rows that are no whole blocks get the smallest type in short blocks that is no coarser.
static enum dtype type_of(const struct random *random, int32_t columns, bool expert) {
    enum dtype type = random->type;
    if (type == DTYPE_MXFP4 && random->has_experts && !expert) type = DTYPE_Q8_0;
    if (columns % dtype_block_elements(type) == 0) return type;
    const size_t least =
        dtype_row_bytes(type, dtype_block_elements(type)) * 32 / (size_t)dtype_block_elements(type);
    enum dtype best = DTYPE_Q8_0;
    for (int i = 0; i < DTYPE_COUNT; i++) {
        const enum dtype other = (enum dtype)i;
        const size_t bytes = (size_t)dtype_block_bytes(other);
        if (dtype_block_elements(other) == 32 && bytes >= least &&
            bytes < (size_t)dtype_block_bytes(best))
            best = other;
    }
    return best;
}

static void place(const struct loader *loader, const char *part, struct weight *weight) {
    struct random *random = loader->source->self;
    struct model *model = random->model;
    const size_t bytes = weight_bytes(weight);
    ASSERT(weight->rows > 0 && weight->columns > 0);
    model->weight_bytes += bytes;
    model->parameters += (int64_t)weight->rows * weight->columns;
    random->bytes_of_type[weight->type] += bytes;
    if (random->bytes_of_type[weight->type] > random->bytes_of_type[model->main_type])
        model->main_type = weight->type;
    if (random->need) {
        placement_need_matrix(random->need, &model->config, loader->layer, part, weight,
                              model->backend);
        return;
    }
    if (random->status != STATUS_OK) return;
    weight->data = fill_of(random, weight->type, bytes);
    if (weight->data) random->status = model_copy(model, weight);
}

static struct weight matrix(const struct loader *loader, const char *part, int32_t rows,
                            int32_t columns) {
    const struct random *random = loader->source->self;
    const bool router = !strcmp(part, "ffn_gate_inp.weight");
    struct weight weight = {.type = router ? DTYPE_F32 : type_of(random, columns, false),
                            .rows = rows,
                            .columns = columns,
                            .in_host = loader_in_host(loader, part),
                            .pinned = random->need ? placement_is_embedding(part, random->tied)
                                                   : loader_pins(loader, part, random->tied)};
    place(loader, part, &weight);
    return weight;
}

static const float *constants(const struct loader *loader, const char *part, size_t length,
                              float value) {
    struct random *random = loader->source->self;
    struct model *model = random->model;
    const size_t bytes = length * sizeof(float);
    model->weight_bytes += bytes;
    if (random->need)
        placement_need_vector(random->need, &model->config, loader->layer, part, bytes);
    if (random->need || random->status != STATUS_OK) return NULL;
    float *host = malloc(bytes);
    for (size_t i = 0; host && i < length; i++)
        host[i] = value;
    const float *made =
        host ? model_copy_vector(model, host, bytes, loader_in_host(loader, part)) : NULL;
    if (!made) // a device that has failed says so again
        random->status =
            model->backend->sync(model->device) == STATUS_DEVICE ? STATUS_DEVICE : STATUS_NO_MEMORY;
    free(host);
    return made;
}

static struct expert_weights experts(const struct loader *loader, const char *part, int32_t rows,
                                     int32_t columns, int32_t count) {
    struct random *random = loader->source->self;
    struct model *model = random->model;
    ASSERT(count > 0 && count <= EXPERTS_MAX);
    const struct weight one = {.type = type_of(random, columns, true),
                               .rows = rows,
                               .columns = columns,
                               .in_host = loader_in_host(loader, part)};
    const size_t apart = model_stacked_bytes(model, &one, count);
    struct expert_weights made = {
        .type = one.type, .rows = rows, .columns = columns, .in_host = one.in_host};
    const void *each[EXPERTS_MAX];
    struct weight weight = one;
    weight.rows = rows * count;
    if (apart) place(loader, part, &weight);
    for (int32_t e = 0; e < count; e++) {
        if (!apart) weight = one;
        if (!apart) place(loader, part, &weight);
        each[e] = weight.data ? (const char *)weight.data + (size_t)e * apart : NULL;
    }
    const size_t list_bytes = (size_t)count * sizeof each[0];
    if (random->need)
        placement_need_vector(random->need, &model->config, loader->layer, part, list_bytes);
    if (random->need || random->status != STATUS_OK) return made;
    made.data = model_copy_vector(model, each, list_bytes, one.in_host);
    if (!made.data) random->status = STATUS_NO_MEMORY;
    return made;
}

static void fill_model(struct random *random, const struct model_options *options) {
    struct model *model = random->model;
    const struct model_config *config = &model->config;
    ASSERT(!config->per_layer_embedding);
    const struct loader_source source = {matrix, experts, constants, random};
    struct loader loader = {.model = model, .source = &source, .options = options, .layer = -1};
    const enum presence output = random->tied ? TENSOR_ABSENT : TENSOR_REQUIRED;
    random->has_experts = model_config_maxima(config).experts > 0;
    model->embedding = matrix(&loader, "token_embd.weight", config->vocabulary, config->dim);
    model->output =
        loader_matrix(&loader, "output.weight", config->vocabulary, config->dim, output);
    if (random->tied) model->output = model->embedding;
    model->output_norm.weight = constants(&loader, "output_norm.weight", (size_t)config->dim, 1);
    if (config->specs[0].attention.value_norm)
        model->ones = constants(&loader, "ones", MODEL_MAX_HEAD_SIZE, 1);
    for (int32_t i = 0; i < config->layers && random->status == STATUS_OK; i++)
        loader_load_layer(&loader, i);
    if (!random->need && random->status == STATUS_OK)
        random->status = model_set_rotations(model, NULL);
    for (int i = 0; i < DTYPE_COUNT; i++)
        free(random->fills[i].memory);
}

static enum status begin(struct model *model, const struct shape *shape, enum dtype type,
                         struct error *err) {
    TRY(shape_config(shape, &model->config, err));
    model->main_type = type;
    model->layers = calloc((size_t)model->config.layers, sizeof model->layers[0]);
    return model->layers ? STATUS_OK : error_set(err, STATUS_NO_MEMORY, "not enough memory");
}

enum status model_random(struct model *model, const struct shape *shape, enum dtype type,
                         const struct model_options *options, struct error *err) {
    struct model made = {.backend = options->backend, .device = options->device};
    TRY(begin(&made, shape, type, err));
    *model = made;
    struct random random = {.model = model, .type = type, .tied = shape->tied};
    fill_model(&random, options);
    if (random.status == STATUS_OK) return STATUS_OK;
    model_close(model);
    return error_set(err, random.status, "shape %s in %s: %s", shape->name, dtype_name(type),
                     status_text(random.status));
}

enum status model_random_need(const struct shape *shape, enum dtype type,
                              const struct backend *backend, struct placement_need *need,
                              struct error *err) {
    struct model model = {.backend = backend};
    TRY(begin(&model, shape, type, err));
    *need = (struct placement_need){.layers = model.config.layers};
    struct random random = {.model = &model, .type = type, .tied = shape->tied, .need = need};
    fill_model(&random, NULL);
    if (shape->tied) need->fixed.token_bytes += weight_bytes(&model.embedding);
    model_close(&model);
    return STATUS_OK;
}
