#include "app/turn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "app/chat.h"
#include "engine/base/assert.h"

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

static enum status start_request(struct chat *chat, struct error *err) {
    struct request *request;
    const enum status status = request_start(chat->sequence, &chat->turn.options, &request);
    if (status == STATUS_FULL)
        return error_set(err, status, "%d answers are being written already", ENGINE_MAX_REQUESTS);
    if (status != STATUS_OK) return explain_failure(chat, status, err);
    atomic_store(&chat->turn.request, request);
    if (atomic_load(&chat->turn.cancelled)) request_cancel(request);
    return STATUS_OK;
}

// A fresh turn over the first `replies_to` messages of the transcript.
static void begin_turn(struct chat *chat, enum turn_kind kind, size_t replies_to) {
    struct turn *turn = &chat->turn;
    struct request_options options = {
        .sampler = chat->settings.sampler,
        .max_tokens = chat->settings.max_tokens,
    };
    if (!chat->settings.seed_given) {
        uint32_t seed; // 32 bits, so that any reader of JSON can give it back
        if (getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed) options.sampler.seed = seed;
    }
    text_clear(&turn->text);
    text_clear(&chat->draft);
    *turn = (struct turn){
        .active = true,
        .kind = kind,
        .options = options,
        .tip_before = transcript_tip(&chat->transcript),
        .replies_to = replies_to,
        .text = turn->text,
        .token_ends = turn->token_ends,
        .token_capacity = turn->token_capacity,
    };
    detokenizer_init(&turn->detokenizer, chat->tokenizer, false,
                     tokenizer_adds_space_prefix(chat->tokenizer));
    chat->last = (struct turn_report){.text = "", .seed = options.sampler.seed};
}

static enum status note_token(struct turn *turn) {
    if (turn->token_count == turn->token_capacity) {
        const size_t capacity = turn->token_capacity ? turn->token_capacity * 2 : 256;
        size_t *ends = realloc(turn->token_ends, capacity * sizeof *ends);
        if (!ends) return STATUS_NO_MEMORY;
        turn->token_ends = ends;
        turn->token_capacity = capacity;
    }
    turn->token_ends[turn->token_count++] = turn->text.length;
    return STATUS_OK;
}

// How much of the text may be shown now; cuts it where a stop string matched.
static size_t showable(struct chat *chat) {
    struct turn *turn = &chat->turn;
    if (turn->stop_matched) return turn->text.length;
    bool matched;
    const size_t end = stops_find(&chat->stops, text_string(&turn->text), turn->shown,
                                  turn->text.length, &matched);
    if (!matched) return end;
    turn->stop_matched = true;
    turn->text.length = end;
    if (turn->text.bytes) turn->text.bytes[end] = '\0';
    return end;
}

static bool show(struct turn *turn, size_t until, struct turn_progress *progress) {
    if (until <= turn->shown) return false;
    progress->text = turn->text.bytes + turn->shown;
    progress->length = until - turn->shown;
    turn->shown = until;
    return true;
}

// True when there is text to show. What the model writes after a stop string is not looked at.
static bool take_token(struct chat *chat, int32_t id, struct turn_progress *progress) {
    struct turn *turn = &chat->turn;
    if (turn->stop_matched || turn->status != STATUS_OK) return false;
    turn->status = detokenizer_push(&turn->detokenizer, id, &turn->text);
    if (turn->status == STATUS_OK) turn->status = note_token(turn);
    const size_t until = showable(chat);
    if (turn->stop_matched || turn->status != STATUS_OK) request_cancel(turn->request);
    return show(turn, until, progress);
}

// A longer answer has the figures of its beginning already.
static void add_stats(struct turn *turn, const struct request_stats *stats) {
    struct message_stats *sum = &turn->stats;
    sum->prompt_tokens = stats->prompt_tokens;
    sum->cached_tokens = stats->cached_tokens;
    sum->first_token_us = stats->first_token_us;
    sum->output_tokens += stats->output_tokens;
    sum->prefill_us = stats->prefill_us;
    sum->decode_us += stats->decode_us;
    turn->cache = (struct turn_cache){
        .device_tokens = stats->device_tokens,
        .host_tokens = stats->host_tokens,
        .disk_tokens = stats->disk_tokens,
        .restore_us = stats->restore_us,
    };
}

static enum message_stop stop_of(const struct turn *turn, enum stop_reason reason) {
    if (turn->stop_matched) return STOP_STRING;
    switch (reason) {
    case STOP_REASON_END:
        return STOP_END;
    case STOP_REASON_LENGTH:
        return STOP_LENGTH;
    case STOP_REASON_CONTEXT:
        return STOP_CONTEXT;
    case STOP_REASON_CANCELLED:
    case STOP_REASON_FAILED:
        return STOP_INTERRUPTED;
    }
    return STOP_INTERRUPTED;
}

// Tokens of the answer that are kept: up to a stop string, those that make the text before it.
static size_t kept_tokens(const struct turn *turn) {
    if (!turn->stop_matched) return turn->token_count;
    size_t kept = turn->old_tokens, end = turn->old_length;
    while (kept < turn->token_count && end < turn->text.length)
        end = turn->token_ends[kept++];
    return kept;
}

// Writes the answer and moves the tip to it, as one.
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
    if (status == STATUS_OK)
        status = conversation_move(chat->db, chat->conversation.id, *id, model, err);
    if (status == STATUS_OK) status = db_commit(chat->db, err);
    if (status != STATUS_OK) db_rollback(chat->db);
    return status;
}

// The answer replaces what the transcript has after the message that it replies to.
static enum status keep_answer(struct chat *chat, enum message_stop stop) {
    struct turn *turn = &chat->turn;
    const size_t begin = transcript_log_end(&chat->transcript, turn->replies_to);
    sequence_truncate(chat->sequence, (int32_t)(begin + kept_tokens(turn)));
    const int32_t *ids = sequence_tokens(chat->sequence) + begin;
    const size_t count = (size_t)sequence_length(chat->sequence) - begin;
    struct message answer = {
        .parent = chat_message(chat, turn->replies_to - 1)->id,
        .role = MESSAGE_ASSISTANT,
        .stop = stop,
        .length = turn->text.length,
        .stats = turn->stats,
    };
    // The transcript has its own copy, as the turn's text is the caller's until the next one.
    answer.text = malloc(answer.length + 1);
    if (!answer.text) return STATUS_NO_MEMORY;
    memcpy(answer.text, text_string(&turn->text), answer.length + 1);
    enum status status = store_answer(chat, &answer, ids, count, &answer.id, &turn->err);
    if (status == STATUS_OK) {
        chat->conversation.tip = answer.id;
        chat->conversation.model = chat->transcript.model;
        transcript_cut(&chat->transcript, turn->replies_to);
        status = transcript_push(&chat->transcript, &answer, ids, count);
    }
    if (status != STATUS_OK) {
        message_deinit(&answer);
        return status;
    }
    chat_hold(chat);
    chat_pin_head(chat);
    chat->last = (struct turn_report){
        .any = true,
        .stop = stop,
        .stats = turn->stats,
        .cache = turn->cache,
        .message = answer.id,
        .parent = answer.parent,
        .seed = turn->options.sampler.seed,
        .text = text_string(&turn->text),
        .length = turn->text.length,
    };
    return STATUS_OK;
}

// Nothing was answered: a new message goes back to the draft, and the tip to where it was. The
// message stays in the tree.
static enum status take_back(struct chat *chat, struct error *err) {
    struct turn *turn = &chat->turn;
    if (turn->kind == TURN_ANSWER) {
        const struct message *asked = chat_message(chat, chat->transcript.count - 1);
        TRY(text_append(&chat->draft, asked->text, asked->length));
        TRY(conversation_move(chat->db, chat->conversation.id, turn->tip_before,
                              chat->transcript.model, err));
        transcript_cut(&chat->transcript, chat->transcript.count - 1);
        chat->conversation.tip = transcript_tip(&chat->transcript);
    }
    return chat_place(chat, chat->transcript.count, err);
}

// The request is over: stores what there is.
static void complete(struct chat *chat, const struct event *event) {
    struct turn *turn = &chat->turn;
    if (event->reason == STOP_REASON_END && !turn->stop_matched && turn->status == STATUS_OK)
        turn->status = detokenizer_finish(&turn->detokenizer, &turn->text);
    if (turn->status == STATUS_OK && event->status != STATUS_OK &&
        event->reason == STOP_REASON_FAILED)
        turn->status = explain_failure(chat, event->status, &turn->err);
    const enum message_stop stop = stop_of(turn, event->reason);
    const bool nothing = stop == STOP_INTERRUPTED && turn->text.length == turn->old_length;
    struct error err = {0};
    enum status status;
    if (nothing)
        status = take_back(chat, &err);
    else
        status = keep_answer(chat, stop);
    if (turn->status == STATUS_OK && status != STATUS_OK) {
        turn->status = status;
        if (err.text[0]) turn->err = err;
    }
    turn->done = true;
}

bool chat_running(const struct chat *chat) { return chat->turn.active; }

struct turn_report chat_last(const struct chat *chat) {
    return chat->last;
}

void chat_cancel(struct chat *chat) {
    atomic_store(&chat->turn.cancelled, true);
    struct request *request = atomic_load(&chat->turn.request);
    if (request) request_cancel(request);
}

enum status chat_measure(struct chat *chat, const char *text, size_t length, int32_t *tokens,
                         int32_t *free_tokens, struct error *err) {
    struct token_ids ids = {0};
    const enum status status =
        transcript_render(&chat->transcript, text_string(&chat->system), text, length, &ids, err);
    if (status == STATUS_OK) {
        const size_t used = chat->transcript.log.count;
        *tokens = ids.count > INT32_MAX ? INT32_MAX : (int32_t)ids.count;
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
    TRY(transcript_render(&chat->transcript, text_string(&chat->system), text, length, ids, err));
    const size_t used = chat->transcript.log.count, context = (size_t)chat->context;
    if (used + ids->count + 1 <= context) return STATUS_OK;
    return error_set(err, STATUS_TOO_LONG,
                     "the message needs %zu tokens, %zu are free of %zu (one is for the answer)",
                     ids->count, used < context ? context - used : 0, context);
}

static enum status add_message(struct chat *chat, enum message_role role, const char *text,
                               size_t length, const struct token_ids *ids, struct error *err) {
    struct message message = {
        .parent = transcript_tip(&chat->transcript),
        .role = role,
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

enum status chat_send(struct chat *chat, const char *text, size_t length, struct error *err) {
    TRY(chat_check_idle(chat, err));
    TRY(check_text(text, length, err));
    struct token_ids ids = {0};
    enum status status = measure_message(chat, text, length, &ids, err);
    if (status == STATUS_OK) status = chat_place(chat, chat->transcript.count, err);
    if (status == STATUS_OK) status = store_message(chat, text, length, &ids, err);
    if (status != STATUS_OK) {
        token_ids_deinit(&ids);
        return status;
    }
    begin_turn(chat, TURN_ANSWER, chat->transcript.count);
    const struct message *asked = chat_message(chat, chat->transcript.count - 1);
    chat->turn.tip_before = asked->parent;
    status = sequence_append(chat->sequence, ids.ids, ids.count);
    token_ids_deinit(&ids);
    if (status == STATUS_OK) status = start_request(chat, err);
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

enum status chat_regenerate(struct chat *chat, struct error *err) {
    TRY(chat_check_idle(chat, err));
    const struct message *answer;
    TRY(find_answer(chat, &answer, err));
    const size_t replies_to = chat->transcript.count - 1;
    TRY(chat_place(chat, replies_to, err));
    begin_turn(chat, TURN_ANOTHER, replies_to);
    const enum status status = start_request(chat, err);
    chat->turn.active = status == STATUS_OK;
    return status;
}

// The turn begins with the answer so far, so that the rest continues its last character.
static enum status load_answer(struct chat *chat, const struct message *answer) {
    struct turn *turn = &chat->turn;
    const size_t begin = transcript_log_end(&chat->transcript, turn->replies_to);
    const struct token_ids *log = &chat->transcript.log;
    for (size_t i = begin; i < log->count; i++)
        TRY(detokenizer_push(&turn->detokenizer, log->ids[i], &turn->text));
    text_clear(&turn->text);
    TRY(text_append(&turn->text, answer->text, answer->length));
    for (size_t i = begin; i < log->count; i++)
        TRY(note_token(turn));
    turn->old_length = turn->shown = answer->length;
    turn->old_tokens = log->count - begin;
    turn->stats.output_tokens = answer->stats.output_tokens;
    turn->stats.decode_us = answer->stats.decode_us;
    return STATUS_OK;
}

enum status chat_continue(struct chat *chat, struct error *err) {
    TRY(chat_check_idle(chat, err));
    const struct message *answer;
    TRY(find_answer(chat, &answer, err));
    if (answer->stop == STOP_END)
        return error_set(err, STATUS_BAD_INPUT, "the last answer is complete");
    TRY(chat_place(chat, chat->transcript.count, err));
    begin_turn(chat, TURN_LONGER, chat->transcript.count - 1);
    enum status status = load_answer(chat, answer);
    if (status == STATUS_OK) status = start_request(chat, err);
    chat->turn.active = status == STATUS_OK;
    return status;
}

enum turn_event chat_turn_next(struct chat *chat, int timeout_ms, struct turn_progress *progress,
                               enum status *status, struct error *err) {
    struct turn *turn = &chat->turn;
    ASSERT(turn->active);
    struct event event;
    *progress = (struct turn_progress){0};
    while (!turn->done) {
        if (!engine_next_event(chat->engine, timeout_ms, &event)) return TURN_WAIT;
        switch (event.kind) {
        case EVENT_PREFILL:
            progress->done = event.done;
            progress->total = event.total;
            return TURN_PREFILL;
        case EVENT_TOKEN:
            if (take_token(chat, event.token, progress)) return TURN_TEXT;
            break;
        case EVENT_DONE:
            atomic_store(&turn->request, NULL);
            request_release(event.request);
            add_stats(turn, &event.stats);
            complete(chat, &event);
            break;
        }
    }
    if (show(turn, turn->text.length, progress)) return TURN_TEXT;
    turn->active = false;
    *status = turn->status;
    if (turn->status != STATUS_OK && err) *err = turn->err;
    return TURN_DONE;
}
