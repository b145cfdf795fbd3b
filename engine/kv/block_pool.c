// engine/kv/block_pool.c — reference counts, a free list, and four queues of cached blocks.
//
// A CACHED block stands in the queue of its rank, oldest release first; the victim is the oldest of
// the lowest queue that has any. One LRU list would let a long batch job, which uses each block
// once, push out every conversation that people return to. A queue over its share demotes its
// oldest block to the end of the queue below, so a block that is found again gets a second chance,
// and no class of blocks can take the whole pool. Demotion stops at FRESH: RETIRED is for blocks
// that their own sequence does not see any more.
//
// Everything is an index into one array, so no call but create allocates, and each but
// create and the check is O(1).
#include "engine/kv/block_pool.h"

#include <stdlib.h>

#include "kernels/base/assert.h"

struct block {
    uint32_t references; // above 0: USED
    struct node_index node;
    struct block_index previous, next; // in the queue of its rank, or in the free list
    enum block_rank rank;
};

struct queue {
    struct block_index oldest, newest; // or BLOCK_NONE
    uint32_t count, most;
};

struct block_pool {
    uint32_t total, free, shared, lent;
    uint64_t spared;
    struct block_index first_free;
    struct queue queues[BLOCK_RANK_COUNT];
    struct block blocks[];
};

struct block_pool *block_pool_create(uint32_t block_count) {
    ASSERT(block_count > 0 && block_count < UINT32_MAX);
    struct block_pool *pool = calloc(1, sizeof *pool + block_count * sizeof pool->blocks[0]);
    if (!pool) return NULL;
    pool->total = pool->free = block_count;
    for (uint32_t i = 0; i < block_count; i++) {
        const struct block_index next = {i + 1 < block_count ? i + 1 : UINT32_MAX};
        const struct block_index previous = {i > 0 ? i - 1 : UINT32_MAX};
        pool->blocks[i] = (struct block){
            .node = NODE_NONE, .previous = previous, .next = next, .rank = BLOCK_FRESH};
    }
    for (int rank = 0; rank < BLOCK_RANK_COUNT; rank++)
        pool->queues[rank] = (struct queue){.oldest = BLOCK_NONE, .newest = BLOCK_NONE};
    pool->queues[BLOCK_RETIRED].most = pool->queues[BLOCK_FRESH].most = block_count;
    pool->queues[BLOCK_REUSED].most = block_count - block_count / 4;
    pool->queues[BLOCK_PINNED].most = block_count / 5;
    return pool;
}

void block_pool_destroy(struct block_pool *pool) { free(pool); }

static void queue_remove(struct block_pool *pool, struct block_index block) {
    const struct block *b = &pool->blocks[block.number];
    struct queue *queue = &pool->queues[b->rank];
    if (!block_valid(b->previous))
        queue->oldest = b->next;
    else
        pool->blocks[b->previous.number].next = b->next;
    if (!block_valid(b->next))
        queue->newest = b->previous;
    else
        pool->blocks[b->next.number].previous = b->previous;
    queue->count--;
}

static void queue_append(struct block_pool *pool, struct block_index block, enum block_rank rank) {
    struct block *b = &pool->blocks[block.number];
    struct queue *queue = &pool->queues[rank];
    b->rank = rank;
    b->previous = queue->newest;
    b->next = BLOCK_NONE;
    if (!block_valid(queue->newest))
        queue->oldest = block;
    else
        pool->blocks[queue->newest.number].next = block;
    queue->newest = block;
    queue->count++;
}

static void become_cached(struct block_pool *pool, struct block_index block) {
    queue_append(pool, block, pool->blocks[block.number].rank);
    for (int rank = BLOCK_PINNED; rank > BLOCK_FRESH; rank--) {
        const struct queue *queue = &pool->queues[rank];
        if (queue->count <= queue->most) continue;
        const struct block_index oldest = queue->oldest;
        queue_remove(pool, oldest);
        queue_append(pool, oldest, (enum block_rank)(rank - 1));
    }
}

static void become_free(struct block_pool *pool, struct block_index block) {
    struct block *b = &pool->blocks[block.number];
    b->previous = BLOCK_NONE;
    b->next = pool->first_free;
    b->rank = BLOCK_FRESH;
    if (block_valid(b->next)) pool->blocks[b->next.number].previous = block;
    pool->first_free = block;
    pool->free++;
}

static void leave_free_list(struct block_pool *pool, struct block_index block) {
    const struct block *b = &pool->blocks[block.number];
    if (block_valid(b->previous))
        pool->blocks[b->previous.number].next = b->next;
    else
        pool->first_free = b->next;
    if (block_valid(b->next)) pool->blocks[b->next.number].previous = b->previous;
    pool->free--;
}

enum status block_pool_alloc(struct block_pool *pool, struct block_index *block) {
    const struct block_index index = pool->first_free;
    if (!block_valid(index)) return STATUS_FULL;
    struct block *b = &pool->blocks[index.number];
    ASSERT(b->references == 0 && !node_valid(b->node));
    leave_free_list(pool, index);
    b->references = 1;
    *block = index;
    return STATUS_OK;
}

void block_pool_retain(struct block_pool *pool, struct block_index block) {
    ASSERT(block.number < pool->total);
    struct block *b = &pool->blocks[block.number];
    ASSERT(b->references > 0 || node_valid(b->node));
    if (b->references == 0) queue_remove(pool, block);
    if (b->references >= 1) pool->spared++;
    if (b->references == 1) pool->shared++;
    b->references++;
}

void block_pool_release(struct block_pool *pool, struct block_index block) {
    ASSERT(block.number < pool->total);
    struct block *b = &pool->blocks[block.number];
    ASSERT(b->references > 0);
    b->references--;
    if (b->references >= 1) pool->spared--;
    if (b->references == 1) pool->shared--;
    if (b->references > 0) return;
    if (!node_valid(b->node))
        become_free(pool, block);
    else
        become_cached(pool, block);
}

void block_pool_retire(struct block_pool *pool, struct block_index block) {
    ASSERT(block.number < pool->total);
    struct block *b = &pool->blocks[block.number];
    if (b->references == 1 && b->rank == BLOCK_FRESH) b->rank = BLOCK_RETIRED;
    block_pool_release(pool, block);
}

void block_pool_set_node(struct block_pool *pool, struct block_index block,
                         struct node_index node) {
    ASSERT(block.number < pool->total);
    struct block *b = &pool->blocks[block.number];
    ASSERT(b->references > 0 || node_valid(b->node)); // not FREE
    const bool cached = b->references == 0;
    b->node = node;
    if (!cached || node_valid(node)) return;
    queue_remove(pool, block);
    become_free(pool, block);
}

bool block_pool_raise(struct block_pool *pool, struct block_index block, enum block_rank rank) {
    ASSERT(block.number < pool->total);
    struct block *b = &pool->blocks[block.number];
    ASSERT(b->references > 0);
    if (rank <= b->rank) return false;
    b->rank = rank;
    return true;
}

enum block_rank block_pool_rank(const struct block_pool *pool, struct block_index block) {
    ASSERT(block.number < pool->total);
    return pool->blocks[block.number].rank;
}

void block_pool_touch(struct block_pool *pool, struct block_index block) {
    ASSERT(block.number < pool->total);
    const struct block *b = &pool->blocks[block.number];
    if (b->references > 0) return;
    ASSERT(node_valid(b->node));
    queue_remove(pool, block);
    queue_append(pool, block, b->rank);
}

bool block_pool_find_victim(const struct block_pool *pool, struct block_index *block) {
    for (int rank = 0; rank < BLOCK_RANK_COUNT; rank++)
        if (block_valid(pool->queues[rank].oldest)) {
            *block = pool->queues[rank].oldest;
            return true;
        }
    return false;
}

struct node_index block_pool_node(const struct block_pool *pool, struct block_index block) {
    ASSERT(block.number < pool->total);
    return pool->blocks[block.number].node;
}

uint32_t block_pool_references(const struct block_pool *pool, struct block_index block) {
    ASSERT(block.number < pool->total);
    return pool->blocks[block.number].references;
}

static bool is_free(const struct block_pool *pool, uint32_t number) {
    const struct block *b = &pool->blocks[number];
    return b->references == 0 && !node_valid(b->node);
}

bool block_pool_lend(struct block_pool *pool, uint32_t count) {
    const uint32_t end = pool->total - pool->lent;
    if (count > end || count > pool->free) return false;
    for (uint32_t i = end; i > end - count; i--)
        if (!is_free(pool, i - 1)) return false;
    for (uint32_t i = end; i > end - count; i--)
        leave_free_list(pool, (struct block_index){i - 1});
    pool->lent += count;
    return true;
}

void block_pool_take_back(struct block_pool *pool, uint32_t count) {
    ASSERT(count <= pool->lent);
    const uint32_t first = pool->total - pool->lent;
    for (uint32_t i = first + count; i > first; i--)
        become_free(pool, (struct block_index){i - 1});
    pool->lent -= count;
}

uint32_t block_pool_lent(const struct block_pool *pool) { return pool->lent; }

bool block_pool_replace(struct block_pool *pool, struct block_index block, uint32_t end,
                        struct block_index *by) {
    struct block *b = &pool->blocks[block.number];
    struct queue *queue = &pool->queues[b->rank];
    struct block_index to = pool->first_free;
    ASSERT(b->references == 0 && node_valid(b->node));
    while (block_valid(to) && to.number >= end)
        to = pool->blocks[to.number].next;
    if (!block_valid(to)) return false;
    leave_free_list(pool, to);
    pool->blocks[to.number] = *b;
    *(block_valid(b->previous) ? &pool->blocks[b->previous.number].next : &queue->oldest) = to;
    *(block_valid(b->next) ? &pool->blocks[b->next.number].previous : &queue->newest) = to;
    b->node = NODE_NONE;
    become_free(pool, block);
    *by = to;
    return true;
}

uint32_t block_pool_total(const struct block_pool *pool) { return pool->total; }
uint32_t block_pool_free(const struct block_pool *pool) { return pool->free; }
uint32_t block_pool_shared(const struct block_pool *pool) { return pool->shared; }
uint64_t block_pool_spared(const struct block_pool *pool) { return pool->spared; }

uint32_t block_pool_cached(const struct block_pool *pool) {
    uint32_t count = 0;
    for (int rank = 0; rank < BLOCK_RANK_COUNT; rank++)
        count += pool->queues[rank].count;
    return count;
}

static uint32_t check_queue(const struct block_pool *pool, enum block_rank rank) {
    const struct queue *queue = &pool->queues[rank];
    uint32_t listed = 0;
    struct block_index previous = BLOCK_NONE;
    for (struct block_index i = queue->oldest; block_valid(i); i = pool->blocks[i.number].next) {
        ASSERT(i.number < pool->total);
        ASSERT(listed < pool->total); // else the list runs in a circle
        const struct block *b = &pool->blocks[i.number];
        ASSERT(b->references == 0 && node_valid(b->node));
        ASSERT(b->rank == rank && block_equal(b->previous, previous));
        previous = i;
        listed++;
    }
    ASSERT(block_equal(queue->newest, previous));
    ASSERT(listed == queue->count && listed <= queue->most);
    return listed;
}

void block_pool_check(const struct block_pool *pool) {
    uint32_t used = 0, shared = 0, listed = 0, cached = 0;
    uint64_t spared = 0;
    struct block_index previous = BLOCK_NONE;
    for (uint32_t i = pool->total - pool->lent; i < pool->total; i++)
        ASSERT(is_free(pool, i));
    for (uint32_t i = 0; i < pool->total; i++) {
        const uint32_t references = pool->blocks[i].references;
        used += references > 0;
        shared += references > 1;
        if (references > 1) spared += references - 1;
    }
    for (struct block_index i = pool->first_free; block_valid(i); i = pool->blocks[i.number].next) {
        ASSERT(i.number < pool->total);
        ASSERT(i.number < pool->total - pool->lent && is_free(pool, i.number));
        ASSERT(listed < pool->total); // else the list runs in a circle
        ASSERT(block_equal(pool->blocks[i.number].previous, previous));
        previous = i;
        listed++;
    }
    for (int rank = 0; rank < BLOCK_RANK_COUNT; rank++)
        cached += check_queue(pool, (enum block_rank)rank);
    ASSERT(listed == pool->free);
    ASSERT(used + listed + cached + pool->lent == pool->total);
    ASSERT(shared == pool->shared && spared == pool->spared);
}
