// tests/engine/test_scheduler.c — scheduler.h rule by rule, then at random.
#include "engine/scheduler.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>

static const struct scheduler_limits limits = {.step_tokens = 64, .block_size = 16};

static void decodes_come_before_prompts(void **state) {
    (void)state;
    const struct scheduler_run runs[] = {{0, 1000}, {41, 42}, {7, 8}};
    struct scheduler_chunk chunks[3];
    assert_int_equal(scheduler_plan(runs, 3, &limits, chunks), 3);
    assert_int_equal(chunks[0].run, 1);
    assert_int_equal(chunks[0].first, 41);
    assert_true(chunks[0].last);
    assert_int_equal(chunks[1].run, 2);
    assert_int_equal(chunks[2].run, 0);
    assert_int_equal(chunks[2].count, 48); // 62 are left; the chunk ends at a block's end
    assert_false(chunks[2].last);
}

static void prompt_that_fits_is_one_chunk(void **state) {
    (void)state;
    const struct scheduler_run run = {5, 69};
    struct scheduler_chunk chunk;
    assert_int_equal(scheduler_plan(&run, 1, &limits, &chunk), 1);
    assert_int_equal(chunk.count, 64);
    assert_true(chunk.last);
}

static void chunks_end_at_absolute_block_boundaries(void **state) {
    (void)state;
    const struct scheduler_run run = {21, 500};
    struct scheduler_chunk chunk;
    assert_int_equal(scheduler_plan(&run, 1, &limits, &chunk), 1);
    assert_int_equal(chunk.first + chunk.count, 80);
}

static void budget_follows_the_measured_speed(void **state) {
    (void)state;
    assert_int_equal(scheduler_budget(0, 250000, 16, 64, 512), 64);
    assert_int_equal(scheduler_budget(0.001, 250000, 16, 64, 512), 240);
    assert_int_equal(scheduler_budget(1.0, 250000, 16, 64, 512), 512);
    assert_int_equal(scheduler_budget(0.00002, 250000, 16, 64, 512), 64);
}

// Whatever is running: every plan obeys the header, and repeating plans finishes every run.
static void random_runs_all_finish_in_legal_steps(void **state) {
    (void)state;
    uint32_t seed = 7;
    printf("seed %u\n", seed);
    for (int round = 0; round < 2000; round++) {
        struct scheduler_run runs[9];
        struct scheduler_chunk chunks[9];
        seed = seed * 1664525u + 1013904223u;
        const int32_t count = 1 + (int32_t)(seed >> 24) % 9;
        for (int32_t i = 0; i < count; i++) {
            seed = seed * 1664525u + 1013904223u;
            runs[i].cached = (int32_t)(seed >> 8 & 127);
            runs[i].length = runs[i].cached + 1 + (int32_t)((seed >> 28) ? seed >> 20 & 255 : 0);
        }
        int32_t left = count;
        for (int step = 0; left > 0; step++) {
            assert_true(step < 1000);
            const int32_t planned = scheduler_plan(runs, left, &limits, chunks);
            assert_in_range(planned, 1, left);
            int32_t total = 0;
            uint32_t seen = 0;
            for (int32_t i = 0; i < planned; i++) {
                const struct scheduler_run *run = &runs[chunks[i].run];
                const int32_t end = chunks[i].first + chunks[i].count;
                assert_false(seen >> chunks[i].run & 1);
                seen |= 1u << chunks[i].run;
                assert_int_equal(chunks[i].first, run->cached);
                assert_true(chunks[i].count > 0 && end <= run->length);
                assert_int_equal(chunks[i].last, end == run->length);
                assert_true(chunks[i].last || end % limits.block_size == 0);
                total += chunks[i].count;
            }
            assert_true(total <= limits.step_tokens);
            for (int32_t i = 0; i < planned; i++)
                runs[chunks[i].run].cached += chunks[i].count;
            int32_t kept = 0;
            for (int32_t i = 0; i < left; i++)
                if (runs[i].cached < runs[i].length) runs[kept++] = runs[i];
            left = kept;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_come_before_prompts),
        cmocka_unit_test(prompt_that_fits_is_one_chunk),
        cmocka_unit_test(chunks_end_at_absolute_block_boundaries),
        cmocka_unit_test(budget_follows_the_measured_speed),
        cmocka_unit_test(random_runs_all_finish_in_legal_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
