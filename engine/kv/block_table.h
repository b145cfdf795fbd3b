// engine/kv/block_table.h — where one sequence's tokens lie in the KV cache.
//
//   token      0 … 15   16 … 31   32 … 40
//   table    [   7    ,    3    ,    12   ]      length 41, block size 16
//                                  └─ the tail: its last 7 slots are still empty
//
// Where layers have a window, it has no blocks before number `first`: no query of the sequence sees
// what lay there. They still count, so that block and position go together.
//
//   table    [   -    ,    -    ,    12   ]      first 2, count 3, length 41
//
// A table of states is sparse: it has a block for its last tokens, and of earlier ones those that
// were last when it grew. What a block has is the state after its last token.
//
//   table    [   -    ,    3    ,    -    ,   12   ]      length 57, grown from 30
//
// A table grows on demand: the waste is less than one block. Tables share blocks: a fork adds
// a reference to each, and copies nothing; adopting one that was found in the cache does the same.
// Before a table writes into a block that others use too, or that has a node (prefix.h), it
// takes a fresh one and asks for a copy (copy on write), so at most one block is copied for each
// fork, and none for a fork that is never written to.
//
// Invariants, checked by block_table_check():
//   (1) The table has exactly the blocks that `length` tokens need, but those before `first`; a
//       sparse one has the last of them.
//   (2) Every block in it is USED.
// And after block_table_grow(): every slot from the old length to the new one lies in a block
// with one reference and without a node.
//
// The array is owned by the table and taken once, for `capacity` blocks. The engine's lock
// guards tables and pool alike.
#ifndef ENGINE_BLOCK_TABLE_H
#define ENGINE_BLOCK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/kv/block_pool.h"

struct block_table {
    struct block_index *blocks; // [count]; those before `first` are BLOCK_NONE
    int32_t first, count, capacity;
    int32_t length; // tokens
    int32_t block_size;
    bool sparse; // set after block_table_init(): it has states
};

struct block_copy { // to be done before anything is written to `destination`
    bool needed;
    struct block_index source, destination;
};

MUST_CHECK enum status block_table_init(struct block_table *table, int32_t max_tokens,
                                        int32_t block_size);
void block_table_deinit(struct block_table *table, struct block_pool *pool); // releases all

int32_t block_table_blocks(const struct block_table *table); // that it has

// FREE blocks of the pool that growing to new_length takes, the one for a copy counted.
uint32_t block_table_need(const struct block_table *table, const struct block_pool *pool,
                          int32_t new_length);

// Adds blocks for tokens [length, new_length). If the tail may not be written it is replaced by a
// fresh block, and *copy says what to copy. FULL: nothing has changed.
MUST_CHECK enum status block_table_grow(struct block_table *table, struct block_pool *pool,
                                        int32_t new_length, struct block_copy *copy);

// Tokens [length, length + tokens) are the first ones of `block`, which has them in the cache;
// length is a multiple of the block size, and tokens at most one. The table gets a reference.
void block_table_adopt(struct block_table *table, struct block_pool *pool, struct block_index block,
                       int32_t tokens);

// Puts `block`, which has the same tokens, in the place of number `index`, and gives it that
// one's rank if it is higher: a parent ranks no lower than its child.
void block_table_replace(struct block_table *table, struct block_pool *pool, int32_t index,
                         struct block_index block);

// Releases, from the end, the blocks that tokens [0, new_length) do not need.
void block_table_truncate(struct block_table *table, struct block_pool *pool, int32_t new_length);

// Releases the blocks before number `first`. Where the table does not reach that far, it is made as
// long without blocks. It never has blocks there again, but by a truncation.
void block_table_skip(struct block_table *table, struct block_pool *pool, int32_t first);

// `fork`, initialised and empty, gets the first `length` tokens of `table`.
void block_table_fork(const struct block_table *table, struct block_pool *pool, int32_t length,
                      struct block_table *fork);

// After a sparse table has grown from `length` tokens and the state of more is computed: the block
// that was its tail has the state of those, not one at its end, and is released.
void block_table_drop_state(struct block_table *table, struct block_pool *pool, int32_t length);

// The most of the first `length` tokens, in whole blocks, whose last block a sparse table has; all
// `length` where these are all its tokens.
int32_t block_table_last_state(const struct block_table *table, int32_t length);

void block_table_check(const struct block_table *table, const struct block_pool *pool);
#endif
