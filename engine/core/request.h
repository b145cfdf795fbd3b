// engine/core/request.h — requests: the model continues a sequence, and events report what happens.
//
// States, invariants and threads: engine.h.
#ifndef ENGINE_CORE_REQUEST_H
#define ENGINE_CORE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/draft/source.h"
#include "engine/sampling/sampler.h"
#include "kernels/base/status.h"

enum { ENGINE_MAX_REQUESTS = 64 }; // running at once

struct engine;
struct sequence;
struct request;
struct grammar;

enum stop_reason {
    STOP_REASON_END,       // the model ended its turn; that token is the last of the log
    STOP_REASON_LENGTH,    // max_tokens
    STOP_REASON_CONTEXT,   // the context is full
    STOP_REASON_CANCELLED, // request_cancel()
    STOP_REASON_FAILED, // see the event's status: FULL; BAD_INPUT, UNSUPPORTED: no token fits the
                        // grammar; DEVICE, as for all later requests
};

// How far a request has come: see step/scheduler.h.
enum request_state { REQUEST_WAITING, REQUEST_LOADING, REQUEST_RUNNING, REQUEST_SWAPPED };

// Sees the logits [vocabulary] before each token is sampled. Runs on the engine's thread.
typedef void request_observer(void *user, const float *logits, int32_t vocabulary);

// Sees the best candidates [count] before a token is picked from them, and the log_total of their
// row (backend.h). An id of -1 means that there are no more. Runs on the engine's thread.
typedef void request_judge(void *user, const struct candidate *best, int32_t count,
                           float log_total);

struct request_options {
    struct sampler_options sampler;
    int32_t max_tokens;         // 0: until the context is full
    int32_t speculate;          // draft tokens at once, at most DRAFT_MAX (draft/draft.h); 0: none.
                                // With a judge there are none
    uint32_t no_drafts_of;      // a bit for each draft_source_kind that may not draft
    bool draft_always;          // drafts even if it does not pay: for tests and benchmarks
    bool draft_blindly;         // drafts any tokens, as many as it may: for benchmarks
    float simulated[DRAFT_MAX]; // with draft_blindly: the probability that a draft token counts as
                                // accepted if those before it do. 0: only if it was sampled
    bool background;            // yields to requests in the foreground (scheduler.h)
    bool ignore_end;            // continues after a turn's end: for benchmarks
    struct grammar *grammar;    // the answer must fit it (grammar/grammar.h); retained; NULL: none
    const char *begun;          // the answer's text before its tokens; borrowed; NULL: none
    int32_t answered;           // this many tokens at the log's end already belong to the answer
    request_observer *observer; // or NULL
    request_judge *judge; // instead of the observer, if whole rows are not needed and there is
                          // no grammar; or NULL
    int32_t judged;       // how many candidates it sees, 1 to CANDIDATES_MAX
    void *observer_user;  // of both
    uint64_t route; // equal for requests that begin alike, so that a server's gateway can send them
                    // to the same machine; 0: none
    void *owner;    // returned with each event
};

struct draft_stats {
    uint32_t sources; // a bit for each that the request may draft from; 0: it drafts nothing
    int64_t steps;    // that gave the output: fewer than its tokens if drafts were accepted
    int64_t proposed; // the number of these steps for which a source proposed something
    struct {
        int64_t drafted, accepted; // tokens; accepted ones are part of the output
    } of[DRAFT_SOURCES];
};

struct request_stats {     // microseconds, on a monotonic clock
    int64_t prompt_tokens; // length at the start
    int64_t cached_tokens; // of these, found in the cache: the sum of the next three
    int64_t device_tokens, host_tokens, disk_tokens; // by where they were found
    int64_t restore_us;                              // spent on restoring them to the device
    int64_t output_tokens;
    struct draft_stats drafts;
    int64_t prefill_us;     // from the first step to the first token
    int64_t first_token_us; // from request_start_all() to the first token
    int64_t decode_us;      // from the first token to the last
};

enum event_kind {
    EVENT_PREFILL, // done of total prompt tokens are cached
    EVENT_TOKEN,   // one more token in the log
    EVENT_DONE,
};

struct event {
    enum event_kind kind;
    struct request *request;
    void *owner;                // of the request: request_options
    int32_t token;              // TOKEN
    int64_t at_us;              // TOKEN: when it was sampled, on a monotonic clock
    int32_t done, total;        // PREFILL
    enum stop_reason reason;    // DONE
    enum status status;         // DONE: OK, or why it failed
    const struct error *err;    // DONE: the status in words, or NULL. Borrowed until the request is
                                // released
    bool resumable;             // DONE: it failed, but another request may write the rest
    bool unfinished;            // DONE: more must follow for the answer to fit its grammar
    struct request_stats stats; // DONE
};

// Starts several at once, all or none: they are in one batch from their first step on. Each
// sequence becomes RUNNING. Its log must not be empty and must leave room in the context for one
// more token; if all of it is cached, its last token is computed again. FULL: more than
// ENGINE_MAX_REQUESTS would run. A request starts when there are blocks for it. When running
// sequences need more blocks than there are, the latest is preempted and continues later
// (scheduler.h); its tokens do not change. A prefix that several requests share is computed once,
// by the first of them. options[count]; requests[count] are owned by the caller: request_release()
// after DONE events.
MUST_CHECK enum status request_start_all(struct sequence *const *sequences,
                                         const struct request_options *options, int32_t count,
                                         struct request **requests);
void request_cancel(struct request *request); // DONE follows soon; any thread or signal handler

// Moves the request to the background or the foreground from the next step on. No effect once it
// is done.
void request_set_background(struct request *request, bool background);
void request_release(struct request *request);

// Waits up to timeout_ms (-1: forever) for the next event. False: none came, or a signal arrived.
bool engine_next_event(struct engine *engine, int timeout_ms, struct event *event);

// Readable while events wait: for poll() together with the keyboard.
int engine_event_fd(const struct engine *engine);

#endif
