// engine/engine.c — opening: file, device, model, pool, buffers.
#include "engine/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/core/request_state.h"
#include "engine/drafter.h"
#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "engine/model/forward.h"
#include "engine/model/kv_shape.h"
#include "engine/model/placement_need.h"
#include "engine/model/shape.h"
#include "engine/placing.h"
#include "engine/pool.h"
#include "engine/rates.h"
#include "engine/remote/remote.h"
#include "engine/sampling/generation_config.h"
#include "engine/sampling/sampling_keys.h"
#include "engine/settling.h"
#include "engine/step/step.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/base/assert.h"
#include "kernels/base/effort.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "kernels/huge_pages.h"
#include "kernels/numa.h"
#include "kernels/offload.h"

enum {
    DEFAULT_BLOCK_SIZE = 16,
    IO_DEADLINE_MS = 3000,
    WRITE_DELAY_US = 1000000,
    CARD_HOST_BYTES = 1 << 30, // of the host tier by default; pinning memory takes time
    MAX_DISK_BLOCKS = 1 << 20, // that the index can hold
};

struct opening { // what the steps of engine_open() pass on
    struct engine *engine;
    const struct engine_options *options;
    const struct shape *shape; // NULL: a file
    struct shape found;        // what it points to
    bool is_placed;            // by quire, and the device was there to be asked
    int32_t attempt;           // 0; more: memory got short after weights had been placed
    size_t kv_bytes;           // of the pool, where weights were placed by it; 0: pool.c decides
    struct offload_memory offload; // where some are in host memory
    struct error *err;
};

static const struct backend *backend_by_name(const char *name) {
    if (!strcmp(name, "cpu")) return backend_cpu();
    if (!strcmp(name, "reference")) return backend_reference();
    if (!strcmp(name, "cuda")) return backend_cuda();
    return NULL;
}

static struct device_options device_options_of(const struct engine_options *options) {
    return (struct device_options){.threads = options->threads,
                                   .deterministic = options->deterministic};
}

static bool is_named(const struct engine_options *options) { // else the choice is ours
    return options->backend && strcmp(options->backend, "auto") != 0;
}

static enum status open_processor(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct device_options options = device_options_of(opening->options);
    engine->backend = backend_cpu();
    return engine->backend->open(&options, &engine->device, opening->err);
}

// A build with CUDA also runs on a machine without a card, and logs that it does.
static enum status open_automatic(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct device_options options = device_options_of(opening->options);
    struct error err = {0};
    engine->backend = backend_cuda();
    if (engine->backend && engine->backend->open(&options, &engine->device, &err) == STATUS_OK)
        return STATUS_OK;
    if (engine->backend) log_write(LOG_WARNING, "computing on the CPU: %s", err.text);
    return open_processor(opening);
}

static enum status choose_backend(struct opening *opening) {
    const char *name = opening->options->backend;
    const struct device_options options = device_options_of(opening->options);
    if (!is_named(opening->options)) return open_automatic(opening);
    const struct backend *backend = backend_by_name(name);
    if (!backend && !strcmp(name, "cuda"))
        return error_set(opening->err, STATUS_UNSUPPORTED,
                         "this quire was built without CUDA; use --backend cpu");
    if (!backend)
        return error_set(
            opening->err, STATUS_BAD_INPUT,
            "backend: unsupported value \"%s\" (expected auto, cpu, cuda or reference)", name);
    opening->engine->backend = backend;
    return backend->open(&options, &opening->engine->device, opening->err);
}

static void report_loading(void *user, double fraction) {
    const struct engine_options *options = user;
    options->progress(options->progress_user, "loading", fraction);
}

static bool is_card(struct engine *engine, struct device_info *info) {
    engine->backend->info(engine->device, info);
    return info->threads == 0;
}

static enum status read_shape_type(const struct opening *opening, enum dtype *type) {
    const char *name = opening->options->shape_type;
    struct text names = {0};
    if (dtype_find(name ? name : "bf16", type)) return STATUS_OK;
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (text_format(&names, "%s%s", i ? ", " : "", dtype_name((enum dtype)i)) != STATUS_OK)
            break;
    const enum status status =
        error_set(opening->err, STATUS_BAD_INPUT,
                  "--dtype: unsupported type \"%.40s\" (expected %s)", name, text_string(&names));
    text_deinit(&names);
    return status;
}

static enum status choose_kv_type(struct opening *opening) {
    const char *name = opening->options->kv_type ? opening->options->kv_type : "auto";
    enum dtype *type = &opening->engine->shapes[0].type;
    if (!strcmp(name, "auto")) {
        // The reference backend rounds no more than it must.
        *type = opening->engine->backend == backend_reference() ? DTYPE_F32 : DTYPE_F16;
        return STATUS_OK;
    }
    if (kv_type_find(name, type)) return STATUS_OK;
    return error_set(
        opening->err, STATUS_BAD_INPUT,
        "kv-type: unsupported value \"%s\" (expected auto, f32, f16, bf16, fp8 or int8)", name);
}

static enum status choose_block_size(struct opening *opening) {
    const int32_t size = opening->options->block_size;
    if (size != 0 && size != 8 && size != 16 && size != 32)
        return error_set(opening->err, STATUS_BAD_INPUT,
                         "block-size: expected 8, 16 or 32, found %" PRId32, size);
    opening->engine->shapes[0].block_size = size ? size : DEFAULT_BLOCK_SIZE;
    return STATUS_OK;
}

static enum status choose_attention(struct opening *opening) {
    const char *name = opening->options->attention ? opening->options->attention : "auto";
    struct engine *engine = opening->engine;
    int kernel = 0;
    while (kernel < ATTENTION_KERNELS &&
           strcmp(name, attention_name((enum attention_kernel)kernel)) != 0)
        kernel++;
    if (kernel == ATTENTION_KERNELS)
        return error_set(
            opening->err, STATUS_BAD_INPUT,
            "attention: unsupported value \"%s\" (expected auto, flash, gather, v1, v2 or paged)",
            name);
    engine->attention = (enum attention_kernel)kernel;
    engine->shapes[0].layout = attention_layout(engine->attention);
    // Prefill uses another kernel than decoding, so recomputing a token would give other bits.
    if (engine->shapes[0].layout == KV_LAYOUT_PACKED && opening->options->deterministic)
        return error_set(opening->err, STATUS_BAD_INPUT,
                         "attention %s cannot be combined with deterministic; use auto", name);
    if (engine->attention != ATTENTION_AUTO && !engine->backend->attention_check)
        return error_set(opening->err, STATUS_UNSUPPORTED,
                         "attention %s needs --backend cuda; with the %s backend, use auto", name,
                         engine->backend->name);
    return STATUS_OK;
}

// All that a placement depends on besides the weights.
static enum status choose_shapes(struct opening *opening) {
    struct engine *engine = opening->engine;
    engine->kv_shape = kv_shape_of(&engine->model.config);
    placing_set_step(engine, opening->options, engine->backend->batch_tokens);
    TRY(choose_attention(opening));
    TRY(choose_kv_type(opening));
    TRY(choose_block_size(opening));
    for (int i = engine->kv_shape.group_count - 1; i >= 0; i--) {
        engine->shapes[i] = engine->shapes[0];
        kv_shape_set(&engine->shapes[i], &engine->kv_shape, i, 0);
    }
    return STATUS_OK;
}

// What the weights will take on the card.
static enum status count_weights(const struct opening *opening, struct placement_need *need) {
    const struct engine *engine = opening->engine;
    enum dtype type;
    if (engine->gguf) {
        placement_need_file(engine->gguf, &engine->model.config, engine->backend, need);
        return STATUS_OK;
    }
    TRY(read_shape_type(opening, &type));
    return model_random_need(opening->shape, type, engine->backend, need, opening->err);
}

static enum status check_recurrence(const struct model_config *config, struct error *err) {
    for (int32_t i = 0; i < config->layers; i++)
        if (config->specs[i].mixer == MIXER_RECURRENCE && config->specs[i].recurrence.key_size % 8)
            return error_set(err, STATUS_UNSUPPORTED,
                             "the head size of the recurrent layers (%d) is not a multiple of 8, "
                             "which the GPU needs",
                             config->specs[i].recurrence.key_size);
    return STATUS_OK;
}

// Decides where the weights will live, or says why the card cannot run the model, before anything
// is copied to it.
static enum status place_weights(struct opening *opening, struct error *err) {
    const struct engine_options *options = opening->options;
    struct engine *engine = opening->engine;
    struct placing *placing = calloc(1, sizeof *placing);
    struct error why = {0};
    if (!placing) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    enum status status = count_weights(opening, &placing->need);
    if (status == STATUS_OK) status = check_recurrence(&engine->model.config, err);
    if (status == STATUS_OK) {
        placing->attempt = opening->attempt;
        struct engine_options rest = *options;
        if (rest.device_bytes) {
            const size_t taken = drafter_device_bytes(engine);
            rest.device_bytes = taken < rest.device_bytes ? rest.device_bytes - taken : 1;
        }
        status = placing_choose(engine, &rest, placing, &why);
        if (status != STATUS_OK)
            status =
                error_set(err, status, "%s: %s",
                          options->model_path ? options->model_path : options->shape, why.text);
    }
    engine->placement = placing->placement;
    opening->kv_bytes = placing->kv_bytes;
    opening->offload = placing->memory;
    engine->stream_us = placing->stream_us;
    engine->few_tokens = placing->few_tokens;
    free(placing);
    return status;
}

// A device for weights in two places, where that is how they are placed.
static enum status open_offload(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct device_options options = device_options_of(opening->options);
    if (!placement_splits(&engine->placement)) return STATUS_OK;
    return offload_open(&engine->backend, &engine->device, &options, &opening->offload,
                        opening->err);
}

enum { LISTED_BYTES = 96 };

// Lists the words, "a, b, c", and leaves out NULL.
static void list_words(const char *const words[], size_t count, char text[LISTED_BYTES]) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (!words[i]) continue;
        snprintf(text + length, LISTED_BYTES - length, "%s%s", length ? ", " : "", words[i]);
        length = strlen(text);
    }
}

// On a processor all weights are in one place, whatever was asked for.
static void report_unused(const struct engine_options *options) {
    const struct placement_override *placement = &options->placement;
    const char *const names[] = {options->device_bytes > 0 ? "--device-memory" : NULL,
                                 placement->has_ngl ? "--ngl" : NULL,
                                 placement->has_n_cpu_moe ? "--n-cpu-moe" : NULL};
    char unused[LISTED_BYTES];
    list_words(names, sizeof names / sizeof names[0], unused);
    if (unused[0]) log_write(LOG_WARNING, "no effect without a GPU: %s", unused);
}

// What a person could change so that the model fits the card.
static void list_remedies(const struct opening *opening, char text[LISTED_BYTES]) {
    const struct engine_options *options = opening->options;
    const struct placement_override *placement = &options->placement;
    const bool lower = placement->has_ngl && placement->ngl > 0;
    const bool raise =
        placement->has_n_cpu_moe && placement->n_cpu_moe < opening->engine->model.config.layers;
    const char *const remedies[] = {options->device_bytes > 0 ? "raise --device-memory" : NULL,
                                    lower ? "lower --ngl" : NULL,
                                    raise ? "raise --n-cpu-moe" : NULL,
                                    options->kv_device_bytes ? "lower --kv-device" : "lower --ctx"};
    list_words(remedies, sizeof remedies / sizeof remedies[0], text);
}

static void report_no_experts(const struct engine *engine, const struct engine_options *options) {
    const int32_t first = options->placement.n_cpu_moe;
    if (!options->placement.has_n_cpu_moe || first == 0) return;
    if (engine->placement.host_layers[PLACEMENT_EXPERTS] == 0)
        log_write(LOG_WARNING,
                  "no effect: --n-cpu-moe %" PRId32 ", since none of these layers has experts",
                  first);
}

// Random weights take memory of their own, where a file's are in the system's cache.
static enum status check_shape_memory(const struct opening *opening) {
    const struct placement *placement = &opening->engine->placement;
    char wanted[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    if (!opening->shape) return STATUS_OK;
    size_t bytes = placement->host_bytes + placement->embedding_bytes;
    if (!placement_splits(placement)) {
        struct placement_need *need = calloc(1, sizeof *need);
        const enum status status = need ? count_weights(opening, need) : STATUS_NO_MEMORY;
        bytes = need ? placement_need_bytes(need) : 0;
        free(need);
        TRY(status);
    }
    const size_t available = placing_host_memory();
    if (available == 0 || bytes <= available) return STATUS_OK;
    return error_set(opening->err, STATUS_NO_MEMORY,
                     "%s takes %s of memory, but only %s is free; NAME:N takes N of its layers",
                     opening->options->shape, size_format(bytes, wanted),
                     size_format(available, have));
}

// If the card cannot run the model, opening fails, or the processor computes if the choice of
// backend was left to us.
static enum status check_backend(struct opening *opening) {
    struct engine *engine = opening->engine;
    struct error err = {0};
    TRY(choose_shapes(opening));
    if (!placing_applies(engine, opening->options)) {
        report_unused(opening->options);
        return check_shape_memory(opening);
    }
    const enum status status = place_weights(opening, &err);
    if (status == STATUS_OK && placement_splits(&engine->placement))
        TRY(check_shape_memory(opening));
    opening->is_placed =
        status == STATUS_OK && !placement_is_overridden(&opening->options->placement);
    if (status == STATUS_OK) {
        report_no_experts(engine, opening->options);
        return open_offload(opening);
    }
    if (is_named(opening->options)) {
        char remedies[LISTED_BYTES] = "";
        if (status == STATUS_NO_MEMORY) list_remedies(opening, remedies);
        return error_set(opening->err, status, "%s; %s%suse --backend cpu", err.text, remedies,
                         remedies[0] ? " or " : "");
    }
    log_write(LOG_WARNING, "computing on the CPU: %s", err.text);
    engine->backend->close(engine->device);
    engine->device = NULL;
    engine->placement = (struct placement){0};
    TRY(open_processor(opening));
    TRY(choose_shapes(opening));
    return check_shape_memory(opening);
}

// Logs what runs on slow, plain kernels.
static void report_slow(struct engine *engine) {
    enum { SMALL_SHARE = 64 }; // of the weights: too small to be noticed
    struct device_info info;
    char bytes[SIZE_TEXT_BYTES], heads[64] = "", matrices[64] = "";
    engine->backend->info(engine->device, &info);
    if (info.plain_instructions)
        log_write(LOG_WARNING, "this will be slow: quire has no SIMD kernels for this CPU");
    if (info.plain_bytes > engine->model.weight_bytes / SMALL_SHARE)
        snprintf(matrices, sizeof matrices, "%s of the weights",
                 size_format(info.plain_bytes, bytes));
    if (info.plain_head_size)
        snprintf(heads, sizeof heads, "attention with head size %" PRId32 " in %s",
                 info.plain_head_size, dtype_name(engine->shapes[0].type));
    if (matrices[0] || heads[0])
        log_write(LOG_WARNING, "this will be slow: quire has no fast GPU kernels for %s%s%s",
                  matrices, matrices[0] && heads[0] ? " or for " : "", heads);
}

// The file may have been replaced since its digest was found.
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

// What the file is, before its weights are read.
static enum status read_config(struct opening *opening) {
    struct engine *engine = opening->engine;
    if (opening->shape) return shape_config(opening->shape, &engine->model.config, opening->err);
    TRY(model_config_read(engine->gguf, &engine->model.config, opening->err));
    struct model_config *config = &engine->model.config;
    if (opening->options->draft_head == DRAFT_HEAD_NONE) config->mtp_layers = 0;
    if (opening->options->draft_head != DRAFT_HEAD_REQUIRED || config->mtp_layers > 0)
        return STATUS_OK;
    return error_set(opening->err, STATUS_UNSUPPORTED,
                     "%s has no draft head that quire can use; draft with auto or history instead",
                     gguf_path(engine->gguf));
}

// The model with what its adapters add.
static enum status load_model(struct opening *opening, struct model_options *how) {
    struct engine *engine = opening->engine;
    const struct engine_options *options = opening->options;
    struct adapters adapters = {.count = 0};
    TRY(adapters_open(options->adapters, options->adapter_count, &adapters, opening->err));
    how->adapters = &adapters;
    enum status status = model_open(&engine->model, engine->gguf, how, opening->err);
    if (status == STATUS_OK) engine->adapters_identity = adapters_identity(&adapters);
    if (status == STATUS_OK) status = adapters_describe(&adapters, &engine->adapters);
    adapters_append_names(&adapters, engine->name, sizeof engine->name);
    adapters_close(&adapters);
    return status;
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
    enum dtype type;
    TRY(read_shape_type(opening, &type));
    return model_random(&engine->model, opening->shape, type, &how, opening->err);
}

// The processor's weights lie next to its threads.
static enum status load_weights(struct opening *opening) {
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

// A card norms rows four elements at a time, and writes eight of latent attention's values. Rows of
// the stream and of queries are as long as rows of matrices, whose lengths are multiples of eight;
// heads must be checked.
static enum status check_rows(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct model_config *config = &engine->model.config;
    struct device_info info;
    if (!is_card(engine, &info)) return STATUS_OK;
    for (int32_t i = 0; i < config->layers; i++) {
        const struct attention_spec *spec = &config->specs[i].attention;
        const int32_t all = spec->kv_heads * spec->head_size, value = spec->latent.value_size;
        const int32_t normed = spec->qk_norm == QK_NORM_ROW ? all : value;
        const int32_t row = spec->value_norm ? spec->head_size : normed, unit = value > 0 ? 8 : 4;
        if (row % unit)
            return error_set(opening->err, STATUS_UNSUPPORTED,
                             "the row length of keys or values (%" PRId32
                             ") is not a multiple of %" PRId32
                             ", which the GPU needs; use --backend cpu",
                             row, unit);
    }
    return STATUS_OK;
}

// Checks what depends on the model's heads and on the context, once they are known.
static enum status check_attention(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct layer_maxima most = model_config_maxima(&engine->model.config);
    struct kv_cache cache = engine->shapes[0];
    const struct paged_attention args = {
        .kernel = engine->attention, .num_heads = most.heads, .cache = &cache};
    TRY(check_rows(opening));
    const int views = engine->kv_shape.group_count * KV_VIEWS;
    for (int i = 0; i < views && engine->backend->attention_check; i++) {
        if (engine->kv_shape.groups[i / KV_VIEWS].recurrent) continue;
        kv_shape_set(&cache, &engine->kv_shape, i / KV_VIEWS, i % KV_VIEWS);
        TRY(engine->backend->attention_check(engine->device, &args, engine->context, opening->err));
    }
    return STATUS_OK;
}

static enum status choose_pool(struct opening *opening) {
    struct engine_options options = *opening->options;
    if (opening->kv_bytes) {
        options.kv_device_bytes = opening->kv_bytes;
        options.sequences = 0; // whose windows and states are in that
    }
    if (!options.unattended) return pool_choose(opening->engine, &options, opening->err);
    const int32_t trained = opening->engine->model.config.context;
    const int32_t most = options.context < trained ? options.context : trained;
    options.kv_device_bytes = drafter_kv_bytes(opening->engine, most);
    options.context = 0; // what the pool can hold
    TRY(pool_choose(opening->engine, &options, opening->err));
    if (opening->engine->context > most) opening->engine->context = most;
    return STATUS_OK;
}

static size_t all_pool_bytes(const struct engine *engine) {
    size_t bytes = 0;
    for (int i = 0; i < engine->kv_shape.group_count; i++)
        bytes += pool_bytes(engine, i);
    return bytes;
}

static enum status refuse_cache(struct opening *opening) {
    const struct engine *engine = opening->engine;
    struct device_info info;
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    engine->backend->info(engine->device, &info);
    return error_set(opening->err, STATUS_NO_MEMORY,
                     "the KV cache needs %s, but only %s is free; lower --kv-device",
                     size_format(all_pool_bytes(engine), need),
                     size_format(info.memory_free, have));
}

// A card's memory is part of the plan. A processor's allocation may succeed without memory behind
// it, and the system ends the process when the cache fills.
static enum status check_cache(struct opening *opening) {
    struct device_info info;
    if (is_card(opening->engine, &info) || info.memory_free == 0) return STATUS_OK;
    return all_pool_bytes(opening->engine) > info.memory_free ? refuse_cache(opening) : STATUS_OK;
}

static enum status alloc_memory(struct opening *opening) {
    struct engine *engine = opening->engine;
    struct forward_limits limits = placing_forward_limits(engine, engine->context);
    limits.unshared = opening->options->unshared;
    limits.streams = engine->stream_us > 0;
    bool whole = true;
    TRY(check_cache(opening));
    for (int i = 0; i < engine->kv_shape.group_count; i++) {
        const size_t bytes = pool_bytes(engine, i);
        ASSERT(bytes > 0 && engine->most_tokens > 0);
        whole = whole &&
                engine->backend->alloc(engine->device, bytes, &engine->shapes[i].data) == STATUS_OK;
    }
    if (whole &&
        forward_create(&engine->model, engine->shapes, &limits, &engine->forward) == STATUS_OK)
        return STATUS_OK;
    return refuse_cache(opening);
}

// Hashes everything that a block's bytes depend on besides its tokens. Tokenizer and RoPE
// parameters are in the model file and so in its digest, except for the choice of LongRoPE's
// factors. What a convolution keeps depends on what keys and values are rounded to, as they do. A
// processor's products have other bits than a card's, so where weights are in two places it matters
// which are where.
static struct hash128 format_id(struct engine *engine, const struct engine_options *options,
                                int group) {
    ASSERT(group >= 0 && group < KV_GROUPS);
    enum { FIRST_LAYOUT = 1, NUMERICS = 1 };
    const struct kv_cache *shape = &engine->shapes[group];
    struct kv_cache other = *shape;
    char text[416], mixed[64] = "", layers[32] = "", host[8 + HASH_HEX_BYTES] = "";
    if (engine->kv_shape.group_count > 1) snprintf(layers, sizeof layers, " group %d", group);
    kv_shape_set(&other, &engine->kv_shape, group, KV_VIEWS - 1);
    if (other.num_kv_heads != shape->num_kv_heads || other.head_size != shape->head_size)
        snprintf(mixed, sizeof mixed, " mixed %" PRId32 " heads %" PRId32 " size %" PRId32,
                 other.num_layers, other.num_kv_heads, other.head_size);
    if (placement_splits(&engine->placement)) {
        memcpy(host, " host ", 7);
        hash_hex(hash_bytes(engine->placement.in_host, sizeof engine->placement.in_host, 0),
                 host + 6);
    }
    char digest[HASH_HEX_BYTES] = "";
    if (engine->gguf && options->disk)
        hash_hex(engine_identity(engine, engine_digest(engine)), digest);
    const int length = snprintf(
        text, sizeof text,
        "model %s%.64s kv %s layers %" PRId32 " heads %" PRId32 " size %" PRId32 " block %" PRId32
        " layout %d%s numerics %s %d%s%s%s%s",
        digest, options->shape ? options->shape : "", dtype_name(engine->shapes[0].type),
        shape->num_layers, shape->num_kv_heads, shape->head_size, shape->block_size,
        FIRST_LAYOUT + (int)shape->layout, shape->latent ? " latent" : "", engine->backend->name,
        NUMERICS, engine->model.long_rope ? " long" : "", mixed, layers, host);
    ASSERT(length > 0 && (size_t)length < sizeof text);
    return hash_bytes(text, (size_t)length, 0);
}

static void wake(void *user) {
    struct engine *engine = user;
    pthread_cond_signal(&engine->work);
}

// A group has its part of the host's memory, and a disk pool of its own.
static enum status open_group(struct opening *opening, int group, size_t host_bytes,
                              struct disk_pool **disk) {
    struct engine *engine = opening->engine;
    const size_t slots = host_bytes / kv_block_bytes(&engine->shapes[group]);
    const struct block_cache_options cache = {
        .backend = engine->backend,
        .device = engine->device,
        .shape = &engine->shapes[group],
        .lock = &engine->lock,
        .host_slots = slots < UINT32_MAX / 4 ? (uint32_t)slots : UINT32_MAX / 4,
        .disk = *disk,
        .format = format_id(engine, opening->options, group),
        .kind = engine->kv_shape.groups[group].kind,
        .reach = engine->kv_shape.groups[group].reach,
        .model = engine->name,
        .max_disk_blocks = MAX_DISK_BLOCKS,
        .write_delay_us = WRITE_DELAY_US,
        .changed = wake,
        .user = engine,
        .lending = group == 0 ? &engine->lending : NULL,
    };
    TRY(grouped_cache_open(&engine->cache, cache, opening->err));
    *disk = NULL;
    if (group == 0 && placement_splits(&engine->placement))
        lending_init(&engine->lending, engine->device, &engine->shapes[0],
                     block_cache_pool(engine->cache.groups[0]));
    return STATUS_OK;
}

static enum status open_cache(struct opening *opening) {
    struct engine *engine = opening->engine;
    const int groups = engine->kv_shape.group_count;
    struct disk_pool *disks[KV_GROUPS] = {engine->disk};
    struct device_info info;
    size_t host_bytes = opening->options->kv_host_bytes, device_bytes = 0;
    if (is_card(engine, &info) && host_bytes == 0) host_bytes = CARD_HOST_BYTES;
    for (int i = 0; i < groups; i++)
        device_bytes += pool_bytes(engine, i);
    engine->draft_record = draft_record_new();
    TRY(history_init(&engine->history));
    for (int i = 1; i < groups && engine->disk; i++)
        disks[i] = engine->disk->ops->twin(engine->disk);
    enum status status = STATUS_OK;
    for (int i = 0; i < groups && status == STATUS_OK; i++) {
        const double part = (double)pool_bytes(engine, i) / (double)device_bytes;
        status = open_group(opening, i, (size_t)((double)host_bytes * part), &disks[i]);
    }
    engine->disk = disks[0]; // NULL, if its group has it
    for (int i = 1; i < groups; i++)
        if (disks[i]) disks[i]->ops->close(disks[i], NULL);
    return status;
}

static enum status start_thread(struct opening *opening) {
    struct engine *engine = opening->engine;
    engine->queue.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (engine->queue.fd < 0)
        return error_set(opening->err, STATUS_IO, "cannot create an event descriptor");
    if (opening->options->unattended) return STATUS_OK;
    if (pthread_create(&engine->thread, NULL, engine->remote ? remote_main : stepper_main,
                       engine) != 0)
        return error_set(opening->err, STATUS_NO_MEMORY, "cannot create a thread");
    engine->thread_runs = true;
    return STATUS_OK;
}

// A processor's weights are mapped, and what the system has to drop of them is read again and
// again.
static void warn_of_pressure(struct engine *engine) {
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    struct device_info info;
    const size_t bytes = pool_mapped_bytes(engine) + all_pool_bytes(engine);
    if (is_card(engine, &info) || info.memory_free == 0) return;
    if (bytes > info.memory_free)
        log_write(
            LOG_WARNING,
            "weights and KV cache need %s of memory, but only %s is free; expect it to be slow",
            size_format(bytes, need), size_format(info.memory_free, have));
}

static enum status open_drafter(struct opening *opening) {
    struct engine *engine = opening->engine;
    if (!opening->options->draft_path || !engine->gguf) return STATUS_OK;
    TRY(tokenizer_open_model(engine->gguf, &engine->tokenizer, opening->err));
    const struct engine_options small = drafter_options(engine, opening->options);
    TRY(engine_open(&small, &engine->drafter, opening->err));
    return drafter_check(engine, opening->options->draft_path, opening->err);
}

// The device, and where the weights will be.
static enum status plan(struct opening *opening) {
    TRY(choose_backend(opening));
    TRY(find_model(opening));
    TRY(read_config(opening));
    TRY(pool_check_context(opening->engine, opening->options, opening->err));
    TRY(open_drafter(opening));
    return check_backend(opening);
}

// Before a cache is opened under it: who interrupts gets the digest of something else.
static enum status identify(struct opening *opening) {
    if (opening->engine->gguf && opening->options->disk) (void)engine_digest(opening->engine);
    if (!effort_unwanted()) return STATUS_OK;
    return error_set(opening->err, STATUS_CANCELLED, "stopped: %s was being read",
                     opening->options->model_path);
}

static enum status open_parts(struct opening *opening) {
    struct engine *engine = opening->engine;
    if (opening->options->remote) {
        TRY(remote_open(engine, opening->options->remote, opening->err));
        return start_thread(opening);
    }
    TRY(plan(opening));
    name_model(engine, opening->options);
    TRY(load_weights(opening));
    const bool is_placed = opening->is_placed;
    opening->is_placed = false; // what the options ask for is no more possible the second time
    TRY(choose_pool(opening));
    TRY(check_attention(opening));
    opening->is_placed = is_placed;
    TRY(alloc_memory(opening));
    warn_of_pressure(opening->engine);
    TRY(identify(opening));
    TRY(open_cache(opening));
    report_slow(engine);
    settling_start(engine, opening->options);
    return start_thread(opening);
}

// An engine without any part yet, or NULL.
static struct engine *create(const struct engine_options *options) {
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) return NULL;
    engine->disk = options->disk;
    engine->kv_restore = options->kv_restore;
    engine->io_deadline_us =
        (int64_t)(options->io_deadline_ms ? options->io_deadline_ms : IO_DEADLINE_MS) * 1000;
    engine->knows_digest = options->digest != NULL;
    if (options->digest) engine->digest = *options->digest;
    engine->queue.fd = -1;
    pthread_mutex_init(&engine->lock, NULL);
    pthread_cond_init(&engine->work, NULL);
    pthread_cond_init(&engine->drained, NULL);
    pthread_cond_init(&engine->settled, NULL);
    engine->model_path = options->model_path ? strdup(options->model_path) : NULL;
    return engine;
}

// One try. Keeps the disk pool, if it was not used yet, for another.
static enum status open_once(struct opening *opening, struct engine **result, bool *may_retry) {
    const struct engine_options *options = opening->options;
    struct engine *engine = create(options);
    *may_retry = false;
    if (!engine) {
        if (options->disk) options->disk->ops->close(options->disk, NULL);
        return error_set(opening->err, STATUS_NO_MEMORY, "not enough memory");
    }
    opening->engine = engine;
    const enum status status =
        options->model_path && !engine->model_path ? STATUS_NO_MEMORY : open_parts(opening);
    if (status == STATUS_OK) {
        *result = engine;
        return status;
    }
    *may_retry = status == STATUS_NO_MEMORY && opening->is_placed &&
                 opening->attempt + 1 < PLACING_ATTEMPTS && engine->disk == options->disk;
    if (*may_retry) engine->disk = NULL;
    engine_close(engine);
    return status;
}

// Another program may take memory of the card between the plan and the last allocation. That moves
// weights to host memory, and is no reason to fail.
enum status engine_open(const struct engine_options *options, struct engine **result,
                        struct error *err) {
    ASSERT(options->model_path || options->shape || options->remote);
    bool again = true;
    enum status status = STATUS_OK;
    for (int32_t attempt = 0; again; attempt++) {
        struct opening opening = {.options = options, .attempt = attempt, .err = err};
        status = open_once(&opening, result, &again);
        if (again && err) log_write(LOG_DEBUG, "%s", err->text);
        if (again) log_write(LOG_WARNING, "GPU memory got short; placing the weights once more");
    }
    return status;
}

enum status engine_predict(const struct engine_options *options, struct engine_forecast *forecast,
                           struct error *err) {
    ASSERT((options->model_path || options->shape) && !options->disk);
    struct engine *engine = create(options);
    if (!engine) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    struct opening opening = {.engine = engine, .options = options, .err = err};
    enum status status = plan(&opening);
    if (status == STATUS_OK) status = choose_pool(&opening);
    if (status == STATUS_OK) status = check_cache(&opening);
    if (status == STATUS_OK) {
        struct device_info info;
        *forecast = (struct engine_forecast){.tokens_s = engine->placement.tokens_s,
                                             .context = engine->context,
                                             .on_card = is_card(engine, &info)};
        if (placement_leaves(&engine->placement))
            placement_describe(&engine->placement, forecast->placement);
    }
    engine_close(engine);
    return status;
}

// Aborts what still runs; its requests can then be released as after DONE.
static void stop_thread(struct engine *engine) {
    pthread_mutex_lock(&engine->lock);
    engine->closing = true;
    pthread_cond_signal(&engine->work);
    pthread_cond_signal(&engine->drained);
    pthread_mutex_unlock(&engine->lock);
    if (engine->thread_runs) pthread_join(engine->thread, NULL);
    for (int32_t i = 0; i < engine->request_count; i++) {
        ASSERT(engine->requests[i]->sequence->running == engine->requests[i]);
        engine->requests[i]->sequence->running = NULL;
        request_end_drafts(engine->requests[i]);
        engine->requests[i]->done = true;
    }
}

// What a split's answers have shown of its prediction.
static void learn(struct engine *engine) {
    const struct placement *placement = &engine->placement;
    struct placement_lesson *lesson = &engine->lesson;
    if (lesson->tokens > 0 && placement->experts > 0) {
        const struct offload_counts counts = offload_counts(engine->device);
        const bool as_planned = counts.expert_slots > 0 || placement_copies(placement) == 0;
        lesson->copied = as_planned ? counts.lately.held : 0;
        lesson->hits = counts.lately.hits;
    }
    rates_learn(lesson, placement);
}

void engine_close(struct engine *engine) {
    if (!engine) return;
    stop_thread(engine);
    huge_pages_stop(engine->huge_pages);
    learn(engine);
    engine_close(engine->drafter);
    while (engine->sequences)
        sequence_destroy(engine->sequences);
    if (engine->tokens_per_us > 0 && engine->cache.count > 0)
        block_cache_note_prefill(engine->cache.groups[0], 1 / engine->tokens_per_us);
    // If the disk does not answer, its thread still uses the engine: leak it rather than free it.
    if (!grouped_cache_destroy(&engine->cache, (int)(engine->io_deadline_us / 1000))) return;
    if (engine->disk) engine->disk->ops->close(engine->disk, NULL);
    forward_destroy(engine->forward);
    if (engine->device) {
        for (int i = 0; i < KV_GROUPS && engine->shapes[i].data; i++)
            engine->backend->release(engine->device, engine->shapes[i].data, pool_bytes(engine, i));
        model_close(&engine->model);
        engine->backend->close(engine->device);
    }
    remote_close(engine->remote);
    tokenizer_close(engine->tokenizer);
    gguf_close(engine->gguf);
    if (engine->queue.fd >= 0) close(engine->queue.fd);
    pthread_cond_destroy(&engine->settled);
    pthread_cond_destroy(&engine->drained);
    pthread_cond_destroy(&engine->work);
    pthread_mutex_destroy(&engine->lock);
    text_deinit(&engine->adapters);
    history_deinit(&engine->history);
    free(engine->model_path);
    free(engine);
}

void engine_info(struct engine *engine, struct engine_info *info) {
    if (engine->remote) return remote_info(engine, info);
    const struct model_config *config = &engine->model.config;
    struct device_info device;
    engine->backend->info(engine->device, &device);
    *info = (struct engine_info){
        .model_path = engine->model_path,
        .adapters = text_string(&engine->adapters),
        .parameters = engine->model.parameters,
        .weight_bytes = engine->model.weight_bytes,
        .layers = model_config_blocks(config),
        .has_draft_head = config->mtp_layers > 0,
        .vocabulary = config->vocabulary,
        .context = engine->context,
        .trained_context = config->context,
        .step_tokens = engine->most_tokens,
        .block_size = engine->shapes[0].block_size,
        .blocks_total = engine->shapes[0].num_blocks,
        .block_bytes = kv_block_bytes(&engine->shapes[0]),
        .token_bytes = kv_block_bytes(&engine->shapes[0]) / (size_t)engine->shapes[0].block_size,
        .state_bytes = pool_state_bytes(engine),
        .sequence_bytes = pool_sequence_bytes(engine),
        .threads = device.threads,
    };
    snprintf(info->model_name, sizeof info->model_name, "%s", engine->name);
    snprintf(info->family, sizeof info->family, "%s", config->family);
    snprintf(info->file_type, sizeof info->file_type, "%s", dtype_name(engine->model.main_type));
    snprintf(info->backend, sizeof info->backend, "%s", engine->backend->name);
    snprintf(info->device, sizeof info->device, "%s", device.name);
    if (placement_leaves(&engine->placement)) {
        placement_describe(&engine->placement, info->placement);
        info->predicted_tokens_s = engine->placement.tokens_s;
    }
    snprintf(info->kv_type, sizeof info->kv_type, "%s", dtype_name(engine->shapes[0].type));
}

const struct tokenizer *engine_tokenizer(const struct engine *engine) { return engine->tokenizer; }
const struct gguf *engine_gguf(const struct engine *engine) { return engine->gguf; }

struct hash128 engine_digest(struct engine *engine) {
    if (!engine->knows_digest) {
        engine->digest = gguf_digest(engine->gguf);
        engine->knows_digest = !effort_unwanted();
    }
    return engine->digest;
}

struct hash128 engine_identity(const struct engine *engine, struct hash128 digest) {
    const struct hash128 both[2] = {digest, engine->adapters_identity};
    return engine->adapters.length ? hash_bytes(both, sizeof both, 0) : digest;
}

void engine_history_add(struct engine *engine, const int32_t *ids, int32_t count) {
    if (!engine->history.tokens) return;
    for (int32_t i = 0; i < count; i++)
        if (ids[i] < 0 || ids[i] >= engine->model.config.vocabulary) return;
    pthread_mutex_lock(&engine->lock);
    history_add(&engine->history, ids, count);
    pthread_mutex_unlock(&engine->lock);
}

int32_t engine_history_room(struct engine *engine) {
    if (!engine->history.tokens) return 0;
    pthread_mutex_lock(&engine->lock);
    const int32_t room = history_room(&engine->history);
    pthread_mutex_unlock(&engine->lock);
    return room;
}

void engine_history_clear(struct engine *engine) {
    if (!engine->history.tokens) return;
    pthread_mutex_lock(&engine->lock);
    history_clear(&engine->history);
    pthread_mutex_unlock(&engine->lock);
}

struct sampler_options engine_sampler_defaults(const struct engine *engine) {
    struct sampler_options options = sampler_options_default();
    if (!engine->gguf) return engine->remote ? remote_sampler_defaults() : options;
    sampling_keys_read(engine->gguf, &options);
    generation_config_read(gguf_path(engine->gguf), &options); // of a folder
    return options;
}

static void check_group(const struct engine *engine, int group) {
    struct block_cache *cache = engine->cache.groups[group];
    const struct block_pool *pool = block_cache_pool(cache);
    uint64_t references = 0, counted = 0;
    block_cache_check(cache);
    for (const struct sequence *s = engine->sequences; s; s = s->next) {
        const struct block_table *table = &s->tables.of[group];
        block_table_check(table, pool);
        if (!s->running && !s->restoring.active) ASSERT(table->length == s->cached);
        counted += (uint64_t)block_table_blocks(table) +
                   (uint64_t)block_table_blocks(&s->before.of[group]);
    }
    for (uint32_t i = 0; i < block_pool_total(pool); i++)
        references += block_pool_references(pool, (struct block_index){i});
    ASSERT(references == counted); // every reference has an owner
}

void engine_check(struct engine *engine) {
    int32_t restoring = 0;
    pthread_mutex_lock(&engine->lock);
    for (int i = 0; i < engine->cache.count; i++)
        check_group(engine, i);
    for (const struct sequence *s = engine->sequences; s; s = s->next) {
        ASSERT(s->cached <= s->length && s->length <= engine->context);
        ASSERT((s->running && engine->cache.has_states) || // on its way to a token
               grouped_table_reaches(&engine->cache, &s->tables, s->cached));
        restoring += s->restoring.active;
    }
    ASSERT(restoring == engine->restoring_count);
    pthread_mutex_unlock(&engine->lock);
    if (engine->drafter) engine_check(engine->drafter);
}
