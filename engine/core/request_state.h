// engine/core/request_state.h — what is a request, and how far is it?
//
// It is queued, then on the engine's thread, and done when its DONE event is in the queue. The
// engine's lock guards it; during a step, and on a server's behalf, that thread alone.
#ifndef ENGINE_CORE_REQUEST_STATE_H
#define ENGINE_CORE_REQUEST_STATE_H

#include <stdatomic.h>

#include "engine/core/sequence_state.h"
#include "engine/draft/draft.h"
#include "engine/grammar/grammar.h"

struct request {
    struct sequence *sequence;
    const struct request *first; // of the requests started together: an identity, not followed
    struct request_options options;
    struct sampler *sampler;
    struct draft draft;
    uint32_t simulation;      // state of the random numbers of options.simulated
    struct grammar_walk walk; // if it has a grammar
    enum status failure;      // why nothing could be sampled
    struct error err;         // the same in words, if there is more to say
    bool resumable;           // it failed, but another request may write the rest
    enum request_state state;
    bool foreground;
    bool promoted;              // by the scheduler, which also counts
    int32_t prefilled, skipped; // tokens of its prompt, steps without a chunk
    int32_t undone;             // tokens to be decoded once more, and the one sampled last; 0: none
    atomic_bool cancelled;
    bool done; // its DONE event is in the queue
    struct request_stats stats;
    int64_t started_us, stepped_us, first_us; // of clock_working_us(); 0: not yet
};

// With the lock held: the request ends now, its sequence is IDLE.
void request_finish(struct request *request, enum stop_reason reason, enum status status);

// Gives up what the request has in the engine of a smaller model, which may close before the
// request is released.
void request_end_drafts(struct request *request);

// Advances the grammar to the end of the log's first `length` tokens. False: they do not fit. On
// the engine's thread.
bool request_walk(struct request *request, int32_t length);

#endif
