// engine/tokenizer/unigram.c — the most probable way to cut a text into tokens, by Viterbi.
//
// best[i] is the best way to cut the first i bytes: its score, and where its last token begins.
// From the left, each position offers its way, longer by each token that begins there. With the
// scores a -1, b -1, ab -1.5 and abc -4, the text "abb":
//
//   from 0 (0)       a: best[1] = -1       ab: best[2] = -1.5      (abc does not fit)
//   from 1 (-1)      b: -2, not better than best[2]
//   from 2 (-1.5)    b: best[3] = -2.5                             ab b
//
// That gives the tokens from the last to the first. link_forward() turns the links round, so that
// they are read from the first.
//
// A character that is no token by itself may be crossed as unknown, at a score below every token's:
// so there is always a way, and a known one is taken where there is one.
#include "engine/tokenizer/unigram.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/assert.h"

static bool is_piece(const struct vocabulary_token *token) {
    return (token->type == TOKEN_NORMAL || token->type == TOKEN_USER_DEFINED) &&
           token->text.length > 0;
}

enum status unigram_init(struct unigram *unigram, const struct sentencepiece *sentencepiece) {
    const struct vocabulary *vocabulary = sentencepiece->vocabulary;
    struct prefix_entry *entries = malloc((size_t)vocabulary->count * sizeof entries[0]);
    if (!entries) return STATUS_NO_MEMORY;
    ASSERT(vocabulary->count > 0);
    size_t count = 0;
    double worst = 0;
    for (int32_t id = 0; id < vocabulary->count; id++) {
        const struct vocabulary_token *token = &vocabulary->tokens[id];
        if (token->score < worst) worst = token->score;
        if (is_piece(token))
            entries[count++] = (struct prefix_entry){token->text.bytes, token->text.length, id};
    }
    *unigram =
        (struct unigram){.sentencepiece = sentencepiece, .unknown_score = worst - UNIGRAM_PENALTY};
    prefix_index_build(&unigram->index, entries, count);
    return STATUS_OK;
}

void unigram_deinit(struct unigram *unigram) {
    prefix_index_deinit(&unigram->index);
    *unigram = (struct unigram){0};
}

void unigram_scratch_deinit(struct unigram_scratch *scratch) {
    free(scratch->best);
    *scratch = (struct unigram_scratch){0};
}

static enum status start_scratch(struct unigram_scratch *scratch, size_t length) {
    if (length >= scratch->capacity) {
        const size_t capacity = length + length / 2 + 64;
        unigram_scratch_deinit(scratch);
        scratch->best = malloc(capacity * sizeof scratch->best[0]);
        if (!scratch->best) return STATUS_NO_MEMORY;
        scratch->capacity = capacity;
    }
    ASSERT(length < scratch->capacity);
    for (size_t i = 1; i <= length; i++)
        scratch->best[i] = (struct unigram_best){.start = SIZE_MAX, .id = TOKEN_NONE};
    scratch->best[0] = (struct unigram_best){.start = 0, .id = TOKEN_NONE};
    return STATUS_OK;
}

// Of equally good ways the first is kept.
static void offer(struct unigram_best *best, double score, size_t from, int32_t id) {
    if (best->start != SIZE_MAX && score <= best->score) return;
    *best = (struct unigram_best){score, from, id};
}

// Extends the best way that ends at `at` by every token that can begin there.
static void extend_path(const struct unigram *unigram, struct unigram_best *best, const char *bytes,
                        size_t length, size_t at) {
    const size_t character = sentencepiece_character(bytes + at, length - at);
    const struct vocabulary *vocabulary = unigram->sentencepiece->vocabulary;
    const double score = best[at].score;
    bool alone = false;
    struct prefix_walk walk = {0};
    for (const struct prefix_entry *entry;
         (entry = prefix_index_next(&unigram->index, &walk, bytes + at, length - at)) != NULL;) {
        alone = alone || entry->length == character;
        offer(&best[at + entry->length], score + vocabulary->tokens[entry->id].score, at,
              entry->id);
    }
    if (!alone) offer(&best[at + character], score + unigram->unknown_score, at, TOKEN_NONE);
}

// From the end back: best[i].start becomes where the next token begins, and best[i].id that
// token, for each i at which one begins; unknown ones side by side become one.
static void link_forward(struct unigram_best *best, size_t length) {
    size_t next = length;
    int32_t id = best[length].id;
    for (size_t at = best[length].start;;) {
        const struct unigram_best before = best[at];
        const bool joined = id == TOKEN_NONE && next < length && best[next].id == TOKEN_NONE;
        best[at].id = id;
        best[at].start = joined ? best[next].start : next;
        if (at == 0) return;
        next = at;
        id = before.id;
        at = before.start;
    }
}

enum status unigram_encode(const struct unigram *unigram, struct unigram_scratch *scratch,
                           const char *bytes, size_t length, struct token_ids *ids) {
    if (length == 0) return STATUS_OK;
    TRY(start_scratch(scratch, length));
    struct unigram_best *best = scratch->best;
    // A token may end inside a character only if the vocabulary holds broken ones; the way on
    // from there is as good as any other.
    for (size_t at = 0; at < length; at++)
        if (best[at].start != SIZE_MAX) extend_path(unigram, best, bytes, length, at);
    ASSERT(best[length].start < length); // every character is at least unknown
    link_forward(best, length);
    for (size_t at = 0; at < length; at = best[at].start) {
        if (best[at].id != TOKEN_NONE)
            TRY(token_ids_push(ids, best[at].id));
        else
            TRY(sentencepiece_push_unknown(unigram->sentencepiece, bytes + at, best[at].start - at,
                                           ids));
    }
    return STATUS_OK;
}
