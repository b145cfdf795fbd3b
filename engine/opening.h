// engine/opening.h — the steps that open an engine, and the state that they share.
//
// engine_open() takes the steps in this order:
//
//   choose_device ─► find_model ─► open_adapters ─► open_drafter ─► place_weights ─►
//   load_model ─► choose_pool ─► check_attention ─► alloc_memory ─► open_cache
//
// engine_predict() stops before load_model, and then only sizes the cache: choose_pool,
// check_cache. An engine for a server (engine/remote) takes none of them.
//
// The engine owns what a step opens, and engine_close() releases it, however far the opening came.
// Only the adapters' files are closed as soon as the opening ends. A step that fails says why in
// opening->err, but for a lack of memory. Private to opening.c and opening_*.c.
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
    const struct shape *shape; // random weights; NULL: a file
    struct shape found;        // what it points to
    enum dtype shape_type;     // of the random weights
    bool is_placed;            // quire chose where weights live, so it may choose again
    int32_t attempt;           // 0 at first; one more each time that memory ran short afterwards
    size_t kv_bytes;           // of the pool, as the placement counted it; 0: pool.c decides
    struct offload_memory offload; // if some weights are in host memory
    struct adapters adapters;      // owned until the opening ends
    struct error *err;
};

static inline bool opening_is_card(struct engine *engine, struct device_info *info) {
    engine->backend->info(engine->device, info);
    return info->threads == 0;
}

// ---- opening_device.c: what computes, and where do the weights live?

MUST_CHECK enum status opening_choose_device(struct opening *opening);

// Runs before anything is copied to a card. If the card cannot run the model, the processor takes
// over; if the user chose the card, that is an error.
MUST_CHECK enum status opening_place_weights(struct opening *opening);

// ---- opening_model.c: which model, and what is in it?

MUST_CHECK enum status opening_find_model(struct opening *opening);    // reads no weights yet
MUST_CHECK enum status opening_open_adapters(struct opening *opening); // and checks them

// Counts the bytes of weights and adapters as a card holds them.
MUST_CHECK enum status opening_count_weights(const struct opening *opening,
                                             struct placement_need *need, struct error *err);
MUST_CHECK enum status opening_load_model(struct opening *opening);

// ---- opening_drafter.c: which smaller model drafts, and what does it take?

// The drafter's engine is opened before weights are placed, so that what it takes is no longer
// counted as free. opening_check_drafter(): UNSUPPORTED if its ids mean other tokens.
struct engine_options opening_drafter_options(const struct opening *opening);
MUST_CHECK enum status opening_check_drafter(const struct opening *opening);
size_t opening_drafter_bytes(const struct engine *engine); // on the device; 0: no drafter

// How much KV the engine that is being opened gets for this context if it is a drafter.
size_t opening_drafter_kv_bytes(const struct opening *opening, int32_t context);

// ---- opening_cache.c: what form and size does the KV cache have?

MUST_CHECK enum status opening_choose_shapes(struct opening *opening); // by place_weights
MUST_CHECK enum status opening_choose_pool(struct opening *opening);
MUST_CHECK enum status opening_check_attention(struct opening *opening); // heads and context
MUST_CHECK enum status opening_check_cache(struct opening *opening);  // is there memory behind it?
MUST_CHECK enum status opening_alloc_memory(struct opening *opening); // and a step's buffers
MUST_CHECK enum status opening_open_cache(struct opening *opening);

#endif
