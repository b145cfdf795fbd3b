// app/screen/input_history.h — the history of typed lines, from this run and earlier ones.
//
// Keeps Readline's history and a file in step. The file has one entry per line, oldest first, with
// "\n" for a newline and "\\" for a backslash, so an entry of several lines comes back whole. Each
// entry is appended with one write, so several processes can share the file. It has mode 0600 and
// is trimmed to its newest INPUT_HISTORY_ENTRIES when it reaches twice that.
//
// If the file cannot be read or written, only the history suffers, never the chat. Threads: the
// UI's.
#ifndef APP_INPUT_HISTORY_H
#define APP_INPUT_HISTORY_H

#include <stdbool.h>

enum { INPUT_HISTORY_ENTRIES = 2000 };

void input_history_open(const char *path); // NULL: this run only
void input_history_add(const char *text);  // ignored if blank, or if it repeats the previous entry
// Removes the entries for which `is_one` is true, from this run and from the file.
void input_history_forget(bool (*is_one)(const void *user, const char *entry), const void *user);
void input_history_close(void);

#endif
