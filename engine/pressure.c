// engine/pressure.c — who gives blocks up when there are too few.
//
// Blocks that nobody holds go first (block_cache.h says in which order). Then idle sequences are
// parked, the one used longest ago first: their tokens stay, and their blocks can be found again
// on the device, in host memory or on the disk. Then running requests have to wait, the newest
// first, so that the oldest always goes on.
#include "engine/base/assert.h"
#include "engine/internal.h"

void pressure_park(struct sequence *sequence) {
    struct block_cache *cache = sequence->engine->cache;
    if (sequence->restoring.active) restoring_stop(sequence);
    block_cache_pin(cache, &sequence->table, sequence->head);
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

bool pressure_make_room(struct engine *engine, uint32_t blocks, const struct sequence *self) {
    while (!block_cache_make_room(engine->cache, blocks)) {
        struct sequence *idle = idle_longest(engine, self);
        if (!idle) return false;
        pressure_park(idle);
    }
    return true;
}

void pressure_wait(struct request *request) {
    pressure_park(request->sequence);
    request->phase = PHASE_WAITING;
    request->sequence->engine->preempted_requests++;
}

bool pressure_preempt(struct engine *engine, int32_t index) {
    for (int32_t i = engine->request_count - 1; i > index; i--) {
        struct request *request = engine->requests[i];
        if (request->phase == PHASE_WAITING || request->sequence->table.count == 0) continue;
        pressure_wait(request);
        return true;
    }
    return false;
}

// Blocks that waiting requests may count on without taking any from a running one.
static uint32_t room_without_harm(const struct engine *engine) {
    uint32_t room = block_cache_room(engine->cache);
    for (const struct sequence *s = engine->sequences; s; s = s->next)
        if (!s->running) room += (uint32_t)s->table.count; // shared ones count more than once:
    return room;                                           // whoever is let in may wait again
}

static bool has_active(const struct engine *engine) {
    for (int32_t i = 0; i < engine->request_count; i++)
        if (engine->requests[i]->phase != PHASE_WAITING) return true;
    return false;
}

void pressure_resume(struct engine *engine) {
    for (int32_t i = 0; i < engine->request_count; i++) {
        struct request *request = engine->requests[i];
        const struct sequence *sequence = request->sequence;
        if (request->phase != PHASE_WAITING) continue;
        const uint32_t need = (uint32_t)(sequence->length / engine->shape.block_size) + 2;
        if (has_active(engine) && need > room_without_harm(engine)) return; // none overtakes
        request->phase = PHASE_RESTORING;
        restoring_begin(request->sequence);
    }
}
