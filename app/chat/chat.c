#include "app/chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

enum status chat_open(struct session *session, struct chat **result, struct error *err) {
    struct chat *chat = calloc(1, sizeof *chat);
    if (!chat) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    chat->session = session;
    chat->transcript = (struct transcript){.tokenizer = session->tokenizer,
                                           .chat_template = session->chat_template,
                                           .model = session->model,
                                           .progress = session->reading,
                                           .progress_user = session->reading_user};
    chat->turn.kept = -1;
    const enum status status = sequence_create(session->engine, &chat->sequence);
    if (status != STATUS_OK) {
        chat_close(chat);
        return status;
    }
    *result = chat;
    return STATUS_OK;
}

void chat_close(struct chat *chat) {
    if (!chat) return;
    session_finish(chat->session, &chat->turn);
    if (chat->conversation.id[0]) conversation_unlock(chat->session->db, chat->conversation.id);
    transcript_deinit(&chat->transcript);
    sequence_destroy(chat->sequence);
    text_deinit(&chat->draft);
    for (int32_t i = 0; i < CHAT_MAX_ANSWERS; i++)
        answer_deinit(&chat->answers[i]);
    free(chat);
}

void chat_leave(struct chat *chat) {
    if (!chat || !chat->reply.unsaved) {
        chat_close(chat);
        return;
    }
    chat->next = chat->session->unsaved;
    chat->session->unsaved = chat;
}

size_t chat_message_count(const struct chat *chat) { return chat->transcript.count; }

const struct message *chat_message(const struct chat *chat, size_t index) {
    ASSERT(index < chat->transcript.count);
    return &chat->transcript.entries[index].message;
}

int64_t chat_turn_count(const struct chat *chat) { return transcript_turns(&chat->transcript); }

uint64_t chat_route(const struct chat *chat) {
    const struct message *root = chat_message(chat, 0);
    const int64_t facts[] = {root->id, root->created_ms};
    return hash_bytes(facts, sizeof facts, 0).low | 1;
}

const char *chat_preamble_text(const struct chat *chat) {
    if (chat->transcript.count == 0) return text_string(&chat->session->preamble);
    const struct message *first = chat_message(chat, 0);
    return first->role == MESSAGE_SYSTEM ? first->text : "";
}

const char *chat_draft(const struct chat *chat) { return text_string(&chat->draft); }

enum status chat_store(struct chat *chat, const char *name, struct error *err) {
    struct db *db = chat->session->db;
    const struct conversation *here = &chat->conversation;
    if (here->id[0]) return STATUS_OK;
    struct conversation made, original = {0};
    if (!name[0]) name = here->name;
    memcpy(original.id, here->forked_from, sizeof original.id);
    if (original.id[0])
        TRY(conversation_fork(db, &original, here->forked_at, name, &made, err));
    else
        TRY(conversation_create(db, name, chat->transcript.model, &made, err));
    TRY(conversation_lock(db, made.id, err));
    TRY(session_hold(chat->session, &made, err));
    chat->conversation = made;
    return chat->session->one_shot && !name[0] && !original.id[0]
               ? chat_mark_one_shot(chat, true, err)
               : STATUS_OK;
}

enum status chat_mark_one_shot(struct chat *chat, bool one_shot, struct error *err) {
    TRY(conversation_set_one_shot(chat->session->db, chat->conversation.id, one_shot, err));
    chat->conversation.one_shot = one_shot;
    return STATUS_OK;
}

enum status chat_rename(struct chat *chat, const char *name, struct error *err) {
    struct db *db = chat->session->db;
    if (!chat->conversation.id[0]) return chat_store(chat, name, err);
    TRY(conversation_rename(db, chat->conversation.id, name, err));
    struct conversation renamed;
    TRY(conversation_find(db, chat->conversation.id, &renamed, err));
    memcpy(chat->conversation.name, renamed.name, sizeof renamed.name);
    return STATUS_OK;
}

enum status chat_is_foreign(const struct session *session, const struct conversation *conversation,
                            bool *foreign, struct error *err) {
    TRY(session_differs(session, conversation, foreign, err));
    *foreign = *foreign && conversation->tip != MESSAGE_NONE;
    return STATUS_OK;
}

enum status chat_take_over(struct chat *chat, struct error *err) {
    TRY(session_hold(chat->session, &chat->conversation, err));
    chat->reads_only = false;
    return STATUS_OK;
}

enum status chat_check_writable(const struct chat *chat, struct error *err) {
    struct model_source source;
    TRY(chat_check_idle(chat, err));
    if (!chat->reads_only) return STATUS_OK;
    TRY(model_source_get(chat->session->db, chat->conversation.source, &source, err));
    error_set(err, STATUS_UNSUPPORTED,
              "this conversation uses %s, which is not open; /resume %s opens it, /model NAME "
              "continues in a fork",
              source.model_name, chat->conversation.id);
    model_source_deinit(&source);
    return STATUS_UNSUPPORTED;
}

enum status chat_check_idle(const struct chat *chat, struct error *err) {
    if (chat->reply.unsaved) return error_set(err, STATUS_IO, "the last answer is not saved yet");
    if (chat->turn.state == TURN_IDLE) return STATUS_OK;
    return error_set(err, STATUS_BUSY, "an answer is being written; stop it first (^C)");
}

void chat_check(const struct chat *chat) {
    const struct token_ids *log = &chat->transcript.log;
    const size_t length = (size_t)sequence_length(chat->sequence);
    turn_check(&chat->turn);
    transcript_check(&chat->transcript);
    if (turn_is_running(&chat->turn)) {
        ASSERT(chat->turn.parent == chat_message(chat, chat->reply.message_count - 1)->id);
        ASSERT(chat->answers[0].sequence == chat->sequence);
        return;
    }
    ASSERT(length <= log->count);
    ASSERT(!length ||
           !memcmp(sequence_tokens(chat->sequence), log->ids, length * sizeof *log->ids));
    ASSERT(chat->conversation.tip == transcript_tip(&chat->transcript));
}
