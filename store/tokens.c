#include "store/tokens.h"

#include <stdlib.h>

#include "kernels/base/assert.h"
#include "store/db.h"
#include "store/statement.h"

enum { TOKEN_BYTES = 4, TOKENS_MOST = INT32_MAX / TOKEN_BYTES };

static uint8_t *encode_ids(const int32_t *ids, size_t count) {
    uint8_t *bytes = malloc(count * TOKEN_BYTES + 1);
    if (!bytes) return NULL;
    for (size_t i = 0; i < count; i++) {
        ASSERT(ids[i] >= 0);
        const uint32_t id = (uint32_t)ids[i];
        for (size_t b = 0; b < TOKEN_BYTES; b++)
            bytes[i * TOKEN_BYTES + b] = (uint8_t)(id >> (8 * b));
    }
    return bytes;
}

static uint32_t decode_one(const uint8_t bytes[TOKEN_BYTES]) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

// Leaves *total unchanged if there is no row.
static enum status read_total(struct db *db, int64_t message, int64_t model, int64_t *total,
                              struct error *err) {
    static const char sql[] = "SELECT total FROM message_tokens WHERE message = ?1 AND model = ?2";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, message);
    statement_bind_integer(&statement, 2, model);
    const enum status status = statement_first_integer(&statement, total, err);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status read_parent(struct db *db, int64_t message, int64_t *parent, struct error *err) {
    static const char sql[] = "SELECT coalesce(parent, 0) FROM message WHERE id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, message);
    const enum status status = statement_first_integer(&statement, parent, err);
    if (status != STATUS_NOT_FOUND) return status;
    return error_set(err, status, "message %lld is not stored", (long long)message);
}

// A total carries on only from a row to its child's row, and no further than a cut.
static enum status move_totals_below(struct db *db, int64_t message, int64_t model, int64_t change,
                                     struct error *err) {
    static const char sql[] =
        "WITH RECURSIVE below(id) AS (SELECT ?1 UNION SELECT m.id FROM below"
        " JOIN message m ON m.parent = below.id"
        " JOIN message_tokens t ON t.message = m.id AND t.model = ?2"
        " WHERE NOT " TOKENS_ARE_CUT(
            "t.ids") ")"
                     "UPDATE message_tokens SET total = total + ?3"
                     " WHERE model = ?2 AND message <> ?1 AND message IN (SELECT id FROM below)";
    struct statement statement;
    if (change == 0) return STATUS_OK;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, message);
    statement_bind_integer(&statement, 2, model);
    statement_bind_integer(&statement, 3, change);
    return statement_run(&statement, err);
}

static enum status write_row(struct db *db, int64_t message, int64_t model, int64_t total,
                             const uint8_t *bytes, size_t count, struct error *err) {
    static const char sql[] = "INSERT OR REPLACE INTO message_tokens(message, model, count, total,"
                              " ids) VALUES(?1, ?2, ?3, ?4, ?5)";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, message);
    statement_bind_integer(&statement, 2, model);
    statement_bind_integer(&statement, 3, (int64_t)count);
    statement_bind_integer(&statement, 4, total);
    statement_bind_blob(&statement, 5, bytes, count * TOKEN_BYTES);
    return statement_run(&statement, err);
}

enum status tokens_write(struct db *db, int64_t message, int64_t model, const int32_t *ids,
                         size_t count, struct error *err) {
    int64_t parent, above = 0, before = 0;
    ASSERT(db->depth > 0);
    if (count > TOKENS_MOST)
        return error_set(err, STATUS_BAD_INPUT, "the message is too long to store (%zu tokens)",
                         count);
    TRY(read_parent(db, message, &parent, err));
    TRY(read_total(db, parent, model, &above, err));
    TRY(read_total(db, message, model, &before, err));
    uint8_t *bytes = encode_ids(ids, count);
    if (!bytes) return STATUS_NO_MEMORY;
    const bool cut = count > 0 && ids[0] >= MESSAGE_CUT;
    const int64_t total = (cut ? ids[0] - MESSAGE_CUT - 1 : above) + (int64_t)count;
    enum status status = write_row(db, message, model, total, bytes, count, err);
    free(bytes);
    if (status == STATUS_OK) status = move_totals_below(db, message, model, total - before, err);
    return status;
}

enum status tokens_forget(struct db *db, int64_t message, struct error *err) {
    static const char sql[] = "DELETE FROM message_tokens WHERE message = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, message);
    return statement_run(&statement, err);
}

static enum status decode(const struct statement *statement, int64_t message, int64_t wanted,
                          const uint8_t *bytes, size_t length, int32_t **tokens,
                          struct error *err) {
    if (wanted < 0 || length != (size_t)wanted * TOKEN_BYTES)
        return error_set(err, STATUS_BAD_FILE,
                         "%s is damaged: the tokens of message %lld are %zu bytes, expected %lld "
                         "of %d",
                         statement->db->path, (long long)message, length, (long long)wanted,
                         TOKEN_BYTES);
    int32_t *ids = malloc(length + 1);
    if (!ids) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < (size_t)wanted; i++) {
        const uint32_t id = decode_one(bytes + i * TOKEN_BYTES);
        if (id > INT32_MAX) {
            free(ids);
            return error_set(err, STATUS_BAD_FILE,
                             "%s is damaged: token %zu of message %lld is %u, expected at most %d",
                             statement->db->path, i, (long long)message, id, INT32_MAX);
        }
        ids[i] = (int32_t)id;
    }
    *tokens = ids;
    return STATUS_OK;
}

enum status message_tokens(struct db *db, int64_t id, int64_t model, int32_t **tokens,
                           size_t *count, struct error *err) {
    static const char sql[] = "SELECT count, ids FROM message_tokens"
                              " WHERE message = ?1 AND model = ?2";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    statement_bind_integer(&statement, 2, model);
    enum status status = statement_first(&statement, err);
    if (status == STATUS_NOT_FOUND)
        status = error_set(err, status, "model %lld has no tokens for message %lld",
                           (long long)model, (long long)id);
    if (status == STATUS_OK) {
        size_t length;
        const int64_t wanted = statement_integer(&statement, 0, 0, TOKENS_MOST);
        const uint8_t *bytes = statement_blob(&statement, 1, &length);
        status = statement_sound(&statement, "tokens of message", id, err);
        if (status == STATUS_OK)
            status = decode(&statement, id, wanted, bytes, length, tokens, err);
        if (status == STATUS_OK) *count = (size_t)wanted;
    }
    statement_finish(&statement);
    return status;
}

enum status message_older_answer(struct db *db, int64_t model, int64_t *id, int64_t *parent,
                                 struct error *err) {
    static const char sql[] = "SELECT m.id, coalesce(m.parent, 0) FROM message m"
                              " JOIN message_tokens t ON t.message = m.id AND t.model = ?2"
                              " WHERE m.id < ?1 AND m.role = 2 ORDER BY m.id DESC LIMIT 1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, *id);
    statement_bind_integer(&statement, 2, model);
    enum status status = statement_first(&statement, err);
    if (status == STATUS_NOT_FOUND) status = error_set(err, status, "no older answer");
    if (status == STATUS_OK) {
        const int64_t found = statement_integer(&statement, 0, 1, INT64_MAX);
        const int64_t above = statement_integer(&statement, 1, 0, INT64_MAX);
        status = statement_sound(&statement, "message", *id, err);
        if (status == STATUS_OK) {
            *id = found;
            *parent = above;
        }
    }
    statement_finish(&statement);
    return status;
}

enum status message_set_tokens(struct db *db, int64_t id, int64_t model, const int32_t *tokens,
                               size_t count, struct error *err) {
    TRY(db_begin(db, err));
    enum status status = tokens_write(db, id, model, tokens, count, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}
