#include "app/console/keys.h"

#include "app/screen/editor.h"
#include "app/screen/terminal.h"

enum { NO_KEY = 0 };

static int read_one(struct console *console) {
    const int key = editor_key(-1);
    if (key == TERMINAL_SUSPEND) terminal_press(TERMINAL_SUSPEND);
    const struct terminal_signals signals = terminal_read_signals();
    console_has_news(console);
    if (signals.end) {
        console->leave = true;
        console->exit_code = 128 + signals.end;
    }
    if (signals.end || signals.interrupts > 0 || key == EDITOR_KEY_GONE) return KEY_ESCAPE;
    if (signals.suspend) {
        terminal_suspend();
        return KEY_CONTINUED;
    }
    if (key == EDITOR_KEY_PASTE) return KEY_PASTED;
    if (key == EDITOR_KEY_NONE) return signals.resized || signals.continued ? KEY_REDRAW : NO_KEY;
    return key == KEY_OTHER || key == TERMINAL_SUSPEND ? NO_KEY : key;
}

int keys_read(struct console *console) {
    int key = NO_KEY;
    while (key == NO_KEY)
        key = read_one(console);
    return key;
}

bool keys_type(int key) { return key > ' ' && key < KEY_OTHER && key != KEY_DELETE; }

bool keys_agree(struct console *console) {
    if (!terminal_styled()) return console_confirm(console, "Continue? [y/N] ");
    int key = KEY_CONTINUED;
    for (;;) {
        if (key == KEY_CONTINUED) terminal_say(STYLE_DIM, "Enter continues, Esc cancels.");
        key = keys_read(console);
        if (key == KEY_PASTED) console_keep_pasted(console);
        const bool agrees = key == KEY_RETURN || key == KEY_NEWLINE, types = keys_type(key);
        if (types) editor_unread((char)key);
        if (!agrees && !types && key != KEY_ESCAPE && key != KEY_CTRL_C && key != KEY_CTRL_D)
            continue;
        terminal_clear_line();
        if (!agrees) console_refuse_queue(console);
        return agrees;
    }
}
