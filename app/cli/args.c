#include "app/cli/args.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/path.h"
#include "app/cli/options.h"
#include "app/cli/subcommands.h"
#include "engine/draft/draft.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "store/conversation.h"

void args_init(struct args *args) {
    *args = (struct args){
        .backend = "auto",
        .kv_type = "auto",
        .attention = "auto",
        .kv_restore = "auto",
        .shared_past = "on",
        .overflow = "error",
        .think = "auto",
        .draft = "auto",
        .speculate = DRAFT_MAX,
        .titles = "auto",
        .remote = "auto",
        .first_byte = 600,
        .silence = 300,
        .format = "text",
        .color = "auto",
        .length_penalty = 1,
    };
}

void args_deinit(struct args *args) {
    text_deinit(&args->config);
    args_init(args);
}

enum { LONG_LEAST = 6 }; // least characters of what looks like a long option

static size_t row_of(const struct option *option) { return (size_t)(option - option_at(0)); }

static enum status set(struct args *args, const struct option *option, const char *value,
                       enum args_source source, const char *where, struct error *err) {
    unsigned char *set_by = &args->sources[row_of(option)];
    if (*set_by > source) { // only checked
        struct args ignored = {0};
        return option_set(option, value, &ignored, where, err);
    }
    void *place = (char *)args + option->offset;
    if (*set_by < source && option->kind == OPTION_LIST)
        *(struct args_list *)place = (struct args_list){0};
    if (*set_by < source && option->kind == OPTION_COUNT) *(int32_t *)place = 0;
    TRY(option_set(option, value, args, where, err));
    *set_by = (unsigned char)source;
    return STATUS_OK;
}

enum status args_set(struct args *args, const char *name, const char *value,
                     enum args_source source, const char *where, struct error *err) {
    const struct option *option = option_find(name, strlen(name));
    if (!option || option->commands & ONLY_AS_WORD) {
        const struct option *nearest = option ? NULL : option_nearest(name);
        return error_set(err, STATUS_BAD_INPUT, "%s: unknown option%s%s%s", where,
                         nearest ? "; did you mean " : "", nearest ? nearest->name : "",
                         nearest ? "?" : "");
    }
    return set(args, option, value, source, where, err);
}

enum args_source args_source(const struct args *args, const char *name) {
    const struct option *option = option_find(name, strlen(name));
    ASSERT(option);
    return (enum args_source)args->sources[row_of(option)];
}

const char *args_shown(const struct args *args, const char *name, char shown[ARGS_SHOWN_BYTES]) {
    char twin[OPTION_TWIN_BYTES];
    const enum args_source source = args_source(args, name);
    if (source == ARGS_ENVIRONMENT)
        snprintf(shown, ARGS_SHOWN_BYTES, "%s", option_twin(option_find(name, strlen(name)), twin));
    else if (source == ARGS_CONFIG)
        snprintf(shown, ARGS_SHOWN_BYTES, "%s in the config file", name);
    else
        snprintf(shown, ARGS_SHOWN_BYTES, "--%s", name);
    return shown;
}

struct placement_override args_placement(const struct args *args) {
    return (struct placement_override){
        .has_ngl = args_source(args, "ngl") != ARGS_DEFAULT,
        .has_n_cpu_moe = args_source(args, "n-cpu-moe") != ARGS_DEFAULT,
        .ngl = args->ngl,
        .n_cpu_moe = args->n_cpu_moe,
    };
}

enum status args_read_environment(struct args *args, struct error *err) {
    char twin[OPTION_TWIN_BYTES];
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        if (option->commands & ONLY_AS_WORD) continue;
        const char *value = getenv(option_twin(option, twin));
        if (value && *value) TRY(set(args, option, value, ARGS_ENVIRONMENT, twin, err));
    }
    return STATUS_OK;
}

static bool is_variable(const char *name, const char *variable, size_t length) {
    return strlen(name) == length && memcmp(name, variable, length) == 0;
}

static bool is_known_variable(const struct args *args, const char *variable, size_t length) {
    // Besides the options': quire's own, and what app/start and the tests read.
    static const char *const others[] = {"QUIRE_API_KEY", "QUIRE_CARD", "QUIRE_CUDA",
                                         "QUIRE_HOME",    "QUIRE_ISA",  "QUIRE_MODELS"};
    static const char tests[] = "QUIRE_TEST_", key[] = "env:";
    char twin[OPTION_TWIN_BYTES];
    bool known = strncmp(variable, tests, sizeof tests - 1) == 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        known = known || is_variable(others[i], variable, length);
    for (size_t i = 0; i < option_count(); i++)
        known = known || (!(option_at(i)->commands & ONLY_AS_WORD) &&
                          is_variable(option_twin(option_at(i), twin), variable, length));
    for (size_t i = 0; i <= args->section_count; i++) { // what --key-from names
        const char *from = i > 0 ? args->sections[i - 1].value : args->key_from;
        known = known || (from && strncmp(from, key, sizeof key - 1) == 0 &&
                          is_variable(from + sizeof key - 1, variable, length));
    }
    return known;
}

void args_warn_of_environment(const struct args *args) {
    static const char prefix[] = "QUIRE_";
    for (char *const *at = environ; *at; at++) {
        char name[OPTION_TWIN_BYTES], twin[OPTION_TWIN_BYTES];
        const size_t length = strcspn(*at, "=");
        if (strncmp(*at, prefix, sizeof prefix - 1) != 0 || !(*at)[length] || !(*at)[length + 1] ||
            is_known_variable(args, *at, length))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - (sizeof prefix - 1)),
                 *at + sizeof prefix - 1);
        for (char *c = name; *c; c++)
            *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
        const struct option *nearest = option_nearest(name);
        if (nearest && nearest->commands & ONLY_AS_WORD) nearest = NULL;
        log_write(LOG_WARNING, "%.*s: unknown variable, ignored%s%s%s",
                  (int)(length < 60 ? length : 60), *at, nearest ? "; did you mean " : "",
                  nearest ? option_twin(nearest, twin) : "", nearest ? "?" : "");
    }
}

struct words {
    char *const *word;
    int count, at;
};

static const char *next_word(struct words *words) {
    return words->at < words->count ? words->word[words->at++] : NULL;
}

static bool names_model(const char *word) {
    const size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, ".gguf") == 0;
}

// The next word, or `otherwise` if that word cannot be a value.
static const char *maybe_word(struct words *words, const char *otherwise) {
    const char *next = words->at < words->count ? words->word[words->at] : "-";
    return next[0] == '-' || names_model(next) ? otherwise : next_word(words);
}

// Sets an option, written as `shown` on the command line, from the value in the same word or, if it
// needs one, from the next word.
static enum status parse_option(struct args *args, const struct option *option, const char *shown,
                                const char *value, struct words *words, struct error *err) {
    if (!value) switch (option->kind) {
        case OPTION_FLAG:
        case OPTION_COUNT:
            value = "on";
            break;
        case OPTION_MAYBE_VALUE:
            value = "";
            break;
        case OPTION_MAYBE_WORD:
            value = maybe_word(words, "");
            break;
        case OPTION_MAYBE_CHOICE:
            value = maybe_word(words, "on");
            break;
        case OPTION_TEXT:
        case OPTION_LIST:
        case OPTION_CHOICE:
        case OPTION_WHOLE:
        case OPTION_WHOLES:
        case OPTION_NUMBER:
        case OPTION_SEED:
        case OPTION_BYTES:
            value = next_word(words);
            if (!value)
                return error_set(err, STATUS_BAD_INPUT, "%s needs a value: %s %s", shown, shown,
                                 option->argument);
        }
    return set(args, option, value, ARGS_WORDS, shown, err);
}

static enum status parse_long(struct args *args, const char *word, struct words *words,
                              struct error *err) {
    const char *name = word + 2;
    const size_t length = strcspn(name, "=");
    const struct option *option = option_find(name, length);
    char shown[64], bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)(length < 60 ? length : 60), name);
    snprintf(shown, sizeof shown, "--%.60s", bare);
    if (!option) {
        const struct option *nearest = option_nearest(bare);
        return error_set(err, STATUS_BAD_INPUT, "unknown option %s%s%s%s (see quire --help)", shown,
                         nearest ? "; did you mean --" : "", nearest ? nearest->name : "",
                         nearest ? "?" : "");
    }
    return parse_option(args, option, shown, name[length] ? name + length + 1 : NULL, words, err);
}

static enum status suggest(const char *word, const char *meant, struct error *err) {
    return error_set(err, STATUS_BAD_INPUT, "unknown option %.60s; did you mean %s?", word, meant);
}

static enum status suggest_dashes(const char *word, const struct option *meant, struct error *err) {
    char name[ARGS_SHOWN_BYTES];
    snprintf(name, sizeof name, "--%s", meant->name);
    return suggest(word, name, err);
}

// Finds the option meant by "-temp", as other programs write it, or NULL.
static const struct option *lacks_dash(const char *word) {
    const size_t length = strcspn(word + 1, "=");
    return length > 1 ? option_find(word + 1, length) : NULL;
}

// Long options that llama.cpp, and its users by habit, write with one dash: -ngl 3, -ngl=3, -ngl3.
static const char *const ONE_DASH[][2] = {{"-ngl", "ngl"}, {"-ncmoe", "n-cpu-moe"}};
enum { ONE_DASH_COUNT = sizeof ONE_DASH / sizeof ONE_DASH[0] };

static size_t find_one_dash(const char *word) { // ONE_DASH_COUNT: none
    const size_t length = strcspn(word, "=0123456789");
    size_t i = 0;
    while (i < ONE_DASH_COUNT &&
           (strlen(ONE_DASH[i][0]) != length || memcmp(word, ONE_DASH[i][0], length) != 0))
        i++;
    return i;
}

static enum status parse_one_dash(struct args *args, const char *const names[2], const char *word,
                                  struct words *words, struct error *err) {
    const char *rest = word + strlen(names[0]);
    const char *value = *rest == '=' ? rest + 1 : *rest ? rest : NULL;
    return parse_option(args, option_find(names[1], strlen(names[1])), names[0], value, words, err);
}

// Short options of llama.cpp that would be read as our one-letter options: -st as -s t, -hf as -h.
// With or without "=VALUE". NULL: it is none of them.
static const char *find_short(const char *word) {
    static const char *const SHORT[][2] = {
        {"-hf", "-m hf:ORG/REPO"},  {"-hfr", "-m hf:ORG/REPO"}, {"-hff", "-m hf:ORG/REPO:FILE"},
        {"-hfd", "--draft"},        {"-hfrd", "--draft"},       {"-hft", "the variable HF_TOKEN"},
        {"-mu", "quire pull"},      {"-st", "-p TEXT"},         {"-sys", "--system"},
        {"-sysf", "--system-file"}, {"-fa", "--attention"},     {"-ctk", "--kv-type"},
        {"-ctv", "--kv-type"},      {"-md", "--draft"},         {"-cmoe", "--n-cpu-moe"},
        {"-np", "quire batch"}};
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof SHORT / sizeof SHORT[0]; i++)
        if (strlen(SHORT[i][0]) == length && memcmp(SHORT[i][0], word, length) == 0)
            return SHORT[i][1];
    return NULL;
}

// "-vq" is -v -q; "-n100" is -n 100.
static enum status parse_letters(struct args *args, const char *word, struct words *words,
                                 struct error *err) {
    const size_t one_dash = find_one_dash(word);
    if (one_dash < ONE_DASH_COUNT)
        return parse_one_dash(args, ONE_DASH[one_dash], word, words, err);
    if (lacks_dash(word)) return suggest_dashes(word, lacks_dash(word), err);
    if (find_short(word)) return suggest(word, find_short(word), err);
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option *option = option_by_letter(*letter);
        const char shown[3] = {'-', *letter, '\0'};
        if (!option && strlen(word) >= LONG_LEAST && option_nearest(word + 1))
            return suggest_dashes(word, option_nearest(word + 1), err);
        if (!option)
            return error_set(err, STATUS_BAD_INPUT, "unknown option %s%s (see quire --help)",
                             (unsigned char)*letter < 0x80 ? shown : "",
                             (unsigned char)*letter < 0x80 ? "" : word);
        const bool rest = option_takes_value(option) && letter[1];
        const enum status status =
            parse_option(args, option, shown, rest ? letter + 1 : NULL, words, err);
        if (status != STATUS_OK && rest && strlen(word) >= LONG_LEAST && option_nearest(word + 1))
            return suggest_dashes(word, option_nearest(word + 1), err);
        TRY(status);
        if (rest) break;
    }
    return STATUS_OK;
}

static enum status refuse_operand(const struct args *args, const char *word, struct error *err) {
    const bool chats = args->command == COMMAND_CHAT;
    const char *nearest = chats && args->operand_count == 0 ? subcommand_nearest(word) : NULL;
    const char *hint = chats ? "; to ask a question: quire -p \"…\""
                       : args->command == COMMAND_EXPORT
                           ? "; to write a file: quire export ID >FILE"
                           : "";
    if (nearest)
        return error_set(
            err, STATUS_BAD_INPUT,
            "unknown command \"%.60s\"; did you mean %s? (if it is a model file: ./%.60s)", word,
            nearest, word);
    return error_set(err, STATUS_BAD_INPUT, "unexpected word \"%.60s\"%s (see quire --help)", word,
                     hint);
}

static enum status parse_operand(struct args *args, const char *word, struct error *err) {
    const bool first = args->command == COMMAND_CHAT && args->operand_count == 0;
    const char *hint = first && access(word, F_OK) != 0 ? subcommand_hint(word) : NULL;
    if (args->asks && !args->topic) {
        args->topic = word;
        return STATUS_OK;
    }
    if (first && (strcmp(word, "help") == 0 || strcmp(word, "version") == 0)) {
        args->asks = args->help = word[0] == 'h';
        args->version = word[0] == 'v';
        return STATUS_OK;
    }
    if (hint) return error_set(err, STATUS_BAD_INPUT, "unknown command \"%.60s\"; %s", word, hint);
    if (first && subcommand_find(word, &args->command)) return STATUS_OK;
    if (args->operand_count == subcommand_at(args->command)->most ||
        (first && subcommand_nearest(word)))
        return refuse_operand(args, word, err);
    args->operands[args->operand_count++] = word;
    return STATUS_OK;
}

enum status args_read_words(struct args *args, int count, char *const *words, struct error *err) {
    struct words rest = {words, count, 0};
    bool options = true;
    for (const char *word; (word = next_word(&rest));) {
        if (options && strcmp(word, "--") == 0)
            options = false;
        else if (options && word[0] == '-' && word[1] == '-')
            TRY(parse_long(args, word, &rest, err));
        else if (options && word[0] == '-' && word[1])
            TRY(parse_letters(args, word, &rest, err));
        else
            TRY(parse_operand(args, word, err));
    }
    return STATUS_OK;
}

static enum status check_commands(const struct args *args, struct error *err) {
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        if (args->sources[i] != ARGS_WORDS || option->commands & 1u << args->command) continue;
        return error_set(err, STATUS_BAD_INPUT, "--%s is not an option of `quire%s%s`",
                         option->name, args->command == COMMAND_CHAT ? "" : " ",
                         subcommand_at(args->command)->name);
    }
    return STATUS_OK;
}

// Pairs that cannot both be on the command line. Where one replaces the other, they cannot both be
// in effect either. Elsewhere the second, on the command line, cannot be with the first from any
// source, which it does not change; the first makes the second of a lower source meaningless.
static const struct pair {
    const char *names[2];
    bool replaces;
} PAIRS[] = {
    {{"prompt", "prompt-file"}, true},    {{"system", "system-file"}, true},
    {{"samples", "beams"}, true},         {{"schema", "grammar"}, true},
    {{"verbose", "quiet"}, true},         {{"html", "format"}, true},
    {{"tree", "format"}, true},           {{"continue", "resume"}, true},
    {{"no-save", "name"}, false},         {{"continue", "system"}, false},
    {{"continue", "system-file"}, false}, {{"resume", "system"}, false},
    {{"resume", "system-file"}, false},   {{"shape", "model"}, false},
    {{"no-save", "kv-disk"}, false},      {{"no-save", "kv-dir"}, false},
    {{"continue", "preset"}, false},      {{"continue", "shots"}, false},
    {{"resume", "preset"}, false},        {{"resume", "shots"}, false},
};
enum { PAIR_COUNT = sizeof PAIRS / sizeof PAIRS[0] };

static void unset(struct args *args, const char *name) {
    const struct option *option = option_find(name, strlen(name));
    struct args fresh;
    args_init(&fresh);
    option_copy(option, &fresh, args);
    args->sources[row_of(option)] = ARGS_DEFAULT;
}

// A flag that a source turns off excludes and replaces nothing.
static bool is_off(const struct args *args, const char *name) {
    const struct option *option = option_find(name, strlen(name));
    const void *place = (const char *)args + option->offset;
    return (option->kind == OPTION_FLAG && !*(const bool *)place) ||
           (option->kind == OPTION_COUNT && *(const int32_t *)place == 0);
}

static bool are_rivals(const struct args *args, const char *const names[2]) {
    return args_source(args, names[0]) && args_source(args, names[1]) && !is_off(args, names[0]) &&
           !is_off(args, names[1]);
}

void args_settle(struct args *args) {
    for (size_t i = 0; i < PAIR_COUNT; i++) {
        const char *const *names = PAIRS[i].names;
        const enum args_source one = args_source(args, names[0]);
        const enum args_source other = args_source(args, names[1]);
        if (PAIRS[i].replaces && one != other && are_rivals(args, names))
            unset(args, names[one < other ? 0 : 1]);
    }
}

static bool applies(const struct args *args, const char *name) {
    return option_find(name, strlen(name))->commands & 1u << args->command;
}

static enum status check_pairs(const struct args *args, struct error *err) {
    for (size_t i = 0; i < PAIR_COUNT; i++) {
        const char *const *names = PAIRS[i].names;
        const enum args_source one = args_source(args, names[0]),
                               other = args_source(args, names[1]);
        const bool meet = PAIRS[i].replaces ? one == other : other == ARGS_WORDS;
        char shown[2][ARGS_SHOWN_BYTES];
        if (!meet || !are_rivals(args, names) || !applies(args, names[0]) ||
            !applies(args, names[1]))
            continue;
        return error_set(err, STATUS_BAD_INPUT, "%s and %s cannot be used together",
                         args_shown(args, names[0], shown[0]),
                         args_shown(args, names[1], shown[1]));
    }
    return STATUS_OK;
}

// A model's name contains no blanks, unless it is the path of a file.
static enum status check_model_operand(const struct args *args, struct error *err) {
    const char *word = args->operands[0];
    const bool other = args->command != COMMAND_INSPECT && args->command != COMMAND_TEMPLATE;
    if (args->operand_count == 0 || (args->command != COMMAND_CHAT && other)) return STATUS_OK;
    if (!*word) return error_set(err, STATUS_BAD_INPUT, "expected a model, found \"\"");
    if (args->command != COMMAND_CHAT) return STATUS_OK;
    if (args_source(args, "model") == ARGS_WORDS)
        return error_set(err, STATUS_BAD_INPUT, "expected one model, found two: %.60s and %.60s",
                         args->model, word);
    if (!strpbrk(word, " \t\n") || access(word, F_OK) == 0) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "no model \"%.60s%s\"; to ask it as a question: quire -p \"%.60s%s\"", word,
                     strlen(word) > 60 ? "…" : "", word, strlen(word) > 60 ? "…" : "");
}

static enum status check_models(const struct args *args, struct error *err) {
    const char *verb = args->operands[0];
    if (args->command == COMMAND_PULL && !verb)
        return error_set(err, STATUS_BAD_INPUT, "quire pull needs a model: hf:ORG/REPO");
    if (args->command != COMMAND_MODELS || !verb) return STATUS_OK;
    if (strcmp(verb, "rm") != 0)
        return error_set(err, STATUS_BAD_INPUT, "models: unsupported word \"%.60s\" (expected rm)",
                         verb);
    if (args->operand_count < 2)
        return error_set(err, STATUS_BAD_INPUT, "quire models rm needs a model's name");
    return STATUS_OK;
}

// Which conversation is continued, and whether it is saved. Other commands ignore these options of
// the environment and the config file.
static enum status check_conversation(const struct args *args, struct error *err) {
    const bool resumes = args->go_on || args->resume;
    char shown[ARGS_SHOWN_BYTES];
    if (args->command != COMMAND_CHAT) return STATUS_OK;
    if (args->name) TRY(conversation_check_name(args->name, err));
    if (args->no_save && resumes)
        return error_set(err, STATUS_BAD_INPUT, "%s cannot be used with a saved conversation",
                         args_shown(args, "no-save", shown));
    if (args->fork && !resumes)
        return error_set(err, STATUS_BAD_INPUT, "%s needs a conversation: -r ID, or -C",
                         args_shown(args, "fork", shown));
    if (resumes && !args->fork && args_source(args, "name") == ARGS_WORDS)
        return error_set(err, STATUS_BAD_INPUT,
                         "--name with an existing conversation needs --fork");
    if (args->fork && *args->fork &&
        (strspn(args->fork, "0123456789") != strlen(args->fork) || strlen(args->fork) > 9 ||
         strspn(args->fork, "0") == strlen(args->fork)))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: expected the number of a turn, from 1, found \"%.60s\"",
                         args_shown(args, "fork", shown), args->fork);
    return STATUS_OK;
}

enum status args_check(const struct args *args, struct error *err) {
    TRY(check_commands(args, err));
    TRY(check_model_operand(args, err));
    TRY(check_pairs(args, err));
    TRY(check_conversation(args, err));
    char shown[ARGS_SHOWN_BYTES];
    for (size_t i = 0; i < args->stops.count; i++)
        if (!utf8_valid(args->stops.items[i], strlen(args->stops.items[i]), NULL))
            return error_set(err, STATUS_BAD_INPUT, "%s: the text is not UTF-8",
                             args_shown(args, "stop", shown));
    const enum command command = args->command;
    const bool needs_id =
        command == COMMAND_SHOW || command == COMMAND_EXPORT || command == COMMAND_RM;
    if (needs_id && args->operand_count == 0)
        return error_set(err, STATUS_BAD_INPUT, "quire %s needs the id or name of a conversation",
                         subcommand_at(command)->name);
    if (command == COMMAND_IMPORT && args->operand_count == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "quire import needs a file written by quire export");
    if (command == COMMAND_BATCH && args->operand_count == 0)
        return error_set(err, STATUS_BAD_INPUT, "quire batch needs a file of requests, or -");
    TRY(check_models(args, err));
    const char *verb = command == COMMAND_KV && args->operand_count ? args->operands[0] : "check";
    if (strcmp(verb, "check") != 0 && strcmp(verb, "drop") != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "kv: unsupported word \"%.60s\" (expected check or drop)", verb);
    return STATUS_OK;
}

enum status args_read_lora(const struct args *args, size_t nth, struct text *path, float *scale,
                           struct error *err) {
    ASSERT(nth < args->loras.count);
    const char *given = args->loras.items[nth], *equals = strrchr(given, '=');
    char *end = NULL, shown[ARGS_SHOWN_BYTES];
    *scale = 1;
    TRY(path_expand(given, path));
    if (!equals || access(text_string(path), F_OK) == 0) return STATUS_OK;
    *scale = strtof(equals + 1, &end);
    if (end == equals + 1 || *end)
        return error_set(err, STATUS_BAD_INPUT, "%s: expected FILE or FILE=SCALE, found \"%.200s\"",
                         args_shown(args, "lora", shown), given);
    path->length -= strlen(equals);
    path->bytes[path->length] = '\0';
    return STATUS_OK;
}

static void forget(struct args *args, const char *name) {
    const struct option *option = option_find(name, strlen(name));
    args->sources[row_of(option)] = ARGS_DEFAULT;
}

void args_forget_model(struct args *args) {
    struct args_list *templates = &args->chat_templates;
    struct args_list kept = {0};
    for (size_t i = 0; i < templates->count; i++)
        if (strchr(templates->items[i], '=')) kept.items[kept.count++] = templates->items[i];
    *templates = kept;
    args->loras = (struct args_list){0};
    if (args_source(args, "vocabulary") == ARGS_WORDS) args->vocabulary = NULL;
    forget(args, "lora");
    forget(args, "vocabulary");
    forget(args, "chat-template");
}

void args_forget_key(struct args *args) {
    if (args_source(args, "key-from") != ARGS_WORDS) return;
    args->key_from = NULL;
    forget(args, "key-from");
}
