// engine/opening_device.c — which device computes, and where the weights will live on it.
//
// If the choice is quire's, a card computes; if there is none, or it cannot run the model, the
// processor computes instead, and a line says so. If the user named a device that cannot run the
// model, that is an error, which says what to change.
#include "engine/opening.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/placing.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"

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

static bool is_named(const struct engine_options *options) { // or else quire chooses
    return options->backend && strcmp(options->backend, "auto") != 0;
}

static enum status open_processor(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct device_options options = device_options_of(opening->options);
    engine->backend = backend_cpu();
    return engine->backend->open(&options, &engine->device, opening->err);
}

// A build with CUDA also runs on a machine without a card, and logs why it uses the CPU.
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

enum status opening_choose_device(struct opening *opening) {
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

static enum status check_recurrence(const struct model_config *config, struct error *err) {
    for (int32_t i = 0; i < config->layers; i++)
        if (config->specs[i].mixer == MIXER_RECURRENCE && config->specs[i].recurrence.key_size % 8)
            return error_set(err, STATUS_UNSUPPORTED,
                             "the head size of the recurrent layers (%d) is not a multiple of 8, "
                             "which the GPU needs",
                             config->specs[i].recurrence.key_size);
    return STATUS_OK;
}

// Decides where the weights will live, before anything is copied to the card. Fails if the card
// cannot run the model.
static enum status place_weights(struct opening *opening, struct error *err) {
    const struct engine_options *options = opening->options;
    struct engine *engine = opening->engine;
    struct placing *placing = calloc(1, sizeof *placing);
    struct error why = {0};
    if (!placing) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    enum status status = opening_count_weights(opening, &placing->need, err);
    if (status == STATUS_OK) status = check_recurrence(&engine->model.config, err);
    if (status == STATUS_OK) {
        placing->attempt = opening->attempt;
        struct engine_options rest = *options;
        if (rest.device_bytes) {
            const size_t taken = opening_drafter_bytes(engine);
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

// If weights are in two places, replaces the card by a device that is made for that.
static enum status open_offload(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct device_options options = device_options_of(opening->options);
    if (!placement_splits(&engine->placement)) return STATUS_OK;
    return offload_open(&engine->backend, &engine->device, &options, &opening->offload,
                        opening->err);
}

enum { LISTED_BYTES = 96 };

// Writes the words as "a, b, c", leaving out those that are NULL.
static void list_words(const char *const words[], size_t count, char text[LISTED_BYTES]) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (!words[i]) continue;
        snprintf(text + length, LISTED_BYTES - length, "%s%s", length ? ", " : "", words[i]);
        length = strlen(text);
    }
}

// Without a card all weights are in one place, so options about places have no effect.
static void report_unused(const struct engine_options *options) {
    const struct placement_override *placement = &options->placement;
    const char *const names[] = {options->device_bytes > 0 ? "--device-memory" : NULL,
                                 placement->has_ngl ? "--ngl" : NULL,
                                 placement->has_n_cpu_moe ? "--n-cpu-moe" : NULL};
    char unused[LISTED_BYTES];
    list_words(names, sizeof names / sizeof names[0], unused);
    if (unused[0]) log_write(LOG_WARNING, "no effect without a GPU: %s", unused);
}

// Lists what the user could change so that the model fits the card.
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

// Random weights take memory of their own, whereas a file's weights lie in the system's page cache.
static enum status check_shape_memory(const struct opening *opening) {
    const struct placement *placement = &opening->engine->placement;
    char wanted[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    if (!opening->shape) return STATUS_OK;
    size_t bytes = placement->host_bytes + placement->embedding_bytes;
    if (!placement_splits(placement)) {
        struct placement_need *need = calloc(1, sizeof *need);
        const enum status status =
            need ? opening_count_weights(opening, need, opening->err) : STATUS_NO_MEMORY;
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

// If the card cannot run the model, the processor takes over, or the opening fails if the user
// named the card.
enum status opening_place_weights(struct opening *opening) {
    struct engine *engine = opening->engine;
    struct error err = {0};
    TRY(opening_choose_shapes(opening));
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
    TRY(opening_choose_shapes(opening));
    return check_shape_memory(opening);
}
