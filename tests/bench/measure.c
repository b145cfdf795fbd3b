// tests/bench/measure.c — quire-measure: what developers want to know of the engine.
//
//   quire-measure cache      of the KV cache what `quire bench kv` leaves out: forks while it
//                            decodes, resuming from a cold disk, finding a log, what fifty turns
//                            write, two conversations that do not fit together
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

static const struct {
    const char *word;
    int (*run)(const struct bench_options *options);
} TABLE[] = {
    {"cache", cache_bench_run},
    {"lookup", lookup_bench_run},
    {"scheduler", scheduler_bench_run},
};

static int run_measurement(const struct args *args) {
    const char *what = args->operand_count == 1 ? args->operands[0] : "";
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++)
        if (strcmp(what, TABLE[i].word) == 0)
            return output_exit_code(bench_model_run(args, &(struct config){0}, TABLE[i].run));
    fprintf(stderr, "usage: quire-measure cache|lookup|scheduler [OPTIONS of quire bench]\n");
    return EXIT_USAGE;
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
    const int code =
        status == STATUS_OK ? run_measurement(&args) : complain_failed(EXIT_USAGE, status, &err);
    args_deinit(&args);
    return code;
}
