// engine/step/planner.c — the requests as the scheduler sees them, and what it decides carried out.
#include <string.h>

#include "engine/internal.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/trace.h"

enum {
    STEP_TARGET_US = 250000, // how long ^C, or another answer's next token, may wait
    WATERMARK_SHARE = 100,   // of the pool's blocks
};

static int32_t step_budget(const struct engine *engine) {
    if (engine->step_tokens) return engine->step_tokens;
    return scheduler_budget(engine->tokens_per_us, STEP_TARGET_US, engine->shape.block_size,
                            STEP_LEAST_TOKENS, engine->most_tokens);
}

// ---- what others compute

// What was found by the time of a request's first step is counted then.
static void set_cached(struct request *request, int32_t cached) {
    struct sequence *sequence = request->sequence;
    if (request->stepped_us)
        sequence->engine->found.device_tokens += (uint64_t)(cached - sequence->cached);
    sequence->cached = cached;
}

// What is in the cache by now need not be computed.
static void adopt_news(struct request *request) {
    struct sequence *sequence = request->sequence;
    if (sequence->length - sequence->cached <= 1) return;
    block_cache_adopt(sequence->engine->cache, &sequence->table, sequence->tokens,
                      sequence->length - 1);
    set_cached(request, sequence->table.length);
}

// Where the block ends that the sequence computes next; its last token it always computes itself.
static int32_t next_end(const struct sequence *sequence) {
    const int32_t size = sequence->engine->shape.block_size, last = sequence->length - 1;
    const int32_t end = (sequence->cached / size + 1) * size;
    return end < last ? end : last;
}

static bool begin_alike(const struct sequence *a, const struct sequence *b, int32_t length) {
    return a->length >= length && b->length >= length &&
           memcmp(a->tokens, b->tokens, (size_t)length * sizeof a->tokens[0]) == 0;
}

// Both share the other's blocks, its tail too, which is copied by whoever writes into it first.
static void share_table(struct request *request, const struct sequence *other, int32_t length) {
    struct block_table *table = &request->sequence->table;
    struct block_pool *pool = block_cache_pool(other->engine->cache);
    block_table_truncate(table, pool, 0);
    block_table_fork(&other->table, pool, length, table);
    set_cached(request, length);
}

// Is a request before this one computing what it needs next? Then it waits for that. A request in
// the foreground waits for no other.
static bool follows(struct engine *engine, int32_t index) {
    struct request *request = engine->requests[index];
    const struct sequence *sequence = request->sequence;
    for (int32_t i = 0; i < index; i++) {
        const struct request *other = engine->requests[i];
        const int32_t end = next_end(sequence);
        if (end <= sequence->cached) return false;
        if (other->run.state != SCHEDULER_RUNNING || !begin_alike(sequence, other->sequence, end))
            continue;
        if (other->sequence->cached >= end)
            share_table(request, other->sequence, end);
        else if (other->run.foreground || !request->run.foreground)
            return true;
    }
    return false;
}

// ---- the requests in numbers

static int32_t own_blocks(const struct engine *engine, const struct block_table *table) {
    const struct block_pool *pool = block_cache_pool(engine->cache);
    int32_t own = 0;
    for (int32_t i = 0; i < table->count; i++)
        own += block_pool_holders(pool, table->blocks[i]) == 1;
    return own;
}

static struct scheduler_run describe(struct engine *engine, int32_t index) {
    struct request *request = engine->requests[index];
    const struct sequence *sequence = request->sequence;
    struct scheduler_run run = request->run;
    if (run.state == SCHEDULER_RUNNING) {
        adopt_news(request);
        if (follows(engine, index)) run.state = SCHEDULER_LOADING; // by another's work
    }
    const struct block_table *table = &sequence->table;
    run.cached = sequence->cached;
    run.length = sequence->length;
    run.blocks = table->count;
    run.copies = (int32_t)block_cache_need(engine->cache, table, table->length);
    return run;
}

// Blocks with which all would go on, and the first that waits would come in.
static int32_t blocks_wanted(const struct engine *engine, const struct scheduler_run *runs,
                             int32_t watermark) {
    int32_t blocks = 0;
    bool waits = false;
    for (int32_t i = 0; i < engine->request_count; i++) {
        const bool outside =
            runs[i].state == SCHEDULER_WAITING || runs[i].state == SCHEDULER_SWAPPED;
        if (outside && waits) continue;
        waits = waits || outside;
        blocks += scheduler_need(&runs[i], runs[i].length + 1, engine->shape.block_size);
        if (outside) blocks += watermark;
    }
    return blocks;
}

static struct scheduler_limits gather_limits(struct engine *engine, struct scheduler_run *runs) {
    const int32_t share = (int32_t)(engine->shape.num_blocks / WATERMARK_SHARE);
    struct scheduler_limits limits = {
        .step_tokens = step_budget(engine),
        .block_size = engine->shape.block_size,
        .watermark = share > 0 ? share : 1,
        .swap_us = block_cache_swap_us(engine->cache),
    };
    if (engine->tokens_per_us > 0) limits.recompute_us = limits.block_size / engine->tokens_per_us;
    const int32_t wanted = blocks_wanted(engine, runs, limits.watermark);
    limits.room = (int32_t)pressure_gather(engine, (uint32_t)wanted);
    // Who has how much to give is only of interest when there is too little.
    for (int32_t i = 0; i < engine->request_count && limits.room < wanted; i++)
        runs[i].own = own_blocks(engine, &engine->requests[i]->sequence->table);
    return limits;
}

// ---- the plan carried out

static void preempt(struct request *request, bool swap) {
    struct sequence *sequence = request->sequence;
    const bool inside =
        request->run.state == SCHEDULER_LOADING || request->run.state == SCHEDULER_RUNNING;
    if (!swap) block_cache_discard(sequence->engine->cache, &sequence->table);
    pressure_park(sequence);
    if (!inside) return; // it waits as before, without what it had
    request->run.state = SCHEDULER_SWAPPED;
    trace_track_begin(request, "waiting");
    log_write(LOG_DEBUG, "a request of %d tokens gives its blocks up and waits", sequence->length);
    sequence->engine->preempted_requests++;
}

static void admit(struct request *request) {
    trace_track_end(request, "waiting", 0);
    request->run.state = SCHEDULER_LOADING;
    if (!request->sequence->restoring.active) restoring_begin(request->sequence);
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

// Guesses behind the log's end, as many as there is room for without taking any from others: in the
// step (`left` chunks of one row or none come after it, of step->planned tokens), in the context,
// and among FREE blocks.
static int32_t propose(const struct step *step, struct request *request, int32_t left) {
    struct sequence *sequence = request->sequence;
    const struct engine *engine = sequence->engine;
    const int32_t length = sequence->length, max_tokens = request->options.max_tokens;
    int32_t room = ENGINE_MAX_REQUESTS - step->rows - 1 - left;
    const int32_t spare = engine->most_tokens - step->tokens - 1 - step->planned;
    if (room > engine->most_tokens / 2 - step->tokens)
        room = engine->most_tokens / 2 - step->tokens;
    if (room > spare) room = spare;
    if (room > engine->context - length - 1) room = engine->context - length - 1;
    if (max_tokens > 0 && room > max_tokens - request->stats.output_tokens - 1)
        room = (int32_t)(max_tokens - request->stats.output_tokens - 1);
    int32_t count = prompt_lookup_propose(&request->lookup, sequence->tokens, length, room,
                                          sequence->tokens + length);
    const struct block_pool *pool = block_cache_pool(engine->cache);
    if (count > 0 &&
        block_cache_need(engine->cache, &sequence->table, length + count) > block_pool_free(pool))
        count = 0;
    return count;
}

static void take_chunk(struct step *step, struct request *request,
                       const struct scheduler_chunk *chunk, int32_t left) {
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    int32_t end = chunk->first + chunk->count;
    step->planned -= chunk->count;
    const uint32_t need = block_cache_need(engine->cache, &sequence->table, end);
    if (!pressure_make_room(engine, need, sequence)) return; // the next plan knows
    const bool decodes = chunk->last && chunk->count == 1 && request->stats.output_tokens > 0;
    const int32_t proposed = decodes ? propose(step, request, left) : 0;
    end += proposed;
    ASSERT(block_cache_grow(engine->cache, &sequence->table, end) == STATUS_OK);
    if (!request->stepped_us) {
        request->stepped_us = clock_now_us();
        note_found(request);
    }
    step->chunks[step->count] = *chunk;
    step->proposed[step->count] = proposed;
    step->requests[step->count++] = request;
    step->tokens += chunk->count + proposed;
    step->rows += chunk->last ? 1 + proposed : 0;
}

static void obey(struct engine *engine, const struct scheduler_plan *plan, struct step *step) {
    for (int32_t i = 0; i < plan->preempted_count; i++)
        preempt(engine->requests[plan->preempted[i]], plan->swap);
    for (int32_t i = 0; i < plan->admitted_count; i++)
        admit(engine->requests[plan->admitted[i]]);
    step->planned = plan->tokens;
    // Who was admitted may take part in this step: it is planned again.
    for (int32_t i = 0; i < plan->chunk_count && plan->admitted_count == 0; i++)
        take_chunk(step, engine->requests[plan->chunks[i].run], &plan->chunks[i],
                   plan->chunk_count - i - 1);
    if (plan->refused >= 0)
        request_finish(engine->requests[plan->refused], STOP_REASON_FAILED, STATUS_FULL);
}

bool planner_plan(struct engine *engine, struct step *step) {
    struct scheduler_run runs[ENGINE_MAX_REQUESTS];
    struct scheduler_plan plan;
    const int32_t count = engine->request_count;
    struct trace_span span = trace_begin("plan");
    step->count = step->tokens = step->rows = 0;
    for (int32_t i = 0; i < count; i++)
        runs[i] = describe(engine, i);
    const struct scheduler_limits limits = gather_limits(engine, runs);
    scheduler_plan(runs, count, &limits, &plan);
    if (plan.admitted_count == 0 && plan.chunk_count > 0) {
        scheduler_note(runs, count, &plan);
        for (int32_t i = 0; i < count; i++) {
            struct scheduler_run *run = &engine->requests[i]->run;
            run->prefilled = runs[i].prefilled;
            run->skipped = runs[i].skipped;
            run->promoted = runs[i].promoted;
        }
    }
    obey(engine, &plan, step);
    span.tokens = step->tokens;
    trace_end(&span);
    return step->count > 0 || plan.admitted_count > 0 || plan.preempted_count > 0 ||
           plan.refused >= 0;
}
