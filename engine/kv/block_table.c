#include "engine/kv/block_table.h"

#include <stdlib.h>

#include "kernels/base/assert.h"

static int32_t blocks_for(const struct block_table *table, int32_t tokens) {
    return (int32_t)(((int64_t)tokens + table->block_size - 1) / table->block_size);
}

enum status block_table_init(struct block_table *table, int32_t max_tokens, int32_t block_size) {
    ASSERT(max_tokens > 0 && block_size > 0);
    *table = (struct block_table){.block_size = block_size};
    table->capacity = blocks_for(table, max_tokens);
    table->blocks = malloc((size_t)table->capacity * sizeof table->blocks[0]);
    return table->blocks ? STATUS_OK : STATUS_NO_MEMORY;
}

void block_table_deinit(struct block_table *table, struct block_pool *pool) {
    if (!table->blocks) return;
    block_table_truncate(table, pool, 0);
    free(table->blocks);
    table->blocks = NULL;
}

// Is the last block partly filled, and not ours to write?
static bool tail_is_frozen(const struct block_table *table, const struct block_pool *pool) {
    if (table->length % table->block_size == 0) return false;
    ASSERT(table->first < table->count);
    const struct block_index tail = table->blocks[table->count - 1];
    return block_pool_references(pool, tail) > 1 || node_valid(block_pool_node(pool, tail));
}

int32_t block_table_blocks(const struct block_table *table) {
    int32_t blocks = 0;
    for (int32_t i = table->first; i < table->count; i++)
        blocks += block_valid(table->blocks[i]);
    return blocks;
}

int32_t block_table_last_state(const struct block_table *table, int32_t length) {
    int32_t full = length / table->block_size;
    ASSERT(table->sparse && length >= 0 && length <= table->length);
    if (length == table->length && table->count > table->first) return length;
    while (full > table->first && !block_valid(table->blocks[full - 1]))
        full--;
    return full > table->first ? full * table->block_size : 0;
}

void block_table_drop_state(struct block_table *table, struct block_pool *pool, int32_t length) {
    const int32_t index = length / table->block_size;
    ASSERT(table->sparse && length <= table->length);
    if (length % table->block_size == 0 || index < table->first || index + 1 >= table->count)
        return;
    if (block_valid(table->blocks[index])) block_pool_release(pool, table->blocks[index]);
    table->blocks[index] = BLOCK_NONE;
}

// Growing to `end` blocks takes those from this number on: of states, the last one alone.
static int32_t first_taken(const struct block_table *table, int32_t end) {
    return table->sparse && table->count < end ? end - 1 : table->count;
}

uint32_t block_table_need(const struct block_table *table, const struct block_pool *pool,
                          int32_t new_length) {
    const int32_t end = blocks_for(table, new_length);
    return (uint32_t)(end - first_taken(table, end)) + tail_is_frozen(table, pool);
}

enum status block_table_grow(struct block_table *table, struct block_pool *pool, int32_t new_length,
                             struct block_copy *copy) {
    ASSERT(new_length > table->length);
    const int32_t end = blocks_for(table, new_length), taken = first_taken(table, end);
    ASSERT(end <= table->capacity);
    const bool copies = tail_is_frozen(table, pool);
    if (block_table_need(table, pool, new_length) > block_pool_free(pool)) return STATUS_FULL;

    *copy = (struct block_copy){.needed = copies};
    if (copies) {
        struct block_index *tail = &table->blocks[table->count - 1];
        copy->source = *tail;
        MUST(block_pool_alloc(pool, &copy->destination) == STATUS_OK);
        block_pool_release(pool, *tail);
        *tail = copy->destination;
    }
    for (; table->count < end; table->count++) {
        struct block_index *block = &table->blocks[table->count];
        *block = BLOCK_NONE;
        if (table->count >= taken) MUST(block_pool_alloc(pool, block) == STATUS_OK);
    }
    table->length = new_length;
    return STATUS_OK;
}

void block_table_adopt(struct block_table *table, struct block_pool *pool, struct block_index block,
                       int32_t tokens) {
    ASSERT(table->length % table->block_size == 0);
    ASSERT(tokens > 0 && tokens <= table->block_size);
    ASSERT(table->count < table->capacity);
    block_pool_retain(pool, block);
    table->blocks[table->count++] = block;
    table->length += tokens;
}

void block_table_replace(struct block_table *table, struct block_pool *pool, int32_t index,
                         struct block_index block) {
    ASSERT(index >= table->first && index < table->count);
    const struct block_index old = table->blocks[index];
    ASSERT(!block_equal(old, block));
    block_pool_retain(pool, block);
    (void)block_pool_raise(pool, block, block_pool_rank(pool, old));
    table->blocks[index] = block;
    block_pool_release(pool, old);
}

void block_table_truncate(struct block_table *table, struct block_pool *pool, int32_t new_length) {
    ASSERT(new_length >= 0 && new_length <= table->length);
    const int32_t need = blocks_for(table, new_length);
    while (table->count > need) {
        const struct block_index block = table->blocks[--table->count];
        if (block_valid(block)) block_pool_release(pool, block);
    }
    if (table->first > table->count) table->first = table->count;
    table->length = new_length;
}

void block_table_skip(struct block_table *table, struct block_pool *pool, int32_t first) {
    ASSERT(first <= table->capacity);
    for (; table->first < first; table->first++) {
        if (table->first < table->count && block_valid(table->blocks[table->first]))
            block_pool_retire(pool, table->blocks[table->first]);
        table->blocks[table->first] = BLOCK_NONE;
    }
    if (table->count >= first) return;
    table->count = first;
    table->length = first * table->block_size;
}

void block_table_fork(const struct block_table *table, struct block_pool *pool, int32_t length,
                      struct block_table *fork) {
    ASSERT(fork->count == 0 && fork->block_size == table->block_size);
    ASSERT(length >= 0 && length <= table->length);
    const int32_t need = blocks_for(table, length);
    ASSERT(need <= fork->capacity);
    for (; fork->count < need; fork->count++) {
        const struct block_index block = table->blocks[fork->count];
        if (block_valid(block)) block_pool_retain(pool, block);
        fork->blocks[fork->count] = block;
    }
    fork->first = table->first < need ? table->first : need;
    fork->length = length;
}

void block_table_check(const struct block_table *table, const struct block_pool *pool) {
    ASSERT(table->length >= 0);
    ASSERT(table->count == blocks_for(table, table->length));
    ASSERT(table->count <= table->capacity);
    ASSERT(table->first >= 0 && table->first <= table->count);
    for (int32_t i = 0; i < table->first; i++)
        ASSERT(!block_valid(table->blocks[i]));
    const int32_t whole = table->sparse ? table->count - 1 : table->first;
    for (int32_t i = table->first; i < table->count; i++)
        if (i >= whole || block_valid(table->blocks[i]))
            ASSERT(block_pool_references(pool, table->blocks[i]) > 0);
}
