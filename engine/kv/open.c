// engine/kv/open.c — opens, drains and closes a block cache: its memory, and the disk behind it.
//
// If the disk cannot be opened, or there is no memory for its index, the cache opens without it and
// a line says so. On closing, everything that waits is written, including tails, for as long as the
// disk answers.
#include <stdlib.h>

#include "engine/kv/state.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"

enum {
    DRAIN_REFUSALS = 2,                   // failed writes after which draining gives up
    DISK_SLOTS_MOST = 4 * DISK_MAX_BATCH, // of a slab that is only there to reach the disk
    DISK_SLOTS_LEAST = 8,
};

static const size_t DISK_SLAB_BYTES = (size_t)256 << 20;

// The disk pool has dropped a block by itself. Called on the I/O thread, within an operation.
static void note_dropped(void *user, struct hash128 key) {
    struct block_cache *cache = user;
    struct node_index node;
    pthread_mutex_lock(cache->options.lock);
    if (prefix_find_key(cache->prefix, key, &node) &&
        prefix_node(cache->prefix, node)->disk == NODE_ON_DISK) {
        cache_set_disk(cache, node, NODE_NOT_ON_DISK);
        prefix_prune(cache->prefix, node);
    }
    pthread_mutex_unlock(cache->options.lock);
}

static void job_done(void *user, struct disk_job *job) {
    struct block_cache *cache = user;
    if (job->kind == JOB_READ) cache_reads_done(cache, job);
    if (job->kind == JOB_WRITE) cache_writes_done(cache, job);
    if (cache->options.changed) cache->options.changed(cache->options.user);
}

// False: its parent is missing, or it is not what its key says.
static bool load_kv(struct block_cache *cache, const struct disk_block *block,
                    struct node_index *node) {
    struct node_index parent = NODE_NONE;
    const bool is_root = hash_equal(block->parent, (struct hash128){0});
    if (!is_root && (!prefix_find_key(cache->prefix, block->parent, &parent) ||
                     prefix_node(cache->prefix, parent)->count != cache->block_size))
        return false;
    if (!hash_equal(prefix_key(cache->prefix, parent, block->ids, block->count), block->key))
        return false;
    return prefix_insert(cache->prefix, parent, block->ids, block->count, node) == STATUS_OK;
}

static bool load_state(struct block_cache *cache, const struct disk_block *block,
                       struct node_index *node) {
    return block->position >= 0 && prefix_insert_alone(cache->prefix, block->key, block->position,
                                                       block->ids, block->count, node) == STATUS_OK;
}

static void load_block(void *user, const struct disk_block *block) {
    struct block_cache *cache = user;
    struct node_index node;
    if (block->count < 1 || block->count > cache->block_size) return;
    if (cache->options.kind == CACHE_STATE ? load_state(cache, block, &node)
                                           : load_kv(cache, block, &node))
        cache_set_disk(cache, node, NODE_ON_DISK);
}

static enum status open_disk(struct block_cache *cache, const struct block_cache_options *options,
                             struct error *err) {
    const struct disk_format format = {
        .id = options->format,
        .block_size = cache->block_size,
        .payload_bytes = cache->block_bytes,
        .model = options->model,
    };
    const struct disk_listener listener = {load_block, cache_load_reference, note_dropped, cache};
    struct disk_speed speed = {0};
    TRY(options->disk->ops->open(options->disk, &format, &listener, &speed, err));
    cache->prefill_us_per_token = speed.prefill_us_per_token;
    cache->disk_us_per_byte = speed.read_us_per_byte;
    cache->io = disk_io_create(options->disk, options->lock, job_done, cache);
    if (!cache->io) return STATUS_NO_MEMORY;
    cache->disk = options->disk;
    return options->no_thread ? STATUS_OK : disk_io_start(cache->io);
}

static uint32_t slots_for_disk(size_t block_bytes) {
    const size_t fit = DISK_SLAB_BYTES / block_bytes;
    if (fit > DISK_SLOTS_MOST) return DISK_SLOTS_MOST;
    return fit < DISK_SLOTS_LEAST ? DISK_SLOTS_LEAST : (uint32_t)fit;
}

static enum status alloc_memory(struct block_cache *cache,
                                const struct block_cache_options *options) {
    const uint32_t for_disk =
        options->disk_slots ? options->disk_slots : slots_for_disk(cache->block_bytes);
    const uint32_t least = options->disk ? for_disk : 0;
    const uint32_t max_references =
        options->max_references ? options->max_references : MAX_REFERENCES;
    const uint32_t slots = options->host_slots > least ? options->host_slots : least;
    const uint32_t nodes = options->shape->num_blocks + slots +
                           (options->disk ? options->max_disk_blocks : 0) + max_references;
    cache->slab_bytes = slots * cache->block_bytes;
    if (slots > 0) // first: if it is too large, that fails before any tables are filled
        TRY(cache->options.backend->alloc_host(cache->options.device, cache->slab_bytes,
                                               &cache->slab));
    TRY(prefix_create(nodes, cache->block_size, options->format, &cache->prefix));
    TRY(reference_table_init(&cache->references, max_references));
    cache->blocks = block_pool_create(options->shape->num_blocks);
    if (slots > 0) cache->slots = block_pool_create(slots);
    return cache->blocks && (slots == 0 || cache->slots) ? STATUS_OK : STATUS_NO_MEMORY;
}

static void free_memory(struct block_cache *cache) {
    if (cache->slab)
        cache->options.backend->release_host(cache->options.device, cache->slab, cache->slab_bytes);
    block_pool_destroy(cache->slots);
    block_pool_destroy(cache->blocks);
    prefix_destroy(cache->prefix);
    disk_io_destroy(cache->io);
    reference_table_deinit(&cache->references);
    free(cache);
}

// The caller has freed the cache, and with it all blocks that the disk listed before it failed. The
// slots that would have led to the disk become a host tier.
static enum status create_without_disk(const struct block_cache_options *options, uint32_t slots,
                                       struct block_cache **result, struct error *err) {
    struct block_cache_options without = *options;
    without.disk = NULL;
    without.host_slots = slots;
    TRY(block_cache_create(&without, result, err));
    options->disk->ops->close(options->disk, NULL);
    return STATUS_OK;
}

// Without a disk, a small cache takes far less memory, since most of it would be the disk's index
// and the slots on the way to it. Only if there is not even enough for the host tier that was asked
// for, or for a cache without a disk, is that an error.
static enum status refuse_memory(struct block_cache *cache, struct block_cache **result,
                                 struct error *err) {
    const struct block_cache_options options = cache->options;
    const size_t refused_bytes = cache->slab ? 0 : cache->slab_bytes;
    const bool for_host =
        refused_bytes > 0 && refused_bytes <= options.host_slots * cache->block_bytes;
    char bytes[SIZE_TEXT_BYTES];
    free_memory(cache);
    if (for_host)
        return error_set(err, STATUS_NO_MEMORY,
                         "not enough memory for %s of KV cache in host memory; lower --kv-host",
                         size_format(refused_bytes, bytes));
    if (!options.disk)
        return error_set(err, STATUS_NO_MEMORY, "not enough memory to index the KV cache");
    log_write(LOG_WARNING, "the KV cache is not kept on disk: not enough memory");
    return create_without_disk(&options, options.host_slots, result, err);
}

enum status block_cache_create(const struct block_cache_options *options,
                               struct block_cache **result, struct error *err) {
    struct block_cache *anchor = options->anchor, *cache = calloc(1, sizeof *cache);
    if (!cache) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    cache->options = *options;
    cache->block_bytes = kv_block_bytes(options->shape);
    cache->block_size = options->shape->block_size;
    cache->write_delay_us = options->write_delay_us;
    cache->read_failed_us = INT64_MIN / 2;
    cache->unwritten = cache->tails = (struct node_list){NODE_NONE, NODE_NONE, 0};
    if (alloc_memory(cache, options) != STATUS_OK) return refuse_memory(cache, result, err);
    struct error disk_err = {0};
    if (options->disk && open_disk(cache, options, &disk_err) != STATUS_OK) {
        log_write(LOG_WARNING, "the KV cache is not kept on disk: %s",
                  disk_err.text[0] ? disk_err.text : "not enough memory");
        const uint32_t slots = block_pool_total(cache->slots);
        free_memory(cache);
        return create_without_disk(options, slots, result, err);
    }
    if (anchor) {
        ASSERT(options->kind == CACHE_STATE && anchor->options.kind != CACHE_STATE);
        cache->next_states = anchor->states;
        anchor->states = cache;
    }
    *result = cache;
    return STATUS_OK;
}

void block_cache_drain(struct block_cache *cache, int timeout_ms) {
    if (!cache->disk) return;
    pthread_mutex_lock(cache->options.lock);
    while (node_valid(cache->tails.first)) {
        const struct node_index node = cache->tails.first;
        cache_unlist(cache, node);
        cache_want_written(cache, node);
    }
    cache->write_again_us = cache->write_delay_us = 0;
    int64_t answered_us = clock_now_us();
    for (int refusals = 0; !block_cache_is_written(cache);) {
        if (cache->write_again_us && ++refusals == DRAIN_REFUSALS) break;
        cache->write_again_us = 0;
        block_cache_write_behind(cache);
        if (disk_io_wait(cache->io, timeout_ms))
            answered_us = clock_now_us();
        else if (disk_io_pending(cache->io) == 0)
            break; // the disk takes no more jobs
        if (clock_now_us() - answered_us > (int64_t)timeout_ms * 1000) break;
    }
    pthread_mutex_unlock(cache->options.lock);
}

bool block_cache_destroy(struct block_cache *cache, int timeout_ms) {
    if (!cache) return true;
    if (cache->disk) {
        block_cache_drain(cache, timeout_ms);
        if (!disk_io_stop(cache->io, timeout_ms)) {
            log_write(LOG_WARNING, "the disk with the KV cache does not respond: what is not "
                                   "written yet will be recomputed");
            return false;
        }
        const struct disk_speed speed = {cache->prefill_us_per_token, cache->disk_us_per_byte};
        cache->disk->ops->close(cache->disk, &speed);
    }
    free_memory(cache);
    return true;
}
