// store/disk_cache/sql.h — one statement on index.db, with up to three parameters.
//
// Private to store/disk_cache/. `sql` must be a constant (store/statement.h). Threads: the db's.
#ifndef STORE_DISK_CACHE_SQL_H
#define STORE_DISK_CACHE_SQL_H

#include "store/db.h"
#include "store/statement.h"

struct sql_parameters { // ?1, ?2 and ?3, as many as the statement has
    int64_t first;
    struct hash128 key;
    int64_t third;
};

MUST_CHECK enum status sql_start(struct db *db, const char *sql, struct sql_parameters parameters,
                                 struct statement *statement, struct error *err);
MUST_CHECK enum status sql_run(struct db *db, const char *sql, struct sql_parameters parameters,
                               struct error *err);
// The first column of the first row. NOT_FOUND without a row.
MUST_CHECK enum status sql_integer(struct db *db, const char *sql, struct sql_parameters parameters,
                                   int64_t *value, struct error *err);

#endif
