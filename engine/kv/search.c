// engine/kv/search.c — from which position can a log be continued? Finds it in one walk along the
// log.
//
// The walk goes through all groups of layers at once, a block at a time. Group 0 sees every key, so
// a block that it lacks ends the search. A group with a window may have holes: only the window
// before a position must be complete. So for each such group the search remembers only `since`: the
// first token after the last hole. A group is whole at a position if `since` is not after the first
// block of the window there (cache_first_kept). With blocks of 16 tokens and a window of 32:
//
//   block                    0    1    2    3    4    5    6
//   group 0, sees all        x    x    x    x    x    x    .    block 6 is missing: the search ends
//   group 1, the window      x    x    .    x    x    x
//   since, after the block   0    0   48   48   48   48
//   the window begins at     0    0   16   32   48   64
//   whole?                  yes  yes   no   no  yes  yes
//
// So the answer is 96 tokens, although block 2 is gone: no query from there on sees it. Looking for
// the longest prefix that all groups have would have found 32 tokens.
//
// The cost of bringing a window back is a running sum: `walk` adds each block that enters the
// window, and `behind`, a second walk over the same log, subtracts each block that leaves it. So
// the time of a search is linear in the log's length, whatever the window.
//
// Recurrent layers have states instead of a window, and only after some blocks. There is nothing to
// walk: the state at a position is found by the key of group 0's node there (search_state).
//
// Two callers share the search. grouped_cache_adopt() counts only what is on the device, and takes
// the last position at which all groups are whole. grouped_cache_plan() counts every tier. If the
// restore mode leaves the choice (KV_RESTORE_AUTO) and the speed of a prefill is known, it takes
// the position where the time saved minus the time to bring the blocks is greatest, which is not
// the last one if the end of the log is on a slow disk.
#include "engine/kv/grouped_cache.h"
#include "engine/kv/state.h"
#include "kernels/base/assert.h"

struct search { // goes along a log in all groups at once
    const struct grouped_cache *cache;
    bool on_device; // count only blocks on the device
    int32_t at;     // tokens so far
    struct search_group {
        struct cache_walk walk, behind; // behind: up to the window's first block
        int32_t since;                  // from this token on, no block is missing
        double us;                      // to bring the blocks of the window to the device
        bool ended;                     // the index has no further block
        struct node_index state;        // after the tokens so far; NODE_NONE: none
    } groups[KV_GROUPS];
};

// False: nothing can be found beyond what the table has.
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

// Adds the node that the walk has reached. False: it is missing, and this group must have all.
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
    while (group->behind.at / of->block_size < cache_first_kept(of, search->at) &&
           cache_walk_next(of, &group->behind))
        group->us -= cache_expected_us(of, node_of(search, index, &group->behind));
    return true;
}

// Looks for a state at the end of the block that the walk has reached. One at the end of the log is
// of no use, because the last token must be computed once more.
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

// Steps a group of keys and values to the block that group 0 has reached. Returns as search_add().
static bool search_block(struct search *search, int index) {
    struct search_group *group = &search->groups[index];
    struct block_cache *of = search->cache->groups[index];
    if (index > 0 && !group->ended)
        group->ended = !cache_walk_next(of, &group->walk) || group->walk.at != search->at;
    if (!group->ended) return search_add(search, index);
    group->since = INT32_MAX;
    return of->options.kind == CACHE_WINDOW;
}

// Steps to the end of the next block, or of its cached part. False: nothing more is cached.
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
    return group->since <= cache_first_kept(of, search->at) * of->block_size;
}

// Does each group have what the next token needs?
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
            block_cache_adopt(group, table, ids, cache_first_kept(group, best.at), best.at);
    }
    ASSERT(grouped_table_reaches(cache, tables, best.at));
    return best.at;
}

static void protect(const struct search *search, int32_t start) {
    ASSERT(search->cache && search->at > start);
    for (int i = 0; i < search->cache->count; i++) {
        struct block_cache *group = search->cache->groups[i];
        const int32_t first = cache_first_kept(group, search->at) * group->block_size;
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
