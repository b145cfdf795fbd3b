// app/console/interactive.h — the chat at a terminal: prompt, answers and commands, until the user
// leaves.
//
// stdin and stdout must be a terminal. While it runs it owns the screen and the signals, and
// restores both whatever happens, even after a failed ASSERT or a fatal signal.
#ifndef APP_INTERACTIVE_H
#define APP_INTERACTIVE_H

#include <stdbool.h>

#include "app/chat/chat_turn.h"
#include "app/console/console.h"

struct interactive_options {
    struct session *session;             // borrowed, as is all else; begins with the chat in front
    const char *history_path;            // of the line editor; NULL: no history
    const char *config_path;             // the user's presets are next to it
    const char *kv_folder;               // the disk cache's; NULL: none
    const struct outgoing *first_prompt; // sent at once (-p … -i); NULL: none
    bool quiet, verbose;                 // -q, -v (stats after each turn)
    bool saved;                          // false under --no-save
    bool resumed;                        // show the last turns, dimmed
    bool picks;                          // ask which conversation to continue
    bool returned;                       // after leaving for a model that could not be opened
    struct model_finder models;          // for /model and /resume
    struct wanted_model *wanted;         // out: the model that the chat was left for
    struct reopening *reopening;         // in and out
    struct unsent *unsent; // the same; what is typed but not sent when the chat is left for a model
};

// Returns the exit code for the process.
int interactive_run(const struct interactive_options *options);

#endif
