// engine/model/loader.c — what each tensor passes on its way from the file to the device.
//
//   name ─► loader_peek ─► in the file? ─► loader_skip: has its place ─► known type? right shape?
//                              │                                             │
//                     absent: fine or refused, as `presence` says    matrices: backend->weights
//                                                                    vectors: to fp32, then copied
//
// A tensor that several matrices share (q, k and v in one; gates above their ups) is found once and
// brought row by row (loader_rows). Experts lie in one piece where the backend wants them at equal
// distances (model_stacked_bytes), else each by itself. Sizes and parameters are counted on the
// way. With a loader_source nothing is looked up: what is required is made, and what is optional is
// left out.
#include "engine/model/loader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/layer_part.h"
#include "kernels/base/assert.h"

const char *loader_name(const struct loader *loader, const char *part,
                        char name[LOADER_NAME_BYTES]) {
    ASSERT(loader->layer < model_config_all_layers(&loader->model->config));
    if (loader->layer < 0)
        snprintf(name, LOADER_NAME_BYTES, "%s", part);
    else
        snprintf(name, LOADER_NAME_BYTES, "blk.%" PRId32 ".%s",
                 loader->model->config.specs[loader->layer].block, part);
    return name;
}

bool loader_in_host(const struct loader *loader, const char *part) {
    const struct placement *placement = loader->options ? loader->options->placement : NULL;
    enum placement_kind kind;
    return placement && loader->layer >= 0 && placement_kind_of(part, strlen(part), &kind) &&
           placement->in_host[kind][loader->layer];
}

bool loader_pins(const struct loader *loader, const char *part, bool tied) {
    const struct placement *placement = loader->options ? loader->options->placement : NULL;
    return placement && placement->embedding_bytes > 0 && loader->layer < 0 &&
           placement_is_embedding(part, tied);
}

void loader_refuse(struct loader *loader, enum status status, const char *part, const char *what) {
    char name[LOADER_NAME_BYTES];
    if (loader->status != STATUS_OK) return;
    loader->status = error_set(loader->err, status, "%s: tensor %s: %s", gguf_path(loader->gguf),
                               loader_name(loader, part, name), what);
}

void loader_refuse_device(struct loader *loader, const char *part) {
    const struct model *model = loader->model;
    const bool failed = model->backend->sync(model->device) == STATUS_DEVICE;
    loader_refuse(loader, failed ? STATUS_DEVICE : STATUS_NO_MEMORY, part,
                  failed ? "cannot be copied to the device" : "does not fit in device memory");
}

void loader_refuse_type(struct loader *loader, const char *part, enum dtype found,
                        const char *other, enum dtype expected) {
    char what[96];
    snprintf(what, sizeof what, "has type %s, but %s has type %s; both must have the same type",
             dtype_name(found), other, dtype_name(expected));
    loader_refuse(loader, STATUS_UNSUPPORTED, part, what);
}

const struct gguf_tensor *loader_peek(const struct loader *loader, const char *part) {
    char name[LOADER_NAME_BYTES];
    if (loader->source) return NULL;
    return gguf_find_tensor(loader->gguf, loader_name(loader, part, name));
}

static bool has_shape(struct loader *loader, const char *part, const struct gguf_tensor *tensor,
                      struct extent extent) {
    ASSERT(extent.columns > 0 && extent.rows > 0 && extent.depth > 0);
    if (tensor->shape[0] == extent.columns && tensor->shape[1] == extent.rows &&
        tensor->shape[2] == extent.depth && tensor->shape[3] == 1) {
        if (extent.columns % dtype_block_elements(tensor->type) == 0) return true;
        loader_refuse(loader, STATUS_BAD_FILE, part,
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
    loader_refuse(loader, STATUS_BAD_FILE, part, what);
    return false;
}

void loader_skip(struct loader *loader, const char *part) {
    const struct gguf_tensor *tensor = loader_peek(loader, part);
    if (tensor) loader->placed[gguf_tensor_index(loader->gguf, tensor)] = true;
}

const struct gguf_tensor *loader_find(struct loader *loader, const char *part, struct extent extent,
                                      enum presence presence) {
    if (presence == TENSOR_ABSENT || loader->source) return NULL;
    const struct gguf_tensor *tensor = loader_peek(loader, part);
    if (!tensor) {
        if (presence == TENSOR_REQUIRED) loader_refuse(loader, STATUS_BAD_FILE, part, "is missing");
        return NULL;
    }
    loader_skip(loader, part);
    if (!tensor->known) {
        char what[96];
        snprintf(what, sizeof what, "has type %s (number %" PRIu32 "), which is not supported",
                 gguf_type_name(tensor->file_type), tensor->file_type);
        loader_refuse(loader, STATUS_UNSUPPORTED, part, what);
        return NULL;
    }
    return has_shape(loader, part, tensor, extent) ? tensor : NULL;
}

static bool ends_in(const char *part, const char *end) {
    const size_t length = strlen(part), ending = strlen(end);
    return length >= ending && !strcmp(part + length - ending, end);
}

// The scale of all of a tensor's matrices, or each one's; what activations were to be scaled by is
// of no use to products that do not round them to 4 bits.
float loader_scale(struct loader *loader, const char *part, const struct gguf_tensor *tensor,
                   int32_t first) {
    const int stem = (int)strlen(part) - (int)strlen("weight");
    char scale_part[LOADER_NAME_BYTES], what[96];
    if (tensor->type != DTYPE_NVFP4) return 0;
    ASSERT(ends_in(part, ".weight") && first >= 0 && first / tensor->shape[1] < tensor->shape[2]);
    snprintf(scale_part, sizeof scale_part, "%.*sinput_scale", stem, part);
    loader_skip(loader, scale_part);
    snprintf(scale_part, sizeof scale_part, "%.*sscale", stem, part);
    const struct gguf_tensor *peeked = loader_peek(loader, scale_part);
    const bool one = peeked && peeked->shape[0] == 1;
    const struct extent extent = {one ? 1 : (int32_t)tensor->shape[2], 1, 1};
    const struct gguf_tensor *scales = loader_find(loader, scale_part, extent, TENSOR_OPTIONAL);
    if (!scales) return 0;
    if (scales->type != DTYPE_F32) {
        snprintf(what, sizeof what, "has type %s, expected f32", dtype_name(scales->type));
        loader_refuse(loader, STATUS_UNSUPPORTED, scale_part, what);
        return 0;
    }
    const size_t nth = one ? 0 : (size_t)(first / tensor->shape[1]);
    float scale;
    memcpy(&scale, (const char *)scales->data + nth * sizeof scale, sizeof scale);
    snprintf(what, sizeof what, "has value %g, expected a finite number other than 0",
             (double)scale);
    if (!isfinite(scale) || scale == 0) loader_refuse(loader, STATUS_BAD_FILE, scale_part, what);
    return scale;
}

struct weight loader_rows(struct loader *loader, const char *part, const struct gguf_tensor *tensor,
                          struct extent extent, int32_t first) {
    struct model *model = loader->model;
    const size_t row_bytes = dtype_row_bytes(tensor->type, extent.columns);
    ASSERT(first >= 0 && extent.rows > 0);
    ASSERT(((size_t)first + (size_t)extent.rows) * row_bytes <= tensor->bytes);
    const char *data = (const char *)tensor->data + (size_t)first * row_bytes;
    const bool tied = !gguf_find_tensor(loader->gguf, "output.weight");
    struct weight weight = {data,
                            tensor->type,
                            extent.rows,
                            extent.columns,
                            loader_scale(loader, part, tensor, first),
                            loader_in_host(loader, part),
                            loader_pins(loader, part, tied)};
    if (loader->status != STATUS_OK) return weight;
    const enum status status = model->backend->weights(model->device, &weight, &weight.data);
    if (status == STATUS_UNSUPPORTED)
        loader_refuse(
            loader, status, part,
            tensor->type != DTYPE_MXFP4 && tensor->type != DTYPE_NVFP4
                ? "row length must be a multiple of 8 on the GPU; use --backend cpu"
                : "has weights too large for fp16, which the GPU uses; use --backend cpu");
    else if (status != STATUS_OK)
        loader_refuse_device(loader, part);
    if (status != STATUS_OK) return weight;
    model->weight_bytes += (size_t)extent.rows * row_bytes;
    model->parameters += (int64_t)extent.rows * extent.columns;
    loader->bytes_of_type[tensor->type] += (size_t)extent.rows * row_bytes;
    return weight;
}

struct weight loader_matrix(struct loader *loader, const char *part, int32_t rows, int32_t columns,
                            enum presence presence) {
    const struct extent extent = {columns, rows, 1};
    if (loader->source && presence == TENSOR_REQUIRED)
        return loader->source->matrix(loader, part, rows, columns);
    const struct gguf_tensor *tensor = loader_find(loader, part, extent, presence);
    return tensor ? loader_rows(loader, part, tensor, extent, 0) : (struct weight){0};
}

void loader_matrices(struct loader *loader, const char *part, int32_t columns,
                     struct weight *const parts[], const int32_t rows[], int32_t count) {
    struct extent extent = {columns, 0, 1};
    ASSERT(count > 0);
    for (int32_t i = 0; i < count && loader->source; i++)
        *parts[i] = loader->source->matrix(loader, part, rows[i], columns);
    if (loader->source) return;
    for (int32_t i = 0; i < count; i++)
        extent.rows += rows[i];
    const struct gguf_tensor *tensor = loader_find(loader, part, extent, TENSOR_REQUIRED);
    for (int32_t i = 0, first = 0; tensor && i < count; first += rows[i++])
        *parts[i] = loader_rows(loader, part, tensor, (struct extent){columns, rows[i], 1}, first);
}

void loader_stacked(struct loader *loader, const char *part, const struct gguf_tensor *tensor,
                    struct extent each, struct weight *matrices) {
    struct weight one = {.type = tensor->type,
                         .rows = each.rows,
                         .columns = each.columns,
                         .in_host = loader_in_host(loader, part)};
    const struct extent alone = {each.columns, each.rows, 1};
    ASSERT(each.depth > 0 && each.depth <= 2 * EXPERTS_MAX);
    const bool scaled = tensor->type == DTYPE_NVFP4; // each matrix by its own
    const size_t apart = scaled ? 0 : model_stacked_bytes(loader->model, &one, each.depth);
    const struct extent all = {each.columns, each.rows * each.depth, 1};
    const char *first = apart ? loader_rows(loader, part, tensor, all, 0).data : NULL;
    for (int32_t i = 0; i < each.depth && loader->status == STATUS_OK; i++) {
        one.data = first ? first + (size_t)i * apart : NULL;
        matrices[i] = first ? one : loader_rows(loader, part, tensor, alone, i * each.rows);
    }
}

const float *loader_to_device(struct loader *loader, const char *part, const float *host,
                              size_t count) {
    ASSERT(count > 0);
    struct model *model = loader->model;
    if (loader->source) return loader->source->constants(loader, part, count, host[0]);
    const float *device =
        model_copy_vector(model, host, count * sizeof *host, loader_in_host(loader, part));
    if (!device) loader_refuse_device(loader, part);
    return device;
}

// Norms, convolutions and the like of 1, biases and sinks of 0, decays of -1.
static const float *constants(const struct loader *loader, const char *part, size_t count) {
    const bool none = ends_in(part, "bias") || ends_in(part, "sinks.weight");
    return loader->source->constants(loader, part, count,
                                     none                     ? 0.0f
                                     : ends_in(part, "ssm_a") ? -1.0f
                                                              : 1.0f);
}

const float *loader_vectors(struct loader *loader, const char *part, struct extent extent,
                            float scale, enum presence presence) {
    if (loader->source && presence == TENSOR_REQUIRED)
        return constants(loader, part, (size_t)extent.rows * (size_t)extent.columns);
    const struct gguf_tensor *tensor = loader_find(loader, part, extent, presence);
    if (!tensor) return NULL;
    const size_t count = (size_t)extent.rows * (size_t)extent.columns;
    float *host = malloc(count * sizeof *host);
    if (!host) {
        loader_refuse(loader, STATUS_NO_MEMORY, part, "not enough memory");
        return NULL;
    }
    dtype_to_float(tensor->type, tensor->data, host, count);
    for (size_t i = 0; i < count; i++)
        host[i] *= scale;
    const float *device = loader_to_device(loader, part, host, count);
    loader->model->weight_bytes += count * sizeof *host;
    loader->model->parameters += (int64_t)count;
    free(host);
    return device;
}

const float *loader_vector(struct loader *loader, const char *part, int32_t length,
                           enum presence presence) {
    return loader_vectors(loader, part, (struct extent){length, 1, 1}, 1, presence);
}

const float *loader_convolution(struct loader *loader, const char *part, struct extent extent,
                                const char *bias_part) {
    ASSERT(extent.columns > 0 && extent.columns <= SHORT_CONV_MAX && extent.rows > 0);
    const size_t width = (size_t)extent.columns, rows = (size_t)extent.rows, count = width * rows;
    const size_t all = bias_part ? count + rows : count;
    if (loader->source) return constants(loader, part, all);
    const struct gguf_tensor *peeked = loader_peek(loader, part);
    if (peeked && peeked->shape[2] > 1) // a folder has a group for each channel
        extent = (struct extent){extent.columns, 1, extent.rows};
    const struct gguf_tensor *tensor = loader_find(loader, part, extent, TENSOR_REQUIRED);
    const struct gguf_tensor *bias =
        bias_part
            ? loader_find(loader, bias_part, (struct extent){(int32_t)rows, 1, 1}, TENSOR_OPTIONAL)
            : NULL;
    if (loader->status != STATUS_OK) return NULL;
    float *file = calloc(count + all, sizeof *file), *turned = file ? file + count : NULL;
    if (!file) {
        loader_refuse(loader, STATUS_NO_MEMORY, part, "not enough memory");
        return NULL;
    }
    dtype_to_float(tensor->type, tensor->data, file, count);
    for (size_t i = 0; i < count; i++)
        turned[i] = file[i % rows * width + i / rows];
    if (bias) dtype_to_float(bias->type, bias->data, turned + count, rows);
    const float *device = loader_to_device(loader, part, turned, all);
    loader->model->weight_bytes += all * sizeof *file;
    loader->model->parameters += (int64_t)(bias ? all : count);
    free(file);
    return device;
}

struct norm loader_norm(struct loader *loader, const char *part, enum presence presence) {
    const struct model_config *config = &loader->model->config;
    const int stem = (int)strcspn(part, ".");
    char bias[LOADER_NAME_BYTES];
    struct norm norm = {.weight = loader_vector(loader, part, config->dim, presence)};
    snprintf(bias, sizeof bias, "%.*s.bias", stem, part);
    if (config->norms == NORM_LAYER) norm.bias = loader_vector(loader, bias, config->dim, presence);
    return norm;
}

float loader_number(struct loader *loader, const char *part, float otherwise) {
    const struct gguf_tensor *tensor =
        loader_find(loader, part, (struct extent){1, 1, 1}, TENSOR_OPTIONAL);
    float value = otherwise;
    if (!tensor) return otherwise;
    dtype_to_float(tensor->type, tensor->data, &value, 1);
    if (!isfinite(value) || value == 0)
        loader_refuse(loader, STATUS_BAD_FILE, part, "is out of range");
    loader->model->parameters++;
    return value;
}

// What a layer's parts read and what is made of what they add, but for the parts themselves.
static void load_layer(struct loader *loader, const struct layer_spec *spec, struct layer *layer) {
    const struct model_config *config = &loader->model->config;
    const struct layer_part *mixer = layer_mixer(spec), *feed_forward = layer_feed_forward(spec);
    const char *ffn_norm = spec->ffn_norm ? spec->ffn_norm : "ffn_norm.weight";
    const enum presence normed = spec->no_pre_norm ? TENSOR_ABSENT : TENSOR_REQUIRED;
    const enum presence post = spec->post_norm ? TENSOR_REQUIRED : TENSOR_ABSENT;
    if (layer_is_joined(config, loader->layer))
        layer->attn_norm = layer[-1].attn_norm;
    else if (mixer)
        layer->attn_norm = loader_norm(loader, "attn_norm.weight", normed);
    if (mixer) mixer->load(loader, spec, layer);
    if (mixer)
        layer->attn_post_norm =
            loader_vector(loader, "post_attention_norm.weight", config->dim, post);
    if (feed_forward) {
        layer->ffn_norm = loader_norm(loader, ffn_norm, spec->parallel ? TENSOR_ABSENT : normed);
        layer->ffn_post_norm = loader_vector(loader, "post_ffw_norm.weight", config->dim, post);
        feed_forward->load(loader, spec, layer);
    }
    layer->output_scale =
        spec->layer_output_scale ? loader_number(loader, "layer_output_scale.weight", 1) : 1;
    layer_embedding_load(loader, layer);
}

// The weights of a layer that was visited before, in a place of its own.
static void share_weights(struct layer *layer, const struct layer *with) {
    struct layer shared = *with;
    shared.embedding_projection = layer->embedding_projection;
    shared.inv_freq = layer->inv_freq;
    shared.magnitude = layer->magnitude;
    shared.group = layer->group;
    shared.view = layer->view;
    shared.place = layer->place;
    *layer = shared;
}

void loader_load_layer(struct loader *loader, int32_t index) {
    struct model *model = loader->model;
    const struct layer_spec *spec = &model->config.specs[index];
    struct layer *layer = &model->layers[index];
    const size_t before = model->weight_bytes;
    ASSERT(spec->revisits >= 0 && spec->revisits <= index);
    if (spec->revisits > 0) {
        share_weights(layer, layer - spec->revisits);
        return;
    }
    loader->layer = index;
    load_layer(loader, spec, layer);
    loader->layer = -1;
    layer->weight_bytes = model->weight_bytes - before;
}
