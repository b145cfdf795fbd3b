// engine/model/random.c — random weights at the shape of a known model.
//
// A matrix is a prefix of one random text per type, which repeats itself after a while; so the
// time goes into copying and not into chance. Norms are ones, biases and sinks zeros.
#include <stdlib.h>
#include <string.h>

#include "engine/model/model_parts.h"
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
    bool has_experts;
    bool counts; // only what weights() would take; there is no device
    size_t device_bytes;
    size_t bytes_of_type[DTYPE_COUNT];
    struct fill fills[DTYPE_COUNT];
    enum status status;
};

static size_t device_bytes(const struct backend *backend, const struct weight *weight) {
    return backend->weight_bytes ? backend->weight_bytes(weight) : weight_bytes(weight);
}

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

static void place(struct random *random, struct weight *weight) {
    struct model *model = random->model;
    const size_t bytes = weight_bytes(weight);
    ASSERT(weight->rows > 0 && weight->columns > 0);
    model->weight_bytes += bytes;
    model->parameters += (int64_t)weight->rows * weight->columns;
    random->bytes_of_type[weight->type] += bytes;
    if (random->bytes_of_type[weight->type] > random->bytes_of_type[model->main_type])
        model->main_type = weight->type;
    if (random->counts) {
        random->device_bytes += device_bytes(model->backend, weight);
        return;
    }
    if (random->status != STATUS_OK) return;
    weight->data = fill_of(random, weight->type, bytes);
    if (weight->data) random->status = model_copy(model, weight);
}

static struct weight matrix(struct random *random, int32_t rows, int32_t columns) {
    struct weight weight = {NULL, type_of(random, columns, false), rows, columns};
    place(random, &weight);
    return weight;
}

static const float *constants(struct random *random, bool wanted, size_t length, float value) {
    struct model *model = random->model;
    const size_t bytes = length * sizeof(float);
    if (!wanted) return NULL;
    model->weight_bytes += bytes;
    random->device_bytes += bytes;
    if (random->counts || random->status != STATUS_OK) return NULL;
    float *device = model_alloc(model, bytes), *host = malloc(bytes);
    if (!device || !host) random->status = STATUS_NO_MEMORY;
    for (size_t i = 0; host && i < length; i++)
        host[i] = value;
    if (device && host) model->backend->to_device(model->device, device, host, bytes);
    if (model->backend->sync(model->device) != STATUS_OK) random->status = STATUS_DEVICE;
    free(host);
    return device;
}

static const float *ones(struct random *random, bool wanted, int32_t length) {
    return constants(random, wanted, (size_t)length, 1.0f);
}

static const float *zeros(struct random *random, bool wanted, int32_t length) {
    return constants(random, wanted, (size_t)length, 0.0f);
}

static struct expert_weights experts(struct random *random, const struct ffn_spec *spec,
                                     int32_t rows, int32_t columns) {
    struct model *model = random->model;
    const int32_t count = spec->experts;
    ASSERT(count > 0 && count <= EXPERTS_MAX);
    const struct weight one = {NULL, type_of(random, columns, true), rows, columns};
    const size_t apart = model_stacked_bytes(model, &one, count);
    struct expert_weights made = {.type = one.type, .rows = rows, .columns = columns};
    const void *each[EXPERTS_MAX];
    struct weight weight = one;
    weight.rows = rows * count;
    if (apart) place(random, &weight);
    for (int32_t e = 0; e < count; e++) {
        if (!apart) weight = one;
        if (!apart) place(random, &weight);
        each[e] = weight.data ? (const char *)weight.data + (size_t)e * apart : NULL;
    }
    made.bias = constants(random, spec->expert_bias, (size_t)count * (size_t)rows, 0.0f);
    random->device_bytes += (size_t)count * sizeof each[0];
    if (random->counts || random->status != STATUS_OK) return made;
    made.data = model_pointers(model, each, count);
    if (!made.data) random->status = STATUS_NO_MEMORY;
    return made;
}

static void fill_experts(struct random *random, const struct ffn_spec *spec, struct layer *layer) {
    const int32_t dim = random->model->config.dim, width = spec->expert_width;
    const bool beside = spec->kind == FFN_DENSE_AND_EXPERTS;
    layer->router = (struct weight){NULL, DTYPE_F32, spec->experts, dim};
    place(random, &layer->router);
    layer->router_bias = zeros(random, spec->expert_bias, spec->experts);
    layer->expert_gains =
        constants(random, spec->share_scale != 1, (size_t)spec->experts, spec->share_scale);
    layer->expert_gate = experts(random, spec, width, dim);
    layer->expert_up = experts(random, spec, width, dim);
    layer->expert_down = experts(random, spec, dim, width);
    layer->router_norm = ones(random, beside, dim);
    layer->expert_norm = ones(random, beside, dim);
    layer->dense_post_norm = ones(random, beside, dim);
    layer->expert_post_norm = ones(random, beside, dim);
}

static void fill_attention(struct random *random, const struct attention_spec *spec, bool convolves,
                           struct layer *layer) {
    const int32_t dim = random->model->config.dim, size = spec->head_size;
    const int32_t q_rows = spec->heads * size;
    const int32_t kv_rows = convolves ? q_rows : spec->kv_heads * size;
    const bool each_head = spec->qk_norm == QK_NORM_HEAD;
    ASSERT(spec->qk_norm != QK_NORM_ROW);
    layer->conv = ones(random, convolves, dim * spec->window);
    layer->q_norm = ones(random, each_head, size);
    layer->k_norm = ones(random, each_head, size);
    layer->q_bias = zeros(random, spec->qkv_bias, q_rows);
    layer->k_bias = zeros(random, spec->qkv_bias, kv_rows);
    layer->v_bias = zeros(random, spec->qkv_bias, kv_rows);
    layer->o_bias = zeros(random, spec->output_bias, dim);
    layer->sinks = zeros(random, spec->sinks, spec->heads);
    layer->q = matrix(random, q_rows, dim);
    layer->k = matrix(random, kv_rows, dim);
    if (!spec->value_optional) layer->v = matrix(random, kv_rows, dim);
    layer->o = matrix(random, dim, q_rows);
}

static void fill_recurrence(struct random *random, const struct recurrence_spec *spec,
                            struct layer *layer) {
    const int32_t dim = random->model->config.dim, heads = spec->value_heads;
    const int32_t values = heads * spec->value_size, channels = recurrence_spec_channels(spec);
    ASSERT(spec->rule == RECURRENCE_SSD);
    layer->z = matrix(random, values, dim);
    layer->qkv = matrix(random, channels, dim);
    layer->alpha = matrix(random, heads, dim);
    layer->conv = ones(random, true, (spec->width + 1) * channels); // and a bias
    layer->decay = constants(random, true, (size_t)heads, -1);
    layer->decay_bias = zeros(random, true, heads);
    layer->skip = ones(random, true, heads);
    layer->o_norm = ones(random, true, values);
    layer->o = matrix(random, dim, values);
}

static void fill_layer(struct random *random, int32_t index) {
    const struct layer_spec *spec = &random->model->config.specs[index];
    const int32_t dim = random->model->config.dim;
    struct layer *layer = &random->model->layers[index];
    layer->output_scale = 1;
    layer->attn_norm = ones(random, true, dim);
    layer->ffn_norm = ones(random, true, dim);
    layer->attn_post_norm = ones(random, spec->post_norm, dim);
    layer->ffn_post_norm = ones(random, spec->post_norm, dim);
    if (spec->mixer == MIXER_RECURRENCE)
        fill_recurrence(random, &spec->recurrence, layer);
    else
        fill_attention(random, &spec->attention, spec->mixer == MIXER_SHORT_CONV, layer);
    if (spec->ffn.kind != FFN_DENSE) fill_experts(random, &spec->ffn, layer);
    if (spec->ffn.kind == FFN_EXPERTS) return;
    if (!spec->ffn.ungated) layer->gate = matrix(random, spec->ffn.width, dim);
    layer->up = matrix(random, spec->ffn.width, dim);
    layer->down = matrix(random, dim, spec->ffn.width);
}

static void fill_model(struct random *random, bool tied) {
    struct model *model = random->model;
    const struct model_config *config = &model->config;
    ASSERT(!config->per_layer_embedding);
    random->has_experts = model_config_maxima(config).experts > 0;
    model->embedding = matrix(random, config->vocabulary, config->dim);
    model->output = tied ? model->embedding : matrix(random, config->vocabulary, config->dim);
    model->output_norm = ones(random, true, config->dim);
    model->ones = ones(random, config->specs[0].attention.value_norm, MODEL_MAX_HEAD_SIZE);
    for (int32_t i = 0; i < config->layers && random->status == STATUS_OK; i++)
        fill_layer(random, i);
    if (!random->counts && random->status == STATUS_OK)
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
                         const struct backend *backend, struct device *device, struct error *err) {
    struct model made = {.backend = backend, .device = device};
    TRY(begin(&made, shape, type, err));
    *model = made;
    struct random random = {.model = model, .type = type};
    fill_model(&random, shape->tied);
    if (random.status == STATUS_OK) return STATUS_OK;
    model_close(model);
    return error_set(err, random.status, "shape %s in %s: %s", shape->name, dtype_name(type),
                     status_text(random.status));
}

enum status model_random_bytes(const struct shape *shape, enum dtype type,
                               const struct backend *backend, size_t *bytes, struct error *err) {
    struct model model = {.backend = backend};
    TRY(begin(&model, shape, type, err));
    struct random random = {.model = &model, .type = type, .counts = true};
    fill_model(&random, shape->tied);
    model_close(&model);
    *bytes = random.device_bytes;
    return STATUS_OK;
}
