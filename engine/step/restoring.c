// engine/step/restoring.c — brings what the cache has of a sequence to the device.
//
// A restore belongs to a sequence rather than to a request: it begins when a conversation is
// opened, before anybody has asked anything. The engine's thread calls restoring_advance() in every
// iteration of its loop, so blocks arrive while other requests compute.
//
// The plan (grouped_cache_plan) sets a target length. It is only a guess, since blocks may be
// evicted or found damaged meanwhile. Then plan_again() plans from what has arrived, but only
// towards a smaller target, so this ends. If nothing arrives for io_deadline_us, the disk is taken
// to be dead, and the rest is computed. In any case the tables end at a length from which the
// sequence can continue (grouped_cache_settle).
#include "engine/step/restoring.h"

#include <errno.h>

#include "engine/core/sequence_state.h"
#include "engine/step/pressure.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/trace.h"

static double us_per_token(const struct engine *engine) {
    if (engine->tokens_per_us > 0) return 1 / engine->tokens_per_us;
    return block_cache_prefill_speed(engine->cache.groups[0]);
}

// What the device has enters the tables; a plan for the rest.
static void look_up(struct sequence *sequence) {
    struct engine *engine = sequence->engine;
    struct restoring *restoring = &sequence->restoring;
    sequence->cached =
        grouped_cache_adopt(&engine->cache, &sequence->tables, sequence->tokens, sequence->length);
    grouped_cache_plan(&engine->cache, &sequence->tables, sequence->tokens, sequence->length,
                       engine->kv_restore, us_per_token(engine), &restoring->plan);
    restoring->target = restoring->plan.target;
}

void restoring_begin(struct sequence *sequence) {
    struct engine *engine = sequence->engine;
    struct restoring *restoring = &sequence->restoring;
    ASSERT(!restoring->active);
    sequence->used_us = clock_now_us();
    look_up(sequence);
    if (restoring->plan.lost_tokens > 0)
        log_write(LOG_DEBUG,
                  "recomputing %d tokens: layers with a window are missing what came before",
                  restoring->plan.lost_tokens);
    if (restoring->target <= sequence->cached) return;
    restoring->active = true;
    restoring->began_us = restoring->progress_us = sequence->used_us;
    engine->restoring_count++;
    trace_track_begin(restoring, "restore");
    log_write(LOG_DEBUG, "restoring %d of %d tokens: %.1f ms expected, %.1f ms to recompute",
              restoring->target - sequence->cached, sequence->length,
              (double)restoring->plan.restore_us / 1e3, (double)restoring->plan.prefill_us / 1e3);
    pthread_cond_signal(&engine->work);
}

static uint64_t rest(int32_t found, int32_t *noted) {
    const int32_t more = found > *noted ? found - *noted : 0;
    *noted += more;
    return (uint64_t)more;
}

void restoring_note(struct sequence *sequence, const struct restore_tally *found) {
    struct restore_tally *noted = &sequence->restoring.noted;
    struct kv_work *all = &sequence->engine->request_work;
    all->device_hit_tokens += rest(found->device_tokens, &noted->device_tokens);
    all->host_hit_tokens += rest(found->host_tokens, &noted->host_tokens);
    all->disk_hit_tokens += rest(found->disk_tokens, &noted->disk_tokens);
}

// Has the disk stopped answering? Then the rest is computed instead.
static bool is_too_late(const struct sequence *sequence, int64_t now_us) {
    ASSERT(sequence->restoring.active);
    return now_us - sequence->restoring.progress_us > sequence->engine->io_deadline_us;
}

// Of all tables together: grows while something arrives.
static int32_t arrived_tokens(const struct sequence *sequence) {
    int32_t tokens = 0;
    for (int i = 0; i < sequence->engine->cache.count; i++)
        tokens += sequence->tables.of[i].length;
    return tokens;
}

// A block that was counted on is gone: plans what the tables can reach without it. False: there is
// nothing more to bring.
static bool plan_again(struct sequence *sequence) {
    const int32_t target = sequence->restoring.target;
    if (sequence->cached == target) return false;
    sequence->cached = grouped_cache_settle(&sequence->engine->cache, &sequence->tables);
    look_up(sequence);
    return sequence->cached < sequence->restoring.target && sequence->restoring.target < target;
}

void restoring_advance(struct sequence *sequence) {
    struct engine *engine = sequence->engine;
    struct restoring *restoring = &sequence->restoring;
    const int32_t before = arrived_tokens(sequence);
    enum restore_outcome outcome;
    ASSERT(restoring->active && restoring->target <= sequence->length);
    do
        outcome = grouped_cache_restore(&engine->cache, &sequence->tables, sequence->tokens,
                                        restoring->target, &restoring->tally);
    while (outcome == RESTORE_FULL && pressure_preempt(engine, sequence));
    sequence->cached = grouped_cache_usable(&engine->cache, &sequence->tables);
    const int64_t now = clock_now_us();
    if (outcome == RESTORE_DONE && plan_again(sequence)) return;
    if (arrived_tokens(sequence) > before) restoring->progress_us = now;
    const bool late = outcome == RESTORE_WAITS && is_too_late(sequence, now);
    if (late)
        log_write(LOG_WARNING,
                  "the disk with the KV cache did not respond for %.1f s: recomputing %d tokens",
                  (double)engine->io_deadline_us / 1e6, restoring->target - sequence->cached);
    if (outcome == RESTORE_WAITS && !late) return;
    sequence_stop_restoring(sequence);
    sequence->cached =
        grouped_cache_adopt(&engine->cache, &sequence->tables, sequence->tokens, sequence->length);
}

static struct restore_report report_on(const struct sequence *sequence) {
    const struct restoring *restoring = &sequence->restoring;
    const int32_t other = restoring->tally.host_tokens + restoring->tally.disk_tokens;
    const int64_t now = restoring->active ? clock_now_us() - restoring->began_us : 0;
    return (struct restore_report){
        .length = sequence->length,
        .device_tokens = sequence->cached > other ? sequence->cached - other : 0,
        .host_tokens = restoring->tally.host_tokens,
        .disk_tokens = restoring->tally.disk_tokens,
        .left_tokens = restoring->plan.left_tokens,
        .lost_tokens = restoring->plan.lost_tokens,
        .restore_us = restoring->spent_us + now,
        .prefill_us =
            (int64_t)(us_per_token(sequence->engine) *
                      (sequence->cached > 0 ? sequence->cached : restoring->plan.left_tokens)),
        .left_restore_us = restoring->plan.left_us,
        .lost_us = (int64_t)(us_per_token(sequence->engine) * restoring->plan.lost_tokens),
        .done = !restoring->active,
    };
}

void sequence_restore(struct sequence *sequence, int timeout_ms, struct restore_report *report) {
    struct engine *engine = sequence->engine;
    const struct timespec until = clock_deadline(timeout_ms);
    if (engine->remote) {
        *report = (struct restore_report){.done = true}; // there is nothing to restore
        return;
    }
    pthread_mutex_lock(&engine->lock);
    ASSERT(!sequence->running);
    if (!sequence->restoring.active) restoring_begin(sequence);
    while (sequence->restoring.active && timeout_ms > 0)
        if (pthread_cond_timedwait(&engine->settled, &engine->lock, &until) == ETIMEDOUT) break;
    *report = report_on(sequence);
    restoring_note(sequence, &(struct restore_tally){.device_tokens = report->device_tokens,
                                                     .host_tokens = report->host_tokens,
                                                     .disk_tokens = report->disk_tokens});
    pthread_mutex_unlock(&engine->lock);
}
