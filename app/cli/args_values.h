// app/cli/args_values.h — struct args: one value per option.
//
// options.c maps options to fields; args.h fills them in. Texts are borrowed from their source.
#ifndef APP_ARGS_VALUES_H
#define APP_ARGS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/text.h"

enum command {
    COMMAND_CHAT, // or a single answer
    COMMAND_LIST,
    COMMAND_SHOW,
    COMMAND_EXPORT,
    COMMAND_RM,
    COMMAND_INSPECT,
    COMMAND_TOKENIZE,
    COMMAND_BENCH,
    COMMAND_KV,
    COMMAND_BATCH,
    COMMAND_TEMPLATE,
    COMMAND_IMPORT,
    COMMAND_PULL,
    COMMAND_MODELS,
    COMMAND_DOCTOR,
};
enum { COMMAND_COUNT = COMMAND_DOCTOR + 1 };

enum args_source { ARGS_DEFAULT, ARGS_CONFIG, ARGS_ENVIRONMENT, ARGS_WORDS };

enum { ARGS_LIST_MAX = 63, ARGS_NUMBERS_MAX = 8, ARGS_OPTIONS_MAX = 96, ARGS_OPERANDS_MAX = 2 };

struct args_list {
    const char *items[ARGS_LIST_MAX + 1]; // NULL after the last
    size_t count;
};

struct args_numbers {
    int32_t values[ARGS_NUMBERS_MAX];
    int32_t count; // 0: none given
};

struct args_section { // one line of the config file under [SECTION]
    const char *section, *key, *value;
};
enum { ARGS_SECTION_LINES_MAX = 128 };

struct args {
    enum command command;
    const char *operands[ARGS_OPERANDS_MAX]; // MODEL, ID or what to do; NULL after the last
    size_t operand_count;
    bool help, version, man;
    bool asks;              // `quire help`
    const char *topic;      // the command or option to explain, or NULL
    const char *completion; // the shell, or NULL

    const char *model;      // NULL: the demo model
    struct args_list loras; // "FILE" or "FILE=SCALE"
    int32_t context;
    struct args_list chat_templates; // "FILE", "NAME" or "MODEL=…"; the last that applies wins
    const char *backend;
    int32_t threads;
    size_t device_bytes;    // 0: what is free
    int32_t ngl, n_cpu_moe; // if given: args_placement()
    bool deterministic;

    const char *remote;                             // "auto", "messages", "tokens"
    const char *key_from, *vocabulary, *cache_salt; // NULL: none
    int32_t first_byte, silence;                    // seconds

    bool offline; // no network access
    bool yes;     // answers all questions

    bool go_on;         // --continue
    bool all;           // include one-shot questions (-p)
    bool family;        // rm: also all that share text with it
    const char *resume; // NULL: no; "": ask which
    const char *fork;   // NULL: no; "": at the tip; else the turn
    const char *name;
    const char *system, *system_file;
    const char *preset, *shots; // NULL: none
    const char *titles;         // "auto", "on", "off"
    bool no_save;

    const char *prompt, *prompt_file;
    struct args_list files;
    bool stay; // -i

    int32_t tokens;
    float temperature, top_p, min_p;
    int32_t top_k;
    float repeat_penalty, presence_penalty, frequency_penalty;
    uint64_t seed;
    int32_t samples;   // 0: one
    const char *draft; // "auto", "off", "history"; else a model that drafts
    int32_t speculate;
    int32_t beams; // 0: none
    float length_penalty;
    bool early_stopping;
    struct args_list stops;
    const char *schema, *grammar; // NULL: none
    const char *overflow;         // "error", "drop", "compact"
    const char *think;            // "auto", "on", "off"

    int32_t block_size;
    const char *kv_type;
    const char *attention; // which kernel: kernels/backend.h
    size_t kv_device_bytes, kv_host_bytes, kv_disk_bytes;
    const char *kv_dir;     // NULL: in the cache folder
    const char *kv_restore; // "auto", "always", "never"

    const char *format; // "text", "json", "jsonl"
    int32_t verbose;    // how often given: 1 figures and news, 2 internals
    bool quiet;
    const char *trace; // a file, or NULL
    const char *color;
    bool raw;
    bool html, tree; // export

    const char *resume_batch; // NULL: no journal
    bool unordered;           // batch

    bool ids, bos; // tokenize
    const char *shape, *type;
    struct args_numbers prompt_tokens, depth, batch, rows, accept; // bench
    const char *shared_past;                                       // "on", "off"
    int32_t branches, runs;

    struct args_section sections[ARGS_SECTION_LINES_MAX];
    size_t section_count;
    struct text config;                      // the config file's text, which values borrow from
    unsigned char sources[ARGS_OPTIONS_MAX]; // enum args_source of each row of the table
};

#endif
