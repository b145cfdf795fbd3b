// engine/model/short_conv.c — gated short convolutions (LFM2, arXiv 2511.23404).
//
// Of each token b, c, v = W_in x, and u = b * v. The result is W_out (c * conv(u)), the convolution
// being over the last few tokens, each channel by itself. It needs the u of the tokens before, and
// of no others: what a window of its width is of keys. So these lie in the cache as the keys and
// values of one head with half of the channels each, and a sequence forks, goes back and comes back
// as with any window.
#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "engine/model/metadata.h"
#include "kernels/base/assert.h"

struct attention_spec short_conv_place(int32_t dim, int32_t width, int32_t layer) {
    ASSERT(dim % 2 == 0 && width > 0);
    return (struct attention_spec){.heads = 2,
                                   .kv_heads = 1,
                                   .head_size = dim / 2,
                                   .window = width,
                                   .kv_source = layer,
                                   .no_rope = true,
                                   .rope.divisors = DIVISORS_IGNORED};
}

// Layers without KV heads are gated short convolutions.
void short_conv_read(struct metadata *metadata, struct model_config *config) {
    static const char width_key[] = "shortconv.l_cache", heads_key[] = "attention.head_count_kv";
    const int32_t width = metadata_int(metadata, width_key, 0, SHORT_CONV_MAX);
    bool attends = false;
    ASSERT(width <= SHORT_CONV_MAX);
    metadata_has(metadata, "attention.recurrent_layers"); // which these are may be said again
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        attends = attends || spec->mixer == MIXER_ATTENTION;
        if (spec->mixer == MIXER_SHORT_CONV && config->dim % 2 == 0)
            spec->attention = short_conv_place(config->dim, width, i);
    }
    if (!attends)
        metadata_fail(metadata, STATUS_UNSUPPORTED, heads_key,
                      "is 0 in all layers, but models without attention are not supported");
    if (config->dim % 2) metadata_unsupported(metadata, "embedding_length", "an even number");
}

struct short_conv_rows {
    void *q, *k, *v, *out; // [tokens, dim], as struct short_conv has them
};

static struct short_conv_rows lay_out(struct scratch *scratch, int32_t dim) {
    return (struct short_conv_rows){
        .q = scratch_rows(scratch, dim),
        .k = scratch_rows(scratch, dim),
        .v = scratch_rows(scratch, dim),
        .out = scratch_rows(scratch, dim),
    };
}

static void measure(struct scratch *scratch, const struct layer_spec *spec) {
    lay_out(scratch, spec->attention.heads * spec->attention.head_size);
}

// residual += W_out short_conv(q, k, v)
static void enqueue(const struct forward *forward, int32_t index) {
    const struct layer *layer = &forward->model->layers[index];
    const int32_t dim = forward->model->config.dim;
    struct scratch scratch = forward->mixer_scratch;
    const struct short_conv_rows rows = lay_out(&scratch, dim);
    forward->backend->linear(
        forward->device,
        &(struct linear){
            .in = forward_input(forward, layer->attn_norm),
            .parts = {{rows.q, layer->q, NULL}, {rows.k, layer->k, NULL}, {rows.v, layer->v, NULL}},
            .count = 3});
    forward->backend->short_conv(forward->device,
                                 &(struct short_conv){
                                     .out = rows.out,
                                     .q = rows.q,
                                     .k = rows.k,
                                     .v = rows.v,
                                     .weight = layer->conv,
                                     .dim = dim,
                                     .width = forward->model->config.specs[index].attention.window,
                                     .layer = layer->place,
                                     .cache = &forward->views[layer->group][layer->view],
                                     .batch = &forward->batches[layer->group],
                                 });
    forward_add_mixed(forward, index, rows.out);
}

static void load(struct loader *loader, const struct layer_spec *spec, struct layer *layer) {
    const int32_t dim = loader->model->config.dim;
    loader_matrices(loader, "shortconv.in_proj.weight", dim,
                    (struct weight *const[]){&layer->k, &layer->q, &layer->v},
                    (const int32_t[]){dim, dim, dim}, 3);
    layer->conv = loader_convolution(loader, "shortconv.conv.weight",
                                     (struct extent){spec->attention.window, dim, 1}, NULL);
    layer->o = loader_matrix(loader, "shortconv.out_proj.weight", dim, dim, TENSOR_REQUIRED);
}

static const struct figure_names figures[] = {{"shortconv.l_cache", {"conv_L_cache"}}, {0}};

const struct layer_part short_conv_part = {load, measure, enqueue, figures, NULL};
