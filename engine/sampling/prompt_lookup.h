// engine/sampling/prompt_lookup.h — what may come next, guessed from what the log has said before.
//
// A text often repeats itself: a quotation, a list, code that is edited. The last tokens of a log
// are looked for in it, and what followed them the last time is proposed. The model then computes
// all proposed tokens in one step beside the pending one, and keeps those that it would have
// picked itself: so the answer is the same, only sooner. (Prompt lookup decoding; Saxena, 2023.)
//
// Proposals that fail cost time. A lookup proposes fewer after one of which nothing was kept, and
// after several it rests, longer each time; one that is kept makes it bold again.
//
// Plain data: no memory, no clock, no model.
#ifndef ENGINE_SAMPLING_PROMPT_LOOKUP_H
#define ENGINE_SAMPLING_PROMPT_LOOKUP_H

#include <stdint.h>

enum { PROMPT_LOOKUP_MOST = 16 }; // tokens of one proposal

struct prompt_lookup {
    int32_t most; // that may be proposed at once; 0: never any
    int32_t now;  // that may be next
    int32_t rest; // tokens until it tries again
    int32_t next_rest;
};

struct prompt_lookup prompt_lookup_new(int32_t most); // 0 to PROMPT_LOOKUP_MOST

// Fills proposal [room] and returns how many: 0 when it rests, or finds nothing. Once for each
// step.
int32_t prompt_lookup_propose(struct prompt_lookup *lookup, const int32_t *tokens, int32_t length,
                              int32_t room, int32_t *proposal);

// After a step: `kept` of `proposed` > 0 were what the model picked.
void prompt_lookup_note(struct prompt_lookup *lookup, int32_t proposed, int32_t kept);

#endif
