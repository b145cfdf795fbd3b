#include "engine/draft/drafter.h"

static void propose(void *self, const struct draft_log *log, struct proposal *proposal) {
    const struct drafter *drafter = self;
    const bool fits = log->length + DRAFT_MAX < drafter->context;
    // What a step may have added is not read first: it is part of drafting.
    const int32_t unread = log->length - drafter->followed;
    *proposal = (struct proposal){.count = fits ? DRAFT_MAX : 0,
                                  .unknown = fits,
                                  .unread = unread > 1 + DRAFT_MAX ? unread : 0};
}

const struct draft_source drafter_source = {"drafter", propose};
