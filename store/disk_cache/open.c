// store/disk_cache/open.c — opens a folder as a disk cache: opens or recreates the index, and makes
// rows and files agree.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/text.h"
#include "store/disk_cache/ownership.h"
#include "store/disk_cache/state.h"

// Our input never breaks a constraint of the tables, so if one fails an index is damaged.
enum status cache_answer(struct disk_cache *cache, enum status status) {
    if (status == STATUS_BAD_INPUT) status = STATUS_BAD_FILE;
    cache->index_damaged |= status == STATUS_BAD_FILE;
    return status;
}

void cache_warn(const struct error *err) {
    log_write(LOG_WARNING, "KV cache: %s", err->text[0] ? err->text : status_text(err->status));
}

// ---- the folder

// Creates the folder and its parents.
static enum status make_folder(const char *path, struct error *err) {
    char *part = strdup(path);
    if (!part) return STATUS_NO_MEMORY;
    bool made = true;
    for (char *end = part; made && *end; end++) {
        if (end == part || *end != '/') continue;
        *end = '\0';
        made = mkdir(part, 0700) == 0 || errno == EEXIST;
        *end = '/';
    }
    made = made && (mkdir(part, 0700) == 0 || errno == EEXIST);
    free(part);
    if (made) return STATUS_OK;
    return error_set(err, STATUS_IO, "cannot create %s: %s", path, strerror(errno));
}

static enum status open_folder(struct disk_cache *cache, bool create, struct error *err) {
    ASSERT(cache->folder < 0);
    if (create) TRY(make_folder(cache->path, err));
    cache->folder = open(cache->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cache->folder >= 0) return STATUS_OK;
    if (errno == ENOENT) return error_set(err, STATUS_NOT_FOUND, "no KV cache in %s", cache->path);
    return error_set(err, STATUS_IO, "cannot open %s: %s", cache->path, strerror(errno));
}

// Calls `each`, which may be NULL, for every slot file of ours. Returns their number.
static size_t for_files(const struct disk_cache *cache,
                        void (*each)(void *user, int folder, const char *name), void *user) {
    ASSERT(cache->folder >= 0);
    size_t count = 0;
    const int again = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listed = again >= 0 ? fdopendir(again) : NULL;
    if (!listed) {
        if (again >= 0) close(again);
        return 0;
    }
    for (const struct dirent *entry; (entry = readdir(listed));) {
        if (!slot_file_is_name(entry->d_name) ||
            !ownership_has_blocks(cache->folder, entry->d_name))
            continue;
        count++;
        if (each) each(user, cache->folder, entry->d_name);
    }
    closedir(listed);
    return count;
}

size_t cache_count_files(const struct disk_cache *cache) { return for_files(cache, NULL, NULL); }

static uint64_t stored(int folder, const char *name) {
    struct stat info;
    const bool there = fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    return there ? (uint64_t)info.st_blocks * 512 : 0;
}

struct measure {
    uint64_t index_bytes, file_bytes;
};

// The file's header belongs to no block.
static void add_stored(void *user, int folder, const char *name) {
    struct measure *measure = user;
    const uint64_t bytes = stored(folder, name);
    const uint64_t header = bytes < SLOT_ALIGNMENT ? bytes : SLOT_ALIGNMENT;
    measure->index_bytes += header;
    measure->file_bytes += bytes - header;
}

void cache_measure(struct disk_cache *cache) {
    struct measure measure = {0};
    ASSERT(cache->folder >= 0);
    for (int i = 0; i < OWNERSHIP_FILE_COUNT; i++)
        measure.index_bytes += stored(cache->folder, OWNERSHIP_FILES[i]);
    for_files(cache, add_stored, &measure);
    cache->index_bytes = measure.index_bytes;
    cache->stored_bytes = measure.index_bytes + measure.file_bytes;
}

// ---- the index

static enum status open_index(struct disk_cache *cache, bool copy, struct error *err) {
    ASSERT(cache->folder >= 0 && !cache->index);
    struct text path = {0};
    enum status status = text_format(&path, "%s/%s", cache->path, OWNERSHIP_FILES[0]);
    if (status == STATUS_OK)
        status = copy ? migration_open_copy(path.bytes, &SLOTS_SCHEMA, &cache->index, err)
                      : migration_open(path.bytes, &SLOTS_SCHEMA, &cache->index, err);
    text_deinit(&path);
    if (status == STATUS_OK) status = slots_prepare(cache->index, err);
    return status;
}

static void wipe(struct disk_cache *cache) {
    ASSERT(cache->folder >= 0);
    db_close(cache->index);
    cache->index = NULL;
    cache->index_damaged = false;
    slot_file_close(&cache->file);
    cache_measure(cache);
    const uint64_t before = cache->stored_bytes;
    ownership_remove(cache->folder, cache->path);
    cache_measure(cache);
    if (before > cache->stored_bytes) cache->wiped_bytes += before - cache->stored_bytes;
}

// Files that could not be removed are not ours: check again for the error.
static enum status open_owned(struct disk_cache *cache, struct error *err) {
    TRY(ownership_check(cache->folder, cache->path, &cache->ownership, err));
    TRY(ownership_mark(cache->folder, cache->path, err));
    return open_index(cache, false, err);
}

enum status cache_begin_anew(struct disk_cache *cache, struct error *err) {
    log_write(LOG_WARNING,
              "the index of the KV cache in %s is damaged or missing; the cache starts empty",
              cache->path);
    wipe(cache);
    return open_owned(cache, err);
}

// Slot files are useless without an index.
static bool has_lost_index(const struct disk_cache *cache) {
    struct stat info;
    const bool has_index =
        fstatat(cache->folder, OWNERSHIP_FILES[0], &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        info.st_size > 0;
    return !has_index && cache_count_files(cache) > 0;
}

static void warn_of_foreign(const struct disk_cache *cache) {
    const struct ownership *found = &cache->ownership;
    if (found->foreign_files == 1)
        log_write(LOG_WARNING, "%s/%s does not belong to quire; the KV cache leaves it alone",
                  cache->path, found->foreign);
    if (found->foreign_files > 1)
        log_write(
            LOG_WARNING,
            "%zu files in %s, such as %s, do not belong to quire; the KV cache leaves them alone",
            found->foreign_files, cache->path, found->foreign);
}

// A folder without a file of ours, such as one that was named by mistake, stays as it is.
static enum status check_is_cache(const struct disk_cache *cache, struct error *err) {
    struct stat info;
    if (cache->ownership.is_old || cache_count_files(cache) > 0) return STATUS_OK;
    for (int i = 0; i < OWNERSHIP_FILE_COUNT; i++)
        if (fstatat(cache->folder, OWNERSHIP_FILES[i], &info, AT_SYMLINK_NOFOLLOW) == 0)
            return STATUS_OK;
    return error_set(err, STATUS_NOT_FOUND, "no KV cache in %s", cache->path);
}

enum status cache_open(struct disk_cache *cache, bool create, struct error *err) {
    ASSERT(cache->folder < 0 && !cache->index);
    TRY(open_folder(cache, create, err));
    TRY(ownership_check(cache->folder, cache->path, &cache->ownership, err));
    if (!create) TRY(check_is_cache(cache, err));
    warn_of_foreign(cache);
    if (cache->ownership.is_old) {
        log_write(LOG_WARNING,
                  "dropped the KV cache in %s, which an older version of quire wrote; it is "
                  "rebuilt when needed",
                  cache->path);
        wipe(cache);
    }
    TRY(ownership_mark(cache->folder, cache->path, err));
    if (has_lost_index(cache)) return cache_begin_anew(cache, err);
    const enum status status = open_index(cache, false, err);
    return status == STATUS_BAD_FILE ? cache_begin_anew(cache, err) : status;
}

enum status cache_open_copy(struct disk_cache *cache, struct error *err) {
    TRY(open_folder(cache, false, err));
    TRY(ownership_check(cache->folder, cache->path, &cache->ownership, err));
    TRY(check_is_cache(cache, err));
    enum status status = open_index(cache, true, err);
    if (status != STATUS_BAD_FILE && status != STATUS_NOT_FOUND) return status;
    db_close(cache->index); // an unreadable index has no blocks
    cache->index = NULL;
    TRY(migration_open(":memory:", &SLOTS_SCHEMA, &cache->index, err));
    return slots_prepare(cache->index, err);
}

enum status cache_set_aside(struct disk_cache *cache, struct text *aside, struct error *err) {
    TRY(open_folder(cache, false, err));
    return ownership_set_aside(cache->folder, cache->path, aside, err);
}

void cache_close(struct disk_cache *cache) {
    readers_destroy(cache->readers);
    cache->readers = NULL;
    slot_file_close(&cache->file);
    if (cache->index_damaged && cache->folder >= 0) wipe(cache);
    db_close(cache->index);
    cache->index = NULL;
    if (cache->folder >= 0) close(cache->folder);
    cache->folder = -1;
}

// ---- rows and files

static enum status choose_past_end(struct disk_cache *cache, void *user, struct error *err) {
    const uint64_t *slots = user;
    return slots_choose_from(cache->index, cache->format_number, *slots, err);
}

static enum status drop_cut_blocks(struct disk_cache *cache, uint64_t slots, struct error *err) {
    log_write(LOG_WARNING, "%s of the KV cache is truncated or missing; dropping its blocks",
              cache->file.name);
    return cache_free(cache, choose_past_end, &slots, true, err);
}

// A process that dies while writing leaves bytes past the last row; one that dies while dropping
// leaves free slots with bytes. File systems count some bookkeeping of their own as part of a file.
enum status cache_settle(struct disk_cache *cache, struct error *err) {
    enum { BOOKKEEPING = 64 << 10 };
    const struct slots_format format = {.number = cache->format_number,
                                        .id = cache->format.id,
                                        .payload_bytes = cache->format.payload_bytes};
    uint64_t rows, slots = 0;
    ASSERT(cache->index && cache->format_number > 0);
    TRY(slots_end(cache->index, cache->format_number, &rows, err));
    const enum status opened = slot_file_open(&cache->file, false, err);
    if (opened == STATUS_UNSUPPORTED)
        return error_set(err, opened,
                         "%.300s/%s does not belong to quire; move it away so that the KV cache of "
                         "this model can be kept",
                         cache->path, cache->file.name);
    if (opened != STATUS_OK && opened != STATUS_NOT_FOUND) return opened;
    if (opened == STATUS_OK) slots = slot_file_slots(&cache->file);
    if (slots < rows) return drop_cut_blocks(cache, slots, err);
    const bool is_more =
        opened == STATUS_OK &&
        (slot_file_bytes(&cache->file) > rows * cache->file.stride ||
         slot_file_stored(&cache->file) > cache->blocks * cache->file.stride + BOOKKEEPING);
    return is_more ? cache_give_back(cache, &format, err) : STATUS_OK;
}
