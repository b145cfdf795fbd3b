#include "store/statement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/text.h"

enum { DIGEST_BYTES = 16 };

bool db_in_memory(const struct db *db) { return strcmp(db->path, ":memory:") == 0; }

// SQLite reports a quota or a file size limit as SQLITE_IOERR_WRITE, and only errno tells them
// apart: SQLite's later calls in the same step succeed and leave errno as it is.
static int system_cause(const struct db *db, int code) {
    const int cause = sqlite3_system_errno(db->handle);
    return cause == 0 && code == SQLITE_IOERR_WRITE ? errno : cause;
}

static enum status io_failure(const struct db *db, int code, struct error *err) {
    const int cause = system_cause(db, code);
    if (code == SQLITE_FULL || cause == ENOSPC || cause == EDQUOT || cause == EFBIG)
        return error_set(
            err, STATUS_IO,
            "cannot save to %s: the disk is full (%s); free some space, then try again", db->path,
            cause ? strerror(cause) : sqlite3_errmsg(db->handle));
    return error_set(err, STATUS_IO,
                     "cannot read or write %s (%s%s%s); check the folder and its permissions, or "
                     "choose another with QUIRE_HOME",
                     db->path, sqlite3_errstr(code), cause ? ": " : "",
                     cause ? strerror(cause) : "");
}

enum status db_failure(const struct db *db, int code, struct error *err) {
    const bool of_locks = (code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_PROTOCOL;
    const int lock_failure = of_locks ? db_lock_failure(db) : 0;
    if (lock_failure != 0)
        return error_set(
            err, STATUS_IO,
            "cannot lock %s: %s; use a local file system, or another folder with QUIRE_HOME",
            db->path, strerror(lock_failure));
    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", db->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        if (db->stopped)
            return error_set(
                err, STATUS_BUSY,
                "another process is writing to %s, and the wait was interrupted; try again later",
                db->path);
        return error_set(err, STATUS_BUSY,
                         "another process has been writing to %s for %d s; try again later",
                         db->path, DB_BUSY_MS / 1000);
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_PROTOCOL:
        return io_failure(db, code, err);
    case SQLITE_TOOBIG:
        return error_set(err, STATUS_BAD_INPUT, "%s: the text is too long to store", db->path);
    case SQLITE_CONSTRAINT:
        return error_set(err, STATUS_BAD_INPUT, "%s: conflicts with what is stored (%s)", db->path,
                         sqlite3_errmsg(db->handle));
    case SQLITE_NOTADB:
        return error_set(err, STATUS_BAD_FILE,
                         "%s is not a database; move it away, and quire creates a new one",
                         db->path);
    default:
        return error_set(err, STATUS_BAD_FILE,
                         "%s is damaged (%s); keep a copy of it, and save what can still be read "
                         "with `sqlite3 FILE .recover`",
                         db->path, sqlite3_errmsg(db->handle));
    }
}

// SQLite rolls back by itself after some failures; later writes of the transaction must not be
// saved alone.
static enum status failed(struct db *db, int code, struct error *err) {
    if (db->depth > 0) db->failed = true;
    return db_failure(db, code, err);
}

static enum status find_prepared(struct db *db, const char *sql, sqlite3_stmt **handle,
                                 struct error *err) {
    for (size_t i = 0; i < db->prepared_count; i++)
        if (db->prepared[i].sql == sql) {
            *handle = db->prepared[i].handle;
            return STATUS_OK;
        }
    ASSERT(db->prepared_count < DB_MAX_STATEMENTS);
    sqlite3_stmt *made = NULL;
    const int code =
        sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, NULL);
    if (code != SQLITE_OK) return failed(db, code, err);
    db->prepared[db->prepared_count++] = (struct prepared){sql, made};
    *handle = made;
    return STATUS_OK;
}

// A deleted or moved file still accepts writes, but nobody would find them.
static enum status check_place(const struct db *db, sqlite3_stmt *handle, struct error *err) {
    int moved = 0;
    if (db->depth > 0 || db_in_memory(db) || sqlite3_stmt_readonly(handle)) return STATUS_OK;
    sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (!moved) return STATUS_OK;
    return error_set(err, STATUS_IO,
                     "%s was deleted or moved while it was open, so this was not saved; put it "
                     "back, or save the conversation with /export FILE and start quire again",
                     db->path);
}

enum status statement_start(struct db *db, const char *sql, struct statement *statement,
                            struct error *err) {
    if (db->failed)
        return error_set(err, STATUS_CANCELLED,
                         "%s: part of this transaction failed, so none of it is saved", db->path);
    // SQLite would retry for ten seconds per statement before it reports that.
    if (db->depth == 0 && db_lock_failure(db) != 0) return db_failure(db, SQLITE_BUSY, err);
    sqlite3_stmt *handle = NULL;
    TRY(find_prepared(db, sql, &handle, err));
    TRY(check_place(db, handle, err));
    ASSERT(!sqlite3_stmt_busy(handle));
    *statement = (struct statement){.db = db, .handle = handle};
    return STATUS_OK;
}

void statement_finish(struct statement *statement) {
    if (!statement->handle) return;
    sqlite3_reset(statement->handle); // returns the result of the last step, already handled
    sqlite3_clear_bindings(statement->handle);
    statement->handle = NULL;
}

static void keep_bind_code(struct statement *statement, int code) {
    if (statement->bind_code == SQLITE_OK) statement->bind_code = code;
}

void statement_bind_integer(struct statement *statement, int parameter, int64_t value) {
    ASSERT(parameter >= 1);
    keep_bind_code(statement, sqlite3_bind_int64(statement->handle, parameter, value));
}

void statement_bind_id(struct statement *statement, int parameter, int64_t id) {
    if (id == 0)
        keep_bind_code(statement, sqlite3_bind_null(statement->handle, parameter));
    else
        statement_bind_integer(statement, parameter, id);
}

void statement_bind_text(struct statement *statement, int parameter, const char *bytes,
                         size_t length) {
    ASSERT(parameter >= 1);
    keep_bind_code(statement, sqlite3_bind_text64(statement->handle, parameter, bytes, length,
                                                  SQLITE_STATIC, SQLITE_UTF8));
}

void statement_bind_blob(struct statement *statement, int parameter, const void *bytes,
                         size_t length) {
    ASSERT(parameter >= 1 && (bytes || length == 0));
    keep_bind_code(statement, length == 0 ? sqlite3_bind_zeroblob(statement->handle, parameter, 0)
                                          : sqlite3_bind_blob64(statement->handle, parameter, bytes,
                                                                length, SQLITE_STATIC));
}

enum status statement_step(struct statement *statement, bool *row, struct error *err) {
    const int code =
        statement->bind_code != SQLITE_OK ? statement->bind_code : sqlite3_step(statement->handle);
    ASSERT(statement->handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) return failed(statement->db, code, err);
    *row = code == SQLITE_ROW;
    return STATUS_OK;
}

enum status statement_run(struct statement *statement, struct error *err) {
    bool row = true;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && row)
        status = statement_step(statement, &row, err);
    statement_finish(statement);
    return status;
}

// Big-endian, so that SQLite's hex() shows it as hash_hex() does.
void statement_bind_digest(struct statement *statement, int parameter, struct hash128 digest) {
    uint8_t bytes[DIGEST_BYTES];
    ASSERT(parameter >= 1);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(digest.high >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)(digest.low >> (56 - 8 * i));
    }
    keep_bind_code(statement, sqlite3_bind_blob64(statement->handle, parameter, bytes, DIGEST_BYTES,
                                                  SQLITE_TRANSIENT));
}

static void refuse_column(struct statement *statement, int column, const char *found) {
    if (statement->damage.status != STATUS_OK) return;
    const char *name = sqlite3_column_name(statement->handle, column);
    error_set(&statement->damage, STATUS_BAD_FILE, "%s is %s", name ? name : "a column", found);
}

static const char *type_name(int type) {
    if (type == SQLITE_INTEGER) return "a number";
    if (type == SQLITE_FLOAT) return "a fraction";
    if (type == SQLITE_TEXT) return "text";
    return type == SQLITE_BLOB ? "bytes" : "missing";
}

int64_t statement_integer(struct statement *statement, int column, int64_t least, int64_t most) {
    const int type = sqlite3_column_type(statement->handle, column);
    ASSERT(least <= most && column < sqlite3_column_count(statement->handle));
    if (type != SQLITE_INTEGER) {
        refuse_column(statement, column, type_name(type));
        return least;
    }
    const int64_t value = sqlite3_column_int64(statement->handle, column);
    if (value >= least && value <= most) return value;
    char found[96];
    sqlite3_snprintf(sizeof found, found, "%lld, not %lld to %lld", value, least, most);
    refuse_column(statement, column, found);
    return least;
}

int64_t statement_id(struct statement *statement, int column, int64_t most) {
    if (sqlite3_column_type(statement->handle, column) == SQLITE_NULL) return 0;
    return statement_integer(statement, column, 1, most);
}

static const void *read_bytes(struct statement *statement, int column, int wanted, size_t *length) {
    static const char empty[1] = "";
    ASSERT(column < sqlite3_column_count(statement->handle));
    *length = 0;
    const int type = sqlite3_column_type(statement->handle, column);
    if (type != wanted) {
        refuse_column(statement, column, type_name(type));
        return empty;
    }
    const void *bytes = type == SQLITE_TEXT
                            ? (const void *)sqlite3_column_text(statement->handle, column)
                            : sqlite3_column_blob(statement->handle, column);
    const int count = sqlite3_column_bytes(statement->handle, column);
    if (bytes) {
        *length = (size_t)count;
        return bytes;
    }
    if (type == SQLITE_TEXT || count > 0)
        error_set(&statement->damage, STATUS_NO_MEMORY, "not enough memory");
    return empty;
}

const char *statement_text(struct statement *statement, int column, size_t *length) {
    *length = 0;
    if (sqlite3_column_type(statement->handle, column) == SQLITE_NULL) return "";
    const char *text = read_bytes(statement, column, SQLITE_TEXT, length);
    size_t bad;
    if (utf8_valid(text, *length, &bad)) return text;
    char found[64];
    sqlite3_snprintf(sizeof found, found, "not UTF-8 at byte %llu", (unsigned long long)bad);
    refuse_column(statement, column, found);
    *length = 0;
    return "";
}

const void *statement_blob(struct statement *statement, int column, size_t *length) {
    *length = 0;
    if (sqlite3_column_type(statement->handle, column) == SQLITE_NULL) return "";
    return read_bytes(statement, column, SQLITE_BLOB, length);
}

struct hash128 statement_digest(struct statement *statement, int column) {
    struct hash128 digest = {0, 0};
    size_t length;
    ASSERT(column < sqlite3_column_count(statement->handle));
    if (sqlite3_column_type(statement->handle, column) == SQLITE_NULL) return digest;
    const uint8_t *bytes = read_bytes(statement, column, SQLITE_BLOB, &length);
    if (length != DIGEST_BYTES) {
        refuse_column(statement, column, "not 16 bytes long");
        return digest;
    }
    for (int i = 0; i < 8; i++) {
        digest.high = digest.high << 8 | bytes[i];
        digest.low = digest.low << 8 | bytes[8 + i];
    }
    return digest;
}

enum status statement_sound(const struct statement *statement, const char *what, int64_t id,
                            struct error *err) {
    if (statement->damage.status == STATUS_OK) return STATUS_OK;
    return error_set(err, statement->damage.status, "%s is damaged: %s %lld: %s",
                     statement->db->path, what, (long long)id, statement->damage.text);
}

enum status statement_rows(struct statement *statement, read_row *read, struct rows *rows,
                           struct error *err) {
    bool row = true;
    enum status status = statement_step(statement, &row, err);
    while (status == STATUS_OK && row) {
        if (!array_reserve(&rows->items, rows->count, &rows->capacity, rows->item_bytes)) {
            status = STATUS_NO_MEMORY;
            break;
        }
        void *item =
            memset((char *)rows->items + rows->count * rows->item_bytes, 0, rows->item_bytes);
        status = read(statement, item, err);
        rows->count += status == STATUS_OK;
        if (status == STATUS_OK) status = statement_step(statement, &row, err);
    }
    statement_finish(statement);
    if (status == STATUS_OK) return STATUS_OK;
    free(rows->items);
    *rows = (struct rows){.item_bytes = rows->item_bytes};
    return status;
}

enum status statement_first(struct statement *statement, struct error *err) {
    bool row = false;
    TRY(statement_step(statement, &row, err));
    return row ? STATUS_OK : STATUS_NOT_FOUND;
}

enum status statement_first_integer(struct statement *statement, int64_t *value,
                                    struct error *err) {
    int64_t found = 0;
    enum status status = statement_first(statement, err);
    if (status == STATUS_OK) {
        found = statement_integer(statement, 0, INT64_MIN, INT64_MAX);
        status = statement_sound(statement, "row", 0, err);
    }
    statement_finish(statement);
    if (status == STATUS_OK) *value = found;
    return status;
}

int64_t store_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
