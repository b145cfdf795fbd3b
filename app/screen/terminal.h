// app/screen/terminal.h — the person's screen and keyboard: taken over, written to, given back.
//
// A process has one terminal, so its state is global. terminal_open() saves the modes, switches to
// single keys without echo, and catches signals; terminal_close() restores everything. A failed
// ASSERT and a fatal signal do the same, through terminal_give_back().
//
//   closed ──open──► taken ──suspend──► (shell) ──continued──► taken ──close──► closed
//
// Input is never discarded: neither a change of modes nor ^C drops unread keys. Everything that
// terminal_say() and terminal_text() print is made harmless first (printable.h): text from a model,
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

// --color; before terminal_open(). Auto: unless NO_COLOR is set. Without colours the rest of a
// terminal that is not dumb is used: bold and dim text, moving the cursor, the footer.
void terminal_choose_color(enum terminal_color color);
bool terminal_takes_styles(int fd); // a terminal that is not dumb; also if colours are forced

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

// Makes the locale's character type UTF-8, regardless of the environment: quire writes nothing
// else, and the columns of characters depend on it.
void terminal_choose_locale(void);

// False: stdin or stdout is no terminal. Also chooses the locale.
bool terminal_open(void);
void terminal_close(void);
void terminal_give_back(void); // async-signal-safe; nothing when closed

bool terminal_styled(void);  // colours and the like are welcome (terminal_takes_styles)
bool terminal_capable(void); // the cursor can be moved: not a dumb terminal
bool terminal_gone(void);    // a write failed: the terminal is gone
int terminal_width(void);    // columns of stdout's terminal, else of stderr's; 80 when unknown
int terminal_height(void);   // lines, 24 when unknown

// Each is one write. say() formats; so does tell(), starting at column 0 and keeping words whole.
// text() writes bytes as they are, wrapped() keeps words whole. None adds a newline.
void terminal_say(enum style style, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_tell(enum style style, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_text(enum style style, const char *bytes, size_t length);
void terminal_wrapped(enum style style, struct wrap *wrap, const char *bytes, size_t length);
void terminal_stream(const char *bytes, size_t length); // as they are: what stream.h made
void terminal_collect(struct text *text); // appends what is written to *text instead; NULL: no more
void terminal_clear(void);                // an empty screen, when capable
void terminal_clear_line(void);           // back to column 0 of an empty line; when capable

// Uses the screen's last line as a footer, above which everything else scrolls. Other output goes
// above it, and the cursor stays in the footer, behind `before` bytes of it: where that is on the
// screen, the terminal knows best. The text is harmless and fits the width; only when capable, on a
// screen of at least three lines. Before the first footer, code that writes wrapped text calls
// wrap_settle(), because a terminal forgets that a line is full.
void terminal_footer(const char *line, size_t before);
void terminal_end_footer(void); // no effect without a footer

// After another size of the screen, which moves what was written, and a place that a terminal keeps
// not always with it; but the cursor stays with its line, the footer. So the footer's line becomes
// the one where text goes on, from its beginning. False: there was no footer.
bool terminal_leave_footer(void);
bool terminal_has_footer(void);
void terminal_up(int lines); // back so many lines, which and all below are erased; when styled

// The title of the window or tab, until the terminal is given back, and its bell. Only when styled.
void terminal_title(const char *title);
void terminal_bell(void);

// Puts the bytes on the clipboard of the terminal's user (OSC 52), also over a network. False: the
// terminal is dumb, or there are more than CLIPBOARD_MAX_BYTES.
enum { CLIPBOARD_MAX_BYTES = 74994 }; // the most that xterm and tmux accept, in base64
bool terminal_copy(const char *bytes, size_t length);

// Signals, and keys that act as signals, since the last call.
struct terminal_signals {
    int interrupts;          // ^C
    bool stop;               // Esc beside an answer: as ^C, but a second one does not leave
    int end;                 // SIGTERM or SIGHUP: leave with 128 + this; 0: none
    bool suspend;            // ^Z: call terminal_suspend()
    bool resized, continued; // the line must be drawn again
};
struct terminal_signals terminal_read_signals(void);

// ^C, ^Z and Esc are keys. A reader of keys passes each here; true if it counts as the signal.
enum { TERMINAL_INTERRUPT = 'C' & 0x1F, TERMINAL_SUSPEND = 'Z' & 0x1F, TERMINAL_STOP = 27 };
bool terminal_press(char key);

// For a wait that cannot obey signals itself: has one come that ends it, since the last call?
bool terminal_interrupted(void);

void terminal_suspend(void); // gives back, stops the process; returns when it goes on

// Give the terminal to another program, and take it back.
void terminal_lend(void);
void terminal_retake(void);

// Wait for a key or a signal; true if stdin is readable. The second also wakes when `fd` is
// readable; -1: none. A closed terminal counts as SIGHUP for good: from then on there is nothing to
// read, and no wait is long.
bool terminal_wait(int timeout_ms);
bool terminal_wait_beside(int fd, int timeout_ms);

#endif
