#include "tests/harness/memory_disk.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/assert.h"

enum { BUCKETS = 4096 };

struct record {
    struct hash128 format, key, parent;
    int32_t *ids; // [count]; NULL: this record is not in use
    int32_t count;
    void *payload; // [payload_bytes]
    size_t payload_bytes;
    struct hash128 checksum;
    uint64_t used; // a higher one is later
    int32_t position;
    uint32_t children; // records whose parent this is
    uint32_t next;     // number + 1 of the next in its bucket, or of the next free one; 0: none
    uint32_t mark;     // equals the store's: must stay now
};

struct reference {
    uint64_t conversation;
    struct hash128 format, leaf;
};

struct memory_store {
    pthread_mutex_t lock;
    pthread_cond_t changed; // something was blocked, or let go on
    struct record *records; // [capacity], those below `touched` were used once
    uint32_t capacity, touched, first_free, count, limit;
    uint32_t buckets[BUCKETS]; // number + 1; 0: empty
    struct reference references[MEMORY_STORE_REFERENCES];
    uint32_t reference_count, mark;
    uint64_t clock;
    struct disk_speed speed;
    struct memory_store_counts counts;

    uint32_t fail_write_in, fail_read_in; // calls, blocks; 0: no failure is ordered
    enum status fail_write, fail_read, fail_begin, fail_list;
    bool blocks_reads, blocks_writes;
    uint32_t blocked;
    int32_t open; // pools
};

struct memory_disk { // one opening
    struct disk_pool pool;
    struct memory_store *store;
    struct disk_format format;
    struct disk_listener listener;
    uint64_t written_bytes, payload_bytes;
};

static struct memory_store *lock_store(struct disk_pool *pool) {
    struct memory_store *store = ((struct memory_disk *)pool)->store;
    pthread_mutex_lock(&store->lock);
    return store;
}

// ---- records

static struct hash128 checksum_of(const struct record *r) {
    const struct hash128 parts[] = {
        r->format,
        r->key,
        r->parent,
        hash_bytes(r->ids, (size_t)r->count * sizeof r->ids[0], 0),
        hash_bytes(r->payload, r->payload_bytes, 0),
    };
    return hash_bytes(parts, sizeof parts, 0);
}

static uint32_t *bucket_of(struct memory_store *store, struct hash128 key) {
    return &store->buckets[key.low % BUCKETS];
}

static struct record *find_record(struct memory_store *store, struct hash128 format,
                                  struct hash128 key) {
    for (uint32_t n = *bucket_of(store, key); n; n = store->records[n - 1].next) {
        struct record *r = &store->records[n - 1];
        if (hash_equal(r->key, key) && hash_equal(r->format, format)) return r;
    }
    return NULL;
}

// A state hangs on the block with its key that is no state.
static struct record *find_other(struct memory_store *store, struct hash128 format,
                                 struct hash128 key) {
    for (uint32_t n = *bucket_of(store, key); n; n = store->records[n - 1].next) {
        struct record *r = &store->records[n - 1];
        if (hash_equal(r->key, key) && !hash_equal(r->format, format) &&
            !hash_equal(r->parent, key))
            return r;
    }
    return NULL;
}

static struct record *find_any(struct memory_store *store, struct hash128 key) {
    for (uint32_t n = *bucket_of(store, key); n; n = store->records[n - 1].next)
        if (hash_equal(store->records[n - 1].key, key)) return &store->records[n - 1];
    return NULL;
}

static void count_children(struct memory_store *store, struct record *r) {
    r->children = 0;
    for (uint32_t i = 0; i < store->touched; i++) {
        const struct record *other = &store->records[i];
        r->children += other->ids && other != r && hash_equal(other->parent, r->key) &&
                       hash_equal(other->format, r->format);
    }
}

static void remove_record(struct memory_store *store, struct record *r) {
    const uint32_t number = (uint32_t)(r - store->records) + 1;
    uint32_t *link = bucket_of(store, r->key);
    while (*link != number)
        link = &store->records[*link - 1].next;
    *link = r->next;
    struct record *parent = find_record(store, r->format, r->parent);
    if (parent) parent->children--;
    free(r->ids);
    free(r->payload);
    *r = (struct record){.next = store->first_free};
    store->first_free = number;
    store->count--;
}

static bool alloc_number(struct memory_store *store, uint32_t *number) {
    if (store->first_free) {
        *number = store->first_free;
        store->first_free = store->records[*number - 1].next;
        return true;
    }
    if (store->touched == store->capacity) {
        const uint32_t larger = store->capacity ? 2 * store->capacity : 64;
        struct record *records = realloc(store->records, larger * sizeof *records);
        if (!records) return false;
        store->records = records;
        store->capacity = larger;
    }
    *number = ++store->touched;
    return true;
}

static bool add_record(struct memory_store *store, const struct disk_format *format,
                       const struct disk_block *block, const void *payload) {
    const size_t ids_bytes = (size_t)block->count * sizeof block->ids[0];
    int32_t *ids = malloc(ids_bytes);
    void *copy = malloc(format->payload_bytes);
    uint32_t number;
    if (!ids || !copy || !alloc_number(store, &number)) {
        free(ids);
        free(copy);
        return false;
    }
    memcpy(ids, block->ids, ids_bytes);
    memcpy(copy, payload, format->payload_bytes);
    struct record *r = &store->records[number - 1];
    *r = (struct record){
        .format = format->id,
        .key = block->key,
        .parent = block->parent,
        .ids = ids,
        .count = block->count,
        .payload = copy,
        .payload_bytes = format->payload_bytes,
        .used = ++store->clock,
        .position = block->position,
    };
    r->checksum = checksum_of(r);
    struct record *parent = find_record(store, r->format, r->parent);
    if (parent) parent->children++;
    const bool is_root = hash_equal(r->parent, (struct hash128){0});
    store->counts.orphan_blocks += !is_root && !hash_equal(r->parent, r->key) && !parent;
    count_children(store, r);
    r->next = *bucket_of(store, r->key);
    *bucket_of(store, r->key) = number;
    store->count++;
    return true;
}

// ---- space

// A state hangs on a block of another format.
static struct record *find_above(struct memory_store *store, const struct record *r) {
    return hash_equal(r->parent, r->key) ? NULL : find_record(store, r->format, r->parent);
}

static void mark_path(struct memory_store *store, struct hash128 format, struct hash128 key) {
    for (struct record *r = find_record(store, format, key); r; r = find_above(store, r))
        r->mark = store->mark;
}

// Those that a conversation needs are marked when `references` is set; those of the write always.
static struct record *find_least(struct memory_store *store, struct hash128 format,
                                 const struct disk_block *blocks, int32_t count, bool references) {
    struct record *least = NULL;
    store->mark++;
    for (int32_t i = 0; i < count; i++) {
        mark_path(store, format, blocks[i].key);
        mark_path(store, format, blocks[i].parent);
    }
    for (uint32_t i = 0; references && i < store->reference_count; i++)
        mark_path(store, store->references[i].format, store->references[i].leaf);
    for (uint32_t i = 0; i < store->touched; i++) {
        struct record *r = &store->records[i];
        if (!r->ids || r->children > 0 || r->mark == store->mark) continue;
        if (!least || r->used < least->used) least = r;
    }
    return least;
}

// Called with the lock, which is given up while the pool's user hears of it.
static void drop_record(struct memory_disk *disk, struct record *r) {
    struct memory_store *store = disk->store;
    const struct hash128 key = r->key;
    const bool is_ours = hash_equal(r->format, disk->format.id);
    remove_record(store, r);
    store->counts.dropped_blocks++;
    pthread_mutex_unlock(&store->lock);
    if (is_ours) disk->listener.dropped(disk->listener.user, key);
    pthread_mutex_lock(&store->lock);
}

// For one more.
static bool make_space(struct memory_disk *disk, const struct disk_block *blocks, int32_t count) {
    struct memory_store *store = disk->store;
    while (store->limit && store->count + 1 > store->limit) {
        struct record *r = find_least(store, disk->format.id, blocks, count, true);
        if (!r) r = find_least(store, disk->format.id, blocks, count, false);
        if (!r) return false;
        drop_record(disk, r);
    }
    return true;
}

// ---- the operations

// A round lists what hangs on the rounds before it, so parents come before children; what hangs on
// nothing is never listed.
static uint32_t list_round(struct memory_disk *disk, uint32_t last_mark) {
    struct memory_store *store = disk->store;
    uint32_t listed = 0;
    for (uint32_t i = 0; i < store->touched; i++) {
        struct record *r = &store->records[i];
        if (!r->ids || !hash_equal(r->format, disk->format.id)) continue;
        const struct record *parent = find_above(store, r);
        const bool is_root =
            hash_equal(r->parent, (struct hash128){0}) || hash_equal(r->parent, r->key);
        if (is_root ? last_mark != 0 : !parent || parent->mark != last_mark) continue;
        r->mark = store->mark;
        listed++;
        const struct disk_block block = {
            .key = r->key,
            .parent = r->parent,
            .ids = r->ids,
            .count = r->count,
            .position = r->position,
        };
        disk->listener.block(disk->listener.user, &block);
    }
    return listed;
}

static enum status list_all(struct memory_disk *disk) {
    struct memory_store *store = disk->store;
    const enum status status = store->fail_list;
    store->fail_list = STATUS_OK;
    uint32_t last_mark = 0;
    store->mark++;
    while (list_round(disk, last_mark) > 0) {
        last_mark = store->mark++;
        if (status != STATUS_OK) return status; // it fails in the middle
    }
    for (uint32_t i = 0; i < store->reference_count; i++)
        if (hash_equal(store->references[i].format, disk->format.id))
            disk->listener.reference(disk->listener.user, store->references[i].conversation,
                                     store->references[i].leaf);
    return status;
}

static enum status memory_open(struct disk_pool *pool, const struct disk_format *format,
                               const struct disk_listener *listener, struct disk_speed *speed,
                               struct error *err) {
    struct memory_disk *t = (struct memory_disk *)pool;
    struct memory_store *store = lock_store(pool);
    enum status status = store->fail_begin;
    store->fail_begin = STATUS_OK;
    t->format = *format;
    t->listener = *listener;
    if (status == STATUS_OK) status = list_all(t);
    if (status == STATUS_OK) *speed = store->speed;
    pthread_mutex_unlock(&store->lock);
    return status == STATUS_OK ? STATUS_OK : error_set(err, status, "open() fails on order");
}

static void wait_while_blocked(struct memory_store *store, const bool *blocks) {
    if (!*blocks) return;
    store->blocked++;
    pthread_cond_broadcast(&store->changed);
    while (*blocks)
        pthread_cond_wait(&store->changed, &store->lock);
    store->blocked--;
}

static struct record *find_parent(struct memory_store *store, struct hash128 format,
                                  const struct disk_block *block) {
    if (!hash_equal(block->parent, block->key)) return find_record(store, format, block->parent);
    return find_other(store, format, block->key);
}

static enum status write_all(struct memory_disk *disk, const struct disk_block *blocks,
                             const void *const *payloads, int32_t count, enum status *outcomes) {
    struct memory_store *store = disk->store;
    for (int32_t i = 0; i < count; i++) {
        const struct disk_block *block = &blocks[i];
        struct record *r = find_record(store, disk->format.id, block->key);
        const bool fresh = !r, is_root = hash_equal(block->parent, (struct hash128){0});
        outcomes[i] = STATUS_OK;
        if (fresh && !is_root && !find_parent(store, disk->format.id, block))
            outcomes[i] = STATUS_NOT_FOUND;
        else if (fresh && (!make_space(disk, blocks, count) ||
                           !add_record(store, &disk->format, block, payloads[i])))
            outcomes[i] = STATUS_FULL;
        if (outcomes[i] != STATUS_OK) continue;
        r = find_record(store, disk->format.id, block->key);
        r->used = ++store->clock;
        store->counts.repeated_blocks += !fresh;
        store->counts.written_blocks += fresh;
        if (fresh) disk->payload_bytes += disk->format.payload_bytes;
    }
    return STATUS_OK;
}

static enum status memory_write(struct disk_pool *pool, const struct disk_block *blocks,
                                const void *const *payloads, int32_t count, enum status *outcomes,
                                struct error *err) {
    struct memory_disk *t = (struct memory_disk *)pool;
    ASSERT(count > 0 && count <= DISK_MAX_BATCH);
    struct memory_store *store = lock_store(pool);
    wait_while_blocked(store, &store->blocks_writes);
    store->counts.writes++;
    enum status status;
    if (store->fail_write_in > 0 && --store->fail_write_in == 0) {
        store->counts.failed_writes++;
        status = store->fail_write;
    } else {
        status = write_all(t, blocks, payloads, count, outcomes);
    }
    store->counts.written_bytes = store->counts.written_blocks * t->format.payload_bytes;
    t->written_bytes = t->payload_bytes;
    pthread_mutex_unlock(&store->lock);
    return status == STATUS_OK ? STATUS_OK : error_set(err, status, "write() fails on order");
}

static bool is_the_block(const struct record *r, const struct disk_block *block) {
    return hash_equal(r->parent, block->parent) && r->count == block->count &&
           memcmp(r->ids, block->ids, (size_t)r->count * sizeof r->ids[0]) == 0;
}

static enum status read_one(struct memory_disk *disk, const struct disk_block *block,
                            void *payload) {
    struct memory_store *store = disk->store;
    struct record *r = find_record(store, disk->format.id, block->key);
    enum status status = STATUS_OK;
    if (store->fail_read_in > 0 && --store->fail_read_in == 0) status = store->fail_read;
    if (status == STATUS_OK && !r) status = STATUS_NOT_FOUND;
    if (status == STATUS_OK && !is_the_block(r, block)) status = STATUS_NOT_FOUND;
    if (status == STATUS_OK && !hash_equal(r->checksum, checksum_of(r))) status = STATUS_BAD_FILE;
    if (status == STATUS_OK) {
        memcpy(payload, r->payload, r->payload_bytes);
        r->used = ++store->clock;
        return STATUS_OK;
    }
    memset(payload, 0xdb, disk->format.payload_bytes); // what is there means nothing
    if (r && status != STATUS_IO) drop_record(disk, r);
    return status;
}

static void memory_read(struct disk_pool *pool, const struct disk_block *blocks,
                        void *const *payloads, int32_t count, enum status *outcomes) {
    struct memory_disk *t = (struct memory_disk *)pool;
    ASSERT(count > 0 && count <= DISK_MAX_BATCH);
    struct memory_store *store = lock_store(pool);
    wait_while_blocked(store, &store->blocks_reads);
    store->counts.reads++;
    for (int32_t i = 0; i < count; i++) {
        outcomes[i] = read_one(t, &blocks[i], payloads[i]);
        const bool good = outcomes[i] == STATUS_OK;
        store->counts.failed_reads += !good;
        store->counts.read_blocks += good;
        store->counts.read_bytes += good ? t->format.payload_bytes : 0;
    }
    pthread_mutex_unlock(&store->lock);
}

static void memory_drop(struct disk_pool *pool, const struct hash128 *keys, int32_t count) {
    struct memory_store *store = lock_store(pool);
    store->counts.drops++;
    for (int32_t i = 0; i < count; i++) {
        struct record *r = find_record(store, ((struct memory_disk *)pool)->format.id, keys[i]);
        if (!r) continue;
        remove_record(store, r);
        store->counts.asked_drops++;
    }
    pthread_mutex_unlock(&store->lock);
}

// Of one format; NULL: of any.
static struct reference *find_reference(struct memory_store *store, uint64_t conversation,
                                        const struct hash128 *format) {
    for (uint32_t i = 0; i < store->reference_count; i++)
        if (store->references[i].conversation == conversation &&
            (!format || hash_equal(store->references[i].format, *format)))
            return &store->references[i];
    return NULL;
}

static void release(struct memory_store *store, uint64_t conversation) {
    struct reference *reference;
    store->counts.releases++;
    while ((reference = find_reference(store, conversation, NULL)))
        *reference = store->references[--store->reference_count];
}

static void memory_reference(struct disk_pool *pool, uint64_t conversation, struct hash128 leaf) {
    const struct hash128 format = ((struct memory_disk *)pool)->format.id;
    struct memory_store *store = lock_store(pool);
    if (hash_equal(leaf, (struct hash128){0})) {
        release(store, conversation);
    } else {
        struct reference *reference = find_reference(store, conversation, &format);
        store->counts.references++;
        if (!reference && store->reference_count < MEMORY_STORE_REFERENCES)
            reference = &store->references[store->reference_count++];
        if (reference) *reference = (struct reference){conversation, format, leaf};
        for (struct record *r = find_record(store, format, leaf); r; r = find_above(store, r))
            r->used = ++store->clock;
    }
    pthread_mutex_unlock(&store->lock);
}

static struct disk_usage memory_usage(struct disk_pool *pool) {
    const struct memory_disk *t = (const struct memory_disk *)pool;
    struct memory_store *store = lock_store(pool);
    const struct disk_usage usage = {
        .blocks = store->count,
        .stored_bytes = store->count * t->format.payload_bytes,
        .limit_bytes = store->limit * t->format.payload_bytes,
        .written_bytes = t->written_bytes,
        .payload_bytes = t->payload_bytes,
    };
    pthread_mutex_unlock(&store->lock);
    return usage;
}

static void memory_close(struct disk_pool *pool, const struct disk_speed *speed) {
    struct memory_store *store = lock_store(pool);
    ASSERT(store->open > 0 && store->blocked == 0);
    store->open--;
    store->counts.closed++;
    if (speed) store->speed = *speed;
    store->counts.speeds += speed != NULL;
    pthread_mutex_unlock(&store->lock);
    free(pool);
}

static struct disk_pool *memory_twin(struct disk_pool *pool) {
    return memory_store_open(((struct memory_disk *)pool)->store);
}

static const struct disk_pool_ops OPS = {
    .twin = memory_twin,
    .open = memory_open,
    .write = memory_write,
    .read = memory_read,
    .drop = memory_drop,
    .reference = memory_reference,
    .usage = memory_usage,
    .close = memory_close,
};

// ---- the store

struct memory_store *memory_store_create(uint32_t limit_blocks) {
    struct memory_store *store = calloc(1, sizeof *store);
    if (!store) return NULL;
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->changed, NULL);
    store->limit = limit_blocks;
    return store;
}

void memory_store_destroy(struct memory_store *store) {
    if (!store) return;
    ASSERT(store->open == 0);
    for (uint32_t i = 0; i < store->touched; i++) {
        free(store->records[i].ids);
        free(store->records[i].payload);
    }
    pthread_cond_destroy(&store->changed);
    pthread_mutex_destroy(&store->lock);
    free(store->records);
    free(store);
}

struct disk_pool *memory_store_open(struct memory_store *store) {
    struct memory_disk *disk = calloc(1, sizeof *disk);
    if (!disk) return NULL;
    pthread_mutex_lock(&store->lock);
    store->open++;
    store->counts.opened++;
    pthread_mutex_unlock(&store->lock);
    disk->pool.ops = &OPS;
    disk->store = store;
    return &disk->pool;
}

bool memory_store_is_open(struct memory_store *store) {
    pthread_mutex_lock(&store->lock);
    const bool open = store->open > 0;
    pthread_mutex_unlock(&store->lock);
    return open;
}

void memory_store_fail_write(struct memory_store *store, uint32_t nth, enum status status) {
    pthread_mutex_lock(&store->lock);
    store->fail_write_in = nth;
    store->fail_write = status;
    pthread_mutex_unlock(&store->lock);
}

void memory_store_fail_read(struct memory_store *store, uint32_t nth, enum status status) {
    pthread_mutex_lock(&store->lock);
    store->fail_read_in = nth;
    store->fail_read = status;
    pthread_mutex_unlock(&store->lock);
}

void memory_store_fail_opening(struct memory_store *store, bool at_list, enum status status) {
    pthread_mutex_lock(&store->lock);
    *(at_list ? &store->fail_list : &store->fail_begin) = status;
    pthread_mutex_unlock(&store->lock);
}

void memory_store_fail_nothing(struct memory_store *store) {
    pthread_mutex_lock(&store->lock);
    store->fail_write_in = store->fail_read_in = 0;
    store->fail_begin = store->fail_list = STATUS_OK;
    pthread_mutex_unlock(&store->lock);
}

void memory_store_block(struct memory_store *store, bool reads, bool writes) {
    pthread_mutex_lock(&store->lock);
    store->blocks_reads = reads;
    store->blocks_writes = writes;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->lock);
}

void memory_store_unblock(struct memory_store *store) { memory_store_block(store, false, false); }

bool memory_store_wait_blocked(struct memory_store *store, int timeout_ms) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += timeout_ms % 1000 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&store->lock);
    while (store->blocked == 0)
        if (pthread_cond_timedwait(&store->changed, &store->lock, &until) == ETIMEDOUT) break;
    const bool blocked = store->blocked > 0;
    pthread_mutex_unlock(&store->lock);
    return blocked;
}

static bool damage(struct record *r) {
    if (!r) return false;
    ((unsigned char *)r->payload)[r->payload_bytes / 2] ^= 0x40;
    return true;
}

bool memory_store_damage(struct memory_store *store, uint32_t index) {
    struct record *found = NULL;
    pthread_mutex_lock(&store->lock);
    for (uint32_t i = 0; i < store->touched && !found; i++)
        if (store->records[i].ids && index-- == 0) found = &store->records[i];
    const bool damaged = damage(found);
    pthread_mutex_unlock(&store->lock);
    return damaged;
}

bool memory_store_damage_key(struct memory_store *store, struct hash128 key) {
    pthread_mutex_lock(&store->lock);
    const bool damaged = damage(find_any(store, key));
    pthread_mutex_unlock(&store->lock);
    return damaged;
}

bool memory_store_remove(struct memory_store *store, struct hash128 key) {
    pthread_mutex_lock(&store->lock);
    struct record *r = find_any(store, key);
    if (r) remove_record(store, r);
    pthread_mutex_unlock(&store->lock);
    return r != NULL;
}

void memory_store_limit(struct memory_store *store, uint32_t limit_blocks) {
    pthread_mutex_lock(&store->lock);
    store->limit = limit_blocks;
    pthread_mutex_unlock(&store->lock);
}

uint32_t memory_store_blocks(struct memory_store *store) {
    pthread_mutex_lock(&store->lock);
    const uint32_t count = store->count;
    pthread_mutex_unlock(&store->lock);
    return count;
}

bool memory_store_has(struct memory_store *store, struct hash128 key) {
    pthread_mutex_lock(&store->lock);
    const bool has = find_any(store, key) != NULL;
    pthread_mutex_unlock(&store->lock);
    return has;
}

bool memory_store_reference(struct memory_store *store, uint64_t conversation,
                            struct hash128 *leaf) {
    pthread_mutex_lock(&store->lock);
    const struct reference *reference = find_reference(store, conversation, NULL);
    if (reference) *leaf = reference->leaf;
    pthread_mutex_unlock(&store->lock);
    return reference != NULL;
}

struct disk_speed memory_store_speed(struct memory_store *store) {
    pthread_mutex_lock(&store->lock);
    const struct disk_speed speed = store->speed;
    pthread_mutex_unlock(&store->lock);
    return speed;
}

void memory_store_count(struct memory_store *store, struct memory_store_counts *counts) {
    pthread_mutex_lock(&store->lock);
    *counts = store->counts;
    pthread_mutex_unlock(&store->lock);
}

void memory_store_check(struct memory_store *store) {
    pthread_mutex_lock(&store->lock);
    uint32_t count = 0;
    for (uint32_t i = 0; i < store->touched; i++) {
        struct record *r = &store->records[i];
        if (!r->ids) continue;
        count++;
        ASSERT(find_record(store, r->format, r->key) == r);
        const uint32_t children = r->children;
        count_children(store, r);
        ASSERT(r->children == children);
    }
    ASSERT(count == store->count);
    pthread_mutex_unlock(&store->lock);
}
