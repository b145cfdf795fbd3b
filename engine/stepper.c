// engine/stepper.c — the engine's thread: plan, run, sample, report.
#include <errno.h>

#include "engine/base/assert.h"
#include "engine/base/clock.h"
#include "engine/internal.h"

enum {
    STEP_FIRST_TOKENS = 16, // of a step that gives a first idea of the speed
    LOOK_AGAIN_MS = 20,
    WRITE_AGAIN_MS = 500,
};

static void finish_cancelled(struct engine *engine) {
    for (int32_t i = engine->request_count - 1; i >= 0; i--)
        if (atomic_load(&engine->requests[i]->cancelled))
            request_finish(engine->requests[i], STOP_REASON_CANCELLED, STATUS_OK);
}

// Adds a chunk to the step. Its logits are wanted whole only where somebody looks at them, or the
// sampler needs them all.
static void add_chunk(struct engine *engine, const struct request *request,
                      const struct scheduler_chunk *chunk) {
    const struct sequence *sequence = request->sequence;
    struct choice choice;
    struct penalty penalties[PENALTIES_MAX];
    forward_add(engine->forward, &sequence->table, sequence->tokens + chunk->first, chunk->first,
                chunk->count, chunk->last ? 1 : 0);
    if (chunk->last && !request->options.observer &&
        sampler_choice(request->sampler, sequence->tokens, (size_t)sequence->length, &choice,
                       penalties))
        forward_choose(engine->forward, &choice, penalties);
}

static int32_t pick_token(const struct request *request, struct forward *forward, int32_t row) {
    const struct sequence *sequence = request->sequence;
    const struct request_options *options = &request->options;
    const struct candidate *best = forward_candidates(forward, row);
    if (best) return sampler_pick_from(request->sampler, best);
    float *logits = forward_logits(forward, row);
    if (options->observer)
        options->observer(options->observer_user, logits,
                          sequence->engine->model.config.vocabulary);
    return sampler_pick(request->sampler, logits, sequence->tokens, (size_t)sequence->length);
}

// Without the lock: the device, and the samplers.
static enum status run_step(struct engine *engine, struct step *step) {
    forward_begin(engine->forward);
    for (int32_t i = 0; i < step->count; i++)
        add_chunk(engine, step->requests[i], &step->chunks[i]);
    TRY(forward_run(engine->forward));
    int32_t row = 0;
    for (int32_t i = 0; i < step->count; i++) {
        const struct request *request = step->requests[i];
        step->picked[i] = TOKEN_NONE;
        if (step->chunks[i].last) step->picked[i] = pick_token(request, engine->forward, row++);
    }
    return STATUS_OK;
}

static void report_prefill(struct request *request) {
    const struct sequence *sequence = request->sequence;
    queue_push(sequence->engine, &(struct event){.kind = EVENT_PREFILL,
                                                 .request = request,
                                                 .done = sequence->cached,
                                                 .total = sequence->length});
}

// The log grows by the sampled token; says whether and why the request ends with it.
static void accept_token(struct request *request, int32_t token) {
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    ASSERT(sequence->length < engine->context);
    sequence->tokens[sequence->length++] = token;
    const int64_t now = clock_now_us();
    if (request->stats.output_tokens++ == 0) {
        request->first_us = now;
        request->stats.first_token_us = now - request->started_us;
        request->stats.prefill_us = now - request->stepped_us;
    }
    queue_push(engine, &(struct event){
                           .kind = EVENT_TOKEN, .request = request, .token = token, .at_us = now});
    const bool ends = !request->options.ignore_end && engine->tokenizer &&
                      tokenizer_ends_turn(engine->tokenizer, token);
    if (ends)
        request_finish(request, STOP_REASON_END, STATUS_OK);
    else if (request->stats.output_tokens == request->options.max_tokens)
        request_finish(request, STOP_REASON_LENGTH, STATUS_OK);
    else if (sequence->length == engine->context)
        request_finish(request, STOP_REASON_CONTEXT, STATUS_OK);
}

// With the lock held: what the step has computed now counts.
static void commit_step(struct step *step) {
    for (int32_t i = 0; i < step->count; i++) {
        struct request *request = step->requests[i];
        const struct scheduler_chunk *chunk = &step->chunks[i];
        struct sequence *sequence = request->sequence;
        sequence->cached = chunk->first + chunk->count;
        block_cache_seal(sequence->engine->cache, &sequence->table, sequence->tokens, chunk->first);
        const bool decodes = request->stats.output_tokens > 0 && chunk->count == 1;
        *(decodes ? &sequence->engine->decoded_tokens : &sequence->engine->prefilled_tokens) +=
            (uint64_t)chunk->count;
        if (request->stats.output_tokens == 0) report_prefill(request);
        if (chunk->last) accept_token(request, step->picked[i]);
    }
}

// With the lock held: nothing of the step counts, and each of its requests ends.
static void fail_step(struct step *step, enum status status) {
    for (int32_t i = 0; i < step->count; i++) {
        struct sequence *sequence = step->requests[i]->sequence;
        block_table_truncate(&sequence->table, block_cache_pool(sequence->engine->cache),
                             sequence->cached);
        request_finish(step->requests[i], STOP_REASON_FAILED, status);
    }
}

// A running average, so that one disturbed step does not change the budget much.
static void note_speed(struct engine *engine, int32_t tokens, int64_t elapsed_us) {
    const int32_t least = engine->tokens_per_us > 0 ? STEP_LEAST_TOKENS : STEP_FIRST_TOKENS;
    if (tokens < least || elapsed_us <= 0) return;
    const double speed = tokens / (double)elapsed_us;
    engine->tokens_per_us =
        engine->tokens_per_us > 0 ? 0.5 * (engine->tokens_per_us + speed) : speed;
}

static void advance_restoring(struct engine *engine) {
    if (engine->restoring_count == 0) return;
    for (struct sequence *s = engine->sequences; s; s = s->next)
        if (s->restoring.active) restoring_advance(s);
}

// The last token's KV may be cached, but its logits are gone: it is computed once more, into a
// block of its own.
static void reopen_last_token(struct sequence *sequence) {
    if (sequence->cached < sequence->length) return;
    sequence->cached = sequence->length - 1;
    block_cache_truncate(sequence->engine->cache, &sequence->table, sequence->tokens,
                         sequence->cached);
}

// Requests whose sequences are restored begin to compute.
static void start_computing(struct engine *engine) {
    for (int32_t i = 0; i < engine->request_count; i++) {
        struct request *request = engine->requests[i];
        if (request->run.state != SCHEDULER_LOADING || request->sequence->restoring.active)
            continue;
        reopen_last_token(request->sequence);
        request->run.state = SCHEDULER_RUNNING;
    }
}

// Until something is to be done; while reads are under way, not longer than a cancel may take.
static void wait_for_work(struct engine *engine) {
    const bool looks_again = engine->request_count > 0 || engine->restoring_count > 0;
    if (!looks_again && block_cache_is_written(engine->cache)) {
        pthread_cond_wait(&engine->work, &engine->lock);
        return;
    }
    const struct timespec until = clock_deadline(looks_again ? LOOK_AGAIN_MS : WRITE_AGAIN_MS);
    const int code = pthread_cond_timedwait(&engine->work, &engine->lock, &until);
    ASSERT(code == 0 || code == ETIMEDOUT);
}

static void do_step(struct engine *engine, struct step *step) {
    pthread_mutex_unlock(&engine->lock);
    const int64_t before = clock_now_us();
    const enum status status = run_step(engine, step);
    const int64_t elapsed_us = clock_now_us() - before;
    pthread_mutex_lock(&engine->lock);
    if (status == STATUS_OK) {
        note_speed(engine, step->tokens, elapsed_us);
        commit_step(step);
    } else {
        fail_step(step, status);
    }
}

void *stepper_main(void *argument) {
    struct engine *engine = argument;
    struct step step;
    pthread_mutex_lock(&engine->lock);
    while (!engine->closing) {
        finish_cancelled(engine);
        advance_restoring(engine);
        block_cache_write_behind(engine->cache);
        start_computing(engine);
        const bool moves = planner_plan(engine, &step);
        if (step.count > 0)
            do_step(engine, &step);
        else if (!moves)
            wait_for_work(engine);
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}
