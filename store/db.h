// store/db.h — the conversation database: opening, schema version, integrity.
//
// SQLite in WAL mode with synchronous=FULL: when a call that writes returns OK, what it wrote
// is on the disk. Foreign keys are on. `PRAGMA user_version` is the schema's version; opening
// migrates older ones step by step, each in a transaction, and refuses newer ones. Other processes
// may use the database at the same time: a writer waits up to DB_BUSY_MS.
//
// Schema (migrations are in migration.c):
//   model              id, digest unique, name             a model by content, not by path
//   model_source       kind, name, model, …               how a model is opened (model_source.h)
//   model_part         (model_source, place) → path, …     the files of that model
//   model_file         path, size, mtime_ns, digest        memo: path → digest
//   message            id, parent, root, role, stop, …     a tree: parent NULL is a root
//   message_body       id, text, …stats                    separate, to keep tree walks narrow
//   message_tokens     (message, model) → token ids        exact ids, never tokenized again
//   message_search     FTS5 over message_body.text         kept by triggers (search_index.h)
//   search_state       the first message that is indexed
//   conversation       id, name, tip, forked_from, …       a named pointer to a message
//   conversation_root  (conversation, root)                the trees it has been in
//
// Folders are created with mode 0700, files with 0600. If the file is deleted or moved away while
// open, writes fail with IO until it is back. Threads: a db belongs to one thread.
#ifndef STORE_DB_H
#define STORE_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"
#include "store/transaction.h"

struct db;

// Opens or creates the database file; its folder must exist. ":memory:" keeps nothing. BAD_FILE:
// not a database, not quire's, or damaged where opening reads it (later calls and db_check() report
// other damage as BAD_FILE too). UNSUPPORTED: made by a newer quire. IO: cannot be read or written,
// or the disk is full. The error names the path, what was found and what to do.
MUST_CHECK enum status db_open(const char *path, struct db **db, struct error *err);
void db_close(struct db *db); // NULL is fine

// While a call waits for another process it keeps calling `stops`; once that returns true, the call
// soon gives up with BUSY.
void db_on_wait(struct db *db, bool (*stops)(void *user), void *user);

// The number of the model with this digest; inserts it if it is new.
MUST_CHECK enum status db_model(struct db *db, struct hash128 digest, const char *name,
                                int64_t *model, struct error *err);

// The digest remembered for a file, so that a large file is hashed only once. NOT_FOUND if the file
// is unknown or its size or modification time has changed.
MUST_CHECK enum status db_digest_find(struct db *db, const char *path, int64_t bytes,
                                      int64_t mtime_ns, struct hash128 *digest);
MUST_CHECK enum status db_digest_remember(struct db *db, const char *path, int64_t bytes,
                                          int64_t mtime_ns, struct hash128 digest,
                                          struct error *err);

// Checks the whole file against SQLite's rules and ours: BAD_FILE with the first that is broken.
// Reads everything; for tests and `quire doctor`.
MUST_CHECK enum status db_check(struct db *db, struct error *err);

#endif
