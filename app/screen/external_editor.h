// app/screen/external_editor.h — a text in the person's own editor.
//
// $VISUAL, else $EDITOR, else vi, on a file in $TMPDIR that only the person can read. The terminal
// is lent to it meanwhile. Threads: the UI's.
#ifndef APP_EXTERNAL_EDITOR_H
#define APP_EXTERNAL_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/text.h"

// Appends what was saved to the empty *edited, without newlines at its end. NUL bytes, which no
// message can have, are left out and counted in *left_out. False: it failed, and it has said so.
bool external_editor_run(const char *draft, size_t length, struct text *edited, size_t *left_out);

#endif
