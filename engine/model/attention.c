// engine/model/attention.c — attention with keys and values of their own for each KV head.
//
// The normed residual is multiplied by W_q, W_k and W_v. Queries and keys are rotated by their
// positions, keys and values join the cache, and each head's result is the softmax of its query's
// products with all keys it sees, times their values (arXiv 1706.03762; heads that share KV heads
// 2305.13245). W_o brings the heads back to the residual.
//
// Families differ in what happens between the product and the rotation: q and k may be normed, each
// head by itself, which the rotation's kernel does in passing, or all heads as one row, which takes
// rows of the residual's precision first, because a norm after rounding is not the model's. Values
// may be normed too, and may be the keys. A gate may multiply each head's
// result, element by element or as a whole; it lies next to the head's query, or is a matrix of its
// own.
#include <math.h>

#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "engine/model/metadata.h"
#include "engine/model/rope.h"
#include "kernels/base/assert.h"

// Values that are narrower than keys are filled up in the cache (widen_values()), from themselves.
static bool can_be_narrow(const struct attention_spec *attention, int32_t value_size,
                          int32_t size) {
    return value_size < size && 2 * value_size >= size && attention->gate == GATE_NONE &&
           attention->qk_norm != QK_NORM_ROW && !attention->value_norm;
}

static int32_t value_size_of(const struct attention_spec *spec) {
    return spec->value_size > 0 ? spec->value_size : spec->head_size;
}

void attention_read(struct metadata *metadata, const struct model_config *config,
                    struct attention_spec *attention) {
    const int32_t equal_share = config->dim / attention->heads;
    const int32_t size = metadata_int(metadata, "attention.key_length",
                                      equal_share > 0 ? equal_share : 1, MODEL_MAX_HEAD_SIZE);
    const int32_t value_size =
        metadata_int(metadata, "attention.value_length", size, MODEL_MAX_HEAD_SIZE);
    if (value_size != size && !can_be_narrow(attention, value_size, size))
        metadata_fail(metadata, STATUS_UNSUPPORTED, "attention.value_length",
                      "differs from attention.key_length, which is not supported");
    attention->head_size = size;
    attention->value_size = value_size != size ? value_size : 0;
    attention->rope = rope_read(metadata, &attention->rope, config, size);
    attention->scale = metadata_factor(metadata, "attention.scale", 1.0f / sqrtf((float)size));
    attention->softcap = metadata_float(metadata, "attn_logit_softcapping", 0);
}

struct attention_rows {
    struct head_rows heads;
    void *narrow_v, *narrow;     // [tokens, kv_heads, value_size], [tokens, heads, value_size]
    void *q_and_gate;            // [tokens, heads, 2, head_size]
    void *head_gate;             // [tokens, heads] where a head has one gate
    void *gate;                  // [tokens, heads * head_size]
    void *unnormed_q;            // the shapes of q and k, residual: where a norm reads them next
    void *unnormed_k, *unnormed; // the second: values, or the keys that are values
};

static struct attention_rows lay_out(struct scratch *scratch, const struct attention_spec *spec) {
    const int32_t q_width = spec->heads * spec->head_size;
    const int32_t kv_width = spec->kv_heads * spec->head_size;
    const bool as_row = spec->qk_norm == QK_NORM_ROW, gated = spec->gate != GATE_NONE;
    const bool narrow = spec->value_size > 0;
    return (struct attention_rows){
        .narrow_v = narrow ? scratch_rows(scratch, spec->kv_heads * spec->value_size) : NULL,
        .narrow = narrow ? scratch_rows(scratch, spec->heads * spec->value_size) : NULL,
        .heads = {.q = scratch_rows(scratch, q_width),
                  .k = scratch_rows(scratch, kv_width),
                  .v = scratch_rows(scratch, kv_width),
                  .attended = scratch_rows(scratch, q_width)},
        .q_and_gate = spec->gate == GATE_WITH_Q ? scratch_rows(scratch, 2 * q_width) : NULL,
        .head_gate = spec->gate == GATE_HEAD ? scratch_rows(scratch, spec->heads) : NULL,
        .gate = gated ? scratch_rows(scratch, q_width) : NULL,
        .unnormed_q = as_row ? scratch_residual_rows(scratch, q_width) : NULL,
        .unnormed_k = as_row ? scratch_residual_rows(scratch, kv_width) : NULL,
        .unnormed = spec->value_norm ? scratch_residual_rows(scratch, kv_width) : NULL,
    };
}

static void measure(struct scratch *scratch, const struct layer_spec *spec) {
    lay_out(scratch, &spec->attention);
}

// Each head of rows [tokens, kv_heads, head_size] normed by itself
static void norm_heads(const struct forward *forward, const struct attention_spec *spec, void *y,
                       const void *x, const float *weight) {
    ASSERT(x && weight);
    forward->backend->rmsnorm(forward->device,
                              &(struct rmsnorm){.y = y,
                                                .x = x,
                                                .weight = weight,
                                                .rows = forward->num_tokens * spec->kv_heads,
                                                .dim = spec->head_size,
                                                .eps = forward->model->config.norm_eps});
}

// q, k and v where values are normed. Without a matrix of their own they are the keys, which are
// then normed here as well, each from what is not rounded yet.
static void project_normed(const struct forward *forward, const struct attention_spec *spec,
                           const struct layer *layer, const struct attention_rows *rows) {
    const struct head_rows *heads = &rows->heads;
    void *normed = forward->activations.normed;
    const struct linear_input in = {.x = normed, .tokens = forward->num_tokens};
    const bool own = layer->v.data != NULL, shares_kv = heads->k == NULL;
    forward_norm_rows(forward, normed, forward->activations.residual, layer->attn_norm,
                      forward->model->config.dim);
    forward_multiply(forward,
                     &(struct linear){.in = in,
                                      .parts = {{heads->q, layer->q, layer->q_bias},
                                                {heads->k, layer->k, layer->k_bias}},
                                      .count = own ? 2 : 1},
                     (const struct low_rank *[]){&layer->lora.q, &layer->lora.k});
    if (shares_kv) return;
    const struct projection values = {rows->unnormed, own ? layer->v : layer->k,
                                      own ? layer->v_bias : layer->k_bias};
    forward_project(forward, normed, &values, LINEAR_RESIDUAL,
                    own ? &layer->lora.v : &layer->lora.k);
    norm_heads(forward, spec, heads->v, rows->unnormed, forward->model->ones);
    if (!own) norm_heads(forward, spec, heads->k, rows->unnormed, layer->k_norm);
}

// The same where all heads are normed as one row
static void project_normed_rows(const struct forward *forward, const struct attention_spec *spec,
                                const struct layer *layer, const struct attention_rows *rows,
                                const struct linear_input *in) {
    const struct projection v = {rows->heads.v, layer->v, layer->v_bias};
    ASSERT(rows->unnormed_q && rows->unnormed_k);
    forward_multiply(forward,
                     &(struct linear){.in = *in,
                                      .parts = {{rows->unnormed_q, layer->q, layer->q_bias},
                                                {rows->unnormed_k, layer->k, layer->k_bias}},
                                      .count = 2,
                                      .store = LINEAR_RESIDUAL},
                     (const struct low_rank *[]){&layer->lora.q, &layer->lora.k});
    forward_multiply(forward, &(struct linear){.in = *in, .parts = {v}, .count = 1},
                     (const struct low_rank *[]){&layer->lora.v});
    forward_norm_rows(forward, rows->heads.q, rows->unnormed_q,
                      (struct norm){.weight = layer->q_norm}, spec->heads * spec->head_size);
    forward_norm_rows(forward, rows->heads.k, rows->unnormed_k,
                      (struct norm){.weight = layer->k_norm}, spec->kv_heads * spec->head_size);
}

// The same not normed yet, q maybe with the gates
static void project(const struct forward *forward, const struct layer *layer,
                    const struct attention_rows *rows, const struct linear_input *in) {
    const struct head_rows *heads = &rows->heads;
    void *q = rows->q_and_gate ? rows->q_and_gate : heads->q;
    void *v = rows->narrow_v && heads->v ? rows->narrow_v : heads->v;
    forward_multiply(forward,
                     &(struct linear){.in = *in,
                                      .parts = {{q, layer->q, layer->q_bias},
                                                {heads->k, layer->k, layer->k_bias},
                                                {v, layer->v, layer->v_bias}},
                                      .count = 3},
                     (const struct low_rank *[]){&layer->lora.q, &layer->lora.k, &layer->lora.v});
}

// y [tokens, heads, y_size] from its element `at` on = the first `elements` of x [tokens, heads,
// x_size]
struct head_copy {
    void *y, *x;
    int32_t heads, y_size, at, x_size, elements;
};

static void copy_heads(const struct forward *forward, const struct head_copy *copy) {
    const struct copy_parts parts = {.y = forward_element(forward, copy->y, (size_t)copy->at),
                                     .x = copy->x,
                                     .rows = 1,
                                     .columns = forward->num_tokens * copy->heads,
                                     .elements = copy->elements,
                                     .y_column = (size_t)copy->y_size,
                                     .x_column = (size_t)copy->x_size};
    forward->backend->copy_parts(forward->device, &parts);
}

// What fills a head's values up to the width of its keys is of no account, but scales of quantized
// values are of all of them: so it is some of them again.
static void widen_values(const struct forward *forward, const struct attention_spec *spec,
                         const struct attention_rows *rows) {
    const int32_t heads = spec->kv_heads, size = spec->head_size, narrow = spec->value_size;
    copy_heads(forward,
               &(struct head_copy){rows->heads.v, rows->narrow_v, heads, size, 0, narrow, narrow});
    copy_heads(forward, &(struct head_copy){rows->heads.v, rows->narrow_v, heads, size, narrow,
                                            narrow, size - narrow});
}

// The gate of each head for each of its elements
static void spread_gates(const struct forward *forward, const struct attention_spec *spec,
                         const struct attention_rows *rows) {
    const struct copy_parts spread = {.y = rows->gate,
                                      .x = rows->head_gate,
                                      .rows = spec->head_size,
                                      .columns = forward->num_tokens * spec->heads,
                                      .elements = 1,
                                      .y_row = 1,
                                      .y_column = (size_t)spec->head_size,
                                      .x_column = 1};
    forward->backend->copy_parts(forward->device, &spread);
}

// q alone and the gates alone
static void read_gates(const struct forward *forward, const struct attention_spec *spec,
                       const struct layer *layer, const struct attention_rows *rows) {
    const int32_t heads = spec->heads, size = spec->head_size;
    if (layer->attn_gate.rows > 0)
        forward_project(forward, forward->activations.normed,
                        &(struct projection){rows->head_gate ? rows->head_gate : rows->gate,
                                             layer->attn_gate, NULL},
                        LINEAR_ACTIVATION, NULL);
    if (rows->head_gate) spread_gates(forward, spec, rows);
    if (spec->gate != GATE_WITH_Q) return;
    forward_take_parts(forward, rows->heads.q, rows->q_and_gate, 0, heads, size);
    forward_take_parts(forward, rows->gate, rows->q_and_gate, size, heads, size);
}

// No norm comes after it: it is of what q was made of where a head is normed.
static void temper(const struct forward *forward, const struct attention_spec *spec, void *q) {
    forward->backend->scale_rows(forward->device,
                                 &(struct scale_rows){.x = q,
                                                      .factors = forward->on_device.query_scales,
                                                      .rows = forward->num_tokens,
                                                      .dim = spec->heads * spec->head_size,
                                                      .keeps = true});
}

void forward_attend(const struct forward *forward, int32_t index, const struct head_rows *heads) {
    const struct attention_spec *spec = &forward->model->config.specs[index].attention;
    const struct layer *layer = &forward->model->layers[index];
    const struct kv_cache *cache = &forward->views[layer->group][layer->view];
    const struct batch *batch = &forward->batches[layer->group];
    ASSERT(cache->num_kv_heads == spec->kv_heads && cache->head_size == spec->head_size);
    ASSERT(layer->place < cache->num_layers);
    const bool each_head = spec->qk_norm == QK_NORM_HEAD || spec->unit_norm;
    const bool normed = spec->value_norm && !layer->v.data; // keys are already
    const struct rope_and_cache rope = {
        .q = heads->q,
        .k = heads->k,
        .v = heads->v,
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
        .out = heads->attended,
        .q = heads->q,
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
    if (spec->tempered) temper(forward, spec, heads->q);
    forward->backend->attention(forward->device, &(struct attention){rope, paged});
}

// residual += W_o (attention(rope(q), rope(k), v)), gated where there are gates
static void enqueue(const struct forward *forward, int32_t index) {
    const struct attention_spec *spec = &forward->model->config.specs[index].attention;
    const struct layer *layer = &forward->model->layers[index];
    struct scratch scratch = forward->mixer_scratch;
    struct attention_rows rows = lay_out(&scratch, spec);
    if (layer_shares_kv(&forward->model->config, index)) rows.heads.k = rows.heads.v = NULL;
    if (spec->value_norm) {
        project_normed(forward, spec, layer, &rows);
    } else {
        struct linear_input in = forward_input(forward, layer->attn_norm);
        const bool parallel = forward->model->config.specs[index].parallel;
        in.keeps = in.norm && (layer->attn_gate.rows > 0 || parallel); // which read it, too
        if (spec->qk_norm == QK_NORM_ROW)
            project_normed_rows(forward, spec, layer, &rows, &in);
        else
            project(forward, layer, &rows, &in);
    }
    if (rows.narrow_v && rows.heads.v) widen_values(forward, spec, &rows);
    read_gates(forward, spec, layer, &rows);
    forward_attend(forward, index, &rows.heads);
    if (rows.narrow)
        copy_heads(forward,
                   &(struct head_copy){rows.narrow, rows.heads.attended, spec->heads,
                                       spec->value_size, 0, spec->head_size, spec->value_size});
    if (rows.gate)
        forward_gate(forward, spec->softplus_gate ? ACT_SOFTPLUS : ACT_SIGMOID, rows.gate,
                     rows.heads.attended, spec->heads * spec->head_size);
    void *mixed = rows.gate ? rows.gate : rows.narrow ? rows.narrow : rows.heads.attended;
    forward_add_mixed(forward, index, mixed);
}

// Files may have a matrix of keys, and what belongs to it, in layers that see another's.
static void skip_keys(struct loader *loader) {
    static const char *const parts[] = {"attn_k.weight", "attn_v.weight", "attn_k_norm.weight"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        loader_skip(loader, parts[i]);
}

// Where a file has q, k and v as one matrix, and their biases as one vector. False: it has not.
static bool load_fused_qkv(struct loader *loader, const struct attention_spec *spec,
                           struct layer *layer) {
    static const char part[] = "attn_qkv.weight";
    const int32_t k_rows = spec->kv_heads * spec->head_size;
    const int32_t v_rows = spec->kv_heads * value_size_of(spec);
    const int32_t rows[] = {spec->heads * spec->head_size, k_rows, v_rows};
    if (!loader_peek(loader, part)) return false;
    loader_matrices(loader, part, loader->model->config.dim,
                    (struct weight *const[]){&layer->q, &layer->k, &layer->v}, rows, 3);
    const float *bias = loader_vector(loader, "attn_qkv.bias", rows[0] + k_rows + v_rows,
                                      spec->qkv_bias ? TENSOR_REQUIRED : TENSOR_OPTIONAL);
    if (!bias) return true;
    layer->q_bias = bias;
    layer->k_bias = bias + rows[0];
    layer->v_bias = bias + rows[0] + k_rows;
    return true;
}

static void load_qkv(struct loader *loader, const struct attention_spec *spec, bool shares_kv,
                     struct layer *layer) {
    const int32_t dim = loader->model->config.dim, kv_rows = spec->kv_heads * spec->head_size;
    const int32_t q_rows = spec->heads * spec->head_size * (spec->gate == GATE_WITH_Q ? 2 : 1);
    const int32_t v_rows = spec->kv_heads * value_size_of(spec);
    const enum presence bias = spec->qkv_bias ? TENSOR_REQUIRED : TENSOR_OPTIONAL;
    const enum presence own = shares_kv ? TENSOR_ABSENT : TENSOR_REQUIRED;
    layer->q = loader_matrix(loader, "attn_q.weight", q_rows, dim, TENSOR_REQUIRED);
    layer->k = loader_matrix(loader, "attn_k.weight", kv_rows, dim, own);
    layer->v = loader_matrix(loader, "attn_v.weight", v_rows, dim,
                             own && spec->value_optional ? TENSOR_OPTIONAL : own);
    layer->q_bias = loader_vector(loader, "attn_q.bias", q_rows, bias);
    layer->k_bias = loader_vector(loader, "attn_k.bias", kv_rows, bias);
    layer->v_bias = loader_vector(loader, "attn_v.bias", v_rows, bias);
}

static void load(struct loader *loader, const struct layer_spec *layer_spec, struct layer *layer) {
    const struct attention_spec *spec = &layer_spec->attention;
    const int32_t size = spec->head_size, dim = loader->model->config.dim;
    const int32_t q_rows = spec->heads * size, kv_rows = spec->kv_heads * size;
    const bool each_head = spec->qk_norm == QK_NORM_HEAD;
    const enum presence norm = spec->qk_norm != QK_NORM_NONE ? TENSOR_REQUIRED : TENSOR_ABSENT;
    const bool shares_kv = layer_shares_kv(&loader->model->config, loader->layer);
    if (!load_fused_qkv(loader, spec, layer)) load_qkv(loader, spec, shares_kv, layer);
    layer->q_norm = loader_vector(loader, "attn_q_norm.weight", each_head ? size : q_rows, norm);
    if (shares_kv)
        skip_keys(loader);
    else
        layer->k_norm =
            loader_vector(loader, "attn_k_norm.weight", each_head ? size : kv_rows, norm);
    if (spec->unit_norm) layer->q_norm = layer->k_norm = loader->model->ones;
    const bool of_heads = spec->gate == GATE_HEAD, own_gate = of_heads || spec->gate == GATE_MATRIX;
    layer->attn_gate = loader_matrix(loader, "attn_gate.weight", of_heads ? spec->heads : q_rows,
                                     dim, own_gate ? TENSOR_REQUIRED : TENSOR_ABSENT);
    layer->o = loader_matrix(loader, "attn_output.weight", dim, spec->heads * value_size_of(spec),
                             TENSOR_REQUIRED);
    layer->o_bias = loader_vector(loader, "attn_output.bias", dim,
                                  spec->output_bias ? TENSOR_REQUIRED : TENSOR_OPTIONAL);
    layer->sinks = loader_vector(loader, "attn_sinks.weight", spec->heads,
                                 spec->sinks ? TENSOR_REQUIRED : TENSOR_ABSENT);
}

static const struct figure_names figures[] = {
    {"attention.key_length", {"head_dim", "attention_head_dim"}},
    {"attention.value_length", {"head_dim", "attention_head_dim"}},
    {"attention.scale", {"attention_multiplier"}},
    {"attention.query_scale", {"qk_scale_factor"}},
    {"attention.value_scale", {"attention_value_scale"}},
    {"attn_logit_softcapping", {"attn_logit_softcapping"}},
    {0}};

const struct layer_part attention_part = {load, measure, enqueue, figures, NULL};
