#include "app/chat/past.h"

#include <stdlib.h>

#include "engine/draft/history.h"
#include "store/tokens.h"

enum { BEFORE = 64 }; // tokens before an answer that come with it

// Without the cut that ids may begin with.
static enum status append_tokens(const struct past *past, int64_t message, size_t most,
                                 struct token_ids *ids) {
    int32_t *tokens = NULL;
    size_t count = 0;
    TRY(message_tokens(past->db, message, past->model, &tokens, &count, NULL));
    size_t first = count > 0 && tokens[0] >= MESSAGE_CUT;
    if (count - first > most) first = count - most;
    enum status status = STATUS_OK;
    for (size_t i = first; i < count && status == STATUS_OK; i++)
        status = token_ids_push(ids, tokens[i]);
    free(tokens);
    return status;
}

void past_read(struct past *past, int answers) {
    if (!past->db) return;
    for (int i = 0; i < answers && past->before > 0; i++) {
        struct token_ids ids = {0};
        int64_t parent = 0;
        if (engine_history_room(past->engine) < HISTORY_TOKENS / 2 ||
            message_older_answer(past->db, past->model, &past->before, &parent, NULL) !=
                STATUS_OK) {
            past->before = 0;
            return;
        }
        (void)append_tokens(past, parent, BEFORE, &ids);
        if (append_tokens(past, past->before, HISTORY_TOKENS / 8, &ids) == STATUS_OK)
            engine_history_add(past->engine, ids.ids, (int32_t)ids.count);
        token_ids_deinit(&ids);
    }
}

void past_add(const struct past *past, const struct sequence *sequence, size_t begin) {
    const size_t from = begin > BEFORE ? begin - BEFORE : 0;
    engine_history_add(past->engine, sequence_tokens(sequence) + from,
                       sequence_length(sequence) - (int32_t)from);
}

void past_forget(struct past *past) {
    engine_history_clear(past->engine);
    past->before = INT64_MAX;
}
