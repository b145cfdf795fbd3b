// engine/step/planner.c — describes requests to the scheduler, and carries out its plan.
//
// Who follows and who shares. When several requests need the same tokens next, one computes them
// and the others take them over. Before each plan every running request first adopts what has been
// sealed since (adopt_cached), and then looks at those that arrived before it (follows):
//
//                0          512        1024
//   A, first     |==========###########|  question of A       computes 512 … 1023 in this step
//   B            |==========           |  question of B       its next block is A's too: waits
//   C            |=====     a different text                  its next block is its own: computes
//
// B is described to the scheduler as LOADING, so it gets no tokens. When A's step is committed, B
// adopts its sealed blocks up to 1024, finds that its next block differs from A's, and computes. If
// both prompts are the same (several answers to one question), B follows to the last token but one
// and then shares A's table with its partly filled tail (share_table): whoever writes into the tail
// first copies it. So n requests with one prompt cost one prefill, without any of them knowing the
// others.
//
// A request follows only earlier ones, so the first never waits and no two wait for each other. One
// in the foreground does not wait for one in the background, which may get few tokens a step.
// Nothing is stored about following: the question is asked again for each plan, so when A is
// cancelled, B just computes.
//
// Recurrent layers have states at a few positions only, so a follower waits until the earlier
// request has the state at the last full block before the end of the shorter prompt, and only if
// the earlier one pauses there (follows_state).
//
// A plan that admits requests is carried out without its chunks, and the next plan follows at once:
// if all of an admitted request is in the cache, it is ready for this very step.
#include <string.h>

#include "engine/core/request_state.h"
#include "engine/step/pressure.h"
#include "engine/step/restoring.h"
#include "engine/step/step.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/trace.h"

enum {
    WATERMARK_SHARE = 100, // of the pool's blocks
    DRAFTED_TOKENS = 11,   // of a step with drafts, at most: fewer than kernels/cpu calls many
};

_Static_assert((int)ENGINE_MAX_REQUESTS <= (int)SCHEDULER_MAX_REQUESTS, "the scheduler plans all");

// ---- what other requests compute

// Counts tokens that are found after the request's first step; note_found() counts the others.
static void set_cached(struct request *request, int32_t cached) {
    ASSERT(cached >= 0 && cached <= request->sequence->length);
    struct sequence *sequence = request->sequence;
    if (request->stepped_us)
        sequence->engine->request_work.device_hit_tokens += (uint64_t)(cached - sequence->cached);
    sequence->cached = cached;
}

// Adopts blocks that other requests have cached since: they need not be computed again.
static void adopt_cached(struct request *request) {
    struct sequence *sequence = request->sequence;
    ASSERT(sequence->cached <= sequence->length);
    if (sequence->length - sequence->cached <= 1) return;
    set_cached(request, grouped_cache_adopt(&sequence->engine->cache, &sequence->tables,
                                            sequence->tokens, sequence->length - 1));
}

// The end of the block that the sequence computes next. It always computes its last token itself.
static int32_t next_end(const struct sequence *sequence) {
    const int32_t size = sequence->engine->cache.block_size, last = sequence->length - 1;
    const int32_t end = (sequence->cached / size + 1) * size;
    return end < last ? end : last;
}

static bool share_prefix(const struct sequence *a, const struct sequence *b, int32_t length) {
    ASSERT(length >= 0);
    return a->length >= length && b->length >= length &&
           memcmp(a->tokens, b->tokens, (size_t)length * sizeof a->tokens[0]) == 0;
}

// Shares the other's blocks, including its tail, which is copied by the first of the two to write.
static void share_table(struct request *request, const struct sequence *other, int32_t length) {
    const struct grouped_cache *cache = &other->engine->cache;
    struct grouped_table *tables = &request->sequence->tables;
    ASSERT(request->sequence != other && length <= other->cached);
    grouped_table_drop(cache, tables, 0);
    grouped_table_fork(cache, &other->tables, length, tables);
    set_cached(request, length);
}

// The same where layers are recurrent: states are kept where prompts pause, a block before their
// end, and that is where prompts that begin alike wait for the first.
static bool follows_state(const struct request *request, const struct request *other,
                          int32_t *shared) {
    const struct sequence *a = request->sequence, *b = other->sequence;
    const int32_t size = a->engine->cache.block_size;
    const int32_t shortest = a->length < b->length ? a->length : b->length;
    const int32_t pause = (shortest - 1) / size * size;
    if (pause <= a->cached || !share_prefix(a, b, pause)) return false;
    *shared =
        grouped_table_last(&a->engine->cache, &b->tables, pause < b->cached ? pause : b->cached);
    return b->cached < pause && pause == (b->length - 1) / size * size;
}

// Is an earlier request computing the block that this one needs next? Then this one waits for it,
// or shares it if it is done. A request in the foreground does not wait for one in the background.
static bool follows(struct engine *engine, int32_t index) {
    ASSERT(index >= 0 && index < engine->request_count);
    struct request *request = engine->requests[index];
    const struct sequence *sequence = request->sequence;
    for (int32_t i = 0; i < index; i++) {
        const struct request *other = engine->requests[i];
        const int32_t end = next_end(sequence);
        if (end <= sequence->cached) return false;
        int32_t shared = 0;
        if (engine->cache.has_states) {
            if (other->state != REQUEST_RUNNING) continue;
            if (follows_state(request, other, &shared) &&
                (other->foreground || !request->foreground))
                return true;
            if (shared > sequence->cached) share_table(request, other->sequence, shared);
            continue;
        }
        if (other->state != REQUEST_RUNNING || !share_prefix(sequence, other->sequence, end))
            continue;
        if (other->sequence->cached >= end &&
            !grouped_table_reaches(&engine->cache, &other->sequence->tables, end))
            continue; // its windows have gone on
        if (other->sequence->cached >= end)
            share_table(request, other->sequence, end);
        else if (other->foreground || !request->foreground)
            return true;
    }
    return false;
}

// ---- what the scheduler is told

static int32_t own_blocks(const struct block_pool *pool, const struct block_table *table) {
    int32_t own = 0;
    for (int32_t i = table->first; i < table->count; i++)
        own += block_valid(table->blocks[i]) && block_pool_references(pool, table->blocks[i]) == 1;
    return own;
}

static struct scheduler_request describe_request(struct engine *engine, int32_t index) {
    ASSERT(index >= 0 && index < engine->request_count);
    struct request *request = engine->requests[index];
    const struct sequence *sequence = request->sequence;
    enum request_state state = request->state;
    if (state == REQUEST_RUNNING) {
        adopt_cached(request);
        if (follows(engine, index)) state = REQUEST_LOADING; // until the other one is done
    }
    const struct block_table *tables = sequence->tables.of;
    struct scheduler_request described = {.state = state,
                                          .foreground = request->foreground,
                                          .promoted = request->promoted,
                                          .cached = sequence->cached,
                                          .length = sequence->length,
                                          .prefilled = request->prefilled,
                                          .skipped = request->skipped,
                                          .blocks = tables[0].count};
    const struct state_points points =
        grouped_cache_points(&engine->cache, sequence->length, sequence->pinned_length);
    memcpy(described.pauses, points.at, sizeof described.pauses);
    for (int i = 0; i < engine->cache.count; i++) {
        described.copies.of[i] =
            (int32_t)block_cache_need(engine->cache.groups[i], &tables[i], tables[i].length);
        described.most.of[i] =
            grouped_cache_most_further(&engine->cache, &sequence->tables, i, engine->chunk_tokens);
    }
    return described;
}

// Blocks that let all active requests continue and the first waiting one be admitted.
static struct block_counts blocks_needed(const struct engine *engine,
                                         const struct scheduler_request *described,
                                         const struct block_counts *watermark) {
    struct block_counts blocks = {0};
    bool waits = false;
    for (int32_t i = 0; i < engine->request_count; i++) {
        const bool outside =
            described[i].state == REQUEST_WAITING || described[i].state == REQUEST_SWAPPED;
        if (outside && waits) continue;
        waits = waits || outside;
        const struct block_counts need =
            scheduler_need(&described[i], described[i].length + 1, engine->cache.block_size);
        for (int group = 0; group < engine->cache.count; group++)
            blocks.of[group] += need.of[group] + (outside ? watermark->of[group] : 0);
    }
    return blocks;
}

// As many tokens as fit the time that a step may take. Answers that a person reads wait for it.
static int32_t step_budget(const struct engine *engine, const struct scheduler_request *described) {
    int32_t decodes = 0;
    if (engine->step_tokens) return engine->step_tokens;
    for (int32_t i = 0; i < engine->request_count; i++)
        decodes += described[i].foreground && described[i].state == REQUEST_RUNNING &&
                   engine->requests[i]->stats.output_tokens > 0;
    const float decode_us = decodes > 0 ? row_cost_us(&engine->draft_record.cost, decodes) : 0;
    const struct scheduler_pace pace = {.tokens_per_us = engine->added_per_us,
                                        .base_us = engine->stream_us,
                                        .few = engine->few_tokens / engine->cache.block_size *
                                               engine->cache.block_size,
                                        .block_size = engine->cache.block_size,
                                        .least = STEP_LEAST_TOKENS,
                                        .most = engine->most_tokens};
    return scheduler_budget(&pace, scheduler_target_us(decodes, decode_us),
                            scheduler_limit_us(decodes));
}

static struct scheduler_limits gather_limits(struct engine *engine,
                                             struct scheduler_request *described) {
    struct scheduler_limits limits = {
        .step_tokens = step_budget(engine, described),
        .block_size = engine->cache.block_size,
    };
    const int groups = engine->cache.count;
    for (int i = 0; i < groups; i++) {
        const int32_t share = (int32_t)(engine->shapes[i].num_blocks / WATERMARK_SHARE);
        limits.watermark.of[i] = share > 0 ? share : 1;
        limits.swap_us += block_cache_swap_us(engine->cache.groups[i]);
    }
    if (engine->tokens_per_us > 0) limits.recompute_us = limits.block_size / engine->tokens_per_us;
    const struct block_counts needed = blocks_needed(engine, described, &limits.watermark);
    limits.free_blocks = pressure_gather(engine, needed);
    // What preempting a request would free matters only when blocks are short.
    if (!block_counts_fit(needed, limits.free_blocks))
        for (int32_t i = 0; i < engine->request_count * groups; i++)
            described[i / groups].own.of[i % groups] =
                own_blocks(block_cache_pool(engine->cache.groups[i % groups]),
                           &engine->requests[i / groups]->sequence->tables.of[i % groups]);
    return limits;
}

// ---- carrying out the plan

static void preempt(struct request *request, bool swap) {
    struct sequence *sequence = request->sequence;
    const bool inside = request->state == REQUEST_LOADING || request->state == REQUEST_RUNNING;
    if (!swap) grouped_cache_discard(&sequence->engine->cache, &sequence->tables);
    sequence_preempt(sequence);
    if (!inside) return; // it was waiting, and still is
    request->state = REQUEST_SWAPPED;
    trace_track_begin(request, "waiting");
    log_write(LOG_DEBUG, "preempted a request of %d tokens", sequence->length);
    sequence->engine->request_work.preempted_requests++;
}

static void admit(struct request *request) {
    trace_track_end(request, "waiting", 0);
    ASSERT(request->state == REQUEST_WAITING || request->state == REQUEST_SWAPPED);
    request->state = REQUEST_LOADING;
    if (!request->sequence->restoring.active) restoring_begin(request->sequence);
}

// Counts where the cached tokens were found, except the last, which is computed again.
static void note_found(struct request *request) {
    struct sequence *sequence = request->sequence;
    const struct restoring *restoring = &sequence->restoring;
    struct request_stats *stats = &request->stats;
    int64_t left = stats->cached_tokens = sequence->cached;
    stats->disk_tokens = restoring->tally.disk_tokens < left ? restoring->tally.disk_tokens : left;
    left -= stats->disk_tokens;
    stats->host_tokens = restoring->tally.host_tokens < left ? restoring->tally.host_tokens : left;
    stats->device_tokens = left - stats->host_tokens;
    stats->restore_us = restoring->spent_us;
    restoring_note(sequence, &(struct restore_tally){.device_tokens = (int32_t)stats->device_tokens,
                                                     .host_tokens = (int32_t)stats->host_tokens,
                                                     .disk_tokens = (int32_t)stats->disk_tokens});
}

// Writes draft tokens after the log's end, and returns how many: no more than fit the context, and
// a step of few tokens together with the `pending` ones, what is in the step already, and what the
// `left` chunks that follow bring.
//
// A processor's matrix unit gives other bits to many tokens than to few. Drafts never make the one
// the other, so an answer has the same bits with drafts and without.
//
// Where layers are recurrent, a step that may be undone ends with the block at the latest, so that
// the states after full blocks, which others can start from, are those of decoding one by one.
static int32_t draft_tokens(struct step *step, struct request *request, int32_t pending,
                            int32_t left) {
    ASSERT(pending > 0 && left >= 0 && step->rows < ENGINE_MAX_REQUESTS);
    struct sequence *sequence = request->sequence;
    const struct engine *engine = sequence->engine;
    const struct grouped_cache *cache = &engine->cache;
    const int32_t length = sequence->length, max_tokens = request->options.max_tokens;
    int32_t limit = DRAFTED_TOKENS - step->tokens - pending - step->planned;
    if (limit > engine->context - length - 1) limit = engine->context - length - 1;
    if (max_tokens > 0 && limit > max_tokens - request->stats.output_tokens - 1)
        limit = (int32_t)(max_tokens - request->stats.output_tokens - 1);
    const int32_t rest = cache->block_size - 1 - (length - 1) % cache->block_size;
    if (cache->has_states && limit > rest) limit = rest;
    const struct draft_log log = {sequence->tokens, length};
    struct draft_step with = {
        .rows = step->rows + 1 + left,
        .tokens = step->expected + (float)(1 + left),
        .limit = limit > 0 ? limit : 0,
        .pending = pending == 1,
        .replays = cache->has_states,
        .read_us = engine->tokens_per_us > 0 ? (float)(1 / engine->tokens_per_us) : 0};
    int32_t count = draft_propose(&request->draft, &log, &with, sequence->tokens + length);
    if (count > 0) step->expected = with.tokens - (float)(1 + left);
    return count;
}

static void add_chunk(struct step *step, struct request *request,
                      const struct scheduler_chunk *chunk, int32_t left) {
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    const int32_t end = chunk->first + chunk->count;
    ASSERT(step->count < ENGINE_MAX_REQUESTS && chunk->first == sequence->cached);
    step->planned -= chunk->count;
    ASSERT(step->planned >= 0);
    const bool decodes = chunk->last && request->stats.output_tokens > 0;
    int32_t drafted = decodes ? draft_tokens(step, request, chunk->count, left) : 0;
    if (drafted > 0) {
        grouped_table_keep(&engine->cache, &sequence->tables, &sequence->before);
        if (grouped_cache_grow(&engine->cache, &sequence->tables, end + drafted) != STATUS_OK) {
            grouped_table_confirm(&engine->cache, &sequence->before);
            draft_withdraw(&request->draft);
            drafted = 0;
        }
    }
    while (drafted == 0 && grouped_cache_grow(&engine->cache, &sequence->tables, end) != STATUS_OK)
        if (!pressure_preempt(engine, sequence)) return; // the next plan will see it
    if (!request->stepped_us) {
        request->stepped_us = clock_working_us();
        note_found(request);
    }
    step->chunks[step->count] = *chunk;
    step->drafted[step->count] = drafted;
    step->unknown[step->count] = drafted > 0 && draft_is_unknown(&request->draft);
    step->requests[step->count++] = request;
    step->tokens += chunk->count + drafted;
    step->rows += chunk->last ? 1 + drafted : 0;
    step->expected += chunk->last;
}

static void carry_out(struct engine *engine, const struct scheduler_plan *plan, struct step *step) {
    ASSERT(plan->chunk_count <= engine->request_count);
    for (int32_t i = 0; i < plan->preempted_count; i++)
        preempt(engine->requests[plan->preempted[i]], plan->swap);
    for (int32_t i = 0; i < plan->admitted_count; i++)
        admit(engine->requests[plan->admitted[i]]);
    step->planned = plan->tokens;
    // An admitted request may be ready for this very step, so the step is planned again.
    for (int32_t i = 0; i < plan->chunk_count && plan->admitted_count == 0; i++)
        add_chunk(step, engine->requests[plan->chunks[i].request], &plan->chunks[i],
                  plan->chunk_count - i - 1);
    if (plan->refused >= 0)
        request_finish(engine->requests[plan->refused], STOP_REASON_FAILED, STATUS_FULL);
}

bool planner_plan(struct engine *engine, struct step *step) {
    struct scheduler_request described[ENGINE_MAX_REQUESTS];
    struct scheduler_plan plan;
    const int32_t count = engine->request_count;
    struct trace_span span = trace_begin("plan");
    step->count = step->tokens = step->rows = 0;
    step->expected = 0;
    for (int32_t i = 0; i < count; i++)
        described[i] = describe_request(engine, i);
    const struct scheduler_limits limits = gather_limits(engine, described);
    scheduler_plan(described, count, &limits, &plan);
    if (plan.admitted_count == 0 && plan.chunk_count > 0) {
        scheduler_note(described, count, &plan);
        for (int32_t i = 0; i < count; i++) {
            struct request *kept = engine->requests[i];
            kept->prefilled = described[i].prefilled;
            kept->skipped = described[i].skipped;
            kept->promoted = described[i].promoted;
        }
    }
    carry_out(engine, &plan, step);
    span.tokens = step->tokens;
    trace_end(&span);
    return step->count > 0 || plan.admitted_count > 0 || plan.preempted_count > 0 ||
           plan.refused >= 0;
}
