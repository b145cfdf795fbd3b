// app/terminal.h — the person's screen and keyboard: taken over, written to, given back.
//
// A process has one terminal, so its state is here and not in a handle. terminal_open() saves
// the modes, switches to single keys without echo, and catches signals; terminal_close() puts
// all of it back. So do a failed ASSERT and a fatal signal, by terminal_give_back().
//
//   closed ──open──► taken ──suspend──► (shell) ──continued──► taken ──close──► closed
//
// What is typed is never thrown away: neither a change of modes nor ^C drops unread keys.
// Whatever terminal_say() and terminal_text() print is made harmless first: text of a model,
// a file or a name cannot move the cursor, change colours or talk to the terminal.
//
// Threads: the UI's; terminal_give_back() may be called anywhere, signal handlers included.
#ifndef APP_TERMINAL_H
#define APP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "app/wrap.h"
#include "engine/base/text.h"

enum style { STYLE_PLAIN, STYLE_DIM, STYLE_BOLD, STYLE_ERROR };

// False: stdin or stdout is no terminal. Also makes the locale's character type UTF-8.
bool terminal_open(void);
void terminal_close(void);
void terminal_give_back(void); // async-signal-safe; nothing when closed

bool terminal_styled(void); // escapes are welcome: a terminal, not dumb, no NO_COLOR
bool terminal_gone(void);   // a write failed: nobody reads any more
int terminal_width(void);   // columns, 80 when unknown

// Appends the bytes without what a terminal would obey: ESC, DEL and other C0 characters become
// their visible symbols, C1 characters and ill-formed bytes U+FFFD, CR vanishes; \n and \t stay.
MUST_CHECK enum status terminal_neutralise(const char *bytes, size_t length, struct text *text);

// Each is one write. say() formats, text() takes bytes as they are, wrapped() keeps words whole;
// none adds a newline.
void terminal_say(enum style style, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_text(enum style style, const char *bytes, size_t length);
void terminal_wrapped(enum style style, struct wrap *wrap, const char *bytes, size_t length);
void terminal_to_bottom(void);  // to the last line of the screen; only when styled
void terminal_clear_line(void); // back to column 0 of an empty line; only when styled

// Signals and such keys that came since the last call.
struct terminal_signals {
    int interrupts;          // ^C
    int end;                 // SIGTERM or SIGHUP: leave with 128 + this; 0: none
    bool suspend;            // ^Z: call terminal_suspend()
    bool resized, continued; // the line must be drawn again
};
struct terminal_signals terminal_take_signals(void);

// ^C and ^Z are keys. Whoever reads one says so here: true, and it counts as the signal.
enum { TERMINAL_INTERRUPT = 'C' & 0x1F, TERMINAL_SUSPEND = 'Z' & 0x1F };
bool terminal_press(char key);

void terminal_suspend(void); // gives back, stops the process; returns when it goes on

// For another program that runs on the terminal meanwhile.
void terminal_lend(void);
void terminal_retake(void);

// Waits for a key or a signal; true when there is something to read on stdin.
bool terminal_wait(int timeout_ms);

#endif
