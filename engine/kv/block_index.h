// engine/kv/block_index.h — which block of a pool, and which node of the prefix index?
//
// Both are numbers, and a node and its block often stand side by side. As types of their own they
// cannot be compared with each other, nor a node with BLOCK_NONE: that does not compile.
#ifndef ENGINE_BLOCK_INDEX_H
#define ENGINE_BLOCK_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct block_index { // of a block pool (block_pool.h): a block of the device, or a slot of the host
    uint32_t number;
};

struct node_index { // of an index of prefixes (prefix.h)
    uint32_t number;
};

#define BLOCK_NONE ((struct block_index){UINT32_MAX})
#define NODE_NONE  ((struct node_index){UINT32_MAX})

static inline bool block_valid(struct block_index block) { return block.number != UINT32_MAX; }
static inline bool node_valid(struct node_index node) { return node.number != UINT32_MAX; }

static inline bool block_equal(struct block_index a, struct block_index b) {
    return a.number == b.number;
}

static inline bool node_equal(struct node_index a, struct node_index b) {
    return a.number == b.number;
}

#endif
