#include "app/chat/usage.h"

int usage_percent(int64_t part, int64_t whole) {
    return whole > 0 ? (int)((part * 100 + whole / 2) / whole) : 0;
}

struct usage usage_of(struct chat *chat, struct engine *engine) {
    struct engine_info info;
    struct kv_usage kv;
    engine_info(engine, &info);
    engine_kv_usage(engine, &kv);
    struct usage usage = {
        .context = info.context,
        .pool_percent = usage_percent(kv.device_blocks - kv.device_free, kv.device_blocks),
    };
    struct sequence *sequence = chat_sequence(chat);
    usage.length = sequence_length(sequence);
    usage.cached = sequence_cached(sequence);
    usage.context_percent = usage_percent(usage.length, info.context);
    return usage;
}
