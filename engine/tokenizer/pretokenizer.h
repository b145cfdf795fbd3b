// engine/tokenizer/pretokenizer.h — where byte-level BPE cuts a text before merging.
//
// No merge crosses such a cut, so a vocabulary only makes sense with the expression that it
// was trained with; the file names it in tokenizer.ggml.pre. The expressions are those that
// the GPT-2, SmolLM, Llama 3 and Qwen2 tokenizers were published with.
//
// A pretokenizer is immutable and may be walked by many threads, each with its own walk.
#ifndef ENGINE_PRETOKENIZER_H
#define ENGINE_PRETOKENIZER_H

#include "engine/tokenizer/tokenizer.h"

struct pretokenizer;
struct pretokenizer_walk;

// `name` as in tokenizer.ggml.pre; an empty one means that the file does not say. UNSUPPORTED
// names an expression that is not known.
MUST_CHECK enum status pretokenizer_open(struct gguf_string name,
                                         struct pretokenizer **pretokenizer, struct error *err);
void pretokenizer_close(struct pretokenizer *pretokenizer); // NULL is fine

const char *pretokenizer_name(const struct pretokenizer *pretokenizer);
// Is a word that is in the vocabulary one token, whatever the merges would make of it?
bool pretokenizer_ignores_merges(const struct pretokenizer *pretokenizer);
// Do models of this family expect BOS when the file does not say?
bool pretokenizer_adds_bos(const struct pretokenizer *pretokenizer);

// A walk over the words of one text after another.
MUST_CHECK enum status pretokenizer_walk_create(const struct pretokenizer *pretokenizer,
                                                struct pretokenizer_walk **walk);
void pretokenizer_walk_destroy(struct pretokenizer_walk *walk); // NULL is fine
void pretokenizer_walk_start(struct pretokenizer_walk *walk, const char *bytes, size_t length);

// The length of the next word, 0 at the end of the text. The words cover the text without
// gaps; each byte of ill-formed UTF-8 is a word of its own, and the text before and after it
// is cut as if it stood alone. NO_MEMORY when the expression ran out of its resources.
MUST_CHECK enum status pretokenizer_walk_next(struct pretokenizer_walk *walk, size_t *length);

#endif
