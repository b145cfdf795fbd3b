// store/db.h — the one database: where it is, which version it has, and its transactions.
//
// SQLite in WAL mode with synchronous=FULL: when a call that writes returns OK, what it wrote
// is on the disk. Foreign keys are on. `PRAGMA user_version` is the schema's version; opening
// migrates older ones step by step, each in a transaction, and refuses newer ones. Another
// process may use the same database at the same time: a writer waits up to DB_BUSY_MS.
//
// Schema (migrations are in migration.c):
//   model              id, digest unique, name             a model by content, not by path
//   model_source       kind, name, model, …               how a model is opened (model_source.h)
//   model_part         (model_source, place) → path, …     the files that it is made of
//   model_file         path, size, mtime_ns, digest        memo: path → digest
//   message            id, parent, root, role, stop, …     a tree: parent NULL is a root
//   message_body       id, text, …stats                    apart, so that walks stay narrow
//   message_tokens     (message, model) → token ids        exact ids, never made anew
//   message_search     FTS5 over message_body.text         kept by triggers (search_index.h)
//   search_state       from which message on it is there
//   conversation       id, name, tip, forked_from, …       a named pointer to a message
//   conversation_root  (conversation, root)                the trees that it has been in
//
// Folders are made 0700, files 0600. A file that was deleted or moved away since it was opened
// takes nothing more: IO, until it is back. Threads: one thread uses a db.
#ifndef STORE_DB_H
#define STORE_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"
#include "store/transaction.h"

struct db;

// Opens or makes the database file; its folder must exist. BAD_FILE: not a database, not quire's,
// or damaged where opening reads it (other damage is BAD_FILE of the call that meets it, and of
// db_check()); UNSUPPORTED: made by a newer quire; IO: cannot be read or written, disk full.
// ":memory:" keeps nothing. The error names the path, what was found and what to do.
MUST_CHECK enum status db_open(const char *path, struct db **db, struct error *err);
void db_close(struct db *db); // NULL is fine

// While a call waits for another process it asks this again and again; true: it gives
// up soon, with BUSY.
void db_on_wait(struct db *db, bool (*stops)(void *user), void *user);

// The model with this digest, entered if it is new.
MUST_CHECK enum status db_model(struct db *db, struct hash128 digest, const char *name,
                                int64_t *model, struct error *err);

// The digest remembered for a file that still has this size and modification time, so that a
// large file is read once. NOT_FOUND when unknown or changed.
MUST_CHECK enum status db_digest_find(struct db *db, const char *path, int64_t bytes,
                                      int64_t mtime_ns, struct hash128 *digest);
MUST_CHECK enum status db_digest_remember(struct db *db, const char *path, int64_t bytes,
                                          int64_t mtime_ns, struct hash128 digest,
                                          struct error *err);

// The whole file against SQLite's rules and ours: BAD_FILE with the first one that is broken.
// Reads everything; for tests and for doubts.
MUST_CHECK enum status db_check(struct db *db, struct error *err);

#endif
