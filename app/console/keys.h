// app/console/keys.h — one key at a time, for what is not the line editor: pickers and pages.
//
// Answers in the background are handled meanwhile. SIGTERM and SIGHUP make the console leave, and
// come as Esc. Sequences of unknown keys are swallowed. Threads: the UI's.
#ifndef APP_KEYS_H
#define APP_KEYS_H

#include "app/console/console.h"

enum key { // beyond the bytes
    KEY_UP = 256,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_ESCAPE,
    KEY_REDRAW, // the screen may have changed
};

enum { // the bytes that mean something to a picker or a page
    KEY_CTRL_C = 0x03,
    KEY_CTRL_D = 0x04,
    KEY_BACKSPACE = 0x08,
    KEY_NEWLINE = 0x0A,
    KEY_RETURN = 0x0D,
    KEY_CTRL_N = 0x0E,
    KEY_CTRL_P = 0x10,
    KEY_CTRL_U = 0x15,
    KEY_DELETE = 0x7F,
};

int keys_read(struct console *console); // waits: a byte or an enum key

#endif
