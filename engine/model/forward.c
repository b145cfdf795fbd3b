#include "engine/model/forward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/assert.h"
#include "engine/base/size.h"
#include "engine/model/kv_shape.h"

enum { BUFFERS_MAX = 28, ALIGNMENT = 64 };

// Activations, one row a token, in the backend's own type.
struct activations {
    void *x;            // [max_tokens, dim] the residual stream
    void *normed;       // [max_tokens, dim]
    void *q, *attended; // [max_tokens, heads * head_size]
    void *k, *v;        // [max_tokens, kv_heads * head_size]
    void *gate, *up;    // [max_tokens, ffn]

    // Where the family needs them; the first three are of the residual's type.
    void *branch;    // [max_tokens, dim] what is to be added to the stream
    void *wide_q;    // [max_tokens, heads * head_size] before the norm of all heads as one row
    void *wide_k;    // [max_tokens, kv_heads * head_size]; or before that of values
    void *scores;    // [max_tokens, experts]
    int32_t *chosen; // [max_tokens, experts_used]
    float *shares;   // [max_tokens, experts_used]
    void *sum;       // [max_tokens, dim] residual, of the dense part and the experts beside it

    // Where layers are told of the token: its embedding, and what one layer is told.
    void *start;            // [max_tokens, dim]
    void *told;             // [max_tokens, layer_input]
    void *looked_up, *seen; // [max_tokens, layer_input] residual
};

// What a batch says about its tokens: filled on the host, copied to the device by a run, in one
// piece that ends with as much of the block table as is used.
struct step_data {
    int32_t *token_ids, *positions; // [max_tokens]
    int64_t *slot_mapping;          // [max_tokens]
    int32_t *cu_seqlens_q;          // [max_seqs + 1]
    int32_t *seq_lens_kv;           // [max_seqs]
    int32_t *row_index;             // [max_logits]
    struct choice *choices;         // [max_logits]
    int32_t *block_table;           // [max_seqs, max_blocks], used as [num_seqs, widest]
    struct penalty *penalties;      // [max_logits, PENALTIES_MAX], sent apart, where there are any
};

struct buffer {
    void *memory;
    size_t bytes;
};

struct forward {
    const struct model *model;
    const struct kv_cache *cache;
    struct kv_cache views[KV_VIEWS]; // of it, as its layers see it
    const struct backend *backend;
    struct device *device;
    struct forward_limits limits;
    int32_t max_blocks; // of one sequence

    int32_t num_seqs, num_tokens, num_logits;
    const struct block_table **tables; // [max_seqs] of this batch, borrowed
    void *host_step, *device_step;     // [step_bytes]
    size_t step_bytes;
    struct step_data host, on_device; // in them
    struct batch batch;

    struct activations activations;
    float *logits;          // [max_logits, vocabulary]
    float *host_logits;     // the same shape: rows that are wanted whole
    struct candidate *best; // [max_logits, CANDIDATES_MAX] host
    size_t logits_bytes, best_bytes;
    int32_t most; // candidates of a row, rounded up to a class; 0: no row is chosen from
    int32_t num_penalties;
    struct buffer buffers[BUFFERS_MAX];
    int32_t buffer_count;
    bool short_of_memory;
};

static void *take(struct forward *forward, int32_t rows, size_t row_bytes) {
    ASSERT(forward->buffer_count < BUFFERS_MAX);
    struct buffer *buffer = &forward->buffers[forward->buffer_count];
    buffer->bytes = (size_t)rows * row_bytes;
    if (forward->backend->alloc(forward->device, buffer->bytes, &buffer->memory) != STATUS_OK) {
        forward->short_of_memory = true;
        return NULL;
    }
    forward->buffer_count++;
    return buffer->memory;
}

struct slab {     // of memory, given away from its beginning
    char *memory; // NULL: only added up
    size_t used;
};

static void *place(struct slab *slab, size_t count, size_t element_bytes) {
    void *at = slab->memory ? slab->memory + slab->used : NULL;
    slab->used += size_round_up(count * element_bytes, ALIGNMENT);
    return at;
}

static struct step_data lay_out(const struct forward *forward, struct slab *slab) {
    const struct forward_limits *limits = &forward->limits;
    const size_t tokens = (size_t)limits->max_tokens, seqs = (size_t)limits->max_seqs;
    struct step_data data; // in this order: up to the table, as far as that is used, in one copy
    data.token_ids = place(slab, tokens, sizeof(int32_t));
    data.positions = place(slab, tokens, sizeof(int32_t));
    data.slot_mapping = place(slab, tokens, sizeof(int64_t));
    data.cu_seqlens_q = place(slab, seqs + 1, sizeof(int32_t));
    data.seq_lens_kv = place(slab, seqs, sizeof(int32_t));
    data.row_index = place(slab, (size_t)limits->max_logits, sizeof(int32_t));
    data.choices = place(slab, (size_t)limits->max_logits, sizeof(struct choice));
    data.block_table = place(slab, seqs * (size_t)forward->max_blocks, sizeof(int32_t));
    data.penalties =
        place(slab, (size_t)limits->max_logits * PENALTIES_MAX, sizeof(struct penalty));
    return data;
}

static void *take_host(struct forward *forward, size_t bytes) {
    void *memory = NULL;
    if (forward->backend->alloc_host(forward->device, bytes, &memory) != STATUS_OK)
        forward->short_of_memory = true;
    return memory;
}

static void take_step_data(struct forward *forward) {
    struct slab sum = {0}, host = {0}, device = {0};
    lay_out(forward, &sum);
    forward->step_bytes = sum.used;
    host.memory = take_host(forward, sum.used);
    device.memory = take(forward, 1, sum.used);
    forward->host_step = host.memory;
    forward->device_step = device.memory;
    if (forward->short_of_memory) return;
    memset(host.memory, 0, sum.used);
    forward->host = lay_out(forward, &host);
    forward->on_device = lay_out(forward, &device);
}

// Whether what a layer adds to the stream is more than a product.
static bool has_branch(const struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    bool biased = false;
    for (int32_t i = 0; i < config->layers; i++)
        biased = biased || forward->model->layers[i].o_bias;
    return biased || config->family->post_norm || config->residual_scale != 1 || config->experts;
}

// The widest rows of any layer, in elements.
struct widths {
    size_t q, kv, ffn;
    int32_t head_size;
};

static struct widths widest(const struct model_config *config) {
    struct widths most = {0};
    for (int32_t i = 0; i < config->layers; i++) {
        const int32_t size = layer_head_size(config, i);
        const size_t kv = (size_t)layer_kv_heads(config, i) * (size_t)size;
        if (size > most.head_size) most.head_size = size;
        if (kv > most.kv) most.kv = kv;
    }
    most.q = (size_t)config->heads * (size_t)most.head_size;
    most.ffn = (size_t)(config->layer_input > config->ffn ? config->layer_input : config->ffn);
    return most;
}

static void take_layer_inputs(struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    struct activations *a = &forward->activations;
    const size_t element = (size_t)dtype_block_bytes(forward->backend->activation);
    const size_t residual = (size_t)dtype_block_bytes(forward->backend->residual);
    const size_t dim = (size_t)config->dim, input = (size_t)config->layer_input;
    const int32_t rows = forward->limits.max_tokens;
    a->start = take(forward, rows, dim * element);
    a->told = take(forward, rows, input * element);
    a->looked_up = take(forward, rows, input * residual);
    a->seen = take(forward, rows, input * residual);
}

static void take_more_activations(struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    struct activations *a = &forward->activations;
    const size_t element = (size_t)dtype_block_bytes(forward->backend->residual);
    const size_t used = (size_t)config->experts_used;
    const struct widths width = widest(config);
    const int32_t rows = forward->limits.max_tokens;
    if (has_branch(forward)) a->branch = take(forward, rows, (size_t)config->dim * element);
    if (config->family->qk_norm == QK_NORM_WIDTH)
        a->wide_q = take(forward, rows, width.q * element);
    if (config->family->qk_norm == QK_NORM_WIDTH || config->family->value_norm)
        a->wide_k = take(forward, rows, width.kv * element);
    if (config->layer_input) take_layer_inputs(forward);
    if (!config->experts) return;
    if (config->family->dense_beside) a->sum = take(forward, rows, (size_t)config->dim * element);
    a->scores = take(forward, rows, (size_t)config->experts * element);
    a->chosen = take(forward, rows, used * sizeof *a->chosen);
    a->shares = take(forward, rows, used * sizeof *a->shares);
}

static void take_activations(struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    const size_t element = (size_t)dtype_block_bytes(forward->backend->activation);
    const struct widths width = widest(config);
    const size_t dim = (size_t)config->dim * element, ffn = width.ffn * element;
    const size_t residual =
        (size_t)config->dim * (size_t)dtype_block_bytes(forward->backend->residual);
    const size_t q = width.q * element, kv = width.kv * element;
    const int32_t rows = forward->limits.max_tokens;
    forward->activations = (struct activations){
        .x = take(forward, rows, residual),
        .normed = take(forward, rows, dim),
        .q = take(forward, rows, q),
        .attended = take(forward, rows, q),
        .k = take(forward, rows, kv),
        .v = take(forward, rows, kv),
        .gate = take(forward, rows, ffn),
        .up = take(forward, rows, ffn),
    };
    take_more_activations(forward);
}

static void take_logits(struct forward *forward) {
    const size_t rows = (size_t)forward->limits.max_logits;
    const size_t row_bytes = (size_t)forward->model->config.vocabulary * sizeof(float);
    forward->logits_bytes = rows * row_bytes;
    forward->best_bytes = rows * CANDIDATES_MAX * sizeof(struct candidate);
    forward->logits = take(forward, forward->limits.max_logits, row_bytes);
    forward->host_logits = take_host(forward, forward->logits_bytes);
    forward->best = take_host(forward, forward->best_bytes);
}

static enum status reserve_scratch(const struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    const int32_t head_size = widest(config).head_size;
    const int32_t widths[] = {config->dim, config->ffn, config->heads * head_size,
                              config->expert_ffn, config->layer_input};
    int32_t features = 0;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        features = widths[i] > features ? widths[i] : features;
    const struct workspace workspace = {
        .max_tokens = forward->limits.max_tokens,
        .max_features = features,
        .max_seqs = forward->limits.max_seqs,
        .max_context = forward->limits.max_context,
        .num_heads = config->heads,
        .head_size = head_size,
        .attention = forward->limits.attention,
        .max_logits = forward->limits.max_logits,
        .vocabulary = config->vocabulary,
        .experts = config->experts,
        .experts_used = config->experts_used,
        .expert_rows = config->expert_ffn,
    };
    return forward->backend->reserve(forward->device, &workspace);
}

enum status forward_create(const struct model *model, const struct kv_cache *cache,
                           const struct forward_limits *limits, struct forward **result) {
    ASSERT(limits->max_tokens > 0 && limits->max_seqs > 0 && limits->max_logits > 0);
    struct forward *forward = calloc(1, sizeof *forward);
    if (!forward) return STATUS_NO_MEMORY;
    forward->model = model;
    forward->cache = cache;
    for (int view = 0; view < KV_VIEWS; view++) {
        forward->views[view] = *cache;
        kv_shape_set(&forward->views[view], &model->config, view);
    }
    forward->backend = model->backend;
    forward->device = model->device;
    forward->limits = *limits;
    forward->max_blocks = (limits->max_context + cache->block_size - 1) / cache->block_size;
    forward->tables = calloc((size_t)limits->max_seqs, sizeof(const struct block_table *));
    forward->short_of_memory = forward->tables == NULL;
    take_step_data(forward);
    take_activations(forward);
    take_logits(forward);
    if (forward->short_of_memory || reserve_scratch(forward) != STATUS_OK) {
        forward_destroy(forward);
        return STATUS_NO_MEMORY;
    }
    *result = forward;
    return STATUS_OK;
}

void forward_destroy(struct forward *forward) {
    if (!forward) return;
    for (int32_t i = 0; i < forward->buffer_count; i++)
        forward->backend->release(forward->device, forward->buffers[i].memory,
                                  forward->buffers[i].bytes);
    forward->backend->release_host(forward->device, forward->host_logits, forward->logits_bytes);
    forward->backend->release_host(forward->device, forward->best, forward->best_bytes);
    forward->backend->release_host(forward->device, forward->host_step, forward->step_bytes);
    free(forward->tables);
    free(forward);
}

void forward_begin(struct forward *forward) {
    forward->num_seqs = forward->num_tokens = forward->num_logits = 0;
    forward->most = forward->num_penalties = 0;
}

void forward_add(struct forward *forward, const struct block_table *table, const int32_t *ids,
                 int32_t first, int32_t count, int32_t logits) {
    ASSERT(count > 0 && first >= 0 && first + count <= table->length);
    ASSERT(first + count <= forward->limits.max_context);
    ASSERT(forward->num_seqs < forward->limits.max_seqs);
    ASSERT(forward->num_tokens + count <= forward->limits.max_tokens);
    ASSERT(logits >= 0 && logits <= count);
    ASSERT(forward->num_logits + logits <= forward->limits.max_logits);
    struct step_data *host = &forward->host;
    const int32_t block_size = forward->cache->block_size;
    for (int32_t i = 0; i < count; i++) {
        const int32_t position = first + i, row = forward->num_tokens + i;
        ASSERT(ids[i] >= 0 && ids[i] < forward->model->config.vocabulary);
        host->token_ids[row] = ids[i];
        host->positions[row] = position;
        host->slot_mapping[row] =
            (int64_t)table->blocks[position / block_size] * block_size + position % block_size;
    }
    host->cu_seqlens_q[forward->num_seqs] = forward->num_tokens;
    host->seq_lens_kv[forward->num_seqs] = first + count;
    forward->tables[forward->num_seqs++] = table;
    forward->num_tokens += count;
    host->cu_seqlens_q[forward->num_seqs] = forward->num_tokens;
    for (int32_t i = 0; i < logits; i++) {
        host->choices[forward->num_logits] = (struct choice){0};
        host->row_index[forward->num_logits++] = forward->num_tokens - logits + i;
    }
}

// How many candidates a backend is told to be ready for: few classes, so that few steps differ.
static const int32_t CLASSES[] = {0, 1, 64, CANDIDATES_MAX};

static uint64_t class_of(int32_t most) {
    uint64_t nth = 0;
    while (CLASSES[nth] < most)
        nth++;
    return nth;
}

void forward_choose(struct forward *forward, const struct choice *choice,
                    const struct penalty *penalties) {
    ASSERT(forward->num_logits > 0);
    ASSERT(choice->count > 0 && choice->count <= CANDIDATES_MAX);
    ASSERT(choice->num_penalties >= 0 && choice->num_penalties <= PENALTIES_MAX);
    struct choice *place = &forward->host.choices[forward->num_logits - 1];
    ASSERT(place->count == 0);
    *place = *choice;
    place->first_penalty = forward->num_penalties;
    for (int32_t i = 0; i < choice->num_penalties; i++)
        forward->host.penalties[forward->num_penalties++] = penalties[i];
    const int32_t most = CLASSES[class_of(choice->count)];
    if (most > forward->most) forward->most = most;
}

// Blocks that the keys of a sequence lie in. Its table may have more already.
static int32_t used_blocks(const struct forward *forward, int32_t seq) {
    const int32_t block_size = forward->cache->block_size;
    return (forward->host.seq_lens_kv[seq] + block_size - 1) / block_size;
}

static bool only_decodes(const struct forward *forward) {
    return forward->num_tokens == forward->num_seqs;
}

// How wide the tables side by side are: as the widest; in a decode step in powers of two, so that
// many steps have one shape.
static int32_t table_width(const struct forward *forward) {
    enum { LEAST = 32 };
    int32_t widest = 1, width = LEAST;
    for (int32_t s = 0; s < forward->num_seqs; s++)
        if (used_blocks(forward, s) > widest) widest = used_blocks(forward, s);
    if (!only_decodes(forward)) return widest;
    while (width < widest)
        width *= 2;
    return width < forward->max_blocks ? width : forward->max_blocks;
}

// The tables side by side: [num_seqs, widest], right-padded with 0.
static int32_t pack_tables(struct forward *forward) {
    const int32_t widest = table_width(forward);
    int32_t *out = forward->host.block_table;
    memset(out, 0, (size_t)forward->num_seqs * (size_t)widest * sizeof out[0]);
    for (int32_t s = 0; s < forward->num_seqs; s++)
        for (int32_t i = 0; i < used_blocks(forward, s); i++)
            out[(size_t)s * (size_t)widest + (size_t)i] = (int32_t)forward->tables[s]->blocks[i];
    return widest;
}

static void send_step_data(struct forward *forward) {
    const int32_t widest = pack_tables(forward);
    const struct step_data *device = &forward->on_device;
    const size_t used = (size_t)forward->num_seqs * (size_t)widest * sizeof(int32_t);
    const size_t table = (size_t)((char *)forward->host.block_table - (char *)forward->host_step);
    forward->backend->to_device(forward->device, forward->device_step, forward->host_step,
                                table + used);
    if (forward->num_penalties > 0)
        forward->backend->to_device(forward->device, device->penalties, forward->host.penalties,
                                    (size_t)forward->num_penalties * sizeof(struct penalty));
    forward->batch = (struct batch){
        .num_seqs = forward->num_seqs,
        .num_tokens = forward->num_tokens,
        .max_blocks_per_seq = widest,
        .cu_seqlens_q = device->cu_seqlens_q,
        .seq_lens_kv = device->seq_lens_kv,
        .block_table = device->block_table,
        .positions = device->positions,
        .slot_mapping = device->slot_mapping,
    };
}

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

// A factor as verbs take it: none rather than 1.
static float factor(float scale) { return scale == 1.0f ? 0.0f : scale; }

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
                                                                   .gain = factor(gain)});
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

static void norm_rows(const struct forward *forward, void *y, const void *x, const float *weight,
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
    norm_rows(forward, a->normed, a->x, layer->attn_norm, forward->model->config.dim);
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
    norm_rows(forward, a->q, a->wide_q, layer->q_norm, config->heads * config->head_size);
    norm_rows(forward, a->k, a->wide_k, layer->k_norm, config->kv_heads * config->head_size);
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

// branch = what the experts that the router chooses say of normed, each by its share
static void ask_experts(struct forward *forward, const struct layer *layer) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens;
    norm_rows(forward, a->normed, a->x, layer->router_norm ? layer->router_norm : layer->ffn_norm,
              config->dim);
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
    if (layer->expert_norm) norm_rows(forward, a->normed, a->x, layer->expert_norm, config->dim);
    forward->backend->experts(forward->device, &(struct experts){.y = a->branch,
                                                                 .x = a->normed,
                                                                 .chosen = a->chosen,
                                                                 .shares = a->shares,
                                                                 .gate = layer->expert_gate,
                                                                 .up = layer->expert_up,
                                                                 .down = layer->expert_down,
                                                                 .tokens = tokens,
                                                                 .experts = config->experts,
                                                                 .used = config->experts_used,
                                                                 .act = config->family->act});
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
    ask_experts(forward, layer);
    add_to_sum(forward, layer->expert_post_norm, false);
    forward->backend->add_rows(
        forward->device, &(struct add_rows){.x = a->x,
                                            .y = a->sum,
                                            .norm = layer->ffn_post_norm,
                                            .rows = forward->num_tokens,
                                            .dim = config->dim,
                                            .eps = config->norm_eps,
                                            .scale = 1,
                                            .gain = factor(feed_forward_gain(forward, layer))});
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
        ask_experts(forward, layer);
        add_branch(forward, layer->ffn_post_norm, layer->gain);
    } else {
        feed_forward(forward, layer);
    }
    if (forward->model->config.layer_input) add_told(forward, layer, index);
}

static void enqueue(struct forward *forward) {
    const struct model *model = forward->model;
    const struct model_config *config = &model->config;
    const struct activations *a = &forward->activations;
    forward->backend->embedding(forward->device,
                                &(struct embedding){.y = a->x,
                                                    .token_ids = forward->on_device.token_ids,
                                                    .table = model->embedding,
                                                    .tokens = forward->num_tokens,
                                                    .scale = factor(config->embedding_scale)});
    if (config->layer_input) narrow_rows(forward, a->start, a->x, config->dim);
    for (int32_t i = 0; i < config->layers; i++)
        run_layer(forward, i);
    if (forward->num_logits == 0) return;
    norm_rows(forward, a->normed, a->x, model->output_norm, config->dim);
    forward->backend->logits(forward->device,
                             &(struct logits){.y = forward->logits,
                                              .x = a->normed,
                                              .row_index = forward->on_device.row_index,
                                              .weight = model->output,
                                              .rows = forward->num_logits,
                                              .scale = factor(config->logit_scale),
                                              .softcap = config->logit_softcap});
    if (forward->most == 0) return;
    forward->backend->candidates(forward->device,
                                 &(struct candidates){.best = forward->best,
                                                      .logits = forward->logits,
                                                      .choices = forward->on_device.choices,
                                                      .penalties = forward->on_device.penalties,
                                                      .rows = forward->num_logits,
                                                      .vocabulary = config->vocabulary,
                                                      .most = forward->most});
}

static bool is_whole(const struct forward *forward, int32_t row) {
    return row < forward->num_logits && forward->host.choices[row].count == 0;
}

// Rows that nobody chose from, neighbours in one copy.
static void fetch_whole_rows(struct forward *forward) {
    const size_t vocabulary = (size_t)forward->model->config.vocabulary;
    for (int32_t row = 0, end; row < forward->num_logits; row = end + 1) {
        for (end = row; is_whole(forward, end);)
            end++;
        const size_t first = (size_t)row * vocabulary, count = (size_t)(end - row) * vocabulary;
        if (count > 0)
            forward->backend->to_host(forward->device, forward->host_logits + first,
                                      forward->logits + first, count * sizeof(float));
    }
}

// What the arguments of all verbs of a decode step depend on; 0: not to be recorded.
static uint64_t shape_of(const struct forward *forward) {
    if (!forward->backend->replay || !only_decodes(forward)) return 0;
    return class_of(forward->most) << 60 | (uint64_t)forward->num_seqs << 48 |
           (uint64_t)forward->num_logits << 32 | (uint64_t)forward->batch.max_blocks_per_seq;
}

enum status forward_run(struct forward *forward) {
    ASSERT(forward->num_seqs > 0);
    const struct backend *backend = forward->backend;
    send_step_data(forward);
    const uint64_t shape = shape_of(forward);
    if (!shape) {
        enqueue(forward);
    } else if (!backend->replay(forward->device, shape)) {
        enqueue(forward);
        if (!backend->recorded(forward->device)) enqueue(forward);
    }
    fetch_whole_rows(forward);
    return backend->sync(forward->device);
}

float *forward_logits(struct forward *forward, int32_t row) {
    ASSERT(row >= 0 && is_whole(forward, row));
    return forward->host_logits + (size_t)row * (size_t)forward->model->config.vocabulary;
}

const struct candidate *forward_candidates(const struct forward *forward, int32_t row) {
    ASSERT(row >= 0 && row < forward->num_logits);
    return is_whole(forward, row) ? NULL : forward->best + (size_t)row * CANDIDATES_MAX;
}
