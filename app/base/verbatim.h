// app/base/verbatim.h — characters of a line that mean only themselves.
//
//   typed   @notes.txt     attaches a file          pasted   @types/node    is text
//           /help          runs a command                    /usr/lib: …    is text
//
// A person types a line, pastes into it, recalls and edits it, and what was pasted stays text. So
// the mark is in the line itself: a pasted character that would mean something when typed stands
// there as a private one, U+10FD00 plus its ASCII code. Whoever shows the line shows the character;
// whoever reads it as a command or a file name does not find it; whoever sends it writes the
// character. The history file holds lines as they are, so tomorrow they mean the same.
//
// Marked are "@" everywhere, "/" at the beginning of a word, "\" before an "@" and at the end of a
// line, `"""` at the beginning of one, and a text that is a single word of letters ("exit").
//
// Memory: texts are the caller's. No threads.
#ifndef APP_VERBATIM_H
#define APP_VERBATIM_H

#include "kernels/base/text.h"

// Appends a text that means only itself, such as what was pasted, or a message that is edited
// again.
MUST_CHECK enum status verbatim_append(struct text *out, const char *text, size_t length);

// Appends the line as it is sent and shown: each mark as the character that it stands for.
MUST_CHECK enum status verbatim_plain(struct text *out, const char *line, size_t length);

// The character that a code point stands for, or 0.
char verbatim_character(uint32_t code_point);

// After another program edited verbatim_plain(line): appends the edited text, in which words that
// are marked in the line are marked as they were.
MUST_CHECK enum status verbatim_restore(struct text *out, const char *line, const char *edited);

#endif
