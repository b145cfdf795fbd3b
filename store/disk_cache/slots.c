#include "store/disk_cache/slots.h"

#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "store/disk_cache/slot_file.h"
#include "store/disk_cache/sql.h"

// The unique index of keys also contains free slots, because NULLs are distinct; so it is the free
// list too.
static const char STEP_1[] =
    "CREATE TABLE kv_format(id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,"
    " model TEXT NOT NULL, block_size INTEGER NOT NULL, payload_bytes INTEGER NOT NULL,"
    " prefill_ps INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE kv_slot(format INTEGER NOT NULL REFERENCES kv_format(id),"
    " slot INTEGER NOT NULL, key BLOB, parent BLOB, position INTEGER, ids BLOB, checksum BLOB,"
    " used INTEGER, PRIMARY KEY(format, slot), UNIQUE(format, key)) WITHOUT ROWID;"
    "CREATE TABLE kv_reference(conversation INTEGER NOT NULL,"
    " format INTEGER NOT NULL REFERENCES kv_format(id), leaf BLOB NOT NULL,"
    " PRIMARY KEY(conversation, format)) WITHOUT ROWID;"
    "CREATE VIEW kv_path(conversation, format, slot) AS"
    " WITH RECURSIVE path(conversation, format, slot, parent) AS ("
    " SELECT r.conversation, r.format, s.slot, s.parent FROM kv_reference r"
    " CROSS JOIN kv_slot s ON s.format = r.format AND s.key = r.leaf"
    " UNION SELECT p.conversation, p.format, s.slot, s.parent FROM path p"
    " CROSS JOIN kv_slot s ON s.format = p.format AND s.key = p.parent)"
    " SELECT conversation, format, slot FROM path;"
    "CREATE TABLE kv_number(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "PRAGMA application_id = 0x71756964;" // "quid"
    "PRAGMA user_version = 1;";

// Slot files begin with a magic number. Those of version 1 do not: such a cache is dropped as a
// whole before its index is opened (ownership.h).
static const char STEP_2[] = "PRAGMA user_version = 2;";

// Adds the number of child blocks, the number of conversations whose leaf a block is, and the order
// of eviction. A state (disk_pool.h) had no parent before. slots_recount() computes the counts at
// the next opening, without unreachable blocks.
static const char STEP_3[] =
    "ALTER TABLE kv_slot ADD COLUMN children INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE kv_slot ADD COLUMN leaf_of INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX kv_least ON kv_slot(min(leaf_of, 2), used, position DESC)"
    " WHERE children = 0 AND key IS NOT NULL;"
    "CREATE INDEX kv_needed ON kv_reference(format, leaf);"
    "UPDATE kv_slot SET parent = key WHERE parent IS NULL AND key IS NOT NULL"
    " AND EXISTS (SELECT 1 FROM kv_slot o WHERE o.format IN (SELECT id FROM kv_format)"
    " AND o.format <> kv_slot.format AND o.key = kv_slot.key AND o.parent IS NOT NULL);"
    "UPDATE kv_slot SET used = used * 60 WHERE key IS NOT NULL;" // from minutes to seconds
    "INSERT INTO kv_number(name, value) VALUES('uncounted', 1);"
    "PRAGMA user_version = 3;";

// Which database a referenced conversation is in: several databases may share a folder.
static const char STEP_4[] =
    "CREATE TABLE kv_home(conversation INTEGER PRIMARY KEY, home INTEGER NOT NULL);"
    "PRAGMA user_version = 4;";

enum { PAGE_BYTES = 1024 }; // of the index; a row takes about 200 bytes

static const char *const STEPS[] = {STEP_1, STEP_2, STEP_3, STEP_4};

const struct schema SLOTS_SCHEMA = {
    .application_id = 0x71756964,
    .steps = STEPS,
    .version = sizeof STEPS / sizeof STEPS[0],
    .page_bytes = PAGE_BYTES,
    .rebuildable = true,
};

static const struct hash128 NO_KEY = {0, 0};

enum status slots_prepare(struct db *db, struct error *err) {
    static const char sql[] = "PRAGMA temp_store = MEMORY;"
                              "CREATE TEMP TABLE chosen(format INTEGER, slot INTEGER, key BLOB,"
                              " PRIMARY KEY(format, slot)) WITHOUT ROWID;"
                              "CREATE TEMP TABLE kept(key BLOB PRIMARY KEY, deeper INTEGER)"
                              " WITHOUT ROWID";
    const int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? STATUS_OK : db_failure(db, code, err);
}

static enum status damaged(const struct db *db, const char *what, int64_t number,
                           struct error *err) {
    return error_set(err, STATUS_BAD_FILE, "%s is damaged: %s %lld is invalid", db->path, what,
                     (long long)number);
}

// ---- formats

enum status slots_enter_format(struct db *db, const struct disk_format *format, int64_t *number,
                               struct error *err) {
    static const char insert[] =
        "INSERT INTO kv_format(digest, model, block_size, payload_bytes) VALUES(?1, ?2, ?3, ?4)"
        " ON CONFLICT(digest) DO UPDATE SET model = excluded.model WHERE model <> excluded.model";
    static const char find[] = "SELECT id FROM kv_format WHERE digest = ?1 AND block_size = ?2"
                               " AND payload_bytes = ?3 AND id > 0";
    struct statement statement;
    ASSERT(db->depth > 0);
    TRY(statement_start(db, insert, &statement, err));
    statement_bind_digest(&statement, 1, format->id);
    statement_bind_text(&statement, 2, format->model, strlen(format->model));
    statement_bind_integer(&statement, 3, format->block_size);
    statement_bind_integer(&statement, 4, (int64_t)format->payload_bytes);
    TRY(statement_run(&statement, err));
    TRY(statement_start(db, find, &statement, err));
    statement_bind_digest(&statement, 1, format->id);
    statement_bind_integer(&statement, 2, format->block_size);
    statement_bind_integer(&statement, 3, (int64_t)format->payload_bytes);
    const enum status status = statement_first_integer(&statement, number, err);
    return status == STATUS_NOT_FOUND ? damaged(db, "format", 0, err) : status;
}

static enum status read_format(struct statement *statement, void *item, struct error *err) {
    struct slots_format *format = item;
    size_t length;
    format->number = statement_integer(statement, 0, 1, INT64_MAX);
    format->id = statement_digest(statement, 1);
    const char *model = statement_text(statement, 2, &length);
    format->block_size = (int32_t)statement_integer(statement, 3, 1, SLOTS_MAX_TOKENS);
    format->payload_bytes = (uint64_t)statement_integer(statement, 4, 1, SLOTS_MAX_PAYLOAD);
    format->stride = size_round_up((size_t)format->payload_bytes, SLOT_ALIGNMENT);
    format->slots = (uint64_t)statement_integer(statement, 5, 0, UINT32_MAX);
    format->blocks = (uint64_t)statement_integer(statement, 6, 0, UINT32_MAX);
    format->tokens = (uint64_t)statement_integer(statement, 7, 0, INT64_MAX);
    format->used_ms = statement_integer(statement, 8, 0, INT64_MAX / SLOTS_USED_MS) * SLOTS_USED_MS;
    TRY(statement_sound(statement, "format", format->number, err));
    if (length >= sizeof format->model)
        return damaged(statement->db, "format", format->number, err);
    memcpy(format->model, model, length);
    format->model[length] = '\0';
    return STATUS_OK;
}

static enum status list_formats(struct db *db, const char *sql, struct slots_format **formats,
                                size_t *count, struct error *err) {
    struct statement statement;
    struct rows rows = {.item_bytes = sizeof **formats};
    TRY(statement_start(db, sql, &statement, err));
    TRY(statement_rows(&statement, read_format, &rows, err));
    *formats = rows.items;
    *count = rows.count;
    return STATUS_OK;
}

enum status slots_formats(struct db *db, struct slots_format **formats, size_t *count,
                          struct error *err) {
    static const char sql[] =
        "SELECT f.id, f.digest, f.model, f.block_size, f.payload_bytes, count(s.slot),"
        " count(s.key), coalesce(sum(length(s.ids) / 4), 0), coalesce(max(s.used), 0)"
        " FROM kv_format f LEFT JOIN kv_slot s ON s.format = f.id GROUP BY f.id ORDER BY f.id";
    return list_formats(db, sql, formats, count, err);
}

enum status slots_chosen_formats(struct db *db, struct slots_format **formats, size_t *count,
                                 struct error *err) {
    static const char sql[] = "SELECT id, digest, model, block_size, payload_bytes, 0, 0, 0, 0"
                              " FROM kv_format WHERE id IN (SELECT format FROM temp.chosen)"
                              " ORDER BY id";
    return list_formats(db, sql, formats, count, err);
}

// ---- blocks

static void encode_ids(const struct disk_block *block, uint8_t *bytes) {
    ASSERT(block->count >= 1 && block->count <= SLOTS_MAX_TOKENS);
    for (int32_t i = 0; i < block->count; i++)
        for (int k = 0; k < 4; k++)
            bytes[4 * i + k] = (uint8_t)((uint32_t)block->ids[i] >> (8 * k));
}

static bool decode_ids(const uint8_t *bytes, size_t length, int32_t ids[SLOTS_MAX_TOKENS]) {
    if (length == 0 || length % 4 != 0 || length > (size_t)4 * SLOTS_MAX_TOKENS) return false;
    for (size_t i = 0; i < length / 4; i++) {
        const uint8_t *id = bytes + 4 * i;
        if (id[3] > INT8_MAX) return false; // a negative one
        ids[i] =
            (int32_t)(id[0] | (uint32_t)id[1] << 8 | (uint32_t)id[2] << 16 | (uint32_t)id[3] << 24);
    }
    return true;
}

enum status slots_find(struct db *db, int64_t format, const struct disk_block *block,
                       struct slot_row *row, struct error *err) {
    static const char sql[] = "SELECT slot, checksum, parent, position, ids FROM kv_slot"
                              " WHERE format = ?1 AND key = ?2";
    struct statement statement;
    bool found = false;
    ASSERT(format > 0);
    TRY(sql_start(db, sql, (struct sql_parameters){format, block->key, 0}, &statement, err));
    enum status status = statement_step(&statement, &found, err);
    if (status == STATUS_OK && !found) status = STATUS_NOT_FOUND;
    if (status == STATUS_OK) {
        uint8_t ids[4 * SLOTS_MAX_TOKENS];
        size_t length;
        struct slot_row at;
        at.slot = (uint32_t)statement_integer(&statement, 0, 0, INT32_MAX);
        at.checksum = statement_digest(&statement, 1);
        const struct hash128 parent = statement_digest(&statement, 2);
        const int64_t position = statement_integer(&statement, 3, 0, INT32_MAX);
        const void *bytes = statement_blob(&statement, 4, &length);
        encode_ids(block, ids);
        at.is_same = hash_equal(parent, block->parent) && position == block->position &&
                     length == 4 * (size_t)block->count && memcmp(bytes, ids, length) == 0;
        status = statement_sound(&statement, "slot", at.slot, err);
        if (status == STATUS_OK) *row = at;
    }
    statement_finish(&statement);
    return status;
}

int64_t slots_now(void) { return store_now_ms() / SLOTS_USED_MS; }

enum status slots_end(struct db *db, int64_t format, uint64_t *slots, struct error *err) {
    static const char sql[] = "SELECT coalesce(max(slot) + 1, 0) FROM kv_slot WHERE format = ?1";
    int64_t found;
    ASSERT(format > 0);
    TRY(sql_integer(db, sql, (struct sql_parameters){.first = format}, &found, err));
    if (found < 0 || found > INT32_MAX) return damaged(db, "slot", found, err);
    *slots = (uint64_t)found;
    return STATUS_OK;
}

static enum status claim_slot(struct db *db, int64_t format, uint32_t *slot, struct error *err) {
    static const char sql[] =
        "SELECT coalesce((SELECT min(slot) FROM kv_slot WHERE format = ?1 AND key IS NULL),"
        " (SELECT max(slot) + 1 FROM kv_slot WHERE format = ?1), 0)";
    int64_t found;
    TRY(sql_integer(db, sql, (struct sql_parameters){.first = format}, &found, err));
    if (found < 0 || found >= INT32_MAX) return damaged(db, "slot", found, err);
    *slot = (uint32_t)found;
    return STATUS_OK;
}

enum status slots_has_parent(struct db *db, int64_t format, const struct disk_block *block,
                             bool *has, struct error *err) {
    static const char block_sql[] =
        "SELECT EXISTS (SELECT 1 FROM kv_slot WHERE format = ?1 AND key = ?2)";
    static const char state_sql[] =
        "SELECT EXISTS (SELECT 1 FROM kv_slot WHERE key = ?2 AND parent IS NOT key"
        " AND format IN (SELECT id FROM kv_format WHERE id <> ?1))";
    const bool is_state = hash_equal(block->parent, block->key);
    int64_t found = 1;
    if (!hash_equal(block->parent, NO_KEY))
        TRY(sql_integer(db, is_state ? state_sql : block_sql,
                        (struct sql_parameters){format, block->parent, 0}, &found, err));
    *has = found != 0;
    return STATUS_OK;
}

// NOT_FOUND: the block's parent is missing.
static enum status join_parent(struct db *db, int64_t format, const struct disk_block *block,
                               struct error *err) {
    static const char block_sql[] =
        "UPDATE kv_slot SET children = children + 1 WHERE format = ?1 AND key = ?2";
    static const char state_sql[] =
        "UPDATE kv_slot SET children = children + 1 WHERE key = ?2"
        " AND format IN (SELECT id FROM kv_format WHERE id <> ?1) AND parent IS NOT key";
    const bool is_state = hash_equal(block->parent, block->key);
    if (hash_equal(block->parent, NO_KEY)) return STATUS_OK;
    TRY(sql_run(db, is_state ? state_sql : block_sql,
                (struct sql_parameters){format, block->parent, 0}, err));
    return sqlite3_changes(db->handle) > 0 ? STATUS_OK : STATUS_NOT_FOUND;
}

enum status slots_insert(struct db *db, int64_t format, const struct disk_block *block,
                         struct hash128 checksum, uint32_t *slot, struct error *err) {
    static const char sql[] =
        "INSERT INTO kv_slot(format, slot, key, parent, position, ids, checksum, used)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(format, slot) DO UPDATE SET"
        " key = excluded.key, parent = excluded.parent, position = excluded.position,"
        " ids = excluded.ids, checksum = excluded.checksum, used = excluded.used,"
        " children = 0, leaf_of = 0";
    struct statement statement;
    uint8_t ids[4 * SLOTS_MAX_TOKENS];
    uint32_t claimed = 0;
    ASSERT(db->depth > 0);
    TRY(join_parent(db, format, block, err));
    TRY(claim_slot(db, format, &claimed, err));
    encode_ids(block, ids);
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    statement_bind_integer(&statement, 2, claimed);
    statement_bind_digest(&statement, 3, block->key);
    if (!hash_equal(block->parent, NO_KEY)) statement_bind_digest(&statement, 4, block->parent);
    statement_bind_integer(&statement, 5, block->position);
    statement_bind_blob(&statement, 6, ids, 4 * (size_t)block->count);
    statement_bind_digest(&statement, 7, checksum);
    statement_bind_integer(&statement, 8, slots_now());
    TRY(statement_run(&statement, err));
    *slot = claimed;
    return STATUS_OK;
}

enum status slots_cut(struct db *db, int64_t format, uint64_t *slots, struct error *err) {
    static const char last[] = "SELECT coalesce(max(slot) + 1, 0) FROM kv_slot"
                               " WHERE format = ?1 AND key IS NOT NULL";
    static const char cut[] = "DELETE FROM kv_slot WHERE format = ?1 AND slot >= ?3";
    int64_t found;
    ASSERT(db->depth > 0);
    TRY(sql_integer(db, last, (struct sql_parameters){.first = format}, &found, err));
    if (found < 0 || found > INT32_MAX) return damaged(db, "slot", found, err);
    TRY(sql_run(db, cut, (struct sql_parameters){format, NO_KEY, found}, err));
    *slots = (uint64_t)found;
    return STATUS_OK;
}

enum status slots_list_blocks(struct db *db, int64_t format, const struct disk_listener *listener,
                              uint64_t *count, struct error *err) {
    static const char sql[] = "SELECT key, parent, position, ids FROM kv_slot"
                              " WHERE format = ?1 AND key IS NOT NULL ORDER BY position";
    struct statement statement;
    int32_t ids[SLOTS_MAX_TOKENS];
    uint64_t found = 0;
    bool more;
    ASSERT(format > 0);
    TRY(sql_start(db, sql, (struct sql_parameters){.first = format}, &statement, err));
    enum status status = statement_step(&statement, &more, err);
    for (; status == STATUS_OK && more; found++) {
        size_t length;
        struct disk_block block = {.key = statement_digest(&statement, 0),
                                   .parent = statement_digest(&statement, 1),
                                   .ids = ids,
                                   .position =
                                       (int32_t)statement_integer(&statement, 2, 0, INT32_MAX)};
        const uint8_t *bytes = statement_blob(&statement, 3, &length);
        status = statement_sound(&statement, "the block at position", block.position, err);
        if (status == STATUS_OK && !decode_ids(bytes, length, ids))
            status = damaged(db, "the block at position", block.position, err);
        block.count = (int32_t)(length / 4);
        if (status == STATUS_OK && listener) listener->block(listener->user, &block);
        if (status == STATUS_OK) status = statement_step(&statement, &more, err);
    }
    statement_finish(&statement);
    if (status == STATUS_OK) *count = found;
    return status;
}

enum status slots_list_references(struct db *db, int64_t format,
                                  const struct disk_listener *listener, struct error *err) {
    static const char sql[] = "SELECT conversation, leaf FROM kv_reference WHERE format = ?1";
    struct statement statement;
    bool more;
    TRY(sql_start(db, sql, (struct sql_parameters){.first = format}, &statement, err));
    enum status status = statement_step(&statement, &more, err);
    while (status == STATUS_OK && more) {
        const int64_t conversation = statement_integer(&statement, 0, INT64_MIN, INT64_MAX);
        const struct hash128 leaf = statement_digest(&statement, 1);
        status = statement_sound(&statement, "conversation", conversation, err);
        if (status == STATUS_OK && listener)
            listener->reference(listener->user, (uint64_t)conversation, leaf);
        if (status == STATUS_OK) status = statement_step(&statement, &more, err);
    }
    statement_finish(&statement);
    return status;
}

enum status slots_walk(struct db *db, int64_t format, slots_each *each, void *user,
                       struct error *err) {
    static const char sql[] = "SELECT slot, key, checksum FROM kv_slot"
                              " WHERE format = ?1 AND key IS NOT NULL ORDER BY slot";
    struct statement statement;
    bool more;
    ASSERT(format > 0);
    TRY(sql_start(db, sql, (struct sql_parameters){.first = format}, &statement, err));
    enum status status = statement_step(&statement, &more, err);
    while (status == STATUS_OK && more) {
        const struct slots_entry entry = {
            .slot = (uint32_t)statement_integer(&statement, 0, 0, INT32_MAX),
            .key = statement_digest(&statement, 1),
            .checksum = statement_digest(&statement, 2),
        };
        status = statement_sound(&statement, "slot", entry.slot, err);
        if (status == STATUS_OK) status = each(user, &entry);
        if (status == STATUS_OK) status = statement_step(&statement, &more, err);
    }
    statement_finish(&statement);
    return status;
}

// ---- numbers

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

enum status slots_uncounted(struct db *db, bool *uncounted, struct error *err) {
    uint64_t value;
    TRY(get_number(db, "uncounted", &value, err));
    *uncounted = value != 0;
    return STATUS_OK;
}

// Speeds are stored as whole picoseconds per token and attoseconds per byte.
static const double PS_PER_US = 1e6, AS_PER_US = 1e12;

enum status slots_speed(struct db *db, int64_t format, struct disk_speed *speed,
                        struct error *err) {
    static const char sql[] = "SELECT prefill_ps FROM kv_format WHERE id = ?1";
    int64_t prefill_ps;
    uint64_t read_as;
    ASSERT(format > 0);
    TRY(get_number(db, "read_as", &read_as, err));
    TRY(sql_integer(db, sql, (struct sql_parameters){.first = format}, &prefill_ps, err));
    speed->prefill_us_per_token = prefill_ps > 0 ? (double)prefill_ps / PS_PER_US : 0;
    speed->read_us_per_byte = (double)read_as / AS_PER_US;
    return STATUS_OK;
}

static int64_t whole_number(double value) { return value > 0 && value < 9e18 ? (int64_t)value : 0; }

enum status slots_set_speed(struct db *db, int64_t format, struct disk_speed speed,
                            struct error *err) {
    static const char sql[] = "UPDATE kv_format SET prefill_ps = ?3 WHERE id = ?1";
    const int64_t prefill_ps = whole_number(speed.prefill_us_per_token * PS_PER_US);
    ASSERT(db->depth > 0);
    TRY(sql_run(db, sql, (struct sql_parameters){format, NO_KEY, prefill_ps}, err));
    return set_number(db, "read_as", (uint64_t)whole_number(speed.read_us_per_byte * AS_PER_US),
                      err);
}

enum status slots_limit(struct db *db, uint64_t *limit_bytes, struct error *err) {
    return get_number(db, "limit_bytes", limit_bytes, err);
}

enum status slots_set_limit(struct db *db, uint64_t limit_bytes, struct error *err) {
    ASSERT(db->depth > 0);
    return set_number(db, "limit_bytes", limit_bytes, err);
}

// ---- the whole file

enum status slots_check(struct db *db, struct error *err) {
    static const char sound[] =
        "SELECT (SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok')"
        " + (SELECT count(*) FROM pragma_foreign_key_check)";
    static const char slots[] = // (1)
        "SELECT count(*) FROM (SELECT 1 FROM kv_slot GROUP BY format"
        " HAVING count(*) <> max(slot) + 1 OR min(slot) <> 0)";
    static const char order[] = // (3)
        "SELECT count(*) FROM kv_slot s JOIN kv_slot p ON p.format = s.format AND p.key = s.parent"
        " WHERE s.parent <> s.key AND s.position <> p.position + length(p.ids) / 4";
    static const char *const all[] = {sound, slots, order};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int64_t found;
        TRY(sql_integer(db, all[i], (struct sql_parameters){0}, &found, err));
        if (found != 0) return error_set(err, STATUS_BAD_FILE, "%s is damaged", db->path);
    }
    return STATUS_OK;
}

void slots_shrink(struct db *db, bool all) {
    if (all) sqlite3_exec(db->handle, "VACUUM", NULL, NULL, NULL);
    sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

uint64_t slots_written(struct db *db) {
    int pages = 0, highest = 0;
    sqlite3_db_status(db->handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0);
    return (uint64_t)pages * 2 * PAGE_BYTES;
}
