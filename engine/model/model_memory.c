// engine/model/model_memory.c — what a model takes of a device, gives back and reads.
#include "engine/model/model_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/kv_shape.h"
#include "engine/model/rope.h"
#include "kernels/base/assert.h"
#include "kernels/cost.h"

struct allocation {
    struct allocation *next;
    void *memory;
    size_t bytes;
    bool in_host;
};

static void *alloc_in(struct model *model, size_t bytes, bool in_host) {
    const struct backend *backend = model->backend;
    struct allocation *allocation = malloc(sizeof *allocation);
    if (!allocation) return NULL;
    *allocation =
        (struct allocation){.next = model->allocations, .bytes = bytes, .in_host = in_host};
    if ((in_host ? backend->alloc_host : backend->alloc)(model->device, bytes,
                                                         &allocation->memory) != STATUS_OK) {
        free(allocation);
        return NULL;
    }
    model->allocations = allocation;
    return allocation->memory;
}

void *model_alloc(struct model *model, size_t bytes) { return alloc_in(model, bytes, false); }

const void *model_copy_vector(struct model *model, const void *vector, size_t bytes, bool in_host) {
    ASSERT(bytes > 0);
    void *copy = alloc_in(model, bytes, in_host);
    if (copy && in_host) return memcpy(copy, vector, bytes);
    if (copy) model->backend->to_device(model->device, copy, vector, bytes);
    return copy && model->backend->sync(model->device) == STATUS_OK ? copy : NULL;
}

enum status model_copy(struct model *model, struct weight *weight) {
    const void *const ours = weight->data;
    TRY(model->backend->weights(model->device, weight, &weight->data));
    if (weight->data == ours) {
        const size_t bytes = weight_bytes(weight);
        void *copy = alloc_in(model, bytes, weight->in_host);
        if (!copy) return STATUS_NO_MEMORY;
        if (weight->in_host)
            memcpy(copy, ours, bytes);
        else
            model->backend->to_device(model->device, copy, ours, bytes);
        weight->data = copy;
    }
    return model->backend->sync(model->device);
}

enum status model_copy_floats(struct model *model, float *rows, struct weight *weight) {
    const size_t count = (size_t)weight->rows * (size_t)weight->columns;
    weight->data = rows;
    weight->type = model->backend->activation;
    ASSERT(weight->type == DTYPE_F32 || weight->type == DTYPE_F16);
    for (size_t i = 0; i < count && weight->type == DTYPE_F16; i++) {
        const half rounded = float_to_half(rows[i]); // in place: what is read lies behind
        if (!isfinite(half_to_float(rounded))) return STATUS_UNSUPPORTED;
        memcpy((half *)rows + i, &rounded, sizeof rounded);
    }
    model->weight_bytes += weight_bytes(weight);
    return model_copy(model, weight);
}

size_t model_stacked_bytes(const struct model *model, const struct weight *one, int32_t count) {
    struct weight all = *one;
    if (!model->backend->weight_bytes || one->in_host) return weight_bytes(one);
    all.rows *= count;
    const size_t apart = model->backend->weight_bytes(one);
    return model->backend->weight_bytes(&all) == apart * (size_t)count ? apart : 0;
}

enum status model_set_rotations(struct model *model, const float *factors) {
    enum { ROW = MODEL_MAX_HEAD_SIZE / 2 };
    const struct model_config *config = &model->config;
    const struct kv_shape shape = kv_shape_of(config);
    const int32_t layers = model_config_all_layers(config);
    const size_t bytes = (size_t)layers * ROW * sizeof(float);
    float *host = calloc((size_t)layers, ROW * sizeof(float));
    float *device = host ? model_alloc(model, bytes) : NULL;
    for (int32_t i = 0; i < layers && device; i++) {
        const struct attention_spec *attention = &config->specs[i].attention;
        const struct rope *rope = &attention->rope;
        struct layer *layer = &model->layers[i];
        const bool divided = rope->divisors != DIVISORS_IGNORED;
        ASSERT(rope->dimensions / 2 <= ROW);
        if (!attention->no_rope)
            rope_inv_freq(rope, divided ? factors : NULL, host + (size_t)i * ROW);
        layer->inv_freq = device + (size_t)i * ROW;
        layer->magnitude = attention->no_rope ? 1.0f : rope->attention_factor;
        layer->group = shape.layers[i].group;
        layer->view = shape.layers[i].view;
        layer->place = shape.layers[i].place;
        ASSERT(layer->view >= 0 && layer->view < KV_VIEWS && layer->place >= 0);
    }
    if (device) model->backend->to_device(model->device, device, host, bytes);
    const enum status status = device ? model->backend->sync(model->device) : STATUS_NO_MEMORY;
    free(host);
    return status;
}

void model_close(struct model *model) {
    while (model->allocations) {
        struct allocation *allocation = model->allocations;
        model->allocations = allocation->next;
        (allocation->in_host ? model->backend->release_host : model->backend->release)(
            model->device, allocation->memory, allocation->bytes);
        free(allocation);
    }
    for (int32_t i = 0; model->layers && i < model_config_all_layers(&model->config); i++)
        if (model->config.specs[i].revisits == 0) free(model->layers[i].k_b);
    free(model->layers);
    *model = (struct model){0};
}

// How many of a layer's experts are read if each row chooses as if by lot.
static double experts_read(const struct ffn_spec *spec, int32_t rows) {
    const double spared = 1 - (double)spec->experts_used / spec->experts;
    return spec->experts * (1 - pow(spared, rows));
}

size_t model_step_bytes(const struct model *model, int32_t rows) {
    const struct weight *embedding = &model->embedding, *of_layers = &model->per_layer_embedding;
    const struct model_config *config = &model->config;
    size_t bytes = model->weight_bytes;
    double unread = 0;
    if (model->output.data != embedding->data) bytes -= weight_bytes(embedding);
    if (of_layers->rows > 0) bytes -= weight_bytes(of_layers);
    if (model->mtp.output.data != model->output.data) bytes -= weight_bytes(&model->mtp.output);
    if (model->mtp.embedding.data != embedding->data) bytes -= weight_bytes(&model->mtp.embedding);
    for (int32_t i = 0; i < model_config_all_layers(config); i++) {
        const struct ffn_spec *spec = &config->specs[i].ffn;
        const struct layer *layer = &model->layers[i];
        if (config->specs[i].revisits > 0) bytes += layer->weight_bytes;
        if (spec->experts == 0) continue;
        const bool gated = !spec->ungated; // else the gate is up again
        const size_t expert = (gated ? expert_bytes(&layer->expert_gate) : 0) +
                              expert_bytes(&layer->expert_up) + expert_bytes(&layer->expert_down);
        const bool drafts = i >= config->layers; // then its feed-forward is not in the step
        unread += (spec->experts - experts_read(spec, drafts ? 0 : rows)) * (double)expert;
    }
    return bytes - (size_t)unread;
}

bool model_step_bytes_vary(const struct model *model, int32_t rows) {
    bool vary = false;
    for (int32_t i = 0; i < model->config.layers; i++) {
        const struct ffn_spec *spec = &model->config.specs[i].ffn;
        vary = vary || (rows > 1 && spec->experts > spec->experts_used);
    }
    return vary;
}
