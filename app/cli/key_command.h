// app/cli/key_command.h — gets an API key from a command (--key-from command:…).
//
// The command runs in a shell, in its own process group in the terminal's foreground, so that it
// can ask for a password. It has KEY_COMMAND_LIMIT_S seconds. When it ends or times out, or quire
// is asked to end, its whole group is killed: none of its processes outlives this call.
//
// Threads: no other thread may start a process meanwhile; the handlers of SIGINT, SIGTERM and
// SIGHUP are replaced during the call.
#ifndef APP_KEY_COMMAND_H
#define APP_KEY_COMMAND_H

#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum { KEY_COMMAND_LIMIT_S = 60 };

// Appends the command's first line of output to *key. Shows its stderr as one line, without the
// key. IO: no output, failure or timeout; the error quotes the command's message. CANCELLED: a
// signal arrived, and is raised again.
MUST_CHECK enum status key_command_read(const char *command, struct text *key, struct error *err);

#endif
