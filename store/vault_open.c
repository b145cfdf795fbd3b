// store/vault_open.c — a folder becomes a vault: its index is opened or made anew, and rows and
// segments are made to agree.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/text.h"
#include "store/statement.h"
#include "store/vault_state.h"

static const char *const INDEX_FILES[] = {"index.db", "index.db-wal", "index.db-shm"};
enum { INDEX_FILE_COUNT = sizeof INDEX_FILES / sizeof INDEX_FILES[0] };

// No input of ours breaks a rule of the tables, unless their indexes lie.
enum status vault_index_answer(struct vault *vault, enum status status) {
    if (status == STATUS_BAD_INPUT) status = STATUS_BAD_FILE;
    vault->index_damaged |= status == STATUS_BAD_FILE;
    return status;
}

static void wipe_index(const struct vault *vault) {
    for (int i = 0; i < INDEX_FILE_COUNT; i++)
        unlinkat(vault->folder, INDEX_FILES[i], 0);
}

// The folder and those that it lies in.
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
    return error_set(err, STATUS_IO, "%s cannot be made (%s)", path, strerror(errno));
}

static enum status open_folder(struct vault *vault, struct error *err) {
    if (!vault->read_only) TRY(make_folder(vault->path, err));
    vault->folder = open(vault->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (vault->folder < 0)
        return error_set(err, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO,
                         "%s cannot be opened (%s)", vault->path, strerror(errno));
    vault->files.folder = vault->folder;
    return STATUS_OK;
}

static enum status open_index(struct vault *vault, struct error *err) {
    struct text path = {0};
    enum status status = text_format(&path, "%s/%s", vault->path, INDEX_FILES[0]);
    if (status == STATUS_OK)
        status = vault->read_only
                     ? migration_open_copy(path.bytes, &VAULT_INDEX, &vault->index, err)
                     : migration_open(path.bytes, &VAULT_INDEX, &vault->index, err);
    text_deinit(&path);
    return status;
}

// Rows of a segment that ends before their records do.
static enum status drop_cut_rows(struct vault *vault, uint32_t segment, uint64_t size,
                                 struct vault_report *report, struct error *err) {
    struct vault_row *rows = NULL;
    size_t count = 0, cut = 0;
    TRY(db_begin(vault->index, err));
    enum status status = vault_index_segment_rows(vault->index, segment, &rows, &count, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (rows[i].offset + rows[i].bytes <= size) continue;
        status = vault_index_remove(vault->index, rows[i].id, err);
        cut++;
    }
    report->missing += cut;
    free(rows);
    if (status == STATUS_OK)
        status = vault_index_set_durable(vault->index, segment,
                                         size / RECORD_ALIGNMENT * RECORD_ALIGNMENT, err);
    if (status == STATUS_OK) status = db_commit(vault->index, err);
    if (status != STATUS_OK) db_rollback(vault->index);
    if (status == STATUS_OK && cut > 0)
        log_write(LOG_WARNING,
                  "segment %" PRIu32 " of the KV cache was cut off, and %zu blocks with it",
                  segment, cut);
    return status;
}

// Under its lock, so that nobody is in the middle of a write: both numbers are read again.
static enum status settle_locked(struct vault *vault, uint32_t segment, int file,
                                 struct vault_report *report, struct error *err) {
    uint64_t durable = 0;
    const uint64_t size = segment_size(file);
    const enum status status = vault_index_durable(vault->index, segment, &durable, err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) return status;
    if (size < durable) {
        TRY(drop_cut_rows(vault, segment, size, report, err));
        durable = size / RECORD_ALIGNMENT * RECORD_ALIGNMENT;
    }
    if (size == durable && size > 0) return STATUS_OK;
    return vault_scan(vault, segment, file, durable, report, err);
}

static enum status forget_missing(struct vault *vault, uint32_t segment,
                                  struct vault_report *report, struct error *err) {
    struct vault_row *rows;
    size_t count;
    TRY(vault_index_segment_rows(vault->index, segment, &rows, &count, err));
    free(rows);
    report->missing += count;
    if (count > 0)
        log_write(LOG_WARNING,
                  "segment %" PRIu32 " of the KV cache is gone, and %zu blocks with it", segment,
                  count);
    return vault_index_forget_segment(vault->index, segment, err);
}

static enum status settle(struct vault *vault, uint32_t segment, struct vault_report *report,
                          struct error *err) {
    int file;
    enum status status = segment_open_locked(vault->folder, segment, SEGMENT_WRITE, &file, NULL);
    if (status == STATUS_BUSY) return STATUS_OK; // whoever writes to it enters its rows
    if (status == STATUS_NOT_FOUND) return forget_missing(vault, segment, report, err);
    if (status == STATUS_OK) {
        status = settle_locked(vault, segment, file, report, err);
        close(file);
    }
    return status;
}

static uint64_t find_durable(const struct vault_extent *extents, size_t count, uint32_t number) {
    for (size_t i = 0; i < count; i++)
        if (extents[i].number == number) return extents[i].durable;
    return 0;
}

// Segments that are as long as their rows say are not opened: that is nearly always all of them.
static enum status settle_all(struct vault *vault, struct vault_report *report, struct error *err) {
    struct vault_extent *extents = NULL;
    uint32_t *numbers = NULL;
    size_t extent_count = 0, count = 0;
    struct stat info;
    char name[SEGMENT_NAME_BYTES];
    enum status status = vault_index_segments(vault->index, &extents, &extent_count, err);
    if (status == STATUS_OK) status = segment_list(vault->folder, &numbers, &count, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const uint64_t durable = find_durable(extents, extent_count, numbers[i]);
        segment_name(numbers[i], name);
        if (fstatat(vault->folder, name, &info, 0) == 0 && (uint64_t)info.st_size == durable &&
            durable > 0)
            continue;
        status = settle(vault, numbers[i], report, err);
    }
    for (size_t i = 0; i < extent_count && status == STATUS_OK; i++) {
        segment_name(extents[i].number, name);
        if (fstatat(vault->folder, name, &info, 0) != 0 && errno == ENOENT)
            status = forget_missing(vault, extents[i].number, report, err);
    }
    free(extents);
    free(numbers);
    return vault_index_answer(vault, status);
}

// Into a copy of the index in memory; nothing is locked, for nothing is changed.
static enum status scan_all(struct vault *vault, struct vault_report *report, struct error *err) {
    uint32_t *numbers;
    size_t count;
    int file;
    TRY(segment_list(vault->folder, &numbers, &count, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (segment_open(vault->folder, numbers[i], SEGMENT_READ, &file, NULL) != STATUS_OK)
            continue;
        status = vault_scan(vault, numbers[i], file, 0, report, err);
        close(file);
    }
    free(numbers);
    return status;
}

enum status vault_rebuild(struct vault *vault, struct vault_report *report, struct error *err) {
    log_write(LOG_WARNING, "the index of the KV cache in %s is made anew", vault->path);
    db_close(vault->index);
    vault->index = NULL;
    vault->index_damaged = false;
    if (vault->read_only) {
        TRY(migration_open(":memory:", &VAULT_INDEX, &vault->index, err));
        return scan_all(vault, report, err);
    }
    vault_tail_release(vault);
    wipe_index(vault);
    TRY(open_index(vault, err));
    return settle_all(vault, report, err);
}

enum status vault_open(struct vault *vault, struct vault_report *report, struct error *err) {
    TRY(open_folder(vault, err));
    enum status status = open_index(vault, err);
    if (status == STATUS_OK && !vault->read_only) status = settle_all(vault, report, err);
    const bool none = vault->read_only && status == STATUS_NOT_FOUND;
    return status == STATUS_BAD_FILE || none ? vault_rebuild(vault, report, err) : status;
}

void vault_close(struct vault *vault) {
    vault_tail_release(vault);
    segment_files_deinit(&vault->files);
    db_close(vault->index);
    vault->index = NULL;
    if (vault->index_damaged && !vault->read_only) wipe_index(vault);
    if (vault->folder >= 0) close(vault->folder);
    vault->folder = -1;
}

static uint64_t stored(const struct vault *vault, const char *name) {
    struct stat info;
    const bool there = fstatat(vault->folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    return there ? (uint64_t)info.st_blocks * 512 : 0;
}

void vault_measure(struct vault *vault) {
    uint32_t *numbers;
    size_t count;
    char name[SEGMENT_NAME_BYTES];
    uint64_t total = 0;
    if (segment_list(vault->folder, &numbers, &count, NULL) != STATUS_OK) return;
    for (int i = 0; i < INDEX_FILE_COUNT; i++)
        total += stored(vault, INDEX_FILES[i]);
    vault->index_bytes = total;
    for (size_t i = 0; i < count; i++) {
        segment_name(numbers[i], name);
        total += stored(vault, name);
    }
    free(numbers);
    vault->stored_bytes = total;
}
