// engine/tokenizer/word_cache.h — was this word met before in this text?
//
// Text repeats its words, and a word's ids depend on nothing but its bytes. An entry points
// back: to where the word stood and where its ids are in the output, so nothing is copied.
// A new word takes the place of an old one with the same hash.
//
// Lives for one call of tokenizer_encode(), whose text must stay where it is; takes memory in
// proportion to that text, up to a fixed size.
#ifndef ENGINE_WORD_CACHE_H
#define ENGINE_WORD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

enum { WORD_CACHE_MAX_WORD_BYTES = 64 };

struct word_cache_entry {
    const char *bytes; // borrowed from the text
    uint32_t length;   // 0: empty
    uint32_t count;    // ids
    size_t first;      // index of the first of them in the output
};

struct word_cache {
    struct word_cache_entry *entries; // [mask + 1], or NULL: a short text, all is new
    size_t mask;
};

MUST_CHECK enum status word_cache_init(struct word_cache *cache, size_t text_bytes);
void word_cache_deinit(struct word_cache *cache); // {0} is fine

// The word's place: with `length` 0 < … <= WORD_CACHE_MAX_WORD_BYTES. NULL when nothing is
// kept. *known says whether the entry is this word; if not, the caller writes a new one.
struct word_cache_entry *word_cache_find(struct word_cache *cache, const char *bytes, size_t length,
                                         bool *known);

#endif
