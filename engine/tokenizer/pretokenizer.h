// engine/tokenizer/pretokenizer.h — where a text is cut before merging.
//
// No merge crosses such a cut, so a vocabulary only makes sense with the expressions that it was
// trained with. GGUF names them in tokenizer.ggml.pre (pretokenizer_open()); a tokenizer.json
// spells them out, step by step (pretokenizer_add()). Each step cuts the pieces of the previous
// one, and sees nothing beyond a piece:
//
//   text          "it's 2024"
//   step 1        "it's " | "2" | "0" | "2" | "4"              digits one by one
//   step 2        "it" | "'s" | " " | "2" | "0" | "2" | "4"    words
//
// A pretokenizer is immutable once its steps are in and may be walked by many threads, each with
// its own walk.
#ifndef ENGINE_PRETOKENIZER_H
#define ENGINE_PRETOKENIZER_H

#include "engine/tokenizer/expression.h"
#include "engine/tokenizer/tokenizer.h"

enum { PRETOKENIZER_MAX_STEPS = 8 };

// What a cut does with matches and with the stretches between them.
enum cut_kind {
    CUT_ISOLATED,      // both are pieces
    CUT_REMOVED,       // matches are dropped
    CUT_WITH_PREVIOUS, // a match ends the stretch before it
    CUT_WITH_NEXT,     // a match begins the stretch behind it
    CUT_CONTIGUOUS,    // matches side by side are one piece
};

struct pretokenizer;
struct pretokenizer_walk;

// `name` is as in tokenizer.ggml.pre, and empty if the file has none. UNSUPPORTED: an unknown
// pre-tokeniser, by name.
MUST_CHECK enum status pretokenizer_open(struct gguf_string name,
                                         struct pretokenizer **pretokenizer, struct error *err);

// Without steps: a text is one piece.
MUST_CHECK enum status pretokenizer_create(struct pretokenizer **pretokenizer);
void pretokenizer_close(struct pretokenizer *pretokenizer); // NULL is fine

// One more step. `expression` moves into it, also on failure; `inverted`: matches and the
// stretches between them change places. UNSUPPORTED: there are PRETOKENIZER_MAX_STEPS already.
MUST_CHECK enum status pretokenizer_add(struct pretokenizer *pretokenizer,
                                        struct expression *expression, enum cut_kind kind,
                                        bool inverted, struct error *err);

// GPT-2's expression as a step; a tokenizer.json refers to it without spelling it out.
MUST_CHECK enum status pretokenizer_add_words(struct pretokenizer *pretokenizer, struct error *err);

const char *pretokenizer_name(const struct pretokenizer *pretokenizer); // "" if it has none
bool pretokenizer_is_empty(const struct pretokenizer *pretokenizer);    // no steps
// Is a word that is in the vocabulary one token, regardless of merges?
bool pretokenizer_ignores_merges(const struct pretokenizer *pretokenizer);
// Do models of this family expect BOS when the file does not say?
bool pretokenizer_adds_bos(const struct pretokenizer *pretokenizer);

// A walk over the words of one text after another.
MUST_CHECK enum status pretokenizer_walk_create(const struct pretokenizer *pretokenizer,
                                                struct pretokenizer_walk **walk);
void pretokenizer_walk_destroy(struct pretokenizer_walk *walk); // NULL is fine
void pretokenizer_walk_start(struct pretokenizer_walk *walk, const char *bytes, size_t length);

// The next word is bytes[*start..*start + *length); *length 0 at the end of the text. The words
// cover the text without gaps, except for what a CUT_REMOVED step drops; each byte of ill-formed
// UTF-8 is a word of its own, and the text before and after it is cut as if it stood alone.
// NO_MEMORY, UNSUPPORTED: as expression_find() says.
MUST_CHECK enum status pretokenizer_walk_next(struct pretokenizer_walk *walk, size_t *start,
                                              size_t *length);

#endif
