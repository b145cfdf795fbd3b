// engine/step/drafter.c — has a smaller model write drafts, greedily.
//
// The smaller model has an engine of its own, whose steps are taken here, on the thread of the
// engine that it drafts for. For each request that it drafts for, it keeps a sequence that follows
// the request's log: rejected drafts are cut off, and what is new in the log is appended. All
// requests of a step are drafted for together, and logs that begin alike share blocks in either
// engine.
//
//   log        a b c d e          verified: d was right, e is what was sampled
//   sequence   a b c d x y        cut to "a b c d", then "e" is appended: two tokens to compute
//
// A recurrent state cannot be cut back. So if the smaller model has recurrent layers, the sequence
// itself only writes the first draft token, and a fork of it writes the others.
//
// Nothing here can fail the step. If a draft cannot be written, whatever ids the log's array has in
// its place are made valid and verified like a draft. A request whose drafting has failed is not
// drafted for again.
#include <string.h>

#include "engine/core/request_state.h"
#include "engine/step/step.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/trace.h"

struct draft_batch {                                 // drafts that are written together
    struct request *requests[ENGINE_MAX_REQUESTS];   // drafted for
    struct sequence *sequences[ENGINE_MAX_REQUESTS]; // of the smaller model, that write them
    int32_t counts[ENGINE_MAX_REQUESTS];             // how many tokens each writes
    int32_t count;
    int32_t most; // the largest of the counts
    int32_t read; // tokens of logs that were far ahead of their sequences
};

// Gives the drafter's sequence the tokens of the log; *unread: how many of them are new to it.
static enum status follow(struct drafter *drafter, struct engine *engine,
                          const struct sequence *log, int32_t *unread) {
    if (!drafter->sequence) TRY(sequence_create(engine, &drafter->sequence));
    struct sequence *sequence = drafter->sequence;
    const int32_t most = sequence->length < log->length ? sequence->length : log->length;
    int32_t same = drafter->followed < most ? drafter->followed : most;
    while (same < most && sequence->tokens[same] == log->tokens[same])
        same++;
    if (same < sequence->length) sequence_truncate(sequence, same);
    drafter->followed = log->length;
    *unread = log->length - same;
    return sequence_append(sequence, log->tokens + same, (size_t)*unread);
}

static enum status finish(struct engine *engine, int32_t running) {
    struct event event;
    enum status status = STATUS_OK;
    while (running > 0) {
        stepper_step(engine);
        while (engine_next_event(engine, 0, &event)) {
            if (event.kind != EVENT_DONE) continue;
            if (event.status != STATUS_OK) status = event.status;
            request_release(event.request);
            running--;
        }
    }
    return status;
}

static enum status write_tokens(struct engine *engine, const struct draft_batch *batch) {
    struct request_options options[ENGINE_MAX_REQUESTS];
    struct request *requests[ENGINE_MAX_REQUESTS];
    for (int32_t i = 0; i < batch->count; i++) {
        options[i] = (struct request_options){.sampler = sampler_options_default(),
                                              .max_tokens = batch->counts[i],
                                              .ignore_end = true};
        options[i].sampler.temperature = 0;
    }
    TRY(request_start_all(batch->sequences, options, batch->count, requests));
    return finish(engine, batch->count);
}

// Copies draft tokens [first, first + count) of the request. An id for which the larger model has
// no row becomes 0, which will be rejected.
static void copy_draft(struct request *request, const struct sequence *from, int32_t first,
                       int32_t count) {
    struct sequence *log = request->sequence;
    const int32_t vocabulary = log->engine->model.config.vocabulary;
    for (int32_t i = first; i < first + count; i++) {
        const int32_t id = from->tokens[log->length + i];
        log->tokens[log->length + i] = id < vocabulary ? id : 0;
    }
}

// Writes the tokens after the first of each draft if states cannot be cut back.
static enum status write_on_forks(struct engine *engine, const struct draft_batch *batch) {
    struct draft_batch forks = {.count = 0};
    enum status status = STATUS_OK;
    for (int32_t i = 0; i < batch->count && status == STATUS_OK; i++) {
        struct request *request = batch->requests[i];
        struct sequence *sequence = batch->sequences[i];
        const int32_t length = request->sequence->length, first = sequence->tokens[length];
        sequence_truncate(sequence, length);
        if (batch->counts[i] == 1) continue;
        status = sequence_fork(sequence, &forks.sequences[forks.count]);
        if (status != STATUS_OK) break;
        forks.requests[forks.count] = request;
        forks.counts[forks.count] = batch->counts[i] - 1;
        status = sequence_append(forks.sequences[forks.count++], &first, 1);
    }
    if (status == STATUS_OK && forks.count > 0) status = write_tokens(engine, &forks);
    for (int32_t i = 0; i < forks.count; i++) {
        if (status == STATUS_OK)
            copy_draft(forks.requests[i], forks.sequences[i], 1, forks.counts[i]);
        sequence_destroy(forks.sequences[i]);
    }
    return status;
}

static enum status write_drafts(struct engine *engine, const struct draft_batch *batch) {
    const bool forks = engine->cache.has_states;
    struct draft_batch first = *batch;
    for (int32_t i = 0; i < first.count && forks; i++)
        first.counts[i] = 1;
    TRY(write_tokens(engine, &first));
    for (int32_t i = 0; i < first.count; i++)
        copy_draft(first.requests[i], first.sequences[i], 0, first.counts[i]);
    return forks ? write_on_forks(engine, batch) : STATUS_OK;
}

static void give_up(struct request *request, enum status status) {
    struct drafter *drafter = &request->draft.drafter;
    log_write(LOG_WARNING, "the drafter drafts no more for this answer: %s", status_text(status));
    request_end_drafts(request);
    drafter->context = 0;
}

static bool is_to_write(const struct step *step, int32_t i) {
    return step->unknown[i] && step->requests[i]->draft.chosen == DRAFT_MODEL;
}

// Lets the sequences follow their logs. The drafts will be written behind them.
static void gather_drafts(struct engine *engine, const struct step *step,
                          struct draft_batch *batch) {
    for (int32_t i = 0; i < step->count; i++) {
        if (!is_to_write(step, i)) continue;
        struct request *request = step->requests[i];
        const struct sequence *log = request->sequence;
        int32_t unread = 0;
        memset(log->tokens + log->length, 0, (size_t)step->drafted[i] * sizeof log->tokens[0]);
        const enum status status = follow(&request->draft.drafter, engine->drafter, log, &unread);
        if (status != STATUS_OK) {
            give_up(request, status);
            continue;
        }
        batch->requests[batch->count] = request;
        batch->sequences[batch->count] = request->draft.drafter.sequence;
        batch->counts[batch->count++] = step->drafted[i];
        if (step->drafted[i] > batch->most) batch->most = step->drafted[i];
        if (unread > 1 + DRAFT_MAX) batch->read += unread;
    }
}

static void note_cost(struct draft_record *record, const struct draft_batch *batch, int64_t us) {
    if (batch->read == 0)
        draft_note_cost(record, DRAFT_MODEL, batch->most, us);
    else // the first draft is part of what it costs to begin
        draft_note_reading(record, DRAFT_MODEL, batch->read, us);
}

void drafter_run(struct engine *engine, const struct step *step) {
    struct trace_span span = trace_begin("draft");
    const int64_t before_us = clock_now_us();
    struct draft_batch batch = {.count = 0};
    gather_drafts(engine, step, &batch);
    if (batch.count > 0) {
        const enum status status = write_drafts(engine->drafter, &batch);
        for (int32_t i = 0; i < batch.count && status != STATUS_OK; i++)
            give_up(batch.requests[i], status);
        if (status == STATUS_OK)
            note_cost(&engine->draft_record, &batch, clock_now_us() - before_us);
    }
    for (int32_t i = 0; i < step->count; i++) {
        const struct sequence *log = step->requests[i]->sequence;
        if (is_to_write(step, i))
            draft_fill(&step->requests[i]->draft, log->tokens + log->length, step->drafted[i]);
    }
    span.tokens = batch.most;
    trace_end(&span);
}
