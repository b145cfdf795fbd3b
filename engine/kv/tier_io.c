#include "engine/kv/tier_io.h"

#include <errno.h>
#include <stdlib.h>

#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/trace.h"

enum { QUEUE_JOBS = 32 };

struct job_queue { // a ring
    struct tier_job jobs[QUEUE_JOBS];
    int32_t first, count;
};

struct tier_io {
    struct tier *tier;
    pthread_mutex_t *lock;
    pthread_cond_t work, finished;
    tier_io_done *done;
    void *user;
    pthread_t thread;
    bool started, stopping, busy;
    uint64_t done_count; // jobs
    struct job_queue reads, others;
    struct tier_job current;
    struct tier_usage usage;
};

struct tier_io *tier_io_create(struct tier *tier, pthread_mutex_t *lock, tier_io_done *done,
                               void *user) {
    struct tier_io *io = calloc(1, sizeof *io);
    if (!io) return NULL;
    io->tier = tier;
    io->lock = lock;
    io->done = done;
    io->user = user;
    io->usage = tier->verbs->usage(tier);
    pthread_cond_init(&io->work, NULL);
    pthread_cond_init(&io->finished, NULL);
    return io;
}

struct tier_job *tier_io_push(struct tier_io *io, enum tier_job_kind kind) {
    struct job_queue *queue = kind == JOB_READ ? &io->reads : &io->others;
    if (io->stopping || queue->count == QUEUE_JOBS) return NULL;
    struct tier_job *job = &queue->jobs[(queue->first + queue->count) % QUEUE_JOBS];
    *job = (struct tier_job){.kind = kind};
    return job;
}

void tier_io_submit(struct tier_io *io, struct tier_job *job) {
    ASSERT(job->count >= 0 && job->count <= TIER_MAX_BATCH);
    struct job_queue *queue = job->kind == JOB_READ ? &io->reads : &io->others;
    ASSERT(job == &queue->jobs[(queue->first + queue->count) % QUEUE_JOBS]);
    queue->count++;
    pthread_cond_signal(&io->work);
}

struct tier_usage tier_io_usage(const struct tier_io *io) {
    return io->usage;
}

int32_t tier_io_pending(const struct tier_io *io) {
    return io->reads.count + io->others.count + io->busy;
}

static bool pop(struct tier_io *io) {
    struct job_queue *queue = io->reads.count ? &io->reads : &io->others;
    if (queue->count == 0) return false;
    io->current = queue->jobs[queue->first];
    queue->first = (queue->first + 1) % QUEUE_JOBS;
    queue->count--;
    return true;
}

static void perform(struct tier *tier, struct tier_job *job) {
    const void *payloads[TIER_MAX_BATCH];
    const struct tier_verbs *verbs = tier->verbs;
    switch (job->kind) {
    case JOB_READ:
        verbs->read(tier, job->blocks, job->payloads, job->count, job->outcomes);
        break;
    case JOB_WRITE:
        for (int32_t i = 0; i < job->count; i++)
            payloads[i] = job->payloads[i];
        job->status = verbs->write(tier, job->blocks, payloads, job->count, &job->err);
        break;
    case JOB_DROP:
        verbs->drop(tier, job->blocks, job->count);
        break;
    case JOB_TOUCH:
        verbs->touch(tier, job->blocks, job->count);
        break;
    case JOB_HOLD:
        verbs->hold(tier, job->holder, job->leaf);
        break;
    case JOB_LET_GO:
        verbs->let_go(tier, job->holder);
        break;
    case JOB_SPEED:
        verbs->note_speed(tier, job->speed);
        break;
    }
}

bool tier_io_work(struct tier_io *io) {
    if (!pop(io)) return false;
    io->busy = true;
    pthread_mutex_unlock(io->lock);
    static const char *const names[] = {
        [JOB_READ] = "disk read",   [JOB_WRITE] = "disk write", [JOB_DROP] = "disk drop",
        [JOB_TOUCH] = "disk touch", [JOB_HOLD] = "disk pin",    [JOB_LET_GO] = "disk unpin",
        [JOB_SPEED] = "disk speed"};
    const struct trace_span span = trace_begin(names[io->current.kind]);
    const int64_t before = clock_now_us();
    perform(io->tier, &io->current);
    io->current.elapsed_us = clock_now_us() - before;
    trace_end(&span);
    const struct tier_usage usage = io->tier->verbs->usage(io->tier);
    pthread_mutex_lock(io->lock);
    io->usage = usage;
    io->busy = false;
    io->done(io->user, &io->current);
    io->done_count++;
    pthread_cond_broadcast(&io->finished);
    return true;
}

static void *io_main(void *argument) {
    struct tier_io *io = argument;
    trace_thread("disk");
    pthread_mutex_lock(io->lock);
    while (tier_io_work(io) || !io->stopping)
        if (io->reads.count + io->others.count == 0 && !io->stopping)
            pthread_cond_wait(&io->work, io->lock);
    pthread_mutex_unlock(io->lock);
    return NULL;
}

enum status tier_io_start(struct tier_io *io) {
    if (pthread_create(&io->thread, NULL, io_main, io) != 0) return STATUS_NO_MEMORY;
    io->started = true;
    return STATUS_OK;
}

bool tier_io_wait(struct tier_io *io, int timeout_ms) {
    if (!io->started) return tier_io_work(io);
    const struct timespec until = clock_deadline(timeout_ms);
    const uint64_t before = io->done_count;
    while (io->done_count == before && tier_io_pending(io) > 0)
        if (pthread_cond_timedwait(&io->finished, io->lock, &until) == ETIMEDOUT) break;
    return io->done_count != before;
}

bool tier_io_stop(struct tier_io *io, int timeout_ms) {
    pthread_mutex_lock(io->lock);
    io->stopping = true;
    pthread_cond_signal(&io->work);
    while (!io->started && tier_io_work(io))
        continue;
    pthread_mutex_unlock(io->lock);
    if (!io->started) return true;
    const struct timespec until = clock_deadline(timeout_ms);
    return pthread_timedjoin_np(io->thread, NULL, &until) == 0;
}

void tier_io_destroy(struct tier_io *io) {
    if (!io) return;
    pthread_cond_destroy(&io->work);
    pthread_cond_destroy(&io->finished);
    free(io);
}
