// tests/kernels/test_threads.c — threads.h: every item once, and no wake-up is lost.
#include <pthread.h>
#include <stdatomic.h>
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
    assert_int_equal(atomic_fetch_add(&tally->inside[thread], 1), 0);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(&tally->done[i], 1);
    atomic_fetch_sub(&tally->inside[thread], 1);
}

static void every_item_is_processed_exactly_once(void **state) {
    (void)state;
    for (int32_t threads = 1; threads <= MOST_THREADS; threads++) {
        struct threads *pool;
        assert_int_equal(threads_create(threads, &pool), STATUS_OK);
        assert_int_equal(threads_count(pool), threads);
        for (int64_t items = 0; items <= MOST_ITEMS; items = items * 2 + 1)
            for (int64_t grain = 1; grain < 600; grain = grain * 3 + 1) {
                static struct tally tally;
                tally = (struct tally){.threads = threads, .grain = grain};
                threads_for(pool, items, grain, count_items, &tally);
                for (int64_t i = 0; i < MOST_ITEMS; i++)
                    assert_int_equal(tally.done[i], i < items);
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
    assert_int_equal(threads_create(3, &pool), STATUS_OK);
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
    assert_int_equal(threads_create(4, &pool), STATUS_OK);
    threads_for(pool, 100, 1, add_one, &sum);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nanosleep(&nap, NULL);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const int64_t used =
        (int64_t)(after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
    assert_true(used < 30000000);
    threads_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_processed_exactly_once),
        cmocka_unit_test(jobs_run_whether_helpers_spin_or_sleep),
        cmocka_unit_test(idle_threads_use_almost_no_cpu_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
