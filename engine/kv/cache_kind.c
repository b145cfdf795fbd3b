#include "engine/kv/cache_kind.h"

const char *cache_kind_name(enum cache_kind kind) {
    static const char *const names[] = {
        [CACHE_FULL] = "full", [CACHE_WINDOW] = "window", [CACHE_STATE] = "state"};
    return names[kind];
}
