// engine/step/pressure.h — which idle sequences give up blocks for running ones?
//
// The caller holds the engine's lock.
#ifndef ENGINE_STEP_PRESSURE_H
#define ENGINE_STEP_PRESSURE_H

#include "engine/kv/grouped_cache.h"

struct engine;
struct sequence;

// Preempts the idle sequence that was used longest ago, for `self`, or for whoever comes: NULL.
// False: no such sequence. On the engine's thread.
bool pressure_preempt(struct engine *engine, const struct sequence *self);

// Preempts idle sequences until so many blocks are free or evictable, or no idle sequence is left.
// Returns how many blocks are.
struct block_counts pressure_gather(struct engine *engine, struct block_counts blocks);

#endif
