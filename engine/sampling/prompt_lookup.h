// engine/sampling/prompt_lookup.h — prompt lookup decoding: draft tokens from the log itself.
//
// Text often repeats itself: a quotation, a list, code that is edited. The last tokens of a log are
// searched for in it, and what followed them the last time becomes the draft. The model then
// verifies it: it computes all draft tokens in one step together with the pending one, and accepts
// those that it would have sampled itself. So the answer is the same, only sooner. (Speculative
// decoding without a draft model; Saxena, 2023.)
//
// Rejected drafts cost time. After a draft that is rejected as a whole, the next ones are shorter
// and come after a pause, which grows each time; an accepted token makes drafts longer again.
//
// Plain data: no memory, no clock, no model.
#ifndef ENGINE_SAMPLING_PROMPT_LOOKUP_H
#define ENGINE_SAMPLING_PROMPT_LOOKUP_H

#include <stdint.h>

enum { PROMPT_LOOKUP_MAX = 16 }; // tokens of one draft

struct prompt_lookup {
    int32_t max;   // tokens of a draft, at most; 0: never any
    int32_t now;   // of the next draft, at most
    int32_t pause; // steps until the next draft
    int32_t next_pause;
};

struct prompt_lookup prompt_lookup_new(int32_t max); // 0 to PROMPT_LOOKUP_MAX

// Fills draft [limit] and returns how many tokens: 0 during a pause, or if nothing is found. Called
// once for each step.
int32_t prompt_lookup_draft(struct prompt_lookup *lookup, const int32_t *tokens, int32_t length,
                            int32_t limit, int32_t *draft);

// After a step: `accepted` of `drafted` > 0 tokens were what the model sampled.
void prompt_lookup_note(struct prompt_lookup *lookup, int32_t drafted, int32_t accepted);

#endif
