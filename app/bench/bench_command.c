#include "app/bench/bench_command.h"

#include <stdio.h>
#include <string.h>

#include "app/base/exit_code.h"
#include "app/cli/launch.h"
#include "app/cli/options.h"
#include "app/screen/complain.h"

typedef int bench_runner(const struct bench_options *options);

static bool is_named(const struct args *args, const char *word) {
    for (size_t i = 0; i < args->operand_count; i++)
        if (strcmp(args->operands[i], word) == 0) return true;
    return false;
}

static struct bench_options options_of(const struct args *args, const struct config *config) {
    return (struct bench_options){
        .engine = {.shape = args->shape,
                   .shape_type = args->type,
                   .backend = args->backend,
                   .kv_type = args->kv_type,
                   .kv_device_bytes = args->kv_device_bytes,
                   .threads = args->threads,
                   .device_bytes = args->device_bytes,
                   .placement = args_placement(args),
                   .rates_path =
                       config->rates_path.length ? text_string(&config->rates_path) : NULL,
                   .step_tokens = ENGINE_STEP_TOKENS_ALL,
                   .unshared = strcmp(args->shared_past, "off") == 0},
        .decode = args->operand_count == 0 || is_named(args, "decode"),
        .prefill = args->operand_count == 0 || is_named(args, "prefill"),
        .attention = is_named(args, "attention"),
        .swap = is_named(args, "swap"),
        .tokens = args->tokens,
        .prompts = args->prompt_tokens,
        .depths = args->depth,
        .batches = args->batch,
        .rows = args->rows,
        .accept = args->accept,
        .branches = args->branches ? args->branches : 1,
        .runs = args->runs ? args->runs : BENCH_RUNS_DEFAULT,
        .folder = args->kv_dir ? args->kv_dir : text_string(&config->cache_path),
        .folder_given = args->kv_dir != NULL,
        .json = strcmp(args->format, "text") != 0,
        .one_line = strcmp(args->format, "jsonl") == 0,
        .quiet = args->quiet,
    };
}

int bench_model_run(const struct args *args, const struct config *config, bench_runner *run) {
    struct text model = {0};
    struct error err = {0};
    bool demo;
    enum status status = STATUS_OK;
    struct bench_options options = options_of(args, config);
    if (!args->shape) status = launch_find_model(args, &model, &demo, &err);
    if (model.length) options.engine.model_path = text_string(&model);
    const int code =
        status == STATUS_OK ? run(&options) : complain_failed(EXIT_MODEL, status, &err);
    text_deinit(&model);
    return code;
}

#define OF_A_MODEL " model shape dtype device-memory ngl n-cpu-moe kv-device "

static const struct {
    const char *word;
    bench_runner *run;
    const char *options; // those that only some measurements have, between blanks
} TABLE[] = {
    {"decode", bench_speed_run, OF_A_MODEL "tokens depth batch rows accept "},
    {"prefill", bench_speed_run, OF_A_MODEL "prompt-tokens "},
    {"attention", bench_ops_run, ""},
    {"swap", bench_ops_run, ""},
    {"batch", bench_batch_run, OF_A_MODEL "tokens depth batch branches shared-past "},
    {"kv", bench_kv_run, OF_A_MODEL "kv-dir "},
};
enum { TABLE_COUNT = sizeof TABLE / sizeof TABLE[0] };

static bench_runner *find_runner(const char *word) {
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(TABLE[i].word, word) == 0) return TABLE[i].run;
    return NULL;
}

static int refuse_word(const char *word, const char *first) {
    struct error err = {0};
    struct text words = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < TABLE_COUNT && status == STATUS_OK; i++)
        status = text_format(&words, "%s%s", i > 0 ? ", " : "", TABLE[i].word);
    if (status == STATUS_OK && find_runner(word))
        status = error_set(&err, STATUS_BAD_INPUT,
                           "bench: \"%s\" and \"%s\" cannot be used together; run one at a time",
                           first, word);
    else if (status == STATUS_OK)
        status =
            error_set(&err, STATUS_BAD_INPUT, "bench: unsupported value \"%.60s\" (expected %s)",
                      word, text_string(&words));
    text_deinit(&words);
    return complain_failed(EXIT_USAGE, status, &err);
}

static bool has_option(size_t row, const char *name) {
    char between[40];
    snprintf(between, sizeof between, " %s ", name);
    return strstr(TABLE[row].options, between) != NULL;
}

// BAD_INPUT: an option on the command line that none of the measurements has.
static enum status check_options(const struct args *args, struct error *err) {
    for (size_t i = 0; i < option_count(); i++) {
        const char *name = option_at(i)->name;
        bool limited = false, has = false;
        for (size_t row = 0; row < TABLE_COUNT; row++) {
            const bool runs = args->operand_count ? is_named(args, TABLE[row].word)
                                                  : TABLE[row].run == bench_speed_run;
            limited = limited || has_option(row, name);
            has = has || (runs && has_option(row, name));
        }
        if (limited && !has && args_source(args, name) == ARGS_WORDS)
            return error_set(err, STATUS_BAD_INPUT, "--%s is not an option of `quire bench%s%s`",
                             name, args->operand_count ? " " : "",
                             args->operand_count ? args->operands[0] : "");
    }
    if (args_source(args, "dtype") == ARGS_WORDS && !args->shape)
        return error_set(err, STATUS_BAD_INPUT, "--dtype needs --shape: a file has its own types");
    return STATUS_OK;
}

int bench_command_run(const struct args *args, const struct config *config) {
    const char *first = args->operand_count ? args->operands[0] : "decode";
    bench_runner *run = find_runner(first);
    if (!run) return refuse_word(first, first);
    for (size_t i = 1; i < args->operand_count; i++)
        if (find_runner(args->operands[i]) != run) return refuse_word(args->operands[i], first);
    struct error err = {0};
    const enum status status = check_options(args, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_USAGE, status, &err);
    if (run != bench_ops_run) return bench_model_run(args, config, run);
    const struct bench_options options = options_of(args, config);
    return run(&options);
}
