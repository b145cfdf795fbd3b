// engine/kv/tier_io.h — the thread that talks to the disk tier, and what it has to do.
//
// Jobs are pushed by the engine and done in order, reads before everything else: somebody
// waits for a read. What a job came to is reported by a callback under the engine's lock. A tier
// that does not answer holds up this thread only: whoever waits for a read gives up by the clock,
// and pushes fail once the queue is full.
//
//   tier_io_push (fill the job) ─► tier_io_submit ─► verbs of the tier ─► done, with the lock held
//
// The lock guards the queues. Buffers that a job names must stay until it is done.
// Memory: taken in tier_io_create().
#ifndef ENGINE_TIER_IO_H
#define ENGINE_TIER_IO_H

#include <pthread.h>

#include "engine/kv/tier.h"

enum tier_job_kind { JOB_READ, JOB_WRITE, JOB_DROP, JOB_TOUCH, JOB_HOLD, JOB_LET_GO, JOB_SPEED };

struct tier_job {
    enum tier_job_kind kind;
    int32_t count;
    struct tier_block blocks[TIER_MAX_BATCH];
    void *payloads[TIER_MAX_BATCH];       // READ, WRITE
    uint32_t nodes[TIER_MAX_BATCH];       // the caller's, as is the next
    uint32_t slots[TIER_MAX_BATCH];       //
    enum status outcomes[TIER_MAX_BATCH]; // READ
    enum status status;                   // WRITE
    struct error err;                     // WRITE
    uint64_t holder;                      // HOLD, LET_GO
    struct hash128 leaf;                  // HOLD
    struct tier_speed speed;              // SPEED
    int64_t elapsed_us;
};

struct tier_io;

// Called with the lock held, on the thread that did the job.
typedef void tier_io_done(void *user, struct tier_job *job);

// tier and lock are borrowed. NULL when memory is short.
struct tier_io *tier_io_create(struct tier *tier, pthread_mutex_t *lock, tier_io_done *done,
                               void *user);
MUST_CHECK enum status tier_io_start(struct tier_io *io); // the thread; NO_MEMORY

// With the lock held. NULL: the queue is full, or stopping. The job is zeroed but for its kind.
struct tier_job *tier_io_push(struct tier_io *io, enum tier_job_kind kind);
void tier_io_submit(struct tier_io *io, struct tier_job *job); // right after its push

struct tier_usage tier_io_usage(const struct tier_io *io); // after the last job; the lock is held
int32_t tier_io_pending(const struct tier_io *io); // jobs that are not done; the lock is held

// Gives the lock up until a job is done, at most timeout_ms. False: none was.
bool tier_io_wait(struct tier_io *io, int timeout_ms);

// Does the next job in the calling thread, where no thread was started: for tests. The lock is
// held, and given up meanwhile. False: there was none.
bool tier_io_work(struct tier_io *io);

// Without the lock: does what was submitted and ends the thread. False: it did not end within
// timeout_ms, and the io, the tier and every buffer must be left as they are.
MUST_CHECK bool tier_io_stop(struct tier_io *io, int timeout_ms);
void tier_io_destroy(struct tier_io *io); // after a stop that returned true; NULL is fine

#endif
