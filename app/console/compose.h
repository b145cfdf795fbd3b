// app/console/compose.h — a message from what was typed and the files that go with it.
//
// /read puts files before the next message; "@path" in a message puts that file before it. Files
// look as attachment.h writes them, and the typed text follows. A word that begins with @ and names
// no file is a word, unless it looks like a path or is in quotation marks: that is an error, so
// that no typo goes unnoticed. "\@word" is always a word, and so is what was pasted (verbatim.h).
//
// Files that could not be sent wait for the next try. Threads: the UI's.
#ifndef APP_COMPOSE_H
#define APP_COMPOSE_H

#include "app/console/console.h"

// Sends the message, or says why not and puts it back into the draft.
void compose_send(struct console *console, const char *typed, size_t length);

// A message that was taken back: its typed part goes into the draft, and its files wait again.
void compose_take_back(struct console *console, const char *message);

void compose_deinit(struct console *console); // what waits and what is remembered

// Appends to *message the files that are named, and to *rest what was typed, with "\@" as "@" and
// without marks. typed[length] is NUL. *files counts the files. NOT_FOUND, IO, BAD_INPUT name the
// file.
MUST_CHECK enum status compose_expand(const char *typed, size_t length, struct text *message,
                                      struct text *rest, size_t *files, struct error *err);

#endif
