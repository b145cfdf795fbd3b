#include "app/chat/usage.h"

int usage_percent(int64_t part, int64_t whole) {
    return whole > 0 ? (int)((part * 100 + whole / 2) / whole) : 0;
}

struct usage usage_of(const struct chat *chat) {
    struct engine_info info;
    struct kv_usage kv;
    engine_info(chat->session->engine, &info);
    engine_kv_usage(chat->session->engine, &kv);
    struct usage usage = {
        .context = info.context,
        .pool_percent = usage_percent(kv.device_blocks - kv.device_free, kv.device_blocks),
    };
    const int windows = usage_percent(kv.window_blocks - kv.window_free, kv.window_blocks);
    if (windows > usage.pool_percent) usage.pool_percent = windows; // the scarcer one
    usage.length = sequence_length(chat->sequence);
    usage.cached = sequence_cached(chat->sequence);
    usage.context_percent = usage_percent(usage.length, info.context);
    return usage;
}
