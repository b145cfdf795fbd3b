// store/disk_cache/disk_cache.c — the pool's ops: when is a block on disk, and when is it read?
//
// Writing. The rows decide what exists, so a row may appear only after its bytes are durable, and a
// slot may not be given to two blocks. Both follow from one transaction that contains the I/O:
//
//   begin · look again · insert the row · write the payload, for each block · fdatasync · commit
//
// Before it, without a lock, blocks that have a slot already or whose parent is missing are sorted
// out, and space is made (limit.c). If the process dies inside, the row was never there, and the
// bytes past the last row are cut off at the next opening (cache_settle).
//
// Reading takes no lock. Only the lock for writing would keep another process from reusing a slot,
// and everybody would wait for the disk. Instead, a block's bytes must have the checksum in its
// row. If they do not, its row is looked up again:
//
//   reader                                   another process
//   row of block B: slot 7, checksum b
//                                            evicts B, writes C to slot 7
//   reads slot 7: its checksum is not b
//   row of block B: gone                     a miss
//                or slot 9, checksum b       written again meanwhile: slot 9 is read
//                or still slot 7             the bytes are damaged: B is dropped
//
// A row that is impossible means that the index is damaged. The cache only saves time, so nothing
// is repaired: it starts empty (cache_begin_anew).
#include "store/disk_cache/disk_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/text.h"
#include "store/disk_cache/state.h"

static struct disk_cache *cache_of(struct disk_pool *pool) { return (struct disk_cache *)pool; }

// ---- opening

// Copies as much of the name as its row can hold.
static void copy_model(const char *name, char model[SLOTS_MODEL_BYTES]) {
    size_t length = strlen(name);
    if (!utf8_valid(name, length, NULL)) length = 0;
    if (length >= SLOTS_MODEL_BYTES) {
        length = SLOTS_MODEL_BYTES - 1;
        length -= utf8_incomplete_tail(name, length);
    }
    memcpy(model, name, length);
    model[length] = '\0';
}

static enum status enter_format(struct disk_cache *cache, struct error *err) {
    ASSERT(cache->index && cache->index->depth == 0);
    struct db *db = cache->index;
    TRY(db_begin(db, err));
    enum status status = slots_enter_format(db, &cache->format, &cache->format_number, err);
    if (status == STATUS_OK) status = slots_set_limit(db, cache->limit_bytes, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}

static enum status open_format(struct disk_cache *cache, struct disk_speed *speed,
                               struct error *err) {
    TRY(enter_format(cache, err));
    slot_file_init(&cache->file, cache->folder, cache->format.id, cache->format.payload_bytes);
    TRY(slots_speed(cache->index, cache->format_number, speed, err));
    TRY(slots_list_blocks(cache->index, cache->format_number, NULL, &cache->blocks, err));
    TRY(slots_list_references(cache->index, cache->format_number, NULL, err));
    TRY(cache_settle(cache, err));
    uint64_t lost;
    TRY(cache_mend(cache, false, &lost, err));
    if (lost > 0)
        log_write(LOG_WARNING, "dropped %" PRIu64 " unreachable blocks of the KV cache in %s", lost,
                  cache->path);
    return cache_shrink(cache, err);
}

static enum status list_all(struct disk_cache *cache, struct error *err) {
    const struct disk_listener *listener = &cache->listener;
    TRY(slots_list_blocks(cache->index, cache->format_number, listener, &cache->blocks, err));
    return slots_list_references(cache->index, cache->format_number, listener, err);
}

// Reads the rows twice, because the listener must not learn of blocks of an index that turns out to
// be damaged.
static enum status open_cache(struct disk_pool *pool, const struct disk_format *format,
                              const struct disk_listener *listener, struct disk_speed *speed,
                              struct error *err) {
    struct disk_cache *cache = cache_of(pool);
    ASSERT(cache->folder < 0);
    if (format->block_size < 1 || format->block_size > SLOTS_MAX_TOKENS ||
        format->payload_bytes < 1 || format->payload_bytes > SLOTS_MAX_PAYLOAD)
        return error_set(err, STATUS_UNSUPPORTED,
                         "a block of the KV cache may have at most %d tokens and 1 GiB",
                         SLOTS_MAX_TOKENS);
    copy_model(format->model, cache->model);
    cache->format = *format;
    cache->format.model = cache->model;
    cache->listener = *listener;
    TRY(cache_open(cache, true, err));
    enum status status = cache_answer(cache, open_format(cache, speed, err));
    if (status == STATUS_BAD_FILE) {
        TRY(cache_begin_anew(cache, err));
        status = cache_answer(cache, open_format(cache, speed, err));
    }
    if (status == STATUS_OK) status = cache_answer(cache, list_all(cache, err));
    if (status == STATUS_OK) cache_measure(cache);
    return status;
}

// ---- writing

struct batch {
    struct disk_cache *cache;
    const struct disk_block *blocks; // [count]
    const void *const *payloads;     // [count], each of the format's size
    int32_t count;
    const struct disk_block *fresh[DISK_MAX_BATCH]; // those without a slot
    int32_t fresh_count;
    int32_t fitting;       // how many of those may be written
    int32_t written;       // of those
    enum status *outcomes; // [count]
};

// Will the block's parent be present once all fresh blocks are written?
static enum status find_parent(const struct batch *batch, const struct disk_block *block, bool *has,
                               struct error *err) {
    *has = false;
    for (int32_t i = 0; i < batch->fresh_count && !*has; i++)
        *has = batch->fresh[i] != block && hash_equal(batch->fresh[i]->key, block->parent);
    if (*has) return STATUS_OK;
    return slots_has_parent(batch->cache->index, batch->cache->format_number, block, has, err);
}

static enum status find_fresh(struct batch *batch, struct error *err) {
    struct disk_cache *cache = batch->cache;
    for (int32_t i = 0; i < batch->count; i++) {
        struct slot_row row;
        bool has_parent;
        const struct disk_block *block = &batch->blocks[i];
        ASSERT(block->count >= 1 && block->count <= cache->format.block_size);
        const enum status status = slots_find(cache->index, cache->format_number, block, &row, err);
        if (status != STATUS_OK && status != STATUS_NOT_FOUND) return status;
        if (status == STATUS_OK) continue;
        TRY(find_parent(batch, block, &has_parent, err));
        if (has_parent) batch->fresh[batch->fresh_count++] = block;
        batch->outcomes[i] = has_parent ? STATUS_OK : STATUS_NOT_FOUND;
    }
    return STATUS_OK;
}

// Inside the transaction, because another process may have written the block meanwhile, or dropped
// it.
static enum status write_block(struct batch *batch, int32_t index, struct error *err) {
    ASSERT(index >= 0 && index < batch->count);
    struct disk_cache *cache = batch->cache;
    const struct disk_block *block = &batch->blocks[index];
    const void *payload = batch->payloads[index];
    struct slot_row row;
    uint32_t slot;
    if (batch->outcomes[index] != STATUS_OK) return STATUS_OK;
    enum status status = slots_find(cache->index, cache->format_number, block, &row, err);
    if (status == STATUS_NOT_FOUND && batch->written == batch->fitting) status = STATUS_FULL;
    if (status == STATUS_NOT_FOUND) {
        const struct hash128 checksum = hash_bytes(payload, cache->format.payload_bytes, 0);
        status = slots_insert(cache->index, cache->format_number, block, checksum, &slot, err);
        if (status == STATUS_OK) {
            TRY(slot_file_write(&cache->file, slot, payload, err));
            batch->written++;
        }
    }
    batch->outcomes[index] = status;
    return status == STATUS_FULL || status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status write_transaction(struct batch *batch, struct error *err) {
    struct disk_cache *cache = batch->cache;
    ASSERT(cache->index->depth > 0);
    if (batch->fitting > 0) TRY(slot_file_open(&cache->file, true, err));
    for (int32_t i = 0; i < batch->count; i++)
        TRY(write_block(batch, i, err));
    if (batch->written > 0) TRY(slot_file_sync(&cache->file, err));
    if (batch->written > 0 && cache->blocks == 0) (void)!fsync(cache->folder); // the name
    return db_commit(cache->index, err);
}

static enum status write_fresh(struct batch *batch, struct error *err) {
    ASSERT(batch->fresh_count > 0 && batch->fresh_count <= batch->count);
    struct disk_cache *cache = batch->cache;
    TRY(cache_make_space(cache, batch->fresh, batch->fresh_count, &batch->fitting, err));
    enum status status = db_begin(cache->index, err);
    if (status == STATUS_OK) status = write_transaction(batch, err);
    if (status != STATUS_OK) {
        db_rollback(cache->index);
        (void)!cache_settle(cache, NULL); // gives back bytes without a row
        return status;
    }
    cache->blocks += (uint64_t)batch->written;
    cache->payload_bytes += (uint64_t)batch->written * cache->format.payload_bytes;
    return STATUS_OK;
}

// SQLite's log may have grown past the limit.
static void measure_after_write(struct disk_cache *cache) {
    cache_measure(cache);
    if (cache->limit_bytes == 0 || cache->stored_bytes <= cache->limit_bytes) return;
    slots_shrink(cache->index, false);
    cache_measure(cache);
}

static enum status write_blocks(struct disk_pool *pool, const struct disk_block *blocks,
                                const void *const *payloads, int32_t count, enum status *outcomes,
                                struct error *err) {
    struct batch batch = {.cache = cache_of(pool),
                          .blocks = blocks,
                          .payloads = payloads,
                          .count = count,
                          .outcomes = outcomes};
    ASSERT(count >= 1 && count <= DISK_MAX_BATCH);
    for (int32_t i = 0; i < count; i++)
        outcomes[i] = STATUS_OK;
    enum status status = find_fresh(&batch, err);
    if (status == STATUS_OK && batch.fresh_count > 0) status = write_fresh(&batch, err);
    if (status == STATUS_OK) measure_after_write(batch.cache);
    return cache_answer(batch.cache, status);
}

// ---- reading

struct reading {
    struct disk_cache *cache;
    const struct disk_block *blocks; // [count]
    struct slot_read reads[DISK_MAX_BATCH];
    int32_t of[DISK_MAX_BATCH]; // the block of each read
    int32_t read_count;
    struct slots_entry damaged[DISK_MAX_BATCH];
    int32_t damaged_count;
};

static enum status find_block(const struct reading *reading, int32_t block, struct slot_row *row) {
    ASSERT(block >= 0 && block < DISK_MAX_BATCH);
    struct disk_cache *cache = reading->cache;
    return cache_answer(
        cache, slots_find(cache->index, cache->format_number, &reading->blocks[block], row, NULL));
}

static void note_damaged(struct reading *reading, int32_t block, const struct slot_row *row) {
    ASSERT(reading->damaged_count < DISK_MAX_BATCH);
    reading->damaged[reading->damaged_count++] = (struct slots_entry){
        .slot = row->slot, .key = reading->blocks[block].key, .checksum = row->checksum};
}

// Another process may have reused the slot and written this block elsewhere: look up its row again.
static enum status read_again(struct reading *reading, int32_t block, struct slot_read *read) {
    struct slot_row row;
    enum { TRIES = 3 };
    for (int i = 0; i < TRIES; i++) {
        const enum status status = find_block(reading, block, &row);
        if (status != STATUS_OK) return status;
        if (row.slot == read->slot && hash_equal(row.checksum, read->checksum)) {
            note_damaged(reading, block, &row);
            return read->outcome;
        }
        read->slot = row.slot;
        read->checksum = row.checksum;
        slot_read_run(&reading->cache->file, read);
        if (read->outcome == STATUS_OK || read->outcome == STATUS_IO) return read->outcome;
    }
    return STATUS_NOT_FOUND;
}

static enum status choose_damaged(struct disk_cache *cache, void *user, struct error *err) {
    const struct reading *reading = user;
    bool chosen;
    for (int32_t i = 0; i < reading->damaged_count; i++)
        TRY(slots_choose_entry(cache->index, cache->format_number, &reading->damaged[i], &chosen,
                               err));
    return STATUS_OK;
}

static void run_reads(struct reading *reading) {
    ASSERT(reading->read_count >= 0 && reading->read_count <= DISK_MAX_BATCH);
    struct disk_cache *cache = reading->cache;
    if (!cache->readers && reading->read_count > 1) cache->readers = readers_create();
    if (cache->readers) {
        readers_run(cache->readers, &cache->file, reading->reads, reading->read_count);
        return;
    }
    for (int32_t i = 0; i < reading->read_count; i++)
        slot_read_run(&cache->file, &reading->reads[i]);
}

static void read_blocks(struct disk_pool *pool, const struct disk_block *blocks,
                        void *const *payloads, int32_t count, enum status *outcomes) {
    struct disk_cache *cache = cache_of(pool);
    struct reading reading = {.cache = cache, .blocks = blocks};
    struct error err = {0};
    ASSERT(count >= 1 && count <= DISK_MAX_BATCH);
    const enum status opened = slot_file_open(&cache->file, false, NULL);
    if (opened == STATUS_NOT_FOUND && cache_settle(cache, &err) != STATUS_OK) cache_warn(&err);
    for (int32_t i = 0; i < count; i++) {
        struct slot_row row;
        outcomes[i] = opened == STATUS_OK ? find_block(&reading, i, &row) : opened;
        if (outcomes[i] != STATUS_OK) continue;
        if (!row.is_same) { // as good as damaged
            note_damaged(&reading, i, &row);
            outcomes[i] = STATUS_BAD_FILE;
            continue;
        }
        reading.of[reading.read_count] = i;
        reading.reads[reading.read_count++] =
            (struct slot_read){.slot = row.slot, .payload = payloads[i], .checksum = row.checksum};
    }
    run_reads(&reading);
    for (int32_t i = 0; i < reading.read_count; i++) {
        struct slot_read *read = &reading.reads[i];
        const bool is_final = read->outcome == STATUS_OK || read->outcome == STATUS_IO;
        outcomes[reading.of[i]] =
            is_final ? read->outcome : read_again(&reading, reading.of[i], read);
    }
    if (reading.damaged_count > 0 &&
        cache_free(cache, choose_damaged, &reading, true, &err) != STATUS_OK)
        cache_warn(&err);
}

// ---- bookkeeping

struct keys {
    const struct hash128 *keys; // [count]
    int32_t count;
};

static enum status choose_keys(struct disk_cache *cache, void *user, struct error *err) {
    const struct keys *keys = user;
    for (int32_t i = 0; i < keys->count; i++)
        TRY(slots_choose_key(cache->index, cache->format_number, keys->keys[i], err));
    return STATUS_OK;
}

static void drop_blocks(struct disk_pool *pool, const struct hash128 *dropped, int32_t count) {
    struct disk_cache *cache = cache_of(pool);
    struct keys keys = {dropped, count};
    struct error err = {0};
    ASSERT(count >= 1 && cache->index);
    if (cache_free(cache, choose_keys, &keys, true, &err) != STATUS_OK) cache_warn(&err);
    cache_measure(cache);
}

// Ends a transaction whose failure only costs efficiency.
static void finish_transaction(struct disk_cache *cache, enum status status, struct error *err) {
    ASSERT(status != STATUS_OK || cache->index->depth > 0);
    if (status == STATUS_OK) status = db_commit(cache->index, err);
    if (status == STATUS_OK) return;
    db_rollback(cache->index);
    cache_answer(cache, status);
    cache_warn(err);
}

static void reference(struct disk_pool *pool, uint64_t conversation, struct hash128 leaf) {
    ASSERT(cache_of(pool)->index);
    struct disk_cache *cache = cache_of(pool);
    struct error err = {0};
    enum status status = db_begin(cache->index, &err);
    const bool is_none = hash_equal(leaf, (struct hash128){0});
    if (status == STATUS_OK)
        status =
            is_none ? slots_dereference(cache->index, conversation, &err)
                    : slots_reference(cache->index, cache->format_number, conversation, leaf, &err);
    if (status == STATUS_OK && !is_none && cache->home != 0)
        status = slots_note_home(cache->index, conversation, cache->home, &err);
    finish_transaction(cache, status, &err);
}

static struct disk_usage usage(struct disk_pool *pool) {
    const struct disk_cache *cache = cache_of(pool);
    return (struct disk_usage){
        .blocks = cache->blocks,
        .stored_bytes = cache->stored_bytes,
        .limit_bytes = cache->limit_bytes,
        .written_bytes = cache->payload_bytes + (cache->index ? slots_written(cache->index) : 0),
        .payload_bytes = cache->payload_bytes,
    };
}

static void close_cache(struct disk_pool *pool, const struct disk_speed *speed) {
    struct disk_cache *cache = cache_of(pool);
    struct error err = {0};
    if (speed && cache->index) {
        enum status status = db_begin(cache->index, &err);
        if (status == STATUS_OK)
            status = slots_set_speed(cache->index, cache->format_number, *speed, &err);
        finish_transaction(cache, status, &err);
    }
    cache_close(cache);
    free(cache->path);
    free(cache);
}

static struct disk_pool *twin(struct disk_pool *pool) {
    const struct disk_cache *cache = cache_of(pool);
    return disk_cache_create(&(struct disk_cache_options){
        .folder = cache->path, .limit_bytes = cache->limit_bytes, .home = cache->home});
}

struct disk_pool *disk_cache_create(const struct disk_cache_options *options) {
    static const struct disk_pool_ops OPS = {
        .open = open_cache,
        .write = write_blocks,
        .read = read_blocks,
        .drop = drop_blocks,
        .reference = reference,
        .twin = twin,
        .usage = usage,
        .close = close_cache,
    };
    struct disk_cache *cache = calloc(1, sizeof *cache);
    if (!cache) return NULL;
    cache->pool.ops = &OPS;
    cache->folder = cache->file.file = -1;
    cache->limit_bytes = options->limit_bytes;
    cache->home = options->home;
    cache->path = strdup(options->folder);
    if (cache->path) return &cache->pool;
    free(cache);
    return NULL;
}
