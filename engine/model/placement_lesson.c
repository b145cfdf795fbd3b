// engine/model/placement_lesson.c — a running average, and what it leaves for the parts in host
// memory.
#include "engine/model/placement_lesson.h"

void placement_lesson_note(struct placement_lesson *lesson, int64_t us) {
    enum { FIRST = 4, AVERAGED = 16 }; // of FIRST tokens, pages are mapped and steps recorded
    if (lesson->tokens++ < FIRST) return;
    const int32_t of = lesson->tokens - FIRST < AVERAGED ? lesson->tokens - FIRST : AVERAGED;
    lesson->token_us += ((double)us - lesson->token_us) / of;
}

double placement_lesson_factor(const struct placement_lesson *lesson,
                               const struct placement *placement, double factor) {
    const double predicted = placement->host_seconds;
    const bool copies = placement->slots + placement->lent_slots > 0;
    if (lesson->tokens < PLACEMENT_LESSON_TOKENS || copies) return factor;
    if (placement->tokens_s <= 0 || predicted <= 0) return factor;
    const double rest = 1 / placement->tokens_s - factor * predicted;
    const double found = (1e-6 * lesson->token_us - rest) / predicted;
    const bool is_first = !(factor < 1) && !(factor > 1);
    const double kept = is_first ? found : (factor + found) / 2, least = 1 / PLACEMENT_FACTOR_MAX;
    return kept > PLACEMENT_FACTOR_MAX ? PLACEMENT_FACTOR_MAX : kept < least ? least : kept;
}
