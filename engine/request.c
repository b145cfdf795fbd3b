// engine/request.c — requests, and the queue of events to the UI thread.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/assert.h"
#include "engine/internal.h"

int64_t engine_now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void queue_push(struct engine *engine, const struct event *event) {
    struct event_queue *queue = &engine->queue;
    while (queue->count == EVENTS_MAX && !engine->closing)
        pthread_cond_wait(&engine->drained, &engine->lock);
    if (queue->count == EVENTS_MAX) return; // closing: nobody reads any more
    queue->events[(queue->first + queue->count++) % EVENTS_MAX] = *event;
    const uint64_t one = 1;
    // An eventfd's counter is far from its limit here, so this cannot block or be cut short.
    ASSERT(write(queue->fd, &one, sizeof one) == sizeof one);
}

// Takes the first event, and makes the descriptor unreadable when it was the last.
static bool queue_pop(struct engine *engine, struct event *event) {
    struct event_queue *queue = &engine->queue;
    pthread_mutex_lock(&engine->lock);
    const bool found = queue->count > 0;
    if (found) {
        *event = queue->events[queue->first];
        queue->first = (queue->first + 1) % EVENTS_MAX;
        queue->count--;
        if (queue->count == 0) {
            uint64_t written;
            ASSERT(read(queue->fd, &written, sizeof written) == sizeof written);
        }
        pthread_cond_signal(&engine->drained);
    }
    pthread_mutex_unlock(&engine->lock);
    return found;
}

bool engine_next_event(struct engine *engine, int timeout_ms, struct event *event) {
    if (queue_pop(engine, event)) return true;
    struct pollfd waiting = {.fd = engine->queue.fd, .events = POLLIN};
    if (poll(&waiting, 1, timeout_ms) <= 0) return false;
    return queue_pop(engine, event);
}

int engine_event_fd(const struct engine *engine) { return engine->queue.fd; }

// The last token's KV may be cached, but its logits are gone: it is computed once more, into a
// block of its own.
static void reopen_last_token(struct sequence *sequence) {
    if (sequence->cached < sequence->length) return;
    sequence->cached = sequence->length - 1;
    block_table_truncate(&sequence->table, sequence->engine->pool, sequence->cached);
}

// Room for the log, so that a prompt is refused before it is half computed. What an answer
// needs beyond it is taken as it grows.
static bool pool_has_room(const struct sequence *sequence) {
    const struct engine *engine = sequence->engine;
    const int32_t size = engine->cache.block_size;
    const int32_t need = (sequence->length + size - 1) / size - sequence->table.count;
    return need <= 0 || (uint32_t)need <= block_pool_free(engine->pool);
}

enum status request_start(struct sequence *sequence, const struct request_options *options,
                          struct request **result) {
    struct engine *engine = sequence->engine;
    ASSERT(!sequence->running && sequence->length > 0);
    ASSERT(sequence->length < engine->context);
    struct request *request = calloc(1, sizeof *request);
    if (!request) return STATUS_NO_MEMORY;
    request->sampler = sampler_create(engine->model.config.vocabulary, &options->sampler);
    if (!request->sampler) {
        free(request);
        return STATUS_NO_MEMORY;
    }
    request->sequence = sequence;
    request->options = *options;
    request->started_us = engine_now_us();

    pthread_mutex_lock(&engine->lock);
    const bool fits = engine->request_count < ENGINE_MAX_REQUESTS && pool_has_room(sequence);
    if (fits) {
        reopen_last_token(sequence);
        request->stats.prompt_tokens = sequence->length;
        request->stats.cached_tokens = sequence->cached;
        sequence->running = request;
        engine->requests[engine->request_count++] = request;
        pthread_cond_signal(&engine->work);
    }
    pthread_mutex_unlock(&engine->lock);
    if (!fits) {
        sampler_destroy(request->sampler);
        free(request);
        return STATUS_FULL;
    }
    *result = request;
    return STATUS_OK;
}

void request_cancel(struct request *request) { atomic_store(&request->cancelled, true); }

void request_release(struct request *request) {
    if (!request) return;
    ASSERT(request->done);
    sampler_destroy(request->sampler);
    free(request);
}

struct sequence *request_sequence(const struct request *request) {
    return request->sequence;
}

void request_finish(struct request *request, enum stop_reason reason, enum status status) {
    struct engine *engine = request->sequence->engine;
    const int64_t now = engine_now_us();
    if (request->first_us) request->stats.decode_us = now - request->first_us;
    request->sequence->running = NULL;
    request->done = true;
    int32_t kept = 0;
    for (int32_t i = 0; i < engine->request_count; i++)
        if (engine->requests[i] != request) engine->requests[kept++] = engine->requests[i];
    ASSERT(kept == engine->request_count - 1);
    engine->request_count = kept;
    queue_push(engine, &(struct event){.kind = EVENT_DONE,
                                       .request = request,
                                       .reason = reason,
                                       .status = status,
                                       .stats = request->stats});
}
