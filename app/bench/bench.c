#include "app/bench/bench.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/exit_code.h"
#include "engine/base/size.h"
#include "engine/engine.h"

enum {
    RUNS_MAX = 64,
    DEFAULT_RUNS = 5,
    DEFAULT_TOKENS = 32,
    DEFAULT_PROMPT = 512,
    DEFAULT_DEPTH = 16,
    DONE_TIMEOUT_MS = 1000,
};

static const size_t READ_BYTES = (size_t)1 << 30; // far more than any cache holds

struct series { // of one measurement
    double values[RUNS_MAX];
    int32_t count;
};

struct report {
    const char *name;
    int32_t tokens; // decoded, or in the prompt
    int32_t depth;  // in the cache before it
    double tokens_per_s, low, high;
    size_t bytes_per_token; // read for one token; for a prefill, for one pass
    double bytes_per_s;
};

struct bench {
    const struct bench_options *options;
    struct engine *engine;
    struct engine_info info;
    double read_bytes_per_s;
    struct report reports[2];
    int32_t report_count;
    struct error err;
};

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(struct series *series, struct report *report) {
    qsort(series->values, (size_t)series->count, sizeof series->values[0], compare);
    report->low = series->values[0];
    report->tokens_per_s = series->values[series->count / 2];
    report->high = series->values[series->count - 1];
}

static int32_t or_default(int32_t value, int32_t otherwise) { return value ? value : otherwise; }

// Ids that differ from each other; which ones does not matter for speed.
static enum status append_ids(struct sequence *sequence, int32_t count, int32_t vocabulary) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t id = (int32_t)((int64_t)(i + 1) * 7919 % vocabulary);
        TRY(sequence_append(sequence, &id, 1));
    }
    return STATUS_OK;
}

// A prompt of `prompt` tokens, then `tokens` greedy ones.
static enum status run_once(struct bench *bench, int32_t prompt, int32_t tokens,
                            struct request_stats *stats) {
    struct sequence *sequence = NULL;
    struct request *request = NULL;
    TRY(sequence_create(bench->engine, &sequence));
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = tokens, .ignore_end = true};
    options.sampler.temperature = 0;
    enum status status = append_ids(sequence, prompt, bench->info.vocabulary);
    if (status == STATUS_OK) status = request_start(sequence, &options, &request);
    struct event event = {0};
    while (request && event.kind != EVENT_DONE)
        engine_next_event(bench->engine, DONE_TIMEOUT_MS, &event);
    if (request) {
        status = event.status;
        *stats = event.stats;
        request_release(request);
    }
    sequence_destroy(sequence);
    return status;
}

static enum status measure_decode(struct bench *bench) {
    const int32_t tokens = or_default(bench->options->tokens, DEFAULT_TOKENS) + 1;
    const int32_t depth = or_default(bench->options->depth, DEFAULT_DEPTH);
    struct series series = {.count = or_default(bench->options->runs, DEFAULT_RUNS)};
    for (int32_t i = 0; i < series.count; i++) {
        struct request_stats stats;
        TRY(run_once(bench, depth, tokens, &stats));
        series.values[i] = (double)(tokens - 1) * 1e6 / (double)stats.decode_us;
    }
    struct report *report = &bench->reports[bench->report_count++];
    *report = (struct report){.name = "decode", .tokens = tokens - 1, .depth = depth};
    summarise(&series, report);
    report->bytes_per_token = engine_decode_bytes(bench->engine, depth + tokens / 2);
    report->bytes_per_s = (double)report->bytes_per_token * report->tokens_per_s;
    return STATUS_OK;
}

static enum status measure_prefill(struct bench *bench) {
    const int32_t prompt = or_default(bench->options->prompt, DEFAULT_PROMPT);
    struct series series = {.count = or_default(bench->options->runs, DEFAULT_RUNS)};
    for (int32_t i = 0; i < series.count; i++) {
        struct request_stats stats;
        TRY(run_once(bench, prompt, 1, &stats));
        series.values[i] = (double)prompt * 1e6 / (double)stats.prefill_us;
    }
    struct report *report = &bench->reports[bench->report_count++];
    *report = (struct report){.name = "prefill", .tokens = prompt};
    summarise(&series, report);
    report->bytes_per_token = engine_decode_bytes(bench->engine, 0) / (size_t)prompt;
    report->bytes_per_s = (double)report->bytes_per_token * report->tokens_per_s;
    return STATUS_OK;
}

static void print_table(const struct bench *bench) {
    char weights[SIZE_TEXT_BYTES];
    printf("%s, %s, %s of weights, KV %s\n", bench->info.model_name, bench->info.file_type,
           size_format(bench->info.weight_bytes, weights), bench->info.kv_type);
    printf("%s: %s\n", bench->info.backend, bench->info.device);
    printf("read bandwidth %.1f GB/s (measured in this run)\n\n", bench->read_bytes_per_s / 1e9);
    printf("%-9s %7s %7s %10s %19s %12s %7s %7s\n", "", "tokens", "depth", "tokens/s", "low - high",
           "bytes/token", "GB/s", "of read");
    for (int32_t i = 0; i < bench->report_count; i++) {
        const struct report *report = &bench->reports[i];
        char bytes[SIZE_TEXT_BYTES];
        printf("%-9s %7" PRId32 " %7" PRId32 " %10.1f %9.1f - %7.1f %12s %7.1f %5.1f %%\n",
               report->name, report->tokens, report->depth, report->tokens_per_s, report->low,
               report->high, size_format(report->bytes_per_token, bytes), report->bytes_per_s / 1e9,
               100 * report->bytes_per_s / bench->read_bytes_per_s);
    }
}

static cJSON *report_to_json(const struct bench *bench, const struct report *report) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", report->name);
    cJSON_AddNumberToObject(object, "tokens", report->tokens);
    cJSON_AddNumberToObject(object, "depth", report->depth);
    cJSON_AddNumberToObject(object, "tokens_per_s", report->tokens_per_s);
    cJSON_AddNumberToObject(object, "tokens_per_s_low", report->low);
    cJSON_AddNumberToObject(object, "tokens_per_s_high", report->high);
    cJSON_AddNumberToObject(object, "bytes_per_token", (double)report->bytes_per_token);
    cJSON_AddNumberToObject(object, "bytes_per_s", report->bytes_per_s);
    cJSON_AddNumberToObject(object, "of_read_bandwidth",
                            report->bytes_per_s / bench->read_bytes_per_s);
    return object;
}

// False when memory is short: cJSON says so by NULL.
static bool print_json(const struct bench *bench) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "model", bench->info.model_name);
    cJSON_AddStringToObject(root, "type", bench->info.file_type);
    cJSON_AddNumberToObject(root, "weight_bytes", (double)bench->info.weight_bytes);
    cJSON_AddStringToObject(root, "kv_type", bench->info.kv_type);
    cJSON_AddStringToObject(root, "backend", bench->info.backend);
    cJSON_AddStringToObject(root, "device", bench->info.device);
    cJSON_AddNumberToObject(root, "threads", bench->info.threads);
    cJSON_AddNumberToObject(root, "read_bytes_per_s", bench->read_bytes_per_s);
    cJSON *results = cJSON_AddArrayToObject(root, "results");
    for (int32_t i = 0; i < bench->report_count; i++)
        cJSON_AddItemToArray(results, report_to_json(bench, &bench->reports[i]));
    char *text = cJSON_Print(root);
    if (text) puts(text);
    cJSON_free(text);
    cJSON_Delete(root);
    return text != NULL;
}

static enum status measure(struct bench *bench) {
    const struct bench_options *options = bench->options;
    const struct engine_options engine_options = {
        .model_path = options->model_path,
        .shape = options->shape,
        .shape_type = options->type,
        .backend = options->backend,
        .kv_type = options->kv_type,
        .threads = options->threads,
        .step_tokens = ENGINE_STEP_TOKENS,
    };
    TRY(engine_open(&engine_options, &bench->engine, &bench->err));
    engine_info(bench->engine, &bench->info);
    const int32_t longest =
        or_default(options->depth, DEFAULT_DEPTH) + or_default(options->tokens, DEFAULT_TOKENS) + 2;
    const int32_t prompt = or_default(options->prompt, DEFAULT_PROMPT) + 2;
    if (longest > bench->info.context || prompt > bench->info.context)
        return error_set(&bench->err, STATUS_TOO_LONG,
                         "%s holds %" PRId32 " tokens of context, which is too few for this bench",
                         bench->info.model_name, bench->info.context);
    bench->read_bytes_per_s = engine_measure_read(bench->engine, READ_BYTES);
    if (!(bench->read_bytes_per_s > 0))
        return error_set(&bench->err, STATUS_NO_MEMORY,
                         "not enough memory to measure the read bandwidth (1 GiB)");
    if (options->decode) TRY(measure_decode(bench));
    if (options->prefill) TRY(measure_prefill(bench));
    return STATUS_OK;
}

int bench_run(const struct bench_options *options) {
    if (options->runs < 0 || options->runs > RUNS_MAX) {
        fprintf(stderr, "quire: runs: expected 1 to %d, found %" PRId32 "\n", RUNS_MAX,
                options->runs);
        return EXIT_USAGE;
    }
    struct bench bench = {.options = options};
    const enum status status = measure(&bench);
    int code = EXIT_DONE;
    if (status != STATUS_OK) {
        fprintf(stderr, "quire: %s\n", bench.err.text[0] ? bench.err.text : status_text(status));
        code = exit_code_for(status);
    } else if (!options->json) {
        print_table(&bench);
    } else if (!print_json(&bench)) {
        fprintf(stderr, "quire: not enough memory\n");
        code = EXIT_RUN_TIME;
    }
    engine_close(bench.engine);
    return code;
}
