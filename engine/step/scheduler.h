// engine/step/scheduler.h — what does the next step compute, and who gives up blocks for it?
//
// A step is one batch. The caller describes its requests in plain numbers and gets a plain plan: no
// model, no memory, no clock, so a day of requests can be tested in seconds.
//
//   WAITING ──admitted──► LOADING ──what is cached is there──► RUNNING ──► finished, cancelled
//                            ▲                                    │ preempted (LOADING too)
//                            └──────────admitted────── SWAPPED ◄──┘
//
// LOADING and RUNNING requests are active. Rank: urgent requests come first, then earlier arrivals.
// Urgent requests are those in the foreground and the promoted one: the first to get nothing for
// SCHEDULER_PATIENCE steps, which stays promoted until it ends.
//
// What a plan guarantees, checked by scheduler_check():
//   (1) Decodes (one token pending) come first, so that no answer waits for another one's prompt.
//       Prompts share the rest of the step, or one block if less is left: urgent ones first, then
//       those that have had fewer quanta of SCHEDULER_QUANTUM tokens, then earlier arrivals.
//   (2) A chunk that is not a prompt's last ends at an absolute block boundary, so how a prompt is
//       cut never depends on what was cached or on which other requests run.
//   (3) Blocks go by rank. A request that needs blocks preempts waiting ones first, then the active
//       one with the lowest rank; if that is itself, it is preempted. So the first always
//       progresses.
//   (4) Waiting requests are admitted by rank, and none overtakes another. One is admitted if there
//       are blocks for the rest of its log, one more token and the watermark, besides what active
//       requests still need for their logs; or if none is active. For one in the foreground,
//       requests that are not urgent may be preempted.
//
// So no request starves: the promoted one waits only for earlier arrivals, the first of which makes
// progress in every step; a foreground request waits for one other at most.
#ifndef ENGINE_STEP_SCHEDULER_H
#define ENGINE_STEP_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/request.h"
#include "engine/kv/cache_kind.h"

enum {
    SCHEDULER_MAX_REQUESTS = 256,
    SCHEDULER_PATIENCE = 512, // steps
    SCHEDULER_QUANTUM = 2048, // tokens of a prompt
};

struct scheduler_request {
    enum request_state state;
    bool foreground, promoted;
    int32_t cached, length;     // tokens computed, tokens in the log; RUNNING: cached < length
    int32_t prefilled;          // tokens of its prompt, since it arrived
    int32_t pauses[2];          // tokens at which chunks end, multiples of the block size
    int32_t skipped;            // steps since it last got a chunk
    int32_t blocks;             // of its length, also while it waits (a fork's, say)
    struct block_counts most;   // most further ones that it can need, however long it gets, as
                                // windows give back what they leave; INT32_MAX: it grows with
                                // the log
    struct block_counts own;    // without other references: what preempting it frees
    struct block_counts copies; // 1: its last block must be copied before it is written; else 0
};

struct scheduler_limits {
    int32_t step_tokens; // of one step, >= block_size. Exceeded only if decodes leave less than a
                         // block: then a prompt still gets one block
    int32_t block_size;
    struct block_counts free_blocks; // free or evictable
    struct block_counts watermark;   // of those, reserved for active requests to grow
    double swap_us;      // to swap one block out and in again; 0: there is nowhere to swap to
    double recompute_us; // to compute its tokens again; 0: not known yet
};

struct scheduler_chunk { // tokens [first, first + count) of requests[request]
    int32_t request;
    int32_t first, count;
    bool last; // reaches the end of the log, so its logits are needed
};

struct scheduler_plan {
    struct scheduler_chunk chunks[SCHEDULER_MAX_REQUESTS]; // decodes, then prompts
    int32_t preempted[SCHEDULER_MAX_REQUESTS];             // requests that give up all their blocks
    int32_t admitted[SCHEDULER_MAX_REQUESTS];              // requests that begin to load
    int32_t chunk_count, decode_count, preempted_count, admitted_count;
    int32_t tokens;             // of all chunks
    struct block_counts blocks; // that the chunks need
    int32_t refused;            // the request that needs more blocks than there are, or -1
    bool swap; // swap preempted blocks out: that is faster than computing them again
};

// Plans for requests[request_count], at most SCHEDULER_MAX_REQUESTS, in order of arrival. An empty
// plan means that nobody can do anything until a LOADING request is loaded.
void scheduler_plan(const struct scheduler_request *requests, int32_t request_count,
                    const struct scheduler_limits *limits, struct scheduler_plan *plan);

// After each step: updates prefilled and skipped of each request, and promotes one.
void scheduler_note(struct scheduler_request *requests, int32_t request_count,
                    const struct scheduler_plan *plan);

// How many FREE blocks it takes to compute up to token `end`.
struct block_counts scheduler_need(const struct scheduler_request *request, int32_t end,
                                   int32_t block_size);

struct scheduler_pace {
    double tokens_per_us; // measured, of the time after base_us; 0: unknown
    int32_t base_us;      // what a step of more than `few` tokens takes at least
    int32_t few;          // a multiple of the block size
    int32_t block_size, least, most;
};

// How many tokens a step may have to take about `target_us`: a multiple of the block size between
// least and most. Long steps make ^C and other answers wait. If the base takes more than half of
// the target, the tokens may take as long as the base, or most of the time would be spent on it. If
// it takes more than half of `limit_us`, the step has only `few` tokens, which do not cost the
// base; otherwise it takes no longer than `limit_us`. With a base, no known speed and no limit, the
// step has as many tokens as it may: fewer would have to pay the base again.
int32_t scheduler_budget(const struct scheduler_pace *pace, int32_t target_us, int32_t limit_us);

// How long a step should take if it also decodes `decodes` answers in the foreground, which alone
// would take `decode_us` (0: unknown). That is a few times as long, but at least as long as nobody
// notices, and at most as long as one likes to wait for a token.
int32_t scheduler_target_us(int32_t decodes, float decode_us);

// How long such a step may take at most; INT32_MAX if no answer waits for it.
int32_t scheduler_limit_us(int32_t decodes);

// Asserts that the plan is valid for these requests and limits, and that it makes progress; for
// tests.
void scheduler_check(const struct scheduler_request *requests, int32_t request_count,
                     const struct scheduler_limits *limits, const struct scheduler_plan *plan);

#endif
