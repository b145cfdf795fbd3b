// store/disk_cache/limit.c — how slots become free, and how a cache stays within its limit.
//
// Freeing takes two transactions. The first commits the rows as free; the second, which holds the
// write lock so that nobody can claim such a slot meanwhile, cuts the end of the file and punches
// holes elsewhere. In one transaction a crash could bring back a row whose bytes are gone. Between
// the two, at worst, free slots still have bytes: cache_settle() gives them back at the next
// opening.
//
// The limit is on what the folder takes on disk, which only the file system knows: index, SQLite's
// log, its own bookkeeping. So no sum is trusted: it is measured, as much is evicted as
// should be enough, and it is measured again, up to ROUNDS times.
//
// Making space for new blocks is not plain eviction: it spares the new blocks, their ancestors and
// what is useful only together with them (slots_keep, slots_evict_for). If too little is left to
// evict, fewer blocks are written.
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "store/disk_cache/state.h"

// ---- giving bytes back

struct punch { // punches runs of free chosen slots
    struct disk_cache *cache;
    const struct slot_file *file;
    uint64_t end;          // of the file; everything past it is gone already
    uint32_t first, count; // the current run
};

static void write_over(const struct punch *punch) {
    void *zeros = calloc(1, punch->file->payload_bytes);
    for (uint32_t i = 0; zeros && i < punch->count; i++)
        (void)!slot_file_write(punch->file, punch->first + i, zeros, NULL);
    free(zeros);
}

static void punch_run(struct punch *punch) {
    ASSERT((uint64_t)punch->first + punch->count <= punch->end);
    if (punch->count > 0 &&
        slot_file_punch(punch->file, punch->first, punch->count, NULL) == STATUS_UNSUPPORTED) {
        punch->cache->no_holes = true;
        if (punch->cache->erases) write_over(punch);
    }
    punch->count = 0;
}

static void add_to_run(void *user, const struct slots_chosen *chosen) {
    struct punch *punch = user;
    ASSERT(punch->count == 0 || punch->first + punch->count <= chosen->slot);
    if (!chosen->is_free || chosen->slot >= punch->end) return;
    if (punch->count > 0 && punch->first + punch->count != chosen->slot) punch_run(punch);
    if (punch->count == 0) punch->first = chosen->slot;
    punch->count++;
}

// Inside a transaction, so that nobody claims a slot that is being punched.
static enum status punch_chosen(struct disk_cache *cache, struct slot_file *file, int64_t format,
                                struct error *err) {
    struct punch punch = {.cache = cache, .file = file};
    TRY(slots_cut(cache->index, format, &punch.end, err));
    if (slot_file_open(file, false, NULL) != STATUS_OK) return STATUS_OK; // nothing is stored
    if (punch.end == 0) {
        slot_file_remove(file);
        return STATUS_OK;
    }
    TRY(slots_walk_chosen(cache->index, format, add_to_run, &punch, err));
    punch_run(&punch);
    return slot_file_cut(file, punch.end, err);
}

static enum status give_back_chosen(struct disk_cache *cache, const struct slots_format *format,
                                    struct error *err) {
    struct slot_file other;
    const bool is_ours = format->number == cache->format_number;
    ASSERT(format->number > 0 && cache->folder >= 0);
    slot_file_init(&other, cache->folder, format->id, (size_t)format->payload_bytes);
    enum status status = db_begin(cache->index, err);
    if (status == STATUS_OK)
        status = punch_chosen(cache, is_ours ? &cache->file : &other, format->number, err);
    if (status == STATUS_OK) status = db_commit(cache->index, err);
    if (status != STATUS_OK) db_rollback(cache->index);
    slot_file_close(&other);
    return cache_answer(cache, status);
}

enum status cache_give_back(struct disk_cache *cache, const struct slots_format *format,
                            struct error *err) {
    enum status status = db_begin(cache->index, err);
    if (status == STATUS_OK) status = slots_begin_choice(cache->index, err);
    if (status == STATUS_OK) status = slots_choose_free(cache->index, format->number, err);
    if (status == STATUS_OK) status = db_commit(cache->index, err);
    if (status != STATUS_OK) db_rollback(cache->index);
    if (status == STATUS_OK) status = give_back_chosen(cache, format, err);
    return cache_answer(cache, status);
}

// ---- freeing

static enum status free_chosen(struct disk_cache *cache, cache_choose *choose, void *user,
                               struct error *err) {
    ASSERT(cache->index && cache->index->depth == 0);
    TRY(db_begin(cache->index, err));
    enum status status = slots_begin_choice(cache->index, err);
    if (status == STATUS_OK) status = choose(cache, user, err);
    if (status == STATUS_OK) status = slots_free_chosen(cache->index, err);
    if (status == STATUS_OK) status = db_commit(cache->index, err);
    if (status != STATUS_OK) db_rollback(cache->index);
    return status;
}

struct telling {
    struct disk_cache *cache;
    bool tell;
};

static void note_freed(void *user, const struct slots_chosen *chosen) {
    const struct telling *telling = user;
    struct disk_cache *cache = telling->cache;
    cache->blocks -= cache->blocks > 0;
    if (telling->tell && cache->listener.dropped)
        cache->listener.dropped(cache->listener.user, chosen->key);
}

// Only after the rows are committed as free: a row that a crash brings back must still have its
// bytes.
enum status cache_free(struct disk_cache *cache, cache_choose *choose, void *user, bool tell,
                       struct error *err) {
    struct telling telling = {cache, tell};
    struct slots_format *formats;
    size_t count;
    enum status status = free_chosen(cache, choose, user, err);
    if (status == STATUS_OK && cache->format_number > 0)
        status = slots_walk_chosen(cache->index, cache->format_number, note_freed, &telling, err);
    if (status == STATUS_OK) status = slots_chosen_formats(cache->index, &formats, &count, err);
    if (status != STATUS_OK) return cache_answer(cache, status);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = give_back_chosen(cache, &formats[i], err);
    free(formats);
    return status;
}

// Repairs chains and counts after changes that were not ours, or by a version of quire that did not
// count.
static enum status choose_lost(struct disk_cache *cache, void *user, struct error *err) {
    uint64_t *lost = user;
    TRY(slots_choose_lost(cache->index, err));
    TRY(slots_count_chosen(cache->index, lost, err));
    return STATUS_OK;
}

static enum status recount(struct disk_cache *cache, struct error *err) {
    enum status status = db_begin(cache->index, err);
    if (status == STATUS_OK) status = slots_recount(cache->index, err);
    if (status == STATUS_OK) status = db_commit(cache->index, err);
    if (status != STATUS_OK) db_rollback(cache->index);
    return status;
}

enum status cache_mend(struct disk_cache *cache, bool always, uint64_t *lost, struct error *err) {
    bool uncounted;
    *lost = 0;
    TRY(slots_uncounted(cache->index, &uncounted, err));
    if (uncounted || always) TRY(recount(cache, err));
    TRY(cache_free(cache, choose_lost, lost, true, err));
    return *lost > 0 ? recount(cache, err) : STATUS_OK;
}

// ---- the limit

// Bytes of free slots that still occupy disk space, which new blocks can reuse.
static uint64_t reusable_bytes(struct disk_cache *cache, uint64_t incoming) {
    struct slots_format *formats;
    size_t count;
    uint64_t bytes = 0;
    if (!cache->no_holes || slots_formats(cache->index, &formats, &count, NULL) != STATUS_OK)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (formats[i].number == cache->format_number)
            bytes = (formats[i].slots - formats[i].blocks) * formats[i].stride;
    free(formats);
    return bytes < incoming ? bytes : incoming;
}

// Space for rows: index.db grows by a few pages at a time, and SQLite's log, which gets them first,
// is emptied when necessary.
enum { ROW_BYTES = 1024, GROWTH_BYTES = 12 << 10 };

// How many of `slots` more blocks there is space for.
static int32_t count_fitting(struct disk_cache *cache, int32_t slots) {
    const uint64_t each = cache->file.stride + ROW_BYTES;
    cache_measure(cache);
    const uint64_t reusable = reusable_bytes(cache, (uint64_t)slots * cache->file.stride);
    const uint64_t most = cache->limit_bytes + reusable, taken = cache->stored_bytes + GROWTH_BYTES;
    const uint64_t fitting = taken < most ? (most - taken) / each : 0;
    return fitting < (uint64_t)slots ? (int32_t)fitting : slots;
}

// Lets only one process evict at a time: otherwise bytes that another process has freed but not yet
// punched would make this one drop more blocks. The lock is on the folder and vanishes with its
// process. Waiting for it is bounded, in case that process is stopped.
static void lock_folder(const struct disk_cache *cache) {
    ASSERT(cache->folder >= 0);
    enum { TRIES = 1000, PAUSE_US = DB_BUSY_MS };
    for (int i = 0; i < TRIES && flock(cache->folder, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK) return; // a file system without such locks
        usleep(PAUSE_US);
    }
}

struct eviction {
    const struct disk_block *const *fresh; // [count], blocks that need a slot, in this order
    int32_t count;
    uint64_t freed_bytes;
};

// Frees what each block in turn needs, until the next would cost more than it is worth.
static enum status choose_for_blocks(struct disk_cache *cache, void *user, struct error *err) {
    struct eviction *eviction = user;
    const uint64_t each = cache->file.stride + ROW_BYTES;
    uint64_t stored = cache->stored_bytes + GROWTH_BYTES, bytes;
    for (int32_t i = 0; i < eviction->count; i++)
        TRY(slots_keep(cache->index, cache->format_number, eviction->fresh[i], err));
    for (int32_t i = 0; i < eviction->count; i++) {
        stored += each;
        while (stored > cache->limit_bytes + eviction->freed_bytes) {
            const enum status status = slots_evict_for(cache->index, cache->format_number,
                                                       eviction->fresh[i], &bytes, err);
            if (status == STATUS_NOT_FOUND) return STATUS_OK;
            if (status != STATUS_OK) return status;
            eviction->freed_bytes += bytes;
        }
    }
    return STATUS_OK;
}

// Freed slots may still take space: the file system may have no holes, or count its own
// bookkeeping.
enum { ROUNDS = 4 };

enum status cache_make_space(struct disk_cache *cache, const struct disk_block *const *fresh,
                             int32_t count, int32_t *fitting, struct error *err) {
    ASSERT(count > 0 && count <= DISK_MAX_BATCH);
    *fitting = cache->limit_bytes == 0 ? count : count_fitting(cache, count);
    if (*fitting == count) return STATUS_OK;
    lock_folder(cache);
    slots_shrink(cache->index, false);
    *fitting = count_fitting(cache, count);
    enum status status = STATUS_OK;
    for (int round = 0; round < ROUNDS && *fitting < count && status == STATUS_OK; round++) {
        struct eviction eviction = {.fresh = fresh, .count = count};
        status = cache_free(cache, choose_for_blocks, &eviction, true, err);
        if (eviction.freed_bytes == 0) break;
        slots_shrink(cache->index, false);
        *fitting = count_fitting(cache, count);
    }
    flock(cache->folder, LOCK_UN);
    return status;
}

static enum status choose_excess(struct disk_cache *cache, void *user, struct error *err) {
    uint64_t *freed_bytes = user, bytes;
    const uint64_t limit = cache->limit_bytes, index = cache->index_bytes;
    const uint64_t of_slots = limit > index ? limit - index : 0;
    enum status status = STATUS_OK;
    while ((status = slots_evict_oversized(cache->index, of_slots, &bytes, err)) == STATUS_OK)
        *freed_bytes += bytes;
    if (status != STATUS_NOT_FOUND) return status;
    while (cache->stored_bytes > limit + *freed_bytes) {
        status = slots_evict(cache->index, &bytes, err);
        if (status == STATUS_NOT_FOUND) return STATUS_OK;
        if (status != STATUS_OK) return status;
        *freed_bytes += bytes;
    }
    return STATUS_OK;
}

enum status cache_shrink(struct disk_cache *cache, struct error *err) {
    enum status status = STATUS_OK;
    cache_measure(cache);
    if (cache->limit_bytes == 0 || cache->stored_bytes <= cache->limit_bytes) return STATUS_OK;
    lock_folder(cache);
    slots_shrink(cache->index, false);
    cache_measure(cache);
    uint64_t freed_bytes = 1;
    for (int round = 0; cache->stored_bytes > cache->limit_bytes && round < ROUNDS; round++) {
        const bool more = status == STATUS_OK && freed_bytes > 0;
        freed_bytes = 0;
        if (more) status = cache_free(cache, choose_excess, &freed_bytes, true, err);
        slots_shrink(cache->index, !more);
        cache_measure(cache);
    }
    flock(cache->folder, LOCK_UN);
    return status;
}
