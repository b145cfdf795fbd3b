// engine/kv/restore.c — blocks on their way back to the device.
#include "engine/kv/state.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"

enum { HOST_US_PER_MIB = 200 }; // before the first measurement: 5 GB/s

struct walk { // along the nodes of a log
    const int32_t *ids;
    int32_t at, length; // tokens
    uint32_t parent;
    uint32_t node; // the current one, with
    int32_t count; // tokens of the log
};

static bool walk_begin(struct block_cache *cache, const struct block_table *table,
                       const int32_t *ids, int32_t length, struct walk *walk) {
    *walk = (struct walk){.ids = ids, .at = table->length, .length = length};
    return table->length % cache->block_size == 0 && cache_parent_of(cache, table, &walk->parent);
}

static bool walk_next(struct block_cache *cache, struct walk *walk) {
    if (walk->at >= walk->length || walk->at % cache->block_size != 0) return false;
    if (!cache_next_node(cache, walk->parent, walk->ids + walk->at, walk->length - walk->at,
                         &walk->node, &walk->count))
        return false;
    walk->at += walk->count;
    walk->parent = walk->node;
    return true;
}

static double host_us(const struct block_cache *cache) {
    return cache->host_us_per_block > 0 ? cache->host_us_per_block
                                        : (double)cache->block_bytes / 1048576 * HOST_US_PER_MIB;
}

static double expected_us(const struct block_cache *cache, const struct node *n) {
    const double bytes = (double)cache->block_bytes;
    const double host = host_us(cache);
    if (n->block != BLOCK_NONE) return 0;
    return n->slot != BLOCK_NONE ? host : host + bytes * cache->disk_us_per_byte;
}

static bool is_somewhere(const struct node *n) {
    return n->block != BLOCK_NONE || n->slot != BLOCK_NONE || n->disk == NODE_ON_DISK;
}

// What is about to be wanted leaves the host last, the leaf first of it.
static void protect(struct block_cache *cache, uint32_t leaf, int32_t blocks) {
    for (uint32_t node = leaf; blocks > 0 && node != NODE_NONE; blocks--) {
        const struct node *n = prefix_node(cache->prefix, node);
        if (n->slot != BLOCK_NONE) block_pool_touch(cache->slots, n->slot);
        node = n->parent;
    }
}

void block_cache_plan(struct block_cache *cache, const struct block_table *table,
                      const int32_t *ids, int32_t length, enum kv_restore mode, double us_per_token,
                      struct restore_plan *plan) {
    const int32_t start = table->length;
    struct walk walk;
    double cost = 0, best = 0, best_cost = 0;
    int32_t target = start, blocks = 0;
    uint32_t leaf = NODE_NONE;
    *plan = (struct restore_plan){.target = start};
    if (!walk_begin(cache, table, ids, length, &walk)) return;
    const bool always = mode == KV_RESTORE_ALWAYS || !(us_per_token > 0);
    while (walk_next(cache, &walk) && is_somewhere(prefix_node(cache->prefix, walk.node))) {
        cost += expected_us(cache, prefix_node(cache->prefix, walk.node));
        const double gain = us_per_token * (walk.at - start) - cost;
        blocks++;
        plan->left_tokens = walk.at - start;
        if (mode == KV_RESTORE_NEVER && cost > 0) continue;
        if (!always && mode == KV_RESTORE_AUTO && gain < best) continue;
        best = gain;
        best_cost = cost;
        target = walk.at;
        leaf = walk.node;
    }
    protect(cache, leaf, blocks);
    plan->target = target;
    plan->left_tokens -= target - start;
    if (plan->left_tokens < 0) plan->left_tokens = 0;
    plan->left_us = (int64_t)(cost - best_cost);
    plan->restore_us = (int64_t)best_cost;
    plan->prefill_us = (int64_t)(us_per_token * (target - start));
}

// ---- reading from the disk

static bool start_read(struct block_cache *cache, struct disk_job *job, uint32_t node) {
    uint32_t slot;
    if (!cache_alloc_slot(cache, &slot)) return false;
    struct node *n = prefix_node(cache->prefix, node);
    n->transfers++;
    n->loading = true;
    job->nodes[job->count] = node;
    job->slots[job->count] = slot;
    job->payloads[job->count] = cache_slot_bytes(cache, slot);
    job->blocks[job->count++] = cache_describe(cache, node);
    return true;
}

// Blocks that may be on their way or wait in host memory for one table.
static int32_t window(const struct block_cache *cache) {
    const uint32_t most = block_pool_total(cache->slots) / 2;
    return most < READ_WINDOW ? (int32_t)most : READ_WINDOW;
}

// The slots may be those of blocks that are on their way to the device, or from it.
static void submit_read(struct block_cache *cache, struct disk_job *job) {
    if (cache_finish_swaps(cache) == STATUS_OK) {
        disk_io_submit(cache->io, job);
        return;
    }
    for (int32_t i = 0; i < job->count; i++) {
        struct node *n = prefix_node(cache->prefix, job->nodes[i]);
        n->transfers--;
        n->loading = false;
        block_pool_release(cache->slots, job->slots[i]);
    }
}

// Reads what is on the disk of the next nodes of the walk.
static void read_ahead(struct block_cache *cache, struct walk walk) {
    struct disk_job *job = NULL;
    int32_t left = window(cache);
    do {
        const struct node *n = prefix_node(cache->prefix, walk.node);
        if (n->block != BLOCK_NONE || n->slot != BLOCK_NONE || n->loading) continue;
        if (n->disk != NODE_ON_DISK) break;
        if (!job) job = disk_io_push(cache->io, JOB_READ);
        if (!job || !start_read(cache, job, walk.node)) break;
        if (job->count < DISK_MAX_BATCH) continue;
        submit_read(cache, job);
        job = NULL;
    } while (--left > 0 && walk_next(cache, &walk));
    if (job && job->count > 0) submit_read(cache, job);
}

// One line for what happened, not one for each batch of it.
static void note_failed_reads(struct block_cache *cache, int32_t count, enum status status) {
    enum { QUIET_US = 1000000 };
    const int64_t now = clock_now_us();
    cache->counts.failed_reads += (uint64_t)count;
    if (count > 0 && now - cache->read_failed_us > QUIET_US)
        log_write(LOG_WARNING,
                  "KV on the disk could not be used (%s): what it had is computed again",
                  status == STATUS_NOT_FOUND  ? "it is gone"
                  : status == STATUS_BAD_FILE ? "it is damaged"
                                              : status_text(status));
    if (count > 0) cache->read_failed_us = now;
}

void cache_reads_done(struct block_cache *cache, const struct disk_job *job) {
    enum status failure = STATUS_OK;
    int32_t good = 0;
    for (int32_t i = 0; i < job->count; i++) {
        const uint32_t node = job->nodes[i], slot = job->slots[i];
        struct node *n = prefix_node(cache->prefix, node);
        const bool read = job->outcomes[i] == STATUS_OK;
        n->transfers--;
        n->loading = false;
        if (read && n->slot == BLOCK_NONE) {
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
    cache->counts.disk_read_bytes += bytes;
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
    if (!cache->backend->swap_time) return;
    const struct swap_time time = cache->backend->swap_time(cache->device);
    if (time.pairs > 0) cache_note_average(&cache->host_us_per_block, time.us / (double)time.pairs);
}

// Host to device. The slot keeps its copy until it is needed otherwise.
static void swap_in(struct block_cache *cache, uint32_t node, uint32_t block) {
    const int64_t before = clock_now_us();
    cache_swap(cache, block, prefix_node(cache->prefix, node)->slot, false);
    cache_attach_block(cache, node, block);
    const int64_t elapsed_us = clock_now_us() - before;
    if (!cache->backend->swap_time)
        cache_note_average(&cache->host_us_per_block, elapsed_us > 0 ? (double)elapsed_us : 0.5);
}

enum restore_outcome block_cache_restore(struct block_cache *cache, struct block_table *table,
                                         const int32_t *ids, int32_t target,
                                         struct restore_tally *tally) {
    struct walk walk;
    if (cache->device_failed) return RESTORE_DONE;
    note_swaps(cache);
    while (table->length < target && walk_begin(cache, table, ids, target, &walk) &&
           walk_next(cache, &walk)) {
        struct node *n = prefix_node(cache->prefix, walk.node);
        const bool was_on_device = n->block != BLOCK_NONE;
        uint32_t block = n->block;
        if (!was_on_device && n->slot == BLOCK_NONE) {
            if (n->disk == NODE_ON_DISK) read_ahead(cache, walk); // while others are on their way
            const bool waits = n->disk == NODE_ON_DISK && disk_io_pending(cache->io) > 0;
            return n->loading || waits ? RESTORE_WAITS : RESTORE_DONE; // done: it is gone
        }
        if (!was_on_device) {
            if (block_pool_alloc(cache->blocks, &block) != STATUS_OK) return RESTORE_FULL;
            swap_in(cache, walk.node, block);
        }
        *tally_of(tally, n, was_on_device) += walk.count;
        n->from_disk = false;
        block_table_adopt(table, cache->blocks, block, walk.count);
        if (!was_on_device) block_pool_release(cache->blocks, block);
        cache_note_reuse(cache, table);
    }
    return RESTORE_DONE;
}

double block_cache_swap_us(const struct block_cache *cache) {
    return cache->keeps_host ? 2 * host_us(cache) : 0;
}

double block_cache_prefill_speed(const struct block_cache *cache) {
    return cache->prefill_us_per_token;
}

void block_cache_note_prefill(struct block_cache *cache, double us_per_token) {
    cache->prefill_us_per_token = us_per_token;
}
