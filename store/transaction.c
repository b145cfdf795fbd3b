// store/transaction.c — transactions that nest, by counting.
//
// db->depth counts what was begun. Only the way from 0 to 1 begins in SQLite, and only the way back
// to 0 commits or rolls back. An inner part cannot be undone alone; so when it fails, `failed`
// makes statement_start() refuse everything until the outermost rollback. A caller that overlooks
// an error cannot commit half of a change.
//
// IMMEDIATE takes the write lock at once. A transaction that reads first and then wants to write
// may find that another process wrote in between, and no waiting helps then.
#include "store/transaction.h"

#include "kernels/base/assert.h"
#include "kernels/base/trace.h"
#include "store/statement.h"

enum status db_begin(struct db *db, struct error *err) {
    static const char sql[] = "BEGIN IMMEDIATE";
    struct statement statement;
    if (db->depth == 0) {
        TRY(statement_start(db, sql, &statement, err));
        TRY(statement_run(&statement, err));
    }
    db->depth++;
    return STATUS_OK;
}

static enum status commit(struct statement *statement, struct error *err) {
    const struct trace_span span = trace_begin("commit");
    const enum status status = statement_run(statement, err);
    trace_end(&span);
    return status;
}

enum status db_commit(struct db *db, struct error *err) {
    static const char sql[] = "COMMIT";
    struct statement statement;
    ASSERT(db->depth > 0);
    TRY(statement_start(db, sql, &statement, err)); // fails if a part has failed
    if (db->depth > 1)
        statement_finish(&statement);
    else
        TRY(commit(&statement, err));
    db->depth--;
    return STATUS_OK;
}

void db_wait_for_disk(struct db *db, bool waits) {
    ASSERT(db->depth == 0);
    // If SQLite refuses, commits keep waiting.
    sqlite3_exec(db->handle, waits ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
                 NULL, NULL, NULL);
}

void db_rollback(struct db *db) {
    ASSERT(db->depth >= 0);
    if (db->depth == 0) return;
    if (--db->depth == 0 && !sqlite3_get_autocommit(db->handle)) {
        sqlite3_step(db->rollback);
        sqlite3_reset(db->rollback);
    }
    // If SQLite cannot roll back, nothing may be added to the open transaction.
    db->failed = !sqlite3_get_autocommit(db->handle) || db->depth > 0;
}
