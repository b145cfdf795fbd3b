// engine/kv/lending.h — which free blocks of the KV cache hold copies of experts for now?
//
// A new conversation needs little of the cache's memory. If experts are in host memory, the rest of
// it serves as slots for copies of them (kernels/offload.h), a slab at a time from the end of the
// pool. When the cache needs blocks, slabs return to it before anything is evicted, and before any
// sequence is preempted or refused. When blocks become free, they are lent again. So the cache is
// as large with copies of experts as without.
//
// Once a cache has been full it has no FREE blocks any more, although most CACHED blocks are needed
// late or never. So when LENDING_QUIET_STEPS have passed without a slab returning, the blocks that
// were released longest ago move to host memory, unless something that is not on the disk would be
// lost there, and CACHED blocks at the end of the pool move to other places
// (block_cache_give_up()). What has moved to the host comes back within milliseconds. Nothing is
// lost for a slab.
//
// Threads: with the engine's lock, on the thread that owns the device, between two steps.
#ifndef ENGINE_LENDING_H
#define ENGINE_LENDING_H

#include "engine/kv/block_pool.h"
#include "kernels/kv_cache.h"

struct device;

enum { LENDING_QUIET_STEPS = 64 };

struct lending {           // {0}: nothing is lent
    struct device *device; // of offload.h, borrowed, as is the next
    struct block_pool *pool;
    char *data; // of the pool's blocks
    size_t block_bytes;
    uint32_t slab_blocks; // 0: the device has no use for any
    int32_t quiet_steps;  // since the last slab went back, or was asked for
};

struct lending_wish {      // for one more slab
    uint32_t first, count; // these blocks have to become FREE
    uint32_t free;         // and so many altogether
};

void lending_init(struct lending *lending, struct device *device, const struct kv_cache *cache,
                  struct block_pool *pool);

// Call it once a step: lends slabs as long as enough blocks stay FREE for what comes next.
void lending_lend(struct lending *lending);

// After lending_lend(): is it time to make space for another slab? *wish: which blocks that takes.
bool lending_wishes(struct lending *lending, struct lending_wish *wish);

// Takes back the slab that was lent last: its blocks are FREE. False: nothing is lent.
bool lending_take_back(struct lending *lending);

#endif
