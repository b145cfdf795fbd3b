#include "tests/bench/typist.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/bench/harness.h"
#include "kernels/base/assert.h"

enum {
    ROWS = 24,
    COLUMNS = 80,
    LOOK_MS = 200,       // how often a wait looks for a signal
    SILENCE_MS = 180000, // after which a chat has hung
    FAREWELL_MS = 10000, // for the chat to save and leave
    STREAMING_LINES = 2, // the one that Enter ends, and one of the answer
    READ_BYTES = 4096,
};

static const char PROMPT[] = "> ";
static const char ESCAPE = '\033';

// ---- the chat

// In the new process. So hot that any token is as likely as the end of the answer.
_Noreturn static void become_chat(const char *quire, const char *model, const char *folder) {
    const char *const settings[][2] = {
        {"QUIRE_HOME", folder}, {"QUIRE_MODEL", model},     {"QUIRE_TEMP", "9"},
        {"QUIRE_TOP_K", "0"},   {"QUIRE_TOP_P", "1"},       {"QUIRE_MIN_P", "0"},
        {"QUIRE_TOKENS", "0"},  {"TERM", "xterm-256color"}, {"INPUTRC", "/dev/null"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        setenv(settings[i][0], settings[i][1], 1);
    execl(quire, "quire", (char *)NULL);
    _exit(EXIT_RUN_TIME);
}

enum status typist_open(struct typist *typist, const char *quire, const char *model,
                        const char *folder, struct error *err) {
    const struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    *typist = (struct typist){0};
    const pid_t chat = forkpty(&typist->terminal, NULL, NULL, &size);
    if (chat < 0)
        return error_set(err, STATUS_IO, "a chat cannot be started in a pseudo-terminal: %s",
                         strerror(errno));
    if (chat == 0) become_chat(quire, model, folder);
    typist->chat = chat;
    fcntl(typist->terminal, F_SETFD, FD_CLOEXEC);
    return STATUS_OK;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL); }

// A chat whose terminal goes saves and leaves. Returns its exit code, -1 after a signal.
static int end_chat(struct typist *typist) {
    const double until_us = harness_now_us() + FAREWELL_MS * 1e3;
    pid_t left;
    int how = 0;
    close(typist->terminal);
    while ((left = waitpid(typist->chat, &how, WNOHANG)) == 0 && harness_now_us() < until_us)
        nap();
    if (left == 0) {
        kill(typist->chat, SIGKILL);
        waitpid(typist->chat, &how, 0);
    }
    typist->chat = 0;
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

void typist_close(struct typist *typist) {
    if (typist->chat != 0) end_chat(typist);
}

// ---- what it writes

static void leave_line(struct typist *typist) {
    if (typist->line_length > 0) memcpy(typist->said, typist->line, sizeof typist->said);
    typist->line_length = 0;
    typist->line[0] = '\0';
}

static void take_character(struct typist *typist, char byte) {
    if (typist->sent && !typist->in_footer) typist->text_bytes++;
    if (!typist->sent || typist->in_footer) typist->last = byte;
    if (!typist->sent) typist->echoed = typist->last == typist->key;
    if (typist->in_footer || typist->line_length + 1 >= TYPIST_LINE_BYTES) return;
    typist->line[typist->line_length++] = byte;
    typist->line[typist->line_length] = '\0';
}

// "7" leaves the text for the footer, which is drawn as a whole: the line, a return, and the part
// before its cursor. "8" goes back to the text.
static void obey_escape(struct typist *typist) {
    const char *escape = typist->escape, last = escape[typist->escape_length - 1];
    if (escape[0] == '[' && strchr("mJKhl", last)) return; // the cursor stays
    if (!typist->in_footer) leave_line(typist);
    if (strcmp(escape, "7") == 0) typist->in_footer = true;
    if (strcmp(escape, "8") == 0) typist->in_footer = false;
}

// Sequences are ESC and one character, or ESC [ … and a letter (ECMA-48, 5.4).
static void take_escaped(struct typist *typist, char byte) {
    if (typist->escape_length + 1 < TYPIST_ESCAPE_BYTES)
        typist->escape[typist->escape_length++] = byte;
    typist->escape[typist->escape_length] = '\0';
    const bool longer = typist->escape[0] == '[';
    if (longer && (typist->escape_length == 1 || byte < '@' || byte > '~')) return;
    obey_escape(typist);
    typist->escaped = false;
}

static void take_byte(struct typist *typist, char byte) {
    if (typist->escaped) {
        take_escaped(typist, byte);
    } else if (byte == ESCAPE) {
        typist->escaped = true;
        typist->escape_length = 0;
    } else if (byte == '\n' || byte == '\r') {
        if (byte == '\r' && typist->in_footer) typist->echoed = typist->last == typist->key;
        leave_line(typist);
        typist->lines += byte == '\n' && typist->sent;
    } else if ((unsigned char)byte >= ' ') {
        take_character(typist, byte);
    }
}

// ---- waiting

static const char *last_line(const struct typist *typist) {
    return typist->line_length > 0 ? typist->line : typist->said;
}

// Its reason is its last line, "quire: …".
static enum status fail_ended(struct typist *typist, struct error *err) {
    static const char name[] = "quire: ";
    const bool unusable = end_chat(typist) == EXIT_MODEL;
    const char *said = last_line(typist);
    if (strncmp(said, name, sizeof name - 1) == 0) said += sizeof name - 1;
    return error_set(err, unusable ? STATUS_UNSUPPORTED : STATUS_IO, "the chat ended: %s",
                     said[0] ? said : "it said nothing");
}

// Takes what has come, after at most timeout_ms. *any: something came.
static enum status read_screen(struct typist *typist, int timeout_ms, bool *any,
                               struct error *err) {
    char bytes[READ_BYTES];
    struct pollfd screen = {.fd = typist->terminal, .events = POLLIN};
    *any = false;
    if (harness_signal()) return STATUS_CANCELLED;
    ASSERT(typist->chat != 0);
    if (poll(&screen, 1, timeout_ms < LOOK_MS ? timeout_ms : LOOK_MS) <= 0) return STATUS_OK;
    const ssize_t got = read(typist->terminal, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return STATUS_OK;
    if (got <= 0) return fail_ended(typist, err); // EIO: nobody has the other end open
    for (ssize_t i = 0; i < got; i++)
        take_byte(typist, bytes[i]);
    *any = true;
    return STATUS_OK;
}

typedef bool reached(const struct typist *typist);

// A patient wait has its limit from the last that was shown, not from its beginning.
static enum status wait_until(struct typist *typist, reached *is_so, bool patient,
                              struct error *err) {
    double since_us = harness_now_us();
    while (!is_so(typist)) {
        bool any;
        TRY(read_screen(typist, LOOK_MS, &any, err));
        if (any && patient) since_us = harness_now_us();
        if (harness_now_us() - since_us > SILENCE_MS * 1e3)
            return error_set(err, STATUS_IO, "the chat hangs; its last line: %s",
                             last_line(typist));
    }
    return STATUS_OK;
}

static bool is_at_prompt(const struct typist *typist) { return strcmp(typist->line, PROMPT) == 0; }

// The prompt is back, maybe with what was typed during the answer.
static bool has_ended(const struct typist *typist) {
    return typist->sent && !typist->in_footer &&
           strncmp(typist->line, PROMPT, sizeof PROMPT - 1) == 0;
}

static bool has_echoed_or_ended(const struct typist *typist) {
    return typist->echoed || has_ended(typist);
}

static bool streams_or_has_ended(const struct typist *typist) {
    return typist->lines >= STREAMING_LINES || has_ended(typist);
}

enum status typist_wait_prompt(struct typist *typist, struct error *err) {
    return wait_until(typist, is_at_prompt, true, err);
}

static enum status send_key(struct typist *typist, char key, struct error *err) {
    ssize_t written;
    while ((written = write(typist->terminal, &key, 1)) < 0 && errno == EINTR)
        ;
    return written == 1 ? STATUS_OK : fail_ended(typist, err);
}

enum status typist_press(struct typist *typist, char key, double *ms, bool *ended,
                         struct error *err) {
    typist->key = key;
    typist->last = '\0';
    typist->echoed = false;
    const double from_us = harness_now_us();
    TRY(send_key(typist, key, err));
    TRY(wait_until(typist, has_echoed_or_ended, false, err));
    *ms = (harness_now_us() - from_us) / 1e3;
    *ended = !typist->echoed;
    return STATUS_OK;
}

enum status typist_send(struct typist *typist, bool *ended, struct error *err) {
    leave_line(typist);
    typist->sent = true;
    TRY(send_key(typist, '\r', err));
    TRY(wait_until(typist, streams_or_has_ended, true, err));
    *ended = has_ended(typist);
    return STATUS_OK;
}

enum status typist_rest(struct typist *typist, double ms, struct error *err) {
    const double until_us = harness_now_us() + ms * 1e3;
    for (double left_us; (left_us = until_us - harness_now_us()) > 0;) {
        bool any;
        TRY(read_screen(typist, (int)(left_us / 1e3) + 1, &any, err));
    }
    return STATUS_OK;
}
