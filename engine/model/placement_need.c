// engine/model/placement_need.c — each tensor's bytes go to a part of its layer, or to what stays.
//
// A part is a layer's experts or its dense feed-forward: placement_kind_of() tells by the name.
// Embeddings are counted together. All other tensors stay on the card. Each count of bytes comes
// with how many of them a token reads.
#include "engine/model/placement_need.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/cost.h"

static const char KEYS_AND_VALUES[] = "attn_kv_b.weight";

_Static_assert((int)PLACEMENT_LAYERS_MAX >= (int)MODEL_MAX_LAYERS, "a place for each layer");

// How often a token passes the layer's weights.
static size_t visits_of(const struct model_config *config, int32_t layer) {
    size_t visits = 1;
    for (int32_t i = layer + 1; i < config->layers; i++)
        visits += config->specs[i].revisits > 0 && i - config->specs[i].revisits == layer;
    return visits;
}

// Of a tensor's bytes, those that a token reads.
static size_t read_of(const struct model_config *config, int32_t layer, const char *name,
                      size_t bytes) {
    enum placement_kind kind;
    if (layer < 0)
        return strcmp(name, "token_embd.weight") != 0 &&
                       strcmp(name, "per_layer_token_embd.weight") != 0
                   ? bytes
                   : 0;
    const struct ffn_spec *ffn = &config->specs[layer].ffn;
    const bool expert = placement_kind_of(name, strlen(name), &kind) && kind == PLACEMENT_EXPERTS;
    if (expert && ffn->experts > 0)
        bytes = (size_t)((double)bytes * ffn->experts_used / ffn->experts);
    return bytes * visits_of(config, layer);
}

static void add(struct placement_need *need, const struct model_config *config, int32_t layer,
                const char *name, const struct placement_part *bytes) {
    enum placement_kind kind;
    ASSERT(layer < config->layers);
    struct placement_part *part = &need->fixed;
    if (layer >= 0 && placement_kind_of(name, strlen(name), &kind))
        part = &need->parts[kind][layer];
    if (part != &need->fixed && kind == PLACEMENT_EXPERTS)
        part->experts = config->specs[layer].ffn.experts;
    part->card_bytes += bytes->card_bytes;
    part->host_bytes += bytes->host_bytes;
    part->token_bytes += read_of(config, layer, name, bytes->host_bytes);
}

void placement_need_matrix(struct placement_need *need, const struct model_config *config,
                           int32_t layer, const char *name, const struct weight *weight,
                           const struct backend *backend) {
    const size_t bytes = weight_bytes(weight);
    const size_t on_card = backend->weight_bytes ? backend->weight_bytes(weight) : bytes;
    enum placement_kind kind;
    if (weight->pinned) {
        need->embedding_bytes += on_card;
        return;
    }
    if (placement_kind_of(name, strlen(name), &kind)) {
        need->types[kind] = weight->type;
        if (kind == PLACEMENT_DENSE && on_card > need->matrix_bytes) need->matrix_bytes = on_card;
    }
    add(need, config, layer, name, &(struct placement_part){on_card, bytes, 0, 0});
}

void placement_need_vector(struct placement_need *need, const struct model_config *config,
                           int32_t layer, const char *name, size_t bytes) {
    add(need, config, layer, name, &(struct placement_part){bytes, bytes, 0, 0});
}

// The first layer with the tensors of this block, and the name behind "blk.N."; -1: none.
static int32_t layer_of(const struct model_config *config, const char **name) {
    int32_t block = 0, length = 0;
    if (sscanf(*name, "blk.%9" SCNd32 ".%n", &block, &length) != 1 || length == 0) return -1;
    for (int32_t i = 0; i < config->layers; i++)
        if (config->specs[i].block == block && config->specs[i].revisits == 0) {
            *name += length;
            return i;
        }
    return -1;
}

static bool is_ignored(const struct model_config *config, const char *name) {
    int32_t block = 0;
    return config->draft_layers > 0 && sscanf(name, "blk.%9" SCNd32 ".", &block) == 1 &&
           block >= model_config_blocks(config) + (config->mtp_layers > 0);
}

// Those of a layer's experts are one matrix in a file.
static bool is_bias(const char *name) {
    static const char END[] = ".bias";
    const size_t length = strlen(name), end = sizeof END - 1;
    return length >= end && strcmp(name + length - end, END) == 0;
}

static bool has_both(const struct model_config *config, int32_t layer, const char *name,
                     const struct gguf_tensor *tensor) {
    return layer >= 0 && strcmp(name, KEYS_AND_VALUES) == 0 &&
           config->specs[layer].attention.latent.kv_rank == tensor->shape[0];
}

// Older files have one matrix for keys and values of all heads of a latent attention. A model keeps
// the keys' part of a head the other way round, as activations (latent_attention.c).
static void add_heads(struct placement_need *need, const struct model_config *config,
                      const struct backend *backend, int32_t layer, enum dtype type) {
    const struct attention_spec *spec = &config->specs[layer].attention;
    const struct latent_spec *latent = &spec->latent;
    const struct weight keys = {
        .type = backend->activation, .rows = latent->kv_rank, .columns = latent->plain_size};
    const struct weight values = {
        .type = type, .rows = latent->value_size, .columns = latent->kv_rank};
    for (int32_t h = 0; h < spec->heads; h++) {
        placement_need_matrix(need, config, layer, KEYS_AND_VALUES, &keys, backend);
        placement_need_matrix(need, config, layer, KEYS_AND_VALUES, &values, backend);
    }
}

static void add_tensor(struct placement_need *need, const struct model_config *config,
                       const struct backend *backend, const struct gguf_tensor *tensor, bool tied) {
    char whole[GGUF_MAX_NAME_BYTES + 1];
    const int64_t rows = tensor->shape[1] * tensor->shape[2] * tensor->shape[3];
    snprintf(whole, sizeof whole, "%.*s", (int)tensor->name.length, tensor->name.bytes);
    if (is_ignored(config, whole)) return;
    const char *name = whole;
    const int32_t layer = layer_of(config, &name);
    if (tensor->known && has_both(config, layer, name, tensor)) {
        add_heads(need, config, backend, layer, tensor->type);
    } else if (tensor->known && tensor->shape[1] > 1 && rows <= INT32_MAX && !is_bias(name) &&
               tensor->shape[0] <= MODEL_MAX_DIM) {
        const struct weight weight = {.type = tensor->type,
                                      .rows = (int32_t)rows,
                                      .columns = (int32_t)tensor->shape[0],
                                      .pinned = placement_is_embedding(whole, tied)};
        placement_need_matrix(need, config, layer, name, &weight, backend);
    } else {
        placement_need_vector(need, config, layer, name, tensor->bytes);
    }
}

void placement_need_file(const struct gguf *gguf, const struct model_config *config,
                         const struct backend *backend, struct placement_need *need) {
    *need = (struct placement_need){.layers = config->layers};
    const bool tied = !gguf_find_tensor(gguf, "output.weight");
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++)
        add_tensor(need, config, backend, gguf_tensor_at(gguf, i), tied);
    if (!tied) return;
    const struct gguf_tensor *embedding = gguf_find_tensor(gguf, "token_embd.weight");
    if (embedding) need->fixed.token_bytes += embedding->bytes; // the output is the same matrix
}
