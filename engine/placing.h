// engine/placing.h — where will the weights of the model that is being opened live?
//
// Collects from the device, the file and the options what engine/model/placement.h needs to know:
// how much memory there is; how much the weights, the KV cache of the wanted context and the
// buffers take; and how fast card, processor and link are, which is measured unless the options say
// it.
#ifndef ENGINE_PLACING_H
#define ENGINE_PLACING_H

#include "engine/engine_options.h"
#include "engine/model/forward.h"
#include "engine/model/placement.h"
#include "kernels/offload.h"

struct engine;

enum { PLACING_ATTEMPTS = 3 };

struct placing {
    int32_t attempt; // in: below PLACING_ATTEMPTS; after two failures, memory is left unused
    struct placement_need need; // in: what random weights, or the file's, take on the card
    struct placement placement;
    struct offload_memory memory; // if weights are in host memory
    int32_t stream_us;            // how long all of them take to cross
    int32_t few_tokens;           // nothing crosses in a step of up to so many tokens
    size_t kv_bytes; // of the pool; 0: options and free memory decide, as on a processor
};

// Can the model have weights in two places? Only with a card, or a device that stands in for one.
bool placing_applies(struct engine *engine, const struct engine_options *options);

// Fills the rest of *placing from the weights in `need` and the attempt. The engine must have its
// backend, the model's configuration, and the shapes of its caches. NO_MEMORY: as placement_plan().
MUST_CHECK enum status placing_choose(struct engine *engine, const struct engine_options *options,
                                      struct placing *placing, struct error *err);

size_t placing_host_memory(void); // bytes that are available; 0: unknown

// Sets how many tokens a step of the engine, and one sequence in it, can have at most: as the
// options say, but no more than most_tokens. If memory is short, a plan lowers that.
void placing_set_step(struct engine *engine, const struct engine_options *options,
                      int32_t most_tokens);

// The largest step that an engine can take; its buffers are sized for that.
struct forward_limits placing_forward_limits(const struct engine *engine, int32_t context);

#endif
