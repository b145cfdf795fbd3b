// engine/step/pressure.c — idle sequences give up blocks for running ones.
//
// Blocks without references go first (block_pool.h says in which order). Then idle sequences are
// preempted, the one used longest ago first: they keep their tokens, and their blocks can be found
// again on the device, in host memory or on disk. Only after that must requests wait (scheduler.h).
#include "engine/step/pressure.h"

#include "engine/core/sequence_state.h"
#include "kernels/base/assert.h"

bool pressure_preempt(struct engine *engine, const struct sequence *self) {
    struct sequence *found = NULL;
    ASSERT(!self || self->engine == engine);
    for (struct sequence *s = engine->sequences; s; s = s->next)
        if (!s->running && s != self && s->tables.of[0].count > 0 &&
            (!found || s->used_us < found->used_us))
            found = s;
    if (found) sequence_preempt(found);
    return found != NULL;
}

struct block_counts pressure_gather(struct engine *engine, struct block_counts blocks) {
    const struct grouped_cache *cache = &engine->cache;
    while (!block_counts_fit(blocks, grouped_cache_available(cache)) &&
           pressure_preempt(engine, NULL))
        continue;
    return grouped_cache_available(cache);
}
