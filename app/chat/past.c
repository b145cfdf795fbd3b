#include "app/chat/past.h"

#include <stdlib.h>

#include "engine/draft/history.h"

enum { BEFORE = 64 }; // tokens before an answer that come with it

// Without the cut that ids may begin with.
static enum status append_tokens(const struct session *session, int64_t message, size_t most,
                                 struct token_ids *ids) {
    int32_t *tokens = NULL;
    size_t count = 0;
    TRY(message_tokens(session->db, message, session->model, &tokens, &count, NULL));
    size_t first = count > 0 && tokens[0] >= MESSAGE_CUT;
    if (count - first > most) first = count - most;
    enum status status = STATUS_OK;
    for (size_t i = first; i < count && status == STATUS_OK; i++)
        status = token_ids_push(ids, tokens[i]);
    free(tokens);
    return status;
}

void past_read(struct session *session, int answers) {
    const struct session_settings *settings = &session->settings;
    if (session->own_db || settings->speculate == 0 || settings->draft == DRAFT_OFF) return;
    for (int i = 0; i < answers && session->past_before > 0; i++) {
        struct token_ids ids = {0};
        int64_t parent = 0;
        if (engine_history_room(session->engine) < HISTORY_TOKENS / 2 ||
            message_older_answer(session->db, session->model, &session->past_before, &parent,
                                 NULL) != STATUS_OK) {
            session->past_before = 0;
            return;
        }
        (void)append_tokens(session, parent, BEFORE, &ids);
        if (append_tokens(session, session->past_before, HISTORY_TOKENS / 8, &ids) == STATUS_OK)
            engine_history_add(session->engine, ids.ids, (int32_t)ids.count);
        token_ids_deinit(&ids);
    }
}

void past_add(const struct session *session, const struct sequence *sequence, size_t begin) {
    const size_t from = begin > BEFORE ? begin - BEFORE : 0;
    engine_history_add(session->engine, sequence_tokens(sequence) + from,
                       sequence_length(sequence) - (int32_t)from);
}

void past_forget(struct session *session) {
    engine_history_clear(session->engine);
    session->past_before = INT64_MAX;
}
