// engine/draft/source.h — what is a source of drafts?
//
// It proposes tokens that probably follow a log, and hears how many of them were right. What it
// knows of one request is its `self`. Sources are called by draft.c alone, on the engine's thread.
#ifndef ENGINE_DRAFT_SOURCE_H
#define ENGINE_DRAFT_SOURCE_H

#include <stdint.h>

enum { DRAFT_MAX = 16 }; // tokens of one draft

struct draft_log { // borrowed
    const int32_t *tokens;
    int32_t length;
};

struct draft_source {
    const char *name;
    // Fills draft [limit] and returns how many tokens; 0: it has none. Once for each step.
    int32_t (*propose)(void *self, const struct draft_log *log, int32_t limit, int32_t *draft);
    // After a step: `accepted` of its `drafted` > 0 tokens were what the model sampled.
    void (*note)(void *self, int32_t drafted, int32_t accepted);
};

#endif
