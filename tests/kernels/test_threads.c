// tests/kernels/test_threads.c — threads.h: every item once, no wake-up is lost, and who computes
// on which processor.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "kernels/cpu/threads.h"
#include "tests/check.h"

enum { MOST_ITEMS = 1000, MOST_THREADS = 5 };

struct tally {
    atomic_int done[MOST_ITEMS];
    atomic_int inside[MOST_THREADS]; // bodies that run as this thread: one at most
    int32_t threads;
    int64_t grain;
};

static void count_items(void *context, int64_t begin, int64_t end, int32_t thread) {
    struct tally *tally = context;
    assert_true(thread >= 0 && thread < tally->threads && end > begin);
    assert_int_equal(begin % tally->grain, 0);
    assert_int_equal(atomic_fetch_add(&tally->inside[thread], 1), 0);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(&tally->done[i], 1);
    atomic_fetch_sub(&tally->inside[thread], 1);
}

static void every_item_is_processed_exactly_once(void **state) {
    (void)state;
    for (int32_t threads = 1; threads <= MOST_THREADS; threads++) {
        struct threads *pool;
        assert_int_equal(threads_create(threads, 0, &pool), STATUS_OK);
        assert_int_equal(threads_count(pool), threads);
        for (int64_t items = 0; items <= MOST_ITEMS; items = items * 2 + 1)
            for (int64_t grain = 1; grain < 600; grain = grain * 3 + 1) {
                static struct tally tally;
                tally = (struct tally){.threads = threads, .grain = grain};
                threads_for(pool, items, grain, count_items, &tally);
                for (int64_t i = 0; i < MOST_ITEMS; i++)
                    assert_int_equal(tally.done[i], i < items);
                threads_for_small(pool, items, grain, count_items, &tally);
                for (int64_t i = 0; i < MOST_ITEMS; i++)
                    assert_int_equal(tally.done[i], 2 * (i < items));
            }
        threads_destroy(pool);
    }
    threads_destroy(NULL);
}

static void add_one(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    atomic_fetch_add((atomic_llong *)context, end - begin);
}

// Pauses on both sides of the time that helpers spin: they are met awake, falling asleep and
// asleep.
static void jobs_run_whether_helpers_spin_or_sleep(void **state) {
    (void)state;
    struct threads *pool;
    atomic_llong sum = 0;
    assert_int_equal(threads_create(3, 0, &pool), STATUS_OK);
    for (int job = 0; job < 3000; job++) {
        const struct timespec pause = {.tv_nsec = job % 150 * 1000};
        if (job % 3) nanosleep(&pause, NULL);
        threads_for(pool, 10, 1, add_one, &sum);
        assert_int_equal(atomic_load(&sum), 10 * (job + 1));
    }
    threads_destroy(pool);
}

static void idle_threads_use_almost_no_cpu_time(void **state) {
    (void)state;
    struct threads *pool;
    struct timespec before, after;
    const struct timespec nap = {.tv_nsec = 300000000};
    atomic_llong sum = 0;
    assert_int_equal(threads_create(4, 0, &pool), STATUS_OK);
    threads_for(pool, 100, 1, add_one, &sum);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nanosleep(&nap, NULL);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const int64_t used =
        (int64_t)(after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
    assert_true(used < 30000000);
    threads_destroy(pool);
}

// A job of two tasks. The caller waits in its own until a helper has begun the other.
struct meeting {
    int caller_cpu;
    bool helper_sleeps; // in its task, until it is on the caller's processor
    atomic_bool begun;
    atomic_int helper_cpu; // at the end of the helper's task
};

enum { NAPS = 50000, NAP_NANOSECONDS = 100000 }; // five seconds at most

static void nap(void) {
    const struct timespec pause = {.tv_nsec = NAP_NANOSECONDS};
    nanosleep(&pause, NULL);
}

static void meet(void *context, int64_t begin, int64_t end, int32_t thread) {
    struct meeting *meeting = context;
    (void)begin, (void)end;
    for (int i = 0; thread == 0 && i < NAPS && !atomic_load(&meeting->begun); i++)
        nap();
    if (thread == 0) return;
    atomic_store(&meeting->helper_cpu, sched_getcpu());
    atomic_store(&meeting->begun, true);
    if (!meeting->helper_sleeps) return;
    for (int i = 0; i < NAPS && sched_getcpu() != meeting->caller_cpu; i++)
        nap();
    atomic_store(&meeting->helper_cpu, sched_getcpu());
}

static int helper_cpu_in_job(struct threads *pool, int caller_cpu, bool helper_sleeps) {
    struct meeting meeting = {.caller_cpu = caller_cpu, .helper_sleeps = helper_sleeps};
    threads_for(pool, 2, 1, meet, &meeting);
    assert_true(atomic_load(&meeting.begun));
    return atomic_load(&meeting.helper_cpu);
}

static bool move_to(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

// The first two processors that this process may use; false if there is one only.
static bool find_two_cpus(const cpu_set_t *set, int cpus[2]) {
    int found = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
        if (CPU_ISSET((unsigned)cpu, set)) cpus[found++] = cpu;
    return found == 2;
}

static void helper_keeps_off_the_processor_that_the_caller_moves_to(void **state) {
    (void)state;
    cpu_set_t all;
    int cpus[2];
    struct threads *pool;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || !find_two_cpus(&all, cpus)) skip();
    assert_int_equal(threads_create(CPU_COUNT(&all), 0, &pool), STATUS_OK);
    for (int move = 0; move < 6; move++) {
        const int cpu = cpus[move % 2];
        if (!move_to(cpu)) break;
        assert_int_not_equal(helper_cpu_in_job(pool, cpu, false), cpu);
    }
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    threads_destroy(pool);
}

// One that sleeps in a task looks like one whose processor is with another program.
static void helper_without_processor_time_gets_the_callers_processor(void **state) {
    (void)state;
    cpu_set_t all;
    int cpus[2];
    struct threads *pool;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || !find_two_cpus(&all, cpus)) skip();
    assert_int_equal(threads_create(2, 0, &pool), STATUS_OK);
    assert_true(move_to(cpus[0]));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(helper_cpu_in_job(pool, cpus[0], true), cpus[0]);
        assert_int_not_equal(helper_cpu_in_job(pool, cpus[0], false), cpus[0]);
    }
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    threads_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_processed_exactly_once),
        cmocka_unit_test(jobs_run_whether_helpers_spin_or_sleep),
        cmocka_unit_test(idle_threads_use_almost_no_cpu_time),
        cmocka_unit_test(helper_keeps_off_the_processor_that_the_caller_moves_to),
        cmocka_unit_test(helper_without_processor_time_gets_the_callers_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
