#include "engine/kv/disk_io.h"

#include <errno.h>
#include <stdlib.h>

#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/trace.h"

enum { QUEUE_JOBS = 32 };

struct job_queue { // a ring
    struct disk_job jobs[QUEUE_JOBS];
    int32_t first, count;
};

struct disk_io {
    struct disk_pool *pool;
    pthread_mutex_t *lock;
    pthread_cond_t work, finished;
    disk_io_done *done;
    void *user;
    pthread_t thread;
    bool started, stopping, busy;
    uint64_t done_count; // jobs
    struct job_queue reads, others;
    struct disk_job current;
    struct disk_usage usage;
};

struct disk_io *disk_io_create(struct disk_pool *pool, pthread_mutex_t *lock, disk_io_done *done,
                               void *user) {
    struct disk_io *io = calloc(1, sizeof *io);
    if (!io) return NULL;
    io->pool = pool;
    io->lock = lock;
    io->done = done;
    io->user = user;
    io->usage = pool->ops->usage(pool);
    pthread_cond_init(&io->work, NULL);
    pthread_cond_init(&io->finished, NULL);
    return io;
}

struct disk_job *disk_io_push(struct disk_io *io, enum disk_job_kind kind) {
    struct job_queue *queue = kind == JOB_READ ? &io->reads : &io->others;
    if (io->stopping || queue->count == QUEUE_JOBS) return NULL;
    struct disk_job *job = &queue->jobs[(queue->first + queue->count) % QUEUE_JOBS];
    *job = (struct disk_job){.kind = kind};
    return job;
}

void disk_io_submit(struct disk_io *io, struct disk_job *job) {
    ASSERT(job->count >= 0 && job->count <= DISK_MAX_BATCH);
    struct job_queue *queue = job->kind == JOB_READ ? &io->reads : &io->others;
    ASSERT(job == &queue->jobs[(queue->first + queue->count) % QUEUE_JOBS]);
    queue->count++;
    pthread_cond_signal(&io->work);
}

struct disk_usage disk_io_usage(const struct disk_io *io) {
    return io->usage;
}

int32_t disk_io_pending(const struct disk_io *io) {
    return io->reads.count + io->others.count + io->busy;
}

static bool pop(struct disk_io *io) {
    struct job_queue *queue = io->reads.count ? &io->reads : &io->others;
    if (queue->count == 0) return false;
    ASSERT(queue->count <= QUEUE_JOBS && queue->first < QUEUE_JOBS);
    io->current = queue->jobs[queue->first];
    queue->first = (queue->first + 1) % QUEUE_JOBS;
    queue->count--;
    return true;
}

static void perform(struct disk_pool *pool, struct disk_job *job) {
    const struct disk_pool_ops *ops = pool->ops;
    switch (job->kind) {
    case JOB_READ:
        ops->read(pool, job->blocks, job->payloads, job->count, job->outcomes);
        break;
    case JOB_WRITE:
        job->status = ops->write(pool, job->blocks, (const void *const *)job->payloads, job->count,
                                 job->outcomes, &job->err);
        break;
    case JOB_DROP:
        ops->drop(pool, job->keys, job->count);
        break;
    case JOB_REFERENCE:
        ops->reference(pool, job->conversation, job->leaf);
        break;
    }
}

bool disk_io_work(struct disk_io *io) {
    ASSERT(!io->busy); // one thread works
    if (!pop(io)) return false;
    io->busy = true;
    pthread_mutex_unlock(io->lock);
    static const char *const names[] = {[JOB_READ] = "disk read",
                                        [JOB_WRITE] = "disk write",
                                        [JOB_DROP] = "disk drop",
                                        [JOB_REFERENCE] = "disk reference"};
    const struct trace_span span = trace_begin(names[io->current.kind]);
    const int64_t before = clock_now_us();
    perform(io->pool, &io->current);
    io->current.elapsed_us = clock_now_us() - before;
    trace_end(&span);
    const struct disk_usage usage = io->pool->ops->usage(io->pool);
    pthread_mutex_lock(io->lock);
    io->usage = usage;
    io->busy = false;
    io->done(io->user, &io->current);
    io->done_count++;
    pthread_cond_broadcast(&io->finished);
    return true;
}

static void *io_main(void *argument) {
    struct disk_io *io = argument;
    trace_thread("disk");
    pthread_mutex_lock(io->lock);
    while (disk_io_work(io) || !io->stopping)
        if (io->reads.count + io->others.count == 0 && !io->stopping)
            pthread_cond_wait(&io->work, io->lock);
    pthread_mutex_unlock(io->lock);
    return NULL;
}

enum status disk_io_start(struct disk_io *io) {
    ASSERT(!io->started);
    if (pthread_create(&io->thread, NULL, io_main, io) != 0) return STATUS_NO_MEMORY;
    io->started = true;
    return STATUS_OK;
}

bool disk_io_wait(struct disk_io *io, int timeout_ms) {
    if (!io->started) return disk_io_work(io);
    const struct timespec until = clock_deadline(timeout_ms);
    const uint64_t before = io->done_count;
    while (io->done_count == before && disk_io_pending(io) > 0)
        if (pthread_cond_timedwait(&io->finished, io->lock, &until) == ETIMEDOUT) break;
    return io->done_count != before;
}

bool disk_io_stop(struct disk_io *io, int timeout_ms) {
    pthread_mutex_lock(io->lock);
    io->stopping = true;
    pthread_cond_signal(&io->work);
    while (!io->started && disk_io_work(io))
        continue;
    pthread_mutex_unlock(io->lock);
    if (!io->started) return true;
    const struct timespec until = clock_deadline(timeout_ms);
    return pthread_timedjoin_np(io->thread, NULL, &until) == 0;
}

void disk_io_destroy(struct disk_io *io) {
    if (!io) return;
    pthread_cond_destroy(&io->work);
    pthread_cond_destroy(&io->finished);
    free(io);
}
