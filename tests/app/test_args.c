// tests/app/test_args.c — words, environment and config file to options.
#include "app/cli/args.h"
#include "app/cli/help.h"
#include "app/cli/options.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 12 };

static enum status read_words(struct args *args, struct error *err, const char *const *words) {
    char *copies[WORDS_MOST];
    int count = 0;
    for (; words[count]; count++)
        copies[count] = (char *)(uintptr_t)words[count];
    args_init(args);
    *err = (struct error){0};
    const enum status status = args_read_words(args, count, copies, err);
    return status == STATUS_OK ? args_check(args, err) : status;
}

static void values_are_read_with_and_without_an_equals_sign(void **state) {
    (void)state;
    struct args args;
    struct error err;
    const char *words[] = {"--temp=0.5", "--top-k", "7", "-n100", "-t", "3", "-vp", "hi", NULL};
    assert_int_equal(read_words(&args, &err, words), STATUS_OK);
    assert_true(args.temperature > 0.49f && args.temperature < 0.51f);
    assert_int_equal(args.top_k, 7);
    assert_int_equal(args.tokens, 100);
    assert_int_equal(args.threads, 3);
    assert_true(args.verbose);
    assert_string_equal(args.prompt, "hi");
}

static void comma_separated_numbers_are_read(void **state) {
    (void)state;
    struct args args;
    struct error err;
    const char *words[] = {"bench", "decode", "--depth", "512,8192,32768", "--batch=64", NULL};
    assert_int_equal(read_words(&args, &err, words), STATUS_OK);
    assert_int_equal(args.depth.count, 3);
    assert_int_equal(args.depth.values[0], 512);
    assert_int_equal(args.depth.values[2], 32768);
    assert_int_equal(args.batch.count, 1);
    assert_int_equal(args.batch.values[0], 64);
    assert_int_equal(args.prompt_tokens.count, 0);
}

// Before single letters are split: -n is another option.
static void llama_cpps_short_names_are_accepted(void **state) {
    (void)state;
    struct args args;
    struct error err;
    const char *words[] = {"-ngl", "20", "-ncmoe=7", NULL}, *others[] = {"-n", "5", NULL};
    const char *joined[] = {"-ngl20", "-ncmoe7", NULL};
    assert_int_equal(read_words(&args, &err, words), STATUS_OK);
    struct placement_override override = args_placement(&args);
    assert_true(override.has_ngl && override.has_n_cpu_moe);
    assert_int_equal(override.ngl, 20);
    assert_int_equal(override.n_cpu_moe, 7);
    assert_int_equal(read_words(&args, &err, joined), STATUS_OK);
    override = args_placement(&args);
    assert_int_equal(override.ngl, 20);
    assert_int_equal(override.n_cpu_moe, 7);
    assert_int_equal(read_words(&args, &err, others), STATUS_OK);
    override = args_placement(&args);
    assert_false(placement_is_overridden(&override));
    assert_int_equal(args.tokens, 5);
}

static const struct {
    const char *words[WORDS_MOST];
    const char *says;
} BAD_LINES[] = {
    {{"--temprature", "1"}, "did you mean --temp"},
    {{"--frobnicate"}, "unknown option --frobnicate (see quire --help)"},
    {{"-Z"}, "unknown option -Z"},
    {{"--top-k"}, "--top-k needs a value"},
    {{"-n"}, "-n needs a value"},
    {{"--top-k=x"}, "--top-k: expected a whole number from 0"},
    {{"--top-k", "1.5"}, "found \"1.5\""},
    {{"--top-k", ""}, "found \"\""},
    {{"--top-p", "1.1"}, "--top-p: expected a number from 0 to 1"},
    {{"--top-p", "nan"}, "found \"nan\""},
    {{"--min-p=-0.1"}, "found \"-0.1\""},
    {{"--seed", "-1"}, "--seed: expected a whole number"},
    {{"--seed", "99999999999999999999"}, "--seed: expected"},
    {{"--ctx", "3"}, "--ctx: expected a whole number from 16"},
    {{"--block-size", "12"}, "expected 8|16|32, found \"12\""},
    {{"--kv-type", "q8_0"}, "expected auto|f32|f16|bf16|fp8|int8"},
    {{"--backend", "aut"}, "expected auto|cpu|reference|cuda"},
    {{"--kv-device", "4Q"}, "such as 512M"},
    {{"--device-memory", "99999999T"}, "--device-memory: expected a size"},
    {{"--device-memory", "0"}, "--device-memory: expected a size"},
    {{"--device-memory", "8X"}, "--device-memory: expected a size"},
    {{"--device-memory", "nan"}, "--device-memory: expected a size"},
    {{"--device-memory", ""}, "--device-memory: expected a size"},
    {{"--ngl", "-1"}, "--ngl: expected a whole number from 0"},
    {{"-ngl", "all"}, "-ngl: expected a whole number from 0"},
    {{"-ngl"}, "-ngl needs a value"},
    {{"-ncmoe=-2"}, "-ncmoe: expected a whole number from 0"},
    {{"list", "--ngl", "3"}, "--ngl is not an option of `quire list`"},
    {{"--kv-host", "much"}, "--kv-host: expected a size"},
    {{"--kv-restore", "often"}, "expected auto|always|never"},
    {{"--no-save", "--kv-disk", "1G"}, "cannot be used together"},
    {{"kv", "burn"}, "kv: unsupported word"},
    {{"kv", "check", "drop"}, "unexpected word"},
    {{"kv", "--kv-disk", "1G"}, "--kv-disk is not an option of `quire kv`"},
    {{"--raw=maybe"}, "--raw: expected on or off"},
    {{"bench", "--batch", "0"}, "--batch: expected comma-separated whole numbers"},
    {{"bench", "--batch", "65"}, "from 1 to 64, found \"65\""},
    {{"bench", "--rows", "1,10"}, "from 1 to 9, found \"1,10\""},
    {{"bench", "--batch", "1,,2"}, "found \"1,,2\""},
    {{"bench", "--batch", "1,"}, "found \"1,\""},
    {{"bench", "--batch", ""}, "found \"\""},
    {{"bench", "--depth", "512;8192"}, "--depth: expected comma-separated whole numbers"},
    {{"bench", "--depth", "1,2,3,4,5,6,7,8,9"}, "--depth: more than 8 numbers"},
    {{"bench", "--prompt-tokens", "2 048"},
     "--prompt-tokens: expected comma-separated whole numbers"},
    {{"--batch", "2"}, "--batch is not an option of `quire`"},
    {{"--stop", ""}, "--stop: expected some text"},
    {{"-m", ""}, "-m: expected some text, found \"\""},
    {{"bench", "--shape="}, "--shape: expected some text, found \"\""},
    {{"--kv-dir", ""}, "--kv-dir: expected some text"},
    {{""}, "expected a model, found \"\""},
    {{"inspect", ""}, "expected a model, found \"\""},
    {{"template", ""}, "expected a model, found \"\""},
    {{"--attention", "v3"}, "expected auto|flash|v1|v2|paged|gather, found \"v3\""},
    {{"--ponder"}, "unknown option --ponder"},
    {{"--n-gpu-layers", "9"}, "unknown option --n-gpu-layers; did you mean --ngl?"},
    {{"--num-ctx=9"}, "unknown option --num-ctx; did you mean --ctx?"},
    {{"--ncmoe", "9"}, "unknown option --ncmoe; did you mean --n-cpu-moe?"},
    {{"-hf", "a/b"}, "unknown option -hf; did you mean -m hf:ORG/REPO?"},
    {{"-hf=a/b"}, "unknown option -hf=a/b; did you mean -m hf:ORG/REPO?"},
    {{"-hff", "a.gguf"}, "unknown option -hff; did you mean -m hf:ORG/REPO:FILE?"},
    {{"-hfd", "a/b"}, "unknown option -hfd; did you mean --draft?"},
    {{"-hft", "x"}, "unknown option -hft; did you mean the variable HF_TOKEN?"},
    {{"-mu", "http://a/b"}, "unknown option -mu; did you mean quire pull?"},
    {{"-fa=on"}, "unknown option -fa=on; did you mean --attention?"},
    {{"-st"}, "unknown option -st; did you mean -p TEXT?"},
    {{"-sys", "x"}, "unknown option -sys; did you mean --system?"},
    {{"--samples", "0"}, "--samples: expected a whole number from 1 to 64"},
    {{"a.gguf", "b.gguf"}, "unexpected word \"b.gguf\"; to ask a question: quire -p"},
    {{"-m", "a.gguf", "b.gguf"}, "expected one model, found two"},
    {{"-C", "-r", "x"}, "--continue and --resume cannot be used together"},
    {{"-C", "-s", "x"}, "--continue and --system cannot be used together"},
    {{"--no-save", "-C"}, "--no-save cannot be used with a saved conversation"},
    {{"-p", "a", "--prompt-file", "b"}, "cannot be used together"},
    {{"--fork"}, "--fork needs a conversation"},
    {{"-C", "--fork=x"}, "--fork: expected the number of a turn"},
    {{"--name", "n", "-C"}, "--name with an existing conversation needs --fork"},
    {{"list", "--temp", "1"}, "--temp is not an option of `quire list`"},
    {{"--ids"}, "--ids is not an option of `quire`"},
    {{"show"}, "needs the id or name"},
    {{"rm"}, "needs the id or name"},
    {{"tokenize", "x"}, "unexpected word"},
    {{"lst"}, "unknown command \"lst\"; did you mean list?"},
    {{"exprt", "3f2a"}, "did you mean export?"},
    {{"--completion"}, "--completion needs a value"},
    {{"--completion", "csh"}, "expected bash|zsh|fish, found \"csh\""},
    {{"--complet", "bash"}, "did you mean --completion?"},
};

static void each_bad_command_line_is_refused_with_a_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof BAD_LINES / sizeof BAD_LINES[0]; i++) {
        struct args args;
        struct error err;
        assert_int_equal(read_words(&args, &err, BAD_LINES[i].words), STATUS_BAD_INPUT);
        if (!strstr(err.text, BAD_LINES[i].says))
            fail_msg("\"%s\" lacks \"%s\"", err.text, BAD_LINES[i].says);
        assert_null(strchr(err.text, '\n'));
    }
}

static void words_after_two_dashes_are_operands(void **state) {
    (void)state;
    struct args args;
    struct error err;
    assert_int_equal(read_words(&args, &err, (const char *[]){"-q", "--", "-m", NULL}), STATUS_OK);
    assert_string_equal(args.operands[0], "-m");
    assert_null(args.model);
}

static void resume_does_not_take_an_option_or_a_model_file(void **state) {
    (void)state;
    struct args args;
    struct error err;
    assert_int_equal(read_words(&args, &err, (const char *[]){"-r", "3f2a", NULL}), STATUS_OK);
    assert_string_equal(args.resume, "3f2a");
    assert_int_equal(read_words(&args, &err, (const char *[]){"-r", "-q", NULL}), STATUS_OK);
    assert_string_equal(args.resume, "");
    assert_int_equal(read_words(&args, &err, (const char *[]){"-r", "x.gguf", NULL}), STATUS_OK);
    assert_string_equal(args.resume, "");
    assert_string_equal(args.operands[0], "x.gguf");
    assert_int_equal(read_words(&args, &err, (const char *[]){"-r", NULL}), STATUS_OK);
    assert_string_equal(args.resume, "");
    assert_int_equal(read_words(&args, &err, (const char *[]){"--resume=x.gguf", "--fork=3", NULL}),
                     STATUS_OK);
    assert_string_equal(args.resume, "x.gguf");
    assert_string_equal(args.fork, "3");
}

static void cache_options_set_the_tiers_and_their_folder(void **state) {
    (void)state;
    struct args args;
    struct error err;
    const char *words[] = {"--kv-host",          "1G", "--kv-disk=0", "--kv-dir", "/x",
                           "--kv-restore=never", NULL};
    assert_int_equal(read_words(&args, &err, (const char *[]){NULL}), STATUS_OK);
    assert_null(args.kv_dir);
    assert_string_equal(args.kv_restore, "auto");
    assert_int_equal(read_words(&args, &err, words), STATUS_OK);
    assert_true(args.kv_host_bytes == (size_t)1 << 30);
    assert_true(args.kv_disk_bytes == 0);
    assert_int_equal(args_source(&args, "kv-disk"), ARGS_WORDS);
    assert_string_equal(args.kv_dir, "/x");
    assert_string_equal(args.kv_restore, "never");
    assert_int_equal(
        read_words(&args, &err, (const char *[]){"kv", "check", "--kv-dir", "/x", NULL}),
        STATUS_OK);
    assert_int_equal(args.command, COMMAND_KV);
    assert_string_equal(args.operands[0], "check");
}

static void options_are_read_on_both_sides_of_a_subcommand(void **state) {
    (void)state;
    struct args args;
    struct error err;
    const char *words[] = {"-q", "inspect", "--format", "json", "x.gguf", NULL};
    assert_int_equal(read_words(&args, &err, words), STATUS_OK);
    assert_int_equal(args.command, COMMAND_INSPECT);
    assert_true(args.quiet);
    assert_string_equal(args.format, "json");
    assert_string_equal(args.operands[0], "x.gguf");
}

static void options_override_the_environment_and_the_file(void **state) {
    (void)state;
    struct args args;
    struct error err = {0};
    char *words[] = {(char[]){"--top-k=1"}};
    setenv("QUIRE_TOP_K", "2", 1);
    setenv("QUIRE_SEED", "5", 1);
    setenv("QUIRE_NO_SAVE", "", 1);
    for (int order = 0; order < 2; order++) {
        args_init(&args);
        if (order) assert_int_equal(args_read_words(&args, 1, words, &err), STATUS_OK);
        assert_int_equal(args_set(&args, "top-k", "3", ARGS_CONFIG, "f:1", &err), STATUS_OK);
        assert_int_equal(args_set(&args, "seed", "6", ARGS_CONFIG, "f:2", &err), STATUS_OK);
        assert_int_equal(args_set(&args, "tokens", "7", ARGS_CONFIG, "f:3", &err), STATUS_OK);
        assert_int_equal(args_read_environment(&args, &err), STATUS_OK);
        if (!order) assert_int_equal(args_read_words(&args, 1, words, &err), STATUS_OK);
        assert_int_equal(args.top_k, 1);
        assert_int_equal(args.seed, 5);
        assert_int_equal(args.tokens, 7);
        assert_false(args.no_save);
        assert_int_equal(args_source(&args, "top-k"), ARGS_WORDS);
        assert_int_equal(args_source(&args, "seed"), ARGS_ENVIRONMENT);
        assert_int_equal(args_source(&args, "tokens"), ARGS_CONFIG);
        assert_int_equal(args_source(&args, "temp"), ARGS_DEFAULT);
    }
    setenv("QUIRE_TOP_K", "many", 1);
    args_init(&args);
    assert_int_equal(args_read_environment(&args, &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.text, "QUIRE_TOP_K: expected"));
    unsetenv("QUIRE_TOP_K");
    unsetenv("QUIRE_SEED");
    unsetenv("QUIRE_NO_SAVE");
}

static void an_unknown_first_word_is_a_model(void **state) {
    (void)state;
    static const char *const models[] = {"./lst", "lists.gguf", "km", "q", "Qwen3"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct args args;
        struct error err;
        assert_int_equal(read_words(&args, &err, (const char *[]){models[i], NULL}), STATUS_OK);
        assert_int_equal(args.command, COMMAND_CHAT);
        assert_string_equal(args.operands[0], models[i]);
    }
}

// A value that this option takes; each `which` is another one, where there are so many.
static void write_value(const struct option *option, int which, char value[64]) {
    const char *choice = option->argument;
    switch (option->kind) {
    case OPTION_FLAG:
    case OPTION_COUNT:
        snprintf(value, 64, "%s", which % 2 ? "on" : "off");
        return;
    case OPTION_CHOICE:
    case OPTION_MAYBE_CHOICE:
        for (int i = 0; i < which && strchr(choice, '|'); i++)
            choice = strchr(choice, '|') + 1;
        snprintf(value, 64, "%.*s", (int)strcspn(choice, "|"), choice);
        return;
    case OPTION_WHOLE:
    case OPTION_WHOLES:
        snprintf(value, 64, "%d", (int)option->low + which);
        return;
    case OPTION_NUMBER:
        snprintf(value, 64, "%g", option->low + which * (option->high - option->low) / 4);
        return;
    case OPTION_SEED:
    case OPTION_BYTES:
    case OPTION_TEXT:
    case OPTION_LIST:
    case OPTION_MAYBE_WORD:
    case OPTION_MAYBE_VALUE:
        snprintf(value, 64, "%d", which + 1);
        return;
    }
}

// The option's place as text.
static void read_place(const struct option *option, const struct args *args, char value[64]) {
    const void *place = (const char *)args + option->offset;
    switch (option->kind) {
    case OPTION_FLAG:
        snprintf(value, 64, "%d", *(const bool *)place);
        return;
    case OPTION_LIST:
        snprintf(value, 64, "%s", ((const struct args_list *)place)->items[0]);
        return;
    case OPTION_WHOLES:
        snprintf(value, 64, "%d", (int)((const struct args_numbers *)place)->values[0]);
        return;
    case OPTION_COUNT:
    case OPTION_WHOLE:
        snprintf(value, 64, "%d", (int)*(const int32_t *)place);
        return;
    case OPTION_NUMBER:
        snprintf(value, 64, "%g", (double)*(const float *)place);
        return;
    case OPTION_SEED:
    case OPTION_BYTES:
        snprintf(value, 64, "%llu", (unsigned long long)*(const uint64_t *)place);
        return;
    case OPTION_CHOICE:
    case OPTION_MAYBE_CHOICE:
        if (option->offset == offsetof(struct args, block_size)) {
            snprintf(value, 64, "%d", (int)args->block_size);
            return;
        }
        snprintf(value, 64, "%s", *(const char *const *)place);
        return;
    case OPTION_TEXT:
    case OPTION_MAYBE_WORD:
    case OPTION_MAYBE_VALUE:
        snprintf(value, 64, "%s", *(const char *const *)place);
        return;
    }
}

// Sets the option in each of `sources` (bits), and sees that the highest of them has its way.
static void check_sources(const struct option *option, unsigned sources) {
    char values[4][64], word[128], twin[OPTION_TWIN_BYTES], got[64], wanted[64];
    struct error err = {0};
    struct args args, alone;
    enum args_source highest = ARGS_DEFAULT;
    args_init(&args);
    args_init(&alone);
    for (int source = ARGS_CONFIG; source <= ARGS_WORDS; source++) {
        write_value(option, source - ARGS_CONFIG, values[source]);
        if (sources & 1u << source) highest = (enum args_source)source;
    }
    snprintf(word, sizeof word, "--%s=%s", option->name, values[ARGS_WORDS]);
    char *words[] = {word};
    if (sources & 1u << ARGS_ENVIRONMENT) setenv(option_twin(option, twin), values[2], 1);
    if (sources & 1u << ARGS_WORDS)
        assert_int_equal(args_read_words(&args, 1, words, &err), STATUS_OK);
    assert_int_equal(args_read_environment(&args, &err), STATUS_OK);
    if (sources & 1u << ARGS_CONFIG)
        assert_int_equal(args_set(&args, option->name, values[1], ARGS_CONFIG, "f:1", &err),
                         STATUS_OK);
    assert_int_equal(args_source(&args, option->name), highest);
    if (highest != ARGS_DEFAULT) {
        assert_int_equal(option_set(option, values[highest], &alone, "x", &err), STATUS_OK);
        read_place(option, &args, got);
        read_place(option, &alone, wanted);
        if (strcmp(got, wanted) != 0)
            fail_msg("--%s, sources %u: %s, not %s", option->name, sources, got, wanted);
    }
    unsetenv(option_twin(option, twin));
}

static void the_highest_source_wins_for_every_option(void **state) {
    (void)state;
    for (size_t i = 0; i < option_count(); i++)
        for (unsigned sources = 0; sources < 16 && !(option_at(i)->commands & ONLY_AS_WORD);
             sources += 1u << ARGS_CONFIG)
            check_sources(option_at(i), sources);
}

static void some_options_are_read_only_from_the_command_line(void **state) {
    (void)state;
    struct error err = {0};
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        char twin[OPTION_TWIN_BYTES];
        struct args args;
        if (!(option->commands & ONLY_AS_WORD)) continue;
        args_init(&args);
        setenv(option_twin(option, twin), "on", 1);
        assert_int_equal(args_read_environment(&args, &err), STATUS_OK);
        assert_int_equal(args_source(&args, option->name), ARGS_DEFAULT);
        unsetenv(twin);
        assert_int_equal(args_set(&args, option->name, "on", ARGS_CONFIG, "f:1", &err),
                         STATUS_BAD_INPUT);
    }
}

static void a_higher_source_drops_the_option_that_its_own_replaces(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"prompt", "prompt-file"}, {"system", "system-file"},
                                           {"samples", "beams"},      {"schema", "grammar"},
                                           {"verbose", "quiet"},      {"html", "format"},
                                           {"tree", "format"},        {"continue", "resume"}};
    for (size_t i = 0; i < 2 * sizeof pairs / sizeof pairs[0]; i++) {
        const char *lower = pairs[i / 2][i % 2], *higher = pairs[i / 2][1 - i % 2];
        struct args args, fresh;
        struct error err = {0};
        char got[64], wanted[64];
        const struct option *option = option_find(lower, strlen(lower));
        const bool exports = strcmp(pairs[i / 2][1], "format") == 0;
        args_init(&args);
        args_init(&fresh);
        args.command = exports ? COMMAND_EXPORT : COMMAND_CHAT;
        args.operand_count = exports;
        write_value(option, 1, wanted);
        assert_int_equal(args_set(&args, lower, wanted, ARGS_CONFIG, "f:1", &err), STATUS_OK);
        write_value(option_find(higher, strlen(higher)), 1, got);
        assert_int_equal(args_set(&args, higher, got, ARGS_ENVIRONMENT, "E", &err), STATUS_OK);
        args_settle(&args);
        assert_int_equal(args_check(&args, &err), STATUS_OK);
        assert_int_equal(args_source(&args, lower), ARGS_DEFAULT);
        assert_int_equal(args_source(&args, higher), ARGS_ENVIRONMENT);
        read_place(option, &args, got);
        read_place(option, &fresh, wanted);
        assert_string_equal(got, wanted);
        write_value(option, 1, wanted); // the same source says both
        assert_int_equal(args_set(&args, lower, wanted, ARGS_ENVIRONMENT, "E", &err), STATUS_OK);
        args_settle(&args);
        assert_int_equal(args_check(&args, &err), STATUS_BAD_INPUT);
        assert_non_null(strstr(err.text, "cannot be used together"));
        assert_null(strstr(err.text, "--")); // but QUIRE_…
        args.command = COMMAND_LIST;         // to which they do not apply
        if (!exports && strcmp(lower, "verbose") != 0 && strcmp(lower, "quiet") != 0)
            assert_int_equal(args_check(&args, &err), STATUS_OK);
    }
}

static void a_lower_source_does_not_silence_the_command_line(void **state) {
    (void)state;
    static const struct {
        const char *first, *value, *words[2], *says;
    } rows[] = {
        {"continue", "on", {"-s", "x"}, "continue in the config file and --system cannot be"},
        {"resume", "old", {"--preset", "x"}, "resume in the config file and --preset cannot be"},
        {"no-save", "on", {"--name", "x"}, "no-save in the config file and --name cannot be"},
        {"no-save", "on", {"--kv-dir", "x"}, "no-save in the config file and --kv-dir cannot be"},
        {"continue", "off", {"-s", "x"}, NULL},
        {"system", "x", {"-r", "old"}, NULL}, // for conversations to come
        {"name", "x", {"--no-save", "--raw"}, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct args args;
        struct error err = {0};
        char *words[2] = {strdup(rows[i].words[0]), strdup(rows[i].words[1])};
        args_init(&args);
        assert_int_equal(args_set(&args, rows[i].first, rows[i].value, ARGS_CONFIG, "f:1", &err),
                         STATUS_OK);
        assert_int_equal(args_read_words(&args, 2, words, &err), STATUS_OK);
        args_settle(&args);
        assert_int_equal(args_check(&args, &err), rows[i].says ? STATUS_BAD_INPUT : STATUS_OK);
        if (rows[i].says) assert_non_null(strstr(err.text, rows[i].says));
        args.command = COMMAND_DOCTOR; // which has no conversation
        if (strcmp(rows[i].words[0], "--kv-dir") == 0)
            assert_int_equal(args_check(&args, &err), STATUS_OK);
        free(words[0]);
        free(words[1]);
    }
}

static void a_flag_that_is_off_excludes_nothing(void **state) {
    (void)state;
    static const char *const pairs[][3] = {{"quiet", "verbose", "on"},
                                           {"verbose", "quiet", "on"},
                                           {"html", "format", "json"},
                                           {"tree", "format", "json"},
                                           {"continue", "system", "Be brief."}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (int lower = ARGS_CONFIG; lower <= ARGS_WORDS; lower++)
            for (int higher = lower; higher <= ARGS_WORDS; higher++)
                for (int off_by = 0; off_by < 2; off_by++) {
                    const int off = off_by ? higher : lower, other = off_by ? lower : higher;
                    struct args args;
                    struct error err = {0};
                    args_init(&args);
                    args.command = strcmp(pairs[i][1], "format") ? COMMAND_CHAT : COMMAND_EXPORT;
                    args.operand_count = args.command == COMMAND_EXPORT;
                    assert_int_equal(
                        args_set(&args, pairs[i][0], "off", (enum args_source)off, "w", &err),
                        STATUS_OK);
                    assert_int_equal(args_set(&args, pairs[i][1], pairs[i][2],
                                              (enum args_source)other, "w", &err),
                                     STATUS_OK);
                    args_settle(&args);
                    assert_int_equal(args_check(&args, &err), STATUS_OK);
                    assert_int_equal(args_source(&args, pairs[i][1]), other);
                }
}

static void an_option_is_named_as_its_source_has_it(void **state) {
    (void)state;
    static const struct {
        enum args_source source;
        const char *shown;
    } rows[] = {{ARGS_WORDS, "--top-k"},
                {ARGS_ENVIRONMENT, "QUIRE_TOP_K"},
                {ARGS_CONFIG, "top-k in the config file"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct args args;
        struct error err = {0};
        char shown[ARGS_SHOWN_BYTES];
        args_init(&args);
        assert_int_equal(args_set(&args, "top-k", "1", rows[i].source, "f:1", &err), STATUS_OK);
        assert_string_equal(args_shown(&args, "top-k", shown), rows[i].shown);
    }
    for (size_t i = 0; i < option_count(); i++) {
        struct args args;
        char shown[ARGS_SHOWN_BYTES];
        args_init(&args);
        args.sources[i] = ARGS_CONFIG;
        assert_true(strlen(args_shown(&args, option_at(i)->name, shown)) + 1 < ARGS_SHOWN_BYTES);
    }
}

static void a_higher_source_replaces_a_whole_list(void **state) {
    (void)state;
    struct args args;
    struct error err = {0};
    char *words[] = {(char[]){"--stop=a"}, (char[]){"--stop=b"}};
    args_init(&args);
    assert_int_equal(args_set(&args, "stop", "x", ARGS_CONFIG, "f:1", &err), STATUS_OK);
    assert_int_equal(args_set(&args, "stop", "y", ARGS_CONFIG, "f:2", &err), STATUS_OK);
    assert_int_equal(args.stops.count, 2);
    assert_int_equal(args_read_words(&args, 2, words, &err), STATUS_OK);
    assert_int_equal(args.stops.count, 2);
    assert_string_equal(args.stops.items[0], "a");
    assert_null(args.stops.items[2]);
    assert_int_equal(args_set(&args, "stop", "z", ARGS_CONFIG, "f:3", &err), STATUS_OK);
    assert_int_equal(args.stops.count, 2);
}

static void option_names_letters_and_fields_are_unique(void **state) {
    (void)state;
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        char twin[OPTION_TWIN_BYTES];
        option_twin(option, twin);
        assert_int_equal(strlen(twin), strlen(option->name) + strlen("QUIRE_"));
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(option->name, option_at(j)->name);
            assert_int_not_equal(option->offset, option_at(j)->offset);
            if (option->letter) assert_int_not_equal(option->letter, option_at(j)->letter);
        }
        if (option_takes_value(option)) assert_non_null(option->argument);
    }
}

static void the_help_fits_eighty_columns(void **state) {
    (void)state;
    char *text = NULL;
    size_t length = 0, examples = 0;
    FILE *out = open_memstream(&text, &length);
    help_print(out);
    fclose(out);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strlen(line) > 80) fail_msg("wide: %s", line);
        if (strncmp(line, "Examples:", 9) == 0) examples = 1;
        examples += examples && strstr(line, "quire -");
    }
    assert_int_equal(examples, 6); // five, and the heading
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(llama_cpps_short_names_are_accepted),
        cmocka_unit_test(values_are_read_with_and_without_an_equals_sign),
        cmocka_unit_test(comma_separated_numbers_are_read),
        cmocka_unit_test(each_bad_command_line_is_refused_with_a_reason),
        cmocka_unit_test(words_after_two_dashes_are_operands),
        cmocka_unit_test(resume_does_not_take_an_option_or_a_model_file),
        cmocka_unit_test(cache_options_set_the_tiers_and_their_folder),
        cmocka_unit_test(options_are_read_on_both_sides_of_a_subcommand),
        cmocka_unit_test(options_override_the_environment_and_the_file),
        cmocka_unit_test(an_unknown_first_word_is_a_model),
        cmocka_unit_test(the_highest_source_wins_for_every_option),
        cmocka_unit_test(some_options_are_read_only_from_the_command_line),
        cmocka_unit_test(a_higher_source_drops_the_option_that_its_own_replaces),
        cmocka_unit_test(a_lower_source_does_not_silence_the_command_line),
        cmocka_unit_test(a_flag_that_is_off_excludes_nothing),
        cmocka_unit_test(an_option_is_named_as_its_source_has_it),
        cmocka_unit_test(a_higher_source_replaces_a_whole_list),
        cmocka_unit_test(option_names_letters_and_fields_are_unique),
        cmocka_unit_test(the_help_fits_eighty_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
