#include "app/bench/bench.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/base/exit_code.h"
#include "app/bench/rows.h"
#include "app/screen/complain.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum {
    RUNS_MAX = 64,
    DEFAULT_RUNS = 5,
    DEFAULT_TOKENS = 32,
    DEFAULT_PROMPT = 512,
    DEFAULT_DEPTH = 16,
    START_STEPS = 4, // in which all sequences of a batch have begun
    DONE_TIMEOUT_MS = 1000,
};

struct bench {
    const struct bench_options *options;
    struct engine *engine;
    struct sequence *sequences[ENGINE_MAX_REQUESTS]; // of the decodes, prefilled; or NULL
    uint32_t salt;                                   // of the last token ids
    int32_t tokens, runs;
    struct bench_rows found;
    struct error err;
};

// The events of a batch from the moment when all of it decodes until the first one ends.
struct series {
    struct request *requests[ENGINE_MAX_REQUESTS];
    int32_t tokens[ENGINE_MAX_REQUESTS]; // of each, so far
    int32_t count;
    int32_t started, done;
    int32_t last; // the one that began last: its tokens are counted
    int64_t from_us, to_us;
    int32_t steps;
    struct request_stats stats; // of the one that ended last
    enum status status;
};

static void note_token(struct series *series, const struct event *event) {
    int32_t i = 0;
    while (series->requests[i] != event->request)
        i++;
    if (series->tokens[i]++ == 0 && ++series->started == series->count) {
        series->last = i;
        series->from_us = event->at_us;
    } else if (series->started == series->count && i == series->last && series->done == 0) {
        series->to_us = event->at_us;
        series->steps++;
    }
}

static void note_done(struct series *series, const struct event *event) {
    series->done++;
    series->stats = event->stats;
    if (series->status == STATUS_OK) series->status = event->status;
}

// Each of the sequences decodes `tokens`, all of them together.
static enum status run_series(struct bench *bench, struct sequence *const *sequences, int32_t count,
                              int32_t tokens, struct series *series) {
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = tokens, .ignore_end = true};
    options.sampler.temperature = 0;
    *series = (struct series){0};
    for (; series->count < count && series->status == STATUS_OK; series->count++)
        series->status =
            request_start(sequences[series->count], &options, &series->requests[series->count]);
    if (series->status != STATUS_OK) series->count--; // the one that did not start
    struct event event;
    while (series->done < series->count) {
        if (!engine_next_event(bench->engine, DONE_TIMEOUT_MS, &event)) continue;
        if (event.kind == EVENT_TOKEN) note_token(series, &event);
        if (event.kind == EVENT_DONE) note_done(series, &event);
    }
    for (int32_t i = 0; i < series->count; i++)
        request_release(series->requests[i]);
    return series->status;
}

// ---- prefill

// A prompt that was never computed before.
static enum status prefill_once(struct bench *bench, int32_t prompt, double *tokens_per_s) {
    struct sequence *sequence = NULL;
    struct series series;
    TRY(sequence_create(bench->engine, &sequence));
    enum status status =
        bench_append(sequence, bench->found.info.vocabulary, ++bench->salt, prompt);
    if (status == STATUS_OK) status = run_series(bench, &sequence, 1, 1, &series);
    sequence_destroy(sequence);
    TRY(status);
    if (series.stats.cached_tokens > 0)
        return error_set(&bench->err, STATUS_DEVICE,
                         "a prefill found %" PRId64 " of its %" PRId32 " tokens computed already",
                         series.stats.cached_tokens, prompt);
    *tokens_per_s = (double)prompt * 1e6 / (double)series.stats.prefill_us;
    return STATUS_OK;
}

static enum status measure_prefill(struct bench *bench, struct bench_row *row) {
    struct samples samples = {0};
    double speed;
    TRY(prefill_once(bench, row->tokens, &speed)); // does not count
    for (int32_t i = 0; i < bench->runs; i++) {
        TRY(prefill_once(bench, row->tokens, &speed));
        samples_add(&samples, speed);
    }
    row->tokens_per_s = samples_figure(&samples);
    row->step_bytes = engine_step_bytes(bench->engine, row->tokens, 0);
    row->bytes_per_token = row->step_bytes / (size_t)row->tokens;
    return STATUS_OK;
}

// ---- decode

static void let_go(struct bench *bench, int32_t first) {
    for (int32_t i = first; i < ENGINE_MAX_REQUESTS; i++) {
        sequence_destroy(bench->sequences[i]);
        bench->sequences[i] = NULL;
    }
}

// `batch` sequences whose first `depth` tokens are cached: longer by what they lack.
static enum status deepen(struct bench *bench, int32_t depth, int32_t batch) {
    for (int32_t i = 0; i < batch; i++) {
        struct sequence **sequence = &bench->sequences[i];
        struct series series;
        if (!*sequence) TRY(sequence_create(bench->engine, sequence));
        if (sequence_length(*sequence) > depth) sequence_truncate(*sequence, depth);
        if (sequence_cached(*sequence) == depth) continue;
        const uint32_t salt = UINT32_MAX - (uint32_t)i; // of no prefill
        TRY(bench_append(*sequence, bench->found.info.vocabulary, salt, depth));
        TRY(run_series(bench, sequence, 1, 1, &series));
        sequence_truncate(*sequence, depth);
    }
    return STATUS_OK;
}

static enum status decode_once(struct bench *bench, const struct bench_row *row,
                               double *tokens_per_s) {
    const int32_t asked = row->tokens + 1 + (row->batch > 1 ? START_STEPS : 0);
    struct kv_usage before, after;
    struct series series;
    engine_kv_usage(bench->engine, &before);
    TRY(run_series(bench, bench->sequences, row->batch, asked, &series));
    engine_kv_usage(bench->engine, &after);
    for (int32_t i = 0; i < row->batch; i++)
        sequence_truncate(bench->sequences[i], row->depth);
    const uint64_t decoded = after.decoded_tokens - before.decoded_tokens;
    if (decoded < (uint64_t)row->batch * (uint64_t)(asked - 1) || series.steps < 1)
        return error_set(&bench->err, STATUS_DEVICE,
                         "%" PRId32 " sequences did not decode together: %" PRIu64
                         " tokens computed, %" PRId32 " steps of all",
                         row->batch, decoded, series.steps);
    *tokens_per_s =
        (double)row->batch * series.steps * 1e6 / (double)(series.to_us - series.from_us);
    return STATUS_OK;
}

static enum status measure_decode(struct bench *bench, struct bench_row *row) {
    struct samples samples = {0};
    double speed;
    TRY(deepen(bench, row->depth, row->batch));
    TRY(decode_once(bench, row, &speed)); // does not count
    for (int32_t i = 0; i < bench->runs; i++) {
        TRY(decode_once(bench, row, &speed));
        samples_add(&samples, speed);
    }
    row->tokens_per_s = samples_figure(&samples);
    row->step_bytes = engine_step_bytes(bench->engine, row->batch, row->depth + row->tokens / 2);
    row->bytes_per_token = row->step_bytes / (size_t)row->batch;
    return STATUS_OK;
}

// ---- rows

// Does the row fit? If not, it gets the reason.
static bool fits(const struct bench *bench, struct bench_row *row, int32_t length) {
    const struct engine_info *info = &bench->found.info;
    const int64_t blocks = (length + info->block_size - 1) / info->block_size + 1; // and a copy
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    if (blocks * row->batch > (int64_t)info->blocks_total)
        snprintf(row->missing, sizeof row->missing, "needs %s of KV memory, of which there is %s",
                 size_format((size_t)(blocks * row->batch) * info->block_bytes, need),
                 size_format(info->blocks_total * info->block_bytes, have));
    else if (length > info->context)
        snprintf(row->missing, sizeof row->missing,
                 "does not fit the context of %" PRId32 " tokens", info->context);
    return !row->missing[0];
}

// A machine varies, so the ceiling is the highest of what was read before and after each row.
static bool measure_ceiling(struct bench *bench) {
    const double speed = engine_measure_read(bench->engine);
    if (speed > bench->found.read_bytes_per_s) bench->found.read_bytes_per_s = speed;
    return bench->found.read_bytes_per_s > 0;
}

static enum status measure_row(struct bench *bench, struct bench_row row, int32_t length,
                               enum status (*measure)(struct bench *bench, struct bench_row *row)) {
    if (fits(bench, &row, length)) {
        TRY(measure(bench, &row));
        if (row.step_bytes >= bench->found.least_bytes) measure_ceiling(bench);
    }
    ASSERT(bench->found.count < BENCH_ROWS_MAX);
    bench->found.rows[bench->found.count++] = row;
    if (bench->options->json) return STATUS_OK;
    bench_rows_print(&bench->found, &row);
    fflush(stdout); // a row may take minutes
    return STATUS_OK;
}

static struct args_numbers or_default(const struct args_numbers *numbers, int32_t otherwise) {
    return numbers->count ? *numbers : (struct args_numbers){.values = {otherwise}, .count = 1};
}

static enum status measure_decodes(struct bench *bench) {
    const struct args_numbers depths = or_default(&bench->options->depths, DEFAULT_DEPTH);
    const struct args_numbers batches = or_default(&bench->options->batches, 1);
    for (int32_t d = 0; d < depths.count; d++) {
        for (int32_t b = 0; b < batches.count; b++) {
            const struct bench_row row = {.name = "decode",
                                          .tokens = bench->tokens,
                                          .depth = depths.values[d],
                                          .batch = batches.values[b]};
            const int32_t length = row.depth + row.tokens + START_STEPS + 1;
            let_go(bench, row.batch); // room for what this row needs
            TRY(measure_row(bench, row, length, measure_decode));
        }
    }
    let_go(bench, 0);
    return STATUS_OK;
}

static enum status measure_prefills(struct bench *bench) {
    const struct args_numbers prompts = or_default(&bench->options->prompts, DEFAULT_PROMPT);
    for (int32_t p = 0; p < prompts.count; p++) {
        const struct bench_row row = {.name = "prefill", .tokens = prompts.values[p], .batch = 1};
        TRY(measure_row(bench, row, row.tokens + 1, measure_prefill));
    }
    return STATUS_OK;
}

static enum status measure(struct bench *bench) {
    const struct bench_options *options = bench->options;
    struct engine_options engine_options = bench_subject_engine(&options->subject);
    char bytes[SIZE_TEXT_BYTES];
    engine_options.step_tokens = ENGINE_STEP_TOKENS_ALL;
    TRY(engine_open(&engine_options, &bench->engine, &bench->err));
    engine_info(bench->engine, &bench->found.info);
    bench->found.least_bytes = engine_read_bytes(bench->engine);
    if (!measure_ceiling(bench))
        return error_set(&bench->err, STATUS_NO_MEMORY,
                         "not enough memory to measure the read bandwidth (%s)",
                         size_format(bench->found.least_bytes, bytes));
    if (!options->json) bench_rows_print_heading(&bench->found);
    // Prefills first: decodes may leave a full pool, from which a prefill would evict.
    if (options->prefill) TRY(measure_prefills(bench));
    if (options->decode) TRY(measure_decodes(bench));
    if (options->json && !bench_rows_print_json(&bench->found, options->one_line))
        return STATUS_NO_MEMORY;
    for (int32_t i = 0; i < bench->found.count; i++)
        if (!bench->found.rows[i].missing[0]) return STATUS_OK;
    return error_set(&bench->err, STATUS_TOO_LONG, "nothing of this fits; see --kv-device");
}

int bench_run(const struct bench_options *options) {
    ASSERT(options->runs >= 0 && options->runs <= RUNS_MAX);
    struct bench bench = {
        .options = options,
        .tokens = options->tokens ? options->tokens : DEFAULT_TOKENS,
        .runs = options->runs ? options->runs : DEFAULT_RUNS,
    };
    const enum status status = measure(&bench);
    engine_close(bench.engine);
    return status == STATUS_OK ? EXIT_DONE
                               : complain_failed(exit_code_for_bench(status), status, &bench.err);
}
