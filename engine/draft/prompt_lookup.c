// engine/draft/prompt_lookup.c — a draft is what followed the same tokens the last time.
//
//   log     the cat sat on the mat . the cat
//           └──┬──┘ └─────┬──────┘   └──┬──┘
//           found      the draft     searched for: ". the cat" occurs nowhere else
//
// Four tokens are searched for first, then three, then two; one would match almost anywhere and be
// rejected almost always. The latest occurrence counts, because text resembles what is near.
//
// How much to draft follows what was accepted. After k accepted tokens the next draft has up to 2k
// + 1; after none it halves, and drafting pauses for 16 steps, 32, … 256. So text that never
// repeats itself costs a few rejected rows, and text that begins to repeat itself is at full length
// a few steps after the pause.
//
// The search is linear in the log and done once a step. It takes microseconds, and a forward pass
// takes milliseconds.
#include "engine/draft/prompt_lookup.h"

#include <string.h>

#include "kernels/base/assert.h"

enum {
    LONGEST_MATCH = 4, // tokens that are searched for first; then fewer
    SHORTEST_MATCH = 2,
    FIRST_PAUSE = 16,
    LONGEST_PAUSE = 256,
};

struct prompt_lookup prompt_lookup_new(int32_t max) {
    ASSERT(max >= 0 && max <= DRAFT_MAX);
    return (struct prompt_lookup){.max = max, .now = max, .next_pause = FIRST_PAUSE};
}

// The end of the latest earlier occurrence of the last `match` tokens; 0 if there is none.
static int32_t find_last(const int32_t *tokens, int32_t length, int32_t match) {
    const int32_t *end = tokens + length - match;
    for (int32_t at = length - 1; at >= match; at--)
        if (tokens[at - 1] == tokens[length - 1] &&
            memcmp(tokens + at - match, end, (size_t)match * sizeof tokens[0]) == 0)
            return at;
    return 0;
}

static int32_t propose(void *self, const struct draft_log *log, int32_t limit, int32_t *draft) {
    struct prompt_lookup *lookup = self;
    const int32_t *tokens = log->tokens, length = log->length;
    if (lookup->max == 0) return 0;
    if (lookup->pause > 0) {
        lookup->pause--;
        return 0;
    }
    int32_t at = 0;
    for (int32_t match = LONGEST_MATCH; match >= SHORTEST_MATCH && at == 0; match--)
        if (length > match) at = find_last(tokens, length, match);
    if (at == 0) return 0;
    int32_t count = lookup->now < limit ? lookup->now : limit;
    if (count > length - at) count = length - at;
    if (count <= 0) return 0;
    ASSERT(count <= DRAFT_MAX && at + count <= length);
    memcpy(draft, tokens + at, (size_t)count * sizeof draft[0]);
    return count;
}

static void note(void *self, int32_t drafted, int32_t accepted) {
    struct prompt_lookup *lookup = self;
    ASSERT(drafted > 0 && accepted >= 0 && accepted <= drafted);
    if (accepted > 0) {
        lookup->now = 2 * accepted + 1 < lookup->max ? 2 * accepted + 1 : lookup->max;
        lookup->next_pause = FIRST_PAUSE;
        return;
    }
    lookup->now = lookup->now > 2 ? lookup->now / 2 : 1;
    lookup->pause = lookup->next_pause;
    if (lookup->next_pause < LONGEST_PAUSE) lookup->next_pause *= 2;
}

const struct draft_source prompt_lookup_source = {"lookup", propose, note};
