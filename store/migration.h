// store/migration.h — how a database of an older version becomes one of this version.
//
// `PRAGMA user_version` counts the steps that a file has been through; 0 is an empty file. A
// step is never changed once it was released: a new version appends one.
#ifndef STORE_MIGRATION_H
#define STORE_MIGRATION_H

#include "store/statement.h"

enum { MIGRATION_APPLICATION_ID = 0x71756972 }; // "quir", in the header of the file

// BAD_FILE when the file is another program's, UNSUPPORTED when a newer quire made it. Writes
// nothing.
MUST_CHECK enum status migration_check(struct db *db, struct error *err);

// Takes the steps that are missing, each in a transaction, and sets db->version.
MUST_CHECK enum status migration_run(struct db *db, struct error *err);

#endif
