// engine/core/request.c — requests, and the queue of events to the UI thread.
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/core/request_state.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/trace.h"

void engine_push_event(struct engine *engine, const struct event *event) {
    struct event_queue *queue = &engine->queue;
    ASSERT(event->request);
    while (queue->count == EVENTS_MAX && !engine->closing)
        pthread_cond_wait(&engine->drained, &engine->lock);
    ASSERT(queue->count >= 0 && queue->count <= EVENTS_MAX);
    if (queue->count == EVENTS_MAX) return; // closing: events are no longer read
    struct event *last = &queue->events[(queue->first + queue->count++) % EVENTS_MAX];
    *last = *event;
    last->owner = event->request->options.owner;
    if (queue->count > 1) return; // readable already: a step of many sequences has many events
    const uint64_t one = 1;
    // An eventfd's counter is far from its limit here, so this cannot block or be cut short.
    MUST(write(queue->fd, &one, sizeof one) == sizeof one);
}

// Pops the first event, and makes the descriptor unreadable after the last.
static bool queue_pop(struct engine *engine, struct event *event) {
    struct event_queue *queue = &engine->queue;
    pthread_mutex_lock(&engine->lock);
    const bool found = queue->count > 0;
    if (found) {
        ASSERT(queue->first >= 0 && queue->first < EVENTS_MAX);
        *event = queue->events[queue->first];
        queue->first = (queue->first + 1) % EVENTS_MAX;
        queue->count--;
        if (queue->count == 0) {
            uint64_t written;
            MUST(read(queue->fd, &written, sizeof written) == sizeof written);
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

void request_end_drafts(struct request *request) {
    sequence_destroy(request->draft.drafter.sequence);
    request->draft.drafter.sequence = NULL;
}

static void destroy(struct request *request) {
    grammar_release(request->options.grammar);
    sampler_destroy(request->sampler);
    draft_deinit(&request->draft);
    free(request);
}

static enum status create_request(struct sequence *sequence, const struct request_options *options,
                                  struct request **result) {
    struct engine *engine = sequence->engine;
    ASSERT(!sequence->running && sequence->length > 0);
    ASSERT(options->speculate >= 0 && options->speculate <= DRAFT_MAX);
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
    grammar_retain(options->grammar);
    request->walk.begun = options->begun;
    const uint32_t absent = (engine->model.config.mtp_layers > 0 ? 0 : 1u << DRAFT_HEAD) |
                            (engine->drafter ? 0 : 1u << DRAFT_MODEL);
    const uint32_t excluded = options->no_drafts_of | absent, all = (1u << DRAFT_SOURCES) - 1;
    const bool drafts = options->speculate > 0 && !options->judge && (excluded & all) != all;
    if (options->speculate > 0 && !drafts)
        log_write(LOG_DEBUG, "no drafts: %s",
                  options->judge ? "a search sees the candidates of each row"
                                 : "there is nothing to draft from");
    request->draft =
        (struct draft){.record = &engine->draft_record,
                       .history = &engine->history,
                       .drafter.context = engine->drafter ? engine->drafter->context : 0,
                       .excluded = excluded,
                       .most = drafts ? options->speculate : 0,
                       .always = options->draft_always,
                       .blind = options->draft_blindly};
    if (drafts && draft_init(&request->draft, engine->context) != STATUS_OK) {
        destroy(request);
        return STATUS_NO_MEMORY;
    }
    request->foreground = !options->background;
    request->started_us = clock_working_us();
    request->stats.prompt_tokens = sequence->length;
    request->stats.drafts.sources = drafts ? all & ~excluded : 0;
    *result = request;
    return STATUS_OK;
}

// Hands all requests to the engine's thread, or none.
static bool submit(struct engine *engine, struct request *const *requests, int32_t count) {
    ASSERT(count > 0 && count <= ENGINE_MAX_REQUESTS);
    pthread_mutex_lock(&engine->lock);
    const bool fits = engine->request_count + count <= ENGINE_MAX_REQUESTS;
    for (int32_t i = 0; i < count && fits; i++) {
        requests[i]->sequence->running = requests[i];
        trace_track_begin(requests[i], "request");
        trace_track_begin(requests[i], "waiting");
        engine->requests[engine->request_count++] = requests[i];
    }
    if (fits) pthread_cond_signal(&engine->work);
    pthread_mutex_unlock(&engine->lock);
    return fits;
}

enum status request_start_all(struct sequence *const *sequences,
                              const struct request_options *options, int32_t count,
                              struct request **result) {
    ASSERT(count > 0);
    struct request *requests[ENGINE_MAX_REQUESTS];
    int32_t made = 0;
    enum status status = count <= ENGINE_MAX_REQUESTS ? STATUS_OK : STATUS_FULL;
    while (made < count && status == STATUS_OK) {
        status = create_request(sequences[made], &options[made], &requests[made]);
        if (status == STATUS_OK) requests[made]->first = requests[0];
        made += status == STATUS_OK;
    }
    if (status == STATUS_OK && !submit(sequences[0]->engine, requests, count)) status = STATUS_FULL;
    for (int32_t i = 0; i < made; i++)
        if (status == STATUS_OK)
            result[i] = requests[i];
        else
            destroy(requests[i]);
    return status;
}

void request_cancel(struct request *request) { atomic_store(&request->cancelled, true); }

void request_set_background(struct request *request, bool background) {
    struct engine *engine = request->sequence->engine;
    pthread_mutex_lock(&engine->lock);
    request->foreground = !background;
    pthread_mutex_unlock(&engine->lock);
}

void request_release(struct request *request) {
    if (!request) return;
    ASSERT(request->done);
    destroy(request);
}

bool request_walk(struct request *request, int32_t length) {
    const int32_t first = (int32_t)request->stats.prompt_tokens - request->options.answered;
    ASSERT(first >= 0 && first <= length);
    return grammar_walk(request->options.grammar, &request->walk, request->sequence->tokens + first,
                        length - first);
}

// An answer that ended by itself is whole.
static bool is_unfinished(struct request *request, enum stop_reason reason) {
    struct grammar *grammar = request->options.grammar;
    if (!grammar || reason == STOP_REASON_END) return false;
    if (request->sequence->engine->remote) return true;
    return !request_walk(request, request->sequence->length) ||
           !grammar_accepts(grammar, &request->walk);
}

void request_finish(struct request *request, enum stop_reason reason, enum status status) {
    struct engine *engine = request->sequence->engine;
    const int64_t now = clock_now_us();
    ASSERT(!request->done && request->sequence->running == request);
    if (request->state == REQUEST_WAITING || request->state == REQUEST_SWAPPED)
        trace_track_end(request, "waiting", 0);
    trace_track_end(request, "request", request->stats.output_tokens);
    if (request->first_us) request->stats.decode_us = clock_working_us() - request->first_us;
    struct sequence *sequence = request->sequence;
    if (sequence->restoring.active) sequence_stop_restoring(sequence);
    sequence->restoring.tally = sequence->restoring.noted = (struct restore_tally){0};
    sequence->restoring.spent_us = 0;
    grouped_cache_seal_state(&engine->cache, &sequence->tables, sequence->tokens);
    if (sequence->saved)
        sequence_refer(sequence); // counted and protected, also before the next save
    sequence->used_us = now;
    sequence->running = NULL;
    request_end_drafts(request);
    request->done = true;
    int32_t kept = 0;
    for (int32_t i = 0; i < engine->request_count; i++)
        if (engine->requests[i] != request) engine->requests[kept++] = engine->requests[i];
    ASSERT(kept == engine->request_count - 1);
    engine->request_count = kept;
    engine_push_event(engine, &(struct event){.kind = EVENT_DONE,
                                              .request = request,
                                              .reason = reason,
                                              .status = status,
                                              .err = request->err.text[0] ? &request->err : NULL,
                                              .resumable = request->resumable,
                                              .unfinished = is_unfinished(request, reason),
                                              .stats = request->stats});
}
