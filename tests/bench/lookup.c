#include "tests/bench/lookup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/harness.h"

enum {
    DEFAULT_TOKENS = 400,
    DEFAULT_PAST = 256,
    PERIOD = 16, // tokens, of a log that repeats itself
    GUESSES = 8,
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
    struct engine_options engine;
    struct harness harness;
    int32_t tokens, past;
    struct speculation_row rows[TASKS];
};

static enum status append_past(const struct speculation_bench *bench, enum task task,
                               struct sequence *sequence) {
    int32_t ids[PERIOD];
    if (task == WANDERS) return harness_append(&bench->harness, sequence, 1, bench->past);
    harness_ids(&bench->harness, 2, 0, PERIOD, ids);
    for (int32_t length = 0; length < bench->past; length += PERIOD)
        TRY(sequence_append(sequence, ids, PERIOD));
    return STATUS_OK;
}

static enum status write_once(struct speculation_bench *bench, enum task task, int32_t guesses,
                              struct written *written) {
    struct sequence *sequence;
    struct request *request;
    struct request_stats stats;
    struct request_options options = harness_request(bench->tokens);
    options.speculate = guesses;
    options.sampler.seed = 7;
    options.sampler.temperature = task == REPEATS ? 0 : 1.5f;
    TRY(sequence_create(bench->harness.engine, &sequence));
    enum status status = append_past(bench, task, sequence);
    if (status == STATUS_OK) status = request_start_all(&sequence, &options, 1, &request);
    if (status == STATUS_OK) status = harness_wait(&bench->harness, &request, 1, &stats);
    if (status == STATUS_OK) {
        const size_t bytes = (size_t)sequence_length(sequence) * sizeof(int32_t);
        *written = (struct written){
            .tokens_per_s = (double)(stats.output_tokens - 1) * 1e6 / (double)stats.decode_us,
            .proposed = stats.drafts.of[DRAFT_LOOKUP].drafted,
            .kept = stats.drafts.of[DRAFT_LOOKUP].accepted,
            .tokens = hash_bytes(sequence_tokens(sequence), bytes, 0),
        };
    }
    sequence_destroy(sequence);
    return status;
}

static enum status check_same(struct speculation_bench *bench, enum task task,
                              const struct written *plain, const struct written *guessed) {
    if (memcmp(&plain->tokens, &guessed->tokens, sizeof plain->tokens) == 0) return STATUS_OK;
    return error_set(&bench->harness.err, STATUS_BAD_INPUT,
                     "%s: with guesses the model wrote other tokens than without", NAMES[task]);
}

static enum status measure_task(struct speculation_bench *bench, enum task task) {
    struct samples plain = {0}, guessed = {0}, ratio = {0};
    struct written without, with;
    struct speculation_row *row = &bench->rows[task];
    TRY(write_once(bench, task, 0, &without)); // does not count
    for (int32_t run = 0; run < bench->options->runs; run++) {
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

static enum status measure_speculation(struct speculation_bench *bench) {
    struct harness *harness = &bench->harness;
    TRY(harness_open(harness, &(struct harness_needs){0}));
    if (bench->past + PERIOD + bench->tokens >= harness->info.context)
        return error_set(&harness->err, STATUS_TOO_LONG,
                         "a past of %" PRId32 " and %" PRId32 " tokens more do not fit the context "
                         "of %" PRId32 "; see --depth and -n",
                         bench->past, bench->tokens, harness->info.context);
    for (int task = 0; task < TASKS; task++)
        TRY(measure_task(bench, (enum task)task));
    return STATUS_OK;
}

static void print_table(const struct speculation_bench *bench) {
    char plain[DIGITS_TEXT_BYTES], guessed[DIGITS_TEXT_BYTES], ratio[FIGURE_TEXT_BYTES];
    printf("%.40s on %s: %" PRId32 " tokens after %" PRId32 ", up to %d guessed at once\n\n",
           bench->harness.info.model_name, bench->harness.info.backend, bench->tokens, bench->past,
           GUESSES);
    printf("%-18s %9s %9s %21s %6s %9s\n", "tokens/s", "plain", "guessing", "times (low - high)",
           "kept", "of");
    for (int task = 0; task < TASKS; task++) {
        const struct speculation_row *row = &bench->rows[task];
        printf("%-18s %9s %9s %21s %4.0f %% %9" PRId64 "\n", NAMES[task],
               digits_format(row->plain.median, plain), digits_format(row->guessed.median, guessed),
               figure_format(&row->ratio, 1, ratio), 100 * row->kept_share, row->proposed);
    }
}

static bool print_json(const struct speculation_bench *bench) {
    struct report report = {0};
    report_object(&report, NULL);
    report_text(&report, "model", bench->harness.info.model_name);
    report_text(&report, "backend", bench->harness.info.backend);
    report_array(&report, "lookup");
    for (int task = 0; task < TASKS; task++) {
        const struct speculation_row *row = &bench->rows[task];
        report_object(&report, NULL);
        report_text(&report, "task", NAMES[task]);
        report_number(&report, "tokens_per_s", row->plain.median);
        report_number(&report, "guessing_tokens_per_s", row->guessed.median);
        report_number(&report, "times", row->ratio.median);
        report_number(&report, "proposed", (double)row->proposed);
        report_number(&report, "kept_share", row->kept_share);
        report_end(&report);
    }
    return report_print(&report, bench->options->one_line);
}

int lookup_bench_run(const struct bench_options *options) {
    struct speculation_bench bench = {
        .options = options,
        .engine = options->engine,
        .tokens = options->tokens ? options->tokens : DEFAULT_TOKENS,
        .past = options->depths.count ? options->depths.values[0] : DEFAULT_PAST,
    };
    bench.engine.deterministic = true; // else verifying may sample another token
    bench.harness.options = &bench.engine;
    enum status status = measure_speculation(&bench);
    if (status == STATUS_OK && !options->json) print_table(&bench);
    if (status == STATUS_OK && options->json && !print_json(&bench)) status = STATUS_NO_MEMORY;
    return harness_end(&bench.harness, status);
}
