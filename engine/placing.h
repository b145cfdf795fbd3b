// engine/placing.h — where will the weights of the model that is being opened live?
//
// Asks the device, the file and the options what engine/model/placement.h wants to know: the memory
// there is, what the weights, the KV cache of the wanted context and the buffers take, and how fast
// card, processor and link are, which is measured where the options do not say it.
#ifndef ENGINE_PLACING_H
#define ENGINE_PLACING_H

#include "engine/engine_options.h"
#include "engine/model/forward.h"
#include "engine/model/placement.h"
#include "kernels/offload.h"

struct engine;

enum { PLACING_ATTEMPTS = 3 };

struct placing {
    int32_t attempt; // below PLACING_ATTEMPTS; after two failures the plan leaves memory unused
    struct placement_need need; // with what random weights, or the file, take on the card
    struct placement placement;
    struct offload_memory memory; // for weights in host memory
    int32_t stream_us;            // that all of them take to cross
    int32_t few_tokens;           // of a step in which nothing crosses
    size_t kv_bytes; // of the pool; 0: the options and the free memory say it, as on a processor
};

// May the model have weights in two places? A card, or a device that is told to be one.
bool placing_applies(struct engine *engine, const struct engine_options *options);

// Fills the rest from need's weights and the attempt. The engine has its backend, the model's
// configuration, and the shapes of its caches. NO_MEMORY: as placement_plan() says.
MUST_CHECK enum status placing_choose(struct engine *engine, const struct engine_options *options,
                                      struct placing *placing, struct error *err);

size_t placing_host_memory(void); // bytes that are available; 0: unknown

// How many tokens a step of the engine has at most, and one sequence in it: what the options want
// of this many. Where memory is short, a plan has fewer.
void placing_set_step(struct engine *engine, const struct engine_options *options,
                      int32_t most_tokens);

// The largest steps of an engine, whose buffers are counted.
struct forward_limits placing_forward_limits(const struct engine *engine, int32_t context);

#endif
