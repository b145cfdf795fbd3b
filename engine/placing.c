// engine/placing.c — collects what a placement is planned from: sizes, limits and measured rates.
//
// If a model fits with a short context, if need be without the embedding, all of it stays on the
// card, and its KV cache gets the rest of the memory. Otherwise it is planned with the KV cache
// that the options ask for, by context or by size. Rates are needed only then, since measuring
// takes time.
#include "engine/placing.h"

#include <inttypes.h>

#include "engine/core/engine_state.h"
#include "engine/pool.h"
#include "engine/rates.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"

enum {
    SHORT_CONTEXT = 4096, // a model fits if it does with this context
    KV_SHARE = 4,         // of the memory, at most, for a KV cache that nobody asked for
    STREAM_US_MAX = 100000000,
    UNUSED_SHARE = 16, // of the free memory, for each attempt when reading it again was not enough
    SLOT_MORE = 1 << 20,         // a slot has room for lists, biases and alignment, too
    EXPERT_MORE_BYTES = 2048,    // an expert's copy, for the alignment of its matrices
    STEP_LEAST = 512,            // tokens; steps of fewer are not made to save memory
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

void placing_set_step(struct engine *engine, const struct engine_options *options,
                      int32_t most_tokens) {
    const int32_t wanted = options->step_tokens;
    engine->most_tokens = most_tokens;
    engine->step_tokens = wanted < most_tokens ? wanted : most_tokens;
    engine->chunk_tokens = engine->step_tokens ? engine->step_tokens : most_tokens;
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
                                     .is_user_limit = limit < info.memory_free - unused,
                                     .override = options->placement};
}

static void count_rest(struct engine *engine, const struct engine_options *options,
                       struct placement_need *need) {
    const struct model_config *config = &engine->model.config;
    const struct forward_limits forward =
        placing_forward_limits(engine, options->context > 0 ? options->context : config->context);
    need->buffer_bytes = forward_device_bytes(&engine->model, engine->backend, &forward,
                                              engine->shapes[0].block_size);
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
    int32_t *const least[] = {[PLACEMENT_EXPERTS] = &placing->memory.expert_tokens,
                              [PLACEMENT_DENSE] = &placing->memory.dense_tokens};
    if (rates->link <= 0) { // unknown
        placing->few_tokens = OFFLOAD_STREAM_TOKENS - 1;
        return;
    }
    for (int kind = 0; kind < PLACEMENT_KINDS; kind++) {
        if (placing->placement.host_layers[kind] == 0) continue;
        const int32_t tokens = placement_crossing_tokens(&placing->need, rates, &placing->placement,
                                                         (enum placement_kind)kind);
        *least[kind] = tokens;
        if (tokens < fewest) fewest = tokens;
    }
    if (fewest == INT32_MAX) {
        if (placing->placement.gathered == 0 && placing->placement.crossing_share <= 0)
            placing->memory.slot_bytes = 0;
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

static size_t lent_bytes(struct engine *engine, const struct engine_options *options,
                         const struct placement_need *need) {
    if (need->expert_bytes == 0) return 0;
    return pool_first_group_bytes(engine, options, need->kv_bytes) / LENT_PARTS * (LENT_PARTS - 1);
}

struct way { // to split weights
    int32_t step_tokens;
    bool streams;  // weights cross for many tokens,
    bool tight;    // experts by twos
    bool least_kv; // and not what nobody asked for
};

static enum status plan_way(struct engine *engine, const struct engine_options *options,
                            struct placing *placing, const struct placement_limits *limits,
                            const struct way *way, struct error *err) {
    struct placement_need *need = &placing->need;
    placing_set_step(engine, options, way->step_tokens);
    count_rest(engine, options, need);
    need->kv_bytes =
        way->least_kv ? least_kv(engine, options) : wanted_kv(engine, options, limits->card_bytes);
    need->lent_bytes = lent_bytes(engine, options, need);
    placing->kv_bytes = need->kv_bytes;
    placing->memory.slot_bytes = 0;
    if (way->streams) { // a slot for weights that cross, and what is on the way to it
        placing->memory.slot_bytes = placement_crossing_bytes(need, way->tight) + SLOT_MORE;
        need->buffer_bytes +=
            placing->memory.slot_bytes +
            CROSSING_PARTS * less_of(placing->memory.slot_bytes / 2, CROSSING_PART_BYTES);
        need->rows_cross = engine->backend->arrange_weights;
        need->gathered_max = gathered_max(engine, need, placing->memory.slot_bytes);
    }
    return placement_plan(need, limits, &placing->placement, err);
}

static bool is_step(int32_t tokens, int32_t most) { return tokens == most || tokens >= STEP_LEAST; }

// The first way that fits. A KV cache that nobody asked for is smaller before experts cross by
// twos, these before steps have fewer tokens, and those before prompts are computed by the
// processor.
static enum status plan_split(struct engine *engine, const struct engine_options *options,
                              struct placing *placing, const struct placement_limits *limits,
                              struct error *err) {
    const int32_t most = engine->most_tokens;
    for (int streams = !options->deterministic; streams >= 0; streams--)
        for (int32_t tokens = most; is_step(tokens, most); tokens /= 2)
            for (int i = streams ? 0 : 2; i < 4; i++) {
                const struct way way = {tokens, streams > 0, i >= 2, i % 2 == 1};
                if (plan_way(engine, options, placing, limits, &way, err) != STATUS_OK) continue;
                if (way.streams) decide_crossing(placing, &limits->rates);
                return STATUS_OK;
            }
    return STATUS_NO_MEMORY;
}

// With the least KV cache and the largest steps that fit at all. Rates do not change what fits.
static enum status plan_fitting(struct engine *engine, const struct engine_options *options,
                                struct placing *placing, const struct placement_limits *limits,
                                struct error *err) {
    struct placement_need *need = &placing->need;
    const int32_t most = engine->most_tokens;
    enum status status = STATUS_NO_MEMORY;
    for (int32_t tokens = most; status != STATUS_OK && is_step(tokens, most); tokens /= 2) {
        placing_set_step(engine, options, tokens);
        count_rest(engine, options, need);
        need->kv_bytes = least_kv(engine, options);
        status = placement_plan(need, limits, &placing->placement, err);
    }
    return status;
}

// Of a model without layers in host memory. 0: what pool.c gives a device that holds everything, a
// share of what the weights leave, unless that is less than the context needs.
static size_t kv_of_whole(const struct engine *engine, const struct engine_options *options,
                          const struct placement_limits *limits, const struct placing *placing) {
    const struct placement_need *need = &placing->need;
    const size_t left = limits->card_bytes - (placing->placement.card_bytes - need->kv_bytes);
    if (options->device_bytes) return less_of(wanted_kv(engine, options, limits->card_bytes), left);
    const bool is_short = need->kv_bytes > (left + need->buffer_bytes) / KV_SHARE;
    return is_short && !options->kv_device_bytes ? need->kv_bytes : 0;
}

static void size_copies(struct placing *placing) {
    const struct placement *placement = &placing->placement;
    struct offload_memory *memory = &placing->memory;
    memory->gathered_experts = placement->gathered;
    memory->crossing_share = placement->crossing_share;
    memory->mixtures = placement->host_layers[PLACEMENT_EXPERTS];
    memory->expert_bytes = placing->need.expert_bytes;
    memory->expert_slots = placement->slots;
    // Fewer than the plan wants are worse than none.
    memory->lent_bytes = placement->lent_slots > 0 ? placing->need.lent_bytes : 0;
}

static enum status choose(struct engine *engine, const struct engine_options *options,
                          struct placing *placing, struct error *err) {
    struct placement_need *need = &placing->need;
    struct placement_limits limits = limits_of(engine, options, placing->attempt);
    ASSERT(need->layers == engine->model.config.layers && engine->model.config.context > 0);
    TRY(plan_fitting(engine, options, placing, &limits, err));
    if (!placement_splits(&placing->placement) && !placement_is_overridden(&options->placement)) {
        placing->kv_bytes = kv_of_whole(engine, options, &limits, placing);
        return STATUS_OK;
    }
    limits.rates =
        options->rates ? *options->rates : rates_get(engine, options, need, limits.card_bytes);
    engine->read_bytes_s = rates_card_reads(&limits.rates);
    TRY(plan_split(engine, options, placing, &limits, err));
    size_copies(placing);
    return STATUS_OK;
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
static void warn_of_pressure(struct placing *placing) {
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    const size_t bytes = placing->placement.host_bytes + placing->placement.embedding_bytes;
    const size_t available = placing_host_memory();
    placing->memory.is_short = available > 0 && bytes > available;
    if (placing->memory.is_short)
        log_write(LOG_WARNING,
                  "%s of weights stay in memory, but only %s is free; expect it to be slow",
                  size_format(bytes, need), size_format(available, have));
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
                  placing->few_tokens + 1, size_format(placing->memory.slot_bytes, slot));
    else
        log_write(LOG_DEBUG, "the processor computes prompts, too: %s",
                  options->deterministic ? "--deterministic"
                                         : "the card has no memory for weights that cross, or the "
                                           "link is too slow");
}

// Which is smaller than what was planned with, where rates had to be measured first.
static void report_memory(struct engine *engine, const struct placing *placing) {
    char unused[SIZE_TEXT_BYTES], all[SIZE_TEXT_BYTES], kv[SIZE_TEXT_BYTES], rest[SIZE_TEXT_BYTES];
    struct device_info info;
    engine->backend->info(engine->device, &info);
    log_write(LOG_DEBUG,
              "of %s of free GPU memory, the plan takes %s: a KV cache of %s, and %s for steps of "
              "%" PRId32 " tokens",
              size_format(info.memory_free, unused),
              size_format(placing->placement.card_bytes, all),
              size_format(placing->need.kv_bytes, kv),
              size_format(placing->need.buffer_bytes, rest), engine->most_tokens);
}

enum status placing_choose(struct engine *engine, const struct engine_options *options,
                           struct placing *placing, struct error *err) {
    TRY(choose(engine, options, placing, err));
    if (!placement_leaves(&placing->placement)) return STATUS_OK;
    report_memory(engine, placing);
    warn_of_pressure(placing);
    if (placement_splits(&placing->placement)) report_crossing(placing, options);
    return STATUS_OK;
}
