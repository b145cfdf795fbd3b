// kernels/cpu/threads.c — a pool that starts and finishes a job in about a microsecond.
//
// A forward pass is hundreds of short jobs, so the cost of starting one counts more than a
// perfectly even division. Three ideas make it small:
//
//   - A helper spins between jobs and sleeps only after spin_us: waking a thread costs more than
//     many of these jobs.
//   - Every thread has a range of tasks and a counter of its own, on a cache line of its own. It
//     claims there first, and from others only when nothing is left there. Of small tasks it claims
//     several at once, but single ones at the end, so that all threads end at about the same time.
//   - `claimed` has the job's number in its high half, so no counter is reset between jobs: the
//     first claim of a job finds an older number and starts from 0.
//
// Another program may take a processor from any thread, for milliseconds, which are hundreds of
// tasks. Three rules keep that from costing more than the time it was taken for:
//
//   - The caller waits only for helpers that have entered the job. Others find it closed.
//   - A helper that lost its processor within a task is moved to the caller's, which is free while
//     the caller waits. It finishes the task there and is moved back.
//   - When the scheduler has moved the caller to a helper's processor, that helper gets the one
//     that the caller left.
#include "kernels/cpu/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/assert.h"
#include "kernels/cpu/machine.h"

enum { SPIN_NANOSECONDS = 50000, SPINS_PER_LOOK = 64, NANOSECONDS_IN_US = 1000 };
enum { WATCH_NANOSECONDS = 20000, SLEEP_NANOSECONDS = 1000000 }; // while a helper is waited for

// A number that one side raises and the other waits for. The waiter registers as a sleeper before
// it looks at the number for the last time; the other side raises the number before it looks for
// sleepers. Both are sequentially consistent, so at least one of them sees the other, and no
// wake-up is lost.
struct signal {
    atomic_ullong value;
    atomic_int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

enum { SMALL_CLAIM = 8 }; // small tasks that a thread claims at once
enum { LINE_BYTES = 64 }; // of a cache; what several threads write has lines of its own

// A thread's state within a job. It claims its own tasks first, and others' when it has none left.
struct worker {
    alignas(LINE_BYTES) atomic_ullong claimed; // job number << 32 | how many tasks are claimed
    alignas(LINE_BYTES) atomic_bool inside;    // it may hold a task
    atomic_bool guest;                         // on the caller's processor
};

struct helper {
    pthread_t thread;
    clockid_t clock; // of the time that it has had a processor
    struct threads *pool;
    int32_t index;
    int cpu; // or -1: not pinned. Only callers change it
};

// Written while it is closed, read only by threads inside. A helper that arrives after it was
// closed is not waited for, since it may have lost its processor to another program for long.
struct job {
    alignas(LINE_BYTES) atomic_ullong open; // its number, or 0
    threads_body *body;
    void *context;
    int64_t items, grain, tasks;
    int64_t most; // tasks that a thread claims at once, of its own
};

// The processors that this process may use, the first of each physical core in front.
struct cpus {
    int32_t count, cores;
    int list[CPU_SETSIZE];
    int16_t core_of[CPU_SETSIZE]; // threads on the same one disturb each other
};

struct threads {
    int32_t count;
    int64_t spin_nanoseconds; // of a helper, between jobs
    struct cpus cpus;
    struct helper *helpers;                  // [count - 1], owned
    struct worker *workers;                  // [count], owned; the caller's in front
    int32_t running;                         // helpers that were started
    int caller_cpu;                          // that no helper is pinned to; -1: none is pinned
    alignas(LINE_BYTES) struct signal start; // the newest job's number
    struct job job;
    alignas(LINE_BYTES) struct signal finish; // wakes a caller that waits for helpers to leave
    atomic_bool stop;
};

static int64_t nanoseconds_of(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t now_nanoseconds(void) { return nanoseconds_of(CLOCK_MONOTONIC); }

static bool signal_init(struct signal *signal) {
    if (pthread_mutex_init(&signal->mutex, NULL) != 0) return false;
    if (pthread_cond_init(&signal->changed, NULL) == 0) return true;
    (void)pthread_mutex_destroy(&signal->mutex);
    return false;
}

static void signal_deinit(struct signal *signal) {
    (void)pthread_cond_destroy(&signal->changed);
    (void)pthread_mutex_destroy(&signal->mutex);
}

static void signal_wake(struct signal *signal) {
    if (atomic_load(&signal->sleepers) == 0) return;
    (void)pthread_mutex_lock(&signal->mutex);
    (void)pthread_cond_broadcast(&signal->changed);
    (void)pthread_mutex_unlock(&signal->mutex);
}

static void signal_raise(struct signal *signal) {
    (void)atomic_fetch_add(&signal->value, 1);
    signal_wake(signal);
}

static unsigned long long signal_wait(struct signal *signal, unsigned long long seen,
                                      int64_t spin_nanoseconds) {
    unsigned long long value;
    const int64_t end = now_nanoseconds() + spin_nanoseconds;
    do {
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            value = atomic_load(&signal->value);
            if (value != seen) return value;
            machine_pause();
        }
    } while (now_nanoseconds() < end);
    (void)pthread_mutex_lock(&signal->mutex);
    (void)atomic_fetch_add(&signal->sleepers, 1);
    while ((value = atomic_load(&signal->value)) == seen)
        (void)pthread_cond_wait(&signal->changed, &signal->mutex);
    (void)atomic_fetch_sub(&signal->sleepers, 1);
    (void)pthread_mutex_unlock(&signal->mutex);
    return value;
}

// Tasks, claimed at once.
struct claim {
    int64_t first, count; // 0: there were none
};

// Claims tasks of worker `which`: `most`, or half of those left if that is fewer. The job number in
// `claimed` says whether the count belongs to this job; the first claim finds an older number and
// starts from 0.
static struct claim claim_tasks(struct threads *threads, unsigned long long number, int32_t which,
                                int64_t most) {
    struct worker *worker = &threads->workers[which];
    const int64_t tasks = threads->job.tasks, count = threads->count;
    const int64_t first = tasks * which / count, end = tasks * (which + 1) / count;
    ASSERT(which >= 0 && which < count);
    const unsigned long long mark = number << 32;
    unsigned long long seen = atomic_load_explicit(&worker->claimed, memory_order_relaxed);
    for (;;) {
        const unsigned long long claimed = seen >> 32 == mark >> 32 ? seen & UINT32_MAX : 0;
        const int64_t left = end - first - (int64_t)claimed;
        if (left <= 0) return (struct claim){0};
        const int64_t more = left >= 2 * most ? most : left > 1 ? left / 2 : 1;
        if (atomic_compare_exchange_weak(&worker->claimed, &seen,
                                         mark | (claimed + (unsigned long long)more)))
            return (struct claim){first + (int64_t)claimed, more};
    }
}

static void work(struct threads *threads, unsigned long long number, int32_t thread) {
    const struct job *job = &threads->job;
    int32_t worker = thread;
    for (int32_t i = 0; i < threads->count; i++) {
        struct claim claim;
        while ((claim = claim_tasks(threads, number, worker, i == 0 ? job->most : 1)).count > 0) {
            const int64_t begin = claim.first * job->grain, left = job->items - begin;
            const int64_t items = claim.count * job->grain;
            job->body(job->context, begin, begin + (left < items ? left : items), thread);
        }
        worker = worker + 1 < threads->count ? worker + 1 : 0;
    }
}

static void pin(const struct helper *helper, int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    // Refused: the scheduler chooses, as before.
    (void)pthread_setaffinity_np(helper->thread, sizeof set, &set);
}

// The helper on the caller's core, if any, gets the processor that the caller left.
static void avoid_caller(struct threads *threads) {
    const int cpu = sched_getcpu(), left = threads->caller_cpu;
    if (cpu == left || cpu < 0 || cpu >= CPU_SETSIZE || left < 0) return;
    for (int32_t i = 0; i < threads->count - 1; i++) {
        struct helper *helper = &threads->helpers[i];
        if (threads->cpus.core_of[helper->cpu] != threads->cpus.core_of[cpu]) continue;
        helper->cpu = left;
        pin(helper, left);
        break;
    }
    threads->caller_cpu = cpu;
}

// A helper enters before it checks that the job is open; the caller closes the job before it checks
// who is inside. So either the helper sees that it is too late, or the caller sees the helper. The
// same reasoning covers a helper that leaves while the caller falls asleep.
static void join_job(struct threads *threads, unsigned long long number, int32_t thread) {
    struct worker *worker = &threads->workers[thread];
    atomic_store(&worker->inside, true);
    if (atomic_load(&threads->job.open) == number) work(threads, number, thread);
    atomic_store(&worker->inside, false);
    signal_wake(&threads->finish);
    if (atomic_load(&worker->guest)) (void)sched_yield(); // to the caller
}

static bool leaves_within(const struct worker *worker, int64_t nanoseconds) {
    const int64_t end = now_nanoseconds() + nanoseconds;
    do {
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            if (!atomic_load(&worker->inside)) return true;
            machine_pause();
        }
    } while (now_nanoseconds() < end);
    return false;
}

// Returns early if the wall clock jumps, which only means another look.
static void sleep_until_left(struct signal *finish, const struct worker *worker) {
    struct timespec end;
    (void)clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += SLEEP_NANOSECONDS;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    (void)pthread_mutex_lock(&finish->mutex);
    (void)atomic_fetch_add(&finish->sleepers, 1);
    int waited = 0;
    while (atomic_load(&worker->inside) && waited == 0)
        waited = pthread_cond_timedwait(&finish->changed, &finish->mutex, &end);
    (void)atomic_fetch_sub(&finish->sleepers, 1);
    (void)pthread_mutex_unlock(&finish->mutex);
}

// A helper that computes a long task stays where it is. One whose time does not advance has lost
// its processor and gets the caller's.
static void wait_for_helper(struct threads *threads, const struct helper *helper) {
    struct worker *worker = &threads->workers[helper->index];
    if (leaves_within(worker, SPIN_NANOSECONDS)) return;
    while (atomic_load(&worker->inside)) {
        const int64_t before = nanoseconds_of(helper->clock);
        if (leaves_within(worker, WATCH_NANOSECONDS)) break;
        const bool runs = nanoseconds_of(helper->clock) - before > WATCH_NANOSECONDS / 2;
        const int cpu = sched_getcpu();
        if (!runs && helper->cpu >= 0 && cpu >= 0 && !atomic_load(&worker->guest)) {
            atomic_store(&worker->guest, true);
            pin(helper, cpu);
        }
        sleep_until_left(&threads->finish, worker);
    }
    if (!atomic_load(&worker->guest)) return;
    atomic_store(&worker->guest, false);
    pin(helper, helper->cpu);
}

static void close_job(struct threads *threads) {
    atomic_store(&threads->job.open, 0);
    for (int32_t i = 1; i < threads->count; i++)
        if (atomic_load(&threads->workers[i].inside))
            wait_for_helper(threads, &threads->helpers[i - 1]);
}

static void *help(void *argument) {
    const struct helper *helper = argument;
    struct threads *threads = helper->pool;
    unsigned long long job = 0;
    for (;;) {
        job = signal_wait(&threads->start, job, threads->spin_nanoseconds);
        if (atomic_load(&threads->stop)) return NULL;
        join_job(threads, job, helper->index);
    }
}

static int topology_number(int cpu, const char *name) {
    char path[96];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int number;
    if (fscanf(file, "%d", &number) != 1) number = -1;
    (void)fclose(file);
    return number;
}

static void list_cpus(struct cpus *cpus) {
    cpu_set_t set;
    memset(cpus, 0, sizeof *cpus);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    int siblings[CPU_SETSIZE], package[CPU_SETSIZE], core[CPU_SETSIZE];
    int32_t first = 0, second = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((unsigned)cpu, &set)) continue;
        const int p = topology_number(cpu, "physical_package_id");
        const int c = topology_number(cpu, "core_id");
        int32_t same = 0;
        while (same < first && (package[same] != p || core[same] != c || c < 0))
            same++;
        cpus->core_of[cpu] = (int16_t)same;
        if (same < first) {
            siblings[second++] = cpu;
            continue;
        }
        package[first] = p;
        core[first] = c;
        cpus->list[first++] = cpu;
    }
    cpus->cores = first;
    cpus->count = first + second;
    for (int32_t i = 0; i < second; i++)
        cpus->list[first + i] = siblings[i];
}

static bool start_helpers(struct threads *threads) {
    struct cpus *cpus = &threads->cpus;
    const bool fits = threads->count <= cpus->count;
    // Where siblings are in use, only the same processor is too close.
    for (int16_t cpu = 0; threads->count > cpus->cores && cpu < CPU_SETSIZE; cpu++)
        cpus->core_of[cpu] = cpu;
    threads->caller_cpu = fits ? cpus->list[0] : -1;
    for (int32_t i = 0; i < threads->count - 1; i++) {
        struct helper *helper = &threads->helpers[i];
        *helper =
            (struct helper){.pool = threads, .index = i + 1, .cpu = fits ? cpus->list[i + 1] : -1};
        if (pthread_create(&helper->thread, NULL, help, helper) != 0) return false;
        threads->running++;
        if (pthread_getcpuclockid(helper->thread, &helper->clock) != 0) return false;
        if (helper->cpu >= 0) pin(helper, helper->cpu);
    }
    return true;
}

static void *alloc_zeroed(size_t bytes) {
    void *memory = aligned_alloc(LINE_BYTES, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

static struct threads *threads_alloc(int32_t count) {
    struct threads *created = alloc_zeroed(sizeof *created);
    if (!created) return NULL;
    ASSERT(count > 0);
    created->count = count;
    created->helpers = calloc((size_t)count, sizeof *created->helpers);
    created->workers = alloc_zeroed((size_t)count * sizeof *created->workers);
    const bool starts = signal_init(&created->start);
    if (created->helpers && created->workers && starts && signal_init(&created->finish))
        return created;
    if (starts) signal_deinit(&created->start);
    free(created->workers);
    free(created->helpers);
    free(created);
    return NULL;
}

enum status threads_create(int32_t count, int32_t spin_us, struct threads **threads) {
    struct cpus cpus;
    list_cpus(&cpus);
    if (count <= 0) count = cpus.cores > 0 ? cpus.cores : 1;
    struct threads *created = threads_alloc(count);
    if (!created) return STATUS_NO_MEMORY;
    created->cpus = cpus;
    created->spin_nanoseconds =
        spin_us > 0 ? (int64_t)spin_us * NANOSECONDS_IN_US : SPIN_NANOSECONDS;
    if (!start_helpers(created)) {
        threads_destroy(created);
        return STATUS_NO_MEMORY;
    }
    *threads = created;
    return STATUS_OK;
}

void threads_destroy(struct threads *threads) {
    if (!threads) return;
    atomic_store(&threads->stop, true);
    signal_raise(&threads->start);
    for (int32_t i = 0; i < threads->running; i++)
        (void)pthread_join(threads->helpers[i].thread, NULL);
    signal_deinit(&threads->start);
    signal_deinit(&threads->finish);
    free(threads->workers);
    free(threads->helpers);
    free(threads);
}

int32_t threads_count(const struct threads *threads) { return threads->count; }

static void run(struct threads *threads, int64_t items, int64_t grain, int64_t most,
                threads_body *body, void *context) {
    ASSERT(grain > 0);
    if (items <= 0) return;
    if (items <= grain || threads->count == 1) {
        body(context, 0, items, 0);
        return;
    }
    ASSERT(atomic_load(&threads->job.open) == 0); // no call within a job
    avoid_caller(threads);
    const unsigned long long number = atomic_load(&threads->start.value) + 1;
    threads->job.body = body;
    threads->job.context = context;
    threads->job.items = items;
    threads->job.grain = grain;
    threads->job.tasks = (items + grain - 1) / grain;
    threads->job.most = most;
    ASSERT(threads->job.tasks <= UINT32_MAX);
    atomic_store(&threads->job.open, number);
    signal_raise(&threads->start);
    work(threads, number, 0);
    close_job(threads);
}

void threads_for(struct threads *threads, int64_t items, int64_t grain, threads_body *body,
                 void *context) {
    run(threads, items, grain, 1, body, context);
}

void threads_for_small(struct threads *threads, int64_t items, int64_t grain, threads_body *body,
                       void *context) {
    run(threads, items, grain, SMALL_CLAIM, body, context);
}
