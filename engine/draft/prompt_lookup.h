// engine/draft/prompt_lookup.h — prompt lookup decoding: drafts from the log itself.
//
// Text often repeats itself: a quotation, a list, an attached file that is being edited. The last
// tokens of a log are searched for in it, and what followed them there becomes the draft. (Saxena,
// 2023.)
#ifndef ENGINE_DRAFT_PROMPT_LOOKUP_H
#define ENGINE_DRAFT_PROMPT_LOOKUP_H

#include "engine/draft/source.h"
#include "engine/draft/suffix_index.h"

struct prompt_lookup {
    struct suffix_index index; // of one log, which only grows
    int32_t indexed;           // its last position in the index
};

MUST_CHECK enum status prompt_lookup_init(struct prompt_lookup *lookup, int32_t context);
void prompt_lookup_deinit(struct prompt_lookup *lookup);

extern const struct draft_source prompt_lookup_source; // `self` is a struct prompt_lookup

#endif
