// app/console.h — what the chat loop and its commands share.
//
// A console is the chat, where its next prompt begins, and whether it is time to leave. The loop
// (interactive.c) owns it; commands change it. Threads: the UI's.
#ifndef APP_CONSOLE_H
#define APP_CONSOLE_H

#include "app/turn.h"

struct console {
    struct chat *chat; // borrowed, as the next two
    struct engine *engine;
    struct db *db;
    bool verbose, saved;
    struct text draft; // what the next prompt begins with
    bool leave;
    int exit_code;
};

// Each begins a turn and shows it to its end; of several answers it asks for one. What could not be
// sent, or was taken back by ^C, is the draft.
void console_send(struct console *console, const char *text, size_t length);
void console_regenerate(struct console *console, int32_t answers);
void console_search(struct console *console, int32_t width);
void console_continue(struct console *console);

// Says why, in one line. True when there was something to say.
bool console_failed(enum status status, const struct error *err);

// A short answer to a question, trimmed: false when there is none (^C, ^D, an empty line).
bool console_ask(struct console *console, const char *question, struct text *answer);
bool console_confirm(struct console *console, const char *question); // "y" or "yes"

// After a move: the last turns, dimmed, and what of them was cached where, at what cost.
void console_arrive(struct console *console);

// What the next prompt begins with. Copied.
void console_set_draft(struct console *console, const char *text);

#endif
