#include "app/chat/turn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "app/base/figures.h"
#include "app/chat/chat.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"

static enum status explain_failure(struct chat *chat, enum status status, struct error *err) {
    if (status == STATUS_DEVICE)
        return error_set(err, status, "the device failed while the answer was computed");
    if (status != STATUS_FULL) return error_set(err, status, "%s", status_text(status));
    struct engine_info info;
    engine_info(chat->engine, &info);
    return error_set(err, status,
                     "the KV cache is full: this turn has %" PRId32 " tokens and needs more than "
                     "%" PRIu32 " blocks (--kv-device SIZE makes it larger)",
                     sequence_length(chat->sequence), info.blocks_total);
}

static struct request_options options_of(const struct chat *chat) {
    struct request_options options = {
        .sampler = chat->settings.sampler,
        .max_tokens = chat->settings.max_tokens,
        .speculate = chat->settings.speculate,
    };
    uint32_t seed; // 32 bits, so that any reader of JSON can give it back
    if (!chat->settings.seed_given && getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed)
        options.sampler.seed = seed;
    return options;
}

// A fresh turn of so many answers over the first `replies_to` messages of the transcript.
static void begin_turn(struct chat *chat, enum turn_kind kind, size_t replies_to, int32_t answers) {
    struct request_options options = options_of(chat);
    text_clear(&chat->draft);
    chat->answered = false;
    chat->turn = (struct turn){
        .active = true,
        .kind = kind,
        .began_ms = calendar_ms(),
        .tip_before = transcript_tip(&chat->transcript),
        .replies_to = replies_to,
        .parent = chat_message(chat, replies_to - 1)->id,
        .answer_count = answers,
        .kept = -1,
    };
    for (int32_t i = 0; i < answers; i++, options.sampler.seed++)
        answer_begin(&chat->answers[i], chat->tokenizer, &options);
}

// The first answer is written in the chat's sequence, each other in a fork of it.
static enum status start_answers(struct chat *chat, struct error *err) {
    struct turn *turn = &chat->turn;
    struct answer *answers = chat->answers;
    enum status status = STATUS_OK;
    answers[0].sequence = chat->sequence;
    for (int32_t i = 1; i < turn->answer_count && status == STATUS_OK; i++)
        status = sequence_fork(chat->sequence, &answers[i].sequence);
    int32_t started = 0;
    while (started < turn->answer_count && status == STATUS_OK) {
        status = answer_start(&answers[started], answers[started].sequence);
        started += status == STATUS_OK;
    }
    if (status == STATUS_OK) return status;
    for (int32_t i = started; i < turn->answer_count; i++) {
        if (i > 0) sequence_destroy(answers[i].sequence);
        answers[i].sequence = NULL;
    }
    turn->answer_count = started;
    turn->status = status;
    for (int32_t i = 0; i < started; i++)
        answer_cancel(&answers[i]);
    if (started > 0) return STATUS_OK; // their DONE events come, and then the turn has failed
    if (status == STATUS_FULL)
        return error_set(err, status, "%d answers are being written already", ENGINE_MAX_REQUESTS);
    return explain_failure(chat, status, err);
}

// Tokens that a search may add to the log, which keeps room for one more.
static int32_t search_room(const struct chat *chat) {
    return chat->context - sequence_length(chat->sequence) - 1;
}

// Instead of a request of its own the one answer has a search.
static enum status start_search(struct chat *chat, int32_t width, struct error *err) {
    struct answer *answer = &chat->answers[0];
    const int32_t room = search_room(chat), limit = chat->settings.max_tokens;
    if (room < 1) return error_set(err, STATUS_TOO_LONG, "the context has no room for a search");
    const struct beams_options options = {
        .width = width,
        .max_tokens = limit > 0 && limit < room ? limit : room,
        .length_penalty = (double)chat->settings.length_penalty,
        .early_stopping = chat->settings.early_stopping,
    };
    struct beams *beams;
    answer->sequence = chat->sequence;
    const enum status status = beams_create(chat->sequence, &options, &beams);
    if (status != STATUS_OK) return explain_failure(chat, status, err);
    atomic_store(&chat->turn.beams, beams);
    if (atomic_load(&answer->cancelled)) beams_cancel(beams);
    return STATUS_OK;
}

static enum stop_reason reason_of_search(const struct chat *chat, const struct beams *beams,
                                         bool ended) {
    if (ended) return STOP_REASON_END;
    if (beams_status(beams) == STATUS_CANCELLED) return STOP_REASON_CANCELLED;
    if (beams_status(beams) != STATUS_OK) return STOP_REASON_FAILED;
    return search_room(chat) < 1 ? STOP_REASON_CONTEXT : STOP_REASON_LENGTH;
}

// The best it found becomes the answer, as if it had been written token by token. *end is what the
// answer ends with.
static enum status take_search(struct chat *chat, struct beams *beams, struct event *end) {
    enum status status = beams_status(beams);
    struct beams_result best = {0};
    if (status == STATUS_CANCELLED) status = STATUS_OK;
    if (beams_result_count(beams) > 0) best = beams_result(beams, 0);
    for (int32_t i = 0; i < best.count && status == STATUS_OK; i++)
        answer_take(&chat->answers[0], &chat->stops, best.tokens[i]);
    if (status == STATUS_OK && best.count > 0)
        status = sequence_append(chat->sequence, best.tokens, (size_t)best.count);
    *end = (struct event){.kind = EVENT_DONE,
                          .reason = reason_of_search(chat, beams, best.ended),
                          .status = status,
                          .stats = beams_stats(beams)};
    if (status != STATUS_OK) end->reason = STOP_REASON_FAILED;
    return status;
}

// Have so many answers to a log of `length` tokens room side by side? Their past is one; each has
// what it may write, or a block where that is not limited, and a copy of the past's last block.
static enum status check_room(const struct chat *chat, size_t length, int32_t answers,
                              struct error *err) {
    struct engine_info info;
    if (answers > CHAT_MAX_ANSWERS)
        return error_set(err, STATUS_BAD_INPUT, "%" PRId32 " answers at once: at most %d", answers,
                         CHAT_MAX_ANSWERS);
    if (answers == 1) return STATUS_OK;
    engine_info(chat->engine, &info);
    const size_t block = (size_t)info.block_size, left = (size_t)info.context - length;
    const size_t limit = (size_t)chat->settings.max_tokens;
    const size_t written = limit == 0 ? block : limit < left ? limit : left;
    const size_t past = length / block, each = (written + block - 1) / block + 1;
    const size_t room = info.blocks_total > past ? (info.blocks_total - past) / each : 0;
    if ((size_t)answers <= room) return STATUS_OK;
    return error_set(err, STATUS_FULL,
                     "the KV cache has room for %zu answers at once, not %" PRId32
                     " (--kv-device SIZE makes it larger)",
                     room > 0 ? room : 1, answers);
}

// Writes the answer and, if it is the turn's first, moves the tip to it, as one.
static enum status store_answer(struct chat *chat, const struct message *answer, const int32_t *ids,
                                size_t count, int64_t *id, struct error *err) {
    const int64_t model = chat->transcript.model;
    enum status status = db_begin(chat->db, err);
    if (status != STATUS_OK) return status;
    status = STATUS_BAD_INPUT;
    if (chat->turn.kind == TURN_LONGER) { // if others have replied to it, it gets a longer sibling
        *id = transcript_tip(&chat->transcript);
        status = message_extend(chat->db, *id, answer, model, ids, count, err);
        if (status == STATUS_BAD_INPUT) {
            db_rollback(chat->db);
            TRY(db_begin(chat->db, err));
        }
    }
    if (status == STATUS_BAD_INPUT)
        status = message_add(chat->db, answer, model, ids, count, id, err);
    if (status == STATUS_OK && chat->turn.kept < 0)
        status = conversation_move(chat->db, chat->conversation.id, *id, model, err);
    if (status == STATUS_OK) status = db_commit(chat->db, err);
    if (status != STATUS_OK) db_rollback(chat->db);
    return status;
}

size_t chat_log_begin(const struct chat *chat) {
    return transcript_log_end(&chat->transcript, chat->turn.replies_to);
}

struct message chat_message_of(const struct chat *chat, const struct answer *answer) {
    return (struct message){
        .id = answer->message,
        .parent = chat->turn.parent,
        .role = MESSAGE_ASSISTANT,
        .stop = answer_stop(answer),
        .created_ms = chat->turn.began_ms + (answer - chat->answers), // in their own order
        .text = answer->text.bytes,
        .length = answer->text.length,
        .stats = answer->stats,
    };
}

static enum status keep_answer(struct chat *chat, struct answer *answer, struct error *err) {
    const size_t begin = chat_log_begin(chat);
    sequence_truncate(answer->sequence, (int32_t)(begin + answer_kept_tokens(answer)));
    struct message message = chat_message_of(chat, answer);
    char nothing[] = "";
    if (!message.text) message.text = nothing;
    TRY(store_answer(chat, &message, sequence_tokens(answer->sequence) + begin,
                     (size_t)sequence_length(answer->sequence) - begin, &answer->message, err));
    const int32_t index = (int32_t)(answer - chat->answers);
    if (chat->turn.kept < 0) chat->conversation.tip = answer->message;
    if (chat->turn.kept < 0 || index < chat->turn.kept) chat->turn.kept = index;
    return STATUS_OK;
}

// The first answer that was kept replaces what the transcript has after the message.
static enum status settle(struct chat *chat, struct error *err) {
    struct answer *answer = &chat->answers[chat->turn.kept];
    const size_t begin = chat_log_begin(chat);
    const int64_t model = chat->transcript.model;
    if (chat->conversation.tip != answer->message)
        TRY(conversation_move(chat->db, chat->conversation.id, answer->message, model, err));
    chat->conversation.tip = answer->message;
    chat->conversation.model = model;
    // The transcript has its own copy, as the answer's text is the caller's until the next turn.
    struct message message = chat_message_of(chat, answer);
    message.text = malloc(message.length + 1);
    if (!message.text) return STATUS_NO_MEMORY;
    memcpy(message.text, text_string(&answer->text), message.length + 1);
    transcript_cut(&chat->transcript, chat->turn.replies_to);
    const enum status status =
        transcript_push(&chat->transcript, &message, sequence_tokens(answer->sequence) + begin,
                        (size_t)sequence_length(answer->sequence) - begin);
    if (status != STATUS_OK) {
        message_deinit(&message);
        return status;
    }
    if (answer->sequence != chat->sequence) {
        chat->answers[0].sequence = answer->sequence; // the other is let go
        answer->sequence = chat->sequence;
        chat->sequence = chat->answers[0].sequence;
        chat->head_pinned = false;
    }
    chat->answered = true;
    chat_hold(chat);
    chat_pin_head(chat);
    return STATUS_OK;
}

static void let_forks_go(struct chat *chat) {
    for (int32_t i = 0; i < chat->turn.answer_count; i++) {
        struct answer *answer = &chat->answers[i];
        if (answer->sequence != chat->sequence) sequence_destroy(answer->sequence);
        answer->sequence = NULL;
    }
}

// Nothing was answered: a new message goes back to the draft, and the tip to where it was. The
// message stays in the tree; in the background it stays the tip, so that a resume gives it back.
static enum status take_back(struct chat *chat, struct error *err) {
    const struct turn *turn = &chat->turn;
    enum status status = STATUS_OK;
    if (turn->behind) return STATUS_OK;
    if (turn->kind == TURN_ANSWER) {
        const struct message *asked = chat_message(chat, chat->transcript.count - 1);
        TRY(text_append(&chat->draft, asked->text, asked->length));
        transcript_cut(&chat->transcript, chat->transcript.count - 1);
        chat->conversation.tip = transcript_tip(&chat->transcript);
        // Where the store can not follow it keeps the message as its tip, until the next is sent.
        status = conversation_move(chat->db, chat->conversation.id, turn->tip_before,
                                   chat->transcript.model, err);
    }
    const enum status placed = chat_place(chat, chat->transcript.count, err);
    return status == STATUS_OK ? placed : status;
}

static void note_failure(struct turn *turn, enum status status, const struct error *err) {
    if (status == STATUS_OK || turn->status != STATUS_OK) return;
    turn->status = status;
    turn->err = *err;
}

// One answer is over: stores what there is of it.
static void end_answer(struct chat *chat, struct answer *answer, const struct event *event) {
    struct turn *turn = &chat->turn;
    struct error err = {0};
    answer_end(answer, event);
    if (answer->status != STATUS_OK)
        note_failure(turn, explain_failure(chat, answer->status, &err), &err);
    err = (struct error){0};
    if (!answer_is_nothing(answer)) note_failure(turn, keep_answer(chat, answer, &err), &err);
    turn->ended++;
}

// All are over.
static void end_turn(struct chat *chat) {
    struct error err = {0};
    enum status status;
    if (chat->turn.kept < 0) {
        let_forks_go(
            chat); // first: the chat may leave its sequence, which the first answer has too
        status = take_back(chat, &err);
    } else {
        status = settle(chat, &err);
        let_forks_go(chat);
    }
    note_failure(&chat->turn, status, &err);
    chat->turn.done = true;
}

// An event of the search; the last one brings the whole answer.
static void follow_search(struct chat *chat, const struct event *event) {
    struct beams *beams = atomic_load(&chat->turn.beams);
    struct event end;
    const bool ours = beams_take(beams, event);
    ASSERT(ours);
    if (!beams_done(beams)) return;
    chat->answers[0].status = take_search(chat, beams, &end);
    atomic_store(&chat->turn.beams, NULL);
    beams_destroy(beams);
    end_answer(chat, &chat->answers[0], &end);
    end_turn(chat);
}

bool chat_running(const struct chat *chat) { return chat->turn.active; }

int32_t chat_answer_count(const struct chat *chat) { return chat->turn.answer_count; }

struct turn_report chat_answer(const struct chat *chat, int32_t index) {
    ASSERT(index >= 0 && index < CHAT_MAX_ANSWERS);
    const struct answer *answer = &chat->answers[index];
    return (struct turn_report){
        .any = answer->message != MESSAGE_NONE,
        .number = chat->turn.beside + index + 1,
        .stop = answer_stop(answer),
        .stats = answer->stats,
        .cache = answer->cache,
        .message = answer->message,
        .parent = chat->turn.parent,
        .seed = answer->options.sampler.seed,
        .text = text_string(&answer->text),
        .length = answer->ended ? answer->text.length : answer->shown,
    };
}

struct turn_report chat_last(const struct chat *chat) {
    if (chat->answered) return chat_answer(chat, chat->turn.kept);
    return (struct turn_report){.text = "", .seed = chat->answers[0].options.sampler.seed};
}

void chat_cancel(struct chat *chat) {
    for (int32_t i = 0; i < CHAT_MAX_ANSWERS; i++)
        answer_cancel(&chat->answers[i]);
    struct beams *beams = atomic_load(&chat->turn.beams);
    if (beams) beams_cancel(beams);
}

void chat_set_background(struct chat *chat, bool background) {
    chat->turn.behind = background;
    struct beams *beams = atomic_load(&chat->turn.beams);
    if (beams) beams_set_background(beams, background);
    for (int32_t i = 0; i < chat->turn.answer_count; i++) {
        struct request *request = atomic_load(&chat->answers[i].request);
        if (request) request_set_background(request, background);
    }
}

enum status chat_measure(struct chat *chat, const char *text, size_t length, int32_t *tokens,
                         int32_t *free_tokens, struct error *err) {
    struct token_ids ids = {0};
    chat->transcript.think = chat->settings.think;
    const enum status status =
        transcript_render(&chat->transcript, text_string(&chat->system), text, length, &ids, err);
    if (status == STATUS_OK) {
        const size_t used = transcript_kept(&chat->transcript, &ids);
        const size_t added = transcript_added(&ids);
        *tokens = added > INT32_MAX ? INT32_MAX : (int32_t)added;
        *free_tokens = used < (size_t)chat->context ? chat->context - (int32_t)used : 0;
    }
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

// The ids of a message that fits, with room for one token of an answer.
static enum status measure_message(struct chat *chat, const char *text, size_t length,
                                   struct token_ids *ids, struct error *err) {
    chat->transcript.think = chat->settings.think;
    TRY(transcript_render(&chat->transcript, text_string(&chat->system), text, length, ids, err));
    const size_t used = transcript_kept(&chat->transcript, ids), context = (size_t)chat->context;
    const size_t added = transcript_added(ids);
    if (used + added + 1 <= context) return STATUS_OK;
    const size_t left = used < context ? context - used : 0;
    char needed[COUNT_TEXT_BYTES], free_tokens[COUNT_TEXT_BYTES], all[COUNT_TEXT_BYTES];
    return error_set(err, STATUS_TOO_LONG,
                     "the message needs %s tokens, %s are free of %s (one is for the answer)",
                     count_format((int64_t)added, needed), count_format((int64_t)left, free_tokens),
                     count_format(chat->context, all));
}

static enum status add_message(struct chat *chat, enum message_role role, const char *text,
                               size_t length, const struct token_ids *ids, struct error *err) {
    struct message message = {
        .parent = transcript_tip(&chat->transcript),
        .role = role,
        .created_ms = calendar_ms(),
        .length = length,
    };
    message.text = malloc(length + 1);
    if (!message.text) return STATUS_NO_MEMORY;
    memcpy(message.text, text, length);
    message.text[length] = '\0';
    enum status status = message_add(chat->db, &message, chat->transcript.model, ids->ids,
                                     ids->count, &message.id, err);
    if (status == STATUS_OK)
        status = transcript_push(&chat->transcript, &message, ids->ids, ids->count);
    if (status != STATUS_OK) message_deinit(&message);
    return status;
}

// The conversation (if it is new), its system prompt and the message, as one.
static enum status store_message(struct chat *chat, const char *text, size_t length,
                                 const struct token_ids *ids, struct error *err) {
    const struct token_ids none = {0};
    const size_t count_before = chat->transcript.count;
    const struct conversation before = chat->conversation;
    enum status status = db_begin(chat->db, err);
    if (status != STATUS_OK) return status;
    status = chat_make(chat, "", err);
    if (status == STATUS_OK && count_before == 0 && chat->system.length)
        status =
            add_message(chat, MESSAGE_SYSTEM, chat->system.bytes, chat->system.length, &none, err);
    if (status == STATUS_OK) status = add_message(chat, MESSAGE_USER, text, length, ids, err);
    const int64_t tip = transcript_tip(&chat->transcript);
    if (status == STATUS_OK)
        status =
            conversation_move(chat->db, chat->conversation.id, tip, chat->transcript.model, err);
    if (status == STATUS_OK) status = db_commit(chat->db, err);
    if (status == STATUS_OK) {
        chat->conversation.tip = tip;
        chat->conversation.model = chat->transcript.model;
        return STATUS_OK;
    }
    db_rollback(chat->db);
    transcript_cut(&chat->transcript, count_before);
    if (!before.id[0] && chat->conversation.id[0])
        conversation_unlock(chat->db, chat->conversation.id);
    chat->conversation = before;
    return status;
}

// The template says the past differently now: how much of it is read again.
static void note_cut(const struct chat *chat, const struct token_ids *ids) {
    const size_t log = chat->transcript.log.count, kept = transcript_kept(&chat->transcript, ids);
    if (kept < log)
        log_write(LOG_INFO, "the chat template changes earlier turns: of %zu tokens %zu stay", log,
                  kept);
}

enum status chat_send(struct chat *chat, const char *text, size_t length, struct error *err) {
    TRY(chat_check_idle(chat, err));
    TRY(check_text(text, length, err));
    struct token_ids ids = {0};
    const int32_t answers = chat->settings.answers > 1 ? chat->settings.answers : 1;
    const int32_t beams = chat->settings.beams;
    enum status status = measure_message(chat, text, length, &ids, err);
    if (status == STATUS_OK)
        status = check_room(chat, transcript_kept(&chat->transcript, &ids) + transcript_added(&ids),
                            beams > 1 ? beams : answers, err);
    if (status == STATUS_OK &&
        transcript_kept(&chat->transcript, &ids) == chat->transcript.log.count)
        status = chat_place(chat, chat->transcript.count, err);
    if (status == STATUS_OK) note_cut(chat, &ids);
    if (status == STATUS_OK) status = store_message(chat, text, length, &ids, err);
    if (status != STATUS_OK) {
        token_ids_deinit(&ids);
        return status;
    }
    begin_turn(chat, TURN_ANSWER, chat->transcript.count, beams > 1 ? 1 : answers);
    const struct message *asked = chat_message(chat, chat->transcript.count - 1);
    chat->turn.tip_before = asked->parent;
    status = chat_place(chat, chat->transcript.count, err);
    token_ids_deinit(&ids);
    if (status == STATUS_OK)
        status = beams > 1 ? start_search(chat, beams, err) : start_answers(chat, err);
    if (status != STATUS_OK) {
        struct error ignored; // the first failure says what is wrong
        take_back(chat, &ignored);
        chat->turn.active = false;
    }
    return status;
}

// The last message, which must be an answer.
static enum status find_answer(const struct chat *chat, const struct message **answer,
                               struct error *err) {
    const size_t count = chat->transcript.count;
    *answer = count ? chat_message(chat, count - 1) : NULL;
    if (*answer && (*answer)->role == MESSAGE_ASSISTANT) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "there is no answer yet");
}

// Of a new answer, or so many of them, beside the last.
static enum status begin_another(struct chat *chat, int32_t answers, int32_t room,
                                 struct error *err) {
    TRY(chat_check_idle(chat, err));
    const struct message *answer;
    TRY(find_answer(chat, &answer, err));
    const size_t replies_to = chat->transcript.count - 1;
    TRY(check_room(chat, transcript_log_end(&chat->transcript, replies_to), room, err));
    struct message *older;
    size_t count, current;
    TRY(chat_alternatives(chat, &older, &count, &current, err));
    message_path_free(older, count);
    TRY(chat_place(chat, replies_to, err));
    begin_turn(chat, TURN_ANOTHER, replies_to, answers);
    chat->turn.beside = (int32_t)count;
    return STATUS_OK;
}

enum status chat_regenerate(struct chat *chat, int32_t answers, struct error *err) {
    TRY(begin_another(chat, answers, answers, err));
    const enum status status = start_answers(chat, err);
    chat->turn.active = status == STATUS_OK;
    return status;
}

enum status chat_search(struct chat *chat, int32_t width, struct error *err) {
    ASSERT(width >= 2 && width <= BEAMS_MAX_WIDTH);
    TRY(begin_another(chat, 1, width, err));
    const enum status status = start_search(chat, width, err);
    chat->turn.active = status == STATUS_OK;
    return status;
}

enum status chat_continue(struct chat *chat, struct error *err) {
    TRY(chat_check_idle(chat, err));
    const struct message *answer;
    TRY(find_answer(chat, &answer, err));
    if (answer->stop == STOP_END)
        return error_set(err, STATUS_BAD_INPUT, "the last answer is complete");
    TRY(chat_place(chat, chat->transcript.count, err));
    begin_turn(chat, TURN_LONGER, chat->transcript.count - 1, 1);
    const size_t begin = chat_log_begin(chat);
    const struct token_ids *log = &chat->transcript.log;
    enum status status =
        answer_load(&chat->answers[0], answer, log->ids + begin, log->count - begin);
    if (status == STATUS_OK) status = start_answers(chat, err);
    chat->turn.active = status == STATUS_OK;
    return status;
}

// The answer that the request writes, or NULL.
static struct answer *find_request(struct chat *chat, const struct request *request) {
    for (int32_t i = 0; i < chat->turn.answer_count; i++)
        if (chat->answers[i].request == request) return &chat->answers[i];
    return NULL;
}

static bool show(struct chat *chat, struct answer *answer, struct turn_progress *progress) {
    progress->answer = (int32_t)(answer - chat->answers);
    progress->tokens = (int32_t)answer->token_count;
    return answer_show(answer, &chat->stops, &progress->text, &progress->length);
}

bool chat_owns(struct chat *chat, const struct event *event) {
    if (!chat->turn.active || chat->turn.done) return false;
    const struct beams *beams = atomic_load(&chat->turn.beams);
    return beams ? beams_owns(beams, event) : find_request(chat, event->request) != NULL;
}

enum turn_event chat_turn_take(struct chat *chat, const struct event *event,
                               struct turn_progress *progress) {
    ASSERT(chat_owns(chat, event));
    *progress = (struct turn_progress){0};
    if (atomic_load(&chat->turn.beams)) {
        follow_search(chat, event);
        return chat->turn.done && show(chat, chat->answers, progress) ? TURN_TEXT : TURN_WAIT;
    }
    struct answer *answer = find_request(chat, event->request);
    switch (event->kind) {
    case EVENT_PREFILL:
        if (answer != chat->answers) break; // the first computes it for all
        progress->done = event->done;
        progress->total = event->total;
        return TURN_PREFILL;
    case EVENT_TOKEN:
        answer_take(answer, &chat->stops, event->token);
        break;
    case EVENT_DONE:
        end_answer(chat, answer, event);
        if (chat->turn.ended == chat->turn.answer_count) end_turn(chat);
        break;
    }
    return show(chat, answer, progress) ? TURN_TEXT : TURN_WAIT;
}

bool chat_turn_ended(struct chat *chat, enum status *status, struct error *err) {
    struct turn *turn = &chat->turn;
    ASSERT(turn->active);
    if (!turn->done) return false;
    turn->active = false;
    *status = turn->status;
    if (turn->status != STATUS_OK && err) *err = turn->err;
    return true;
}

enum turn_event chat_turn_next(struct chat *chat, int timeout_ms, struct turn_progress *progress,
                               enum status *status, struct error *err) {
    struct event event;
    *progress = (struct turn_progress){0};
    while (!chat_turn_ended(chat, status, err)) {
        if (!engine_next_event(chat->engine, timeout_ms, &event)) return TURN_WAIT;
        const enum turn_event came = chat_turn_take(chat, &event, progress);
        if (came != TURN_WAIT) return came;
    }
    return TURN_DONE;
}
