// engine/tokenizer/byte_bpe.h — byte-level BPE: the ids of a word.
//
// Every byte is a symbol; neighbours are merged as merge_table.h says. The file writes bytes as
// printable characters:
// '!'…'~', '¡'…'¬' and '®'…'ÿ' stand for themselves, the others in order for U+0100, U+0101, …
// (GPT-2's table).
//
// Memory: owned tables. Immutable.
#ifndef ENGINE_BYTE_BPE_H
#define ENGINE_BYTE_BPE_H

#include "engine/tokenizer/merge_table.h"
#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/vocabulary.h"

struct byte_bpe;

// `vocabulary` is borrowed and must outlive the result; `merges` moves into it and is {0} then;
// `name` begins errors. A byte may have no token even if there is none for unknown text: it is then
// skipped in texts, which one warning says, and one that occurs only in ill-formed text becomes
// U+FFFD. BAD_FILE: a printable character of ASCII has none.
MUST_CHECK enum status byte_bpe_create(const struct vocabulary *vocabulary,
                                       struct merge_table *merges, const char *name,
                                       struct byte_bpe **bpe, struct error *err);
void byte_bpe_destroy(struct byte_bpe *bpe); // NULL is fine

// Appends the ids of one word as the pre-tokeniser cuts it. With `whole_first` a word that is a
// token becomes that token, regardless of merges.
MUST_CHECK enum status byte_bpe_encode(const struct byte_bpe *bpe, struct merger *merger,
                                       const char *word, size_t length, bool whole_first,
                                       struct token_ids *ids);

// Appends the bytes that a normal token's characters stand for. Characters outside the table, which
// only unusual files contain, are kept as they are.
MUST_CHECK enum status byte_bpe_decode(const struct byte_bpe *bpe, struct gguf_string piece,
                                       struct text *text);

#endif
