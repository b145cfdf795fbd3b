#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/batch.h"
#include "app/bench/batch.h"
#include "app/bench/bench.h"
#include "app/bench/kv.h"
#include "app/bench/verbs.h"
#include "app/complain.h"
#include "app/config.h"
#include "app/exit_code.h"
#include "app/help.h"
#include "app/inspect.h"
#include "app/interactive.h"
#include "app/kv.h"
#include "app/kv_disk.h"
#include "app/launch.h"
#include "app/listing.h"
#include "app/notice.h"
#include "app/oneshot.h"
#include "app/tokenize.h"

static void prepare(void) {
    signal(SIGPIPE, SIG_IGN); // a reader that goes away is seen by write()
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
    notice_open();
}

// How a chat takes place: at the terminal, or as one answer.
static bool wants_answer(const struct args *args) {
    if (args->stay) return false;
    return args->prompt || args->prompt_file || args->files.count || !isatty(STDIN_FILENO);
}

static int run_interactive(struct launch *launch, const struct text *prompt) {
    const struct args *args = launch->args;
    if (strcmp(args->color, "never") == 0) setenv("NO_COLOR", "1", 1);
    if (strcmp(args->color, "always") == 0) unsetenv("NO_COLOR");
    const char *history = text_string(&launch->config->history_path);
    struct error ignored; // a history that can not be kept is not worth a word
    const bool kept = !args->no_save && config_make_folder(history, &ignored) == STATUS_OK;
    const struct interactive_options options = {
        .chat = launch->chat,
        .engine = launch->engine,
        .db = chat_db(launch->chat),
        .history_path = kept ? history : NULL,
        .first_prompt = prompt->length ? text_string(prompt) : NULL,
        .quiet = args->quiet,
        .verbose = args->verbose,
        .saved = !args->no_save,
        .resumed = launch->resumed,
    };
    return interactive_run(&options);
}

static int check_terminal(const struct args *args) {
    struct error err = {0};
    enum status status = STATUS_OK;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        status = error_set(&err, STATUS_BAD_INPUT,
                           "a chat needs a terminal on stdin and stdout; for one answer: -p TEXT");
    else if (args_source(args, "format") == ARGS_WORDS && strcmp(args->format, "text") != 0)
        status = error_set(&err, STATUS_BAD_INPUT, "--format %s is for one answer: add -p TEXT",
                           args->format);
    return status == STATUS_OK ? EXIT_DONE : complain_failed(EXIT_USAGE, status, &err);
}

static int gather_prompt(const struct args *args, struct text *prompt) {
    struct error err = {0};
    const enum status status = oneshot_gather(args, prompt, &err);
    if (status == STATUS_OK) return EXIT_DONE;
    return complain_failed(status == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_RUN_TIME, status, &err);
}

static int run_chat(const struct args *args, const struct config *config) {
    const bool once = wants_answer(args);
    const bool asked = once || args->prompt || args->prompt_file || args->files.count;
    struct launch launch = {.args = args, .config = config};
    struct text prompt = {0};
    int code = once ? EXIT_DONE : check_terminal(args);
    if (code == EXIT_DONE && asked) code = gather_prompt(args, &prompt);
    if (code == EXIT_DONE) code = launch_store(&launch);
    if (once) oneshot_catch_signals();
    if (code == EXIT_DONE) code = launch_model(&launch);
    if (code == EXIT_DONE) code = launch_chat(&launch);
    if (code == EXIT_DONE)
        code = once ? oneshot_run(&launch, &prompt) : run_interactive(&launch, &prompt);
    launch_close(&launch);
    text_deinit(&prompt);
    return code;
}

// Nothing of a batch is saved: what can be taken up again is its journal's.
static int run_batch(const struct args *args, const struct config *config) {
    struct args unsaved = *args;
    unsaved.no_save = true;
    struct launch launch = {.args = &unsaved, .config = config};
    batch_catch_signals();
    int code = launch_model(&launch);
    if (code == EXIT_DONE) code = launch_system(&launch);
    if (code == EXIT_DONE) code = batch_run(&launch);
    launch_close(&launch);
    return code;
}

static int run_listing(const struct args *args, const struct config *config,
                       int (*verb)(struct db *db, const struct args *args)) {
    struct launch launch = {.args = args, .config = config};
    int code = launch_store(&launch);
    if (code == EXIT_DONE) code = verb(launch.db, args);
    launch_close(&launch);
    return code;
}

static int run_remove(const struct args *args, const struct config *config) {
    struct launch launch = {.args = args, .config = config};
    struct text folder = {0};
    struct error err = {0};
    int code = launch_store(&launch);
    if (code == EXIT_DONE && kv_disk_folder(args, config, &folder) != STATUS_OK)
        code = complain_failed(EXIT_RUN_TIME, STATUS_NO_MEMORY, &err);
    if (code == EXIT_DONE) code = listing_remove(launch.db, args, text_string(&folder));
    text_deinit(&folder);
    launch_close(&launch);
    return code;
}

static int run_bench(const struct args *args) {
    struct bench_options options = {
        .shape = args->shape,
        .type = args->type,
        .backend = args->backend,
        .kv_type = args->kv_type,
        .threads = args->threads,
        .tokens = args->tokens,
        .kv_device_bytes = args->kv_device_bytes,
        .prompts = args->prompt_tokens,
        .depths = args->depth,
        .batches = args->batch,
        .runs = args->runs,
        .json = strcmp(args->format, "text") != 0,
        .one_line = strcmp(args->format, "jsonl") == 0,
        .decode = args->operand_count == 0,
        .prefill = args->operand_count == 0,
    };
    struct error err = {0};
    struct text model = {0};
    enum status status = STATUS_OK;
    bool demo;
    const bool batch = args->operand_count == 1 && strcmp(args->operands[0], "batch") == 0;
    for (size_t i = 0; i < args->operand_count && !batch; i++) {
        const bool decode = strcmp(args->operands[i], "decode") == 0;
        if (!decode && strcmp(args->operands[i], "prefill") != 0) {
            error_set(&err, STATUS_BAD_INPUT,
                      "quire bench knows decode and prefill, attention and swap, batch, or kv, "
                      "not \"%.60s\"",
                      args->operands[i]);
            return complain_failed(EXIT_USAGE, STATUS_BAD_INPUT, &err);
        }
        *(decode ? &options.decode : &options.prefill) = true;
    }
    if (!args->shape) status = launch_find_model(args, &model, &demo, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_MODEL, status, &err);
    options.model_path = args->shape ? NULL : text_string(&model);
    const int code = batch ? bench_batch_run(&options) : bench_run(&options);
    text_deinit(&model);
    return code;
}

static bool benches_kv(const struct args *args) {
    return args->operand_count == 1 && strcmp(args->operands[0], "kv") == 0;
}

static int run_bench_kv(const struct args *args, const struct config *config) {
    struct error err = {0};
    struct text model = {0};
    enum status status = STATUS_OK;
    bool demo;
    if (!args->shape) status = launch_find_model(args, &model, &demo, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_MODEL, status, &err);
    const struct bench_kv_options options = {
        .model_path = args->shape ? NULL : text_string(&model),
        .shape = args->shape,
        .type = args->type,
        .backend = args->backend,
        .kv_type = args->kv_type,
        .folder = args->kv_dir ? args->kv_dir : text_string(&config->cache_path),
        .folder_given = args->kv_dir != NULL,
        .threads = args->threads,
        .runs = args->runs,
        .json = strcmp(args->format, "text") != 0,
        .one_line = strcmp(args->format, "jsonl") == 0,
        .quiet = args->quiet,
    };
    const int code = bench_kv_run(&options);
    text_deinit(&model);
    return code;
}

static bool benches_verbs(const struct args *args) {
    for (size_t i = 0; i < args->operand_count; i++)
        if (strcmp(args->operands[i], "attention") != 0 && strcmp(args->operands[i], "swap") != 0)
            return false;
    return args->operand_count > 0;
}

static int run_bench_verbs(const struct args *args) {
    struct bench_verbs_options options = {
        .backend = args->backend,
        .kv_type = args->kv_type,
        .threads = args->threads,
        .runs = args->runs,
        .json = strcmp(args->format, "text") != 0,
        .one_line = strcmp(args->format, "jsonl") == 0,
    };
    for (size_t i = 0; i < args->operand_count; i++)
        *(strcmp(args->operands[i], "swap") == 0 ? &options.swap : &options.attention) = true;
    return bench_verbs_run(&options);
}

static bool keeps_files(const struct args *args) {
    switch (args->command) {
    case COMMAND_CHAT:
        return !args->no_save;
    case COMMAND_LIST:
    case COMMAND_SHOW:
    case COMMAND_EXPORT:
    case COMMAND_RM:
    case COMMAND_KV:
        return true;
    case COMMAND_INSPECT:
    case COMMAND_TOKENIZE:
    case COMMAND_BENCH:
    case COMMAND_BATCH:
        return false;
    }
    return false;
}

static int run_command(const struct args *args, const struct config *config) {
    switch (args->command) {
    case COMMAND_CHAT:
        return run_chat(args, config);
    case COMMAND_LIST:
        return run_listing(args, config, listing_list);
    case COMMAND_SHOW:
        return run_listing(args, config, listing_show);
    case COMMAND_EXPORT:
        return run_listing(args, config, listing_export);
    case COMMAND_RM:
        return run_remove(args, config);
    case COMMAND_INSPECT:
        return inspect_run(args);
    case COMMAND_TOKENIZE:
        return tokenize_run(args);
    case COMMAND_BENCH:
        if (benches_verbs(args)) return run_bench_verbs(args);
        return benches_kv(args) ? run_bench_kv(args, config) : run_bench(args);
    case COMMAND_KV:
        return kv_run(args, config);
    case COMMAND_BATCH:
        return run_batch(args, config);
    }
    return EXIT_USAGE;
}

// The options of all three sources, checked; or the exit code.
static int read_options(int argc, char **argv, struct args *args, struct config *config) {
    struct error err = {0};
    enum status status = args_read_words(args, argc - 1, argv + 1, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_USAGE, status, &err);
    if (args->help || args->version) return EXIT_DONE;
    status = args_read_environment(args, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_USAGE, status, &err);
    status = config_open(config, &err);
    if (status != STATUS_OK && keeps_files(args))
        return complain_failed(EXIT_RUN_TIME, status, &err);
    if (status == STATUS_OK) status = config_read(config, args, &err);
    if (status == STATUS_BAD_INPUT) return complain_failed(EXIT_USAGE, status, &err);
    if (status != STATUS_OK && config->config_path.length)
        return complain_failed(EXIT_RUN_TIME, status, &err);
    status = args_check(args, &err);
    return status == STATUS_OK ? EXIT_DONE : complain_failed(EXIT_USAGE, status, &err);
}

int main(int argc, char **argv) {
    struct args args;
    struct config config = {0};
    prepare();
    args_init(&args);
    int code = read_options(argc, argv, &args, &config);
    if (args.quiet) notice_show_from((enum log_level)(LOG_WARNING + 1));
    if (args.verbose) notice_show_from(LOG_INFO);
    if (code == EXIT_DONE) {
        if (args.help)
            help_print(stdout);
        else if (args.version)
            version_print(stdout);
        else
            code = run_command(&args, &config);
    }
    config_close(&config);
    args_deinit(&args);
    return code;
}
