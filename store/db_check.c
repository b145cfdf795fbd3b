// store/db_check.c — db_check(): SQLite's own checks, then the rules that the schema has beyond
// them.
#include <string.h>

#include "store/db.h"
#include "store/statement.h"
#include "store/tokens.h"

// Each selects the id of a row that breaks it, or nothing.
static const struct rule {
    const char *what;
    const char *sql;
} RULES[] = {
    {"a message contradicts its parent",
     "SELECT m.id FROM message m LEFT JOIN message p ON p.id = m.parent WHERE"
     " m.root IS NOT coalesce(p.root, m.id) OR m.depth IS NOT coalesce(p.depth, 0) + 1"
     " OR m.turns IS NOT coalesce(p.turns, 0) + (m.role = 1)"
     " OR m.opening IS NOT coalesce(p.opening, CASE m.role WHEN 1 THEN m.id END)"
     " OR coalesce(m.parent, 0) >= m.id LIMIT 1"},
    {"a message has an unknown role or stop",
     "SELECT id FROM message WHERE typeof(role) <> 'integer' OR role NOT BETWEEN 0 AND 2"
     " OR typeof(stop) <> 'integer' OR stop NOT BETWEEN 0 AND 5 LIMIT 1"},
    {"a message has no text", "SELECT m.id FROM message m LEFT JOIN message_body b ON b.id = m.id"
                              " WHERE typeof(b.text) <> 'text' LIMIT 1"},
    {"the token count of a message is wrong",
     "SELECT message FROM message_tokens WHERE typeof(ids) <> 'blob'"
     " OR length(ids) IS NOT 4 * count LIMIT 1"},
    {"the token total of a message is wrong",
     "SELECT t.message FROM message_tokens t JOIN message m ON m.id = t.message"
     " LEFT JOIN message_tokens p ON p.message = m.parent AND p.model = t.model"
     " WHERE CASE WHEN " TOKENS_ARE_CUT(
         "t.ids") " THEN t.total < t.count - 1"
                  " ELSE t.total IS NOT t.count + coalesce(p.total, 0) END LIMIT 1"},
    {"a conversation is not listed in its tree",
     "SELECT c.id FROM conversation c JOIN message m ON m.id = c.tip WHERE NOT EXISTS"
     " (SELECT 1 FROM conversation_root r WHERE r.conversation = c.id AND r.root = m.root)"
     " LIMIT 1"},
    {"the id of a conversation is out of range",
     "SELECT id FROM conversation WHERE id NOT BETWEEN 1 AND 4294967295 LIMIT 1"},
    {"a row refers to a missing row", "SELECT rowid FROM pragma_foreign_key_check LIMIT 1"},
};

enum { RULE_COUNT = sizeof RULES / sizeof RULES[0] };

static enum status check_pages(struct db *db, struct error *err) {
    static const char sql[] = "PRAGMA integrity_check(1)";
    struct statement statement;
    bool row = false;
    size_t length = 0;
    TRY(statement_start(db, sql, &statement, err));
    enum status status = statement_step(&statement, &row, err);
    if (status == STATUS_OK) {
        const char *found = row ? statement_text(&statement, 0, &length) : "";
        status = statement_sound(&statement, "check", 0, err);
        if (status == STATUS_OK && strcmp(found, "ok") != 0)
            status = error_set(err, STATUS_BAD_FILE, "%s is damaged: %s", db->path, found);
    }
    statement_finish(&statement);
    return status;
}

static enum status check_rule(struct db *db, const struct rule *rule, struct error *err) {
    struct statement statement;
    int64_t id = 0;
    TRY(statement_start(db, rule->sql, &statement, err));
    const enum status status = statement_first_integer(&statement, &id, err);
    if (status == STATUS_NOT_FOUND) return STATUS_OK;
    if (status != STATUS_OK) return status;
    return error_set(err, STATUS_BAD_FILE, "%s is damaged: %s (%lld)", db->path, rule->what,
                     (long long)id);
}

// The command compares every token of the index with the texts.
static enum status check_search(struct db *db, struct error *err) {
    static const char sql[] = "INSERT INTO message_search(message_search, rank)"
                              " VALUES('integrity-check', 1)";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    return statement_run(&statement, err);
}

enum status db_check(struct db *db, struct error *err) {
    TRY(check_pages(db, err));
    for (int i = 0; i < RULE_COUNT; i++)
        TRY(check_rule(db, &RULES[i], err));
    return check_search(db, err);
}
