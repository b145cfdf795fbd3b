#include "app/cli/digest.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/model/checkpoint.h"
#include "kernels/base/log.h"

struct identity { // of a model's files as they are now
    char path[PATH_MAX];
    int64_t bytes, changed_ns;
};

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool add_file(const char *path, struct identity *identity) {
    struct stat file;
    if (stat(path, &file) != 0) return false;
    const int64_t content = nanoseconds(file.st_mtim), inode = nanoseconds(file.st_ctim);
    const int64_t changed_ns = content > inode ? content : inode;
    identity->bytes += file.st_size;
    if (changed_ns > identity->changed_ns) identity->changed_ns = changed_ns;
    return true;
}

// All files of a folder, as any of them may be a part of the model.
static bool add_folder(const char *path, struct identity *identity) {
    DIR *folder = opendir(path);
    bool whole = folder != NULL;
    for (struct dirent *entry; whole && (entry = readdir(folder));) {
        char file[PATH_MAX];
        const int length = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        whole = length > 0 && (size_t)length < sizeof file;
        if (whole && strcmp(entry->d_name, "..") != 0) add_file(file, identity);
    }
    if (folder) closedir(folder);
    return whole;
}

static bool identify(const char *path, struct identity *identity) {
    struct stat file;
    char part[PATH_MAX];
    *identity = (struct identity){0};
    if (!realpath(path, identity->path) || stat(identity->path, &file) != 0) return false;
    if (S_ISDIR(file.st_mode)) return add_folder(identity->path, identity);
    if (!checkpoint_part(path, 1, part, sizeof part)) return add_file(path, identity);
    for (int32_t i = 1; checkpoint_part(path, i, part, sizeof part); i++)
        if (!add_file(part, identity)) return false;
    return true;
}

bool digest_find(struct db *db, const char *path, struct hash128 *digest) {
    struct identity file;
    return identify(path, &file) &&
           db_digest_find(db, file.path, file.bytes, file.changed_ns, digest) == STATUS_OK;
}

void digest_remember(struct db *db, const char *path, struct hash128 digest) {
    struct identity file;
    struct error err = {0};
    if (!identify(path, &file)) return;
    if (db_digest_remember(db, file.path, file.bytes, file.changed_ns, digest, &err) != STATUS_OK)
        log_write(LOG_WARNING, "the model's digest could not be remembered: %s", err.text);
}
