// engine/kv/grouped_cache.c — all groups of layers, step by step: their tables grow, are sealed and
// shortened together, and come back together. search.c finds where a log can be continued from.
//
// A window's blocks leave a table in strides (STRIDES). A state is sealed only where a log is
// likely to be continued from (is_point), since it takes as much memory as thousands of tokens.
#include "engine/kv/grouped_cache.h"

#include "engine/kv/state.h"
#include "kernels/base/assert.h"

// A window's blocks are retired several at a time: where forks have retired the same ones, they are
// seen to have the rest in common, and a sequence can go back a little.
enum { STRIDES = 4 }; // of a window

static int32_t stride_of(int32_t reach, int32_t block_size) {
    ASSERT(reach >= 0 && block_size > 0);
    const int32_t stride = reach / STRIDES / block_size;
    return stride > 0 ? stride : 1;
}

uint32_t grouped_cache_most(enum cache_kind kind, int32_t reach, int32_t block_size,
                            int32_t step_tokens) {
    ASSERT(step_tokens >= 0);
    enum { PARTLY_FILLED = 3 }; // at both ends, and where a window begins one token earlier
    const int32_t window = reach / block_size + stride_of(reach, block_size);
    // However many tokens there are, only the state after the last is kept.
    const int32_t step = kind == CACHE_STATE ? 0 : step_tokens / block_size;
    return (uint32_t)(window + step + PARTLY_FILLED);
}

int32_t grouped_cache_most_further(const struct grouped_cache *cache,
                                   const struct grouped_table *tables, int group,
                                   int32_t step_tokens) {
    ASSERT(group >= 0 && group < cache->count);
    const struct block_cache_options *of = &cache->groups[group]->options;
    const int32_t size = cache->block_size, have = block_table_blocks(&tables->of[group]);
    const int32_t left = (int32_t)grouped_cache_most(of->kind, of->reach, size, step_tokens) - have;
    int32_t step = 0;
    switch (of->kind) {
    case CACHE_FULL:
        return INT32_MAX;
    case CACHE_WINDOW:
        step = (int32_t)grouped_cache_most(CACHE_FULL, 0, size, step_tokens);
        break;
    case CACHE_STATE:
        step = 1;
        break;
    }
    return left > step ? left : step;
}

// The first block that must be there to continue after `length` tokens: the one with the first key
// that is seen, but at least one whole block, to which the index attaches the next one.
static int32_t first_needed(const struct block_cache *group, int32_t length) {
    ASSERT(length >= 0);
    const int32_t first = (length + 1 - group->options.reach) / group->block_size;
    const int32_t last = length / group->block_size - 1;
    if (group->options.kind == CACHE_FULL || first < 0 || last < 0) return 0;
    return first < last ? first : last;
}

int32_t cache_first_kept(const struct block_cache *group, int32_t length) {
    return length > 0 ? first_needed(group, length - 1) : 0;
}

// ---- tables

enum status grouped_table_init(const struct grouped_cache *cache, struct grouped_table *tables,
                               int32_t max_tokens) {
    ASSERT(cache->count <= KV_GROUPS);
    *tables = (struct grouped_table){0};
    for (int i = 0; i < cache->count; i++) {
        if (block_table_init(&tables->of[i], max_tokens, cache->block_size) != STATUS_OK) {
            grouped_table_deinit(cache, tables);
            return STATUS_NO_MEMORY;
        }
        tables->of[i].sparse = cache->groups[i]->options.kind == CACHE_STATE;
    }
    return STATUS_OK;
}

void grouped_table_deinit(const struct grouped_cache *cache, struct grouped_table *tables) {
    for (int i = 0; i < cache->count; i++)
        block_table_deinit(&tables->of[i], cache->groups[i]->blocks);
}

// Has one group what comes after the table's first `length` tokens needs?
static bool reaches(const struct grouped_cache *cache, const struct grouped_table *tables,
                    int group, int32_t length) {
    const struct block_table *table = &tables->of[group];
    if (table->length < length) return false;
    if (table->sparse) return block_table_last_state(table, length) == length;
    return table->first <= first_needed(cache->groups[group], length);
}

bool grouped_table_reaches(const struct grouped_cache *cache, const struct grouped_table *tables,
                           int32_t length) {
    for (int i = 0; i < cache->count && length > 0; i++)
        if (!reaches(cache, tables, i, length)) return false;
    return true;
}

// Where windows do not reach the last state, they reach none before it: they begin behind that.
int32_t grouped_table_last(const struct grouped_cache *cache, const struct grouped_table *tables,
                           int32_t length) {
    for (int i = 0; i < cache->count; i++)
        if (tables->of[i].sparse) length = block_table_last_state(&tables->of[i], length);
    return grouped_table_reaches(cache, tables, length) ? length : 0;
}

void grouped_table_fork(const struct grouped_cache *cache, const struct grouped_table *tables,
                        int32_t length, struct grouped_table *fork) {
    ASSERT(grouped_table_reaches(cache, tables, length));
    for (int i = 0; i < cache->count; i++)
        block_table_fork(&tables->of[i], cache->groups[i]->blocks, length, &fork->of[i]);
}

void grouped_table_drop(const struct grouped_cache *cache, struct grouped_table *tables,
                        int32_t new_length) {
    ASSERT(new_length >= 0);
    for (int i = 0; i < cache->count; i++)
        block_table_truncate(&tables->of[i], cache->groups[i]->blocks, new_length);
}

void grouped_table_keep(const struct grouped_cache *cache, const struct grouped_table *tables,
                        struct grouped_table *before) {
    for (int i = 0; i < cache->count; i++)
        if (cache->groups[i]->options.kind == CACHE_STATE)
            block_table_fork(&tables->of[i], block_cache_pool(cache->groups[i]),
                             tables->of[i].length, &before->of[i]);
}

void grouped_table_undo(const struct grouped_cache *cache, struct grouped_table *tables,
                        struct grouped_table *before, int32_t length) {
    for (int i = 0; i < cache->count; i++) {
        if (cache->groups[i]->options.kind != CACHE_STATE) continue;
        const struct block_table kept = before->of[i];
        ASSERT(kept.length == length);
        before->of[i] = tables->of[i];
        tables->of[i] = kept;
    }
    grouped_table_confirm(cache, before);
    grouped_table_drop(cache, tables, length);
}

void grouped_table_confirm(const struct grouped_cache *cache, struct grouped_table *before) {
    grouped_table_drop(cache, before, 0);
}

// ---- blocks

struct block_counts grouped_cache_available(const struct grouped_cache *cache) {
    struct block_counts counts = {0};
    for (int i = 0; i < cache->count; i++)
        counts.of[i] = (int32_t)block_cache_available(cache->groups[i]);
    return counts;
}

enum status grouped_cache_grow(const struct grouped_cache *cache, struct grouped_table *tables,
                               int32_t new_length) {
    for (int i = 0; i < cache->count; i++) {
        struct block_cache *group = cache->groups[i];
        if (!block_cache_make_free(group, block_cache_need(group, &tables->of[i], new_length)))
            return STATUS_FULL;
    }
    for (int i = 0; i < cache->count; i++)
        TRY(block_cache_grow(cache->groups[i], &tables->of[i], new_length));
    return STATUS_OK;
}

// ---- the tables of a log

struct state_points grouped_cache_points(const struct grouped_cache *cache, int32_t length,
                                         int32_t pinned) {
    ASSERT(length > 0 && pinned >= 0);
    const int32_t size = cache->block_size, shared = pinned < length ? pinned : length - 1;
    if (!cache->has_states) return (struct state_points){0};
    return (struct state_points){{shared / size * size, (length - 1) / size * size}};
}

// The key of the first `length` tokens, a multiple of the block size: that of the node of their
// keys and values. False: these are not in the index.
static bool key_of(const struct grouped_cache *cache, const struct grouped_table *tables,
                   int32_t length, struct hash128 *key) {
    const struct block_cache *first = cache->groups[0];
    const struct block_table *table = &tables->of[0];
    const int32_t index = length / cache->block_size - 1;
    ASSERT(length % cache->block_size == 0);
    if (index < table->first || index >= table->count) return false;
    const struct node_index node = block_pool_node(first->blocks, table->blocks[index]);
    if (!node_valid(node) || prefix_node(first->prefix, node)->count != cache->block_size)
        return false;
    *key = prefix_node(first->prefix, node)->key;
    return true;
}

static void seal_state(const struct grouped_cache *cache, struct grouped_table *tables, int group,
                       const int32_t *ids, int32_t length) {
    ASSERT(length >= cache->block_size);
    struct hash128 key;
    if (key_of(cache, tables, length, &key))
        block_cache_seal_state(cache->groups[group], &tables->of[group], key,
                               ids + length - cache->block_size, length);
}

void grouped_cache_seal_state(const struct grouped_cache *cache, struct grouped_table *tables,
                              const int32_t *ids) {
    for (int i = 0; i < cache->count; i++) {
        const struct block_table *table = &tables->of[i];
        const int32_t full = table->length / cache->block_size * cache->block_size;
        if (!table->sparse) continue;
        const int32_t length = block_table_last_state(table, full);
        if (length > 0) seal_state(cache, tables, i, ids, length);
    }
}

// Is the state at the tables' end worth a block for good?
static bool is_point(const struct grouped_cache *cache, int32_t at, int32_t from, int32_t length,
                     int32_t pinned) {
    ASSERT(from >= 0 && from <= at);
    const struct state_points points = grouped_cache_points(cache, length, pinned);
    if (at == 0 || at % cache->block_size != 0) return false;
    return at == points.at[0] || at == points.at[1] || at / STATE_STRIDE != from / STATE_STRIDE;
}

void grouped_cache_commit(const struct grouped_cache *cache, struct grouped_table *tables,
                          const int32_t *ids, int32_t from, int32_t length, int32_t pinned) {
    ASSERT(from <= length && pinned >= 0);
    for (int i = 0; i < cache->count; i++) {
        struct block_cache *group = cache->groups[i];
        struct block_table *table = &tables->of[i];
        const int32_t stride = stride_of(group->options.reach, cache->block_size);
        const int32_t kept = cache_first_kept(group, table->length);
        if (table->sparse) {
            block_table_drop_state(table, group->blocks, from);
            if (is_point(cache, table->length, from, length, pinned))
                seal_state(cache, tables, i, ids, table->length);
        } else {
            block_cache_seal(group, table, ids, from);
        }
        if (kept / stride * stride <= table->first) continue;
        block_cache_pin(group, table, pinned);
        block_table_skip(table, group->blocks, kept / stride * stride);
    }
}

int32_t grouped_cache_truncate(const struct grouped_cache *cache, struct grouped_table *tables,
                               const int32_t *ids, int32_t new_length) {
    new_length = grouped_table_last(cache, tables, new_length);
    ASSERT(new_length >= 0);
    if (new_length < tables->of[0].length) grouped_cache_seal_state(cache, tables, ids);
    for (int i = 0; i < cache->count; i++) {
        struct block_table *table = &tables->of[i];
        block_cache_truncate(cache->groups[i], table, ids,
                             new_length < table->length ? new_length : table->length);
    }
    return new_length;
}

void grouped_cache_pin(const struct grouped_cache *cache, const struct grouped_table *tables,
                       int32_t length) {
    for (int i = 0; i < cache->count; i++)
        block_cache_pin(cache->groups[i], &tables->of[i], length);
}

void grouped_cache_discard(const struct grouped_cache *cache, struct grouped_table *tables) {
    for (int i = 0; i < cache->count; i++)
        block_cache_discard(cache->groups[i], &tables->of[i]);
}

// ---- what comes back

// The same key where the tables do not have the tokens yet.
static bool leaf_key(const struct grouped_cache *cache, const int32_t *ids, int32_t length,
                     struct hash128 *key) {
    struct block_cache *first = cache->groups[0];
    const struct node_index leaf = block_cache_leaf(first, ids, length);
    if (!node_valid(leaf)) return false;
    ASSERT(length > 0);
    const struct node *n = prefix_node(first->prefix, leaf);
    *key = n->key;
    return n->position + n->count == length;
}

enum restore_outcome grouped_cache_restore(const struct grouped_cache *cache,
                                           struct grouped_table *tables, const int32_t *ids,
                                           int32_t target, struct restore_tally *tally) {
    ASSERT(target >= tables->of[0].length);
    enum restore_outcome outcome = RESTORE_DONE;
    struct restore_tally other = {0};
    for (int i = 0; i < cache->count; i++) {
        struct block_cache *group = cache->groups[i];
        struct block_table *table = &tables->of[i];
        struct hash128 key;
        enum restore_outcome one = RESTORE_DONE;
        if (!table->sparse)
            one = block_cache_restore(group, table, ids, cache_first_kept(group, target), target,
                                      i == 0 ? tally : &other);
        else if (leaf_key(cache, ids, target, &key))
            one = block_cache_restore_state(group, table, key, target);
        if (one == RESTORE_FULL || outcome == RESTORE_DONE) outcome = one;
    }
    return outcome;
}

int32_t grouped_cache_usable(const struct grouped_cache *cache,
                             const struct grouped_table *tables) {
    int32_t length = tables->of[0].length;
    for (int i = 1; i < cache->count; i++)
        if (tables->of[i].length < length) length = tables->of[i].length;
    return grouped_table_last(cache, tables, length);
}

int32_t grouped_cache_settle(const struct grouped_cache *cache, struct grouped_table *tables) {
    const int32_t length = grouped_cache_usable(cache, tables);
    ASSERT(length <= tables->of[0].length);
    grouped_table_drop(cache, tables, length);
    return length;
}

// ---- the whole

enum status grouped_cache_open(struct grouped_cache *cache, struct block_cache_options options,
                               struct error *err) {
    ASSERT(cache->count < KV_GROUPS);
    const bool is_state = options.kind == CACHE_STATE;
    options.device_failed = &cache->device_failed;
    options.counts = &cache->counts;
    options.anchor = is_state ? cache->groups[0] : NULL;
    TRY(block_cache_create(&options, &cache->groups[cache->count], err));
    cache->count++;
    cache->block_size = options.shape->block_size;
    cache->has_states = cache->has_states || is_state;
    return STATUS_OK;
}

// States are written after the blocks that they hang on.
bool grouped_cache_destroy(struct grouped_cache *cache, int timeout_ms) {
    for (int i = 0; i + 1 < cache->count; i++)
        block_cache_drain(cache->groups[i], timeout_ms);
    for (; cache->count > 0; cache->count--)
        if (!block_cache_destroy(cache->groups[cache->count - 1], timeout_ms)) return false;
    return true;
}

// The last state of a path in the index of the layers that attend.
static struct node_index last_state(const struct grouped_cache *cache, int group,
                                    struct node_index leaf) {
    struct prefix *prefix = cache->groups[0]->prefix;
    struct node_index state = NODE_NONE;
    for (struct node_index node = leaf; node_valid(node); node = prefix_node(prefix, node)->parent)
        if (block_cache_find_state(cache->groups[group], prefix_node(prefix, node)->key, &state))
            return state;
    return NODE_NONE;
}

void grouped_cache_reference(const struct grouped_cache *cache, uint64_t conversation,
                             const int32_t *ids, int32_t length) {
    if (cache->count == 0) return;
    const struct node_index end = block_cache_end(cache->groups[0], ids, length);
    for (int i = 0; i < cache->count; i++) {
        struct block_cache *of = cache->groups[i];
        struct node_index leaf = end;
        if (of->options.kind == CACHE_STATE)
            leaf = last_state(cache, i, end);
        else if (i > 0)
            leaf = block_cache_end(of, ids, length);
        block_cache_reference(of, conversation, leaf);
    }
}

void grouped_cache_release(const struct grouped_cache *cache, uint64_t conversation) {
    for (int i = 0; i < cache->count; i++)
        block_cache_release(cache->groups[i], conversation);
}

// States first: those of blocks that are removed go with them, as nobody refers to them then.
uint64_t grouped_cache_strip(const struct grouped_cache *cache, uint64_t conversation) {
    uint64_t bytes = 0;
    for (int i = cache->count - 1; i >= 0; i--)
        bytes += block_cache_strip(cache->groups[i], conversation);
    return bytes;
}

void grouped_cache_usage(const struct grouped_cache *cache, struct kv_usage *usage) {
    *usage = cache->counts;
    for (int i = 0; i < cache->count; i++)
        block_cache_add_usage(cache->groups[i], usage);
}

void grouped_cache_conversation_usage(const struct grouped_cache *cache,
                                      const uint64_t *conversations, size_t count,
                                      struct conversation_usage *usage) {
    for (int i = 0; i < cache->count; i++)
        block_cache_conversation_usage(cache->groups[i], conversations, count, i > 0, usage);
}

bool grouped_cache_write_behind(const struct grouped_cache *cache) {
    bool is_written = true;
    for (int i = 0; i < cache->count; i++) {
        block_cache_write_behind(cache->groups[i]);
        is_written = block_cache_is_written(cache->groups[i]) && is_written;
    }
    return is_written;
}
