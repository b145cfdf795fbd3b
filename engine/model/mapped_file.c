#include "engine/model/mapped_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/hash.h"

// What is mapped now, for a signal handler in any thread: `bytes` is NULL in a free entry, and is
// published last and withdrawn first.
static struct known_file {
    const unsigned char *_Atomic bytes;
    _Atomic bool claimed;
    size_t length;
    char path[MAPPED_FILE_PATH_SHOWN + 1];
} known_files[MAPPED_FILE_MOST_KNOWN];

static void remember(const struct mapped_file *file, const char *path) {
    ASSERT(file->bytes && file->length > 0);
    for (int i = 0; i < MAPPED_FILE_MOST_KNOWN; i++) {
        struct known_file *known = &known_files[i];
        if (atomic_exchange(&known->claimed, true)) continue;
        known->length = file->length;
        snprintf(known->path, sizeof known->path, "%s", mapped_file_shown(path));
        for (char *at = known->path; *at; at++)
            if (iscntrl((unsigned char)*at)) *at = '?';
        atomic_store(&known->bytes, file->bytes);
        return;
    }
}

static void forget(const struct mapped_file *file) {
    for (int i = 0; i < MAPPED_FILE_MOST_KNOWN; i++) {
        struct known_file *known = &known_files[i];
        if (atomic_load(&known->bytes) != file->bytes) continue;
        atomic_store(&known->bytes, NULL);
        atomic_store(&known->claimed, false);
        return;
    }
}

const char *mapped_file_at(const void *address) {
    const uintptr_t at = (uintptr_t)address;
    for (int i = 0; i < MAPPED_FILE_MOST_KNOWN; i++) {
        const uintptr_t begin = (uintptr_t)atomic_load(&known_files[i].bytes);
        if (begin && at >= begin && at - begin < known_files[i].length) return known_files[i].path;
    }
    return NULL;
}

const char *mapped_file_shown(const char *path) {
    const size_t length = strlen(path);
    return path + (length > MAPPED_FILE_PATH_SHOWN ? length - MAPPED_FILE_PATH_SHOWN : 0);
}

static enum status system_refused(const char *path, const char *what, struct error *err) {
    return error_set(err, STATUS_IO, "cannot %s %s: %s", what, mapped_file_shown(path),
                     strerror(errno));
}

static const char *kind_of_file(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void file_state_join(struct file_state *state, const struct file_state *other) {
    state->bytes += other->bytes;
    state->inodes += other->inodes;
    if (other->changed_ns > state->changed_ns) state->changed_ns = other->changed_ns;
}

void file_state_add(struct file_state *state, const struct stat *file) {
    const int64_t content_ns = nanoseconds(file->st_mtim), inode_ns = nanoseconds(file->st_ctim);
    const uint64_t which[2] = {(uint64_t)file->st_dev, (uint64_t)file->st_ino};
    const struct file_state one = {
        .bytes = file->st_size,
        .changed_ns = content_ns > inode_ns ? content_ns : inode_ns,
        .inodes = hash_bytes(which, sizeof which, 0).low,
    };
    file_state_join(state, &one);
}

bool file_state_equal(const struct file_state *a, const struct file_state *b) {
    return a->bytes == b->bytes && a->changed_ns == b->changed_ns && a->inodes == b->inodes;
}

// What a repository holds in place of a large file, where the program that fetches it is missing.
static bool is_pointer(const struct mapped_file *file) {
    static const char BEGIN[] = "version https://git-lfs.github.com/spec/";
    return file->length > sizeof BEGIN && memcmp(file->bytes, BEGIN, sizeof BEGIN - 1) == 0;
}

static enum status map_descriptor(int descriptor, const char *path, const char *kind,
                                  struct mapped_file *file, struct error *err) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return system_refused(path, "examine", err);
    if (!S_ISREG(info.st_mode))
        return error_set(err, STATUS_BAD_FILE, "%s: expected %s, found %s", mapped_file_shown(path),
                         kind, kind_of_file(info.st_mode));
    const size_t length = (size_t)info.st_size;
    void *mapping = NULL;
    if (length > 0) mapping = mmap(NULL, length, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapping == MAP_FAILED) return system_refused(path, "map", err);
    *file = (struct mapped_file){.bytes = mapping, .length = length};
    file_state_add(&file->state, &info);
    if (mapping) remember(file, path);
    return STATUS_OK;
}

enum status mapped_file_open(const char *path, const char *kind, struct mapped_file *file,
                             struct error *err) {
    // O_NONBLOCK: opening a pipe would wait for its writer. Regular files know no such thing.
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return system_refused(path, "open", err);
    const enum status status = map_descriptor(descriptor, path, kind, file, err);
    close(descriptor);
    TRY(status);
    if (!is_pointer(file)) return STATUS_OK;
    mapped_file_close(file);
    return error_set(err, STATUS_BAD_FILE,
                     "%s: expected %s, found a Git LFS pointer; git lfs pull fetches the file",
                     mapped_file_shown(path), kind);
}

void mapped_file_close(struct mapped_file *file) {
    if (file->bytes) forget(file);
    if (file->bytes) munmap((void *)(uintptr_t)file->bytes, file->length);
    *file = (struct mapped_file){0};
}

void mapped_file_prefetch(const struct mapped_file *file) {
    // Advice only: where the kernel does not take it, the pages come when they are touched.
    if (!file->bytes) return;
    void *bytes = (void *)(uintptr_t)file->bytes;
    (void)madvise(bytes, file->length, MADV_HUGEPAGE);
    (void)madvise(bytes, file->length, MADV_WILLNEED);
}
