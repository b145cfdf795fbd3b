// store/search.c — full-text hits, merged with the paths of the conversations.
//
// Hits come newest first, that is with falling ids, and so do the messages of a path from its
// tip. So each conversation keeps a cursor on its path, which only moves up: a path is walked
// at most once in a search, whatever the number of hits.
#include "store/search.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "store/conversation.h"
#include "store/message.h"
#include "store/preview.h"

// A conversation that is not found yet.
struct candidate {
    int64_t root; // of the tree that it is in
    int64_t number;
    int64_t cursor; // on its path; MESSAGE_NONE: past the root, or found
};

struct candidates {
    struct candidate *items; // by root
    size_t count;
};

static bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// Of the characters beyond ASCII, nearly all are letters.
static bool is_letter(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || (byte & 0x80);
}

// What the index has no token for would make the whole query find nothing.
static bool has_token(const char *word, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (is_letter(word[i])) return true;
    return false;
}

// "word"* with its quotation marks doubled: nothing in it is syntax any more. A single letter
// begins too many words, and punctuation ends one: those are looked for as they are.
static enum status append_quoted(struct text *match, const char *word, size_t length) {
    ASSERT(length > 0);
    const bool begins = length >= 2 && is_letter(word[length - 1]) && is_letter(word[length - 2]);
    TRY(text_append_string(match, match->length > 0 ? " \"" : "\""));
    for (size_t i = 0; i < length; i++)
        TRY(text_append(match, word[i] == '"' ? "\"\"" : &word[i], word[i] == '"' ? 2 : 1));
    return text_append_string(match, begins ? "\"*" : "\"");
}

// *match stays empty when the query has no words.
static enum status make_match(const char *query, struct text *match, struct error *err) {
    size_t words = 0;
    for (const char *at = query; *at;) {
        size_t length = 0;
        while (at[length] && !is_space(at[length]))
            length++;
        if (has_token(at, length)) {
            if (++words > SEARCH_MAX_WORDS)
                return error_set(err, STATUS_BAD_INPUT, "at most %d words can be searched for",
                                 SEARCH_MAX_WORDS);
            TRY(append_quoted(match, at, length));
        }
        at += length;
        while (is_space(*at))
            at++;
    }
    return STATUS_OK;
}

static int compare_roots(const void *left, const void *right) {
    const struct candidate *a = left, *b = right;
    return (a->root > b->root) - (a->root < b->root);
}

static enum status read_candidate(struct statement *statement, void *item, struct error *err) {
    struct candidate *candidate = item;
    candidate->root = statement_integer(statement, 0, 1, INT64_MAX);
    candidate->number = statement_integer(statement, 1, 1, UINT32_MAX);
    candidate->cursor = statement_integer(statement, 2, 1, INT64_MAX);
    return statement_sound(statement, "conversation", candidate->number, err);
}

static enum status load_candidates(struct db *db, struct candidates *candidates,
                                   struct error *err) {
    static const char sql[] = "SELECT m.root, c.id, c.tip FROM conversation c"
                              " CROSS JOIN message m ON m.id = c.tip";
    struct statement statement;
    struct rows rows = {.item_bytes = sizeof(struct candidate)};
    TRY(statement_start(db, sql, &statement, err));
    TRY(statement_rows(&statement, read_candidate, &rows, err));
    *candidates = (struct candidates){rows.items, rows.count};
    if (rows.count > 0) qsort(rows.items, rows.count, rows.item_bytes, compare_roots);
    return STATUS_OK;
}

// The first candidate in the tree of this root, or count.
static size_t first_of_root(const struct candidates *candidates, int64_t root) {
    size_t low = 0, high = candidates->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (candidates->items[middle].root < root)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Up to the newest message of the path that is not newer than `hit`.
static enum status move_cursor(struct db *db, struct candidate *candidate, int64_t hit,
                               struct error *err) {
    static const char sql[] =
        "WITH RECURSIVE path(id, parent) AS (SELECT id, parent FROM message WHERE id = ?1"
        " UNION ALL SELECT m.id, m.parent FROM path"
        " JOIN message m ON m.id = path.parent AND m.id < path.id WHERE path.id > ?2)"
        "SELECT id FROM path WHERE id <= ?2";
    struct statement statement;
    ASSERT(candidate->cursor > hit);
    int64_t reached = MESSAGE_NONE;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, candidate->cursor);
    statement_bind_integer(&statement, 2, hit);
    const enum status status = statement_first_integer(&statement, &reached, err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) return status;
    candidate->cursor = reached;
    return STATUS_OK;
}

struct hits {
    struct search_hit *items; // [limit]
    size_t count, limit;
};

static void push_hit(struct hits *hits, int64_t conversation, const char *shown, size_t length) {
    ASSERT(hits->count < hits->limit);
    struct search_hit *hit = &hits->items[hits->count++];
    hit->conversation = conversation;
    preview_make(shown, length, hit->shown, sizeof hit->shown);
}

// ---- names

static bool ends_word(char byte) { return is_space(byte) || byte == '"' || byte == '\0'; }

// Whatever the case of ASCII letters, and without the query's quotation marks.
static bool name_has_words(const char *name, const char *query) {
    char word[CONVERSATION_NAME_BYTES];
    size_t words = 0;
    for (const char *at = query; *at;) {
        size_t length = 0;
        while (!ends_word(at[length]))
            length++;
        if (length >= sizeof word) return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (length > 0 && !strcasestr(name, word)) return false;
        words += length > 0;
        at += length + (at[length] != '\0');
    }
    return words > 0;
}

// Its messages need not be searched.
static void forget_candidate(struct candidates *candidates, int64_t number) {
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->items[i].number == number) candidates->items[i].cursor = MESSAGE_NONE;
}

static enum status find_names(struct db *db, const char *query, struct candidates *candidates,
                              struct hits *hits, struct error *err) {
    static const char sql[] =
        "SELECT id, name FROM conversation WHERE name IS NOT NULL ORDER BY used DESC";
    struct statement statement;
    bool row = true;
    TRY(statement_start(db, sql, &statement, err));
    enum status status = statement_step(&statement, &row, err);
    while (status == STATUS_OK && row && hits->count < hits->limit) {
        size_t length;
        const int64_t number = statement_integer(&statement, 0, 1, UINT32_MAX);
        const char *name = statement_text(&statement, 1, &length);
        status = statement_sound(&statement, "conversation", number, err);
        if (status == STATUS_OK && name_has_words(name, query)) {
            push_hit(hits, number, "", 0);
            forget_candidate(candidates, number);
        }
        if (status == STATUS_OK) status = statement_step(&statement, &row, err);
    }
    statement_finish(&statement);
    return status;
}

// ---- messages

static enum status push_message(struct db *db, const struct text *match, int64_t message,
                                int64_t conversation, struct hits *hits, struct error *err) {
    static const char sql[] = "SELECT CAST(snippet(message_search, 0, '', '', '…', 12) AS BLOB)"
                              " FROM message_search WHERE text MATCH ?1 AND rowid = ?2";
    struct statement statement;
    bool row = true;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_text(&statement, 1, match->bytes, match->length);
    statement_bind_integer(&statement, 2, message);
    const enum status status = statement_step(&statement, &row, err);
    if (status == STATUS_OK && row) {
        size_t length;
        const char *shown = statement_blob(&statement, 0, &length);
        push_hit(hits, conversation, shown, length);
    }
    statement_finish(&statement);
    return status;
}

static enum status push_hits(struct db *db, const struct text *match, struct candidates *candidates,
                             int64_t message, int64_t root, struct hits *hits, struct error *err) {
    ASSERT(hits->count <= hits->limit);
    for (size_t i = first_of_root(candidates, root); i < candidates->count; i++) {
        struct candidate *candidate = &candidates->items[i];
        if (candidate->root != root || hits->count == hits->limit) break;
        if (candidate->cursor > message) TRY(move_cursor(db, candidate, message, err));
        if (candidate->cursor != message) continue;
        candidate->cursor = MESSAGE_NONE;
        TRY(push_message(db, match, message, candidate->number, hits, err));
    }
    return STATUS_OK;
}

static enum status find_messages(struct db *db, const struct text *match,
                                 struct candidates *candidates, struct hits *hits,
                                 struct error *err) {
    static const char sql[] =
        "SELECT s.rowid, m.root FROM message_search s CROSS JOIN message m ON m.id = s.rowid"
        " WHERE s.text MATCH ?1 ORDER BY s.rowid DESC";
    struct statement statement;
    bool row = true;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_text(&statement, 1, match->bytes, match->length);
    enum status status = statement_step(&statement, &row, err);
    while (status == STATUS_OK && row && hits->count < hits->limit) {
        const int64_t message = statement_integer(&statement, 0, 1, INT64_MAX);
        const int64_t root = statement_integer(&statement, 1, 1, INT64_MAX);
        status = statement_sound(&statement, "message", message, err);
        if (status == STATUS_OK)
            status = push_hits(db, match, candidates, message, root, hits, err);
        if (status == STATUS_OK) status = statement_step(&statement, &row, err);
    }
    statement_finish(&statement);
    return status;
}

static enum status begin_hits(struct db *db, size_t limit, struct hits *hits, struct error *err) {
    ASSERT(!hits->items);
    struct statement statement;
    int64_t conversations = 0;
    TRY(statement_start(db, "SELECT count(*) FROM conversation", &statement, err));
    TRY(statement_first_integer(&statement, &conversations, err));
    hits->limit = limit < (size_t)conversations ? limit : (size_t)conversations;
    hits->items = malloc((hits->limit + 1) * sizeof *hits->items);
    return hits->items ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status search_conversations(struct db *db, const char *query, size_t limit,
                                 struct search_hit **result, size_t *count, struct error *err) {
    struct text match = {0};
    struct candidates candidates = {0};
    struct hits hits = {0};
    enum status status = make_match(query, &match, err);
    if (status == STATUS_OK) status = begin_hits(db, limit, &hits, err);
    if (status == STATUS_OK && match.length > 0) status = load_candidates(db, &candidates, err);
    if (status == STATUS_OK) status = find_names(db, query, &candidates, &hits, err);
    if (status == STATUS_OK && match.length > 0)
        status = find_messages(db, &match, &candidates, &hits, err);
    free(candidates.items);
    text_deinit(&match);
    if (status != STATUS_OK) {
        free(hits.items);
        return status;
    }
    *result = hits.items;
    *count = hits.count;
    return STATUS_OK;
}
