// app/screen/input_history.h — the history of what was typed, in this run and in earlier ones.
//
// Keeps Readline's history and a file in step. The file has one entry a line, oldest first, with
// "\n" for a newline and "\\" for a backslash, so an entry of several lines comes back whole.
// Each entry is appended by one write: several processes may share the file. It is made 0600
// and is cut to its newest INPUT_HISTORY_ENTRIES when it has grown to twice that.
//
// A file that cannot be read or written costs the history, never the chat. Threads: the UI's.
#ifndef APP_INPUT_HISTORY_H
#define APP_INPUT_HISTORY_H

#include <stdbool.h>

enum { INPUT_HISTORY_ENTRIES = 2000 };

void input_history_open(const char *path); // NULL: this run only
void input_history_add(const char *text);  // ignored if it repeats the previous entry
// Takes the entries that `is_one` names out of this run and out of the file.
void input_history_forget(bool (*is_one)(const void *user, const char *entry), const void *user);
void input_history_close(void);

#endif
