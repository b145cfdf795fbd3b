#include "store/deletion.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "store/conversation_id.h"
#include "store/conversation_row.h"
#include "store/statement.h"

// The messages to delete with conversation ?1, whose tip is ?2 (NULL: none): the part of its path
// that no other conversation in the same trees reaches, the trees that no other conversation has
// been in, and everything below those.
#define DOOMED                                                                                 \
    "WITH RECURSIVE"                                                                           \
    " others(id) AS (SELECT DISTINCT theirs.conversation FROM conversation_root ours"          \
    "  JOIN conversation_root theirs ON theirs.root = ours.root"                               \
    "  WHERE ours.conversation = ?1 AND theirs.conversation <> ?1),"                           \
    " reached(id) AS (SELECT c.tip FROM others JOIN conversation c ON c.id = others.id"        \
    "  WHERE c.tip IS NOT NULL"                                                                \
    "  UNION SELECT m.parent FROM reached JOIN message m ON m.id = reached.id"                 \
    "  WHERE m.parent IS NOT NULL),"                                                           \
    " path(id) AS (SELECT ?2 UNION SELECT m.parent FROM path JOIN message m ON m.id = path.id" \
    "  WHERE m.parent IS NOT NULL),"                                                           \
    " doomed(id) AS (SELECT id FROM path WHERE id NOT IN (SELECT id FROM reached)"             \
    "  UNION SELECT root FROM conversation_root ours WHERE conversation = ?1 AND NOT EXISTS"   \
    "   (SELECT 1 FROM conversation_root theirs WHERE theirs.root = ours.root"                 \
    "    AND theirs.conversation <> ?1)"                                                       \
    "  UNION SELECT m.id FROM doomed JOIN message m ON m.parent = doomed.id) "

// Runs a statement whose only parameters are the conversation and a message.
static enum status run_statement(struct db *db, const char *sql, int64_t number, int64_t tip,
                                 struct error *err) {
    struct statement statement;
    ASSERT(db->depth > 0 && number != 0);
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number);
    if (tip != MESSAGE_NONE) statement_bind_integer(&statement, 2, tip);
    return statement_run(&statement, err);
}

static enum status push_said(struct deletion *deletion, const char *text, size_t length) {
    if (!array_reserve(&deletion->said, deletion->said_count, &deletion->said_capacity,
                       sizeof deletion->said[0]))
        return STATUS_NO_MEMORY;
    char *copy = strndup(text, length);
    if (!copy) return STATUS_NO_MEMORY;
    deletion->said[deletion->said_count++] = copy;
    return STATUS_OK;
}

static enum status collect_said(struct db *db, int64_t number, int64_t tip,
                                struct deletion *deletion, struct error *err) {
    static const char sql[] = DOOMED "SELECT substr(CAST(b.text AS BLOB), 1 + b.said) FROM doomed"
                                     " CROSS JOIN message_body b ON b.id = doomed.id";
    struct statement statement;
    bool row = true;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number);
    if (tip != MESSAGE_NONE) statement_bind_integer(&statement, 2, tip);
    enum status status = statement_step(&statement, &row, err);
    while (status == STATUS_OK && row) {
        size_t length;
        const char *text = statement_blob(&statement, 0, &length);
        status = push_said(deletion, text, length);
        if (status == STATUS_OK) status = statement_step(&statement, &row, err);
    }
    statement_finish(&statement);
    return status;
}

// Its forks become forks of its own origin, or of nothing. `deletion` may be NULL.
static enum status delete_one(struct db *db, const char *id, struct deletion *deletion,
                              struct error *err) {
    static const char adopt[] =
        "UPDATE conversation SET forked_from = (SELECT forked_from FROM conversation WHERE id = ?1)"
        " WHERE forked_from = ?1";
    static const char leave[] = "UPDATE conversation SET tip = NULL WHERE id = ?1";
    static const char messages[] = DOOMED "DELETE FROM message WHERE id IN (SELECT id FROM doomed)";
    static const char forget[] = "DELETE FROM conversation WHERE id = ?1";
    struct conversation doomed;
    TRY(conversation_find(db, id, &doomed, err));
    const int64_t number = conversation_id_read(doomed.id);
    TRY(run_statement(db, adopt, number, MESSAGE_NONE, err));
    TRY(run_statement(db, leave, number, MESSAGE_NONE, err));
    if (deletion) TRY(collect_said(db, number, doomed.tip, deletion, err));
    TRY(run_statement(db, messages, number, doomed.tip, err));
    return run_statement(db, forget, number, MESSAGE_NONE, err);
}

static enum status end_transaction(struct db *db, enum status status, struct error *err) {
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}

enum status conversation_delete(struct db *db, const char *id, struct error *err) {
    TRY(db_begin(db, err));
    return end_transaction(db, delete_one(db, id, NULL, err), err);
}

// ---- a family

static enum status read_conversation_row(struct statement *statement, void *item,
                                         struct error *err) {
    return conversation_read(statement, item, err);
}

static enum status load_conversations(struct db *db, const char *sql, int64_t number,
                                      struct conversation **conversations, size_t *count,
                                      struct error *err) {
    struct statement statement;
    struct rows rows = {.item_bytes = sizeof **conversations};
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number);
    TRY(statement_rows(&statement, read_conversation_row, &rows, err));
    *conversations = rows.items;
    *count = rows.count;
    return STATUS_OK;
}

#define FAMILY                                                                        \
    "WITH RECURSIVE family(id) AS (SELECT ?1"                                         \
    " UNION SELECT theirs.conversation FROM family"                                   \
    "  JOIN conversation_root ours ON ours.conversation = family.id"                  \
    "  JOIN conversation_root theirs ON theirs.root = ours.root"                      \
    " UNION SELECT c.id FROM family JOIN conversation c ON c.forked_from = family.id" \
    " UNION SELECT c.forked_from FROM family JOIN conversation c ON c.id = family.id" \
    "  WHERE c.forked_from IS NOT NULL)"                                              \
    " SELECT " CONVERSATION_COLUMNS " FROM conversation c WHERE c.id IN (SELECT id FROM family)"

enum status deletion_plan(struct db *db, const char *id, bool family, struct deletion *result,
                          struct error *err) {
    static const char all[] = FAMILY " ORDER BY c.used DESC";
    static const char one[] = "SELECT " CONVERSATION_COLUMNS " FROM conversation c WHERE c.id = ?1";
    static const char others[] =
        FAMILY " AND c.id <> ?1 AND EXISTS (SELECT 1 FROM conversation_root r"
               " WHERE r.conversation = c.id) ORDER BY c.used DESC";
    struct deletion plan = {0};
    struct conversation found;
    TRY(conversation_find(db, id, &found, err));
    const int64_t number = conversation_id_read(found.id);
    enum status status =
        load_conversations(db, family ? all : one, number, &plan.gone, &plan.gone_count, err);
    if (status == STATUS_OK && !family)
        status = load_conversations(db, others, number, &plan.kept, &plan.kept_count, err);
    if (status == STATUS_OK)
        *result = plan;
    else
        deletion_deinit(&plan);
    return status;
}

enum status deletion_run(struct db *db, struct deletion *deletion, struct error *err) {
    TRY(db_begin(db, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < deletion->gone_count && status == STATUS_OK; i++)
        status = delete_one(db, deletion->gone[i].id, deletion, err);
    return end_transaction(db, status, err);
}

// The index keeps deleted words until the segments that contain them are merged.
enum status deletion_erase(struct db *db, struct error *err) {
    static const char optimize[] = "INSERT INTO message_search(message_search) VALUES('optimize')";
    struct statement statement;
    ASSERT(db->depth == 0);
    TRY(statement_start(db, optimize, &statement, err));
    TRY(statement_run(&statement, err));
    int code = sqlite3_exec(db->handle, "VACUUM", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return code == SQLITE_OK ? STATUS_OK : db_failure(db, code, err);
}

enum status deletion_left_word(struct db *db, const char *word, size_t length, bool *left,
                               struct error *err) {
    static const char sql[] = "SELECT 1 FROM message_search WHERE text MATCH ?1 LIMIT 1";
    struct text match = {0};
    struct statement statement;
    int64_t found;
    enum status status = text_append(&match, "\"", 1);
    for (size_t i = 0; i < length && status == STATUS_OK; i++)
        status = text_append(&match, word[i] == '"' ? "\"\"" : &word[i], word[i] == '"' ? 2 : 1);
    if (status == STATUS_OK) status = text_append(&match, "\"", 1);
    if (status == STATUS_OK) status = statement_start(db, sql, &statement, err);
    if (status == STATUS_OK) {
        statement_bind_text(&statement, 1, match.bytes, match.length);
        status = statement_first_integer(&statement, &found, err);
    }
    text_deinit(&match);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) return status;
    *left = status == STATUS_OK;
    return STATUS_OK;
}

void deletion_deinit(struct deletion *deletion) {
    for (size_t i = 0; i < deletion->said_count; i++)
        free(deletion->said[i]);
    free(deletion->said);
    free(deletion->gone);
    free(deletion->kept);
    *deletion = (struct deletion){0};
}
