// engine/kv/grouped_cache.c — one log, several groups of layers: find what all of them have.
//
// How a log is searched (search_*). Group 0 sees every key, so a block that it lacks ends the
// search. A group with a window may have holes: only the window before a position must be whole.
// The search walks along the log in all groups at once, a block at a time, and of holes it
// remembers for each group with a window only `since`: the token behind the last one. A position is
// whole where `since` does not come after the window's first block (first_kept). Blocks of 16
// tokens, a window of 32:
//
//   block                    0    1    2    3    4    5    6
//   group 0, sees all        x    x    x    x    x    x    .    block 6: the search ends before it
//   group 1, the window      x    x    .    x    x    x
//   since, after the block   0    0   48   48   48   48
//   the window begins at     0    0   16   32   48   64
//   whole?                  yes  yes   no   no  yes  yes
//
// So the answer is 96 tokens, although block 2 is gone: nobody looks at it from there. Looking for
// the longest prefix that all groups have would have answered 32.
//
// The cost of bringing a window back is a running sum: `walk` adds each block that enters the
// window, and `behind`, a second walk over the same log, subtracts each that leaves it. So a search
// is linear in the log, whatever the window.
//
// Recurrent layers have no window but states, sealed after some blocks only. There is nothing to
// walk: the state of a position is found by the key that group 0's node has there (search_state).
//
// The same search answers two questions. grouped_cache_adopt() counts only what lies on the device
// and takes the last whole position. grouped_cache_plan() counts every tier, and where the restore
// mode leaves the choice (KV_RESTORE_AUTO) and the speed of a prefill is known, it takes the whole
// position where the time saved minus the time to bring the blocks is greatest: not the last one if
// the end of the log is on a slow disk.
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

// The last token may have to be computed once more, so what is found has its window too.
static int32_t first_kept(const struct block_cache *group, int32_t length) {
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
        const int32_t kept = first_kept(group, table->length);
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

// ---- what there is of a log

struct search { // goes along a log in all groups at once
    const struct grouped_cache *cache;
    bool on_device; // nothing else counts
    int32_t at;     // tokens
    struct search_group {
        struct cache_walk walk, behind; // behind: what lies before the window
        int32_t since;                  // from this token on, all blocks are there
        double us;                      // to bring those of the window
        bool ended;                     // the index knows no more of it
        struct node_index state;        // after the tokens so far; NODE_NONE: no state
    } groups[KV_GROUPS];
};

// False: nothing can be found after what the table has.
static bool begin_group(struct search *search, const struct grouped_table *tables, int index,
                        const int32_t *ids, int32_t length) {
    const struct block_table *table = &tables->of[index];
    struct search_group *group = &search->groups[index];
    ASSERT(table->length == search->at);
    *group = (struct search_group){.state = NODE_NONE};
    if (table->sparse) return true;
    if (!cache_walk_begin(search->cache->groups[index], table, ids, length, &group->walk))
        return false;
    group->behind = group->walk;
    group->since = table->first * search->cache->block_size;
    return true;
}

static bool search_begin(struct search *search, const struct grouped_cache *cache,
                         const struct grouped_table *tables, const int32_t *ids, int32_t length) {
    search->cache = cache;
    search->at = tables->of[0].length;
    for (int i = 0; i < cache->count; i++)
        if (!begin_group(search, tables, i, ids, length)) return false;
    return true;
}

static const struct node *node_of(const struct search *search, int group,
                                  const struct cache_walk *walk) {
    ASSERT(group >= 0 && group < search->cache->count && node_valid(walk->node));
    return prefix_node(search->cache->groups[group]->prefix, walk->node);
}

// What the node that the walk has come to adds. False: all must be there, and it is not.
static bool search_add(struct search *search, int index) {
    struct search_group *group = &search->groups[index];
    struct block_cache *of = search->cache->groups[index];
    const struct node *n = node_of(search, index, &group->walk);
    if (search->on_device ? !block_valid(n->block) : !cache_is_somewhere(n)) {
        group->since = search->at;
        group->behind = group->walk;
        group->us = 0;
        return of->options.kind == CACHE_WINDOW;
    }
    group->us += cache_expected_us(of, n);
    while (group->behind.at / of->block_size < first_kept(of, search->at) &&
           cache_walk_next(of, &group->behind))
        group->us -= cache_expected_us(of, node_of(search, index, &group->behind));
    return true;
}

// Is there a state at the end of the block that the walk has come to? Not for all of the log, whose
// last token must be computed once more.
static void search_state(struct search *search, int index) {
    const struct cache_walk *walk = &search->groups[0].walk;
    struct search_group *group = &search->groups[index];
    struct block_cache *cache = search->cache->groups[index];
    struct node_index node;
    ASSERT(index > 0 && cache->options.kind == CACHE_STATE);
    group->state = NODE_NONE;
    if (search->at % search->cache->block_size != 0 || search->at >= walk->length ||
        !block_cache_find_state(cache, node_of(search, 0, walk)->key, &node))
        return;
    const struct node *n = prefix_node(cache->prefix, node);
    group->us = cache_expected_us(cache, n);
    if (search->on_device ? block_valid(n->block) : cache_is_somewhere(n)) group->state = node;
}

// The block that group 0 has come to, in a group of keys and values. As search_add().
static bool search_block(struct search *search, int index) {
    struct search_group *group = &search->groups[index];
    struct block_cache *of = search->cache->groups[index];
    if (index > 0 && !group->ended)
        group->ended = !cache_walk_next(of, &group->walk) || group->walk.at != search->at;
    if (!group->ended) return search_add(search, index);
    group->since = INT32_MAX;
    return of->options.kind == CACHE_WINDOW;
}

// Steps to the end of the next block, or of its part that exists. False: there is no next block.
static bool search_next(struct search *search) {
    const struct grouped_cache *cache = search->cache;
    if (!cache_walk_next(cache->groups[0], &search->groups[0].walk)) return false;
    search->at = search->groups[0].walk.at;
    for (int i = 0; i < cache->count; i++)
        if (cache->groups[i]->options.kind == CACHE_STATE)
            search_state(search, i);
        else if (!search_block(search, i))
            return false;
    return true;
}

static bool group_is_whole(const struct search *search, int index) {
    const struct block_cache *of = search->cache->groups[index];
    const struct search_group *group = &search->groups[index];
    if (of->options.kind == CACHE_STATE) return node_valid(group->state);
    return group->since <= first_kept(of, search->at) * of->block_size;
}

// Has each group what the next token needs?
static bool search_is_whole(const struct search *search) {
    for (int i = 0; i < search->cache->count; i++)
        if (!group_is_whole(search, i)) return false;
    return true;
}

static double search_us(const struct search *search) {
    double us = 0;
    for (int i = 0; i < search->cache->count; i++)
        us += search->groups[i].us;
    return us;
}

int32_t grouped_cache_adopt(const struct grouped_cache *cache, struct grouped_table *tables,
                            const int32_t *ids, int32_t length) {
    const int32_t start = tables->of[0].length;
    struct search search = {.on_device = true}, best = {.at = start};
    if (!search_begin(&search, cache, tables, ids, length)) return start;
    while (search_next(&search))
        if (search_is_whole(&search)) best = search;
    if (best.at == start) return start;
    for (int i = 0; i < cache->count; i++) {
        struct block_cache *group = cache->groups[i];
        struct block_table *table = &tables->of[i];
        if (table->sparse)
            block_cache_adopt_state(group, table, best.groups[i].state, best.at);
        else
            block_cache_adopt(group, table, ids, first_kept(group, best.at), best.at);
    }
    ASSERT(grouped_table_reaches(cache, tables, best.at));
    return best.at;
}

static void protect(const struct search *search, int32_t start) {
    ASSERT(search->cache && search->at > start);
    for (int i = 0; i < search->cache->count; i++) {
        struct block_cache *group = search->cache->groups[i];
        const int32_t first = first_kept(group, search->at) * group->block_size;
        if (group->options.kind == CACHE_STATE)
            cache_protect(group, search->groups[i].state, 0);
        else
            cache_protect(group, search->groups[i].walk.node, first > start ? first : start);
    }
}

void grouped_cache_plan(const struct grouped_cache *cache, const struct grouped_table *tables,
                        const int32_t *ids, int32_t length, enum kv_restore mode,
                        double us_per_token, struct restore_plan *plan) {
    const int32_t start = tables->of[0].length;
    struct search search = {.on_device = false}, chosen = search;
    double cost = 0, best = 0, best_cost = 0;
    int32_t whole = start, known = start;
    *plan = (struct restore_plan){.target = start};
    if (!search_begin(&search, cache, tables, ids, length)) return;
    const bool always = mode == KV_RESTORE_ALWAYS || !(us_per_token > 0);
    while (search_next(&search)) {
        known = search.at;
        if (!search_is_whole(&search)) continue;
        whole = known;
        cost = search_us(&search);
        const double gain = us_per_token * (whole - start) - cost;
        if (mode == KV_RESTORE_NEVER && cost > 0) continue;
        if (!always && mode == KV_RESTORE_AUTO && gain < best) continue;
        best = gain;
        best_cost = cost;
        plan->target = whole;
        chosen = search;
    }
    if (plan->target > start) protect(&chosen, start);
    plan->left_tokens = whole - plan->target;
    plan->lost_tokens = known - whole;
    plan->left_us = cost > best_cost ? (int64_t)(cost - best_cost) : 0;
    plan->restore_us = (int64_t)best_cost;
    plan->prefill_us = (int64_t)(us_per_token * (plan->target - start));
}

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
            one = block_cache_restore(group, table, ids, first_kept(group, target), target,
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
