// engine/tokenizer/word_cache.h — has this word occurred before in this text?
//
// Text repeats its words, and a word's ids depend on nothing but its bytes. An entry holds the
// word and points back to where its ids are in the output. A new word takes the place of an old
// one with the same hash.
//
// Lives for one call of tokenizer_encode(); its memory is proportional to the text, up to a fixed
// size.
#ifndef ENGINE_WORD_CACHE_H
#define ENGINE_WORD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

enum { WORD_CACHE_MAX_WORD_BYTES = 44 }; // an entry is 64 bytes then

struct word_cache_ids {
    size_t first; // index of the first of them in the output
    uint32_t count;
};

struct word_cache_entry {
    struct word_cache_ids ids;
    uint32_t length; // 0: empty
    char bytes[WORD_CACHE_MAX_WORD_BYTES];
};

struct word_cache {
    struct word_cache_entry *entries; // [mask + 1], or NULL: a short text, all is new
    size_t mask;
};

MUST_CHECK enum status word_cache_init(struct word_cache *cache, size_t text_bytes);
void word_cache_deinit(struct word_cache *cache); // {0} is fine

// The word's entry; 0 < `length` <= WORD_CACHE_MAX_WORD_BYTES. NULL if nothing is cached. *known
// says whether the entry is this word; if not, the caller may overwrite it.
struct word_cache_entry *word_cache_find(struct word_cache *cache, const char *bytes, size_t length,
                                         bool *known);

// The entry is this word from now on.
void word_cache_write(struct word_cache_entry *entry, const char *bytes, size_t length,
                      struct word_cache_ids ids);

#endif
