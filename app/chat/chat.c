#include "app/chat/chat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/chat/model_template.h"
#include "kernels/base/assert.h"

static enum status open_model(struct chat *chat, struct hash128 digest, struct error *err) {
    chat->tokenizer = engine_tokenizer(chat->engine);
    if (!chat->tokenizer)
        return error_set(err, STATUS_UNSUPPORTED, "this model has no tokenizer to chat with");
    struct engine_info info;
    engine_info(chat->engine, &info);
    chat->context = info.context;
    TRY(model_template_create(engine_gguf(chat->engine), chat->tokenizer, &chat->chat_template,
                              err));
    chat->owns_template = true;
    chat->transcript.tokenizer = chat->tokenizer;
    chat->transcript.chat_template = chat->chat_template;
    return db_model(chat->db, digest, info.model_name, &chat->transcript.model, err);
}

enum status chat_open(const struct chat_options *options, struct chat **result, struct error *err) {
    struct chat *chat = calloc(1, sizeof *chat);
    if (!chat) return STATUS_NO_MEMORY;
    chat->engine = options->engine;
    chat->db = options->db;
    chat->owns_db = options->db == NULL;
    chat->settings = options->settings;
    enum status status = STATUS_OK;
    if (chat->owns_db) status = db_open(":memory:", &chat->db, err);
    if (status == STATUS_OK) status = open_model(chat, options->digest, err);
    if (status == STATUS_OK && options->system)
        status = text_append_string(&chat->system, options->system);
    if (status == STATUS_OK) status = sequence_create(chat->engine, &chat->sequence);
    if (status != STATUS_OK) {
        chat_close(chat);
        return status;
    }
    chat->stops = (struct stops){{options->stops, chat_template_stops(chat->chat_template)}};
    *result = chat;
    return STATUS_OK;
}

// Nobody is there any more to whom a message without an answer could be given back: it stays the
// tip, and a resume gives it back.
static void finish_turn(struct chat *chat) {
    struct turn_progress progress;
    struct error err;
    enum status status;
    chat->turn.behind = true;
    chat_cancel(chat);
    while (chat_running(chat))
        chat_turn_next(chat, 1000, &progress, &status, &err);
}

void chat_close(struct chat *chat) {
    if (!chat) return;
    finish_turn(chat);
    if (chat->conversation.id[0]) conversation_unlock(chat->db, chat->conversation.id);
    transcript_deinit(&chat->transcript);
    sequence_destroy(chat->sequence);
    if (chat->owns_db) db_close(chat->db);
    if (chat->owns_template) chat_template_destroy(chat->chat_template);
    text_deinit(&chat->system);
    text_deinit(&chat->draft);
    for (int32_t i = 0; i < CHAT_MAX_ANSWERS; i++)
        answer_deinit(&chat->answers[i]);
    free(chat);
}

static int64_t count_turns(const struct transcript *transcript) {
    int64_t turns = 0;
    for (size_t i = 0; i < transcript->count; i++)
        turns += transcript->entries[i].message.role == MESSAGE_USER;
    return turns;
}

struct chat_settings *chat_settings(struct chat *chat) {
    return &chat->settings;
}

const struct conversation *chat_conversation(const struct chat *chat) {
    return &chat->conversation;
}

size_t chat_message_count(const struct chat *chat) { return chat->transcript.count; }

const struct message *chat_message(const struct chat *chat, size_t index) {
    ASSERT(index < chat->transcript.count);
    return &chat->transcript.entries[index].message;
}

const char *chat_system(const struct chat *chat) {
    if (chat->transcript.count == 0) return text_string(&chat->system);
    const struct message *first = chat_message(chat, 0);
    return first->role == MESSAGE_SYSTEM ? first->text : "";
}

int64_t chat_turn_count(const struct chat *chat) { return count_turns(&chat->transcript); }

const struct chat_template *chat_template_of(const struct chat *chat) {
    return chat->chat_template;
}

struct sequence *chat_sequence(struct chat *chat) {
    return chat->sequence;
}

struct db *chat_db(struct chat *chat) {
    return chat->db;
}

const char *chat_draft(const struct chat *chat) { return text_string(&chat->draft); }

enum status chat_make(struct chat *chat, const char *name, struct error *err) {
    if (chat->conversation.id[0]) return STATUS_OK;
    struct conversation made;
    TRY(conversation_create(chat->db, name, chat->transcript.model, &made, err));
    TRY(conversation_lock(chat->db, made.id, err));
    chat->conversation = made;
    return STATUS_OK;
}

enum status chat_check_idle(const struct chat *chat, struct error *err) {
    if (!chat_running(chat)) return STATUS_OK;
    return error_set(err, STATUS_BUSY, "an answer is being written: stop it first (^C)");
}

enum status chat_find_turn(const struct transcript *transcript, int64_t turn, size_t *index,
                           struct error *err) {
    const int64_t turns = count_turns(transcript);
    if (turn < 1 || turn > turns)
        return error_set(err, STATUS_BAD_INPUT,
                         "there is no turn %" PRId64 ": this conversation has %" PRId64, turn,
                         turns);
    int64_t seen = 0;
    for (size_t at = 0;; at++) {
        seen += transcript->entries[at].message.role == MESSAGE_USER;
        if (seen < turn) continue;
        *index = at;
        return STATUS_OK;
    }
}

static enum status set_draft(struct text *draft, const struct message *message) {
    text_clear(draft);
    return text_append(draft, message->text, message->length);
}

// The store keeps it as the tip until something new is said.
enum status chat_take_unanswered(struct transcript *transcript, struct text *draft) {
    text_clear(draft);
    if (transcript->count == 0) return STATUS_OK;
    const struct message *last = &transcript->entries[transcript->count - 1].message;
    if (last->role != MESSAGE_USER) return STATUS_OK;
    TRY(set_draft(draft, last));
    transcript_cut(transcript, transcript->count - 1);
    return STATUS_OK;
}

// Leaves the current conversation for `to`, which is locked by now.
static void change_to(struct chat *chat, const struct conversation *to) {
    if (chat->conversation.id[0]) {
        conversation_unlock(chat->db, chat->conversation.id);
        memcpy(chat->previous, chat->conversation.id, sizeof chat->previous);
    }
    chat->conversation = *to;
    chat->answered = false;
}

// Moves to `to` with its transcript and draft, which are moved in.
static void enter(struct chat *chat, const struct conversation *to, struct transcript *transcript,
                  struct text *draft) {
    change_to(chat, to);
    transcript_deinit(&chat->transcript);
    chat->transcript = *transcript;
    chat->conversation.tip = transcript_tip(&chat->transcript);
    text_deinit(&chat->draft);
    chat->draft = *draft;
    chat_leave_sequence(chat);
    chat_place_if_it_fits(chat);
    chat_hold(chat);
}

// Locks, loads and enters; on failure the chat is where it was.
static enum status move_to(struct chat *chat, const struct conversation *to, struct error *err) {
    struct transcript transcript = transcript_like(&chat->transcript);
    struct text draft = {0};
    struct conversation locked; // its tip may have moved before it was ours
    TRY(conversation_lock(chat->db, to->id, err));
    enum status status = conversation_find(chat->db, to->id, &locked, err);
    if (status == STATUS_OK) status = transcript_load(&transcript, chat->db, locked.tip, err);
    if (status == STATUS_OK && locked.model == 0 && locked.tip != MESSAGE_NONE) {
        status = conversation_move(chat->db, to->id, locked.tip, transcript.model, err);
        locked.model = transcript.model; // its first one: it was imported
    }
    if (status == STATUS_OK) status = chat_take_unanswered(&transcript, &draft);
    if (status != STATUS_OK) {
        conversation_unlock(chat->db, to->id);
        transcript_deinit(&transcript);
        text_deinit(&draft);
        return status;
    }
    enter(chat, &locked, &transcript, &draft);
    return STATUS_OK;
}

enum status chat_new(struct chat *chat, const char *name, struct error *err) {
    TRY(chat_check_idle(chat, err));
    struct conversation made = {0};
    if (name[0]) {
        TRY(conversation_create(chat->db, name, chat->transcript.model, &made, err));
        TRY(conversation_lock(chat->db, made.id, err));
    }
    struct transcript transcript = transcript_like(&chat->transcript);
    struct text draft = {0};
    enter(chat, &made, &transcript, &draft);
    return STATUS_OK;
}

const char *chat_previous(const struct chat *chat) { return chat->previous; }

enum status chat_resume(struct chat *chat, const char *name_or_id, struct error *err) {
    TRY(chat_check_idle(chat, err));
    struct conversation found;
    TRY(conversation_find(chat->db, name_or_id, &found, err));
    if (strcmp(found.id, chat->conversation.id) == 0) return STATUS_OK;
    return move_to(chat, &found, err);
}

enum status chat_fork_keeping(struct chat *chat, size_t count, const char *name,
                              struct error *err) {
    const int64_t tip = count ? chat_message(chat, count - 1)->id : MESSAGE_NONE;
    struct conversation fork;
    TRY(conversation_fork(chat->db, &chat->conversation, tip, name, &fork, err));
    TRY(conversation_lock(chat->db, fork.id, err));
    change_to(chat, &fork);
    transcript_cut(&chat->transcript, count);
    chat_split_sequence(chat);
    chat_place_if_it_fits(chat);
    chat_hold(chat);
    return STATUS_OK;
}

enum status chat_fork(struct chat *chat, const char *name, struct error *err) {
    TRY(chat_check_idle(chat, err));
    if (chat->transcript.count == 0)
        return error_set(err, STATUS_BAD_INPUT, "there is nothing to fork yet");
    return chat_fork_keeping(chat, chat->transcript.count, name, err);
}

enum status chat_fork_at(struct chat *chat, int64_t turn, const char *name, struct error *err) {
    size_t at;
    TRY(chat_check_idle(chat, err));
    TRY(chat_find_turn(&chat->transcript, turn, &at, err));
    TRY(set_draft(&chat->draft, chat_message(chat, at)));
    return chat_fork_keeping(chat, at, name, err);
}

enum status chat_fork_from(struct chat *chat, const char *name_or_id, int64_t turn,
                           const char *name, struct error *err) {
    TRY(chat_check_idle(chat, err));
    struct conversation original, fork;
    struct transcript transcript = transcript_like(&chat->transcript);
    struct text draft = {0};
    size_t at = 0;
    TRY(conversation_find(chat->db, name_or_id, &original, err));
    TRY(transcript_load(&transcript, chat->db, original.tip, err));
    enum status status = turn ? chat_find_turn(&transcript, turn, &at, err) : STATUS_OK;
    if (status == STATUS_OK && turn) {
        status = set_draft(&draft, &transcript.entries[at].message);
        transcript_cut(&transcript, at);
    } else if (status == STATUS_OK) {
        status = chat_take_unanswered(&transcript, &draft);
    }
    if (status == STATUS_OK)
        status =
            conversation_fork(chat->db, &original, transcript_tip(&transcript), name, &fork, err);
    if (status == STATUS_OK) status = conversation_lock(chat->db, fork.id, err);
    if (status != STATUS_OK) {
        transcript_deinit(&transcript);
        text_deinit(&draft);
        return status;
    }
    enter(chat, &fork, &transcript, &draft);
    return STATUS_OK;
}

enum status chat_rewind(struct chat *chat, int64_t turns, struct text *draft, struct error *err) {
    TRY(chat_check_idle(chat, err));
    const int64_t all = chat_turn_count(chat);
    size_t at;
    if (turns < 1 || turns > all)
        return error_set(err, STATUS_BAD_INPUT,
                         "can not go back %" PRId64 ": this conversation has %" PRId64 " turn%s",
                         turns, all, all == 1 ? "" : "s");
    TRY(chat_find_turn(&chat->transcript, all - turns + 1, &at, err));
    const int64_t tip = at ? chat_message(chat, at - 1)->id : MESSAGE_NONE;
    TRY(set_draft(draft, chat_message(chat, at)));
    TRY(conversation_move(chat->db, chat->conversation.id, tip, chat->transcript.model, err));
    chat_note_step(chat, tip);
    chat->conversation.tip = tip;
    chat->conversation.model = chat->transcript.model;
    chat->answered = false;
    transcript_cut(&chat->transcript, at);
    chat_place_if_it_fits(chat);
    chat_hold(chat);
    return STATUS_OK;
}

enum status chat_set_system(struct chat *chat, const char *system, struct error *err) {
    TRY(chat_check_idle(chat, err));
    struct text copy = {0};
    TRY(text_append_string(&copy, system));
    const enum status status = chat->transcript.count ? chat_new(chat, "", err) : STATUS_OK;
    if (status != STATUS_OK) {
        text_deinit(&copy);
        return status;
    }
    text_deinit(&chat->system);
    chat->system = copy;
    return STATUS_OK;
}

enum status chat_rename(struct chat *chat, const char *name, struct error *err) {
    if (!chat->conversation.id[0]) return chat_make(chat, name, err);
    TRY(conversation_rename(chat->db, chat->conversation.id, name, err));
    struct conversation renamed;
    TRY(conversation_find(chat->db, chat->conversation.id, &renamed, err));
    memcpy(chat->conversation.name, renamed.name, sizeof renamed.name);
    return STATUS_OK;
}

enum status chat_alternatives(struct chat *chat, struct message **answers, size_t *count,
                              size_t *current, struct error *err) {
    const size_t last = chat->transcript.count;
    if (last < 2 || chat_message(chat, last - 1)->role != MESSAGE_ASSISTANT)
        return error_set(err, STATUS_BAD_INPUT, "there is no answer yet");
    const struct message *here = chat_message(chat, last - 1);
    TRY(message_replies(chat->db, here->parent, answers, count, err));
    for (size_t i = 0; i < *count; i++) {
        if ((*answers)[i].id != here->id) continue;
        *current = i;
        return STATUS_OK;
    }
    message_path_free(*answers, *count);
    return error_set(err, STATUS_BAD_FILE,
                     "message %" PRId64 " is not among the replies to its "
                     "parent",
                     here->id);
}

static enum status check_alternative(struct chat *chat, int64_t answer, struct error *err) {
    struct message *answers;
    size_t count, current;
    bool found = false;
    TRY(chat_alternatives(chat, &answers, &count, &current, err));
    for (size_t i = 0; i < count; i++)
        found = found || (answers[i].id == answer && answers[i].role == MESSAGE_ASSISTANT);
    message_path_free(answers, count);
    if (found) return STATUS_OK;
    return error_set(err, STATUS_NOT_FOUND, "message %" PRId64 " is no answer to the last question",
                     answer);
}

enum status chat_choose(struct chat *chat, int64_t answer, struct error *err) {
    TRY(chat_check_idle(chat, err));
    TRY(check_alternative(chat, answer, err));
    struct transcript transcript = transcript_like(&chat->transcript);
    TRY(transcript_load(&transcript, chat->db, answer, err));
    const enum status status =
        conversation_move(chat->db, chat->conversation.id, answer, transcript.model, err);
    if (status != STATUS_OK) {
        transcript_deinit(&transcript);
        return status;
    }
    transcript_deinit(&chat->transcript);
    chat->transcript = transcript;
    chat->conversation.tip = answer;
    chat->conversation.model = transcript.model;
    int32_t at = 0; // of the last turn's answers
    while (at < chat->turn.answer_count && chat->answers[at].message != answer)
        at++;
    chat->answered = at < chat->turn.answer_count;
    if (chat->answered) chat->turn.kept = at;
    chat_place_if_it_fits(chat);
    chat_hold(chat);
    return STATUS_OK;
}
