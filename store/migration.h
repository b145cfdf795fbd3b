// store/migration.h — how a database of an older version becomes one of this version.
//
// `PRAGMA user_version` counts the steps that a file has been through; 0 is an empty file. A
// step is never changed once it was released: a new version appends one. There are two kinds of
// file, each with steps of its own: the conversations (db.h) and the disk cache's index.
#ifndef STORE_MIGRATION_H
#define STORE_MIGRATION_H

#include "store/statement.h"

struct schema {
    int64_t application_id;   // in the header of the file; the steps set it
    const char *const *steps; // [version]
    int32_t version;          // the newest
    int32_t page_bytes;       // small where rows are written a few at a time; 0: SQLite's own
    // Of each connection, before anything else is done; and behind the last step, again and again
    // until it is done. Both may be NULL.
    enum status (*prepare)(struct db *db, struct error *err);
    enum status (*complete)(struct db *db, bool *done, struct error *err);
    bool rebuildable; // what a power cut takes of it can be found again elsewhere
};
extern const struct schema MIGRATION_CONVERSATIONS; // application id "quir"

// As db_open(), for any of our kinds of file. One that is rebuildable is written with
// synchronous=NORMAL: never damaged by a power cut, but the last transactions may be gone.
MUST_CHECK enum status migration_open(const char *path, const struct schema *schema, struct db **db,
                                      struct error *err);

// A copy in memory of what the file holds now: nothing of it is written, not even by SQLite's
// own housekeeping. NOT_FOUND when there is no such file.
MUST_CHECK enum status migration_open_copy(const char *path, const struct schema *schema,
                                           struct db **db, struct error *err);

// BAD_FILE: says that the file is another program's, whose application id was found.
enum status migration_refuse(const struct db *db, int64_t found, struct error *err);

// The application id in the file's first bytes; what SQLite's log holds does not count. False: it
// is no database, empty, or cannot be read. Writes nothing.
bool migration_read_id(const char *path, int64_t *id);

// BAD_FILE when the file is another program's, UNSUPPORTED when a newer quire made it. Writes
// nothing.
MUST_CHECK enum status migration_check(struct db *db, struct error *err);

// Of an empty file: its first page has the application id, so that it is known as ours even if its
// maker dies before the first step.
MUST_CHECK enum status migration_claim(struct db *db, struct error *err);

// Takes the steps that are missing, each in a transaction, and then what completes them.
MUST_CHECK enum status migration_run(struct db *db, struct error *err);

#endif
