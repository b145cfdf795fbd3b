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
//                from then on there are none
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include <unistd.h>

enum outcome { DONE, DONE_HALF, DIES_AFTER, DIES_HALF, FAILS };

static struct {
    const char *root;
    size_t root_length;
    uint32_t at;
    bool kills, half, is_short, sticky, memory, locks;
    int error;
    _Atomic uint32_t *count;
} plan;

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
    plan.count = memory;
}

static bool is_below(const char *path) { return strncmp(path, plan.root, plan.root_length) == 0; }

static bool is_file_below(int file) {
    char link[32] = "/proc/self/fd/", path[PATH_MAX], digits[12];
    size_t at = strlen(link), count = 0;
    for (int left = file; count == 0 || left > 0; left /= 10)
        digits[count++] = (char)('0' + left % 10);
    while (count > 0)
        link[at++] = digits[--count];
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    return is_below(path);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

// What becomes of a change that `counts`. EINTR is for writes only.
static enum outcome next(bool counts, bool writes) {
    if (!plan.count || plan.memory || plan.locks || !counts) return DONE;
    const uint32_t number = atomic_fetch_add(plan.count, 1);
    if (number < plan.at || (number > plan.at && !plan.sticky)) return DONE;
    if (plan.kills) die();
    if (plan.half) return writes ? DIES_HALF : DIES_AFTER;
    if (plan.is_short) return writes ? DONE_HALF : DONE;
    if (plan.error == EINTR && !writes) return DONE;
    errno = plan.error;
    return FAILS;
}

static long finish(enum outcome outcome, long result) {
    if (outcome == DIES_AFTER || outcome == DIES_HALF) die();
    return result;
}

static size_t length_of(enum outcome outcome, size_t length) {
    return (outcome == DONE_HALF || outcome == DIES_HALF) && length > 1 ? length / 2 : length;
}

ssize_t write(int file, const void *bytes, size_t length) {
    const enum outcome outcome = next(plan.count && is_file_below(file), true);
    if (outcome == FAILS) return -1;
    return finish(outcome, syscall(SYS_write, file, bytes, length_of(outcome, length)));
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
    const enum outcome outcome = next(plan.count && is_file_below(file), true);
    if (outcome == FAILS) return -1;
    return finish(outcome, syscall(SYS_pwrite64, file, bytes, length_of(outcome, length), offset));
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    return pwrite64(file, bytes, length, offset);
}

static int change_file(long call, int file, long a, long b, long c) {
    const enum outcome outcome = next(plan.count && is_file_below(file), false);
    return outcome == FAILS ? -1 : (int)finish(outcome, syscall(call, file, a, b, c));
}

int fsync(int file) { return change_file(SYS_fsync, file, 0, 0, 0); }
int fdatasync(int file) { return change_file(SYS_fdatasync, file, 0, 0, 0); }
int ftruncate64(int file, off64_t length) { return change_file(SYS_ftruncate, file, length, 0, 0); }
int ftruncate(int file, off_t length) { return ftruncate64(file, length); }
int fallocate64(int file, int mode, off64_t offset, off64_t length) {
    return change_file(SYS_fallocate, file, mode, offset, length);
}
int fallocate(int file, int mode, off_t offset, off_t length) {
    return fallocate64(file, mode, offset, length);
}

static int change_path(long call, const char *path, long a) {
    const enum outcome outcome = next(plan.count && is_below(path), false);
    return outcome == FAILS ? -1 : (int)finish(outcome, syscall(call, path, a));
}

int unlink(const char *path) { return change_path(SYS_unlink, path, 0); }
int mkdir(const char *path, mode_t mode) { return change_path(SYS_mkdir, path, mode); }
int rename(const char *from, const char *to) { return change_path(SYS_rename, from, (long)to); }

static int open_file(int folder, const char *path, int flags, mode_t mode) {
    struct stat found;
    const bool makes =
        plan.count && (flags & O_CREAT) && is_below(path) && lstat(path, &found) != 0;
    const enum outcome outcome = next(makes, false);
    if (outcome == FAILS) return -1;
    return (int)finish(outcome, syscall(SYS_openat, folder, path, flags, mode));
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
