// tests/app/test_notice.c — lines of the log, held and printed, from several threads.
#include "app/screen/notice.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/text.h"

static struct { int saved, pipe[2]; } errors;

static void catch_errors(void) {
    assert_int_equal(pipe(errors.pipe), 0);
    fflush(stderr);
    errors.saved = dup(STDERR_FILENO);
    dup2(errors.pipe[1], STDERR_FILENO);
    close(errors.pipe[1]);
}

// What came since: fewer bytes than a pipe holds.
static void caught_errors(struct text *text) {
    char bytes[4096];
    fflush(stderr);
    dup2(errors.saved, STDERR_FILENO);
    close(errors.saved);
    for (ssize_t got; (got = read(errors.pipe[0], bytes, sizeof bytes)) > 0;)
        assert_int_equal(text_append(text, bytes, (size_t)got), STATUS_OK);
    close(errors.pipe[0]);
}

static void held_warnings_are_printed_later_in_order(void **state) {
    (void)state;
    struct text text = {0};
    notice_open();
    catch_errors();
    log_write(LOG_WARNING, "first");
    notice_hold();
    log_write(LOG_WARNING, "second");
    log_write(LOG_INFO, "not shown");
    fputs("(an answer)\n", stderr);
    notice_show();
    log_write(LOG_WARNING, "third\033[31m");
    fputs("(another)\n", stderr);
    notice_release();
    log_write(LOG_WARNING, "fourth");
    notice_show_from((enum log_level)(LOG_WARNING + 1));
    log_write(LOG_WARNING, "quiet");
    notice_show_from(LOG_WARNING);
    notice_release();
    caught_errors(&text);
    assert_string_equal(text_string(&text), "quire: first\n(an answer)\nquire: second\n"
                                            "(another)\nquire: third␛[31m\nquire: fourth\n");
    text_deinit(&text);
}

static void warnings_past_the_held_limit_are_counted(void **state) {
    (void)state;
    struct text text = {0};
    notice_open();
    catch_errors();
    notice_hold();
    for (int i = 0; i < 20; i++)
        log_write(LOG_WARNING, "line %d", i);
    notice_release();
    caught_errors(&text);
    assert_non_null(strstr(text_string(&text), "quire: line 15\nquire: and 4 more warnings\n"));
    text_deinit(&text);
}

static void *write_lines(void *user) {
    for (int i = 0; i < 50; i++)
        log_write(LOG_WARNING, "a line of thread %d", *(int *)user);
    return NULL;
}

static void warnings_of_two_threads_do_not_mix(void **state) {
    (void)state;
    struct text text = {0};
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    size_t lines = 0;
    notice_open();
    catch_errors();
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, &numbers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    caught_errors(&text);
    for (char *line = strtok(text.bytes, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(strcmp(line, "quire: a line of thread 1") == 0 ||
                    strcmp(line, "quire: a line of thread 2") == 0);
        lines++;
    }
    assert_int_equal(lines, 100);
    text_deinit(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_warnings_are_printed_later_in_order),
        cmocka_unit_test(warnings_past_the_held_limit_are_counted),
        cmocka_unit_test(warnings_of_two_threads_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
