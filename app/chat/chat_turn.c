// app/chat/chat_turn.c — what is stored when, so that neither a message nor an answer is lost.
//
//   prepare          encodes, and checks that message and answers fit: nothing is stored yet
//   store_message    conversation if new, preamble, message and tip: one transaction, on disk
//                    before anything is computed
//   keep_shown       once a second: the part of the first answer that was shown, as interrupted.
//                    The commit does not wait for the disk: it survives a killed process
//   keep_answer      each answer when it ends: whole, on disk. What is stored first of the first
//                    answer also moves the tip
//   end_turn         settle: the kept answer enters the transcript
//                    or nothing: it cannot be stored, for example on a full disk. It stays in
//                    memory until chat_save() can store it, as does one after the first
//                    or give_back: no answer was kept, so a new message returns to the draft, if
//                    it was not sent in the background
//
// keep_shown and keep_answer write the same message: `id` is MESSAGE_NONE until the first commit. A
// rolled back id is forgotten, as another process may get it.
//
// The first answer is written by the chat's sequence, the others by forks of it. If another than
// the first is kept, the chat takes its sequence from the turn in place of its own.
//
// /continue extends the last answer in place. If something already replies to it, it gets a longer
// sibling instead, since replies were computed from the shorter one.
#include "app/chat/chat_turn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/chat_kv.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"

enum {
    RESERVE_PART = 16,  // of the context
    RESERVE_LEAST = 64, // tokens
    SAVE_MS = 1000,
};

// ---- storing the answers

// Writes the answer and, if it is the turn's first, moves the tip to it, in one transaction. *id is
// the message stored so far, or MESSAGE_NONE. Only a commit changes it, because an id that was
// rolled back may become another process's message.
static enum status store_answer(struct chat *chat, const struct message *answer, const int32_t *ids,
                                size_t count, int64_t *id, struct error *err) {
    struct db *db = chat->session->db;
    const int64_t model = chat->transcript.model;
    const bool longer = *id == MESSAGE_NONE && chat->reply.kind == REPLY_LONGER;
    ASSERT(chat->conversation.id[0]); // its message was stored before the turn began
    int64_t stored = longer ? transcript_tip(&chat->transcript) : *id;
    enum status status = db_begin(db, err);
    if (status != STATUS_OK) return status;
    status = STATUS_BAD_INPUT;
    if (stored != MESSAGE_NONE) { // one with replies gets a longer sibling instead
        status = message_extend(db, stored, answer, model, ids, count, err);
        if (status == STATUS_BAD_INPUT) {
            db_rollback(db);
            TRY(db_begin(db, err));
        }
    }
    if (status == STATUS_BAD_INPUT)
        status = message_add(db, answer, model, ids, count, &stored, err);
    if (status == STATUS_OK && chat->turn.kept < 0)
        status = conversation_move(db, chat->conversation.id, stored, model, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status == STATUS_OK)
        *id = stored;
    else
        db_rollback(db);
    return status;
}

size_t chat_log_begin(const struct chat *chat) {
    ASSERT(chat->reply.message_count <= chat->transcript.count);
    return transcript_log_end(&chat->transcript, chat->reply.message_count);
}

struct message chat_message_of(const struct chat *chat, const struct answer *answer) {
    static char nothing[] = "";
    return (struct message){
        .id = answer->message,
        .parent = chat->turn.parent,
        .role = MESSAGE_ASSISTANT,
        .stop = answer_stop(answer),
        .created_ms = chat->reply.began_ms + (answer - chat->answers), // keeps their order
        .text = answer->text.bytes ? answer->text.bytes : nothing,
        .length = answer->text.length,
        .stats = answer->stats,
    };
}

static enum status keep_answer(void *owner, struct answer *answer, struct error *err) {
    struct chat *chat = owner;
    const size_t begin = chat_log_begin(chat);
    sequence_truncate(answer->sequence, (int32_t)(begin + answer_kept_tokens(answer)));
    struct message message = chat_message_of(chat, answer);
    const enum status status =
        store_answer(chat, &message, sequence_tokens(answer->sequence) + begin,
                     (size_t)sequence_length(answer->sequence) - begin, &answer->message, err);
    chat->reply.unsaved |= status != STATUS_OK && !chat->session->one_shot;
    TRY(status);
    if (chat->turn.kept < 0) chat->conversation.tip = answer->message;
    past_add(&chat->session->past, answer->sequence, begin);
    return STATUS_OK;
}

// Stores the shown part of the first answer, so that a crash loses at most its last second.
static enum status keep_shown(void *owner, struct answer *answer, struct error *err) {
    struct chat *chat = owner;
    const int64_t now_ms = clock_ms();
    struct message message = chat_message_of(chat, answer);
    if (answer != chat->answers ||
        (chat->reply.saved_ms && now_ms - chat->reply.saved_ms < SAVE_MS))
        return STATUS_OK;
    message.stop = STOP_INTERRUPTED;
    message.length = answer->shown;
    chat->reply.saved_ms = now_ms;
    db_wait_for_disk(chat->session->db, false);
    const enum status status = store_answer(chat, &message, answer->tokens.ids,
                                            answer_shown_tokens(answer), &answer->message, err);
    db_wait_for_disk(chat->session->db, true);
    return status;
}

// Puts the first kept answer after the message in the transcript.
static enum status settle(struct chat *chat, struct error *err) {
    ASSERT(chat->turn.kept >= 0 && chat->turn.kept < chat->turn.answer_count);
    struct answer *answer = &chat->answers[chat->turn.kept];
    const int64_t model = chat->transcript.model;
    if (chat->conversation.tip != answer->message)
        TRY(conversation_move(chat->session->db, chat->conversation.id, answer->message, model,
                              err));
    chat->conversation.tip = answer->message;
    chat->conversation.model = model;
    // The transcript gets its own copy: the answer's text stays the caller's until the next turn.
    struct message message = chat_message_of(chat, answer);
    struct text copy = {0};
    TRY(text_append(&copy, message.text, message.length));
    message.text = copy.bytes;
    transcript_cut(&chat->transcript, chat->reply.message_count);
    const enum status status = transcript_push(&chat->transcript, &message, answer->tokens.ids,
                                               answer_kept_tokens(answer));
    if (status != STATUS_OK) {
        message_deinit(&message);
        return status;
    }
    if (answer->sequence && chat->turn.kept > 0)
        chat_adopt_sequence(chat, turn_take_fork(&chat->turn, chat->turn.kept));
    chat_retain(chat);
    chat_pin_preamble(chat);
    return STATUS_OK;
}

// There was no answer: a new message goes back to the draft, and the tip to where it was. The
// message stays in the tree. In the background, and without an editor, it also stays the tip, and
// resuming gives it back.
static enum status give_back(struct chat *chat, struct error *err) {
    const struct turn *turn = &chat->turn;
    enum status status = STATUS_OK;
    if (turn->state == TURN_LEAVING || turn->state == TURN_UNFOLLOWED || chat->session->one_shot)
        return STATUS_OK;
    if (chat->reply.kind == REPLY_ANSWER) {
        const struct message *asked = chat_message(chat, chat->transcript.count - 1);
        TRY(text_append(&chat->draft, asked->text, asked->length));
        transcript_cut(&chat->transcript, chat->transcript.count - 1);
        chat->conversation.tip = transcript_tip(&chat->transcript);
        // If the store fails here, the message stays its tip until the next one is sent.
        status = conversation_move(chat->session->db, chat->conversation.id, chat->conversation.tip,
                                   chat->transcript.model, err);
    }
    const enum status placed = chat_place(chat, chat->transcript.count, err);
    return status == STATUS_OK ? placed : status;
}

// Without a stored answer the sequence goes back to what the transcript has.
static enum status end_turn(void *owner, struct error *err) {
    struct chat *chat = owner;
    const enum status status = chat->turn.kept >= 0  ? settle(chat, err)
                               : chat->reply.unsaved ? chat_place(chat, chat->transcript.count, err)
                                                     : give_back(chat, err);
    if (status != STATUS_OK) chat->turn.kept = -1; // the transcript does not have it
    return status;
}

bool chat_is_saved(const struct chat *chat) {
    return !chat->reply.unsaved || turn_is_running(&chat->turn);
}

enum status chat_save(struct chat *chat, struct error *err) {
    struct turn *turn = &chat->turn;
    if (chat_is_saved(chat)) return STATUS_OK;
    for (int32_t i = 0; i < turn->answer_count; i++) {
        struct answer *answer = &chat->answers[i];
        const struct message message = chat_message_of(chat, answer);
        if (answer->kept || answer_is_nothing(answer)) continue;
        TRY(store_answer(chat, &message, answer->tokens.ids, answer_kept_tokens(answer),
                         &answer->message, err));
        answer->kept = true;
        if (turn->kept >= 0) continue;
        turn->kept = i;
        chat->conversation.tip = answer->message;
        TRY(settle(chat, err));
    }
    chat->reply.unsaved = false;
    return STATUS_OK;
}

// If memory for the note is short, the answer is stored all the same.
static void note_end(const struct chat *chat) {
    struct text *notes = &chat->session->notes;
    const struct conversation *conversation = &chat->conversation;
    const char *name = conversation->name, *space = name[0] ? " " : "";
    const struct turn *turn = &chat->turn;
    const struct turn_report first = turn_first(turn);
    char tokens[COUNT_TEXT_BYTES];
    if (turn->status != STATUS_OK)
        (void)!text_format(notes, "[%s%s%s: %s]\n", conversation->id, space, name,
                           turn->err.text[0] ? turn->err.text : status_text(turn->status));
    if (!chat_is_saved(chat))
        (void)!text_append_string(notes,
                                  "[its answer is kept in memory; your next line saves it]\n");
    else if (turn->status != STATUS_OK)
        return;
    else if (first.any)
        (void)!text_format(notes, "[%s%s%s has an answer: %s · /resume %s shows it]\n",
                           conversation->id, space, name,
                           tokens_format(first.stats.output_tokens, tokens), conversation->id);
    else
        (void)!text_format(notes, "[%s%s%s was stopped before its answer began]\n",
                           conversation->id, space, name);
}

static void close_unfollowed(void *owner) {
    note_end(owner);
    chat_leave(owner);
}

static const struct turn_ops OPS = {keep_shown, keep_answer, end_turn, close_unfollowed};

// ---- beginning

// Begins a turn with this many answers to the first `message_count` messages of the transcript.
static void begin_turn(struct chat *chat, enum reply_kind kind, size_t message_count,
                       int32_t answers) {
    struct request_options request = session_request(chat->session);
    const struct turn fresh = {.engine = chat->session->engine,
                               .stops = &chat->session->stops,
                               .ops = &OPS,
                               .owner = chat,
                               .answers = chat->answers,
                               .answer_count = answers,
                               .parent = chat_message(chat, message_count - 1)->id};
    request.grammar = chat->session->structure.grammar;
    request.route = chat_route(chat);
    session_read_past(chat->session, PAST_AT_START);
    text_clear(&chat->draft);
    chat->reply = (struct reply){
        .kind = kind,
        .began_ms = calendar_ms(),
        .message_count = message_count,
    };
    turn_begin(&chat->turn, &fresh, &request);
}

// Starts a search if `beams` is above 1, else the answers.
static enum status start_turn(struct chat *chat, int32_t beams, struct error *err) {
    const struct session_settings *settings = &chat->session->settings;
    const struct beams_options options = {
        .width = beams,
        .max_tokens = settings->max_tokens,
        .length_penalty = (double)settings->length_penalty,
        .early_stopping = settings->early_stopping,
    };
    chat_retain(chat); // protects the cache while the answer is written
    TRY(beams > 1 ? turn_search(&chat->turn, chat->sequence, &options, err)
                  : turn_start(&chat->turn, chat->sequence, err));
    session_run(chat->session, &chat->turn, TURN_FOLLOWED);
    return STATUS_OK;
}

// Can the cache hold this many answers to a log of `length` tokens at once? They share the past;
// each needs blocks for the tokens it may write, or one block if that is unlimited, and a copy of
// the past's last block.
static enum status check_room(const struct chat *chat, size_t length, int32_t answers,
                              struct error *err) {
    struct engine_info info;
    if (answers > CHAT_MAX_ANSWERS)
        return error_set(err, STATUS_BAD_INPUT,
                         "too many answers at once (%" PRId32 ", at most %d)", answers,
                         CHAT_MAX_ANSWERS);
    if (answers == 1 || chat->session->remote[0]) return STATUS_OK;
    engine_info(chat->session->engine, &info);
    const size_t block = (size_t)info.block_size, left = (size_t)info.context - length;
    const size_t limit = (size_t)chat->session->settings.max_tokens;
    const size_t written = limit == 0 ? block : limit < left ? limit : left;
    const size_t past = length / block, each = (written + block - 1) / block + 1;
    const size_t room = info.blocks_total > past ? (info.blocks_total - past) / each : 0;
    if ((size_t)answers <= room) return STATUS_OK;
    return error_set(err, STATUS_FULL,
                     "the KV cache holds %zu answer%s at once, not %" PRId32 "; raise --kv-device",
                     room > 0 ? room : 1, room > 1 ? "s" : "", answers);
}

enum status chat_measure(struct chat *chat, const char *text, size_t length, int32_t *tokens,
                         int32_t *free_tokens, struct error *err) {
    const struct session *session = chat->session;
    struct token_ids ids = {0};
    chat->transcript.think = session->settings.think;
    const enum status status = transcript_render(&chat->transcript, text_string(&session->preamble),
                                                 text, length, &ids, err);
    if (status == STATUS_OK) {
        const size_t used = transcript_kept(&chat->transcript, &ids);
        const size_t added = transcript_added(&ids), context = (size_t)session->context;
        *tokens = added > INT32_MAX ? INT32_MAX : (int32_t)added;
        *free_tokens = used < context ? (int32_t)(context - used) : 0;
    }
    token_ids_deinit(&ids);
    return status;
}

enum status chat_count_tokens(const struct chat *chat, const char *text, size_t length,
                              int32_t *tokens) {
    const struct piece piece = {PIECE_TEXT, text, length};
    struct token_ids ids = {0};
    const enum status status = tokenizer_encode(chat->session->tokenizer, &piece, 1, &ids);
    if (status == STATUS_OK) *tokens = ids.count > INT32_MAX ? INT32_MAX : (int32_t)ids.count;
    token_ids_deinit(&ids);
    return status;
}

static enum status check_text(const char *text, size_t length, struct error *err) {
    size_t offset;
    if (length == 0) return error_set(err, STATUS_BAD_INPUT, "the message is empty");
    if (utf8_valid(text, length, &offset)) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "the message is not UTF-8: byte 0x%02x at offset %zu",
                     (unsigned char)text[offset], offset);
}

int32_t chat_reserve(const struct session *session) {
    const int32_t part = session->context / RESERVE_PART, most = session->settings.max_tokens;
    const int32_t reserve = part > RESERVE_LEAST ? part : RESERVE_LEAST;
    return most > 0 && most < reserve ? most : reserve;
}

enum status chat_encode(const struct session *session, const struct transcript *transcript,
                        const struct outgoing *message, struct token_ids *ids, struct error *err) {
    TRY(check_text(message->text, message->length, err));
    TRY(transcript_render(transcript, text_string(&session->preamble), message->text,
                          message->length, ids, err));
    const size_t used = transcript_kept(transcript, ids), context = (size_t)session->context;
    const size_t added = transcript_added(ids);
    const size_t reserve = message->reserve > 0 ? (size_t)message->reserve : 1;
    if (used + added + reserve <= context) return STATUS_OK;
    const size_t left = used < context ? context - used : 0;
    char needed[COUNT_TEXT_BYTES], free_tokens[COUNT_TEXT_BYTES], all[COUNT_TEXT_BYTES],
        kept[COUNT_TEXT_BYTES];
    return error_set(
        err, STATUS_TOO_LONG,
        "the message needs %s, but only %s of %s are free (%s %s reserved for the answer)",
        tokens_format((int64_t)added, needed), count_format((int64_t)left, free_tokens),
        count_format(session->context, all),
        reserve > 1 ? count_format((int64_t)reserve, kept) : "one", reserve > 1 ? "are" : "is");
}

static enum status add_message(struct chat *chat, enum message_role role,
                               const struct outgoing *added, const struct token_ids *ids,
                               struct error *err) {
    struct message message = {
        .parent = transcript_tip(&chat->transcript),
        .role = role,
        .created_ms = calendar_ms(),
        .length = added->length,
        .said = added->said,
    };
    struct text copy = {0};
    TRY(text_append(&copy, added->text, added->length));
    message.text = copy.bytes;
    enum status status = message_add(chat->session->db, &message, chat->transcript.model, ids->ids,
                                     ids->count, &message.id, err);
    if (status == STATUS_OK)
        status = transcript_push(&chat->transcript, &message, ids->ids, ids->count);
    if (status != STATUS_OK) message_deinit(&message);
    return status;
}

// Stores the conversation (if it is new), its preamble and the message in one transaction.
static enum status store_message(struct chat *chat, const struct outgoing *message,
                                 const struct token_ids *ids, struct error *err) {
    const struct token_ids none = {0};
    const struct outgoing preamble = {.text = chat->session->preamble.bytes,
                                      .length = chat->session->preamble.length};
    struct db *db = chat->session->db;
    const size_t count_before = chat->transcript.count;
    const struct conversation before = chat->conversation;
    enum status status = db_begin(db, err);
    if (status != STATUS_OK) return status;
    status = chat_store(chat, "", err);
    if (status == STATUS_OK && !chat->session->one_shot && chat->conversation.one_shot)
        status = chat_mark_one_shot(chat, false, err);
    if (status == STATUS_OK && count_before == 0 && preamble.length)
        status = add_message(chat, MESSAGE_SYSTEM, &preamble, &none, err);
    if (status == STATUS_OK) status = add_message(chat, MESSAGE_USER, message, ids, err);
    const int64_t tip = transcript_tip(&chat->transcript);
    if (status == STATUS_OK)
        status = conversation_move(db, chat->conversation.id, tip, chat->transcript.model, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status == STATUS_OK) {
        chat->conversation.tip = tip;
        chat->conversation.model = chat->transcript.model;
        return STATUS_OK;
    }
    db_rollback(db);
    transcript_cut(&chat->transcript, count_before);
    if (!before.id[0] && chat->conversation.id[0]) conversation_unlock(db, chat->conversation.id);
    chat->conversation = before;
    return status;
}

// Logs how much of the past must be computed again because the template now renders it differently.
static void note_cut(const struct chat *chat, const struct token_ids *ids) {
    const size_t log = chat->transcript.log.count, kept = transcript_kept(&chat->transcript, ids);
    if (kept < log)
        log_write(
            LOG_INFO,
            "the chat template renders earlier turns differently: %zu tokens, %zu of them kept",
            log, kept);
}

// Before anything is stored: encodes the message and checks that its answers fit.
static enum status prepare(struct chat *chat, const struct outgoing *message, int32_t answers,
                           struct token_ids *ids, struct error *err) {
    struct transcript *transcript = &chat->transcript;
    transcript->think = chat->session->settings.think;
    TRY(chat_encode(chat->session, transcript, message, ids, err));
    const size_t kept = transcript_kept(transcript, ids);
    TRY(check_room(chat, kept + transcript_added(ids), answers, err));
    if (kept == transcript->log.count) TRY(chat_place(chat, transcript->count, err));
    note_cut(chat, ids);
    return STATUS_OK;
}

enum status chat_send(struct chat *chat, const struct outgoing *message, struct error *err) {
    const struct session_settings *settings = &chat->session->settings;
    const int32_t answers = settings->answers > 1 ? settings->answers : 1, beams = settings->beams;
    struct token_ids ids = {0};
    TRY(chat_check_writable(chat, err));
    enum status status = prepare(chat, message, beams > 1 ? beams : answers, &ids, err);
    if (status == STATUS_OK) status = store_message(chat, message, &ids, err);
    token_ids_deinit(&ids);
    TRY(status);
    begin_turn(chat, REPLY_ANSWER, chat->transcript.count, beams > 1 ? 1 : answers);
    status = chat_place(chat, chat->transcript.count, err);
    if (status == STATUS_OK) status = start_turn(chat, beams, err);
    if (status != STATUS_OK) (void)give_back(chat, NULL); // report the first failure
    return status;
}

// The last message, if it is an answer.
static enum status find_answer(const struct chat *chat, const struct message **answer,
                               struct error *err) {
    const size_t count = chat->transcript.count;
    *answer = count > 1 ? chat_message(chat, count - 1) : NULL;
    if (*answer && (*answer)->role == MESSAGE_ASSISTANT) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "no answer yet");
}

enum status chat_regenerate(struct chat *chat, int32_t answers, int32_t beams, struct error *err) {
    TRY(chat_check_writable(chat, err));
    struct message *older;
    size_t count, current;
    ASSERT(answers == 1 || beams <= 1);
    TRY(chat_alternatives(chat, &older, &count, &current, err));
    message_path_free(older, count);
    const size_t before = chat->transcript.count - 1;
    const int32_t room = beams > 1 ? beams : answers;
    TRY(check_room(chat, transcript_log_end(&chat->transcript, before), room, err));
    TRY(chat_place(chat, before, err));
    begin_turn(chat, REPLY_ANOTHER, before, answers);
    chat->turn.older = (int32_t)count;
    return start_turn(chat, beams, err);
}

enum status chat_continue(struct chat *chat, struct error *err) {
    TRY(chat_check_writable(chat, err));
    const struct message *answer;
    TRY(find_answer(chat, &answer, err));
    if (answer->stop == STOP_END)
        return error_set(err, STATUS_BAD_INPUT, "the last answer is complete");
    TRY(chat_place(chat, chat->transcript.count, err));
    begin_turn(chat, REPLY_LONGER, chat->transcript.count - 1, 1);
    const size_t begin = chat_log_begin(chat);
    const struct token_ids *log = &chat->transcript.log;
    TRY(answer_load(&chat->answers[0], answer, log->ids + begin, log->count - begin));
    return start_turn(chat, 1, err);
}

enum status chat_alternatives(struct chat *chat, struct message **answers, size_t *count,
                              size_t *current, struct error *err) {
    const struct message *here;
    TRY(find_answer(chat, &here, err));
    TRY(message_replies(chat->session->db, here->parent, answers, count, err));
    for (size_t i = 0; i < *count; i++) {
        if ((*answers)[i].id != here->id) continue;
        *current = i;
        return STATUS_OK;
    }
    message_path_free(*answers, *count);
    return error_set(err, STATUS_BAD_FILE, "message %" PRId64 " is not a reply to its parent",
                     here->id);
}
