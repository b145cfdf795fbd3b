// app/console/compose.h — builds a message from typed text and attached files.
//
// /read puts files before the next message; "@path" in a message puts that file before it. The
// files come first, as attachment.h writes them; the typed text follows. A word that begins with @
// but names no file is an ordinary word, unless it looks like a path or is quoted: then it is an
// error, so that a typo is noticed. "\@word" is always a word, and so is pasted text (verbatim.h).
//
// Files that could not be sent are kept for the next try. Threads: the UI's.
#ifndef APP_COMPOSE_H
#define APP_COMPOSE_H

#include "app/console/console.h"

// Sends the message; on failure says why and puts it back into the draft.
void compose_send(struct console *console, const char *typed, size_t length);

// Undoes a message: its typed part goes into the draft, and its files are attached to the next
// message.
void compose_take_back(struct console *console, const char *message);

void compose_deinit(struct console *console); // frees pending files and the last composed message

// Appends the named files to *message, and the typed text to *rest, with "\@" as "@" and without
// marks. *files counts the files. typed[length] must be NUL. NOT_FOUND, IO, BAD_INPUT; the error
// names the file.
MUST_CHECK enum status compose_expand(const char *typed, size_t length, struct text *message,
                                      struct text *rest, size_t *files, struct error *err);

#endif
