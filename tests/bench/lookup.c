#include "tests/bench/lookup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/base/exit_code.h"
#include "app/base/json.h"
#include "app/bench/samples.h"
#include "app/screen/complain.h"
#include "engine/engine.h"
#include "engine/sampling/prompt_lookup.h"

enum {
    DEFAULT_RUNS = 5,
    DEFAULT_TOKENS = 400,
    DEFAULT_PAST = 256,
    PERIOD = 16, // tokens, of a log that repeats itself
    GUESSES = 8,
    TIMEOUT_MS = 1000,
};

enum task { REPEATS, WANDERS, TASKS };
static const char *const NAMES[TASKS] = {"repeating, greedy", "wandering, sampled"};

struct written { // by one request
    double tokens_per_s;
    int64_t proposed, kept;
    struct hash128 tokens;
};

struct speculation_row {
    struct figure plain, guessed; // tokens/s
    struct figure ratio;          // of runs one after the other
    double kept_share;            // of what was proposed; 0 when nothing was
    int64_t proposed;
};

struct speculation_bench {
    const struct bench_options *options;
    struct engine *engine;
    struct engine_info info;
    int32_t tokens, past, runs;
    struct speculation_row rows[TASKS];
    struct error err;
};

static enum status append_past(const struct speculation_bench *bench, enum task task,
                               struct sequence *sequence) {
    int32_t ids[PERIOD];
    if (task == WANDERS) return bench_append(sequence, bench->info.vocabulary, 1, bench->past);
    bench_ids(bench->info.vocabulary, 2, 0, PERIOD, ids);
    for (int32_t length = 0; length < bench->past; length += PERIOD)
        TRY(sequence_append(sequence, ids, PERIOD));
    return STATUS_OK;
}

static enum status wait_for(struct speculation_bench *bench, struct request *request,
                            struct event *end) {
    do {
        if (!engine_next_event(bench->engine, TIMEOUT_MS, end)) end->kind = EVENT_PREFILL;
    } while (end->kind != EVENT_DONE);
    request_release(request);
    return end->status;
}

static enum status write_once(struct speculation_bench *bench, enum task task, int32_t guesses,
                              struct written *written) {
    struct sequence *sequence;
    struct request *request;
    struct event end;
    struct request_options options = {.sampler = sampler_options_default(),
                                      .max_tokens = bench->tokens,
                                      .speculate = guesses,
                                      .ignore_end = true};
    options.sampler.seed = 7;
    options.sampler.temperature = task == REPEATS ? 0 : 1.5f;
    TRY(sequence_create(bench->engine, &sequence));
    enum status status = append_past(bench, task, sequence);
    if (status == STATUS_OK) status = request_start(sequence, &options, &request);
    if (status == STATUS_OK) status = wait_for(bench, request, &end);
    if (status == STATUS_OK) {
        const size_t bytes = (size_t)sequence_length(sequence) * sizeof(int32_t);
        *written = (struct written){
            .tokens_per_s =
                (double)(end.stats.output_tokens - 1) * 1e6 / (double)end.stats.decode_us,
            .proposed = end.stats.draft_tokens,
            .kept = end.stats.accepted_tokens,
            .tokens = hash_bytes(sequence_tokens(sequence), bytes, 0),
        };
    }
    sequence_destroy(sequence);
    return status;
}

static enum status check_same(struct speculation_bench *bench, enum task task,
                              const struct written *plain, const struct written *guessed) {
    if (memcmp(&plain->tokens, &guessed->tokens, sizeof plain->tokens) == 0) return STATUS_OK;
    return error_set(&bench->err, STATUS_BAD_INPUT,
                     "%s: with guesses the model wrote other tokens than without", NAMES[task]);
}

static enum status measure_task(struct speculation_bench *bench, enum task task) {
    struct samples plain = {0}, guessed = {0}, ratio = {0};
    struct written without, with;
    struct speculation_row *row = &bench->rows[task];
    TRY(write_once(bench, task, 0, &without)); // does not count
    for (int32_t run = 0; run < bench->runs; run++) {
        TRY(write_once(bench, task, 0, &without));
        TRY(write_once(bench, task, GUESSES, &with));
        TRY(check_same(bench, task, &without, &with));
        samples_add(&plain, without.tokens_per_s);
        samples_add(&guessed, with.tokens_per_s);
        samples_add(&ratio, with.tokens_per_s / without.tokens_per_s);
    }
    *row = (struct speculation_row){.plain = samples_figure(&plain),
                                    .guessed = samples_figure(&guessed),
                                    .ratio = samples_figure(&ratio),
                                    .proposed = with.proposed};
    if (with.proposed) row->kept_share = (double)with.kept / (double)with.proposed;
    return STATUS_OK;
}

static enum status measure(struct speculation_bench *bench) {
    const struct bench_options *options = bench->options;
    struct engine_options engine_options = bench_subject_engine(&options->subject);
    engine_options.deterministic = true; // else verifying may sample another token
    TRY(engine_open(&engine_options, &bench->engine, &bench->err));
    engine_info(bench->engine, &bench->info);
    if (bench->past + PERIOD + bench->tokens >= bench->info.context)
        return error_set(&bench->err, STATUS_TOO_LONG,
                         "a past of %" PRId32 " and %" PRId32 " tokens more do not fit the context "
                         "of %" PRId32 "; see --depth and -n",
                         bench->past, bench->tokens, bench->info.context);
    for (int task = 0; task < TASKS; task++)
        TRY(measure_task(bench, (enum task)task));
    return STATUS_OK;
}

static void print_table(const struct speculation_bench *bench) {
    printf("%s on %s: %" PRId32 " tokens after %" PRId32 ", up to %d guessed at once\n",
           bench->info.model_name, bench->info.backend, bench->tokens, bench->past, GUESSES);
    for (int task = 0; task < TASKS; task++) {
        const struct speculation_row *row = &bench->rows[task];
        printf("  %-20s %8.1f tokens/s, guessing %8.1f: %5.2f x (%.2f to %.2f); kept %.0f %% of "
               "%" PRId64 "\n",
               NAMES[task], row->plain.median, row->guessed.median, row->ratio.median,
               row->ratio.low, row->ratio.high, 100 * row->kept_share, row->proposed);
    }
}

static bool add_rows(const struct speculation_bench *bench, cJSON *root) {
    cJSON *rows = cJSON_AddArrayToObject(root, "lookup");
    bool whole = rows != NULL;
    for (int task = 0; task < TASKS && whole; task++) {
        const struct speculation_row *found = &bench->rows[task];
        cJSON *row = cJSON_CreateObject();
        whole = row && cJSON_AddItemToArray(rows, row) && json_add_text(row, "task", NAMES[task]) &&
                json_add_number(row, "tokens_per_s", found->plain.median) &&
                json_add_number(row, "guessing_tokens_per_s", found->guessed.median) &&
                json_add_number(row, "times", found->ratio.median) &&
                json_add_number(row, "proposed", (double)found->proposed) &&
                json_add_number(row, "kept_share", found->kept_share);
    }
    return whole;
}

static bool print_json(const struct speculation_bench *bench) {
    cJSON *root = cJSON_CreateObject();
    const bool whole = root && json_add_text(root, "model", bench->info.model_name) &&
                       json_add_text(root, "backend", bench->info.backend) && add_rows(bench, root);
    if (whole) return json_put(root, bench->options->one_line);
    cJSON_Delete(root);
    return false;
}

int lookup_bench_run(const struct bench_options *options) {
    struct speculation_bench bench = {
        .options = options,
        .tokens = options->tokens ? options->tokens : DEFAULT_TOKENS,
        .past = options->depths.count ? options->depths.values[0] : DEFAULT_PAST,
        .runs = options->runs ? options->runs : DEFAULT_RUNS,
    };
    enum status status = measure(&bench);
    engine_close(bench.engine);
    if (status == STATUS_OK && !options->json) print_table(&bench);
    if (status == STATUS_OK && options->json && !print_json(&bench)) status = STATUS_NO_MEMORY;
    return status == STATUS_OK ? EXIT_DONE
                               : complain_failed(exit_code_for_bench(status), status, &bench.err);
}
