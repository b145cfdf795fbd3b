// engine/kv/lending.c — slabs of whole blocks.
//
// A block is lent only if a slab's worth and a share of the pool stay FREE behind it. What is taken
// back is therefore used before it could be lent again, and slabs do not go back and forth.
#include "engine/kv/lending.h"

#include "kernels/base/assert.h"
#include "kernels/offload.h"

enum { FREE_SHARE = 16 }; // of the pool, that stays FREE

void lending_init(struct lending *lending, struct device *device, const struct kv_cache *cache,
                  struct block_pool *pool) {
    const size_t slab_bytes = offload_slab_bytes(device), block_bytes = kv_block_bytes(cache);
    const size_t blocks = (slab_bytes + block_bytes - 1) / block_bytes;
    *lending = (struct lending){.device = device,
                                .pool = pool,
                                .data = cache->data,
                                .block_bytes = block_bytes,
                                .slab_blocks = blocks < cache->num_blocks ? (uint32_t)blocks : 0};
}

static uint32_t free_before(const struct lending *lending) {
    return 2 * lending->slab_blocks + block_pool_total(lending->pool) / FREE_SHARE;
}

void lending_lend(struct lending *lending) {
    const uint32_t blocks = lending->slab_blocks;
    if (blocks == 0) return;
    const uint32_t total = block_pool_total(lending->pool);
    if (lending->quiet_steps < LENDING_QUIET_STEPS) lending->quiet_steps++;
    while (block_pool_free(lending->pool) >= free_before(lending)) {
        if (!block_pool_lend(lending->pool, blocks)) return;
        const uint32_t first = total - block_pool_lent(lending->pool);
        if (offload_lend(lending->device, lending->data + first * lending->block_bytes)) continue;
        block_pool_take_back(lending->pool, blocks);
        return;
    }
}

bool lending_wishes(struct lending *lending, struct lending_wish *wish) {
    if (lending->slab_blocks == 0 || lending->quiet_steps < LENDING_QUIET_STEPS) return false;
    const uint32_t end = block_pool_total(lending->pool) - block_pool_lent(lending->pool);
    lending->quiet_steps = 0;
    if (end < free_before(lending) || !offload_wants_slab(lending->device)) return false;
    *wish = (struct lending_wish){
        .first = end - lending->slab_blocks,
        .count = lending->slab_blocks,
        .free = free_before(lending),
    };
    return true;
}

bool lending_take_back(struct lending *lending) {
    if (lending->slab_blocks == 0 || block_pool_lent(lending->pool) == 0) return false;
    lending->quiet_steps = 0;
    offload_take_back(lending->device);
    block_pool_take_back(lending->pool, lending->slab_blocks);
    return true;
}
