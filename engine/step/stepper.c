// engine/step/stepper.c — the engine's thread: plan, run, sample, report.
#include <errno.h>

#include "engine/internal.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/trace.h"

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

// Adds a chunk to the step. Its logits are wanted whole only where somebody looks at them, the
// sampler needs them all, or tokens were guessed: what is picked of a row depends on the one
// before.
static void add_chunk(struct engine *engine, const struct request *request,
                      const struct scheduler_chunk *chunk, int32_t proposed) {
    const struct sequence *sequence = request->sequence;
    struct choice choice;
    struct penalty penalties[PENALTIES_MAX];
    forward_add(engine->forward, &sequence->table, sequence->tokens + chunk->first, chunk->first,
                chunk->count + proposed, chunk->last ? 1 + proposed : 0);
    if (chunk->last && proposed == 0 && !request->options.observer &&
        sampler_choice(request->sampler, sequence->tokens, (size_t)sequence->length, &choice,
                       penalties))
        forward_choose(engine->forward, &choice, penalties);
}

// The token after the first `length` of the log, and guesses.
static int32_t pick_token(const struct request *request, struct forward *forward, int32_t row,
                          int32_t length) {
    const struct sequence *sequence = request->sequence;
    const struct request_options *options = &request->options;
    const struct candidate *best = forward_candidates(forward, row);
    if (best) return sampler_pick_from(request->sampler, best);
    float *logits = forward_logits(forward, row);
    if (options->observer)
        options->observer(options->observer_user, logits,
                          sequence->engine->model.config.vocabulary);
    return sampler_pick(request->sampler, logits, sequence->tokens, (size_t)length);
}

static bool ends_turn(const struct request *request, int32_t token) {
    const struct tokenizer *tokenizer = request->sequence->engine->tokenizer;
    return !request->options.ignore_end && tokenizer && tokenizer_ends_turn(tokenizer, token);
}

// Picks as many tokens as there would be one after the other: the next one after each guess that
// was right, up to the turn's end. Returns how many.
static int32_t pick_tokens(const struct request *request, struct forward *forward, int32_t row,
                           int32_t proposed, int32_t *picked) {
    const struct sequence *sequence = request->sequence;
    int32_t count = 0;
    bool right = true;
    while (right && count <= proposed) {
        const int32_t length = sequence->length + count;
        picked[count] = pick_token(request, forward, row + count, length);
        right = count < proposed && picked[count] == sequence->tokens[length] &&
                !ends_turn(request, picked[count]);
        count++;
    }
    return count;
}

static enum status compute(struct engine *engine, const struct step *step) {
    struct trace_span span = trace_begin("forward");
    forward_begin(engine->forward);
    for (int32_t i = 0; i < step->count; i++)
        add_chunk(engine, step->requests[i], &step->chunks[i], step->proposed[i]);
    const enum status status = forward_run(engine->forward);
    span.tokens = step->tokens;
    trace_end(&span);
    return status;
}

static void sample(struct engine *engine, struct step *step) {
    struct trace_span span = trace_begin("sample");
    int32_t row = 0, picked = 0;
    for (int32_t i = 0; i < step->count; i++) {
        step->picked_count[i] = 0;
        if (!step->chunks[i].last) continue;
        step->picked_count[i] = pick_tokens(step->requests[i], engine->forward, row,
                                            step->proposed[i], step->picked + picked);
        row += 1 + step->proposed[i];
        picked += step->picked_count[i];
    }
    span.tokens = picked;
    trace_end(&span);
}

// Without the lock: the device, and the samplers.
static enum status run_step(struct engine *engine, struct step *step) {
    TRY(compute(engine, step));
    sample(engine, step);
    return STATUS_OK;
}

static const char *stage_of(const struct request *request) {
    return request->stats.output_tokens > 0 ? "decode" : "prefill";
}

// On the track of each request: which steps it took part in.
static void trace_chunks(const struct step *step, bool begin) {
    for (int32_t i = 0; i < step->count; i++)
        if (begin)
            trace_track_begin(step->requests[i], stage_of(step->requests[i]));
        else
            trace_track_end(step->requests[i], stage_of(step->requests[i]),
                            step->chunks[i].count + step->proposed[i]);
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
    if (ends_turn(request, token))
        request_finish(request, STOP_REASON_END, STATUS_OK);
    else if (request->stats.output_tokens == request->options.max_tokens)
        request_finish(request, STOP_REASON_LENGTH, STATUS_OK);
    else if (sequence->length == engine->context)
        request_finish(request, STOP_REASON_CONTEXT, STATUS_OK);
}

// The KV of guesses that were wrong is let go.
static void keep_guesses(struct request *request, int32_t end, int32_t proposed, int32_t kept) {
    struct sequence *sequence = request->sequence;
    if (proposed == 0) return;
    block_table_truncate(&sequence->table, block_cache_pool(sequence->engine->cache), end + kept);
    prompt_lookup_note(&request->lookup, proposed, kept);
    request->stats.proposed_tokens += proposed;
    request->stats.kept_tokens += kept;
}

// With the lock held, which waits for room in the queue give up: cached never exceeds the log.
static void commit_chunk(struct request *request, const struct scheduler_chunk *chunk,
                         int32_t proposed, const int32_t *picked, int32_t count) {
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    const int32_t end = chunk->first + chunk->count, kept = count > 0 ? count - 1 : 0;
    const bool decodes = request->stats.output_tokens > 0 && chunk->count == 1;
    keep_guesses(request, end, proposed, kept);
    sequence->cached = end;
    block_cache_seal(engine->cache, &sequence->table, sequence->tokens, chunk->first);
    *(decodes ? &engine->decoded_tokens : &engine->prefilled_tokens) +=
        (uint64_t)(chunk->count + kept);
    if (request->stats.output_tokens == 0) report_prefill(request);
    for (int32_t i = 0; i < count; i++) {
        sequence->cached = end + i;
        accept_token(request, picked[i]);
    }
}

// What the step has computed now counts.
static void commit_step(struct step *step) {
    int32_t picked = 0;
    for (int32_t i = 0; i < step->count; i++) {
        commit_chunk(step->requests[i], &step->chunks[i], step->proposed[i], step->picked + picked,
                     step->picked_count[i]);
        picked += step->picked_count[i];
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
    struct trace_span span = trace_begin("step");
    if (trace_is_on) trace_chunks(step, true);
    const int64_t before = clock_now_us();
    const enum status status = run_step(engine, step);
    const int64_t elapsed_us = clock_now_us() - before;
    if (trace_is_on) trace_chunks(step, false);
    pthread_mutex_lock(&engine->lock);
    span.tokens = step->tokens;
    trace_end(&span);
    if (status == STATUS_DEVICE) block_cache_distrust(engine->cache);
    if (status == STATUS_OK) {
        note_speed(engine, step->tokens, elapsed_us);
        commit_step(step);
    } else {
        fail_step(step, status);
    }
}

// The tables of requests, and what later ones would find, may name KV that never came.
static void fail_all(struct engine *engine) {
    while (engine->request_count > 0)
        request_finish(engine->requests[engine->request_count - 1], STOP_REASON_FAILED,
                       STATUS_DEVICE);
}

void *stepper_main(void *argument) {
    struct engine *engine = argument;
    struct step step;
    trace_thread("engine");
    pthread_mutex_lock(&engine->lock);
    while (!engine->closing) {
        finish_cancelled(engine);
        advance_restoring(engine);
        block_cache_write_behind(engine->cache);
        if (!block_cache_is_trusted(engine->cache)) fail_all(engine);
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
