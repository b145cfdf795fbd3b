// store/disk_cache/references.c — which blocks does a conversation need? In each format the path
// from the root to a leaf.
#include "kernels/base/assert.h"
#include "store/disk_cache/slots.h"
#include "store/disk_cache/sql.h"

// SQLite's integers are signed, so a conversation's number is stored by its bits.
static enum status find_leaf(struct db *db, int64_t format, uint64_t conversation,
                             struct hash128 *leaf, struct error *err) {
    static const char sql[] =
        "SELECT leaf FROM kv_reference WHERE conversation = ?1 AND format = ?3";
    struct statement statement;
    bool found = false;
    *leaf = (struct hash128){0};
    TRY(sql_start(db, sql, (struct sql_parameters){(int64_t)conversation, *leaf, format},
                  &statement, err));
    const enum status status = statement_step(&statement, &found, err);
    if (status == STATUS_OK && found) *leaf = statement_digest(&statement, 0);
    statement_finish(&statement);
    return status;
}

// Marks the leaves of all formats as used now, so that they are evicted in the same order.
static enum status use_all(struct db *db, uint64_t conversation, struct error *err) {
    static const char sql[] = "UPDATE kv_slot SET used = ?3 WHERE used < ?3 AND (format, key) IN"
                              " (SELECT format, leaf FROM kv_reference WHERE conversation = ?1)";
    return sql_run(db, sql, (struct sql_parameters){(int64_t)conversation, {0}, slots_now()}, err);
}

static enum status set_leaf(struct db *db, int64_t format, uint64_t conversation,
                            struct hash128 leaf, struct error *err) {
    static const char set[] =
        "INSERT INTO kv_reference(format, leaf, conversation) VALUES(?1, ?2, ?3)"
        " ON CONFLICT(conversation, format) DO UPDATE SET leaf = excluded.leaf";
    static const char add[] =
        "UPDATE kv_slot SET leaf_of = leaf_of + ?3 WHERE format = ?1 AND key = ?2";
    struct hash128 old;
    TRY(find_leaf(db, format, conversation, &old, err));
    if (hash_equal(old, leaf)) return STATUS_OK;
    TRY(sql_run(db, add, (struct sql_parameters){format, leaf, 1}, err));
    if (sqlite3_changes(db->handle) == 0) return STATUS_OK; // evicted meanwhile: keep the old
    TRY(sql_run(db, add, (struct sql_parameters){format, old, -1}, err));
    return sql_run(db, set, (struct sql_parameters){format, leaf, (int64_t)conversation}, err);
}

enum status slots_reference(struct db *db, int64_t format, uint64_t conversation,
                            struct hash128 leaf, struct error *err) {
    ASSERT(db->depth > 0);
    TRY(set_leaf(db, format, conversation, leaf, err));
    return use_all(db, conversation, err);
}

enum status slots_note_home(struct db *db, uint64_t conversation, uint64_t home,
                            struct error *err) {
    static const char sql[] = "INSERT INTO kv_home(conversation, home) VALUES(?1, ?3)"
                              " ON CONFLICT(conversation) DO UPDATE SET home = excluded.home"
                              " WHERE home <> excluded.home";
    ASSERT(db->depth > 0);
    return sql_run(db, sql, (struct sql_parameters){(int64_t)conversation, {0}, (int64_t)home},
                   err);
}

enum status slots_dereference(struct db *db, uint64_t conversation, struct error *err) {
    static const char count[] = "UPDATE kv_slot SET leaf_of = leaf_of - 1 WHERE (format, key) IN"
                                " (SELECT format, leaf FROM kv_reference WHERE conversation = ?1)";
    static const char sql[] = "DELETE FROM kv_reference WHERE conversation = ?1";
    static const char home[] = "DELETE FROM kv_home WHERE conversation = ?1";
    ASSERT(db->depth > 0);
    TRY(sql_run(db, home, (struct sql_parameters){.first = (int64_t)conversation}, err));
    TRY(sql_run(db, count, (struct sql_parameters){.first = (int64_t)conversation}, err));
    return sql_run(db, sql, (struct sql_parameters){.first = (int64_t)conversation}, err);
}

enum status slots_recount(struct db *db, struct error *err) {
    static const char references[] =
        "DELETE FROM kv_reference WHERE NOT EXISTS (SELECT 1 FROM kv_slot s"
        " WHERE s.format = kv_reference.format AND s.key = kv_reference.leaf)";
    static const char counts[] =
        "WITH below(format, key, children) AS MATERIALIZED (SELECT p.format, p.key, count(*)"
        " FROM kv_slot c CROSS JOIN kv_slot p ON p.format IN (SELECT id FROM kv_format)"
        " AND p.key = c.parent AND (c.format = p.format) = (c.parent <> c.key)"
        " WHERE p.parent IS NOT p.key GROUP BY p.format, p.key)"
        " UPDATE kv_slot SET children = n.children, leaf_of = n.leaf_of FROM ("
        " SELECT s.format AS format, s.slot AS slot, coalesce(b.children, 0) AS children,"
        " (SELECT count(*) FROM kv_reference r WHERE r.format = s.format AND r.leaf = s.key)"
        " AS leaf_of FROM kv_slot s LEFT JOIN below b ON b.format = s.format AND b.key = s.key"
        " WHERE s.key IS NOT NULL) n"
        " WHERE kv_slot.format = n.format AND kv_slot.slot = n.slot"
        " AND (kv_slot.children <> n.children OR kv_slot.leaf_of <> n.leaf_of)";
    static const char counted[] =
        "UPDATE kv_number SET value = 0 WHERE name = 'uncounted' AND value <> 0";
    ASSERT(db->depth > 0);
    TRY(sql_run(db, references, (struct sql_parameters){0}, err));
    TRY(sql_run(db, counts, (struct sql_parameters){0}, err));
    return sql_run(db, counted, (struct sql_parameters){0}, err);
}

// ---- sums

static enum status read_conversation(struct statement *statement, void *item, struct error *err) {
    struct slots_conversation *found = item;
    found->conversation = (uint64_t)statement_integer(statement, 0, INT64_MIN, INT64_MAX);
    found->tokens = (uint64_t)statement_integer(statement, 1, 0, INT64_MAX);
    found->unique_bytes = (uint64_t)statement_integer(statement, 2, 0, INT64_MAX);
    found->shared_bytes = (uint64_t)statement_integer(statement, 3, 0, INT64_MAX);
    found->home = (uint64_t)statement_integer(statement, 4, INT64_MIN, INT64_MAX);
    return statement_sound(statement, "conversation", (int64_t)found->conversation, err);
}

// A model's groups of layers cover the same tokens, each group in its own format.
enum status slots_conversations(struct db *db, struct slots_conversation **found, size_t *count,
                                struct error *err) {
    static const char sql[] =
        "WITH path AS MATERIALIZED (SELECT conversation, format, slot FROM kv_path),"
        " users(format, slot, number) AS MATERIALIZED ("
        " SELECT format, slot, count(*) FROM path GROUP BY format, slot),"
        " sums(conversation, model, tokens, alone, shared) AS ("
        " SELECT p.conversation, f.model, sum(length(s.ids) / 4),"
        " sum(iif(u.number = 1, (f.payload_bytes + 4095) / 4096 * 4096, 0)),"
        " sum(iif(u.number > 1, (f.payload_bytes + 4095) / 4096 * 4096, 0)) FROM path p"
        " JOIN users u ON u.format = p.format AND u.slot = p.slot"
        " JOIN kv_slot s ON s.format = p.format AND s.slot = p.slot"
        " JOIN kv_format f ON f.id = p.format GROUP BY p.conversation, p.format),"
        " models(conversation, tokens, alone, shared) AS ("
        " SELECT conversation, max(tokens), sum(alone), sum(shared) FROM sums"
        " GROUP BY conversation, model)"
        " SELECT r.conversation, coalesce(sum(tokens), 0), coalesce(sum(alone), 0),"
        " coalesce(sum(shared), 0), coalesce(max(h.home), 0)"
        " FROM (SELECT DISTINCT conversation FROM kv_reference) r"
        " LEFT JOIN kv_home h ON h.conversation = r.conversation"
        " LEFT JOIN models m ON m.conversation = r.conversation"
        " GROUP BY r.conversation ORDER BY r.conversation";
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
    TRY(sql_integer(db, sql, (struct sql_parameters){0}, &found, err));
    *bytes = (uint64_t)found;
    return STATUS_OK;
}
