// engine/draft/draft.h — which tokens will probably come next?
//
// A source proposes a few tokens after the end of a log: the draft. The engine computes them in one
// step together with the pending token, and samples each row in order (step/sampling.c). A draft
// token is accepted while it equals the token sampled for its position. So drafts decide how soon
// an answer comes, never what it is. (Speculative decoding; Leviathan et al., 2023.)
//
//   plan     draft_propose() ─► tokens after the log's end
//   verify   the step samples 1 + drafted rows
//   commit   draft_note() ─► the source learns how many were right
//
// Plain data: no model, no clock. Threads: the engine's.
#ifndef ENGINE_DRAFT_DRAFT_H
#define ENGINE_DRAFT_DRAFT_H

#include "engine/draft/prompt_lookup.h"

struct draft { // of one request
    struct prompt_lookup lookup;
};

struct draft draft_new(int32_t max); // tokens at once, 0 to DRAFT_MAX

// Writes at most `limit` tokens that probably follow the log, and returns how many.
int32_t draft_propose(struct draft *draft, const struct draft_log *log, int32_t limit,
                      int32_t *proposed);
void draft_note(struct draft *draft, int32_t drafted, int32_t accepted);

#endif
