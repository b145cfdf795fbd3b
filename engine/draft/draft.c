#include "engine/draft/draft.h"

struct draft draft_new(int32_t max) {
    return (struct draft){.lookup = prompt_lookup_new(max)};
}

int32_t draft_propose(struct draft *draft, const struct draft_log *log, int32_t limit,
                      int32_t *proposed) {
    return prompt_lookup_source.propose(&draft->lookup, log, limit, proposed);
}

void draft_note(struct draft *draft, int32_t drafted, int32_t accepted) {
    prompt_lookup_source.note(&draft->lookup, drafted, accepted);
}
