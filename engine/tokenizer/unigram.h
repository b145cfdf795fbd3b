// engine/tokenizer/unigram.h — Unigram: the ids of the most probable way to cut a text into tokens.
//
// Each token has a score, the logarithm of its probability. Of all ways to cut a text, the one with
// the highest sum is chosen (Kudo, arXiv 1804.10959; Viterbi's algorithm). A character without a
// token of its own counts as unknown, UNIGRAM_PENALTY worse than the worst token. Adjacent unknown
// characters are one stretch, encoded as byte tokens "<0x0A>" if the vocabulary has them, otherwise
// as the unknown token.
//
//   text     u n l i k e l y          best[i]: the best sum for the first i bytes, and
//   tokens   un|like|ly               the token that ends there
//
// Memory: an index of the vocabulary's texts. Immutable once set up.
#ifndef ENGINE_UNIGRAM_H
#define ENGINE_UNIGRAM_H

#include "engine/tokenizer/prefix_index.h"
#include "engine/tokenizer/sentencepiece.h"

enum { UNIGRAM_PENALTY = 10 };

struct unigram {
    const struct sentencepiece *sentencepiece; // borrowed: its vocabulary and bytes' tokens
    struct prefix_index index;                 // plain tokens
    double unknown_score;
};

struct unigram_best { // the best way to end at a byte
    double score;
    size_t start; // where its last token begins; SIZE_MAX: no way
    int32_t id;   // of that token; TOKEN_NONE: unknown
};

struct unigram_scratch { // owned by one call of tokenizer_encode(); {0} is empty
    struct unigram_best *best;
    size_t capacity;
};

// The vocabulary has scores.
MUST_CHECK enum status unigram_init(struct unigram *unigram,
                                    const struct sentencepiece *sentencepiece);
void unigram_deinit(struct unigram *unigram); // {0} is fine
void unigram_scratch_deinit(struct unigram_scratch *scratch);

// Appends the ids of bytes[0..length). Each byte of ill-formed UTF-8 is an unknown character.
MUST_CHECK enum status unigram_encode(const struct unigram *unigram,
                                      struct unigram_scratch *scratch, const char *bytes,
                                      size_t length, struct token_ids *ids);

#endif
