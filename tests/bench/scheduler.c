#include "tests/bench/scheduler.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/step/scheduler.h"
#include "kernels/base/clock.h"
#include "tests/bench/stall.h"

enum {
    DEFAULT_PAST = 1000,
    PROMPT_SHARE = 2, // of the context
    PROMPT_MOST = 4096,
    PLANS = 1000, // of one sample
    SCHEDULES = 3,
};

static const int32_t SCHEDULED[SCHEDULES] = {1, 64, SCHEDULER_MAX_REQUESTS};

struct scheduler_bench {
    const struct bench_options *options;
    struct engine_options engine;
    struct harness harness;
    struct figure plan_us[SCHEDULES];
    int32_t prompt; // tokens
    struct stall stall;
};

// Decodes, prompts and waiting requests with too few blocks, so that a plan must examine all.
static void fill_runs(struct scheduler_request *runs, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t cached = 100 + 37 * i;
        runs[i] = (struct scheduler_request){
            .state = i % 8 == 7 ? REQUEST_SWAPPED : REQUEST_RUNNING,
            .foreground = i % 3 == 0,
            .cached = cached,
            .length = i % 5 == 4 ? cached + 700 : cached + 1,
            .blocks = (cached + 15) / 16,
            .own = {{(cached + 15) / 16}},
            .most = {{INT32_MAX}},
        };
    }
}

static struct figure time_plans(int32_t count, int32_t samples_wanted) {
    static struct scheduler_request runs[SCHEDULER_MAX_REQUESTS];
    static struct scheduler_plan plan;
    const struct scheduler_limits limits = {.step_tokens = 512,
                                            .block_size = 16,
                                            .free_blocks = {{count / 32}},
                                            .watermark = {{4}},
                                            .swap_us = 1};
    struct samples samples = {0};
    fill_runs(runs, count);
    for (int32_t sample = 0; sample < samples_wanted; sample++) {
        const int64_t before = clock_now_us();
        for (int32_t i = 0; i < PLANS; i++)
            scheduler_plan(runs, count, &limits, &plan);
        samples_add(&samples, (double)(clock_now_us() - before) / PLANS);
    }
    return samples_figure(&samples);
}

static enum status measure_scheduler(struct scheduler_bench *bench) {
    const struct bench_options *options = bench->options;
    for (int32_t i = 0; i < SCHEDULES; i++)
        bench->plan_us[i] = time_plans(SCHEDULED[i], options->runs);
    TRY(harness_open(&bench->harness, &(struct harness_needs){0}));
    const int32_t share = bench->harness.info.context / PROMPT_SHARE;
    bench->prompt = share < PROMPT_MOST ? share : PROMPT_MOST;
    const struct stall_options stall = {
        .harness = &bench->harness,
        .past = options->depths.count ? options->depths.values[0] : DEFAULT_PAST,
        .prompt = bench->prompt,
        .runs = options->runs,
    };
    return stall_measure(&stall, &bench->stall);
}

static void print_figure(const struct figure *figure) {
    printf("%10.2f   (%.2f to %.2f)\n", figure->median, figure->low, figure->high);
}

static void print_table(const struct scheduler_bench *bench) {
    printf("scheduling one step, us\n");
    for (int32_t i = 0; i < SCHEDULES; i++) {
        printf("  %5" PRId32 " requests                    ", SCHEDULED[i]);
        print_figure(&bench->plan_us[i]);
    }
    printf("\nthe longest time between two tokens of an answer in front, ms\n");
    printf("  %-34s", "alone");
    print_figure(&bench->stall.alone);
    printf("  with a prompt of   %6" PRId32 " tokens  ", bench->prompt);
    print_figure(&bench->stall.together);
    printf("  %-34s", "a step of that prompt alone");
    print_figure(&bench->stall.chunk);
}

static bool print_json(const struct scheduler_bench *bench) {
    struct report report = {0};
    report_object(&report, NULL);
    report_array(&report, "scheduler");
    for (int32_t i = 0; i < SCHEDULES; i++) {
        report_object(&report, NULL);
        report_number(&report, "requests", SCHEDULED[i]);
        report_number(&report, "us_per_step", bench->plan_us[i].median);
        report_end(&report);
    }
    report_end(&report);
    report_object(&report, "stall");
    report_number(&report, "prompt_tokens", bench->prompt);
    report_number(&report, "alone_ms", bench->stall.alone.median);
    report_number(&report, "together_ms", bench->stall.together.median);
    report_number(&report, "step_ms", bench->stall.chunk.median);
    return report_print(&report, bench->options->one_line);
}

int scheduler_bench_run(const struct bench_options *options) {
    struct scheduler_bench bench = {.options = options, .engine = options->engine};
    bench.engine.step_tokens = 0; // as in a chat: a prompt is cut into chunks
    bench.harness.options = &bench.engine;
    enum status status = measure_scheduler(&bench);
    if (status == STATUS_OK && !options->json) print_table(&bench);
    if (status == STATUS_OK && options->json && !print_json(&bench)) status = STATUS_NO_MEMORY;
    return harness_end(&bench.harness, status);
}
