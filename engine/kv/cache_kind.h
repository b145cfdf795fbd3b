// engine/kv/cache_kind.h — what do layers need of a sequence's past, and how many blocks is that?
#ifndef ENGINE_CACHE_KIND_H
#define ENGINE_CACHE_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kv_cache.h"

enum cache_kind {
    CACHE_FULL,   // the keys and values of all tokens
    CACHE_WINDOW, // those of the last tokens; a short convolution has a window, too
    CACHE_STATE,  // the state of a recurrence after the last token
};

// A number of blocks for each group of layers, in the order of the groups; 0 after the last group.
struct block_counts {
    int32_t of[KV_GROUPS];
};
bool block_counts_fit(struct block_counts need, struct block_counts have);

const char *cache_kind_name(enum cache_kind kind); // "full", "window" or "state"

#endif
