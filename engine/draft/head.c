#include "engine/draft/head.h"

static void propose(void *self, const struct draft_log *log, struct proposal *proposal) {
    const struct draft_head *head = self;
    const bool ready = head->ready && log->length > 0;
    *proposal = (struct proposal){.count = ready ? DRAFT_HEAD_MOST : 0, .unknown = ready};
}

const struct draft_source draft_head_source = {"head", propose};
