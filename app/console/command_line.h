// app/console/command_line.h — is a line a command?
//
// One is a line that begins with a slash. These are not: "//text", which sends "/text"; a first
// word with a second slash, "/usr/lib: …"; and pasted text (app/base/verbatim.h). "exit", "quit",
// "bye" and "help" alone on a line are commands without a slash. Threads: no state.
#ifndef APP_COMMAND_LINE_H
#define APP_COMMAND_LINE_H

#include <stdbool.h>

bool command_line_is_command(const char *line);

// The line as it is with a slash: "/exit" for "exit"; itself if it begins with one; NULL if it is
// no command. Borrowed from `line`, or static.
const char *command_line_with_slash(const char *line);

#endif
