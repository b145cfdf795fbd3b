#include "engine/kv/block_pool.h"

#include <stdlib.h>

#include "engine/base/assert.h"

struct block {
    uint32_t holders; // above 0: HELD
    uint32_t next;    // in the free list
};

struct block_pool {
    uint32_t total, free, shared;
    uint32_t first_free;
    struct block blocks[];
};

struct block_pool *block_pool_create(uint32_t block_count) {
    ASSERT(block_count > 0 && block_count < BLOCK_NONE);
    struct block_pool *pool = malloc(sizeof *pool + block_count * sizeof pool->blocks[0]);
    if (!pool) return NULL;
    pool->total = pool->free = block_count;
    pool->shared = 0;
    pool->first_free = 0;
    for (uint32_t i = 0; i < block_count; i++)
        pool->blocks[i] = (struct block){0, i + 1 < block_count ? i + 1 : BLOCK_NONE};
    return pool;
}

void block_pool_destroy(struct block_pool *pool) { free(pool); }

enum status block_pool_alloc(struct block_pool *pool, uint32_t *block) {
    const uint32_t index = pool->first_free;
    if (index == BLOCK_NONE) return STATUS_FULL;
    ASSERT(pool->blocks[index].holders == 0);
    pool->first_free = pool->blocks[index].next;
    pool->free--;
    pool->blocks[index].holders = 1;
    *block = index;
    return STATUS_OK;
}

void block_pool_share(struct block_pool *pool, uint32_t block) {
    ASSERT(block < pool->total);
    ASSERT(pool->blocks[block].holders > 0);
    pool->blocks[block].holders++;
    if (pool->blocks[block].holders == 2) pool->shared++;
}

void block_pool_release(struct block_pool *pool, uint32_t block) {
    ASSERT(block < pool->total);
    ASSERT(pool->blocks[block].holders > 0);
    pool->blocks[block].holders--;
    if (pool->blocks[block].holders == 1) pool->shared--;
    if (pool->blocks[block].holders > 0) return;
    pool->blocks[block].next = pool->first_free;
    pool->first_free = block;
    pool->free++;
}

uint32_t block_pool_holders(const struct block_pool *pool, uint32_t block) {
    ASSERT(block < pool->total);
    return pool->blocks[block].holders;
}

uint32_t block_pool_total(const struct block_pool *pool) { return pool->total; }
uint32_t block_pool_free(const struct block_pool *pool) { return pool->free; }
uint32_t block_pool_shared(const struct block_pool *pool) { return pool->shared; }

void block_pool_check(const struct block_pool *pool) {
    uint32_t held = 0, shared = 0, listed = 0;
    for (uint32_t i = 0; i < pool->total; i++) {
        held += pool->blocks[i].holders > 0;
        shared += pool->blocks[i].holders > 1;
    }
    for (uint32_t i = pool->first_free; i != BLOCK_NONE; i = pool->blocks[i].next) {
        ASSERT(i < pool->total);
        ASSERT(pool->blocks[i].holders == 0);
        ASSERT(listed < pool->total); // else the list runs in a circle
        listed++;
    }
    ASSERT(listed == pool->free);
    ASSERT(held + listed == pool->total);
    ASSERT(shared == pool->shared);
}
