// app/cli/key_command.c — method: one poll() over the command's two pipes and the clock. A signal
// interrupts it, and is raised again once the group is gone, so that the usual handler runs. The
// group is killed before its leader is waited for, because until then its number cannot be reused.
#include "app/cli/key_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/base/printable.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"

enum { MOST_BYTES = 8192, SAID_BYTES = 200, LOOK_MS = 20 };

static volatile sig_atomic_t asked_to_end;

static void on_signal(int number) { asked_to_end = number; }

static const int ENDING[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING_COUNT = sizeof ENDING / sizeof ENDING[0] };

struct running {
    pid_t leader;   // of the group; 0: it did not start
    int streams[2]; // its stdout and stderr; -1: ended
    char bytes[2][MOST_BYTES];
    size_t counts[2];
    int terminal;     // lent to the group; -1: none
    pid_t foreground; // its previous foreground group
    struct sigaction before[ENDING_COUNT];
};

static void run_command(const char *command, const int ends[2]) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(ends[0], STDOUT_FILENO) >= 0 && dup2(ends[1], STDERR_FILENO) >= 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

// The leader of the group only waits, so that ^C at the terminal ends it even if the command
// ignores ^C.
static void run_leader(const char *command, const int ends[2], int terminal) {
    int status = 0;
    const sigset_t none = {0};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (terminal >= 0) tcsetpgrp(terminal, getpid()); // SIGTTOU is still ignored
    for (int i = 0; i < ENDING_COUNT; i++)
        signal(ENDING[i], SIG_DFL);
    signal(SIGTTOU, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const pid_t child = fork();
    if (child == 0) run_command(command, ends);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status)) raise(WTERMSIG(status));
    _exit(child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

// The terminal, if it is ours to lend.
static int own_terminal(void) {
    const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (terminal >= 0 && tcgetpgrp(terminal) == getpgrp()) return terminal;
    if (terminal >= 0) close(terminal);
    return -1;
}

static void start(const char *command, struct running *running) {
    int pipes[2][2] = {{-1, -1}, {-1, -1}};
    const bool open = pipe2(pipes[0], O_CLOEXEC) == 0 && pipe2(pipes[1], O_CLOEXEC) == 0;
    const int ends[2] = {pipes[0][1], pipes[1][1]};
    running->terminal = own_terminal();
    running->foreground = getpgrp();
    const pid_t child = open ? fork() : -1;
    if (child == 0) run_leader(command, ends, running->terminal);
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0) close(ends[i]);
        running->streams[i] = pipes[i][0];
    }
    if (child <= 0) return;
    running->leader = child;
    setpgid(child, child); // both processes call this; the first one counts
    if (running->terminal >= 0) tcsetpgrp(running->terminal, child);
}

// Reads what is available; drops what exceeds the limit.
static void receive(struct running *running, int which) {
    char more[1024];
    const ssize_t got = read(running->streams[which], more, sizeof more);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
        close(running->streams[which]);
        running->streams[which] = -1;
        return;
    }
    const size_t left = MOST_BYTES - 1 - running->counts[which];
    const size_t kept = (size_t)got < left ? (size_t)got : left;
    memcpy(running->bytes[which] + running->counts[which], more, kept);
    running->counts[which] += kept;
    explicit_bzero(more, sizeof more);
}

static bool has_exited(const struct running *running) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)running->leader, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == running->leader;
}

// Waits until the command has ended and its output is read, a signal arrives, or its time is up.
// Does not wait for processes that it left behind. False: it was given up.
static bool follow(struct running *running) {
    const int64_t until_us = clock_now_us() + (int64_t)KEY_COMMAND_LIMIT_S * 1000000;
    while (!asked_to_end && clock_now_us() < until_us) {
        const bool exited = has_exited(running);
        struct pollfd polled[2];
        for (int i = 0; i < 2; i++)
            polled[i] = (struct pollfd){.fd = running->streams[i], .events = POLLIN};
        const int ready = poll(polled, 2, exited ? 0 : LOOK_MS);
        if (ready == 0 && exited) return true;
        for (int i = 0; i < 2 && ready > 0; i++)
            if (polled[i].revents) receive(running, i);
    }
    return false;
}

// Kills the rest of the group. Returns the command's exit status.
static int end(struct running *running) {
    int status = -1;
    if (running->leader) {
        kill(-running->leader, SIGKILL);
        while (waitpid(running->leader, &status, 0) < 0 && errno == EINTR)
            ;
    }
    if (running->terminal >= 0) {
        tcsetpgrp(running->terminal, running->foreground);
        close(running->terminal);
    }
    for (int i = 0; i < 2; i++)
        if (running->streams[i] >= 0) close(running->streams[i]);
    return status;
}

static void run(const char *command, struct running *running, bool *ended, int *status) {
    struct sigaction ours = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN}, stop;
    sigemptyset(&ours.sa_mask);
    asked_to_end = 0;
    for (int i = 0; i < ENDING_COUNT; i++)
        sigaction(ENDING[i], &ours, &running->before[i]);
    sigaction(SIGTTOU, &ignore, &stop); // for tcsetpgrp()
    start(command, running);
    *ended = running->leader && follow(running);
    *status = end(running);
    sigaction(SIGTTOU, &stop, NULL);
    for (int i = 0; i < ENDING_COUNT; i++)
        sigaction(ENDING[i], &running->before[i], NULL);
}

// Appends the first line of its stderr, without the key.
static enum status append_said(const struct running *running, struct text *said) {
    const char *key = running->bytes[0], *words = running->bytes[1];
    size_t key_bytes = strcspn(key, " \t\r\n"), length = strcspn(words, "\r\n");
    struct text line = {0};
    enum status status = STATUS_OK;
    for (size_t at = 0; at < length && status == STATUS_OK;) {
        const bool is_key = key_bytes && strncmp(words + at, key, key_bytes) == 0;
        status = text_append(&line, is_key ? "****" : words + at, is_key ? 4 : 1);
        at += is_key ? key_bytes : 1;
    }
    if (line.length > SAID_BYTES) line.length = SAID_BYTES;
    line.length -= line.length ? utf8_incomplete_tail(line.bytes, line.length) : 0;
    if (status == STATUS_OK) status = printable_append(said, text_string(&line), line.length);
    text_deinit(&line);
    return status;
}

static enum status judge(const struct running *running, bool ended, int status, struct text *key,
                         struct error *err) {
    const bool whole = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const size_t length = strcspn(running->bytes[0], "\n");
    struct text said = {0};
    if (asked_to_end) return error_set(err, STATUS_CANCELLED, "the command was stopped");
    enum status result = append_said(running, &said);
    const char *words = text_string(&said), *colon = said.length ? ": " : "";
    if (result != STATUS_OK)
        result = error_set(err, result, "not enough memory");
    else if (!running->leader)
        result = error_set(err, STATUS_IO, "cannot run the command");
    else if (!ended)
        result = error_set(err, STATUS_IO, "the command took more than %d s%s%s",
                           KEY_COMMAND_LIMIT_S, colon, words);
    else if (!whole || length == 0)
        result = error_set(err, STATUS_IO, "the command printed no key%s%s", colon, words);
    else if (said.length)
        log_write(LOG_WARNING, "the command for the API key says: %s", words);
    if (result == STATUS_OK) result = text_append(key, running->bytes[0], length);
    text_deinit(&said);
    return result;
}

enum status key_command_read(const char *command, struct text *key, struct error *err) {
    struct running running = {.streams = {-1, -1}, .terminal = -1};
    bool ended;
    int status;
    run(command, &running, &ended, &status);
    const bool interrupted = !asked_to_end && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    if (interrupted) asked_to_end = SIGINT; // ^C at the terminal went to the command
    const enum status result = judge(&running, ended, status, key, err);
    explicit_bzero(&running, sizeof running);
    if (asked_to_end) raise(asked_to_end);
    return result;
}
