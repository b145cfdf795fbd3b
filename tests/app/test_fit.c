// tests/app/test_fit.c — what a model with several kinds of cache takes of memory, and how fast
// memory is read.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <sys/resource.h>

#include "app/cli/fit.h"

static const struct recurrence_spec DELTA = {.rule = RECURRENCE_DELTA,
                                             .key_heads = 1,
                                             .value_heads = 2,
                                             .key_size = 8,
                                             .value_size = 8,
                                             .width = 4};

// A layer that sees all, two windows of 24 and one of 100, and a state.
static struct model_config mixed_config(void) {
    static const int32_t windows[] = {0, 24, 24, 100, 2};
    struct model_config config = {.layers = 5, .context = 4096};
    for (int32_t i = 0; i < config.layers; i++)
        config.specs[i].attention = (struct attention_spec){
            .heads = 2, .kv_heads = 2, .head_size = 16, .window = windows[i], .kv_source = i};
    config.specs[4].mixer = MIXER_RECURRENCE;
    config.specs[4].recurrence = DELTA;
    return config;
}

static void all_windows_and_states_count(void **state) {
    (void)state;
    enum { LAYER = 2 * 2 * 16 * 2 }; // bytes of K and V of a token
    const struct model_config config = mixed_config();
    const struct fit_need need = fit_kv_of(&config, DTYPE_F16);
    const size_t states = recurrence_spec_state_bytes(&DELTA);
    assert_int_equal(need.kv_token_bytes, LAYER);
    assert_int_equal(need.window_count, 3);
    assert_int_equal(fit_bytes(&need, 1), 4 * LAYER + states);
    assert_int_equal(fit_bytes(&need, 50), (50 + 2 * 24 + 50) * LAYER + 2 * states);
    assert_int_equal(fit_bytes(&need, 1000), (1000 + 2 * 24 + 100) * LAYER + 2 * states);
    const struct fit_window all = fit_windows(&need);
    assert_int_equal(all.token_bytes, 3 * LAYER + states);
    assert_int_equal(all.tokens, 100);
}

static long most_kib(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

// Pages that nobody has written to are one page of zeros in a cache, which is read several times as
// fast as memory.
static void speed_is_measured_on_memory_that_is_committed(void **state) {
    (void)state;
    enum { READ_KIB = 64 << 10 };
    const struct fit_need nothing = {.context = -1};
    const struct fit_need need = {.active_bytes = (size_t)READ_KIB << 10, .context = -1};
    struct fit fit;
    fit_measure(&nothing, false, 1, &fit);
    assert_true(fit.tokens_s == 0);
    const long before = most_kib();
    fit_measure(&need, false, 1, &fit);
    assert_true(fit.tokens_s > 0);
    assert_true(most_kib() - before > READ_KIB / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_windows_and_states_count),
        cmocka_unit_test(speed_is_measured_on_memory_that_is_committed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
