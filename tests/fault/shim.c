// tests/fault/shim.c — preloaded: the n-th time that a program changes its files, something goes
// wrong.
//
//   FAULT_ROOT   changes of files below this folder count: writes, syncs, truncations, files made,
//                renamed, removed
//   FAULT_COUNT  a file of 4 bytes, in which they are counted
//   FAULT_AT     the number of the change that goes wrong; the first is 0
//   FAULT_HOW    kill: SIGKILL before it; half: SIGKILL after half of a write, or after another
//                change; short: half of a write is written, and said; eintr, eio, enospc: it fails
//                so; eio+, enospc+: so do all that follow; memory: allocations count instead, and
//                this one fails; memory+: and all that follow; locks+: locks of files count, and
//                from then on there are none; record: nothing goes wrong, and each change that was
//                made is appended to the file FAULT_RECORD (change.h)
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/fault/change.h"

enum outcome { DONE, DONE_HALF, DIES_AFTER, DIES_HALF, FAILS };

static struct {
    const char *root;
    size_t root_length;
    uint32_t at;
    bool kills, half, is_short, sticky, memory, locks;
    int error;
    int record; // a file; -1: none
    pthread_mutex_t recording;
    _Atomic uint32_t *count;
} plan = {.record = -1, .recording = PTHREAD_MUTEX_INITIALIZER};

static bool is_how(const char *how, const char *name, bool *sticky) {
    const size_t length = strlen(name);
    if (strncmp(how, name, length) != 0) return false;
    *sticky = how[length] == '+';
    return true;
}

__attribute__((constructor)) static void read_plan(void) {
    const char *how = getenv("FAULT_HOW"), *at = getenv("FAULT_AT"), *count = getenv("FAULT_COUNT");
    const char *root = getenv("FAULT_ROOT");
    if (!how || !at || !count || !root) return;
    const long file = syscall(SYS_openat, AT_FDCWD, count, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *plan.count, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file, 0);
    syscall(SYS_close, file);
    if (memory == MAP_FAILED) return;
    plan.root = root;
    plan.root_length = strlen(root);
    plan.at = (uint32_t)strtoul(at, NULL, 10);
    plan.kills = is_how(how, "kill", &plan.sticky);
    plan.half = is_how(how, "half", &plan.sticky);
    plan.is_short = is_how(how, "short", &plan.sticky);
    plan.memory = is_how(how, "memory", &plan.sticky);
    plan.locks = is_how(how, "locks", &plan.sticky);
    plan.error = is_how(how, "eintr", &plan.sticky)    ? EINTR
                 : is_how(how, "eio", &plan.sticky)    ? EIO
                 : is_how(how, "enospc", &plan.sticky) ? ENOSPC
                                                       : 0;
    const char *record = getenv("FAULT_RECORD");
    if (is_how(how, "record", &plan.sticky) && record)
        plan.record = (int)syscall(SYS_openat, AT_FDCWD, record,
                                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    plan.count = memory;
}

static bool is_below(const char *path) { return strncmp(path, plan.root, plan.root_length) == 0; }

static bool path_of_file(int file, char path[PATH_MAX]) {
    char link[32] = "/proc/self/fd/", digits[12];
    size_t at = strlen(link), count = 0;
    for (int left = file; count == 0 || left > 0; left /= 10)
        digits[count++] = (char)('0' + left % 10);
    while (count > 0)
        link[at++] = digits[--count];
    const ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

// The path of a name in a folder.
static bool path_of_name(int folder, const char *name, char path[PATH_MAX]) {
    path[0] = '\0';
    if (folder != AT_FDCWD && name[0] != '/' && !path_of_file(folder, path)) return false;
    const size_t length = strlen(path);
    if (length + 1 + strlen(name) >= PATH_MAX) return false;
    if (length > 0) path[length] = '/';
    strcpy(path + length + (length > 0), name);
    return true;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

struct made { // a change that may be recorded
    char path[PATH_MAX];
    struct change change;
    const void *data;
    bool counts;
};

static bool counts_file(struct made *made, int file) {
    made->counts = plan.count && path_of_file(file, made->path) && is_below(made->path);
    return made->counts;
}

static bool counts_name(struct made *made, int folder, const char *name) {
    made->counts = plan.count && path_of_name(folder, name, made->path) && is_below(made->path);
    return made->counts;
}

// What becomes of a change. EINTR is for writes only. What is recorded is made one after the other.
static enum outcome next_outcome(const struct made *made) {
    const bool writes = made->change.kind == CHANGE_WRITE;
    if (!plan.count || plan.memory || plan.locks || !made->counts) return DONE;
    if (plan.record >= 0) {
        pthread_mutex_lock(&plan.recording);
        return DONE;
    }
    const uint32_t number = atomic_fetch_add(plan.count, 1);
    if (number < plan.at || (number > plan.at && !plan.sticky)) return DONE;
    if (plan.kills) die();
    if (plan.half) return writes ? DIES_HALF : DIES_AFTER;
    if (plan.is_short) return writes ? DONE_HALF : DONE;
    if (plan.error == EINTR && !writes) return DONE;
    errno = plan.error;
    return FAILS;
}

static void record(struct made *made) {
    const int error = errno;
    made->change.path_bytes = (uint32_t)strlen(made->path);
    struct iovec parts[] = {{&made->change, sizeof made->change},
                            {made->path, made->change.path_bytes},
                            {(void *)(uintptr_t)made->data, made->change.data_bytes}};
    if (writev(plan.record, parts, 3) < 0) abort();
    atomic_fetch_add(plan.count, 1);
    errno = error;
}

static long finish_change(enum outcome outcome, struct made *made, long result) {
    if (outcome == DIES_AFTER || outcome == DIES_HALF) die();
    if (plan.record >= 0 && made->counts) {
        if (made->change.kind == CHANGE_WRITE && result >= 0)
            made->change.data_bytes = (uint64_t)result;
        if (result >= 0) record(made);
        pthread_mutex_unlock(&plan.recording);
    }
    return result;
}

static size_t length_of(enum outcome outcome, size_t length) {
    return (outcome == DONE_HALF || outcome == DIES_HALF) && length > 1 ? length / 2 : length;
}

ssize_t write(int file, const void *bytes, size_t length) {
    struct made made = {.change.kind = CHANGE_WRITE, .data = bytes};
    counts_file(&made, file);
    const enum outcome outcome = next_outcome(&made);
    if (outcome == FAILS) return -1;
    const long written = syscall(SYS_write, file, bytes, length_of(outcome, length));
    if (made.counts && written >= 0)
        made.change.offset = (uint64_t)(lseek(file, 0, SEEK_CUR) - written);
    return finish_change(outcome, &made, written);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
    struct made made = {.change = {.kind = CHANGE_WRITE, .offset = (uint64_t)offset},
                        .data = bytes};
    counts_file(&made, file);
    const enum outcome outcome = next_outcome(&made);
    if (outcome == FAILS) return -1;
    return finish_change(outcome, &made,
                         syscall(SYS_pwrite64, file, bytes, length_of(outcome, length), offset));
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    return pwrite64(file, bytes, length, offset);
}

static int change_file(int file, struct change change, long call, long a, long b, long c) {
    struct made made = {.change = change};
    counts_file(&made, file);
    const enum outcome outcome = next_outcome(&made);
    return outcome == FAILS ? -1 : (int)finish_change(outcome, &made, syscall(call, file, a, b, c));
}

int fsync(int file) {
    return change_file(file, (struct change){.kind = CHANGE_SYNC}, SYS_fsync, 0, 0, 0);
}
int fdatasync(int file) {
    return change_file(file, (struct change){.kind = CHANGE_SYNC}, SYS_fdatasync, 0, 0, 0);
}
int ftruncate64(int file, off64_t length) {
    const struct change change = {.kind = CHANGE_TRUNCATE, .offset = (uint64_t)length};
    return change_file(file, change, SYS_ftruncate, length, 0, 0);
}
int ftruncate(int file, off_t length) { return ftruncate64(file, length); }
int fallocate64(int file, int mode, off64_t offset, off64_t length) {
    const struct change change =
        mode & FALLOC_FL_PUNCH_HOLE
            ? (struct change){CHANGE_PUNCH, .offset = (uint64_t)offset, .length = (uint64_t)length}
            : (struct change){CHANGE_EXTEND, .offset = (uint64_t)(offset + length)};
    return change_file(file, change, SYS_fallocate, mode, offset, length);
}
int fallocate(int file, int mode, off_t offset, off_t length) {
    return fallocate64(file, mode, offset, length);
}

static int change_name(int folder, const char *name, enum change_kind kind, long call, long a) {
    struct made made = {.change.kind = kind};
    counts_name(&made, folder, name);
    const enum outcome outcome = next_outcome(&made);
    return outcome == FAILS ? -1
                            : (int)finish_change(outcome, &made, syscall(call, folder, name, a));
}

int unlinkat(int folder, const char *name, int flags) {
    return change_name(folder, name, CHANGE_UNLINK, SYS_unlinkat, flags);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int mkdir(const char *path, mode_t mode) {
    return change_name(AT_FDCWD, path, CHANGE_MKDIR, SYS_mkdirat, mode);
}
int rename(const char *from, const char *to) {
    struct made made = {.change = {.kind = CHANGE_RENAME, .data_bytes = strlen(to)}, .data = to};
    counts_name(&made, AT_FDCWD, from);
    const enum outcome outcome = next_outcome(&made);
    return outcome == FAILS ? -1
                            : (int)finish_change(outcome, &made, syscall(SYS_rename, from, to));
}

static int open_file(int folder, const char *name, int flags, mode_t mode) {
    struct made made = {.change.kind = CHANGE_CREATE};
    struct stat found;
    if (counts_name(&made, folder, name)) {
        const bool exists = lstat(made.path, &found) == 0;
        made.counts = exists ? flags & O_TRUNC : flags & O_CREAT;
        if (exists) made.change.kind = CHANGE_TRUNCATE;
    }
    const enum outcome outcome = next_outcome(&made);
    if (outcome == FAILS) return -1;
    return (int)finish_change(outcome, &made, syscall(SYS_openat, folder, name, flags, mode));
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                     \
    int name(const char *path, int flags, ...) {       \
        va_list rest;                                  \
        va_start(rest, flags);                         \
        const mode_t mode = mode_of(flags, rest);      \
        va_end(rest);                                  \
        return open_file(AT_FDCWD, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

int openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_file(folder, path, flags, mode);
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

static bool goes_wrong(bool counts, int error) {
    if (!plan.count || !counts) return false;
    const uint32_t number = atomic_fetch_add(plan.count, 1);
    if (number < plan.at || (number > plan.at && !plan.sticky)) return false;
    errno = error;
    return true;
}

static bool has_memory(void) { return !goes_wrong(plan.memory, ENOMEM); }

void *malloc(size_t bytes) { return has_memory() ? __libc_malloc(bytes) : NULL; }
void *calloc(size_t count, size_t bytes) {
    return has_memory() ? __libc_calloc(count, bytes) : NULL;
}
void *realloc(void *memory, size_t bytes) {
    return has_memory() ? __libc_realloc(memory, bytes) : NULL;
}

static int control(int file, int command, void *argument) {
    const bool locks = command == F_SETLK || command == F_OFD_SETLK;
    if (goes_wrong(plan.locks && locks, ENOLCK)) return -1;
    return (int)syscall(SYS_fcntl, file, command, argument);
}

#define CONTROL(name)                            \
    int name(int file, int command, ...) {       \
        va_list rest;                            \
        va_start(rest, command);                 \
        void *argument = va_arg(rest, void *);   \
        va_end(rest);                            \
        return control(file, command, argument); \
    }
CONTROL(fcntl)
CONTROL(fcntl64)
