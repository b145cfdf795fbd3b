// app/chat/chat_tree.c — moving in the tree of what was said: /tree, /redo, forks after an answer.
#include "app/chat/chat.h"

#include <inttypes.h>
#include <string.h>

void chat_note_step(struct chat *chat, int64_t from) {
    struct chat_step step = {.from = from, .to = chat->conversation.tip};
    memcpy(step.conversation, chat->conversation.id, sizeof step.conversation);
    if (chat->step_count == CHAT_MAX_STEPS)
        memmove(chat->steps, chat->steps + 1, --chat->step_count * sizeof step);
    chat->steps[chat->step_count++] = step;
}

// The newest step back that led to where the conversation is; false: none did.
static bool take_step(struct chat *chat, struct chat_step *step) {
    for (size_t i = chat->step_count; i-- > 0;) {
        const struct chat_step *candidate = &chat->steps[i];
        if (candidate->from != chat->conversation.tip ||
            strcmp(candidate->conversation, chat->conversation.id) != 0)
            continue;
        *step = *candidate;
        memmove(chat->steps + i, chat->steps + i + 1,
                (--chat->step_count - i) * sizeof chat->steps[0]);
        return true;
    }
    return false;
}

// The conversation's tip is the end of this transcript from now on; both are moved in.
static enum status stand_at(struct chat *chat, struct transcript *transcript, struct text *draft,
                            struct error *err) {
    const int64_t tip = transcript_tip(transcript);
    TRY(conversation_move(chat->db, chat->conversation.id, tip, transcript->model, err));
    transcript_deinit(&chat->transcript);
    text_deinit(&chat->draft);
    chat->transcript = *transcript;
    chat->draft = *draft;
    chat->conversation.tip = tip;
    chat->conversation.model = transcript->model;
    chat->answered = false;
    chat_place_if_it_fits(chat);
    chat_hold(chat);
    return STATUS_OK;
}

static enum status go_to(struct chat *chat, int64_t message, struct error *err) {
    struct transcript transcript = transcript_like(&chat->transcript);
    struct text draft = {0};
    TRY(transcript_load(&transcript, chat->db, message, err));
    enum status status = chat_take_unanswered(&transcript, &draft);
    if (status == STATUS_OK) status = stand_at(chat, &transcript, &draft, err);
    if (status == STATUS_OK) return status;
    transcript_deinit(&transcript);
    text_deinit(&draft);
    return status;
}

enum status chat_redo(struct chat *chat, struct error *err) {
    struct chat_step step;
    TRY(chat_check_idle(chat, err));
    if (!take_step(chat, &step))
        return error_set(err, STATUS_NOT_FOUND,
                         "there is nothing to go forward to; /tree shows all that was said");
    return go_to(chat, step.to, err);
}

enum status chat_go(struct chat *chat, int64_t message, struct error *err) {
    TRY(chat_check_idle(chat, err));
    if (!chat->conversation.id[0])
        return error_set(err, STATUS_NOT_FOUND, "nothing was said in this conversation yet");
    const int64_t before = chat->conversation.tip;
    TRY(go_to(chat, message, err));
    const int64_t after = chat->conversation.tip;
    if (after == before) return STATUS_OK;
    chat->conversation.tip = before;
    chat_note_step(chat, after);
    chat->conversation.tip = after;
    return STATUS_OK;
}

enum status chat_fork_after(struct chat *chat, int64_t turn, const char *name, struct error *err) {
    size_t at;
    TRY(chat_check_idle(chat, err));
    TRY(chat_find_turn(&chat->transcript, turn, &at, err));
    if (at + 1 == chat->transcript.count || chat_message(chat, at + 1)->role != MESSAGE_ASSISTANT)
        return error_set(err, STATUS_BAD_INPUT, "turn %" PRId64 " has no answer", turn);
    text_clear(&chat->draft);
    return chat_fork_keeping(chat, at + 2, name, err);
}
