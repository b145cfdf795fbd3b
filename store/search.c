// store/search.c — full-text hits, merged with the paths of the conversations.
//
// The query becomes an expression of FTS5 in which every word is quoted, so nothing in it is
// syntax. search_index.h splits text so that a Chinese character is a token: 東京 is a phrase
// of two tokens, found in the middle of 新東京駅, and 京 alone is found too.
//
//   qui      "qui"*    what begins so
//   a        "a"       only the word itself: too many begin so
//   東京     "東京"    the phrase, anywhere
//
// A hit is a message; the answer is the conversations whose path, from the tip to the root, passes
// through it. A parent is older than its children, so ids decrease along a path, and hits come
// newest first, so their ids decrease too. Each conversation keeps a cursor on its path that only
// moves up, and however many hits there are, a path is walked at most once:
//
//   1 ─ 2 ─ 3 ─ 6      conversation A, tip 6          hits: 6, 4, 2
//        └─ 4 ─ 5      conversation B, tip 5
//
//   hit 6    A's cursor is at 6: found               B's is at 5, below it: not on its path
//   hit 4                                            B's moves from 5 to 4: found
//   hit 2    both are found already
//
// Conversations are read when their tree has its first hit; others cost nothing.
#include "store/search.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "store/conversation.h"
#include "store/message.h"
#include "store/preview.h"
#include "store/search_index.h"

// A conversation not found yet.
struct candidate {
    int64_t number;
    int64_t cursor; // on its path; MESSAGE_NONE: past the root, or found
};

// The candidates of a tree that had a hit.
struct tree {
    int64_t root; // 0: free
    size_t first, count;
};

struct candidates {
    struct rows rows;   // of struct candidate, tree by tree
    struct tree *trees; // [places], a power of two, by root
    size_t places, tree_count;
    int64_t *named; // [named_count], sorted: already found by name
    size_t named_count;
};

// Length of a blank at the start, which may be an ideographic one; 0: none.
static size_t blank_bytes(const char *text) {
    static const char *const WIDE[] = {"\u3000", "\u00A0"};
    if (*text == ' ' || (*text >= '\t' && *text <= '\r')) return 1;
    for (size_t i = 0; i < sizeof WIDE / sizeof WIDE[0]; i++)
        if (strncmp(text, WIDE[i], strlen(WIDE[i])) == 0) return strlen(WIDE[i]);
    return 0;
}

// Nearly all characters beyond ASCII are letters.
static bool is_letter(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || (byte & 0x80);
}

// A word without tokens would make the whole query find nothing.
static bool has_token(const char *word, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (is_letter(word[i])) return true;
    return false;
}

static uint32_t last_character(const char *word, size_t length) {
    size_t at = length - 1, used;
    while (at > 0 && (word[at] & 0xC0) == 0x80)
        at--;
    return utf8_decode(word + at, length - at, &used);
}

// Appends "word"* with its quotation marks doubled, so that nothing in it is syntax. The * is
// omitted for a single letter, which begins too many words, and for a word that ends with
// punctuation or with a character that is a token by itself.
static enum status append_quoted(struct text *match, const char *word, size_t length) {
    ASSERT(length > 0);
    const bool begins = length >= 2 && is_letter(word[length - 1]) && is_letter(word[length - 2]) &&
                        !search_index_is_single(last_character(word, length));
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
        while (at[length] && !blank_bytes(at + length))
            length++;
        if (has_token(at, length)) {
            if (++words > SEARCH_MAX_WORDS)
                return error_set(err, STATUS_BAD_INPUT, "too many words to search for (at most %d)",
                                 SEARCH_MAX_WORDS);
            TRY(append_quoted(match, at, length));
        }
        at += length;
        while (blank_bytes(at))
            at += blank_bytes(at);
    }
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

static int compare_numbers(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static enum status note_named(struct candidates *candidates, const struct hits *hits) {
    candidates->named = malloc((hits->count + 1) * sizeof candidates->named[0]);
    if (!candidates->named) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < hits->count; i++)
        candidates->named[i] = hits->items[i].conversation;
    candidates->named_count = hits->count;
    if (hits->count > 0)
        qsort(candidates->named, hits->count, sizeof candidates->named[0], compare_numbers);
    return STATUS_OK;
}

static void candidates_deinit(struct candidates *candidates) {
    free(candidates->rows.items);
    free(candidates->trees);
    free(candidates->named);
}

static struct tree *place_of(struct tree *trees, size_t places, int64_t root) {
    size_t at = (size_t)((uint64_t)root * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (places - 1);
    while (trees[at].root != 0 && trees[at].root != root)
        at = (at + 1) & (places - 1);
    return &trees[at];
}

static enum status make_place(struct candidates *candidates) {
    enum { PLACES_LEAST = 64 };
    if (candidates->tree_count * 2 < candidates->places) return STATUS_OK;
    const size_t places = candidates->places ? 2 * candidates->places : PLACES_LEAST;
    struct tree *trees = calloc(places, sizeof *trees);
    if (!trees) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < candidates->places; i++)
        if (candidates->trees[i].root != 0)
            *place_of(trees, places, candidates->trees[i].root) = candidates->trees[i];
    free(candidates->trees);
    candidates->trees = trees;
    candidates->places = places;
    return STATUS_OK;
}

static enum status read_candidate(struct statement *statement, void *item, struct error *err) {
    struct candidate *candidate = item;
    candidate->number = statement_integer(statement, 0, 1, UINT32_MAX);
    candidate->cursor = statement_integer(statement, 1, 1, INT64_MAX);
    return statement_sound(statement, "conversation", candidate->number, err);
}

// The candidates of this tree, read at its first hit.
static enum status find_tree(struct db *db, struct candidates *candidates, int64_t root,
                             struct tree **tree, struct error *err) {
    static const char sql[] = "SELECT c.id, c.tip FROM conversation_root r"
                              " CROSS JOIN conversation c ON c.id = r.conversation"
                              " CROSS JOIN message m ON m.id = c.tip AND m.root = ?1"
                              " WHERE r.root = ?1";
    struct statement statement;
    struct rows *rows = &candidates->rows;
    TRY(make_place(candidates));
    *tree = place_of(candidates->trees, candidates->places, root);
    if ((*tree)->root == root) return STATUS_OK;
    const size_t first = rows->count;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, root);
    TRY(statement_rows(&statement, read_candidate, rows, err));
    **tree = (struct tree){root, first, rows->count - first};
    candidates->tree_count++;
    for (size_t i = first; i < rows->count; i++) {
        struct candidate *candidate = &((struct candidate *)rows->items)[i];
        if (candidates->named_count > 0 &&
            bsearch(&candidate->number, candidates->named, candidates->named_count,
                    sizeof candidates->named[0], compare_numbers))
            candidate->cursor = MESSAGE_NONE;
    }
    return STATUS_OK;
}

// Moves up to the newest message on the path that is not newer than `hit`.
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

// ---- names

// Length of what ends a word here; the end of the text counts as 1.
static size_t end_bytes(const char *text) {
    return *text == '"' || *text == '\0' ? 1 : blank_bytes(text);
}

// Ignores the case of ASCII letters and the query's quotation marks.
static bool name_has_words(const char *name, const char *query) {
    char word[CONVERSATION_NAME_BYTES];
    size_t words = 0;
    for (const char *at = query; *at;) {
        size_t length = 0;
        while (!end_bytes(at + length))
            length++;
        if (length >= sizeof word) return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (length > 0 && !strcasestr(name, word)) return false;
        words += length > 0;
        at += length;
        at += *at ? end_bytes(at) : 0;
    }
    return words > 0;
}

static enum status find_names(struct db *db, const char *query, struct hits *hits,
                              struct error *err) {
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
        if (status == STATUS_OK && name_has_words(name, query)) push_hit(hits, number, "", 0);
        if (status == STATUS_OK) status = statement_step(&statement, &row, err);
    }
    statement_finish(&statement);
    return status;
}

// ---- messages

static bool has_single(const struct text *match) {
    for (size_t at = 0, used; at < match->length; at += used)
        if (search_index_is_single(utf8_decode(match->bytes + at, match->length - at, &used)))
            return true;
    return false;
}

enum { MARK_BEGIN = 1, MARK_END = 2 };

// Cuts out the text around the first match of a marked text.
static enum status cut_around_match(const char *marked, size_t length, struct text *shown) {
    enum { BEFORE = 8 };
    const char *match = memchr(marked, MARK_BEGIN, length);
    size_t at = match ? (size_t)(match - marked) : 0;
    for (int i = 0; i < BEFORE && at > 0; i++) {
        at--;
        while (at > 0 && (marked[at] & 0xC0) == 0x80)
            at--;
    }
    if (at > 0) TRY(text_append_string(shown, "…"));
    for (; at < length && shown->length < 2 * SEARCH_SHOWN_BYTES; at++)
        if (marked[at] != MARK_BEGIN && marked[at] != MARK_END)
            TRY(text_append(shown, marked + at, 1));
    return STATUS_OK;
}

// snippet() shows words. But it counts tokens and can cut a phrase, and a word of single-character
// tokens is a phrase: such words are shown by their position instead.
static enum status push_message(struct db *db, const struct text *match, int64_t message,
                                int64_t conversation, struct hits *hits, struct error *err) {
    static const char words[] = "SELECT CAST(snippet(message_search, 0, '', '', '…', 12) AS BLOB)"
                                " FROM message_search WHERE text MATCH ?1 AND rowid = ?2";
    static const char marked[] =
        "SELECT CAST(highlight(message_search, 0, char(1), char(2)) AS BLOB)"
        " FROM message_search WHERE text MATCH ?1 AND rowid = ?2";
    struct statement statement;
    struct text shown = {0};
    bool row = true;
    const bool single = has_single(match);
    TRY(statement_start(db, single ? marked : words, &statement, err));
    statement_bind_text(&statement, 1, match->bytes, match->length);
    statement_bind_integer(&statement, 2, message);
    enum status status = statement_step(&statement, &row, err);
    if (status == STATUS_OK && row) {
        size_t length;
        const char *bytes = statement_blob(&statement, 0, &length);
        status =
            single ? cut_around_match(bytes, length, &shown) : text_append(&shown, bytes, length);
        if (status == STATUS_OK) push_hit(hits, conversation, text_string(&shown), shown.length);
    }
    text_deinit(&shown);
    statement_finish(&statement);
    return status;
}

static enum status push_hits(struct db *db, const struct text *match, struct candidates *candidates,
                             int64_t message, int64_t root, struct hits *hits, struct error *err) {
    struct tree *tree;
    TRY(find_tree(db, candidates, root, &tree, err));
    for (size_t i = 0; i < tree->count && hits->count < hits->limit; i++) {
        struct candidate *candidate =
            &((struct candidate *)candidates->rows.items)[tree->first + i];
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
    struct candidates candidates = {.rows = {.item_bytes = sizeof(struct candidate)}};
    struct hits hits = {0};
    enum status status = make_match(query, &match, err);
    if (status == STATUS_OK) status = begin_hits(db, limit, &hits, err);
    if (status == STATUS_OK) status = find_names(db, query, &hits, err);
    if (status == STATUS_OK) status = note_named(&candidates, &hits);
    if (status == STATUS_OK && match.length > 0)
        status = find_messages(db, &match, &candidates, &hits, err);
    candidates_deinit(&candidates);
    text_deinit(&match);
    if (status != STATUS_OK) {
        free(hits.items);
        return status;
    }
    *result = hits.items;
    *count = hits.count;
    return STATUS_OK;
}
