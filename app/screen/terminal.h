// app/screen/terminal.h — the user's screen and keyboard: taken over, written to, given back.
//
// A process has one terminal, so its state is global. terminal_open() saves the modes, switches to
// single keys without echo, and catches signals; terminal_close() restores everything. So do a
// failed ASSERT and a fatal signal, through terminal_give_back().
//
//   closed ──open──► taken ──suspend──► (shell) ──continued──► taken ──close──► closed
//
// Input is never discarded: neither a change of modes nor ^C drops unread keys. Everything that
// terminal_say() and terminal_text() print is made safe first (printable.h): text from a model, a
// file or a name cannot move the cursor, change colours or control the terminal.
//
// Threads: the UI's; terminal_give_back() may be called anywhere, signal handlers included.
#ifndef APP_TERMINAL_H
#define APP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "app/screen/wrap.h"
#include "kernels/base/text.h"

enum terminal_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

// --color; before terminal_open(). Auto means colours unless NO_COLOR is set. Without colours, a
// terminal that is not dumb still shows bold and dim text and the footer, and its cursor is moved.
void terminal_choose_color(enum terminal_color color);
bool terminal_takes_styles(int fd); // a terminal that is not dumb, or colours are forced

enum style {
    STYLE_PLAIN,
    STYLE_DIM,
    STYLE_BOLD,
    STYLE_ERROR,
    STYLE_GREEN, // colours: only for things that a letter also distinguishes
    STYLE_YELLOW,
    STYLE_BLUE,
    STYLE_CYAN,
};

// Sets the locale's character type to UTF-8, whatever the environment says: quire writes only
// UTF-8, and the widths of characters depend on it.
void terminal_choose_locale(void);

// False: stdin or stdout is not a terminal. Also chooses the locale.
bool terminal_open(void);
void terminal_close(void);
void terminal_give_back(void); // async-signal-safe; does nothing when closed

bool terminal_styled(void);  // may write styles (terminal_takes_styles)
bool terminal_capable(void); // the cursor can be moved: not a dumb terminal
bool terminal_gone(void);    // a write failed: the terminal has gone
int terminal_width(void);    // columns of stdout's terminal, else of stderr's; 80 if unknown
int terminal_height(void);   // lines; 24 if unknown

// Each is one write. say() formats; so does tell(), which starts at column 0 and wraps between
// words. text() writes bytes; wrapped() wraps them between words. None adds a newline. errors()
// counts the calls of say() and tell() with STYLE_ERROR.
void terminal_say(enum style style, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_tell(enum style style, const char *format, ...) __attribute__((format(printf, 2, 3)));
int terminal_errors(void);
void terminal_text(enum style style, const char *bytes, size_t length);
void terminal_wrapped(enum style style, struct wrap *wrap, const char *bytes, size_t length);
void terminal_stream(const char *bytes, size_t length); // unchanged: the output of stream.h
void terminal_collect(struct text *text); // appends output to *text instead; NULL ends that
void terminal_clear(void);                // clears the screen, if capable
void terminal_clear_line(void);           // empties the line and returns to column 0, if capable

// Shows a footer on the row below the text, and again below each later text. The cursor stays in it
// after `before` bytes, at the column that the terminal itself computes. The line must be safe and
// fit the width. Only if capable, and on a screen of at least three lines. Before the first footer,
// code that writes wrapped text must call wrap_settle(), because a terminal forgets that a line is
// full.
void terminal_footer(const char *line, size_t before);
void terminal_end_footer(void); // does nothing without a footer

// Call it after a resize, which moves the text but not always a saved cursor position. The cursor
// itself stays on its line, the footer, right below the text: from there it goes back to `column`,
// where the text ended. If that is unknown, -1, text continues at the start of the footer's line,
// and the call returns true.
bool terminal_leave_footer(int column);
bool terminal_has_footer(void);
void terminal_up(int lines); // moves up and erases from there down; if styled

// Set the title of the window or tab until the terminal is given back, and ring the bell. Only if
// styled.
void terminal_title(const char *title);
void terminal_bell(void);

// Puts the bytes on the terminal's clipboard (OSC 52), even over a network. False: the terminal is
// dumb, or there are more than CLIPBOARD_MAX_BYTES bytes.
enum { CLIPBOARD_MAX_BYTES = 74994 }; // the most that xterm and tmux accept, in base64
bool terminal_copy(const char *bytes, size_t length);

// Signals, and keys that act as signals, since the last call.
struct terminal_signals {
    int interrupts;          // ^C
    bool stop;               // Esc during an answer: like ^C, but a second one does not leave
    int end;                 // SIGTERM or SIGHUP: leave with 128 + this; 0: none
    bool suspend;            // ^Z, and a shell is there: call terminal_suspend()
    bool resized, continued; // redraw the line
};
struct terminal_signals terminal_read_signals(void);

// ^C, ^Z and Esc arrive as keys. A reader of keys passes each key here; true if it counts as a
// signal.
enum { TERMINAL_INTERRUPT = 'C' & 0x1F, TERMINAL_SUSPEND = 'Z' & 0x1F, TERMINAL_STOP = 27 };
bool terminal_press(char key);

// For waits that do not handle signals: has one arrived since the last call that should end the
// wait?
bool terminal_interrupted(void);

void terminal_suspend(void); // gives back, stops the process; returns when it continues

// Gives the terminal to another program, and takes it back.
void terminal_lend(void);
void terminal_retake(void);

// Wait for a key or a signal; true if stdin is readable. terminal_wait_event() also wakes when
// `fd` is readable; -1: none. A closed terminal counts as a permanent SIGHUP: from then on there is
// nothing to read, and no wait is long.
bool terminal_wait(int timeout_ms);
bool terminal_wait_event(int fd, int timeout_ms);

#endif
