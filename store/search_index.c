#include "store/search_index.h"

#include <stdlib.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"
#include "store/statement.h"
#include "store/transaction.h"

bool search_index_is_single(uint32_t code_point) {
    static const struct range {
        uint32_t first, last;
    } RANGES[] = {
        {0x0E00, 0x0EFF},                     // Thai, Lao
        {0x1000, 0x109F},                     // Burmese
        {0x1100, 0x11FF},                     // Hangul Jamo
        {0x1780, 0x17FF},                     // Khmer
        {0x1950, 0x19FF},                     // Tai Le, New Tai Lue, Khmer symbols
        {0x1A20, 0x1AAF},                     // Tai Tham
        {0x2E80, 0x2FDF},                     // radicals
        {0x3005, 0x3007},                     // marks of repetition, zero
        {0x3021, 0x3029},                     // Hangzhou numerals
        {0x3031, 0x3035},                     // marks of repetition
        {0x303B, 0x303B},   {0x3041, 0x309F}, // Hiragana
        {0x30A1, 0x30FA},                     // Katakana, but its double hyphen and its middle dot
        {0x30FC, 0x318F},                     // and Bopomofo, Hangul Jamo
        {0x31A0, 0x31FF},                     // Bopomofo, strokes, Katakana
        {0x3400, 0x4DBF},                     // ideographs
        {0x4E00, 0x9FFF},   {0xA960, 0xA97F}, // Hangul Jamo
        {0xA9E0, 0xA9FF},                     // Burmese
        {0xAA60, 0xAADF},                     // Burmese, Tai Viet
        {0xAC00, 0xD7FF},                     // Hangul
        {0xF900, 0xFAFF},                     // ideographs
        {0xFF66, 0xFFDC},                     // Katakana and Hangul of half width
        {0x1AFF0, 0x1B16F},                   // Kana
        {0x20000, 0x3FFFF},                   // ideographs
    };
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0] && code_point >= RANGES[i].first; i++)
        if (code_point <= RANGES[i].last) return true;
    return false;
}

// ---- the tokenizer

struct tokenizer_of_words {
    fts5_tokenizer ops; // unicode61
    Fts5Tokenizer *words;
};

typedef int take_token(void *user, int flags, const char *token, int length, int start, int end);

// Emits the tokens of a piece of the text that begins at `offset`.
struct piece {
    take_token *take;
    void *user;
    int offset;
};

static int take_from_piece(void *user, int flags, const char *token, int length, int start,
                           int end) {
    const struct piece *piece = user;
    return piece->take(piece->user, flags, token, length, piece->offset + start,
                       piece->offset + end);
}

static int create_tokenizer(void *api_pointer, const char **arguments, int count,
                            Fts5Tokenizer **result) {
    fts5_api *api = api_pointer;
    void *user = NULL;
    struct tokenizer_of_words *made = calloc(1, sizeof *made);
    if (!made) return SQLITE_NOMEM;
    int code = api->xFindTokenizer(api, "unicode61", &user, &made->ops);
    if (code == SQLITE_OK) code = made->ops.xCreate(user, arguments, count, &made->words);
    if (code == SQLITE_OK)
        *result = (Fts5Tokenizer *)made;
    else
        free(made);
    return code;
}

static void delete (Fts5Tokenizer *tokenizer) {
    struct tokenizer_of_words *doomed = (struct tokenizer_of_words *)tokenizer;
    doomed->ops.xDelete(doomed->words);
    free(doomed);
}

// Length of the text before the first single-character token.
static int words_before_single(const char *text, int length) {
    size_t used;
    for (int at = 0; at < length; at += (int)used) {
        used = 1;
        if (!(text[at] & 0x80)) continue;
        if (search_index_is_single(utf8_decode(text + at, (size_t)(length - at), &used))) return at;
    }
    return length;
}

static int tokenize(Fts5Tokenizer *tokenizer, void *user, int flags, const char *text, int length,
                    take_token *take) {
    const struct tokenizer_of_words *own = (const struct tokenizer_of_words *)tokenizer;
    int code = SQLITE_OK;
    for (int at = 0; at < length && code == SQLITE_OK;) {
        const int words = words_before_single(text + at, length - at);
        struct piece piece = {take, user, at};
        if (words > 0)
            code = own->ops.xTokenize(own->words, &piece, flags, text + at, words, take_from_piece);
        at += words;
        if (at == length || code != SQLITE_OK) break;
        size_t used;
        utf8_decode(text + at, (size_t)(length - at), &used);
        code = take(user, 0, text + at, (int)used, at, at + (int)used);
        at += (int)used;
    }
    return code;
}

enum status search_index_register(struct db *db, struct error *err) {
    static fts5_tokenizer ops = {create_tokenizer, delete, tokenize};
    fts5_api *api = NULL;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db->handle, "SELECT fts5(?1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", NULL);
    if (code == SQLITE_OK) sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (code == SQLITE_OK && !api) code = SQLITE_ERROR;
    if (code == SQLITE_OK) code = api->xCreateTokenizer(api, "quire", api, &ops, NULL);
    return code == SQLITE_OK ? STATUS_OK : db_failure(db, code, err);
}

// ---- indexing older messages

static enum status get_integer(struct db *db, const char *sql, int64_t parameter, int64_t *value,
                               struct error *err) {
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    if (parameter) statement_bind_integer(&statement, 1, parameter);
    return statement_first_integer(&statement, value, err);
}

static enum status run_range(struct db *db, const char *sql, int64_t first, int64_t last,
                             struct error *err) {
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, first);
    if (last) statement_bind_integer(&statement, 2, last);
    return statement_run(&statement, err);
}

// The newest batch comes first, but each batch is in ascending order, because FTS5 starts a new
// segment whenever an id decreases.
static enum status index_some(struct db *db, bool *done, struct error *err) {
    static const char state[] = "SELECT indexed_from FROM search_state";
    static const char first[] = // first id of the batch; 0: none left
        "SELECT coalesce(min(id), 0) FROM (SELECT id FROM message_body WHERE id < ?1"
        " ORDER BY id DESC LIMIT 1000)";
    static const char add[] = "INSERT INTO message_search(rowid, text) SELECT id, text"
                              " FROM message_body WHERE id >= ?1 AND id < ?2 ORDER BY id";
    static const char note[] = "UPDATE search_state SET indexed_from = ?1";
    int64_t from, begin = 0;
    ASSERT(db->depth > 0);
    const enum status status = get_integer(db, state, 0, &from, err);
    if (status == STATUS_NOT_FOUND)
        return error_set(err, STATUS_BAD_FILE,
                         "%s is damaged: the state of its search index is missing", db->path);
    TRY(status);
    *done = from <= 1;
    if (*done) return STATUS_OK;
    TRY(get_integer(db, first, from, &begin, err));
    if (begin > 0) TRY(run_range(db, add, begin, from, err));
    return run_range(db, note, begin, 0, err);
}

enum status search_index_some(struct db *db, bool *done, struct error *err) {
    TRY(db_begin(db, err));
    enum status status = index_some(db, done, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}
