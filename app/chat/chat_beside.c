// app/chat/chat_beside.c — a second chat with the same engine, store and settings.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/chat/chat.h"
#include "kernels/base/assert.h"

// In a new conversation, which is not stored.
static enum status open_empty(const struct chat *chat, struct chat **result) {
    struct chat *beside = calloc(1, sizeof *beside);
    if (!beside) return STATUS_NO_MEMORY;
    beside->engine = chat->engine;
    beside->db = chat->db;
    beside->settings = chat->settings;
    beside->tokenizer = chat->tokenizer;
    beside->chat_template = chat->chat_template;
    beside->context = chat->context;
    beside->stops = chat->stops;
    beside->transcript = transcript_like(&chat->transcript);
    memcpy(beside->previous, chat->conversation.id, sizeof beside->previous);
    enum status status = sequence_create(chat->engine, &beside->sequence);
    if (status == STATUS_OK)
        status = text_append_string(&beside->system, text_string(&chat->system));
    if (status != STATUS_OK) {
        chat_close(beside);
        return status;
    }
    *result = beside;
    return STATUS_OK;
}

enum status chat_open_beside(const struct chat *chat, const char *name_or_id, struct chat **result,
                             struct error *err) {
    struct chat *beside;
    TRY(open_empty(chat, &beside));
    const enum status status = name_or_id ? chat_resume(beside, name_or_id, err) : STATUS_OK;
    if (status != STATUS_OK) {
        chat_close(beside);
        return status;
    }
    memcpy(beside->previous, chat->conversation.id, sizeof beside->previous);
    *result = beside;
    return STATUS_OK;
}

// What is there of the answer becomes the fork's tip. The ids are in `log`, a fork of its sequence,
// for that one grows meanwhile.
static enum status store_partial(const struct chat *chat, const struct sequence *log,
                                 const struct conversation *fork, struct error *err) {
    const struct answer *answer = &chat->answers[0];
    const int64_t model = chat->transcript.model;
    struct message message = chat_message_of(chat, answer);
    message.stop = STOP_INTERRUPTED;
    if (message.length == 0) return STATUS_OK;
    int64_t tip;
    TRY(message_add(chat->db, &message, model, sequence_tokens(log) + chat_log_begin(chat),
                    answer_kept_tokens(answer), &tip, err));
    return conversation_move(chat->db, fork->id, tip, model, err);
}

static enum status store_fork(const struct chat *chat, const struct sequence *log, const char *name,
                              struct conversation *fork, struct error *err) {
    const bool over = chat->turn.done;
    const int64_t at = over ? chat->conversation.tip : chat->turn.parent;
    enum status status = db_begin(chat->db, err);
    if (status != STATUS_OK) return status;
    status = conversation_fork(chat->db, &chat->conversation, at, name, fork, err);
    if (status == STATUS_OK && !over) status = store_partial(chat, log, fork, err);
    if (status == STATUS_OK) status = db_commit(chat->db, err);
    if (status != STATUS_OK) db_rollback(chat->db);
    return status;
}

enum status chat_fork_beside(const struct chat *chat, const char *name, struct chat **result,
                             struct error *err) {
    ASSERT(chat_running(chat));
    struct conversation fork;
    struct chat *beside = NULL;
    struct sequence *log;
    // Nobody may have heard yet that the turn is over: then the chat is as it leaves it.
    const bool over = chat->turn.done;
    if (over && chat->transcript.count == 0)
        return error_set(err, STATUS_BAD_INPUT, "there is nothing to fork yet");
    TRY(sequence_fork(over ? chat->sequence : chat->answers[0].sequence, &log));
    enum status status = store_fork(chat, log, name, &fork, err);
    if (status == STATUS_OK) status = chat_open_beside(chat, fork.id, &beside, err);
    if (status != STATUS_OK) {
        sequence_destroy(log);
        return status;
    }
    chat_take_sequence(beside, log);
    *result = beside;
    return STATUS_OK;
}

enum status chat_take_over(struct chat *chat, struct chat *from, struct error *err) {
    struct text system = {0};
    const enum status status = text_append_string(&system, text_string(&from->system));
    if (status != STATUS_OK) return error_set(err, status, "%s", status_text(status));
    text_deinit(&chat->system);
    chat->system = system;
    chat->settings = from->settings;
    chat->owns_db = chat->owns_db || from->owns_db;
    from->owns_db = false;
    chat->owns_template = chat->owns_template || from->owns_template;
    from->owns_template = false;
    memcpy(chat->steps, from->steps, sizeof chat->steps); // nobody steps back in one that runs
    chat->step_count = from->step_count;
    const bool stored = from->conversation.id[0];
    memcpy(chat->previous, stored ? from->conversation.id : from->previous, sizeof chat->previous);
    return STATUS_OK;
}
