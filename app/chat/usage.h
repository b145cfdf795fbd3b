// app/chat/usage.h — how full are the context and the cache?
//
// A snapshot; owns nothing.
#ifndef APP_USAGE_H
#define APP_USAGE_H

#include "app/chat/chat.h"

struct usage {
    int32_t length, cached; // tokens of this conversation: in the log, with KV in the cache
    int32_t context;        // 0: unknown (a model on a server)
    int context_percent, pool_percent; // used, rounded
};

struct usage usage_of(const struct chat *chat);

int usage_percent(int64_t part, int64_t whole); // rounded; 0 if whole is 0

#endif
