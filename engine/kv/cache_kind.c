#include "engine/kv/cache_kind.h"

const char *cache_kind_name(enum cache_kind kind) {
    switch (kind) {
    case CACHE_FULL:
        return "full";
    case CACHE_WINDOW:
        return "window";
    case CACHE_STATE:
        break;
    }
    return "state";
}
