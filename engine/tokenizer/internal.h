// engine/tokenizer/internal.h — the parts of a tokenizer, for the files that open and use one.
//
//   text ─► control tokens, user-defined tokens ─► normalizer ─► user-defined tokens that are
//   found in normalised text ─► spacing, pretokenizer ─► words ─► byte_bpe, sentencepiece or
//   unigram ─► ids
//
// tokenizer_gguf.c and tokenizer_json.c fill an empty one; tokenizer_close() accepts any state.
#ifndef ENGINE_TOKENIZER_INTERNAL_H
#define ENGINE_TOKENIZER_INTERNAL_H

#include "engine/tokenizer/byte_bpe.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/sentencepiece.h"
#include "engine/tokenizer/unigram.h"
#include "engine/tokenizer/vocabulary.h"

enum { TOKENIZER_DESCRIPTION_BYTES = 64 };

enum tokenizer_model {
    MODEL_BYTES,      // byte_bpe
    MODEL_CHARACTERS, // sentencepiece
    MODEL_UNIGRAM,    // unigram, with sentencepiece's bytes
};

struct tokenizer {
    struct vocabulary vocabulary;
    struct normalizer normalizer;
    struct prefix_index normalized; // user-defined tokens with TOKEN_NORMALIZED
    struct text normalized_texts;   // in which they lie
    struct normalizer spacing;      // of tokenizer.json: what its pre_tokenizer does before it cuts
    struct pretokenizer *pretokenizer; // NULL: text is not cut
    enum tokenizer_model model;
    struct byte_bpe *byte_bpe;          // MODEL_BYTES
    struct sentencepiece sentencepiece; // the others
    struct unigram unigram;             // MODEL_UNIGRAM
    bool whole_first;                   // a word that is a token is that token; MODEL_BYTES
    bool prefixes_space;                // before each stretch; MODEL_CHARACTERS
    bool drops_space;                   // the first one of a decoded text
    bool adds_bos;
    bool writes_marks; // its bytes are quire's own, which mark thoughts (thinking.h)
    char description[TOKENIZER_DESCRIPTION_BYTES];
};

#endif
