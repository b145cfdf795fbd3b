// engine/draft/prompt_lookup.h — prompt lookup decoding: draft tokens from the log itself.
//
// Text often repeats itself: a quotation, a list, code that is edited. The last tokens of a log are
// searched for in it, and what followed them the last time becomes the draft. (Saxena, 2023.)
//
// Rejected drafts cost time. After a draft that is rejected as a whole, the next ones are shorter
// and come after a pause, which grows each time; an accepted token makes drafts longer again.
//
// Plain data: no memory, no clock, no model.
#ifndef ENGINE_DRAFT_PROMPT_LOOKUP_H
#define ENGINE_DRAFT_PROMPT_LOOKUP_H

#include "engine/draft/source.h"

struct prompt_lookup {
    int32_t max;   // tokens of a draft, at most; 0: never any
    int32_t now;   // of the next draft, at most
    int32_t pause; // steps until the next draft
    int32_t next_pause;
};

struct prompt_lookup prompt_lookup_new(int32_t max); // 0 to DRAFT_MAX

extern const struct draft_source prompt_lookup_source; // its self is a struct prompt_lookup

#endif
