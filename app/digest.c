#include "app/digest.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "engine/base/log.h"

struct identity { // of a file as it is now
    char path[PATH_MAX];
    int64_t bytes, changed_ns;
};

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool identify(const char *path, struct identity *identity) {
    struct stat file;
    if (!realpath(path, identity->path) || stat(identity->path, &file) != 0) return false;
    const int64_t content = nanoseconds(file.st_mtim), inode = nanoseconds(file.st_ctim);
    identity->bytes = file.st_size;
    identity->changed_ns = content > inode ? content : inode;
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
