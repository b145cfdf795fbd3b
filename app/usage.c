#include "app/usage.h"

int usage_percent(int64_t part, int64_t whole) {
    return whole > 0 ? (int)((part * 100 + whole / 2) / whole) : 0;
}

struct usage usage_of(struct chat *chat, struct engine *engine) {
    struct engine_info info;
    engine_info(engine, &info);
    struct usage usage = {
        .context = info.context,
        .pool_percent = usage_percent(info.blocks_total - info.blocks_free, info.blocks_total),
    };
    struct sequence *sequence = chat_sequence(chat);
    if (!sequence) return usage;
    usage.length = sequence_length(sequence);
    usage.cached = sequence_cached(sequence);
    usage.blocks = sequence_blocks(sequence);
    usage.context_percent = usage_percent(usage.length, info.context);
    return usage;
}
