// kernels/cpu/threads.c — a pool that starts and finishes a job in about a microsecond.
#include "kernels/cpu/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/base/assert.h"
#include "kernels/cpu/machine.h"

enum { SPIN_NANOSECONDS = 50000, SPINS_PER_LOOK = 64 };

// A number that one side raises and the other waits for. The waiter counts itself as a
// sleeper before it looks at the number for the last time, the other side raises the number
// before it looks for sleepers; both in the one order of sequentially consistent atomics, so
// at least one of them sees the other and no wake-up is lost.
struct signal {
    atomic_ullong value;
    atomic_int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

struct helper {
    pthread_t thread;
    struct threads *pool;
    int32_t index;
    int cpu; // or -1: not pinned
};

struct threads {
    int32_t count;
    struct helper *helpers; // [count - 1], owned
    int32_t running;        // helpers that were started
    struct signal start;    // the newest job's number
    struct signal finish;   // how often the last helper inside has left a job that was closed
    atomic_bool stop;

    // The job. Written while it is closed, read by who is inside. A helper that comes when it is
    // closed already is not waited for: where others want the processors too, that may be long.
    atomic_ullong open; // its number, or 0
    atomic_int inside;  // helpers
    threads_body *body;
    void *context;
    int64_t items, grain;
    atomic_llong next; // first item that nobody has taken
};

static int64_t now_nanoseconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

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

static void signal_raise(struct signal *signal) {
    (void)atomic_fetch_add(&signal->value, 1);
    if (atomic_load(&signal->sleepers) == 0) return;
    (void)pthread_mutex_lock(&signal->mutex);
    (void)pthread_cond_broadcast(&signal->changed);
    (void)pthread_mutex_unlock(&signal->mutex);
}

static unsigned long long signal_wait(struct signal *signal, unsigned long long seen) {
    unsigned long long value;
    const int64_t end = now_nanoseconds() + SPIN_NANOSECONDS;
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

static void work(struct threads *threads, int32_t thread) {
    const int64_t items = threads->items, grain = threads->grain;
    for (;;) {
        const int64_t begin = atomic_fetch_add(&threads->next, grain);
        if (begin >= items) return;
        threads->body(threads->context, begin, begin + grain < items ? begin + grain : items,
                      thread);
    }
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set); // refused: the scheduler chooses, as before
}

// A helper enters before it looks whether the job is open, and leaves before it looks whether that
// was closed; the caller closes it before it looks who is inside. So either the helper sees that it
// came too late, or the caller sees the helper.
static void take_part(struct threads *threads, unsigned long long job, int32_t thread) {
    (void)atomic_fetch_add(&threads->inside, 1);
    if (atomic_load(&threads->open) == job) work(threads, thread);
    if (atomic_fetch_sub(&threads->inside, 1) == 1 && atomic_load(&threads->open) == 0)
        signal_raise(&threads->finish);
}

static void close_job(struct threads *threads) {
    atomic_store(&threads->open, 0);
    for (;;) {
        const unsigned long long seen = atomic_load(&threads->finish.value);
        if (atomic_load(&threads->inside) == 0) return;
        (void)signal_wait(&threads->finish, seen);
    }
}

static void *help(void *argument) {
    const struct helper *helper = argument;
    struct threads *threads = helper->pool;
    if (helper->cpu >= 0) pin(helper->cpu);
    unsigned long long job = 0;
    for (;;) {
        job = signal_wait(&threads->start, job);
        if (atomic_load(&threads->stop)) return NULL;
        take_part(threads, job, helper->index);
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

// The processors that this process may use, the first of each physical core in front.
// Returns how many; *cores is how many of them are on a core of their own.
static int32_t list_cpus(int cpus[CPU_SETSIZE], int32_t *cores) {
    cpu_set_t set;
    *cores = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
    int siblings[CPU_SETSIZE], package[CPU_SETSIZE], core[CPU_SETSIZE];
    int32_t first = 0, second = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((unsigned)cpu, &set)) continue;
        const int p = topology_number(cpu, "physical_package_id");
        const int c = topology_number(cpu, "core_id");
        int32_t same = 0;
        while (same < first && (package[same] != p || core[same] != c || c < 0))
            same++;
        if (same < first) {
            siblings[second++] = cpu;
            continue;
        }
        package[first] = p;
        core[first] = c;
        cpus[first++] = cpu;
    }
    *cores = first;
    for (int32_t i = 0; i < second; i++)
        cpus[first + i] = siblings[i];
    return first + second;
}

static bool start_helpers(struct threads *threads, const int *cpus, int32_t num_cpus) {
    for (int32_t i = 0; i < threads->count - 1; i++) {
        struct helper *helper = &threads->helpers[i];
        *helper = (struct helper){
            .pool = threads, .index = i + 1, .cpu = threads->count <= num_cpus ? cpus[i + 1] : -1};
        if (pthread_create(&helper->thread, NULL, help, helper) != 0) return false;
        threads->running++;
    }
    return true;
}

enum status threads_create(int32_t count, struct threads **threads) {
    int cpus[CPU_SETSIZE];
    int32_t cores;
    const int32_t num_cpus = list_cpus(cpus, &cores);
    if (count <= 0) count = cores > 0 ? cores : 1;
    struct threads *created = calloc(1, sizeof *created);
    if (!created) return STATUS_NO_MEMORY;
    created->count = count;
    created->helpers = calloc((size_t)count, sizeof *created->helpers);
    if (!created->helpers || !signal_init(&created->start)) {
        free(created->helpers);
        free(created);
        return STATUS_NO_MEMORY;
    }
    if (!signal_init(&created->finish)) {
        signal_deinit(&created->start);
        free(created->helpers);
        free(created);
        return STATUS_NO_MEMORY;
    }
    if (!start_helpers(created, cpus, num_cpus)) {
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
    free(threads->helpers);
    free(threads);
}

int32_t threads_count(const struct threads *threads) { return threads->count; }

void threads_for(struct threads *threads, int64_t items, int64_t grain, threads_body *body,
                 void *context) {
    ASSERT(grain > 0);
    if (items <= 0) return;
    if (items <= grain || threads->count == 1) {
        body(context, 0, items, 0);
        return;
    }
    threads->body = body;
    threads->context = context;
    threads->items = items;
    threads->grain = grain;
    atomic_store(&threads->next, 0);
    atomic_store(&threads->open, atomic_load(&threads->start.value) + 1);
    signal_raise(&threads->start);
    work(threads, 0);
    close_job(threads);
}
