#include "store/conversation.h"

#include <string.h>
#include <sys/random.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "store/conversation_id.h"
#include "store/conversation_row.h"
#include "store/statement.h"

enum {
    ID_TRIES = 32,
    FITTING_SHOWN = 4, // ids listed when a prefix is ambiguous
};

static enum status not_found(struct error *err, const char *name_or_id) {
    int64_t first, last;
    const bool is_short = strlen(name_or_id) < CONVERSATION_ID_SHORTEST &&
                          conversation_id_range(name_or_id, &first, &last);
    return error_set(err, STATUS_NOT_FOUND, "no conversation \"%.*s\"%s", CONVERSATION_NAME_BYTES,
                     name_or_id, is_short ? "; type at least four characters of an id" : "");
}

// Is the character invisible, a change of direction, or the end of a line?
static bool is_control(uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x061C ||
           code_point == 0x200B || code_point == 0x200E || code_point == 0x200F ||
           (code_point >= 0x2028 && code_point <= 0x202E) ||
           (code_point >= 0x2060 && code_point <= 0x206F) || code_point == 0xFEFF ||
           (code_point >= 0xFFF9 && code_point <= 0xFFFB);
}

static bool is_blank_character(uint32_t code_point) {
    return code_point == ' ' || code_point == 0xA0 || code_point == 0xAD || code_point == 0x034F ||
           code_point == 0x115F || code_point == 0x1160 || code_point == 0x1680 ||
           code_point == 0x180E || (code_point >= 0x2000 && code_point <= 0x200A) ||
           code_point == 0x202F || code_point == 0x205F || code_point == 0x2800 ||
           code_point == 0x3000 || code_point == 0x3164 || code_point == 0xFFA0;
}

// Is it a mark that combines with the character before it?
static bool is_joiner(uint32_t code_point) {
    return code_point == 0x200C || code_point == 0x200D ||
           (code_point >= 0xFE00 && code_point <= 0xFE0F);
}

struct name_ends {
    uint32_t first, last;
    bool has_control;
};

static struct name_ends name_ends(const char *name, size_t length) {
    struct name_ends ends = {0};
    for (size_t at = 0, used = 1; at < length; at += used) {
        ends.last = utf8_decode(name + at, length - at, &used);
        if (at == 0) ends.first = ends.last;
        ends.has_control |= is_control(ends.last);
    }
    return ends;
}

// Why commands could not accept this name later; NULL: all can.
static const char *why_not_typed(const char *name, const struct name_ends *ends) {
    static const char model[] = ".gguf";
    const size_t length = strlen(name);
    int64_t first, last;
    if (is_blank_character(ends->first) || is_blank_character(ends->last) || is_joiner(ends->first))
        return "starts or ends with a space";
    if (strchr("-/@\"", name[0])) return "starts with one of - / @ \"";
    if (name[length - 1] == '\\' || strstr(name, "\\ "))
        return "has \\ before a space or at its end";
    if (length >= sizeof model && strcmp(name + length - (sizeof model - 1), model) == 0)
        return "looks like a model file";
    if (length >= CONVERSATION_ID_SHORTEST && conversation_id_range(name, &first, &last))
        return "looks like an id";
    return NULL;
}

enum status conversation_check_name(const char *name, struct error *err) {
    const size_t length = strlen(name);
    if (length == 0) return error_set(err, STATUS_BAD_INPUT, "a name needs at least one character");
    if (length >= CONVERSATION_NAME_BYTES)
        return error_set(err, STATUS_BAD_INPUT, "the name is too long (%zu bytes, at most %d)",
                         length, CONVERSATION_NAME_BYTES - 1);
    const struct name_ends ends = name_ends(name, length);
    if (!utf8_valid(name, length, NULL) || ends.has_control)
        return error_set(err, STATUS_BAD_INPUT, "the name must be one line of text");
    const char *why = why_not_typed(name, &ends);
    if (!why) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "the name \"%s\" %s; choose another", name, why);
}

// "" means no name.
static enum status check_name_form(const char *name, struct error *err) {
    return name[0] ? conversation_check_name(name, err) : STATUS_OK;
}

// `own` is the id of the conversation that may have it already, or 0.
static enum status check_name_free(struct db *db, const char *name, int64_t own,
                                   struct error *err) {
    static const char sql[] = "SELECT id FROM conversation WHERE name = ?1 AND id <> ?2";
    struct statement statement;
    ASSERT(own >= 0);
    char id[CONVERSATION_ID_BYTES];
    int64_t owner;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_text(&statement, 1, name, strlen(name));
    statement_bind_integer(&statement, 2, own);
    const enum status status = statement_first_integer(&statement, &owner, err);
    if (status == STATUS_NOT_FOUND) return STATUS_OK;
    if (status != STATUS_OK) return status;
    conversation_id_write(owner, id);
    return error_set(err, STATUS_BAD_INPUT, "the name \"%s\" is taken by %s; choose another", name,
                     id);
}

static enum status find_by_number(struct db *db, int64_t number, struct conversation *conversation,
                                  struct error *err) {
    static const char sql[] = "SELECT " CONVERSATION_COLUMNS " FROM conversation c WHERE c.id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number);
    enum status status = statement_first(&statement, err);
    if (status == STATUS_OK) status = conversation_read(&statement, conversation, err);
    statement_finish(&statement);
    return status;
}

static enum status find_by_name(struct db *db, const char *name, struct conversation *conversation,
                                struct error *err) {
    static const char sql[] = "SELECT id FROM conversation WHERE name = ?1";
    struct statement statement;
    int64_t number;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_text(&statement, 1, name, strlen(name));
    TRY(statement_first_integer(&statement, &number, err));
    return find_by_number(db, number, conversation, err);
}

// Reads the only conversation that the statement finds, and finishes the statement, which selects
// at most FITTING_SHOWN rows.
static enum status find_only(struct statement *statement, const char *typed,
                             struct conversation *conversation, struct error *err) {
    struct conversation fitting[FITTING_SHOWN];
    size_t count = 0;
    bool row = true;
    enum status status = statement_step(statement, &row, err);
    while (status == STATUS_OK && row && count < FITTING_SHOWN) {
        status = conversation_read(statement, &fitting[count++], err);
        if (status == STATUS_OK) status = statement_step(statement, &row, err);
    }
    statement_finish(statement);
    if (status != STATUS_OK) return status;
    if (count == 0) return not_found(err, typed);
    if (count == 1) {
        *conversation = fitting[0];
        return STATUS_OK;
    }
    struct text list = {0};
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = text_format(&list, "%s%s", i ? ", " : "", fitting[i].id);
    if (status == STATUS_OK)
        status = error_set(err, STATUS_BAD_INPUT,
                           "%.*s matches several conversations (%s%s); type more of it",
                           CONVERSATION_NAME_BYTES, typed, text_string(&list),
                           count == FITTING_SHOWN ? ", …" : "");
    text_deinit(&list);
    return status;
}

static enum status find_in_range(struct db *db, const char *digits, int64_t first, int64_t last,
                                 struct conversation *conversation, struct error *err) {
    static const char sql[] = "SELECT " CONVERSATION_COLUMNS " FROM conversation c"
                              " WHERE c.id BETWEEN ?1 AND ?2 ORDER BY c.id LIMIT ?3";
    struct statement statement;
    ASSERT(first <= last);
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, first);
    statement_bind_integer(&statement, 2, last);
    statement_bind_integer(&statement, 3, FITTING_SHOWN);
    return find_only(&statement, digits, conversation, err);
}

static enum status find_by_beginning(struct db *db, const char *typed,
                                     struct conversation *conversation, struct error *err) {
    static const char sql[] =
        "SELECT " CONVERSATION_COLUMNS " FROM conversation c"
        " WHERE substr(c.name, 1, length(?1)) = ?1 COLLATE NOCASE ORDER BY c.used DESC LIMIT ?2";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_text(&statement, 1, typed, strlen(typed));
    statement_bind_integer(&statement, 2, FITTING_SHOWN);
    return find_only(&statement, typed, conversation, err);
}

// `id` is one that a struct conversation had, so it has the right form.
static enum status find_number(struct db *db, const char *id, struct conversation *conversation,
                               struct error *err) {
    const int64_t number = conversation_id_read(id);
    ASSERT(number != 0);
    const enum status status = find_by_number(db, number, conversation, err);
    return status == STATUS_NOT_FOUND ? not_found(err, id) : status;
}

static enum status new_number(struct db *db, int64_t *number, struct error *err) {
    struct conversation taken;
    for (int i = 0; i < ID_TRIES; i++) {
        uint32_t random;
        if (getrandom(&random, sizeof random, 0) != sizeof random)
            return error_set(err, STATUS_IO, "cannot read random numbers from the system");
        if (random == 0) continue;
        const enum status status = find_by_number(db, random, &taken, err);
        if (status == STATUS_NOT_FOUND) *number = random;
        if (status != STATUS_OK) return status == STATUS_NOT_FOUND ? STATUS_OK : status;
    }
    return error_set(err, STATUS_FULL,
                     "all conversation ids are in use; delete some conversations");
}

// Remembers the trees that the conversation has been in.
static enum status note_root(struct db *db, int64_t number, int64_t tip, struct error *err) {
    static const char sql[] = "INSERT OR IGNORE INTO conversation_root(conversation, root)"
                              " SELECT ?1, root FROM message WHERE id = ?2";
    struct statement statement;
    ASSERT(number > 0);
    if (tip == MESSAGE_NONE) return STATUS_OK;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number);
    statement_bind_integer(&statement, 2, tip);
    return statement_run(&statement, err);
}

static enum status insert_conversation(struct db *db, const struct conversation *fresh,
                                       int64_t number, struct error *err) {
    static const char sql[] =
        "INSERT INTO conversation(id, name, tip, model, forked_from, forked_at, used, created_ms,"
        " updated_ms, source) VALUES(?1, ?2, ?3, ?4, ?5, ?6,"
        " (SELECT 1 + coalesce(max(used), 0) FROM conversation), ?7, ?7, ?8)";
    struct statement statement;
    ASSERT(number > 0 && fresh->id[0]);
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number);
    if (fresh->name[0]) statement_bind_text(&statement, 2, fresh->name, strlen(fresh->name));
    statement_bind_id(&statement, 3, fresh->tip);
    statement_bind_id(&statement, 4, fresh->model);
    statement_bind_id(&statement, 5, conversation_id_read(fresh->forked_from));
    statement_bind_id(&statement, 6, fresh->forked_at);
    statement_bind_integer(&statement, 7, fresh->created_ms);
    statement_bind_id(&statement, 8, fresh->source);
    TRY(statement_run(&statement, err));
    return note_root(db, number, fresh->tip, err);
}

// Inside a transaction: gives it an id, a name and times, and stores it.
static enum status make_conversation(struct db *db, const char *name, struct conversation *fresh,
                                     struct error *err) {
    int64_t number = 0;
    ASSERT(db->depth > 0 && strlen(name) < CONVERSATION_NAME_BYTES);
    TRY(check_name_free(db, name, 0, err));
    TRY(new_number(db, &number, err));
    conversation_id_write(number, fresh->id);
    memcpy(fresh->name, name, strlen(name) + 1);
    fresh->created_ms = fresh->updated_ms = store_now_ms();
    return insert_conversation(db, fresh, number, err);
}

// Walks up from the original's tip. Ids decrease on the way, so the walk ends where `tip` would be.
static enum status check_on_path(struct db *db, const struct conversation *original, int64_t tip,
                                 struct error *err) {
    static const char sql[] =
        "WITH RECURSIVE path(id, parent) AS (SELECT id, parent FROM message WHERE id = ?1"
        " UNION ALL SELECT m.id, m.parent FROM path"
        " JOIN message m ON m.id = path.parent AND m.id < path.id WHERE path.id > ?2)"
        "SELECT id FROM path WHERE id = ?2";
    struct statement statement;
    int64_t found;
    if (tip == MESSAGE_NONE) return STATUS_OK;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, original->tip);
    statement_bind_integer(&statement, 2, tip);
    const enum status status = statement_first_integer(&statement, &found, err);
    if (status != STATUS_NOT_FOUND) return status;
    return error_set(err, STATUS_BAD_INPUT, "message %lld is not in conversation %s",
                     (long long)tip, original->id);
}

static enum status make_fork(struct db *db, const char *original_id, int64_t tip, const char *name,
                             struct conversation *fork, struct error *err) {
    struct conversation original;
    TRY(find_number(db, original_id, &original, err));
    TRY(check_on_path(db, &original, tip, err));
    *fork = (struct conversation){
        .tip = tip, .forked_at = tip, .model = original.model, .source = original.source};
    memcpy(fork->forked_from, original.id, sizeof fork->forked_from);
    return make_conversation(db, name, fork, err);
}

static enum status update_tip(struct db *db, int64_t number, int64_t tip, int64_t model,
                              struct error *err) {
    static const char sql[] =
        "UPDATE conversation SET tip = ?2, model = coalesce(?3, model), updated_ms = ?4,"
        " used = (SELECT 1 + max(used) FROM conversation) WHERE id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number);
    statement_bind_id(&statement, 2, tip);
    statement_bind_id(&statement, 3, model);
    statement_bind_integer(&statement, 4, store_now_ms());
    return statement_run(&statement, err);
}

static enum status move_tip(struct db *db, const char *id, int64_t tip, int64_t model,
                            struct error *err) {
    static const char sql[] = "SELECT id FROM message WHERE id = ?1";
    struct statement statement;
    struct conversation before;
    int64_t found;
    ASSERT(db->depth > 0);
    TRY(find_number(db, id, &before, err));
    if (tip != MESSAGE_NONE) {
        TRY(statement_start(db, sql, &statement, err));
        statement_bind_integer(&statement, 1, tip);
        const enum status status = statement_first_integer(&statement, &found, err);
        if (status == STATUS_NOT_FOUND)
            return error_set(err, status, "message %lld is not stored", (long long)tip);
        if (status != STATUS_OK) return status;
    }
    const int64_t number = conversation_id_read(id);
    TRY(update_tip(db, number, tip, model, err));
    return note_root(db, number, tip, err);
}

static enum status rename_to(struct db *db, const char *id, const char *name, struct error *err) {
    static const char sql[] = "UPDATE conversation SET name = ?2, one_shot = 0 WHERE id = ?1";
    struct statement statement;
    struct conversation before;
    const int64_t number = conversation_id_read(id);
    ASSERT(db->depth > 0);
    TRY(find_number(db, id, &before, err));
    TRY(check_name_free(db, name, number, err));
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, number);
    if (name[0]) statement_bind_text(&statement, 2, name, strlen(name));
    return statement_run(&statement, err);
}

static enum status end_transaction(struct db *db, enum status status, struct error *err) {
    ASSERT(db->depth > 0);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}

static enum status copy_name(const struct statement *statement, const char *id, const char *name,
                             size_t length, char copy[CONVERSATION_NAME_BYTES], struct error *err) {
    if (length >= CONVERSATION_NAME_BYTES || memchr(name, '\0', length))
        return error_set(err, STATUS_BAD_FILE,
                         "%s is damaged: a name of conversation %s has %zu bytes or a NUL",
                         statement->db->path, id, length);
    memcpy(copy, name, length);
    return STATUS_OK;
}

// A change of one conversation, the first parameter; the second is the caller's.
static enum status start_change(struct db *db, const char *sql, const char *id,
                                struct statement *statement, struct error *err) {
    ASSERT(conversation_id_read(id) != 0);
    TRY(statement_start(db, sql, statement, err));
    statement_bind_integer(statement, 1, conversation_id_read(id));
    return STATUS_OK;
}

enum status conversation_read(struct statement *statement, struct conversation *conversation,
                              struct error *err) {
    struct conversation read = {0};
    size_t length, title_length;
    const int64_t number = statement_integer(statement, 0, 1, UINT32_MAX);
    conversation_id_write(number, read.id);
    const char *name = statement_text(statement, 1, &length);
    conversation_id_write(statement_id(statement, 2, UINT32_MAX), read.forked_from);
    read.forked_at = statement_id(statement, 3, INT64_MAX);
    read.tip = statement_id(statement, 4, INT64_MAX);
    read.model = statement_id(statement, 5, INT64_MAX);
    read.created_ms = statement_integer(statement, 6, INT64_MIN, INT64_MAX);
    read.updated_ms = statement_integer(statement, 7, INT64_MIN, INT64_MAX);
    read.one_shot = statement_integer(statement, 8, 0, 1);
    const char *title = statement_text(statement, 9, &title_length);
    read.source = statement_id(statement, 10, INT64_MAX);
    TRY(statement_sound(statement, "conversation", number, err));
    TRY(copy_name(statement, read.id, name, length, read.name, err));
    TRY(copy_name(statement, read.id, title, title_length, read.title, err));
    *conversation = read;
    return STATUS_OK;
}

enum status conversation_create(struct db *db, const char *name, int64_t model,
                                struct conversation *conversation, struct error *err) {
    struct conversation fresh = {.model = model};
    TRY(check_name_form(name, err));
    TRY(db_begin(db, err));
    TRY(end_transaction(db, make_conversation(db, name, &fresh, err), err));
    *conversation = fresh;
    return STATUS_OK;
}

enum status conversation_fork(struct db *db, const struct conversation *original, int64_t tip,
                              const char *name, struct conversation *result, struct error *err) {
    struct conversation fork;
    TRY(check_name_form(name, err));
    TRY(db_begin(db, err));
    TRY(end_transaction(db, make_fork(db, original->id, tip, name, &fork, err), err));
    *result = fork;
    return STATUS_OK;
}

enum status conversation_find(struct db *db, const char *name_or_id,
                              struct conversation *conversation, struct error *err) {
    int64_t first, last;
    const bool digits = conversation_id_range(name_or_id, &first, &last);
    if (!digits || first != last) {
        const enum status status = find_by_name(db, name_or_id, conversation, err);
        if (status != STATUS_NOT_FOUND) return status;
    }
    if (!digits || strlen(name_or_id) < CONVERSATION_ID_SHORTEST) return not_found(err, name_or_id);
    return find_in_range(db, name_or_id, first, last, conversation, err);
}

enum status conversation_find_begun(struct db *db, const char *typed,
                                    struct conversation *conversation, struct error *err) {
    const enum status status = conversation_find(db, typed, conversation, err);
    if (status != STATUS_NOT_FOUND || !typed[0]) return status;
    return find_by_beginning(db, typed, conversation, err);
}

enum status conversation_latest(struct db *db, bool one_shot, struct conversation *conversation,
                                struct error *err) {
    static const char sql[] =
        "SELECT id FROM conversation WHERE one_shot <= ?1 ORDER BY used DESC LIMIT 1";
    struct statement statement;
    int64_t number;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, one_shot);
    enum status status = statement_first_integer(&statement, &number, err);
    if (status == STATUS_OK) status = find_by_number(db, number, conversation, err);
    if (status == STATUS_NOT_FOUND) return error_set(err, status, "no conversation yet");
    return status;
}

enum status conversation_set_one_shot(struct db *db, const char *id, bool one_shot,
                                      struct error *err) {
    static const char sql[] = "UPDATE conversation SET one_shot = ?2 WHERE id = ?1";
    struct statement statement;
    TRY(start_change(db, sql, id, &statement, err));
    statement_bind_integer(&statement, 2, one_shot);
    return statement_run(&statement, err);
}

enum status conversation_set_title(struct db *db, const char *id, const char *title,
                                   struct error *err) {
    static const char sql[] = "UPDATE conversation SET title = ?2 WHERE id = ?1";
    struct statement statement;
    ASSERT(strlen(title) < CONVERSATION_NAME_BYTES);
    TRY(start_change(db, sql, id, &statement, err));
    if (title[0]) statement_bind_text(&statement, 2, title, strlen(title));
    return statement_run(&statement, err);
}

enum status conversation_set_source(struct db *db, const char *id, int64_t source,
                                    struct error *err) {
    static const char sql[] = "UPDATE conversation SET source = ?2 WHERE id = ?1";
    struct statement statement;
    TRY(start_change(db, sql, id, &statement, err));
    statement_bind_id(&statement, 2, source);
    return statement_run(&statement, err);
}

enum status conversation_move(struct db *db, const char *id, int64_t tip, int64_t model,
                              struct error *err) {
    TRY(db_begin(db, err));
    return end_transaction(db, move_tip(db, id, tip, model, err), err);
}

enum status conversation_rename(struct db *db, const char *id, const char *name,
                                struct error *err) {
    TRY(check_name_form(name, err));
    TRY(db_begin(db, err));
    return end_transaction(db, rename_to(db, id, name, err), err);
}
