#include "engine/sampling/prompt_lookup.h"

#include <string.h>

#include "kernels/base/assert.h"

enum {
    LONGEST_MATCH = 4, // tokens that are looked for; then fewer
    SHORTEST_MATCH = 2,
    FIRST_REST = 16,
    LONGEST_REST = 256,
};

struct prompt_lookup prompt_lookup_new(int32_t most) {
    ASSERT(most >= 0 && most <= PROMPT_LOOKUP_MOST);
    return (struct prompt_lookup){.most = most, .now = most, .next_rest = FIRST_REST};
}

// Where the last `match` tokens ended before, the latest place; 0: nowhere.
static int32_t find_last(const int32_t *tokens, int32_t length, int32_t match) {
    const int32_t *end = tokens + length - match;
    for (int32_t at = length - 1; at >= match; at--)
        if (tokens[at - 1] == tokens[length - 1] &&
            memcmp(tokens + at - match, end, (size_t)match * sizeof tokens[0]) == 0)
            return at;
    return 0;
}

int32_t prompt_lookup_propose(struct prompt_lookup *lookup, const int32_t *tokens, int32_t length,
                              int32_t room, int32_t *proposal) {
    if (lookup->most == 0) return 0;
    if (lookup->rest > 0) {
        lookup->rest--;
        return 0;
    }
    int32_t at = 0;
    for (int32_t match = LONGEST_MATCH; match >= SHORTEST_MATCH && at == 0; match--)
        if (length > match) at = find_last(tokens, length, match);
    if (at == 0) return 0;
    int32_t count = lookup->now < room ? lookup->now : room;
    if (count > length - at) count = length - at;
    if (count <= 0) return 0;
    memcpy(proposal, tokens + at, (size_t)count * sizeof proposal[0]);
    return count;
}

void prompt_lookup_note(struct prompt_lookup *lookup, int32_t proposed, int32_t kept) {
    ASSERT(proposed > 0 && kept >= 0 && kept <= proposed);
    if (kept > 0) {
        lookup->now = 2 * kept + 1 < lookup->most ? 2 * kept + 1 : lookup->most;
        lookup->next_rest = FIRST_REST;
        return;
    }
    lookup->now = lookup->now > 2 ? lookup->now / 2 : 1;
    lookup->rest = lookup->next_rest;
    if (lookup->next_rest < LONGEST_REST) lookup->next_rest *= 2;
}
