#include "store/family.h"

#include "kernels/base/assert.h"
#include "store/conversation_id.h"
#include "store/conversation_row.h"
#include "store/preview.h"
#include "store/statement.h"

static enum status read_message(struct statement *statement, void *item, struct error *err) {
    struct family_message *message = item;
    size_t length;
    message->id = statement_integer(statement, 0, 1, INT64_MAX);
    message->parent = statement_id(statement, 1, INT64_MAX);
    message->role = (enum message_role)statement_integer(statement, 2, 0, MESSAGE_ASSISTANT);
    message->stop = (enum message_stop)statement_integer(statement, 3, 0, STOP_CONTEXT);
    message->created_ms = statement_integer(statement, 4, INT64_MIN, INT64_MAX);
    const char *text = statement_blob(statement, 5, &length);
    preview_make(text, length, message->preview, sizeof message->preview);
    return statement_sound(statement, "message", message->id, err);
}

static enum status read_conversation(struct statement *statement, void *item, struct error *err) {
    return conversation_read(statement, item, err);
}

static int64_t number_of(const char *id) {
    const int64_t number = conversation_id_read(id);
    ASSERT(number != 0);
    return number;
}

static int64_t bounded(size_t limit) { return limit < INT64_MAX ? (int64_t)limit : INT64_MAX; }

// A reply is newer than its parent, so the walk ends however damaged the rows are.
enum status family_messages(struct db *db, const char *id, size_t limit,
                            struct family_message **messages, size_t *count, struct error *err) {
    static const char sql[] =
        "WITH RECURSIVE family(id) AS (SELECT root FROM conversation_root WHERE conversation = ?1"
        " UNION ALL SELECT m.id FROM family JOIN message m ON m.parent = family.id"
        "  AND m.id > family.id ORDER BY 1 LIMIT ?2)"
        "SELECT m.id, m.parent, m.role, m.stop, m.created_ms, substr(CAST(b.text AS BLOB), 1 + "
        "b.said, " PREVIEW_READS ")"
        " AS text FROM family CROSS JOIN message m ON m.id = family.id"
        " LEFT JOIN message_body b ON b.id = m.id ORDER BY m.id";
    struct statement statement;
    struct rows rows = {.item_bytes = sizeof(struct family_message)};
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number_of(id));
    statement_bind_integer(&statement, 2, bounded(limit));
    TRY(statement_rows(&statement, read_message, &rows, err));
    *messages = rows.items;
    *count = rows.count;
    return STATUS_OK;
}

enum status family_conversations(struct db *db, const char *id, size_t limit,
                                 struct conversation **conversations, size_t *count,
                                 struct error *err) {
    static const char sql[] =
        "SELECT " CONVERSATION_COLUMNS " FROM conversation c JOIN message m ON m.id = c.tip"
        " WHERE c.id IN (SELECT theirs.conversation FROM conversation_root ours"
        "  JOIN conversation_root theirs ON theirs.root = ours.root WHERE ours.conversation = ?1)"
        " AND m.root IN (SELECT root FROM conversation_root WHERE conversation = ?1)"
        " ORDER BY c.created_ms, c.id LIMIT ?2";
    struct statement statement;
    struct rows rows = {.item_bytes = sizeof(struct conversation)};
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number_of(id));
    statement_bind_integer(&statement, 2, bounded(limit));
    TRY(statement_rows(&statement, read_conversation, &rows, err));
    *conversations = rows.items;
    *count = rows.count;
    return STATUS_OK;
}

// Messages do not record their conversation. On another conversation's path, the messages below its
// fork point are its own. A fork has said nothing before it was created, but it includes everything
// above its fork point.
enum status family_newest_below(struct db *db, const char *id, int64_t message, int64_t *newest,
                                struct error *err) {
    static const char sql[] =
        "WITH RECURSIVE me AS (SELECT forked_from, coalesce(forked_at, 0) AS forked_at, created_ms"
        "  FROM conversation WHERE id = ?1),"
        " theirs(id, least) AS (SELECT c.tip, iif(c.forked_from IS NULL AND c.forked_at IS NULL,"
        "  (SELECT forked_at FROM me), coalesce(c.forked_at, 0)) AS least FROM conversation c"
        "  WHERE c.id <> ?1 AND c.tip IS NOT NULL AND c.id IN (SELECT t.conversation"
        "   FROM conversation_root o JOIN conversation_root t ON t.root = o.root"
        "   WHERE o.conversation = ?1)"
        "  UNION SELECT m.parent, least FROM theirs JOIN message m ON m.id = theirs.id"
        "   WHERE theirs.id > least AND m.parent IS NOT NULL),"
        " inherited(id) AS (SELECT forked_at FROM me UNION SELECT m.parent FROM inherited i"
        "  JOIN message m ON m.id = i.id WHERE m.parent IS NOT NULL),"
        " own(id, parent) AS (SELECT m.id, m.parent FROM message m CROSS JOIN me"
        "  WHERE (m.parent = ?2 OR (?2 IS NULL AND m.id IN (SELECT root FROM conversation_root"
        "   WHERE conversation = ?1)))"
        "  AND m.id NOT IN (SELECT id FROM theirs WHERE id > least) AND (me.forked_from IS NULL"
        "   OR m.created_ms >= me.created_ms OR m.id IN (SELECT id FROM inherited))"
        "  UNION SELECT m.id, m.parent FROM own JOIN message m ON m.parent = own.id CROSS JOIN me"
        "  WHERE m.id NOT IN (SELECT id FROM theirs WHERE id > least) AND (me.forked_from IS NULL"
        "   OR m.created_ms >= me.created_ms OR m.id IN (SELECT id FROM inherited)))"
        "SELECT max(id) FROM own HAVING max(id) IS NOT NULL";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number_of(id));
    statement_bind_id(&statement, 2, message);
    return statement_first_integer(&statement, newest, err);
}

enum status family_count_preambles(struct db *db, const char *head, size_t length, int64_t *count,
                                   struct error *err) {
    static const char sql[] =
        "SELECT count(*) FROM conversation c CROSS JOIN message m ON m.id = c.tip"
        " CROSS JOIN message r ON r.id = m.root AND r.role = 0"
        " CROSS JOIN message_body b ON b.id = r.id AND b.text = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_text(&statement, 1, head, length);
    return statement_first_integer(&statement, count, err);
}
