// app/screen/clipboard.h — puts text on the user's clipboard.
//
// Uses the program that fits the environment: tmux in tmux, wl-copy under Wayland, xclip or xsel
// under X, pbcopy if it exists; over a network, or without any of these, the terminal itself
// (OSC 52). Threads: the UI's.
#ifndef APP_CLIPBOARD_H
#define APP_CLIPBOARD_H

#include <stddef.h>

#include "kernels/base/status.h"

// UNSUPPORTED: no clipboard; TOO_LONG: only the terminal's clipboard is available, which does not
// accept that much.
MUST_CHECK enum status clipboard_put(const char *bytes, size_t length, struct error *err);

#endif
