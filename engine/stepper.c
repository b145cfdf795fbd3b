// engine/stepper.c — the engine's thread: plan, run, sample, report.
#include <errno.h>

#include "engine/base/assert.h"
#include "engine/base/clock.h"
#include "engine/internal.h"

enum {
    STEP_TARGET_US = 250000, // how long ^C, or another answer's next token, may wait
    STEP_LEAST_TOKENS = 64,  // fewer waste the weights that a step reads
    STEP_FIRST_TOKENS = 16,  // of a step that gives a first idea of the speed
    LOOK_AGAIN_MS = 20,
    WRITE_AGAIN_MS = 500,
};

struct step {
    struct scheduler_chunk chunks[ENGINE_MAX_REQUESTS];
    struct request *requests[ENGINE_MAX_REQUESTS]; // of each chunk
    int32_t picked[ENGINE_MAX_REQUESTS];           // the token sampled for it, or TOKEN_NONE
    int32_t count;
    int32_t tokens;
};

static int32_t step_budget(const struct engine *engine) {
    if (engine->step_tokens) return engine->step_tokens;
    return scheduler_budget(engine->tokens_per_us, STEP_TARGET_US, engine->shape.block_size,
                            STEP_LEAST_TOKENS, ENGINE_STEP_TOKENS);
}

static void finish_cancelled(struct engine *engine) {
    for (int32_t i = engine->request_count - 1; i >= 0; i--)
        if (atomic_load(&engine->requests[i]->cancelled))
            request_finish(engine->requests[i], STOP_REASON_CANCELLED, STATUS_OK);
}

static int32_t index_of(const struct engine *engine, const struct request *request) {
    int32_t index = 0;
    while (engine->requests[index] != request)
        index++;
    return index;
}

// Is there an older request that will give its blocks back one day?
static bool may_wait(const struct engine *engine, int32_t index) {
    for (int32_t i = 0; i < index; i++)
        if (engine->requests[i]->phase != PHASE_WAITING) return true;
    return false;
}

// Makes room in the cache for a chunk, if need be at the cost of newer requests. A request for
// which there is none waits, or ends with FULL where it has all there is.
static void admit(struct step *step, struct request *request, const struct scheduler_chunk *chunk) {
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    const int32_t index = index_of(engine, request), end = chunk->first + chunk->count;
    if (request->phase != PHASE_COMPUTING) return; // an older one took its blocks just now
    while (!pressure_make_room(engine, block_cache_need(engine->cache, &sequence->table, end),
                               sequence))
        if (!pressure_preempt(engine, index)) {
            if (!may_wait(engine, index))
                request_finish(request, STOP_REASON_FAILED, STATUS_FULL);
            else
                pressure_wait(request);
            return;
        }
    ASSERT(block_cache_grow(engine->cache, &sequence->table, end) == STATUS_OK);
    if (!request->stepped_us) request->stepped_us = clock_now_us();
    step->chunks[step->count] = *chunk;
    step->requests[step->count++] = request;
    step->tokens += chunk->count;
}

// What others have computed meanwhile need not be computed again.
static void adopt_news(struct sequence *sequence) {
    struct engine *engine = sequence->engine;
    if (sequence->length - sequence->cached <= 1) return;
    const int32_t found =
        block_cache_adopt(engine->cache, &sequence->table, sequence->tokens, sequence->length - 1);
    engine->found.device_tokens += (uint64_t)found;
    sequence->cached = sequence->table.length;
}

static void sort_by_arrival(struct scheduler_chunk *chunks, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        const struct scheduler_chunk chunk = chunks[i];
        int32_t at = i;
        for (; at > 0 && chunks[at - 1].run > chunk.run; at--)
            chunks[at] = chunks[at - 1];
        chunks[at] = chunk;
    }
}

// With the lock held.
static void plan_step(struct engine *engine, struct step *step) {
    struct scheduler_run runs[ENGINE_MAX_REQUESTS];
    struct scheduler_chunk chunks[ENGINE_MAX_REQUESTS];
    struct request *requests[ENGINE_MAX_REQUESTS];
    int32_t run_count = 0;
    for (int32_t i = 0; i < engine->request_count; i++) {
        struct request *request = engine->requests[i];
        if (request->phase != PHASE_COMPUTING) continue;
        adopt_news(request->sequence);
        requests[run_count] = request;
        runs[run_count++] =
            (struct scheduler_run){request->sequence->cached, request->sequence->length};
    }
    const struct scheduler_limits limits = {step_budget(engine), engine->shape.block_size};
    const int32_t count = scheduler_plan(runs, run_count, &limits, chunks);
    sort_by_arrival(chunks, count);
    step->count = step->tokens = 0;
    for (int32_t i = 0; i < count; i++)
        admit(step, requests[chunks[i].run], &chunks[i]);
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

// Where the cached tokens were found; the one that is computed again is none of them.
static void note_found(struct request *request) {
    const struct sequence *sequence = request->sequence;
    const struct restoring *restoring = &sequence->restoring;
    struct request_stats *stats = &request->stats;
    int64_t left = stats->cached_tokens = sequence->cached;
    stats->disk_tokens = restoring->tally.disk_tokens < left ? restoring->tally.disk_tokens : left;
    left -= stats->disk_tokens;
    stats->host_tokens = restoring->tally.host_tokens < left ? restoring->tally.host_tokens : left;
    stats->device_tokens = left - stats->host_tokens;
    stats->restore_us = restoring->spent_us;
    struct found_tokens *found = &sequence->engine->found;
    found->device_tokens += (uint64_t)stats->device_tokens;
    found->host_tokens += (uint64_t)stats->host_tokens;
    found->disk_tokens += (uint64_t)stats->disk_tokens;
}

// Requests whose sequences are restored begin to compute. Returns how many do.
static int32_t start_computing(struct engine *engine) {
    int32_t computing = 0;
    for (int32_t i = 0; i < engine->request_count; i++) {
        struct request *request = engine->requests[i];
        if (request->phase == PHASE_RESTORING && !request->sequence->restoring.active) {
            reopen_last_token(request->sequence);
            request->phase = PHASE_COMPUTING;
            if (!request->stepped_us) note_found(request);
        }
        computing += request->phase == PHASE_COMPUTING;
    }
    return computing;
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
        pressure_resume(engine);
        advance_restoring(engine);
        block_cache_write_behind(engine->cache);
        if (start_computing(engine) == 0) {
            wait_for_work(engine);
            continue;
        }
        plan_step(engine, &step);
        if (step.count > 0) do_step(engine, &step); // else all wait or have ended
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}
