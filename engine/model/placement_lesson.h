// engine/model/placement_lesson.h — what do a model's own steps say of its placement's prediction?
//
// Rates are measured in trials (engine/rates.h), which read the same weights again and again. A
// text reads other ones each time, which caches of hundreds of MB and page tables notice. So steps
// of one token at a short context are timed, and from then on the time of the parts in host memory
// is multiplied by what they took in proportion to their prediction.
//
// Where experts have copies, the same is learnt of another factor, and before it how often a choice
// had one: how far the routing of this model and these texts has a memory. A plan without copies
// learns that, too, of slots that hold nothing (kernels/ghost_slots.h).
//
// The first steps take longer than the later ones, and are not timed.
//
// Numbers only; who keeps what is learnt is rates.h's.
#ifndef ENGINE_PLACEMENT_LESSON_H
#define ENGINE_PLACEMENT_LESSON_H

#include "engine/model/placement.h"

enum { PLACEMENT_LESSON_TOKENS = 24, PLACEMENT_LESSON_CONTEXT = 4096 };

#define PLACEMENT_FACTOR_MAX 4.0 // and its inverse is the least

struct placement_lesson {
    // Of the rates, owned; NULL: there is nothing to learn for. One key for all splits of such a
    // model, and one for this split.
    char *path, *key, *split;
    struct placement_rates rates; // that the placement was planned by
    double token_us;              // a running average
    int32_t tokens;
    double copied, hits; // shares in the same steps: of experts with a copy, of choices that had
                         // one; 0: unknown
};

void placement_lesson_note(struct placement_lesson *lesson, int64_t us); // a step of one token

// The rates, halfway to what was found: of time if that differs by a tenth, of routing always,
// whose first finding counts whole. False: there were too few tokens to say anything, or no copies
// where some were planned.
bool placement_lesson_find(const struct placement_lesson *lesson, const struct placement *placement,
                           struct placement_rates *rates);

#endif
