// app/interactive.h — the chat at a terminal: prompt, stream, commands, until the person leaves.
//
// Needs a terminal on stdin and stdout. Owns the screen and the signals while it runs and gives
// both back, whatever happens (assert hook and fatal signals included).
#ifndef APP_INTERACTIVE_H
#define APP_INTERACTIVE_H

#include <stdbool.h>

#include "app/turn.h"

struct interactive_options {
    struct chat *chat; // borrowed, as all here; opened and placed where it begins
    struct engine *engine;
    struct db *db;
    const char *history_path; // of the line editor; NULL: none is kept
    const char *first_prompt; // is sent at once (-p … -i); NULL: none
    bool quiet, verbose;      // -q, -v (stats after each turn)
    bool saved;               // false under --no-save
    bool resumed;             // shows the last turns, dimmed
};

// Returns the exit code for the process.
int interactive_run(const struct interactive_options *options);

#endif
