// store/transaction.h — several writes as one: all or none.
#ifndef STORE_TRANSACTION_H
#define STORE_TRANSACTION_H

#include <stdbool.h>

#include "kernels/base/status.h"

struct db;

// Transactions nest: only the outermost commits. If any call inside fails, every later one returns
// CANCELLED until db_rollback(). A commit that fails leaves the transaction open, so call
// db_rollback() after every failure; without a transaction it does nothing.
MUST_CHECK enum status db_begin(struct db *db, struct error *err);
MUST_CHECK enum status db_commit(struct db *db, struct error *err);
void db_rollback(struct db *db);

// Sets whether a commit waits until its data is on disk; the default is to wait. A commit that did
// not wait is lost only if the machine goes down, not if the process does. Call it outside a
// transaction.
void db_wait_for_disk(struct db *db, bool waits);

#endif
