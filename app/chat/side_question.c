#include "app/chat/side_question.h"

#include <string.h>

#include "app/chat/chat_turn.h"

// The number of side questions in the cache; no conversation has it.
static const uint64_t SIDE_QUESTION = (uint64_t)UINT32_MAX + 1;

enum status side_question_begin(const struct chat *chat, size_t count, const char *question,
                                struct sequence **result, struct error *err) {
    const struct session *session = chat->session;
    const struct outgoing message = {.text = question, .length = strlen(question)};
    struct transcript past = chat->transcript; // the same messages, but with a log of its own
    struct token_ids ids = {0};
    struct sequence *sequence = NULL;
    past.count = count;
    past.log = (struct token_ids){0};
    past.think = THINK_OFF; // the tokens are for the answer
    enum status status = transcript_log_of(&chat->transcript, count, &past.log);
    if (status == STATUS_OK) status = chat_encode(session, &past, &message, &ids, err);
    const size_t added = transcript_added(&ids), kept = transcript_kept(&past, &ids);
    if (status == STATUS_OK) status = sequence_create(session->engine, &sequence);
    if (status == STATUS_OK) status = sequence_append(sequence, past.log.ids, kept);
    if (status == STATUS_OK) status = sequence_append(sequence, ids.ids + ids.count - added, added);
    token_ids_deinit(&past.log);
    token_ids_deinit(&ids);
    if (status == STATUS_OK)
        *result = sequence;
    else if (sequence)
        sequence_destroy(sequence);
    return status;
}

// Nothing else needs the blocks of its own tokens, so they are deleted like those of a
// conversation.
void side_question_end(struct session *session, struct sequence **sequence) {
    if (!*sequence) return;
    sequence_save(*sequence, SIDE_QUESTION);
    sequence_destroy(*sequence);
    engine_strip(session->engine, SIDE_QUESTION);
    *sequence = NULL;
}
