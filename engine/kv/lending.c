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

void lending_lend(const struct lending *lending) {
    const uint32_t blocks = lending->slab_blocks;
    if (blocks == 0) return;
    const uint32_t total = block_pool_total(lending->pool);
    while (block_pool_free(lending->pool) >= 2 * blocks + total / FREE_SHARE) {
        if (!block_pool_lend(lending->pool, blocks)) return;
        const uint32_t first = total - block_pool_lent(lending->pool);
        if (offload_lend(lending->device, lending->data + first * lending->block_bytes)) continue;
        block_pool_take_back(lending->pool, blocks);
        return;
    }
}

bool lending_take_back(const struct lending *lending) {
    if (lending->slab_blocks == 0 || block_pool_lent(lending->pool) == 0) return false;
    offload_take_back(lending->device);
    block_pool_take_back(lending->pool, lending->slab_blocks);
    return true;
}
