// engine/internal.h — what the files behind engine.h share; nobody else includes it.
//
//   engine.c    opening: file, device, model, pool, buffers; what is where
//   sequence.c  token logs and their block tables
//   request.c   requests, and the queue of events to the UI thread
//   restoring.c what the cache has of a sequence, brought to the device
//   pressure.c  idle sequences give blocks up for running ones
//   planner.c   the requests as the scheduler sees them, and its plan carried out
//   beams.c     searches, which are requests of one token each
//   stepper.c   the engine's thread: plan, run, sample, report
//   accounting.c  where every block is
//
// One lock guards the cache, all tables and lengths, the list of requests and the event queue. A
// step runs without it: the tokens and the table of a RUNNING sequence are changed by the
// stepper only, and a fork only reads them.
//
// Outside a step, table.length == cached for every sequence.
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/engine.h"
#include "engine/kv/block_cache.h"
#include "engine/model/forward.h"
#include "engine/sampling/prompt_lookup.h"
#include "engine/step/scheduler.h"

enum {
    EVENTS_MAX = 1024,
    STEP_LEAST_TOKENS = 64, // fewer waste the weights that a step reads
};
_Static_assert((int)ENGINE_MAX_REQUESTS <= (int)SCHEDULER_MAX_RUNS, "each is a run");

struct restoring {
    bool active;
    int32_t target;             // tokens that the table is to have
    struct restore_plan plan;   // of the last beginning
    struct restore_tally tally; // since the last request ended
    int64_t began_us;
    int64_t progress_us; // the deadline counts from here
    int64_t spent_us;    // since the last request ended
};

struct sequence {
    struct engine *engine;
    struct sequence *previous, *next; // all of an engine's sequences
    struct request *running;          // or NULL: IDLE
    int32_t *tokens;                  // [context]
    int32_t length, cached;
    struct block_table table;
    struct restoring restoring;
    int32_t head;    // tokens that many conversations begin with
    int64_t used_us; // when it was last touched: who is parked first
};

struct request {
    struct sequence *sequence;
    struct request_options options;
    struct sampler *sampler;
    struct prompt_lookup lookup;
    struct scheduler_run run; // its state, and what it has had; the rest is filled in to plan
    atomic_bool cancelled;
    bool done; // its DONE event is in the queue
    struct request_stats stats;
    int64_t started_us, stepped_us, first_us; // 0: not yet
};

struct event_queue { // a ring
    struct event events[EVENTS_MAX];
    int32_t first, count;
    int fd; // eventfd: readable while count > 0
};

struct found_tokens { // by requests, in each tier, since opening
    uint64_t device_tokens, host_tokens, disk_tokens;
};

struct engine {
    struct gguf *gguf;           // NULL for a random shape
    struct tokenizer *tokenizer; // the same
    const struct backend *backend;
    struct device *device;
    struct model model;
    struct kv_cache shape;
    enum attention_kernel attention;
    struct block_cache *cache;
    struct tier *tier; // until the cache has it
    struct hash128 digest;
    bool knows_digest;
    enum kv_restore kv_restore;
    int64_t io_deadline_us;
    struct forward *forward;
    int32_t context, threads;
    int32_t most_tokens; // of one step
    int32_t step_tokens; // of one step; 0: as many as take about STEP_TARGET_US
    char name[ENGINE_NAME_BYTES];
    char *model_path;

    pthread_t thread;
    bool thread_runs;
    pthread_mutex_t lock;
    pthread_cond_t work;    // something to do, or closing
    pthread_cond_t drained; // the event queue has room again
    pthread_cond_t settled; // a sequence is restored
    bool closing;
    struct sequence *sequences;
    struct request *requests[ENGINE_MAX_REQUESTS]; // in order of arrival
    int32_t request_count;
    int32_t restoring_count; // sequences
    struct event_queue queue;
    double tokens_per_us; // of prefill, measured; 0: not yet
    struct found_tokens found;
    uint64_t prefilled_tokens, decoded_tokens, preempted_requests; // since opening
};

// With the lock held; waits while the queue is full, unless the engine is closing.
void queue_push(struct engine *engine, const struct event *event);

// With the lock held: the request ends now, its sequence is IDLE.
void request_finish(struct request *request, enum stop_reason reason, enum status status);

struct step {
    struct scheduler_chunk chunks[ENGINE_MAX_REQUESTS];
    struct request *requests[ENGINE_MAX_REQUESTS]; // of each chunk
    int32_t proposed[ENGINE_MAX_REQUESTS];         // tokens computed after it, guessed: they stand
                                                   // in the log's array behind its end
    int32_t picked[ENGINE_MAX_REQUESTS];           // tokens that were sampled, chunk after chunk
    int32_t picked_count[ENGINE_MAX_REQUESTS];     // of each chunk: 0, or 1 and the guesses kept
    int32_t count;
    int32_t tokens, rows; // of all chunks: guesses among them, and logits
    int32_t planned;      // tokens of the plan's chunks that are still to be taken
};

void *stepper_main(void *argument); // the thread; of the engine

// ---- All with the lock held; those marked D on the engine's thread.

// Looks the log up. What the device has is in the table at once; for the rest the sequence is
// restoring.
void restoring_begin(struct sequence *sequence);
void restoring_advance(struct sequence *sequence); // D
void restoring_stop(struct sequence *sequence);    // with what it has

// Makes `blocks` FREE for `self`, by eviction, then at the cost of idle sequences, the one used
// longest ago first. D.
bool pressure_make_room(struct engine *engine, uint32_t blocks, const struct sequence *self);

// Takes all blocks of a sequence that no step uses. They can be found again until evicted, those
// of its head longest.
void pressure_park(struct sequence *sequence);

// Parks idle sequences until `blocks` are free or could be evicted, or none is left. Returns how
// many are.
uint32_t pressure_gather(struct engine *engine, uint32_t blocks);

// Decides what the next step computes and makes room for it: *step, whose count may be 0. False:
// and nothing else has moved either, so that there is something to wait for. D.
bool planner_plan(struct engine *engine, struct step *step);

#endif
