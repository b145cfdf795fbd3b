#include "store/message.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "store/statement.h"
#include "store/tokens.h"

// The position of a new message in its tree, from its parent's row.
struct place {
    int64_t root, depth, turns, opening; // root and opening are 0 until it has an id
};

enum {
    DEPTH_MOST = INT32_MAX,
    STATS_FIRST_PARAMETER = 2,
};

// The columns that read_message() reads, in its order.
#define MESSAGE_COLUMNS                                                               \
    "m.id, m.parent, m.role, m.stop, m.created_ms, b.prompt_tokens, b.cached_tokens," \
    " b.output_tokens, b.first_token_us, b.prefill_us, b.decode_us, b.text, b.said"

static enum status check_text(const struct message *message, struct error *err) {
    size_t bad;
    if (message->length > INT32_MAX)
        return error_set(err, STATUS_BAD_INPUT, "the message is too long to store (%zu bytes)",
                         message->length);
    if (!utf8_valid(message->text, message->length, &bad))
        return error_set(err, STATUS_BAD_INPUT, "the message is not UTF-8 at byte %zu", bad);
    return STATUS_OK;
}

static enum status find_place(struct db *db, const struct message *message, struct place *place,
                              struct error *err) {
    static const char sql[] = "SELECT root, depth, turns, opening FROM message WHERE id = ?1";
    struct statement statement;
    const bool user = message->role == MESSAGE_USER;
    *place = (struct place){.depth = 1, .turns = user};
    if (message->parent == MESSAGE_NONE) return STATUS_OK;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, message->parent);
    enum status status = statement_first(&statement, err);
    if (status == STATUS_NOT_FOUND)
        status =
            error_set(err, status, "message %lld, which this one replies to, is no longer stored",
                      (long long)message->parent);
    if (status == STATUS_OK) {
        place->root = statement_integer(&statement, 0, 1, INT64_MAX);
        place->depth = 1 + statement_integer(&statement, 1, 1, DEPTH_MOST);
        place->turns = user + statement_integer(&statement, 2, 0, DEPTH_MOST);
        place->opening = statement_id(&statement, 3, INT64_MAX);
        status = statement_sound(&statement, "message", message->parent, err);
    }
    statement_finish(&statement);
    return status;
}

static enum status insert_place(struct db *db, const struct message *message,
                                const struct place *place, int64_t *id, struct error *err) {
    static const char sql[] = "INSERT INTO message(parent, root, depth, turns, opening, role, stop,"
                              " created_ms) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_id(&statement, 1, message->parent);
    statement_bind_id(&statement, 2, place->root);
    statement_bind_integer(&statement, 3, place->depth);
    statement_bind_integer(&statement, 4, place->turns);
    statement_bind_id(&statement, 5, place->opening);
    statement_bind_integer(&statement, 6, message->role);
    statement_bind_integer(&statement, 7, message->stop);
    statement_bind_integer(&statement, 8,
                           message->created_ms ? message->created_ms : store_now_ms());
    TRY(statement_run(&statement, err));
    *id = sqlite3_last_insert_rowid(db->handle);
    return STATUS_OK;
}

// A root is its own root, and the first user message its own opening.
static enum status point_to_itself(struct db *db, int64_t id, struct error *err) {
    static const char sql[] =
        "UPDATE message SET root = coalesce(root, id),"
        " opening = coalesce(opening, CASE role WHEN 1 THEN id END) WHERE id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    return statement_run(&statement, err);
}

static void bind_stats_and_text(struct statement *statement, const struct message *message) {
    const struct message_stats *stats = &message->stats;
    const int64_t figures[] = {stats->prompt_tokens,  stats->cached_tokens, stats->output_tokens,
                               stats->first_token_us, stats->prefill_us,    stats->decode_us};
    enum { FIGURES = sizeof figures / sizeof figures[0] };
    for (int i = 0; i < FIGURES; i++)
        statement_bind_integer(statement, STATS_FIRST_PARAMETER + i, figures[i]);
    statement_bind_text(statement, STATS_FIRST_PARAMETER + FIGURES,
                        message->length > 0 ? message->text : "", message->length);
}

static enum status insert_body(struct db *db, int64_t id, const struct message *message,
                               struct error *err) {
    static const char sql[] = "INSERT INTO message_body(id, prompt_tokens, cached_tokens,"
                              " output_tokens, first_token_us, prefill_us, decode_us, text,"
                              " said) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    bind_stats_and_text(&statement, message);
    statement_bind_integer(&statement, 9, (int64_t)message->said);
    return statement_run(&statement, err);
}

static enum status add_message(struct db *db, const struct message *message, int64_t model,
                               const int32_t *tokens, size_t token_count, int64_t *id,
                               struct error *err) {
    struct place place;
    ASSERT(message->role <= MESSAGE_ASSISTANT && message->stop <= STOP_CONTEXT);
    TRY(find_place(db, message, &place, err));
    TRY(insert_place(db, message, &place, id, err));
    if (place.root == 0 || (place.opening == 0 && message->role == MESSAGE_USER))
        TRY(point_to_itself(db, *id, err));
    TRY(insert_body(db, *id, message, err));
    return model == 0 ? STATUS_OK : tokens_write(db, *id, model, tokens, token_count, err);
}

// BAD_INPUT unless the answer has no replies and is the tip of at most one conversation.
static enum status check_extendable(struct db *db, int64_t id, struct error *err) {
    static const char sql[] =
        "SELECT role, (SELECT count(*) FROM message WHERE parent = ?1) AS replies,"
        " (SELECT count(*) FROM conversation WHERE tip = ?1) AS tips FROM message WHERE id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    enum status status = statement_first(&statement, err);
    if (status == STATUS_NOT_FOUND)
        status = error_set(err, status, "message %lld is not stored", (long long)id);
    if (status == STATUS_OK) {
        const int64_t role = statement_integer(&statement, 0, 0, MESSAGE_ASSISTANT);
        const int64_t replies = statement_integer(&statement, 1, 0, INT64_MAX);
        const int64_t tips = statement_integer(&statement, 2, 0, INT64_MAX);
        status = statement_sound(&statement, "message", id, err);
        if (status == STATUS_OK && (role != MESSAGE_ASSISTANT || replies > 0 || tips > 1))
            status = error_set(err, STATUS_BAD_INPUT, "message %lld %s, so it cannot be changed",
                               (long long)id,
                               role != MESSAGE_ASSISTANT ? "is not an answer"
                               : replies > 0             ? "has replies"
                                             : "is the last message of several conversations");
    }
    statement_finish(&statement);
    return status;
}

static enum status update_stop(struct db *db, int64_t id, enum message_stop stop,
                               struct error *err) {
    static const char sql[] = "UPDATE message SET stop = ?2 WHERE id = ?1";
    struct statement statement;
    ASSERT(stop <= STOP_CONTEXT);
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    statement_bind_integer(&statement, 2, stop);
    return statement_run(&statement, err);
}

static enum status update_body(struct db *db, int64_t id, const struct message *longer,
                               struct error *err) {
    static const char sql[] = "UPDATE message_body SET prompt_tokens = ?2, cached_tokens = ?3,"
                              " output_tokens = ?4, first_token_us = ?5, prefill_us = ?6,"
                              " decode_us = ?7, text = ?8 WHERE id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    bind_stats_and_text(&statement, longer);
    return statement_run(&statement, err);
}

static enum status extend_message(struct db *db, int64_t id, const struct message *longer,
                                  int64_t model, const int32_t *tokens, size_t token_count,
                                  struct error *err) {
    TRY(check_extendable(db, id, err));
    TRY(update_stop(db, id, longer->stop, err));
    TRY(update_body(db, id, longer, err));
    TRY(tokens_forget(db, id, err));
    return model == 0 ? STATUS_OK : tokens_write(db, id, model, tokens, token_count, err);
}

// Reads the current row, selected as MESSAGE_COLUMNS. Fills *message on success.
static enum status read_message(struct statement *statement, int64_t id, struct message *message,
                                struct error *err) {
    struct message read = {0};
    read.id = statement_integer(statement, 0, 1, INT64_MAX);
    read.parent = statement_id(statement, 1, INT64_MAX);
    read.role = (enum message_role)statement_integer(statement, 2, 0, MESSAGE_ASSISTANT);
    read.stop = (enum message_stop)statement_integer(statement, 3, 0, STOP_CONTEXT);
    read.created_ms = statement_integer(statement, 4, INT64_MIN, INT64_MAX);
    int64_t *const figures[] = {&read.stats.prompt_tokens, &read.stats.cached_tokens,
                                &read.stats.output_tokens, &read.stats.first_token_us,
                                &read.stats.prefill_us,    &read.stats.decode_us};
    for (int i = 0; i < (int)(sizeof figures / sizeof figures[0]); i++)
        *figures[i] = statement_integer(statement, 5 + i, INT64_MIN, INT64_MAX);
    const char *text = statement_text(statement, 11, &read.length);
    read.said = (size_t)statement_integer(statement, 12, 0, (int64_t)read.length);
    TRY(statement_sound(statement, "message", id, err));
    read.text = malloc(read.length + 1);
    if (!read.text) return STATUS_NO_MEMORY;
    memcpy(read.text, text, read.length);
    read.text[read.length] = '\0';
    *message = read;
    return STATUS_OK;
}

struct path {
    struct message *messages; // the tip first
    size_t count, capacity;
};

static enum status path_push(struct path *path, const struct message *message) {
    ASSERT(path->count <= path->capacity);
    if (!array_reserve(&path->messages, path->count, &path->capacity, sizeof path->messages[0]))
        return STATUS_NO_MEMORY;
    path->messages[path->count++] = *message;
    return STATUS_OK;
}

static void path_reverse(struct path *path) {
    for (size_t low = 0, high = path->count; low + 1 < high; low++) {
        const struct message last = path->messages[--high];
        path->messages[high] = path->messages[low];
        path->messages[low] = last;
    }
}

// Each row must be the parent of the one before it; *expected is its id, and 0 after a root.
static enum status read_path(struct statement *statement, int64_t *expected, struct path *path,
                             struct error *err) {
    bool row = true;
    while (row) {
        struct message message;
        TRY(statement_step(statement, &row, err));
        if (!row) break;
        TRY(read_message(statement, *expected, &message, err));
        enum status status = STATUS_OK;
        if (message.id != *expected)
            status =
                error_set(err, STATUS_BAD_FILE, "%s is damaged: found message %lld, expected %lld",
                          statement->db->path, (long long)message.id, (long long)*expected);
        if (status == STATUS_OK) status = path_push(path, &message);
        if (status != STATUS_OK) {
            message_deinit(&message);
            return status;
        }
        *expected = message.parent;
    }
    return STATUS_OK;
}

const char *message_stop_name(enum message_stop stop) {
    switch (stop) {
    case STOP_NONE:
        return "none";
    case STOP_END:
        return "end";
    case STOP_LENGTH:
        return "length";
    case STOP_STRING:
        return "stop";
    case STOP_INTERRUPTED:
        return "interrupted";
    case STOP_CONTEXT:
        return "context";
    }
    return "unknown";
}

void message_deinit(struct message *message) {
    free(message->text);
    *message = (struct message){0};
}

enum status message_add(struct db *db, const struct message *message, int64_t model,
                        const int32_t *tokens, size_t token_count, int64_t *id, struct error *err) {
    int64_t added = 0;
    ASSERT(model != 0 || token_count == 0);
    ASSERT(message->said <= message->length);
    TRY(check_text(message, err));
    TRY(db_begin(db, err));
    enum status status = add_message(db, message, model, tokens, token_count, &added, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status == STATUS_OK)
        *id = added;
    else
        db_rollback(db);
    return status;
}

enum status message_extend(struct db *db, int64_t id, const struct message *longer, int64_t model,
                           const int32_t *tokens, size_t token_count, struct error *err) {
    ASSERT(model != 0 || token_count == 0);
    TRY(check_text(longer, err));
    TRY(db_begin(db, err));
    enum status status = extend_message(db, id, longer, model, tokens, token_count, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}

enum status message_get(struct db *db, int64_t id, struct message *message, struct error *err) {
    static const char sql[] =
        "SELECT " MESSAGE_COLUMNS " FROM message m LEFT JOIN message_body b ON b.id = m.id"
        " WHERE m.id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    enum status status = statement_first(&statement, err);
    if (status == STATUS_NOT_FOUND)
        status = error_set(err, status, "message %lld is not stored", (long long)id);
    if (status == STATUS_OK) status = read_message(&statement, id, message, err);
    statement_finish(&statement);
    return status;
}

// A parent is older than its reply, which bounds the walk however damaged the rows are.
enum status message_path(struct db *db, int64_t tip, struct message **messages, size_t *count,
                         struct error *err) {
    static const char sql[] =
        "WITH RECURSIVE path(id, parent) AS (SELECT id, parent FROM message WHERE id = ?1"
        " UNION ALL SELECT m.id, m.parent FROM path"
        " JOIN message m ON m.id = path.parent AND m.id < path.id)"
        "SELECT " MESSAGE_COLUMNS " FROM path CROSS JOIN message m ON m.id = path.id"
        " LEFT JOIN message_body b ON b.id = m.id";
    struct statement statement;
    struct path path = {0};
    int64_t expected = tip;
    if (tip != MESSAGE_NONE) {
        TRY(statement_start(db, sql, &statement, err));
        statement_bind_integer(&statement, 1, tip);
        enum status status = read_path(&statement, &expected, &path, err);
        statement_finish(&statement);
        if (status == STATUS_OK && path.count == 0)
            status = error_set(err, STATUS_NOT_FOUND, "message %lld is not stored", (long long)tip);
        else if (status == STATUS_OK && expected != MESSAGE_NONE)
            status = error_set(err, STATUS_BAD_FILE,
                               "%s is damaged: message %lld, which %lld replies to, is missing",
                               db->path, (long long)expected,
                               (long long)path.messages[path.count - 1].id);
        if (status != STATUS_OK) {
            message_path_free(path.messages, path.count);
            return status;
        }
    }
    path_reverse(&path);
    *messages = path.messages;
    *count = path.count;
    return STATUS_OK;
}

enum status message_replies(struct db *db, int64_t id, struct message **replies, size_t *count,
                            struct error *err) {
    static const char sql[] =
        "SELECT " MESSAGE_COLUMNS " FROM message m LEFT JOIN message_body b ON b.id = m.id"
        " WHERE m.parent = ?1 ORDER BY m.created_ms, m.id LIMIT ?2";
    struct statement statement;
    struct path found = {0};
    bool row = true;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    statement_bind_integer(&statement, 2, MESSAGE_MAX_REPLIES);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && row) {
        struct message message;
        status = statement_step(&statement, &row, err);
        if (status != STATUS_OK || !row) break;
        status = read_message(&statement, id, &message, err);
        if (status != STATUS_OK) break;
        status = path_push(&found, &message);
        if (status != STATUS_OK) message_deinit(&message);
    }
    statement_finish(&statement);
    if (status != STATUS_OK) {
        message_path_free(found.messages, found.count);
        return status;
    }
    *replies = found.messages;
    *count = found.count;
    return STATUS_OK;
}

void message_path_free(struct message *path, size_t count) {
    for (size_t i = 0; i < count; i++)
        message_deinit(&path[i]);
    free(path);
}
