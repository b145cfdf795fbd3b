// app/screen/terminal.h — the person's screen and keyboard: taken over, written to, given back.
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

#include "app/screen/wrap.h"
#include "kernels/base/text.h"

enum terminal_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

// --color; before terminal_open(). Auto: a terminal that is not dumb, and no NO_COLOR.
void terminal_choose_color(enum terminal_color color);
bool terminal_takes_styles(int fd); // by the choice, what fd is, and the environment

enum style {
    STYLE_PLAIN,
    STYLE_DIM,
    STYLE_BOLD,
    STYLE_ERROR,
    STYLE_GREEN, // colours, for what is told apart by a letter too
    STYLE_YELLOW,
    STYLE_BLUE,
    STYLE_CYAN,
};

// Makes the locale's character type UTF-8, whatever the environment says: quire writes nothing
// else, and characters have their columns by it.
void terminal_choose_locale(void);

// False: stdin or stdout is no terminal. Also chooses the locale.
bool terminal_open(void);
void terminal_close(void);
void terminal_give_back(void); // async-signal-safe; nothing when closed

bool terminal_styled(void); // escapes are welcome (terminal_takes_styles)
bool terminal_gone(void);   // a write failed: nobody reads any more
int terminal_width(void);   // columns of stdout's terminal, else of stderr's; 80 when unknown
int terminal_height(void);  // lines, 24 when unknown

// Appends the bytes without what a terminal would obey: ESC, DEL and other C0 characters become
// their visible symbols, C1 characters and ill-formed bytes U+FFFD, CR vanishes; \n and \t stay.
MUST_CHECK enum status terminal_neutralise(const char *bytes, size_t length, struct text *text);

// Each is one write. say() formats, tell() too, from column 0 on and with its words kept whole;
// text() takes bytes as they are, wrapped() keeps words whole; none adds a newline.
void terminal_say(enum style style, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_tell(enum style style, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_text(enum style style, const char *bytes, size_t length);
void terminal_wrapped(enum style style, struct wrap *wrap, const char *bytes, size_t length);
void terminal_stream(const char *bytes, size_t length); // as they are: what stream.h made
void terminal_to_bottom(void);  // to the last line of the screen; only when styled
void terminal_clear_line(void); // back to column 0 of an empty line; only when styled

// The screen's last line apart from the rest, which scrolls above it: what is said goes there, and
// the cursor stays in the last line, at `column`. Harmless text that fits the width; only when
// styled, and when the screen has three lines. Whoever says wrapped text calls wrap_settle()
// before the first footer, for a terminal forgets that a line is full.
void terminal_footer(const char *line, int column);
void terminal_end_footer(void); // nothing when there is none
bool terminal_has_footer(void);
void terminal_up(int lines); // back so many lines, which and all below are erased; when styled

// Puts the bytes on the clipboard of who sits at the terminal (OSC 52), near or far. False: the
// terminal is dumb, or they are too many (CLIPBOARD_MAX_BYTES).
enum { CLIPBOARD_MAX_BYTES = 74994 }; // base64 of it is what xterm and tmux take
bool terminal_copy(const char *bytes, size_t length);

// Signals and such keys that came since the last call.
struct terminal_signals {
    int interrupts;          // ^C
    int end;                 // SIGTERM or SIGHUP: leave with 128 + this; 0: none
    bool suspend;            // ^Z: call terminal_suspend()
    bool resized, continued; // the line must be drawn again
};
struct terminal_signals terminal_read_signals(void);

// ^C and ^Z are keys. Whoever reads one says so here: true, and it counts as the signal.
enum { TERMINAL_INTERRUPT = 'C' & 0x1F, TERMINAL_SUSPEND = 'Z' & 0x1F };
bool terminal_press(char key);

void terminal_suspend(void); // gives back, stops the process; returns when it goes on

// For another program that runs on the terminal meanwhile.
void terminal_lend(void);
void terminal_retake(void);

// Waits for a key or a signal; true when there is something to read on stdin. The second also wakes
// when `fd` is readable; -1: there is none. A terminal that was closed counts as SIGHUP, once and
// for all: from then on there is nothing to read, and no wait is long.
bool terminal_wait(int timeout_ms);
bool terminal_wait_beside(int fd, int timeout_ms);

#endif
