// app/chat/chat_shorten.c — a shorter fork: a summary, or nothing, instead of the old turns.
#include "app/chat/chat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

static const char ASKED_FOR_SUMMARY[] = "Summarise our conversation so far.";

// Adds to the tip a message with this text, which the database copies.
static enum status add(struct db *db, enum message_role role, enum message_stop stop,
                       const struct text *text, int64_t *tip, struct error *err) {
    struct message message = {.parent = *tip, .role = role, .stop = stop, .length = text->length};
    char nothing[] = "";
    message.text = text->bytes ? text->bytes : nothing;
    return message_add(db, &message, 0, NULL, 0, tip, err);
}

static enum status add_summary(struct db *db, const char *summary, int64_t *tip,
                               struct error *err) {
    struct text asked = {0}, said = {0};
    enum status status = text_append_string(&asked, ASKED_FOR_SUMMARY);
    if (status == STATUS_OK) status = text_append_string(&said, summary);
    if (status == STATUS_OK) status = add(db, MESSAGE_USER, STOP_NONE, &asked, tip, err);
    if (status == STATUS_OK) status = add(db, MESSAGE_ASSISTANT, STOP_END, &said, tip, err);
    text_deinit(&asked);
    text_deinit(&said);
    return status;
}

static enum status copy_message(struct db *db, const struct message *message, int64_t *tip,
                                struct error *err) {
    struct message copy = *message;
    copy.parent = *tip;
    return message_add(db, &copy, 0, NULL, 0, tip, err);
}

// The head, the summary and the messages kept, in a tree of their own.
static enum status add_messages(const struct chat *chat, const char *summary, size_t keep_from,
                                int64_t *tip, struct error *err) {
    const struct message *first = chat_message(chat, 0);
    if (first->role == MESSAGE_SYSTEM) TRY(copy_message(chat->db, first, tip, err));
    if (summary) TRY(add_summary(chat->db, summary, tip, err));
    for (size_t i = keep_from; i < chat->transcript.count; i++)
        TRY(copy_message(chat->db, chat_message(chat, i), tip, err));
    return STATUS_OK;
}

static enum status make_fork(const struct chat *chat, const char *summary, size_t keep_from,
                             struct conversation *fork, struct error *err) {
    int64_t tip = MESSAGE_NONE;
    enum status status = db_begin(chat->db, err);
    if (status != STATUS_OK) return status;
    status = conversation_fork(chat->db, &chat->conversation, MESSAGE_NONE, "", fork, err);
    if (status == STATUS_OK) status = add_messages(chat, summary, keep_from, &tip, err);
    if (status == STATUS_OK) status = conversation_move(chat->db, fork->id, tip, 0, err);
    if (status == STATUS_OK) status = db_commit(chat->db, err);
    if (status != STATUS_OK) db_rollback(chat->db);
    return status;
}

enum status chat_shorten(struct chat *chat, const char *summary, size_t keep_from,
                         struct error *err) {
    struct conversation fork;
    TRY(chat_check_idle(chat, err));
    if (chat_turn_count(chat) == 0)
        return error_set(err, STATUS_BAD_INPUT, "there is no turn to leave out yet");
    ASSERT(keep_from == chat->transcript.count ||
           chat_message(chat, keep_from)->role == MESSAGE_USER);
    TRY(make_fork(chat, summary, keep_from, &fork, err));
    const enum status status = chat_resume(chat, fork.id, err);
    if (status != STATUS_OK) {
        struct error ignored; // the first failure says what is wrong
        const enum status deleted = conversation_delete(chat->db, fork.id, &ignored);
        (void)deleted;
    }
    return status;
}

// What the log has of the messages from this one on.
static size_t tokens_from(const struct transcript *transcript, size_t index) {
    return transcript->log.count - transcript_standing(transcript, index);
}

enum status chat_keep_from(struct chat *chat, int32_t more, int32_t spare, size_t *keep_from,
                           struct error *err) {
    const struct transcript *transcript = &chat->transcript;
    struct token_ids head = {0};
    size_t turns = 0;
    const enum status status = chat_measure_head(chat, chat_system(chat), &head, err);
    const size_t always = head.count + (size_t)more + (size_t)spare + 1;
    const size_t context = (size_t)chat->context;
    token_ids_deinit(&head);
    TRY(status);
    if (always > context)
        return error_set(err, STATUS_TOO_LONG,
                         "%zu tokens are needed even without the turns before, and the context "
                         "holds %zu",
                         always, context);
    for (size_t i = 0; i < transcript->count; i++) {
        const bool user = chat_message(chat, i)->role == MESSAGE_USER;
        turns += user;
        if (!user || turns < 2) continue;
        if (always + tokens_from(transcript, i) > context) continue;
        *keep_from = i;
        return STATUS_OK;
    }
    *keep_from = transcript->count;
    return STATUS_OK;
}

int32_t chat_context(const struct chat *chat) { return chat->context; }

size_t chat_log_tokens(const struct chat *chat, size_t messages) {
    return transcript_standing(&chat->transcript, messages);
}

// The messages with their ids, so that the scratch's log is the beginning of the chat's.
static enum status copy_log(const struct chat *chat, size_t count, struct chat *scratch,
                            int64_t *tip, struct error *err) {
    for (size_t i = 0; i < count; i++) {
        int32_t *ids = NULL;
        size_t id_count = 0;
        struct message copy = *chat_message(chat, i);
        enum status status =
            message_tokens(chat->db, copy.id, chat->transcript.model, &ids, &id_count, err);
        copy.parent = *tip;
        if (status == STATUS_OK || status == STATUS_NOT_FOUND)
            status =
                message_add(scratch->db, &copy, status == STATUS_OK ? scratch->transcript.model : 0,
                            ids, id_count, tip, err);
        free(ids);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status fill_scratch(const struct chat *chat, size_t count, struct chat *scratch,
                                struct error *err) {
    static const struct hash128 any = {1, 1}; // there is one model in this database
    struct conversation made;
    int64_t tip = MESSAGE_NONE;
    scratch->owns_db = true;
    TRY(db_open(":memory:", &scratch->db, err));
    TRY(db_model(scratch->db, any, "", &scratch->transcript.model, err));
    TRY(sequence_create(chat->engine, &scratch->sequence));
    TRY(conversation_create(scratch->db, "", scratch->transcript.model, &made, err));
    TRY(copy_log(chat, count, scratch, &tip, err));
    TRY(conversation_move(scratch->db, made.id, tip, scratch->transcript.model, err));
    return chat_resume(scratch, made.id, err);
}

enum status chat_open_scratch(const struct chat *chat, size_t count, struct chat **result,
                              struct error *err) {
    ASSERT(count <= chat->transcript.count);
    struct chat *scratch = calloc(1, sizeof *scratch);
    if (!scratch) return STATUS_NO_MEMORY;
    scratch->engine = chat->engine;
    scratch->settings = chat->settings;
    scratch->settings.answers = scratch->settings.beams = 0;
    scratch->tokenizer = chat->tokenizer;
    scratch->context = chat->context;
    scratch->stops = chat->stops;
    scratch->transcript = transcript_like(&chat->transcript);
    const enum status status = fill_scratch(chat, count, scratch, err);
    if (status != STATUS_OK) {
        chat_close_scratch(scratch);
        return status;
    }
    *result = scratch;
    return STATUS_OK;
}

void chat_close_scratch(struct chat *scratch) {
    if (!scratch) return;
    struct engine *engine = scratch->engine;
    const uint64_t holder =
        scratch->conversation.id[0] ? conversation_number(scratch->conversation.id) : 0;
    chat_close(scratch);
    if (holder) engine_strip(engine, holder);
}
