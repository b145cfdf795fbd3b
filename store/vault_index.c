#include "store/vault_index.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "store/record.h"
#include "store/statement.h"

// AUTOINCREMENT: a segment's number never comes back, for places in it may still be remembered
// somewhere.
static const char STEP_1[] =
    "CREATE TABLE kv_format(id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,"
    " model TEXT NOT NULL, block_size INTEGER NOT NULL, payload_bytes INTEGER NOT NULL,"
    " prefill_ps INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE kv_segment(number INTEGER PRIMARY KEY AUTOINCREMENT, durable INTEGER NOT NULL);"
    "CREATE TABLE kv_block(id INTEGER PRIMARY KEY,"
    " format INTEGER NOT NULL REFERENCES kv_format(id), key BLOB NOT NULL, parent BLOB,"
    " ids BLOB NOT NULL, segment INTEGER NOT NULL REFERENCES kv_segment(number),"
    " offset INTEGER NOT NULL, bytes INTEGER NOT NULL, used_ms INTEGER NOT NULL,"
    " UNIQUE(format, key));"
    "CREATE INDEX kv_block_place ON kv_block(segment, offset, bytes);"
    "CREATE TABLE kv_holder(holder INTEGER NOT NULL,"
    " format INTEGER NOT NULL REFERENCES kv_format(id), leaf BLOB NOT NULL,"
    " used_ms INTEGER NOT NULL, PRIMARY KEY(holder, format)) WITHOUT ROWID;"
    "CREATE TABLE kv_number(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "PRAGMA application_id = 0x7175696b;" // "quik"
    "PRAGMA user_version = 1;";

enum { PAGE_BYTES = 1024 }; // of the index: a row and its ids take about 200

static const char *const STEPS[] = {STEP_1};

const struct schema VAULT_INDEX = {
    .application_id = 0x7175696b,
    .steps = STEPS,
    .version = sizeof STEPS / sizeof STEPS[0],
    .page_bytes = PAGE_BYTES,
    .rebuildable = true,
};

static const int64_t MOST_OFFSET = INT64_C(1) << 60;

// In a SELECT; see read_row().
#define ROW_COLUMNS "id, format, key, parent, ids, segment, offset, bytes, used_ms"

// `ids` may be NULL.
static enum status read_row(struct statement *statement, struct vault_row *row,
                            int32_t ids[RECORD_MAX_TOKENS], struct error *err) {
    struct vault_row found;
    size_t length;
    found.id = statement_integer(statement, 0, 1, INT64_MAX);
    found.format = statement_integer(statement, 1, 1, INT64_MAX);
    found.key = statement_digest(statement, 2);
    found.parent = statement_digest(statement, 3);
    const uint8_t *bytes = statement_blob(statement, 4, &length);
    found.ids_hash = record_hash(bytes, length);
    found.count = (int32_t)(length / 4);
    found.segment = (uint32_t)statement_integer(statement, 5, 1, UINT32_MAX);
    found.offset = (uint64_t)statement_integer(statement, 6, 0, MOST_OFFSET);
    found.bytes =
        (uint64_t)statement_integer(statement, 7, 1, RECORD_MAX_PAYLOAD + 2 * RECORD_MAX_HEADER);
    found.used_ms = statement_integer(statement, 8, 0, INT64_MAX);
    TRY(statement_sound(statement, "block", found.id, err));
    if (length % 4 != 0 || length == 0 || length > 4 * RECORD_MAX_TOKENS ||
        found.offset % RECORD_ALIGNMENT != 0 ||
        (ids && !record_decode_ids(bytes, found.count, ids)))
        return error_set(err, STATUS_BAD_FILE, "%s is damaged: block %lld cannot be",
                         statement->db->path, (long long)found.id);
    *row = found;
    return STATUS_OK;
}

static enum status enter_format(struct db *db, const struct tier_format *format,
                                struct error *err) {
    static const char sql[] =
        "INSERT INTO kv_format(digest, model, block_size, payload_bytes) VALUES(?1, ?2, ?3, ?4)"
        " ON CONFLICT(digest) DO UPDATE SET model = excluded.model,"
        " block_size = excluded.block_size, payload_bytes = excluded.payload_bytes"
        " WHERE model <> excluded.model OR block_size <> excluded.block_size"
        " OR payload_bytes <> excluded.payload_bytes";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_digest(&statement, 1, format->id);
    statement_bind_text(&statement, 2, format->model, strlen(format->model));
    statement_bind_integer(&statement, 3, format->block_size);
    statement_bind_integer(&statement, 4, (int64_t)format->payload_bytes);
    return statement_run(&statement, err);
}

enum status vault_index_format(struct db *db, const struct tier_format *format, int64_t *number,
                               struct error *err) {
    static const char sql[] = "SELECT id FROM kv_format WHERE digest = ?1";
    struct statement statement;
    TRY(enter_format(db, format, err));
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_digest(&statement, 1, format->id);
    return statement_first_integer(&statement, number, err);
}

enum status vault_index_find(struct db *db, int64_t format, struct hash128 key,
                             struct vault_row *row, struct error *err) {
    static const char sql[] = "SELECT " ROW_COLUMNS " FROM kv_block WHERE format = ?1 AND key = ?2";
    struct statement statement;
    bool found = false;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    statement_bind_digest(&statement, 2, key);
    enum status status = statement_step(&statement, &found, err);
    if (status == STATUS_OK)
        status = found ? read_row(&statement, row, NULL, err) : STATUS_NOT_FOUND;
    statement_finish(&statement);
    return status;
}

enum status vault_index_add(struct db *db, const struct vault_row *row, const int32_t *ids,
                            struct error *err) {
    static const char sql[] = "INSERT INTO kv_block(format, key, parent, ids, segment, offset,"
                              " bytes, used_ms) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    struct statement statement;
    uint8_t encoded[4 * RECORD_MAX_TOKENS];
    ASSERT(row->count >= 1 && row->count <= RECORD_MAX_TOKENS);
    record_encode_ids(ids, row->count, encoded);
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, row->format);
    statement_bind_digest(&statement, 2, row->key);
    if (!hash_equal(row->parent, (struct hash128){0, 0}))
        statement_bind_digest(&statement, 3, row->parent);
    statement_bind_blob(&statement, 4, encoded, 4 * (size_t)row->count);
    statement_bind_integer(&statement, 5, row->segment);
    statement_bind_integer(&statement, 6, (int64_t)row->offset);
    statement_bind_integer(&statement, 7, (int64_t)row->bytes);
    statement_bind_integer(&statement, 8, row->used_ms);
    return statement_run(&statement, err);
}

enum status vault_index_remove(struct db *db, int64_t id, struct error *err) {
    static const char sql[] = "DELETE FROM kv_block WHERE id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    return statement_run(&statement, err);
}

enum status vault_index_move(struct db *db, const struct vault_row *row, struct tier_place place,
                             struct error *err) {
    static const char sql[] = "UPDATE kv_block SET segment = ?2, offset = ?3"
                              " WHERE id = ?1 AND segment = ?4 AND offset = ?5";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, row->id);
    statement_bind_integer(&statement, 2, place.segment);
    statement_bind_integer(&statement, 3, (int64_t)place.offset);
    statement_bind_integer(&statement, 4, row->segment);
    statement_bind_integer(&statement, 5, (int64_t)row->offset);
    return statement_run(&statement, err);
}

enum status vault_index_touch(struct db *db, int64_t format, struct hash128 key, int64_t now_ms,
                              int64_t before_ms, struct error *err) {
    static const char sql[] = "UPDATE kv_block SET used_ms = ?3"
                              " WHERE format = ?1 AND key = ?2 AND used_ms < ?4";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    statement_bind_digest(&statement, 2, key);
    statement_bind_integer(&statement, 3, now_ms);
    statement_bind_integer(&statement, 4, before_ms);
    return statement_run(&statement, err);
}

enum status vault_index_count(struct db *db, int64_t format, uint64_t *count, struct error *err) {
    static const char sql[] = "SELECT count(*) FROM kv_block WHERE format = ?1";
    struct statement statement;
    int64_t found;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    TRY(statement_first_integer(&statement, &found, err));
    *count = (uint64_t)found;
    return STATUS_OK;
}

enum status vault_index_rows(struct db *db, int64_t format, vault_row_each *each, void *user,
                             struct error *err) {
    static const char sql[] = "SELECT " ROW_COLUMNS " FROM kv_block"
                              " WHERE +format = ?1 OR ?1 = 0 ORDER BY id";
    struct statement statement;
    struct vault_row row;
    int32_t ids[RECORD_MAX_TOKENS];
    bool more = true;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    enum status status = statement_step(&statement, &more, err);
    while (status == STATUS_OK && more) {
        status = read_row(&statement, &row, ids, err);
        if (status == STATUS_OK) status = each(user, &row, ids);
        if (status == STATUS_OK) status = statement_step(&statement, &more, err);
    }
    statement_finish(&statement);
    return status;
}

// Room for one more in an array that doubles; false when memory is short.
static bool grow(void **array, size_t count, size_t item_bytes) {
    if (count != 0 && (count & (count - 1)) != 0) return true;
    void *grown = realloc(*array, (count ? 2 * count : 1) * item_bytes);
    if (grown) *array = grown;
    return grown != NULL;
}

// Reads a row of the statement into an item of an array.
typedef enum status read_item(struct statement *statement, void *item, struct error *err);

struct item_type {
    size_t bytes;
    read_item *read;
};

// Steps the statement to its end and finishes it.
static enum status read_array(struct statement *statement, struct item_type type, void **array,
                              size_t *count, struct error *err) {
    void *items = NULL;
    size_t item_count = 0;
    bool more;
    enum status status = statement_step(statement, &more, err);
    while (status == STATUS_OK && more) {
        status = STATUS_NO_MEMORY;
        if (grow(&items, item_count, type.bytes))
            status = type.read(statement, (char *)items + item_count * type.bytes, err);
        item_count++;
        if (status == STATUS_OK) status = statement_step(statement, &more, err);
    }
    statement_finish(statement);
    if (status != STATUS_OK) {
        free(items);
        return status;
    }
    *array = items;
    *count = item_count;
    return STATUS_OK;
}

static enum status read_row_item(struct statement *statement, void *item, struct error *err) {
    return read_row(statement, item, NULL, err);
}

enum status vault_index_segment_rows(struct db *db, uint32_t segment, struct vault_row **rows,
                                     size_t *count, struct error *err) {
    static const char sql[] =
        "SELECT " ROW_COLUMNS " FROM kv_block WHERE segment = ?1 ORDER BY offset";
    struct statement statement;
    void *array;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, segment);
    TRY(read_array(&statement, (struct item_type){sizeof **rows, read_row_item}, &array, count,
                   err));
    *rows = array;
    return STATUS_OK;
}

static enum status read_extent(struct statement *statement, void *item, struct error *err) {
    struct vault_extent *extent = item;
    extent->number = (uint32_t)statement_integer(statement, 0, 1, UINT32_MAX);
    extent->durable = (uint64_t)statement_integer(statement, 1, 0, MOST_OFFSET);
    extent->live_bytes = (uint64_t)statement_integer(statement, 2, 0, INT64_MAX);
    return statement_sound(statement, "segment", extent->number, err);
}

enum status vault_index_segments(struct db *db, struct vault_extent **extents, size_t *count,
                                 struct error *err) {
    static const char sql[] =
        "SELECT s.number, s.durable, coalesce(sum(b.bytes), 0) FROM kv_segment s"
        " LEFT JOIN kv_block b ON b.segment = s.number GROUP BY s.number ORDER BY s.number";
    struct statement statement;
    void *array;
    TRY(statement_start(db, sql, &statement, err));
    TRY(read_array(&statement, (struct item_type){sizeof **extents, read_extent}, &array, count,
                   err));
    *extents = array;
    return STATUS_OK;
}

enum status vault_index_durable(struct db *db, uint32_t segment, uint64_t *durable,
                                struct error *err) {
    static const char sql[] = "SELECT durable FROM kv_segment WHERE number = ?1";
    struct statement statement;
    int64_t found;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, segment);
    TRY(statement_first_integer(&statement, &found, err));
    if (found < 0 || found > MOST_OFFSET)
        return error_set(err, STATUS_BAD_FILE, "%s is damaged: segment %u cannot be", db->path,
                         segment);
    *durable = (uint64_t)found;
    return STATUS_OK;
}

enum status vault_index_live(struct db *db, uint32_t segment, uint64_t *bytes, struct error *err) {
    static const char sql[] = "SELECT coalesce(sum(bytes), 0) FROM kv_block WHERE segment = ?1";
    struct statement statement;
    int64_t found;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, segment);
    TRY(statement_first_integer(&statement, &found, err));
    *bytes = (uint64_t)found;
    return STATUS_OK;
}

enum status vault_index_set_durable(struct db *db, uint32_t segment, uint64_t durable,
                                    struct error *err) {
    static const char sql[] = "INSERT INTO kv_segment(number, durable) VALUES(?1, ?2)"
                              " ON CONFLICT(number) DO UPDATE SET durable = excluded.durable";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, segment);
    statement_bind_integer(&statement, 2, (int64_t)durable);
    return statement_run(&statement, err);
}

enum status vault_index_forget_segment(struct db *db, uint32_t segment, struct error *err) {
    static const char blocks[] = "DELETE FROM kv_block WHERE segment = ?1";
    static const char row[] = "DELETE FROM kv_segment WHERE number = ?1";
    struct statement statement;
    TRY(statement_start(db, blocks, &statement, err));
    statement_bind_integer(&statement, 1, segment);
    TRY(statement_run(&statement, err));
    TRY(statement_start(db, row, &statement, err));
    statement_bind_integer(&statement, 1, segment);
    return statement_run(&statement, err);
}

enum status vault_index_last_segment(struct db *db, uint32_t *number, struct error *err) {
    static const char sql[] =
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'kv_segment'";
    struct statement statement;
    int64_t found;
    TRY(statement_start(db, sql, &statement, err));
    TRY(statement_first_integer(&statement, &found, err));
    if (found < 0 || found >= UINT32_MAX)
        return error_set(err, STATUS_BAD_FILE, "%s is damaged: segment %lld cannot be", db->path,
                         (long long)found);
    *number = (uint32_t)found;
    return STATUS_OK;
}

// SQLite's integers have a sign: a holder's number is kept by its bits.
enum status vault_index_hold(struct db *db, const struct vault_holder *holder, struct error *err) {
    static const char sql[] =
        "INSERT INTO kv_holder(holder, format, leaf, used_ms) VALUES(?1, ?2, ?3, ?4)"
        " ON CONFLICT(holder, format) DO UPDATE SET leaf = excluded.leaf,"
        " used_ms = excluded.used_ms";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, (int64_t)holder->holder);
    statement_bind_integer(&statement, 2, holder->format);
    statement_bind_digest(&statement, 3, holder->leaf);
    statement_bind_integer(&statement, 4, store_now_ms());
    return statement_run(&statement, err);
}

enum status vault_index_let_go(struct db *db, uint64_t holder, struct error *err) {
    static const char sql[] = "DELETE FROM kv_holder WHERE holder = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, (int64_t)holder);
    return statement_run(&statement, err);
}

static enum status read_holder(struct statement *statement, void *item, struct error *err) {
    struct vault_holder *holder = item;
    holder->holder = (uint64_t)statement_integer(statement, 0, INT64_MIN, INT64_MAX);
    holder->format = statement_integer(statement, 1, 1, INT64_MAX);
    holder->leaf = statement_digest(statement, 2);
    return statement_sound(statement, "holder", (int64_t)holder->holder, err);
}

enum status vault_index_holders(struct db *db, int64_t format, struct vault_holder **holders,
                                size_t *count, struct error *err) {
    static const char sql[] = "SELECT holder, format, leaf FROM kv_holder"
                              " WHERE format = ?1 OR ?1 = 0 ORDER BY holder, format";
    struct statement statement;
    void *array;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    TRY(read_array(&statement, (struct item_type){sizeof **holders, read_holder}, &array, count,
                   err));
    *holders = array;
    return STATUS_OK;
}

static enum status read_format(struct statement *statement, void *item, struct error *err) {
    struct vault_format_row *format = item;
    size_t length;
    format->number = statement_integer(statement, 0, 1, INT64_MAX);
    format->id = statement_digest(statement, 1);
    const char *model = statement_text(statement, 2, &length);
    format->block_size = (int32_t)statement_integer(statement, 3, 1, RECORD_MAX_TOKENS);
    format->payload_bytes = (uint64_t)statement_integer(statement, 4, 1, RECORD_MAX_PAYLOAD);
    TRY(statement_sound(statement, "format", format->number, err));
    if (length >= sizeof format->model)
        return error_set(err, STATUS_BAD_FILE, "%s is damaged: format %lld cannot be",
                         statement->db->path, (long long)format->number);
    memcpy(format->model, model, length);
    format->model[length] = '\0';
    return STATUS_OK;
}

enum status vault_index_formats(struct db *db, struct vault_format_row **formats, size_t *count,
                                struct error *err) {
    static const char sql[] =
        "SELECT id, digest, model, block_size, payload_bytes FROM kv_format ORDER BY id";
    struct statement statement;
    void *array;
    TRY(statement_start(db, sql, &statement, err));
    TRY(read_array(&statement, (struct item_type){sizeof **formats, read_format}, &array, count,
                   err));
    *formats = array;
    return STATUS_OK;
}

static enum status get_number(struct db *db, const char *name, uint64_t *value, struct error *err) {
    static const char sql[] = "SELECT value FROM kv_number WHERE name = ?1";
    struct statement statement;
    int64_t found = 0;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_text(&statement, 1, name, strlen(name));
    const enum status status = statement_first_integer(&statement, &found, err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) return status;
    *value = found > 0 ? (uint64_t)found : 0;
    return STATUS_OK;
}

static enum status set_number(struct db *db, const char *name, uint64_t value, struct error *err) {
    static const char sql[] = "INSERT INTO kv_number(name, value) VALUES(?1, ?2)"
                              " ON CONFLICT(name) DO UPDATE SET value = excluded.value"
                              " WHERE value <> excluded.value";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_text(&statement, 1, name, strlen(name));
    statement_bind_integer(&statement, 2, value < INT64_MAX ? (int64_t)value : INT64_MAX);
    return statement_run(&statement, err);
}

// Speeds are kept as whole picoseconds a token and attoseconds a byte.
static const double PS_PER_US = 1e6, AS_PER_US = 1e12;

enum status vault_index_speed(struct db *db, int64_t format, struct tier_speed *speed,
                              struct error *err) {
    static const char sql[] = "SELECT prefill_ps FROM kv_format WHERE id = ?1";
    struct statement statement;
    int64_t prefill_ps = 0;
    uint64_t read_as;
    TRY(get_number(db, "read_as", &read_as, err));
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    TRY(statement_first_integer(&statement, &prefill_ps, err));
    speed->prefill_us_per_token = prefill_ps > 0 ? (double)prefill_ps / PS_PER_US : 0;
    speed->read_us_per_byte = (double)read_as / AS_PER_US;
    return STATUS_OK;
}

static int64_t whole(double value) { return value > 0 && value < 9e18 ? (int64_t)value : 0; }

enum status vault_index_set_speed(struct db *db, int64_t format, struct tier_speed speed,
                                  struct error *err) {
    static const char sql[] = "UPDATE kv_format SET prefill_ps = ?2 WHERE id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    statement_bind_integer(&statement, 2, whole(speed.prefill_us_per_token * PS_PER_US));
    TRY(statement_run(&statement, err));
    return set_number(db, "read_as", (uint64_t)whole(speed.read_us_per_byte * AS_PER_US), err);
}

enum status vault_index_limit(struct db *db, uint64_t *limit_bytes, struct error *err) {
    return get_number(db, "limit_bytes", limit_bytes, err);
}

enum status vault_index_set_limit(struct db *db, uint64_t limit_bytes, struct error *err) {
    return set_number(db, "limit_bytes", limit_bytes, err);
}

enum status vault_index_clear(struct db *db, struct error *err) {
    static const char blocks[] = "DELETE FROM kv_block", holders[] = "DELETE FROM kv_holder",
                      segments[] = "DELETE FROM kv_segment";
    static const char *const all[] = {blocks, holders, segments};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct statement statement;
        TRY(statement_start(db, all[i], &statement, err));
        TRY(statement_run(&statement, err));
    }
    return STATUS_OK;
}

enum status vault_index_check(struct db *db, struct error *err) {
    static const char sql[] =
        "SELECT (SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok')"
        " + (SELECT count(*) FROM pragma_foreign_key_check)";
    struct statement statement;
    int64_t found;
    TRY(statement_start(db, sql, &statement, err));
    TRY(statement_first_integer(&statement, &found, err));
    if (found == 0) return STATUS_OK;
    return error_set(err, STATUS_BAD_FILE, "%s is damaged", db->path);
}

void vault_index_shrink_log(struct db *db) {
    sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

void vault_index_shrink(struct db *db) {
    sqlite3_exec(db->handle, "VACUUM", NULL, NULL, NULL);
    vault_index_shrink_log(db);
}

uint64_t vault_index_written(struct db *db) {
    int pages = 0, highest = 0;
    sqlite3_db_status(db->handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0);
    return (uint64_t)pages * 2 * PAGE_BYTES;
}
