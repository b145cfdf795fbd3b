// engine/draft/drafter.h — drafts from a smaller model with the same vocabulary.
//
// It proposes how many tokens, not which: each costs a step of that model, so they are computed
// (step/drafter.c) once it is decided how many are worth it.
#ifndef ENGINE_DRAFT_DRAFTER_H
#define ENGINE_DRAFT_DRAFTER_H

#include "engine/draft/source.h"

struct sequence;

struct drafter {               // of one request
    int32_t context;           // the smaller model's; 0: no model drafts, or it has failed
    struct sequence *sequence; // owned: of the smaller model; NULL: not begun
    int32_t followed;          // tokens of the log that it has had
};

extern const struct draft_source drafter_source; // its self is a struct drafter

#endif
