// app/base/verbatim.h — characters of a typed line that have no special meaning.
//
//   typed   @notes.txt     attaches a file          pasted   @types/node    is text
//           /help          runs a command                    /usr/lib: …    is text
//
// You type a line, paste into it, recall it and edit it, and what was pasted stays text. So the
// mark is in the line itself: a pasted character that would be special if typed is stored as a
// private one, U+10FD00 plus its ASCII code. Code that shows or sends the line converts it back;
// code that looks for commands and file names does not match it. The history file stores the marks,
// so a recalled line means the same.
//
// These are marked: "@" everywhere; "/" at the start of a word; "\" before an "@" and at the end of
// a line; `"""` at the start of a line; and a text that is a single word of letters ("exit").
//
// Memory: texts are the caller's. Threads: no state.
#ifndef APP_VERBATIM_H
#define APP_VERBATIM_H

#include "kernels/base/text.h"

// Appends a text with its special characters marked, such as pasted text or a message to be edited
// again.
MUST_CHECK enum status verbatim_append(struct text *out, const char *text, size_t length);

// Appends the line as it is sent and shown, with each mark converted back to its character.
MUST_CHECK enum status verbatim_plain(struct text *out, const char *line, size_t length);

// The character that a mark stands for; 0 if the code point is not a mark.
char verbatim_character(uint32_t code_point);

// For a text that another program edited from verbatim_plain(line): appends it with those words
// marked that are marked in `line`.
MUST_CHECK enum status verbatim_restore(struct text *out, const char *line, const char *edited);

#endif
