#include "engine/tokenizer/json_vocabulary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"

// The vocabulary that is being filled.
struct filling {
    struct vocabulary *vocabulary;
    const char *name;
    char *next; // free bytes in vocabulary->texts
    bool bytes; // are "<0x0A>" tokens of bytes?
    struct error *err;
};

void json_model_read(struct json_view view, struct json_model *model) {
    *model = (struct json_model){0};
    const struct {
        const char *name;
        struct json_view *view;
    } members[] = {
        {"type", &model->type},
        {"vocab", &model->vocab},
        {"merges", &model->merges},
        {"unk_token", &model->unk_token},
        {"unk_id", &model->unk_id},
        {"dropout", &model->dropout},
        {"continuing_subword_prefix", &model->continuing_subword_prefix},
        {"end_of_word_suffix", &model->end_of_word_suffix},
        {"byte_fallback", &model->byte_fallback},
        {"fuse_unk", &model->fuse_unk},
        {"ignore_merges", &model->ignore_merges},
    };
    struct json_view key, value;
    if (json_view_kind(view) != JSON_OBJECT) return;
    for (size_t cursor = 0; json_view_next(view, &cursor, &key, &value);)
        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
            if (json_view_is(key, members[i].name)) *members[i].view = value;
}

enum status json_check_flags(struct json_view object, const char *name, struct error *err) {
    static const char *const flags[] = {
        "byte_fallback", "fuse_unk",         "ignore_merges",     "special",    "lstrip",
        "rstrip",        "single_word",      "normalized",        "invert",     "split",
        "use_regex",     "add_prefix_space", "individual_digits", "strip_left", "strip_right"};
    struct json_view key = {0}, value; // of a list's items there is no key
    for (size_t cursor = 0; json_view_next(object, &cursor, &key, &value);) {
        const enum json_kind kind = json_view_kind(value);
        if (kind == JSON_TRUE || kind == JSON_FALSE || kind == JSON_NULL) continue;
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
            if (json_view_is(key, flags[i]))
                return error_set(err, STATUS_BAD_FILE,
                                 "%s: tokenizer.json: %s must be true or false", name, flags[i]);
    }
    return STATUS_OK;
}

static bool is_true(struct json_view object, const char *name) {
    return json_view_kind(json_view_find(object, name)) == JSON_TRUE;
}

static enum status refuse_vocabulary(const struct filling *filling, const char *what) {
    return error_set(filling->err, STATUS_BAD_FILE, "%s: tokenizer.json: %s", filling->name, what);
}

// Grows *count to hold the id, and *capacity by the bytes of its text.
static enum status measure_token(const struct filling *filling, struct json_view text, int64_t id,
                                 size_t *count, size_t *capacity) {
    ASSERT(*count <= TOKENIZER_MAX_VOCABULARY);
    if (json_view_kind(text) != JSON_STRING)
        return refuse_vocabulary(filling, "a token has no text");
    if (id < 0 || id >= TOKENIZER_MAX_VOCABULARY)
        return error_set(filling->err, STATUS_BAD_FILE,
                         "%s: tokenizer.json: token id %" PRId64 " is out of range (0 to %d)",
                         filling->name, id, TOKENIZER_MAX_VOCABULARY - 1);
    const size_t bytes = json_view_string_bound(text);
    if (bytes > 6 * VOCABULARY_MAX_TEXT_BYTES)
        return error_set(filling->err, STATUS_BAD_FILE,
                         "%s: tokenizer.json: token %" PRId64 " is longer than %d bytes",
                         filling->name, id, VOCABULARY_MAX_TEXT_BYTES);
    if ((size_t)id >= *count) *count = (size_t)id + 1;
    *capacity += bytes; // at most the file's size
    return STATUS_OK;
}

static enum status measure_all(const struct filling *filling, const struct json_model *model,
                               struct json_view added, size_t *count, size_t *capacity) {
    struct json_view key, value;
    int64_t id = 0;
    const bool object = json_view_kind(model->vocab) == JSON_OBJECT;
    for (size_t cursor = 0; json_view_next(model->vocab, &cursor, &key, &value); id++) {
        size_t inner = 0;
        if (object && !json_view_int(value, &id))
            return refuse_vocabulary(filling, "the id of a token is not an integer");
        if (!object && !json_view_next(value, &inner, NULL, &key))
            return refuse_vocabulary(filling, "a token has no text");
        TRY(measure_token(filling, key, id, count, capacity));
    }
    for (size_t cursor = 0; json_view_next(added, &cursor, NULL, &value);) {
        if (!json_view_int(json_view_find(value, "id"), &id))
            return refuse_vocabulary(filling, "an added token has no id");
        TRY(measure_token(filling, json_view_find(value, "content"), id, count, capacity));
    }
    return STATUS_OK;
}

// "<0x0A>"
static bool names_byte(struct gguf_string text) {
    return text.length == 6 && memcmp(text.bytes, "<0x", 3) == 0 && text.bytes[5] == '>' &&
           strspn(text.bytes + 3, "0123456789ABCDEFabcdef") >= 2;
}

static enum status put_token(struct filling *filling, struct json_view text, int64_t id,
                             struct vocabulary_token **token) {
    ASSERT(id >= 0 && id < filling->vocabulary->count); // as measured
    struct vocabulary_token *found = &filling->vocabulary->tokens[id];
    const struct gguf_string string = {filling->next, json_view_string(text, filling->next)};
    const bool taken = found->type != TOKEN_UNUSED;
    if (string.length > VOCABULARY_MAX_TEXT_BYTES ||
        (taken && (string.length != found->text.length ||
                   memcmp(string.bytes, found->text.bytes, string.length) != 0)))
        return error_set(filling->err, STATUS_BAD_FILE, "%s: tokenizer.json: token %" PRId64 " %s",
                         filling->name, id, taken ? "has two texts" : "is too long");
    if (!taken) {
        filling->next += string.length;
        *filling->next++ = '\0'; // so that a search for digits ends
        found->text = string;
    }
    *token = found;
    return STATUS_OK;
}

static enum status fill_vocab(struct filling *filling, const struct json_model *model) {
    struct json_view key, value;
    int64_t id = 0;
    const bool object = json_view_kind(model->vocab) == JSON_OBJECT;
    for (size_t cursor = 0; json_view_next(model->vocab, &cursor, &key, &value); id++) {
        struct vocabulary_token *token = NULL;
        struct json_view score = {0};
        size_t inner = 0;
        if (object) {
            if (!json_view_int(value, &id)) return refuse_vocabulary(filling, "a token has no id");
        } else if (!json_view_next(value, &inner, NULL, &key) ||
                   !json_view_next(value, &inner, NULL, &score)) {
            return refuse_vocabulary(filling, "a token has no score");
        }
        TRY(put_token(filling, key, id, &token));
        ASSERT(token);
        if (!object && !json_view_double(score, &token->score))
            return refuse_vocabulary(filling, "a score is not a number");
        token->type = filling->bytes && names_byte(token->text) ? TOKEN_BYTE : TOKEN_NORMAL;
    }
    filling->vocabulary->has_scores = !object;
    return STATUS_OK;
}

static enum status fill_added(struct filling *filling, struct json_view added) {
    struct json_view value;
    for (size_t cursor = 0; json_view_next(added, &cursor, NULL, &value);) {
        struct vocabulary_token *token = NULL;
        int64_t id = 0;
        if (!json_view_int(json_view_find(value, "id"), &id))
            return refuse_vocabulary(filling, "an added token has no id");
        TRY(json_check_flags(value, filling->name, filling->err));
        TRY(put_token(filling, json_view_find(value, "content"), id, &token));
        ASSERT(token);
        const bool special = is_true(value, "special");
        token->type = special ? TOKEN_CONTROL : TOKEN_USER_DEFINED;
        token->match = 0;
        if (is_true(value, "lstrip")) token->match |= TOKEN_TAKES_LEFT;
        if (is_true(value, "rstrip")) token->match |= TOKEN_TAKES_RIGHT;
        if (is_true(value, "single_word")) token->match |= TOKEN_STANDS_ALONE;
        if (is_true(value, "normalized") && !special) token->match |= TOKEN_NORMALIZED;
    }
    return STATUS_OK;
}

static enum status find_unknown(struct filling *filling, const struct json_model *model) {
    struct vocabulary *vocabulary = filling->vocabulary;
    int64_t id = TOKEN_NONE;
    if (json_view_kind(model->unk_token) == JSON_STRING)
        id = json_vocabulary_find(vocabulary, model->unk_token);
    else if (json_view_int(model->unk_id, &id) && (id < 0 || id >= vocabulary->count))
        return refuse_vocabulary(filling, "unk_id names no token");
    vocabulary->unknown = (int32_t)id;
    if (id != TOKEN_NONE && vocabulary_type(vocabulary, vocabulary->unknown) == TOKEN_NORMAL)
        vocabulary->tokens[id].type = TOKEN_UNKNOWN;
    return STATUS_OK;
}

enum status json_vocabulary_read(const struct json_model *model, struct json_view added,
                                 const char *name, struct vocabulary *vocabulary,
                                 struct error *err) {
    struct filling filling = {.vocabulary = vocabulary,
                              .name = name,
                              .bytes = json_view_kind(model->byte_fallback) == JSON_TRUE,
                              .err = err};
    size_t count = 0, capacity = 0;
    TRY(measure_all(&filling, model, added, &count, &capacity));
    if (count == 0) return refuse_vocabulary(&filling, "no tokens");
    // A NUL behind each text; there are at most as many texts as the file has tokens.
    struct json_view key, value;
    for (size_t cursor = 0; json_view_next(model->vocab, &cursor, &key, &value);)
        capacity++;
    for (size_t cursor = 0; json_view_next(added, &cursor, NULL, &value);)
        capacity++;
    TRY(vocabulary_init(vocabulary, count));
    vocabulary->has_types = true;
    // The longest text that is written before it is rejected as too long, or found to exist.
    if (!size_add(capacity, 6 * VOCABULARY_MAX_TEXT_BYTES, &capacity)) return STATUS_NO_MEMORY;
    filling.next = vocabulary->texts = malloc(capacity);
    if (!filling.next) return STATUS_NO_MEMORY;
    TRY(fill_vocab(&filling, model));
    TRY(fill_added(&filling, added));
    return find_unknown(&filling, model);
}

// A part of a merge: the string in the file if it has no escapes, otherwise decoded in `buffer`.
static bool read_part(struct json_view part, char buffer[6 * VOCABULARY_MAX_TEXT_BYTES],
                      struct gguf_string *text) {
    if (json_view_kind(part) != JSON_STRING) return false;
    const size_t length = json_view_string_bound(part);
    if (length > 6 * VOCABULARY_MAX_TEXT_BYTES) return false;
    *text = (struct gguf_string){part.bytes + 1, length};
    if (length > 0 && memchr(part.bytes + 1, '\\', length))
        *text = (struct gguf_string){buffer, json_view_string(part, buffer)};
    return true;
}

static bool read_merge(struct json_view merge, const struct vocabulary *vocabulary, uint32_t rank,
                       struct merge_table *table) {
    ASSERT(rank < MERGE_TABLE_MAX);
    char left_buffer[6 * VOCABULARY_MAX_TEXT_BYTES], right_buffer[6 * VOCABULARY_MAX_TEXT_BYTES];
    struct gguf_string left, right;
    if (json_view_kind(merge) == JSON_STRING) {
        if (!read_part(merge, left_buffer, &left)) return false;
        merge_table_add_line(table, vocabulary, left, rank);
        return true;
    }
    struct json_view part = {0};
    size_t cursor = 0;
    if (!json_view_next(merge, &cursor, NULL, &part) || !read_part(part, left_buffer, &left))
        return false;
    if (!json_view_next(merge, &cursor, NULL, &part) || !read_part(part, right_buffer, &right))
        return false;
    if (json_view_next(merge, &cursor, NULL, &part)) return false;
    merge_table_add(table, vocabulary, left, right, rank);
    return true;
}

enum status json_vocabulary_merges(struct json_view merges, const struct vocabulary *vocabulary,
                                   const char *name, struct merge_table *table, struct error *err) {
    struct json_view merge;
    size_t count = 0;
    for (size_t cursor = 0; json_view_next(merges, &cursor, NULL, &merge);)
        count++;
    if (json_view_kind(merges) != JSON_ARRAY || count > MERGE_TABLE_MAX)
        return error_set(err, STATUS_BAD_FILE, "%s: tokenizer.json: %s", name,
                         count > 0 ? "too many merges" : "merges must be a list");
    TRY(merge_table_init(table, count));
    uint32_t rank = 0;
    for (size_t cursor = 0; json_view_next(merges, &cursor, NULL, &merge); rank++)
        if (!read_merge(merge, vocabulary, rank, table))
            return error_set(err, STATUS_BAD_FILE,
                             "%s: tokenizer.json: merge %" PRIu32 " must be two strings", name,
                             rank);
    return STATUS_OK;
}

int32_t json_vocabulary_find(const struct vocabulary *vocabulary, struct json_view text) {
    char buffer[VOCABULARY_MAX_TEXT_BYTES];
    if (json_view_kind(text) != JSON_STRING || json_view_string_bound(text) > sizeof buffer)
        return TOKEN_NONE;
    const size_t length = json_view_string(text, buffer);
    for (int32_t id = 0; id < vocabulary->count; id++) {
        const struct gguf_string found = vocabulary->tokens[id].text;
        if (length > 0 && found.length == length && memcmp(found.bytes, buffer, length) == 0)
            return id;
    }
    return TOKEN_NONE;
}
