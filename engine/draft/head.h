// engine/draft/head.h — drafts from the model's own draft head (multi-token prediction).
//
// It proposes how many tokens, not which: they cost a pass of model/mtp.h each, so the step
// computes them (step/drafting.c) once it is decided how many are worth it.
#ifndef ENGINE_DRAFT_HEAD_H
#define ENGINE_DRAFT_HEAD_H

#include <stdbool.h>

#include "engine/draft/source.h"

enum { DRAFT_HEAD_MOST = 4 }; // tokens; each is made of the one before, so later ones are worse

struct draft_head {
    bool ready; // the hidden state before the log's last token is known
};

extern const struct draft_source draft_head_source; // its self is a struct draft_head

#endif
