#include <stdio.h>
#include <stdlib.h>

#include "engine/tokenizer/internal.h"
#include "engine/tokenizer/pretokenizer_names.h"

static enum status read_merges(const struct vocabulary *vocabulary, const struct gguf *gguf,
                               struct merge_table *table, struct error *err) {
    struct gguf_array merges;
    if (!gguf_find_array(gguf, "tokenizer.ggml.merges", &merges) || merges.type != GGUF_STRING)
        return error_set(err, STATUS_BAD_FILE, "%s: tokenizer.ggml.merges has no strings",
                         gguf_path(gguf));
    if (merges.count > MERGE_TABLE_MAX)
        return error_set(err, STATUS_BAD_FILE, "%s: too many merges (%zu, at most %d)",
                         gguf_path(gguf), merges.count, MERGE_TABLE_MAX);
    TRY(merge_table_init(table, merges.count));
    size_t cursor = 0;
    for (size_t rank = 0; rank < merges.count; rank++)
        merge_table_add_line(table, vocabulary, gguf_array_next_string(&merges, &cursor),
                             (uint32_t)rank);
    return STATUS_OK;
}

static enum status open_bytes(struct tokenizer *tokenizer, const struct gguf *gguf,
                              struct gguf_string pre, struct error *err) {
    struct merge_table merges = {0};
    struct error why = {0};
    const enum status opened = pretokenizer_open(pre, &tokenizer->pretokenizer, &why);
    if (opened == STATUS_UNSUPPORTED)
        return error_set(err, opened, "%s: %s", gguf_path(gguf), why.text);
    TRY(opened);
    enum status status = read_merges(&tokenizer->vocabulary, gguf, &merges, err);
    if (status == STATUS_OK)
        status = byte_bpe_create(&tokenizer->vocabulary, &merges, gguf_path(gguf),
                                 &tokenizer->byte_bpe, err);
    merge_table_deinit(&merges);
    TRY(status);
    tokenizer->model = MODEL_BYTES;
    tokenizer->whole_first = pretokenizer_ignores_merges(tokenizer->pretokenizer);
    tokenizer->adds_bos = pretokenizer_adds_bos(tokenizer->pretokenizer);
    snprintf(tokenizer->description, sizeof tokenizer->description, "gpt2 (%s)",
             pretokenizer_name(tokenizer->pretokenizer));
    return STATUS_OK;
}

// A run of spaces is written as one, and none stands at either end.
static enum status trim_spaces(struct tokenizer *tokenizer, struct error *err) {
    struct normalizer_step collapse = {.kind = NORMALIZE_REPLACE, .with = " ", .with_length = 1};
    TRY(normalizer_add(&tokenizer->normalizer,
                       (struct normalizer_step){.kind = NORMALIZE_STRIP_LEFT}, err));
    TRY(normalizer_add(&tokenizer->normalizer,
                       (struct normalizer_step){.kind = NORMALIZE_STRIP_RIGHT}, err));
    TRY(expression_create(" {2,}", 5, false, "normaliser", &collapse.expression, err));
    return normalizer_add(&tokenizer->normalizer, collapse, err);
}

// By scores, or by merges if `merges`.
static enum status open_characters(struct tokenizer *tokenizer, const struct gguf *gguf,
                                   bool merges, struct error *err) {
    struct vocabulary *vocabulary = &tokenizer->vocabulary;
    bool trims = false;
    if (!merges && !vocabulary->has_scores)
        return error_set(err, STATUS_BAD_FILE, "%s: tokenizer.ggml.scores is missing",
                         gguf_path(gguf));
    (void)gguf_find_bool(gguf, "tokenizer.ggml.remove_extra_whitespaces", &trims);
    if (trims) TRY(trim_spaces(tokenizer, err));
    TRY(sentencepiece_init(&tokenizer->sentencepiece, vocabulary, gguf_path(gguf), err));
    tokenizer->sentencepiece.fuses_unknown = merges;
    if (merges) TRY(read_merges(vocabulary, gguf, &tokenizer->sentencepiece.merges, err));
    tokenizer->model = MODEL_CHARACTERS;
    tokenizer->adds_bos = true;
    tokenizer->prefixes_space = !merges;
    (void)gguf_find_bool(gguf, "tokenizer.ggml.add_space_prefix", &tokenizer->prefixes_space);
    tokenizer->drops_space = tokenizer->prefixes_space;
    snprintf(tokenizer->description, sizeof tokenizer->description, "%s",
             merges ? "gemma4 (merges over characters)" : "llama (SentencePiece)");
    return STATUS_OK;
}

// What a file need not have is read with a default, which a value of another type would get too.
static enum status check_kinds(const struct gguf *gguf, struct error *err) {
    static const struct {
        const char *key;
        enum gguf_kind kind;
    } rows[] = {
        {"tokenizer.ggml.model", GGUF_TEXT},
        {"tokenizer.ggml.pre", GGUF_TEXT},
        {"tokenizer.ggml.tokens", GGUF_LIST},
        {"tokenizer.ggml.token_type", GGUF_LIST},
        {"tokenizer.ggml.scores", GGUF_LIST},
        {"tokenizer.ggml.merges", GGUF_LIST},
        {"tokenizer.ggml.bos_token_id", GGUF_WHOLE},
        {"tokenizer.ggml.eos_token_id", GGUF_WHOLE},
        {"tokenizer.ggml.eot_token_id", GGUF_WHOLE},
        {"tokenizer.ggml.eom_token_id", GGUF_WHOLE},
        {"tokenizer.ggml.unknown_token_id", GGUF_WHOLE},
        {"tokenizer.ggml.add_bos_token", GGUF_FLAG},
        {"tokenizer.ggml.add_space_prefix", GGUF_FLAG},
        {"tokenizer.ggml.remove_extra_whitespaces", GGUF_FLAG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        TRY(gguf_check_kind(gguf, rows[i].key, rows[i].kind, err));
    return STATUS_OK;
}

static enum status open_parts(struct tokenizer *tokenizer, const struct gguf *gguf,
                              struct error *err) {
    struct gguf_string model, pre = {0};
    TRY(check_kinds(gguf, err));
    if (!gguf_find_string(gguf, "tokenizer.ggml.model", &model))
        return error_set(err, STATUS_BAD_FILE, "%s: tokenizer.ggml.model is missing",
                         gguf_path(gguf));
    (void)gguf_find_string(gguf, "tokenizer.ggml.pre", &pre);
    const bool by_merges = gguf_string_is(model, "gpt2") || gguf_string_is(model, "gemma4");
    const bool of_characters =
        gguf_string_is(model, "gemma4") || (by_merges && pretokenizer_is_of_characters(pre));
    if (!by_merges && !gguf_string_is(model, "llama"))
        return error_set(err, STATUS_UNSUPPORTED, "%s: tokenizer \"%.*s\" is not supported",
                         gguf_path(gguf), (int)(model.length < 64 ? model.length : 64),
                         model.bytes);
    TRY(vocabulary_open(&tokenizer->vocabulary, gguf, err));
    if (by_merges && !of_characters)
        TRY(open_bytes(tokenizer, gguf, pre, err));
    else
        TRY(open_characters(tokenizer, gguf, by_merges, err));
    (void)gguf_find_bool(gguf, "tokenizer.ggml.add_bos_token", &tokenizer->adds_bos);
    if (tokenizer->vocabulary.bos == TOKEN_NONE) tokenizer->adds_bos = false;
    return STATUS_OK;
}

enum status tokenizer_open(const struct gguf *gguf, struct tokenizer **tokenizer,
                           struct error *err) {
    struct tokenizer *opened = calloc(1, sizeof *opened);
    if (!opened) return STATUS_NO_MEMORY;
    const enum status status = open_parts(opened, gguf, err);
    if (status != STATUS_OK)
        tokenizer_close(opened);
    else
        *tokenizer = opened;
    return status;
}
