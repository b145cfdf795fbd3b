// tests/engine/step/test_scheduler.c — scheduler.h rule by rule, then a day of it at random.
#include "engine/step/scheduler.h"
#include "kernels/base/clock.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>

static const struct scheduler_limits roomy = {
    .step_tokens = 64, .block_size = 16, .free_blocks = {{1000}}, .watermark = {{1}}};

static uint32_t seed = 7;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static struct scheduler_request running(int32_t cached, int32_t length) {
    const int32_t blocks = (cached + 15) / 16;
    return (struct scheduler_request){.state = REQUEST_RUNNING,
                                      .foreground = true,
                                      .cached = cached,
                                      .length = length,
                                      .blocks = blocks,
                                      .own = {{blocks}},
                                      .most = {{INT32_MAX}}};
}

static struct scheduler_request waiting(int32_t length) {
    return (struct scheduler_request){.foreground = true, .length = length, .most = {{INT32_MAX}}};
}

static struct scheduler_plan plan_of(const struct scheduler_request *runs, int32_t count,
                                     const struct scheduler_limits *limits) {
    struct scheduler_plan plan;
    scheduler_plan(runs, count, limits, &plan);
    scheduler_check(runs, count, limits, &plan);
    return plan;
}

static void decodes_are_scheduled_before_prompts(void **state) {
    (void)state;
    const struct scheduler_request runs[] = {running(0, 1000), running(41, 42), running(7, 8)};
    const struct scheduler_plan plan = plan_of(runs, 3, &roomy);
    assert_int_equal(plan.chunk_count, 3);
    assert_int_equal(plan.decode_count, 2);
    assert_int_equal(plan.chunks[0].request, 1);
    assert_int_equal(plan.chunks[0].first, 41);
    assert_true(plan.chunks[0].last);
    assert_int_equal(plan.chunks[1].request, 2);
    assert_int_equal(plan.chunks[2].request, 0);
    assert_int_equal(plan.chunks[2].count, 48); // 62 are left; the chunk ends at a block's end
    assert_false(plan.chunks[2].last);
}

static void a_small_prompt_is_one_chunk(void **state) {
    (void)state;
    const struct scheduler_request run = running(5, 69);
    const struct scheduler_plan plan = plan_of(&run, 1, &roomy);
    assert_int_equal(plan.chunk_count, 1);
    assert_int_equal(plan.chunks[0].count, 64);
    assert_true(plan.chunks[0].last);
}

static void chunks_end_at_absolute_block_boundaries(void **state) {
    (void)state;
    const struct scheduler_request run = running(21, 500);
    const struct scheduler_plan plan = plan_of(&run, 1, &roomy);
    assert_int_equal(plan.chunks[0].first + plan.chunks[0].count, 80);
}

static void many_decodes_leave_a_block_for_a_prompt(void **state) {
    (void)state;
    struct scheduler_request runs[100];
    for (int i = 0; i < 99; i++)
        runs[i] = running(20 + i, 21 + i);
    runs[99] = running(3, 900);
    const struct scheduler_plan plan = plan_of(runs, 100, &roomy);
    assert_int_equal(plan.decode_count, 99);
    assert_int_equal(plan.chunk_count, 100);
    assert_int_equal(plan.chunks[99].count, 13);
}

static void a_foreground_prompt_precedes_background_prompts(void **state) {
    (void)state;
    struct scheduler_request runs[] = {running(0, 640), running(0, 640)};
    runs[0].foreground = false;
    struct scheduler_plan plan = plan_of(runs, 2, &roomy);
    assert_int_equal(plan.chunk_count, 1);
    assert_int_equal(plan.chunks[0].request, 1);
    runs[0].promoted = true;
    plan = plan_of(runs, 2, &roomy);
    assert_int_equal(plan.chunks[0].request, 0);
}

static void long_background_prompts_take_turns(void **state) {
    (void)state;
    struct scheduler_request runs[] = {running(SCHEDULER_QUANTUM, 9000), running(0, 9000),
                                       running(SCHEDULER_QUANTUM + 16, 9000)};
    for (int i = 0; i < 3; i++) {
        runs[i].foreground = false;
        runs[i].prefilled = runs[i].cached;
    }
    struct scheduler_plan plan = plan_of(runs, 3, &roomy);
    assert_int_equal(plan.chunks[0].request, 1);
    runs[1].prefilled = SCHEDULER_QUANTUM; // has had as many as the others now
    plan = plan_of(runs, 3, &roomy);
    assert_int_equal(plan.chunks[0].request, 0);
}

static void skipped_background_requests_are_promoted_one_by_one(void **state) {
    (void)state;
    struct scheduler_request runs[] = {running(0, 64), waiting(50), waiting(50), waiting(50)};
    runs[2].foreground = runs[3].foreground = false;
    const struct scheduler_plan plan = {.chunk_count = 1, .chunks = {{.request = 0, .count = 16}}};
    for (int step = 0; step < SCHEDULER_PATIENCE; step++) {
        assert_false(runs[2].promoted);
        scheduler_note(runs, 4, &plan);
    }
    assert_int_equal(runs[0].skipped, 0);
    assert_int_equal(runs[0].prefilled, 16 * SCHEDULER_PATIENCE);
    assert_false(runs[1].promoted); // it is in the foreground
    assert_true(runs[2].promoted);
    assert_false(runs[3].promoted);
}

static void the_latest_request_is_preempted(void **state) {
    (void)state;
    struct scheduler_request runs[] = {running(32, 33), running(40, 41), running(50, 51)};
    struct scheduler_limits limits = roomy;
    limits.free_blocks.of[0] = 0;
    limits.swap_us = 10;
    limits.recompute_us = 100;
    struct scheduler_plan plan = plan_of(runs, 3, &limits);
    assert_int_equal(plan.preempted_count, 1);
    assert_int_equal(plan.preempted[0], 2);
    assert_int_equal(plan.chunk_count, 2);
    assert_true(plan.swap);
    limits.recompute_us = 9;
    assert_false(plan_of(runs, 3, &limits).swap);
    runs[2].state = REQUEST_WAITING; // who is not inside gives first, whatever its rank
    const struct scheduler_request moved = runs[2];
    runs[2] = runs[0];
    runs[0] = moved;
    plan = plan_of(runs, 3, &limits);
    assert_int_equal(plan.preempted[0], 0);
    assert_int_equal(plan.chunk_count, 2);
}

static void a_request_without_free_blocks_waits_for_earlier_ones(void **state) {
    (void)state;
    struct scheduler_request runs[] = {running(20, 21), running(32, 33)};
    struct scheduler_limits limits = roomy;
    limits.free_blocks.of[0] = 0;
    const struct scheduler_plan plan = plan_of(runs, 2, &limits);
    assert_int_equal(plan.preempted_count, 1);
    assert_int_equal(plan.preempted[0], 1);
    assert_int_equal(plan.chunk_count, 1);
    assert_int_equal(plan.refused, -1);
}

static void a_request_too_large_for_the_pool_is_refused(void **state) {
    (void)state;
    const struct scheduler_request run = running(32, 33);
    struct scheduler_limits limits = roomy;
    limits.free_blocks.of[0] = 0;
    const struct scheduler_plan plan = plan_of(&run, 1, &limits);
    assert_int_equal(plan.refused, 0);
    assert_int_equal(plan.chunk_count, 0);
}

static void preempting_shared_blocks_refuses_no_request(void **state) {
    (void)state;
    struct scheduler_request runs[] = {running(32, 33), running(40, 41)};
    struct scheduler_limits limits = roomy;
    limits.free_blocks.of[0] = 0;
    runs[1].own.of[0] = 0; // all it has is shared, with a third that has gone, say
    struct scheduler_plan plan = plan_of(runs, 2, &limits);
    assert_int_equal(plan.preempted_count, 1);
    assert_int_equal(plan.chunk_count, 0);
    assert_int_equal(plan.refused, -1);
}

static void requests_are_admitted_by_rank_above_the_watermark(void **state) {
    (void)state;
    struct scheduler_request runs[] = {running(20, 21), waiting(100), waiting(10)};
    struct scheduler_limits limits = roomy;
    limits.watermark.of[0] = 3;
    limits.free_blocks.of[0] = 7 + 3 - 1;                          // 101 tokens take 7
    assert_int_equal(plan_of(runs, 3, &limits).admitted_count, 0); // and the small one waits too
    limits.free_blocks.of[0]++;
    struct scheduler_plan plan = plan_of(runs, 3, &limits);
    assert_int_equal(plan.admitted_count, 1);
    assert_int_equal(plan.admitted[0], 1);
    limits.free_blocks.of[0]++;
    assert_int_equal(plan_of(runs, 3, &limits).admitted_count, 2);
    runs[0].length = 60; // what is inside has its log reserved
    assert_int_equal(plan_of(runs, 3, &limits).admitted_count, 0);
    assert_int_equal(plan_of(runs + 1, 2, &limits).admitted[0], 0); // alone always
}

static void a_foreground_request_preempts_a_background_one(void **state) {
    (void)state;
    struct scheduler_request runs[] = {running(64, 65), running(160, 161), waiting(100),
                                       waiting(100)};
    struct scheduler_limits limits = roomy;
    limits.free_blocks.of[0] = 2;
    runs[0].foreground = runs[1].foreground = runs[2].foreground = false;
    const struct scheduler_plan plan = plan_of(runs, 4, &limits);
    assert_int_equal(plan.preempted_count, 1);
    assert_int_equal(plan.preempted[0], 1);
    assert_int_equal(plan.admitted_count, 1);
    assert_int_equal(plan.admitted[0], 3);
    assert_int_equal(plan.chunk_count, 1);
    limits.free_blocks.of[0] = 0;
    runs[1].own.of[0] = 1; // preempting it would not be enough: it is left alone
    runs[0].own.of[0] = 1;
    assert_int_equal(plan_of(runs + 1, 3, &limits).admitted_count, 0);
}

static int32_t budget(double tokens_per_us, int32_t base_us, int32_t target_us, int32_t least,
                      int32_t most) {
    const struct scheduler_pace pace = {.tokens_per_us = tokens_per_us,
                                        .base_us = base_us,
                                        .few = 32,
                                        .block_size = 16,
                                        .least = least,
                                        .most = most};
    return scheduler_budget(&pace, target_us, scheduler_limit_us(0));
}

static void the_token_budget_follows_the_measured_speed(void **state) {
    (void)state;
    assert_int_equal(budget(0, 0, 250000, 64, 512), 64);
    assert_int_equal(budget(0.001, 0, 250000, 64, 512), 240);
    assert_int_equal(budget(1.0, 0, 250000, 64, 512), 512);
    assert_int_equal(budget(0.00002, 0, 250000, 64, 512), 64);
    // 200 ms of a step are spent whatever it computes: fewer tokens would not make it much shorter
    assert_int_equal(budget(0.01, 200000, 25000, 64, 2048), 2000);
    assert_int_equal(budget(0.01, 20000, 250000, 64, 4096), 2288);
    assert_int_equal(budget(0, 200000, 250000, 64, 2050), 2048); // the first one
}

// A prompt beside an answer: the answer's next token waits for the step.
static void a_step_with_answers_takes_a_few_times_as_long_as_they_alone(void **state) {
    (void)state;
    assert_int_equal(scheduler_target_us(0, 0), 250000);
    assert_int_equal(scheduler_target_us(0, 3000), 250000);
    assert_int_equal(scheduler_target_us(1, 0), 25000);
    assert_int_equal(scheduler_target_us(1, 3000), 25000);
    assert_int_equal(scheduler_target_us(3, 20000), 80000);
    assert_int_equal(scheduler_target_us(1, 1e9F), 200000);
}

// Whatever the weights take to cross and the answers to decode, a step that is planned by the right
// speed takes 200 ms at most; only where the fewest tokens take longer, it has no more than those.
static void an_answer_waits_for_a_prompt_at_most_200_ms(void **state) {
    enum { LIMIT_US = 200000, DRAWS = 100000 };
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const struct scheduler_pace pace = {.tokens_per_us = 1.0 / (1 + (int32_t)dice(3000)),
                                            .base_us = dice(3) ? (int32_t)dice(400000) : 0,
                                            .few = 16 * ((int32_t)dice(4)),
                                            .block_size = 16,
                                            .least = 64,
                                            .most = 2048};
        const int32_t decodes = 1 + (int32_t)dice(3);
        const float decode_us = (float)((int32_t)dice(100000));
        const int32_t tokens = scheduler_budget(&pace, scheduler_target_us(decodes, decode_us),
                                                scheduler_limit_us(decodes));
        assert_true(tokens >= 16 && tokens <= 2048 && tokens % 16 == 0);
        if (tokens <= pace.few || tokens == pace.least) continue;
        assert_true(pace.base_us + tokens / pace.tokens_per_us <= LIMIT_US + 1);
    }
}

// ---- a day

enum {
    DAY_REQUESTS = CHECK_ROUNDS(100000, 25000),
    DAY_BLOCKS = 250,
    DAY_WINDOW_BLOCKS = 60,
    DAY_RUNS = 64,
    DAY_LONGEST = 3000, // tokens of a prompt and its answer
    DAY_LOAD_STEPS = 3, // that bringing a swapped run back takes
    DAY_STEP_TOKENS = 128,
    DAY_LONGEST_ANSWER = 100,
    // Once promoted, all DAY_RUNS - 1 others may be before it, and the first goes on in every step.
    DAY_BOUND =
        SCHEDULER_PATIENCE + (DAY_RUNS - 1) * (DAY_LONGEST / DAY_STEP_TOKENS + DAY_LONGEST_ANSWER),
};

struct job {
    struct scheduler_request run;
    int32_t answer;  // tokens to go
    int32_t loading; // steps to go
    int32_t swapped; // tokens outside the device
    int32_t waited;  // steps since it was last given something
};

struct day {
    struct job jobs[DAY_RUNS];
    int32_t count;
    struct block_counts free_blocks;
    bool windows;
    int32_t begun, finished, cancelled;
    int32_t longest_wait;
    int64_t preempted, promoted, steps;
};

static void add_blocks(struct block_counts *blocks, int32_t count, int32_t window) {
    blocks->of[0] += count;
    blocks->of[1] += window;
    assert_true(blocks->of[0] >= 0 && blocks->of[1] >= 0);
}

// Takes blocks; a window keeps as many as it has keys, and can need a step's more.
static void take_blocks(struct day *day, struct job *job, int32_t count, int32_t window) {
    enum { WINDOW = 5, STEP = DAY_STEP_TOKENS / 16 + 1 };
    int32_t *held = &job->run.own.of[1];
    add_blocks(&day->free_blocks, -count, -window);
    add_blocks(&job->run.own, count, window);
    job->run.blocks += count;
    if (*held > WINDOW) add_blocks(&day->free_blocks, 0, *held - WINDOW);
    if (*held > WINDOW) *held = WINDOW;
    job->run.most.of[0] = INT32_MAX;
    job->run.most.of[1] = day->windows ? WINDOW - *held + STEP : 0;
}

static void release(struct day *day, struct job *job) {
    add_blocks(&day->free_blocks, job->run.own.of[0], job->run.own.of[1]);
    job->run.blocks = 0;
    job->run.own = (struct block_counts){0};
    take_blocks(day, job, 0, 0);
}

static void job_remove(struct day *day, int32_t index) {
    release(day, &day->jobs[index]);
    memmove(&day->jobs[index], &day->jobs[index + 1],
            (size_t)(day->count - index - 1) * sizeof day->jobs[0]);
    day->count--;
}

static void job_arrives(struct day *day) {
    const bool is_long = dice(20) == 0;
    const int32_t prompt = 1 + (int32_t)dice(is_long ? DAY_LONGEST - DAY_LONGEST_ANSWER : 120);
    day->jobs[day->count++] = (struct job){
        .run = {.foreground = dice(6) > 0, .length = prompt},
        .answer = 1 + (int32_t)dice(DAY_LONGEST_ANSWER),
    };
    take_blocks(day, &day->jobs[day->count - 1], 0, 0);
    day->begun++;
}

static void carry_out(struct day *day, const struct scheduler_plan *plan) {
    for (int32_t i = 0; i < plan->preempted_count; i++) {
        struct job *job = &day->jobs[plan->preempted[i]];
        release(day, job);
        job->swapped = plan->swap ? job->run.cached : 0;
        job->run.cached = 0;
        job->run.state = REQUEST_SWAPPED;
        day->preempted++;
    }
    for (int32_t i = 0; i < plan->admitted_count; i++) {
        struct job *job = &day->jobs[plan->admitted[i]];
        job->run.state = REQUEST_LOADING;
        job->loading = job->swapped ? DAY_LOAD_STEPS : 0;
    }
    for (int32_t i = 0; i < plan->chunk_count; i++) {
        struct job *job = &day->jobs[plan->chunks[i].request];
        const int32_t end = plan->chunks[i].first + plan->chunks[i].count;
        const struct block_counts need = scheduler_need(&job->run, end, 16);
        take_blocks(day, job, need.of[0], need.of[1]);
        job->run.cached = end;
        job->waited = -1;
        if (!plan->chunks[i].last) continue;
        job->answer--;
        job->run.length++;
    }
}

// What was swapped comes back when there are blocks for it; else it is computed again.
static void load_swapped(struct day *day) {
    for (int32_t i = 0; i < day->count; i++) {
        struct job *job = &day->jobs[i];
        if (job->run.state != REQUEST_LOADING || job->loading-- > 0) continue;
        const struct block_counts need = scheduler_need(&job->run, job->swapped, 16);
        if (need.of[0] <= day->free_blocks.of[0] && need.of[1] <= day->free_blocks.of[1]) {
            take_blocks(day, job, need.of[0], need.of[1]);
            job->run.cached = job->swapped;
        }
        job->swapped = 0;
        job->run.state = REQUEST_RUNNING;
    }
}

static void end_step(struct day *day) {
    for (int32_t i = day->count - 1; i >= 0; i--) {
        struct job *job = &day->jobs[i];
        job->waited++;
        if (job->waited > day->longest_wait) day->longest_wait = job->waited;
        const bool done = job->answer == 0, cancelled = !done && dice(4000) == 0;
        day->finished += done;
        day->cancelled += cancelled;
        if (done || cancelled) job_remove(day, i);
    }
    struct block_counts held = day->free_blocks;
    for (int32_t i = 0; i < day->count; i++)
        add_blocks(&held, day->jobs[i].run.own.of[0], day->jobs[i].run.own.of[1]);
    assert_int_equal(held.of[0], DAY_BLOCKS);
    assert_int_equal(held.of[1], day->windows ? DAY_WINDOW_BLOCKS : 0);
}

static void step_day(struct day *day, int64_t *spent_us) {
    struct scheduler_request runs[DAY_RUNS];
    struct scheduler_plan plan;
    const struct scheduler_limits limits = {
        .step_tokens = DAY_STEP_TOKENS,
        .block_size = 16,
        .free_blocks = day->free_blocks,
        .watermark = {{4, day->windows ? 2 : 0}},
        .swap_us = 1,
        .recompute_us = day->steps / 1000 % 2 ? 0.5 : 2, // by turns
    };
    for (int32_t i = 0; i < day->count; i++)
        runs[i] = day->jobs[i].run;
    const int64_t before = clock_now_us();
    scheduler_plan(runs, day->count, &limits, &plan);
    scheduler_note(runs, day->count, &plan);
    *spent_us += clock_now_us() - before;
    for (int32_t i = 0; i < day->count; i++) { // as it was planned, with what was noted
        const struct scheduler_request noted = runs[i];
        runs[i] = day->jobs[i].run;
        day->jobs[i].run.prefilled = noted.prefilled;
        day->jobs[i].run.skipped = noted.skipped;
        day->promoted += noted.promoted && !day->jobs[i].run.promoted;
        day->jobs[i].run.promoted = noted.promoted;
    }
    scheduler_check(runs, day->count, &limits, &plan);
    assert_int_equal(plan.refused, -1); // each fits alone
    carry_out(day, &plan);
    load_swapped(day);
    end_step(day);
    day->steps++;
}

static void live_through_a_day(bool windows) {
    static struct day day;
    int64_t spent_us = 0;
    printf("seed %u\n", seed);
    day = (struct day){.windows = windows,
                       .free_blocks = {{DAY_BLOCKS, windows ? DAY_WINDOW_BLOCKS : 0}}};
    while (day.begun < DAY_REQUESTS || day.count > 0) {
        const uint32_t busy = day.steps / 5000 % 4 == 0 ? 2 : 9; // a rush, then calmer hours
        while (day.begun < DAY_REQUESTS && day.count < DAY_RUNS && dice(busy) < 2)
            job_arrives(&day);
        step_day(&day, &spent_us);
        assert_true(day.longest_wait <= DAY_BOUND);
    }
    printf("%d finished, %d cancelled, %lld preempted, %lld promoted, %lld steps of %.1f us; the "
           "longest wait was %d steps\n",
           day.finished, day.cancelled, (long long)day.preempted, (long long)day.promoted,
           (long long)day.steps, (double)spent_us / (double)day.steps, day.longest_wait);
    assert_int_equal(day.finished + day.cancelled, DAY_REQUESTS);
    assert_int_equal(day.free_blocks.of[0], DAY_BLOCKS);
    assert_true(day.cancelled > DAY_REQUESTS / 100 && day.preempted > DAY_REQUESTS / 100 &&
                day.promoted > DAY_REQUESTS / 100);
}

static void every_request_of_a_random_day_finishes(void **state) {
    (void)state;
    live_through_a_day(false);
}

static void every_request_of_a_day_with_windows_finishes(void **state) {
    (void)state;
    live_through_a_day(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_are_scheduled_before_prompts),
        cmocka_unit_test(a_small_prompt_is_one_chunk),
        cmocka_unit_test(chunks_end_at_absolute_block_boundaries),
        cmocka_unit_test(many_decodes_leave_a_block_for_a_prompt),
        cmocka_unit_test(a_foreground_prompt_precedes_background_prompts),
        cmocka_unit_test(long_background_prompts_take_turns),
        cmocka_unit_test(skipped_background_requests_are_promoted_one_by_one),
        cmocka_unit_test(the_latest_request_is_preempted),
        cmocka_unit_test(a_request_without_free_blocks_waits_for_earlier_ones),
        cmocka_unit_test(a_request_too_large_for_the_pool_is_refused),
        cmocka_unit_test(preempting_shared_blocks_refuses_no_request),
        cmocka_unit_test(requests_are_admitted_by_rank_above_the_watermark),
        cmocka_unit_test(a_foreground_request_preempts_a_background_one),
        cmocka_unit_test(the_token_budget_follows_the_measured_speed),
        cmocka_unit_test(a_step_with_answers_takes_a_few_times_as_long_as_they_alone),
        cmocka_unit_test(an_answer_waits_for_a_prompt_at_most_200_ms),
        cmocka_unit_test(every_request_of_a_random_day_finishes),
        cmocka_unit_test(every_request_of_a_day_with_windows_finishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
