#include "app/chat/usage.h"

int usage_percent(int64_t part, int64_t whole) {
    return whole > 0 ? (int)((part * 100 + whole / 2) / whole) : 0;
}

// By the server's count: the last answer's prompt plus its output.
static int32_t served_tokens(const struct chat *chat) {
    for (size_t i = chat_message_count(chat); i-- > 0;) {
        const struct message_stats *stats = &chat_message(chat, i)->stats;
        const int64_t tokens = stats->prompt_tokens + stats->output_tokens;
        if (tokens > 0 && tokens <= INT32_MAX) return (int32_t)tokens;
    }
    return 0;
}

struct usage usage_of(const struct chat *chat) {
    struct engine_info info;
    struct kv_usage kv;
    engine_info(chat->session->engine, &info);
    engine_kv_usage(chat->session->engine, &kv);
    struct usage usage = {
        .context = info.context,
    };
    for (int32_t i = 0; i < kv.group_count; i++) { // report the scarcest
        const struct kv_group_usage *group = &kv.groups[i];
        const int percent =
            usage_percent(group->device_blocks - group->device_free, group->device_blocks);
        if (percent > usage.pool_percent) usage.pool_percent = percent;
    }
    usage.length = sequence_length(chat->sequence);
    if (info.remote[0]) {
        usage.length = served_tokens(chat);
        usage.context = info.trained_context;
    }
    usage.cached = sequence_cached(chat->sequence);
    usage.context_percent = usage_percent(usage.length, usage.context);
    return usage;
}
