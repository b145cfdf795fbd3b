#include "store/disk_cache/slots.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "store/disk_cache/slot_file.h"

// The unique index of keys has free slots, too, as NULLs are all different; so it is the free list.
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

// The files of slots begin with a magic number. Those of version 1 do not: such a cache is dropped
// as a whole before its index is opened (ownership.h).
static const char STEP_2[] = "PRAGMA user_version = 2;";

enum { PAGE_BYTES = 1024 }; // of the index: a row takes about 150

static const char *const STEPS[] = {STEP_1, STEP_2};

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
                              "CREATE TEMP TABLE kept(format INTEGER, slot INTEGER,"
                              " PRIMARY KEY(format, slot)) WITHOUT ROWID";
    const int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? STATUS_OK : db_failure(db, code, err);
}

// What most statements here take: ?1, ?2 and ?3, as far as they have them.
struct parameters {
    int64_t first;
    struct hash128 key;
    int64_t third;
};

static enum status start(struct db *db, const char *sql, struct parameters parameters,
                         struct statement *statement, struct error *err) {
    TRY(statement_start(db, sql, statement, err));
    const int count = sqlite3_bind_parameter_count(statement->handle);
    ASSERT(count <= 3);
    if (count >= 1) statement_bind_integer(statement, 1, parameters.first);
    if (count >= 2) statement_bind_digest(statement, 2, parameters.key);
    if (count >= 3) statement_bind_integer(statement, 3, parameters.third);
    return STATUS_OK;
}

static enum status run(struct db *db, const char *sql, struct parameters parameters,
                       struct error *err) {
    struct statement statement;
    TRY(start(db, sql, parameters, &statement, err));
    return statement_run(&statement, err);
}

static enum status get_integer(struct db *db, const char *sql, struct parameters parameters,
                               int64_t *value, struct error *err) {
    struct statement statement;
    TRY(start(db, sql, parameters, &statement, err));
    return statement_first_integer(&statement, value, err);
}

static enum status damaged(const struct db *db, const char *what, int64_t number,
                           struct error *err) {
    return error_set(err, STATUS_BAD_FILE, "%s is damaged: %s %lld cannot be", db->path, what,
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
    return status == STATUS_NOT_FOUND ? damaged(db, "the format of", 0, err) : status;
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
    format->used_ms =
        statement_integer(statement, 8, 0, INT64_MAX / SLOTS_MINUTE_MS) * SLOTS_MINUTE_MS;
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
    TRY(start(db, sql, (struct parameters){format, block->key, 0}, &statement, err));
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

static int64_t now_minutes(void) { return store_now_ms() / SLOTS_MINUTE_MS; }

// Ends at the first block that was used in this minute: so were, by invariant (4), those above it.
static enum status use_path(struct db *db, int64_t format, struct hash128 key, int64_t minute,
                            struct error *err) {
    static const char sql[] =
        "WITH RECURSIVE path(slot, parent) AS ("
        " SELECT slot, parent FROM kv_slot WHERE format = ?1 AND key = ?2 AND used < ?3"
        " UNION SELECT s.slot, s.parent FROM path p"
        " CROSS JOIN kv_slot s ON s.format = ?1 AND s.key = p.parent WHERE s.used < ?3)"
        "UPDATE kv_slot SET used = ?3 WHERE format = ?1 AND slot IN (SELECT slot FROM path)";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){format, key, minute}, err);
}

enum status slots_use(struct db *db, int64_t format, struct hash128 key, struct error *err) {
    return use_path(db, format, key, now_minutes(), err);
}

enum status slots_end(struct db *db, int64_t format, uint64_t *slots, struct error *err) {
    static const char sql[] = "SELECT coalesce(max(slot) + 1, 0) FROM kv_slot WHERE format = ?1";
    int64_t found;
    ASSERT(format > 0);
    TRY(get_integer(db, sql, (struct parameters){.first = format}, &found, err));
    if (found < 0 || found > INT32_MAX) return damaged(db, "slot", found, err);
    *slots = (uint64_t)found;
    return STATUS_OK;
}

static enum status claim(struct db *db, int64_t format, uint32_t *slot, struct error *err) {
    static const char sql[] =
        "SELECT coalesce((SELECT min(slot) FROM kv_slot WHERE format = ?1 AND key IS NULL),"
        " (SELECT max(slot) + 1 FROM kv_slot WHERE format = ?1), 0)";
    int64_t found;
    TRY(get_integer(db, sql, (struct parameters){.first = format}, &found, err));
    if (found < 0 || found >= INT32_MAX) return damaged(db, "slot", found, err);
    *slot = (uint32_t)found;
    return STATUS_OK;
}

enum status slots_insert(struct db *db, int64_t format, const struct disk_block *block,
                         struct hash128 checksum, uint32_t *slot, struct error *err) {
    static const char sql[] =
        "INSERT INTO kv_slot(format, slot, key, parent, position, ids, checksum, used)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(format, slot) DO UPDATE SET"
        " key = excluded.key, parent = excluded.parent, position = excluded.position,"
        " ids = excluded.ids, checksum = excluded.checksum, used = excluded.used";
    struct statement statement;
    uint8_t ids[4 * SLOTS_MAX_TOKENS];
    uint32_t claimed = 0;
    ASSERT(db->depth > 0);
    const int64_t minute = now_minutes(); // the same for both: the next may begin in between
    if (!hash_equal(block->parent, NO_KEY)) TRY(use_path(db, format, block->parent, minute, err));
    TRY(claim(db, format, &claimed, err));
    encode_ids(block, ids);
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, format);
    statement_bind_integer(&statement, 2, claimed);
    statement_bind_digest(&statement, 3, block->key);
    if (!hash_equal(block->parent, NO_KEY)) statement_bind_digest(&statement, 4, block->parent);
    statement_bind_integer(&statement, 5, block->position);
    statement_bind_blob(&statement, 6, ids, 4 * (size_t)block->count);
    statement_bind_digest(&statement, 7, checksum);
    statement_bind_integer(&statement, 8, minute);
    TRY(statement_run(&statement, err));
    *slot = claimed;
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
    TRY(start(db, sql, (struct parameters){.first = format}, &statement, err));
    enum status status = statement_step(&statement, &more, err);
    for (; status == STATUS_OK && more; found++) {
        size_t length;
        struct disk_block block = {.key = statement_digest(&statement, 0),
                                   .parent = statement_digest(&statement, 1),
                                   .ids = ids,
                                   .position =
                                       (int32_t)statement_integer(&statement, 2, 0, INT32_MAX)};
        const uint8_t *bytes = statement_blob(&statement, 3, &length);
        status = statement_sound(&statement, "the block at", block.position, err);
        if (status == STATUS_OK && !decode_ids(bytes, length, ids))
            status = damaged(db, "the block at", block.position, err);
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
    TRY(start(db, sql, (struct parameters){.first = format}, &statement, err));
    enum status status = statement_step(&statement, &more, err);
    while (status == STATUS_OK && more) {
        const int64_t conversation = statement_integer(&statement, 0, INT64_MIN, INT64_MAX);
        const struct hash128 leaf = statement_digest(&statement, 1);
        status = statement_sound(&statement, "conversation", conversation, err);
        if (status == STATUS_OK) listener->reference(listener->user, (uint64_t)conversation, leaf);
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
    TRY(start(db, sql, (struct parameters){.first = format}, &statement, err));
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

// ---- freeing

enum status slots_begin_choice(struct db *db, struct error *err) {
    static const char chosen[] = "DELETE FROM temp.chosen", kept[] = "DELETE FROM temp.kept";
    ASSERT(db->depth > 0);
    TRY(run(db, chosen, (struct parameters){0}, err));
    return run(db, kept, (struct parameters){0}, err);
}

#define CHOOSE "INSERT OR IGNORE INTO temp.chosen SELECT format, slot, key FROM kv_slot "

enum status slots_choose_key(struct db *db, int64_t format, struct hash128 key, struct error *err) {
    static const char sql[] = CHOOSE "WHERE format = ?1 AND key = ?2";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){format, key, 0}, err);
}

enum status slots_choose_entry(struct db *db, int64_t format, const struct slots_entry *entry,
                               bool *chosen, struct error *err) {
    static const char sql[] = CHOOSE "WHERE format = ?1 AND checksum = ?2 AND slot = ?3"
                                     " AND key IS NOT NULL";
    ASSERT(db->depth > 0);
    TRY(run(db, sql, (struct parameters){format, entry->checksum, entry->slot}, err));
    *chosen = sqlite3_changes(db->handle) > 0;
    return STATUS_OK;
}

enum status slots_choose_from(struct db *db, int64_t format, uint64_t first, struct error *err) {
    static const char sql[] = CHOOSE "WHERE format = ?1 AND slot >= ?3 AND key IS NOT NULL";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){format, NO_KEY, (int64_t)first}, err);
}

enum status slots_choose_all(struct db *db, struct error *err) {
    static const char sql[] = CHOOSE "WHERE key IS NOT NULL";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){0}, err);
}

enum status slots_choose_free(struct db *db, int64_t format, struct error *err) {
    static const char sql[] = CHOOSE "WHERE format = ?1 AND key IS NULL";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){.first = format}, err);
}

// `child` has the rows once more, with an index on the parent that SQLite makes for the statement:
// kept for good, it would be written with every block.
enum status slots_choose_only_of(struct db *db, uint64_t conversation, struct error *err) {
    static const char sql[] =
        "INSERT OR IGNORE INTO temp.chosen WITH RECURSIVE"
        " only(format, slot) AS MATERIALIZED ("
        " SELECT format, slot FROM kv_path WHERE conversation = ?1"
        " EXCEPT SELECT format, slot FROM kv_path WHERE conversation <> ?1),"
        " child AS MATERIALIZED (SELECT format, slot, key, parent FROM kv_slot),"
        " below(format, slot, key) AS ("
        " SELECT s.format, s.slot, s.key FROM only o"
        " CROSS JOIN kv_slot s ON s.format = o.format AND s.slot = o.slot"
        " UNION SELECT c.format, c.slot, c.key FROM below b"
        " CROSS JOIN child c ON c.format = b.format AND c.parent = b.key)"
        " SELECT format, slot, key FROM below";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){.first = (int64_t)conversation}, err);
}

enum status slots_choose_unneeded(struct db *db, struct error *err) {
    static const char sql[] =
        CHOOSE "WHERE key IS NULL OR (format, slot) NOT IN (SELECT format, slot FROM kv_path)";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){0}, err);
}

enum status slots_keep_path(struct db *db, int64_t format, struct hash128 key, struct error *err) {
    static const char sql[] =
        "INSERT OR IGNORE INTO temp.kept WITH RECURSIVE path(slot, parent) AS ("
        " SELECT slot, parent FROM kv_slot WHERE format = ?1 AND key = ?2"
        " UNION SELECT s.slot, s.parent FROM path p"
        " CROSS JOIN kv_slot s ON s.format = ?1 AND s.key = p.parent)"
        " SELECT ?1, slot FROM path";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){format, key, 0}, err);
}

// The eviction rule of disk_pool.h. A running sum of bytes over its order says where to stop.
enum status slots_choose_least(struct db *db, uint64_t bytes, struct error *err) {
    static const char sql[] =
        "INSERT OR IGNORE INTO temp.chosen WITH RECURSIVE needed(format, slot, parent) AS ("
        " SELECT r.format, s.slot, s.parent FROM kv_reference r"
        " CROSS JOIN kv_slot s ON s.format = r.format AND s.key = r.leaf"
        " UNION SELECT n.format, s.slot, s.parent FROM needed n"
        " CROSS JOIN kv_slot s ON s.format = n.format AND s.key = n.parent)"
        " SELECT format, slot, key FROM (SELECT s.format, s.slot, s.key, f.payload_bytes,"
        " sum((f.payload_bytes + 4095) / 4096 * 4096) OVER (ORDER BY"
        " (s.format, s.slot) IN (SELECT format, slot FROM needed), s.used, s.position DESC,"
        " s.format, s.slot ROWS UNBOUNDED PRECEDING) AS total"
        " FROM kv_slot s JOIN kv_format f ON f.id = s.format WHERE s.key IS NOT NULL"
        " AND (s.format, s.slot) NOT IN (SELECT format, slot FROM temp.kept))"
        " WHERE total - (payload_bytes + 4095) / 4096 * 4096 < ?1";
    ASSERT(db->depth > 0);
    _Static_assert(SLOT_ALIGNMENT == 4096, "the stride, as the statement computes it");
    return run(db, sql, (struct parameters){.first = (int64_t)bytes}, err);
}

enum status slots_free_chosen(struct db *db, struct error *err) {
    static const char sql[] =
        "UPDATE kv_slot SET key = NULL, parent = NULL, position = NULL, ids = NULL,"
        " checksum = NULL, used = NULL"
        " WHERE (format, slot) IN (SELECT format, slot FROM temp.chosen)";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){0}, err);
}

enum status slots_walk_chosen(struct db *db, int64_t format, slots_each_chosen *each, void *user,
                              struct error *err) {
    static const char sql[] = "SELECT c.slot, c.key, s.key IS NULL FROM temp.chosen c"
                              " JOIN kv_slot s ON s.format = c.format AND s.slot = c.slot"
                              " WHERE c.format = ?1 ORDER BY c.slot";
    struct statement statement;
    bool more;
    TRY(start(db, sql, (struct parameters){.first = format}, &statement, err));
    enum status status = statement_step(&statement, &more, err);
    while (status == STATUS_OK && more) {
        const struct slots_chosen chosen = {
            .slot = (uint32_t)statement_integer(&statement, 0, 0, INT32_MAX),
            .key = statement_digest(&statement, 1),
            .is_free = statement_integer(&statement, 2, 0, 1),
        };
        status = statement_sound(&statement, "slot", chosen.slot, err);
        if (status == STATUS_OK) each(user, &chosen);
        if (status == STATUS_OK) status = statement_step(&statement, &more, err);
    }
    statement_finish(&statement);
    return status;
}

enum status slots_cut(struct db *db, int64_t format, uint64_t *slots, struct error *err) {
    static const char last[] = "SELECT coalesce(max(slot) + 1, 0) FROM kv_slot"
                               " WHERE format = ?1 AND key IS NOT NULL";
    static const char cut[] = "DELETE FROM kv_slot WHERE format = ?1 AND slot >= ?3";
    int64_t found;
    ASSERT(db->depth > 0);
    TRY(get_integer(db, last, (struct parameters){.first = format}, &found, err));
    if (found < 0 || found > INT32_MAX) return damaged(db, "slot", found, err);
    TRY(run(db, cut, (struct parameters){format, NO_KEY, found}, err));
    *slots = (uint64_t)found;
    return STATUS_OK;
}

// ---- references and numbers

// SQLite's integers have a sign: a conversation's number is kept by its bits.
enum status slots_reference(struct db *db, int64_t format, uint64_t conversation,
                            struct hash128 leaf, struct error *err) {
    static const char sql[] =
        "INSERT INTO kv_reference(format, leaf, conversation) VALUES(?1, ?2, ?3)"
        " ON CONFLICT(conversation, format) DO UPDATE SET leaf = excluded.leaf"
        " WHERE leaf <> excluded.leaf";
    ASSERT(db->depth > 0);
    TRY(run(db, sql, (struct parameters){format, leaf, (int64_t)conversation}, err));
    return slots_use(db, format, leaf, err);
}

enum status slots_dereference(struct db *db, uint64_t conversation, struct error *err) {
    static const char sql[] = "DELETE FROM kv_reference WHERE conversation = ?1";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){.first = (int64_t)conversation}, err);
}

enum status slots_forget_references(struct db *db, struct error *err) {
    static const char sql[] = "DELETE FROM kv_reference";
    ASSERT(db->depth > 0);
    return run(db, sql, (struct parameters){0}, err);
}

static enum status read_conversation(struct statement *statement, void *item, struct error *err) {
    struct slots_conversation *found = item;
    found->conversation = (uint64_t)statement_integer(statement, 0, INT64_MIN, INT64_MAX);
    found->tokens = (uint64_t)statement_integer(statement, 1, 0, INT64_MAX);
    found->unique_bytes = (uint64_t)statement_integer(statement, 2, 0, INT64_MAX);
    found->shared_bytes = (uint64_t)statement_integer(statement, 3, 0, INT64_MAX);
    return statement_sound(statement, "conversation", (int64_t)found->conversation, err);
}

enum status slots_conversations(struct db *db, struct slots_conversation **found, size_t *count,
                                struct error *err) {
    static const char sql[] =
        "WITH path AS MATERIALIZED (SELECT conversation, format, slot FROM kv_path),"
        " users(format, slot, number) AS MATERIALIZED ("
        " SELECT format, slot, count(*) FROM path GROUP BY format, slot),"
        " sums(conversation, tokens, alone, shared) AS ("
        " SELECT p.conversation, sum(length(s.ids) / 4),"
        " sum(iif(u.number = 1, (f.payload_bytes + 4095) / 4096 * 4096, 0)),"
        " sum(iif(u.number > 1, (f.payload_bytes + 4095) / 4096 * 4096, 0)) FROM path p"
        " JOIN users u ON u.format = p.format AND u.slot = p.slot"
        " JOIN kv_slot s ON s.format = p.format AND s.slot = p.slot"
        " JOIN kv_format f ON f.id = p.format GROUP BY p.conversation)"
        " SELECT DISTINCT r.conversation, coalesce(tokens, 0), coalesce(alone, 0),"
        " coalesce(shared, 0) FROM kv_reference r LEFT JOIN sums"
        " ON sums.conversation = r.conversation ORDER BY r.conversation";
    struct statement statement;
    struct rows rows = {.item_bytes = sizeof **found};
    TRY(statement_start(db, sql, &statement, err));
    TRY(statement_rows(&statement, read_conversation, &rows, err));
    *found = rows.items;
    *count = rows.count;
    return STATUS_OK;
}

enum status slots_unreferenced_bytes(struct db *db, uint64_t *bytes, struct error *err) {
    static const char sql[] =
        "SELECT coalesce(sum((f.payload_bytes + 4095) / 4096 * 4096), 0) FROM kv_slot s"
        " JOIN kv_format f ON f.id = s.format WHERE s.key IS NOT NULL"
        " AND (s.format, s.slot) NOT IN (SELECT format, slot FROM kv_path)";
    int64_t found;
    TRY(get_integer(db, sql, (struct parameters){0}, &found, err));
    *bytes = (uint64_t)found;
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

enum status slots_speed(struct db *db, int64_t format, struct disk_speed *speed,
                        struct error *err) {
    static const char sql[] = "SELECT prefill_ps FROM kv_format WHERE id = ?1";
    int64_t prefill_ps;
    uint64_t read_as;
    ASSERT(format > 0);
    TRY(get_number(db, "read_as", &read_as, err));
    TRY(get_integer(db, sql, (struct parameters){.first = format}, &prefill_ps, err));
    speed->prefill_us_per_token = prefill_ps > 0 ? (double)prefill_ps / PS_PER_US : 0;
    speed->read_us_per_byte = (double)read_as / AS_PER_US;
    return STATUS_OK;
}

static int64_t whole(double value) { return value > 0 && value < 9e18 ? (int64_t)value : 0; }

enum status slots_set_speed(struct db *db, int64_t format, struct disk_speed speed,
                            struct error *err) {
    static const char sql[] = "UPDATE kv_format SET prefill_ps = ?3 WHERE id = ?1";
    const int64_t prefill_ps = whole(speed.prefill_us_per_token * PS_PER_US);
    ASSERT(db->depth > 0);
    TRY(run(db, sql, (struct parameters){format, NO_KEY, prefill_ps}, err));
    return set_number(db, "read_as", (uint64_t)whole(speed.read_us_per_byte * AS_PER_US), err);
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
    static const char order[] = // (3), (4)
        "SELECT count(*) FROM kv_slot s JOIN kv_slot p ON p.format = s.format AND p.key = s.parent"
        " WHERE s.used > p.used OR s.position <> p.position + length(p.ids) / 4";
    static const char *const all[] = {sound, slots, order};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int64_t found;
        TRY(get_integer(db, all[i], (struct parameters){0}, &found, err));
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
