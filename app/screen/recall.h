// app/screen/recall.h — what was typed before, in this run and in earlier ones.
//
// Keeps Readline's history and a file in step. The file has one entry a line, oldest first, with
// "\n" for a newline and "\\" for a backslash, so an entry of several lines comes back whole.
// Each entry is appended by one write: several processes may share the file. It is made 0600
// and is cut to its newest RECALL_ENTRIES when it has grown to twice that.
//
// A file that cannot be read or written costs the history, never the chat. Threads: the UI's.
#ifndef APP_RECALL_H
#define APP_RECALL_H

enum { RECALL_ENTRIES = 2000 };

void recall_open(const char *path); // NULL: this run only
void recall_add(const char *text);  // nothing when it repeats the entry before it
void recall_close(void);

#endif
