#include <inttypes.h>
#include <math.h>

#include "engine/tokenizer/vocabulary.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"

static bool is_integer(enum gguf_type type) {
    return type != GGUF_F32 && type != GGUF_F64 && type != GGUF_STRING && type != GGUF_ARRAY &&
           type != GGUF_BOOL;
}

static enum status read_texts(struct vocabulary *vocabulary, const struct gguf *gguf,
                              struct error *err) {
    struct gguf_array texts;
    if (!gguf_find_array(gguf, "tokenizer.ggml.tokens", &texts) || texts.type != GGUF_STRING)
        return error_set(err, STATUS_BAD_FILE, "%s: tokenizer.ggml.tokens has no strings",
                         gguf_path(gguf));
    if (texts.count == 0 || texts.count > TOKENIZER_MAX_VOCABULARY)
        return error_set(err, STATUS_BAD_FILE,
                         "%s: the number of tokens is out of range (%zu, expected 1 to %d)",
                         gguf_path(gguf), texts.count, TOKENIZER_MAX_VOCABULARY);
    TRY(vocabulary_init(vocabulary, texts.count));
    size_t cursor = 0;
    for (size_t i = 0; i < texts.count; i++) {
        const struct gguf_string text = gguf_array_next_string(&texts, &cursor);
        if (text.length > VOCABULARY_MAX_TEXT_BYTES)
            return error_set(err, STATUS_BAD_FILE,
                             "%s: token %zu is too long (%zu bytes, at most %d)", gguf_path(gguf),
                             i, text.length, VOCABULARY_MAX_TEXT_BYTES);
        vocabulary->tokens[i] = (struct vocabulary_token){.text = text, .type = TOKEN_NORMAL};
    }
    return STATUS_OK;
}

static enum status read_types(struct vocabulary *vocabulary, const struct gguf *gguf,
                              struct error *err) {
    ASSERT(vocabulary->tokens && vocabulary->count > 0);
    struct gguf_array types;
    if (!gguf_find_array(gguf, "tokenizer.ggml.token_type", &types)) return STATUS_OK;
    if (!is_integer(types.type) || types.count != (size_t)vocabulary->count)
        return error_set(err, STATUS_BAD_FILE,
                         "%s: tokenizer.ggml.token_type must have one integer for each of %" PRId32
                         " tokens",
                         gguf_path(gguf), vocabulary->count);
    for (size_t i = 0; i < types.count; i++) {
        const int64_t type = gguf_array_int(&types, i);
        if (type < TOKEN_UNDEFINED || type > TOKEN_BYTE)
            return error_set(err, STATUS_BAD_FILE, "%s: token %zu has the unknown type %" PRId64,
                             gguf_path(gguf), i, type);
        vocabulary->tokens[i].type = (unsigned char)type;
    }
    vocabulary->has_types = true;
    return STATUS_OK;
}

static enum status read_scores(struct vocabulary *vocabulary, const struct gguf *gguf,
                               struct error *err) {
    ASSERT(vocabulary->tokens && vocabulary->count > 0);
    struct gguf_array scores;
    if (!gguf_find_array(gguf, "tokenizer.ggml.scores", &scores)) return STATUS_OK;
    if (scores.type != GGUF_F32 || scores.count != (size_t)vocabulary->count)
        return error_set(err, STATUS_BAD_FILE,
                         "%s: tokenizer.ggml.scores must have one number for each of %" PRId32
                         " tokens",
                         gguf_path(gguf), vocabulary->count);
    for (size_t i = 0; i < scores.count; i++) {
        const double score = gguf_array_float(&scores, i);
        if (isnan(score))
            return error_set(err, STATUS_BAD_FILE, "%s: the score of token %zu is not a number",
                             gguf_path(gguf), i);
        vocabulary->tokens[i].score = score;
    }
    vocabulary->has_scores = true;
    return STATUS_OK;
}

// Converters write -1, or 2^32 - 1, for a token that does not exist. One that is out of range does
// not exist either: the model does without, and a person is told.
static int32_t read_id(const struct vocabulary *vocabulary, const struct gguf *gguf,
                       const char *key) {
    int64_t value;
    if (!gguf_find_int(gguf, key, &value) || value == -1 || value == UINT32_MAX) return TOKEN_NONE;
    if (value >= 0 && value < vocabulary->count) return (int32_t)value;
    log_write(LOG_WARNING,
              "%s: ignoring %s %" PRId64 ", which is out of range (%" PRId32 " tokens)",
              gguf_path(gguf), key, value, vocabulary->count);
    return TOKEN_NONE;
}

static void read_special_ids(struct vocabulary *vocabulary, const struct gguf *gguf) {
    vocabulary->bos = read_id(vocabulary, gguf, "tokenizer.ggml.bos_token_id");
    vocabulary->eos = read_id(vocabulary, gguf, "tokenizer.ggml.eos_token_id");
    vocabulary->unknown = read_id(vocabulary, gguf, "tokenizer.ggml.unknown_token_id");
    vocabulary_name_role(vocabulary, vocabulary->bos);
    vocabulary_name_end(vocabulary, vocabulary->eos);
    vocabulary_name_end(vocabulary, read_id(vocabulary, gguf, "tokenizer.ggml.eot_token_id"));
    vocabulary_name_end(vocabulary, read_id(vocabulary, gguf, "tokenizer.ggml.eom_token_id"));
}

// Phi-3's marks take the whitespace behind them with them, as its tokenizer.json says of each;
// GGUF has no key for that, and the family's vocabulary is the only one of its kind.
static void widen_marks(struct vocabulary *vocabulary, const struct gguf *gguf) {
    static const char *const narrow[] = {"<unk>", "<s>", "<|endoftext|>"};
    if (!gguf_says(gguf, "general.architecture", "phi3") ||
        !gguf_says(gguf, "tokenizer.ggml.model", "llama"))
        return;
    for (int32_t id = 0; id < vocabulary->count; id++) {
        struct vocabulary_token *token = &vocabulary->tokens[id];
        if (token->type != TOKEN_CONTROL && !gguf_string_is(token->text, "</s>")) continue;
        token->match = TOKEN_TAKES_RIGHT;
        for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++)
            if (gguf_string_is(token->text, narrow[i])) token->match = 0;
    }
}

static enum status read_and_index(struct vocabulary *vocabulary, const struct gguf *gguf,
                                  struct error *err) {
    TRY(read_texts(vocabulary, gguf, err));
    TRY(read_types(vocabulary, gguf, err));
    TRY(read_scores(vocabulary, gguf, err));
    read_special_ids(vocabulary, gguf);
    widen_marks(vocabulary, gguf);
    return vocabulary_index(vocabulary);
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
