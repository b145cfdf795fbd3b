// engine/model/latent_attention.c — attention whose keys and values are compressed to one row.
//
// All heads' keys and values are products of one latent row of a token (arXiv 2405.04434), and that
// row is all that the cache holds, behind the part of a key that carries the position:
//
//   key of head h    = [ rotated part, one for all heads | K_h c ]     c: [kv_rank], normed
//   value of head h  = V_h c
//
// A query's product with K_h c is that of K_h^T q with c. So queries are multiplied by each head's
// K_h^T, the cached row is the key and the value of one KV head that all heads share, and each
// head's result is multiplied by its V_h afterwards. Nothing of the size heads * keys is ever
// formed. The price is two small products for each head, whose rows have to lie head by head; that
// is what the copies are for.
#include <math.h>
#include <stdlib.h>

#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "engine/model/metadata.h"
#include "engine/model/rope.h"
#include "kernels/base/assert.h"

// What YaRN adds to scores where latent attention has a multiplier, and not to cosine and sine.
// llama.cpp multiplies it by ten as it reads it, and writes it so.
static float yarn_score_scale(struct metadata *metadata, struct rope *rope) {
    const float stated = metadata_float(metadata, "rope.scaling.yarn_log_multiplier", 0);
    const float multiplier = metadata_is_of_writer(metadata) ? stated / 10 : stated;
    if (rope->scaling != ROPE_YARN || multiplier == 0) return 1;
    rope->attention_factor = metadata_float(metadata, "rope.scaling.attn_factor", 1);
    return rope->factor > 1 ? 1 + multiplier * logf(rope->factor) : 1;
}

// Older files state the sizes of keys and values that are not compressed; newer ones those of what
// is cached, and the others apart.
void latent_attention_read(struct metadata *metadata, const struct model_config *config,
                           struct attention_spec *attention) {
    static const char key_length[] = "attention.key_length", rank[] = "attention.kv_lora_rank";
    struct latent_spec *latent = &attention->latent;
    int32_t size = metadata_int(metadata, key_length, 0, MODEL_MAX_HEAD_SIZE);
    const int32_t equal_share =
        config->dim / attention->heads; // where MiniCPM 3's files say nothing
    int32_t value =
        metadata_int(metadata, "attention.value_length", equal_share, MODEL_MAX_HEAD_SIZE);
    size = metadata_int(metadata, "attention.key_length_mla", size, MODEL_MAX_HEAD_SIZE);
    value = metadata_int(metadata, "attention.value_length_mla", value, MODEL_MAX_HEAD_SIZE);
    attention->rope = rope_read(metadata, &attention->rope, config, size);
    latent->kv_rank = metadata_int(metadata, rank, 0, MODEL_MAX_HEAD_SIZE);
    latent->q_rank = metadata_count(metadata, "attention.q_lora_rank", MODEL_MAX_DIM);
    latent->plain_size = size - attention->rope.dimensions;
    latent->value_size = value;
    attention->head_size = attention->rope.dimensions + latent->kv_rank;
    if (latent->plain_size < 1)
        metadata_fail(metadata, STATUS_BAD_FILE, key_length,
                      "must be longer than rope.dimension_count");
    if (attention->head_size > MODEL_MAX_HEAD_SIZE)
        metadata_fail(metadata, STATUS_UNSUPPORTED, rank, "is larger than supported");
    const float stretch = yarn_score_scale(metadata, &attention->rope);
    attention->scale = stretch * stretch / sqrtf((float)size);
}

// What is read for the last time before another is written has its memory: the rows of all heads
// are what such a layer needs most memory for.
struct latent_rows {
    struct head_rows heads;
    void *unnormed_q_latent, *unnormed_kv_latent; // [tokens, q_rank], [tokens, kv_rank] residual
    void *rotated_key, *kv_latent;                // [tokens, rotated], [tokens, kv_rank]
    void *q_full, *mixed;         // [tokens, heads, plain + rotated], then [tokens, heads, value]
    void *q_latent, *q_plain;     // [tokens, q_rank], then [heads, tokens, plain], and last
    void *values;                 // [heads, tokens, value] = V_h of latent_result
    void *q_absorbed, *q_rotated; // [heads, tokens, kv_rank] = K_h^T q, then [heads, tokens,
                                  // rotated], where attention writes its result
    void *latent_result;          // [heads, tokens, kv_rank], where its queries were
};

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static struct latent_rows lay_out(struct scratch *scratch, const struct attention_spec *spec) {
    const struct latent_spec *latent = &spec->latent;
    const int32_t rotated = spec->rope.dimensions, plain = latent->plain_size;
    const int32_t rank = latent->kv_rank, value = latent->value_size, q_rank = latent->q_rank;
    const int32_t heads = spec->heads;
    void *q = scratch_rows(scratch, heads * spec->head_size);
    void *attended = scratch_rows(scratch, heads * spec->head_size);
    void *full = scratch_rows(scratch, heads * larger(plain + rotated, value));
    void *part = scratch_rows(scratch, larger(heads * larger(plain, value), q_rank));
    return (struct latent_rows){
        .heads = {.q = q, .k = scratch_rows(scratch, spec->head_size), .attended = attended},
        .unnormed_q_latent = q_rank > 0 ? scratch_residual_rows(scratch, q_rank) : NULL,
        .unnormed_kv_latent = scratch_residual_rows(scratch, rank),
        .rotated_key = scratch_rows(scratch, rotated),
        .kv_latent = scratch_rows(scratch, rank),
        .q_full = full,
        .mixed = full,
        .q_latent = part,
        .q_plain = part,
        .values = part,
        .q_absorbed = attended,
        .q_rotated = attended,
        .latent_result = q,
    };
}

static void measure(struct scratch *scratch, const struct layer_spec *spec) {
    lay_out(scratch, &spec->attention);
}

struct head_parts { // `elements` of each head from `begin` on
    void *tokens;   // [tokens, heads, size]
    void *parts;    // [heads, tokens, elements]
    int32_t heads, size, begin, elements;
};

// The strides of copy_parts() on either side
static void copy_heads(const struct forward *forward, const struct head_parts *of, bool by_head) {
    const size_t part = (size_t)of->elements, all = (size_t)forward->num_tokens * part;
    const size_t head = (size_t)of->size, token = (size_t)of->heads * head;
    void *of_token = forward_element(forward, of->tokens, (size_t)of->begin);
    const struct copy_parts copy = {.y = by_head ? of->parts : of_token,
                                    .x = by_head ? of_token : of->parts,
                                    .rows = of->heads,
                                    .columns = forward->num_tokens,
                                    .elements = of->elements,
                                    .y_row = by_head ? all : head,
                                    .y_column = by_head ? part : token,
                                    .x_row = by_head ? head : all,
                                    .x_column = by_head ? token : part};
    forward->backend->copy_parts(forward->device, &copy);
}

static void split_heads(const struct forward *forward, const struct head_parts *of) {
    copy_heads(forward, of, true);
}

static void join_heads(const struct forward *forward, const struct head_parts *of) {
    copy_heads(forward, of, false);
}

// Each head's rows by a matrix of its own: y [heads, tokens, rows of it].
static void multiply_heads(const struct forward *forward, void *y, void *x,
                           const struct weight *weights, int32_t heads) {
    const size_t tokens = (size_t)forward->num_tokens;
    for (int32_t h = 0; h < heads; h++) {
        const size_t nth = (size_t)h * tokens;
        void *to = forward_element(forward, y, nth * (size_t)weights[h].rows);
        forward_project(forward, forward_element(forward, x, nth * (size_t)weights[h].columns),
                        &(struct projection){to, weights[h], NULL}, LINEAR_ACTIVATION, NULL);
    }
}

// y [tokens, rows of the weight], normed, by way of rows that are not rounded yet
static void compress(const struct forward *forward, void *y, void *unnormed,
                     const struct weight *weight, const float *norm) {
    forward_project(forward, forward->activations.normed,
                    &(struct projection){unnormed, *weight, NULL}, LINEAR_RESIDUAL, NULL);
    forward_norm_rows(forward, y, unnormed, (struct norm){.weight = norm}, weight->rows);
}

// q_full, and the row of heads.k that is cached
static void project(const struct forward *forward, const struct attention_spec *spec,
                    const struct layer *layer, const struct latent_rows *rows) {
    const int32_t rotated = spec->rope.dimensions, size = spec->head_size;
    const bool compressed = spec->latent.q_rank > 0;
    void *normed = forward->activations.normed;
    forward_norm_rows(forward, normed, forward->activations.residual, layer->attn_norm,
                      forward->model->config.dim);
    if (compressed)
        compress(forward, rows->q_latent, rows->unnormed_q_latent, &layer->q_a, layer->q_a_norm);
    forward_project(forward, compressed ? rows->q_latent : normed,
                    &(struct projection){rows->q_full, layer->q, NULL}, LINEAR_ACTIVATION,
                    &layer->lora.q);
    forward_project(forward, normed, &(struct projection){rows->rotated_key, layer->k_rope, NULL},
                    LINEAR_ACTIVATION, NULL);
    join_heads(forward,
               &(struct head_parts){rows->heads.k, rows->rotated_key, 1, size, 0, rotated});
    compress(forward, rows->kv_latent, rows->unnormed_kv_latent, &layer->kv_a, layer->kv_a_norm);
    join_heads(forward, &(struct head_parts){rows->heads.k, rows->kv_latent, 1, size, rotated,
                                             spec->latent.kv_rank});
}

// residual += W_o (V_h attention([rotated q, K_h^T q], cached rows))
static void enqueue(const struct forward *forward, int32_t index) {
    const struct attention_spec *spec = &forward->model->config.specs[index].attention;
    const struct layer *layer = &forward->model->layers[index];
    const struct latent_spec *latent = &spec->latent;
    const int32_t heads = spec->heads, size = spec->head_size, rotated = spec->rope.dimensions;
    const int32_t plain = latent->plain_size, full = plain + rotated, rank = latent->kv_rank;
    const int32_t value = latent->value_size;
    struct scratch scratch = forward->mixer_scratch;
    const struct latent_rows rows = lay_out(&scratch, spec);
    project(forward, spec, layer, &rows);
    split_heads(forward, &(struct head_parts){rows.q_full, rows.q_plain, heads, full, 0, plain});
    multiply_heads(forward, rows.q_absorbed, rows.q_plain, layer->k_b, heads);
    join_heads(forward,
               &(struct head_parts){rows.heads.q, rows.q_absorbed, heads, size, rotated, rank});
    split_heads(forward,
                &(struct head_parts){rows.q_full, rows.q_rotated, heads, full, plain, rotated});
    join_heads(forward,
               &(struct head_parts){rows.heads.q, rows.q_rotated, heads, size, 0, rotated});
    forward_attend(forward, index, &rows.heads);
    split_heads(forward, &(struct head_parts){rows.heads.attended, rows.latent_result, heads, size,
                                              rotated, rank});
    multiply_heads(forward, rows.values, rows.latent_result, layer->v_b, heads);
    join_heads(forward, &(struct head_parts){rows.mixed, rows.values, heads, value, 0, value});
    forward_add_mixed(forward, index, rows.mixed);
}

// A matrix [plain, kv_rank] of a head the other way round.
static struct weight transposed(struct loader *loader, const struct gguf_tensor *tensor,
                                const struct latent_spec *latent, int32_t first) {
    const int32_t rows = latent->kv_rank, columns = latent->plain_size;
    const size_t count = (size_t)rows * (size_t)columns;
    const size_t row_bytes = dtype_row_bytes(tensor->type, rows);
    const float scale = loader_scale(loader, "attn_kv_b.weight", tensor, first);
    struct weight weight = {.rows = rows, .columns = columns};
    float *from = malloc(2 * count * sizeof *from), *to = from ? from + count : NULL;
    ASSERT(((size_t)first + (size_t)columns) * row_bytes <= tensor->bytes);
    if (from)
        dtype_to_float(tensor->type, (const char *)tensor->data + (size_t)first * row_bytes, from,
                       count);
    for (size_t i = 0; i < count && from && scale != 0; i++)
        from[i] *= scale;
    for (size_t i = 0; i < count && from; i++)
        to[i] = from[i % (size_t)columns * (size_t)rows + i / (size_t)columns];
    if (!from || model_copy_floats(loader->model, to, &weight) != STATUS_OK)
        loader_refuse(loader, STATUS_NO_MEMORY, "attn_kv_b.weight",
                      "does not fit in device memory, or has weights too large for the device");
    free(from);
    loader->model->parameters += (int64_t)count;
    return weight;
}

static void load_stacked(struct loader *loader, const char *part, struct extent each,
                         struct weight *matrices) {
    const struct gguf_tensor *tensor = loader_find(loader, part, each, TENSOR_REQUIRED);
    if (tensor) loader_stacked(loader, part, tensor, each, matrices);
}

// K_h^T and V_h of each head: two tensors, or in older files one, [heads, plain + value, kv_rank].
static void load_heads(struct loader *loader, const struct attention_spec *spec,
                       struct layer *layer) {
    static const char k_part[] = "attn_k_b.weight", both_part[] = "attn_kv_b.weight";
    const struct latent_spec *latent = &spec->latent;
    const int32_t rank = latent->kv_rank, plain = latent->plain_size, value = latent->value_size;
    const int32_t heads = spec->heads, both = plain + value;
    ASSERT(rank > 0 && heads > 0 && !layer->k_b);
    layer->k_b = calloc(2 * (size_t)heads, sizeof *layer->k_b);
    if (!layer->k_b) loader_refuse(loader, STATUS_NO_MEMORY, both_part, "not enough memory");
    if (!layer->k_b) return;
    layer->v_b = layer->k_b + heads;
    if (loader_peek(loader, k_part)) {
        load_stacked(loader, k_part, (struct extent){plain, rank, heads}, layer->k_b);
        load_stacked(loader, "attn_v_b.weight", (struct extent){rank, value, heads}, layer->v_b);
        return;
    }
    const struct gguf_tensor *all =
        loader_find(loader, both_part, (struct extent){rank, heads * both, 1}, TENSOR_REQUIRED);
    for (int32_t h = 0; all && h < heads && loader->status == STATUS_OK; h++) {
        layer->k_b[h] = transposed(loader, all, latent, h * both);
        layer->v_b[h] =
            loader_rows(loader, both_part, all, (struct extent){rank, value, 1}, h * both + plain);
    }
}

static void load(struct loader *loader, const struct layer_spec *layer_spec, struct layer *layer) {
    const struct attention_spec *spec = &layer_spec->attention;
    const struct latent_spec *latent = &spec->latent;
    const int32_t dim = loader->model->config.dim, rotated = spec->rope.dimensions;
    const int32_t q_rows = spec->heads * (latent->plain_size + rotated);
    const bool compressed = latent->q_rank > 0;
    if (compressed) {
        layer->q_a = loader_matrix(loader, "attn_q_a.weight", latent->q_rank, dim, TENSOR_REQUIRED);
        layer->q_a_norm =
            loader_vector(loader, "attn_q_a_norm.weight", latent->q_rank, TENSOR_REQUIRED);
    }
    layer->q = loader_matrix(loader, compressed ? "attn_q_b.weight" : "attn_q.weight", q_rows,
                             compressed ? latent->q_rank : dim, TENSOR_REQUIRED);
    loader_matrices(loader, "attn_kv_a_mqa.weight", dim,
                    (struct weight *const[]){&layer->kv_a, &layer->k_rope},
                    (const int32_t[]){latent->kv_rank, rotated}, 2);
    layer->kv_a_norm =
        loader_vector(loader, "attn_kv_a_norm.weight", latent->kv_rank, TENSOR_REQUIRED);
    load_heads(loader, spec, layer);
    layer->o = loader_matrix(loader, "attn_output.weight", dim, spec->heads * latent->value_size,
                             TENSOR_REQUIRED);
}

static const struct figure_names figures[] = {{"attention.value_length", {"v_head_dim"}},
                                              {"attention.kv_lora_rank", {"kv_lora_rank"}},
                                              {"attention.q_lora_rank", {"q_lora_rank"}},
                                              {0}};

const struct layer_part latent_attention_part = {load, measure, enqueue, figures, NULL};
