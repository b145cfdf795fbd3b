// engine/pool.h — how many blocks does the device's pool have of each group of layers?
#ifndef ENGINE_POOL_H
#define ENGINE_POOL_H

#include "engine/engine_options.h"

struct engine;

// Call it before weights are placed or read. BAD_INPUT: this model cannot have the context that the
// options ask for. A model that drafts may be asked for too much: its pool shortens the context.
MUST_CHECK enum status pool_check_context(const struct engine *engine,
                                          const struct engine_options *options, struct error *err);

// Chooses the size of the pool, then the longest context that it can hold.
MUST_CHECK enum status pool_choose(struct engine *engine, const struct engine_options *options,
                                   struct error *err);
size_t pool_bytes(const struct engine *engine, int group);
size_t pool_all_bytes(const struct engine *engine); // of all groups

// The bytes of weights that are read where their file is mapped, including a drafter's. The system
// counts what it has read of a file as free memory.
size_t pool_mapped_bytes(const struct engine *engine);

// Call these before the pool is chosen: the bytes of a sequence as long as the context, and the
// bytes that the options ask for, with the windows and states of their sequences.
size_t pool_context_bytes(const struct engine *engine, int32_t context);
size_t pool_asked_bytes(const struct engine *engine, const struct engine_options *options);

// How many bytes of a pool of `bytes` are group 0's.
size_t pool_first_group_bytes(struct engine *engine, const struct engine_options *options,
                              size_t bytes);

size_t pool_state_bytes(const struct engine *engine);    // as engine_info says, as does the next
size_t pool_sequence_bytes(const struct engine *engine); //

#endif
