// store/migration.h — upgrades a database from an older schema version to this one.
//
// `PRAGMA user_version` counts the steps that a file has been through; 0 is an empty file. A
// released step never changes: a new version appends one. There are two kinds of file, each with
// its own steps: the conversations (db.h) and the index of the disk cache.
#ifndef STORE_MIGRATION_H
#define STORE_MIGRATION_H

#include "store/statement.h"

struct schema {
    int64_t application_id;   // in the header of the file; the steps set it
    const char *const *steps; // [version]
    int32_t version;          // the newest
    int32_t page_bytes;       // small where few rows are written at a time; 0: SQLite's default
    // `prepare` runs first on each connection; `complete` runs after the last step, repeatedly
    // until it sets *done. Both may be NULL.
    enum status (*prepare)(struct db *db, struct error *err);
    enum status (*complete)(struct db *db, bool *done, struct error *err);
    bool rebuildable; // what a power cut takes can be rebuilt from elsewhere
};
extern const struct schema MIGRATION_CONVERSATIONS; // application id "quir"

// As db_open(), for any of our kinds of file. A rebuildable file is written with
// synchronous=NORMAL: a power cut never damages it, but may take its last transactions.
MUST_CHECK enum status migration_open(const char *path, const struct schema *schema, struct db **db,
                                      struct error *err);

// Opens a copy of the file in memory. Writes nothing to the file, not even SQLite's own
// housekeeping. NOT_FOUND when there is no such file.
MUST_CHECK enum status migration_open_copy(const char *path, const struct schema *schema,
                                           struct db **db, struct error *err);

// Returns BAD_FILE with an error that says that the file belongs to another program, with
// application id `found`.
enum status migration_refuse(const struct db *db, int64_t found, struct error *err);

// Reads the application id from the file's header, ignoring SQLite's log. False: not a database,
// empty, or unreadable. Writes nothing.
bool migration_read_id(const char *path, int64_t *id);

// Writes nothing. BAD_FILE when the file is another program's, UNSUPPORTED when a newer quire made
// it.
MUST_CHECK enum status migration_check(struct db *db, struct error *err);

// Writes the application id to the first page of an empty file, so that it is known as ours even if
// its creator dies before the first step.
MUST_CHECK enum status migration_claim(struct db *db, struct error *err);

// Runs the missing steps, each in a transaction, then schema->complete.
MUST_CHECK enum status migration_run(struct db *db, struct error *err);

#endif
