// app/cli/completion.h — completes quire's command line for shells.
//
// A shell's script is a few lines: at each Tab it asks `quire --complete WORD…`, with the words
// from the program's name to the cursor. The last one is to be completed and may be empty. Each
// line of the answer is a word, a tab and a description; or :files, :models or :folders, which the
// shell completes itself. The shell drops words that do not match the typed prefix.
//
// Memory and threads: no state.
#ifndef APP_COMPLETION_H
#define APP_COMPLETION_H

#include <stdio.h>

#include "app/cli/config.h"

// Prints the script; `shell` is one of the choices of --completion.
void completion_print(FILE *out, const char *shell);

// Prints the answer, with the user's conversations and presets. Never creates a database. Failures
// are silent, because the user is in the middle of a command line.
void completion_offer(FILE *out, char *const *words, int count, const struct config *config);

#endif
