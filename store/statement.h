// store/statement.h — how store/ talks to SQLite. Private to store/.
//
// One use of a prepared statement:
//   statement_start → statement_bind_… → statement_step … → columns → statement_finish
// A db prepares each statement once and caches it by the address of its text, so the text must be a
// constant that is used for nothing else. A statement has one use at a time.
//
// A row is outside data. A column with an invalid value reads as the smallest allowed value, and
// statement_sound() then refuses the row: a reader reads all columns first and checks once.
#ifndef STORE_STATEMENT_H
#define STORE_STATEMENT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"

enum {
    DB_BUSY_MS = 5000,      // how long a writer waits for another process
    DB_BUSY_AGAIN_MS = 200, // the same right after a wait that failed
    DB_STOPPED_MS = 400,    // the same once it is asked to stop: longer than a write takes
    DB_MAX_STATEMENTS = 96,
    DB_MAX_LOCKS = 128,
};

struct prepared {
    const char *sql;
    sqlite3_stmt *handle;
};

struct schema; // migration.h

struct db {
    const struct schema *schema; // what kind of file it is
    sqlite3 *handle;
    sqlite3_stmt *rollback;
    char *path;
    int lock_file;                  // -1: not open yet, or the database is in memory
    int32_t depth;                  // of begun transactions
    int64_t waits_ms, gave_up_ms;   // start of this wait, end of the last failed one; 0: none
    bool (*stops_wait)(void *user); // called while it waits; may be NULL
    void *stops_wait_user;
    bool stopped; // stops_wait ended the last wait, which lasts DB_STOPPED_MS more
    bool failed;  // a call inside the transaction failed: it can only be rolled back
    size_t prepared_count;
    struct prepared prepared[DB_MAX_STATEMENTS];
    size_t lock_count;
    int64_t locks[DB_MAX_LOCKS]; // numbers of the conversations locked by this handle: lock.c
};

struct statement {
    struct db *db;
    sqlite3_stmt *handle;
    int bind_code;       // result code of the first bind that failed, else SQLITE_OK
    struct error damage; // the first column with an invalid value
};

bool db_in_memory(const struct db *db);
// Opens a database read-only, creates no other file, and ignores an existing log. The caller closes
// the handle.
int db_open_immutable(const char *path, sqlite3 **handle);

// The errno if the file system cannot lock files, else 0 (lock.c).
int db_lock_failure(const struct db *db);

// Turns an SQLite result code into a status and a message: which file, what was found, what to do.
enum status db_failure(const struct db *db, int code, struct error *err);

MUST_CHECK enum status statement_start(struct db *db, const char *sql, struct statement *statement,
                                       struct error *err);
void statement_finish(struct statement *statement); // {0} is fine

// Parameters count from 1. Bytes are borrowed until the statement is finished.
void statement_bind_integer(struct statement *statement, int parameter, int64_t value);
void statement_bind_id(struct statement *statement, int parameter, int64_t id); // 0 is NULL
void statement_bind_text(struct statement *statement, int parameter, const char *bytes,
                         size_t length);
void statement_bind_blob(struct statement *statement, int parameter, const void *bytes,
                         size_t length);
void statement_bind_digest(struct statement *statement, int parameter, struct hash128 digest);

// *row is false when there are no more.
MUST_CHECK enum status statement_step(struct statement *statement, bool *row, struct error *err);

// Steps to the first row, which the caller reads. NOT_FOUND: there is none; err is filled only for
// other failures.
MUST_CHECK enum status statement_first(struct statement *statement, struct error *err);

// Steps to the end and finishes, whatever the outcome.
MUST_CHECK enum status statement_run(struct statement *statement, struct error *err);

// Columns count from 0. Bytes are borrowed until the next step; an SQL NULL has length 0 but never
// a NULL pointer.
int64_t statement_integer(struct statement *statement, int column, int64_t least, int64_t most);
int64_t statement_id(struct statement *statement, int column, int64_t most);         // NULL is 0
const char *statement_text(struct statement *statement, int column, size_t *length); // UTF-8
const void *statement_blob(struct statement *statement, int column, size_t *length);
struct hash128 statement_digest(struct statement *statement, int column); // NULL is {0, 0}

// BAD_FILE when a column of this row was refused. `what` and `id` name the row: "message 12".
MUST_CHECK enum status statement_sound(const struct statement *statement, const char *what,
                                       int64_t id, struct error *err);

// An array of items that were read from rows, item_bytes each.
struct rows {
    void *items; // owned by the reader
    size_t item_bytes, count, capacity;
};

// Reads the statement's current row into a zeroed item, which owns nothing.
typedef enum status read_row(struct statement *statement, void *item, struct error *err);

// Appends all rows of a started statement and finishes it. On failure frees the items and leaves
// none.
MUST_CHECK enum status statement_rows(struct statement *statement, read_row *read,
                                      struct rows *rows, struct error *err);

// Reads the first column of the first row, and finishes the statement. Errors as statement_first().
MUST_CHECK enum status statement_first_integer(struct statement *statement, int64_t *value,
                                               struct error *err);

int64_t store_now_ms(void); // since 1970, UTC
#endif
