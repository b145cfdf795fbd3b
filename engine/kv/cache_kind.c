#include "engine/kv/cache_kind.h"

const char *cache_kind_name(enum cache_kind kind) {
    static const char *const names[] = {
        [CACHE_FULL] = "full", [CACHE_WINDOW] = "window", [CACHE_STATE] = "state"};
    return names[kind];
}

bool block_counts_fit(struct block_counts need, struct block_counts have) {
    for (int group = 0; group < KV_GROUPS; group++)
        if (need.of[group] > have.of[group]) return false;
    return true;
}
