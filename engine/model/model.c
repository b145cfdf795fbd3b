#include "engine/model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/model/adapter.h"
#include "engine/model/config_read.h"
#include "engine/model/kv_shape.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "engine/model/mtp.h"
#include "engine/model/rope.h"
#include "kernels/base/assert.h"
#include "kernels/base/effort.h"
#include "kernels/base/size.h"
#include "kernels/cost.h"

// A rotation that a file's own divisors belong to, or that of the first layer.
static const struct rope *divided_rope(const struct model_config *config) {
    for (int32_t i = 0; i < config->layers; i++)
        if (config->specs[i].attention.rope.divisors != DIVISORS_IGNORED)
            return &config->specs[i].attention.rope;
    return &config->specs[0].attention.rope;
}

// True, and factors [dimensions / 2] filled, where the file has such a tensor.
static bool read_factors(struct loader *loader, const char *name, float *factors) {
    const struct model_config *config = &loader->model->config;
    const int32_t pairs = divided_rope(config)->dimensions / 2;
    const struct gguf_tensor *found = gguf_find_tensor(loader->gguf, name);
    int32_t widest = pairs; // of layers that ignore them too: a file may have as many
    for (int32_t i = 0; i < config->layers; i++)
        if (config->specs[i].attention.rope.dimensions / 2 > widest)
            widest = config->specs[i].attention.rope.dimensions / 2;
    const bool whole = found && found->shape[0] == widest;
    const struct gguf_tensor *tensor =
        loader_find(loader, name, (struct extent){whole ? widest : pairs, 1, 1}, TENSOR_OPTIONAL);
    if (!tensor) return false;
    dtype_to_float(tensor->type, tensor->data, factors, (size_t)pairs);
    for (int32_t i = 0; i < pairs; i++)
        if (!(factors[i] > 0.0f && factors[i] < INFINITY))
            loader_refuse(loader, STATUS_BAD_FILE, name, "must have positive values");
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
        loader_refuse(loader, STATUS_BAD_FILE, "rope_freqs.weight", "is missing");
    const bool brief = read_factors(loader, "rope_factors_short.weight", factors[1]);
    const bool lengthy = read_factors(loader, "rope_factors_long.weight", factors[2]);
    if (brief != lengthy || (has && brief))
        loader_refuse(loader, STATUS_BAD_FILE, "rope_factors_long.weight",
                      "expected rope_factors_short.weight too, and no rope_freqs.weight");
    if (!lengthy && rope->scaling == ROPE_LONG)
        loader_refuse(loader, STATUS_BAD_FILE, "rope_factors_long.weight",
                      "is missing, but longrope needs it");
    if (loader->status != STATUS_OK) return;
    model->long_rope = lengthy && context > rope->original_context;
    const float *chosen = has ? factors[0] : model->long_rope ? factors[2] : factors[1];
    if (model_set_rotations(model, has || brief ? chosen : NULL) != STATUS_OK)
        loader_refuse_device(loader, "rope_freqs.weight");
}

// A tensor without a place would change the answers if it were ignored.
static void refuse_leftovers(struct loader *loader) {
    const struct model_config *config = &loader->model->config;
    for (size_t i = 0; i < gguf_tensor_count(loader->gguf) && loader->status == STATUS_OK; i++) {
        const struct gguf_string name = gguf_tensor_at(loader->gguf, i)->name;
        if (loader->placed[i] || model_config_ignores(config, name)) continue;
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
        loader_refuse(loader, STATUS_BAD_FILE, name, "has too many rows");
    else if (tensor)
        rows = (int32_t)tensor->shape[1];
    model->embedding = loader_matrix(loader, name, rows, model->config.dim, TENSOR_REQUIRED);
    model->config.vocabulary = rows;
}

// As many as any norm without a weight has elements: a head's, or all of a row.
static void load_ones(struct loader *loader) {
    const int32_t dim = loader->model->config.dim;
    const size_t count = dim > MODEL_MAX_HEAD_SIZE ? (size_t)dim : MODEL_MAX_HEAD_SIZE;
    float *host = malloc(count * sizeof *host);
    if (!host) loader_refuse(loader, STATUS_NO_MEMORY, "ones", "not enough memory");
    for (size_t i = 0; i < count && host; i++)
        host[i] = 1;
    if (loader->status == STATUS_OK)
        loader->model->ones = loader_to_device(loader, "ones", host, count);
    free(host);
}

static void load_tensors(struct loader *loader) {
    struct model *model = loader->model;
    const struct model_config *config = &model->config;
    load_embedding(loader);
    load_rope(loader);
    layer_embedding_load_tables(loader);
    load_ones(loader);
    for (int32_t i = 0; i < config->layers && loader->status == STATUS_OK; i++) {
        loader_load_layer(loader, i);
        if (loader->status == STATUS_OK && effort_unwanted())
            loader->status = error_set(loader->err, STATUS_CANCELLED, "stopped: %s was being read",
                                       gguf_path(loader->gguf));
        if (loader->options->progress)
            loader->options->progress(loader->options->user, (i + 1.0) / config->layers);
    }
    const char *norm = "output_norm.weight", *hybrid_norm = "token_embd_norm.weight"; // of LFM2
    if (gguf_find_tensor(loader->gguf, hybrid_norm)) norm = hybrid_norm;
    model->output_norm = loader_norm(loader, norm, TENSOR_REQUIRED);
    model->output =
        loader_matrix(loader, "output.weight", config->vocabulary, config->dim, TENSOR_OPTIONAL);
    model->output_bias =
        loader_vector(loader, "output.bias", config->vocabulary,
                      config->norms == NORM_LAYER ? TENSOR_OPTIONAL : TENSOR_ABSENT);
    if (!model->output.data) model->output = model->embedding; // tied
    mtp_load(loader);
    refuse_leftovers(loader);
    find_main_type(loader);
}

enum status model_open(struct model *model, const struct gguf *gguf,
                       const struct model_options *options, struct error *err) {
    struct model_config config;
    if (options->config)
        config = *options->config;
    else
        TRY(model_config_read(gguf, &config, err));
    *model =
        (struct model){.config = config, .backend = options->backend, .device = options->device};
    struct loader loader = {
        .model = model, .gguf = gguf, .err = err, .options = options, .layer = -1};
    model->layers = calloc((size_t)model_config_all_layers(&config), sizeof model->layers[0]);
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
