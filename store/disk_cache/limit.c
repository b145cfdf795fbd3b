// store/disk_cache/limit.c — how slots become free, and how a cache stays within its limit.
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "store/disk_cache/state.h"

// ---- giving bytes back

struct punch { // runs of chosen slots that are free
    struct disk_cache *cache;
    const struct slot_file *file;
    uint64_t end;          // of the file: what lay behind it is gone already
    uint32_t first, count; // the run at hand
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

// Only after the rows are committed as free: a row that came back by a crash must have its bytes.
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

// ---- the limit

struct eviction {
    uint64_t bytes;
    const struct disk_block *blocks; // [count] that must stay, with what is above them
    int32_t count;
};

static enum status choose_least(struct disk_cache *cache, void *user, struct error *err) {
    const struct eviction *eviction = user;
    for (int32_t i = 0; i < eviction->count; i++) {
        const struct disk_block *block = &eviction->blocks[i];
        TRY(slots_keep_path(cache->index, cache->format_number, block->key, err));
        if (i == 0 || !hash_equal(block->parent, eviction->blocks[i - 1].key))
            TRY(slots_keep_path(cache->index, cache->format_number, block->parent, err));
    }
    return slots_choose_least(cache->index, eviction->bytes, err);
}

// Free slots that kept their bytes, and that the next blocks may have.
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

static bool fits(struct disk_cache *cache, uint64_t incoming) {
    cache_measure(cache);
    return cache->stored_bytes + incoming - reusable_bytes(cache, incoming) <= cache->limit_bytes;
}

// Rows take some pages, which first lie in SQLite's log and then in its file.
static uint64_t bytes_of_rows(int32_t slots) {
    ASSERT(slots >= 0);
    enum { PAGE_BYTES = 4096, PAGES_EACH = 2, PAGES = 16 };
    return PAGE_BYTES * (PAGES + PAGES_EACH * (uint64_t)slots);
}

// One process at a time: bytes whose rows another has freed, and which it is about to punch, would
// look like bytes that more blocks must be dropped for. The lock is on the folder and vanishes with
// the process; one that is stopped is not waited for for ever.
static void lock_folder(const struct disk_cache *cache) {
    ASSERT(cache->folder >= 0);
    enum { TRIES = 1000, PAUSE_US = DB_BUSY_MS };
    for (int i = 0; i < TRIES && flock(cache->folder, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK) return; // a file system without such locks
        usleep(PAUSE_US);
    }
}

// Down to nine tenths, so that it is not needed at each write.
static enum status make_space(struct disk_cache *cache, uint64_t incoming,
                              const struct disk_block *blocks, int32_t count, struct error *err) {
    enum { ROUNDS = 4 };
    const uint64_t goal = cache->limit_bytes - cache->limit_bytes / 10;
    ASSERT(cache->limit_bytes > 0);
    for (int round = 0; round < ROUNDS && !fits(cache, incoming); round++) {
        const uint64_t expected = cache->stored_bytes + incoming;
        struct eviction eviction = {expected > goal ? expected - goal : 0, blocks, count};
        TRY(cache_free(cache, choose_least, &eviction, true, err));
        slots_shrink(cache->index, false);
    }
    if (fits(cache, incoming)) return STATUS_OK;
    char limit[SIZE_TEXT_BYTES];
    return error_set(err, STATUS_FULL, "the KV cache in %s is full (limit %s)", cache->path,
                     size_format(cache->limit_bytes, limit));
}

enum status cache_make_space(struct disk_cache *cache, int32_t slots,
                             const struct disk_block *blocks, int32_t count, struct error *err) {
    const uint64_t incoming = (uint64_t)slots * cache->file.stride + bytes_of_rows(slots);
    ASSERT(slots > 0 && slots <= count);
    if (cache->limit_bytes == 0 || fits(cache, incoming)) return STATUS_OK;
    lock_folder(cache);
    slots_shrink(cache->index, false);
    const enum status status = make_space(cache, incoming, blocks, count, err);
    flock(cache->folder, LOCK_UN);
    return status;
}
