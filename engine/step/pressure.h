// engine/step/pressure.h — which idle sequences give up blocks for running ones?
//
// All with the lock held.
#ifndef ENGINE_STEP_PRESSURE_H
#define ENGINE_STEP_PRESSURE_H

#include "engine/kv/grouped_cache.h"

struct engine;
struct sequence;

// Makes blocks FREE for `self`: by eviction, then by preempting idle sequences, the one used
// longest ago first. False if there are too few. On the engine's thread.
bool pressure_free_blocks(struct engine *engine, struct block_counts blocks,
                          const struct sequence *self);

// Preempts idle sequences until this many blocks are free or evictable, or no idle sequence is
// left. Returns how many are.
struct block_counts pressure_gather(struct engine *engine, struct block_counts blocks);

#endif
