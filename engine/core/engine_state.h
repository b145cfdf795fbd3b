// engine/core/engine_state.h — what is an engine? Its model, its cache, its sequences and requests,
// and what the thread that serves them has measured.
//
// One lock guards the cache, all tables and lengths, the list of requests and the event queue.
#ifndef ENGINE_CORE_ENGINE_STATE_H
#define ENGINE_CORE_ENGINE_STATE_H

#include <pthread.h>

#include "engine/core/engine_info.h"
#include "engine/core/request.h"
#include "engine/draft/draft.h"
#include "engine/kv/grouped_cache.h"
#include "engine/kv/lending.h"
#include "engine/model/kv_shape.h"
#include "engine/model/model.h"
#include "engine/model/placement_lesson.h"
#include "kernels/base/text.h"

enum { EVENTS_MAX = 1024 };

struct event_queue { // a ring
    struct event events[EVENTS_MAX];
    int32_t first, count;
    int fd; // eventfd: readable while count > 0
};

struct huge_pages;

struct engine {
    struct gguf *gguf;           // NULL for a random shape
    struct tokenizer *tokenizer; // the same
    struct remote *remote;       // NULL: the model is here. Else there is no backend and no cache
    const struct backend *backend;
    struct device *device;
    struct model model;
    struct placement placement;        // of its weights; zeros on a processor
    struct kv_shape kv_shape;          // of the model's layers, those that draft among them
    struct kv_cache shapes[KV_GROUPS]; // group 0's has what all have in common
    enum attention_kernel attention;
    struct grouped_cache cache;
    struct lending lending; // of group 0's blocks
    struct disk_pool *disk; // until it is moved into the cache
    struct hash128 digest;
    bool knows_digest;
    struct hash128 adapters_identity;
    struct text adapters; // as engine_info says
    struct draft_record draft_record;
    struct history history;
    struct engine *drafter; // owned: of a smaller model, without a thread; NULL: none
    enum kv_restore kv_restore;
    int64_t io_deadline_us;
    struct forward *forward;
    struct huge_pages *huge_pages; // of weights that are read in the file; NULL: they stay
    int32_t context;
    int32_t most_tokens;  // of one step
    int32_t step_tokens;  // of one step; 0: as many as fit the time that a step may take
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
    double added_per_us;  // the same without stream_us
    int32_t stream_us;    // of a step in which weights cross to the card; 0: none do
    int32_t few_tokens;   // of a step in which they do not
    struct placement_lesson lesson;
    double read_bytes_s; // of the card, as a split was planned by; 0: nothing was
    bool has_stepped;
    struct kv_work request_work;
};

// With the lock held; waits while the queue is full, unless the engine is closing.
void engine_push_event(struct engine *engine, const struct event *event);

#endif
