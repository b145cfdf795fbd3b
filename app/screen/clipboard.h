// app/screen/clipboard.h — text onto the clipboard of the person at the terminal.
//
// By the program that the surroundings speak for: tmux in tmux, wl-copy under Wayland, xclip or
// xsel under X, pbcopy where there is one; over a network, or without any, by the terminal itself
// (OSC 52). Threads: the UI's.
#ifndef APP_CLIPBOARD_H
#define APP_CLIPBOARD_H

#include <stddef.h>

#include "kernels/base/status.h"

// *way says by what. UNSUPPORTED: nothing here takes it; TOO_LONG: only the terminal does, and not
// so much.
MUST_CHECK enum status clipboard_put(const char *bytes, size_t length, const char **way,
                                     struct error *err);

#endif
