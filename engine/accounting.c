#include "engine/accounting.h"

#include "engine/internal.h"

void engine_kv_usage(struct engine *engine, struct kv_usage *usage) {
    pthread_mutex_lock(&engine->lock);
    block_cache_usage(engine->cache, usage);
    usage->device_hit_tokens = engine->found.device_tokens;
    usage->host_hit_tokens = engine->found.host_tokens;
    usage->disk_hit_tokens = engine->found.disk_tokens;
    usage->prefilled_tokens = engine->prefilled_tokens;
    usage->decoded_tokens = engine->decoded_tokens;
    usage->preempted_requests = engine->preempted_requests;
    pthread_mutex_unlock(&engine->lock);
}

void engine_holder_usage(struct engine *engine, const uint64_t *holders, size_t count,
                         struct holder_usage *usage) {
    pthread_mutex_lock(&engine->lock);
    block_cache_holder_usage(engine->cache, holders, count, usage);
    pthread_mutex_unlock(&engine->lock);
}

void engine_let_go(struct engine *engine, uint64_t holder) {
    pthread_mutex_lock(&engine->lock);
    block_cache_let_go(engine->cache, holder);
    pthread_mutex_unlock(&engine->lock);
}

uint32_t engine_strip(struct engine *engine, uint64_t holder) {
    pthread_mutex_lock(&engine->lock);
    const uint32_t removed = block_cache_strip(engine->cache, holder);
    pthread_mutex_unlock(&engine->lock);
    return removed;
}
