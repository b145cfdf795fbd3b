#include "engine/tokenizer/tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/internal.h"
#include "engine/tokenizer/marks.h"
#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/word_cache.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

// The state of one call of tokenizer_encode().
struct encoding {
    const struct tokenizer *tokenizer;
    struct token_ids *ids;
    struct merger merger;
    struct word_cache cache;
    struct pretokenizer_walk *walk; // of a tokenizer that cuts
    struct text scratch;            // MODEL_CHARACTERS
    struct unigram_scratch best;    // MODEL_UNIGRAM
    struct text normal, spaced;     // the stretch that is encoded, normalised and with its spaces
    const char *text;               // all of the input
};

void token_ids_deinit(struct token_ids *ids) {
    free(ids->ids);
    *ids = (struct token_ids){0};
}

static enum status token_ids_reserve(struct token_ids *ids, size_t more) {
    ASSERT(ids->count <= ids->capacity);
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

void tokenizer_close(struct tokenizer *tokenizer) {
    if (!tokenizer) return;
    byte_bpe_destroy(tokenizer->byte_bpe);
    unigram_deinit(&tokenizer->unigram);
    sentencepiece_deinit(&tokenizer->sentencepiece);
    pretokenizer_close(tokenizer->pretokenizer);
    prefix_index_deinit(&tokenizer->normalized);
    text_deinit(&tokenizer->normalized_texts);
    normalizer_deinit(&tokenizer->normalizer);
    normalizer_deinit(&tokenizer->spacing);
    vocabulary_close(&tokenizer->vocabulary);
    free(tokenizer);
}

enum status tokenizer_widen(struct tokenizer *tokenizer, int32_t count) {
    ASSERT(count >= tokenizer->vocabulary.count);
    return vocabulary_widen(&tokenizer->vocabulary, (size_t)count);
}

static enum status encode_new_word(struct encoding *encoding, struct piece word,
                                   bool space_prefix) {
    const struct tokenizer *tokenizer = encoding->tokenizer;
    switch (tokenizer->model) {
    case MODEL_BYTES:
        return byte_bpe_encode(tokenizer->byte_bpe, &encoding->merger, word.bytes, word.length,
                               tokenizer->whole_first, encoding->ids);
    case MODEL_CHARACTERS:
        return sentencepiece_encode(&tokenizer->sentencepiece, &encoding->merger,
                                    &encoding->scratch, word, space_prefix, encoding->ids);
    case MODEL_UNIGRAM:
        return unigram_encode(&tokenizer->unigram, &encoding->best, word.bytes, word.length,
                              encoding->ids);
    }
    return STATUS_UNSUPPORTED;
}

static enum status encode_word(struct encoding *encoding, struct piece word) {
    bool known = false;
    struct word_cache_entry *entry = NULL;
    struct token_ids *ids = encoding->ids;
    if (word.length > 1 && word.length <= WORD_CACHE_MAX_WORD_BYTES)
        entry = word_cache_find(&encoding->cache, word.bytes, word.length, &known);
    if (known) { // the ids to repeat lie in the array that may move
        const struct word_cache_ids seen = entry->ids;
        ASSERT(seen.first <= ids->count && seen.count <= ids->count - seen.first);
        TRY(token_ids_reserve(ids, seen.count));
        return token_ids_append(ids, ids->ids + seen.first, seen.count);
    }
    const size_t first = ids->count;
    TRY(encode_new_word(encoding, word, false));
    if (entry)
        word_cache_write(entry, word.bytes, word.length,
                         (struct word_cache_ids){first, (uint32_t)(ids->count - first)});
    return STATUS_OK;
}

// The most bytes that a text may grow to; a short one may grow by what is put before it.
static size_t limit_of(size_t length) {
    const size_t limit = (length + 128) * TOKENIZER_MAX_GROWTH;
    return limit < TOKENIZER_MAX_TEXT_BYTES ? limit : TOKENIZER_MAX_TEXT_BYTES;
}

// Encodes a piece whose ends no token crosses. Merging over characters may be done word by word.
static enum status encode_piece(struct encoding *encoding, const char *bytes, size_t length,
                                bool space_prefix) {
    const struct tokenizer *tokenizer = encoding->tokenizer;
    ASSERT(length > 0);
    if (tokenizer->model != MODEL_CHARACTERS)
        return encode_word(encoding, (struct piece){PIECE_TEXT, bytes, length});
    for (size_t at = 0, word; at < length; at += word) {
        word = sentencepiece_word(&tokenizer->sentencepiece, bytes + at, length - at);
        ASSERT(word > 0 && word <= length - at);
        const struct piece text = {PIECE_TEXT, bytes + at, word};
        if (at == 0 && space_prefix)
            TRY(encode_new_word(encoding, text, true));
        else
            TRY(encode_word(encoding, text));
    }
    return STATUS_OK;
}

// Normalised text between two special tokens or the ends of the input.
static enum status encode_normal(struct encoding *encoding, const char *bytes, size_t length,
                                 bool first) {
    const struct tokenizer *tokenizer = encoding->tokenizer;
    bool space_prefix = tokenizer->prefixes_space;
    if (length == 0) return STATUS_OK;
    if (tokenizer->spacing.count > 0) {
        TRY(normalizer_apply(&tokenizer->spacing, bytes, length, first, limit_of(length),
                             &encoding->spaced));
        bytes = text_string(&encoding->spaced);
        length = encoding->spaced.length;
    }
    if (length == 0) return STATUS_OK;
    if (!encoding->walk) return encode_piece(encoding, bytes, length, space_prefix);
    pretokenizer_walk_start(encoding->walk, bytes, length);
    for (size_t start, word;; space_prefix = false) {
        TRY(pretokenizer_walk_next(encoding->walk, &start, &word));
        if (word == 0) return STATUS_OK;
        ASSERT(start <= length && word <= length - start);
        TRY(encode_piece(encoding, bytes + start, word, space_prefix));
    }
}

// Text in which tokens of the index may lie anywhere; `encode` gets what is between them.
typedef enum status encode_text_between(struct encoding *encoding, const char *bytes, size_t length,
                                        bool first);

static enum status encode_marked(struct encoding *encoding, const struct prefix_index *index,
                                 const char *bytes, size_t length, bool first,
                                 encode_text_between *encode) {
    struct marks_search search = {.vocabulary = &encoding->tokenizer->vocabulary,
                                  .index = index,
                                  .bytes = bytes,
                                  .stop = length,
                                  .end = length};
    struct mark mark;
    while (index->count > 0 && marks_next(&search, &mark)) {
        TRY(encode(encoding, bytes + search.from, mark.begin - search.from,
                   first && search.from == 0));
        TRY(token_ids_push(encoding->ids, mark.id));
        search.from = search.at = mark.end;
    }
    ASSERT(search.from <= length);
    return encode(encoding, bytes + search.from, length - search.from, first && search.from == 0);
}

// Text between two tokens that were found in it as it came.
static enum status encode_plain(struct encoding *encoding, const char *bytes, size_t length,
                                bool first) {
    const struct tokenizer *tokenizer = encoding->tokenizer;
    if (length == 0) return STATUS_OK;
    if (tokenizer->normalizer.count > 0) {
        TRY(normalizer_apply(&tokenizer->normalizer, bytes, length, first, limit_of(length),
                             &encoding->normal));
        bytes = text_string(&encoding->normal);
        length = encoding->normal.length;
    }
    return encode_marked(encoding, &tokenizer->normalized, bytes, length, first, encode_normal);
}

// Text between two control tokens: user-defined tokens may lie anywhere in it.
static enum status encode_stretch(struct encoding *encoding, const char *bytes, size_t length) {
    return encode_marked(encoding, &encoding->tokenizer->vocabulary.user_defined, bytes, length,
                         bytes == encoding->text, encode_plain);
}

// `text` is the pieces side by side. Control tokens are found first, each within one control
// piece, so that no text before one can swallow its beginning.
static enum status encode_text(struct encoding *encoding, const struct piece *pieces, size_t count,
                               size_t length) {
    const struct vocabulary *vocabulary = &encoding->tokenizer->vocabulary;
    const char *text = encoding->text;
    struct marks_search search = {
        .vocabulary = vocabulary, .index = &vocabulary->control, .bytes = text, .end = length};
    struct mark mark;
    for (size_t i = 0; i < count; i++) {
        search.at = search.stop > search.from ? search.stop : search.from;
        search.stop += pieces[i].length;
        while (pieces[i].kind == PIECE_CONTROL && marks_next(&search, &mark)) {
            TRY(encode_stretch(encoding, text + search.from, mark.begin - search.from));
            TRY(token_ids_push(encoding->ids, mark.id));
            search.from = search.at = mark.end;
        }
    }
    ASSERT(search.stop == length && search.from <= length);
    return encode_stretch(encoding, text + search.from, length - search.from);
}

static enum status encode_joined(const struct tokenizer *tokenizer, const struct piece *pieces,
                                 size_t count, const char *text, size_t length,
                                 struct token_ids *ids) {
    struct encoding encoding = {.tokenizer = tokenizer, .ids = ids, .text = text};
    enum status status = word_cache_init(&encoding.cache, length);
    if (status == STATUS_OK && tokenizer->pretokenizer)
        status = pretokenizer_walk_create(tokenizer->pretokenizer, &encoding.walk);
    if (status == STATUS_OK) status = encode_text(&encoding, pieces, count, length);
    pretokenizer_walk_destroy(encoding.walk);
    word_cache_deinit(&encoding.cache);
    merger_deinit(&encoding.merger);
    text_deinit(&encoding.scratch);
    unigram_scratch_deinit(&encoding.best);
    text_deinit(&encoding.normal);
    text_deinit(&encoding.spaced);
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
    ASSERT(ids->count >= before);
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

int32_t tokenizer_unknown(const struct tokenizer *tokenizer) {
    return tokenizer->vocabulary.unknown;
}

bool tokenizer_adds_bos(const struct tokenizer *tokenizer) { return tokenizer->adds_bos; }

bool tokenizer_adds_space_prefix(const struct tokenizer *tokenizer) {
    return tokenizer->drops_space;
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

static bool is_used(const struct tokenizer *tokenizer, int32_t id) {
    return id < tokenizer->vocabulary.count &&
           vocabulary_type(&tokenizer->vocabulary, id) != TOKEN_UNUSED;
}

int32_t tokenizer_differs(const struct tokenizer *a, const struct tokenizer *b) {
    const int32_t count = a->vocabulary.count, other = b->vocabulary.count;
    for (int32_t id = 0; id < count || id < other; id++) {
        if (!is_used(a, id) && !is_used(b, id)) continue;
        if (id >= count || id >= other) return id;
        const struct gguf_string one = tokenizer_piece(a, id), two = tokenizer_piece(b, id);
        if (one.length != two.length || memcmp(one.bytes, two.bytes, one.length) != 0) return id;
    }
    return TOKEN_NONE;
}

const char *tokenizer_description(const struct tokenizer *tokenizer) {
    return tokenizer->description;
}
