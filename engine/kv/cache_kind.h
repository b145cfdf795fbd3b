// engine/kv/cache_kind.h — what do layers need of a sequence's past?
#ifndef ENGINE_CACHE_KIND_H
#define ENGINE_CACHE_KIND_H

enum cache_kind {
    CACHE_FULL,   // the keys and values of all tokens
    CACHE_WINDOW, // those of the last ones; what a short convolution keeps is a window, too
    CACHE_STATE,  // the state of a recurrence after the last token
};

const char *cache_kind_name(enum cache_kind kind); // "full", "window" or "state"

#endif
