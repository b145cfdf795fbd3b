// app/screen/external_editor.h — edits text in the user's own editor.
//
// Runs $VISUAL, else $EDITOR, else vi, on a file in $TMPDIR with mode 0600. Lends the terminal to
// it meanwhile. Threads: the UI's.
#ifndef APP_EXTERNAL_EDITOR_H
#define APP_EXTERNAL_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/text.h"

// Appends the saved text to the empty *edited, without trailing newlines. Drops NUL bytes, which a
// message cannot contain, and counts them in *left_out. False: it failed; the reason was printed.
bool external_editor_run(const char *draft, size_t length, struct text *edited, size_t *left_out);

#endif
