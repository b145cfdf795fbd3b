#include "app/chat/room.h"

#include <inttypes.h>
#include <string.h>

#include "app/chat/thinking.h"
#include "kernels/base/assert.h"

enum {
    KEPT_EXCHANGES = 2,
    KEPT_PART = 4,       // of the context, for what is kept
    ANSWER_PART = 8,     // of the context, for the answer that is to come
    SUMMARY_PART = 8,    // of the context, for the summary
    SUMMARY_MOST = 1024, // tokens
    PAIR_TOKENS = 48,    // around a summary in the fork, generously
};

static const char ASK[] =
    "Summarise our conversation so far, so that it can go on from the summary alone. Keep names, "
    "numbers, decisions, what I asked for and what is still open. Write only the summary.";

static int32_t summary_tokens(const struct chat *chat) {
    const int32_t part = chat_context(chat) / SUMMARY_PART;
    return part < SUMMARY_MOST ? part : SUMMARY_MOST;
}

static int64_t turns_before(const struct chat *chat, size_t index) {
    int64_t turns = 0;
    for (size_t i = 0; i < index; i++)
        turns += chat_message(chat, i)->role == MESSAGE_USER;
    return turns;
}

enum status room_drop(struct chat *chat, int32_t message_tokens, int64_t *dropped,
                      struct error *err) {
    size_t keep_from;
    const int32_t spare = chat_context(chat) / ANSWER_PART;
    TRY(chat_keep_from(chat, message_tokens, spare, &keep_from, err));
    const int64_t turns = turns_before(chat, keep_from);
    TRY(chat_shorten(chat, NULL, keep_from, err));
    *dropped = turns;
    return STATUS_OK;
}

// The first of the exchanges that are short enough to be kept, or the number of messages. At least
// one is not kept.
static size_t first_kept(const struct chat *chat) {
    const size_t count = chat_message_count(chat), all = chat_log_tokens(chat, count);
    const size_t most = (size_t)chat_context(chat) / KEPT_PART;
    const int64_t turns = chat_turn_count(chat);
    size_t first = count;
    int64_t seen = turns;
    for (size_t i = count; i-- > 0;) {
        if (chat_message(chat, i)->role != MESSAGE_USER) continue;
        seen--; // turns before this one
        if (seen == 0 || turns - seen > KEPT_EXCHANGES) break;
        if (all - chat_log_tokens(chat, i) > most) break;
        first = i;
    }
    return first;
}

// From where on messages are kept, so that the question and the summary fit behind the others, and
// what is kept, the summary, the message and an answer fit the fork.
static enum status plan(struct chat *chat, int32_t ask_tokens, int32_t message_tokens,
                        size_t *keep_from, struct error *err) {
    const int32_t summary = summary_tokens(chat);
    const size_t needed = (size_t)ask_tokens + (size_t)summary + 1;
    const size_t context = (size_t)chat_context(chat), count = chat_message_count(chat);
    size_t least;
    TRY(chat_keep_from(chat, message_tokens + summary + PAIR_TOKENS,
                       chat_context(chat) / ANSWER_PART, &least, err));
    size_t at = first_kept(chat);
    if (at < least) at = least;
    for (;; at--) {
        const bool begins = at == count || chat_message(chat, at)->role == MESSAGE_USER;
        if (begins && chat_log_tokens(chat, at) + needed <= context) break;
        if (at == least)
            return error_set(err, STATUS_TOO_LONG,
                             "the turns are too long to be summarised in a context of %zu tokens; "
                             "/new begins afresh, /fork N goes back",
                             context);
    }
    *keep_from = at;
    return STATUS_OK;
}

static enum status ask_for_summary(struct compaction *compaction, const char *focus,
                                   struct error *err) {
    struct text ask = {0};
    enum status status = text_append_string(&ask, ASK);
    if (status == STATUS_OK && focus[0])
        status = text_format(&ask, " What matters most: %s", focus);
    if (status == STATUS_OK)
        status = chat_send(compaction->scratch, text_string(&ask), ask.length, err);
    text_deinit(&ask);
    return status;
}

enum status compaction_begin(struct chat *chat, const char *focus, int32_t message_tokens,
                             struct compaction *compaction, struct error *err) {
    int32_t ask_tokens, free_tokens;
    *compaction = (struct compaction){.chat = chat};
    if (chat_turn_count(chat) == 0)
        return error_set(err, STATUS_BAD_INPUT, "there is nothing to summarise yet");
    TRY(chat_measure(chat, ASK, sizeof ASK - 1, &ask_tokens, &free_tokens, err));
    ask_tokens += (int32_t)strlen(focus); // at most a token a byte
    TRY(plan(chat, ask_tokens, message_tokens, &compaction->keep_from, err));
    TRY(chat_open_scratch(chat, compaction->keep_from, &compaction->scratch, err));
    chat_settings(compaction->scratch)->max_tokens = summary_tokens(chat);
    chat_settings(compaction->scratch)->think = THINK_OFF; // the tokens are for the summary
    const enum status status = ask_for_summary(compaction, focus, err);
    if (status != STATUS_OK) compaction_deinit(compaction);
    return status;
}

bool compaction_is_cut(const struct compaction *compaction) {
    const enum message_stop stop = chat_last(compaction->scratch).stop;
    return stop == STOP_LENGTH || stop == STOP_CONTEXT;
}

enum status compaction_finish(struct compaction *compaction, struct error *err) {
    const struct turn_report report = chat_last(compaction->scratch);
    struct text summary = {0};
    if (!report.any || report.stop == STOP_INTERRUPTED)
        return error_set(err, STATUS_CANCELLED, "the summary was stopped: nothing has changed");
    enum status status = thinking_split(report.text, report.length, NULL, &summary);
    const char *text = text_string(&summary) + strspn(text_string(&summary), " \t\n");
    if (status == STATUS_OK)
        status =
            text[0] ? chat_shorten(compaction->chat, text, compaction->keep_from, err)
                    : error_set(err, STATUS_BAD_INPUT, "the summary is empty: nothing has changed");
    text_deinit(&summary);
    return status;
}

void compaction_deinit(struct compaction *compaction) {
    chat_close_scratch(compaction->scratch);
    *compaction = (struct compaction){0};
}
