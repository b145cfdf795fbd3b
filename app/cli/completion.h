// app/cli/completion.h — the scripts with which shells complete quire's command line.
//
// Made from the tables of options and subcommands, so nothing is listed twice. What changes from
// one Tab to the next, conversations and presets, a script asks for with a hidden option:
// `quire --complete conversations` prints lines of WORD, a tab, and what it is.
//
// Memory: none is kept. No threads.
#ifndef APP_COMPLETION_H
#define APP_COMPLETION_H

#include <stdio.h>

#include "app/cli/config.h"

// `shell` is one of the choices of --completion.
void completion_print(FILE *out, const char *shell);

// For the shell in question; completion_print() chooses.
void completion_print_bash(FILE *out);
void completion_print_zsh(FILE *out);
void completion_print_fish(FILE *out);

// What these three share. `between` stands between two words.
void completion_put_commands(FILE *out, const char *between);
void completion_put_takers(FILE *out, const char *between); // options that a value can follow
void completion_put_choice(FILE *out, const char *words);   // "a|b" as "a b"

// The newest conversations, by id, and by name where they have one. Where there is no database,
// none, and none is made; a failure is silent, as a shell is in the middle of a line.
void completion_print_conversations(FILE *out, const struct config *config);

void completion_print_presets(FILE *out, const struct config *config);

#endif
