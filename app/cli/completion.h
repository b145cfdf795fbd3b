// app/cli/completion.h — how shells complete quire's command line.
//
// A shell's script is a few lines: at each Tab it asks `quire --complete WORD…`, with the words
// from the program's name to the cursor, of which the last is the one to complete and may be empty.
// Each line of the answer is a word, a tab and what it is; or :files, :models or :folders, where
// the shell knows better. Words that do not fit what is typed so far are left to the shell to drop.
//
// Memory: none is kept. No threads.
#ifndef APP_COMPLETION_H
#define APP_COMPLETION_H

#include <stdio.h>

#include "app/cli/config.h"

// The script; `shell` is one of the choices of --completion.
void completion_print(FILE *out, const char *shell);

// The answer. Conversations and presets are the person's own: without a database there are none,
// and none is made; a failure is silent, as a shell is in the middle of a line.
void completion_offer(FILE *out, char *const *words, int count, const struct config *config);

#endif
