// engine/tokenizer/tokenizer.h — text to token ids and back, exactly as the model was trained.
//
// Three algorithms: byte-level BPE (vocabulary model "gpt2"), whose text is first cut by the
// family's pre-tokeniser expressions (pretokenizer.h); BPE over characters by scores ("llama") or
// by merges ("gemma4"), with byte fallback (sentencepiece.h); and Unigram. A tokenizer comes from
// a GGUF file, or from a Hugging Face folder (tokenizer_json.h). Special tokens are recognised in
// control pieces only, so no text that a person, a file or a model wrote can become one.
//
// Sources: Sennrich et al., arXiv 1508.07909 (BPE); Kudo & Richardson, arXiv 1808.06226
// (SentencePiece); the GGUF specification's tokenizer.ggml.* keys.
//
// Memory: all tables are owned by the tokenizer; strings are borrowed from the gguf, which
// must outlive it. Threads: immutable once opened and widened; encode and decode may run in any
// number of threads at once, each with its own buffers.
#ifndef ENGINE_TOKENIZER_H
#define ENGINE_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/gguf.h"
#include "engine/tokenizer/token.h"
#include "kernels/base/piece.h"
#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum {
    TOKENIZER_MAX_TEXT_BYTES = 1 << 29, // of all pieces of one call
    TOKENIZER_MAX_GROWTH = 32,          // of a text by its normaliser: NFKC makes 11 of 1 byte
};

struct tokenizer;

struct token_ids { // owned, grows; {0} is empty
    int32_t *ids;
    size_t count, capacity;
};

void token_ids_deinit(struct token_ids *ids);
MUST_CHECK enum status token_ids_push(struct token_ids *ids, int32_t id);
MUST_CHECK enum status token_ids_append(struct token_ids *ids, const int32_t *more, size_t count);

// BAD_FILE: keys missing or inconsistent. UNSUPPORTED: a tokenizer model or pre-tokeniser
// that is not known, by name. Works on a file that holds only a vocabulary.
MUST_CHECK enum status tokenizer_open(const struct gguf *gguf, struct tokenizer **tokenizer,
                                      struct error *err);
void tokenizer_close(struct tokenizer *tokenizer); // NULL is fine

// A model may have more rows than its tokenizer has tokens, and may sample any of them. Ids up to
// `count` become tokens without text. Call it before other threads use the tokenizer; `count` must
// not be lower than the number of tokens.
MUST_CHECK enum status tokenizer_widen(struct tokenizer *tokenizer, int32_t count);

// Appends the ids of the pieces, in order. Text between two special tokens is tokenised as
// one stretch, whatever pieces it came in; SentencePiece's space goes before each stretch.
// Control tokens are found first, each within one control piece; then user-defined tokens, which
// are ordinary vocabulary, anywhere between them; of several at one position the longest. Adds no
// BOS: that is up to the template or the caller. Ill-formed UTF-8 is encoded byte by byte, so every
// input has ids, unless its normaliser or pre-tokeniser drops it. Uses memory in proportion to the
// text and frees it. TOO_LONG: more than TOKENIZER_MAX_TEXT_BYTES, or the file's normaliser makes a
// text TOKENIZER_MAX_GROWTH times as long. UNSUPPORTED: an expression of the file takes too many
// steps. On failure `ids` is unchanged.
MUST_CHECK enum status tokenizer_encode(const struct tokenizer *tokenizer,
                                        const struct piece *pieces, size_t count,
                                        struct token_ids *ids);

// The stored text of this id, for people: "Ġcat", "▁cat", "<0x0A>". Borrowed from the tokenizer.
struct gguf_string tokenizer_piece(const struct tokenizer *tokenizer, int32_t id);

// Appends the bytes that the id stands for in text: "" for special (control) tokens unless
// `special`. SentencePiece: a leading space stays; see detokenizer.h for the first one.
MUST_CHECK enum status tokenizer_decode(const struct tokenizer *tokenizer, int32_t id, bool special,
                                        struct text *text);

int32_t tokenizer_vocabulary(const struct tokenizer *tokenizer); // ids are 0 … this - 1
int32_t tokenizer_bos(const struct tokenizer *tokenizer);        // or TOKEN_NONE
int32_t tokenizer_eos(const struct tokenizer *tokenizer);        // or TOKEN_NONE
int32_t
tokenizer_unknown(const struct tokenizer *tokenizer); // for text without tokens, or TOKEN_NONE
bool tokenizer_adds_bos(const struct tokenizer *tokenizer); // does the model expect it first?
bool tokenizer_adds_space_prefix(const struct tokenizer *tokenizer); // SentencePiece's dummy prefix

// Does this id end a turn? (eos, eot, eom, and the names that families use for them)
bool tokenizer_ends_turn(const struct tokenizer *tokenizer, int32_t id);
// Is it a control token or the one for unknown text? Answers do not show these.
bool tokenizer_is_special(const struct tokenizer *tokenizer, int32_t id);

// The first id whose texts differ, or that only one of them has and is not unused there;
// TOKEN_NONE: the ids of one mean the same to the other.
int32_t tokenizer_differs(const struct tokenizer *a, const struct tokenizer *b);

// "gpt2 (qwen2)": model and pre-tokeniser, for people.
const char *tokenizer_description(const struct tokenizer *tokenizer);

#endif
