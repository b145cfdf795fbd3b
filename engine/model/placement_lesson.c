// engine/model/placement_lesson.c — a running average, and what it leaves for the parts in host
// memory.
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

// What is about as it was stays as it was: another plan would compute cached KV once more.
static const double ABOUT = 0.1;

// Half of what was found, and half of what was known or assumed: a machine with neighbours is a
// fifth faster or slower within minutes.
static double blend(double known, double found) {
    return fabs(found - known) < ABOUT ? known : (known + found) / 2;
}

// Seven splits of one mixture showed 0.54 to 0.65, and three of another about 0: it is the model's,
// and where nothing was known of it, what is found counts whole. Where nearly all or no experts
// have copies, hits say little. Since they are counted and not timed, small differences are learnt,
// too: a tenth can hide copies that pay. What keeps a plan as it is then is its own threshold.
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
    if (copies && lesson->copied <= 0) return false; // what was planned could not be made
    if (predicted <= 0) return false;
    *rates = lesson->rates;
    *(copies ? &rates->copies_factor : &rates->factor) = factor_of(lesson, placement, predicted);
    rates->recency = recency_of(lesson, rates->recency);
    rates->changes = placement->changes;
    return true;
}
