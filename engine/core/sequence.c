// engine/core/sequence.c — token logs and their block tables.
#include <stdlib.h>
#include <string.h>

#include "engine/core/sequence_state.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/trace.h"

void sequence_stop_restoring(struct sequence *sequence) {
    struct restoring *restoring = &sequence->restoring;
    ASSERT(restoring->active);
    ASSERT(sequence->engine->restoring_count > 0);
    restoring->active = false;
    sequence->cached = grouped_cache_settle(&sequence->engine->cache, &sequence->tables);
    restoring->spent_us += clock_now_us() - restoring->began_us;
    sequence->engine->restoring_count--;
    trace_track_end(restoring, "restore", sequence->cached);
    pthread_cond_broadcast(&sequence->engine->settled);
}

void sequence_refer(struct sequence *sequence) {
    ASSERT(sequence->saved);
    grouped_cache_reference(&sequence->engine->cache, sequence->conversation, sequence->tokens,
                            sequence->length);
}

void sequences_forget(struct engine *engine, uint64_t conversation) {
    for (struct sequence *s = engine->sequences; s; s = s->next)
        if (s->conversation == conversation) s->saved = false;
}

void sequence_preempt(struct sequence *sequence) {
    const struct grouped_cache *cache = &sequence->engine->cache;
    ASSERT(sequence->pinned_length >= 0);
    if (sequence->restoring.active) sequence_stop_restoring(sequence);
    grouped_cache_pin(cache, &sequence->tables, sequence->pinned_length);
    const bool is_whole = sequence->cached == sequence->length;
    sequence->cached = grouped_cache_truncate(cache, &sequence->tables, sequence->tokens, 0);
    if (sequence->saved && is_whole) sequence_refer(sequence); // to its tail, which has a node now
}

enum status sequence_create(struct engine *engine, struct sequence **result) {
    ASSERT(engine->context > 0);
    struct sequence *sequence = calloc(1, sizeof *sequence);
    if (!sequence) return STATUS_NO_MEMORY;
    sequence->engine = engine;
    sequence->used_us = clock_now_us();
    // Pages that the log never reaches are never touched, so this costs only what is used.
    sequence->tokens = malloc((size_t)engine->context * sizeof sequence->tokens[0]);
    if (!sequence->tokens ||
        grouped_table_init(&engine->cache, &sequence->tables, engine->context) != STATUS_OK ||
        grouped_table_init(&engine->cache, &sequence->before, engine->context) != STATUS_OK) {
        grouped_table_deinit(&engine->cache, &sequence->tables);
        free(sequence->tokens);
        free(sequence);
        return STATUS_NO_MEMORY;
    }
    pthread_mutex_lock(&engine->lock);
    sequence->next = engine->sequences;
    if (sequence->next) sequence->next->previous = sequence;
    engine->sequences = sequence;
    pthread_mutex_unlock(&engine->lock);
    *result = sequence;
    return STATUS_OK;
}

void sequence_destroy(struct sequence *sequence) {
    if (!sequence) return;
    struct engine *engine = sequence->engine;
    pthread_mutex_lock(&engine->lock);
    ASSERT(!sequence->running);
    sequence_preempt(sequence);
    grouped_table_deinit(&engine->cache, &sequence->tables);
    grouped_table_deinit(&engine->cache, &sequence->before);
    if (sequence->previous)
        sequence->previous->next = sequence->next;
    else
        engine->sequences = sequence->next;
    if (sequence->next) sequence->next->previous = sequence->previous;
    pthread_mutex_unlock(&engine->lock);
    free(sequence->tokens);
    free(sequence);
}

enum status sequence_fork(struct sequence *sequence, struct sequence **result) {
    struct engine *engine = sequence->engine;
    struct sequence *fork;
    TRY(sequence_create(engine, &fork));
    pthread_mutex_lock(&engine->lock);
    ASSERT(sequence->cached <= sequence->length);
    fork->length = sequence->length;
    fork->cached = grouped_table_last(&engine->cache, &sequence->tables, sequence->cached);
    fork->pinned_length = sequence->pinned_length;
    memcpy(fork->tokens, sequence->tokens, (size_t)fork->length * sizeof fork->tokens[0]);
    grouped_table_fork(&engine->cache, &sequence->tables, fork->cached, &fork->tables);
    pthread_mutex_unlock(&engine->lock);
    *result = fork;
    return STATUS_OK;
}

enum status sequence_append(struct sequence *sequence, const int32_t *ids, size_t count) {
    ASSERT(!sequence->running);
    struct engine *engine = sequence->engine;
    ASSERT(sequence->length >= 0 && sequence->length <= engine->context);
    if (count >= (size_t)(engine->context - sequence->length)) return STATUS_TOO_LONG;
    for (size_t i = 0; i < count; i++)
        if (ids[i] < 0 || ids[i] >= engine->model.config.vocabulary) return STATUS_BAD_INPUT;
    if (count) memcpy(sequence->tokens + sequence->length, ids, count * sizeof ids[0]);
    pthread_mutex_lock(&engine->lock); // whoever preempts it asks for its length
    sequence->length += (int32_t)count;
    pthread_mutex_unlock(&engine->lock);
    return STATUS_OK;
}

void sequence_truncate(struct sequence *sequence, int32_t length) {
    ASSERT(!sequence->running);
    ASSERT(length >= 0 && length <= sequence->length);
    pthread_mutex_lock(&sequence->engine->lock);
    if (sequence->restoring.active) sequence_stop_restoring(sequence);
    sequence->length = length;
    if (sequence->cached > length)
        sequence->cached = grouped_cache_truncate(&sequence->engine->cache, &sequence->tables,
                                                  sequence->tokens, length);
    pthread_mutex_unlock(&sequence->engine->lock);
}

void sequence_save(struct sequence *sequence, uint64_t conversation) {
    struct engine *engine = sequence->engine;
    pthread_mutex_lock(&engine->lock);
    sequences_forget(engine, conversation);
    sequence->saved = true;
    sequence->conversation = conversation;
    sequence_refer(sequence);
    pthread_cond_signal(&engine->work);
    pthread_mutex_unlock(&engine->lock);
}

void sequence_pin_prefix(struct sequence *sequence, int32_t length) {
    ASSERT(length >= 0);
    pthread_mutex_lock(&sequence->engine->lock);
    sequence->pinned_length = length; // takes effect when the blocks are released
    pthread_mutex_unlock(&sequence->engine->lock);
}

static int32_t locked(const struct sequence *sequence, const int32_t *field) {
    pthread_mutex_lock(&sequence->engine->lock);
    const int32_t value = *field;
    pthread_mutex_unlock(&sequence->engine->lock);
    return value;
}

int32_t sequence_length(const struct sequence *sequence) {
    return locked(sequence, &sequence->length);
}

int32_t sequence_cached(const struct sequence *sequence) {
    return locked(sequence, &sequence->cached);
}

int32_t sequence_blocks(const struct sequence *sequence) {
    return locked(sequence, &sequence->tables.of[0].count);
}

const int32_t *sequence_tokens(const struct sequence *sequence) { return sequence->tokens; }
