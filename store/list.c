// store/list.c — conversation_list(): rows, then families; and conversation_count().
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "store/conversation.h"
#include "store/conversation_id.h"
#include "store/conversation_row.h"
#include "store/preview.h"
#include "store/search.h"

static_assert(sizeof(((struct conversation_row *)0)->found) == SEARCH_SHOWN_BYTES, "copied whole");

enum { OPENING_COLUMN = CONVERSATION_COLUMN_COUNT, ANCESTORS_MOST = 64 };

// Everything a row shows is one look-up from the tip (message.turns and .opening,
// message_tokens.total), except for a fork, which needs one per message of its own. More text is
// read than a preview shows, because spaces are joined. UNION takes each row once, so it ends even
// if the parents of a damaged database form a cycle.
#define TEXT_OF(table) "substr(CAST(" table ".text AS BLOB), 1 + " table ".said, " PREVIEW_READS ")"
#define OPENING_TEXT   TEXT_OF("o")
#define LAST_TEXT      TEXT_OF("q")
#define FORK_TEXT      TEXT_OF("g")
#define FIRST_OF_FORK                                                                      \
    "(WITH RECURSIVE up(id, parent) AS (SELECT m.id, m.parent UNION SELECT p.id, p.parent" \
    " FROM up JOIN message p ON p.id = up.parent AND p.id > coalesce(c.forked_at, 0))"     \
    " SELECT up.id FROM up WHERE up.parent IS c.forked_at AND c.forked_from IS NOT NULL)"
// For a conversation that stands before its first turn: the first message that was undone.
#define OPENING_OF_TREE                                                                  \
    "(SELECT coalesce(a.opening, (SELECT min(k.id) FROM message k WHERE k.parent = a.id" \
    " AND k.role = 1)) FROM conversation_root w JOIN message a ON a.id = w.root"         \
    " WHERE w.conversation = c.id ORDER BY w.root DESC LIMIT 1)"
#define HAS_TEXT                                                       \
    "(c.name IS NOT NULL OR EXISTS (SELECT 1 FROM conversation_root t" \
    " WHERE t.conversation = c.id))"
// The log of a server's conversation may hold bytes, so only the server's own count is known: that
// of its last answer. -1: unknown, as of a conversation that its model has not read yet.
#define TOKENS                                                                               \
    "iif(z.kind IN (4, 5), iif(u.prompt_tokens > 0, u.prompt_tokens + u.output_tokens, -1)," \
    " coalesce(t.total, iif(c.tip IS NULL, 0, -1)))"
#define ROW_SELECT                                                                                 \
    "SELECT " CONVERSATION_COLUMNS ", " OPENING_TEXT " AS opening, coalesce(m.turns, 0) AS turns," \
    " " TOKENS " AS tokens, k.name AS model_name, c.used, " LAST_TEXT " AS last,"                  \
    " coalesce(f.turns, 0) AS fork_turn, " FORK_TEXT " AS fork_text"                               \
    " FROM conversation c"                                                                         \
    " LEFT JOIN message m ON m.id = c.tip"                                                         \
    " LEFT JOIN message_body o ON o.id = coalesce(m.opening, " OPENING_OF_TREE ")"                 \
    " LEFT JOIN message_body q ON q.id = iif(m.role = 1, m.id, m.parent)"                          \
    " LEFT JOIN message f ON f.id = " FIRST_OF_FORK                                                \
    " LEFT JOIN message_body g ON g.id = iif(f.role = 1, f.id, f.parent)"                          \
    " LEFT JOIN message_body u ON u.id = c.tip"                                                    \
    " LEFT JOIN message_tokens t ON t.message = c.tip AND t.model = c.model"                       \
    " LEFT JOIN model_source z ON z.id = c.source"                                                 \
    " LEFT JOIN model k ON k.id = coalesce(z.model, c.model)"

struct listed {
    struct conversation_row row;
    int64_t used;                                    // newest: the largest
    size_t parent, first_fork, last_fork, next_fork; // indices in the list, or NOWHERE
    bool linked;                                     // to its parent
    bool placed;                                     // in the result
};

static const size_t NOWHERE = SIZE_MAX;

struct list {
    struct listed *items;
    size_t count;
};

static enum status read_listed(struct statement *statement, void *item, struct error *err) {
    struct listed read = {
        .parent = NOWHERE, .first_fork = NOWHERE, .last_fork = NOWHERE, .next_fork = NOWHERE};
    size_t preview_length, model_length, last_length, fork_length;
    TRY(conversation_read(statement, &read.row.conversation, err));
    const char *preview = statement_blob(statement, OPENING_COLUMN, &preview_length);
    read.row.turns = statement_integer(statement, OPENING_COLUMN + 1, 0, INT64_MAX);
    read.row.tokens = statement_integer(statement, OPENING_COLUMN + 2, -1, INT64_MAX);
    const char *model = statement_text(statement, OPENING_COLUMN + 3, &model_length);
    read.used = statement_integer(statement, OPENING_COLUMN + 4, INT64_MIN, INT64_MAX);
    const char *last = statement_blob(statement, OPENING_COLUMN + 5, &last_length);
    read.row.fork_turn = statement_integer(statement, OPENING_COLUMN + 6, 0, INT64_MAX);
    const char *fork = statement_blob(statement, OPENING_COLUMN + 7, &fork_length);
    preview_make(preview, preview_length, read.row.preview, sizeof read.row.preview);
    preview_make(last, last_length, read.row.last, sizeof read.row.last);
    preview_make(fork, fork_length, read.row.fork_preview, sizeof read.row.fork_preview);
    preview_make(model, model_length, read.row.model_name, sizeof read.row.model_name);
    const int64_t number = statement_integer(statement, 0, 1, UINT32_MAX);
    TRY(statement_sound(statement, "conversation", number, err));
    *(struct listed *)item = read;
    return STATUS_OK;
}

static enum status load_newest(struct db *db, const struct conversation_query *query,
                               struct rows *rows, struct error *err) {
    static const char sql[] =
        ROW_SELECT " WHERE c.one_shot <= ?2 AND " HAS_TEXT " ORDER BY c.used DESC LIMIT ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1,
                           query->limit < INT64_MAX ? (int64_t)query->limit : INT64_MAX);
    statement_bind_integer(&statement, 2, query->one_shot);
    return statement_rows(&statement, read_listed, rows, err);
}

static int compare_newest(const void *left, const void *right) {
    const struct listed *a = left, *b = right;
    return (a->used < b->used) - (a->used > b->used);
}

static enum status load_found(struct db *db, const char *query, size_t limit, struct rows *rows,
                              struct error *err) {
    static const char sql[] = ROW_SELECT " WHERE c.id = ?1 AND " HAS_TEXT;
    struct statement statement;
    struct search_hit *hits;
    size_t count;
    TRY(search_conversations(db, query, limit, &hits, &count, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = statement_start(db, sql, &statement, err);
        if (status != STATUS_OK) break;
        statement_bind_integer(&statement, 1, hits[i].conversation);
        const size_t before = rows->count;
        status = statement_rows(&statement, read_listed, rows, err);
        if (status == STATUS_OK && rows->count > before)
            memcpy(((struct listed *)rows->items)[before].row.found, hits[i].shown,
                   sizeof hits[i].shown);
    }
    free(hits);
    if (rows->count > 0) qsort(rows->items, rows->count, rows->item_bytes, compare_newest);
    return status;
}

struct entry {
    const char *id;
    size_t place;
};

static int compare_ids(const void *left, const void *right) {
    return strcmp(((const struct entry *)left)->id, ((const struct entry *)right)->id);
}

static size_t find_place(const struct entry *index, size_t count, const char *id) {
    const struct entry key = {id, 0};
    const struct entry *found = bsearch(&key, index, count, sizeof *index, compare_ids);
    return found ? found->place : NOWHERE;
}

// The conversation that this one was forked from; "": none.
static enum status read_parent(struct db *db, const char *id, char parent[CONVERSATION_ID_BYTES],
                               struct error *err) {
    static const char sql[] = "SELECT forked_from FROM conversation WHERE id = ?1"
                              " AND forked_from IS NOT NULL";
    struct statement statement;
    int64_t number;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, conversation_id_read(id));
    const enum status status = statement_first_integer(&statement, &number, err);
    parent[0] = '\0';
    if (status == STATUS_NOT_FOUND) return STATUS_OK;
    if (status == STATUS_OK) conversation_id_write(number, parent);
    return status;
}

// The index of the nearest ancestor in the list. Damaged rows may form a cycle.
static enum status find_parent(struct db *db, const struct entry *index, size_t count,
                               struct listed *listed, struct error *err) {
    char id[CONVERSATION_ID_BYTES];
    memcpy(id, listed->row.conversation.forked_from, sizeof id);
    for (int steps = 0; id[0] && steps < ANCESTORS_MOST; steps++) {
        listed->parent = find_place(index, count, id);
        if (listed->parent != NOWHERE) break;
        TRY(read_parent(db, id, id, err));
    }
    return STATUS_OK;
}

static enum status find_parents(struct db *db, struct list *list, struct error *err) {
    struct entry *index = malloc((list->count + 1) * sizeof *index);
    enum status status = STATUS_OK;
    if (!index) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < list->count; i++)
        index[i] = (struct entry){list->items[i].row.conversation.id, i};
    if (list->count > 0) qsort(index, list->count, sizeof *index, compare_ids);
    for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
        status = find_parent(db, index, list->count, &list->items[i], err);
        if (list->items[i].parent == i) list->items[i].parent = NOWHERE;
    }
    free(index);
    return status;
}

// Adds each fork to its parent's forks, those with the newest descendant first: starting with the
// newest conversation, links its whole line of ancestors at once.
static void link_forks(struct list *list) {
    for (size_t i = 0; i < list->count; i++)
        for (size_t at = i; !list->items[at].linked && list->items[at].parent != NOWHERE;) {
            struct listed *parent = &list->items[list->items[at].parent];
            list->items[at].linked = true;
            if (parent->first_fork == NOWHERE)
                parent->first_fork = at;
            else
                list->items[parent->last_fork].next_fork = at;
            parent->last_fork = at;
            at = list->items[at].parent;
        }
}

// The ancestor without a parent in the list, or any if damaged rows form a cycle.
static size_t find_top(const struct list *list, size_t at) {
    for (size_t steps = 0; steps < list->count && list->items[at].parent != NOWHERE; steps++)
        at = list->items[at].parent;
    return at;
}

// Writes the family below `top`, each conversation before its forks. `placed` breaks cycles.
static void place_family(struct list *list, size_t top, struct conversation_row *rows,
                         size_t *count) {
    size_t at = top;
    int32_t depth = 0;
    for (;;) {
        struct listed *listed = &list->items[at];
        if (!listed->placed) {
            listed->placed = true;
            listed->row.depth = depth;
            rows[(*count)++] = listed->row;
        }
        const size_t fork = listed->first_fork;
        if (fork != NOWHERE && !list->items[fork].placed) {
            at = fork;
            depth++;
            continue;
        }
        while (at != top && (list->items[at].next_fork == NOWHERE ||
                             list->items[list->items[at].next_fork].placed)) {
            at = list->items[at].parent;
            depth--;
        }
        if (at == top) return;
        at = list->items[at].next_fork;
    }
}

static void place_families(struct list *list, struct conversation_row *rows) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i].placed) place_family(list, find_top(list, i), rows, &count);
        if (!list->items[i].placed) place_family(list, i, rows, &count); // in a cycle
    }
}

enum status conversation_list(struct db *db, const struct conversation_query *query,
                              struct conversation_row **result, size_t *count, struct error *err) {
    struct rows found = {.item_bytes = sizeof(struct listed)};
    struct conversation_row *rows = NULL;
    enum status status = query->words[0] ? load_found(db, query->words, query->limit, &found, err)
                                         : load_newest(db, query, &found, err);
    struct list list = {found.items, found.count};
    if (status == STATUS_OK) status = find_parents(db, &list, err);
    if (status == STATUS_OK) {
        rows = malloc((list.count + 1) * sizeof *rows);
        if (!rows) status = STATUS_NO_MEMORY;
    }
    if (status == STATUS_OK) {
        link_forks(&list);
        place_families(&list, rows);
        *result = rows;
        *count = list.count;
    }
    free(list.items);
    return status;
}

enum status conversation_count(struct db *db, bool one_shot, int64_t *count, struct error *err) {
    static const char sql[] =
        "SELECT count(*) FROM conversation c WHERE c.one_shot <= ?1 AND " HAS_TEXT;
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, one_shot);
    return statement_first_integer(&statement, count, err);
}
