// engine/model/placement_lesson.h — what do a model's own steps say about its predicted speed?
//
// Rates are measured in trials (engine/rates.h), which read the same weights again and again. A
// text reads other weights with each token, which matters to caches of hundreds of MB and to page
// tables. So steps with one token at a short context are timed, and from then on the predicted time
// of the parts in host memory is multiplied by a factor: measured / predicted.
//
// Plans with copies of experts learn a factor of their own. They also learn how often a choice hits
// a copy, and from that the recency: how far routing repeats itself with this model and these
// texts. A plan without copies learns the recency, too, from slots that hold nothing
// (kernels/ghost_slots.h).
//
// The first steps take longer than later ones, and are not timed.
//
// This module only computes; rates.h keeps what is learnt.
#ifndef ENGINE_PLACEMENT_LESSON_H
#define ENGINE_PLACEMENT_LESSON_H

#include "engine/model/placement.h"

// The fewest steps that say something; the context from which on a step is not noted.
enum { PLACEMENT_LESSON_TOKENS = 24, PLACEMENT_LESSON_CONTEXT = 4096 };

#define PLACEMENT_FACTOR_MAX 4.0 // a factor is at least its inverse

struct placement_lesson {
    // The file of the rates, and two keys in it: of all splits of such a model, and of this split.
    // Owned; NULL: nothing will be kept.
    char *path, *key, *split;
    struct placement_rates rates; // that the placement was planned with
    double token_us;              // a running average
    int32_t tokens;               // steps so far
    double copied, hits; // in these steps: the share of experts with a copy, and of choices that
                         // hit one; 0: unknown
};

void placement_lesson_note(struct placement_lesson *lesson, int64_t us); // a step of one token

// The rates, corrected halfway towards what was found: the factor if it is off by a tenth or more,
// the recency always, and all the way if nothing was known of it. False: there were too few steps,
// no rates, or no copies although some were planned.
bool placement_lesson_find(const struct placement_lesson *lesson, const struct placement *placement,
                           struct placement_rates *rates);

#endif
