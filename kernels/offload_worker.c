// kernels/offload_worker.c — a thread that a device's requests do not have to wake.
//
// A device cannot wake a thread, and a callback of its driver takes longer than most of the work
// that is asked for. So the thread looks at the mail all the time while requests follow one another
// closely. When none has come for a while, as in a step whose host layers are far apart or on a
// machine with few processors, it looks only now and then.
#include "kernels/offload_worker.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/base/clock.h"

enum { LOOKS = 64, EAGER_US = 1000, PAUSE_NS = 20000 };

struct offload_worker {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_bool watches, stops; // changed under the mutex
    atomic_bool answers;        // a request, now
    atomic_uint answered;       // the newest request that needs no answer any more
    struct host_mail *mail;     // borrowed
    void (*answer)(void *job);
};

static bool is_awake(struct offload_worker *worker) {
    (void)pthread_mutex_lock(&worker->mutex);
    while (!atomic_load(&worker->watches) && !atomic_load(&worker->stops))
        (void)pthread_cond_wait(&worker->changed, &worker->mutex);
    (void)pthread_mutex_unlock(&worker->mutex);
    return !atomic_load(&worker->stops);
}

static unsigned newest_request(const struct offload_worker *worker) {
    const atomic_uint *request = (const atomic_uint *)&worker->mail->request;
    return atomic_load_explicit(request, memory_order_acquire);
}

// Is there a request, after some looks?
static bool look(const struct offload_worker *worker) {
    for (int i = 0; i < LOOKS; i++)
        if (newest_request(worker) != atomic_load(&worker->answered)) return true;
    return false;
}

// Unless the step has ended meanwhile: rest() first says so, and then waits for what is answered
// here. So either it waits for this answer, or this finds that none is wanted.
static void answer_newest(struct offload_worker *worker) {
    atomic_store(&worker->answers, true);
    const unsigned request = newest_request(worker);
    if (atomic_load(&worker->watches) && request != atomic_load(&worker->answered)) {
        worker->answer((void *)(uintptr_t)worker->mail->job);
        atomic_store_explicit((atomic_uint *)&worker->mail->reply, request, memory_order_release);
        atomic_store(&worker->answered, request);
    }
    atomic_store(&worker->answers, false);
}

static void pause_between_looks(int64_t idle_us) {
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    if (idle_us > EAGER_US)
        (void)nanosleep(&pause, NULL);
    else
        (void)sched_yield();
}

static void *work(void *argument) {
    struct offload_worker *worker = argument;
    while (is_awake(worker)) {
        int64_t last_us = clock_now_us();
        while (atomic_load(&worker->watches)) {
            if (!look(worker)) {
                pause_between_looks(clock_now_us() - last_us);
                continue;
            }
            answer_newest(worker);
            last_us = clock_now_us();
        }
    }
    return NULL;
}

static void set(struct offload_worker *worker, atomic_bool *what, bool value) {
    (void)pthread_mutex_lock(&worker->mutex);
    atomic_store(what, value);
    (void)pthread_cond_signal(&worker->changed);
    (void)pthread_mutex_unlock(&worker->mutex);
}

enum status offload_worker_create(struct host_mail *mail, void (*answer)(void *job),
                                  struct offload_worker **worker) {
    struct offload_worker *created = calloc(1, sizeof *created);
    if (!created) return STATUS_NO_MEMORY;
    created->mail = mail;
    created->answer = answer;
    const bool has_mutex = pthread_mutex_init(&created->mutex, NULL) == 0;
    const bool has_both = has_mutex && pthread_cond_init(&created->changed, NULL) == 0;
    if (has_both && pthread_create(&created->thread, NULL, work, created) == 0) {
        *worker = created;
        return STATUS_OK;
    }
    if (has_both) (void)pthread_cond_destroy(&created->changed);
    if (has_mutex) (void)pthread_mutex_destroy(&created->mutex);
    free(created);
    return STATUS_NO_MEMORY;
}

void offload_worker_destroy(struct offload_worker *worker) {
    if (!worker) return;
    atomic_store(&worker->watches, false);
    set(worker, &worker->stops, true);
    (void)pthread_join(worker->thread, NULL);
    (void)pthread_cond_destroy(&worker->changed);
    (void)pthread_mutex_destroy(&worker->mutex);
    free(worker);
}

void offload_worker_wake(struct offload_worker *worker) {
    if (!atomic_load(&worker->watches)) set(worker, &worker->watches, true);
}

void offload_worker_rest(struct offload_worker *worker) {
    atomic_store(&worker->watches, false);
    while (atomic_load(&worker->answers))
        (void)sched_yield();
    atomic_store(&worker->answered, newest_request(worker));
}
