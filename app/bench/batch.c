#include "app/bench/batch.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/base/exit_code.h"
#include "app/base/json.h"
#include "app/bench/samples.h"
#include "app/screen/complain.h"
#include "engine/engine.h"
#include "kernels/base/clock.h"

enum {
    DEFAULT_RUNS = 5,
    DEFAULT_TOKENS = 200,
    DEFAULT_PAST = 1000,
    BRANCH_SHARE = 2, // of the past, by which a branch goes on
    DONE_TIMEOUT_MS = 1000,
};

static const struct args_numbers ANSWERS = {.values = {1, 2, 4, 8}, .count = 4};

struct forks { // of one past
    int32_t past;
    struct sequence *branches[ENGINE_MAX_REQUESTS]; // of it, which are forked in turn
    struct figure seconds[ARGS_NUMBERS_MAX];
    struct figure one; // the same of an answer alone
};

struct batch_bench {
    const struct bench_options *options;
    struct engine *engine;
    struct engine_info info;
    int32_t tokens, runs, branches;
    struct args_numbers answers;
    struct forks forks[ARGS_NUMBERS_MAX];
    int32_t pasts;
    struct error err;
};

// ---- answers

static enum status wait_for(struct batch_bench *bench, struct request *const *requests,
                            int32_t count) {
    enum status status = STATUS_OK;
    struct event event;
    for (int32_t done = 0; done < count;) {
        if (!engine_next_event(bench->engine, DONE_TIMEOUT_MS, &event)) continue;
        if (event.kind != EVENT_DONE) continue;
        if (status == STATUS_OK) status = event.status;
        done++;
    }
    for (int32_t i = 0; i < count; i++)
        request_release(requests[i]);
    return status;
}

static enum status start(struct sequence *sequence, int32_t tokens, uint64_t seed,
                         struct request **request) {
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = tokens, .ignore_end = true};
    options.sampler.seed = seed;
    return request_start(sequence, &options, request);
}

// Computes `count` answers at once, each in a fork.
static enum status answer(struct batch_bench *bench, const struct forks *past, int32_t count,
                          double *seconds) {
    struct sequence *forks[ENGINE_MAX_REQUESTS] = {NULL};
    struct request *requests[ENGINE_MAX_REQUESTS];
    enum status status = STATUS_OK;
    int32_t started = 0;
    const int64_t before = clock_now_us();
    while (started < count && status == STATUS_OK) {
        status = sequence_fork(past->branches[started % bench->branches], &forks[started]);
        if (status == STATUS_OK)
            status = start(forks[started], bench->tokens, (uint64_t)started, &requests[started]);
        started += status == STATUS_OK;
    }
    const enum status waited = wait_for(bench, requests, started);
    *seconds = (double)(clock_now_us() - before) / 1e6;
    for (int32_t i = 0; i < ENGINE_MAX_REQUESTS; i++)
        sequence_destroy(forks[i]);
    return status == STATUS_OK ? waited : status;
}

static enum status measure_answers(struct batch_bench *bench, const struct forks *past,
                                   int32_t count, struct figure *figure) {
    struct samples samples = {0};
    double seconds;
    TRY(answer(bench, past, count, &seconds)); // does not count
    for (int32_t run = 0; run < bench->runs; run++) {
        TRY(answer(bench, past, count, &seconds));
        samples_add(&samples, seconds);
    }
    *figure = samples_figure(&samples);
    return STATUS_OK;
}

// Tokens that a branch has of its own.
static int32_t branch_tokens(const struct batch_bench *bench, int32_t past) {
    return bench->branches > 1 ? past / BRANCH_SHARE : 0;
}

static enum status check_length(struct batch_bench *bench, int32_t past) {
    const int32_t length = past + branch_tokens(bench, past) + bench->tokens + 1;
    if (length > bench->info.context)
        return error_set(&bench->err, STATUS_TOO_LONG,
                         "a past of %" PRId32 " and an answer of %" PRId32
                         " tokens do not fit the context of %" PRId32 "; see --depth and -n",
                         past, bench->tokens, bench->info.context);
    return STATUS_OK;
}

// Computes the KV of more tokens, up to `length`.
static enum status lengthen(struct batch_bench *bench, struct sequence *sequence, uint32_t salt,
                            int32_t length) {
    struct request *request;
    TRY(bench_append(sequence, bench->info.vocabulary, salt, length));
    TRY(start(sequence, 1, 0, &request));
    TRY(wait_for(bench, &request, 1));
    sequence_truncate(sequence, length);
    return STATUS_OK;
}

static enum status make_branches(struct batch_bench *bench, struct forks *forks) {
    const int32_t own = branch_tokens(bench, forks->past);
    TRY(check_length(bench, forks->past));
    TRY(sequence_create(bench->engine, &forks->branches[0]));
    TRY(lengthen(bench, forks->branches[0], 1, forks->past));
    for (int32_t i = 1; i < bench->branches; i++)
        TRY(sequence_fork(forks->branches[0], &forks->branches[i]));
    for (int32_t i = 0; i < bench->branches && own > 0; i++)
        TRY(lengthen(bench, forks->branches[i], (uint32_t)i + 2, forks->past + own));
    return STATUS_OK;
}

static enum status measure_forks(struct batch_bench *bench, struct forks *forks) {
    TRY(make_branches(bench, forks));
    TRY(measure_answers(bench, forks, 1, &forks->one));
    for (int32_t i = 0; i < bench->answers.count; i++)
        if (bench->answers.values[i] == 1)
            forks->seconds[i] = forks->one;
        else
            TRY(measure_answers(bench, forks, bench->answers.values[i], &forks->seconds[i]));
    for (int32_t i = 0; i < bench->branches; i++)
        sequence_destroy(forks->branches[i]);
    return STATUS_OK;
}

static enum status measure(struct batch_bench *bench) {
    const struct bench_options *options = bench->options;
    const struct engine_options engine_options = bench_subject_engine(&options->subject);
    TRY(engine_open(&engine_options, &bench->engine, &bench->err));
    engine_info(bench->engine, &bench->info);
    for (int32_t i = 0; i < bench->pasts; i++)
        TRY(measure_forks(bench, &bench->forks[i]));
    return STATUS_OK;
}

// ---- what was found

static void print_forks(const struct batch_bench *bench, const struct forks *forks) {
    printf("%s on %s: answers of %" PRId32 " tokens to one past of %" PRId32,
           bench->info.model_name, bench->info.backend, bench->tokens, forks->past);
    if (bench->branches > 1)
        printf(" in %" PRId32 " branches of %" PRId32 " more", bench->branches,
               branch_tokens(bench, forks->past));
    printf("%s\n", bench->options->subject.unshared ? ", which each reads" : "");
    for (int32_t i = 0; i < bench->answers.count; i++) {
        const int32_t count = bench->answers.values[i];
        const double seconds = forks->seconds[i].median;
        printf("  %5" PRId32 " at once %8.3f s   %5.2f x the time of one   %8.1f tokens/s\n", count,
               seconds, seconds / forks->one.median, (double)count * bench->tokens / seconds);
    }
}

static bool add_rows(const struct batch_bench *bench, cJSON *root) {
    cJSON *answers = cJSON_AddArrayToObject(root, "answers");
    bool whole = answers != NULL;
    for (int32_t i = 0; i < bench->answers.count * bench->pasts && whole; i++) {
        cJSON *row = cJSON_CreateObject();
        const struct forks *forks = &bench->forks[i / bench->answers.count];
        const double seconds = forks->seconds[i % bench->answers.count].median;
        whole = row && cJSON_AddItemToArray(answers, row) &&
                json_add_number(row, "past_tokens", forks->past) &&
                json_add_number(row, "at_once", bench->answers.values[i % bench->answers.count]) &&
                json_add_number(row, "seconds", seconds) &&
                json_add_number(row, "times_one", seconds / forks->one.median);
    }
    return whole;
}

static bool print_json(const struct batch_bench *bench) {
    cJSON *root = cJSON_CreateObject();
    const bool whole =
        root && json_add_text(root, "model", bench->info.model_name) &&
        json_add_text(root, "backend", bench->info.backend) &&
        json_add_number(root, "tokens", bench->tokens) &&
        json_add_number(root, "branches", bench->branches) &&
        json_add_text(root, "shared_past", bench->options->subject.unshared ? "off" : "on") &&
        add_rows(bench, root);
    if (whole) return json_put(root, bench->options->one_line);
    cJSON_Delete(root);
    return false;
}

int bench_batch_run(const struct bench_options *options) {
    struct batch_bench bench = {
        .options = options,
        .tokens = options->tokens ? options->tokens : DEFAULT_TOKENS,
        .forks = {{.past = DEFAULT_PAST}},
        .branches = options->branches ? options->branches : 1,
        .pasts = options->depths.count ? options->depths.count : 1,
        .runs = options->runs ? options->runs : DEFAULT_RUNS,
        .answers = options->batches.count ? options->batches : ANSWERS,
    };
    for (int32_t i = 0; i < options->depths.count; i++)
        bench.forks[i].past = options->depths.values[i];
    enum status status = measure(&bench);
    engine_close(bench.engine);
    for (int32_t i = 0; status == STATUS_OK && !options->json && i < bench.pasts; i++)
        print_forks(&bench, &bench.forks[i]);
    if (status == STATUS_OK && options->json && !print_json(&bench)) status = STATUS_NO_MEMORY;
    return status == STATUS_OK ? EXIT_DONE
                               : complain_failed(exit_code_for_bench(status), status, &bench.err);
}
