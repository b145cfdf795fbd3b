#include "engine/model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/assert.h"
#include "engine/base/size.h"
#include "engine/model/rope.h"
#include "engine/model/shape.h"

struct allocation {
    struct allocation *next;
    void *memory;
    size_t bytes;
};

// Device memory that lives as long as the model. NULL when there is none.
static void *take(struct model *model, size_t bytes) {
    struct allocation *allocation = malloc(sizeof *allocation);
    if (!allocation) return NULL;
    *allocation = (struct allocation){.next = model->allocations, .bytes = bytes};
    if (model->backend->alloc(model->device, bytes, &allocation->memory) != STATUS_OK) {
        free(allocation);
        return NULL;
    }
    model->allocations = allocation;
    return allocation->memory;
}

// One opening of a file: the first failure is kept, so that the list of tensors reads as a list.
struct loader {
    struct model *model;
    const struct gguf *gguf;
    size_t used; // tensors that found their place
    size_t bytes_of_type[DTYPE_COUNT];
    enum status status;
    struct error *err;
    model_progress *progress;
    void *user;
};

static void refuse(struct loader *loader, enum status status, const char *name, const char *what) {
    if (loader->status != STATUS_OK) return;
    loader->status =
        error_set(loader->err, status, "%s: tensor %s: %s", gguf_path(loader->gguf), name, what);
}

static const struct gguf_tensor *find(struct loader *loader, const char *name, bool optional) {
    const struct gguf_tensor *tensor = gguf_find_tensor(loader->gguf, name);
    if (!tensor) {
        if (!optional) refuse(loader, STATUS_BAD_FILE, name, "is missing");
        return NULL;
    }
    loader->used++;
    if (!tensor->known) {
        char what[96];
        snprintf(what, sizeof what, "has type %s, which quire does not compute with yet",
                 gguf_type_name(tensor->file_type));
        refuse(loader, STATUS_UNSUPPORTED, name, what);
        return NULL;
    }
    return tensor;
}

// rows 0: a vector of `columns`; rows -1: any number of rows.
static bool has_shape(struct loader *loader, const char *name, const struct gguf_tensor *tensor,
                      int32_t rows, int32_t columns) {
    const bool fits = tensor->shape[0] == columns && tensor->shape[2] == 1 &&
                      tensor->shape[3] == 1 &&
                      (rows < 0 ? tensor->shape[1] <= FAMILY_MAX_VOCABULARY
                                : tensor->shape[1] == (rows ? rows : 1));
    if (fits) return true;
    char what[128];
    snprintf(what, sizeof what,
             "expected [%" PRId32 ", %" PRId32 "], found [%" PRId64 ", %" PRId64 "]", rows, columns,
             tensor->shape[1], tensor->shape[0]);
    refuse(loader, STATUS_BAD_FILE, name, what);
    return false;
}

static struct weight matrix(struct loader *loader, const char *name, int32_t rows, int32_t columns,
                            bool optional) {
    struct weight weight = {0};
    const struct gguf_tensor *tensor = find(loader, name, optional);
    if (!tensor || !has_shape(loader, name, tensor, rows, columns)) return weight;
    if (columns % dtype_block_elements(tensor->type)) {
        refuse(loader, STATUS_BAD_FILE, name, "its rows are not whole blocks of its type");
        return weight;
    }
    struct model *model = loader->model;
    weight = (struct weight){tensor->data, tensor->type, (int32_t)tensor->shape[1], columns};
    if (model->backend->weights(model->device, &weight, &weight.data) != STATUS_OK) {
        refuse(loader, STATUS_NO_MEMORY, name, "does not fit the device's memory");
        return weight;
    }
    model->weight_bytes += tensor->bytes;
    model->parameters += tensor->shape[0] * tensor->shape[1];
    loader->bytes_of_type[tensor->type] += tensor->bytes;
    return weight;
}

// Vectors are small and every kernel wants them in fp32: other types are converted once.
static const float *vector(struct loader *loader, const char *name, int32_t length, bool optional) {
    const struct gguf_tensor *tensor = find(loader, name, optional);
    if (!tensor || !has_shape(loader, name, tensor, 0, length)) return NULL;
    if (length % dtype_block_elements(tensor->type)) {
        refuse(loader, STATUS_BAD_FILE, name, "is not whole blocks of its type");
        return NULL;
    }
    struct model *model = loader->model;
    const size_t bytes = (size_t)length * sizeof(float);
    float *device = take(model, bytes), *host = malloc(bytes);
    if (device && host) {
        dtype_to_float(tensor->type, tensor->data, host, (size_t)length);
        model->backend->to_device(model->device, device, host, bytes);
        model->weight_bytes += bytes;
        model->parameters += length;
        if (model->backend->sync(model->device) != STATUS_OK)
            refuse(loader, STATUS_DEVICE, name, "could not be copied to the device");
    } else {
        refuse(loader, STATUS_NO_MEMORY, name, "not enough memory");
    }
    free(host);
    return device;
}

// "blk.7.attn_q.weight"
static const char *layer_name(int32_t layer, const char *part, char name[64]) {
    snprintf(name, 64, "blk.%" PRId32 ".%s", layer, part);
    return name;
}

static void load_layer(struct loader *loader, int32_t index) {
    const struct model_config *config = &loader->model->config;
    const struct family *family = config->family;
    const int32_t dim = config->dim, ffn = config->ffn;
    const int32_t q_rows = config->heads * config->head_size;
    const int32_t kv_rows = config->kv_heads * config->head_size;
    char name[64];
#define MATRIX(part, rows, columns) \
    matrix(loader, layer_name(index, part ".weight", name), rows, columns, false)
#define VECTOR(has, part, length) \
    ((has) ? vector(loader, layer_name(index, part, name), length, false) : NULL)
    loader->model->layers[index] = (struct layer){
        .attn_norm = VECTOR(true, "attn_norm.weight", dim),
        .q = MATRIX("attn_q", q_rows, dim),
        .k = MATRIX("attn_k", kv_rows, dim),
        .v = MATRIX("attn_v", kv_rows, dim),
        .q_bias = VECTOR(family->qkv_bias, "attn_q.bias", q_rows),
        .k_bias = VECTOR(family->qkv_bias, "attn_k.bias", kv_rows),
        .v_bias = VECTOR(family->qkv_bias, "attn_v.bias", kv_rows),
        .q_norm = VECTOR(family->qk_norm, "attn_q_norm.weight", config->head_size),
        .k_norm = VECTOR(family->qk_norm, "attn_k_norm.weight", config->head_size),
        .o = MATRIX("attn_output", dim, q_rows),
        .ffn_norm = VECTOR(true, "ffn_norm.weight", dim),
        .gate = MATRIX("ffn_gate", ffn, dim),
        .up = MATRIX("ffn_up", ffn, dim),
        .down = MATRIX("ffn_down", dim, ffn),
    };
#undef MATRIX
#undef VECTOR
}

static enum status set_inv_freq(struct model *model, const float *factors) {
    const int32_t pairs = model->config.rope.dimensions / 2;
    float host[FAMILY_MAX_HEAD_SIZE / 2];
    ASSERT(pairs <= FAMILY_MAX_HEAD_SIZE / 2);
    rope_inv_freq(&model->config.rope, factors, host);
    float *device = take(model, (size_t)pairs * sizeof host[0]);
    if (!device) return STATUS_NO_MEMORY;
    model->backend->to_device(model->device, device, host, (size_t)pairs * sizeof host[0]);
    model->inv_freq = device;
    return model->backend->sync(model->device);
}

// Llama 3's own divisors, one a pair, in the file as a vector.
static void load_rope(struct loader *loader) {
    const int32_t pairs = loader->model->config.rope.dimensions / 2;
    const struct gguf_tensor *tensor = find(loader, "rope_freqs.weight", true);
    float factors[FAMILY_MAX_HEAD_SIZE / 2];
    if (tensor) {
        if (!has_shape(loader, "rope_freqs.weight", tensor, 0, pairs)) return;
        if (tensor->type != DTYPE_F32) {
            refuse(loader, STATUS_UNSUPPORTED, "rope_freqs.weight", "is not of type F32");
            return;
        }
        memcpy(factors, tensor->data, (size_t)pairs * sizeof factors[0]);
    }
    for (int32_t i = 0; tensor && i < pairs; i++)
        if (!(factors[i] > 0.0f))
            refuse(loader, STATUS_BAD_FILE, "rope_freqs.weight", "is not positive");
    if (loader->status == STATUS_OK && set_inv_freq(loader->model, tensor ? factors : NULL))
        refuse(loader, STATUS_NO_MEMORY, "rope_freqs.weight", "not enough memory");
}

// A tensor without a place would change the answers if it were ignored.
static void refuse_strangers(struct loader *loader) {
    const struct model *model = loader->model;
    if (loader->status != STATUS_OK || loader->used == gguf_tensor_count(loader->gguf)) return;
    loader->status = error_set(loader->err, STATUS_UNSUPPORTED,
                               "%s: has %zu tensors, but family %s with %" PRId32
                               " layers has a place for only %zu of them",
                               gguf_path(loader->gguf), gguf_tensor_count(loader->gguf),
                               model->config.family->name, model->config.layers, loader->used);
}

static void find_main_type(struct loader *loader) {
    for (int type = 0; type < DTYPE_COUNT; type++)
        if (loader->bytes_of_type[type] > loader->bytes_of_type[loader->model->main_type])
            loader->model->main_type = (enum dtype)type;
}

static void load_tensors(struct loader *loader) {
    struct model *model = loader->model;
    const struct model_config *config = &model->config;
    model->embedding = matrix(loader, "token_embd.weight", -1, config->dim, false);
    model->config.vocabulary = model->embedding.rows;
    load_rope(loader);
    for (int32_t i = 0; i < config->layers && loader->status == STATUS_OK; i++) {
        load_layer(loader, i);
        if (loader->progress) loader->progress(loader->user, (i + 1.0) / config->layers);
    }
    model->output_norm = vector(loader, "output_norm.weight", config->dim, false);
    model->output = matrix(loader, "output.weight", config->vocabulary, config->dim, true);
    if (!model->output.data) model->output = model->embedding; // tied
    refuse_strangers(loader);
    find_main_type(loader);
}

enum status model_open(struct model *model, const struct gguf *gguf, const struct backend *backend,
                       struct device *device, model_progress *progress, void *user,
                       struct error *err) {
    struct model_config config;
    TRY(model_config_read(gguf, &config, err));
    *model = (struct model){.config = config, .backend = backend, .device = device};
    model->layers = calloc((size_t)config.layers, sizeof model->layers[0]);
    if (!model->layers)
        return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", gguf_path(gguf));
    struct loader loader = {
        .model = model, .gguf = gguf, .err = err, .progress = progress, .user = user};
    load_tensors(&loader);
    if (loader.status != STATUS_OK) model_close(model);
    return loader.status;
}

// Random weights: one chunk is filled, and repeated over the memory that a matrix is made from.
struct dice {
    struct model *model;
    enum dtype type;
    char *chunk;
    size_t chunk_bytes; // whole rows of every matrix are multiples of the type's block
    char *matrix;       // as large as the largest yet
    size_t matrix_bytes;
    enum status status;
};

enum { RANDOM_CHUNK_BLOCKS = 1 << 17 };

static bool has_random(struct dice *dice, size_t bytes) {
    if (dice->status != STATUS_OK) return false;
    if (bytes <= dice->matrix_bytes) return true;
    free(dice->matrix);
    dice->matrix_bytes = bytes;
    dice->matrix = malloc(bytes);
    if (!dice->matrix) dice->status = STATUS_NO_MEMORY;
    for (size_t at = 0; dice->matrix && at < bytes; at += dice->chunk_bytes)
        memcpy(dice->matrix + at, dice->chunk,
               bytes - at < dice->chunk_bytes ? bytes - at : dice->chunk_bytes);
    return dice->matrix != NULL;
}

static struct weight random_matrix(struct dice *dice, int32_t rows, int32_t columns) {
    struct model *model = dice->model;
    const size_t bytes = (size_t)rows * dtype_row_bytes(dice->type, columns);
    struct weight weight = {NULL, dice->type, rows, columns};
    if (!has_random(dice, bytes)) return weight;
    weight.data = dice->matrix;
    dice->status = model->backend->weights(model->device, &weight, &weight.data);
    if (dice->status == STATUS_OK && weight.data == dice->matrix) { // not a copy, as on a card
        void *copy = take(model, bytes);
        if (copy) model->backend->to_device(model->device, copy, dice->matrix, bytes);
        if (!copy) dice->status = STATUS_NO_MEMORY;
        weight.data = copy;
    }
    model->weight_bytes += bytes;
    model->parameters += (int64_t)rows * columns;
    return weight;
}

static const float *constant_vector(struct dice *dice, bool wanted, int32_t length, float value) {
    if (!wanted) return NULL;
    struct model *model = dice->model;
    const size_t bytes = (size_t)length * sizeof(float);
    float *device = take(model, bytes), *host = malloc(bytes);
    if (!device || !host) dice->status = STATUS_NO_MEMORY;
    for (int32_t i = 0; host && i < length; i++)
        host[i] = value;
    if (device && host) model->backend->to_device(model->device, device, host, bytes);
    if (model->backend->sync(model->device) != STATUS_OK) dice->status = STATUS_DEVICE;
    free(host);
    model->weight_bytes += bytes;
    return device;
}

static struct layer random_layer(struct dice *dice) {
    const struct model_config *config = &dice->model->config;
    const int32_t q_rows = config->heads * config->head_size;
    const int32_t kv_rows = config->kv_heads * config->head_size;
    return (struct layer){
        .attn_norm = constant_vector(dice, true, config->dim, 1.0f),
        .ffn_norm = constant_vector(dice, true, config->dim, 1.0f),
        .q_norm = constant_vector(dice, config->family->qk_norm, config->head_size, 1.0f),
        .k_norm = constant_vector(dice, config->family->qk_norm, config->head_size, 1.0f),
        .q_bias = constant_vector(dice, config->family->qkv_bias, q_rows, 0.0f),
        .k_bias = constant_vector(dice, config->family->qkv_bias, kv_rows, 0.0f),
        .v_bias = constant_vector(dice, config->family->qkv_bias, kv_rows, 0.0f),
        .q = random_matrix(dice, q_rows, config->dim),
        .k = random_matrix(dice, kv_rows, config->dim),
        .v = random_matrix(dice, kv_rows, config->dim),
        .o = random_matrix(dice, config->dim, q_rows),
        .gate = random_matrix(dice, config->ffn, config->dim),
        .up = random_matrix(dice, config->ffn, config->dim),
        .down = random_matrix(dice, config->dim, config->ffn),
    };
}

enum status model_random(struct model *model, const char *name, enum dtype type,
                         const struct backend *backend, struct device *device, struct error *err) {
    const struct shape *shape = shape_find(name);
    if (!shape)
        return error_set(err, STATUS_NOT_FOUND, "no shape \"%s\"; there are %s", name,
                         shape_names());
    *model = (struct model){
        .config = shape->config, .main_type = type, .backend = backend, .device = device};
    model->config.family = family_find(shape->family, strlen(shape->family));
    ASSERT(model->config.family);
    struct dice dice = {.model = model, .type = type};
    dice.chunk_bytes = RANDOM_CHUNK_BLOCKS * (size_t)dtype_block_bytes(type);
    dice.chunk = malloc(dice.chunk_bytes);
    model->layers = calloc((size_t)model->config.layers, sizeof model->layers[0]);
    if (!dice.chunk || !model->layers) dice.status = STATUS_NO_MEMORY;
    if (dice.status == STATUS_OK) {
        dtype_fill_random(type, dice.chunk,
                          RANDOM_CHUNK_BLOCKS * (size_t)dtype_block_elements(type), 0.02f, 1);
        model->embedding = random_matrix(&dice, model->config.vocabulary, model->config.dim);
        model->output = shape->tied
                            ? model->embedding
                            : random_matrix(&dice, model->config.vocabulary, model->config.dim);
        model->output_norm = constant_vector(&dice, true, model->config.dim, 1.0f);
        for (int32_t i = 0; i < model->config.layers && dice.status == STATUS_OK; i++)
            model->layers[i] = random_layer(&dice);
        if (dice.status == STATUS_OK) dice.status = set_inv_freq(model, NULL);
    }
    free(dice.chunk);
    free(dice.matrix);
    if (dice.status == STATUS_OK) return STATUS_OK;
    model_close(model);
    return error_set(err, dice.status, "shape %s in %s: %s", name, dtype_name(type),
                     status_text(dice.status));
}

void model_close(struct model *model) {
    while (model->allocations) {
        struct allocation *allocation = model->allocations;
        model->allocations = allocation->next;
        model->backend->release(model->device, allocation->memory, allocation->bytes);
        free(allocation);
    }
    free(model->layers);
    *model = (struct model){0};
}

size_t model_decode_bytes(const struct model *model) {
    const struct weight *embedding = &model->embedding;
    const bool tied = model->output.data == embedding->data;
    const size_t unread =
        tied ? 0 : (size_t)embedding->rows * dtype_row_bytes(embedding->type, embedding->columns);
    return model->weight_bytes - unread;
}
