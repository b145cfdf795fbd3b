// engine/opening.h — the steps in which an engine is opened, and what they pass on.
//
// engine_open() takes them in this order; engine_predict() takes those before the weights:
//
//   choose_device ─► find_model ─► open_adapters ─► open_drafter ─► place_weights ─►
//   load_model ─► choose_pool ─► check_attention ─► alloc_memory ─► open_cache
//
// What a step opened, the engine owns: engine_close() releases it, however far the opening came.
// Only the adapters' files are closed when the opening ends. A step that fails says why in
// opening->err. Private to opening.c and the sources of the steps.
#ifndef ENGINE_OPENING_H
#define ENGINE_OPENING_H

#include "engine/core/engine_state.h"
#include "engine/engine_options.h"
#include "engine/model/adapter.h"
#include "engine/model/placement_need.h"
#include "engine/model/shape.h"
#include "kernels/offload.h"

struct opening {
    struct engine *engine;
    const struct engine_options *options;
    const struct shape *shape; // NULL: a file
    struct shape found;        // what it points to
    bool is_placed;            // by quire, and the device was there to be asked
    int32_t attempt;           // 0; more: memory got short after weights had been placed
    size_t kv_bytes;           // of the pool, where weights were placed by it; 0: pool.c decides
    struct offload_memory offload; // where some are in host memory
    struct adapters adapters;      // owned until the opening ends
    struct error *err;
};

static inline bool opening_is_card(struct engine *engine, struct device_info *info) {
    engine->backend->info(engine->device, info);
    return info->threads == 0;
}

// ---- opening_device.c: what computes, and where do the weights live?

MUST_CHECK enum status opening_choose_device(struct opening *opening);

// Before anything is copied to a card. If it cannot run the model, that is an error, or the
// processor computes if the choice was left to us.
MUST_CHECK enum status opening_place_weights(struct opening *opening);

// ---- opening_model.c: which model, and what is in it?

MUST_CHECK enum status opening_find_model(struct opening *opening); // before its weights are read
MUST_CHECK enum status opening_open_adapters(struct opening *opening);

// As a card holds them, with their adapters, and the rank of these.
MUST_CHECK enum status opening_count_weights(const struct opening *opening,
                                             struct placement_need *need);
MUST_CHECK enum status opening_load_model(struct opening *opening);

// ---- opening_drafter.c: which smaller model drafts, and what does it take?

// Its engine is opened before weights are placed, so that what it takes is no longer free.
// UNSUPPORTED: its ids mean other tokens.
struct engine_options opening_drafter_options(const struct opening *opening);
MUST_CHECK enum status opening_check_drafter(const struct opening *opening);
size_t opening_drafter_bytes(const struct engine *engine); // of the device, that its drafter took

// Of an engine that is opened to draft: the KV that its pool gets for this context.
size_t opening_drafter_kv_bytes(const struct opening *opening, int32_t context);

// ---- opening_cache.c: of what form is the KV cache, and how large? Then the cache itself.

MUST_CHECK enum status opening_choose_shapes(struct opening *opening); // before weights are placed
MUST_CHECK enum status opening_choose_pool(struct opening *opening);
MUST_CHECK enum status opening_check_attention(struct opening *opening); // of heads and context
MUST_CHECK enum status opening_check_cache(struct opening *opening);  // is there memory behind it?
MUST_CHECK enum status opening_alloc_memory(struct opening *opening); // buffers of a step, too
MUST_CHECK enum status opening_open_cache(struct opening *opening);

#endif
