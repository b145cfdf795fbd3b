// engine/model/placement_lesson.c — averages the time of a token, and compares what is left of it
// for the parts in host memory with the prediction.
#include "engine/model/placement_lesson.h"

#include <math.h>

void placement_lesson_note(struct placement_lesson *lesson, int64_t us) {
    enum {
        FIRST = 4,
        AVERAGED = 16
    }; // meanwhile pages are mapped, slots filled and steps recorded
    if (lesson->tokens++ < FIRST) return;
    const int32_t of = lesson->tokens - FIRST < AVERAGED ? lesson->tokens - FIRST : AVERAGED;
    lesson->token_us += ((double)us - lesson->token_us) / of;
}

// Smaller differences change nothing: another plan would have to compute all cached KV once more.
static const double ABOUT = 0.1;

// Halfway between what was known or assumed and what was found, since a machine that others use,
// too, becomes a fifth faster or slower within minutes.
static double blend(double known, double found) {
    return fabs(found - known) < ABOUT ? known : (known + found) / 2;
}

// Recency belongs to the model: seven splits of one mixture showed 0.54 to 0.65, and three of
// another about 0. So if nothing was known of it, the first finding counts whole. If nearly all
// experts have copies, or nearly none, hits say little. Since hits are counted rather than timed,
// small differences are learnt, too: a tenth can hide copies that pay off. What keeps the plan as
// it is then is the planner's own threshold.
static double recency_of(const struct placement_lesson *lesson, double known) {
    const double copied = lesson->copied;
    const bool tells = placement_hits(copied, 1) - placement_hits(copied, 0) >= ABOUT;
    if (!tells) return known;
    const double found = placement_recency(copied, lesson->hits);
    if (known <= 0) return found >= ABOUT ? found : known;
    return (known + found) / 2;
}

static double factor_of(const struct placement_lesson *lesson, const struct placement *placement,
                        double predicted) {
    const double factor = placement->factor;
    const double rest = 1 / placement->tokens_s - factor * placement->host_seconds;
    const double found = (1e-6 * lesson->token_us - rest) / predicted;
    const double kept = blend(factor, found), least = 1 / PLACEMENT_FACTOR_MAX;
    return kept > PLACEMENT_FACTOR_MAX ? PLACEMENT_FACTOR_MAX : kept < least ? least : kept;
}

bool placement_lesson_find(const struct placement_lesson *lesson, const struct placement *placement,
                           struct placement_rates *rates) {
    const bool copies = placement_copies(placement) > 0;
    const double hits = copies ? lesson->hits : placement->hits;
    const double predicted = placement_host_seconds_at(placement, hits);
    if (lesson->tokens < PLACEMENT_LESSON_TOKENS || placement->tokens_s <= 0) return false;
    if (copies && lesson->copied <= 0) return false; // the planned copies could not be made
    if (predicted <= 0) return false;
    *rates = lesson->rates;
    *(copies ? &rates->copies_factor : &rates->factor) = factor_of(lesson, placement, predicted);
    rates->recency = recency_of(lesson, rates->recency);
    rates->changes = placement->changes;
    return true;
}
