// tests/app/test_harness.c — a benchmark that is interrupted while it opens an engine does not go
// on.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <signal.h>

#include "app/bench/harness.h"

static void a_signal_ends_the_opening(void **state) {
    (void)state;
    const struct engine_options options = {
        .model_path = DEMO_MODEL, .backend = "cpu", .threads = 1, .kv_device_bytes = 1 << 20};
    struct harness harness = {.options = &options};
    const struct harness_needs needs = {.context = 16};
    assert_int_equal(harness_open(&harness, &needs), STATUS_OK);
    harness_close(&harness);
    harness_catch_signals();
    assert_int_equal(raise(SIGINT), 0);
    assert_int_equal(harness_open(&harness, &needs), STATUS_CANCELLED);
    assert_int_equal(harness_end(&harness, STATUS_CANCELLED), 128 + SIGINT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_signal_ends_the_opening)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
