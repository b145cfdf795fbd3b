#include "engine/draft/drafter.h"

static void propose(void *self, const struct draft_log *log, struct proposal *proposal) {
    const struct drafter *drafter = self;
    const bool fits = log->length + DRAFT_MAX < drafter->context;
    *proposal = (struct proposal){.count = fits ? DRAFT_MAX : 0, .unknown = fits};
}

const struct draft_source drafter_source = {"drafter", propose};
