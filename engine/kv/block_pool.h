// engine/kv/block_pool.h — who holds which block of the KV cache.
//
// The KV cache is one allocation on the device, cut into equal blocks. This module gives out
// block *numbers* and counts their holders. It never touches the cache's bytes.
//
// States of a block, and the calls that move it:
//   FREE -> HELD    alloc: one holder
//   HELD -> HELD    share: one more; release: one fewer
//   HELD -> FREE    the last release
//
// Invariants; block_pool_check() verifies (1) and (2), the caller keeps (3):
//   (1) Every block is FREE, and then in the free list once, or HELD.
//   (2) A block is HELD if and only if its holder count is above zero.
//   (3) Only a block with one holder may be written (copy on write is block_table.h's work).
//
// All memory is taken in block_pool_create(); no later call allocates. Every call but create
// and check is O(1). Not thread-safe: the engine's lock guards it.
#ifndef ENGINE_BLOCK_POOL_H
#define ENGINE_BLOCK_POOL_H

#include <stdint.h>

#include "engine/base/status.h"

#define BLOCK_NONE UINT32_MAX

struct block_pool;

// Owned by the caller until block_pool_destroy(). NULL when memory is short.
struct block_pool *block_pool_create(uint32_t block_count);
void block_pool_destroy(struct block_pool *pool); // NULL is fine

// *block has one holder, the caller. The block freed last comes first: its bytes are warm.
// FULL when every block is HELD: an everyday answer.
MUST_CHECK enum status block_pool_alloc(struct block_pool *pool, uint32_t *block);

// One more, one fewer holder of a HELD block.
void block_pool_share(struct block_pool *pool, uint32_t block);
void block_pool_release(struct block_pool *pool, uint32_t block);

uint32_t block_pool_holders(const struct block_pool *pool, uint32_t block);
uint32_t block_pool_total(const struct block_pool *pool);
uint32_t block_pool_free(const struct block_pool *pool);
uint32_t block_pool_shared(const struct block_pool *pool); // with two holders or more

void block_pool_check(const struct block_pool *pool); // O(blocks); for tests
#endif
