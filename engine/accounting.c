#include "engine/accounting.h"

#include "engine/core/sequence_state.h"

void engine_kv_usage(struct engine *engine, struct kv_usage *usage) {
    pthread_mutex_lock(&engine->lock);
    grouped_cache_usage(&engine->cache, usage);
    usage->work = engine->request_work;
    pthread_mutex_unlock(&engine->lock);
}

void engine_conversation_usage(struct engine *engine, const uint64_t *conversations, size_t count,
                               struct conversation_usage *usage) {
    pthread_mutex_lock(&engine->lock);
    for (struct sequence *s = engine->sequences; s; s = s->next)
        if (s->saved && s->running) sequence_refer(s); // what was computed since it was saved
    grouped_cache_conversation_usage(&engine->cache, conversations, count, usage);
    pthread_mutex_unlock(&engine->lock);
}

void engine_release(struct engine *engine, uint64_t conversation) {
    pthread_mutex_lock(&engine->lock);
    sequences_forget(engine, conversation);
    grouped_cache_release(&engine->cache, conversation);
    pthread_mutex_unlock(&engine->lock);
}

uint64_t engine_strip(struct engine *engine, uint64_t conversation) {
    pthread_mutex_lock(&engine->lock);
    sequences_forget(engine, conversation);
    const uint64_t removed = grouped_cache_strip(&engine->cache, conversation);
    pthread_mutex_unlock(&engine->lock);
    return removed;
}
