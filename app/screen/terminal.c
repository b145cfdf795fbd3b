// app/screen/terminal.c — modes, signals, and a footer that other output does not disturb.
//
// The footer stands on the row below the text. The terminal remembers one cursor position (ESC 7),
// which is where the text ended; while a footer is shown, the cursor is in it. A write is:
//
//   CR ESC [J    ESC 8           text    ESC D ESC M             ESC 7   ESC D CR   > what is typ
//   erase the    to the end of           a row below, even if    saved   to that    written again,
//   footer       the text                this one was the last           row        to its cursor
//
// The footer is rewritten instead of its column computed, because the terminal knows best how wide
// a text is. A resize moves text, but not always the saved position. It does keep the cursor on its
// line, so the next text then begins on the footer's line (terminal_leave_footer).
//
// A signal handler (on_signal) only sets a flag and writes a byte to a pipe, on which poll() waits
// together with the keyboard: no signal is missed between looking at the flags and waiting. ^C and
// ^Z are keys here (raw_modes) and not signals, so that they keep their place among the keys that
// were typed before and after them.
//
// Whatever ends the process, the terminal must be usable afterwards. terminal_give_back() is
// therefore async-signal-safe: it only writes constants and sets the saved modes.
#include "app/screen/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "app/base/printable.h"
#include "app/screen/cells.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"

enum {
    WIDTH_UNKNOWN = 80,
    HEIGHT_UNKNOWN = 24,
    HUNG_UP_MS = 50,  // a wait without a terminal, for nothing else may end it
    SAY_BYTES = 2048, // longer texts go through terminal_text()
};

static const char PASTE_ON[] = "\033[?2004h";
static const char TITLE_POP[] = "\033[23;2t"; // the title of before
static const char PASTE_OFF[] = "\033[?2004l", PLAIN[] = "\033[0m";

static const int GENTLE[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
static const int FATAL[] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGQUIT};
enum {
    GENTLE_COUNT = sizeof GENTLE / sizeof GENTLE[0],
    FATAL_COUNT = sizeof FATAL / sizeof FATAL[0],
};

static struct {
    struct termios before, raw;
    struct sigaction gentle_before[GENTLE_COUNT], fatal_before[FATAL_COUNT];
    int pipe[2];
    bool styled, capable, gone;
    bool hung_up;              // stdin's terminal has gone
    bool footer;               // the cursor is in it, and the end of the text is saved
    struct text footer_line;   // the footer, and what brings the cursor to its place in it
    struct text footer_before; // the part before the cursor
    bool footer_moved;         // the screen was resized: the saved place no longer holds
    struct text *collected;    // what is written goes here; or NULL
    bool titled;               // the previous title is on the terminal's stack
    int errors;                // lines in STYLE_ERROR so far
} terminal = {.pipe = {-1, -1}};

static enum terminal_color chosen_color;

static volatile sig_atomic_t taken;
static volatile sig_atomic_t interrupts, stop, end, suspend, resized, continued;

static void on_signal(int number) {
    const int saved = errno;
    if (number == SIGINT) interrupts = interrupts + 1;
    if (number == SIGTERM || number == SIGHUP) end = number;
    if (number == SIGTSTP) suspend = 1;
    if (number == SIGCONT) continued = 1;
    if (number == SIGWINCH) resized = 1;
    // The pipe only wakes poll(): when it is full, poll() wakes anyway.
    const ssize_t ignored = write(terminal.pipe[1], "", 1);
    (void)ignored;
    errno = saved;
}

static void on_fatal(int number) {
    terminal_give_back();
    for (int i = 0; i < FATAL_COUNT; i++)
        if (FATAL[i] == number) sigaction(number, &terminal.fatal_before[i], NULL);
    raise(number);
}

static void write_through(const char *bytes, size_t length) {
    fflush(stdout); // Readline's, which comes first
    while (length > 0 && !terminal.gone) {
        const ssize_t written = write(STDOUT_FILENO, bytes, length);
        if (written >= 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (errno == EAGAIN) {
            struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
            poll(&out, 1, -1);
        } else if (errno != EINTR) {
            terminal.gone = true;
        }
    }
}

// Saves where the text ends and writes the footer on the row below. Moving down and up again makes
// room if the text ends in the last row, and keeps the column.
static enum status append_footer(struct text *out) {
    return text_format(out, "\033D\033M\0337\033D\r%s", text_string(&terminal.footer_line));
}

// Writes where the last text ended, and then the footer again, if there is one.
static void write_all(const char *bytes, size_t length) {
    struct text out = {0};
    if (terminal.collected && text_append(terminal.collected, bytes, length) == STATUS_OK) return;
    if (terminal.footer_moved) terminal_leave_footer(-1);
    if (!terminal.footer) {
        write_through(bytes, length);
        return;
    }
    if (text_append_string(&out, "\r\033[J\0338") == STATUS_OK &&
        text_append(&out, bytes, length) == STATUS_OK && append_footer(&out) == STATUS_OK)
        write_through(text_string(&out), out.length);
    text_deinit(&out);
}

static void enter_raw(void) {
    taken = 1;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.raw);
    if (terminal.capable) write_through(PASTE_ON, sizeof PASTE_ON - 1);
}

// Keys arrive one by one and unchanged: ^J is not Enter, ^S and ^O are keys, and so are ^C and ^Z,
// which thereby stay in order with the other keys (terminal_press). Only ^\ is handled by the
// kernel, and NOFLSH prevents it from discarding input.
static struct termios raw_modes(struct termios modes) {
    modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    modes.c_lflag |= ISIG | NOFLSH;
    modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IXON | ISTRIP);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    modes.c_cc[VINTR] = modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    return modes;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < GENTLE_COUNT; i++)
        sigaction(GENTLE[i], &action, &terminal.gentle_before[i]);
    action.sa_handler = on_fatal;
    for (int i = 0; i < FATAL_COUNT; i++)
        sigaction(FATAL[i], &action, &terminal.fatal_before[i]);
}

static void release_signals(void) {
    for (int i = 0; i < GENTLE_COUNT; i++)
        sigaction(GENTLE[i], &terminal.gentle_before[i], NULL);
    for (int i = 0; i < FATAL_COUNT; i++)
        sigaction(FATAL[i], &terminal.fatal_before[i], NULL);
}

// Readline sets the locale again from the environment, so the environment is set to the same.
void terminal_choose_locale(void) {
    static const char ours[] = "C.UTF-8";
    const char *all = getenv("LC_ALL");
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
    setenv(all && all[0] ? "LC_ALL" : "LC_CTYPE", ours, 1);
    setlocale(LC_CTYPE, ours);
}

static bool is_capable(void) {
    const char *name = getenv("TERM");
    return name && name[0] && strcmp(name, "dumb") != 0;
}

static bool takes_colors(void) {
    const char *no_color = getenv("NO_COLOR");
    if (chosen_color != COLOR_AUTO) return chosen_color == COLOR_ALWAYS;
    return !(no_color && no_color[0]);
}

void terminal_choose_color(enum terminal_color color) {
    chosen_color = color;
    wrap_use_colors(takes_colors());
}

bool terminal_takes_styles(int fd) {
    return chosen_color == COLOR_ALWAYS || (isatty(fd) && is_capable());
}

bool terminal_open(void) {
    ASSERT(!taken);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return false;
    if (tcgetattr(STDIN_FILENO, &terminal.before) != 0) return false;
    if (pipe2(terminal.pipe, O_NONBLOCK | O_CLOEXEC) != 0) return false;
    terminal_choose_locale();
    terminal_choose_color(chosen_color);
    terminal.capable = is_capable();
    terminal.styled = terminal_takes_styles(STDOUT_FILENO);
    terminal.gone = terminal.hung_up = false;
    terminal.raw = raw_modes(terminal.before);
    interrupts = stop = end = suspend = resized = continued = 0;
    fflush(stdout);
    assert_set_hook(terminal_give_back);
    catch_signals();
    enter_raw();
    return true;
}

void terminal_close(void) {
    if (terminal.pipe[0] < 0) return;
    terminal_give_back();
    release_signals();
    assert_set_hook(NULL);
    close(terminal.pipe[0]);
    close(terminal.pipe[1]);
    terminal.pipe[0] = terminal.pipe[1] = -1;
    terminal.styled = terminal.capable = false;
}

// The footer's line is erased, and the cursor is where the text ended.
static void give_screen_back(void) {
    static const char whole[] = "\r\033[J\0338", moved[] = "\r\033[J";
    const ssize_t ignored = terminal.footer_moved ? write(STDOUT_FILENO, moved, sizeof moved - 1)
                                                  : write(STDOUT_FILENO, whole, sizeof whole - 1);
    (void)ignored;
    terminal.footer = terminal.footer_moved = false;
}

void terminal_give_back(void) {
    if (!taken) return;
    taken = 0;
    if (terminal.footer) give_screen_back();
    ssize_t ignored = 0;
    if (terminal.capable) ignored = write(STDOUT_FILENO, PASTE_OFF, sizeof PASTE_OFF - 1);
    if (terminal.styled) ignored = write(STDOUT_FILENO, PLAIN, sizeof PLAIN - 1);
    if (terminal.titled) ignored = write(STDOUT_FILENO, TITLE_POP, sizeof TITLE_POP - 1);
    terminal.titled = false;
    (void)ignored;
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

bool terminal_styled(void) { return terminal.styled; }

bool terminal_capable(void) { return terminal.capable; }

bool terminal_gone(void) { return terminal.gone; }

int terminal_width(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return WIDTH_UNKNOWN;
}

static int screen_rows(void) {
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

int terminal_height(void) {
    const int rows = screen_rows();
    return rows > 0 ? rows : HEIGHT_UNKNOWN;
}

static const char *style_escape(enum style style) {
    if (style >= STYLE_ERROR && !takes_colors()) return "";
    switch (style) {
    case STYLE_PLAIN:
        return "";
    case STYLE_DIM:
        return "\033[2m";
    case STYLE_BOLD:
        return "\033[1m";
    case STYLE_ERROR:
        return "\033[31m";
    case STYLE_GREEN:
        return "\033[32m";
    case STYLE_YELLOW:
        return "\033[33m";
    case STYLE_BLUE:
        return "\033[34m";
    case STYLE_CYAN:
        return "\033[36m";
    }
    ASSERT(false);
}

static enum status styled_text(enum style style, struct wrap *wrap,
                               const struct text *harmless_text, struct text *out) {
    const bool escapes = style != STYLE_PLAIN && terminal.styled;
    const char *bytes = text_string(harmless_text);
    if (escapes) TRY(text_append_string(out, style_escape(style)));
    if (wrap)
        TRY(wrap_append(wrap, bytes, harmless_text->length, out));
    else
        TRY(text_append(out, bytes, harmless_text->length));
    if (escapes) TRY(text_append_string(out, "\033[0m"));
    return STATUS_OK;
}

void terminal_wrapped(enum style style, struct wrap *wrap, const char *bytes, size_t length) {
    struct text plain = {0}, out = {0};
    if (printable_text(bytes, length, &plain) == STATUS_OK &&
        styled_text(style, wrap, &plain, &out) == STATUS_OK)
        write_all(text_string(&out), out.length);
    if (wrap && terminal.footer) wrap_settle(wrap);
    text_deinit(&plain);
    text_deinit(&out);
}

void terminal_text(enum style style, const char *bytes, size_t length) {
    terminal_wrapped(style, NULL, bytes, length);
}

void terminal_footer(const char *line, size_t before) {
    struct text out = {0};
    if (!terminal.capable || screen_rows() < 3) return;
    if (resized && terminal.footer) return; // the caller learns of that and draws again
    if (terminal.footer_moved) terminal_leave_footer(-1);
    text_clear(&terminal.footer_before);
    text_clear(&terminal.footer_line);
    enum status status = text_append(&terminal.footer_before, line, before);
    if (status == STATUS_OK)
        status = text_format(&terminal.footer_line, "%s\r%s", line,
                             text_string(&terminal.footer_before));
    if (status == STATUS_OK)
        status = terminal.footer
                     ? text_format(&out, "\r\033[K%s", text_string(&terminal.footer_line))
                     : append_footer(&out);
    if (status == STATUS_OK) write_through(text_string(&out), out.length);
    terminal.footer = terminal.footer || status == STATUS_OK;
    text_deinit(&out);
}

void terminal_end_footer(void) {
    if (!terminal.footer) return;
    fflush(stdout);
    give_screen_back();
    text_deinit(&terminal.footer_before);
    text_deinit(&terminal.footer_line);
}

// The row of the footer in which the cursor is, after the terminal has broken it at a smaller
// width. A cursor after the last column stays in that row.
static int footer_cursor_row(int width) {
    const struct text *before = &terminal.footer_before;
    struct cells cells = {0};
    int row = 0, column = 0;
    for (size_t at = 0, used; at < before->length; at += used) {
        const uint32_t code_point = utf8_decode(before->bytes + at, before->length - at, &used);
        const int columns = cells_add(&cells, code_point).columns;
        const bool fits = column + columns <= width;
        row += !fits;
        column = fits ? column + columns : columns;
    }
    return row;
}

bool terminal_leave_footer(int column) {
    char escape[48];
    const bool back = column >= 0;
    const int up = footer_cursor_row(terminal_width()) + back;
    if (!terminal.footer) return false;
    int length = snprintf(escape, sizeof escape, "\r");
    if (up > 0) length += snprintf(escape + length, sizeof escape - (size_t)length, "\033[%dA", up);
    length += snprintf(escape + length, sizeof escape - (size_t)length, "\033[%dG\033[J",
                       back ? column + 1 : 1);
    terminal.footer = terminal.footer_moved = false;
    write_through(escape, (size_t)length);
    return !back;
}

bool terminal_has_footer(void) { return terminal.footer; }

__attribute__((format(printf, 2, 0))) static size_t
format_line(char line[SAY_BYTES], const char *format, va_list arguments) {
    const int length = vsnprintf(line, SAY_BYTES, format, arguments);
    if (length < 0) return 0;
    return length < SAY_BYTES ? (size_t)length : SAY_BYTES - 1;
}

void terminal_say(enum style style, const char *format, ...) {
    char line[SAY_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const size_t length = format_line(line, format, arguments);
    va_end(arguments);
    terminal.errors += style == STYLE_ERROR;
    terminal_text(style, line, length);
}

void terminal_tell(enum style style, const char *format, ...) {
    char line[SAY_BYTES];
    va_list arguments;
    struct wrap wrap = {.width = terminal.styled ? terminal_width() : 0};
    va_start(arguments, format);
    const size_t length = format_line(line, format, arguments);
    va_end(arguments);
    terminal.errors += style == STYLE_ERROR;
    terminal_wrapped(style, &wrap, line, length);
    wrap_deinit(&wrap);
}

int terminal_errors(void) { return terminal.errors; }

void terminal_stream(const char *bytes, size_t length) { write_all(bytes, length); }

void terminal_collect(struct text *text) { terminal.collected = text; }

void terminal_clear(void) {
    static const char clear[] = "\033[H\033[J";
    if (terminal.capable) write_all(clear, sizeof clear - 1);
}

void terminal_clear_line(void) {
    static const char clear[] = "\r\033[K";
    if (terminal.capable) write_all(clear, sizeof clear - 1);
}

void terminal_up(int lines) {
    char escape[32];
    if (!terminal.styled || lines <= 0) return;
    const int length = snprintf(escape, sizeof escape, "\r\033[%dA\033[J", lines);
    write_all(escape, (size_t)length);
}

void terminal_title(const char *title) {
    struct text escape = {0};
    if (!terminal.styled) return;
    const bool whole =
        text_append_string(&escape, terminal.titled ? "\033]2;" : "\033[22;2t\033]2;") ==
            STATUS_OK &&
        printable_text(title, strlen(title), &escape) == STATUS_OK &&
        text_append_string(&escape, "\033\\") == STATUS_OK;
    if (whole) write_through(escape.bytes, escape.length);
    terminal.titled = terminal.titled || whole;
    text_deinit(&escape);
}

void terminal_bell(void) {
    if (terminal.styled) write_through("\a", 1);
}

static enum status append_base64(struct text *out, const unsigned char *bytes, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < length; at += 3) {
        const size_t count = length - at < 3 ? length - at : 3;
        uint32_t group = 0;
        char four[4] = {'=', '=', '=', '='};
        for (size_t i = 0; i < 3; i++)
            group = group << 8 | (i < count ? bytes[at + i] : 0u);
        for (size_t i = 0; i <= count; i++)
            four[i] = digits[group >> (18 - 6 * i) & 63];
        TRY(text_append(out, four, sizeof four));
    }
    return STATUS_OK;
}

bool terminal_copy(const char *bytes, size_t length) {
    struct text escape = {0};
    if (!terminal.capable || length > CLIPBOARD_MAX_BYTES) return false;
    const bool whole = text_append_string(&escape, "\033]52;c;") == STATUS_OK &&
                       append_base64(&escape, (const unsigned char *)bytes, length) == STATUS_OK &&
                       text_append_string(&escape, "\a") == STATUS_OK;
    if (whole) write_all(escape.bytes, escape.length);
    text_deinit(&escape);
    return whole;
}

// The parent of another process, or 0 if /proc does not say.
static pid_t parent_of(pid_t process) {
    char path[32], line[256];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    const char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (name_end && sscanf(name_end, ") %*c %d", &parent) != 1) parent = 0;
    fclose(file);
    return parent;
}

// Is there a shell that can continue the process? The kernel ignores SIGTSTP in a group none of
// whose members has a parent in another group of the session. That is so when a terminal emulator,
// tmux or docker runs quire itself, or a script that runs it.
static bool can_stop(void) {
    pid_t parent = getppid();
    while (parent > 0 && getpgid(parent) == getpgrp())
        parent = parent_of(parent);
    return parent > 0 && getsid(parent) == getsid(0);
}

struct terminal_signals terminal_read_signals(void) {
    char drained[64];
    while (terminal.pipe[0] >= 0 && read(terminal.pipe[0], drained, sizeof drained) > 0)
        ;
    const bool suspended = suspend;
    const struct terminal_signals signals = {
        .interrupts = interrupts,
        .stop = stop,
        .end = end,
        .suspend = suspended && can_stop(),
        .resized = resized,
        .continued = continued,
    };
    // Only what was seen is cleared, so a signal between these lines is reported next time.
    if (signals.interrupts) interrupts = 0;
    if (signals.stop) stop = 0;
    if (suspended) suspend = 0;
    if (signals.resized) resized = 0;
    if (signals.resized && terminal.footer) terminal.footer_moved = true;
    if (signals.continued) continued = 0;
    if (signals.continued) enter_raw();
    return signals;
}

bool terminal_press(char key) {
    if (key == TERMINAL_INTERRUPT) on_signal(SIGINT);
    if (key == TERMINAL_SUSPEND) on_signal(SIGTSTP);
    if (key == TERMINAL_STOP) stop = 1;
    return key == TERMINAL_INTERRUPT || key == TERMINAL_SUSPEND || key == TERMINAL_STOP;
}

bool terminal_interrupted(void) {
    static int told;
    const bool interrupted = interrupts > 0 || end != told;
    interrupts = 0;
    told = end;
    return interrupted;
}

void terminal_suspend(void) {
    terminal_give_back();
    struct sigaction ours, otherwise = {.sa_handler = SIG_DFL};
    sigemptyset(&otherwise.sa_mask);
    sigaction(SIGTSTP, &(struct sigaction){.sa_handler = SIG_IGN}, &ours);
    kill(0, SIGTSTP); // a script that waits for quire must stop, too, or its shell keeps waiting
    sigaction(SIGTSTP, &otherwise, NULL);
    const int64_t before_us = clock_now_us();
    raise(SIGTSTP);
    clock_note_stop(clock_now_us() - before_us);
    sigaction(SIGTSTP, &ours, NULL);
    enter_raw();
    continued = 1;
}

void terminal_lend(void) { terminal_give_back(); }

void terminal_retake(void) {
    enter_raw();
    interrupts = 0; // they were meant for the other program
}

// A terminal that has gone is always readable but delivers nothing. It counts as SIGHUP, which a
// process outside its session does not get.
static void hang_up(void) {
    terminal.hung_up = true;
    if (!end) end = SIGHUP;
}

bool terminal_wait_event(int fd, int timeout_ms) {
    struct pollfd fds[3] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = terminal.pipe[0], .events = POLLIN},
                            {.fd = fd, .events = POLLIN}};
    if (terminal.hung_up) fds[0].fd = -1;
    if (terminal.hung_up && (timeout_ms < 0 || timeout_ms > HUNG_UP_MS)) timeout_ms = HUNG_UP_MS;
    if (poll(fds, 3, timeout_ms) <= 0) return false;
    if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) hang_up();
    return !terminal.hung_up && fds[0].revents != 0;
}

bool terminal_wait(int timeout_ms) { return terminal_wait_event(-1, timeout_ms); }
