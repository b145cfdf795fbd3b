// store/disk_cache/ownership.c — files are ours by their first bytes, and the traps.
//
// A file with one of our names is opened without following a link and without waiting, since a pipe
// with our name would block. It is ours if it is a regular file and begins with our magic number.
//
// SQLite's files are the exception. POSIX locks belong to the process: closing any descriptor of a
// database drops the locks that another connection of this process has on it. They are looked at
// with fstatat() only, and the application id is read through SQLite itself (migration_read_id).
//
// A process can die anywhere. The marker is written before anything else and the index is removed
// last, so what is left can always be told from somebody else's files, also by the next attempt.
#include "store/disk_cache/ownership.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "store/disk_cache/slot_file.h"
#include "store/disk_cache/slots.h"

const char *const OWNERSHIP_FILES[] = {
    "index.db", "index.db-wal", "index.db-shm", "index.db-journal", "quire-kv-cache",
};
enum { INDEX, BESIDE_FIRST, BESIDE_LAST = 3, MARKER };

static const char MARKER_TEXT[] = "quire KV cache\nquire wrote these files and may delete them at "
                                  "any time. So may you: they are rebuilt.\n";
static const char SEGMENT_MAGIC[] = "QUIREKVB";
enum { MARKER_TITLE_BYTES = 15, SEGMENT_MAGIC_BYTES = sizeof SEGMENT_MAGIC - 1 };

static const int64_t OLD_INDEX_ID = 0x7175696b; // "quik"

struct folder {
    int descriptor;
    const char *path;
    bool is_marked;
    bool has_index; // ours and not empty
    bool has_old;   // files of an older quire
    struct ownership *found;
    struct slots_format *formats;
    size_t format_count;
    bool knows_formats;
};

static enum status refuse_file(const struct folder *folder, const char *name, struct error *err) {
    return error_set(err, STATUS_UNSUPPORTED,
                     "%.300s/%.64s does not belong to quire; move it away, or choose another "
                     "folder with --kv-dir",
                     folder->path, name);
}

// It may be our own index, damaged: then a command that moves it helps more than a search.
static enum status refuse_index(const struct folder *folder, struct error *err) {
    const char *name = OWNERSHIP_FILES[INDEX];
    if (!folder->is_marked) return refuse_file(folder, name, err);
    return error_set(err, STATUS_UNSUPPORTED,
                     "%.300s/%s is damaged or does not belong to quire; set it aside with \"quire "
                     "kv drop\" for this folder, or choose another with --kv-dir",
                     folder->path, name);
}

// UNSUPPORTED: not a regular file. NOT_FOUND. SQLite's files are not even opened: closing them
// would give up the locks that a connection of this process has on them.
static enum status examine(const struct folder *folder, const char *name, struct stat *info,
                           struct error *err) {
    if (fstatat(folder->descriptor, name, info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? STATUS_NOT_FOUND : refuse_file(folder, name, err);
    return S_ISREG(info->st_mode) ? STATUS_OK : refuse_file(folder, name, err);
}

// Reads its first bytes, at most `most`; length 0 for an empty file.
static enum status read_start(const struct folder *folder, const char *name, void *bytes,
                              size_t most, size_t *length, struct error *err) {
    struct stat info;
    const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    TRY(examine(folder, name, &info, err));
    const int file = openat(folder->descriptor, name, flags);
    if (file < 0) return errno == ENOENT ? STATUS_NOT_FOUND : refuse_file(folder, name, err);
    const ssize_t got = pread(file, bytes, most, 0);
    close(file);
    if (got < 0) return refuse_file(folder, name, err);
    *length = (size_t)got;
    return STATUS_OK;
}

// ---- the index

// If an older quire was killed early, its id is only in SQLite's log, so SQLite has to read it,
// from a copy.
static bool is_index_by_log(const struct folder *folder) {
    struct text path = {0};
    struct db *copy = NULL;
    enum status status = text_format(&path, "%s/%s", folder->path, OWNERSHIP_FILES[INDEX]);
    if (status == STATUS_OK) status = migration_open_copy(path.bytes, &SLOTS_SCHEMA, &copy, NULL);
    db_close(copy);
    text_deinit(&path);
    return status == STATUS_OK;
}

static bool read_id(const struct folder *folder, int64_t *id) {
    struct text path = {0};
    const bool found =
        text_format(&path, "%s/%s", folder->path, OWNERSHIP_FILES[INDEX]) == STATUS_OK &&
        migration_read_id(path.bytes, id);
    text_deinit(&path);
    return found;
}

static enum status check_index(struct folder *folder, struct error *err) {
    const char *name = OWNERSHIP_FILES[INDEX];
    struct stat info;
    int64_t id;
    const enum status status = examine(folder, name, &info, err);
    if (status == STATUS_NOT_FOUND || (status == STATUS_OK && info.st_size == 0)) return STATUS_OK;
    TRY(status);
    if (!read_id(folder, &id)) return refuse_index(folder, err);
    folder->has_old |= id == OLD_INDEX_ID;
    folder->has_index = id == OLD_INDEX_ID || id == SLOTS_SCHEMA.application_id ||
                        (id == 0 && is_index_by_log(folder));
    return folder->has_index ? STATUS_OK : refuse_index(folder, err);
}

static enum status check_marker(struct folder *folder, struct error *err) {
    const char *name = OWNERSHIP_FILES[MARKER];
    char title[MARKER_TITLE_BYTES];
    size_t length;
    const enum status status = read_start(folder, name, title, sizeof title, &length, err);
    if (status == STATUS_NOT_FOUND) return STATUS_OK;
    TRY(status);
    folder->is_marked = length == sizeof title; // else it was not written completely
    return memcmp(title, MARKER_TEXT, length) == 0 ? STATUS_OK : refuse_file(folder, name, err);
}

static enum status check_beside(struct folder *folder, const char *name, struct error *err) {
    struct stat info;
    const enum status status = examine(folder, name, &info, err);
    if (status == STATUS_NOT_FOUND) return STATUS_OK;
    TRY(status);
    const bool is_ours = folder->has_index || folder->is_marked || info.st_size == 0;
    return is_ours ? STATUS_OK : refuse_file(folder, name, err);
}

// ---- files of blocks

// "segment-00000001.kv"
static bool is_segment_name(const char *name) {
    static const char prefix[] = "segment-", suffix[] = ".kv";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
    const char *rest = name + sizeof prefix - 1;
    return strcmp(rest + strspn(rest, "0123456789"), suffix) == 0;
}

static bool is_segment(const struct folder *folder, const char *name) {
    char magic[SEGMENT_MAGIC_BYTES];
    size_t length = 0;
    if (read_start(folder, name, magic, sizeof magic, &length, NULL) != STATUS_OK) return false;
    return length == 0 || (length == sizeof magic && memcmp(magic, SEGMENT_MAGIC, length) == 0);
}

bool ownership_has_blocks(int descriptor, const char *name) {
    const int file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool is_begun;
    const bool is_ours = file >= 0 && slot_file_is_ours(file, &is_begun);
    if (file >= 0) close(file);
    return is_ours;
}

static void read_formats(struct folder *folder) {
    struct text path = {0};
    struct db *copy = NULL;
    folder->knows_formats = true;
    if (text_format(&path, "%s/%s", folder->path, OWNERSHIP_FILES[INDEX]) == STATUS_OK &&
        migration_open_copy(path.bytes, &SLOTS_SCHEMA, &copy, NULL) == STATUS_OK)
        (void)!slots_formats(copy, &folder->formats, &folder->format_count, NULL);
    db_close(copy);
    text_deinit(&path);
}

// From an older quire: a regular file that the index names.
static bool is_in_index(struct folder *folder, const char *name) {
    char byte;
    size_t length;
    if (folder->is_marked || !folder->has_index ||
        read_start(folder, name, &byte, 1, &length, NULL) != STATUS_OK)
        return false;
    if (!folder->knows_formats) read_formats(folder);
    for (size_t i = 0; i < folder->format_count; i++) {
        char hex[HASH_HEX_BYTES];
        if (strncmp(name, hash_hex(folder->formats[i].id, hex), HASH_HEX_BYTES - 1) == 0)
            return true;
    }
    return false;
}

static bool is_ours(struct folder *folder, const char *name) {
    ASSERT(folder->descriptor >= 0);
    if (is_segment_name(name)) return is_segment(folder, name);
    return ownership_has_blocks(folder->descriptor, name) || is_in_index(folder, name);
}

// ---- all of them

// Calls the function for every file of blocks, until a result is not OK.
static enum status for_blocks(struct folder *folder,
                              enum status (*each)(struct folder *folder, const char *name,
                                                  struct error *err),
                              struct error *err) {
    const int again = openat(folder->descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listed = again >= 0 ? fdopendir(again) : NULL;
    enum status status = STATUS_OK;
    if (!listed) {
        if (again >= 0) close(again);
        return error_set(err, STATUS_IO, "cannot list %s: %s", folder->path, strerror(errno));
    }
    for (const struct dirent *entry; status == STATUS_OK && (entry = readdir(listed));)
        if (slot_file_is_name(entry->d_name) || is_segment_name(entry->d_name))
            status = each(folder, entry->d_name, err);
    closedir(listed);
    return status;
}

static enum status check_blocks(struct folder *folder, const char *name, struct error *err) {
    struct stat info;
    (void)err;
    if (is_ours(folder, name)) {
        folder->has_old |= is_segment_name(name);
        return STATUS_OK;
    }
    const bool is_gone =
        fstatat(folder->descriptor, name, &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
    if (is_gone) return STATUS_OK;
    if (folder->found->foreign_files++ == 0)
        snprintf(folder->found->foreign, OWNERSHIP_NAME_BYTES, "%s", name);
    return STATUS_OK;
}

static enum status check_fixed(struct folder *folder, struct error *err) {
    TRY(check_marker(folder, err));
    TRY(check_index(folder, err));
    for (int i = BESIDE_FIRST; i <= BESIDE_LAST; i++)
        TRY(check_beside(folder, OWNERSHIP_FILES[i], err));
    return STATUS_OK;
}

enum status ownership_check(int descriptor, const char *path, struct ownership *found,
                            struct error *err) {
    *found = (struct ownership){0};
    struct folder folder = {.descriptor = descriptor, .path = path, .found = found};
    enum status status = check_fixed(&folder, err);
    if (status == STATUS_OK) status = for_blocks(&folder, check_blocks, err);
    free(folder.formats);
    found->is_old = folder.has_old || (folder.has_index && !folder.is_marked);
    return status;
}

enum status ownership_mark(int descriptor, const char *path, struct error *err) {
    struct folder folder = {.descriptor = descriptor, .path = path};
    TRY(check_marker(&folder, err));
    if (folder.is_marked) return STATUS_OK;
    const size_t length = sizeof MARKER_TEXT - 1;
    const int file = openat(descriptor, OWNERSHIP_FILES[MARKER],
                            O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    const bool whole = file >= 0 && pwrite(file, MARKER_TEXT, length, 0) == (ssize_t)length;
    const int cause = errno;
    if (file >= 0) close(file);
    if (whole) return STATUS_OK;
    return error_set(err, cause == ENOSPC || cause == EDQUOT ? STATUS_FULL : STATUS_IO,
                     "cannot write %s/%s: %s", path, OWNERSHIP_FILES[MARKER], strerror(cause));
}

// Creates a new folder, so that moved files meet no others.
static int make_aside(const struct folder *folder, char *name, size_t bytes) {
    enum { MOST = 1000 };
    for (int i = 1; i <= MOST; i++) {
        snprintf(name, bytes, "set-aside-%d", i);
        if (mkdirat(folder->descriptor, name, 0700) == 0)
            return openat(folder->descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (errno != EEXIST) break;
    }
    return -1;
}

// SQLite's other files move first: a new index must not find an old log.
static bool move_index(const struct folder *folder, int aside) {
    bool moved = true;
    for (int i = BESIDE_LAST; i >= INDEX && moved; i--)
        moved = renameat(folder->descriptor, OWNERSHIP_FILES[i], aside, OWNERSHIP_FILES[i]) == 0 ||
                errno == ENOENT;
    return moved;
}

enum status ownership_set_aside(int descriptor, const char *path, struct text *aside,
                                struct error *err) {
    struct folder folder = {.descriptor = descriptor, .path = path};
    struct stat info;
    char name[OWNERSHIP_NAME_BYTES];
    TRY(check_marker(&folder, err));
    if (!folder.is_marked || examine(&folder, OWNERSHIP_FILES[INDEX], &info, NULL) != STATUS_OK ||
        check_index(&folder, NULL) != STATUS_UNSUPPORTED)
        return STATUS_OK;
    const int made = make_aside(&folder, name, sizeof name);
    const bool moved = made >= 0 && move_index(&folder, made);
    const int cause = errno;
    if (made >= 0) close(made);
    if (moved) return text_format(aside, "%s/%s", path, name);
    return error_set(err, cause == ENOSPC || cause == EDQUOT ? STATUS_FULL : STATUS_IO,
                     "cannot move %s/%s: %s", path, OWNERSHIP_FILES[INDEX], strerror(cause));
}

static enum status remove_blocks(struct folder *folder, const char *name, struct error *err) {
    (void)err;
    if (is_ours(folder, name)) unlinkat(folder->descriptor, name, 0);
    return STATUS_OK;
}

// The index is removed last: if this is interrupted, it still shows whose the remaining files are.
void ownership_remove(int descriptor, const char *path) {
    struct folder folder = {.descriptor = descriptor, .path = path};
    if (check_fixed(&folder, NULL) == STATUS_OK) {
        (void)!for_blocks(&folder, remove_blocks, NULL);
        for (int i = BESIDE_LAST; i >= INDEX; i--)
            unlinkat(descriptor, OWNERSHIP_FILES[i], 0);
    }
    free(folder.formats);
}
