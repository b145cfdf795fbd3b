// engine/placing.c — what a placement is planned from.
//
// A model that fits with a short context stays whole, and its KV cache gets what is left, as if
// there were one place only. One that does not is planned with the KV cache that was asked for: of
// the context, or the size. Rates are measured only then, since that takes some time.
#include "engine/placing.h"

#include "engine/core/engine_state.h"
#include "engine/pool.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "kernels/experts_speed.h"
#include "kernels/read_speed.h"

enum {
    SHORT_CONTEXT = 4096, // with which a model counts as fitting
    KV_SHARE = 4,         // of the memory, at most, for a KV cache that nobody asked for
    LINK_BYTES = 32 << 20,
    LINK_TIMES = 3,
    SLOT_MORE = 1 << 20, // for lists, biases and alignment
};

// Measured on cards that hold the model: how much of the reading speed products with one token
// reach, and what each layer takes besides, of a mixture and of a dense model. A part in host
// memory takes its copies, and two processors that wait for each other.
static const double CARD_SHARE = 0.9, MIXTURE_US = 45, DENSE_US = 10, CROSSING_US = 125;

bool placing_applies(struct engine *engine, const struct engine_options *options) {
    struct device_info info;
    engine->backend->info(engine->device, &info);
    const bool told = options->device_bytes > 0 || placement_is_overridden(&options->placement);
    return info.threads == 0 || (told && engine->backend == backend_reference());
}

// Bytes a second to the device, of pinned memory; 0: there is no memory, or the device failed.
static double measure_link(const struct backend *backend, struct device *device) {
    void *host = NULL, *memory = NULL;
    int64_t best_us = 0;
    if (backend->alloc_host(device, LINK_BYTES, &host) == STATUS_OK &&
        backend->alloc(device, LINK_BYTES, &memory) == STATUS_OK)
        for (int i = 0; i <= LINK_TIMES; i++) { // the first one only touches the pages
            const int64_t before_us = clock_now_us();
            backend->to_device(device, memory, host, LINK_BYTES);
            if (backend->sync(device) != STATUS_OK) break;
            const int64_t us = clock_now_us() - before_us;
            if (i > 0 && (best_us == 0 || us < best_us)) best_us = us > 0 ? us : 1;
        }
    backend->release(device, memory, LINK_BYTES);
    backend->release_host(device, host, LINK_BYTES);
    return best_us > 0 ? LINK_BYTES * 1e6 / (double)best_us : 0;
}

// The feed-forward that most bytes would leave the card with.
static struct experts_shape shape_of(const struct model_config *config) {
    struct experts_shape shape = {0};
    for (int32_t i = 0; i < config->layers; i++) {
        const struct ffn_spec *ffn = &config->specs[i].ffn;
        if (ffn->experts > 0)
            return (struct experts_shape){config->dim, ffn->expert_width, ffn->experts_used};
        if (ffn->kind == FFN_DENSE && ffn->width > shape.width)
            shape = (struct experts_shape){config->dim, ffn->width, 1};
    }
    return shape;
}

static double measure_processor(const struct model_config *config,
                                const struct engine_options *options) {
    const struct device_options how = {.threads = options->threads};
    const struct experts_shape shape = shape_of(config);
    struct device *device;
    if (shape.width == 0 || backend_cpu()->open(&how, &device, NULL) != STATUS_OK) return 0;
    const double speed = experts_speed_measure(backend_cpu(), device, &shape);
    backend_cpu()->close(device);
    return speed;
}

static double layers_us(const struct model_config *config) {
    double us = 0;
    for (int32_t i = 0; i < config->layers; i++)
        us += config->specs[i].ffn.experts > 0 ? MIXTURE_US : DENSE_US;
    return us;
}

static struct placement_rates measure_rates(struct engine *engine,
                                            const struct engine_options *options) {
    const struct model_config *config = &engine->model.config;
    const double host = measure_processor(config, options);
    struct device_info info;
    engine->backend->info(engine->device, &info);
    const bool card = info.threads == 0; // else one that is taken for a card
    return (struct placement_rates){
        .card = card ? CARD_SHARE * read_speed_measure(engine->backend, engine->device) : host,
        .host = host,
        .link = measure_link(engine->backend, engine->device),
        .token_us = layers_us(config),
        .crossing_us = CROSSING_US,
    };
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
    struct placement_limits limits = {.card_bytes = less_of(info.memory_free, limit),
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
    limits.rates = options->rates ? *options->rates : measure_rates(engine, options);
    // A slot, and a copy of its largest matrix on the way. Where they leave too little, prompts are
    // computed by the processor.
    const size_t part = placement_largest_part(need), buffer_bytes = need->buffer_bytes;
    if (!options->deterministic) {
        placing->slot_bytes = part + SLOT_MORE;
        need->buffer_bytes += placing->slot_bytes + part * 2 / 3;
        if (placement_plan(need, &limits, &placing->placement, NULL) == STATUS_OK) return STATUS_OK;
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
