// engine/stepper.c — the engine's thread: plan, run, sample, report.
#include "engine/base/assert.h"
#include "engine/internal.h"

enum {
    STEP_TARGET_US = 250000, // how long ^C, or another answer's next token, may wait
    STEP_LEAST_TOKENS = 64,  // fewer waste the weights that a step reads
};

struct step {
    struct scheduler_chunk chunks[ENGINE_MAX_REQUESTS];
    struct request *requests[ENGINE_MAX_REQUESTS]; // of each chunk
    int32_t picked[ENGINE_MAX_REQUESTS];           // the token sampled for it, or TOKEN_NONE
    int32_t count;
    uint32_t copy_source[ENGINE_MAX_REQUESTS], copy_destination[ENGINE_MAX_REQUESTS];
    int32_t copies;
    int32_t tokens;
};

static int32_t step_budget(const struct engine *engine) {
    if (engine->step_tokens) return engine->step_tokens;
    return scheduler_budget(engine->tokens_per_us, STEP_TARGET_US, engine->cache.block_size,
                            STEP_LEAST_TOKENS, ENGINE_STEP_TOKENS);
}

static void finish_cancelled(struct engine *engine) {
    for (int32_t i = engine->request_count - 1; i >= 0; i--)
        if (atomic_load(&engine->requests[i]->cancelled))
            request_finish(engine->requests[i], STOP_REASON_CANCELLED, STATUS_OK);
}

// Makes room in the cache for a chunk; a request for which there is none ends with FULL, and
// keeps what it has.
static void admit(struct step *step, struct request *request, const struct scheduler_chunk *chunk) {
    struct sequence *sequence = request->sequence;
    struct block_copy copy;
    const enum status status = block_table_grow(&sequence->table, sequence->engine->pool,
                                                chunk->first + chunk->count, &copy);
    if (status != STATUS_OK) {
        request_finish(request, STOP_REASON_FAILED, status);
        return;
    }
    if (copy.needed) {
        step->copy_source[step->copies] = copy.source;
        step->copy_destination[step->copies++] = copy.destination;
    }
    if (!request->stepped_us) request->stepped_us = engine_now_us();
    step->chunks[step->count] = *chunk;
    step->requests[step->count++] = request;
    step->tokens += chunk->count;
}

// With the lock held.
static void plan_step(struct engine *engine, struct step *step) {
    struct scheduler_run runs[ENGINE_MAX_REQUESTS];
    struct scheduler_chunk chunks[ENGINE_MAX_REQUESTS];
    struct request *requests[ENGINE_MAX_REQUESTS];
    const int32_t run_count = engine->request_count;
    for (int32_t i = 0; i < run_count; i++) {
        requests[i] = engine->requests[i];
        runs[i] =
            (struct scheduler_run){requests[i]->sequence->cached, requests[i]->sequence->length};
    }
    const struct scheduler_limits limits = {step_budget(engine), engine->cache.block_size};
    const int32_t count = scheduler_plan(runs, run_count, &limits, chunks);
    step->count = step->copies = step->tokens = 0;
    for (int32_t i = 0; i < count; i++)
        admit(step, requests[chunks[i].run], &chunks[i]);
}

// Without the lock: the device, and the samplers.
static enum status run_step(struct engine *engine, struct step *step) {
    if (step->copies)
        engine->backend->copy_blocks(engine->device,
                                     &(struct copy_blocks){.cache = &engine->cache,
                                                           .source = step->copy_source,
                                                           .destination = step->copy_destination,
                                                           .pairs = step->copies});
    forward_begin(engine->forward);
    for (int32_t i = 0; i < step->count; i++) {
        const struct scheduler_chunk *chunk = &step->chunks[i];
        const struct sequence *sequence = step->requests[i]->sequence;
        forward_add(engine->forward, &sequence->table, sequence->tokens + chunk->first,
                    chunk->first, chunk->count, chunk->last ? 1 : 0);
    }
    TRY(forward_run(engine->forward));
    int32_t row = 0;
    for (int32_t i = 0; i < step->count; i++) {
        const struct sequence *sequence = step->requests[i]->sequence;
        step->picked[i] = TOKEN_NONE;
        if (step->chunks[i].last)
            step->picked[i] =
                sampler_pick(step->requests[i]->sampler, forward_logits(engine->forward, row++),
                             sequence->tokens, (size_t)sequence->length);
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
    const int64_t now = engine_now_us();
    if (request->stats.output_tokens++ == 0) {
        request->first_us = now;
        request->stats.first_token_us = now - request->started_us;
        request->stats.prefill_us = now - request->stepped_us;
    }
    queue_push(engine, &(struct event){.kind = EVENT_TOKEN, .request = request, .token = token});
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
        request->sequence->cached = chunk->first + chunk->count;
        if (request->stats.output_tokens == 0) report_prefill(request);
        if (chunk->last) accept_token(request, step->picked[i]);
    }
}

// With the lock held: nothing of the step counts, and each of its requests ends.
static void fail_step(struct step *step, enum status status) {
    for (int32_t i = 0; i < step->count; i++) {
        struct sequence *sequence = step->requests[i]->sequence;
        block_table_truncate(&sequence->table, sequence->engine->pool, sequence->cached);
        request_finish(step->requests[i], STOP_REASON_FAILED, status);
    }
}

// A running average, so that one disturbed step does not change the budget much.
static void note_speed(struct engine *engine, int32_t tokens, int64_t elapsed_us) {
    if (tokens < STEP_LEAST_TOKENS || elapsed_us <= 0) return;
    const double speed = tokens / (double)elapsed_us;
    engine->tokens_per_us =
        engine->tokens_per_us > 0 ? 0.5 * (engine->tokens_per_us + speed) : speed;
}

void *stepper_main(void *argument) {
    struct engine *engine = argument;
    struct step step;
    pthread_mutex_lock(&engine->lock);
    while (!engine->closing) {
        finish_cancelled(engine);
        if (engine->request_count == 0) {
            pthread_cond_wait(&engine->work, &engine->lock);
            continue;
        }
        plan_step(engine, &step);
        if (step.count == 0) continue; // the pool is full: those requests have ended
        pthread_mutex_unlock(&engine->lock);
        const int64_t before = engine_now_us();
        const enum status status = run_step(engine, &step);
        const int64_t elapsed_us = engine_now_us() - before;
        pthread_mutex_lock(&engine->lock);
        if (status == STATUS_OK) {
            note_speed(engine, step.tokens, elapsed_us);
            commit_step(&step);
        } else {
            fail_step(&step, status);
        }
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}
