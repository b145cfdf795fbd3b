#include "store/disk_cache/sql.h"

#include "kernels/base/assert.h"

enum status sql_start(struct db *db, const char *sql, struct sql_parameters parameters,
                      struct statement *statement, struct error *err) {
    TRY(statement_start(db, sql, statement, err));
    const int count = sqlite3_bind_parameter_count(statement->handle);
    ASSERT(count <= 3);
    if (count >= 1) statement_bind_integer(statement, 1, parameters.first);
    if (count >= 2) statement_bind_digest(statement, 2, parameters.key);
    if (count >= 3) statement_bind_integer(statement, 3, parameters.third);
    return STATUS_OK;
}

enum status sql_run(struct db *db, const char *sql, struct sql_parameters parameters,
                    struct error *err) {
    struct statement statement;
    TRY(sql_start(db, sql, parameters, &statement, err));
    return statement_run(&statement, err);
}

enum status sql_integer(struct db *db, const char *sql, struct sql_parameters parameters,
                        int64_t *value, struct error *err) {
    struct statement statement;
    TRY(sql_start(db, sql, parameters, &statement, err));
    return statement_first_integer(&statement, value, err);
}
