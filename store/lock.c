// store/lock.c — the locks of conversation.h.
//
// Conversation n is locked by the open file description that holds byte n of the lock file,
// which stays empty: a lock may lie beyond a file's end. Such a lock does not tell its owner. So
// the process also takes a classic POSIX lock at byte NAME_PLATES + n, whose owner the kernel
// reports. Both vanish with the process.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "store/conversation.h"
#include "store/conversation_id.h"
#include "store/statement.h"

static const int64_t NAME_PLATES = INT64_C(1) << 32;

// Looks among this handle's own locks, because the kernel would grant one twice.
static size_t find_lock(const struct db *db, int64_t number) {
    size_t at = 0;
    while (at < db->lock_count && db->locks[at] != number)
        at++;
    return at;
}

static struct flock byte_lock(short type, int64_t at) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
}

static enum status open_lock_file(struct db *db, struct error *err) {
    if (db->lock_file >= 0) return STATUS_OK;
    struct text path = {0};
    enum status status = text_format(&path, "%s.lock", db->path);
    if (status == STATUS_OK) {
        db->lock_file = open(path.bytes, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (db->lock_file < 0)
            status = error_set(err, STATUS_IO, "cannot open %s: %s; check its permissions",
                               path.bytes, strerror(errno));
    }
    text_deinit(&path);
    return status;
}

// Tries a byte that belongs to no conversation. If the lock file is not open, no lock is held that
// closing it would release.
int db_lock_failure(const struct db *db) {
    struct flock lock = byte_lock(F_RDLCK, 2 * NAME_PLATES);
    struct text path = {0};
    int file = db->lock_file, failure = 0;
    if (db_in_memory(db)) return 0;
    if (file < 0 && text_format(&path, "%s.lock", db->path) == STATUS_OK)
        file = open(path.bytes, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 && fcntl(file, F_OFD_SETLK, &lock) != 0) failure = errno;
    lock.l_type = F_UNLCK;
    if (file >= 0 && failure == 0) fcntl(file, F_OFD_SETLK, &lock);
    if (file >= 0 && file != db->lock_file) close(file);
    text_deinit(&path);
    return failure;
}

static enum status busy(const struct db *db, const char *id, int64_t number, struct error *err) {
    struct flock plate = byte_lock(F_WRLCK, NAME_PLATES + number);
    char process[32] = "";
    if (fcntl(db->lock_file, F_GETLK, &plate) == 0 && plate.l_type != F_UNLCK && plate.l_pid > 0)
        (void)snprintf(process, sizeof process, " (%ld)", (long)plate.l_pid);
    return error_set(err, STATUS_BUSY,
                     "conversation %s is open in another quire process%s; close it there, or fork "
                     "it: quire -r %s --fork",
                     id, process, id);
}

static enum status lock_byte(struct db *db, const char *id, int64_t number, struct error *err) {
    TRY(open_lock_file(db, err));
    struct flock lock = byte_lock(F_WRLCK, number);
    if (fcntl(db->lock_file, F_OFD_SETLK, &lock) != 0) {
        if (errno == EAGAIN || errno == EACCES) return busy(db, id, number, err);
        return error_set(err, STATUS_IO, "cannot lock %s.lock: %s; use a local file system",
                         db->path, strerror(errno));
    }
    struct flock plate = byte_lock(F_WRLCK, NAME_PLATES + number);
    fcntl(db->lock_file, F_SETLK, &plate); // without it, an error message only has no number
    return STATUS_OK;
}

enum status conversation_lock(struct db *db, const char *id, struct error *err) {
    const int64_t number = conversation_id_read(id);
    ASSERT(number != 0);
    if (find_lock(db, number) < db->lock_count)
        return error_set(err, STATUS_BUSY, "conversation %s is already open here", id);
    if (db->lock_count == DB_MAX_LOCKS)
        return error_set(err, STATUS_FULL, "too many open conversations (at most %d)",
                         DB_MAX_LOCKS);
    if (!db_in_memory(db)) TRY(lock_byte(db, id, number, err));
    db->locks[db->lock_count++] = number;
    return STATUS_OK;
}

void conversation_unlock(struct db *db, const char *id) {
    const int64_t number = conversation_id_read(id);
    ASSERT(number != 0);
    const size_t at = find_lock(db, number);
    if (at == db->lock_count) return;
    db->locks[at] = db->locks[--db->lock_count];
    if (db->lock_file < 0) return;
    struct flock lock = byte_lock(F_UNLCK, number),
                 plate = byte_lock(F_UNLCK, NAME_PLATES + number);
    fcntl(db->lock_file, F_SETLK, &plate);
    fcntl(db->lock_file, F_OFD_SETLK, &lock);
}
