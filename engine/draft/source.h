// engine/draft/source.h — what is a source of drafts?
//
// It proposes tokens that probably follow a log, from whatever its `self` holds. Only draft.c asks
// sources, on the engine's thread.
#ifndef ENGINE_DRAFT_SOURCE_H
#define ENGINE_DRAFT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

// Tokens of one draft. Fewer than a block, or a matrix unit would verify them with other bits
// (kernels/cpu/attention_pairs.inc).
enum { DRAFT_MAX = 8 };

enum draft_source_kind {
    DRAFT_LOOKUP,  // what followed the same tokens in this log: prompt_lookup.h
    DRAFT_HISTORY, // the same in other texts: history.h
    DRAFT_HEAD,    // what the model's draft head says: head.h
    DRAFT_MODEL,   // what a smaller model would say: drafter.h
    DRAFT_SOURCES,
};

struct draft_log { // borrowed
    const int32_t *tokens;
    int32_t length;
};

struct proposal {
    int32_t tokens[DRAFT_MAX];
    int32_t count;  // 0: it has none
    bool unknown;   // the tokens are computed when it is known how many are wanted
    int32_t unread; // of unknown tokens: tokens of the log that are to be read first
    int32_t match;  // tokens at the log's end that occurred before it: the more, the likelier it is
                    // right
};

struct draft_source {
    const char *name;
    // Once for each step.
    void (*propose)(void *self, const struct draft_log *log, struct proposal *proposal);
};

#endif
