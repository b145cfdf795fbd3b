// app/cli/subcommands.h — the table of words that can stand first on the command line.
//
// A row is what `quire WORD` is called, what follows it, and what that can be: for reading the
// command line, its help, the manual page and the completions alike. The chat is the row without
// a word.
#ifndef APP_SUBCOMMANDS_H
#define APP_SUBCOMMANDS_H

#include "app/cli/args_values.h"

// What a word that is not an option can be, or an option's value: for completion.
enum completes {
    COMPLETES_NOTHING, // that a shell could know
    COMPLETES_WORDS,   // some of a few, which are listed
    COMPLETES_FILES,
    COMPLETES_MODELS, // files *.gguf
    COMPLETES_FOLDERS,
    COMPLETES_CONVERSATIONS, // ids and names
    COMPLETES_PRESETS,
};
enum { COMPLETES_COUNT = 7 };

struct subcommand {
    const char *name;     // "list"; "" for the chat
    const char *operands; // as the help shows them
    const char *help;
    size_t most; // so many words without an option
    enum completes completes;
    const char *words; // of COMPLETES_WORDS, with '|' between them; else NULL
};

const struct subcommand *subcommand_at(enum command command);
bool subcommand_find(const char *word, enum command *command); // "ls" is list

// What to do instead of a word that other programs have; or NULL.
const char *subcommand_hint(const char *word);

// What it does, and its words, if the operands do not show them.
enum { SUBCOMMAND_TEXT_BYTES = 256 };
const char *subcommand_describe(const struct subcommand *row, char text[SUBCOMMAND_TEXT_BYTES]);

// The name that was probably meant, or NULL. Words that look like a file's name mean that.
const char *subcommand_nearest(const char *word);

#endif
