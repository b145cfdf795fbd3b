// engine/internal.h — what the files behind engine.h share. No other file includes it.
//
//   engine.c    opening: file, device, model, buffers; what is where
//   pool.c      how many blocks the device's pool has
//   measure.c   what benchmarks ask
//   sequence.c  token logs and their block tables
//   request.c   requests, and the queue of events to the UI thread
//   restoring.c brings what the cache has of a sequence to the device
//   pressure.c  frees blocks of idle sequences for running ones
//   planner.c   describes requests to the scheduler and carries out its plan
//   beams.c     beam search, by requests of one token each
//   sampling.c  picks the tokens that a step's logits are for
//   stepper.c   the engine's thread: plan, run, sample, report
//   accounting.c  where every block is
//   remote/     replaces everything that computes if the model is on another machine
//
// One lock guards the cache, all tables and lengths, the list of requests and the event queue. A
// step runs without it: only the stepper changes the tokens and the table of a RUNNING sequence,
// and a fork only reads them.
//
// Outside a step and a restore, all tables of a sequence have `cached` tokens.
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/engine.h"
#include "engine/grammar/grammar.h"
#include "engine/kv/grouped_cache.h"
#include "engine/model/forward.h"
#include "engine/sampling/prompt_lookup.h"
#include "engine/step/scheduler.h"

enum {
    EVENTS_MAX = 1024,
    STEP_LEAST_TOKENS = 64, // fewer waste the weights that a step reads
};
_Static_assert((int)SCHEDULER_GROUPS == (int)KV_GROUPS,
               "the scheduler counts blocks of all groups");
_Static_assert((int)ENGINE_MAX_REQUESTS <= (int)SCHEDULER_MAX_REQUESTS, "the scheduler plans all");

struct remote;

struct restoring {
    bool active;
    int32_t target;             // tokens that the table will have at the end
    struct restore_plan plan;   // of the most recent start
    struct restore_tally tally; // since the last request ended
    struct restore_tally noted; // of that and of finds on the device: what has been counted
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
    struct grouped_table tables;
    struct restoring restoring;
    int32_t pinned_length; // length of the shared prefix, which is kept longest; 0: none
    int64_t used_us;       // last use; the one used longest ago is preempted first
    bool saved;            // `conversation` needs what it has computed
    uint64_t conversation;
};

struct request {
    struct sequence *sequence;
    const struct request *first; // of the requests started together: an identity, not followed
    struct request_options options;
    struct sampler *sampler;
    struct prompt_lookup lookup;
    struct grammar_walk walk; // if it has a grammar
    enum status failure;      // why nothing could be sampled
    struct error err;         // the same in words, if there is more to say
    bool resumable;           // it failed, but another request may write the rest
    enum request_state state;
    bool foreground;
    bool promoted;              // by the scheduler, which also counts
    int32_t prefilled, skipped; // tokens of its prompt, steps without a chunk
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

struct engine {
    struct gguf *gguf;           // NULL for a random shape
    struct tokenizer *tokenizer; // the same
    struct remote *remote;       // NULL: the model is here. Else there is no backend and no cache
    const struct backend *backend;
    struct device *device;
    struct model model;
    struct kv_cache shapes[KV_GROUPS]; // group 0's has what all have in common
    enum attention_kernel attention;
    struct grouped_cache cache;
    struct disk_pool *disk; // until it is moved into the cache
    struct hash128 digest;
    bool knows_digest;
    struct hash128 adapters_identity;
    struct text adapters; // as engine_info says
    bool drafts;          // the model can drop rejected drafts
    enum kv_restore kv_restore;
    int64_t io_deadline_us;
    struct forward *forward;
    int32_t context, threads;
    int32_t most_tokens;  // of one step
    int32_t step_tokens;  // of one step; 0: as many as take about STEP_TARGET_US
    int32_t chunk_tokens; // of one sequence in a step, at most; drafts do not count
    char name[ENGINE_NAME_BYTES];
    char *model_path;

    pthread_t thread;
    bool thread_runs;
    pthread_mutex_t lock;
    pthread_cond_t work;    // something to do, or closing
    pthread_cond_t drained; // the event queue is no longer full
    pthread_cond_t settled; // a sequence is restored
    bool closing;
    struct sequence *sequences;
    struct request *requests[ENGINE_MAX_REQUESTS]; // in order of arrival
    int32_t request_count;
    int32_t restoring_count; // sequences
    struct event_queue queue;
    double tokens_per_us; // of prefill, measured; 0: not yet
    bool has_stepped;
    struct kv_work request_work;
};

// Sets the name that people see, unless it cannot be shown; never cut inside a character.
bool engine_set_name(struct engine *engine, const char *bytes, size_t length);

// Chooses the size of the pool, then the longest context that it can hold.
MUST_CHECK enum status pool_choose(struct engine *engine, const struct engine_options *options,
                                   struct error *err);
size_t pool_bytes(const struct engine *engine, int group);
size_t pool_state_bytes(const struct engine *engine);    // as engine_info says, as does the next
size_t pool_sequence_bytes(const struct engine *engine); //

// With the lock held; waits while the queue is full, unless the engine is closing.
void queue_push(struct engine *engine, const struct event *event);

// With the lock held: its conversation now needs what the sequence has computed.
void sequence_refer(struct sequence *sequence);

// With the lock held: the request ends now, its sequence is IDLE.
void request_finish(struct request *request, enum stop_reason reason, enum status status);

// Advances the grammar to the end of the log's first `length` tokens. False: they do not fit. D.
bool request_walk(struct request *request, int32_t length);

struct step {
    struct scheduler_chunk chunks[ENGINE_MAX_REQUESTS];
    struct request *requests[ENGINE_MAX_REQUESTS]; // of each chunk
    int32_t drafted[ENGINE_MAX_REQUESTS];          // draft tokens that follow it; they lie in the
                                                   // log's array, after its end
    int32_t picked[ENGINE_MAX_REQUESTS];           // sampled tokens, chunk after chunk
    int32_t picked_count[ENGINE_MAX_REQUESTS]; // of each chunk: 0, or 1 and its accepted drafts;
                                               // fewer if its request has failed
    int32_t count;
    int32_t tokens, rows; // of all chunks: tokens including drafts, and rows of logits
    int32_t planned;      // tokens of the plan's chunks that are not in the step yet
};

void *stepper_main(void *argument); // the thread; of the engine

// ---- On the engine's thread, without the lock.

// Adds a chunk and its drafts to the forward pass, and requests what a pick needs of its logits.
void sampling_add(struct engine *engine, const struct request *request,
                  const struct scheduler_chunk *chunk, int32_t drafted);
void sampling_pick(struct engine *engine, struct step *step); // after the pass: step->picked
bool sampling_ends_turn(const struct request *request, int32_t token);

// ---- All with the lock held; those marked D on the engine's thread.

// Looks the log up in the cache. Blocks on the device enter the table at once; the rest is being
// restored.
void restoring_begin(struct sequence *sequence);
void restoring_advance(struct sequence *sequence); // D
void restoring_stop(struct sequence *sequence);    // keeps what has arrived
// Counts what was found, each token once.
void restoring_note(struct sequence *sequence, const struct restore_tally *found);

// Makes blocks FREE for `self`: by eviction, then by preempting idle sequences, the one used
// longest ago first. False if there are too few. D.
bool pressure_free_blocks(struct engine *engine, struct block_counts blocks,
                          const struct sequence *self);

// Releases all blocks of a sequence that no step uses. They can be found again until they are
// evicted, those of its pinned prefix last.
void pressure_preempt(struct sequence *sequence);

// Preempts idle sequences until this many blocks are free or evictable, or no idle sequence is
// left. Returns how many are.
struct block_counts pressure_gather(struct engine *engine, struct block_counts blocks);

// Decides what the next step computes and allocates its blocks: *step, whose count may be 0. False
// if there is no chunk and the plan changed nothing else either: then wait. D.
bool planner_plan(struct engine *engine, struct step *step);

#endif
