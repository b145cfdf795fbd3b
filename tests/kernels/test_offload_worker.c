// tests/kernels/test_offload_worker.c — a request is answered once, and only in its own step.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "kernels/offload_worker.h"

static atomic_int answers, begun_answers; // that have ended, and that have begun
static _Atomic(void *) answered;

static void answer_slowly(void *job) {
    atomic_fetch_add(&begun_answers, 1);
    usleep(20000);
    atomic_store(&answered, job);
    atomic_fetch_add(&answers, 1);
}

static void ask(struct host_mail *mail, void *job) {
    backend_reference()->ask_host(
        NULL, &(struct ask_host){.mail = mail, .job = (uint64_t)(uintptr_t)job});
}

// A device that fails leaves a step in the middle. What the worker does then has ended when it
// rests, and it is not done later, when the job is gone.
static void a_step_that_ends_early_leaves_nothing_to_answer(void **state) {
    enum { ROUNDS = 4 };
    struct host_mail mail = {0};
    struct offload_worker *worker;
    float result = 0, y = 0;
    const struct take_answer take = {.mail = &mail, .y = &y, .results = &result, .count = 1};
    int first, second;
    (void)state;
    assert_int_equal(offload_worker_create(&mail, answer_slowly, &worker), STATUS_OK);
    for (int round = 0; round < ROUNDS; round++) {
        const int before = atomic_load(&answers);
        offload_worker_wake(worker);
        ask(&mail, &first);
        while (atomic_load(&begun_answers) == before)
            (void)sched_yield();
        offload_worker_rest(worker);
        assert_int_equal(atomic_load(&answers), before + 1);
        ask(&mail, &first); // which nobody waits for
        offload_worker_rest(worker);
        offload_worker_wake(worker);
        usleep(2000); // in which it might answer the old one
        ask(&mail, &second);
        backend_reference()->take_answer(NULL, &take);
        assert_int_equal(atomic_load(&answers), before + 2);
        assert_ptr_equal(atomic_load(&answered), &second);
        offload_worker_rest(worker);
    }
    offload_worker_destroy(worker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_ends_early_leaves_nothing_to_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
