// engine/kv/holders.c — which saved conversations need which blocks.
#include "engine/kv/state.h"
#include "kernels/base/clock.h"

enum { DROP_WAIT_MS = 2000 };

static struct holder *find_holder(const struct block_cache *cache, uint64_t holder) {
    for (uint32_t i = 0; i < cache->holder_count; i++)
        if (cache->holders[i].holder == holder) return &cache->holders[i];
    return NULL;
}

static void set_leaf(struct block_cache *cache, struct holder *entry, uint32_t leaf) {
    const uint32_t old = entry->leaf;
    entry->leaf = leaf;
    if (leaf != NODE_NONE) prefix_node(cache->prefix, leaf)->holders++;
    if (old == NODE_NONE) return;
    prefix_node(cache->prefix, old)->holders--;
    prefix_prune(cache->prefix, old);
}

static struct holder *enter(struct block_cache *cache, uint64_t holder) {
    struct holder *entry = find_holder(cache, holder);
    if (entry || cache->holder_count == cache->max_holders) return entry;
    entry = &cache->holders[cache->holder_count++];
    *entry = (struct holder){holder, NODE_NONE};
    return entry;
}

void cache_load_holder(struct block_cache *cache, uint64_t holder, struct hash128 leaf) {
    uint32_t node;
    if (!prefix_find_key(cache->prefix, leaf, &node)) return;
    struct holder *entry = enter(cache, holder);
    if (entry) set_leaf(cache, entry, node);
}

// What the disk lost, or never got, of a path that is used now is written once more.
static void mend_path(struct block_cache *cache, uint32_t leaf) {
    for (uint32_t node = leaf; node != NODE_NONE;) {
        const struct node *n = prefix_node(cache->prefix, node);
        if (n->block != BLOCK_NONE || n->slot != BLOCK_NONE) cache_want_written(cache, node);
        node = n->parent;
    }
}

// The disk hears that a path was used, at most once in a while for each block of it.
static void touch_path(struct block_cache *cache, uint32_t leaf) {
    const uint32_t now_s = cache_now_s();
    struct tier_job *job = NULL;
    for (uint32_t node = leaf; node != NODE_NONE;) {
        struct node *n = prefix_node(cache->prefix, node);
        if (n->disk == NODE_ON_DISK && now_s - n->touched_s >= TOUCH_PERIOD_S) {
            if (!job) job = tier_io_push(cache->disk, JOB_TOUCH);
            if (!job) return;
            n->touched_s = now_s;
            job->blocks[job->count] = cache_describe(cache, node);
            job->blocks[job->count++].ids = NULL; // the node need not stay for this
        }
        if (job && job->count == TIER_MAX_BATCH) {
            tier_io_submit(cache->disk, job);
            job = NULL;
        }
        node = n->parent;
    }
    if (job) tier_io_submit(cache->disk, job);
}

void block_cache_hold(struct block_cache *cache, uint64_t holder, uint32_t leaf) {
    struct holder *entry = enter(cache, holder);
    if (!entry) return; // too many: this one only goes unprotected
    const bool moved = entry->leaf != leaf;
    if (moved) set_leaf(cache, entry, leaf);
    if (!cache->tier || leaf == NODE_NONE) return;
    mend_path(cache, leaf);
    touch_path(cache, leaf);
    struct tier_job *job = moved ? tier_io_push(cache->disk, JOB_HOLD) : NULL;
    if (!job) return;
    job->holder = holder;
    job->leaf = prefix_node(cache->prefix, leaf)->key;
    tier_io_submit(cache->disk, job);
}

void block_cache_let_go(struct block_cache *cache, uint64_t holder) {
    struct holder *entry = find_holder(cache, holder);
    if (entry) {
        set_leaf(cache, entry, NODE_NONE);
        *entry = cache->holders[--cache->holder_count];
    }
    struct tier_job *job = cache->tier ? tier_io_push(cache->disk, JOB_LET_GO) : NULL;
    if (!job) return;
    job->holder = holder;
    tier_io_submit(cache->disk, job);
}

static bool is_removable(const struct block_cache *cache, const struct node *n) {
    if (n->holders > 0 || n->transfers > 0 || n->first_child != NODE_NONE) return false;
    return n->block == BLOCK_NONE || block_pool_holders(cache->blocks, n->block) == 0;
}

// For the disk, which has as many jobs as it takes. The lock is given up meanwhile; `top` stays.
static bool wait_for_queue(struct block_cache *cache, uint32_t top) {
    prefix_node(cache->prefix, top)->transfers++;
    const bool done = tier_io_wait(cache->disk, DROP_WAIT_MS);
    prefix_node(cache->prefix, top)->transfers--;
    return done;
}

// A node without children. Its parent, which may be kept by nothing else, stays.
static void remove_leaf(struct block_cache *cache, uint32_t node, struct tier_job *drops) {
    const uint32_t parent = prefix_node(cache->prefix, node)->parent;
    if (parent != NODE_NONE) prefix_node(cache->prefix, parent)->transfers++;
    cache_forget_node(cache, node, drops);
    if (parent != NODE_NONE) prefix_node(cache->prefix, parent)->transfers--;
}

// From `top` towards the root, with what hangs below and nobody holds, as far as nothing else
// needs it.
static uint32_t remove_path(struct block_cache *cache, uint32_t top) {
    struct tier_job *drops = NULL;
    uint32_t removed = 0;
    while (top != NODE_NONE) {
        uint32_t node = top;
        while (prefix_node(cache->prefix, node)->first_child != NODE_NONE)
            node = prefix_node(cache->prefix, node)->first_child;
        const struct node *n = prefix_node(cache->prefix, node);
        if (!is_removable(cache, n)) break;
        if (n->disk == NODE_ON_DISK && !drops) drops = tier_io_push(cache->disk, JOB_DROP);
        if (n->disk == NODE_ON_DISK && !drops) {
            if (!wait_for_queue(cache, top)) break; // what the disk keeps is not forgotten
            continue;                               // much may have changed meanwhile
        }
        if (node == top) top = n->parent;
        remove_leaf(cache, node, drops);
        removed++;
        if (!drops || drops->count < TIER_MAX_BATCH) continue;
        tier_io_submit(cache->disk, drops);
        drops = NULL;
    }
    if (drops) tier_io_submit(cache->disk, drops);
    if (top != NODE_NONE) prefix_prune(cache->prefix, top);
    return removed;
}

uint32_t block_cache_strip(struct block_cache *cache, uint64_t holder) {
    const struct holder *entry = find_holder(cache, holder);
    const uint32_t top = entry ? entry->leaf : NODE_NONE;
    if (top != NODE_NONE) prefix_node(cache->prefix, top)->transfers++; // stays till we look at it
    block_cache_let_go(cache, holder);
    if (top != NODE_NONE) prefix_node(cache->prefix, top)->transfers--;
    return remove_path(cache, top);
}

static void mark_paths(struct block_cache *cache, bool set) {
    for (uint32_t i = 0; i < cache->holder_count; i++)
        for (uint32_t node = cache->holders[i].leaf; node != NODE_NONE;) {
            struct node *n = prefix_node(cache->prefix, node);
            n->mark = set ? n->mark + 1 : 0;
            node = n->parent;
        }
}

static struct holder_usage measure_path(struct block_cache *cache, uint32_t leaf) {
    struct holder_usage usage = {0};
    for (uint32_t node = leaf; node != NODE_NONE;) {
        const struct node *n = prefix_node(cache->prefix, node);
        usage.tokens += n->count;
        if (n->block != BLOCK_NONE)
            usage.device_tokens += n->count;
        else if (n->slot != BLOCK_NONE)
            usage.host_tokens += n->count;
        else if (n->disk == NODE_ON_DISK)
            usage.disk_tokens += n->count;
        if (n->mark > 1)
            usage.shared_blocks++;
        else
            usage.unique_blocks++;
        node = n->parent;
    }
    return usage;
}

void block_cache_holder_usage(struct block_cache *cache, const uint64_t *holders, size_t count,
                              struct holder_usage *usage) {
    mark_paths(cache, true);
    for (size_t i = 0; i < count; i++) {
        const struct holder *entry = find_holder(cache, holders[i]);
        usage[i] = measure_path(cache, entry ? entry->leaf : NODE_NONE);
    }
    mark_paths(cache, false);
}
