// engine/kv/disk_io.h — the thread that talks to the disk pool, and what it has to do.
//
// Jobs are pushed by the engine and done in order, reads before everything else: somebody
// waits for a read. What a job came to is reported by a callback under the engine's lock. A pool
// that does not answer blocks this thread only: whoever waits for a read gives up by the clock,
// and pushes fail once the queue is full.
//
//   disk_io_push (fill the job) ─► disk_io_submit ─► the pool's operation ─► done, under the lock
//
// The lock guards the queues. Buffers that a job names must stay until it is done.
// Memory: taken in disk_io_create().
#ifndef ENGINE_DISK_IO_H
#define ENGINE_DISK_IO_H

#include <pthread.h>

#include "engine/kv/block_index.h"
#include "engine/kv/disk_pool.h"

enum disk_job_kind { JOB_READ, JOB_WRITE, JOB_DROP, JOB_REFERENCE };

struct disk_job {
    enum disk_job_kind kind;
    int32_t count;
    struct disk_block blocks[DISK_MAX_BATCH]; // READ, WRITE
    struct hash128 keys[DISK_MAX_BATCH];      // DROP
    void *payloads[DISK_MAX_BATCH];           // READ, WRITE
    struct node_index nodes[DISK_MAX_BATCH];  // the caller's, as is the next
    struct block_index slots[DISK_MAX_BATCH]; //
    enum status outcomes[DISK_MAX_BATCH];     // READ, WRITE
    enum status status;                       // WRITE
    struct error err;                         // WRITE
    uint64_t conversation;                    // REFERENCE
    struct hash128 leaf;                      // REFERENCE
    int64_t elapsed_us;
};

struct disk_io;

// Called with the lock held, on the thread that did the job.
typedef void disk_io_done(void *user, struct disk_job *job);

// pool and lock are borrowed. NULL when memory is short.
struct disk_io *disk_io_create(struct disk_pool *pool, pthread_mutex_t *lock, disk_io_done *done,
                               void *user);
MUST_CHECK enum status disk_io_start(struct disk_io *io); // the thread; NO_MEMORY

// With the lock held. NULL: the queue is full, or stopping. The job is zeroed but for its kind.
struct disk_job *disk_io_push(struct disk_io *io, enum disk_job_kind kind);
void disk_io_submit(struct disk_io *io, struct disk_job *job); // right after its push

struct disk_usage disk_io_usage(const struct disk_io *io); // after the last job; the lock is held
int32_t disk_io_pending(const struct disk_io *io); // jobs that are not done; the lock is held

// Gives the lock up until a job is done, at most timeout_ms. False: none was.
bool disk_io_wait(struct disk_io *io, int timeout_ms);

// Does the next job in the calling thread, where no thread was started: for tests. The lock is
// held, and given up meanwhile. False: there was none.
bool disk_io_work(struct disk_io *io);

// Without the lock: does what was submitted and ends the thread. False: it did not end within
// timeout_ms, and the io, the pool and every buffer must be left as they are.
MUST_CHECK bool disk_io_stop(struct disk_io *io, int timeout_ms);
void disk_io_destroy(struct disk_io *io); // after a stop that returned true; NULL is fine

#endif
