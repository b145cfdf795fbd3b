// engine/kv/block_cache.c — seal, evict, find again: a block's way through device and host memory.
//
// A log of 40 tokens in blocks of 16. d is a block of the device, h a slot of the host; a node has
// what stands in its column:
//
//                                 table         A: 0 … 15      B: 16 … 31     T: 32 … 39
//   computed                      d7 d3 d5      -              -              -
//   sealed                        d7 d3 d5      d7             d3             -
//   written behind                d7 d3 d5      d7 h0 disk     d3 h1 disk     -
//   tail sealed, table released   -             d7 h0 disk     d3 h1 disk     d5
//   two blocks evicted            -             d7 h0 disk     h1 disk        h2
//   two slots needed elsewhere    -             d7 disk        h1 disk        gone
//   restored                      d7 d9         d7 disk        d9 h1 disk     gone
//
// Sealing gives a full block a node. If the index has a node with these tokens and a block already,
// two sequences have computed the same: the table takes the other's block and frees its own.
//
// Eviction needs no order of its own. A table releases its blocks from the end, and a parent ranks
// no lower than its child, so the oldest block of the lowest rank is a leaf of what is on the
// device, and what stays is a prefix. (Windows are retired from the front: there, what stays is a
// stretch.) A block that has a copy in a slot, or on the disk where the host keeps nothing, is
// dropped. Any other is copied to a slot first if one can be had, which may cost the least needed
// slot its contents.
//
// A tail is sealed only when its table lets go of it, and written only when the cache closes: it
// would be outdated by the next answer. When the conversation continues, the tail's node gives its
// block back to the table (can_thaw), which saves the copy on write: the rows that the node names
// stay as they are, but the block will soon have more than the node says.
#include "engine/kv/block_cache.h"

#include "engine/kv/lending.h"
#include "engine/kv/state.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/trace.h"

void cache_note_average(double *average, double value) {
    *average = *average > 0 ? 0.75 * *average + 0.25 * value : value;
}

void *cache_slot_bytes(const struct block_cache *cache, struct block_index slot) {
    return (char *)cache->slab + (size_t)slot.number * cache->block_bytes;
}

void cache_swap(struct block_cache *cache, struct block_index block, struct block_index slot,
                bool out) {
    struct trace_span span = trace_begin(out ? "swap out" : "swap in");
    const struct swap_blocks args = {.cache = cache->options.shape,
                                     .host = cache->slab,
                                     .blocks = &block.number,
                                     .slots = &slot.number,
                                     .pairs = 1,
                                     .out = out};
    cache->options.backend->swap_blocks(cache->options.device, &args);
    *(out ? &cache->options.counts->swap_out_bytes : &cache->options.counts->swap_in_bytes) +=
        cache->block_bytes;
    cache->swaps_pending = true;
    span.bytes = (int64_t)cache->block_bytes;
    trace_end(&span);
}

enum status cache_finish_swaps(struct block_cache *cache) {
    if (*cache->options.device_failed) return STATUS_DEVICE;
    if (!cache->swaps_pending) return STATUS_OK;
    const enum status status = cache->options.backend->sync(cache->options.device);
    cache->swaps_pending = false;
    if (status != STATUS_OK) block_cache_distrust(cache);
    return status;
}

void block_cache_distrust(struct block_cache *cache) {
    if (!*cache->options.device_failed)
        log_write(LOG_WARNING, "the device failed: it is no longer used, and no more of the KV "
                               "cache is written to disk");
    *cache->options.device_failed = true;
}

void cache_attach_block(struct block_cache *cache, struct node_index node,
                        struct block_index block) {
    struct node *n = prefix_node(cache->prefix, node);
    ASSERT(!block_valid(n->block));
    n->block = block;
    block_pool_set_node(cache->blocks, block, node);
}

void cache_attach_slot(struct block_cache *cache, struct node_index node, struct block_index slot) {
    struct node *n = prefix_node(cache->prefix, node);
    ASSERT(!block_valid(n->slot));
    n->slot = slot;
    block_pool_set_node(cache->slots, slot, node);
}

void cache_set_disk(struct block_cache *cache, struct node_index node, enum node_disk disk) {
    struct node *n = prefix_node(cache->prefix, node);
    if (n->disk == NODE_ON_DISK) cache->on_disk--;
    if (disk == NODE_ON_DISK) cache->on_disk++;
    n->disk = disk;
}

bool cache_is_somewhere(const struct node *n) {
    return block_valid(n->block) || block_valid(n->slot) || n->disk == NODE_ON_DISK;
}

// A copy of the node was given up: if it was the last one, there is nothing to write any more.
static void after_loss(struct block_cache *cache, struct node_index node) {
    const struct node *n = prefix_node(cache->prefix, node);
    if (!cache_is_somewhere(n)) {
        cache->options.counts->lost_blocks++;
        cache_unlist(cache, node);
    }
    prefix_prune(cache->prefix, node);
}

bool cache_alloc_slot(struct block_cache *cache, struct block_index *slot) {
    if (!cache->slots) return false;
    if (block_pool_alloc(cache->slots, slot) == STATUS_OK) return true;
    struct block_index victim;
    if (!block_pool_find_victim(cache->slots, &victim)) return false;
    const struct node_index node = block_pool_node(cache->slots, victim);
    prefix_node(cache->prefix, node)->slot = BLOCK_NONE;
    block_pool_set_node(cache->slots, victim, NODE_NONE);
    after_loss(cache, node);
    MUST(block_pool_alloc(cache->slots, slot) == STATUS_OK);
    return true;
}

bool cache_copy_to_slot(struct block_cache *cache, struct node_index node,
                        struct block_index *slot) {
    const struct node *n = prefix_node(cache->prefix, node);
    if (block_valid(n->slot)) {
        *slot = n->slot;
        block_pool_retain(cache->slots, *slot);
        return true;
    }
    if (!cache_alloc_slot(cache, slot)) return false;
    ASSERT(block_valid(n->block));
    cache_swap(cache, n->block, *slot, true);
    cache_attach_slot(cache, node, *slot);
    return true;
}

// Device to host, if the node would be lost otherwise or the host keeps what it can. A slot that it
// has is the last to be given up.
static void save_to_host(struct block_cache *cache, struct node_index node) {
    const struct node *n = prefix_node(cache->prefix, node);
    struct block_index slot;
    if (!block_valid(n->slot) && cache->options.host_slots == 0 && n->disk == NODE_ON_DISK) return;
    if (cache_copy_to_slot(cache, node, &slot)) block_pool_release(cache->slots, slot);
}

static void evict_block(struct block_cache *cache, struct block_index block) {
    const struct node_index node = block_pool_node(cache->blocks, block);
    save_to_host(cache, node);
    prefix_node(cache->prefix, node)->block = BLOCK_NONE;
    block_pool_set_node(cache->blocks, block, NODE_NONE);
    cache->options.counts->evicted_blocks++;
    after_loss(cache, node);
}

static bool evict(struct block_cache *cache) {
    struct block_index block;
    if (!block_pool_find_victim(cache->blocks, &block)) return false;
    evict_block(cache, block);
    return true;
}

// Can what the CACHED block holds stay in host memory, and what has to go there for it on the disk?
static bool fits_host(const struct block_cache *cache, struct block_index block) {
    struct block_index victim;
    if (!cache->slots) return false;
    if (block_valid(prefix_node(cache->prefix, block_pool_node(cache->blocks, block))->slot) ||
        block_pool_free(cache->slots) > 0)
        return true;
    return block_pool_find_victim(cache->slots, &victim) &&
           prefix_node(cache->prefix, block_pool_node(cache->slots, victim))->disk == NODE_ON_DISK;
}

// To a block before `end`.
static bool move_block(struct block_cache *cache, struct block_index block, uint32_t end) {
    const struct node_index node = block_pool_node(cache->blocks, block);
    struct block_index to;
    if (!block_pool_replace(cache->blocks, block, end, &to)) return false;
    prefix_node(cache->prefix, node)->block = to;
    cache->options.backend->copy_blocks(cache->options.device,
                                        &(struct copy_blocks){.cache = cache->options.shape,
                                                              .source = &block.number,
                                                              .destination = &to.number,
                                                              .pairs = 1});
    return true;
}

bool block_cache_give_up(struct block_cache *cache, const struct lending_wish *wish) {
    struct block_index block;
    for (uint32_t i = 0; i < wish->count; i++)
        if (block_pool_references(cache->blocks, (struct block_index){wish->first + i}) > 0)
            return false;
    while (block_pool_free(cache->blocks) < wish->free) {
        if (!block_pool_find_victim(cache->blocks, &block) || !fits_host(cache, block))
            return false;
        evict_block(cache, block);
    }
    for (uint32_t i = 0; i < wish->count; i++) {
        block.number = wish->first + i;
        if (node_valid(block_pool_node(cache->blocks, block)) &&
            !move_block(cache, block, wish->first))
            return false;
    }
    return true;
}

struct block_pool *block_cache_pool(struct block_cache *cache) {
    return cache->blocks;
}

uint32_t block_cache_available(const struct block_cache *cache) {
    return block_pool_free(cache->blocks) + block_pool_lent(cache->blocks) +
           block_pool_cached(cache->blocks);
}

bool block_cache_make_free(struct block_cache *cache, uint32_t blocks) {
    struct lending *lending = cache->options.lending;
    while (block_pool_free(cache->blocks) < blocks)
        if (!(lending && lending_take_back(lending)) && !evict(cache)) return false;
    return true;
}

// The rows that the node names stay in the block, but another node, or none, will have it.
static void detach_block(struct block_cache *cache, struct node_index node) {
    struct node *n = prefix_node(cache->prefix, node);
    block_pool_set_node(cache->blocks, n->block, NODE_NONE);
    n->block = BLOCK_NONE;
    if (!cache_is_somewhere(n)) cache_unlist(cache, node);
    prefix_prune(cache->prefix, node);
}

// May the tail's node give up its block, so that the table can append to it? The rows that the node
// names stay as they are, but the block will soon have more than the node names.
static bool can_thaw(const struct block_cache *cache, const struct block_table *table) {
    const int32_t used = table->length % cache->block_size;
    if (used == 0) return false;
    const struct block_index block = table->blocks[table->count - 1];
    const struct node_index node = block_pool_node(cache->blocks, block);
    return node_valid(node) && block_pool_references(cache->blocks, block) == 1 &&
           prefix_node(cache->prefix, node)->count <= used;
}

uint32_t block_cache_need(const struct block_cache *cache, const struct block_table *table,
                          int32_t new_length) {
    const uint32_t need = block_table_need(table, cache->blocks, new_length);
    return need - (can_thaw(cache, table) ? 1 : 0);
}

enum status block_cache_grow(struct block_cache *cache, struct block_table *table,
                             int32_t new_length) {
    struct block_copy copy;
    if (block_cache_need(cache, table, new_length) > block_pool_free(cache->blocks))
        return STATUS_FULL;
    if (can_thaw(cache, table))
        detach_block(cache, block_pool_node(cache->blocks, table->blocks[table->count - 1]));
    TRY(block_table_grow(table, cache->blocks, new_length, &copy));
    if (!copy.needed) return STATUS_OK;
    // In the device's order, so before whatever the source is used for if it is evicted now.
    cache->options.backend->copy_blocks(
        cache->options.device, &(struct copy_blocks){.cache = cache->options.shape,
                                                     .source = &copy.source.number,
                                                     .destination = &copy.destination.number,
                                                     .pairs = 1});
    return STATUS_OK;
}

static struct node_index node_at(const struct block_cache *cache, const struct block_table *table,
                                 int32_t index) {
    if (index < table->first) return NODE_NONE;
    return block_pool_node(cache->blocks, table->blocks[index]);
}

// A block that is full here may have the node of a tail: of a shorter table that shared it.
static struct node_index full_node_at(const struct block_cache *cache,
                                      const struct block_table *table, int32_t index) {
    const struct node_index node = node_at(cache, table, index);
    if (!node_valid(node)) return NODE_NONE;
    return prefix_node(cache->prefix, node)->count == cache->block_size ? node : NODE_NONE;
}

// Where the KV of a table's end hangs in the index.
static bool parent_of(struct block_cache *cache, const struct block_table *table,
                      const int32_t *ids, struct node_index *parent) {
    *parent = NODE_NONE;
    if (table->count == 0) return true;
    if (table->first < table->count)
        *parent = full_node_at(cache, table, table->count - 1);
    else
        *parent = block_cache_leaf(cache, ids, table->length);
    return node_valid(*parent) &&
           prefix_node(cache->prefix, *parent)->position + cache->block_size == table->length;
}

// The node of the `count` tokens with which block `index` of the table begins. False: it can have
// none.
static bool enter_node(struct block_cache *cache, const struct block_table *table, int32_t index,
                       const int32_t *ids, int32_t count, struct node_index *node) {
    const struct node_index parent = index ? full_node_at(cache, table, index - 1) : NODE_NONE;
    ids += (size_t)index * (size_t)cache->block_size;
    if (index && !node_valid(parent)) return false;
    return prefix_find(cache->prefix, parent, ids, count, node) ||
           prefix_insert(cache->prefix, parent, ids, count, node) == STATUS_OK;
}

// False: the block stays without a node, and so do those after it.
static bool seal_block(struct block_cache *cache, struct block_table *table, const int32_t *ids,
                       int32_t index) {
    const struct block_index block = table->blocks[index];
    struct node_index node;
    if (!enter_node(cache, table, index, ids, cache->block_size, &node)) return false;
    const struct node *n = prefix_node(cache->prefix, node);
    if (block_equal(n->block, block)) return true;
    if (block_valid(n->block)) {
        block_table_replace(table, cache->blocks, index, n->block);
        cache->options.counts->duplicate_blocks++;
        return true;
    }
    if (node_valid(block_pool_node(cache->blocks, block)))
        detach_block(cache, block_pool_node(cache->blocks, block)); // a tail's
    cache_attach_block(cache, node, block);
    cache_want_written(cache, node);
    return true;
}

void block_cache_seal(struct block_cache *cache, struct block_table *table, const int32_t *ids,
                      int32_t from) {
    const int32_t full = table->length / cache->block_size;
    for (int32_t i = from / cache->block_size; i < full; i++)
        if (!seal_block(cache, table, ids, i)) return;
}

void block_cache_seal_tail(struct block_cache *cache, const struct block_table *table,
                           const int32_t *ids) {
    const int32_t used = table->length % cache->block_size, index = table->count - 1;
    struct node_index node;
    if (used == 0 || node_valid(node_at(cache, table, index)) ||
        !enter_node(cache, table, index, ids, used, &node))
        return;
    if (block_valid(prefix_node(cache->prefix, node)->block)) return;
    cache_attach_block(cache, node, table->blocks[index]);
    cache_list_tail(cache, node);
}

void block_cache_truncate(struct block_cache *cache, struct block_table *table, const int32_t *ids,
                          int32_t new_length) {
    const int32_t tail = table->length - table->length % cache->block_size;
    // A state at the tail is found by nobody.
    if (cache->options.kind != CACHE_STATE && new_length <= tail)
        block_cache_seal_tail(cache, table, ids);
    block_table_truncate(table, cache->blocks, new_length);
}

void block_cache_discard(struct block_cache *cache, struct block_table *table) {
    if (cache->options.kind == CACHE_STATE) return; // it hangs on a block that may stay
    for (int32_t i = table->count - 1; i >= table->first; i--) {
        const struct block_index block = table->blocks[i];
        const struct node_index node = node_at(cache, table, i);
        if (block_pool_references(cache->blocks, block) > 1) return; // and so are those before it
        if (!node_valid(node)) continue;
        const struct node *n = prefix_node(cache->prefix, node);
        if (node_valid(n->first_child) || n->transfers > 0 || n->disk != NODE_NOT_ON_DISK) return;
        detach_block(cache, node);
    }
}

bool cache_walk_begin(struct block_cache *cache, const struct block_table *table,
                      const int32_t *ids, int32_t length, struct cache_walk *walk) {
    *walk = (struct cache_walk){.ids = ids, .at = table->length, .length = length};
    return table->length % cache->block_size == 0 && parent_of(cache, table, ids, &walk->parent);
}

bool cache_walk_next(struct block_cache *cache, struct cache_walk *walk) {
    const int32_t size = cache->block_size, left = walk->length - walk->at;
    const int32_t *ids = walk->ids + walk->at;
    if (left <= 0 || walk->at % size != 0) return false;
    if (left >= size && prefix_find(cache->prefix, walk->parent, ids, size, &walk->node))
        walk->count = size;
    else if (!prefix_find_nearest(cache->prefix, walk->parent, ids, left < size ? left : size,
                                  &walk->node, &walk->count))
        return false;
    walk->at += walk->count;
    walk->parent = walk->node;
    return true;
}

void cache_note_reuse(struct block_cache *cache, const struct block_table *table) {
    int32_t i = table->count - 1;
    while (i >= table->first && block_pool_raise(cache->blocks, table->blocks[i], BLOCK_REUSED))
        i--;
}

void block_cache_adopt(struct block_cache *cache, struct block_table *table, const int32_t *ids,
                       int32_t first, int32_t length) {
    struct cache_walk walk;
    block_table_skip(table, cache->blocks, first);
    if (!cache_walk_begin(cache, table, ids, length, &walk)) return;
    while (cache_walk_next(cache, &walk)) {
        const struct block_index block = prefix_node(cache->prefix, walk.node)->block;
        if (!block_valid(block)) return;
        block_table_adopt(table, cache->blocks, block, walk.count);
        cache_note_reuse(cache, table);
    }
}

void block_cache_pin(struct block_cache *cache, const struct block_table *table, int32_t length) {
    const int32_t known = length < table->length ? length : table->length;
    if (cache->options.kind == CACHE_STATE) return; // a sparse table has few blocks of the prefix
    for (int32_t i = table->first; i < known / cache->block_size; i++)
        block_pool_raise(cache->blocks, table->blocks[i], BLOCK_PINNED);
}

struct node_index block_cache_leaf(struct block_cache *cache, const int32_t *ids, int32_t length) {
    struct node_index leaf = NODE_NONE, node;
    const int32_t size = cache->block_size;
    for (int32_t at = 0; at + size <= length; at += size) {
        if (!prefix_find(cache->prefix, leaf, ids + at, size, &node)) break;
        leaf = node;
    }
    return leaf;
}

struct node_index block_cache_end(struct block_cache *cache, const int32_t *ids, int32_t length) {
    const struct node_index leaf = block_cache_leaf(cache, ids, length);
    const struct node *n = !node_valid(leaf) ? NULL : prefix_node(cache->prefix, leaf);
    const int32_t at = n ? n->position + n->count : 0, left = length - at;
    struct node_index tail;
    const bool found = left > 0 && left < cache->block_size &&
                       prefix_find(cache->prefix, leaf, ids + at, left, &tail);
    return found ? tail : leaf;
}

// What a node hangs on, as the disk knows it: a state hangs on the block with its own key.
static struct hash128 parent_key(struct block_cache *cache, const struct node *n) {
    if (cache->options.kind == CACHE_STATE) return n->key;
    return node_valid(n->parent) ? prefix_node(cache->prefix, n->parent)->key : (struct hash128){0};
}

void cache_add_to_job(struct block_cache *cache, struct disk_job *job, struct node_index node,
                      struct block_index slot) {
    struct node *n = prefix_node(cache->prefix, node);
    ASSERT(job->count < DISK_MAX_BATCH);
    n->transfers++;
    job->nodes[job->count] = node;
    job->slots[job->count] = slot;
    job->payloads[job->count] = cache_slot_bytes(cache, slot);
    job->blocks[job->count++] = (struct disk_block){
        .key = n->key,
        .parent = parent_key(cache, n),
        .ids = prefix_ids(cache->prefix, node),
        .count = n->count,
        .position = n->position,
    };
}

void cache_abandon_job(struct block_cache *cache, const struct disk_job *job) {
    for (int32_t i = 0; i < job->count; i++) {
        struct node *n = prefix_node(cache->prefix, job->nodes[i]);
        n->transfers--;
        n->loading = false;
        if (n->disk == NODE_WRITING) cache_set_disk(cache, job->nodes[i], NODE_NOT_ON_DISK);
        block_pool_release(cache->slots, job->slots[i]);
    }
}

void cache_forget_node(struct block_cache *cache, struct node_index node, struct disk_job *drops) {
    struct node *n = prefix_node(cache->prefix, node);
    ASSERT(n->transfers == 0);
    cache_unlist(cache, node);
    if (n->disk == NODE_ON_DISK) {
        ASSERT(drops && drops->count < DISK_MAX_BATCH);
        drops->keys[drops->count++] = n->key;
    }
    cache_set_disk(cache, node, NODE_NOT_ON_DISK);
    const struct block_index block = n->block, slot = n->slot;
    n->block = n->slot = BLOCK_NONE;
    if (block_valid(block)) block_pool_set_node(cache->blocks, block, NODE_NONE);
    if (block_valid(slot)) block_pool_set_node(cache->slots, slot, NODE_NONE);
    prefix_prune(cache->prefix, node);
}

bool block_cache_work_disk(struct block_cache *cache) {
    return cache->io && disk_io_work(cache->io);
}

// ---- accounting

static struct kv_group_usage usage_of_group(const struct block_cache *cache) {
    struct kv_group_usage group = {
        .kind = cache->options.kind,
        .reach = cache->options.reach,
        .block_bytes = cache->block_bytes,
        .device_blocks = block_pool_total(cache->blocks),
        .device_free = block_pool_free(cache->blocks) + block_pool_lent(cache->blocks),
        .device_cached = block_pool_cached(cache->blocks),
        .device_shared = block_pool_shared(cache->blocks),
        .device_spared = block_pool_spared(cache->blocks),
    };
    group.device_held = group.device_blocks - group.device_free - group.device_cached;
    if (!cache->slots) return group;
    group.host_blocks = block_pool_total(cache->slots);
    group.host_free = block_pool_free(cache->slots);
    group.host_cached = block_pool_cached(cache->slots);
    group.host_moving = group.host_blocks - group.host_free - group.host_cached;
    return group;
}

static void add_disk(const struct block_cache *cache, struct kv_usage *usage) {
    const struct disk_usage disk = disk_io_usage(cache->io);
    usage->has_disk = true;
    if (disk.stored_bytes > usage->disk_bytes) usage->disk_bytes = disk.stored_bytes; // the same
    usage->disk_limit_bytes = disk.limit_bytes; // folder for all groups, seen at other moments
    usage->disk_written_bytes += disk.written_bytes;
    usage->disk_payload_bytes += disk.payload_bytes;
}

void block_cache_add_usage(const struct block_cache *cache, struct kv_usage *usage) {
    const struct kv_group_usage group = usage_of_group(cache);
    ASSERT(usage->group_count < KV_GROUPS);
    usage->groups[usage->group_count++] = group;
    usage->spared_bytes += group.device_spared * group.block_bytes;
    usage->disk_blocks += cache->on_disk;
    usage->unwritten_blocks += cache->unwritten.count;
    if (cache->disk) add_disk(cache, usage);
}

static void check_list(struct block_cache *cache, const struct node_list *list, bool tails) {
    uint32_t count = 0;
    struct node_index previous = NODE_NONE;
    for (struct node_index i = list->first; node_valid(i);) {
        const struct node *n = prefix_node(cache->prefix, i);
        ASSERT(node_equal(n->list_previous, previous));
        ASSERT(n->tail_listed == tails);
        ASSERT(n->disk == (tails ? NODE_NOT_ON_DISK : NODE_UNWRITTEN));
        ASSERT(block_valid(n->block) || block_valid(n->slot));
        MUST(++count <= list->count);
        previous = i;
        i = n->list_next;
    }
    ASSERT(count == list->count && node_equal(list->last, previous));
}

void block_cache_check(struct block_cache *cache) {
    block_pool_check(cache->blocks);
    prefix_check(cache->prefix);
    for (uint32_t i = 0; i < block_pool_total(cache->blocks); i++) {
        const struct block_index block = {i};
        const struct node_index node = block_pool_node(cache->blocks, block);
        if (!node_valid(node)) continue;
        const struct node *n = prefix_node(cache->prefix, node);
        ASSERT(block_equal(n->block, block));
        if (node_valid(n->parent) && cache->options.kind == CACHE_FULL)
            ASSERT(block_valid(prefix_node(cache->prefix, n->parent)->block));
    }
    if (cache->slots) block_pool_check(cache->slots);
    for (uint32_t i = 0; cache->slots && i < block_pool_total(cache->slots); i++) {
        const struct block_index slot = {i};
        const struct node_index node = block_pool_node(cache->slots, slot);
        if (node_valid(node)) ASSERT(block_equal(prefix_node(cache->prefix, node)->slot, slot));
    }
    reference_table_check(&cache->references);
    check_list(cache, &cache->unwritten, false);
    check_list(cache, &cache->tails, true);
}
