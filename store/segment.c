#include "store/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"

void segment_name(uint32_t number, char name[SEGMENT_NAME_BYTES]) {
    snprintf(name, SEGMENT_NAME_BYTES, "segment-%08" PRIu32 ".kv", number);
}

// 0 unless it is just what segment_name() makes of a number.
static uint32_t read_name(const char *name) {
    char again[SEGMENT_NAME_BYTES];
    const unsigned long number =
        strncmp(name, "segment-", 8) == 0 ? strtoul(name + 8, NULL, 10) : 0;
    if (number > UINT32_MAX) return 0;
    segment_name((uint32_t)number, again);
    return strcmp(name, again) == 0 ? (uint32_t)number : 0;
}

static int ascending(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static enum status collect(DIR *stream, uint32_t **numbers, size_t *count) {
    size_t capacity = 0;
    for (const struct dirent *entry; (entry = readdir(stream));) {
        const uint32_t number = read_name(entry->d_name);
        if (number == 0) continue;
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            uint32_t *grown = realloc(*numbers, capacity * sizeof *grown);
            if (!grown) return STATUS_NO_MEMORY;
            *numbers = grown;
        }
        (*numbers)[(*count)++] = number;
    }
    return STATUS_OK;
}

enum status segment_list(int folder, uint32_t **numbers, size_t *count, struct error *err) {
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again >= 0 ? fdopendir(again) : NULL;
    if (!stream) {
        if (again >= 0) close(again);
        return error_set(err, STATUS_IO, "the folder of the KV cache cannot be read (%s)",
                         strerror(errno));
    }
    uint32_t *found = NULL;
    size_t found_count = 0;
    const enum status status = collect(stream, &found, &found_count);
    closedir(stream);
    if (status != STATUS_OK) {
        free(found);
        return status;
    }
    if (found_count > 0) qsort(found, found_count, sizeof *found, ascending);
    *numbers = found;
    *count = found_count;
    return STATUS_OK;
}

enum status segment_open(int folder, uint32_t number, enum segment_use use, int *file,
                         struct error *err) {
    static const int flags[] = {
        [SEGMENT_READ] = O_RDONLY,
        [SEGMENT_WRITE] = O_RDWR,
        [SEGMENT_CREATE] = O_RDWR | O_CREAT | O_EXCL,
    };
    char name[SEGMENT_NAME_BYTES];
    segment_name(number, name);
    const int opened = openat(folder, name, flags[use] | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (opened < 0) {
        const enum status status = errno == ENOENT   ? STATUS_NOT_FOUND
                                   : errno == EEXIST ? STATUS_BUSY
                                                     : STATUS_IO;
        return error_set(err, status, "%s of the KV cache cannot be opened (%s)", name,
                         strerror(errno));
    }
    *file = opened;
    return STATUS_OK;
}

bool segment_is_gone(int file) {
    struct stat info;
    return fstat(file, &info) == 0 && info.st_nlink == 0;
}

enum status segment_open_locked(int folder, uint32_t number, enum segment_use use, int *file,
                                struct error *err) {
    int opened;
    TRY(segment_open(folder, number, use, &opened, err));
    enum status status = STATUS_OK;
    const int cause = flock(opened, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (cause == EWOULDBLOCK)
        status = error_set(err, STATUS_BUSY,
                           "segment %" PRIu32 " of the KV cache is in use by another quire: close "
                           "it first",
                           number);
    else if (cause != 0)
        status =
            error_set(err, STATUS_IO, "segment %" PRIu32 " of the KV cache cannot be locked (%s)",
                      number, strerror(cause));
    else if (segment_is_gone(opened)) // removed between the opening and the lock
        status = STATUS_NOT_FOUND;
    if (status == STATUS_OK)
        *file = opened;
    else
        close(opened);
    return status;
}

enum status segment_remove(int folder, uint32_t number, struct error *err) {
    char name[SEGMENT_NAME_BYTES];
    segment_name(number, name);
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return STATUS_OK;
    return error_set(err, STATUS_IO, "%s of the KV cache cannot be removed (%s)", name,
                     strerror(errno));
}

static enum status write_failure(struct error *err) {
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
        return error_set(err, STATUS_FULL,
                         "the KV cache cannot grow, the disk is full (%s): blocks are kept again "
                         "when there is room",
                         strerror(errno));
    return error_set(err, STATUS_IO, "the KV cache cannot be written (%s)", strerror(errno));
}

// Steps over what a call has dealt with; returns how many pieces are done.
static int advance(struct iovec *pieces, int count, size_t bytes) {
    int done = 0;
    while (done < count && bytes >= pieces[done].iov_len)
        bytes -= pieces[done++].iov_len;
    if (done < count) {
        pieces[done].iov_base = (char *)pieces[done].iov_base + bytes;
        pieces[done].iov_len -= bytes;
    }
    return done;
}

enum status segment_write(int file, uint64_t offset, struct iovec *pieces, int count,
                          struct error *err) {
    while (count > 0) {
        const ssize_t wrote = pwritev(file, pieces, count, (off_t)offset);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return write_failure(err);
        const int done = advance(pieces, count, (size_t)wrote);
        if (wrote == 0 && done == 0)
            return error_set(err, STATUS_IO, "the KV cache cannot be written");
        offset += (uint64_t)wrote;
        pieces += done;
        count -= done;
    }
    return STATUS_OK;
}

enum status segment_read(int file, uint64_t offset, struct iovec *pieces, int count,
                         struct error *err) {
    if (offset > INT64_MAX) return STATUS_NOT_FOUND;
    while (count > 0) {
        const ssize_t got = preadv(file, pieces, count, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return error_set(err, STATUS_IO, "the KV cache cannot be read (%s)", strerror(errno));
        const int done = advance(pieces, count, (size_t)got);
        if (got == 0 && done == 0) return STATUS_NOT_FOUND;
        offset += (uint64_t)got;
        pieces += done;
        count -= done;
    }
    return STATUS_OK;
}

enum status segment_sync(int file, struct error *err) {
    return fdatasync(file) == 0 ? STATUS_OK : write_failure(err);
}

enum status segment_cut(int file, uint64_t bytes, struct error *err) {
    return ftruncate(file, (off_t)bytes) == 0 ? STATUS_OK : write_failure(err);
}

enum status segment_punch(int file, uint64_t offset, uint64_t bytes, struct error *err) {
    const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    if (fallocate(file, mode, (off_t)offset, (off_t)bytes) == 0) return STATUS_OK;
    if (errno == EOPNOTSUPP || errno == ENOSYS) return STATUS_UNSUPPORTED;
    return write_failure(err);
}

uint64_t segment_size(int file) {
    struct stat info;
    return fstat(file, &info) == 0 ? (uint64_t)info.st_size : 0;
}

uint64_t segment_stored(int file) {
    struct stat info;
    return fstat(file, &info) == 0 ? (uint64_t)info.st_blocks * 512 : 0;
}

uint64_t segment_data(int file, uint64_t offset, uint64_t bytes) {
    const off_t end = (off_t)(offset + bytes);
    off_t at = (off_t)offset;
    uint64_t total = 0;
    while (at < end) {
        const off_t start = lseek(file, at, SEEK_DATA);
        if (start < 0 || start >= end) break; // ENXIO: nothing but a hole up to the end
        const off_t hole = lseek(file, start, SEEK_HOLE);
        if (hole <= start) return bytes;
        at = hole < end ? hole : end;
        total += (uint64_t)(at - start);
    }
    return total;
}

static struct segment_slot *find_slot(struct segment_files *files, uint32_t number) {
    for (int i = 0; i < SEGMENT_MAX_OPEN; i++)
        if (files->slots[i].number == number) return &files->slots[i];
    return NULL;
}

static struct segment_slot *oldest_slot(struct segment_files *files) {
    struct segment_slot *oldest = &files->slots[0];
    for (int i = 1; i < SEGMENT_MAX_OPEN; i++)
        if (files->slots[i].used < oldest->used) oldest = &files->slots[i];
    return oldest;
}

static void close_slot(struct segment_slot *slot) {
    if (slot->number != 0) close(slot->file);
    *slot = (struct segment_slot){0};
}

enum status segment_files_get(struct segment_files *files, uint32_t number, int *file,
                              struct error *err) {
    ASSERT(number != 0);
    struct segment_slot *slot = find_slot(files, number);
    if (slot && segment_is_gone(slot->file)) { // held open, its bytes would stay on the disk
        close_slot(slot);
        return STATUS_NOT_FOUND;
    }
    if (!slot) {
        int opened;
        TRY(segment_open(files->folder, number, SEGMENT_READ, &opened, err));
        slot = oldest_slot(files);
        close_slot(slot);
        *slot = (struct segment_slot){.number = number, .file = opened};
    }
    slot->used = ++files->uses;
    *file = slot->file;
    return STATUS_OK;
}

void segment_files_deinit(struct segment_files *files) {
    for (int i = 0; i < SEGMENT_MAX_OPEN; i++)
        close_slot(&files->slots[i]);
}
