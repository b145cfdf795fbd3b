// engine/placing.c — what a placement is planned from.
//
// A model that fits with a short context stays whole, and its KV cache gets what is left, as if
// there were one place only. One that does not is planned with the KV cache that was asked for: of
// the context, or the size. Rates are asked for only then, since measuring takes some time.
#include "engine/placing.h"

#include "engine/core/engine_state.h"
#include "engine/pool.h"
#include "engine/rates.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"

enum {
    SHORT_CONTEXT = 4096, // with which a model counts as fitting
    KV_SHARE = 4,         // of the memory, at most, for a KV cache that nobody asked for
    STREAM_US_MAX = 100000000,
    UNUSED_SHARE = 16, // of the free memory, for each attempt when reading it again was not enough
    SLOT_MORE = 1 << 20, // for lists, biases and alignment
};

bool placing_applies(struct engine *engine, const struct engine_options *options) {
    struct device_info info;
    engine->backend->info(engine->device, &info);
    const bool told = options->device_bytes > 0 || placement_is_overridden(&options->placement);
    return info.threads == 0 || (told && engine->backend == backend_reference());
}

static size_t less_of(size_t a, size_t b) { return a < b ? a : b; }

// The KV cache that was asked for, and that of a short context where none was.
static size_t least_kv(const struct engine *engine, const struct engine_options *options) {
    const int32_t trained = engine->model.config.context;
    if (options->kv_device_bytes) return pool_asked_bytes(engine, options);
    if (options->context > 0) return pool_context_bytes(engine, options->context);
    return pool_context_bytes(engine, trained < SHORT_CONTEXT ? trained : SHORT_CONTEXT);
}

// The same, and where none was asked for a share of the memory, up to the longest context.
static size_t wanted_kv(const struct engine *engine, const struct engine_options *options,
                        size_t card_bytes) {
    const size_t least = least_kv(engine, options);
    if (options->kv_device_bytes || options->context > 0) return least;
    const size_t most = pool_context_bytes(engine, engine->model.config.context);
    const size_t share = less_of(card_bytes / KV_SHARE, most);
    return share > least ? share : least;
}

struct forward_limits placing_forward_limits(const struct engine *engine, int32_t context) {
    return (struct forward_limits){
        .max_tokens = engine->most_tokens,
        .max_seqs = ENGINE_MAX_REQUESTS,
        .max_context = context,
        .max_logits = ENGINE_MAX_REQUESTS,
        .attention = engine->attention,
    };
}

static enum status choose(struct engine *engine, const struct engine_options *options,
                          struct placing *placing, struct error *err) {
    const struct model_config *config = &engine->model.config;
    struct placement_need *need = &placing->need;
    struct device_info info;
    ASSERT(need->layers == config->layers && config->context > 0);
    engine->backend->info(engine->device, &info);
    const size_t limit = options->device_bytes ? options->device_bytes : SIZE_MAX;
    ASSERT(placing->attempt >= 0 && placing->attempt < PLACING_ATTEMPTS);
    const size_t unused =
        placing->attempt > 1 ? info.memory_free / UNUSED_SHARE * (size_t)placing->attempt : 0;
    struct placement_limits limits = {.card_bytes = less_of(info.memory_free - unused, limit),
                                      .override = options->placement};
    const struct forward_limits forward =
        placing_forward_limits(engine, options->context > 0 ? options->context : config->context);
    need->buffer_bytes =
        forward_device_bytes(config, engine->backend, &forward, engine->shapes[0].block_size);
    need->row_bytes =
        (size_t)config->dim * (size_t)(dtype_block_bytes(engine->backend->activation) +
                                       dtype_block_bytes(engine->backend->residual));
    need->kv_bytes = least_kv(engine, options);
    const bool told = placement_is_overridden(&options->placement);
    const size_t taken = placement_need_bytes(need) + need->buffer_bytes;
    const bool fits = !told && taken + need->kv_bytes <= limits.card_bytes;
    const size_t kv_bytes = wanted_kv(engine, options, limits.card_bytes);
    if (fits && options->device_bytes)
        placing->kv_bytes = less_of(kv_bytes, limits.card_bytes - taken);
    if (fits) return placement_plan(need, &limits, &placing->placement, err);
    placing->kv_bytes = need->kv_bytes = kv_bytes;
    TRY(placement_plan(need, &limits, &placing->placement, err)); // rates do not change what fits
    limits.rates = options->rates ? *options->rates : rates_get(engine, options, need);
    // A slot, and a copy of its largest matrix on the way. Where they leave too little, prompts are
    // computed by the processor.
    const size_t part = placement_largest_part(need), buffer_bytes = need->buffer_bytes;
    if (!options->deterministic) {
        placing->slot_bytes = part + SLOT_MORE;
        need->buffer_bytes += placing->slot_bytes + part * 2 / 3;
        if (placement_plan(need, &limits, &placing->placement, NULL) == STATUS_OK) {
            const double us = limits.rates.link > 0
                                  ? 1e6 * (double)placing->placement.host_bytes / limits.rates.link
                                  : 0;
            placing->stream_us = us < STREAM_US_MAX ? (int32_t)us : STREAM_US_MAX;
            return STATUS_OK;
        }
    }
    placing->slot_bytes = 0;
    need->buffer_bytes = buffer_bytes;
    return placement_plan(need, &limits, &placing->placement, err);
}

// Weights that the system has to drop and to read again cost most of the speed, silently.
static void warn_of_pressure(const struct placement *placement) {
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    struct device_info info;
    struct device *device;
    if (backend_cpu()->open(&(struct device_options){.threads = 1}, &device, NULL) != STATUS_OK)
        return;
    backend_cpu()->info(device, &info);
    backend_cpu()->close(device);
    if (info.memory_free > 0 && placement->host_bytes > info.memory_free)
        log_write(LOG_WARNING,
                  "%s of weights stay in memory, but only %s is free; expect it to be slow",
                  size_format(placement->host_bytes, need), size_format(info.memory_free, have));
}

enum status placing_choose(struct engine *engine, const struct engine_options *options,
                           struct placing *placing, struct error *err) {
    TRY(choose(engine, options, placing, err));
    if (placement_splits(&placing->placement)) warn_of_pressure(&placing->placement);
    return STATUS_OK;
}
