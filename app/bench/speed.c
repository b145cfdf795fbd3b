// app/bench/speed.c — `quire bench decode|prefill`.
//
// The speed of a decode is taken from the times of the tokens themselves: from the moment when all
// sequences of a batch decode until the first of them ends, so that neither the start, where they
// join one by one, nor the end counts. The ceiling is measured before and after each row, because a
// machine varies; the highest so far counts. The bytes that several tokens of a mixture read are an
// expectation, which may exceed what they did read; so these rows have neither a rate nor a share.
//
// With several rows of each sequence, all but the first are drafts of any tokens, which hardly ever
// are right. Those that were are subtracted from the tokens, so what is left is the steps. With
// simulated acceptance a draw decides how many are right, and all tokens count. The last tokens do
// not, because a step near the limit has fewer drafts.
#include <inttypes.h>
#include <stdio.h>

#include "app/bench/bench.h"
#include "app/bench/harness.h"
#include "engine/measure.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/read_speed.h"

enum {
    DEFAULT_TOKENS = 32,
    DEFAULT_PROMPT = 512,
    DEFAULT_DEPTH = 16,
    START_STEPS = 4, // in which all sequences of a batch have begun
    DONE_TIMEOUT_MS = 1000,
    DECODES_MAX = ARGS_NUMBERS_MAX * ARGS_NUMBERS_MAX * (ARGS_NUMBERS_MAX + 1), // one simulated
    ROWS_MAX = DECODES_MAX + ARGS_NUMBERS_MAX,
};

struct speed_row {
    const char *name;            // "decode", "prefill"
    char missing[MISSING_BYTES]; // why there are no figures; "": there are some
    bool refuses_rows;           // they are missing because of --rows
    int32_t tokens;              // decoded per sequence, or in the prompt
    int32_t depth;               // tokens in the cache before them, per sequence
    int32_t batch;               // sequences decoded together
    int32_t rows;                // tokens of each in a step
    bool simulated;              // drafts are accepted as the options say
    struct figure tokens_per_s;  // of all rows together
    size_t bytes_per_token;      // bytes read per token; for a prefill, per pass
    size_t step_bytes;           // read by a step, or by the whole prefill
    bool bytes_vary;             // they are an expectation
    struct engine_split split;   // of weights in two places
};

struct speed_bench {
    const struct bench_options *options;
    struct harness harness;
    struct sequence *sequences[ENGINE_MAX_REQUESTS]; // of the decodes, prefilled; or NULL
    uint32_t salt;                                   // of the last prompt
    double read_bytes_per_s;
    double host_bytes_per_s; // where weights are in two places: of the processor's memory; else 0
    size_t least_bytes;      // of a step that is compared with it
    struct speed_row rows[ROWS_MAX];
    int32_t count;
};

// Measures a row's speed once, or says what is missing.
typedef enum status speed_run(struct speed_bench *bench, struct speed_row *row,
                              double *tokens_per_s);

// ---- prefill

// A prompt that was never computed before.
static enum status prefill_once(struct speed_bench *bench, struct speed_row *row,
                                double *tokens_per_s) {
    struct harness *harness = &bench->harness;
    struct sequence *sequence;
    struct request_stats stats;
    TRY(sequence_create(harness->engine, &sequence));
    enum status status = harness_append(harness, sequence, ++bench->salt, row->tokens);
    if (status == STATUS_OK) status = harness_generate(harness, sequence, 1, &stats);
    sequence_destroy(sequence);
    TRY(status);
    if (stats.cached_tokens > 0)
        return error_set(&harness->err, STATUS_DEVICE,
                         "a prefill found %" PRId64 " of its %" PRId32 " tokens computed already",
                         stats.cached_tokens, row->tokens);
    *tokens_per_s = (double)row->tokens * 1e6 / (double)stats.prefill_us;
    return STATUS_OK;
}

// ---- decode

struct series { // the tokens of a batch
    struct request *requests[ENGINE_MAX_REQUESTS];
    int32_t tokens[ENGINE_MAX_REQUESTS]; // of each, so far
    int32_t count;
    int32_t limit; // of each: tokens past it do not count
    int32_t started, done;
    int32_t last; // the sequence that began last; its tokens are counted
    int64_t from_us, to_us;
    int32_t steps;
    struct draft_stats drafts; // of the last sequence
    enum status status;
};

static void note_token(struct series *series, const struct event *event) {
    int32_t i = 0;
    while (series->requests[i] != event->request)
        i++;
    if (series->tokens[i]++ == 0 && ++series->started == series->count) {
        series->last = i;
        series->from_us = event->at_us;
    } else if (series->started == series->count && i == series->last && series->done == 0 &&
               series->tokens[i] <= series->limit) {
        series->to_us = event->at_us;
        series->steps++;
    }
}

// Each of the row's sequences decodes `tokens` that count, all of them together.
static enum status run_series(struct speed_bench *bench, const struct speed_row *row,
                              int32_t tokens, struct series *series) {
    struct request_options options = harness_request(tokens + row->rows - 1);
    options.speculate = row->rows - 1;
    options.draft_blindly = true;
    for (int32_t i = 0; i < bench->options->accept.count && row->simulated; i++)
        options.simulated[i] = (float)bench->options->accept.values[i] / 100;
    *series = (struct series){.limit = tokens};
    while (series->count < row->batch && series->status == STATUS_OK) {
        series->status = request_start_all(&bench->sequences[series->count], &options, 1,
                                           &series->requests[series->count]);
        series->count += series->status == STATUS_OK;
    }
    struct event event;
    while (series->done < series->count) {
        if (!engine_next_event(bench->harness.engine, DONE_TIMEOUT_MS, &event)) continue;
        if (event.kind == EVENT_TOKEN) note_token(series, &event);
        if (event.kind != EVENT_DONE) continue;
        series->done++;
        if (event.request == series->requests[series->last]) series->drafts = event.stats.drafts;
        if (series->status == STATUS_OK) series->status = event.status;
    }
    for (int32_t i = 0; i < series->count; i++)
        request_release(series->requests[i]);
    return series->status;
}

static void release_sequences(struct speed_bench *bench, int32_t first) {
    for (int32_t i = first; i < ENGINE_MAX_REQUESTS; i++) {
        sequence_destroy(bench->sequences[i]);
        bench->sequences[i] = NULL;
    }
}

// Sequences whose first `depth` tokens are cached, and no more: computes what they lack.
static enum status prepare(struct speed_bench *bench, int32_t depth, int32_t batch) {
    for (int32_t i = 0; i < batch; i++) {
        struct sequence **sequence = &bench->sequences[i];
        const uint32_t salt = UINT32_MAX - (uint32_t)i; // of no prefill
        if (!*sequence) TRY(sequence_create(bench->harness.engine, sequence));
        if (sequence_length(*sequence) > depth) sequence_truncate(*sequence, depth);
        if (sequence_cached(*sequence) == depth) continue;
        TRY(harness_append(&bench->harness, *sequence, salt, depth));
        TRY(harness_prefill(&bench->harness, *sequence, NULL));
    }
    return STATUS_OK;
}

static enum status decode_once(struct speed_bench *bench, struct speed_row *row,
                               double *tokens_per_s) {
    const int32_t asked = row->tokens + 1 + (row->batch > 1 ? START_STEPS : 0);
    struct series series;
    TRY(prepare(bench, row->depth, row->batch));
    const uint64_t before = harness_usage(&bench->harness).work.decoded_tokens;
    TRY(run_series(bench, row, asked, &series));
    const uint64_t decoded = harness_usage(&bench->harness).work.decoded_tokens - before;
    const int64_t drafted = series.drafts.of[DRAFT_LOOKUP].drafted, steps = series.drafts.steps;
    const int32_t counted = series.steps - (int32_t)series.drafts.of[DRAFT_LOOKUP].accepted;
    if (decoded < (uint64_t)row->batch * (uint64_t)(asked - 1) || series.steps < 1 ||
        (counted < 1 && !row->simulated))
        return error_set(&bench->harness.err, STATUS_DEVICE,
                         "%" PRId32 " sequences did not decode together: %" PRIu64
                         " tokens computed, %" PRId32 " steps of all",
                         row->batch, decoded, counted);
    if (!row->simulated && drafted < (row->rows - 1) * (steps - row->rows)) {
        const int64_t most = 1 + (drafted + steps - 1) / steps;
        snprintf(row->missing, sizeof row->missing,
                 "steps of this model and batch have %" PRId64 " row%s at most", most,
                 most == 1 ? "" : "s");
        row->refuses_rows = true;
    }
    const double tokens = row->simulated ? series.steps : (double)row->rows * counted;
    *tokens_per_s = row->batch * tokens * 1e6 / (double)(series.to_us - series.from_us);
    return STATUS_OK;
}

// ---- printing

static double bytes_per_s(const struct speed_row *row) {
    return (double)row->bytes_per_token * row->tokens_per_s.median;
}

// Tokens of a step whose drafts are accepted as the options say.
static double expected(const struct speed_bench *bench) {
    double all = 1, tokens = 1;
    for (int32_t i = 0; i < bench->options->accept.count; i++) {
        all *= bench->options->accept.values[i] / 100.0;
        tokens += all;
    }
    return tokens;
}

// Of the ceiling; 0: what was read is unknown, or so little that caches have a part of it.
static double share_of(const struct speed_bench *bench, const struct speed_row *row) {
    if (row->step_bytes < bench->least_bytes || row->bytes_vary) return 0;
    return bytes_per_s(row) / bench->read_bytes_per_s;
}

// The seconds that a token of one answer takes if every byte is read at the ceiling of where it
// lies, or of where it was copied to; 0: weights are in one place, where the ceiling says the same.
static double floor_s(const struct speed_bench *bench, const struct speed_row *row) {
    const double host = (double)row->split.host_bytes;
    const bool decodes_one = row->depth > 0 && row->batch == 1; // a prefill has no depth
    if (bench->host_bytes_per_s <= 0 || !decodes_one || (double)row->step_bytes < host) return 0;
    return host / bench->host_bytes_per_s +
           ((double)row->step_bytes - host) / bench->read_bytes_per_s;
}

// Of the keys and values that a step reads.
static size_t key_bytes(const struct speed_bench *bench, const struct speed_row *row) {
    const struct engine *engine = bench->harness.engine;
    if (row->depth == 0) return 0;
    return engine_step_bytes(engine, row->batch, row->depth + row->tokens / 2) -
           engine_step_bytes(engine, row->batch, 0);
}

// What is predicted of a short context, and the time that this one's keys take to read: attention
// of one sequence reaches about half of the ceiling (bench attention).
static double with_keys(const struct speed_bench *bench, const struct speed_row *row,
                        double predicted) {
    const double share = 0.5;
    if (predicted <= 0) return 0;
    return 1 / (1 / predicted + (double)key_bytes(bench, row) / (share * bench->read_bytes_per_s));
}

// "        floor 8.90 ms, 71 % reached; predicted 76.0 tokens/s, 84.1 with 54 % hits"
static void print_floor(const struct speed_bench *bench, const struct speed_row *row) {
    const double least = floor_s(bench, row), hits = row->split.hits;
    const double predicted = with_keys(bench, row, bench->harness.info.predicted_tokens_s);
    if (least <= 0) return;
    printf("        floor %.2f ms, %.0f %% reached", 1e3 * least,
           100 * row->tokens_per_s.median * least);
    if (predicted > 0) printf("; predicted %.1f tokens/s", predicted);
    if (predicted > 0 && hits > 0)
        printf(", %.1f with %.0f %% hits", with_keys(bench, row, row->split.tokens_s), 100 * hits);
    printf("\n");
}

static void print_row(const struct speed_bench *bench, const struct speed_row *row) {
    char bytes[SIZE_TEXT_BYTES], speed[FIGURE_TEXT_BYTES], share[DIGITS_TEXT_BYTES] = "-";
    char batch[DIGITS_TEXT_BYTES], rate[DIGITS_TEXT_BYTES] = "-";
    const char *name = row->simulated ? "drafted" : row->name;
    snprintf(batch, sizeof batch, row->rows > 1 ? "%" PRId32 "x%" PRId32 : "%" PRId32, row->batch,
             row->rows);
    printf("%-7s %6" PRId32 " %6" PRId32 " %5s ", name, row->tokens, row->depth, batch);
    if (share_of(bench, row) > 0)
        snprintf(share, sizeof share, "%.1f %%", 100 * share_of(bench, row));
    if (!row->bytes_vary) snprintf(rate, sizeof rate, "%.1f", bytes_per_s(row) / 1e9);
    if (row->missing[0])
        printf("%s\n", row->missing);
    else
        printf("%24s %11s %6s %7s\n", figure_format(&row->tokens_per_s, 1, speed),
               size_format(row->bytes_per_token, bytes), rate, share);
    if (!row->missing[0]) print_floor(bench, row);
    fflush(stdout); // a row may take minutes
}

static void report_row(struct report *report, const struct speed_bench *bench,
                       const struct speed_row *row) {
    report_object(report, NULL);
    report_text(report, "name", row->name);
    report_number(report, "tokens", row->tokens);
    report_number(report, "depth", row->depth);
    report_number(report, "batch", row->batch);
    report_number(report, "rows", row->rows);
    report_number(report, "simulated_tokens_per_step", row->simulated ? expected(bench) : 0);
    if (report_measured(report, row->missing)) {
        report_number(report, "tokens_per_s", row->tokens_per_s.median);
        report_number(report, "tokens_per_s_low", row->tokens_per_s.low);
        report_number(report, "tokens_per_s_high", row->tokens_per_s.high);
        report_number(report, "bytes_per_token", (double)row->bytes_per_token);
        if (row->bytes_vary)
            report_text(report, "bytes_per_s", NULL);
        else
            report_number(report, "bytes_per_s", bytes_per_s(row));
        if (share_of(bench, row) > 0)
            report_number(report, "of_read_bandwidth", share_of(bench, row));
        else
            report_text(report, "of_read_bandwidth", NULL);
        const double least = floor_s(bench, row);
        if (least > 0) {
            report_number(report, "floor_s", least);
            report_number(report, "of_floor", row->tokens_per_s.median * least);
            report_number(report, "predicted_tokens_per_s",
                          with_keys(bench, row, bench->harness.info.predicted_tokens_s));
            report_number(report, "hits", row->split.hits);
            report_number(report, "predicted_with_hits_tokens_per_s",
                          with_keys(bench, row, row->split.tokens_s));
        }
    }
    report_end(report);
}

static bool print_json(const struct speed_bench *bench) {
    struct report report = {0};
    report_object(&report, NULL);
    report_model(&report, &bench->harness.info, bench->read_bytes_per_s);
    report_array(&report, "results");
    for (int32_t i = 0; i < bench->count; i++)
        report_row(&report, bench, &bench->rows[i]);
    return report_print(&report, bench->options->one_line);
}

// ---- rows

// Does the row fit? If not, it gets the reason.
static bool fits(const struct speed_bench *bench, struct speed_row *row) {
    const struct engine_info *info = &bench->harness.info;
    const int32_t length = row->depth + row->tokens + (row->depth ? START_STEPS : 0) + row->rows;
    const int64_t blocks = (length + info->block_size - 1) / info->block_size + 1; // and a copy
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    if (blocks * row->batch > (int64_t)info->blocks_total)
        snprintf(row->missing, sizeof row->missing, "needs %s of KV cache (there is %s)",
                 size_format((size_t)row->batch *
                                 ((size_t)blocks * info->block_bytes + info->sequence_bytes),
                             need),
                 size_format(bench->harness.most_bytes, have));
    else if (length > info->context)
        snprintf(row->missing, sizeof row->missing,
                 "does not fit the context of %" PRId32 " tokens", info->context);
    else if ((row->refuses_rows = row->rows > 1 && !row->simulated && info->state_bytes > 0))
        snprintf(row->missing, sizeof row->missing,
                 "layers with a state compute rejected rows again");
    return !row->missing[0];
}

// Of the processor, next to a card that has other weights, which are many times what its caches
// hold. Nothing runs meanwhile.
static void measure_host(struct speed_bench *bench) {
    enum { CACHES = 16, FREE_SHARE = 4 };
    static const size_t MOST_BYTES = (size_t)4 << 30;
    const struct device_options how = {.threads = bench->options->engine.threads};
    struct device *device;
    struct device_info info;
    if (engine_split(bench->harness.engine).host_bytes == 0) return;
    if (backend_cpu()->open(&how, &device, NULL) != STATUS_OK) return;
    backend_cpu()->info(device, &info);
    const size_t least = read_speed_bytes(info.cache_bytes), spare = info.memory_free / FREE_SHARE;
    size_t bytes = info.cache_bytes < MOST_BYTES / CACHES ? CACHES * info.cache_bytes : MOST_BYTES;
    if (bytes > spare) bytes = spare;
    bench->host_bytes_per_s = read_speed_of(backend_cpu(), device, bytes > least ? bytes : least);
    backend_cpu()->close(device);
}

static void measure_ceiling(struct speed_bench *bench) {
    const double speed = engine_measure_read(bench->harness.engine);
    if (speed > bench->read_bytes_per_s) bench->read_bytes_per_s = speed;
}

// Bytes that a step reads: the keys and values of a sequence once for all its rows.
static size_t step_bytes(const struct speed_bench *bench, const struct speed_row *row,
                         int32_t at_once) {
    return engine_step_bytes(bench->harness.engine, at_once, 0) + key_bytes(bench, row);
}

static enum status measure_row(struct speed_bench *bench, struct speed_row row, speed_run *once) {
    const bool decodes = once == decode_once;
    const int32_t at_once = decodes ? row.batch * row.rows : row.tokens; // tokens of a step
    struct samples samples = {0};
    double speed;
    release_sequences(bench, decodes ? row.batch : 0);     // room for what this row needs
    if (fits(bench, &row)) TRY(once(bench, &row, &speed)); // does not count
    if (!row.missing[0]) {
        for (int32_t i = 0; i < bench->options->runs; i++) {
            TRY(once(bench, &row, &speed));
            samples_add(&samples, speed);
        }
        row.tokens_per_s = samples_figure(&samples);
        row.step_bytes = step_bytes(bench, &row, at_once);
        row.split = engine_split(bench->harness.engine);
        row.bytes_vary = engine_step_bytes_vary(bench->harness.engine, at_once);
        row.bytes_per_token = row.step_bytes / (size_t)at_once;
        if (row.simulated)
            row.bytes_per_token = (size_t)((double)row.step_bytes / (row.batch * expected(bench)));
        if (row.step_bytes >= bench->least_bytes) measure_ceiling(bench);
    }
    ASSERT(bench->count < ROWS_MAX);
    bench->rows[bench->count++] = row;
    if (!bench->options->json) print_row(bench, &row);
    return STATUS_OK;
}

static struct args_numbers or_default(const struct args_numbers *numbers, int32_t otherwise) {
    return numbers->count ? *numbers : (struct args_numbers){.values = {otherwise}, .count = 1};
}

static enum status measure_decodes(struct speed_bench *bench) {
    const struct args_numbers depths = or_default(&bench->options->depths, DEFAULT_DEPTH);
    const struct args_numbers batches = or_default(&bench->options->batches, 1);
    const struct args_numbers rows = or_default(&bench->options->rows, 1);
    const int32_t tokens = bench->options->tokens ? bench->options->tokens : DEFAULT_TOKENS;
    for (int32_t at = 0; at < depths.count * batches.count; at++) {
        struct speed_row row = {.name = "decode",
                                .tokens = tokens,
                                .depth = depths.values[at / batches.count],
                                .batch = batches.values[at % batches.count]};
        for (int32_t r = 0; r < rows.count; r++) {
            row.rows = rows.values[r];
            TRY(measure_row(bench, row, decode_once));
        }
        row.rows = 1 + bench->options->accept.count;
        row.simulated = row.rows > 1;
        if (row.simulated) TRY(measure_row(bench, row, decode_once));
    }
    release_sequences(bench, 0);
    return STATUS_OK;
}

static enum status measure_prefills(struct speed_bench *bench) {
    const struct args_numbers prompts = or_default(&bench->options->prompts, DEFAULT_PROMPT);
    for (int32_t p = 0; p < prompts.count; p++)
        TRY(measure_row(bench,
                        (struct speed_row){
                            .name = "prefill", .tokens = prompts.values[p], .batch = 1, .rows = 1},
                        prefill_once));
    return STATUS_OK;
}

// Rows without figures are no failure, as long as there are others.
static enum status check_found(struct speed_bench *bench) {
    const struct speed_row *refused = NULL;
    int32_t unfit = 0;
    for (int32_t i = 0; i < bench->count; i++) {
        const struct speed_row *row = &bench->rows[i];
        if (!row->missing[0]) return STATUS_OK;
        if (row->refuses_rows)
            refused = row;
        else
            unfit++;
    }
    if (unfit == 0 && refused)
        return error_set(&bench->harness.err, STATUS_BAD_INPUT, "--rows %" PRId32 ": %s",
                         refused->rows, refused->missing);
    return error_set(&bench->harness.err, STATUS_TOO_LONG,
                     "nothing fits; change --kv-device, --depth or --prompt-tokens");
}

static enum status measure_rows(struct speed_bench *bench) {
    const struct bench_options *options = bench->options;
    TRY(harness_probe(&bench->harness, &bench->read_bytes_per_s));
    bench->least_bytes = engine_read_bytes(bench->harness.engine);
    measure_host(bench);
    if (!options->json) {
        report_print_heading(&bench->harness.info, bench->read_bytes_per_s);
        if (bench->host_bytes_per_s > 0)
            printf("read bandwidth of the processor %.1f GB/s\n", bench->host_bytes_per_s / 1e9);
        printf("\n%-7s %6s %6s %5s %24s %11s %6s %7s\n", "", "tokens", "depth", "batch",
               "tokens/s (low - high)", "bytes/token", "GB/s", "of read");
    }
    // Prefills first: decodes may leave a full pool, from which a prefill would evict.
    if (options->prefill) TRY(measure_prefills(bench));
    if (options->decode) TRY(measure_decodes(bench));
    if (options->json && !print_json(bench)) return STATUS_NO_MEMORY;
    return check_found(bench);
}

int bench_speed_run(const struct bench_options *options) {
    struct speed_bench bench = {.options = options, .harness = {.options = &options->engine}};
    return harness_end(&bench.harness, measure_rows(&bench));
}
