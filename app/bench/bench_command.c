#include "app/bench/bench_command.h"

#include <string.h>

#include "app/base/exit_code.h"
#include "app/bench/batch.h"
#include "app/bench/bench.h"
#include "app/bench/keys.h"
#include "app/bench/kv.h"
#include "app/bench/speculation.h"
#include "app/bench/store.h"
#include "app/bench/stream.h"
#include "app/bench/template.h"
#include "app/bench/tokenize.h"
#include "app/bench/verbs.h"
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

// The model's path, empty when a shape is measured; or the exit code.
static int find_model(const struct args *args, struct text *path) {
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
    };
}

static struct bench_options options_of(const struct args *args, const struct text *model) {
    return (struct bench_options){
        .decode = args->operand_count == 0 || is_named(args, "decode"),
        .prefill = args->operand_count == 0 || is_named(args, "prefill"),
        .subject = subject_of(args, model),
        .tokens = args->tokens,
        .prompts = args->prompt_tokens,
        .depths = args->depth,
        .batches = args->batch,
        .runs = args->runs,
        .json = wants_json(args),
        .one_line = wants_one_line(args),
    };
}

static int with_model(const struct args *args, int (*run)(const struct bench_options *options)) {
    struct text model = {0};
    int code = find_model(args, &model);
    const struct bench_options options = options_of(args, &model);
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

static int run_lookup(const struct args *args, const struct config *config) {
    (void)config;
    return with_model(args, bench_lookup_run);
}

static int run_keys(const struct args *args, const struct config *config) {
    (void)config;
    return with_model(args, bench_keys_run);
}

static int run_stream(const struct args *args, const struct config *config) {
    (void)config;
    const struct text none = {0};
    const struct bench_options options = options_of(args, &none);
    return bench_stream_run(&options);
}

// The operand after the word is a template instead of the model's own.
static int run_template(const struct args *args, const struct config *config) {
    struct text model = {0};
    (void)config;
    int code = find_model(args, &model);
    const struct bench_template_options options = {
        .model_path = text_string(&model),
        .template_path = args->operand_count > 1 ? args->operands[1] : NULL,
        .runs = args->runs,
        .json = wants_json(args),
        .one_line = wants_one_line(args),
    };
    if (code == EXIT_DONE) code = bench_template_run(&options);
    text_deinit(&model);
    return code;
}

static int run_tokenize(const struct args *args, const struct config *config) {
    (void)config;
    struct text model = {0};
    struct error err = {0};
    bool demo;
    const enum status status = launch_find_model(args, &model, &demo, &err);
    const struct bench_tokenize_options options = {
        .model_path = text_string(&model),
        .file = args->operand_count > 1 ? args->operands[1] : NULL,
        .runs = args->runs,
        .json = wants_json(args),
        .one_line = wants_one_line(args),
    };
    const int code = status == STATUS_OK ? bench_tokenize_run(&options)
                                         : complain_failed(EXIT_MODEL, status, &err);
    text_deinit(&model);
    return code;
}

static int run_kv(const struct args *args, const struct config *config) {
    struct text model = {0};
    int code = find_model(args, &model);
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

static int run_store(const struct args *args, const struct config *config) {
    (void)config;
    const struct bench_store_options options = {
        .folder = args->kv_dir,
        .runs = args->runs,
        .json = wants_json(args),
        .one_line = wants_one_line(args),
        .quiet = args->quiet,
    };
    return bench_store_run(&options);
}

static int run_verbs(const struct args *args, const struct config *config) {
    (void)config;
    const struct text none = {0};
    const struct bench_verbs_options options = {
        .attention = is_named(args, "attention"),
        .swap = is_named(args, "swap"),
        .subject = subject_of(args, &none),
        .runs = args->runs,
        .json = wants_json(args),
        .one_line = wants_one_line(args),
    };
    return bench_verbs_run(&options);
}

static const struct {
    const char *word;
    bench_runner *run;
} TABLE[] = {
    {"decode", run_model},      {"prefill", run_model},     {"attention", run_verbs},
    {"swap", run_verbs},        {"batch", run_batch},       {"lookup", run_lookup},
    {"stream", run_stream},     {"keys", run_keys},         {"kv", run_kv},
    {"template", run_template}, {"tokenize", run_tokenize}, {"store", run_store},
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
    const bool takes_file = run == run_template || run == run_tokenize;
    for (size_t i = 1; i < args->operand_count && !takes_file; i++)
        if (find_runner(args->operands[i]) != run) return refuse(args->operands[i]);
    return run(args, config);
}
