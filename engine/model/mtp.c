// engine/model/mtp.c — how the block that predicts further tokens is put together.
//
//   residual = eh_proj [ enorm(embedding(t)) | hnorm(h of the token before) ]
//   then attention and feed-forward, as in the trunk's last layer that attends
//
// The hidden state of the token before comes from the op of short convolutions: u = k * v with k
// the hidden states and v ones is written to the cache, and weights (1, 0) read the row before.
// Before the sequence's first token that is a row of zeros, as it is elsewhere.
//
// After a step of the trunk only the block's keys and values are wanted, so its feed-forward is
// left out. Sources: GGUF files' names, and llama.cpp's order of the two halves.
#include "engine/model/mtp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "kernels/base/assert.h"

enum { WIDTH = 2 }; // of the convolution

static bool has_tensor(const struct gguf *gguf, int32_t block, const char *part) {
    char name[LOADER_NAME_BYTES];
    snprintf(name, sizeof name, "blk.%" PRId32 ".%s", block, part);
    return gguf_find_tensor(gguf, name) != NULL;
}

void mtp_read(const struct gguf *gguf, struct model_config *config) {
    const int32_t layers = config->layers, block = model_config_blocks(config);
    int32_t attends = layers - 1;
    while (attends >= 0 && config->specs[attends].mixer != MIXER_ATTENTION)
        attends--;
    if (config->draft_layers == 0 || attends < 0 || config->dim % 2 ||
        layers > MODEL_MAX_LAYERS - MTP_LAYERS ||
        !has_tensor(gguf, block, "nextn.eh_proj.weight") ||
        !has_tensor(gguf, block, "attn_norm.weight"))
        return;
    struct layer_spec *hidden = &config->specs[layers], *spec = &config->specs[layers + 1];
    *hidden = (struct layer_spec){.block = block,
                                  .mixer = MIXER_SHORT_CONV,
                                  .attention = short_conv_place(config->dim, WIDTH, layers),
                                  .ffn.kind = FFN_NONE,
                                  .no_pre_norm = true,
                                  .residual_scale = 1};
    *spec = config->specs[attends];
    spec->block = block;
    spec->revisits = 0;
    spec->attention.kv_source = layers + 1;
    config->mtp_layers = MTP_LAYERS;
}

static bool is_absent(const struct model_config *config) { return config->mtp_layers == 0; }

static int32_t block_of(const struct model_config *config) { return config->layers + 1; }

void mtp_load(struct loader *loader) {
    struct model *model = loader->model;
    const struct model_config *config = &model->config;
    struct mtp *mtp = &model->mtp;
    const int32_t dim = config->dim, vocabulary = config->vocabulary;
    if (is_absent(config) || loader->status != STATUS_OK) return;
    loader_load_layer(loader, block_of(config));
    loader->layer = block_of(config);
    mtp->eh_proj = loader_matrix(loader, "nextn.eh_proj.weight", dim, 2 * dim, TENSOR_REQUIRED);
    mtp->enorm = loader_vector(loader, "nextn.enorm.weight", dim, TENSOR_REQUIRED);
    mtp->hnorm = loader_vector(loader, "nextn.hnorm.weight", dim, TENSOR_REQUIRED);
    mtp->norm = loader_vector(loader, "nextn.shared_head_norm.weight", dim, TENSOR_OPTIONAL);
    mtp->embedding =
        loader_matrix(loader, "nextn.embed_tokens.weight", vocabulary, dim, TENSOR_OPTIONAL);
    mtp->output =
        loader_matrix(loader, "nextn.shared_head_head.weight", vocabulary, dim, TENSOR_OPTIONAL);
    float *shift = calloc((size_t)WIDTH * (size_t)dim, sizeof *shift);
    for (int32_t i = 0; i < dim && shift; i++)
        shift[i] = 1; // of the token before; its own row has 0
    if (shift)
        mtp->shift = loader_to_device(loader, "shift", shift, (size_t)WIDTH * (size_t)dim);
    else
        loader_refuse(loader, STATUS_NO_MEMORY, "shift", "not enough memory");
    free(shift);
    loader->layer = -1;
    if (!mtp->norm) mtp->norm = model->output_norm.weight;
    if (!mtp->embedding.data) mtp->embedding = model->embedding;
    if (!mtp->output.data) mtp->output = model->output;
}

struct mtp_rows {
    void *hidden, *before; // [tokens, dim]
    void *joined;          // [tokens, 2, dim]
};

static struct mtp_rows lay_out(struct scratch *scratch, int32_t dim) {
    return (struct mtp_rows){.hidden = scratch_rows(scratch, dim),
                             .before = scratch_rows(scratch, dim),
                             .joined = scratch_rows(scratch, 2 * dim)};
}

void mtp_lay_out(struct scratch *scratch, const struct model_config *config) {
    if (!is_absent(config)) lay_out(scratch, config->dim);
}

// Rows of ones, as activations, by way of a row elsewhere.
static void put_ones(const struct forward *forward, void *ones, void *row) {
    const int32_t dim = forward->model->config.dim;
    forward->backend->narrow(forward->device, &(struct narrow){row, forward->model->ones, 1, dim});
    forward->backend->copy_parts(forward->device, &(struct copy_parts){.y = ones,
                                                                       .x = row,
                                                                       .rows = forward->num_tokens,
                                                                       .columns = 1,
                                                                       .elements = dim,
                                                                       .y_row = (size_t)dim});
}

// Keeps rows of hidden states; rows->before are those of the tokens before.
static void keep(const struct forward *forward, const struct mtp_rows *rows, const void *hidden) {
    const struct model *model = forward->model;
    const void *ones = forward->activations.normed;
    const struct layer *layer = &model->layers[model->config.layers];
    forward->backend->short_conv(forward->device,
                                 &(struct short_conv){
                                     .out = rows->before,
                                     .q = ones,
                                     .k = hidden,
                                     .v = ones,
                                     .weight = model->mtp.shift,
                                     .dim = model->config.dim,
                                     .width = WIDTH,
                                     .layer = layer->place,
                                     .cache = &forward->views[layer->group][layer->view],
                                     .batch = &forward->batches[layer->group],
                                 });
}

// hidden = hnorm(norm(residual))
static void norm_twice(const struct forward *forward, const float *norm, void *hidden) {
    const struct model *model = forward->model;
    const struct activations *a = &forward->activations;
    forward_store_rows(forward, a->branch, a->residual, norm, false);
    forward_norm_rows(forward, hidden, a->branch, (struct norm){.weight = model->mtp.hnorm},
                      model->config.dim);
}

// rows [tokens, 2, dim]: one half of each
static void put_half(const struct forward *forward, void *rows, int32_t nth, const void *x) {
    const int32_t dim = forward->model->config.dim;
    forward->backend->copy_parts(
        forward->device,
        &(struct copy_parts){.y = forward_element(forward, rows, (size_t)nth * (size_t)dim),
                             .x = x,
                             .rows = forward->num_tokens,
                             .columns = 1,
                             .elements = dim,
                             .y_row = 2 * (size_t)dim,
                             .y_column = (size_t)dim,
                             .x_row = (size_t)dim,
                             .x_column = (size_t)dim});
}

// residual = eh_proj of the tokens' embeddings and the hidden states before them
static void join(const struct forward *forward, const struct mtp_rows *rows) {
    const struct mtp *mtp = &forward->model->mtp;
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    forward->backend->embedding(forward->device,
                                &(struct embedding){.y = a->residual,
                                                    .token_ids = forward->on_device.token_ids,
                                                    .table = mtp->embedding,
                                                    .tokens = forward->num_tokens,
                                                    .scale = config->embedding_scale,
                                                    .stride = 1});
    forward_norm_rows(forward, a->normed, a->residual, (struct norm){.weight = mtp->enorm},
                      config->dim);
    put_half(forward, rows->joined, 0, a->normed);
    put_half(forward, rows->joined, 1, rows->before);
    forward_project(forward, rows->joined, &(struct projection){a->residual, mtp->eh_proj, NULL},
                    LINEAR_RESIDUAL, NULL);
}

static struct mtp_rows rows_of(const struct forward *forward) {
    struct scratch scratch = forward->mtp_scratch;
    return lay_out(&scratch, forward->model->config.dim);
}

static void mix(const struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    layer_mixer(&config->specs[block_of(config)])->enqueue(forward, block_of(config));
}

void mtp_follow(const struct forward *forward) {
    if (is_absent(&forward->model->config)) return;
    const struct mtp_rows rows = rows_of(forward);
    put_ones(forward, forward->activations.normed, rows.joined);
    norm_twice(forward, forward->model->output_norm.weight, rows.hidden);
    keep(forward, &rows, rows.hidden);
    join(forward, &rows);
    mix(forward);
}

void mtp_draft(const struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    const struct mtp_rows rows = rows_of(forward);
    ASSERT(!is_absent(config) && forward->num_tokens == forward->num_seqs);
    put_ones(forward, forward->activations.normed, rows.joined);
    keep(forward, &rows, forward->activations.normed); // only to read: it is overwritten below
    join(forward, &rows);
    mix(forward);
    layer_feed_forward(&config->specs[block_of(config)])->enqueue(forward, block_of(config));
    put_ones(forward, forward->activations.normed, rows.joined);
    norm_twice(forward, forward->model->mtp.norm, rows.hidden);
    keep(forward, &rows, rows.hidden);
}
