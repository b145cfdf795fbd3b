// engine/kv/states.c — states of recurrent layers, as blocks.
//
// A state sums up all tokens before it, so it is of use at one position only, and a chain of states
// would say nothing that the chain of keys and values does not say. So a state's node has no
// parent: its key is that of the node which ends at the same token in the index of the layers that
// attend. Finding that node has compared all tokens; finding the state is then one look-up.
//
// To adopt a state at `length`, the table skips to the block that ends there, and the state's block
// takes that place: a sparse table (block_table.h) has no use for the blocks in between.
#include "engine/kv/state.h"
#include "kernels/base/assert.h"

bool block_cache_find_state(const struct block_cache *cache, struct hash128 key,
                            struct node_index *node) {
    ASSERT(cache->options.kind == CACHE_STATE);
    return prefix_find_key(cache->prefix, key, node);
}

void block_cache_seal_state(struct block_cache *cache, struct block_table *table,
                            struct hash128 key, const int32_t *ids, int32_t length) {
    const int32_t size = cache->block_size, index = length / size - 1;
    ASSERT(length % size == 0 && index >= table->first && index < table->count);
    const struct block_index block = table->blocks[index];
    struct node_index node;
    if (node_valid(block_pool_node(cache->blocks, block))) return;
    if (!prefix_find_key(cache->prefix, key, &node) &&
        prefix_insert_alone(cache->prefix, key, length - size, ids, size, &node) != STATUS_OK)
        return;
    const struct node *n = prefix_node(cache->prefix, node);
    if (block_valid(n->block)) {
        block_table_replace(table, cache->blocks, index, n->block);
        cache->options.counts->duplicate_blocks++;
        return;
    }
    cache_attach_block(cache, node, block);
    cache_want_written(cache, node);
}

// What the table has is given up for it: that is of fewer tokens.
static void adopt(struct block_cache *cache, struct block_table *table, struct block_index block,
                  int32_t length) {
    const int32_t size = cache->block_size;
    ASSERT(table->sparse && length % size == 0 && length > table->length);
    block_table_skip(table, cache->blocks, length / size - 1);
    block_table_adopt(table, cache->blocks, block, size);
    cache_note_reuse(cache, table);
}

void block_cache_adopt_state(struct block_cache *cache, struct block_table *table,
                             struct node_index node, int32_t length) {
    adopt(cache, table, prefix_node(cache->prefix, node)->block, length);
}

enum restore_outcome block_cache_restore_state(struct block_cache *cache, struct block_table *table,
                                               struct hash128 key, int32_t length) {
    struct restore_tally tally = {0};
    struct cache_walk walk = {.at = length, .length = length, .count = cache->block_size};
    struct block_index block;
    if (*cache->options.device_failed || table->length >= length ||
        !prefix_find_key(cache->prefix, key, &walk.node))
        return RESTORE_DONE;
    const enum restore_outcome outcome = cache_bring(cache, &walk, &tally, &block);
    if (outcome == RESTORE_FULL && block_cache_make_free(cache, 1))
        return block_cache_restore_state(cache, table, key, length);
    if (outcome != RESTORE_DONE || !block_valid(block)) return outcome;
    adopt(cache, table, block, length);
    block_pool_release(cache->blocks, block);
    return RESTORE_DONE;
}
