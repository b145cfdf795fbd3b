// engine/kv/references.c — which saved conversations need which blocks.
//
// A conversation needs the path from one leaf to the root, so its reference is one node number, and
// the nodes above are kept by having a child. The disk may have less of that path than the index:
//
//   root ─ A ─ B ─ C ─ D     leaf D is referenced
//        disk disk  -  -     the disk is told "B", the last node on the way that it has (`told`)
//
// and is told of C or D when that has been written (cache_tell_references, after a job that ends a
// path or that lost a block of one).
//
// Removing a conversation's KV (strip) walks from its leaf towards the root and takes every node
// that nobody else refers to, children before parents, in jobs of DISK_MAX_BATCH keys. The disk's
// queue may have no place for a job; then the lock is given up while it works, and everything that
// was looked at before is looked at again. A node that must survive such a wait is kept by counting
// a transfer on it.
#include "engine/kv/state.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"

enum { DROP_WAIT_MS = 2000 };

static void set_leaf(struct block_cache *cache, struct reference *reference,
                     struct node_index leaf) {
    const struct node_index old = reference->leaf;
    reference->leaf = leaf;
    if (node_valid(leaf)) prefix_node(cache->prefix, leaf)->references++;
    if (!node_valid(old)) return;
    ASSERT(prefix_node(cache->prefix, old)->references > 0);
    prefix_node(cache->prefix, old)->references--;
    prefix_prune(cache->prefix, old);
}

void cache_load_reference(void *user, uint64_t conversation, struct hash128 leaf) {
    struct block_cache *cache = user;
    struct node_index node;
    if (!prefix_find_key(cache->prefix, leaf, &node)) return;
    struct reference *reference = reference_enter(&cache->references, conversation);
    if (!reference) return;
    set_leaf(cache, reference, node);
    reference->told = leaf;
}

// What the disk lost, or never got, of a path that is used now is written once more; a tail when
// the cache is closed.
static void mend_path(struct block_cache *cache, struct node_index leaf) {
    for (struct node_index node = leaf; node_valid(node);) {
        const struct node *n = prefix_node(cache->prefix, node);
        if ((block_valid(n->block) || block_valid(n->slot)) && n->count == cache->block_size)
            cache_want_written(cache, node);
        node = n->parent;
    }
}

// A leaf of zero: none any more.
static void tell_disk(struct block_cache *cache, uint64_t conversation, struct hash128 leaf) {
    struct disk_job *job = cache->disk ? disk_io_push(cache->io, JOB_REFERENCE) : NULL;
    if (!job) return;
    job->conversation = conversation;
    job->leaf = leaf;
    disk_io_submit(cache->io, job);
}

// Of the path to a node, the last that is on the disk; zero: none.
static struct hash128 last_on_disk(struct block_cache *cache, struct node_index node) {
    while (node_valid(node)) {
        const struct node *n = prefix_node(cache->prefix, node);
        if (n->disk == NODE_ON_DISK) return n->key;
        node = n->parent;
    }
    return (struct hash128){0};
}

// The disk is told of what it has: of the rest when that is written. What is used is told anyway.
static void tell_reference(struct block_cache *cache, struct reference *reference, bool used) {
    const struct hash128 none = {0}, last = last_on_disk(cache, reference->leaf);
    if (hash_equal(last, none) || (!used && hash_equal(last, reference->told))) return;
    tell_disk(cache, reference->conversation, last);
    reference->told = last;
}

void cache_tell_references(struct block_cache *cache) {
    for (uint32_t i = 0; i < cache->references.count; i++)
        tell_reference(cache, &cache->references.items[i], false);
}

void block_cache_reference(struct block_cache *cache, uint64_t conversation,
                           struct node_index leaf) {
    struct reference *reference = reference_enter(&cache->references, conversation);
    if (!reference) return; // too many: this one only goes unprotected
    if (!node_equal(reference->leaf, leaf)) set_leaf(cache, reference, leaf);
    if (!cache->disk || !node_valid(leaf)) return;
    mend_path(cache, leaf);
    tell_reference(cache, reference, true);
}

void block_cache_release(struct block_cache *cache, uint64_t conversation) {
    struct reference *reference = reference_find(&cache->references, conversation);
    if (reference) {
        set_leaf(cache, reference, NODE_NONE);
        reference_remove(&cache->references, reference);
    }
    tell_disk(cache, conversation, (struct hash128){0});
}

enum removability { KEPT, REMOVABLE, LOOK_AGAIN };

// What the disk has of the node needs a place in a job, and it has as many jobs as it takes. Else
// the lock is given up until one is done, while `stays` stays, and much may change: LOOK_AGAIN.
// What the disk keeps is not forgotten.
static enum removability look_at(struct block_cache *cache, struct node_index node,
                                 struct node_index stays, struct disk_job **drops) {
    const struct node *n = prefix_node(cache->prefix, node);
    if (n->references > 0 || n->transfers > 0 || node_valid(n->first_child)) return KEPT;
    if (block_valid(n->block) && block_pool_references(cache->blocks, n->block) > 0) return KEPT;
    if (n->disk != NODE_ON_DISK) return REMOVABLE;
    if (!*drops) *drops = disk_io_push(cache->io, JOB_DROP);
    if (*drops) return REMOVABLE;
    prefix_node(cache->prefix, stays)->transfers++;
    const bool done = disk_io_wait(cache->io, DROP_WAIT_MS);
    prefix_node(cache->prefix, stays)->transfers--;
    return done ? LOOK_AGAIN : KEPT;
}

// A node without children. Its parent, which may be kept by nothing else, stays.
static void remove_leaf(struct block_cache *cache, struct node_index node, struct disk_job *drops) {
    const struct node_index parent = prefix_node(cache->prefix, node)->parent;
    if (node_valid(parent)) prefix_node(cache->prefix, parent)->transfers++;
    ASSERT(!node_valid(prefix_node(cache->prefix, node)->first_child));
    cache_forget_node(cache, node, drops);
    if (node_valid(parent)) prefix_node(cache->prefix, parent)->transfers--;
}

struct removal {
    struct node_index top;
    int32_t count; // nodes that were removed just now, with
    struct hash128 keys[DISK_MAX_BATCH];
};

// From the top towards the root, with what hangs below and nobody refers to, as far as nothing
// else needs it. False: there is no more.
static bool remove_some(struct block_cache *cache, struct removal *removal) {
    struct disk_job *drops = NULL;
    removal->count = 0;
    while (node_valid(removal->top) && removal->count < DISK_MAX_BATCH) {
        struct node_index node = removal->top;
        while (node_valid(prefix_node(cache->prefix, node)->first_child))
            node = prefix_node(cache->prefix, node)->first_child;
        const enum removability found = look_at(cache, node, removal->top, &drops);
        if (found == KEPT) break;
        if (found == LOOK_AGAIN) continue;
        const struct node *n = prefix_node(cache->prefix, node);
        removal->keys[removal->count++] = n->key;
        if (node_equal(node, removal->top)) removal->top = n->parent;
        remove_leaf(cache, node, drops);
    }
    if (drops) disk_io_submit(cache->io, drops);
    return removal->count == DISK_MAX_BATCH;
}

// Their states, which were of use as long as these keys and values were found.
static uint32_t remove_states(struct block_cache *cache, const struct removal *removal) {
    struct disk_job *drops = NULL;
    uint32_t removed = 0;
    struct node_index node;
    ASSERT(cache->options.kind == CACHE_STATE && removal->count <= DISK_MAX_BATCH);
    for (int32_t i = 0; i < removal->count; i++) {
        enum removability found = LOOK_AGAIN;
        while (found == LOOK_AGAIN && prefix_find_key(cache->prefix, removal->keys[i], &node))
            found = look_at(cache, node, node, &drops);
        if (found != REMOVABLE) continue;
        cache_forget_node(cache, node, drops);
        removed++;
    }
    if (drops) disk_io_submit(cache->io, drops);
    return removed;
}

static uint64_t remove_path(struct block_cache *cache, struct node_index top) {
    struct removal removal = {.top = top};
    uint64_t bytes = 0;
    for (bool more = true; more;) {
        more = remove_some(cache, &removal);
        bytes += (uint64_t)removal.count * cache->block_bytes;
        if (node_valid(removal.top)) prefix_node(cache->prefix, removal.top)->transfers++;
        for (struct block_cache *states = cache->states; states; states = states->next_states)
            bytes += (uint64_t)remove_states(states, &removal) * states->block_bytes;
        if (node_valid(removal.top)) prefix_node(cache->prefix, removal.top)->transfers--;
    }
    if (node_valid(removal.top)) prefix_prune(cache->prefix, removal.top);
    return bytes;
}

// A state that others may need goes with the block that it hangs on.
uint64_t block_cache_strip(struct block_cache *cache, uint64_t conversation) {
    if (cache->options.kind == CACHE_STATE) {
        block_cache_release(cache, conversation);
        return 0;
    }
    const struct reference *entry = reference_find(&cache->references, conversation);
    const struct node_index top = entry ? entry->leaf : NODE_NONE;
    if (node_valid(top)) prefix_node(cache->prefix, top)->transfers++; // stays till we look at it
    block_cache_release(cache, conversation);
    if (node_valid(top)) prefix_node(cache->prefix, top)->transfers--;
    return remove_path(cache, top);
}

static void mark_paths(struct block_cache *cache, bool set) {
    for (uint32_t i = 0; i < cache->references.count; i++)
        for (struct node_index node = cache->references.items[i].leaf; node_valid(node);) {
            struct node *n = prefix_node(cache->prefix, node);
            n->mark = set ? n->mark + 1 : 0;
            node = n->parent;
        }
}

static struct conversation_usage measure_path(struct block_cache *cache, struct node_index leaf) {
    struct conversation_usage usage = {0};
    for (struct node_index node = leaf; node_valid(node);) {
        const struct node *n = prefix_node(cache->prefix, node);
        const bool kept = cache_is_somewhere(n);
        usage.tokens += n->count;
        if (block_valid(n->block))
            usage.device_tokens += n->count;
        else if (block_valid(n->slot))
            usage.host_tokens += n->count;
        else if (n->disk == NODE_ON_DISK)
            usage.disk_tokens += n->count;
        *(n->mark > 1 ? &usage.shared_blocks : &usage.unique_blocks) += 1;
        if (kept) *(n->mark > 1 ? &usage.shared_bytes : &usage.unique_bytes) += cache->block_bytes;
        node = n->parent;
    }
    return usage;
}

void block_cache_conversation_usage(struct block_cache *cache, const uint64_t *conversations,
                                    size_t count, bool further, struct conversation_usage *usage) {
    mark_paths(cache, true);
    for (size_t i = 0; i < count; i++) {
        const struct reference *entry = reference_find(&cache->references, conversations[i]);
        const struct conversation_usage one = measure_path(cache, entry ? entry->leaf : NODE_NONE);
        if (!further) {
            usage[i] = one;
            continue;
        }
        usage[i].shared_bytes += one.shared_bytes;
        usage[i].unique_bytes += one.unique_bytes;
    }
    mark_paths(cache, false);
}
