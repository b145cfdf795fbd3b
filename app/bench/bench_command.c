#include "app/bench/bench_command.h"

#include <string.h>

#include "app/base/exit_code.h"
#include "app/bench/batch.h"
#include "app/bench/bench.h"
#include "app/bench/kv.h"
#include "app/bench/ops.h"
#include "app/cli/launch.h"
#include "app/screen/complain.h"

typedef int bench_runner(const struct args *args, const struct config *config);

static bool is_named(const struct args *args, const char *word) {
    for (size_t i = 0; i < args->operand_count; i++)
        if (strcmp(args->operands[i], word) == 0) return true;
    return false;
}

static bool wants_json(const struct args *args) { return strcmp(args->format, "text") != 0; }

static bool wants_one_line(const struct args *args) { return strcmp(args->format, "jsonl") == 0; }

int bench_find_model(const struct args *args, struct text *path) {
    struct error err = {0};
    bool demo;
    if (args->shape) return EXIT_DONE;
    const enum status status = launch_find_model(args, path, &demo, &err);
    return status == STATUS_OK ? EXIT_DONE : complain_failed(EXIT_MODEL, status, &err);
}

static struct bench_subject subject_of(const struct args *args, const struct text *model) {
    return (struct bench_subject){
        .model_path = model->length ? text_string(model) : NULL,
        .shape = args->shape,
        .type = args->type,
        .backend = args->backend,
        .kv_type = args->kv_type,
        .kv_device_bytes = args->kv_device_bytes,
        .threads = args->threads,
        .unshared = strcmp(args->shared_past, "off") == 0,
    };
}

struct bench_options bench_options_of(const struct args *args, const struct text *model) {
    return (struct bench_options){
        .decode = args->operand_count == 0 || is_named(args, "decode"),
        .prefill = args->operand_count == 0 || is_named(args, "prefill"),
        .subject = subject_of(args, model),
        .tokens = args->tokens,
        .prompts = args->prompt_tokens,
        .depths = args->depth,
        .batches = args->batch,
        .branches = args->branches,
        .runs = args->runs,
        .json = wants_json(args),
        .one_line = wants_one_line(args),
    };
}

static int with_model(const struct args *args, int (*run)(const struct bench_options *options)) {
    struct text model = {0};
    int code = bench_find_model(args, &model);
    const struct bench_options options = bench_options_of(args, &model);
    if (code == EXIT_DONE) code = run(&options);
    text_deinit(&model);
    return code;
}

static int run_model(const struct args *args, const struct config *config) {
    (void)config;
    return with_model(args, bench_run);
}

static int run_batch(const struct args *args, const struct config *config) {
    (void)config;
    return with_model(args, bench_batch_run);
}

static int run_kv(const struct args *args, const struct config *config) {
    struct text model = {0};
    int code = bench_find_model(args, &model);
    const struct bench_kv_options options = {
        .subject = subject_of(args, &model),
        .folder = args->kv_dir ? args->kv_dir : text_string(&config->cache_path),
        .folder_given = args->kv_dir != NULL,
        .runs = args->runs,
        .json = wants_json(args),
        .one_line = wants_one_line(args),
        .quiet = args->quiet,
    };
    if (code == EXIT_DONE) code = bench_kv_run(&options);
    text_deinit(&model);
    return code;
}

static int run_ops(const struct args *args, const struct config *config) {
    (void)config;
    const struct text none = {0};
    const struct bench_ops_options options = {
        .attention = is_named(args, "attention"),
        .swap = is_named(args, "swap"),
        .subject = subject_of(args, &none),
        .runs = args->runs,
        .json = wants_json(args),
        .one_line = wants_one_line(args),
    };
    return bench_ops_run(&options);
}

static const struct {
    const char *word;
    bench_runner *run;
} TABLE[] = {
    {"decode", run_model}, {"prefill", run_model}, {"attention", run_ops},
    {"swap", run_ops},     {"batch", run_batch},   {"kv", run_kv},
};

static bench_runner *find_runner(const char *word) {
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++)
        if (strcmp(TABLE[i].word, word) == 0) return TABLE[i].run;
    return NULL;
}

static int refuse(const char *word) {
    struct error err = {0};
    struct text words = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0] && status == STATUS_OK; i++)
        status = text_format(&words, "%s%s", i > 0 ? ", " : "", TABLE[i].word);
    if (status == STATUS_OK)
        status = error_set(&err, STATUS_BAD_INPUT, "quire bench knows %s, not \"%.60s\"%s",
                           text_string(&words), word,
                           find_runner(word) ? " beside another measurement" : "");
    text_deinit(&words);
    return complain_failed(EXIT_USAGE, status, &err);
}

int bench_command_run(const struct args *args, const struct config *config) {
    bench_runner *run = args->operand_count ? find_runner(args->operands[0]) : run_model;
    if (!run) return refuse(args->operands[0]);
    for (size_t i = 1; i < args->operand_count; i++)
        if (find_runner(args->operands[i]) != run) return refuse(args->operands[i]);
    return run(args, config);
}
