// app/editor.h — what the person types: the prompt, its keys, and what is typed ahead.
//
// GNU Readline on the terminal that terminal.h has taken; a process has one editor.
//   Enter sends.            ^J, Alt-Enter, and Enter after a backslash make a new line.
//   """ … """ is a block: Enter makes new lines in it until it is closed.
//   ↑ ↓ move between the lines of a draft, then through the history.
//   ^G and ^X^E open $VISUAL or $EDITOR on the draft.
// A paste is text: its newlines never send.
//
// Keys that come while an answer streams are read by editor_listen() and are the next prompt's
// first keys. Threads: the UI's.
#ifndef APP_EDITOR_H
#define APP_EDITOR_H

#include <stdbool.h>

#include "engine/base/text.h"

// What can stand in place of `word`, which follows `before` in the line: a NULL-terminated array
// of strings, all from malloc and moved to the editor; NULL when there is nothing.
typedef char **editor_complete(void *user, const char *before, const char *word);

struct editor_options {
    const char *history_path; // NULL: none is kept
    editor_complete *complete;
    void *user;
};

void editor_open(const struct editor_options *options);
void editor_close(void);

enum editor_end {
    EDITOR_LINE,      // Enter
    EDITOR_INTERRUPT, // ^C on an empty line, or in a question
    EDITOR_LEAVE,     // ^D on an empty line, or the terminal is gone
    EDITOR_SIGNAL,    // SIGTERM or SIGHUP: *signal
};

struct editor_prompt {
    const char *text;  // "> "
    const char *draft; // what the line begins with
    bool question;     // a short answer to the program: one line, kept in no history
};

// Fills the empty *line on EDITOR_LINE.
enum editor_end editor_read(const struct editor_prompt *prompt, struct text *line, int *signal);

void editor_listen(void); // takes what has been typed; does not wait
void editor_hold(void);   // Enter among what was typed ahead shall not send by itself

#endif
