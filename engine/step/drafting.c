// engine/step/drafting.c — has the model's draft head write drafts, one token after another.
//
// One pass of the head writes the first draft token of all requests that use it, the next pass the
// second, and so on: each token is the input for the next. What a pass leaves in the cache lies
// after the log's computed tokens, and the step that verifies the draft computes all of it again.
#include "engine/core/request_state.h"
#include "engine/model/forward.h"
#include "engine/step/step.h"
#include "kernels/base/assert.h"
#include "kernels/base/trace.h"

static bool drafts(const struct step *step, int32_t index, int32_t nth) {
    return step->unknown[index] && step->requests[index]->draft.chosen == DRAFT_HEAD &&
           nth < step->drafted[index];
}

// The nth draft token of each request. False in *any: none has as many.
static enum status run_pass(struct engine *engine, const struct step *step, int32_t nth,
                            bool *any) {
    struct forward *forward = engine->forward;
    int32_t row = 0;
    *any = false;
    forward_begin(forward);
    for (int32_t i = 0; i < step->count; i++) {
        if (!drafts(step, i, nth)) continue;
        const struct sequence *sequence = step->requests[i]->sequence;
        const int32_t at = sequence->length - 1 + nth;
        ASSERT(step->chunks[i].count == 1 && sequence->cached == sequence->length - 1);
        forward_add(forward, sequence->tables.of, sequence->tokens + at, at, 1, 1);
        forward_choose(forward, 0, &(struct choice){.count = 1}, NULL);
        *any = true;
    }
    if (!*any) return STATUS_OK;
    TRY(forward_draft(forward));
    for (int32_t i = 0; i < step->count; i++) {
        if (!drafts(step, i, nth)) continue;
        const struct sequence *sequence = step->requests[i]->sequence;
        const int32_t id = forward_candidates(forward, row++)[0].id;
        sequence->tokens[sequence->length + nth] = id < 0 ? 0 : id; // of weights that are NaN
    }
    return STATUS_OK;
}

enum status drafting_run(struct engine *engine, const struct step *step, int32_t *passes) {
    struct trace_span span = trace_begin("draft");
    enum status status = STATUS_OK;
    bool any = true;
    *passes = 0;
    while (any && status == STATUS_OK) {
        status = run_pass(engine, step, *passes, &any);
        *passes += any;
    }
    for (int32_t i = 0; i < step->count && status == STATUS_OK; i++) {
        const struct sequence *sequence = step->requests[i]->sequence;
        if (drafts(step, i, 0))
            draft_fill(&step->requests[i]->draft, sequence->tokens + sequence->length,
                       step->drafted[i]);
    }
    span.tokens = *passes;
    trace_end(&span);
    return status;
}
