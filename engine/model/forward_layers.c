// engine/model/forward_layers.c — the layers of a forward pass, as formulas.
#include <math.h>

#include "engine/model/forward_state.h"
#include "kernels/base/assert.h"

static void narrow_rows(const struct forward *forward, void *y, const void *x, int32_t dim) {
    forward->backend->narrow(forward->device, &(struct narrow){y, x, forward->num_tokens, dim});
}

// What a layer's products read: rmsnorm(x) * norm, or x where the layer norms afterwards. Products
// norm what they read themselves, but not around the mean.
static struct linear_input input(const struct forward *forward, const float *norm) {
    const struct activations *a = &forward->activations;
    const struct model_config *config = &forward->model->config;
    if (norm && config->centered_norms) {
        forward_norm_rows(forward, a->normed, a->x, norm, config->dim);
        return (struct linear_input){.x = a->normed, .tokens = forward->num_tokens};
    }
    if (norm)
        return (struct linear_input){.x = a->x,
                                     .norm = norm,
                                     .normed = a->normed,
                                     .tokens = forward->num_tokens,
                                     .eps = config->norm_eps};
    narrow_rows(forward, a->normed, a->x, config->dim);
    return (struct linear_input){.x = a->normed, .tokens = forward->num_tokens};
}

// One product of activations, a row each
static void project_rows(const struct forward *forward, const void *rows,
                         const struct projection *to, enum linear_store store) {
    forward->backend->linear(forward->device,
                             &(struct linear){.in = {.x = rows, .tokens = forward->num_tokens},
                                              .parts = {*to},
                                              .count = 1,
                                              .store = store});
}

// The place of `count` rows of `width`, behind those before.
static void *part_of(void *rows, size_t *offset, int32_t count, int32_t width, enum dtype type) {
    void *part = (char *)rows + *offset;
    *offset += (size_t)count * dtype_row_bytes(type, width);
    return part;
}

// y += b (a x) for each part that has such a pair: all a x in one call, since they have one input.
static void add_beside(const struct forward *forward, const void *x, const struct projection *parts,
                       int32_t count, const struct low_rank *const beside[]) {
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens;
    struct linear down = {.in = {.x = x, .tokens = tokens}};
    void *low[LINEAR_PARTS] = {0};
    size_t offset = 0;
    for (int32_t i = 0; i < count; i++) {
        const struct weight *weight = &beside[i]->a;
        if (weight->rows == 0) continue;
        ASSERT(weight->rows <= forward->model->rank && beside[i]->b.rows == parts[i].weight.rows);
        low[i] = part_of(a->low, &offset, tokens, weight->rows, forward->backend->activation);
        down.parts[down.count++] = (struct projection){low[i], *weight, NULL};
    }
    forward->backend->linear(forward->device, &down);
    for (int32_t i = 0; i < count; i++)
        if (low[i] != NULL)
            project_rows(forward, low[i], &(struct projection){parts[i].y, beside[i]->b, NULL},
                         LINEAR_ADD);
}

// Products of one input, and what stands beside each: by way of rows of the residual's type, which
// can be added to, where the results have another.
static void multiply(const struct forward *forward, const struct linear *product,
                     const struct low_rank *const beside[]) {
    const struct activations *a = &forward->activations;
    const struct linear_input *in = &product->in;
    const bool wide = product->store == LINEAR_ACTIVATION && a->wide;
    const int32_t count = product->count;
    struct linear all = *product;
    size_t offset = 0;
    bool any = false;
    for (int32_t i = 0; i < count; i++)
        any = any || beside[i]->a.rows > 0;
    if (!any) {
        forward->backend->linear(forward->device, product);
        return;
    }
    if (in->norm) {
        forward_norm_rows(forward, in->normed, in->x, in->norm, product->parts[0].weight.columns);
        all.in = (struct linear_input){.x = in->normed, .tokens = in->tokens};
    }
    if (wide) all.store = LINEAR_RESIDUAL;
    for (int32_t i = 0; i < count && wide; i++)
        all.parts[i].y = part_of(a->wide, &offset, in->tokens, all.parts[i].weight.rows,
                                 forward->backend->residual);
    forward->backend->linear(forward->device, &all);
    add_beside(forward, all.in.x, all.parts, count, beside);
    for (int32_t i = 0; i < count && wide; i++)
        narrow_rows(forward, product->parts[i].y, all.parts[i].y, all.parts[i].weight.rows);
}

// One of them
static void project_both(const struct forward *forward, const void *rows,
                         const struct projection *to, enum linear_store store,
                         const struct low_rank *beside) {
    multiply(forward,
             &(struct linear){.in = {.x = rows, .tokens = forward->num_tokens},
                              .parts = {*to},
                              .count = 1,
                              .store = store},
             (const struct low_rank *[]){beside});
}

struct addend { // W rows + bias, normed and scaled, and what the stream is multiplied by afterwards
    const void *rows;
    const struct weight *weight;
    const struct low_rank *beside;
    const float *bias, *norm;
    float scale, gain;
};

// x = gain * (x + scale * y), y normed where there is a norm
static void add_branch(const struct forward *forward, const float *y, const struct addend *addend) {
    const struct model_config *config = &forward->model->config;
    const struct add_rows args = {.x = forward->activations.x,
                                  .y = y,
                                  .norm = addend->norm,
                                  .rows = forward->num_tokens,
                                  .dim = config->dim,
                                  .eps = config->norm_eps,
                                  .scale = addend->scale,
                                  .gain = addend->gain};
    forward->backend->add_rows(forward->device, &args);
}

// x = gain * (x + addend), by way of the branch where there is more to it than a product
static void add_product(const struct forward *forward, const struct addend *addend) {
    const bool plain = !addend->bias && !addend->norm && addend->gain == 1 && addend->scale == 1;
    const struct activations *a = &forward->activations;
    ASSERT(plain || a->branch);
    project_both(forward, addend->rows,
                 &(struct projection){plain ? a->x : a->branch, *addend->weight, addend->bias},
                 plain ? LINEAR_ADD : LINEAR_RESIDUAL, addend->beside);
    if (!plain) add_branch(forward, a->branch, addend);
}

void forward_norm_rows(const struct forward *forward, void *y, const void *x, const float *weight,
                       int32_t dim) {
    forward->backend->rmsnorm(forward->device,
                              &(struct rmsnorm){.y = y,
                                                .x = x,
                                                .weight = weight,
                                                .rows = forward->num_tokens,
                                                .dim = dim,
                                                .eps = forward->model->config.norm_eps,
                                                .centered = forward->model->config.centered_norms});
}

// Each head of rows [tokens, kv_heads, head_size] normed by itself
static void norm_heads(const struct forward *forward, const struct attention_spec *spec, void *y,
                       const float *weight) {
    ASSERT(forward->activations.wide_k && weight);
    forward->backend->rmsnorm(forward->device,
                              &(struct rmsnorm){.y = y,
                                                .x = forward->activations.wide_k,
                                                .weight = weight,
                                                .rows = forward->num_tokens * spec->kv_heads,
                                                .dim = spec->head_size,
                                                .eps = forward->model->config.norm_eps});
}

// q, k and v where values are normed. Without a matrix of their own they are the keys, which are
// then normed here as well, each from what is not rounded yet.
static void project_normed(const struct forward *forward, const struct attention_spec *spec,
                           const struct layer *layer, bool shares_kv) {
    const struct activations *a = &forward->activations;
    const struct linear_input in = {.x = a->normed, .tokens = forward->num_tokens};
    const bool own = layer->v.data != NULL;
    forward_norm_rows(forward, a->normed, a->x, layer->attn_norm, forward->model->config.dim);
    multiply(forward,
             &(struct linear){
                 .in = in,
                 .parts = {{a->q, layer->q, layer->q_bias}, {a->k, layer->k, layer->k_bias}},
                 .count = own ? 2 : 1},
             (const struct low_rank *[]){&layer->beside.q, &layer->beside.k});
    if (shares_kv) return;
    const struct projection values = {a->wide_k, own ? layer->v : layer->k,
                                      own ? layer->v_bias : layer->k_bias};
    project_both(forward, a->normed, &values, LINEAR_RESIDUAL,
                 own ? &layer->beside.v : &layer->beside.k);
    norm_heads(forward, spec, a->v, forward->model->ones);
    if (!own) norm_heads(forward, spec, a->k, layer->k_norm);
}

// q, k and v where all heads are normed as one row
static void project_normed_rows(const struct forward *forward, const struct attention_spec *spec,
                                const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const struct linear_input in = input(forward, layer->attn_norm);
    const struct projection v = {a->v, layer->v, layer->v_bias};
    ASSERT(a->wide_q && a->wide_k);
    multiply(forward,
             &(struct linear){.in = in,
                              .parts = {{a->wide_q, layer->q, layer->q_bias},
                                        {a->wide_k, layer->k, layer->k_bias}},
                              .count = 2,
                              .store = LINEAR_RESIDUAL},
             (const struct low_rank *[]){&layer->beside.q, &layer->beside.k});
    multiply(forward, &(struct linear){.in = in, .parts = {v}, .count = 1},
             (const struct low_rank *[]){&layer->beside.v});
    forward_norm_rows(forward, a->q, a->wide_q, layer->q_norm, spec->heads * spec->head_size);
    forward_norm_rows(forward, a->k, a->wide_k, layer->k_norm, spec->kv_heads * spec->head_size);
}

// q, k and v, not normed yet; full = q and the gates beside it
static void project(const struct forward *forward, const struct attention_spec *spec,
                    const struct layer *layer) {
    const struct activations *a = &forward->activations;
    void *q = spec->gated ? a->full : a->q;
    multiply(forward,
             &(struct linear){.in = input(forward, layer->attn_norm),
                              .parts = {{q, layer->q, layer->q_bias},
                                        {a->k, layer->k, layer->k_bias},
                                        {a->v, layer->v, layer->v_bias}},
                              .count = 3},
             (const struct low_rank *[]){&layer->beside.q, &layer->beside.k, &layer->beside.v});
}

// attended = attention(rope(q), rope(k), v)
static void attend_heads(const struct forward *forward, const struct attention_spec *spec,
                         const struct layer *layer, bool shares_kv) {
    const struct activations *a = &forward->activations;
    const struct kv_cache *cache = &forward->views[layer->group][layer->view];
    const struct batch *batch = &forward->batches[layer->group];
    ASSERT(cache->num_kv_heads == spec->kv_heads && cache->head_size == spec->head_size);
    ASSERT(layer->place < cache->num_layers);
    const bool each_head = spec->qk_norm == QK_NORM_HEAD || spec->unit_norm;
    const bool normed = spec->value_norm && !layer->v.data; // keys are already
    const struct rope_and_cache rope = {
        .q = a->q,
        .k = shares_kv ? NULL : a->k,
        .v = shares_kv || cache->latent ? NULL : a->v,
        .q_norm = each_head ? layer->q_norm : NULL,
        .k_norm = each_head && !normed ? layer->k_norm : NULL,
        .inv_freq = layer->inv_freq,
        .eps = forward->model->config.norm_eps,
        .magnitude = layer->magnitude,
        .interleaved = spec->rope.interleaved,
        .norm_last = spec->norm_last,
        .rotary = spec->rope.dimensions,
        .num_heads = spec->heads,
        .layer = layer->place,
        .cache = cache,
        .batch = batch,
    };
    const struct paged_attention paged = {
        .out = a->attended,
        .q = a->q,
        .num_heads = spec->heads,
        .layer = layer->place,
        .scale = spec->scale,
        .kernel = forward->limits.attention,
        .softcap = spec->softcap,
        .window = spec->window,
        .sinks = layer->sinks,
        .cache = cache,
        .batch = batch,
    };
    forward->backend->attention(forward->device, &(struct attention){rope, paged});
}

// x += o(what the mixer has made), but only to the sum where the next one is to read x, too
static void add_mixed(const struct forward *forward, int32_t index, const void *mixed) {
    const struct model_config *config = &forward->model->config;
    const struct layer *layer = &forward->model->layers[index];
    const struct activations *a = &forward->activations;
    const struct addend addend = {.rows = mixed,
                                  .weight = &layer->o,
                                  .beside = &layer->beside.o,
                                  .bias = layer->o_bias,
                                  .norm = layer->attn_post_norm,
                                  .scale = config->specs[index].residual_scale,
                                  .gain = 1};
    if (config->specs[index].joins_next) {
        ASSERT(a->sum && !addend.norm);
        project_both(forward, mixed, &(struct projection){a->sum, layer->o, layer->o_bias},
                     LINEAR_RESIDUAL, addend.beside);
        return;
    }
    add_product(forward, &addend);
    if (layer_is_joined(config, index)) add_branch(forward, a->sum, &addend);
}

// x += o(short_conv(q, k, v))
static void convolve(const struct forward *forward, int32_t index) {
    const struct layer *layer = &forward->model->layers[index];
    const struct activations *a = &forward->activations;
    project(forward, &forward->model->config.specs[index].attention, layer);
    forward->backend->short_conv(forward->device,
                                 &(struct short_conv){
                                     .out = a->attended,
                                     .q = a->q,
                                     .k = a->k,
                                     .v = a->v,
                                     .weight = layer->conv,
                                     .dim = forward->model->config.dim,
                                     .width = forward->model->config.specs[index].attention.window,
                                     .layer = layer->place,
                                     .cache = &forward->views[layer->group][layer->view],
                                     .batch = &forward->batches[layer->group],
                                 });
    add_mixed(forward, index, a->attended);
}

static void *element_at(const struct forward *forward, void *rows, size_t nth) {
    return (char *)rows + nth * (size_t)dtype_block_bytes(forward->backend->activation);
}

// Every second part of each token's row [count, 2, elements], the first of them `begin` elements
// from its start: y [tokens, count, elements].
static void take_parts(const struct forward *forward, void *y, void *rows, int32_t begin,
                       int32_t count, int32_t elements) {
    const size_t part = (size_t)elements, row = (size_t)count * part;
    forward->backend->copy_parts(forward->device,
                                 &(struct copy_parts){.y = y,
                                                      .x = element_at(forward, rows, (size_t)begin),
                                                      .rows = count,
                                                      .columns = forward->num_tokens,
                                                      .elements = elements,
                                                      .y_row = part,
                                                      .y_column = row,
                                                      .x_row = 2 * part,
                                                      .x_column = 2 * row});
}

// x = sigmoid(x) * y
static void gate_by(const struct forward *forward, void *x, const void *y, int32_t dim) {
    forward->backend->act_and_mul(
        forward->device,
        &(struct act_and_mul){
            .gate = x, .up = y, .rows = forward->num_tokens, .dim = dim, .act = ACT_SIGMOID});
}

// k = alpha, v = beta of a delta net
static void project_gates(const struct forward *forward, const struct recurrence_spec *delta,
                          const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const int32_t each = delta->value_heads / delta->key_heads;
    if (layer->alpha.rows > 0) {
        project_rows(forward, a->normed, &(struct projection){a->k, layer->alpha, NULL},
                     LINEAR_ACTIVATION);
        project_rows(forward, a->normed, &(struct projection){a->v, layer->beta, NULL},
                     LINEAR_ACTIVATION);
        return;
    }
    project_rows(forward, a->normed, &(struct projection){a->part, layer->beta, NULL},
                 LINEAR_ACTIVATION);
    take_parts(forward, a->v, a->part, 0, delta->key_heads, each);
    take_parts(forward, a->k, a->part, each, delta->key_heads, each);
}

// x += o(recurrence(full, q, k, v))
static void recur(const struct forward *forward, int32_t index) {
    const struct layer *layer = &forward->model->layers[index];
    const struct recurrence_spec *spec = &forward->model->config.specs[index].recurrence;
    const struct activations *a = &forward->activations;
    const bool delta = spec->rule == RECURRENCE_DELTA;
    struct linear product = {
        .in = input(forward, layer->attn_norm),
        .parts = {{a->full, layer->qkv, NULL}, {a->q, layer->z, NULL}, {a->k, layer->alpha, NULL}},
        .count = delta ? 2 : 3};
    product.in.keeps = delta; // the gates' products read what is normed, too
    forward->backend->linear(forward->device, &product);
    if (delta) project_gates(forward, spec, layer);
    forward->backend->recurrence(forward->device,
                                 &(struct recurrence){
                                     .rule = spec->rule,
                                     .z = a->q,
                                     .qkv = a->full,
                                     .alpha = a->k,
                                     .beta = a->v,
                                     .conv = layer->conv,
                                     .decay = layer->decay,
                                     .bias = layer->decay_bias,
                                     .skip = layer->skip,
                                     .norm = layer->o_norm,
                                     .key_heads = spec->key_heads,
                                     .value_heads = spec->value_heads,
                                     .key_size = spec->key_size,
                                     .value_size = spec->value_size,
                                     .width = spec->width,
                                     .tiled = spec->tiled,
                                     .eps = forward->model->config.norm_eps,
                                     .layer = layer->place,
                                     .cache = &forward->views[layer->group][layer->view],
                                     .batch = &forward->batches[layer->group],
                                 });
    add_mixed(forward, index, a->q);
}

// The heads of a token side by side, `elements` of each from `begin` on, to or from those of a head
// side by side: tokens [tokens, heads, size], parts [heads, tokens, elements].
static void copy_heads(const struct forward *forward, void *tokens, int32_t size, int32_t begin,
                       int32_t heads, void *parts, int32_t elements, bool by_head) {
    const size_t part = (size_t)elements, all = (size_t)forward->num_tokens * part;
    const size_t head = (size_t)size, token = (size_t)heads * head;
    void *of_token = element_at(forward, tokens, (size_t)begin);
    const struct copy_parts copy = {.y = by_head ? parts : of_token,
                                    .x = by_head ? of_token : parts,
                                    .rows = heads,
                                    .columns = forward->num_tokens,
                                    .elements = elements,
                                    .y_row = by_head ? all : head,
                                    .y_column = by_head ? part : token,
                                    .x_row = by_head ? head : all,
                                    .x_column = by_head ? token : part};
    forward->backend->copy_parts(forward->device, &copy);
}

// Each head's rows by a matrix of its own: y [heads, tokens, rows of it].
static void multiply_heads(const struct forward *forward, void *y, void *x,
                           const struct weight *weights, int32_t heads) {
    const size_t tokens = (size_t)forward->num_tokens;
    for (int32_t h = 0; h < heads; h++) {
        const size_t nth = (size_t)h * tokens;
        void *to = element_at(forward, y, nth * (size_t)weights[h].rows);
        project_rows(forward, element_at(forward, x, nth * (size_t)weights[h].columns),
                     &(struct projection){to, weights[h], NULL}, LINEAR_ACTIVATION);
    }
}

// full = the queries, k = what is cached: the rotated part, and behind it the row that all heads'
// keys and values are products of
static void project_latent(const struct forward *forward, const struct attention_spec *spec,
                           const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const struct latent_spec *latent = &spec->latent;
    const int32_t rotated = spec->rope.dimensions, rank = latent->kv_rank;
    void *input = a->normed;
    forward_norm_rows(forward, a->normed, a->x, layer->attn_norm, forward->model->config.dim);
    if (latent->q_rank > 0) {
        input = a->part;
        project_rows(forward, a->normed, &(struct projection){a->wide_q, layer->q_a, NULL},
                     LINEAR_RESIDUAL);
        forward_norm_rows(forward, input, a->wide_q, layer->q_a_norm, latent->q_rank);
    }
    project_both(forward, input, &(struct projection){a->full, layer->q, NULL}, LINEAR_ACTIVATION,
                 &layer->beside.q);
    project_rows(forward, a->normed, &(struct projection){a->v, layer->k_rope, NULL},
                 LINEAR_ACTIVATION);
    copy_heads(forward, a->k, spec->head_size, 0, 1, a->v, rotated, false);
    project_rows(forward, a->normed, &(struct projection){a->wide_k, layer->kv_a, NULL},
                 LINEAR_RESIDUAL);
    forward_norm_rows(forward, a->v, a->wide_k, layer->kv_a_norm, rank);
    copy_heads(forward, a->k, spec->head_size, rotated, 1, a->v, rank, false);
}

// full = the values' matrices of what one attention to the cached rows gives, whose queries are
// multiplied by the keys' matrices before
static void attend_latent(const struct forward *forward, const struct attention_spec *spec,
                          const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const struct latent_spec *latent = &spec->latent;
    const int32_t heads = spec->heads, size = spec->head_size, rotated = spec->rope.dimensions;
    const int32_t plain = latent->plain_size, rank = latent->kv_rank;
    project_latent(forward, spec, layer);
    copy_heads(forward, a->full, plain + rotated, 0, heads, a->part, plain, true);
    multiply_heads(forward, a->attended, a->part, layer->k_b, heads);
    copy_heads(forward, a->q, size, rotated, heads, a->attended, rank, false);
    copy_heads(forward, a->full, plain + rotated, plain, heads, a->attended, rotated, true);
    copy_heads(forward, a->q, size, 0, heads, a->attended, rotated, false);
    attend_heads(forward, spec, layer, false);
    copy_heads(forward, a->attended, size, rotated, heads, a->q, rank, true);
    multiply_heads(forward, a->part, a->q, layer->v_b, heads);
    copy_heads(forward, a->full, latent->value_size, 0, heads, a->part, latent->value_size, false);
}

// x += o(attention(rope(q), rope(k), v))
static void attend(const struct forward *forward, int32_t index) {
    const struct layer_spec *spec = &forward->model->config.specs[index];
    const struct layer *layer = &forward->model->layers[index];
    const bool shares_kv = layer_shares_kv(&forward->model->config, index);
    const bool latent = spec->attention.latent.kv_rank > 0;
    const int32_t heads = spec->attention.heads, size = spec->attention.head_size;
    const struct activations *a = &forward->activations;
    void *mixed = latent ? a->full : spec->attention.gated ? a->part : a->attended;
    if (latent)
        attend_latent(forward, &spec->attention, layer);
    else if (spec->attention.value_norm)
        project_normed(forward, &spec->attention, layer, shares_kv);
    else if (spec->attention.qk_norm == QK_NORM_ROW)
        project_normed_rows(forward, &spec->attention, layer);
    else
        project(forward, &spec->attention, layer);
    if (spec->attention.gated) {
        take_parts(forward, a->q, a->full, 0, heads, size);
        take_parts(forward, a->part, a->full, size, heads, size);
    }
    if (!latent) attend_heads(forward, &spec->attention, layer, shares_kv);
    if (spec->attention.gated) gate_by(forward, a->part, a->attended, heads * size);
    add_mixed(forward, index, mixed);
}

// gate = act(gate(in) + bias, up(in) + bias), up being the gate where there is none
static void gate_other_rows(const struct forward *forward, const struct linear_input *in,
                            const struct ffn_spec *spec, const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const bool gated = layer->gate.data != NULL;
    const struct projection up = {gated ? a->up : a->gate, layer->up, layer->up_bias};
    multiply(forward,
             &(struct linear){.in = *in,
                              .parts = {up, {a->gate, layer->gate, layer->gate_bias}},
                              .count = gated ? 2 : 1},
             (const struct low_rank *[]){&layer->beside.up, &layer->beside.gate});
    forward->backend->act_and_mul(forward->device,
                                  &(struct act_and_mul){.gate = a->gate,
                                                        .up = up.y,
                                                        .rows = forward->num_tokens,
                                                        .dim = layer->up.rows,
                                                        .act = spec->act,
                                                        .xielu = spec->xielu});
}

// gate = act(gate(in), up(in)), the input being normed here, or what the mixer had before
static void gate_rows(const struct forward *forward, const struct layer_spec *spec,
                      const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const struct linear_input in =
        spec->parallel ? (struct linear_input){.x = a->normed, .tokens = forward->num_tokens}
                       : input(forward, layer->ffn_norm);
    const bool adapted = layer->beside.gate.a.rows > 0 || layer->beside.up.a.rows > 0;
    if (layer->gate_bias || layer->up_bias || !layer->gate.data || adapted) {
        gate_other_rows(forward, &in, &spec->ffn, layer);
        return;
    }
    const struct gated_linear args = {.in = in,
                                      .y = a->gate,
                                      .up_rows = a->up,
                                      .gate = layer->gate,
                                      .up = layer->up,
                                      .act = spec->ffn.act};
    forward->backend->gated_linear(forward->device, &args);
}

// y = or += what the experts that the router chooses make of normed, each by its share
static void ask_experts(const struct forward *forward, const struct ffn_spec *spec,
                        const struct layer *layer, void *y, bool add) {
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens, dim = forward->model->config.dim;
    ASSERT(a->scores && spec->experts_used <= spec->experts);
    struct linear product = {
        .in = input(forward, layer->router_norm ? layer->router_norm : layer->ffn_norm),
        .parts = {{a->scores, layer->router, layer->router_bias}},
        .count = 1,
        .store = LINEAR_RESIDUAL};
    product.in.keeps = !layer->expert_norm; // experts read what the router has read
    forward->backend->linear(forward->device, &product);
    forward->backend->route(forward->device,
                            &(struct route){.chosen = a->chosen,
                                            .shares = a->shares,
                                            .scores = a->scores,
                                            .tokens = tokens,
                                            .experts = spec->experts,
                                            .used = spec->experts_used,
                                            .gains = layer->expert_gains,
                                            .bias = layer->choice_bias,
                                            .gating = spec->gating,
                                            .raw = spec->raw_shares,
                                            .groups = spec->expert_groups,
                                            .groups_used = spec->expert_groups_used,
                                            .best_of_group = spec->best_of_group});
    if (layer->expert_norm) forward_norm_rows(forward, a->normed, a->x, layer->expert_norm, dim);
    if (spec->share_of_input)
        forward->backend->scale_rows(
            forward->device,
            &(struct scale_rows){.x = a->normed, .factors = a->shares, .rows = tokens, .dim = dim});
    const struct experts args = {.y = y,
                                 .x = a->normed,
                                 .chosen = a->chosen,
                                 .shares = a->shares,
                                 .gate = layer->expert_gate,
                                 .up = layer->expert_up,
                                 .down = layer->expert_down,
                                 .tokens = tokens,
                                 .experts = spec->experts,
                                 .used = spec->experts_used,
                                 .act = spec->act,
                                 .add = add};
    forward->backend->experts(forward->device, &args);
}

// up = the shared expert's rows, each times the sigmoid of one number of the token
static void *gate_shared_expert(const struct forward *forward, const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const int32_t width = layer->down.columns;
    const struct linear one = {.in = input(forward, layer->ffn_norm),
                               .parts = {{a->k, layer->shared_gate, NULL}},
                               .count = 1};
    forward->backend->linear(forward->device, &one);
    const struct copy_parts args = {.y = a->up,
                                    .x = a->k,
                                    .rows = width,
                                    .columns = one.in.tokens,
                                    .elements = 1,
                                    .y_row = 1,
                                    .y_column = (size_t)width,
                                    .x_column = 1};
    forward->backend->copy_parts(forward->device, &args);
    gate_by(forward, a->up, a->gate, width);
    return a->up;
}

// x = gain * (x + the experts' sum), by way of the branch where there is more to it than a sum. A
// shared expert's rows are made before the sum changes what they come from.
static void add_experts(const struct forward *forward, const struct layer_spec *spec,
                        const struct layer *layer, const struct addend *addend) {
    const struct activations *a = &forward->activations;
    const bool plain = !addend->norm && addend->gain == 1 && addend->scale == 1;
    const bool shared = spec->ffn.kind == FFN_SHARED_EXPERT;
    void *y = plain ? a->x : a->branch, *rows = a->gate;
    ASSERT(y);
    if (shared) gate_rows(forward, spec, layer);
    if (layer->shared_gate.rows > 0) rows = gate_shared_expert(forward, layer);
    ask_experts(forward, &spec->ffn, layer, y, plain);
    if (shared)
        project_both(forward, rows, &(struct projection){y, layer->down, NULL}, LINEAR_ADD,
                     addend->beside);
    if (!plain) add_branch(forward, a->branch, addend);
}

// sum = or += the branch, normed
static void add_to_sum(const struct forward *forward, const float *norm, bool anew) {
    const struct model_config *config = &forward->model->config;
    const struct add_rows args = {.x = forward->activations.sum,
                                  .y = forward->activations.branch,
                                  .norm = norm,
                                  .rows = forward->num_tokens,
                                  .dim = config->dim,
                                  .eps = config->norm_eps,
                                  .scale = 1,
                                  .gain = 1,
                                  .anew = anew};
    forward->backend->add_rows(forward->device, &args);
}

// x = gain * (x + the dense part and the experts', each normed, and both together again)
static void add_dense_and_experts(const struct forward *forward, const struct layer_spec *spec,
                                  const struct layer *layer, const struct addend *addend) {
    const struct activations *a = &forward->activations;
    ASSERT(a->branch && a->sum);
    gate_rows(forward, spec, layer);
    project_both(forward, a->gate, &(struct projection){a->branch, layer->down, layer->down_bias},
                 LINEAR_RESIDUAL, &layer->beside.down);
    add_to_sum(forward, layer->dense_post_norm, true);
    ask_experts(forward, &spec->ffn, layer, a->branch, false);
    add_to_sum(forward, layer->expert_post_norm, false);
    add_branch(forward, a->sum, addend);
}

// x = gain * (x + feed-forward), where no embedding of the layer's own comes after it
static void feed_forward(const struct forward *forward, int32_t index) {
    const struct layer_spec *spec = &forward->model->config.specs[index];
    const struct layer *layer = &forward->model->layers[index];
    const struct addend addend = {
        .rows = forward->activations.gate,
        .weight = &layer->down,
        .beside = &layer->beside.down,
        .bias = layer->down_bias,
        .norm = layer->ffn_post_norm,
        .scale = spec->residual_scale,
        .gain = forward->model->config.per_layer_embedding ? 1 : layer->output_scale,
    };
    switch (spec->ffn.kind) {
    case FFN_DENSE:
        gate_rows(forward, spec, layer);
        add_product(forward, &addend);
        break;
    case FFN_EXPERTS:
    case FFN_SHARED_EXPERT:
        add_experts(forward, spec, layer, &addend);
        break;
    case FFN_DENSE_AND_EXPERTS:
        add_dense_and_experts(forward, spec, layer, &addend);
        break;
    case FFN_NONE:
        break;
    }
}

// layer_embedding = (norm(projection(start) / sqrt(dim)) + embedding * sqrt(elements)) / sqrt(2).
// A norm of rows divided by r is theirs with r^2 times the epsilon.
static void embed_for_layer(const struct forward *forward, int32_t index) {
    const struct model *model = forward->model;
    const struct model_config *config = &model->config;
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens, elements = config->per_layer_embedding;
    ASSERT(a->start && elements > 0);
    forward->backend->embedding(forward->device,
                                &(struct embedding){.y = a->embedded,
                                                    .token_ids = forward->on_device.token_ids,
                                                    .table = model->per_layer_embedding,
                                                    .tokens = tokens,
                                                    .scale = sqrtf((float)elements),
                                                    .stride = config->layers,
                                                    .first = index});
    project_rows(
        forward, a->start,
        &(struct projection){a->projected, model->layers[index].embedding_projection, NULL},
        LINEAR_RESIDUAL);
    forward->backend->add_rows(forward->device,
                               &(struct add_rows){.x = a->embedded,
                                                  .y = a->projected,
                                                  .norm = model->per_layer_embedding_norm,
                                                  .rows = tokens,
                                                  .dim = elements,
                                                  .eps = config->norm_eps * (float)config->dim,
                                                  .scale = 1,
                                                  .gain = sqrtf(0.5f)});
    narrow_rows(forward, a->layer_embedding, a->embedded, elements);
}

// x = output_scale * (x + norm(output(act(gate(x), layer_embedding))))
static void add_layer_embedding(const struct forward *forward, int32_t index) {
    const struct model_config *config = &forward->model->config;
    const struct layer *layer = &forward->model->layers[index];
    const struct activations *a = &forward->activations;
    embed_for_layer(forward, index);
    narrow_rows(forward, a->normed, a->x, config->dim);
    project_rows(forward, a->normed, &(struct projection){a->gate, layer->embedding_gate, NULL},
                 LINEAR_ACTIVATION);
    forward->backend->act_and_mul(forward->device,
                                  &(struct act_and_mul){.gate = a->gate,
                                                        .up = a->layer_embedding,
                                                        .rows = forward->num_tokens,
                                                        .dim = config->per_layer_embedding,
                                                        .act = config->specs[index].ffn.act});
    static const struct low_rank nothing = {0};
    add_product(forward, &(struct addend){.rows = a->gate,
                                          .weight = &layer->embedding_output,
                                          .beside = &nothing,
                                          .norm = layer->embedding_post_norm,
                                          .scale = config->specs[index].residual_scale,
                                          .gain = layer->output_scale});
}

void forward_layers(struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    if (config->per_layer_embedding) narrow_rows(forward, a->start, a->x, config->dim);
    for (int32_t i = 0; i < config->layers; i++) {
        switch (config->specs[i].mixer) {
        case MIXER_ATTENTION:
            attend(forward, i);
            break;
        case MIXER_SHORT_CONV:
            convolve(forward, i);
            break;
        case MIXER_RECURRENCE:
            recur(forward, i);
            break;
        case MIXER_NONE:
            break;
        }
        feed_forward(forward, i);
        if (config->per_layer_embedding) add_layer_embedding(forward, i);
    }
}
