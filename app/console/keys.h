// app/console/keys.h — one key at a time, for what is not the line editor: pickers and pages.
//
// Answers in the background are handled meanwhile. SIGTERM and SIGHUP make the console leave, and
// come as Esc. Sequences of unknown keys are swallowed. Threads: the UI's.
#ifndef APP_CONSOLE_KEYS_H
#define APP_CONSOLE_KEYS_H

#include "app/console/console.h"
#include "app/screen/keys.h"

enum { KEY_REDRAW = KEY_ESCAPE + 1 }; // the screen may have changed

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

// "Enter goes on, Esc does not." Where lines cannot be taken back, y or n is asked for.
bool keys_agree(struct console *console);

int keys_read(struct console *console); // waits: a byte, an enum key_code, or KEY_REDRAW

#endif
