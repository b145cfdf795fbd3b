// tests/engine/tokenizer/agreement.h — does a tokenizer agree with another one, and with itself?
//
// Failures are cmocka's.
#ifndef TESTS_AGREEMENT_H
#define TESTS_AGREEMENT_H

#include "engine/tokenizer/tokenizer.h"

// GPT-2's expression, and that of Llama 3 and Qwen 2, which differ in how they cut digits.
#define AGREEMENT_GPT2 \
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define AGREEMENT_WORDS(digits)                                                                   \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits "| ?[^\\s\\p{L}\\p{N}]+" \
    "[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

void agreement_open(const char *path, struct gguf **gguf, struct tokenizer **tokenizer);

// Are these the ids of the piece? Prints both lists if not.
bool agreement_of_ids(const struct tokenizer *tokenizer, struct piece piece,
                      const struct token_ids *expected);

// The same, and the ids' text is the text.
bool agreement_both_ways(const struct tokenizer *tokenizer, struct piece piece,
                         const struct token_ids *expected);

// `count` random texts come back, byte by byte.
void agreement_round_trips(const struct tokenizer *tokenizer, int count);

// The same vocabulary, written as a tokenizer.json, has the same ids for random texts. `expression`
// is that of a vocabulary over bytes; `pairs`: merges as ["a", "b"].
void agreement_with_json(const struct gguf *gguf, const struct tokenizer *tokenizer,
                         const char *expression, bool pairs);

#endif
