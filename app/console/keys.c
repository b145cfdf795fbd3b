#include "app/console/keys.h"

#include "app/screen/editor.h"
#include "app/screen/terminal.h"

enum { NO_KEY = 0, ESCAPE = 0x1B, SEQUENCE_MS = 50, NUMBER_MOST = 100 };

// ESC [ or ESC O, parameters, of which the first is a number, and the key; ESC alone where nothing
// follows.
static int read_sequence(void) {
    const int introducer = editor_key(SEQUENCE_MS);
    if (introducer != '[' && introducer != 'O') return KEY_ESCAPE;
    int key = editor_key(SEQUENCE_MS), number = 0;
    for (; key >= '0' && key <= '9'; key = editor_key(SEQUENCE_MS))
        number = number < NUMBER_MOST ? number * 10 + key - '0' : number;
    while (key >= ' ' && key < '@')
        key = editor_key(SEQUENCE_MS);
    if (key == 'A') return KEY_UP;
    if (key == 'B') return KEY_DOWN;
    if (key == 'H' || (key == '~' && (number == 1 || number == 7))) return KEY_HOME;
    if (key == 'F' || (key == '~' && (number == 4 || number == 8))) return KEY_END;
    if (key == '~' && number == 5) return KEY_PAGE_UP;
    if (key == '~' && number == 6) return KEY_PAGE_DOWN;
    return NO_KEY;
}

static int read_one(struct console *console) {
    const int key = editor_key(-1);
    const struct terminal_signals signals = terminal_read_signals();
    console_has_news(console);
    if (signals.end) {
        console->leave = true;
        console->exit_code = 128 + signals.end;
    }
    if (signals.end || signals.interrupts > 0 || key == EDITOR_KEY_GONE) return KEY_ESCAPE;
    if (signals.suspend || key == TERMINAL_SUSPEND) {
        terminal_suspend();
        return KEY_REDRAW;
    }
    if (key == EDITOR_KEY_NONE) return signals.resized || signals.continued ? KEY_REDRAW : NO_KEY;
    return key == ESCAPE ? read_sequence() : key;
}

int keys_read(struct console *console) {
    int key = NO_KEY;
    while (key == NO_KEY)
        key = read_one(console);
    return key;
}
