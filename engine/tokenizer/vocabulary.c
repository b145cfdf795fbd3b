#include "engine/tokenizer/vocabulary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"

// Names with which families end a turn.
static const char *const turn_end_names[] = {
    "<|im_end|>",    "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>",
    "<end_of_turn>", "<|end|>",    "<|eom_id|>",      "</s>",
};

// Marks of chat formats that do not look like "<|…|>". "<s>" is not among them: it is HTML too.
static const char *const control_names[] = {"<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"};

static bool is_name(struct gguf_string text, const char *name) {
    return text.length == strlen(name) && memcmp(text.bytes, name, text.length) == 0;
}

static bool is_one_of(struct gguf_string text, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_name(text, names[i])) return true;
    return false;
}

static bool in_angles(struct gguf_string text) {
    return text.length >= 3 && text.bytes[0] == '<' && text.bytes[text.length - 1] == '>';
}

// "<|im_end|>", "<|tool_call>", "<tool_call|>", and the same with fullwidth bars. The bars
// alone are ordinary text (a pipeline operator, an arrow).
static bool looks_like_control(struct gguf_string text) {
    static const char wide_bar[] = "\xEF\xBD\x9C";
    if (!in_angles(text) || text.length == 3) return false;
    if (text.bytes[1] == '|' || text.bytes[text.length - 2] == '|') return true;
    if (text.length > 5 && memcmp(text.bytes + 1, wide_bar, 3) == 0) return true;
    return is_one_of(text, control_names, sizeof control_names / sizeof control_names[0]);
}

static bool is_plain(const struct vocabulary_token *token) {
    return (token->type == TOKEN_NORMAL || token->type == TOKEN_USER_DEFINED) &&
           token->text.length > 0;
}

static bool is_marked(const struct vocabulary_token *token) {
    return (token->type == TOKEN_CONTROL || token->type == TOKEN_USER_DEFINED) &&
           token->text.length > 0;
}

static uint32_t hash_text(const char *bytes, size_t length) {
    return (uint32_t)hash_bytes(bytes, length, 0).low;
}

static bool is_integer(enum gguf_type type) {
    return type != GGUF_F32 && type != GGUF_F64 && type != GGUF_STRING && type != GGUF_ARRAY &&
           type != GGUF_BOOL;
}

static enum status read_texts(struct vocabulary *vocabulary, const struct gguf *gguf,
                              struct error *err) {
    struct gguf_array texts;
    if (!gguf_find_array(gguf, "tokenizer.ggml.tokens", &texts) || texts.type != GGUF_STRING)
        return error_set(err, STATUS_BAD_FILE, "%s: no strings in tokenizer.ggml.tokens",
                         gguf_path(gguf));
    if (texts.count == 0 || texts.count > TOKENIZER_MAX_VOCABULARY)
        return error_set(err, STATUS_BAD_FILE, "%s: %zu tokens; 1 to %d are possible",
                         gguf_path(gguf), texts.count, TOKENIZER_MAX_VOCABULARY);
    vocabulary->tokens = calloc(texts.count, sizeof vocabulary->tokens[0]);
    if (!vocabulary->tokens) return STATUS_NO_MEMORY;
    vocabulary->count = (int32_t)texts.count;
    size_t cursor = 0;
    for (size_t i = 0; i < texts.count; i++) {
        const struct gguf_string text = gguf_array_next_string(&texts, &cursor);
        if (text.length > VOCABULARY_MAX_TEXT_BYTES)
            return error_set(err, STATUS_BAD_FILE,
                             "%s: token %zu has %zu bytes; at most %d are possible",
                             gguf_path(gguf), i, text.length, VOCABULARY_MAX_TEXT_BYTES);
        vocabulary->tokens[i] = (struct vocabulary_token){.text = text, .type = TOKEN_NORMAL};
    }
    return STATUS_OK;
}

static enum status read_types(struct vocabulary *vocabulary, const struct gguf *gguf,
                              struct error *err) {
    struct gguf_array types;
    if (!gguf_find_array(gguf, "tokenizer.ggml.token_type", &types)) return STATUS_OK;
    if (!is_integer(types.type) || types.count != (size_t)vocabulary->count)
        return error_set(err, STATUS_BAD_FILE,
                         "%s: tokenizer.ggml.token_type is not one integer for each of %" PRId32
                         " tokens",
                         gguf_path(gguf), vocabulary->count);
    for (size_t i = 0; i < types.count; i++) {
        const int64_t type = gguf_array_int(&types, i);
        if (type < TOKEN_UNDEFINED || type > TOKEN_BYTE)
            return error_set(err, STATUS_BAD_FILE, "%s: token %zu has type %" PRId64,
                             gguf_path(gguf), i, type);
        vocabulary->tokens[i].type = (unsigned char)type;
    }
    vocabulary->has_types = true;
    return STATUS_OK;
}

static enum status read_scores(struct vocabulary *vocabulary, const struct gguf *gguf,
                               struct error *err) {
    struct gguf_array scores;
    if (!gguf_find_array(gguf, "tokenizer.ggml.scores", &scores)) return STATUS_OK;
    if (scores.type != GGUF_F32 || scores.count != (size_t)vocabulary->count)
        return error_set(err, STATUS_BAD_FILE,
                         "%s: tokenizer.ggml.scores is not one number for each of %" PRId32
                         " tokens",
                         gguf_path(gguf), vocabulary->count);
    for (size_t i = 0; i < scores.count; i++) {
        const double score = gguf_array_float(&scores, i);
        if (isnan(score))
            return error_set(err, STATUS_BAD_FILE, "%s: the score of token %zu is not a number",
                             gguf_path(gguf), i);
        vocabulary->tokens[i].score = (float)score;
    }
    vocabulary->has_scores = true;
    return STATUS_OK;
}

// -1, also written as 2^32 - 1, is how converters say that there is no such token.
static enum status read_id(const struct vocabulary *vocabulary, const struct gguf *gguf,
                           const char *key, int32_t *id, struct error *err) {
    int64_t value;
    *id = TOKEN_NONE;
    if (!gguf_find_int(gguf, key, &value) || value == -1 || value == UINT32_MAX) return STATUS_OK;
    if (value < 0 || value >= vocabulary->count)
        return error_set(err, STATUS_BAD_FILE,
                         "%s: %s is %" PRId64 "; there are %" PRId32 " tokens", gguf_path(gguf),
                         key, value, vocabulary->count);
    *id = (int32_t)value;
    return STATUS_OK;
}

// Tokens that the file names in a role and that look like a mark are marks, whatever their
// type: some converters give all tokens one type.
static enum status read_special_ids(struct vocabulary *vocabulary, const struct gguf *gguf,
                                    struct error *err) {
    int32_t eot, eom;
    TRY(read_id(vocabulary, gguf, "tokenizer.ggml.bos_token_id", &vocabulary->bos, err));
    TRY(read_id(vocabulary, gguf, "tokenizer.ggml.eos_token_id", &vocabulary->eos, err));
    TRY(read_id(vocabulary, gguf, "tokenizer.ggml.unknown_token_id", &vocabulary->unknown, err));
    TRY(read_id(vocabulary, gguf, "tokenizer.ggml.eot_token_id", &eot, err));
    TRY(read_id(vocabulary, gguf, "tokenizer.ggml.eom_token_id", &eom, err));
    const int32_t roles[] = {vocabulary->bos, vocabulary->eos, eot, eom};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (roles[i] == TOKEN_NONE) continue;
        struct vocabulary_token *token = &vocabulary->tokens[roles[i]];
        if (is_plain(token) && in_angles(token->text)) token->type = TOKEN_CONTROL;
        if (i > 0) token->ends_turn = true;
    }
    return STATUS_OK;
}

// Learned tokens keep the file's word for it: "</s>" is in many vocabularies as HTML.
static void classify(struct vocabulary *vocabulary) {
    for (int32_t id = 0; id < vocabulary->count; id++) {
        struct vocabulary_token *token = &vocabulary->tokens[id];
        const bool doubtful = token->type == TOKEN_USER_DEFINED ||
                              (!vocabulary->has_types && token->type == TOKEN_NORMAL);
        if (doubtful && looks_like_control(token->text)) token->type = TOKEN_CONTROL;
        if (token->type == TOKEN_CONTROL &&
            is_one_of(token->text, turn_end_names, sizeof turn_end_names / sizeof *turn_end_names))
            token->ends_turn = true;
        if (token->type == TOKEN_USER_DEFINED) vocabulary->has_user_defined = true;
        if (is_plain(token) && token->text.length > vocabulary->longest_plain_bytes)
            vocabulary->longest_plain_bytes = token->text.length;
    }
}

// The slot that holds this text, or the empty one where it would go.
static struct vocabulary_slot *slot_of(const struct vocabulary *vocabulary, uint32_t hash,
                                       const char *bytes, size_t length) {
    for (size_t i = hash & vocabulary->slot_mask;; i = (i + 1) & vocabulary->slot_mask) {
        struct vocabulary_slot *slot = &vocabulary->slots[i];
        if (slot->id == TOKEN_NONE) return slot;
        if (slot->hash != hash) continue;
        const struct gguf_string text = vocabulary->tokens[slot->id].text;
        if (text.length == length && memcmp(text.bytes, bytes, length) == 0) return slot;
    }
}

static enum status index_plain(struct vocabulary *vocabulary) {
    size_t slots = 16;
    while (slots < 2 * (size_t)vocabulary->count)
        slots *= 2;
    vocabulary->slots = malloc(slots * sizeof vocabulary->slots[0]);
    if (!vocabulary->slots) return STATUS_NO_MEMORY;
    vocabulary->slot_mask = slots - 1;
    for (size_t i = 0; i < slots; i++)
        vocabulary->slots[i] = (struct vocabulary_slot){0, TOKEN_NONE};
    for (int32_t id = 0; id < vocabulary->count; id++) {
        const struct vocabulary_token *token = &vocabulary->tokens[id];
        if (!is_plain(token)) continue;
        const uint32_t hash = hash_text(token->text.bytes, token->text.length);
        struct vocabulary_slot *slot =
            slot_of(vocabulary, hash, token->text.bytes, token->text.length);
        if (slot->id == TOKEN_NONE) *slot = (struct vocabulary_slot){hash, id};
    }
    return STATUS_OK;
}

// By first byte, longest first, low ids first: the first that matches is the one that is meant.
static int compare_marked(const void *a, const void *b, void *tokens) {
    const int32_t id_a = *(const int32_t *)a, id_b = *(const int32_t *)b;
    const struct vocabulary_token *token_a = (const struct vocabulary_token *)tokens + id_a;
    const struct vocabulary_token *token_b = (const struct vocabulary_token *)tokens + id_b;
    const unsigned char first_a = (unsigned char)token_a->text.bytes[0];
    const unsigned char first_b = (unsigned char)token_b->text.bytes[0];
    if (first_a != first_b) return first_a < first_b ? -1 : 1;
    if (token_a->text.length != token_b->text.length)
        return token_a->text.length > token_b->text.length ? -1 : 1;
    return id_a < id_b ? -1 : id_a > id_b;
}

static enum status index_marked(struct vocabulary *vocabulary) {
    uint32_t count = 0;
    for (int32_t id = 0; id < vocabulary->count; id++) {
        const struct vocabulary_token *token = &vocabulary->tokens[id];
        if (!is_marked(token)) continue;
        vocabulary->marked_from[(unsigned char)token->text.bytes[0] + 1]++;
        count++;
    }
    for (size_t byte = 0; byte < 256; byte++)
        vocabulary->marked_from[byte + 1] += vocabulary->marked_from[byte];
    if (count == 0) return STATUS_OK;
    vocabulary->marked = malloc(count * sizeof vocabulary->marked[0]);
    if (!vocabulary->marked) return STATUS_NO_MEMORY;
    uint32_t next = 0;
    for (int32_t id = 0; id < vocabulary->count; id++)
        if (is_marked(&vocabulary->tokens[id])) vocabulary->marked[next++] = id;
    qsort_r(vocabulary->marked, count, sizeof vocabulary->marked[0], compare_marked,
            vocabulary->tokens);
    return STATUS_OK;
}

static enum status read_and_index(struct vocabulary *vocabulary, const struct gguf *gguf,
                                  struct error *err) {
    TRY(read_texts(vocabulary, gguf, err));
    TRY(read_types(vocabulary, gguf, err));
    TRY(read_scores(vocabulary, gguf, err));
    TRY(read_special_ids(vocabulary, gguf, err));
    classify(vocabulary);
    TRY(index_plain(vocabulary));
    return index_marked(vocabulary);
}

enum status vocabulary_open(struct vocabulary *vocabulary, const struct gguf *gguf,
                            struct error *err) {
    struct vocabulary opened = {0};
    const enum status status = read_and_index(&opened, gguf, err);
    if (status != STATUS_OK)
        vocabulary_close(&opened);
    else
        *vocabulary = opened;
    return status;
}

void vocabulary_close(struct vocabulary *vocabulary) {
    free(vocabulary->tokens);
    free(vocabulary->slots);
    free(vocabulary->marked);
    *vocabulary = (struct vocabulary){0};
}

int32_t vocabulary_find(const struct vocabulary *vocabulary, const char *bytes, size_t length) {
    if (length == 0 || length > vocabulary->longest_plain_bytes) return TOKEN_NONE;
    return slot_of(vocabulary, hash_text(bytes, length), bytes, length)->id;
}

int32_t vocabulary_find_marked(const struct vocabulary *vocabulary, enum token_type type,
                               const char *bytes, size_t length) {
    const size_t first = (unsigned char)bytes[0];
    for (size_t i = vocabulary->marked_from[first]; i < vocabulary->marked_from[first + 1]; i++) {
        const int32_t id = vocabulary->marked[i];
        const struct gguf_string text = vocabulary->tokens[id].text;
        if (vocabulary_type(vocabulary, id) == type && text.length <= length &&
            memcmp(text.bytes, bytes, text.length) == 0)
            return id;
    }
    return TOKEN_NONE;
}
