// engine/tokenizer/byte_bpe.h — a word's ids by byte-level BPE.
//
// Every byte is a symbol; neighbours are merged in the order in which training found the
// merges (Sennrich et al., arXiv 1508.07909). The file writes bytes as printable characters:
// '!'…'~', '¡'…'¬' and '®'…'ÿ' stand for themselves, the others in order for U+0100, U+0101, …
// (GPT-2's table).
//
// A merge whose parts or result are not plain tokens is left out: no text can contain it,
// as every symbol is a token. Of two merges of one pair the first counts.
//
// Memory: owned tables. Immutable after opening.
#ifndef ENGINE_BYTE_BPE_H
#define ENGINE_BYTE_BPE_H

#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/vocabulary.h"

enum { BYTE_BPE_MAX_MERGES = 1 << 24 };

struct byte_bpe;

// `vocabulary` is borrowed and must outlive the result. BAD_FILE: no merges, or a byte that
// has no token in a vocabulary that has none for unknown text either.
MUST_CHECK enum status byte_bpe_open(const struct gguf *gguf, const struct vocabulary *vocabulary,
                                     struct byte_bpe **bpe, struct error *err);
void byte_bpe_close(struct byte_bpe *bpe); // NULL is fine

// Appends the ids of one word as the pre-tokeniser cuts it. With `whole_first` a word that is
// a token is that token, whatever the merges would make of it.
MUST_CHECK enum status byte_bpe_encode(const struct byte_bpe *bpe, struct merger *merger,
                                       const char *word, size_t length, bool whole_first,
                                       struct token_ids *ids);

// Appends the bytes that a normal token's characters stand for. Characters outside the table,
// which only odd files hold, stay as they are.
MUST_CHECK enum status byte_bpe_decode(const struct byte_bpe *bpe, struct gguf_string piece,
                                       struct text *text);

#endif
