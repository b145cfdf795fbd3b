#include "engine/draft/head.h"

static void propose(void *self, const struct draft_log *log, struct proposal *proposal) {
    const struct draft_head *head = self;
    *proposal = (struct proposal){.count = head->ready && log->length > 0 ? DRAFT_HEAD_MOST : 0,
                                  .unknown = true};
}

const struct draft_source draft_head_source = {"head", propose};
