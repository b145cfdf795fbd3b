// engine/step/step.h — what does one step compute, and who plans it and samples from it?
#ifndef ENGINE_STEP_STEP_H
#define ENGINE_STEP_STEP_H

#include "engine/core/request.h"
#include "engine/step/scheduler.h"

enum { STEP_LEAST_TOKENS = 64 }; // with fewer, reading the weights is hardly worth it

struct step {
    struct scheduler_chunk chunks[ENGINE_MAX_REQUESTS];
    struct request *requests[ENGINE_MAX_REQUESTS]; // of each chunk
    int32_t drafted[ENGINE_MAX_REQUESTS];          // draft tokens that follow it; they lie in the
                                                   // log's array, after its end
    bool unknown[ENGINE_MAX_REQUESTS];             // whether those are still to be computed
    int32_t picked[ENGINE_MAX_REQUESTS];           // sampled tokens, chunk after chunk
    int32_t picked_count[ENGINE_MAX_REQUESTS]; // of each chunk: 0, or 1 and its accepted drafts;
                                               // fewer if its request has failed
    int32_t count;
    float expected;       // tokens that the step will probably give, counting likely drafts
    int32_t tokens, rows; // of all chunks: tokens including drafts, and rows of logits
    int32_t planned;      // tokens of the plan's chunks that are not in the step yet
};

void *stepper_main(void *argument); // the engine's thread; takes the engine

// One step of an engine without a thread; waits a little if nothing can be done yet.
void stepper_step(struct engine *engine);

// Call it with the lock held. Decides what the next step computes, allocates its blocks, and fills
// *step, whose count may be 0. False: there is no chunk, and nothing else has changed, so wait.
bool planner_plan(struct engine *engine, struct step *step);

// ---- Without the lock.

// Before the pass: asks the draft head for the draft tokens that are not known yet. *passes: how
// many passes that took.
MUST_CHECK enum status drafting_run(struct engine *engine, const struct step *step,
                                    int32_t *passes);
// Has the smaller model write the drafts that it was chosen for.
void drafter_run(struct engine *engine, const struct step *step);

// Adds a chunk and its drafts to the forward pass, and requests what a pick needs of its logits.
void sampling_add(struct engine *engine, const struct request *request,
                  const struct scheduler_chunk *chunk, int32_t drafted);
void sampling_pick(struct engine *engine, struct step *step); // after the pass: step->picked
bool sampling_ends_turn(const struct request *request, int32_t token);

#endif
