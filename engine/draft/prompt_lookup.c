// engine/draft/prompt_lookup.c — a draft is what followed the same tokens before.
//
//   log     the cat sat on the mat . the cat
//               └──┬──┘              └──┬──┘
//               found, and the draft    searched for
//               is "sat on the mat …"
//
// A draft that reaches the log's end continues with its own tokens: after "1 2 1 2" it drafts
// "1 2 1 2 …".
#include "engine/draft/prompt_lookup.h"

#include "kernels/base/assert.h"

enum status prompt_lookup_init(struct prompt_lookup *lookup, int32_t context) {
    lookup->indexed = 0;
    return suffix_index_init(&lookup->index, context);
}

void prompt_lookup_deinit(struct prompt_lookup *lookup) { suffix_index_deinit(&lookup->index); }

static void propose(void *self, const struct draft_log *log, struct proposal *proposal) {
    struct prompt_lookup *lookup = self;
    ASSERT(lookup->indexed <= log->length);
    for (int32_t at = lookup->indexed + 1; at < log->length; at++)
        if (at >= SUFFIX_LEAST) suffix_index_add(&lookup->index, log->tokens, at);
    if (log->length > 0) lookup->indexed = log->length - 1;
    const struct suffix_match match =
        suffix_index_find(&lookup->index, log->tokens, log->tokens, log->length);
    *proposal = (struct proposal){.match = match.length};
    while (match.length > 0 && proposal->count < DRAFT_MAX) {
        const int32_t from = match.at + proposal->count;
        proposal->tokens[proposal->count++] =
            from < log->length ? log->tokens[from] : proposal->tokens[from - log->length];
    }
}

const struct draft_source prompt_lookup_source = {"lookup", propose};
