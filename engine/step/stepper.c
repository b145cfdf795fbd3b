// engine/step/stepper.c — the engine's thread: plan, run, sample, report.
//
//   lock held   finish what was cancelled → advance restores → write behind → start → plan
//   unlocked    forward pass → samplers
//   lock held   commit: drop rejected drafts, seal blocks, append tokens, push events
//
// Without the lock, callers may cancel or add requests; the sequences of the step stay as they are,
// because each has a request on it.
//
// A chunk that reaches the log's end brings logits, and so at least one token unless sampling
// fails; with drafts verified in the same step, up to drafted + 1. commit_chunk() raises `cached`
// one token at a time while it appends, because pushing an event may give the lock up when the
// queue is full, and whoever gets it must never find more cached than the log has.
//
// What a grammar forces to follow is appended at once without being sampled; the next step computes
// all of it like a prompt. Requests that compute the same tokens are the planner's business
// (planner.c): here each chunk stands for itself.
//
// note_speed() averages how many tokens a microsecond a step computes. From this the planner
// derives how many fit the time that ^C or another answer's next token may wait
// (scheduler_target_us). Where weights cross to the card in each step of a prompt, that takes
// stream_us for however few tokens, so the speed beyond it is averaged, too.
#include <errno.h>

#include "engine/core/request_state.h"
#include "engine/model/forward.h"
#include "engine/step/restoring.h"
#include "engine/step/step.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/trace.h"
#include "kernels/huge_pages.h"

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

// Without the lock: nobody wants what the step computes any more.
static bool is_unwanted(void *user) {
    const struct step *step = user;
    bool wanted = step->count == 0;
    for (int32_t i = 0; i < step->count; i++)
        wanted = wanted || !atomic_load(&step->requests[i]->cancelled);
    return !wanted;
}

// A recurrent state that only some layers have advanced is worth nothing, so where there are states
// a step runs to its end.
static enum status compute_step(struct engine *engine, struct step *step) {
    struct trace_span span = trace_begin("forward");
    forward_begin(engine->forward);
    for (int32_t i = 0; i < step->count; i++)
        sampling_add(engine, step->requests[i], &step->chunks[i], step->drafted[i]);
    const enum status status =
        forward_run(engine->forward, engine->cache.has_states ? NULL : is_unwanted, step);
    span.tokens = step->tokens;
    trace_end(&span);
    return status;
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
                            step->chunks[i].count + step->drafted[i]);
}

static void report_prefill(struct request *request) {
    const struct sequence *sequence = request->sequence;
    engine_push_event(sequence->engine, &(struct event){.kind = EVENT_PREFILL,
                                                        .request = request,
                                                        .done = sequence->cached,
                                                        .total = sequence->length});
}

// Appends a sampled token to the log, and ends the request if the token ends it.
static void accept_token(struct request *request, int32_t token) {
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    ASSERT(sequence->length < engine->context);
    sequence->tokens[sequence->length++] = token;
    const int64_t now = clock_working_us();
    if (request->stats.output_tokens++ == 0) {
        request->first_us = now;
        request->stats.first_token_us = now - request->started_us;
        request->stats.prefill_us = now - request->stepped_us;
    }
    engine_push_event(
        engine,
        &(struct event){.kind = EVENT_TOKEN, .request = request, .token = token, .at_us = now});
    if (sampling_ends_turn(request, token))
        request_finish(request, STOP_REASON_END, STATUS_OK);
    else if (request->stats.output_tokens == request->options.max_tokens)
        request_finish(request, STOP_REASON_LENGTH, STATUS_OK);
    else if (sequence->length == engine->context)
        request_finish(request, STOP_REASON_CONTEXT, STATUS_OK);
}

// What must follow by the request's grammar need not be sampled: the next step computes it at once.
static void accept_forced(struct request *request) {
    const struct sequence *sequence = request->sequence;
    struct token_ids ids = {0};
    enum status status = STATUS_OK;
    if (request_walk(request, sequence->length))
        status = grammar_forced(request->options.grammar, &request->walk,
                                sequence->engine->context - sequence->length, &ids);
    for (size_t i = 0; i < ids.count && status == STATUS_OK && !request->done; i++)
        accept_token(request, ids.ids[i]);
    if (status != STATUS_OK) request_finish(request, STOP_REASON_FAILED, status);
    token_ids_deinit(&ids);
}

// Drops the KV of rejected drafts, and returns how many tokens of the log and of the accepted ones
// are computed. A recurrent state that has seen a rejected token is of no use: then it is as before
// the step, and the next step computes the chunk again with the accepted tokens.
static int32_t drop_rejected(struct request *request, const struct scheduler_chunk *chunk,
                             int32_t drafted, int32_t accepted) {
    struct sequence *sequence = request->sequence;
    const struct grouped_cache *cache = &sequence->engine->cache;
    const int32_t end = chunk->first + chunk->count + accepted;
    const bool undoes = accepted < drafted && cache->has_states;
    ASSERT(accepted >= 0 && accepted <= drafted);
    const int32_t left = request->undone - chunk->count;
    request->undone = undoes ? chunk->count + accepted + 1 : left > 0 ? left : 0;
    if (drafted == 0) return end;
    if (undoes) {
        grouped_table_undo(cache, &sequence->tables, &sequence->before, chunk->first);
    } else {
        grouped_table_confirm(cache, &sequence->before);
        grouped_table_drop(cache, &sequence->tables, end);
    }
    request->stats.drafts.of[request->draft.chosen].drafted += drafted;
    request->stats.drafts.of[request->draft.chosen].accepted += accepted;
    return undoes ? chunk->first : end;
}

// Commits a chunk, with the lock held. Pushing an event may release the lock to wait for the queue,
// so `cached` never exceeds the log in between.
static void commit_chunk(struct request *request, const struct scheduler_chunk *chunk,
                         int32_t drafted, const int32_t *picked, int32_t count) {
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    const int32_t end = chunk->first + chunk->count, accepted = count > 0 ? count - 1 : 0;
    const int32_t decoded = request->undone > 0 ? request->undone : 1;
    const bool decodes = request->stats.output_tokens > 0 && chunk->count <= decoded;
    ASSERT(end <= sequence->length && (count == 0 || end == sequence->length));
    const int32_t computed = drop_rejected(request, chunk, drafted, accepted);
    request->stats.drafts.steps += count > 0;
    request->stats.drafts.proposed += draft_note(&request->draft, picked, count);
    sequence->cached = computed < end ? computed : end;
    if (computed > chunk->first)
        grouped_cache_commit(&engine->cache, &sequence->tables, sequence->tokens, chunk->first,
                             sequence->length, sequence->pinned_length);
    *(decodes ? &engine->request_work.decoded_tokens : &engine->request_work.prefilled_tokens) +=
        (uint64_t)(computed - chunk->first);
    if (request->stats.output_tokens == 0) report_prefill(request);
    for (int32_t i = 0; i < count; i++) {
        sequence->cached = computed < end + i ? computed : end + i;
        accept_token(request, picked[i]);
    }
    if (request->failure != STATUS_OK && !request->done)
        request_finish(request, STOP_REASON_FAILED, request->failure);
    else if (count > 0 && request->options.grammar && !request->done)
        accept_forced(request);
}

// Commits what the step has computed.
static void commit_step(struct step *step) {
    int32_t picked = 0;
    for (int32_t i = 0; i < step->count; i++) {
        commit_chunk(step->requests[i], &step->chunks[i], step->drafted[i], step->picked + picked,
                     step->picked_count[i]);
        picked += step->picked_count[i];
    }
}

// Drops what the step has computed, with the lock held.
static void drop_step(const struct step *step) {
    for (int32_t i = 0; i < step->count; i++) {
        struct sequence *sequence = step->requests[i]->sequence;
        const struct grouped_cache *cache = &sequence->engine->cache;
        if (step->drafted[i] > 0) grouped_table_confirm(cache, &sequence->before);
        sequence->cached = grouped_table_last(cache, &sequence->tables, sequence->cached);
        grouped_table_drop(cache, &sequence->tables, sequence->cached);
    }
}

// The same, and ends each of its requests.
static void fail_step(struct step *step, enum status status) {
    drop_step(step);
    for (int32_t i = 0; i < step->count; i++)
        request_finish(step->requests[i], STOP_REASON_FAILED, status);
}

static double average(double before, double now) { return before > 0 ? 0.5 * (before + now) : now; }

// A running average, so that one disturbed step does not change the budget much. A small step is
// slow, and so is the first, which loads a card's kernels: they count if nothing better is known.
static void note_speed(struct engine *engine, int32_t tokens, int64_t elapsed_us) {
    const double earlier = block_cache_prefill_speed(engine->cache.groups[0]);
    const bool known = engine->tokens_per_us > 0 || earlier > 0, first = !engine->has_stepped;
    engine->has_stepped = true;
    if (known && (first || tokens < STEP_LEAST_TOKENS)) return;
    if (tokens < STEP_FIRST_TOKENS || elapsed_us <= 0) return;
    const double least_us = (double)elapsed_us / 8,
                 added_us = (double)elapsed_us - engine->stream_us;
    engine->tokens_per_us = average(engine->tokens_per_us, tokens / (double)elapsed_us);
    engine->added_per_us =
        average(engine->added_per_us, tokens / (added_us > least_us ? added_us : least_us));
}

static void advance_restoring(struct engine *engine) {
    if (engine->restoring_count == 0) return;
    for (struct sequence *s = engine->sequences; s; s = s->next)
        if (s->restoring.active) restoring_advance(s);
}

// The last token's KV may be cached, but not its logits. So it is computed once more, into a block
// of its own.
static void reopen_last_token(struct sequence *sequence) {
    ASSERT(sequence->length > 0 && sequence->cached <= sequence->length);
    if (sequence->cached < sequence->length) return;
    sequence->cached = grouped_cache_truncate(&sequence->engine->cache, &sequence->tables,
                                              sequence->tokens, sequence->length - 1);
}

// Starts requests whose sequences are restored.
static void start_computing(struct engine *engine) {
    for (int32_t i = 0; i < engine->request_count; i++) {
        struct request *request = engine->requests[i];
        if (request->state != REQUEST_LOADING || request->sequence->restoring.active) continue;
        reopen_last_token(request->sequence);
        request->state = REQUEST_RUNNING;
    }
}

// Nobody waits longer for a first token because weights move meanwhile.
static void set_pace(struct engine *engine, enum huge_pages_pace pace) {
    huge_pages_set_pace(engine->huge_pages, pace);
    if (engine->drafter) huge_pages_set_pace(engine->drafter->huge_pages, pace);
}

// Waits until there is something to do; while reads are in flight, at most as long as a cancel may
// take.
static void wait_for_work(struct engine *engine) {
    const bool looks_again = engine->request_count > 0 || engine->restoring_count > 0;
    set_pace(engine, looks_again ? HUGE_PAGES_PAUSED : HUGE_PAGES_FREELY);
    if (!looks_again && grouped_cache_write_behind(&engine->cache)) {
        pthread_cond_wait(&engine->work, &engine->lock);
        return;
    }
    const struct timespec until = clock_deadline(looks_again ? LOOK_AGAIN_MS : WRITE_AGAIN_MS);
    const int code = pthread_cond_timedwait(&engine->work, &engine->lock, &until);
    ASSERT(code == 0 || code == ETIMEDOUT);
}

// Will the step take as long as those that a placement's prediction is about?
static bool is_usual(const struct step *step) {
    return step->tokens == 1 && step->chunks[0].first < PLACEMENT_LESSON_CONTEXT;
}

static void do_step(struct engine *engine, struct step *step) {
    const bool teaches = is_usual(step);
    pthread_mutex_unlock(&engine->lock);
    set_pace(engine, step->tokens > step->rows ? HUGE_PAGES_PAUSED : HUGE_PAGES_SPARINGLY);
    struct trace_span span = trace_begin("step");
    if (trace_is_on) trace_chunks(step, true);
    if (engine->drafter) drafter_run(engine, step);
    int32_t passes = 0;
    const int64_t began_us = clock_now_us();
    enum status status = drafting_run(engine, step, &passes);
    const int64_t before = clock_now_us();
    if (status == STATUS_OK) status = compute_step(engine, step);
    if (status == STATUS_OK) sampling_pick(engine, step);
    const int64_t elapsed_us = clock_now_us() - before;
    if (trace_is_on) trace_chunks(step, false);
    pthread_mutex_lock(&engine->lock);
    span.tokens = step->tokens;
    trace_end(&span);
    if (status == STATUS_DEVICE) block_cache_distrust(engine->cache.groups[0]);
    if (status == STATUS_OK) {
        const bool first = !engine->has_stepped; // loads kernels, or pages of the weights
        note_speed(engine, step->tokens, elapsed_us);
        if (passes > 0)
            draft_note_cost(&engine->draft_record, DRAFT_HEAD, passes, before - began_us);
        if (step->tokens == step->rows && !first) // it only decodes
            row_cost_note(&engine->draft_record.cost, step->rows, elapsed_us);
        if (teaches) placement_lesson_note(&engine->lesson, elapsed_us);
        commit_step(step);
    } else if (status == STATUS_CANCELLED) {
        drop_step(step); // all of its requests are finished before the next one
    } else {
        fail_step(step, status);
    }
}

// After a failure of the device, tables and the cache may name KV that was never written.
static void fail_all(struct engine *engine) {
    while (engine->request_count > 0)
        request_finish(engine->requests[engine->request_count - 1], STOP_REASON_FAILED,
                       STATUS_DEVICE);
}

static void lend_blocks(struct engine *engine) {
    struct lending_wish wish;
    lending_lend(&engine->lending);
    if (lending_wishes(&engine->lending, &wish) &&
        block_cache_give_up(engine->cache.groups[0], &wish))
        lending_lend(&engine->lending);
}

// With the lock held.
static void work(struct engine *engine) {
    struct step step;
    finish_cancelled(engine);
    advance_restoring(engine);
    (void)grouped_cache_write_behind(&engine->cache);
    if (engine->cache.device_failed) fail_all(engine);
    start_computing(engine);
    if (!engine->cache.device_failed) lend_blocks(engine);
    const bool moves = planner_plan(engine, &step);
    if (step.count > 0)
        do_step(engine, &step);
    else if (!moves)
        wait_for_work(engine);
}

void *stepper_main(void *argument) {
    struct engine *engine = argument;
    trace_thread("engine");
    pthread_mutex_lock(&engine->lock);
    while (!engine->closing)
        work(engine);
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

void stepper_step(struct engine *engine) {
    pthread_mutex_lock(&engine->lock);
    work(engine);
    pthread_mutex_unlock(&engine->lock);
}
