// app/cli/args.h — the options in effect: command line, environment, config file.
//
// One table (options.c) says each option's names, kind, range and help. A value is set by the
// command line, else by its QUIRE_* counterpart in the environment, else by the config file, else
// by default; the order of the calls does not matter, because each value remembers its source.
// Values of lower sources are checked too. Lists are replaced by a higher source, not extended.
//
//   args_init ─► args_read_words, args_read_environment, config_read ─► args_check
//
// Memory: values are borrowed from argv, the environment and `config`, which is owned.
#ifndef APP_ARGS_H
#define APP_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum command {
    COMMAND_CHAT, // or one answer
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
    COMMAND_MODELS,
};
enum { COMMAND_COUNT = 13 };

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

struct args {
    enum command command;
    const char *operands[ARGS_OPERANDS_MAX]; // MODEL, ID, what to bench or do; NULL after the last
    size_t operand_count;
    bool help, version, man;
    const char *completion; // NULL, or for which shell

    const char *model; // NULL: the demo model
    int32_t context;
    const char *backend;
    int32_t threads;
    bool deterministic;

    bool go_on;         // --continue
    const char *resume; // NULL: no; "": ask which
    const char *fork;   // NULL: no; "": at the tip; else the turn
    const char *name;
    const char *system, *system_file;
    const char *preset, *shots; // NULL: none
    bool no_save;

    const char *prompt, *prompt_file;
    struct args_list files;
    bool stay; // -i

    int32_t tokens;
    float temperature, top_p, min_p;
    int32_t top_k;
    float repeat_penalty, presence_penalty, frequency_penalty;
    uint64_t seed;
    int32_t samples; // 0: one
    int32_t speculate;
    int32_t beams; // 0: none
    float length_penalty;
    bool early_stopping;
    struct args_list stops;
    const char *overflow; // "error", "drop", "compact"
    const char *think;    // "auto", "on", "off"

    int32_t block_size;
    const char *kv_type;
    const char *attention; // which kernel: kernels/backend.h
    size_t kv_device_bytes, kv_host_bytes, kv_disk_bytes;
    const char *kv_dir;     // NULL: in the folder for caches
    const char *kv_restore; // "auto", "always", "never"

    const char *format; // "text", "json", "jsonl"
    int32_t verbose;    // how often it was said: 1 figures and news, 2 what happens inside
    bool quiet;
    const char *trace; // a file, or NULL
    const char *color;
    bool raw;

    const char *resume_batch; // NULL: no journal
    bool unordered;           // batch

    bool ids, bos; // tokenize
    const char *shape, *type;
    struct args_numbers prompt_tokens, depth, batch; // bench
    int32_t runs;

    struct text config;                      // that values are borrowed from
    unsigned char sources[ARGS_OPTIONS_MAX]; // enum args_source, by row of the table
};

void args_init(struct args *args);
void args_deinit(struct args *args);

// BAD_INPUT, with one line for the person: an unknown option (and the most similar one), a missing
// or invalid value, too many words.
MUST_CHECK enum status args_read_words(struct args *args, int count, char *const *words,
                                       struct error *err);
MUST_CHECK enum status args_read_environment(struct args *args, struct error *err);

// Sets one option by its long name; `where` begins the error: "config:3: top-k".
MUST_CHECK enum status args_set(struct args *args, const char *name, const char *value,
                                enum args_source source, const char *where, struct error *err);

// BAD_INPUT: options that do not go together, or not with this command.
MUST_CHECK enum status args_check(const struct args *args, struct error *err);

// The source of the option with this long name, which must exist.
enum args_source args_source(const struct args *args, const char *name);

#endif
