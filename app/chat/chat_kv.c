#include "app/chat/chat_kv.h"

#include <inttypes.h>
#include <string.h>

#include "app/chat/chat_preamble.h"
#include "kernels/base/log.h"

static size_t common_prefix(const struct sequence *sequence, const int32_t *ids, size_t count) {
    const size_t length = (size_t)sequence_length(sequence);
    const int32_t *tokens = sequence_tokens(sequence);
    const size_t most = length < count ? length : count;
    size_t common = 0;
    while (common < most && tokens[common] == ids[common])
        common++;
    return common;
}

void chat_adopt_sequence(struct chat *chat, struct sequence *sequence) {
    sequence_destroy(chat->sequence);
    chat->sequence = sequence;
    chat->preamble_pinned = false;
}

void chat_leave_sequence(struct chat *chat) {
    struct sequence *fresh;
    if (sequence_create(chat->session->engine, &fresh) == STATUS_OK)
        chat_adopt_sequence(chat, fresh);
    else
        sequence_truncate(chat->sequence, 0); // no memory for a new one
}

void chat_split_sequence(struct chat *chat) {
    struct sequence *fork;
    // Without memory for a fork, keep using the sequence: only its tail is no longer shared.
    if (sequence_fork(chat->sequence, &fork) == STATUS_OK) chat_adopt_sequence(chat, fork);
}

enum status chat_place(struct chat *chat, size_t count, struct error *err) {
    const size_t length = transcript_log_end(&chat->transcript, count);
    const int32_t *ids = chat->transcript.log.ids, context = chat->session->context;
    if (length + 1 > (size_t)context)
        return error_set(err, STATUS_TOO_LONG,
                         "this conversation has %zu tokens, but the context holds %" PRId32, length,
                         context);
    const size_t common = common_prefix(chat->sequence, ids, length);
    if (common == 0 && sequence_length(chat->sequence) > 0) chat_leave_sequence(chat);
    sequence_truncate(chat->sequence, (int32_t)common);
    if (common == 0) chat->preamble_pinned = false;
    if (common < length) {
        const enum status status = sequence_append(chat->sequence, ids + common, length - common);
        if (status == STATUS_BAD_INPUT)
            return error_set(err, STATUS_BAD_FILE,
                             "conversation %s: the stored tokens belong to another model",
                             chat->conversation.id);
        TRY(status);
    }
    return STATUS_OK;
}

void chat_place_if_it_fits(struct chat *chat) {
    struct error err = {0};
    if (chat_place(chat, chat->transcript.count, &err) == STATUS_OK) return;
    log_write(LOG_WARNING, "%s", err.text[0] ? err.text : "not enough memory");
    chat_leave_sequence(chat);
}

void chat_pin_preamble(struct chat *chat) {
    struct token_ids ids = {0};
    if (chat->preamble_pinned || chat->transcript.count < 2) return;
    const struct message *first = chat_message(chat, 0);
    if (first->role != MESSAGE_SYSTEM) return;
    if (chat_measure_preamble(chat, first->text, &ids, NULL) == STATUS_OK) {
        const size_t common = common_prefix(chat->sequence, ids.ids, ids.count);
        chat->preamble_pinned = common <= (size_t)sequence_cached(chat->sequence);
        if (chat->preamble_pinned) sequence_pin_prefix(chat->sequence, (int32_t)common);
    }
    token_ids_deinit(&ids);
}

void chat_retain(struct chat *chat) {
    const char *id = chat->conversation.id;
    if (!id[0]) return;
    const bool placed = sequence_length(chat->sequence) > 0 || chat->transcript.log.count == 0;
    if (placed) sequence_save(chat->sequence, conversation_number(id));
}

void chat_restore(struct chat *chat, int timeout_ms, struct restore_report *report) {
    sequence_restore(chat->sequence, timeout_ms, report);
    chat_pin_preamble(chat);
}

enum status chat_strip(struct chat *chat, const char *name_or_id, struct conversation *stripped,
                       uint64_t *bytes, struct error *err) {
    struct session *session = chat->session;
    TRY(chat_check_idle(chat, err));
    TRY(conversation_find(session->db, name_or_id, stripped, err));
    const bool here = strcmp(stripped->id, chat->conversation.id) == 0;
    if (here) chat_leave_sequence(chat); // it would still use them
    *bytes = engine_strip(session->engine, conversation_number(stripped->id));
    if (here) chat_place_if_it_fits(chat);
    return STATUS_OK;
}
