#include "engine/tokenizer/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/assert.h"
#include "engine/base/size.h"
#include "engine/tokenizer/byte_bpe.h"
#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/sentencepiece.h"
#include "engine/tokenizer/vocabulary.h"
#include "engine/tokenizer/word_cache.h"

enum { DESCRIPTION_BYTES = 48 };

struct tokenizer {
    struct vocabulary vocabulary;
    struct pretokenizer *pretokenizer;  // NULL: SentencePiece
    struct byte_bpe *byte_bpe;          // NULL: SentencePiece
    struct sentencepiece sentencepiece; // only without byte_bpe
    bool adds_bos, adds_space_prefix;
    char description[DESCRIPTION_BYTES];
};

// What one call of tokenizer_encode() needs besides the tokenizer.
struct encoding {
    const struct tokenizer *tokenizer;
    struct token_ids *ids;
    struct merger merger;
    struct word_cache cache;
    struct pretokenizer_walk *walk; // byte-level BPE
    struct text scratch;            // SentencePiece
};

void token_ids_deinit(struct token_ids *ids) {
    free(ids->ids);
    *ids = (struct token_ids){0};
}

static enum status token_ids_reserve(struct token_ids *ids, size_t more) {
    if (ids->capacity - ids->count >= more) return STATUS_OK;
    size_t need, bytes;
    if (!size_add(ids->count, more, &need) || !size_add(need, need / 2 + 64, &need) ||
        !size_mul(need, sizeof ids->ids[0], &bytes))
        return STATUS_NO_MEMORY;
    int32_t *grown = realloc(ids->ids, bytes);
    if (!grown) return STATUS_NO_MEMORY;
    ids->ids = grown;
    ids->capacity = need;
    return STATUS_OK;
}

enum status token_ids_push(struct token_ids *ids, int32_t id) {
    TRY(token_ids_reserve(ids, 1));
    ids->ids[ids->count++] = id;
    return STATUS_OK;
}

enum status token_ids_append(struct token_ids *ids, const int32_t *more, size_t count) {
    TRY(token_ids_reserve(ids, count));
    if (count) memcpy(ids->ids + ids->count, more, count * sizeof ids->ids[0]);
    ids->count += count;
    return STATUS_OK;
}

static bool string_is(struct gguf_string string, const char *what) {
    return string.length == strlen(what) && memcmp(string.bytes, what, string.length) == 0;
}

static enum status open_byte_bpe(struct tokenizer *tokenizer, const struct gguf *gguf,
                                 struct error *err) {
    struct gguf_string pre = {0};
    (void)gguf_find_string(gguf, "tokenizer.ggml.pre", &pre);
    TRY(pretokenizer_open(pre, &tokenizer->pretokenizer, err));
    TRY(byte_bpe_open(gguf, &tokenizer->vocabulary, &tokenizer->byte_bpe, err));
    tokenizer->adds_bos = pretokenizer_adds_bos(tokenizer->pretokenizer);
    snprintf(tokenizer->description, sizeof tokenizer->description, "gpt2 (%s)",
             pretokenizer_name(tokenizer->pretokenizer));
    return STATUS_OK;
}

static enum status open_sentencepiece(struct tokenizer *tokenizer, const struct gguf *gguf,
                                      struct error *err) {
    bool removes_spaces;
    if (gguf_find_bool(gguf, "tokenizer.ggml.remove_extra_whitespaces", &removes_spaces) &&
        removes_spaces)
        return error_set(err, STATUS_UNSUPPORTED,
                         "%s: tokenizer.ggml.remove_extra_whitespaces is not supported",
                         gguf_path(gguf));
    TRY(sentencepiece_init(&tokenizer->sentencepiece, gguf, &tokenizer->vocabulary, err));
    tokenizer->adds_bos = tokenizer->adds_space_prefix = true;
    (void)gguf_find_bool(gguf, "tokenizer.ggml.add_space_prefix", &tokenizer->adds_space_prefix);
    snprintf(tokenizer->description, sizeof tokenizer->description, "llama (SentencePiece)");
    return STATUS_OK;
}

static enum status open_parts(struct tokenizer *tokenizer, const struct gguf *gguf,
                              struct error *err) {
    struct gguf_string model;
    if (!gguf_find_string(gguf, "tokenizer.ggml.model", &model))
        return error_set(err, STATUS_BAD_FILE, "%s: no tokenizer.ggml.model", gguf_path(gguf));
    const bool byte_level = string_is(model, "gpt2");
    if (!byte_level && !string_is(model, "llama"))
        return error_set(err, STATUS_UNSUPPORTED, "%s: tokenizer \"%.*s\" is not supported",
                         gguf_path(gguf), (int)(model.length < 64 ? model.length : 64),
                         model.bytes);
    TRY(vocabulary_open(&tokenizer->vocabulary, gguf, err));
    if (byte_level)
        TRY(open_byte_bpe(tokenizer, gguf, err));
    else
        TRY(open_sentencepiece(tokenizer, gguf, err));
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

void tokenizer_close(struct tokenizer *tokenizer) {
    if (!tokenizer) return;
    byte_bpe_close(tokenizer->byte_bpe);
    pretokenizer_close(tokenizer->pretokenizer);
    vocabulary_close(&tokenizer->vocabulary);
    free(tokenizer);
}

static enum status encode_new_word(struct encoding *encoding, struct piece word,
                                   bool space_prefix) {
    const struct tokenizer *tokenizer = encoding->tokenizer;
    if (!tokenizer->byte_bpe)
        return sentencepiece_encode(&tokenizer->sentencepiece, &encoding->merger,
                                    &encoding->scratch, word, space_prefix, encoding->ids);
    return byte_bpe_encode(tokenizer->byte_bpe, &encoding->merger, word.bytes, word.length,
                           pretokenizer_ignores_merges(tokenizer->pretokenizer), encoding->ids);
}

static enum status encode_word(struct encoding *encoding, struct piece word) {
    bool known = false;
    struct word_cache_entry *entry = NULL;
    struct token_ids *ids = encoding->ids;
    if (word.length > 1 && word.length <= WORD_CACHE_MAX_WORD_BYTES)
        entry = word_cache_find(&encoding->cache, word.bytes, word.length, &known);
    if (known) { // the ids to repeat lie in the array that may move
        TRY(token_ids_reserve(ids, entry->count));
        return token_ids_append(ids, ids->ids + entry->first, entry->count);
    }
    const size_t first = ids->count;
    TRY(encode_new_word(encoding, word, false));
    if (entry)
        *entry = (struct word_cache_entry){word.bytes, (uint32_t)word.length,
                                           (uint32_t)(ids->count - first), first};
    return STATUS_OK;
}

// Text between two special tokens or the ends of the input.
static enum status encode_plain(struct encoding *encoding, const char *bytes, size_t length) {
    const struct tokenizer *tokenizer = encoding->tokenizer;
    size_t at = 0, word;
    if (tokenizer->byte_bpe) {
        pretokenizer_walk_start(encoding->walk, bytes, length);
        for (; at < length; at += word) {
            TRY(pretokenizer_walk_next(encoding->walk, &word));
            TRY(encode_word(encoding, (struct piece){PIECE_TEXT, bytes + at, word}));
        }
        return STATUS_OK;
    }
    for (; at < length; at += word) {
        word = sentencepiece_word(&tokenizer->sentencepiece, bytes + at, length - at);
        const struct piece text = {PIECE_TEXT, bytes + at, word};
        if (at == 0)
            TRY(encode_new_word(encoding, text, tokenizer->adds_space_prefix));
        else
            TRY(encode_word(encoding, text));
    }
    return STATUS_OK;
}

// Text between two control tokens: user-defined tokens may lie anywhere in it.
static enum status encode_stretch(struct encoding *encoding, const char *bytes, size_t length) {
    const struct vocabulary *vocabulary = &encoding->tokenizer->vocabulary;
    if (!vocabulary->has_user_defined) return encode_plain(encoding, bytes, length);
    size_t plain = 0, at = 0;
    while (at < length) {
        const int32_t id =
            vocabulary_find_marked(vocabulary, TOKEN_USER_DEFINED, bytes + at, length - at);
        if (id == TOKEN_NONE) {
            at++;
            continue;
        }
        TRY(encode_plain(encoding, bytes + plain, at - plain));
        TRY(token_ids_push(encoding->ids, id));
        at += vocabulary->tokens[id].text.length;
        plain = at;
    }
    return encode_plain(encoding, bytes + plain, length - plain);
}

// `text` is the pieces side by side. Control tokens are found first, each within one control
// piece, so that no text before one can swallow its beginning.
static enum status encode_text(struct encoding *encoding, const struct piece *pieces, size_t count,
                               const char *text) {
    const struct vocabulary *vocabulary = &encoding->tokenizer->vocabulary;
    size_t stretch = 0, at = 0, end = 0;
    for (size_t i = 0; i < count; i++) {
        at = end;
        end += pieces[i].length;
        while (pieces[i].kind == PIECE_CONTROL && at < end) {
            const int32_t id =
                vocabulary_find_marked(vocabulary, TOKEN_CONTROL, text + at, end - at);
            if (id == TOKEN_NONE) {
                at++;
                continue;
            }
            TRY(encode_stretch(encoding, text + stretch, at - stretch));
            TRY(token_ids_push(encoding->ids, id));
            at += vocabulary->tokens[id].text.length;
            stretch = at;
        }
    }
    return encode_stretch(encoding, text + stretch, end - stretch);
}

static enum status encode_joined(const struct tokenizer *tokenizer, const struct piece *pieces,
                                 size_t count, const char *text, size_t length,
                                 struct token_ids *ids) {
    struct encoding encoding = {.tokenizer = tokenizer, .ids = ids};
    enum status status = word_cache_init(&encoding.cache, length);
    if (status == STATUS_OK && tokenizer->pretokenizer)
        status = pretokenizer_walk_create(tokenizer->pretokenizer, &encoding.walk);
    if (status == STATUS_OK) status = encode_text(&encoding, pieces, count, text);
    pretokenizer_walk_destroy(encoding.walk);
    word_cache_deinit(&encoding.cache);
    merger_deinit(&encoding.merger);
    text_deinit(&encoding.scratch);
    return status;
}

enum status tokenizer_encode(const struct tokenizer *tokenizer, const struct piece *pieces,
                             size_t count, struct token_ids *ids) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        if (!size_add(length, pieces[i].length, &length)) return STATUS_TOO_LONG;
    if (length > TOKENIZER_MAX_TEXT_BYTES) return STATUS_TOO_LONG;
    if (length == 0) return STATUS_OK;
    const size_t before = ids->count;
    char *joined = count > 1 ? malloc(length) : NULL;
    if (count > 1 && !joined) return STATUS_NO_MEMORY;
    for (size_t i = 0, at = 0; joined && i < count; at += pieces[i++].length)
        if (pieces[i].length) memcpy(joined + at, pieces[i].bytes, pieces[i].length);
    const enum status status =
        encode_joined(tokenizer, pieces, count, joined ? joined : pieces[0].bytes, length, ids);
    if (status != STATUS_OK) ids->count = before;
    free(joined);
    return status;
}

struct gguf_string tokenizer_piece(const struct tokenizer *tokenizer, int32_t id) {
    ASSERT(id >= 0 && id < tokenizer->vocabulary.count);
    return tokenizer->vocabulary.tokens[id].text;
}

enum status tokenizer_decode(const struct tokenizer *tokenizer, int32_t id, bool special,
                             struct text *text) {
    ASSERT(id >= 0 && id < tokenizer->vocabulary.count);
    if (tokenizer_is_special(tokenizer, id) && !special) return STATUS_OK;
    const struct gguf_string piece = tokenizer_piece(tokenizer, id);
    const enum token_type type = vocabulary_type(&tokenizer->vocabulary, id);
    if (type == TOKEN_NORMAL && tokenizer->byte_bpe)
        return byte_bpe_decode(tokenizer->byte_bpe, piece, text);
    if (!tokenizer->byte_bpe && !tokenizer_is_special(tokenizer, id))
        return sentencepiece_decode(&tokenizer->sentencepiece, id, text);
    return text_append(text, piece.bytes, piece.length);
}

int32_t tokenizer_vocabulary(const struct tokenizer *tokenizer) {
    return tokenizer->vocabulary.count;
}

int32_t tokenizer_bos(const struct tokenizer *tokenizer) { return tokenizer->vocabulary.bos; }

int32_t tokenizer_eos(const struct tokenizer *tokenizer) { return tokenizer->vocabulary.eos; }

bool tokenizer_adds_bos(const struct tokenizer *tokenizer) { return tokenizer->adds_bos; }

bool tokenizer_adds_space_prefix(const struct tokenizer *tokenizer) {
    return tokenizer->adds_space_prefix;
}

bool tokenizer_ends_turn(const struct tokenizer *tokenizer, int32_t id) {
    ASSERT(id >= 0 && id < tokenizer->vocabulary.count);
    return tokenizer->vocabulary.tokens[id].ends_turn;
}

bool tokenizer_is_special(const struct tokenizer *tokenizer, int32_t id) {
    ASSERT(id >= 0 && id < tokenizer->vocabulary.count);
    const enum token_type type = vocabulary_type(&tokenizer->vocabulary, id);
    return type == TOKEN_CONTROL || type == TOKEN_UNKNOWN;
}

int32_t tokenizer_find_special(const struct tokenizer *tokenizer, const char *name) {
    static const enum token_type types[] = {TOKEN_CONTROL, TOKEN_USER_DEFINED};
    const size_t length = strlen(name);
    for (size_t i = 0; length > 0 && i < sizeof types / sizeof types[0]; i++) {
        const int32_t id = vocabulary_find_marked(&tokenizer->vocabulary, types[i], name, length);
        if (id != TOKEN_NONE && string_is(tokenizer_piece(tokenizer, id), name)) return id;
    }
    return TOKEN_NONE;
}

const char *tokenizer_description(const struct tokenizer *tokenizer) {
    return tokenizer->description;
}
