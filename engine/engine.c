// engine/engine.c — closes an engine, reports facts about it, and keeps the texts that drafts may
// come from. opening.c opens it.
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/core/request_state.h"
#include "engine/model/forward.h"
#include "engine/model/kv_shape.h"
#include "engine/pool.h"
#include "engine/rates.h"
#include "engine/remote/remote.h"
#include "engine/sampling/generation_config.h"
#include "engine/sampling/sampling_keys.h"
#include "kernels/base/assert.h"
#include "kernels/base/effort.h"
#include "kernels/huge_pages.h"
#include "kernels/offload.h"

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

struct sampler_options engine_sampler_defaults(const struct engine *engine) {
    struct sampler_options options = sampler_options_default();
    if (!engine->gguf) return engine->remote ? remote_sampler_defaults() : options;
    sampling_keys_read(engine->gguf, &options);
    generation_config_read(gguf_path(engine->gguf), &options); // of a folder
    return options;
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
