// engine/tokenizer/sentencepiece.h — a text's ids by SentencePiece BPE.
//
// Every character is a symbol and a space is U+2581; of all neighbours that together are a
// token, those with the highest score are joined first (Kudo & Richardson, arXiv 1808.06226).
// A character that is no token becomes its bytes' tokens "<0x0A>", or the unknown token in a
// vocabulary without them.
//
// If no token has U+2581 behind another character, nothing is ever joined across the start of
// a word, and a text may be cut there: sentencepiece_word() says where.
#ifndef ENGINE_SENTENCEPIECE_H
#define ENGINE_SENTENCEPIECE_H

#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/vocabulary.h"

struct sentencepiece {
    const struct vocabulary *vocabulary; // borrowed
    int32_t byte_ids[256];               // or TOKEN_NONE
    bool cuts_words;
};

// BAD_FILE: no scores, a byte token that names no byte, or a vocabulary in which some text has
// no tokens at all.
MUST_CHECK enum status sentencepiece_init(struct sentencepiece *sentencepiece,
                                          const struct gguf *gguf,
                                          const struct vocabulary *vocabulary, struct error *err);

// The length of the first word of bytes[0..length), length > 0: a stretch of text that can be
// encoded by itself.
size_t sentencepiece_word(const struct sentencepiece *sentencepiece, const char *bytes,
                          size_t length);

// Appends the ids of the text, with a space before it if `space_prefix`. Each byte of
// ill-formed UTF-8 is a character of its own. `scratch` is overwritten.
MUST_CHECK enum status sentencepiece_encode(const struct sentencepiece *sentencepiece,
                                            struct merger *merger, struct text *scratch,
                                            struct piece text, bool space_prefix,
                                            struct token_ids *ids);

// Appends the bytes that a token which is not special stands for.
MUST_CHECK enum status sentencepiece_decode(const struct sentencepiece *sentencepiece, int32_t id,
                                            struct text *text);

#endif
