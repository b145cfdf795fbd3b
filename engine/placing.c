// engine/placing.c — gathers what a placement is planned from: sizes, limits and measured rates.
//
// A model that fits with a short context stays whole, and its KV cache gets what is left, as on a
// device that holds everything. One that does not is planned with the KV cache that was asked for:
// of the context, or the size. Rates are asked for only then, since measuring takes some time.
#include "engine/placing.h"

#include <inttypes.h>

#include "engine/core/engine_state.h"
#include "engine/pool.h"
#include "engine/rates.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "kernels/offload.h"

enum {
    SHORT_CONTEXT = 4096, // a model fits if it does with this context
    KV_SHARE = 4,         // of the memory, at most, for a KV cache that nobody asked for
    STREAM_US_MAX = 100000000,
    UNUSED_SHARE = 16, // of the free memory, for each attempt when reading it again was not enough
    SLOT_MORE = 1 << 20,         // a slot has room for lists, biases and alignment, too
    EXPERT_MORE_BYTES = 2048,    // an expert's copy, for the alignment of its matrices
    LENT_PARTS = 8,              // a short conversation leaves all of the KV cache but one of them
    UNCOUNTED_BYTES = 256 << 20, // copies of experts leave this, for what nobody counts
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

// least_kv(), but where no cache was asked for, a share of the memory up to what the longest
// context needs.
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

// What a copy of the largest expert takes on the card; 0: no copies, since they would change the
// last bits of an answer.
static size_t expert_bytes(const struct placement_need *need,
                           const struct engine_options *options) {
    size_t most = 0;
    for (int32_t i = 0; i < need->layers && !options->deterministic; i++) {
        const struct placement_part *part = &need->parts[PLACEMENT_EXPERTS][i];
        if (part->experts > 0 && part->card_bytes / (size_t)part->experts > most)
            most = part->card_bytes / (size_t)part->experts;
    }
    return most > 0 ? most + EXPERT_MORE_BYTES : 0;
}

static struct placement_limits limits_of(struct engine *engine,
                                         const struct engine_options *options, int32_t attempt) {
    struct device_info info;
    engine->backend->info(engine->device, &info);
    ASSERT(attempt >= 0 && attempt < PLACING_ATTEMPTS);
    const size_t limit = options->device_bytes ? options->device_bytes : SIZE_MAX;
    const size_t unused = attempt > 1 ? info.memory_free / UNUSED_SHARE * (size_t)attempt : 0;
    return (struct placement_limits){.card_bytes = less_of(info.memory_free - unused, limit),
                                     .override = options->placement};
}

static void count_rest(struct engine *engine, const struct engine_options *options,
                       struct placement_need *need) {
    const struct model_config *config = &engine->model.config;
    const struct forward_limits forward =
        placing_forward_limits(engine, options->context > 0 ? options->context : config->context);
    need->buffer_bytes =
        forward_device_bytes(config, engine->backend, &forward, engine->shapes[0].block_size);
    need->row_bytes =
        (size_t)config->dim * (size_t)(dtype_block_bytes(engine->backend->activation) +
                                       dtype_block_bytes(engine->backend->residual));
    need->expert_bytes = expert_bytes(need, options);
    need->gathered_max = 0;
    need->rows_cross = false;
    need->unused_bytes = UNCOUNTED_BYTES;
}

static int32_t stream_us_of(const struct placement *placement, double link) {
    const double us = link > 0 ? 1e6 * (double)placement->host_bytes / link : 0;
    return us < STREAM_US_MAX ? (int32_t)us : STREAM_US_MAX;
}

// How many tokens make weights cross, if any number does.
static void decide_crossing(struct placing *placing, const struct placement_rates *rates) {
    int32_t fewest = INT32_MAX;
    if (rates->link <= 0) { // unknown
        placing->few_tokens = OFFLOAD_STREAM_TOKENS - 1;
        return;
    }
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++) {
        if (placing->placement.host_layers[kind] == 0) continue;
        const int32_t tokens = placement_crossing_tokens(&placing->need, rates, &placing->placement,
                                                         (enum placement_kind)kind);
        placing->crossing_tokens[kind] = tokens;
        if (tokens < fewest) fewest = tokens;
    }
    if (fewest == INT32_MAX) {
        if (placing->placement.gathered == 0 && placing->placement.crossing_share <= 0)
            placing->slot_bytes = 0;
        return;
    }
    placing->few_tokens = fewest - 1;
    placing->stream_us = stream_us_of(&placing->placement, rates->link);
}

// How many of a token's experts may cross to the slot at once, as they lie in the file and as on
// the card. At least one is the processor's.
static int32_t gathered_max(const struct engine *engine, const struct placement_need *need,
                            size_t slot_bytes) {
    const struct model_config *config = &engine->model.config;
    int32_t most = INT32_MAX;
    const bool scaled = need->types[PLACEMENT_EXPERTS] == DTYPE_NVFP4; // each matrix by its own
    if (slot_bytes <= SLOT_MORE || scaled || !engine->backend->gather_experts) return 0;
    for (int32_t i = 0; i < config->layers; i++) {
        const struct placement_part *part = &need->parts[PLACEMENT_EXPERTS][i];
        if (part->experts == 0) continue;
        const size_t each = (part->card_bytes + part->host_bytes) / (size_t)part->experts;
        const size_t fit = each > 0 ? (slot_bytes - SLOT_MORE) / each : 0;
        const int32_t used = config->specs[i].ffn.experts_used;
        if (used - 1 < most) most = used - 1;
        if (fit < (size_t)most) most = (int32_t)fit;
    }
    return most < INT32_MAX ? most : 0;
}

struct kv_choice {
    size_t bytes;
    size_t lent_bytes; // of these, to copies of experts while a conversation is short
};

static size_t lent_bytes(struct engine *engine, const struct engine_options *options,
                         const struct placement_need *need, size_t kv_bytes) {
    if (need->expert_bytes == 0) return 0;
    return pool_first_group_bytes(engine, options, kv_bytes) / LENT_PARTS * (LENT_PARTS - 1);
}

// A KV cache that nobody asked for is smaller before experts cross by twos, these before prompts
// are computed by the processor, and that before the model is refused.
static enum status plan_split(const struct engine *engine, struct placing *placing,
                              const struct placement_limits *limits, const struct kv_choice kv[2],
                              bool may_stream, struct error *err) {
    struct placement_need *need = &placing->need;
    const size_t rest = need->buffer_bytes;
    enum status status = STATUS_NO_MEMORY;
    for (int i = may_stream ? 0 : 4; i < 6 && status != STATUS_OK; i++) {
        const bool streams = i < 4, tight = i >= 2;
        // A slot for weights that cross, and three matrices, of half of it at most, on the way.
        const size_t slot_bytes = placement_crossing_bytes(need, tight) + SLOT_MORE;
        const size_t more = slot_bytes / 2 * 5;
        placing->kv_bytes = need->kv_bytes = kv[i % 2].bytes;
        need->lent_bytes = kv[i % 2].lent_bytes;
        need->buffer_bytes = rest + (streams ? more : 0);
        placing->slot_bytes = streams ? slot_bytes : 0;
        need->rows_cross = streams && engine->backend->arrange_weights;
        need->gathered_max = gathered_max(engine, need, placing->slot_bytes);
        status = placement_plan(need, limits, &placing->placement, err);
    }
    if (status == STATUS_OK && placing->slot_bytes > 0) decide_crossing(placing, &limits->rates);
    return status;
}

static enum status choose(struct engine *engine, const struct engine_options *options,
                          struct placing *placing, struct error *err) {
    struct placement_need *need = &placing->need;
    struct placement_limits limits = limits_of(engine, options, placing->attempt);
    ASSERT(need->layers == engine->model.config.layers && engine->model.config.context > 0);
    count_rest(engine, options, need);
    struct kv_choice kv[2] = {{.bytes = wanted_kv(engine, options, limits.card_bytes)},
                              {.bytes = least_kv(engine, options)}};
    need->kv_bytes = kv[1].bytes;
    const bool told = placement_is_overridden(&options->placement);
    const size_t taken = placement_need_bytes(need) + need->buffer_bytes;
    const bool fits = !told && taken + need->kv_bytes <= limits.card_bytes;
    if (fits && options->device_bytes)
        placing->kv_bytes = less_of(kv[0].bytes, limits.card_bytes - taken);
    if (fits) return placement_plan(need, &limits, &placing->placement, err);
    TRY(placement_plan(need, &limits, &placing->placement, err)); // rates do not change what fits
    for (int i = 0; i < 2; i++)
        kv[i].lent_bytes = lent_bytes(engine, options, need, kv[i].bytes);
    limits.rates =
        options->rates ? *options->rates : rates_get(engine, options, need, limits.card_bytes);
    engine->read_bytes_s = rates_card_reads(&limits.rates);
    return plan_split(engine, placing, &limits, kv, !options->deterministic, err);
}

size_t placing_host_memory(void) {
    struct device_info info;
    struct device *device;
    if (backend_cpu()->open(&(struct device_options){.threads = 1}, &device, NULL) != STATUS_OK)
        return 0;
    backend_cpu()->info(device, &info);
    backend_cpu()->close(device);
    return info.memory_free;
}

// Weights that the system has to drop and to read again cost most of the speed, silently.
static void warn_of_pressure(const struct placement *placement) {
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    const size_t available = placing_host_memory();
    if (available > 0 && placement->host_bytes > available)
        log_write(LOG_WARNING,
                  "%s of weights stay in memory, but only %s is free; expect it to be slow",
                  size_format(placement->host_bytes, need), size_format(available, have));
}

static void report_crossing(const struct placing *placing, const struct engine_options *options) {
    char slot[SIZE_TEXT_BYTES];
    if (placing->placement.crossing_share > 0)
        log_write(LOG_DEBUG, "of one token, %.0f %% of a dense matrix cross to the card",
                  100 * placing->placement.crossing_share);
    if (placing->placement.gathered > 0)
        log_write(LOG_DEBUG, "of one token, %" PRId32 " experts of a layer cross to the card",
                  placing->placement.gathered);
    if (placing->few_tokens > 0)
        log_write(LOG_DEBUG,
                  "from %" PRId32 " tokens on, weights cross to the card through a slot of %s",
                  placing->few_tokens + 1, size_format(placing->slot_bytes, slot));
    else
        log_write(LOG_DEBUG, "the processor computes prompts, too: %s",
                  options->deterministic ? "--deterministic"
                                         : "the card has no memory for weights that cross, or the "
                                           "link is too slow");
}

enum status placing_choose(struct engine *engine, const struct engine_options *options,
                           struct placing *placing, struct error *err) {
    TRY(choose(engine, options, placing, err));
    if (!placement_splits(&placing->placement)) return STATUS_OK;
    warn_of_pressure(&placing->placement);
    report_crossing(placing, options);
    return STATUS_OK;
}
