// engine/pool.h — how many blocks does the device's pool have of each group of layers?
#ifndef ENGINE_POOL_H
#define ENGINE_POOL_H

#include "engine/engine_options.h"

struct engine;

// Before weights are placed or read: BAD_INPUT if nobody may ask for this context. A model that
// drafts takes what it can of another's.
MUST_CHECK enum status pool_check_context(const struct engine *engine,
                                          const struct engine_options *options, struct error *err);

// Chooses the size of the pool, then the longest context that it can hold.
MUST_CHECK enum status pool_choose(struct engine *engine, const struct engine_options *options,
                                   struct error *err);
size_t pool_bytes(const struct engine *engine, int group);
size_t pool_all_bytes(const struct engine *engine); // of all groups

// Of weights that are read where their file is mapped, a drafter's among them. The system counts
// what it has read of a file as free memory.
size_t pool_mapped_bytes(const struct engine *engine);

// Before it is chosen: of a sequence as long as the context, and what kv_device_bytes comes to with
// the windows and states of its sequences.
size_t pool_context_bytes(const struct engine *engine, int32_t context);
size_t pool_asked_bytes(const struct engine *engine, const struct engine_options *options);

// The bytes of group 0's blocks in a pool of `bytes` altogether.
size_t pool_first_group_bytes(struct engine *engine, const struct engine_options *options,
                              size_t bytes);

size_t pool_state_bytes(const struct engine *engine);    // as engine_info says, as does the next
size_t pool_sequence_bytes(const struct engine *engine); //

#endif
