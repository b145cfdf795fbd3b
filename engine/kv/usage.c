#include "engine/kv/usage.h"

size_t kv_usage_device_bytes(const struct kv_usage *usage) {
    size_t bytes = 0;
    for (int32_t i = 0; i < usage->group_count; i++)
        bytes += usage->groups[i].device_blocks * usage->groups[i].block_bytes;
    return bytes;
}

size_t kv_usage_host_bytes(const struct kv_usage *usage) {
    size_t bytes = 0;
    for (int32_t i = 0; i < usage->group_count; i++)
        bytes += usage->groups[i].host_blocks * usage->groups[i].block_bytes;
    return bytes;
}

uint32_t kv_usage_held(const struct kv_usage *usage, enum cache_kind kind) {
    uint32_t held = 0;
    for (int32_t i = 0; i < usage->group_count; i++)
        if (usage->groups[i].kind == kind) held += usage->groups[i].device_held;
    return held;
}
