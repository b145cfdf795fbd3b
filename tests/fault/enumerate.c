// tests/fault/enumerate.c — whatever goes wrong with a change of a file, wherever: nothing that was
// acknowledged is lost, and no answer is wrong.
//
//   fault_enumerate PROGRAM SHIM SECONDS SEED HOW…
//
// Scripts of the program itself run under the shim (shim.c has the HOWs), in a fresh copy of one
// home each time, with a fault at change 0, 1, 2 … until one ends undisturbed; in SECONDS as many
// of these as fit, drawn without repetition by SEED, and all of them with 0. Afterwards:
// - what was acknowledged is stored: a line of a chat after which the prompt has come, an answer of
//   a program that has ended well, a result that was printed, an import that was said to be done;
// - the database is sound, and holds no empty message;
// - the next program answers as in a fresh home, and has nothing to say;
// - who was not killed has ended by itself, in time, and not by a signal.
//
// With the HOW power a script is recorded, and the same must hold after the power went at any of
// its changes (power.h): what was acknowledged before is stored.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "store/conversation.h"
#include "store/message.h"
#include "tests/fault/power.h"

enum {
    OUTPUT_BYTES = 1 << 16,
    WORDS_MAX = 16,
    LINES_MAX = 8,
    RUN_MS = 60000, // only what hangs takes as long
    QUIET_MS = 1500,
    POINTS_MAX = 1 << 20
};

struct script {
    const char *name;
    const char *words[WORDS_MAX]; // of the command line; "@" stands for the folder of this run
    const char *lines[LINES_MAX]; // typed at its prompts; NULL: no terminal
    const char *stored;           // what a person said that is stored if it ends well; or NULL
    bool first;                   // in an empty home
};

#define GREEDY "-q", "--temp", "0", "--deterministic", "-n", "8"

static const struct script SCRIPTS[] = {
    {"question", {GREEDY, "-p", "Tell me of the sea."}, {NULL}, .stored = "Tell me of the sea."},
    {"first question",
     {GREEDY, "-p", "Tell me of the sea."},
     {NULL},
     .stored = "Tell me of the sea.",
     .first = true},
    {"next question",
     {GREEDY, "-C", "-a", "-p", "And of rivers?"},
     {NULL},
     .stored = "And of rivers?"},
    {"fork", {GREEDY, "-C", "-a", "--fork=1", "-p", "Why?"}, {NULL}, .stored = "Why?"},
    {"batch",
     {"batch", "@/lines", GREEDY, "--resume-batch", "@/home/results"},
     {NULL},
     .stored = NULL},
    {"import", {"import", "@/talk"}, {NULL}, .stored = "An imported question."},
    {"chat",
     {GREEDY},
     {"Hello!", "/fork", "Name a bird.", "/regen", "/name one two", "/quit"},
     .stored = NULL},
};
enum { SCRIPT_COUNT = sizeof SCRIPTS / sizeof SCRIPTS[0] };

static const struct script PROBE = {
    "probe", {GREEDY, "-p", "Is the sky blue?"}, {NULL}, .stored = NULL};

static struct {
    const char *program, *shim, *how;
    char folder[64], home[96], base[96], record[96];
    _Atomic uint32_t *count;
    char truth[OUTPUT_BYTES]; // of the probe
    uint64_t random;
    int64_t until_us; // 0: no end
} run;

struct outcome {
    int result; // of waitpid()
    bool late;
    uint32_t changes;
    size_t answered;                     // lines after which the prompt came
    uint32_t answered_at[LINES_MAX + 1]; // the changes until there were so many
    char out[OUTPUT_BYTES], err[OUTPUT_BYTES];
};

__attribute__((noreturn, format(printf, 4, 5))) static void broken(const struct script *script,
                                                                   uint32_t at,
                                                                   const struct outcome *outcome,
                                                                   const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    fprintf(stderr, "%s, %s at change %u: ", script->name, run.how, at);
    vfprintf(stderr, format, rest);
    if (outcome) fprintf(stderr, "\nstdout: %s\nstderr: %s", outcome->out, outcome->err);
    fprintf(stderr, "\nthe folder: %s\n", run.folder);
    va_end(rest);
    exit(1);
}

__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...) {
    char command[1024];
    va_list rest;
    va_start(rest, format);
    vsnprintf(command, sizeof command, format, rest);
    va_end(rest);
    if (system(command) != 0) {
        fprintf(stderr, "%s: failed\n", command);
        exit(2);
    }
}

static void become(const struct script *script, bool faulty, uint32_t at) {
    char arguments[WORDS_MAX + 1][PATH_MAX], *words[WORDS_MAX + 2] = {arguments[0]}, number[16];
    size_t count = 1;
    snprintf(arguments[0], PATH_MAX, "quire");
    for (; script->words[count - 1]; count++) {
        const char *word = script->words[count - 1];
        snprintf(arguments[count], PATH_MAX, "%s%s", word[0] == '@' ? run.folder : "",
                 word + (word[0] == '@'));
        words[count] = arguments[count];
    }
    snprintf(number, sizeof number, "%u", at);
    setenv("QUIRE_HOME", run.home, 1);
    setenv("TERM", "dumb", 1);
    if (faulty) {
        setenv("FAULT_ROOT", run.home, 1);
        setenv("FAULT_AT", number, 1);
        setenv("FAULT_HOW", run.how, 1);
        setenv("FAULT_RECORD", run.record, 1);
        setenv("LD_PRELOAD", run.shim, 1);
    }
    execv(run.program, words);
    _exit(99);
}

// Appends what can be read; false at the end.
static bool take_output(int file, char text[OUTPUT_BYTES]) {
    const size_t length = strlen(text);
    const ssize_t got = read(file, text + length, OUTPUT_BYTES - 1 - length);
    if (got > 0) text[length + (size_t)got] = '\0';
    return got > 0 || (got < 0 && errno == EINTR);
}

static bool is_prompt(const char *text) {
    const size_t length = strlen(text);
    return length >= 2 && strcmp(text + length - 2, "> ") == 0 &&
           (length == 2 || text[length - 3] == '\n');
}

// Types a script's next line when the prompt has come, unless the program has told of a failure.
static void type(const struct script *script, int terminal, struct outcome *outcome, size_t *typed,
                 size_t *seen) {
    if (strlen(outcome->out) == *seen || !is_prompt(outcome->out)) return;
    if (strstr(outcome->out, run.home)) return;
    *seen = strlen(outcome->out);
    outcome->answered = *typed;
    outcome->answered_at[*typed] = *run.count;
    const char *line = *typed < LINES_MAX ? script->lines[*typed] : NULL;
    if (!line) return;
    ++*typed;
    if (write(terminal, line, strlen(line)) < 0 || write(terminal, "\r", 1) < 0) return;
}

// A message that was not stored was given back: it stands at the prompt, and nothing else comes.
static bool is_given_back(const char *text) {
    const char *line = strrchr(text, '\n');
    return strncmp(line ? line + 1 : text, "> ", 2) == 0;
}

static void listen_to(const struct script *script, pid_t child, int out, int err,
                      struct outcome *outcome) {
    struct pollfd files[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    const int64_t end = clock_now_us() + 1000 * (int64_t)RUN_MS;
    size_t typed = 0, seen = 0;
    while (files[0].fd >= 0 || files[1].fd >= 0) {
        if (clock_now_us() > end && !outcome->late) {
            outcome->late = true;
            kill(child, SIGKILL);
        }
        if (poll(files, 2, QUIET_MS) <= 0) {
            if (script->lines[0] && is_given_back(outcome->out))
                (void)!write(out, "\x15/quit\r", 7);
            continue;
        }
        if (files[0].revents && !take_output(out, outcome->out)) files[0].fd = -1;
        if (files[1].revents && !take_output(err, outcome->err)) files[1].fd = -1;
        if (script->lines[0]) type(script, out, outcome, &typed, &seen);
    }
    waitpid(child, &outcome->result, 0);
}

static void execute(const struct script *script, bool faulty, uint32_t at,
                    struct outcome *outcome) {
    int out[2] = {-1, -1}, err[2], terminal = -1;
    *outcome = (struct outcome){0};
    *run.count = 0;
    if (pipe(err) != 0 || (!script->lines[0] && pipe(out) != 0)) exit(2);
    const pid_t child = script->lines[0] ? forkpty(&terminal, NULL, NULL, NULL) : fork();
    if (child < 0) exit(2);
    if (child == 0) {
        if (!script->lines[0]) {
            const int nothing = open("/dev/null", O_RDONLY);
            dup2(nothing, STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
        }
        dup2(err[1], STDERR_FILENO);
        for (int file = 3; file < 32; file++)
            close(file);
        become(script, faulty, at);
    }
    close(err[1]);
    if (out[1] >= 0) close(out[1]);
    listen_to(script, child, script->lines[0] ? terminal : out[0], err[0], outcome);
    close(err[0]);
    close(script->lines[0] ? terminal : out[0]);
    outcome->changes = *run.count;
}

// Is there an answer to it, on the way to some conversation's tip? Empty messages are none.
static bool is_answered(struct db *db, const char *said, const struct script *script, uint32_t at) {
    struct conversation_row *rows = NULL;
    struct error err = {0};
    size_t count = 0;
    bool found = false;
    const struct conversation_query query = {.words = "", .limit = 1000, .one_shot = true};
    if (conversation_list(db, &query, &rows, &count, &err) != STATUS_OK)
        broken(script, at, NULL, "the list can not be read: %s", err.text);
    for (size_t i = 0; i < count; i++) {
        struct message *path;
        size_t length;
        if (message_path(db, rows[i].conversation.tip, &path, &length, &err) != STATUS_OK)
            broken(script, at, NULL, "a conversation can not be read: %s", err.text);
        for (size_t m = 0; m < length; m++) {
            if (path[m].length == 0) broken(script, at, NULL, "a message is empty");
            found = found || (said && m + 1 < length && strcmp(path[m].text, said) == 0 &&
                              path[m + 1].role == MESSAGE_ASSISTANT);
        }
        message_path_free(path, length);
    }
    free(rows);
    return found;
}

static void check_stored(const struct script *script, uint32_t at, const struct outcome *outcome) {
    char path[PATH_MAX];
    struct db *db;
    struct error err = {0};
    const bool well = WIFEXITED(outcome->result) && WEXITSTATUS(outcome->result) == 0;
    snprintf(path, sizeof path, "%s/quire.db", run.home);
    if (db_open(path, &db, &err) != STATUS_OK || db_check(db, &err) != STATUS_OK)
        broken(script, at, outcome, "the database: %s", err.text);
    const bool promised = script->stored && well && !outcome->err[0];
    if (!is_answered(db, promised ? script->stored : NULL, script, at) && promised)
        broken(script, at, outcome, "%s is not stored", script->stored);
    for (size_t i = 0; script->lines[0] && i < outcome->answered; i++)
        if (script->lines[i][0] != '/' && !is_answered(db, script->lines[i], script, at))
            broken(script, at, outcome, "%s is not stored", script->lines[i]);
    db_close(db);
}

static void check_outcome(const struct script *script, uint32_t at, const struct outcome *outcome) {
    const bool kills = strcmp(run.how, "kill") == 0 || strcmp(run.how, "half") == 0 ||
                       strcmp(run.how, "record") == 0;
    static struct outcome after;
    if (outcome->late) broken(script, at, outcome, "it did not end");
    if (WIFSIGNALED(outcome->result) && !(kills && WTERMSIG(outcome->result) == SIGKILL))
        broken(script, at, outcome, "signal %d", WTERMSIG(outcome->result));
    if (WIFEXITED(outcome->result) && WEXITSTATUS(outcome->result) != 0 && !outcome->err[0] &&
        !script->lines[0])
        broken(script, at, outcome, "exit code %d without a word", WEXITSTATUS(outcome->result));
    check_stored(script, at, outcome);
    execute(&PROBE, false, 0, &after);
    if (after.result != 0 || strcmp(after.out, run.truth) != 0)
        broken(script, at, &after, "afterwards the answer is not %s", run.truth);
    if (after.err[0]) broken(script, at, &after, "afterwards something is said");
    if (!script->words[1] || strcmp(script->words[0], "batch") != 0) return;
    execute(script, false, 0, &after); // goes on with the results that were kept
    if (after.result != 0) broken(script, at, &after, "the batch can not be gone on with");
}

static void fresh_home(const struct script *script) {
    if (script->first)
        shell("rm -rf %s && mkdir -m 700 %s", run.home, run.home);
    else
        shell("rm -rf %s && cp -r %s %s", run.home, run.base, run.home);
}

// One place where something goes wrong; false where it is after the end.
static bool try_at(const struct script *script, uint32_t at) {
    static struct outcome outcome;
    fresh_home(script);
    execute(script, true, at, &outcome);
    if (outcome.changes <= at) return false;
    check_outcome(script, at, &outcome);
    return true;
}

// Changes that a script makes where nothing goes wrong. Another run of it may make a few more.
static uint32_t count_changes(const struct script *script) {
    static struct outcome outcome;
    fresh_home(script);
    execute(script, true, UINT32_MAX, &outcome);
    if (outcome.result != 0) broken(script, UINT32_MAX, &outcome, "it fails without a fault");
    check_outcome(script, UINT32_MAX, &outcome);
    return outcome.changes;
}

static void enumerate(const struct script *script, int64_t until_us) {
    static uint32_t order[POINTS_MAX];
    const uint32_t changes = count_changes(script);
    const uint32_t count = changes < POINTS_MAX ? changes : POINTS_MAX;
    uint32_t tried = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = power_draw(&run.random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < count && (!until_us || clock_now_us() < until_us); i++)
        tried += try_at(script, order[i]);
    for (uint32_t at = count; !until_us && try_at(script, at); at++)
        tried++;
    printf("%-8s %-14s %6u of %6u places\n", run.how, script->name, tried, changes);
    fflush(stdout);
}

// What was acknowledged before the power went: an end, or the lines that a prompt has followed.
static void lose_power(const struct script *script, const struct power *power,
                       const struct outcome *whole, uint32_t changes) {
    static struct outcome outcome;
    outcome = *whole;
    if (changes < power_changes(power)) outcome.result = SIGKILL;
    while (outcome.answered > 0 && outcome.answered_at[outcome.answered] > changes)
        outcome.answered--;
    fresh_home(script);
    power_cut(power, changes, &run.random);
    check_outcome(script, changes, &outcome);
}

// After each change once; or, until then, after any.
static void enumerate_power(const struct script *script, int64_t until_us) {
    static struct outcome whole;
    uint32_t tried = 0, changes;
    do {
        unlink(run.record);
        fresh_home(script);
        execute(script, true, 0, &whole);
        if (whole.result != 0) broken(script, 0, &whole, "it fails when it is recorded");
        struct power *power = power_read(run.record);
        changes = power_changes(power);
        for (uint32_t i = 0; i <= changes && (!until_us || clock_now_us() < until_us); i++, tried++)
            lose_power(script, power, &whole, until_us ? power_draw(&run.random, changes + 1) : i);
        power_free(power);
    } while (until_us && clock_now_us() < until_us);
    printf("%-8s %-14s %6u states, of %u changes\n", "power", script->name, tried, changes);
    fflush(stdout);
}

static void write_file(const char *name, const char *text) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", run.folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) exit(2);
}

// A home in which something was said, and what the scripts read.
static void prepare(void) {
    static const struct script FIRST = {
        "first", {GREEDY, "-p", "What is a hen?"}, {NULL}, .stored = NULL};
    static struct outcome outcome;
    snprintf(run.folder, sizeof run.folder, "/tmp/quire-faults.XXXXXX");
    if (!mkdtemp(run.folder)) exit(2);
    snprintf(run.home, sizeof run.home, "%s/home", run.folder);
    snprintf(run.base, sizeof run.base, "%s/base", run.folder);
    snprintf(run.record, sizeof run.record, "%s/record", run.folder);
    write_file("lines", "{\"prompt\":\"Name a bird.\"}\n{\"prompt\":\"Name a fish.\"}\n");
    write_file("talk", "{\"type\":\"conversation\",\"version\":1,\"id\":\"1bd03436\",\"name\":"
                       "\"brought\",\"messages\":2}\n"
                       "{\"role\":\"user\",\"text\":\"An imported question.\"}\n"
                       "{\"role\":\"assistant\",\"text\":\"Its answer.\"}\n");
    write_file("count", "0000");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/count", run.folder);
    setenv("FAULT_COUNT", path, 1);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    run.count = mmap(NULL, sizeof *run.count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || run.count == MAP_FAILED) exit(2);
    execute(&PROBE, false, 0, &outcome);
    if (outcome.result != 0) broken(&PROBE, 0, &outcome, "it fails");
    memcpy(run.truth, outcome.out, sizeof run.truth);
    shell("rm -rf %s", run.home);
    execute(&FIRST, false, 0, &outcome);
    shell("mv %s %s", run.home, run.base);
}

int main(int count, char **words) {
    if (count < 6) return 2;
    const int64_t seconds = strtol(words[3], NULL, 10);
    run.program = words[1];
    run.shim = words[2];
    run.random = strtoull(words[4], NULL, 10);
    prepare();
    const int hows = count - 5, parts = hows * SCRIPT_COUNT;
    const int64_t begin = clock_now_us();
    for (int part = 0; part < parts; part++) {
        const int64_t until_us = seconds ? begin + 1000000 * seconds * (part + 1) / parts : 0;
        const struct script *script = &SCRIPTS[part % SCRIPT_COUNT];
        run.how = words[5 + part / SCRIPT_COUNT];
        if (strcmp(run.how, "record") == 0)
            enumerate_power(script, until_us);
        else
            enumerate(script, until_us);
    }
    shell("rm -rf %s", run.folder);
    return 0;
}
