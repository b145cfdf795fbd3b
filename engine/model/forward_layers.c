// engine/model/forward_layers.c — the layers of a forward pass, as formulas.
#include <math.h>

#include "engine/model/forward_state.h"

// What a layer's products read: rmsnorm(x) * norm, or x where the family norms later.
static struct linear_input input(const struct forward *forward, const float *norm) {
    const struct activations *a = &forward->activations;
    const struct model_config *config = &forward->model->config;
    if (norm)
        return (struct linear_input){.x = a->x,
                                     .norm = norm,
                                     .normed = a->normed,
                                     .tokens = forward->num_tokens,
                                     .eps = config->norm_eps};
    forward->backend->narrow(forward->device, &(struct narrow){.y = a->normed,
                                                               .x = a->x,
                                                               .rows = forward->num_tokens,
                                                               .dim = config->dim});
    return (struct linear_input){.x = a->normed, .tokens = forward->num_tokens};
}

// x = gain * (x + residual_scale * branch), normed where the family says so
static void add_branch(const struct forward *forward, const float *norm, float gain) {
    const struct model_config *config = &forward->model->config;
    forward->backend->add_rows(forward->device, &(struct add_rows){.x = forward->activations.x,
                                                                   .y = forward->activations.branch,
                                                                   .norm = norm,
                                                                   .rows = forward->num_tokens,
                                                                   .dim = config->dim,
                                                                   .eps = config->norm_eps,
                                                                   .scale = config->residual_scale,
                                                                   .gain = gain});
}

struct addend { // W rows + bias, normed, and what the stream is multiplied by afterwards
    const void *rows;
    const struct weight *weight;
    const float *bias, *norm;
    float gain;
};

// x = gain * (x + addend), by way of the branch where there is more to it than a product
static void add(const struct forward *forward, const struct addend *addend) {
    const bool plain = !addend->bias && !addend->norm && addend->gain == 1 &&
                       forward->model->config.residual_scale == 1.0f;
    const struct activations *a = &forward->activations;
    forward->backend->linear(
        forward->device,
        &(struct linear){.in = {.x = addend->rows, .tokens = forward->num_tokens},
                         .parts = {{plain ? a->x : a->branch, *addend->weight, addend->bias}},
                         .count = 1,
                         .store = plain ? LINEAR_ADD : LINEAR_RESIDUAL});
    if (!plain) add_branch(forward, addend->norm, addend->gain);
}

void forward_norm_rows(const struct forward *forward, void *y, const void *x, const float *weight,
                       int32_t dim) {
    forward->backend->rmsnorm(forward->device,
                              &(struct rmsnorm){.y = y,
                                                .x = x,
                                                .weight = weight,
                                                .rows = forward->num_tokens,
                                                .dim = dim,
                                                .eps = forward->model->config.norm_eps});
}

// Each head of rows [tokens, kv_heads, head_size] normed by itself
static void norm_heads(const struct forward *forward, const struct layer *layer, void *y,
                       const float *weight) {
    forward->backend->rmsnorm(forward->device,
                              &(struct rmsnorm){.y = y,
                                                .x = forward->activations.wide_k,
                                                .weight = weight,
                                                .rows = forward->num_tokens * layer->kv_heads,
                                                .dim = layer->head_size,
                                                .eps = forward->model->config.norm_eps});
}

// q, k and v where values are normed. Without a matrix of their own they are the keys, which are
// normed here too then, each from what is not rounded yet.
static void project_normed(const struct forward *forward, const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const struct linear_input in = {.x = a->normed, .tokens = forward->num_tokens};
    const bool own = layer->v.data != NULL;
    forward_norm_rows(forward, a->normed, a->x, layer->attn_norm, forward->model->config.dim);
    forward->backend->linear(forward->device,
                             &(struct linear){.in = in,
                                              .parts = {{a->q, layer->q, layer->q_bias},
                                                        {a->k, layer->k, layer->k_bias}},
                                              .count = own ? 2 : 1});
    if (layer->sees_others) return;
    forward->backend->linear(forward->device,
                             &(struct linear){.in = in,
                                              .parts = {{a->wide_k, own ? layer->v : layer->k,
                                                         own ? layer->v_bias : layer->k_bias}},
                                              .count = 1,
                                              .store = LINEAR_RESIDUAL});
    norm_heads(forward, layer, a->v, forward->model->ones);
    if (!own) norm_heads(forward, layer, a->k, layer->k_norm);
}

// q, k and v; normed already where all heads are normed as one row
static void project(const struct forward *forward, const struct layer *layer) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    const struct linear_input in = input(forward, layer->attn_norm);
    const struct projection q = {a->q, layer->q, layer->q_bias};
    const struct projection k = {a->k, layer->k, layer->k_bias};
    const struct projection v = {a->v, layer->v, layer->v_bias};
    if (config->family->qk_norm != QK_NORM_WIDTH) {
        forward->backend->linear(forward->device,
                                 &(struct linear){.in = in, .parts = {q, k, v}, .count = 3});
        return;
    }
    forward->backend->linear(forward->device,
                             &(struct linear){.in = in,
                                              .parts = {{a->wide_q, layer->q, layer->q_bias},
                                                        {a->wide_k, layer->k, layer->k_bias}},
                                              .count = 2,
                                              .store = LINEAR_RESIDUAL});
    forward->backend->linear(forward->device, &(struct linear){.in = in, .parts = {v}, .count = 1});
    forward_norm_rows(forward, a->q, a->wide_q, layer->q_norm, config->heads * config->head_size);
    forward_norm_rows(forward, a->k, a->wide_k, layer->k_norm,
                      config->kv_heads * config->head_size);
}

// x += o(attention(rope(q), rope(k), v))
static void attend(struct forward *forward, const struct layer *layer) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    const struct kv_cache *cache = &forward->views[layer->view];
    const bool head = config->family->qk_norm == QK_NORM_HEAD;
    const bool normed = config->family->value_norm && !layer->v.data; // keys are already
    config->family->value_norm ? project_normed(forward, layer) : project(forward, layer);
    const struct rope_and_cache rope = {
        .q = a->q,
        .k = layer->sees_others ? NULL : a->k,
        .v = layer->sees_others ? NULL : a->v,
        .q_norm = head ? layer->q_norm : NULL,
        .k_norm = head && !normed ? layer->k_norm : NULL,
        .inv_freq = layer->inv_freq,
        .eps = config->norm_eps,
        .magnitude = layer->magnitude,
        .interleaved = config->interleaved_rope,
        .rotary = layer->rotary,
        .num_heads = config->heads,
        .layer = layer->place,
        .cache = cache,
        .batch = &forward->batch,
    };
    const struct paged_attention paged = {
        .out = a->attended,
        .q = a->q,
        .num_heads = config->heads,
        .layer = layer->place,
        .scale = config->attention_scale,
        .kernel = forward->limits.attention,
        .softcap = config->attention_softcap,
        .window = layer->window,
        .sinks = layer->sinks,
        .cache = cache,
        .batch = &forward->batch,
    };
    forward->backend->attention(forward->device, &(struct attention){rope, paged});
    add(forward, &(struct addend){a->attended, &layer->o, layer->o_bias, layer->attn_post_norm, 1});
}

// gate = act(gate(normed), up(normed))
static void gate_rows(struct forward *forward, const struct layer *layer) {
    const struct activations *a = &forward->activations;
    forward->backend->gated_linear(
        forward->device, &(struct gated_linear){.in = input(forward, layer->ffn_norm),
                                                .y = a->gate,
                                                .up_rows = a->up,
                                                .gate = layer->gate,
                                                .up = layer->up,
                                                .act = forward->model->config.family->act});
}

// What the stream is multiplied by when the feed-forward has been added.
static float feed_forward_gain(const struct forward *forward, const struct layer *layer) {
    return forward->model->config.layer_input ? 1 : layer->gain;
}

// x += down(act(gate(normed), up(normed)))
static void feed_forward(struct forward *forward, const struct layer *layer) {
    gate_rows(forward, layer);
    add(forward, &(struct addend){forward->activations.gate, &layer->down, NULL,
                                  layer->ffn_post_norm, feed_forward_gain(forward, layer)});
}

// y = or += what the experts that the router chooses make of normed, each by its share
static void ask_experts(struct forward *forward, const struct layer *layer, void *y, bool add) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens;
    forward_norm_rows(forward, a->normed, a->x,
                      layer->router_norm ? layer->router_norm : layer->ffn_norm, config->dim);
    forward->backend->linear(
        forward->device, &(struct linear){.in = {.x = a->normed, .tokens = tokens},
                                          .parts = {{a->scores, layer->router, layer->router_bias}},
                                          .count = 1,
                                          .store = LINEAR_RESIDUAL});
    forward->backend->route(forward->device, &(struct route){.chosen = a->chosen,
                                                             .shares = a->shares,
                                                             .scores = a->scores,
                                                             .tokens = tokens,
                                                             .experts = config->experts,
                                                             .used = config->experts_used,
                                                             .gains = layer->expert_gains});
    if (layer->expert_norm)
        forward_norm_rows(forward, a->normed, a->x, layer->expert_norm, config->dim);
    forward->backend->experts(forward->device, &(struct experts){.y = y,
                                                                 .x = a->normed,
                                                                 .chosen = a->chosen,
                                                                 .shares = a->shares,
                                                                 .gate = layer->expert_gate,
                                                                 .up = layer->expert_up,
                                                                 .down = layer->expert_down,
                                                                 .tokens = tokens,
                                                                 .experts = config->experts,
                                                                 .used = config->experts_used,
                                                                 .act = config->family->act,
                                                                 .add = add});
}

// x = gain * (x + the experts' sum), by way of the branch where there is more to it than a sum
static void add_experts(struct forward *forward, const struct layer *layer) {
    const struct activations *a = &forward->activations;
    const bool plain =
        !layer->ffn_post_norm && layer->gain == 1 && forward->model->config.residual_scale == 1.0f;
    ask_experts(forward, layer, plain ? a->x : a->branch, plain);
    if (!plain) add_branch(forward, layer->ffn_post_norm, layer->gain);
}

// sum = or += the branch, normed
static void add_to_sum(const struct forward *forward, const float *norm, bool anew) {
    const struct model_config *config = &forward->model->config;
    forward->backend->add_rows(forward->device, &(struct add_rows){.x = forward->activations.sum,
                                                                   .y = forward->activations.branch,
                                                                   .norm = norm,
                                                                   .rows = forward->num_tokens,
                                                                   .dim = config->dim,
                                                                   .eps = config->norm_eps,
                                                                   .scale = 1,
                                                                   .gain = 1,
                                                                   .anew = anew});
}

// x += the dense part and the experts', each normed, and both together again
static void feed_forward_and_experts(struct forward *forward, const struct layer *layer) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    gate_rows(forward, layer);
    forward->backend->linear(forward->device,
                             &(struct linear){.in = {.x = a->gate, .tokens = forward->num_tokens},
                                              .parts = {{a->branch, layer->down, NULL}},
                                              .count = 1,
                                              .store = LINEAR_RESIDUAL});
    add_to_sum(forward, layer->dense_post_norm, true);
    ask_experts(forward, layer, a->branch, false);
    add_to_sum(forward, layer->expert_post_norm, false);
    forward->backend->add_rows(forward->device,
                               &(struct add_rows){.x = a->x,
                                                  .y = a->sum,
                                                  .norm = layer->ffn_post_norm,
                                                  .rows = forward->num_tokens,
                                                  .dim = config->dim,
                                                  .eps = config->norm_eps,
                                                  .scale = 1,
                                                  .gain = feed_forward_gain(forward, layer)});
}

static void narrow_rows(const struct forward *forward, void *y, const void *x, int32_t dim) {
    forward->backend->narrow(forward->device, &(struct narrow){y, x, forward->num_tokens, dim});
}

// told = (norm(projection(start) / sqrt(dim)) + embedding * sqrt(layer_input)) / sqrt(2): what a
// layer is told of each token. A norm of rows divided by r is theirs with r^2 times the epsilon.
static void tell(struct forward *forward, const struct layer *layer, int32_t index) {
    const struct model *model = forward->model;
    const struct model_config *config = &model->config;
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens, input = config->layer_input;
    forward->backend->embedding(forward->device,
                                &(struct embedding){.y = a->looked_up,
                                                    .token_ids = forward->on_device.token_ids,
                                                    .table = model->layer_embedding,
                                                    .tokens = tokens,
                                                    .scale = sqrtf((float)input),
                                                    .stride = config->layers,
                                                    .first = index});
    forward->backend->linear(forward->device,
                             &(struct linear){.in = {.x = a->start, .tokens = tokens},
                                              .parts = {{a->seen, layer->input_projection, NULL}},
                                              .count = 1,
                                              .store = LINEAR_RESIDUAL});
    forward->backend->add_rows(forward->device,
                               &(struct add_rows){.x = a->looked_up,
                                                  .y = a->seen,
                                                  .norm = model->layer_input_norm,
                                                  .rows = tokens,
                                                  .dim = input,
                                                  .eps = config->norm_eps * (float)config->dim,
                                                  .scale = 1,
                                                  .gain = sqrtf(0.5f)});
    narrow_rows(forward, a->told, a->looked_up, input);
}

// x = gain * (x + norm(output(act(gate(x), told))))
static void add_told(struct forward *forward, const struct layer *layer, int32_t index) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    tell(forward, layer, index);
    narrow_rows(forward, a->normed, a->x, config->dim);
    forward->backend->linear(forward->device,
                             &(struct linear){.in = {.x = a->normed, .tokens = forward->num_tokens},
                                              .parts = {{a->gate, layer->input_gate, NULL}},
                                              .count = 1});
    forward->backend->act_and_mul(forward->device,
                                  &(struct act_and_mul){.gate = a->gate,
                                                        .up = a->told,
                                                        .rows = forward->num_tokens,
                                                        .dim = config->layer_input,
                                                        .act = config->family->act});
    add(forward,
        &(struct addend){a->gate, &layer->input_output, NULL, layer->input_post_norm, layer->gain});
}

static void run_layer(struct forward *forward, int32_t index) {
    const struct layer *layer = &forward->model->layers[index];
    attend(forward, layer);
    if (layer->router_norm) {
        feed_forward_and_experts(forward, layer);
    } else if (layer->router.rows) {
        add_experts(forward, layer);
    } else {
        feed_forward(forward, layer);
    }
    if (forward->model->config.layer_input) add_told(forward, layer, index);
}

void forward_layers(struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    if (config->layer_input) narrow_rows(forward, a->start, a->x, config->dim);
    for (int32_t i = 0; i < config->layers; i++)
        run_layer(forward, i);
}
