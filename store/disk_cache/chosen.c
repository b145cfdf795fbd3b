// store/disk_cache/chosen.c — which slots are freed, and what follows from that?
//
// Blocks are freed from the leaves of their chains, so what is left of a chain is its beginning:
//
//     [A]─[B]─[C]─[D]      D is freed: C has no child any more and is a leaf, conversation 7
//             7    7       needs the path to C, and C was used when D was
//          └──[E]
//
// `children` counts the child blocks of a block. Blocks without children are in an index in the
// order of eviction (kv_least), so finding the next one looks at no others, and a use changes only
// one row: the blocks above it are not leaves and inherit the time of use when they become leaves.
// A recurrent state is a child of the block whose tokens it follows, and is freed before that
// block.
#include <stdlib.h>

#include "kernels/base/assert.h"
#include "store/disk_cache/slot_file.h"
#include "store/disk_cache/slots.h"
#include "store/disk_cache/sql.h"

static const struct hash128 NO_KEY = {0, 0};

// ---- choosing

enum status slots_begin_choice(struct db *db, struct error *err) {
    static const char chosen[] = "DELETE FROM temp.chosen", kept[] = "DELETE FROM temp.kept";
    ASSERT(db->depth > 0);
    TRY(sql_run(db, chosen, (struct sql_parameters){0}, err));
    return sql_run(db, kept, (struct sql_parameters){0}, err);
}

#define CHOOSE "INSERT OR IGNORE INTO temp.chosen SELECT format, slot, key FROM kv_slot "

enum status slots_choose_key(struct db *db, int64_t format, struct hash128 key, struct error *err) {
    static const char sql[] = CHOOSE "WHERE format = ?1 AND key = ?2";
    ASSERT(db->depth > 0);
    return sql_run(db, sql, (struct sql_parameters){format, key, 0}, err);
}

enum status slots_choose_entry(struct db *db, int64_t format, const struct slots_entry *entry,
                               bool *chosen, struct error *err) {
    static const char sql[] = CHOOSE "WHERE format = ?1 AND checksum = ?2 AND slot = ?3"
                                     " AND key IS NOT NULL";
    ASSERT(db->depth > 0);
    TRY(sql_run(db, sql, (struct sql_parameters){format, entry->checksum, entry->slot}, err));
    *chosen = sqlite3_changes(db->handle) > 0;
    return STATUS_OK;
}

enum status slots_choose_from(struct db *db, int64_t format, uint64_t first, struct error *err) {
    static const char sql[] = CHOOSE "WHERE format = ?1 AND slot >= ?3 AND key IS NOT NULL";
    ASSERT(db->depth > 0);
    return sql_run(db, sql, (struct sql_parameters){format, NO_KEY, (int64_t)first}, err);
}

enum status slots_choose_all(struct db *db, struct error *err) {
    static const char sql[] = CHOOSE "WHERE key IS NOT NULL";
    ASSERT(db->depth > 0);
    return sql_run(db, sql, (struct sql_parameters){0}, err);
}

enum status slots_choose_free(struct db *db, int64_t format, struct error *err) {
    static const char sql[] = CHOOSE "WHERE format = ?1 AND key IS NULL";
    ASSERT(db->depth > 0);
    return sql_run(db, sql, (struct sql_parameters){.first = format}, err);
}

enum status slots_choose_unneeded(struct db *db, struct error *err) {
    static const char sql[] =
        CHOOSE "WHERE key IS NULL OR (format, slot) NOT IN (SELECT format, slot FROM kv_path)";
    ASSERT(db->depth > 0);
    return sql_run(db, sql, (struct sql_parameters){0}, err);
}

// The parent of a state is the block of another format that has its key; the parent of any other
// block is in its own format.
enum status slots_choose_lost(struct db *db, struct error *err) {
    static const char blocks[] =
        CHOOSE "AS s WHERE s.parent <> s.key AND NOT EXISTS"
               " (SELECT 1 FROM kv_slot p WHERE p.format = s.format AND p.key = s.parent)";
    static const char states[] =
        CHOOSE "AS s WHERE s.parent = s.key AND NOT EXISTS"
               " (SELECT 1 FROM kv_slot p WHERE p.format IN (SELECT id FROM kv_format"
               " WHERE id <> s.format) AND p.key = s.key AND p.parent IS NOT p.key)";
    ASSERT(db->depth > 0);
    TRY(sql_run(db, blocks, (struct sql_parameters){0}, err));
    TRY(sql_run(db, states, (struct sql_parameters){0}, err));
    return slots_choose_below(db, err);
}

// `child` is the same table, with an index on the parent that SQLite builds just for this
// statement; a permanent index would be written with every block.
enum status slots_choose_below(struct db *db, struct error *err) {
    static const char above[] =
        "SELECT EXISTS (SELECT 1 FROM temp.chosen c CROSS JOIN kv_slot s ON s.format = c.format"
        " AND s.slot = c.slot WHERE s.children > 0)";
    static const char below[] =
        "INSERT OR IGNORE INTO temp.chosen WITH RECURSIVE child AS MATERIALIZED ("
        " SELECT format, slot, key, parent FROM kv_slot WHERE parent IS NOT NULL),"
        " below(format, slot, key) AS (SELECT format, slot, key FROM temp.chosen"
        " UNION SELECT c.format, c.slot, c.key FROM below b CROSS JOIN child c"
        " ON c.parent = b.key AND (c.format = b.format) = (c.parent <> c.key))"
        " SELECT format, slot, key FROM below";
    int64_t found;
    ASSERT(db->depth > 0);
    TRY(sql_integer(db, above, (struct sql_parameters){0}, &found, err));
    return found ? sql_run(db, below, (struct sql_parameters){0}, err) : STATUS_OK;
}

enum status slots_count_chosen(struct db *db, uint64_t *count, struct error *err) {
    static const char sql[] = "SELECT count(*) FROM temp.chosen";
    int64_t found;
    TRY(sql_integer(db, sql, (struct sql_parameters){0}, &found, err));
    *count = (uint64_t)found;
    return STATUS_OK;
}

enum status slots_walk_chosen(struct db *db, int64_t format, slots_each_chosen *each, void *user,
                              struct error *err) {
    static const char sql[] = "SELECT c.slot, c.key, s.key IS NULL FROM temp.chosen c"
                              " JOIN kv_slot s ON s.format = c.format AND s.slot = c.slot"
                              " WHERE c.format = ?1 ORDER BY c.slot";
    struct statement statement;
    bool more;
    TRY(sql_start(db, sql, (struct sql_parameters){.first = format}, &statement, err));
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

// ---- freeing one

struct leaf {
    int64_t format, slot, stride, used, leaf_of;
    struct hash128 key, parent;
};

static enum status read_leaf(struct statement *statement, void *item, struct error *err) {
    struct leaf *leaf = item;
    leaf->format = statement_integer(statement, 0, 1, INT64_MAX);
    leaf->slot = statement_integer(statement, 1, 0, INT32_MAX);
    leaf->key = statement_digest(statement, 2);
    leaf->parent = statement_digest(statement, 3);
    leaf->used = statement_integer(statement, 4, INT64_MIN, INT64_MAX);
    leaf->leaf_of = statement_integer(statement, 5, 0, INT64_MAX);
    leaf->stride = statement_integer(statement, 6, 1, INT64_MAX);
    return statement_sound(statement, "slot", leaf->slot, err);
}

#define STRIDE "(f.payload_bytes + 4095) / 4096 * 4096"
_Static_assert(SLOT_ALIGNMENT == 4096, "the stride, as statements compute it");

static bool is_state(const struct leaf *leaf) { return hash_equal(leaf->key, leaf->parent); }

// The nearest ancestor that has a state, for conversations that lose theirs; zero: none.
static enum status find_state_above(struct db *db, const struct leaf *leaf, struct hash128 *above,
                                    struct error *err) {
    static const char sql[] =
        "WITH RECURSIVE up(format, key, parent) AS ("
        " SELECT format, key, parent FROM kv_slot WHERE key = ?2 AND parent IS NOT key"
        " AND format IN (SELECT id FROM kv_format WHERE id <> ?1)"
        " UNION ALL SELECT s.format, s.key, s.parent FROM up u"
        " CROSS JOIN kv_slot s ON s.format = u.format AND s.key = u.parent)"
        " SELECT s.key FROM up u CROSS JOIN kv_slot s ON s.format = ?1 AND s.key = u.key"
        " WHERE u.key <> ?2 LIMIT 1";
    struct statement statement;
    bool found = false;
    *above = NO_KEY;
    TRY(sql_start(db, sql, (struct sql_parameters){leaf->format, leaf->key, 0}, &statement, err));
    const enum status status = statement_step(&statement, &found, err);
    if (status == STATUS_OK && found) *above = statement_digest(&statement, 0);
    statement_finish(&statement);
    return status;
}

// Conversations that referenced the leaf now reference the block above it.
static enum status move_references(struct db *db, const struct leaf *leaf, struct hash128 above,
                                   struct error *err) {
    static const char forget[] = "DELETE FROM kv_reference WHERE format = ?1 AND leaf = ?2";
    static const char move[] = "UPDATE kv_reference SET leaf = ?1 WHERE format = ?2 AND leaf = ?3";
    static const char count[] = "UPDATE kv_slot SET leaf_of = leaf_of + ?1, used = max(used, ?2)"
                                " WHERE format = ?3 AND key = ?4";
    struct statement statement;
    if (leaf->leaf_of == 0) return STATUS_OK;
    if (hash_equal(above, NO_KEY))
        return sql_run(db, forget, (struct sql_parameters){leaf->format, leaf->key, 0}, err);
    TRY(statement_start(db, move, &statement, err));
    statement_bind_digest(&statement, 1, above);
    statement_bind_integer(&statement, 2, leaf->format);
    statement_bind_digest(&statement, 3, leaf->key);
    TRY(statement_run(&statement, err));
    TRY(statement_start(db, count, &statement, err));
    statement_bind_integer(&statement, 1, leaf->leaf_of);
    statement_bind_integer(&statement, 2, leaf->used);
    statement_bind_integer(&statement, 3, leaf->format);
    statement_bind_digest(&statement, 4, above);
    return statement_run(&statement, err);
}

static enum status leave_parent(struct db *db, const struct leaf *leaf, struct error *err) {
    static const char block[] = "UPDATE kv_slot SET children = children - 1, used = max(used, ?3)"
                                " WHERE format = ?1 AND key = ?2";
    static const char state[] =
        "UPDATE kv_slot SET children = children - 1 WHERE key = ?2 AND parent IS NOT key"
        " AND format IN (SELECT id FROM kv_format WHERE id <> ?1)";
    if (hash_equal(leaf->parent, NO_KEY)) return STATUS_OK;
    return sql_run(db, is_state(leaf) ? state : block,
                   (struct sql_parameters){leaf->format, leaf->parent, leaf->used}, err);
}

static enum status free_leaf(struct db *db, const struct leaf *leaf, struct error *err) {
    static const char sql[] =
        "UPDATE kv_slot SET key = NULL, parent = NULL, position = NULL, ids = NULL,"
        " checksum = NULL, used = NULL, children = 0, leaf_of = 0 WHERE format = ?1 AND slot = ?3";
    struct hash128 above = leaf->parent;
    if (is_state(leaf) && leaf->leaf_of > 0) TRY(find_state_above(db, leaf, &above, err));
    TRY(move_references(db, leaf, above, err));
    TRY(leave_parent(db, leaf, err));
    return sql_run(db, sql, (struct sql_parameters){leaf->format, NO_KEY, leaf->slot}, err);
}

#define LEAF \
    "SELECT s.format, s.slot, s.key, s.parent, s.used, s.leaf_of, " STRIDE " FROM kv_slot s"

// Reads the first row of a started statement. NOT_FOUND: no row.
static enum status find_leaf(struct statement *statement, struct leaf *leaf, struct error *err) {
    bool found = false;
    enum status status = statement_step(statement, &found, err);
    if (status == STATUS_OK && found) status = read_leaf(statement, leaf, err);
    statement_finish(statement);
    return status == STATUS_OK && !found ? STATUS_NOT_FOUND : status;
}

// ---- freeing all chosen slots

struct place {
    int64_t format, slot;
};

static enum status read_place(struct statement *statement, void *item, struct error *err) {
    struct place *place = item;
    place->format = statement_integer(statement, 0, 1, INT64_MAX);
    place->slot = statement_integer(statement, 1, 0, INT32_MAX);
    return statement_sound(statement, "slot", place->slot, err);
}

// Its children are freed already, and left it their references and time of use.
static enum status free_place(struct db *db, const struct place *place, struct error *err) {
    static const char sql[] = LEAF " JOIN kv_format f ON f.id = s.format"
                                   " WHERE s.format = ?1 AND s.slot = ?3 AND s.key IS NOT NULL";
    struct statement statement;
    struct leaf leaf = {0};
    TRY(sql_start(db, sql, (struct sql_parameters){place->format, NO_KEY, place->slot}, &statement,
                  err));
    const enum status status = find_leaf(&statement, &leaf, err);
    if (status == STATUS_NOT_FOUND) return STATUS_OK;
    return status == STATUS_OK ? free_leaf(db, &leaf, err) : status;
}

// Children before parents, and states before their blocks.
enum status slots_free_chosen(struct db *db, struct error *err) {
    static const char sql[] =
        "SELECT s.format, s.slot FROM temp.chosen c"
        " CROSS JOIN kv_slot s ON s.format = c.format AND s.slot = c.slot"
        " WHERE s.key IS NOT NULL ORDER BY s.position DESC, s.parent IS s.key DESC";
    struct statement statement;
    struct rows rows = {.item_bytes = sizeof(struct place)};
    ASSERT(db->depth > 0);
    TRY(slots_choose_below(db, err));
    TRY(statement_start(db, sql, &statement, err));
    TRY(statement_rows(&statement, read_place, &rows, err));
    const struct place *places = rows.items;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < rows.count && status == STATUS_OK; i++)
        status = free_place(db, &places[i], err);
    free(rows.items);
    return status;
}

enum status slots_free_all(struct db *db, struct error *err) {
    static const char sql[] =
        "UPDATE kv_slot SET key = NULL, parent = NULL, position = NULL, ids = NULL,"
        " checksum = NULL, used = NULL, children = 0, leaf_of = 0 WHERE key IS NOT NULL";
    static const char references[] = "DELETE FROM kv_reference";
    ASSERT(db->depth > 0);
    TRY(slots_choose_all(db, err));
    TRY(sql_run(db, references, (struct sql_parameters){0}, err));
    return sql_run(db, sql, (struct sql_parameters){0}, err);
}

// ---- eviction

// Spares keys from every eviction, or only from blocks that are as deep or deeper.
static enum status keep(struct db *db, const char *sql, int64_t format, struct hash128 key,
                        struct error *err) {
    ASSERT(db->depth > 0);
    if (hash_equal(key, NO_KEY)) return STATUS_OK;
    return sql_run(db, sql, (struct sql_parameters){format, key, 0}, err);
}

// Walks up from `key`, to find the first block that is a conversation's leaf, whose leaves in other
// formats belong to the same path, and the first block that has a state.
#define UP                                                                                         \
    "INSERT OR IGNORE INTO temp.kept(key, deeper) WITH RECURSIVE up(key, parent, leaf_of, far) AS" \
    " (SELECT key, parent, leaf_of, 0 FROM kv_slot WHERE format = ?1 AND key = ?2"                 \
    " UNION ALL SELECT s.key, s.parent, s.leaf_of, u.far + 1 FROM up u CROSS JOIN kv_slot s"       \
    " ON s.format = ?1 AND s.key = u.parent WHERE s.parent IS NOT s.key AND u.far < 512)"

enum status slots_keep(struct db *db, int64_t format, const struct disk_block *block,
                       struct error *err) {
    static const char itself[] = "INSERT OR REPLACE INTO temp.kept(key, deeper) VALUES(?2, 0)";
    static const char conversations[] =
        UP " SELECT other.leaf, 1 FROM kv_reference one CROSS JOIN kv_reference other"
           " ON other.conversation = one.conversation WHERE one.format = ?1"
           " AND one.leaf = (SELECT key FROM up WHERE leaf_of > 0 ORDER BY far LIMIT 1)";
    static const char states[] =
        UP " SELECT u.key, 0 FROM up u WHERE EXISTS (SELECT 1 FROM kv_slot s"
           " WHERE s.format IN (SELECT id FROM kv_format) AND s.key = u.key"
           " AND s.parent = s.key) ORDER BY u.far LIMIT 1";
    TRY(keep(db, itself, format, block->key, err));
    TRY(keep(db, itself, format, block->parent, err));
    if (hash_equal(block->parent, block->key)) return STATUS_OK;
    TRY(keep(db, states, format, block->parent, err));
    return keep(db, conversations, format, block->parent, err);
}

static enum status choose_and_free(struct db *db, const struct leaf *leaf, struct error *err) {
    static const char sql[] = "INSERT OR REPLACE INTO temp.chosen(format, slot, key)"
                              " VALUES(?1, ?2, ?3)";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, leaf->format);
    statement_bind_integer(&statement, 2, leaf->slot);
    statement_bind_digest(&statement, 3, leaf->key);
    TRY(statement_run(&statement, err));
    return free_leaf(db, leaf, err);
}

static enum status free_first(struct db *db, struct statement *statement, uint64_t *bytes,
                              struct error *err) {
    struct leaf leaf = {0};
    TRY(find_leaf(statement, &leaf, err));
    TRY(choose_and_free(db, &leaf, err));
    *bytes = (uint64_t)leaf.stride;
    return STATUS_OK;
}

#define LEAST                                                             \
    LEAF " INDEXED BY kv_least CROSS JOIN kv_format f ON f.id = s.format" \
         " WHERE s.children = 0 AND s.key IS NOT NULL"
#define ORDER " ORDER BY min(s.leaf_of, 2), s.used, s.position DESC LIMIT 1"

enum status slots_evict(struct db *db, uint64_t *bytes, struct error *err) {
    static const char sql[] = LEAST ORDER;
    struct statement statement;
    ASSERT(db->depth > 0);
    TRY(statement_start(db, sql, &statement, err));
    return free_first(db, &statement, bytes, err);
}

// A conversation's new state replaces the one before it, unless others also begin with that one.
static enum status evict_state_above(struct db *db, int64_t format, const struct disk_block *state,
                                     uint64_t *bytes, struct error *err) {
    static const char sql[] = LEAF " JOIN kv_format f ON f.id = s.format"
                                   " WHERE s.format = ?1 AND s.key = ?2 AND s.leaf_of < 2";
    const struct leaf leaf = {.format = format, .key = state->key, .parent = state->key};
    struct statement statement;
    struct hash128 above;
    TRY(find_state_above(db, &leaf, &above, err));
    if (hash_equal(above, NO_KEY)) return STATUS_NOT_FOUND;
    TRY(sql_start(db, sql, (struct sql_parameters){format, above, 0}, &statement, err));
    return free_first(db, &statement, bytes, err);
}

// Recent blocks of another format of the same model may belong to the same conversation, which is
// not referenced yet. The formats are only useful together and to the same depth, so those blocks
// are evicted last, and only deeper ones. An unreferenced partial tail is no longer useful.
#define FOR_BLOCK                                                                         \
    LEAST " AND (s.format = ?1 OR s.used < ?2 OR f.model <> (SELECT model FROM kv_format" \
          " WHERE id = ?1) OR (s.leaf_of = 0 AND length(s.ids) / 4 < f.block_size)"
#define UNKEPT                                    \
    ") AND NOT EXISTS (SELECT 1 FROM temp.kept k" \
    " WHERE k.key = s.key AND (NOT k.deeper OR s.position <= ?3))" ORDER

enum status slots_evict_for(struct db *db, int64_t format, const struct disk_block *block,
                            uint64_t *bytes, struct error *err) {
    enum { JUST_NOW_S = 120 };
    static const char others[] = FOR_BLOCK UNKEPT;
    static const char deeper[] = FOR_BLOCK " OR s.position > ?3" UNKEPT;
    static const char *const all[] = {others, deeper};
    ASSERT(db->depth > 0);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct statement statement;
        TRY(statement_start(db, all[i], &statement, err));
        statement_bind_integer(&statement, 1, format);
        statement_bind_integer(&statement, 2, slots_now() - JUST_NOW_S);
        statement_bind_integer(&statement, 3, block->position);
        const enum status status = free_first(db, &statement, bytes, err);
        if (status != STATUS_NOT_FOUND) return status;
    }
    if (!hash_equal(block->key, block->parent)) return STATUS_NOT_FOUND;
    return evict_state_above(db, format, block, bytes, err);
}

enum status slots_evict_oversized(struct db *db, uint64_t limit_bytes, uint64_t *bytes,
                                  struct error *err) {
    static const char sql[] =
        LEAF " JOIN kv_format f ON f.id = s.format JOIN kv_slot b ON b.key = s.key"
             " AND b.format IN (SELECT id FROM kv_format) AND b.parent IS NOT b.key"
             " JOIN kv_format g ON g.id = b.format WHERE s.parent = s.key"
             " AND (b.position / g.block_size + 1) * ((g.payload_bytes + 4095) / 4096 * 4096)"
             " + (f.payload_bytes + 4095) / 4096 * 4096 > ?1 ORDER BY s.position DESC LIMIT 1";
    struct statement statement;
    ASSERT(db->depth > 0);
    TRY(sql_start(db, sql, (struct sql_parameters){.first = (int64_t)limit_bytes}, &statement,
                  err));
    return free_first(db, &statement, bytes, err);
}
