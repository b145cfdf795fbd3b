// engine/internal.h — what the files behind engine.h share; nobody else includes it.
//
//   engine.c    opening: file, device, model, pool, buffers; what is where
//   sequence.c  token logs and their block tables
//   request.c   requests, and the queue of events to the UI thread
//   stepper.c   the engine's thread: plan, run, sample, report
//
// One lock guards the pool, all tables and lengths, the list of requests and the event queue. A
// step runs without it: the tokens and the table of a RUNNING sequence are changed by the
// stepper only, and a fork only reads them.
//
// Outside a step, table.length == cached for every sequence.
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/engine.h"
#include "engine/kv/block_table.h"
#include "engine/model/forward.h"
#include "engine/scheduler.h"

enum { EVENTS_MAX = 1024 };

struct sequence {
    struct engine *engine;
    struct sequence *previous, *next; // all of an engine's sequences
    struct request *running;          // or NULL: IDLE
    int32_t *tokens;                  // [context]
    int32_t length, cached;
    struct block_table table;
};

struct request {
    struct sequence *sequence;
    struct request_options options;
    struct sampler *sampler;
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
    const struct backend *backend;
    struct device *device;
    struct model model;
    struct kv_cache cache;
    struct block_pool *pool;
    struct forward *forward;
    int32_t context, threads;
    int32_t step_tokens; // 0: as many as take about STEP_TARGET_US
    char name[ENGINE_NAME_BYTES];
    char *model_path;

    pthread_t thread;
    bool thread_runs;
    pthread_mutex_t lock;
    pthread_cond_t work;    // something to do, or closing
    pthread_cond_t drained; // the event queue has room again
    bool closing;
    struct sequence *sequences;
    struct request *requests[ENGINE_MAX_REQUESTS]; // in order of arrival
    int32_t request_count;
    struct event_queue queue;
    double tokens_per_us; // of prefill, measured; 0: not yet
};

int64_t engine_now_us(void); // monotonic

// With the lock held; waits while the queue is full, unless the engine is closing.
void queue_push(struct engine *engine, const struct event *event);

// With the lock held: the request ends now, its sequence is IDLE.
void request_finish(struct request *request, enum stop_reason reason, enum status status);

void *stepper_main(void *engine); // the thread

#endif
