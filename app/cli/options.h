// app/cli/options.h — the table of options.
//
// Each row is one option: its names, its kind of value, and where the value goes in struct args.
// The environment variable of "top-k" is QUIRE_TOP_K; the config file uses the long name.
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "app/cli/args_values.h"
#include "app/cli/subcommands.h"

enum option_kind {
    OPTION_FLAG,         // bool; "=off" turns it off
    OPTION_COUNT,        // int32_t: a flag that counts its uses
    OPTION_TEXT,         // const char *, of at least `low` bytes
    OPTION_LIST,         // struct args_list: each use adds a text
    OPTION_CHOICE,       // const char *, one of those in `argument`, separated by '|'
    OPTION_MAYBE_CHOICE, // the same; "on" without a value
    OPTION_WHOLE,        // int32_t from low to high
    OPTION_WHOLES,       // struct args_numbers: such numbers, separated by commas
    OPTION_NUMBER,       // float from low to high
    OPTION_SEED,         // uint64_t
    OPTION_BYTES,        // size_t: "512M"
    OPTION_MAYBE_WORD,   // const char *: the next word, unless it is an option or a model file
    OPTION_MAYBE_VALUE,  // const char *: only as --option=value
};

enum {
    FOR_CHAT = 1u << COMMAND_CHAT,
    FOR_LIST = 1u << COMMAND_LIST,
    FOR_RM = 1u << COMMAND_RM,
    FOR_INSPECT = 1u << COMMAND_INSPECT,
    FOR_TOKENIZE = 1u << COMMAND_TOKENIZE,
    FOR_BENCH = 1u << COMMAND_BENCH,
    FOR_KV = 1u << COMMAND_KV,
    FOR_BATCH = 1u << COMMAND_BATCH,
    FOR_TEMPLATE = 1u << COMMAND_TEMPLATE,
    FOR_IMPORT = 1u << COMMAND_IMPORT,
    FOR_EXPORT = 1u << COMMAND_EXPORT,
    FOR_DOCTOR = 1u << COMMAND_DOCTOR,
    FOR_PULL = 1u << COMMAND_PULL,
    FOR_MODELS = 1u << COMMAND_MODELS,
    FOR_ALL = (1u << COMMAND_COUNT) - 1,
    ONLY_ON_SERVER = 1u << 28, // of a model on a server
    ONLY_HERE = 1u << 29,      // of a model on this machine
    ONLY_AS_WORD = 1u << 30,   // only on the command line
};

struct option {
    const char *section; // of the help, if a new section begins here; else NULL
    const char *name;
    char letter; // or 0
    enum option_kind kind;
    const char *argument; // as shown in the help
    size_t offset;        // in struct args
    unsigned commands;
    double low, high;
    const char *help;
};

size_t option_count(void);
const struct option *option_at(size_t index);
const struct option *option_find(const char *name, size_t length); // or NULL
const struct option *option_by_letter(char letter);                // or NULL

// The option that other programs call so, or the one with the most similar name, or NULL.
const struct option *option_nearest(const char *name);

// May the next word be its value? Yes, unless that is an option or a model file.
static inline bool option_may_take_word(const struct option *option) {
    return option->kind == OPTION_MAYBE_WORD || option->kind == OPTION_MAYBE_CHOICE;
}

// Does it require a value?
static inline bool option_takes_value(const struct option *option) {
    return option->kind != OPTION_FLAG && option->kind != OPTION_COUNT &&
           option->kind != OPTION_MAYBE_VALUE && !option_may_take_word(option);
}

enum { OPTION_TWIN_BYTES = 48 };
enum completes option_completes(const struct option *option); // kind of its values
bool option_names_file(const struct option *option);          // or a folder, perhaps among words

const char *option_twin(const struct option *option, char twin[OPTION_TWIN_BYTES]);

// Copies the option's field.
void option_copy(const struct option *option, const struct args *from, struct args *to);

// Parses `value` into its field of *args. BAD_INPUT: the error begins with `where`.
MUST_CHECK enum status option_set(const struct option *option, const char *value, struct args *args,
                                  const char *where, struct error *err);

#endif
