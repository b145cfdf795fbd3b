#include "engine/model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/adapter.h"
#include "engine/model/config_read.h"
#include "engine/model/kv_shape.h"
#include "engine/model/model_parts.h"
#include "engine/model/rope.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/cost.h"

// One opening of a file: the first failure is kept, so that the list of tensors reads as a list.
struct loader {
    struct model *model;
    const struct gguf *gguf;
    bool *placed; // the file's tensors, in its order, that found their place; owned
    size_t bytes_of_type[DTYPE_COUNT];
    enum status status;
    struct error *err;
    const struct model_options *options;
};

static void refuse_model(struct loader *loader, enum status status, const char *name,
                         const char *what) {
    if (loader->status != STATUS_OK) return;
    loader->status =
        error_set(loader->err, status, "%s: tensor %s: %s", gguf_path(loader->gguf), name, what);
}

// After a call of the device that had no success: a device that has failed says so again.
static void refuse_device(struct loader *loader, const char *name) {
    const struct model *model = loader->model;
    const bool failed = model->backend->sync(model->device) == STATUS_DEVICE;
    refuse_model(loader, failed ? STATUS_DEVICE : STATUS_NO_MEMORY, name,
                 failed ? "cannot be copied to the device" : "does not fit in device memory");
}

static const struct gguf_tensor *find(struct loader *loader, const char *name, bool optional) {
    const struct gguf_tensor *tensor = gguf_find_tensor(loader->gguf, name);
    if (!tensor) {
        if (!optional) refuse_model(loader, STATUS_BAD_FILE, name, "is missing");
        return NULL;
    }
    loader->placed[gguf_tensor_index(loader->gguf, tensor)] = true;
    if (!tensor->known) {
        char what[96];
        snprintf(what, sizeof what, "has type %s (number %" PRIu32 "), which is not supported",
                 gguf_type_name(tensor->file_type), tensor->file_type);
        refuse_model(loader, STATUS_UNSUPPORTED, name, what);
        return NULL;
    }
    return tensor;
}

// Elements of a tensor: `columns` side by side, `rows` of them, `depth` matrices.
struct extent {
    int32_t columns, rows, depth;
};

static bool has_shape(struct loader *loader, const char *name, const struct gguf_tensor *tensor,
                      struct extent extent) {
    ASSERT(extent.columns > 0 && extent.rows > 0 && extent.depth > 0);
    if (tensor->shape[0] == extent.columns && tensor->shape[1] == extent.rows &&
        tensor->shape[2] == extent.depth && tensor->shape[3] == 1) {
        if (extent.columns % dtype_block_elements(tensor->type) == 0) return true;
        refuse_model(loader, STATUS_BAD_FILE, name,
                     "row length is not a multiple of the block size of its type");
        return false;
    }
    char what[160], deep[2][24] = {"", ""};
    if (extent.depth > 1 || tensor->shape[2] > 1) {
        snprintf(deep[0], sizeof deep[0], "%" PRId32 ", ", extent.depth);
        snprintf(deep[1], sizeof deep[1], "%" PRId64 ", ", tensor->shape[2]);
    }
    snprintf(what, sizeof what,
             "expected [%s%" PRId32 ", %" PRId32 "], found [%s%" PRId64 ", %" PRId64 "]", deep[0],
             extent.rows, extent.columns, deep[1], tensor->shape[1], tensor->shape[0]);
    refuse_model(loader, STATUS_BAD_FILE, name, what);
    return false;
}

// Rows of a tensor from `first` on, numbered through all its matrices, in place on the device.
static struct weight rows_of(struct loader *loader, const char *name,
                             const struct gguf_tensor *tensor, struct extent extent,
                             int32_t first) {
    struct model *model = loader->model;
    const size_t row_bytes = dtype_row_bytes(tensor->type, extent.columns);
    ASSERT(first >= 0 && extent.rows > 0);
    ASSERT(((size_t)first + (size_t)extent.rows) * row_bytes <= tensor->bytes);
    const char *data = (const char *)tensor->data + (size_t)first * row_bytes;
    struct weight weight = {data, tensor->type, extent.rows, extent.columns};
    const enum status status = model->backend->weights(model->device, &weight, &weight.data);
    if (status == STATUS_UNSUPPORTED)
        refuse_model(loader, status, name,
                     tensor->type != DTYPE_MXFP4
                         ? "row length must be a multiple of 8 on the GPU; use --backend cpu"
                         : "has weights too large for fp16, which the GPU uses; use --backend cpu");
    else if (status != STATUS_OK)
        refuse_device(loader, name);
    if (status != STATUS_OK) return weight;
    model->weight_bytes += (size_t)extent.rows * row_bytes;
    model->parameters += (int64_t)extent.rows * extent.columns;
    loader->bytes_of_type[tensor->type] += (size_t)extent.rows * row_bytes;
    return weight;
}

static struct weight matrix(struct loader *loader, const char *name, int32_t rows, int32_t columns,
                            bool optional) {
    const struct extent extent = {columns, rows, 1};
    const struct gguf_tensor *tensor = find(loader, name, optional);
    if (!tensor || !has_shape(loader, name, tensor, extent)) return (struct weight){0};
    return rows_of(loader, name, tensor, extent, 0);
}

// One tensor that holds several matrices of the same columns, one below the other.
static void matrices(struct loader *loader, const char *name, int32_t columns,
                     struct weight *const parts[], const int32_t rows[], int32_t count) {
    struct extent extent = {columns, 0, 1};
    ASSERT(count > 0);
    for (int32_t i = 0; i < count; i++)
        extent.rows += rows[i];
    const struct gguf_tensor *tensor = find(loader, name, false);
    if (!tensor || !has_shape(loader, name, tensor, extent)) return;
    for (int32_t i = 0, first = 0; i < count; first += rows[i++])
        *parts[i] = rows_of(loader, name, tensor, (struct extent){columns, rows[i], 1}, first);
}

static const float *to_device(struct loader *loader, const char *name, const float *host,
                              size_t count) {
    ASSERT(count > 0);
    struct model *model = loader->model;
    float *device = model_alloc(model, count * sizeof *host);
    if (device) model->backend->to_device(model->device, device, host, count * sizeof *host);
    if (!device || model->backend->sync(model->device) != STATUS_OK) refuse_device(loader, name);
    return device;
}

// Vectors are small and every kernel wants them in fp32: other types are converted once. Each
// element is multiplied by `scale`.
static const float *scaled_vectors(struct loader *loader, const char *name, struct extent extent,
                                   float scale, bool optional) {
    const struct gguf_tensor *tensor = find(loader, name, optional);
    if (!tensor || !has_shape(loader, name, tensor, extent)) return NULL;
    const size_t count = (size_t)extent.rows * (size_t)extent.columns;
    float *host = malloc(count * sizeof *host);
    if (!host) {
        refuse_model(loader, STATUS_NO_MEMORY, name, "not enough memory");
        return NULL;
    }
    dtype_to_float(tensor->type, tensor->data, host, count);
    for (size_t i = 0; i < count; i++)
        host[i] *= scale;
    const float *device = to_device(loader, name, host, count);
    loader->model->weight_bytes += count * sizeof *host;
    loader->model->parameters += (int64_t)count;
    free(host);
    return device;
}

static const float *vector(struct loader *loader, const char *name, int32_t length, bool optional) {
    return scaled_vectors(loader, name, (struct extent){length, 1, 1}, 1, optional);
}

// A tensor of one number, not 0, for the host.
static float number(struct loader *loader, const char *name, float otherwise) {
    const struct gguf_tensor *tensor = find(loader, name, true);
    float value = otherwise;
    if (!tensor || !has_shape(loader, name, tensor, (struct extent){1, 1, 1})) return otherwise;
    dtype_to_float(tensor->type, tensor->data, &value, 1);
    if (!isfinite(value) || value == 0)
        refuse_model(loader, STATUS_BAD_FILE, name, "is out of range");
    loader->model->parameters++;
    return value;
}

// "blk.7.attn_q.weight"
static const char *layer_name(const struct loader *loader, int32_t layer, const char *part,
                              char name[64]) {
    ASSERT(layer >= 0 && layer < loader->model->config.layers);
    snprintf(name, 64, "blk.%" PRId32 ".%s", loader->model->config.specs[layer].block, part);
    return name;
}

static void refuse_type(struct loader *loader, const char *name, enum dtype found,
                        const char *other, enum dtype expected) {
    char what[96];
    snprintf(what, sizeof what, "has type %s, but %s has type %s; both must have the same type",
             dtype_name(found), other, dtype_name(expected));
    refuse_model(loader, STATUS_UNSUPPORTED, name, what);
}

// Matrices of `count` experts, `step` apart in the list, and where they are.
static struct expert_weights in_place(struct loader *loader, const char *part,
                                      const struct weight *matrices, int32_t count, int32_t step) {
    const void *data[EXPERTS_MAX];
    ASSERT(count > 0 && count <= EXPERTS_MAX && step > 0);
    for (int32_t e = 0; e < count; e++)
        data[e] = matrices[e * step].data;
    if (loader->status != STATUS_OK) return (struct expert_weights){0};
    const void *const *device = model_pointers(loader->model, data, count);
    if (!device) refuse_device(loader, part);
    return (struct expert_weights){device, matrices[0].type, matrices[0].rows, matrices[0].columns,
                                   NULL};
}

// The matrices of a tensor, one for each expert, `rows` below the other: in one call where the
// device can take them so, because a card takes its time for each.
static void stacked(struct loader *loader, const char *name, const struct gguf_tensor *tensor,
                    struct extent each, struct weight *matrices) {
    struct weight one = {NULL, tensor->type, each.rows, each.columns};
    const struct extent alone = {each.columns, each.rows, 1};
    ASSERT(each.depth > 0 && each.depth <= 2 * EXPERTS_MAX);
    const size_t apart = model_stacked_bytes(loader->model, &one, each.depth);
    const struct extent all = {each.columns, each.rows * each.depth, 1};
    const char *first = apart ? rows_of(loader, name, tensor, all, 0).data : NULL;
    for (int32_t i = 0; i < each.depth && loader->status == STATUS_OK; i++) {
        one.data = first ? first + (size_t)i * apart : NULL;
        matrices[i] = first ? one : rows_of(loader, name, tensor, alone, i * each.rows);
    }
}

// "blk.7.ffn_up_exps.weight", one below the other. False: there is no such tensor.
static bool all_experts(struct loader *loader, int32_t index, const char *part,
                        struct extent extent, struct weight *experts) {
    char name[64], whole[32];
    snprintf(whole, sizeof whole, "%s_exps.weight", part);
    const struct gguf_tensor *tensor = find(loader, layer_name(loader, index, whole, name), true);
    if (!tensor) return false;
    if (has_shape(loader, name, tensor, extent)) stacked(loader, name, tensor, extent, experts);
    return true;
}

// "blk.7.ffn_gate_up_exps.weight": each expert's gate above its up. False: there is none.
static bool fused_experts(struct loader *loader, int32_t index, struct layer *layer) {
    ASSERT(loader->model->config.specs[index].ffn.experts <= EXPERTS_MAX);
    const struct ffn_spec *spec = &loader->model->config.specs[index].ffn;
    const int32_t dim = loader->model->config.dim, width = spec->expert_width;
    const int32_t experts = spec->experts;
    struct weight halves[2 * EXPERTS_MAX] = {{0}};
    char name[64];
    layer_name(loader, index, "ffn_gate_up_exps.weight", name);
    if (!gguf_find_tensor(loader->gguf, name)) return false;
    const struct gguf_tensor *tensor = find(loader, name, false);
    if (!tensor || !has_shape(loader, name, tensor, (struct extent){dim, 2 * width, experts}))
        return true;
    stacked(loader, name, tensor, (struct extent){dim, width, 2 * experts}, halves);
    layer->expert_gate = in_place(loader, name, halves, experts, 2);
    layer->expert_up = in_place(loader, name, halves + 1, experts, 2);
    return true;
}

// "blk.7.ffn_up.0.weight", "blk.7.ffn_up.1.weight", …, as older files and folders have them.
static void each_expert(struct loader *loader, int32_t index, const char *part,
                        struct extent extent, struct weight *experts) {
    char name[64], whole[32];
    ASSERT(extent.depth <= EXPERTS_MAX);
    for (int32_t e = 0; e < extent.depth && loader->status == STATUS_OK; e++) {
        snprintf(whole, sizeof whole, "%s.%" PRId32 ".weight", part, e);
        experts[e] = matrix(loader, layer_name(loader, index, whole, name), extent.rows,
                            extent.columns, false);
        if (loader->status == STATUS_OK && experts[e].type != experts[0].type)
            refuse_type(loader, name, experts[e].type, "expert 0", experts[0].type);
    }
}

static struct expert_weights expert_matrices(struct loader *loader, int32_t index, const char *part,
                                             int32_t rows, int32_t columns) {
    ASSERT(loader->model->config.specs[index].ffn.experts <= EXPERTS_MAX);
    const int32_t experts = loader->model->config.specs[index].ffn.experts;
    const struct extent all = {columns, rows, experts};
    struct weight matrices[EXPERTS_MAX] = {{0}};
    if (!all_experts(loader, index, part, all, matrices))
        each_expert(loader, index, part, all, matrices);
    return in_place(loader, part, matrices, experts, 1);
}

#define NAME(part)                  layer_name(loader, index, part, name)
#define MATRIX(part, rows, columns) matrix(loader, NAME(part ".weight"), rows, columns, false)
#define VECTOR(part, length, has, without) \
    ((has) || (without) ? vector(loader, NAME(part), length, !(has)) : NULL)

// Files may have a matrix of keys, and what belongs to it, in layers that see another's.
static void skip_keys(struct loader *loader, int32_t index) {
    static const char *const parts[] = {"attn_k.weight", "attn_v.weight", "attn_k_norm.weight"};
    char name[64];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        find(loader, NAME(parts[i]), true);
}

// Where a file has q, k and v as one matrix, and their biases as one vector. False: it has not.
static bool load_fused_qkv(struct loader *loader, int32_t index, struct layer *layer) {
    const struct attention_spec *attention = &loader->model->config.specs[index].attention;
    const int32_t kv_rows = attention->kv_heads * attention->head_size;
    const int32_t rows[] = {attention->heads * attention->head_size, kv_rows, kv_rows};
    char name[64];
    if (!gguf_find_tensor(loader->gguf, NAME("attn_qkv.weight"))) return false;
    matrices(loader, name, loader->model->config.dim,
             (struct weight *const[]){&layer->q, &layer->k, &layer->v}, rows, 3);
    const float *bias = VECTOR("attn_qkv.bias", rows[0] + 2 * kv_rows, attention->qkv_bias, true);
    if (!bias) return true;
    layer->q_bias = bias;
    layer->k_bias = bias + rows[0];
    layer->v_bias = bias + rows[0] + kv_rows;
    return true;
}

// A matrix [plain, kv_rank] of a head the other way round.
static struct weight transposed(struct loader *loader, const struct gguf_tensor *tensor,
                                const struct latent_spec *latent, int32_t first) {
    const int32_t rows = latent->kv_rank, columns = latent->plain_size;
    const size_t count = (size_t)rows * (size_t)columns;
    const size_t row_bytes = dtype_row_bytes(tensor->type, rows);
    struct weight weight = {.rows = rows, .columns = columns};
    float *from = malloc(2 * count * sizeof *from), *to = from ? from + count : NULL;
    ASSERT(((size_t)first + (size_t)columns) * row_bytes <= tensor->bytes);
    if (from)
        dtype_to_float(tensor->type, (const char *)tensor->data + (size_t)first * row_bytes, from,
                       count);
    for (size_t i = 0; i < count && from; i++)
        to[i] = from[i % (size_t)columns * (size_t)rows + i / (size_t)columns];
    if (!from || model_copy_floats(loader->model, to, &weight) != STATUS_OK)
        refuse_model(loader, STATUS_NO_MEMORY, "attn_kv_b.weight",
                     "does not fit in device memory, or has weights too large for the device");
    free(from);
    loader->model->parameters += (int64_t)count;
    return weight;
}

// What multiplies queries, and what multiplies results, for each head: two tensors, or in older
// files one, [heads, plain + value, kv_rank].
static void load_latent_heads(struct loader *loader, int32_t index, struct layer *layer) {
    const struct attention_spec *attention = &loader->model->config.specs[index].attention;
    const struct latent_spec *latent = &attention->latent;
    const int32_t rank = latent->kv_rank, plain = latent->plain_size, value = latent->value_size;
    const int32_t heads = attention->heads, both = plain + value;
    const struct extent k_b = {plain, rank, heads}, v_b = {rank, value, heads};
    char name[64];
    ASSERT(rank > 0 && heads > 0 && !layer->k_b);
    layer->k_b = calloc(2 * (size_t)heads, sizeof *layer->k_b);
    if (!layer->k_b)
        refuse_model(loader, STATUS_NO_MEMORY, NAME("attn_kv_b.weight"), "not enough memory");
    if (!layer->k_b) return;
    layer->v_b = layer->k_b + heads;
    const struct gguf_tensor *keys = find(loader, NAME("attn_k_b.weight"), true);
    if (keys) {
        if (has_shape(loader, name, keys, k_b)) stacked(loader, name, keys, k_b, layer->k_b);
        const struct gguf_tensor *values = find(loader, NAME("attn_v_b.weight"), false);
        if (values && has_shape(loader, name, values, v_b))
            stacked(loader, name, values, v_b, layer->v_b);
        return;
    }
    const struct gguf_tensor *all = find(loader, NAME("attn_kv_b.weight"), false);
    if (!all || !has_shape(loader, name, all, (struct extent){rank, heads * both, 1})) return;
    for (int32_t h = 0; h < heads && loader->status == STATUS_OK; h++) {
        layer->k_b[h] = transposed(loader, all, latent, h * both);
        layer->v_b[h] =
            rows_of(loader, name, all, (struct extent){rank, value, 1}, h * both + plain);
    }
}

static void load_latent(struct loader *loader, int32_t index, struct layer *layer) {
    const struct attention_spec *attention = &loader->model->config.specs[index].attention;
    const struct latent_spec *latent = &attention->latent;
    const int32_t dim = loader->model->config.dim, rotated = attention->rope.dimensions;
    const int32_t q_rows = attention->heads * (latent->plain_size + rotated);
    char name[64];
    layer->attn_norm = VECTOR("attn_norm.weight", dim, true, false);
    if (latent->q_rank > 0) {
        layer->q_a = MATRIX("attn_q_a", latent->q_rank, dim);
        layer->q_a_norm = VECTOR("attn_q_a_norm.weight", latent->q_rank, true, false);
        layer->q = MATRIX("attn_q_b", q_rows, latent->q_rank);
    } else {
        layer->q = MATRIX("attn_q", q_rows, dim);
    }
    matrices(loader, NAME("attn_kv_a_mqa.weight"), dim,
             (struct weight *const[]){&layer->kv_a, &layer->k_rope},
             (const int32_t[]){latent->kv_rank, rotated}, 2);
    layer->kv_a_norm = VECTOR("attn_kv_a_norm.weight", latent->kv_rank, true, false);
    load_latent_heads(loader, index, layer);
    layer->o = MATRIX("attn_output", dim, attention->heads * latent->value_size);
}

static void load_attention(struct loader *loader, int32_t index, struct layer *layer) {
    const struct layer_spec *spec = &loader->model->config.specs[index];
    const struct attention_spec *attention = &spec->attention;
    const int32_t size = attention->head_size, dim = loader->model->config.dim;
    const int32_t q_rows = attention->heads * size, kv_rows = attention->kv_heads * size;
    const int32_t gates = attention->gated ? q_rows : 0;
    const bool each_head = attention->qk_norm == QK_NORM_HEAD;
    const bool normed = attention->qk_norm != QK_NORM_NONE;
    const bool shares_kv = layer_shares_kv(&loader->model->config, index);
    char name[64];
    layer->attn_norm = layer_is_joined(&loader->model->config, index)
                           ? layer[-1].attn_norm
                           : VECTOR("attn_norm.weight", dim, !spec->no_pre_norm, false);
    if (!load_fused_qkv(loader, index, layer)) {
        layer->q = MATRIX("attn_q", q_rows + gates, dim);
        if (!shares_kv) layer->k = MATRIX("attn_k", kv_rows, dim);
        if (!shares_kv)
            layer->v =
                matrix(loader, NAME("attn_v.weight"), kv_rows, dim, attention->value_optional);
        layer->q_bias = VECTOR("attn_q.bias", q_rows + gates, attention->qkv_bias, true);
        layer->k_bias = VECTOR("attn_k.bias", kv_rows, attention->qkv_bias, true);
        layer->v_bias = VECTOR("attn_v.bias", kv_rows, attention->qkv_bias, true);
    }
    layer->q_norm = VECTOR("attn_q_norm.weight", each_head ? size : q_rows, normed, false);
    if (shares_kv)
        skip_keys(loader, index);
    else
        layer->k_norm = VECTOR("attn_k_norm.weight", each_head ? size : kv_rows, normed, false);
    if (attention->unit_norm) layer->q_norm = layer->k_norm = loader->model->ones;
    layer->o = MATRIX("attn_output", dim, q_rows);
    layer->o_bias = VECTOR("attn_output.bias", dim, attention->output_bias, true);
    layer->sinks = VECTOR("attn_sinks.weight", attention->heads, attention->sinks, false);
    layer->attn_post_norm = VECTOR("post_attention_norm.weight", dim, spec->post_norm, false);
}

// A row of a file's tensor has a channel's weights, and a row of ours a token's. With a bias, which
// the file may lack, there is a row more.
static const float *load_conv(struct loader *loader, const char *name, struct extent extent,
                              const char *bias_name) {
    ASSERT(extent.columns > 0 && extent.columns <= SHORT_CONV_MAX && extent.rows > 0);
    const struct gguf_tensor *tensor = find(loader, name, false);
    const size_t width = (size_t)extent.columns, rows = (size_t)extent.rows, count = width * rows;
    const size_t all = bias_name ? count + rows : count;
    if (tensor && tensor->shape[2] > 1) // a folder has a group for each channel
        extent = (struct extent){extent.columns, 1, extent.rows};
    if (!tensor || !has_shape(loader, name, tensor, extent)) return NULL;
    const struct gguf_tensor *bias = bias_name ? find(loader, bias_name, true) : NULL;
    if (bias && !has_shape(loader, bias_name, bias, (struct extent){(int32_t)rows, 1, 1}))
        return NULL;
    float *file = calloc(count + all, sizeof *file), *turned = file ? file + count : NULL;
    if (!file) {
        refuse_model(loader, STATUS_NO_MEMORY, name, "not enough memory");
        return NULL;
    }
    dtype_to_float(tensor->type, tensor->data, file, count);
    for (size_t i = 0; i < count; i++)
        turned[i] = file[i % rows * width + i / rows];
    if (bias) dtype_to_float(bias->type, bias->data, turned + count, rows);
    const float *device = to_device(loader, name, turned, all);
    loader->model->weight_bytes += all * sizeof *file;
    loader->model->parameters += (int64_t)(bias ? all : count);
    free(file);
    return device;
}

static void load_short_conv(struct loader *loader, int32_t index, struct layer *layer) {
    ASSERT(loader->model->config.specs[index].mixer == MIXER_SHORT_CONV);
    const int32_t dim = loader->model->config.dim;
    const int32_t width = loader->model->config.specs[index].attention.window;
    char name[64];
    layer->attn_norm = VECTOR("attn_norm.weight", dim, true, false);
    matrices(loader, NAME("shortconv.in_proj.weight"), dim,
             (struct weight *const[]){&layer->k, &layer->q, &layer->v},
             (const int32_t[]){dim, dim, dim}, 3);
    layer->conv =
        load_conv(loader, NAME("shortconv.conv.weight"), (struct extent){width, dim, 1}, NULL);
    layer->o = MATRIX("shortconv.out_proj", dim, dim);
}

// What a delta net is made of, but for what all recurrences have.
static void load_delta_net(struct loader *loader, int32_t index, struct layer *layer) {
    const struct recurrence_spec *spec = &loader->model->config.specs[index].recurrence;
    const int32_t dim = loader->model->config.dim, heads = spec->value_heads;
    const struct extent conv = {spec->width, recurrence_spec_channels(spec), 1};
    char name[64];
    layer->qkv = MATRIX("attn_qkv", conv.rows, dim);
    layer->z = MATRIX("attn_gate", heads * spec->value_size, dim);
    if (gguf_find_tensor(loader->gguf, NAME("ssm_ba.weight"))) {
        layer->beta = MATRIX("ssm_ba", 2 * heads, dim);
    } else {
        layer->alpha = MATRIX("ssm_alpha", heads, dim);
        layer->beta = MATRIX("ssm_beta", heads, dim);
    }
    layer->conv = load_conv(loader, NAME("ssm_conv1d.weight"), conv, NULL);
    layer->decay = VECTOR("ssm_a", heads, true, false);
    layer->o_norm = VECTOR("ssm_norm.weight", spec->value_size, true, false);
}

// The same of Mamba-2, which has all products of its input in one tensor.
static void load_ssd(struct loader *loader, int32_t index, struct layer *layer) {
    const struct recurrence_spec *spec = &loader->model->config.specs[index].recurrence;
    const int32_t heads = spec->value_heads, values = heads * spec->value_size;
    const struct extent each = {1, heads, 1},
                        norms = {values / spec->key_heads, spec->key_heads, 1};
    const struct extent conv = {spec->width, recurrence_spec_channels(spec), 1};
    char name[64], bias[64];
    matrices(loader, NAME("ssm_in.weight"), loader->model->config.dim,
             (struct weight *const[]){&layer->z, &layer->qkv, &layer->alpha},
             (const int32_t[]){values, conv.rows, heads}, 3);
    layer_name(loader, index, "ssm_conv1d.bias", bias);
    layer->conv = load_conv(loader, NAME("ssm_conv1d.weight"), conv, bias);
    layer->decay = scaled_vectors(loader, NAME("ssm_a"), each, 1, false);
    layer->skip = scaled_vectors(loader, NAME("ssm_d"), each, 1, false);
    layer->o_norm = scaled_vectors(loader, NAME("ssm_norm.weight"), norms, 1, spec->norm_optional);
}

static void load_recurrence(struct loader *loader, int32_t index, struct layer *layer) {
    ASSERT(loader->model->config.specs[index].mixer == MIXER_RECURRENCE);
    const struct recurrence_spec *spec = &loader->model->config.specs[index].recurrence;
    const int32_t dim = loader->model->config.dim;
    char name[64];
    layer->attn_norm = VECTOR("attn_norm.weight", dim, true, false);
    (spec->rule == RECURRENCE_SSD ? load_ssd : load_delta_net)(loader, index, layer);
    layer->decay_bias = VECTOR("ssm_dt.bias", spec->value_heads, true, false);
    layer->o = MATRIX("ssm_out", dim, spec->value_heads * spec->value_size);
}

// What shares are multiplied by: the scale of all, and of a kind of mixture each expert's own.
static const float *load_gains(struct loader *loader, int32_t index) {
    const struct ffn_spec *spec = &loader->model->config.specs[index].ffn;
    const float *own = NULL;
    float gains[EXPERTS_MAX];
    char name[64];
    ASSERT(spec->experts > 0 && spec->experts <= EXPERTS_MAX);
    if (spec->kind == FFN_DENSE_AND_EXPERTS)
        own = scaled_vectors(loader, NAME("ffn_down_exps.scale"),
                             (struct extent){spec->experts, 1, 1}, spec->share_scale, true);
    if (own || spec->share_scale == 1) return own;
    for (int32_t e = 0; e < spec->experts; e++)
        gains[e] = spec->share_scale;
    return to_device(loader, "gains", gains, (size_t)spec->experts);
}

static void load_experts(struct loader *loader, int32_t index, struct layer *layer) {
    const struct ffn_spec *spec = &loader->model->config.specs[index].ffn;
    const int32_t dim = loader->model->config.dim, width = spec->expert_width;
    const int32_t experts = spec->experts;
    char name[64];
    ASSERT(experts > 0 && experts <= EXPERTS_MAX);
    layer->router = MATRIX("ffn_gate_inp", experts, dim);
    layer->router_bias = VECTOR("ffn_gate_inp.bias", experts, spec->expert_bias, false);
    if (!fused_experts(loader, index, layer)) {
        layer->expert_up = expert_matrices(loader, index, "ffn_up", width, dim);
        layer->expert_gate = spec->ungated ? layer->expert_up
                                           : expert_matrices(loader, index, "ffn_gate", width, dim);
    }
    layer->expert_down = expert_matrices(loader, index, "ffn_down", dim, width);
    layer->expert_gains = load_gains(loader, index);
    layer->choice_bias = VECTOR("exp_probs_b.bias", experts, false, true);
    const enum dtype gate = layer->expert_gate.type, up = layer->expert_up.type;
    if (loader->status == STATUS_OK && gate != up) { // an expert's two products are one
        const bool apart = !gguf_find_tensor(loader->gguf, NAME("ffn_up_exps.weight"));
        if (apart) layer_name(loader, index, "ffn_up.0.weight", name);
        refuse_type(loader, name, up, apart ? "the gate" : "ffn_gate_exps", gate);
    }
    if (!spec->expert_bias) return;
    const struct extent wide = {width, experts, 1}, narrow = {dim, experts, 1};
    layer->expert_gate.bias = scaled_vectors(loader, NAME("ffn_gate_exps.bias"), wide, 1, false);
    layer->expert_up.bias = scaled_vectors(loader, NAME("ffn_up_exps.bias"), wide, 1, false);
    layer->expert_down.bias = scaled_vectors(loader, NAME("ffn_down_exps.bias"), narrow, 1, false);
}

// The norms of experts beside a dense part. The router reads the stream, normed to the length of 1
// and each element times its scale.
static void load_expert_norms(struct loader *loader, int32_t index, struct layer *layer) {
    const int32_t dim = loader->model->config.dim;
    char name[64];
    layer->router_norm = scaled_vectors(loader, NAME("ffn_gate_inp.scale"),
                                        (struct extent){dim, 1, 1}, 1 / sqrtf((float)dim), false);
    layer->expert_norm = VECTOR("pre_ffw_norm_2.weight", dim, true, false);
    layer->dense_post_norm = VECTOR("post_ffw_norm_1.weight", dim, true, false);
    layer->expert_post_norm = VECTOR("post_ffw_norm_2.weight", dim, true, false);
}

static void load_shared_expert(struct loader *loader, int32_t index, struct layer *layer) {
    const struct ffn_spec *spec = &loader->model->config.specs[index].ffn;
    const int32_t dim = loader->model->config.dim, width = spec->width;
    char name[64];
    ASSERT(width > 0);
    if (spec->shared_gate) layer->shared_gate = MATRIX("ffn_gate_inp_shexp", 1, dim);
    if (!spec->ungated) layer->gate = MATRIX("ffn_gate_shexp", width, dim);
    layer->up = MATRIX("ffn_up_shexp", width, dim);
    layer->down = MATRIX("ffn_down_shexp", dim, width);
}

static void load_dense(struct loader *loader, int32_t index, struct layer *layer) {
    const struct ffn_spec *spec = &loader->model->config.specs[index].ffn;
    const int32_t dim = loader->model->config.dim, width = spec->width;
    char name[64];
    if (spec->fused) {
        matrices(loader, NAME("ffn_up.weight"), dim,
                 (struct weight *const[]){&layer->gate, &layer->up},
                 (const int32_t[]){width, width}, 2);
    } else {
        if (!spec->ungated) layer->gate = MATRIX("ffn_gate", width, dim);
        layer->up = MATRIX("ffn_up", width, dim);
        if (!spec->ungated) layer->gate_bias = VECTOR("ffn_gate.bias", width, false, true);
        layer->up_bias = VECTOR("ffn_up.bias", width, false, true);
    }
    layer->down = MATRIX("ffn_down", dim, width);
    layer->down_bias = VECTOR("ffn_down.bias", dim, false, true);
}

static void load_feed_forward(struct loader *loader, int32_t index, struct layer *layer) {
    const struct layer_spec *spec = &loader->model->config.specs[index];
    const enum ffn_kind kind = spec->ffn.kind;
    const int32_t dim = loader->model->config.dim;
    const char *norm = spec->ffn_norm ? spec->ffn_norm : "ffn_norm.weight";
    char name[64];
    layer->ffn_norm = VECTOR(norm, dim, !spec->no_pre_norm && !spec->parallel, false);
    layer->ffn_post_norm = VECTOR("post_ffw_norm.weight", dim, spec->post_norm, false);
    if (kind != FFN_DENSE) load_experts(loader, index, layer);
    if (kind == FFN_DENSE_AND_EXPERTS) load_expert_norms(loader, index, layer);
    if (kind == FFN_SHARED_EXPERT)
        load_shared_expert(loader, index, layer);
    else if (kind != FFN_EXPERTS)
        load_dense(loader, index, layer);
}

// What a layer does with the token's embedding, and what it is multiplied by at its end.
static void load_end(struct loader *loader, int32_t index, struct layer *layer) {
    const struct model_config *config = &loader->model->config;
    const int32_t dim = config->dim, elements = config->per_layer_embedding;
    char name[64];
    layer->output_scale = 1;
    if (config->specs[index].layer_output_scale)
        layer->output_scale = number(loader, NAME("layer_output_scale.weight"), 1);
    if (!elements) return;
    layer->embedding_gate = MATRIX("inp_gate", elements, dim);
    layer->embedding_output = MATRIX("proj", dim, elements);
    layer->embedding_post_norm = VECTOR("post_norm.weight", dim, true, false);
}

#undef NAME
#undef MATRIX
#undef VECTOR

// A rotation that a file's own divisors belong to, or that of the first layer.
static const struct rope *divided_rope(const struct model_config *config) {
    for (int32_t i = 0; i < config->layers; i++)
        if (config->specs[i].attention.rope.divisors != DIVISORS_IGNORED)
            return &config->specs[i].attention.rope;
    return &config->specs[0].attention.rope;
}

// True, and factors [dimensions / 2] filled, where the file has such a tensor.
static bool read_factors(struct loader *loader, const char *name, float *factors) {
    const int32_t pairs = divided_rope(&loader->model->config)->dimensions / 2;
    const struct gguf_tensor *tensor = find(loader, name, true);
    if (!tensor || !has_shape(loader, name, tensor, (struct extent){pairs, 1, 1})) return false;
    dtype_to_float(tensor->type, tensor->data, factors, (size_t)pairs);
    for (int32_t i = 0; i < pairs; i++)
        if (!(factors[i] > 0.0f && factors[i] < INFINITY))
            refuse_model(loader, STATUS_BAD_FILE, name, "must have positive values");
    return true;
}

// Divisors of a file's own, one a pair: Llama 3's, or LongRoPE's for the context that is wanted.
static void load_rope(struct loader *loader) {
    struct model *model = loader->model;
    const struct rope *rope = divided_rope(&model->config);
    float factors[3][MODEL_MAX_HEAD_SIZE / 2];
    const int32_t wanted = loader->options->context;
    const int32_t context = wanted ? wanted : model->config.context;
    const bool has = read_factors(loader, "rope_freqs.weight", factors[0]);
    if (!has && rope->divisors == DIVISORS_REQUIRED)
        refuse_model(loader, STATUS_BAD_FILE, "rope_freqs.weight", "is missing");
    const bool brief = read_factors(loader, "rope_factors_short.weight", factors[1]);
    const bool lengthy = read_factors(loader, "rope_factors_long.weight", factors[2]);
    if (brief != lengthy || (has && brief))
        refuse_model(loader, STATUS_BAD_FILE, "rope_factors_long.weight",
                     "expected rope_factors_short.weight too, and no rope_freqs.weight");
    if (!lengthy && rope->scaling == ROPE_LONG)
        refuse_model(loader, STATUS_BAD_FILE, "rope_factors_long.weight",
                     "is missing, but longrope needs it");
    if (loader->status != STATUS_OK) return;
    model->long_rope = lengthy && context > rope->original_context;
    const float *chosen = has ? factors[0] : model->long_rope ? factors[2] : factors[1];
    if (model_set_rotations(model, has || brief ? chosen : NULL) != STATUS_OK)
        refuse_device(loader, "rope_freqs.weight");
}

// A tensor without a place would change the answers if it were ignored.
static void refuse_leftovers(struct loader *loader) {
    const struct model_config *config = &loader->model->config;
    for (size_t i = 0; i < gguf_tensor_count(loader->gguf) && loader->status == STATUS_OK; i++) {
        const struct gguf_string name = gguf_tensor_at(loader->gguf, i)->name;
        if (loader->placed[i] || model_config_leaves_aside(config, name)) continue;
        loader->status =
            error_set(loader->err, STATUS_UNSUPPORTED,
                      "%s: unexpected tensor %.*s in family %s with %" PRId32 " layers",
                      gguf_path(loader->gguf), (int)name.length, name.bytes, config->family,
                      model_config_blocks(config));
    }
}

static void find_main_type(struct loader *loader) {
    for (int type = 0; type < DTYPE_COUNT; type++)
        if (loader->bytes_of_type[type] > loader->bytes_of_type[loader->model->main_type])
            loader->model->main_type = (enum dtype)type;
}

// Its rows are the vocabulary.
static void load_embedding(struct loader *loader) {
    static const char name[] = "token_embd.weight";
    struct model *model = loader->model;
    const struct gguf_tensor *tensor = gguf_find_tensor(loader->gguf, name);
    int32_t rows = 1;
    if (tensor && (tensor->shape[1] < 1 || tensor->shape[1] > MODEL_MAX_VOCABULARY))
        refuse_model(loader, STATUS_BAD_FILE, name, "has too many rows");
    else if (tensor)
        rows = (int32_t)tensor->shape[1];
    model->embedding = matrix(loader, name, rows, model->config.dim, false);
    model->config.vocabulary = rows;
}

// The embedding that each layer has of a token, and the projection of the first one beside it: of
// all layers side by side in the file, one below the other here.
static void load_per_layer_embedding(struct loader *loader) {
    static const char names[][32] = {"per_layer_token_embd.weight", "per_layer_model_proj.weight"};
    struct model *model = loader->model;
    const struct model_config *config = &model->config;
    const int32_t elements = config->per_layer_embedding, layers = config->layers;
    if (!elements || loader->status != STATUS_OK) return;
    if ((int64_t)config->vocabulary * layers > INT32_MAX ||
        (int64_t)elements * layers > INT32_MAX) {
        refuse_model(loader, STATUS_BAD_FILE, names[0], "is too large");
        return;
    }
    const struct gguf_tensor *table = find(loader, names[0], false);
    const struct extent each = {elements, config->vocabulary * layers, 1};
    if (table && has_shape(loader, names[0], table,
                           (struct extent){elements * layers, config->vocabulary, 1})) {
        if (elements % dtype_block_elements(table->type))
            refuse_model(loader, STATUS_UNSUPPORTED, names[0],
                         "has quantization blocks that span layers, which is not supported");
        else
            model->per_layer_embedding = rows_of(loader, names[0], table, each, 0);
    }
    const struct gguf_tensor *both = find(loader, names[1], false);
    const struct extent part = {config->dim, elements, 1};
    if (both &&
        has_shape(loader, names[1], both, (struct extent){config->dim, elements * layers, 1}))
        for (int32_t i = 0; i < layers && loader->status == STATUS_OK; i++)
            model->layers[i].embedding_projection =
                rows_of(loader, names[1], both, part, i * elements);
    model->per_layer_embedding_norm = vector(loader, "per_layer_proj_norm.weight", elements, false);
}

static void load_ones(struct loader *loader) {
    float host[MODEL_MAX_HEAD_SIZE];
    for (int i = 0; i < MODEL_MAX_HEAD_SIZE; i++)
        host[i] = 1;
    if (loader->status == STATUS_OK)
        loader->model->ones = to_device(loader, "ones", host, MODEL_MAX_HEAD_SIZE);
}

static void load_tensors(struct loader *loader) {
    struct model *model = loader->model;
    const struct model_config *config = &model->config;
    load_embedding(loader);
    load_rope(loader);
    load_per_layer_embedding(loader);
    load_ones(loader);
    for (int32_t i = 0; i < config->layers && loader->status == STATUS_OK; i++) {
        const bool latent = config->specs[i].attention.latent.kv_rank > 0;
        if (config->specs[i].mixer == MIXER_SHORT_CONV)
            load_short_conv(loader, i, &model->layers[i]);
        else if (config->specs[i].mixer == MIXER_RECURRENCE)
            load_recurrence(loader, i, &model->layers[i]);
        else if (config->specs[i].mixer == MIXER_ATTENTION)
            (latent ? load_latent : load_attention)(loader, i, &model->layers[i]);
        if (config->specs[i].ffn.kind != FFN_NONE) load_feed_forward(loader, i, &model->layers[i]);
        load_end(loader, i, &model->layers[i]);
        if (loader->options->progress)
            loader->options->progress(loader->options->user, (i + 1.0) / config->layers);
    }
    const char *norm = "output_norm.weight", *hybrid_norm = "token_embd_norm.weight"; // of LFM2
    if (gguf_find_tensor(loader->gguf, hybrid_norm)) norm = hybrid_norm;
    model->output_norm = vector(loader, norm, config->dim, false);
    model->output = matrix(loader, "output.weight", config->vocabulary, config->dim, true);
    if (!model->output.data) model->output = model->embedding; // tied
    refuse_leftovers(loader);
    find_main_type(loader);
}

enum status model_open(struct model *model, const struct gguf *gguf,
                       const struct model_options *options, struct error *err) {
    struct model_config config;
    TRY(model_config_read(gguf, &config, err));
    *model =
        (struct model){.config = config, .backend = options->backend, .device = options->device};
    struct loader loader = {.model = model, .gguf = gguf, .err = err, .options = options};
    model->layers = calloc((size_t)config.layers, sizeof model->layers[0]);
    loader.placed = calloc(gguf_tensor_count(gguf) + 1, sizeof loader.placed[0]);
    if (model->layers && loader.placed)
        load_tensors(&loader);
    else
        loader.status = error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", gguf_path(gguf));
    free(loader.placed);
    if (loader.status == STATUS_OK && options->adapters)
        loader.status = adapters_apply(model, options->adapters, err);
    if (loader.status != STATUS_OK) model_close(model);
    return loader.status;
}
