// engine/kv/block_pool.h — which blocks of one tier of the KV cache are free, used, or least
// needed.
//
// A pool is one allocation cut into equal blocks: the device's, or the host's slab. This module
// hands out block *numbers*, counts the references to them and says which block is the least needed
// one. It never touches bytes.
//
// States of a block, and the calls that move it:
//   FREE   -> USED    alloc: one reference
//   USED   -> USED    retain: one more; release: one fewer
//   USED   -> FREE    the last release, if the block has no node
//   USED   -> CACHED  the last release, if it has one: its contents can be found again
//   CACHED -> USED    retain
//   CACHED -> FREE    set_node(NONE): the victim was evicted, or its contents were dropped;
//                     replace: its contents move to a block that was FREE, which is CACHED now
//   FREE   -> LENT    lend: their bytes serve something else, until
//   LENT   -> FREE    take_back
//
// LENT blocks are the last ones of the pool, so that their bytes are one range of memory.
//
// A node is the block's entry in the prefix index (prefix.h): a block with one is immutable up
// to the tokens that the node names.
//
// CACHED blocks stand in one of four queues, released longest ago first:
//   RETIRED used once, by a sequence that no longer sees them; before all others
//   FRESH   used once; before what follows, so that one long batch job flushes only itself
//   REUSED  found again at least once (second chance); at most 3/4 of the pool
//   PINNED  preambles of many conversations; at most 1/5 of the pool
// What exceeds a queue's share moves to the end of the queue before it. A caller that releases the
// blocks of a chain from its end to its beginning, and ranks a parent no lower than its child, gets
// leaves evicted before their parents.
//
// Invariants; block_pool_check() verifies (1) to (3), the caller keeps (4):
//   (1) Every block is FREE, USED, CACHED or LENT, and in the free list, in one queue, or, if it is
//       USED or LENT, in none; the last ones are LENT, and no others.
//   (2) A block is USED if and only if there are references to it.
//   (3) A CACHED block has a node, a FREE one has none.
//   (4) Only a block with one reference may be written, and only rows that no node names.
//
// All memory is taken in block_pool_create(); no later call allocates. Every call but create,
// check, replace and those that lend is O(1). Not thread-safe: the engine's lock guards it.
#ifndef ENGINE_BLOCK_POOL_H
#define ENGINE_BLOCK_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/kv/block_index.h"
#include "kernels/base/status.h"

enum block_rank { BLOCK_RETIRED, BLOCK_FRESH, BLOCK_REUSED, BLOCK_PINNED };
enum { BLOCK_RANK_COUNT = 4 };

struct block_pool;

// Owned by the caller until block_pool_destroy(). NULL when memory is short.
struct block_pool *block_pool_create(uint32_t block_count);
void block_pool_destroy(struct block_pool *pool); // NULL is fine

// *block was FREE and has one reference, the caller's. The block freed last comes first: its bytes
// are warm. FULL when none is FREE: an everyday answer, on which the caller evicts the victim.
MUST_CHECK enum status block_pool_alloc(struct block_pool *pool, struct block_index *block);

// One more reference to a USED or CACHED block, one fewer to a USED one.
void block_pool_retain(struct block_pool *pool, struct block_index block);
void block_pool_release(struct block_pool *pool, struct block_index block);

// Releases a block that its sequence, which continues, no longer sees.
void block_pool_retire(struct block_pool *pool, struct block_index block);

// Of any block that is not FREE. NODE_NONE makes a CACHED block FREE.
void block_pool_set_node(struct block_pool *pool, struct block_index block, struct node_index node);

// Where the USED block queues once it is CACHED; never lowered but by a queue's share. False: it
// had that rank, or a higher one.
bool block_pool_raise(struct block_pool *pool, struct block_index block, enum block_rank rank);

enum block_rank block_pool_rank(const struct block_pool *pool, struct block_index block);

// The end of its queue, for a CACHED block; others stay where they are.
void block_pool_touch(struct block_pool *pool, struct block_index block);

// The CACHED block to give up next. False: there is none.
bool block_pool_find_victim(const struct block_pool *pool, struct block_index *block);

struct node_index block_pool_node(const struct block_pool *pool,
                                  struct block_index block); // or NODE_NONE
uint32_t block_pool_references(const struct block_pool *pool, struct block_index block);
uint32_t block_pool_total(const struct block_pool *pool);
uint32_t block_pool_free(const struct block_pool *pool);
uint32_t block_pool_cached(const struct block_pool *pool);
uint32_t block_pool_shared(const struct block_pool *pool); // with two references or more
uint64_t
block_pool_spared(const struct block_pool *pool); // references past the first, of all blocks

// Lends the last `count` blocks that are not LENT yet. False: not all of them are FREE, and nothing
// has changed. O(count).
bool block_pool_lend(struct block_pool *pool, uint32_t count);
void block_pool_take_back(struct block_pool *pool, uint32_t count); // what was lent last
uint32_t block_pool_lent(const struct block_pool *pool);

// A FREE block before `end` takes the place of the CACHED one, which becomes FREE. False: there is
// none. O(free).
bool block_pool_replace(struct block_pool *pool, struct block_index block, uint32_t end,
                        struct block_index *by);

void block_pool_check(const struct block_pool *pool); // O(blocks); for tests
#endif
