#include "app/cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/nearness.h"
#include "engine/beams.h"
#include "engine/draft/draft.h"
#include "engine/engine.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

#define AT(field) offsetof(struct args, field)

enum {
    FOR_ANSWERS = FOR_CHAT | FOR_BATCH,
    FOR_ENGINE = FOR_ANSWERS | FOR_BENCH,
    FOR_QUESTION = FOR_ALL | ONLY_AS_WORD,
};

static const struct option OPTIONS[] = {
    {"Model", "model", 'm', OPTION_TEXT, "FILE", AT(model),
     FOR_ENGINE | FOR_INSPECT | FOR_TOKENIZE | FOR_TEMPLATE | FOR_DOCTOR, 1, 0,
     "GGUF file, hf:ORG/REPO or URL#MODEL (default: demo)"},
    {NULL, "offline", 0, OPTION_FLAG, NULL, AT(offline), FOR_ALL, 0, 0,
     "do not use the network: no pull, no URL"},
    {NULL, "yes", 0, OPTION_FLAG, NULL, AT(yes), FOR_MODELS | ONLY_AS_WORD, 0, 0,
     "models rm: do not ask for confirmation"},
    {NULL, "lora", 0, OPTION_LIST, "FILE[=SCALE]", AT(loras), FOR_ANSWERS | FOR_INSPECT | ONLY_HERE,
     0, 0, "apply a LoRA adapter; repeatable"},
    {NULL, "ctx", 'c', OPTION_WHOLE, "N", AT(context), FOR_ANSWERS | FOR_INSPECT | ONLY_HERE, 16,
     1 << 24, "context size in tokens (default: the model's)"},
    {NULL, "chat-template", 0, OPTION_LIST, "[MODEL=]FILE|NAME", AT(chat_templates), FOR_ANSWERS, 0,
     0, "replace the template; MODEL: part of a model's name"},
    {NULL, "backend", 0, OPTION_CHOICE, "auto|cpu|reference|cuda", AT(backend),
     FOR_ENGINE | FOR_INSPECT | ONLY_HERE, 0, 0, "where to compute"},
    {NULL, "threads", 't', OPTION_WHOLE, "N", AT(threads), FOR_ENGINE | FOR_INSPECT | ONLY_HERE, 1,
     1024, "number of CPU threads (default: one per core)"},
    {NULL, "device-memory", 0, OPTION_BYTES, "SIZE", AT(device_bytes),
     FOR_ENGINE | FOR_INSPECT | ONLY_HERE, 1, 0, "GPU memory to use: 12G (default: what is free)"},
    {NULL, "ngl", 0, OPTION_WHOLE, "N", AT(ngl), FOR_ENGINE | FOR_INSPECT | ONLY_HERE, 0, 1 << 24,
     "layers kept on the GPU as a whole (default: chosen)"},
    {NULL, "n-cpu-moe", 0, OPTION_WHOLE, "N", AT(n_cpu_moe), FOR_ENGINE | FOR_INSPECT | ONLY_HERE,
     0, 1 << 24, "layers with experts in memory (default: chosen)"},
    {NULL, "deterministic", 0, OPTION_FLAG, NULL, AT(deterministic),
     FOR_ANSWERS | FOR_INSPECT | ONLY_HERE, 0, 0,
     "make equal input give equal output, bit for bit"},
    {NULL, "attention", 0, OPTION_CHOICE, "auto|flash|v1|v2|paged|gather", AT(attention),
     FOR_ANSWERS | FOR_INSPECT | ONLY_HERE, 0, 0,
     "GPU attention; paged: v1 or v2 (default: fastest)"},

    {"Remote model", "key-from", 0, OPTION_TEXT, "WHERE", AT(key_from),
     FOR_ANSWERS | ONLY_ON_SERVER, 1, 0, "API key source: env:NAME, file:PATH or command:…"},
    {NULL, "remote", 0, OPTION_CHOICE, "auto|messages|tokens", AT(remote),
     FOR_ANSWERS | ONLY_ON_SERVER, 0, 0, "what to send; auto: tokens if the server takes them"},
    {NULL, "vocabulary", 0, OPTION_TEXT, "FILE", AT(vocabulary), FOR_ANSWERS | ONLY_ON_SERVER, 1, 0,
     "GGUF file with the server's vocabulary"},
    {NULL, "cache-salt", 0, OPTION_TEXT, "TEXT", AT(cache_salt), FOR_ANSWERS | ONLY_ON_SERVER, 0, 0,
     "keep this prefix private in the server's cache"},
    {NULL, "first-byte", 0, OPTION_WHOLE, "S", AT(first_byte), FOR_ANSWERS | ONLY_ON_SERVER, 1,
     1 << 20, "seconds to wait for the first byte (default: 600)"},
    {NULL, "silence", 0, OPTION_WHOLE, "S", AT(silence), FOR_ANSWERS | ONLY_ON_SERVER, 1, 1 << 20,
     "seconds to wait for the next byte (default: 300)"},

    {"Conversation", "continue", 'C', OPTION_FLAG, NULL, AT(go_on), FOR_CHAT, 0, 0,
     "continue the latest chat; with -p, the latest conversation"},
    {NULL, "resume", 'r', OPTION_MAYBE_WORD, "[ID|NAME]", AT(resume), FOR_CHAT, 0, 0,
     "continue this conversation; alone: choose one"},
    {NULL, "all", 'a', OPTION_FLAG, NULL, AT(all), FOR_CHAT | FOR_LIST, 0, 0,
     "-C without -p, list: include conversations started with -p"},
    {NULL, "fork", 0, OPTION_MAYBE_VALUE, "[=TURN]", AT(fork), FOR_CHAT, 0, 0,
     "continue in a fork, from its end or before TURN"},
    {NULL, "name", 0, OPTION_TEXT, "NAME", AT(name), FOR_CHAT, 0, 0,
     "name the new conversation or fork"},
    {NULL, "family", 0, OPTION_FLAG, NULL, AT(family), FOR_RM, 0, 0,
     "rm: also delete all that share text with it"},
    {NULL, "system", 's', OPTION_TEXT, "TEXT", AT(system), FOR_ANSWERS, 0, 0,
     "set the system prompt of a new conversation"},
    {NULL, "system-file", 0, OPTION_TEXT, "FILE", AT(system_file), FOR_ANSWERS, 1, 0,
     "read the system prompt from a file"},
    {NULL, "preset", 0, OPTION_TEXT, "NAME", AT(preset), FOR_CHAT, 1, 0,
     "start from a preset; /preset lists them"},
    {NULL, "shots", 0, OPTION_TEXT, "FILE", AT(shots), FOR_CHAT, 1, 0,
     "add few-shot turns: lines of USER: and ASSISTANT:"},
    {NULL, "titles", 0, OPTION_CHOICE, "auto|on|off", AT(titles), FOR_CHAT, 0, 0,
     "let the model name chats; auto: large models only"},
    {NULL, "no-save", 0, OPTION_FLAG, NULL, AT(no_save), FOR_CHAT, 0, 0, "save nothing"},

    {"Prompt", "prompt", 'p', OPTION_TEXT, "TEXT", AT(prompt), FOR_CHAT, 0, 0,
     "answer this prompt and exit; '-' reads stdin"},
    {NULL, "prompt-file", 0, OPTION_TEXT, "FILE", AT(prompt_file), FOR_CHAT, 1, 0,
     "read the prompt from a file"},
    {NULL, "file", 'f', OPTION_LIST, "FILE", AT(files), FOR_CHAT, 0, 0,
     "attach a text file; repeatable"},
    {NULL, "interactive", 'i', OPTION_FLAG, NULL, AT(stay), FOR_CHAT, 0, 0,
     "stay in the chat after -p"},

    {"Generation", "tokens", 'n', OPTION_WHOLE, "N", AT(tokens), FOR_ENGINE, 0, 1 << 24,
     "limit an answer to N tokens; 0: no limit"},
    {NULL, "temp", 0, OPTION_NUMBER, "T", AT(temperature), FOR_ANSWERS, 0, 100,
     "sampling temperature; 0: always the likeliest token"},
    {NULL, "top-k", 0, OPTION_WHOLE, "K", AT(top_k), FOR_ANSWERS, 0, 1 << 24,
     "sample from the K likeliest tokens; 0: all"},
    {NULL, "top-p", 0, OPTION_NUMBER, "P", AT(top_p), FOR_ANSWERS, 0, 1,
     "sample from the likeliest that sum to P; 1: all"},
    {NULL, "min-p", 0, OPTION_NUMBER, "P", AT(min_p), FOR_ANSWERS, 0, 1,
     "drop tokens below P times the best; 0: off"},
    {NULL, "repeat-penalty", 0, OPTION_NUMBER, "X", AT(repeat_penalty), FOR_ANSWERS, 0.1, 10,
     "penalize tokens that occurred before; 1: off"},
    {NULL, "presence-penalty", 0, OPTION_NUMBER, "X", AT(presence_penalty), FOR_ANSWERS, -100, 100,
     "penalize a token once it has occurred; 0: off"},
    {NULL, "frequency-penalty", 0, OPTION_NUMBER, "X", AT(frequency_penalty), FOR_ANSWERS, -100,
     100, "penalize a token each time it occurs; 0: off"},
    {NULL, "seed", 0, OPTION_SEED, "N", AT(seed), FOR_ANSWERS, 0, 0,
     "set the random seed (default: a new one each turn)"},
    {NULL, "samples", 0, OPTION_WHOLE, "K", AT(samples), FOR_CHAT, 1, ENGINE_MAX_REQUESTS,
     "write K answers to each message at once"},
    {NULL, "beams", 0, OPTION_WHOLE, "K", AT(beams), FOR_CHAT | ONLY_HERE, 1, BEAMS_MAX_WIDTH,
     "search for the likeliest answer with K beams"},
    {NULL, "length-penalty", 0, OPTION_NUMBER, "X", AT(length_penalty), FOR_CHAT | ONLY_HERE, 0, 4,
     "beams: favor longer answers as X grows (default: 1)"},
    {NULL, "early-stopping", 0, OPTION_FLAG, NULL, AT(early_stopping), FOR_CHAT | ONLY_HERE, 0, 0,
     "beams: stop as soon as K answers are complete"},
    {NULL, "draft", 0, OPTION_TEXT, "auto|off|history|head|FILE", AT(draft),
     FOR_ANSWERS | FOR_INSPECT | ONLY_HERE, 0, 0,
     "draft tokens from earlier text, a draft head or a small model"},
    {NULL, "speculate", 0, OPTION_WHOLE, "N", AT(speculate), FOR_ANSWERS | FOR_INSPECT | ONLY_HERE,
     0, DRAFT_MAX, "draft up to N tokens at once (default: 8); 0: off"},
    {NULL, "stop", 0, OPTION_LIST, "TEXT", AT(stops), FOR_ANSWERS, 0, 0,
     "end an answer at this text; repeatable"},
    {NULL, "schema", 0, OPTION_TEXT, "FILE", AT(schema), FOR_ANSWERS, 1, 0,
     "make answers match this JSON schema, FILE or {…}"},
    {NULL, "grammar", 0, OPTION_TEXT, "FILE", AT(grammar), FOR_ANSWERS, 1, 0,
     "make answers match this GBNF grammar"},
    {NULL, "think", 0, OPTION_MAYBE_CHOICE, "auto|on|off", AT(think), FOR_CHAT, 0, 0,
     "turn reasoning on or off; alone: on"},
    {NULL, "overflow", 0, OPTION_CHOICE, "error|drop|compact", AT(overflow), FOR_CHAT, 0, 0,
     "what to do with old turns when the context is full"},

    {"KV cache", "block-size", 0, OPTION_CHOICE, "8|16|32", AT(block_size),
     FOR_ANSWERS | FOR_INSPECT | ONLY_HERE, 0, 0, "tokens per block"},
    {NULL, "kv-type", 0, OPTION_CHOICE, "auto|f32|f16|bf16|fp8|int8", AT(kv_type),
     FOR_ENGINE | FOR_INSPECT | ONLY_HERE, 0, 0, "data type of the cached keys and values"},
    {NULL, "kv-device", 0, OPTION_BYTES, "SIZE", AT(kv_device_bytes),
     FOR_ENGINE | FOR_INSPECT | ONLY_HERE, 1, 0, "size of the cache: 512M (default: 1/4 of free)"},
    {NULL, "kv-host", 0, OPTION_BYTES, "SIZE", AT(kv_host_bytes), FOR_ANSWERS | ONLY_HERE, 0, 0,
     "host memory for blocks that leave the device; 0: none"},
    {NULL, "kv-disk", 0, OPTION_BYTES, "SIZE", AT(kv_disk_bytes), FOR_CHAT | ONLY_HERE, 0, 0,
     "disk space; 0: none (default: 1/4 of free, max 32G)"},
    {NULL, "kv-dir", 0, OPTION_TEXT, "DIR", AT(kv_dir),
     FOR_CHAT | FOR_RM | FOR_KV | FOR_BENCH | FOR_DOCTOR | ONLY_HERE, 1, 0,
     "disk cache folder (default: ~/.cache/quire/kv)"},
    {NULL, "kv-restore", 0, OPTION_CHOICE, "auto|always|never", AT(kv_restore),
     FOR_CHAT | ONLY_HERE, 0, 0, "read the cache back or recompute; auto: the faster"},

    {"Output", "format", 0, OPTION_CHOICE, "text|json|jsonl", AT(format),
     FOR_ALL & ~(unsigned)(FOR_RM | FOR_PULL | FOR_TOKENIZE | FOR_TEMPLATE | FOR_IMPORT), 0, 0,
     "output format"},
    {NULL, "html", 0, OPTION_FLAG, NULL, AT(html), FOR_EXPORT, 0, 0,
     "export: write one self-contained HTML page"},
    {NULL, "tree", 0, OPTION_FLAG, NULL, AT(tree), FOR_EXPORT, 0, 0,
     "export: the same with all branches and answers"},
    {NULL, "verbose", 'v', OPTION_COUNT, NULL, AT(verbose), FOR_ALL, 0, 0,
     "print figures after each answer; inspect: print everything; twice: also log what quire does"},
    {NULL, "quiet", 'q', OPTION_FLAG, NULL, AT(quiet), FOR_ALL, 0, 0,
     "print only errors to stderr"},
    {NULL, "trace", 0, OPTION_TEXT, "FILE", AT(trace), FOR_ALL, 1, 0,
     "record a trace for ui.perfetto.dev"},
    {NULL, "color", 0, OPTION_CHOICE, "auto|always|never", AT(color), FOR_ALL, 0, 0,
     "when to print in color"},
    {NULL, "raw", 0, OPTION_FLAG, NULL, AT(raw), FOR_CHAT, 0, 0,
     "show Markdown without rendering it"},

    {"batch", "resume-batch", 0, OPTION_TEXT, "FILE", AT(resume_batch), FOR_BATCH, 1, 0,
     "keep results in FILE, and skip requests it answers"},
    {NULL, "unordered", 0, OPTION_FLAG, NULL, AT(unordered), FOR_BATCH, 0, 0,
     "write results as they finish, not in order"},
    {"tokenize", "ids", 0, OPTION_FLAG, NULL, AT(ids), FOR_TOKENIZE, 0, 0,
     "print ids instead of pieces"},
    {NULL, "bos", 0, OPTION_FLAG, NULL, AT(bos), FOR_TOKENIZE, 0, 0, "add the BOS token"},
    {"bench", "shape", 0, OPTION_TEXT, "NAME", AT(shape), FOR_BENCH, 1, 0,
     "random weights in the shape of a known model; NAME:8: 8 of its layers"},
    {NULL, "dtype", 0, OPTION_TEXT, "TYPE", AT(type), FOR_BENCH, 1, 0, "weight type, such as q8_0"},
    {NULL, "prompt-tokens", 0, OPTION_WHOLES, "N[,N]", AT(prompt_tokens), FOR_BENCH, 1, 1 << 24,
     "tokens to prefill"},
    {NULL, "depth", 0, OPTION_WHOLES, "N[,N]", AT(depth), FOR_BENCH, 1, 1 << 24,
     "tokens in the cache before decoding"},
    {NULL, "batch", 0, OPTION_WHOLES, "N[,N]", AT(batch), FOR_BENCH, 1, ENGINE_MAX_REQUESTS,
     "sequences to decode together"},
    {NULL, "rows", 0, OPTION_WHOLES, "N[,N]", AT(rows), FOR_BENCH, 1, DRAFT_MAX + 1,
     "tokens of each sequence in a decode step, as with drafts"},
    {NULL, "accept", 0, OPTION_WHOLES, "P[,P]", AT(accept), FOR_BENCH, 0, 100,
     "simulate drafts: percent of each token that is right"},
    {NULL, "branches", 0, OPTION_WHOLE, "N", AT(branches), FOR_BENCH, 1, ENGINE_MAX_REQUESTS,
     "batch: split the past into N branches first"},
    {NULL, "shared-past", 0, OPTION_CHOICE, "on|off", AT(shared_past), FOR_BENCH, 0, 0,
     "read what sequences have in common only once"},
    {NULL, "runs", 0, OPTION_WHOLE, "N", AT(runs), FOR_BENCH, 1, 64,
     "number of runs; reports the median"},

    {"Help", "help", 'h', OPTION_FLAG, NULL, AT(help), FOR_QUESTION, 0, 0,
     "print this help and exit"},
    {NULL, "version", 0, OPTION_FLAG, NULL, AT(version), FOR_QUESTION, 0, 0,
     "print the version and exit"},
    {NULL, "completion", 0, OPTION_CHOICE, "bash|zsh|fish", AT(completion), FOR_QUESTION, 0, 0,
     "print a completion script for the shell"},
    {NULL, "man", 0, OPTION_FLAG, NULL, AT(man), FOR_QUESTION, 0, 0,
     "print the manual page; to read it: man -l -"},
};

enum { COUNT = sizeof OPTIONS / sizeof OPTIONS[0] };
_Static_assert((int)COUNT <= (int)ARGS_OPTIONS_MAX, "struct args has a source for each");

size_t option_count(void) { return COUNT; }

const struct option *option_at(size_t index) {
    ASSERT(index < COUNT);
    return &OPTIONS[index];
}

const struct option *option_find(const char *name, size_t length) {
    for (size_t i = 0; i < COUNT; i++)
        if (strlen(OPTIONS[i].name) == length && memcmp(OPTIONS[i].name, name, length) == 0)
            return &OPTIONS[i];
    return NULL;
}

const struct option *option_by_letter(char letter) {
    for (size_t i = 0; i < COUNT; i++)
        if (OPTIONS[i].letter && OPTIONS[i].letter == letter) return &OPTIONS[i];
    return NULL;
}

// Names that other programs have for an option, and that are not similar to its name here.
static const struct option *find_elsewhere(const char *name) {
    static const char *const OTHERS[][2] = {
        {"n-gpu-layers", "ngl"},  {"gpu-layers", "ngl"},   {"num-gpu", "ngl"},
        {"ncmoe", "n-cpu-moe"},   {"n-predict", "tokens"}, {"num-predict", "tokens"},
        {"max-tokens", "tokens"}, {"num-ctx", "ctx"},      {"max-model-len", "ctx"}};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++)
        if (strcmp(OTHERS[i][0], name) == 0) return option_find(OTHERS[i][1], strlen(OTHERS[i][1]));
    return NULL;
}

const struct option *option_nearest(const char *name) {
    const struct option *best = find_elsewhere(name);
    if (best) return best;
    size_t best_distance = 3;
    for (size_t i = 0; i < COUNT; i++) {
        const char *candidate = OPTIONS[i].name;
        size_t far = nearness_edits(name, candidate);
        const size_t length = strlen(candidate);
        if (length >= 3 && far > 2 && strncmp(name, candidate, length) == 0) far = 2;
        if (strlen(name) >= 3 && strncmp(name, candidate, strlen(name)) == 0) far = 1;
        if (far >= best_distance || 2 * far > strlen(name)) continue;
        best = &OPTIONS[i];
        best_distance = far;
    }
    return best;
}

enum completes option_completes(const struct option *option) {
    const char *argument = option->argument;
    if (option->kind == OPTION_CHOICE || option->kind == OPTION_MAYBE_CHOICE)
        return COMPLETES_WORDS;
    if (option->kind == OPTION_MAYBE_WORD) return COMPLETES_CONVERSATIONS;
    if (option->offset == AT(model)) return COMPLETES_MODELS;
    if (option->offset == AT(preset)) return COMPLETES_PRESETS;
    if (argument && strncmp(argument, "FILE", 4) == 0) return COMPLETES_FILES;
    if (argument && strcmp(argument, "DIR") == 0) return COMPLETES_FOLDERS;
    return COMPLETES_NOTHING;
}

bool option_names_file(const struct option *option) {
    const char *argument = option->argument;
    return argument && (strstr(argument, "FILE") || strcmp(argument, "DIR") == 0);
}

const char *option_twin(const struct option *option, char twin[OPTION_TWIN_BYTES]) {
    static const char PREFIX[] = "QUIRE_";
    memcpy(twin, PREFIX, sizeof PREFIX);
    size_t at = sizeof PREFIX - 1;
    for (const char *c = option->name; *c; c++) {
        ASSERT(at + 1 < OPTION_TWIN_BYTES);
        twin[at++] = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
    twin[at] = '\0';
    return twin;
}

static size_t field_bytes(const struct option *option) {
    switch (option->kind) {
    case OPTION_FLAG:
        return sizeof(bool);
    case OPTION_COUNT:
    case OPTION_WHOLE:
        return sizeof(int32_t);
    case OPTION_LIST:
        return sizeof(struct args_list);
    case OPTION_WHOLES:
        return sizeof(struct args_numbers);
    case OPTION_NUMBER:
        return sizeof(float);
    case OPTION_SEED:
        return sizeof(uint64_t);
    case OPTION_BYTES:
        return sizeof(size_t);
    case OPTION_CHOICE:
    case OPTION_MAYBE_CHOICE:
        return option->offset == AT(block_size) ? sizeof(int32_t) : sizeof(const char *);
    case OPTION_TEXT:
    case OPTION_MAYBE_WORD:
    case OPTION_MAYBE_VALUE:
        return sizeof(const char *);
    }
    return 0;
}

void option_copy(const struct option *option, const struct args *from, struct args *to) {
    memcpy((char *)to + option->offset, (const char *)from + option->offset, field_bytes(option));
}

static enum status refuse_value(struct error *err, const char *where, const char *expected,
                                const char *value) {
    return error_set(err, STATUS_BAD_INPUT, "%s: expected %s, found \"%.60s\"", where, expected,
                     value);
}

static enum status set_flag(bool *place, const char *value, const char *where, struct error *err) {
    static const char *const YES[] = {"on", "yes", "true", "1"};
    static const char *const NO[] = {"off", "no", "false", "0"};
    for (size_t i = 0; i < sizeof YES / sizeof YES[0]; i++) {
        const bool yes = strcmp(value, YES[i]) == 0;
        if (!yes && strcmp(value, NO[i]) != 0) continue;
        *place = yes;
        return STATUS_OK;
    }
    return refuse_value(err, where, "on or off", value);
}

static enum status count_flag(int32_t *place, const char *value, const char *where,
                              struct error *err) {
    bool yes;
    TRY(set_flag(&yes, value, where, err));
    *place = yes ? *place + 1 : 0;
    return STATUS_OK;
}

static bool is_choice(const char *choices, const char *value) {
    const size_t length = strlen(value);
    for (const char *at = choices; length && *at;) {
        const size_t bytes = strcspn(at, "|");
        if (bytes == length && memcmp(at, value, length) == 0) return true;
        at += bytes + (at[bytes] == '|');
    }
    return false;
}

static enum status refuse_number(const struct option *option, const char *value, const char *where,
                                 struct error *err) {
    const char *kind = option->kind == OPTION_NUMBER  ? "a number"
                       : option->kind == OPTION_WHOLE ? "a whole number"
                                                      : "comma-separated whole numbers";
    char expected[96];
    snprintf(expected, sizeof expected, "%s from %.10g to %.10g", kind, option->low, option->high);
    return refuse_value(err, where, expected, value);
}

// Reads a number that ends at `end`; false: not a number, or one that the option does not accept.
static bool read_number(const struct option *option, const char *value, const char *end,
                        double *number) {
    char *stopped;
    *number = strtod(value, &stopped);
    return value < end && !isspace((unsigned char)*value) && stopped == end &&
           *number >= option->low && *number <= option->high &&
           (option->kind == OPTION_NUMBER || *number == floor(*number));
}

static enum status set_number(const struct option *option, const char *value, void *place,
                              const char *where, struct error *err) {
    double number;
    if (!read_number(option, value, value + strlen(value), &number))
        return refuse_number(option, value, where, err);
    if (option->kind == OPTION_WHOLE)
        *(int32_t *)place = (int32_t)number;
    else
        *(float *)place = (float)number;
    return STATUS_OK;
}

static enum status set_numbers(const struct option *option, const char *value,
                               struct args_numbers *place, const char *where, struct error *err) {
    struct args_numbers numbers = {0};
    for (const char *at = value;; at++) {
        const char *end = at + strcspn(at, ",");
        double number;
        if (!read_number(option, at, end, &number)) return refuse_number(option, value, where, err);
        if (numbers.count == ARGS_NUMBERS_MAX)
            return error_set(err, STATUS_BAD_INPUT, "%s: more than %d numbers", where,
                             ARGS_NUMBERS_MAX);
        numbers.values[numbers.count++] = (int32_t)number;
        if (!*end) break;
        at = end;
    }
    *place = numbers;
    return STATUS_OK;
}

static enum status set_seed(uint64_t *place, const char *value, const char *where,
                            struct error *err) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || errno)
        return refuse_value(err, where, "a whole number from 0", value);
    *place = number;
    return STATUS_OK;
}

static enum status set_item(struct args_list *list, const char *value, const char *where,
                            struct error *err) {
    if (!*value) return refuse_value(err, where, "some text", value);
    if (list->count == ARGS_LIST_MAX)
        return error_set(err, STATUS_BAD_INPUT, "%s: given more than %d times", where,
                         ARGS_LIST_MAX);
    list->items[list->count++] = value;
    list->items[list->count] = NULL;
    return STATUS_OK;
}

static enum status set_choice(const struct option *option, const char *value, void *place,
                              const char *where, struct error *err) {
    if (!is_choice(option->argument, value))
        return refuse_value(err, where, option->argument, value);
    if (option->offset == AT(block_size)) // the only choice that is a number
        *(int32_t *)place = (int32_t)strtol(value, NULL, 10);
    else
        *(const char **)place = value;
    return STATUS_OK;
}

enum status option_set(const struct option *option, const char *value, struct args *args,
                       const char *where, struct error *err) {
    void *place = (char *)args + option->offset;
    switch (option->kind) {
    case OPTION_FLAG:
        return set_flag(place, value, where, err);
    case OPTION_COUNT:
        return count_flag(place, value, where, err);
    case OPTION_LIST:
        return set_item(place, value, where, err);
    case OPTION_CHOICE:
    case OPTION_MAYBE_CHOICE:
        return set_choice(option, value, place, where, err);
    case OPTION_WHOLE:
    case OPTION_NUMBER:
        return set_number(option, value, place, where, err);
    case OPTION_WHOLES:
        return set_numbers(option, value, place, where, err);
    case OPTION_SEED:
        return set_seed(place, value, where, err);
    case OPTION_BYTES:
        if (size_parse(value, place) == STATUS_OK && (double)*(size_t *)place >= option->low)
            return STATUS_OK;
        return refuse_value(err, where, "a size such as 512M or 4G", value);
    case OPTION_TEXT:
        if ((double)strlen(value) < option->low)
            return refuse_value(err, where, "some text", value);
        *(const char **)place = value;
        return STATUS_OK;
    case OPTION_MAYBE_WORD:
    case OPTION_MAYBE_VALUE:
        *(const char **)place = value;
        return STATUS_OK;
    }
    return STATUS_OK;
}
