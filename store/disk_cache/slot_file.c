#include "store/disk_cache/slot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum { STAT_BLOCK = 512 }; // the unit of st_blocks on every file system

static const char SUFFIX[] = ".kv", MAGIC[] = SLOT_FILE_MAGIC;
enum { MAGIC_BYTES = sizeof MAGIC - 1, HEADER_BYTES = SLOT_ALIGNMENT };

void slot_file_init(struct slot_file *file, int folder, struct hash128 format,
                    size_t payload_bytes) {
    char hex[HASH_HEX_BYTES];
    ASSERT(payload_bytes > 0);
    *file = (struct slot_file){
        .folder = folder,
        .file = -1,
        .payload_bytes = payload_bytes,
        .stride = size_round_up(payload_bytes, SLOT_ALIGNMENT),
    };
    snprintf(file->name, sizeof file->name, "%s%s", hash_hex(format, hex), SUFFIX);
}

void slot_file_close(struct slot_file *file) {
    if (file->file >= 0) close(file->file);
    file->file = -1;
}

void slot_file_remove(struct slot_file *file) {
    struct stat open_one, named;
    ASSERT(file->file >= 0);
    if (fstat(file->file, &open_one) == 0 &&
        fstatat(file->folder, file->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino)
        unlinkat(file->folder, file->name, 0);
    slot_file_close(file);
}

bool slot_file_is_name(const char *name) {
    const size_t digits = strspn(name, "0123456789abcdef");
    return digits == HASH_HEX_BYTES - 1 && strcmp(name + digits, SUFFIX) == 0;
}

static bool is_gone(int file) {
    struct stat info;
    return fstat(file, &info) == 0 && info.st_nlink == 0;
}

static enum status write_failure(struct error *err) {
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
        return error_set(
            err, STATUS_FULL,
            "the KV cache cannot grow: the disk is full (%s); it grows again when there is space",
            strerror(errno));
    return error_set(err, STATUS_IO, "cannot write the KV cache: %s", strerror(errno));
}

enum status slot_file_sync(const struct slot_file *file, struct error *err) {
    ASSERT(file->file >= 0);
    return fdatasync(file->file) == 0 ? STATUS_OK : write_failure(err);
}

// Made durable before any row mentions a slot, so that every file with slots has it.
static enum status write_header(const struct slot_file *file, struct error *err) {
    const ssize_t wrote = pwrite(file->file, MAGIC, MAGIC_BYTES, 0);
    if (wrote != MAGIC_BYTES) {
        if (wrote > 0) errno = ENOSPC;
        const enum status status = write_failure(err);
        (void)!ftruncate(file->file, 0);
        return status;
    }
    return slot_file_sync(file, err);
}

bool slot_file_is_ours(int file, bool *is_begun) {
    struct stat info;
    char bytes[MAGIC_BYTES];
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    const ssize_t got = pread(file, bytes, MAGIC_BYTES, 0);
    *is_begun = info.st_size > MAGIC_BYTES || (got == MAGIC_BYTES && bytes[MAGIC_BYTES - 1]);
    if (*is_begun) return got == MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0;
    for (ssize_t i = 0; i < got; i++)
        if (bytes[i] && bytes[i] != MAGIC[i]) return false;
    return got == info.st_size;
}

static enum status refuse_slot_file(const struct slot_file *file, struct error *err) {
    return error_set(err, STATUS_UNSUPPORTED, "%s does not belong to quire; move it away",
                     file->name);
}

static enum status check_header(const struct slot_file *file, bool create, struct error *err) {
    bool is_begun;
    if (!slot_file_is_ours(file->file, &is_begun)) return refuse_slot_file(file, err);
    return is_begun || !create ? STATUS_OK : write_header(file, err);
}

// Is it a link, a folder or a socket, which open() refuses? Keeps errno.
static bool is_irregular(const struct slot_file *file) {
    struct stat info;
    const int cause = errno;
    const bool found = fstatat(file->folder, file->name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    errno = cause;
    return found && !S_ISREG(info.st_mode);
}

enum status slot_file_open(struct slot_file *file, bool create, struct error *err) {
    ASSERT(file->stride >= file->payload_bytes && file->payload_bytes > 0);
    if (file->file < 0 || is_gone(file->file)) {
        slot_file_close(file);
        const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT : 0);
        file->file = openat(file->folder, file->name, flags, 0600);
    }
    if (file->file < 0 && is_irregular(file)) return refuse_slot_file(file, err);
    if (file->file < 0)
        return error_set(err, errno == ENOENT && !create ? STATUS_NOT_FOUND : STATUS_IO,
                         "cannot open %s of the KV cache: %s", file->name, strerror(errno));
    const enum status status = check_header(file, create, err);
    if (status != STATUS_OK) slot_file_close(file);
    return status;
}

static off_t offset_of(const struct slot_file *file, uint64_t slot) {
    const uint64_t offset = slot * file->stride;
    ASSERT(file->stride > 0 && offset / file->stride == slot && offset <= INT64_MAX / 2);
    return (off_t)(HEADER_BYTES + offset);
}

enum status slot_file_write(const struct slot_file *file, uint32_t slot, const void *payload,
                            struct error *err) {
    const off_t offset = offset_of(file, slot);
    ASSERT(file->file >= 0);
    for (size_t done = 0; done < file->payload_bytes;) {
        const ssize_t wrote = pwrite(file->file, (const char *)payload + done,
                                     file->payload_bytes - done, offset + (off_t)done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return write_failure(err);
        done += (size_t)wrote;
    }
    return STATUS_OK;
}

enum status slot_file_read(const struct slot_file *file, uint32_t slot, void *payload,
                           struct error *err) {
    const off_t offset = offset_of(file, slot);
    ASSERT(file->file >= 0);
    for (size_t done = 0; done < file->payload_bytes;) {
        const ssize_t got = pread(file->file, (char *)payload + done, file->payload_bytes - done,
                                  offset + (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return error_set(err, STATUS_IO, "cannot read the KV cache: %s", strerror(errno));
        if (got == 0) return STATUS_NOT_FOUND;
        done += (size_t)got;
    }
    return STATUS_OK;
}

static struct stat status_of(const struct slot_file *file) {
    struct stat info;
    ASSERT(file->file >= 0);
    if (fstat(file->file, &info) != 0) memset(&info, 0, sizeof info);
    return info;
}

static uint64_t past_header(uint64_t bytes) {
    return bytes > HEADER_BYTES ? bytes - HEADER_BYTES : 0;
}

uint64_t slot_file_bytes(const struct slot_file *file) {
    return past_header((uint64_t)status_of(file).st_size);
}

// The last slot needs no padding.
uint64_t slot_file_slots(const struct slot_file *file) {
    const uint64_t bytes = slot_file_bytes(file);
    return bytes / file->stride + (bytes % file->stride >= file->payload_bytes);
}

uint64_t slot_file_stored(const struct slot_file *file) {
    return past_header((uint64_t)status_of(file).st_blocks * STAT_BLOCK);
}

enum status slot_file_punch(const struct slot_file *file, uint32_t slot, uint32_t count,
                            struct error *err) {
    const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    const off_t offset = offset_of(file, slot), end = offset_of(file, (uint64_t)slot + count);
    ASSERT(file->file >= 0 && count > 0);
    if (fallocate(file->file, mode, offset, end - offset) == 0) return STATUS_OK;
    if (errno == EOPNOTSUPP || errno == ENOSYS) return STATUS_UNSUPPORTED;
    return write_failure(err);
}

enum status slot_file_cut(const struct slot_file *file, uint64_t slots, struct error *err) {
    const off_t end = offset_of(file, slots);
    if (status_of(file).st_size <= end) return STATUS_OK;
    return ftruncate(file->file, end) == 0 ? STATUS_OK : write_failure(err);
}
