// engine/step/pressure.c — idle sequences give up blocks for running ones.
//
// Blocks without references go first (block_cache.h says in which order). Then idle sequences are
// preempted, the one used longest ago first: their tokens stay, and their blocks can be found again
// on the device, in host memory or on disk. Only after that must requests wait: scheduler.h.
#include "engine/internal.h"
#include "kernels/base/assert.h"

void pressure_preempt(struct sequence *sequence) {
    struct block_cache *cache = sequence->engine->cache;
    ASSERT(sequence->pinned_length >= 0);
    if (sequence->restoring.active) restoring_stop(sequence);
    block_cache_pin(cache, &sequence->table, sequence->pinned_length);
    block_cache_truncate(cache, &sequence->table, sequence->tokens, 0);
    sequence->cached = 0;
}

static struct sequence *idle_longest(struct engine *engine, const struct sequence *self) {
    struct sequence *found = NULL;
    for (struct sequence *s = engine->sequences; s; s = s->next)
        if (!s->running && s != self && s->table.count > 0 &&
            (!found || s->used_us < found->used_us))
            found = s;
    return found;
}

bool pressure_free_blocks(struct engine *engine, uint32_t blocks, const struct sequence *self) {
    while (!block_cache_make_free(engine->cache, blocks)) {
        struct sequence *idle = idle_longest(engine, self);
        if (!idle) return false;
        pressure_preempt(idle);
    }
    return true;
}

uint32_t pressure_gather(struct engine *engine, uint32_t blocks) {
    struct sequence *idle;
    while (block_cache_available(engine->cache) < blocks && (idle = idle_longest(engine, NULL)))
        pressure_preempt(idle);
    return block_cache_available(engine->cache);
}
