// engine/draft/history.h — drafts from other texts: earlier answers, here and elsewhere.
//
// A question that is asked again, or answered once more, often gets much of the earlier answer. The
// texts lie one after the other in a ring of HISTORY_TOKENS; a new one overwrites the oldest.
//
// Memory: history_init(), touched as texts come. Threads: the engine's lock.
#ifndef ENGINE_DRAFT_HISTORY_H
#define ENGINE_DRAFT_HISTORY_H

#include <stdbool.h>

#include "engine/draft/source.h"
#include "engine/draft/suffix_index.h"

enum { HISTORY_TOKENS = 1 << 19 };

struct history {
    struct suffix_index index;
    int32_t *tokens; // [HISTORY_TOKENS]; HISTORY_GAP: no text
    int32_t end;     // of the newest text
    bool wrapped;
};

MUST_CHECK enum status history_init(struct history *history);
void history_deinit(struct history *history); // {0} is fine

// Adds a text, or the end of one that is too long.
void history_add(struct history *history, const int32_t *ids, int32_t count);
void history_clear(struct history *history);

// Tokens that the next text may have before an older one is lost.
int32_t history_room(const struct history *history);

extern const struct draft_source history_source; // `self` is a struct history

#endif
