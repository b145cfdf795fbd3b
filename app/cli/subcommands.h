// app/cli/subcommands.h — the table of subcommands.
//
// Each row has the name of a subcommand, its operands, and what these can be. The parser, the help,
// the manual page and the completions all use it. The chat is the row without a name.
#ifndef APP_SUBCOMMANDS_H
#define APP_SUBCOMMANDS_H

#include "app/cli/args_values.h"

// What an operand or an option's value can be, for completion.
enum completes {
    COMPLETES_NOTHING, // nothing a shell could know
    COMPLETES_WORDS,   // a few listed words
    COMPLETES_FILES,
    COMPLETES_MODELS, // files *.gguf
    COMPLETES_FOLDERS,
    COMPLETES_CONVERSATIONS, // ids and names
    COMPLETES_PRESETS,
};

struct subcommand {
    const char *name;     // "list"; "" for the chat
    const char *operands; // as shown in the help
    const char *help;
    size_t most; // most operands
    enum completes completes;
    const char *words; // for COMPLETES_WORDS: separated by '|'; else NULL
};

const struct subcommand *subcommand_at(enum command command);
bool subcommand_find(const char *word, enum command *command); // "ls" is list

// What to use instead of a subcommand known from other programs, or NULL.
const char *subcommand_hint(const char *word);

// Its help text, with its words if the operands do not show them.
enum { SUBCOMMAND_TEXT_BYTES = 256 };
const char *subcommand_describe(const struct subcommand *row, char text[SUBCOMMAND_TEXT_BYTES]);

// The most similar name, or NULL. NULL for words that look like a file name.
const char *subcommand_nearest(const char *word);

#endif
