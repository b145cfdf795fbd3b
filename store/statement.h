// store/statement.h — how this room talks to SQLite; nobody else includes it.
//
// One use of a prepared statement:
//   statement_start → statement_bind_… → statement_step … → columns → statement_finish
// Statements are prepared once per db and kept, by the address of their text, so that text must
// be a constant that is used for nothing else. A statement is in one use at a time.
//
// A row is outside data. A column that is not what it must be reads as the smallest allowed
// value and is remembered; statement_sound() then refuses the row, so a reader reads all its
// columns in a row and asks once.
#ifndef STORE_STATEMENT_H
#define STORE_STATEMENT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"

enum {
    DB_BUSY_MS = 5000,      // that a writer waits for another process
    DB_BUSY_AGAIN_MS = 200, // where it has just waited in vain
    DB_STOPPED_MS = 400,    // where it is stopped: longer than others write
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
    int64_t waits_ms, gave_up_ms;   // since when, and when last; 0: never
    bool (*stops_wait)(void *user); // asked while it waits; NULL: nobody is
    void *stops_wait_user;
    bool stopped; // the last wait, by that; it goes on for DB_STOPPED_MS
    bool failed;  // something inside the transaction failed: it can only be rolled back
    size_t prepared_count;
    struct prepared prepared[DB_MAX_STATEMENTS];
    size_t lock_count;
    int64_t locks[DB_MAX_LOCKS]; // numbers of the conversations that are ours: lock.c
};

struct statement {
    struct db *db;
    sqlite3_stmt *handle;
    int bind_code;       // of the first bind that failed, else SQLITE_OK
    struct error damage; // of the first column that was not what it must be
};

bool db_in_memory(const struct db *db);
// Only reads, and leaves no file beside it. A log that is there is ignored. Close the handle.
int db_open_immutable(const char *path, sqlite3 **handle);

// The errno of a file system that can not lock files, or 0 (lock.c).
int db_lock_failure(const struct db *db);

// Says what an SQLite result code means for a person: which file, what was found, what to do.
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

// Steps to the end and finishes, whatever the outcome.
MUST_CHECK enum status statement_run(struct statement *statement, struct error *err);

// Columns count from 0. Bytes are borrowed until the next step; NULL is none of them, and never a
// NULL pointer.
int64_t statement_integer(struct statement *statement, int column, int64_t least, int64_t most);
int64_t statement_id(struct statement *statement, int column, int64_t most);         // NULL is 0
const char *statement_text(struct statement *statement, int column, size_t *length); // UTF-8
const void *statement_blob(struct statement *statement, int column, size_t *length);
struct hash128 statement_digest(struct statement *statement, int column); // NULL is {0, 0}

// BAD_FILE when a column of this row was refused. `what` and `id` name the row: "message 12".
MUST_CHECK enum status statement_sound(const struct statement *statement, const char *what,
                                       int64_t id, struct error *err);

// What is read from rows, of item_bytes each.
struct rows {
    void *items; // owned by the reader
    size_t item_bytes, count, capacity;
};

// Reads the row that the statement stands on into a zeroed item, which owns nothing.
typedef enum status read_row(struct statement *statement, void *item, struct error *err);

// Adds all rows of a started statement, which is finished. On failure there are none left, and the
// items are freed.
MUST_CHECK enum status statement_rows(struct statement *statement, read_row *read,
                                      struct rows *rows, struct error *err);

// The first column of the first row. NOT_FOUND without a row; err is filled for other failures.
MUST_CHECK enum status statement_first_integer(struct statement *statement, int64_t *value,
                                               struct error *err);

int64_t store_now_ms(void); // since 1970, UTC
#endif
