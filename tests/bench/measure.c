// tests/bench/measure.c — quire-measure: what developers want to know of the engine.
//
//   quire-measure cache      the KV cache whole: forks while it decodes, resuming from a cold disk,
//                            what fifty turns write, two conversations that do not fit together
//   quire-measure lookup     what speculative decoding by prompt lookup gains and costs
//   quire-measure scheduler  a plan's time, and how long a long prompt holds up an answer
//
// Takes the options of `quire bench`, from the command line alone; the demo model is `-m` by
// default.
#include <stdio.h>
#include <string.h>

#include "app/base/exit_code.h"
#include "app/base/output.h"
#include "app/bench/bench_command.h"
#include "app/cli/args.h"
#include "app/screen/complain.h"
#include "tests/bench/cache/cache.h"
#include "tests/bench/lookup.h"
#include "tests/bench/scheduler.h"

static int run_cache(const struct bench_options *options, const struct args *args) {
    const struct bench_kv_options kv = {
        .subject = options->subject,
        .folder = args->kv_dir ? args->kv_dir : "",
        .folder_given = args->kv_dir != NULL,
        .runs = options->runs,
        .json = options->json,
        .one_line = options->one_line,
        .quiet = args->quiet,
    };
    return cache_bench_run(&kv);
}

static int run(const struct args *args) {
    struct text model = {0};
    int code = EXIT_USAGE;
    const char *what = args->operand_count == 1 ? args->operands[0] : "";
    if (strcmp(what, "cache") != 0 && strcmp(what, "lookup") != 0 &&
        strcmp(what, "scheduler") != 0) {
        fprintf(stderr, "usage: quire-measure cache|lookup|scheduler [OPTIONS of quire bench]\n");
        return code;
    }
    code = bench_find_model(args, &model);
    if (code == EXIT_DONE) {
        const struct bench_options options = bench_options_of(args, &model);
        code = what[0] == 'c'   ? run_cache(&options, args)
               : what[0] == 'l' ? lookup_bench_run(&options)
                                : scheduler_bench_run(&options);
    }
    text_deinit(&model);
    return output_exit_code(code);
}

int main(int argc, char **argv) {
    char bench[] = "bench", *words[ARGS_OPERANDS_MAX + 64] = {bench};
    struct args args;
    struct error err = {0};
    int count = 1;
    for (int i = 1; i < argc && count < (int)(sizeof words / sizeof words[0]); i++)
        words[count++] = argv[i];
    args_init(&args);
    enum status status = args_read_words(&args, count, words, &err);
    if (status == STATUS_OK) status = args_check(&args, &err);
    const int code = status == STATUS_OK ? run(&args) : complain_failed(EXIT_USAGE, status, &err);
    args_deinit(&args);
    return code;
}
