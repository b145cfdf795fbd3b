// engine/beams.h — the most probable continuations of a sequence, searched a token at a time.
//
// A search keeps the `width` best unfinished continuations, its beams. Each step computes the next
// token's probabilities for all of them as one batch, and takes the best of all their
// continuations:
//
//   1. Of all beams' continuations, the 2 * width with the highest sums of log-probabilities
//      (equal ones: the earlier beam, then the lower id) are examined in that order.
//   2. One that ends the turn is finished if it is among the first `width`; it is dropped if not.
//   3. Others become the next beams, up to `width`.
//
// A finished continuation scores sum / tokens^length_penalty, its end counted; the `width` best are
// kept (equal ones: the earlier). The search is over when the beams have max_tokens, and then all
// of them count as finished; or when `width` are finished and, without early_stopping, no beam
// would score more than the last of them if it ended now.
//
// Beams are sequences: they share the blocks of their common prefix and release their own when they
// are dropped. The search is deterministic.
//
//   beams_create ─► beams_take, for every event of the engine ─► beams_done ─► beams_result
//
// Threads: the UI's; beams_cancel() is safe in a signal handler too.
#ifndef ENGINE_BEAMS_H
#define ENGINE_BEAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/request.h"
#include "kernels/base/status.h"

enum { BEAMS_MAX_WIDTH = 32 };

struct beams;

struct beams_options {
    int32_t width;           // 1 to BEAMS_MAX_WIDTH
    int32_t max_tokens;      // 0: until the context is full
    double length_penalty;   // 0: none; 1: the mean; more favours longer ones
    bool early_stopping;     // ends the search when `width` are finished
    struct grammar *grammar; // this and `begun` are as in request_options
    const char *begun;
    void *owner; // of its events
};

// The sequence is IDLE, not empty, borrowed until this returns, and not changed. NO_MEMORY; FULL:
// too many requests run. Owned by the caller.
MUST_CHECK enum status beams_create(struct sequence *sequence, const struct beams_options *options,
                                    struct beams **beams);
void beams_destroy(struct beams *beams); // when done; NULL is fine

// True if the event belongs to the search. The last event of a step chooses beams and starts the
// next step.
bool beams_take(struct beams *beams, const struct event *event);

void beams_cancel(struct beams *beams); // ends the search soon, with the beams as they are
void beams_set_background(struct beams *beams, bool background); // as request_set_background()
bool beams_done(const struct beams *beams);

struct beams_result {
    const int32_t *tokens; // [count], after those of the sequence; borrowed
    int32_t count;
    double score;
    bool ended; // by a token that ends a turn, its last
};

enum status beams_status(const struct beams *beams); // when done: OK, CANCELLED, or why it failed
struct error beams_error(const struct beams *beams); // the same in words; "": no more to say
int32_t beams_result_count(const struct beams *beams);
struct beams_result beams_result(const struct beams *beams, int32_t index); // the best is number 0
struct request_stats beams_stats(const struct beams *beams);                // output_tokens: steps

#endif
