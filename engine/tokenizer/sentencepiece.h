// engine/tokenizer/sentencepiece.h — BPE over characters as in SentencePiece: the ids of a text.
//
// Every character is a symbol and a space is U+2581. Of all neighbours that together are a token,
// those with the highest score are joined first (Kudo & Richardson, arXiv 1808.06226); a
// vocabulary that came with a list of merges instead goes by that (merge_table.h). A character
// that is no token becomes its bytes' tokens "<0x0A>", or the unknown token in a vocabulary
// without them.
//
// Two characters that are adjacent in no token are never joined, so a text may be cut between them:
// sentencepiece_word() says where. It compares the last byte of one with the first of the other,
// which finds the ends of most words.
//
// Memory: the merges are owned. Immutable once set up.
#ifndef ENGINE_SENTENCEPIECE_H
#define ENGINE_SENTENCEPIECE_H

#include "engine/tokenizer/merge_table.h"
#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/vocabulary.h"

struct sentencepiece {
    const struct vocabulary *vocabulary; // borrowed
    int32_t byte_ids[256];               // or TOKEN_NONE
    unsigned char neighbours[256][32];   // [a] bit b: may byte b begin a character behind byte a?
    bool has_all_bytes;
    // Set by the owner:
    struct merge_table merges; // {0}: by scores
    bool fuses_unknown;        // unknown characters side by side are one token
    bool keeps_spaces;         // a space in the text stays one: the normaliser has seen to them
    bool keeps_marks;          // U+2581 in a token is no space
};

// `name` begins errors. BAD_FILE: a byte token that names no byte, or a vocabulary in which some
// text has no tokens at all.
MUST_CHECK enum status sentencepiece_init(struct sentencepiece *sentencepiece,
                                          const struct vocabulary *vocabulary, const char *name,
                                          struct error *err);
void sentencepiece_deinit(struct sentencepiece *sentencepiece); // {0} is fine

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

// Bytes of the character at the start, length > 0: 1 for an ill-formed one.
size_t sentencepiece_character(const char *bytes, size_t length);

// Appends what stands for text that has no token: all its bytes' tokens, or one unknown one.
MUST_CHECK enum status sentencepiece_push_unknown(const struct sentencepiece *sentencepiece,
                                                  const char *bytes, size_t length,
                                                  struct token_ids *ids);

// Appends the bytes that a token which is not special stands for.
MUST_CHECK enum status sentencepiece_decode(const struct sentencepiece *sentencepiece, int32_t id,
                                            struct text *text);

#endif
