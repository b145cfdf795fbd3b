// engine/kv/restore.c — blocks on their way back to the device.
//
// A restore is a loop that may be left at every point and begun again: each call of
// block_cache_restore() walks on from the table's end and moves what can be moved now.
//
//   on the device     the table takes a reference
//   in a slot         a free block gets a copy, enqueued; no free block: one is evicted, or FULL
//   on the disk       a read into a slot is submitted, with those of the next blocks: WAITS
//   nowhere           DONE: the table stays shorter than the target, and the rest is computed
//
// read_ahead() keeps up to READ_WINDOW blocks of one table under way or waiting in slots, but at
// most half of the slots, so that there is space for two restores at once. Because a read lands in
// a slot first, the disk's thread never touches the device; cache_finish_swaps() orders the two
// where a slot is reused.
//
// Times are measured as running averages (cache_note_average) and are what grouped_cache_plan()
// compares with computing the tokens again.
#include "engine/kv/state.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"

enum { HOST_US_PER_MIB = 200 }; // before the first measurement: 5 GB/s

static double host_us(const struct block_cache *cache) {
    return cache->host_us_per_block > 0 ? cache->host_us_per_block
                                        : (double)cache->block_bytes / 1048576 * HOST_US_PER_MIB;
}

double cache_expected_us(const struct block_cache *cache, const struct node *n) {
    const double bytes = (double)cache->block_bytes;
    const double host = host_us(cache);
    if (block_valid(n->block)) return 0;
    return block_valid(n->slot) ? host : host + bytes * cache->disk_us_per_byte;
}

void cache_protect(struct block_cache *cache, struct node_index leaf, int32_t first) {
    for (struct node_index node = leaf; node_valid(node);) {
        const struct node *n = prefix_node(cache->prefix, node);
        if (n->position < first) return;
        if (block_valid(n->slot)) block_pool_touch(cache->slots, n->slot);
        node = n->parent;
    }
}

// ---- reading from the disk

static bool start_read(struct block_cache *cache, struct disk_job *job, struct node_index node) {
    struct block_index slot;
    if (!cache_alloc_slot(cache, &slot)) return false;
    struct node *n = prefix_node(cache->prefix, node);
    ASSERT(!n->loading && !block_valid(n->slot) && !block_valid(n->block));
    n->loading = true;
    cache_add_to_job(cache, job, node, slot);
    return true;
}

// Blocks that may be on their way or wait in host memory for one table.
static int32_t window(const struct block_cache *cache) {
    const uint32_t most = block_pool_total(cache->slots) / 2;
    return most < READ_WINDOW ? (int32_t)most : READ_WINDOW;
}

// The slots may be those of blocks that are on their way to the device, or from it.
static void submit_read(struct block_cache *cache, struct disk_job *job) {
    ASSERT(job->count > 0 && job->count <= DISK_MAX_BATCH);
    if (cache_finish_swaps(cache) == STATUS_OK)
        disk_io_submit(cache->io, job);
    else
        cache_abandon_job(cache, job);
}

// Reads what is on the disk of the next nodes of the walk.
static void read_ahead(struct block_cache *cache, struct cache_walk walk) {
    struct disk_job *job = NULL;
    int32_t left = window(cache);
    do {
        const struct node *n = prefix_node(cache->prefix, walk.node);
        if (block_valid(n->block) || block_valid(n->slot) || n->loading) continue;
        if (n->disk != NODE_ON_DISK) break;
        if (!job) job = disk_io_push(cache->io, JOB_READ);
        if (!job || !start_read(cache, job, walk.node)) break;
        if (job->count < DISK_MAX_BATCH) continue;
        submit_read(cache, job);
        job = NULL;
    } while (--left > 0 && cache_walk_next(cache, &walk));
    if (job && job->count > 0) submit_read(cache, job);
}

// One line for what happened, not one for each batch of it.
static void note_failed_reads(struct block_cache *cache, int32_t count, enum status status) {
    enum { QUIET_US = 1000000 };
    const int64_t now = clock_now_us();
    cache->options.counts->failed_reads += (uint64_t)count;
    if (count > 0 && now - cache->read_failed_us > QUIET_US)
        log_write(LOG_WARNING, "the KV cache on disk cannot be used (%s): its part is recomputed",
                  status == STATUS_NOT_FOUND  ? "the file is gone"
                  : status == STATUS_BAD_FILE ? "the file is damaged"
                                              : status_text(status));
    if (count > 0) cache->read_failed_us = now;
}

void cache_reads_done(struct block_cache *cache, const struct disk_job *job) {
    enum status failure = STATUS_OK;
    int32_t good = 0;
    for (int32_t i = 0; i < job->count; i++) {
        const struct node_index node = job->nodes[i];
        const struct block_index slot = job->slots[i];
        struct node *n = prefix_node(cache->prefix, node);
        const bool read = job->outcomes[i] == STATUS_OK;
        ASSERT(n->loading && n->transfers > 0);
        n->transfers--;
        n->loading = false;
        if (read && !block_valid(n->slot)) {
            cache_attach_slot(cache, node, slot);
            n->from_disk = true;
        }
        if (!read && n->disk == NODE_ON_DISK) cache_set_disk(cache, node, NODE_NOT_ON_DISK);
        if (!read && failure == STATUS_OK) failure = job->outcomes[i];
        good += read;
        block_pool_release(cache->slots, slot);
        prefix_prune(cache->prefix, node);
    }
    note_failed_reads(cache, job->count - good, failure);
    const size_t bytes = (size_t)good * cache->block_bytes;
    cache->options.counts->disk_read_bytes += bytes;
    if (good > 0)
        cache_note_average(&cache->disk_us_per_byte, (double)job->elapsed_us / (double)bytes);
}

// ---- to the device

static int32_t *tally_of(struct restore_tally *tally, const struct node *n, bool was_on_device) {
    if (was_on_device) return &tally->device_tokens;
    return n->from_disk ? &tally->disk_tokens : &tally->host_tokens;
}

// A card only enqueues swaps. How long they took it says when they are done.
static void note_swaps(struct block_cache *cache) {
    if (!cache->options.backend->swap_time) return;
    const struct swap_time time = cache->options.backend->swap_time(cache->options.device);
    if (time.pairs > 0) cache_note_average(&cache->host_us_per_block, time.us / (double)time.pairs);
}

// Host to device. The slot keeps its copy until it is needed otherwise.
static void swap_in(struct block_cache *cache, struct node_index node, struct block_index block) {
    ASSERT(block_valid(prefix_node(cache->prefix, node)->slot));
    const int64_t before = clock_now_us();
    cache_swap(cache, block, prefix_node(cache->prefix, node)->slot, false);
    cache_attach_block(cache, node, block);
    const int64_t elapsed_us = clock_now_us() - before;
    if (!cache->options.backend->swap_time)
        cache_note_average(&cache->host_us_per_block, elapsed_us > 0 ? (double)elapsed_us : 0.5);
}

// Goes on at block `first`: what is not needed counts as found where that block is.
static void skip_to(struct block_cache *cache, struct block_table *table, const int32_t *ids,
                    int32_t first, struct restore_tally *tally) {
    const int32_t before = table->length;
    struct cache_walk walk;
    block_table_skip(table, cache->blocks, first);
    if (table->length == before ||
        !cache_walk_begin(cache, table, ids, table->length + cache->block_size, &walk) ||
        !cache_walk_next(cache, &walk))
        return;
    const struct node *n = prefix_node(cache->prefix, walk.node);
    const bool on_disk = !block_valid(n->block) && !block_valid(n->slot);
    *(on_disk ? &tally->disk_tokens : tally_of(tally, n, block_valid(n->block))) +=
        table->length - before;
}

enum restore_outcome cache_bring(struct block_cache *cache, const struct cache_walk *walk,
                                 struct restore_tally *tally, struct block_index *block) {
    struct node *n = prefix_node(cache->prefix, walk->node);
    const bool was_there = block_valid(n->block);
    *block = n->block;
    if (!was_there && !block_valid(n->slot)) {
        if (n->disk == NODE_ON_DISK) read_ahead(cache, *walk); // while others are on their way
        const bool waits = n->disk == NODE_ON_DISK && disk_io_pending(cache->io) > 0;
        return n->loading || waits ? RESTORE_WAITS : RESTORE_DONE; // done: it is gone
    }
    if (was_there) {
        block_pool_retain(cache->blocks, *block);
    } else {
        if (block_pool_alloc(cache->blocks, block) != STATUS_OK) return RESTORE_FULL;
        swap_in(cache, walk->node, *block);
    }
    *tally_of(tally, n, was_there) += walk->count;
    n->from_disk = false;
    return RESTORE_DONE;
}

enum restore_outcome block_cache_restore(struct block_cache *cache, struct block_table *table,
                                         const int32_t *ids, int32_t first, int32_t target,
                                         struct restore_tally *tally) {
    struct cache_walk walk;
    if (*cache->options.device_failed) return RESTORE_DONE;
    note_swaps(cache);
    skip_to(cache, table, ids, first, tally);
    while (table->length < target && cache_walk_begin(cache, table, ids, target, &walk) &&
           cache_walk_next(cache, &walk)) {
        struct block_index block;
        ASSERT(walk.count > 0 && table->length + walk.count <= target);
        const enum restore_outcome outcome = cache_bring(cache, &walk, tally, &block);
        // What is evicted may have had the slot of this very block: it is looked for once more.
        if (outcome == RESTORE_FULL && block_cache_make_free(cache, 1)) continue;
        if (outcome != RESTORE_DONE || !block_valid(block)) return outcome;
        block_table_adopt(table, cache->blocks, block, walk.count);
        block_pool_release(cache->blocks, block);
        cache_note_reuse(cache, table);
    }
    return RESTORE_DONE;
}

double block_cache_swap_us(const struct block_cache *cache) {
    return cache->options.host_slots > 0 ? 2 * host_us(cache) : 0;
}

double block_cache_prefill_speed(const struct block_cache *cache) {
    return cache->prefill_us_per_token;
}

void block_cache_note_prefill(struct block_cache *cache, double us_per_token) {
    cache->prefill_us_per_token = us_per_token;
}
