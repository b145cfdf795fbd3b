#include "engine/draft/history.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

// Before and after each text: matches nothing, so neither a match nor a draft leaves its text.
enum { HISTORY_GAP = -1, GAPS = 2 };

enum status history_init(struct history *history) {
    *history = (struct history){0};
    history->tokens = calloc(HISTORY_TOKENS, sizeof history->tokens[0]);
    if (history->tokens && suffix_index_init(&history->index, HISTORY_TOKENS) == STATUS_OK)
        return STATUS_OK;
    history_deinit(history);
    return STATUS_NO_MEMORY;
}

void history_deinit(struct history *history) {
    suffix_index_deinit(&history->index);
    free(history->tokens);
    *history = (struct history){0};
}

// Texts are words of a person, so nothing of them stays.
void history_clear(struct history *history) {
    const int32_t used = history->wrapped ? HISTORY_TOKENS : history->end + 1;
    memset(history->tokens, 0, (size_t)used * sizeof history->tokens[0]);
    memset(history->index.latest, 0,
           ((size_t)1 << history->index.bits) * sizeof history->index.latest[0]);
    memset(history->index.previous, 0, (size_t)used * sizeof history->index.previous[0]);
    history->end = 0;
    history->wrapped = false;
}

int32_t history_room(const struct history *history) {
    const int32_t left = HISTORY_TOKENS - GAPS - history->end;
    return history->wrapped || left < 0 ? 0 : left;
}

void history_add(struct history *history, const int32_t *ids, int32_t count) {
    enum { MOST = HISTORY_TOKENS / 4 };
    if (count > MOST) {
        ids += count - MOST;
        count = MOST;
    }
    if (count <= SUFFIX_LEAST) return;
    if (history->end + count + GAPS > HISTORY_TOKENS) {
        for (int32_t at = history->end; at < HISTORY_TOKENS; at++)
            history->tokens[at] = HISTORY_GAP;
        history->end = 0;
        history->wrapped = true;
    }
    int32_t *text = history->tokens + history->end;
    text[0] = text[1 + count] = HISTORY_GAP;
    memcpy(text + 1, ids, (size_t)count * sizeof ids[0]);
    for (int32_t at = 1 + SUFFIX_LEAST; at <= count; at++)
        suffix_index_add(&history->index, history->tokens, history->end + at);
    history->end += count + 1; // the next text begins with this one's last gap
}

static void propose(void *self, const struct draft_log *log, struct proposal *proposal) {
    const struct history *history = self;
    *proposal = (struct proposal){0};
    if (history->end == 0) return;
    const struct suffix_match match =
        suffix_index_find(&history->index, history->tokens, log->tokens, log->length);
    proposal->match = match.length;
    while (match.length > 0 && proposal->count < DRAFT_MAX) {
        const int32_t token = history->tokens[match.at + proposal->count];
        if (token == HISTORY_GAP) break;
        proposal->tokens[proposal->count++] = token;
    }
}

const struct draft_source history_source = {"history", propose};
