// engine/opening_model.c — finds and loads the model: a file with its adapters, or random weights
// of a named shape.
//
// What the headers of the files show is read and checked before any weight is: the configuration,
// the sizes of the weights and whether the adapters fit. So the placement knows every byte, and a
// wrong file is refused before gigabytes are read.
#include "engine/opening.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/base/log.h"
#include "kernels/numa.h"

// The caller's digest is of no use if the file has been replaced since it was taken.
static void forget_digest_of_another(struct opening *opening) {
    const struct file_state *expected = opening->options->digest_state;
    const struct file_state opened = gguf_state(opening->engine->gguf);
    if (expected && !file_state_equal(&opened, expected)) opening->engine->knows_digest = false;
}

static enum status find_model(struct opening *opening) {
    const struct engine_options *options = opening->options;
    if (options->model_path) {
        TRY(checkpoint_open(options->model_path, &opening->engine->gguf, opening->err));
        forget_digest_of_another(opening);
        return STATUS_OK;
    }
    if (shape_find(options->shape, &opening->found)) {
        opening->shape = &opening->found;
        return STATUS_OK;
    }
    return error_set(opening->err, STATUS_NOT_FOUND, "unknown shape \"%.60s\" (expected %s)",
                     options->shape, shape_names());
}

static enum status read_shape_type(struct opening *opening) {
    const char *name = opening->options->shape_type;
    struct text names = {0};
    if (dtype_find(name ? name : "bf16", &opening->shape_type)) return STATUS_OK;
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (text_format(&names, "%s%s", i ? ", " : "", dtype_name((enum dtype)i)) != STATUS_OK)
            break;
    const enum status status =
        error_set(opening->err, STATUS_BAD_INPUT,
                  "--dtype: unsupported type \"%.40s\" (expected %s)", name, text_string(&names));
    text_deinit(&names);
    return status;
}

// Reads what kind of model it is; weights are read later.
static enum status read_config(struct opening *opening) {
    struct engine *engine = opening->engine;
    if (opening->shape) {
        TRY(read_shape_type(opening));
        return shape_config(opening->shape, &engine->model.config, opening->err);
    }
    TRY(model_config_read(engine->gguf, &engine->model.config, opening->err));
    struct model_config *config = &engine->model.config;
    if (opening->options->draft_head == DRAFT_HEAD_NONE) config->mtp_layers = 0;
    if (opening->options->draft_head != DRAFT_HEAD_REQUIRED || config->mtp_layers > 0)
        return STATUS_OK;
    return error_set(opening->err, STATUS_UNSUPPORTED,
                     "%s has no draft head that quire can use; draft with auto or history instead",
                     gguf_path(engine->gguf));
}

enum status opening_find_model(struct opening *opening) {
    TRY(find_model(opening));
    return read_config(opening);
}

enum status opening_open_adapters(struct opening *opening) {
    const struct engine_options *options = opening->options;
    struct model *model = &opening->engine->model;
    struct adapters *adapters = &opening->adapters;
    if (!options->model_path) return STATUS_OK;
    TRY(adapters_open(options->adapters, options->adapter_count, adapters, opening->err));
    return adapters_check(adapters, opening->engine->gguf, &model->config, &model->rank,
                          opening->err);
}

enum status opening_count_weights(const struct opening *opening, struct placement_need *need,
                                  struct error *err) {
    const struct engine *engine = opening->engine;
    if (engine->gguf) {
        placement_need_file(engine->gguf, &engine->model.config, engine->backend, need);
        need->adapter_bytes =
            adapters_device_bytes(&opening->adapters, &engine->model.config, engine->backend);
        return STATUS_OK;
    }
    return model_random_need(opening->shape, opening->shape_type, engine->backend, need, err);
}

static void report_loading(void *user, double fraction) {
    const struct engine_options *options = user;
    options->progress(options->progress_user, "loading", fraction);
}

// Loads the weights, and adds what the adapters change.
static enum status load_model(struct opening *opening, struct model_options *how) {
    struct engine *engine = opening->engine;
    const struct adapters *adapters = &opening->adapters;
    how->adapters = adapters;
    TRY(model_open(&engine->model, engine->gguf, how, opening->err));
    engine->adapters_identity = adapters_identity(adapters);
    TRY(adapters_describe(adapters, &engine->adapters));
    adapters_append_names(adapters, engine->name, sizeof engine->name);
    return STATUS_OK;
}

static enum status load_file(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct engine_options *options = opening->options;
    gguf_prefetch(engine->gguf);
    if (!engine->tokenizer)
        TRY(tokenizer_open_model(engine->gguf, &engine->tokenizer, opening->err));
    // The options themselves are the progress callback's user; they outlive the opening.
    struct engine_options copy = *options;
    struct model_options how = {
        .backend = engine->backend,
        .device = engine->device,
        .context = options->context > 0 ? options->context : 0,
        .placement = &engine->placement,
        .config = &engine->model.config,
        .progress = options->progress ? report_loading : NULL,
        .user = &copy,
    };
    TRY(load_model(opening, &how));
    const int32_t vocabulary = tokenizer_vocabulary(engine->tokenizer);
    if (vocabulary > engine->model.config.vocabulary)
        return error_set(opening->err, STATUS_BAD_FILE,
                         "%s: the tokenizer has %" PRId32
                         " tokens, but token_embd.weight has only %" PRId32 " rows",
                         options->model_path, vocabulary, engine->model.config.vocabulary);
    if (tokenizer_widen(engine->tokenizer, engine->model.config.vocabulary) != STATUS_OK)
        return error_set(opening->err, STATUS_NO_MEMORY, "%s: not enough memory",
                         options->model_path);
    return STATUS_OK;
}

static enum status load_shape(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct model_options how = {
        .backend = engine->backend, .device = engine->device, .placement = &engine->placement};
    return model_random(&engine->model, opening->shape, opening->shape_type, &how, opening->err);
}

static void name_model(struct engine *engine, const struct engine_options *options) {
    struct gguf_string name = {NULL, 0};
    const char *path = options->model_path;
    if (!path) {
        snprintf(engine->name, sizeof engine->name, "%s (random weights)", options->shape);
        return;
    }
    if (gguf_find_string(engine->gguf, "general.name", &name) &&
        utf8_copy_name(name.bytes, name.length, engine->name, sizeof engine->name))
        return;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    if (!utf8_copy_name(file, strlen(file), engine->name, sizeof engine->name))
        snprintf(engine->name, sizeof engine->name, "unnamed");
}

// If some weights stay in host memory, they are spread over the memory nodes of the threads that
// will read them.
enum status opening_load_model(struct opening *opening) {
    name_model(opening->engine, opening->options);
    const uint64_t nodes = numa_nodes("", opening->options->threads);
    const bool spread = placement_splits(&opening->engine->placement) && numa_spread(nodes);
    const enum status status =
        opening->options->model_path ? load_file(opening) : load_shape(opening);
    if (spread) {
        numa_end();
        log_write(LOG_DEBUG, "weights in memory are spread over memory nodes %" PRIx64, nodes);
    }
    return status;
}
