// app/console/interactive.h — the chat at a terminal: prompt, stream, commands, until the person
// leaves.
//
// Needs a terminal on stdin and stdout. Owns the screen and the signals while it runs and gives
// both back, whatever happens (assert hook and fatal signals included).
#ifndef APP_INTERACTIVE_H
#define APP_INTERACTIVE_H

#include <stdbool.h>

#include "app/chat/chat_turn.h"
#include "app/console/console.h"

struct interactive_options {
    struct session *session;  // borrowed, as all that follows; starts with its chat in front
    const char *history_path; // of the line editor; NULL: none is kept
    const char *config_path;  // the person's presets are next to it
    const char *kv_folder;    // of the disk cache; NULL: none
    const struct outgoing *first_prompt; // sent at once (-p … -i); NULL: none
    bool quiet, verbose;                 // -q, -v (stats after each turn)
    bool saved;                          // false under --no-save
    bool resumed;                        // show the last turns, dimmed
    bool picks;                          // asks which conversation to go on with
    struct model_finder models;          // of /model and /resume
    struct wanted_model *wanted;         // out: what the chat was left for
    struct reopening *reopening;         // in and out
};

// Returns the exit code for the process.
int interactive_run(const struct interactive_options *options);

#endif
