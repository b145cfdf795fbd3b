#include "app/chat/chat_move.h"

#include <inttypes.h>
#include <string.h>

#include "app/chat/chat_kv.h"
#include "app/chat/chat_turn.h"
#include "kernels/base/assert.h"
#include "store/family.h"

static enum status set_draft(struct text *draft, const struct message *message) {
    text_clear(draft);
    return text_append(draft, message->text, message->length);
}

// Moves a question without an answer from the end of the transcript to the draft. The store keeps
// it as the tip until something new is said.
static enum status split_unanswered(struct transcript *transcript, struct text *draft) {
    text_clear(draft);
    if (transcript->count == 0) return STATUS_OK;
    const struct message *last = &transcript->entries[transcript->count - 1].message;
    if (last->role != MESSAGE_USER) return STATUS_OK;
    TRY(set_draft(draft, last));
    transcript_cut(transcript, transcript->count - 1);
    return STATUS_OK;
}

// Leaves the current conversation for `to`, which is already locked.
static void change_to(struct chat *chat, const struct conversation *to) {
    struct session *session = chat->session;
    const int64_t left = chat->conversation.source;
    if (chat->conversation.id[0]) {
        conversation_unlock(chat->session->db, chat->conversation.id);
        memcpy(session->previous, chat->conversation.id, sizeof session->previous);
    }
    chat->conversation = *to;
    chat->reads_only = chat->reads_only && to->source == left;
    chat->turn.kept = -1;
}

// Replaces what was said, and the draft. Both are moved in.
static void replace_past(struct chat *chat, struct transcript *transcript, struct text *draft) {
    transcript_deinit(&chat->transcript);
    text_deinit(&chat->draft);
    chat->transcript = *transcript;
    chat->draft = *draft;
    chat->conversation.tip = transcript_tip(transcript);
    chat->turn.kept = -1;
    chat_place_if_it_fits(chat);
    chat_retain(chat);
}

// Moves to `to` with its transcript and draft, which are moved in.
static void enter(struct chat *chat, const struct conversation *to, struct transcript *transcript,
                  struct text *draft) {
    change_to(chat, to);
    chat_leave_sequence(chat);
    replace_past(chat, transcript, draft);
}

// Locks, loads and enters; on failure the chat is where it was.
static enum status move_to(struct chat *chat, const struct conversation *to, struct error *err) {
    struct transcript transcript = transcript_like(&chat->transcript);
    struct text draft = {0};
    struct conversation locked; // read again: its tip may have moved before we locked it
    bool foreign = false;
    TRY(conversation_lock(chat->session->db, to->id, err));
    enum status status = conversation_find(chat->session->db, to->id, &locked, err);
    if (status == STATUS_OK)
        status = transcript_load(&transcript, chat->session->db, locked.tip, err);
    if (status == STATUS_OK) status = chat_is_foreign(chat->session, &locked, &foreign, err);
    if (status == STATUS_OK && locked.model == 0 && locked.tip != MESSAGE_NONE) {
        status = conversation_move(chat->session->db, to->id, locked.tip, transcript.model, err);
        locked.model = transcript.model; // its first model: the conversation was imported
    }
    if (status == STATUS_OK && !foreign) status = session_hold(chat->session, &locked, err);
    if (status == STATUS_OK) status = split_unanswered(&transcript, &draft);
    if (status != STATUS_OK) {
        conversation_unlock(chat->session->db, to->id);
        transcript_deinit(&transcript);
        text_deinit(&draft);
        return status;
    }
    enter(chat, &locked, &transcript, &draft);
    chat->reads_only = foreign;
    return STATUS_OK;
}

// Names a conversation that is not stored yet; storing it checks whether the name is free.
static enum status set_name(struct conversation *conversation, const char *name,
                            struct error *err) {
    if (name[0]) TRY(conversation_check_name(name, err));
    memcpy(conversation->name, name, strlen(name) + 1);
    return STATUS_OK;
}

enum status chat_new(struct chat *chat, const char *name, struct error *err) {
    TRY(chat_check_idle(chat, err));
    struct conversation made = {0};
    TRY(set_name(&made, name, err));
    if (name[0] && !chat->session->one_shot) {
        TRY(conversation_create(chat->session->db, name, chat->transcript.model, &made, err));
        TRY(session_hold(chat->session, &made, err));
        TRY(conversation_lock(chat->session->db, made.id, err));
    }
    struct transcript transcript = transcript_like(&chat->transcript);
    struct text draft = {0};
    enter(chat, &made, &transcript, &draft);
    return STATUS_OK;
}

enum status chat_resume(struct chat *chat, const char *name_or_id, struct error *err) {
    TRY(chat_check_idle(chat, err));
    struct conversation found;
    TRY(conversation_find(chat->session->db, name_or_id, &found, err));
    if (strcmp(found.id, chat->conversation.id) == 0) return STATUS_OK;
    return move_to(chat, &found, err);
}

// Moves into a fork of the current conversation that keeps its first `count` messages.
static enum status fork_keeping(struct chat *chat, size_t count, const char *name,
                                struct error *err) {
    const int64_t tip = count ? chat_message(chat, count - 1)->id : MESSAGE_NONE;
    struct conversation fork;
    TRY(conversation_fork(chat->session->db, &chat->conversation, tip, name, &fork, err));
    TRY(conversation_lock(chat->session->db, fork.id, err));
    change_to(chat, &fork);
    transcript_cut(&chat->transcript, count);
    chat_split_sequence(chat);
    chat_place_if_it_fits(chat);
    chat_retain(chat);
    return STATUS_OK;
}

enum status chat_fork(struct chat *chat, const char *name, struct error *err) {
    TRY(chat_check_idle(chat, err));
    if (chat->transcript.count == 0) return error_set(err, STATUS_BAD_INPUT, "nothing to fork yet");
    return fork_keeping(chat, chat->transcript.count, name, err);
}

enum status chat_fork_at(struct chat *chat, int64_t turn, const char *name, struct error *err) {
    size_t at;
    TRY(chat_check_idle(chat, err));
    TRY(transcript_find_turn(&chat->transcript, turn, &at, err));
    TRY(set_draft(&chat->draft, chat_message(chat, at)));
    return fork_keeping(chat, at, name, err);
}

// A one-shot's fork is stored with its message: a signal before that leaves nothing behind.
static enum status make_fork(struct chat *chat, const struct conversation *original, int64_t tip,
                             const char *name, struct conversation *fork, struct error *err) {
    *fork = (struct conversation){.forked_at = tip, .tip = tip};
    memcpy(fork->forked_from, original->id, sizeof fork->forked_from);
    TRY(set_name(fork, name, err));
    if (chat->session->one_shot) return STATUS_OK;
    TRY(conversation_fork(chat->session->db, original, tip, name, fork, err));
    TRY(session_hold(chat->session, fork, err));
    return conversation_lock(chat->session->db, fork->id, err);
}

enum status chat_fork_from(struct chat *chat, const char *name_or_id, int64_t turn,
                           const char *name, struct error *err) {
    TRY(chat_check_idle(chat, err));
    struct conversation original, fork;
    struct transcript transcript = transcript_like(&chat->transcript);
    struct text draft = {0};
    size_t at = 0;
    TRY(conversation_find(chat->session->db, name_or_id, &original, err));
    TRY(transcript_load(&transcript, chat->session->db, original.tip, err));
    enum status status = turn ? transcript_find_turn(&transcript, turn, &at, err) : STATUS_OK;
    if (status == STATUS_OK && turn) {
        status = set_draft(&draft, &transcript.entries[at].message);
        transcript_cut(&transcript, at);
    } else if (status == STATUS_OK) {
        status = split_unanswered(&transcript, &draft);
    }
    if (status == STATUS_OK)
        status = make_fork(chat, &original, transcript_tip(&transcript), name, &fork, err);
    if (status != STATUS_OK) {
        transcript_deinit(&transcript);
        text_deinit(&draft);
        return status;
    }
    enter(chat, &fork, &transcript, &draft);
    return STATUS_OK;
}

enum status chat_fork_after(struct chat *chat, int64_t turn, const char *name, struct error *err) {
    size_t at;
    TRY(chat_check_idle(chat, err));
    TRY(transcript_find_turn(&chat->transcript, turn, &at, err));
    if (at + 1 == chat->transcript.count || chat_message(chat, at + 1)->role != MESSAGE_ASSISTANT)
        return error_set(err, STATUS_BAD_INPUT, "turn %" PRId64 " has no answer", turn);
    text_clear(&chat->draft);
    return fork_keeping(chat, at + 2, name, err);
}

// The answer so far becomes the fork's tip. Its ids are read from `log`, a fork of its sequence,
// because the sequence keeps growing.
static enum status store_partial(const struct chat *chat, const struct sequence *log,
                                 const struct conversation *fork, struct error *err) {
    const struct answer *answer = &chat->answers[0];
    const int64_t model = chat->transcript.model;
    struct message message = chat_message_of(chat, answer);
    message.stop = STOP_INTERRUPTED;
    if (message.length == 0) return STATUS_OK;
    int64_t tip;
    TRY(message_add(chat->session->db, &message, model, sequence_tokens(log) + chat_log_begin(chat),
                    answer_kept_tokens(answer), &tip, err));
    return conversation_move(chat->session->db, fork->id, tip, model, err);
}

static enum status store_fork(const struct chat *chat, const struct sequence *log, const char *name,
                              struct conversation *fork, struct error *err) {
    enum status status = db_begin(chat->session->db, err);
    if (status != STATUS_OK) return status;
    status = conversation_fork(chat->session->db, &chat->conversation, chat->turn.parent, name,
                               fork, err);
    if (status == STATUS_OK) status = store_partial(chat, log, fork, err);
    if (status == STATUS_OK) status = db_commit(chat->session->db, err);
    if (status != STATUS_OK) db_rollback(chat->session->db);
    return status;
}

enum status chat_fork_running(struct chat *chat, const struct chat *running, const char *name,
                              struct error *err) {
    ASSERT(running->turn.state != TURN_IDLE && !chat->conversation.id[0]);
    struct conversation fork;
    struct sequence *log;
    if (running->turn.state == TURN_ENDED) // nobody was told yet, but the chat is up to date
        return running->transcript.count
                   ? chat_fork_from(chat, running->conversation.id, 0, name, err)
                   : error_set(err, STATUS_BAD_INPUT, "nothing to fork yet");
    TRY(sequence_fork(running->answers[0].sequence, &log));
    enum status status = store_fork(running, log, name, &fork, err);
    if (status == STATUS_OK) status = chat_resume(chat, fork.id, err);
    if (status != STATUS_OK) {
        sequence_destroy(log);
        return status;
    }
    chat_adopt_sequence(chat, log);
    chat_place_if_it_fits(chat);
    return STATUS_OK;
}

enum status chat_set_preamble(struct chat *chat, const char *preamble, struct error *err) {
    TRY(chat_check_idle(chat, err));
    struct text copy = {0};
    TRY(text_append_string(&copy, preamble));
    const enum status status = chat->transcript.count ? chat_new(chat, "", err) : STATUS_OK;
    if (status != STATUS_OK) {
        text_deinit(&copy);
        return status;
    }
    text_deinit(&chat->session->preamble);
    chat->session->preamble = copy;
    return STATUS_OK;
}

// ---- in the conversation's tree

// Remembers that the tip goes back from its current message to `from`.
static void note_step(struct chat *chat, int64_t from) {
    struct session *session = chat->session;
    ASSERT(session->step_count <= SESSION_MAX_STEPS && from != chat->conversation.tip);
    struct session_step step = {.from = from, .to = chat->conversation.tip};
    memcpy(step.conversation, chat->conversation.id, sizeof step.conversation);
    if (session->step_count == SESSION_MAX_STEPS)
        memmove(session->steps, session->steps + 1, --session->step_count * sizeof step);
    session->steps[session->step_count++] = step;
}

enum status chat_rewind(struct chat *chat, int64_t turns, struct text *draft, struct error *err) {
    TRY(chat_check_writable(chat, err));
    const int64_t all = chat_turn_count(chat);
    size_t at;
    if (turns < 1 || turns > all)
        return error_set(err, STATUS_BAD_INPUT,
                         "cannot go back %" PRId64 "; this conversation has %" PRId64 " turn%s",
                         turns, all, all == 1 ? "" : "s");
    TRY(transcript_find_turn(&chat->transcript, all - turns + 1, &at, err));
    ASSERT(chat_message(chat, at)->role == MESSAGE_USER);
    const int64_t tip = at ? chat_message(chat, at - 1)->id : MESSAGE_NONE;
    TRY(set_draft(draft, chat_message(chat, at)));
    TRY(conversation_move(chat->session->db, chat->conversation.id, tip, chat->transcript.model,
                          err));
    note_step(chat, tip);
    chat->conversation.tip = tip;
    chat->conversation.model = chat->transcript.model;
    chat->turn.kept = -1;
    transcript_cut(&chat->transcript, at);
    ASSERT(transcript_tip(&chat->transcript) == tip);
    chat_place_if_it_fits(chat);
    chat_retain(chat);
    return STATUS_OK;
}

// The newest step back that led to the current tip. False: none did.
static bool pop_step(struct chat *chat, struct session_step *step) {
    struct session *session = chat->session;
    for (size_t i = session->step_count; i-- > 0;) {
        const struct session_step *candidate = &session->steps[i];
        if (candidate->from != chat->conversation.tip ||
            strcmp(candidate->conversation, chat->conversation.id) != 0)
            continue;
        *step = *candidate;
        memmove(session->steps + i, session->steps + i + 1,
                (--session->step_count - i) * sizeof session->steps[0]);
        return true;
    }
    return false;
}

// Moves the conversation's tip to the end of this transcript; both are moved in.
static enum status stand_at(struct chat *chat, struct transcript *transcript, struct text *draft,
                            struct error *err) {
    const int64_t tip = transcript_tip(transcript);
    TRY(conversation_move(chat->session->db, chat->conversation.id, tip, transcript->model, err));
    chat->conversation.model = transcript->model;
    replace_past(chat, transcript, draft);
    return STATUS_OK;
}

static enum status go_to(struct chat *chat, int64_t message, struct error *err) {
    struct transcript transcript = transcript_like(&chat->transcript);
    struct text draft = {0};
    TRY(transcript_load(&transcript, chat->session->db, message, err));
    enum status status = split_unanswered(&transcript, &draft);
    if (status == STATUS_OK) status = stand_at(chat, &transcript, &draft, err);
    if (status == STATUS_OK) return status;
    transcript_deinit(&transcript);
    text_deinit(&draft);
    return status;
}

// The way forward from the tip: the reverse of the newest step back that led here or, after a
// restart, to the newest message below that this conversation left. NOT_FOUND.
static enum status find_step(struct chat *chat, struct session_step *step, struct error *err) {
    const char *id = chat->conversation.id;
    if (!id[0] || pop_step(chat, step)) return id[0] ? STATUS_OK : STATUS_NOT_FOUND;
    *step = (struct session_step){.from = chat->conversation.tip};
    memcpy(step->conversation, id, sizeof step->conversation);
    return family_newest_below(chat->session->db, id, step->from, &step->to, err);
}

// The message that is `turns` turns further along the path, or the last one; *turns is set to the
// turns moved. A path that does not lead down from the tip counts as one step.
static int64_t turns_ahead(const struct message *path, size_t count, int64_t tip, int64_t *turns) {
    size_t at = 0;
    int64_t seen = 0;
    while (tip != MESSAGE_NONE && at < count && path[at].id != tip)
        at++;
    const bool leads_down = tip == MESSAGE_NONE || at < count;
    for (at += tip != MESSAGE_NONE; leads_down && at < count; at++) {
        if (path[at].role == MESSAGE_USER && seen == *turns) break;
        seen += path[at].role == MESSAGE_USER;
    }
    *turns = seen > 0 ? seen : 1;
    return path[(leads_down ? at : count) - 1].id;
}

// Takes one step forward, or only `*turns` turns of it.
static enum status redo_step(struct chat *chat, int64_t *turns, struct error *err) {
    struct session *session = chat->session;
    struct session_step step;
    struct message *path;
    size_t count;
    TRY(find_step(chat, &step, err));
    TRY(message_path(session->db, step.to, &path, &count, err));
    const int64_t target = count ? turns_ahead(path, count, step.from, turns) : MESSAGE_NONE;
    message_path_free(path, count);
    TRY(go_to(chat, target, err));
    if (target == step.to || session->step_count == SESSION_MAX_STEPS) return STATUS_OK;
    step.from = chat->conversation.tip;
    session->steps[session->step_count++] = step;
    return STATUS_OK;
}

enum status chat_redo(struct chat *chat, int64_t turns, struct error *err) {
    bool moved = false, more = true;
    TRY(chat_check_writable(chat, err));
    while (more) {
        const int64_t before = chat->conversation.tip;
        int64_t went = turns ? turns : INT64_MAX;
        const enum status status = redo_step(chat, &went, err);
        if (status == STATUS_NOT_FOUND && moved) break; // fewer turns were left
        if (status == STATUS_NOT_FOUND)
            return error_set(err, status, "nothing to redo; /tree shows all messages");
        TRY(status);
        moved = true;
        turns -= turns ? went : 0;
        more = turns > 0 && chat->conversation.tip != before;
    }
    return STATUS_OK;
}

enum status chat_go(struct chat *chat, int64_t message, struct error *err) {
    TRY(chat_check_writable(chat, err));
    if (!chat->conversation.id[0])
        return error_set(err, STATUS_NOT_FOUND, "this conversation is empty");
    const int64_t before = chat->conversation.tip;
    TRY(go_to(chat, message, err));
    const int64_t after = chat->conversation.tip;
    if (after == before) return STATUS_OK;
    chat->conversation.tip = before;
    note_step(chat, after);
    chat->conversation.tip = after;
    return STATUS_OK;
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
    return error_set(err, STATUS_NOT_FOUND,
                     "message %" PRId64 " is not an answer to the last message", answer);
}

enum status chat_choose(struct chat *chat, int64_t answer, struct error *err) {
    TRY(chat_check_writable(chat, err));
    TRY(check_alternative(chat, answer, err));
    TRY(go_to(chat, answer, err));
    for (int32_t i = 0; i < chat->turn.answer_count; i++) // it may be from the last turn
        if (chat->answers[i].message == answer) chat->turn.kept = i;
    return STATUS_OK;
}
