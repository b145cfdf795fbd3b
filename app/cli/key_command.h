// app/cli/key_command.h — the key that a command prints (--key-from command:…).
//
// The command is a shell's, in a process group of its own that has the terminal while it runs, so
// that it may ask for a password there. It has KEY_COMMAND_LIMIT_S seconds. When it ends, or is
// given up, or quire is asked to end, its whole group is killed: nothing of it outlives this call.
//
// Threads: the calling one, while no other starts a process; the handlers of SIGINT, SIGTERM and
// SIGHUP are replaced meanwhile.
#ifndef APP_KEY_COMMAND_H
#define APP_KEY_COMMAND_H

#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum { KEY_COMMAND_LIMIT_S = 60 };

// Appends the first line that the command prints to *key. What it says on stderr is said in one
// line, without the key. IO: it prints none, fails, or takes too long, with its own words;
// CANCELLED: a signal came, which is raised again.
MUST_CHECK enum status key_command_read(const char *command, struct text *key, struct error *err);

#endif
