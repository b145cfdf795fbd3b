#include "store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/text.h"
#include "store/migration.h"
#include "store/statement.h"

// Makes our database private if others can read it, and a folder with quire's name too; any other
// folder may be shared for a reason. Only warns about files that are not ours.
static void keep_private(const char *path) {
    char folder[PATH_MAX];
    struct stat file, above;
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || (size_t)(slash - path) >= sizeof folder) return;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    if (lstat(path, &file) != 0 || stat(folder, &above) != 0) return;
    if (file.st_uid != geteuid())
        log_write(LOG_WARNING, "%s belongs to another user", path);
    else if (S_ISREG(file.st_mode) && (file.st_mode & 077) && chmod(path, 0600) == 0)
        log_write(LOG_WARNING, "%s was readable by other users; it is now private", path);
    const char *name = strrchr(folder, '/');
    const bool named = name && strcmp(name, "/quire") == 0;
    if (named && above.st_uid == geteuid() && (above.st_mode & 077) && chmod(folder, 0700) == 0)
        log_write(LOG_WARNING, "%s was readable by other users; it is now private", folder);
    else if (!named && (above.st_mode & 022) && !(above.st_mode & S_ISVTX))
        log_write(LOG_WARNING, "%s is writable by other users, and so are the files in it", folder);
}

// SQLite gives its other files the mode of the database, so the database is created here first.
static enum status make_file(const char *path, struct error *err) {
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) {
        close(file);
        return STATUS_OK;
    }
    if (errno == EEXIST) return STATUS_OK;
    return error_set(err, STATUS_IO,
                     "cannot create %s: %s; check the folder, or choose another with QUIRE_HOME",
                     path, strerror(errno));
}

// SQLite's busy handler. Where the file system has no locks there is nothing to wait for. After a
// wait that failed, the next statements wait only briefly, so that they do not take seconds each.
static int wait_for_lock(void *user, int calls) {
    enum { PAUSE_MOST_MS = 25 };
    struct db *db = user;
    const int64_t now_ms = clock_now_us() / 1000;
    ASSERT(calls >= 0);
    if (calls == 0) db->waits_ms = now_ms;
    const bool again = db->gave_up_ms && db->waits_ms - db->gave_up_ms < DB_BUSY_MS;
    if (calls == 1 && db_lock_failure(db) != 0) return 0;
    if (calls == 0) db->stopped = false;
    if (db->stops_wait && db->stops_wait(db->stops_wait_user)) db->stopped = true;
    const int64_t most_ms = again ? DB_BUSY_AGAIN_MS : db->stopped ? DB_STOPPED_MS : DB_BUSY_MS;
    if (now_ms - db->waits_ms >= most_ms) {
        db->gave_up_ms = now_ms;
        return 0;
    }
    sqlite3_sleep(calls < PAUSE_MOST_MS ? calls + 1 : PAUSE_MOST_MS);
    return 1;
}

void db_on_wait(struct db *db, bool (*stops)(void *user), void *user) {
    db->stops_wait = stops;
    db->stops_wait_user = user;
}

// Switching to WAL does not wait for another process that is doing the same, so retry.
static int set_journal(struct db *db) {
    enum { PAUSE_MS = 50 };
    const int64_t until_ms = clock_now_us() / 1000 + DB_BUSY_MS;
    int code;
    ASSERT(db->handle);
    for (;;) {
        code = sqlite3_exec(db->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if ((code & 0xFF) != SQLITE_BUSY || db_lock_failure(db) != 0) break;
        if (clock_now_us() / 1000 >= until_ms) break;
        sqlite3_sleep(PAUSE_MS);
    }
    return code;
}

static enum status configure(struct db *db, struct error *err) {
    if (sqlite3_db_readonly(db->handle, "main") == 1)
        return error_set(err, STATUS_IO,
                         "%s is read-only; make it and its folder writable, or choose another "
                         "folder with QUIRE_HOME",
                         db->path);
    sqlite3_extended_result_codes(db->handle, 1);
    int code = sqlite3_busy_handler(db->handle, wait_for_lock, db);
    // No content of the file may corrupt it. Its schema must be trusted, because triggers fill an
    // FTS5 table.
    if (code == SQLITE_OK) code = sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db->handle, "PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON",
                            NULL, NULL, NULL);
    if (code != SQLITE_OK) return db_failure(db, code, err);
    return STATUS_OK;
}

// Only once it is known to be ours: this writes.
static enum status make_durable(struct db *db, struct error *err) {
    char page_size[48]; // only an empty file obeys it
    ASSERT(db->schema->page_bytes >= 0);
    snprintf(page_size, sizeof page_size, "PRAGMA page_size = %d", (int)db->schema->page_bytes);
    int code = SQLITE_OK;
    if (db->schema->page_bytes) code = sqlite3_exec(db->handle, page_size, NULL, NULL, NULL);
    if (code == SQLITE_OK) TRY(migration_claim(db, err));
    if (code == SQLITE_OK) code = set_journal(db);
    const char *sql =
        db->schema->rebuildable ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL";
    if (code == SQLITE_OK) code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? STATUS_OK : db_failure(db, code, err);
}

// Made early: a rollback must not need memory.
static enum status prepare_rollback(struct db *db, struct error *err) {
    ASSERT(!db->rollback);
    const int code = sqlite3_prepare_v3(db->handle, "ROLLBACK", -1, SQLITE_PREPARE_PERSISTENT,
                                        &db->rollback, NULL);
    return code == SQLITE_OK ? STATUS_OK : db_failure(db, code, err);
}

static enum status append_uri(struct text *uri, const char *path) {
    TRY(text_append_string(uri, "file:"));
    for (; *path; path++)
        TRY(strchr("%?#", *path) ? text_format(uri, "%%%02X", (unsigned)*path)
                                 : text_append(uri, path, 1));
    return text_append_string(uri, "?immutable=1");
}

int db_open_immutable(const char *path, sqlite3 **handle) {
    enum { FLAGS = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI };
    struct text uri = {0};
    int code = SQLITE_NOMEM;
    if (append_uri(&uri, path) == STATUS_OK) code = sqlite3_open_v2(uri.bytes, handle, FLAGS, NULL);
    text_deinit(&uri);
    return code;
}

// Must run before SQLite opens the file for writing, which would merge another program's log into
// its database.
static enum status check_owner(const struct db *db, struct error *err) {
    int64_t id = 0;
    struct stat info;
    const bool is_empty = stat(db->path, &info) == 0 && info.st_size == 0;
    if (!migration_read_id(db->path, &id)) id = 0; // SQLite knows more
    if (id != 0 && id != db->schema->application_id) return migration_refuse(db, id, err);
    if (id != 0 || is_empty) keep_private(db->path);
    return STATUS_OK;
}

static enum status open_handle(struct db *db, const char *path, struct error *err) {
    ASSERT(!db->path && !db->handle);
    db->path = strdup(path);
    if (!db->path) return STATUS_NO_MEMORY;
    if (!db_in_memory(db)) TRY(make_file(db->path, err));
    if (!db_in_memory(db)) TRY(check_owner(db, err));
    const int code =
        sqlite3_open_v2(db->path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (!db->handle) return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", db->path);
    if (code != SQLITE_OK) return db_failure(db, code, err);
    TRY(prepare_rollback(db, err));
    TRY(configure(db, err));
    return db->schema->prepare ? db->schema->prepare(db, err) : STATUS_OK;
}

static enum status open_file(struct db *db, const char *path, struct error *err) {
    TRY(open_handle(db, path, err));
    TRY(migration_check(db, err));
    TRY(make_durable(db, err));
    return migration_run(db, err);
}

// "immutable" keeps SQLite from making its -wal and -shm files. It ignores an existing -wal, so
// with one the file is opened normally, unless the folder does not allow that.
static int open_source(const char *path, sqlite3 **source) {
    enum { FLAGS = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX };
    struct text wal = {0};
    struct stat info;
    int code = SQLITE_NOMEM;
    if (text_format(&wal, "%s-wal", path) == STATUS_OK) {
        const bool at_rest = stat(wal.bytes, &info) != 0 || info.st_size == 0;
        code = SQLITE_CANTOPEN;
        if (!at_rest) {
            code = sqlite3_open_v2(path, source, FLAGS, NULL);
            if (code == SQLITE_OK)
                code = sqlite3_exec(*source, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
        }
        if ((code & 0xFF) == SQLITE_CANTOPEN) {
            sqlite3_close(*source);
            code = db_open_immutable(path, source);
        }
    }
    text_deinit(&wal);
    return code;
}

static enum status copy_pages(struct db *db, const char *path, struct error *err) {
    sqlite3 *source = NULL;
    ASSERT(db_in_memory(db));
    int code = open_source(path, &source);
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(source, DB_BUSY_MS);
        sqlite3_backup *backup = sqlite3_backup_init(db->handle, "main", source, "main");
        if (backup) sqlite3_backup_step(backup, -1);
        code = backup ? sqlite3_backup_finish(backup) : sqlite3_errcode(db->handle);
    }
    sqlite3_close(source);
    return code == SQLITE_OK ? STATUS_OK : db_failure(db, code, err);
}

static enum status open_copy(struct db *db, const char *path, struct error *err) {
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return error_set(err, STATUS_NOT_FOUND, "%s does not exist", path);
    TRY(open_handle(db, ":memory:", err));
    TRY(copy_pages(db, path, err));
    TRY(migration_check(db, err));
    return migration_run(db, err);
}

typedef enum status open_function(struct db *db, const char *path, struct error *err);

static enum status open_as(const char *path, const struct schema *schema, open_function *how,
                           struct db **result, struct error *err) {
    struct db *db = calloc(1, sizeof *db);
    if (!db) return STATUS_NO_MEMORY;
    db->schema = schema;
    db->lock_file = -1;
    const enum status status = how(db, path, err);
    if (status != STATUS_OK) {
        db_close(db);
        return status;
    }
    *result = db;
    return STATUS_OK;
}

enum status migration_open(const char *path, const struct schema *schema, struct db **db,
                           struct error *err) {
    return open_as(path, schema, open_file, db, err);
}

enum status migration_open_copy(const char *path, const struct schema *schema, struct db **db,
                                struct error *err) {
    return open_as(path, schema, open_copy, db, err);
}

enum status db_open(const char *path, struct db **db, struct error *err) {
    return migration_open(path, &MIGRATION_CONVERSATIONS, db, err);
}

void db_close(struct db *db) {
    if (!db) return;
    ASSERT(db->prepared_count <= DB_MAX_STATEMENTS);
    for (size_t i = 0; i < db->prepared_count; i++)
        sqlite3_finalize(db->prepared[i].handle);
    sqlite3_finalize(db->rollback);
    sqlite3_close(db->handle);
    if (db->lock_file >= 0) close(db->lock_file);
    free(db->path);
    free(db);
}

static enum status find_model(struct db *db, struct hash128 digest, int64_t *model,
                              struct error *err) {
    static const char sql[] = "SELECT id FROM model WHERE digest = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_digest(&statement, 1, digest);
    return statement_first_integer(&statement, model, err);
}

// Two processes may add the same new model at once: the first one inserts it.
static enum status enter_model(struct db *db, struct hash128 digest, const char *name,
                               struct error *err) {
    static const char sql[] = "INSERT INTO model(digest, name) VALUES(?1, ?2)"
                              " ON CONFLICT(digest) DO NOTHING";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_digest(&statement, 1, digest);
    statement_bind_text(&statement, 2, name, strlen(name));
    return statement_run(&statement, err);
}

enum status db_model(struct db *db, struct hash128 digest, const char *name, int64_t *model,
                     struct error *err) {
    const enum status status = find_model(db, digest, model, err);
    if (status != STATUS_NOT_FOUND) return status;
    TRY(enter_model(db, digest, name, err));
    return find_model(db, digest, model, err);
}

enum status db_digest_find(struct db *db, const char *path, int64_t bytes, int64_t mtime_ns,
                           struct hash128 *digest) {
    static const char sql[] = "SELECT digest FROM model_file"
                              " WHERE path = ?1 AND size = ?2 AND mtime_ns = ?3";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, NULL));
    statement_bind_blob(&statement, 1, path, strlen(path));
    statement_bind_integer(&statement, 2, bytes);
    statement_bind_integer(&statement, 3, mtime_ns);
    enum status status = statement_first(&statement, NULL);
    if (status == STATUS_OK) {
        const struct hash128 found = statement_digest(&statement, 0);
        status = statement_sound(&statement, "model file", 0, NULL);
        if (status == STATUS_OK) *digest = found;
    }
    statement_finish(&statement);
    return status;
}

enum status db_digest_remember(struct db *db, const char *path, int64_t bytes, int64_t mtime_ns,
                               struct hash128 digest, struct error *err) {
    static const char sql[] = "INSERT OR REPLACE INTO model_file(path, size, mtime_ns, digest)"
                              " VALUES(?1, ?2, ?3, ?4)";
    struct statement statement;
    ASSERT(bytes >= 0);
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_blob(&statement, 1, path, strlen(path));
    statement_bind_integer(&statement, 2, bytes);
    statement_bind_integer(&statement, 3, mtime_ns);
    statement_bind_digest(&statement, 4, digest);
    return statement_run(&statement, err);
}
