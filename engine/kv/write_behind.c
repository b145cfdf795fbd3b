// engine/kv/write_behind.c — writes sealed blocks to the disk, in the background.
//
// Nodes are written in the order in which they were sealed, so a parent is on the disk before its
// child, and whatever a crash leaves there can be reached from the root. A block that is only on
// the device is first copied to a slot. The slot stays as its copy in host memory, so evicting the
// block from the device later costs nothing.
//
//   NOT_ON_DISK ──sealed──► UNWRITTEN ──in a job──► WRITING ──► ON_DISK
//                               ▲                      │
//                               └──── the job failed ──┴── over the limit, or ──► NOT_ON_DISK
//                                                        its parent is gone
//
// A write costs a sync and a transaction whatever its size, so a few blocks wait write_delay_us for
// more to come. At most two jobs are under way: one is written while the next is filled. More would
// only occupy slots. A failure pauses writing for WRITE_PAUSE_US, and the job's nodes return to the
// list in their order.
//
// The order of the list breaks if a failed parent returns behind its children, or if a lost block
// is computed again. So first_to_write() climbs from the front of the list to the topmost ancestor
// that waits, too.
#include "engine/kv/state.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"

enum {
    WRITES_AT_ONCE = 2,                 // jobs: one is done while the next is filled
    WORTH_A_WRITE = DISK_MAX_BATCH / 2, // blocks; fewer wait a little for more
    WRITE_PAUSE_US = 30000000,          // after a failure
};

// Where the list keeps the node after this one, and the one before it. For NODE_NONE: the first and
// the last.
static struct node_index *next_of(struct block_cache *cache, struct node_list *list,
                                  struct node_index node) {
    return node_valid(node) ? &prefix_node(cache->prefix, node)->list_next : &list->first;
}

static struct node_index *previous_of(struct block_cache *cache, struct node_list *list,
                                      struct node_index node) {
    return node_valid(node) ? &prefix_node(cache->prefix, node)->list_previous : &list->last;
}

void cache_unlist(struct block_cache *cache, struct node_index node) {
    struct node *n = prefix_node(cache->prefix, node);
    if (!n->tail_listed && n->disk != NODE_UNWRITTEN) return;
    struct node_list *list = n->tail_listed ? &cache->tails : &cache->unwritten;
    ASSERT(list->count > 0 && node_valid(list->first) && node_valid(list->last));
    *next_of(cache, list, n->list_previous) = n->list_next;
    *previous_of(cache, list, n->list_next) = n->list_previous;
    n->list_previous = n->list_next = NODE_NONE;
    list->count--;
    if (!n->tail_listed) cache_set_disk(cache, node, NODE_NOT_ON_DISK);
    n->tail_listed = false;
}

static void insert_after(struct block_cache *cache, struct node_list *list,
                         struct node_index previous, struct node_index node) {
    ASSERT(!node_equal(node, previous) && (list->count > 0) == node_valid(list->last));
    struct node_index *next = next_of(cache, list, previous);
    struct node *n = prefix_node(cache->prefix, node);
    n->list_previous = previous;
    n->list_next = *next;
    *previous_of(cache, list, *next) = node;
    *next = node;
    list->count++;
}

void cache_list_tail(struct block_cache *cache, struct node_index node) {
    struct node *n = prefix_node(cache->prefix, node);
    if (!cache->disk || n->disk != NODE_NOT_ON_DISK || n->tail_listed) return;
    n->tail_listed = true;
    insert_after(cache, &cache->tails, cache->tails.last, node);
}

void cache_want_written(struct block_cache *cache, struct node_index node) {
    const struct node *n = prefix_node(cache->prefix, node);
    struct node_list *list = &cache->unwritten;
    if (!cache->disk || n->disk != NODE_NOT_ON_DISK) return;
    if (n->tail_listed) cache_unlist(cache, node);
    if (list->count == 0) cache->unwritten_since_us = clock_now_us();
    cache_set_disk(cache, node, NODE_UNWRITTEN);
    insert_after(cache, list, list->last, node);
}

// Puts the node at the front of the list, because its children may be listed already.
static void want_written_first(struct block_cache *cache, struct node_index node) {
    cache_set_disk(cache, node, NODE_UNWRITTEN);
    insert_after(cache, &cache->unwritten, NODE_NONE, node);
}

// Is what the node depends on written? That is its parent; for a state, the block with the same
// key.
static enum node_disk parent_on_disk(const struct block_cache *cache, struct node_index node) {
    const struct node *n = prefix_node(cache->prefix, node);
    const struct block_cache *anchor = cache->options.anchor;
    struct node_index block;
    if (cache->options.kind != CACHE_STATE)
        return node_valid(n->parent) ? prefix_node(cache->prefix, n->parent)->disk : NODE_ON_DISK;
    if (!anchor || !prefix_find_key(anchor->prefix, n->key, &block)) return NODE_NOT_ON_DISK;
    return prefix_node(anchor->prefix, block)->disk;
}

static bool add_to_job(struct block_cache *cache, struct disk_job *job, struct node_index node) {
    struct block_index slot;
    if (!cache_copy_to_slot(cache, node, &slot)) return false;
    cache_unlist(cache, node);
    cache_set_disk(cache, node, NODE_WRITING);
    cache_add_to_job(cache, job, node, slot);
    return true;
}

// The first node in the list, or its topmost ancestor that waits, too: after failures, or if a lost
// block was computed again, children may be listed before their parents.
static struct node_index first_to_write(struct block_cache *cache) {
    struct node_index node = cache->unwritten.first;
    ASSERT(node_valid(node));
    for (;;) {
        const struct node_index parent = prefix_node(cache->prefix, node)->parent;
        if (!node_valid(parent) || prefix_node(cache->prefix, parent)->disk != NODE_UNWRITTEN)
            return node;
        node = parent;
    }
}

// Must the node wait for what it depends on? A state must, since its block is written by another
// thread. A block's parent is in this list, before the block.
static bool waits_for(const struct block_cache *cache, enum node_disk parent) {
    return cache->options.kind == CACHE_STATE &&
           (parent == NODE_UNWRITTEN || parent == NODE_WRITING);
}

static void fill_job(struct block_cache *cache, struct disk_job *job) {
    while (job->count < DISK_MAX_BATCH && node_valid(cache->unwritten.first)) {
        const struct node_index node = first_to_write(cache);
        const enum node_disk parent = parent_on_disk(cache, node);
        if (waits_for(cache, parent)) return;
        if (parent == NODE_NOT_ON_DISK) // nobody could find the node
            cache_unlist(cache, node);
        else if (!add_to_job(cache, job, node))
            return;
    }
}

// Are there enough blocks, or have they waited long enough?
static bool is_worth_a_write(const struct block_cache *cache) {
    if (cache->unwritten.count >= WORTH_A_WRITE || cache->write_delay_us == 0) return true;
    return clock_now_us() - cache->unwritten_since_us >= cache->write_delay_us;
}

void block_cache_write_behind(struct block_cache *cache) {
    if (*cache->options.device_failed || !cache->disk ||
        (cache->write_again_us && clock_now_us() < cache->write_again_us))
        return;
    if (cache->unwritten.count == 0 || !is_worth_a_write(cache)) return;
    while (node_valid(cache->unwritten.first) && cache->writes_under_way < WRITES_AT_ONCE) {
        struct disk_job *job = disk_io_push(cache->io, JOB_WRITE);
        if (!job) return;
        fill_job(cache, job);
        if (job->count == 0) return;
        if (cache_finish_swaps(cache) != STATUS_OK) {
            cache_abandon_job(cache, job);
            return;
        }
        cache->writes_under_way++;
        disk_io_submit(cache->io, job);
    }
}

bool block_cache_is_written(const struct block_cache *cache) {
    return (cache->unwritten.count == 0 || *cache->options.device_failed) &&
           cache->writes_under_way == 0;
}

static void note_failure(struct block_cache *cache, const struct disk_job *job) {
    cache->options.counts->failed_writes += (uint64_t)job->count;
    cache->write_again_us = clock_now_us() + WRITE_PAUSE_US;
    if (!cache->write_failed)
        log_write(
            LOG_WARNING,
            "cannot write the KV cache to disk (%s): trying again later; no conversation is lost",
            job->err.text[0] ? job->err.text : status_text(job->status));
    cache->write_failed = true;
}

// The limit left no space for the node (FULL), or its parent is not on the disk (NOT_FOUND). If the
// parent's own write failed, the node waits until that is tried again; else the parent was dropped.
static void note_refusal(struct block_cache *cache, struct node_index node, enum status outcome) {
    const struct node *n = prefix_node(cache->prefix, node);
    const enum node_disk parent = parent_on_disk(cache, node);
    if (outcome == STATUS_NOT_FOUND && (parent == NODE_UNWRITTEN || parent == NODE_WRITING)) {
        want_written_first(cache, node);
        return;
    }
    cache_set_disk(cache, node, NODE_NOT_ON_DISK);
    if (outcome == STATUS_NOT_FOUND && parent == NODE_ON_DISK && node_valid(n->parent))
        cache_set_disk(cache, n->parent, NODE_NOT_ON_DISK);
    if (outcome != STATUS_FULL) return;
    if (cache->options.counts->refused_writes++ == 0)
        log_write(LOG_INFO,
                  "the KV cache on disk is full: what does not fit is recomputed after a restart");
}

// Parents come first in a job. One written block ends the pause. A job whose blocks are all refused
// does not, since that happens to any job whose blocks depend on a failed one.
static void note_written(struct block_cache *cache, const struct disk_job *job) {
    bool ends = false; // the end of a path that a conversation needs may have changed
    for (int32_t i = 0; i < job->count; i++) {
        const struct node_index node = job->nodes[i];
        if (job->outcomes[i] == STATUS_OK) {
            cache_set_disk(cache, node, NODE_ON_DISK);
            cache->write_again_us = 0;
        } else {
            note_refusal(cache, node, job->outcomes[i]);
        }
        ends = ends || job->outcomes[i] != STATUS_OK ||
               prefix_node(cache->prefix, node)->references > 0;
    }
    if (ends) cache_tell_references(cache);
}

void cache_writes_done(struct block_cache *cache, struct disk_job *job) {
    const bool written = job->status == STATUS_OK;
    if (written) note_written(cache, job);
    cache->writes_under_way--;
    // Backwards, so that the front of the list is in order.
    for (int32_t i = job->count - 1; i >= 0; i--) {
        const struct node_index node = job->nodes[i];
        struct node *n = prefix_node(cache->prefix, node);
        n->transfers--;
        if (!written) want_written_first(cache, node);
        block_pool_release(cache->slots, job->slots[i]);
    }
    if (!written)
        note_failure(cache, job);
    else if (cache->unwritten.count == 0 && cache->writes_under_way == 0)
        cache->write_failed = false;
}
