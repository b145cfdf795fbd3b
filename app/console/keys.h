// app/console/keys.h — reads single keys for pickers and pages, outside the line editor.
//
// Handles answers in the background while it waits. SIGTERM and SIGHUP make the console leave and
// are returned as Esc. Unknown key sequences are dropped. A caller that has no use for a paste
// keeps it for the prompt (console_keep_pasted()). Threads: the UI's.
#ifndef APP_CONSOLE_KEYS_H
#define APP_CONSOLE_KEYS_H

#include "app/console/console.h"
#include "app/screen/keys.h"

enum {
    KEY_REDRAW = KEY_ESCAPE + 1, // the screen may have changed
    KEY_CONTINUED,               // a shell wrote below what was drawn: draw it again, below that
    KEY_PASTED,                  // a text, which is editor_pasted(): never the keys that it spells
};

enum { // the control bytes that pickers and pages use
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

// Is it a character that a line can begin with? Such a key, where it has no meaning, is the user
// typing a line without looking: it belongs to the prompt (editor_unread()).
bool keys_type(int key);

// Asks "Enter continues, Esc cancels." A typed line cancels too, and goes to the prompt. On a
// terminal that cannot erase lines, asks for y or n.
bool keys_agree(struct console *console);

// Waits; returns a byte, an enum key_code, KEY_REDRAW, KEY_CONTINUED or KEY_PASTED.
int keys_read(struct console *console);

#endif
