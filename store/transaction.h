// store/transaction.h — several writes as one: all or none.
#ifndef STORE_TRANSACTION_H
#define STORE_TRANSACTION_H

#include <stdbool.h>

#include "kernels/base/status.h"

struct db;

// Transactions nest: only the outermost commits. A failure of any call inside fails the whole:
// until db_rollback() everything answers CANCELLED. A commit that fails leaves the transaction
// begun, so db_rollback() follows every failure; without a transaction it does nothing.
MUST_CHECK enum status db_begin(struct db *db, struct error *err);
MUST_CHECK enum status db_commit(struct db *db, struct error *err);
void db_rollback(struct db *db);

// Outside of a transaction: whether a commit waits until the disk has it, as it does at first. One
// that does not is lost only with the machine, not with the process.
void db_wait_for_disk(struct db *db, bool waits);

#endif
