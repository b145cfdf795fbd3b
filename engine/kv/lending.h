// engine/kv/lending.h — which free blocks of the KV cache hold copies of experts meanwhile?
//
// A conversation that begins needs little of the cache's memory. Where experts are in host memory,
// the rest of it serves as slots for copies of them (kernels/offload.h), a slab at a time from the
// end of the pool. Once the cache needs blocks, slabs go back to it before anything is evicted, and
// before anybody is preempted or refused; and when blocks get free, they are lent again. So a cache
// is as large with copies of experts as without.
//
// What is CACHED is never given up for slots.
//
// Threads: with the engine's lock, on the thread that owns the device, between two steps.
#ifndef ENGINE_LENDING_H
#define ENGINE_LENDING_H

#include "engine/kv/block_pool.h"
#include "kernels/kv_cache.h"

struct device;

struct lending {           // {0}: nothing is lent
    struct device *device; // of offload.h, borrowed, as is the next
    struct block_pool *pool;
    char *data; // of the pool's blocks
    size_t block_bytes;
    uint32_t slab_blocks; // 0: the device has no use for any
};

void lending_init(struct lending *lending, struct device *device, const struct kv_cache *cache,
                  struct block_pool *pool);

// Lends slabs as long as blocks stay FREE for what comes next.
void lending_lend(const struct lending *lending);

// Takes back the slab that was lent last: its blocks are FREE. False: nothing is lent.
bool lending_take_back(const struct lending *lending);

#endif
