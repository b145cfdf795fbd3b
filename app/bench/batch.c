// app/bench/batch.c — `quire bench batch`.
#include <inttypes.h>
#include <stdio.h>

#include "app/bench/bench.h"
#include "app/bench/harness.h"
#include "kernels/base/clock.h"

enum {
    DEFAULT_TOKENS = 200,
    DEFAULT_PAST = 1000,
    BRANCH_SHARE = 2, // of the past, by which a branch continues it
};

static const struct args_numbers ANSWERS = {.values = {1, 2, 4, 8}, .count = 4};

struct past {
    int32_t tokens, branch_tokens;                  // shared by all, and of each branch alone
    struct sequence *branches[ENGINE_MAX_REQUESTS]; // which are forked in turn
    struct figure seconds[ARGS_NUMBERS_MAX];
    struct figure one; // the same of an answer alone
};

struct batch_bench {
    const struct bench_options *options;
    struct harness harness;
    int32_t tokens;
    struct args_numbers answers;
    struct past pasts[ARGS_NUMBERS_MAX];
    int32_t past_count;
};

// ---- answers

static enum status start(struct sequence *sequence, int32_t tokens, uint64_t seed,
                         struct request **request) {
    struct request_options options = harness_request(tokens);
    options.sampler = sampler_options_default(); // so that each writes its own
    options.sampler.seed = seed;
    return request_start_all(&sequence, &options, 1, request);
}

// Computes `count` answers at once, each in a fork.
static enum status answer(struct batch_bench *bench, const struct past *past, int32_t count,
                          double *seconds) {
    struct sequence *forks[ENGINE_MAX_REQUESTS] = {NULL};
    struct request *requests[ENGINE_MAX_REQUESTS];
    enum status status = STATUS_OK;
    int32_t started = 0;
    const int64_t before = clock_now_us();
    while (started < count && status == STATUS_OK) {
        status = sequence_fork(past->branches[started % bench->options->branches], &forks[started]);
        if (status == STATUS_OK)
            status = start(forks[started], bench->tokens, (uint64_t)started, &requests[started]);
        started += status == STATUS_OK;
    }
    const enum status waited = harness_wait(&bench->harness, requests, started, NULL);
    *seconds = (double)(clock_now_us() - before) / 1e6;
    for (int32_t i = 0; i < ENGINE_MAX_REQUESTS; i++)
        sequence_destroy(forks[i]);
    return status == STATUS_OK ? waited : status;
}

static enum status measure_answers(struct batch_bench *bench, const struct past *past,
                                   int32_t count, struct figure *figure) {
    struct samples samples = {0};
    double seconds;
    TRY(answer(bench, past, count, &seconds)); // does not count
    for (int32_t run = 0; run < bench->options->runs; run++) {
        TRY(answer(bench, past, count, &seconds));
        samples_add(&samples, seconds);
    }
    *figure = samples_figure(&samples);
    return STATUS_OK;
}

static enum status compute_branches(struct batch_bench *bench, struct past *past) {
    struct harness *harness = &bench->harness;
    const int32_t length = past->tokens + past->branch_tokens;
    if (length + bench->tokens + 1 > harness->info.context)
        return error_set(&harness->err, STATUS_TOO_LONG,
                         "a past of %" PRId32 " and an answer of %" PRId32
                         " tokens do not fit the context of %" PRId32 "; see --depth and -n",
                         past->tokens, bench->tokens, harness->info.context);
    TRY(sequence_create(harness->engine, &past->branches[0]));
    TRY(harness_append(harness, past->branches[0], 1, past->tokens));
    TRY(harness_prefill(harness, past->branches[0], NULL));
    for (int32_t i = 1; i < bench->options->branches; i++)
        TRY(sequence_fork(past->branches[0], &past->branches[i]));
    for (int32_t i = 0; i < bench->options->branches && past->branch_tokens; i++) {
        TRY(harness_append(harness, past->branches[i], (uint32_t)i + 2, length));
        TRY(harness_prefill(harness, past->branches[i], NULL));
    }
    return STATUS_OK;
}

static enum status measure_past(struct batch_bench *bench, struct past *past) {
    TRY(compute_branches(bench, past));
    TRY(measure_answers(bench, past, 1, &past->one));
    for (int32_t i = 0; i < bench->answers.count; i++)
        if (bench->answers.values[i] == 1)
            past->seconds[i] = past->one;
        else
            TRY(measure_answers(bench, past, bench->answers.values[i], &past->seconds[i]));
    for (int32_t i = 0; i < bench->options->branches; i++)
        sequence_destroy(past->branches[i]);
    return STATUS_OK;
}

// ---- printing

static void print_past(const struct batch_bench *bench, const struct past *past) {
    printf("\nAnswers of %" PRId32 " tokens to one past of %" PRId32, bench->tokens, past->tokens);
    if (past->branch_tokens)
        printf(" in %" PRId32 " branches of %" PRId32 " more", bench->options->branches,
               past->branch_tokens);
    printf("%s\n", bench->options->engine.unshared ? ", read by each alone" : "");
    for (int32_t i = 0; i < bench->answers.count; i++) {
        const int32_t count = bench->answers.values[i];
        const double seconds = past->seconds[i].median;
        printf("  %5" PRId32 " at once %8.3f s   %5.2f x the time of one   %8.1f tokens/s\n", count,
               seconds, seconds / past->one.median, (double)count * bench->tokens / seconds);
    }
}

static bool print_json(const struct batch_bench *bench) {
    struct report report = {0};
    report_object(&report, NULL);
    report_text(&report, "model", bench->harness.info.model_name);
    report_text(&report, "backend", bench->harness.info.backend);
    report_number(&report, "tokens", bench->tokens);
    report_number(&report, "branches", bench->options->branches);
    report_text(&report, "shared_past", bench->options->engine.unshared ? "off" : "on");
    report_array(&report, "answers");
    for (int32_t i = 0; i < bench->answers.count * bench->past_count; i++) {
        const struct past *past = &bench->pasts[i / bench->answers.count];
        const double seconds = past->seconds[i % bench->answers.count].median;
        report_object(&report, NULL);
        report_number(&report, "past_tokens", past->tokens);
        report_number(&report, "at_once", bench->answers.values[i % bench->answers.count]);
        report_number(&report, "seconds", seconds);
        report_number(&report, "times_one", seconds / past->one.median);
        report_end(&report);
    }
    return report_print(&report, bench->options->one_line);
}

static enum status measure_pasts(struct batch_bench *bench) {
    TRY(harness_open(&bench->harness, &(struct harness_needs){0}));
    if (!bench->options->json)
        printf("%.40s on %s\n", bench->harness.info.model_name, bench->harness.info.backend);
    for (int32_t i = 0; i < bench->past_count; i++) {
        struct past *past = &bench->pasts[i];
        past->tokens =
            bench->options->depths.count ? bench->options->depths.values[i] : DEFAULT_PAST;
        if (bench->options->branches > 1) past->branch_tokens = past->tokens / BRANCH_SHARE;
        TRY(measure_past(bench, past));
        if (!bench->options->json) print_past(bench, past);
    }
    return bench->options->json && !print_json(bench) ? STATUS_NO_MEMORY : STATUS_OK;
}

int bench_batch_run(const struct bench_options *options) {
    struct batch_bench bench = {
        .options = options,
        .harness = {.options = &options->engine},
        .tokens = options->tokens ? options->tokens : DEFAULT_TOKENS,
        .past_count = options->depths.count ? options->depths.count : 1,
        .answers = options->batches.count ? options->batches : ANSWERS,
    };
    return harness_end(&bench.harness, measure_pasts(&bench));
}
