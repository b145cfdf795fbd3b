// tests/kernels/base/test_status.c — status.h, assert.h and log.h: how bad news travels.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/status.h"
#include "tests/check.h"

static void every_status_has_a_distinct_text(void **state) {
    (void)state;
    static const enum status all[] = {
#define LIST_STATUS(name, text) STATUS_##name,
        STATUS_MAP(LIST_STATUS)
#undef LIST_STATUS
    };
    enum { COUNT = sizeof all / sizeof all[0] };
    assert_int_equal(STATUS_OK, 0);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(strlen(status_text(all[i])) > 0);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(status_text(all[i]), status_text(all[j]));
    }
    assert_non_null(status_text((enum status)999));
}

static void an_error_keeps_its_status_and_message(void **state) {
    (void)state;
    struct error err = {0};
    assert_int_equal(error_set(&err, STATUS_BAD_FILE, "%s: %d", "path", 7), STATUS_BAD_FILE);
    assert_int_equal(err.status, STATUS_BAD_FILE);
    assert_string_equal(err.text, "path: 7");
    assert_int_equal(error_set(NULL, STATUS_IO, "%s", "nobody listens"), STATUS_IO);
}

static void a_long_error_message_is_truncated(void **state) {
    (void)state;
    struct {
        struct error err;
        char canary[16];
    } held = {.canary = "canary"};
    char words[2 * sizeof held.err.text];
    memset(words, 'w', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    assert_int_equal(error_set(&held.err, STATUS_IO, "%s", words), STATUS_IO);
    assert_int_equal(strlen(held.err.text), sizeof held.err.text - 1);
    assert_string_equal(held.canary, "canary");
}

static enum status forward(enum status first, int *reached) {
    TRY(first);
    *reached = 1;
    return STATUS_CANCELLED;
}

static void try_returns_failures_and_continues_on_success(void **state) {
    (void)state;
    int reached = 0;
    assert_int_equal(forward(STATUS_FULL, &reached), STATUS_FULL);
    assert_int_equal(reached, 0);
    assert_int_equal(forward(STATUS_OK, &reached), STATUS_CANCELLED);
    assert_int_equal(reached, 1);
}

static int hook_pipe[2];

static void tell_the_pipe(void) {
    if (write(hook_pipe[1], "hook", 4) != 4) _exit(9);
}

static void a_failed_assertion_calls_the_hook_then_aborts(void **state) {
    (void)state;
    assert_int_equal(pipe(hook_pipe), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr)) _exit(8);
        assert_set_hook(tell_the_pipe);
        ASSERT(1 + 1 == 2);
        ASSERT(1 + 1 == 3);
        _exit(7);
    }
    int result;
    char said[8] = "";
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGABRT);
    assert_int_equal(read(hook_pipe[0], said, sizeof said - 1), 4);
    assert_string_equal(said, "hook");
    close(hook_pipe[0]);
    close(hook_pipe[1]);
}

static enum log_level last_level;
static char last_line[4096];
static int lines;

static void remember_line(enum log_level level, const char *text) {
    last_level = level;
    strncpy(last_line, text, sizeof last_line - 1);
    lines++;
}

static void log_lines_reach_the_sink_if_one_is_set(void **state) {
    (void)state;
    log_write(LOG_WARNING, "nobody %s", "listens");
    log_set_sink(remember_line);
    log_write(LOG_INFO, "%d tokens", 7);
    assert_int_equal(lines, 1);
    assert_int_equal(last_level, LOG_INFO);
    assert_string_equal(last_line, "7 tokens");
    log_write(LOG_DEBUG, "%3000d", 1); // longer than a line
    assert_int_equal(lines, 2);
    assert_true(strlen(last_line) < 3000);
    log_set_sink(NULL);
    log_write(LOG_WARNING, "silence");
    assert_int_equal(lines, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_distinct_text),
        cmocka_unit_test(an_error_keeps_its_status_and_message),
        cmocka_unit_test(a_long_error_message_is_truncated),
        cmocka_unit_test(try_returns_failures_and_continues_on_success),
        cmocka_unit_test(a_failed_assertion_calls_the_hook_then_aborts),
        cmocka_unit_test(log_lines_reach_the_sink_if_one_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
