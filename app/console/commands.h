// app/console/commands.h — runs the lines that are commands (command_line.h).
//
// A command is a row of one table: its names, its usage, one line of help and a handler. An unknown
// name is an error that suggests the most similar one, and is never sent to the model.
//
// Threads: the UI's.
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "app/console/console.h"

// What happens to a line that is sent while an answer is being written?
enum line_timing {
    LINE_WAITS, // it runs when the answer has ended
    LINE_RUNS,  // it runs now: a command that only reads, or /quit
    LINE_MOVES, // it runs now and goes to another conversation; the answer keeps running
};
enum line_timing commands_timing(const char *line);

// Runs the command; it reports its own failures.
void commands_run(struct console *console, const char *line);

// Completions for editor.h: for `word` after `before` (commands and their arguments, ids and names
// of conversations, models, paths, presets), and for a name with blanks at the end of the line.
// `user` is a struct console.
char **commands_complete(void *user, const char *before, const char *word);
char **commands_complete_name(void *user, const char *line, size_t *start);

// Converts pasted text for editor.h: after "@" or a command that takes files it is an argument, or
// else plain text (verbatim.h). `user` is a struct console.
const char *commands_paste(void *user, const char *before, const char *text, struct text *line);

// For the manual page: row `index` of the commands, or of the keys. False after the last row.
struct command_text {
    const char *name, *usage, *help; // a key has no usage
};
bool commands_text(size_t index, struct command_text *text);
bool commands_key(size_t index, struct command_text *text);

#endif
