// tests/app/test_journal.c — journal.h: what is found again, cut wherever.
#include "app/cli/journal.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RESULTS = 5 };

static char path[64];

static struct hash128 request_of(size_t line) { return hash_bytes(&line, sizeof line, 0); }

static const char *result_of(size_t line) {
    static char result[160];
    char hex[HASH_HEX_BYTES];
    snprintf(result, sizeof result, "{\"line\":%zu,\"request\":\"%s\",\"text\":\"%zu\\nü\"}", line,
             hash_hex(request_of(line), hex), line);
    return result;
}

static struct journal *open_it(void) {
    struct journal *journal;
    struct error err = {0};
    if (journal_open(path, &journal, &err) != STATUS_OK) fail_msg("%s", err.text);
    return journal;
}

static int begin(void **state) {
    (void)state;
    strcpy(path, "/tmp/quire-journal-XXXXXX");
    const int fd = mkstemp(path);
    close(fd);
    return fd >= 0 ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    return unlink(path);
}

static void fill(void) {
    static const size_t order[RESULTS] = {3, 1, 7, 2, 10};
    struct journal *journal = open_it();
    for (int i = 0; i < RESULTS; i++)
        assert_int_equal(journal_add(journal, result_of(order[i]), NULL), STATUS_OK);
    journal_close(journal);
}

static void results_are_found_by_line_and_request(void **state) {
    (void)state;
    fill();
    struct journal *journal = open_it();
    for (size_t line = 1; line <= 10; line++) {
        const bool there = line <= 3 || line == 7 || line == 10;
        const char *found = journal_find(journal, line, request_of(line));
        if (there)
            assert_string_equal(found, result_of(line));
        else
            assert_null(found);
        assert_null(journal_find(journal, line, request_of(line + 1))); // the line was changed
    }
    journal_close(journal);
}

// Wherever a kill cuts it: whole results count, and what is added later is whole too.
static void a_file_that_is_cut_anywhere_goes_on(void **state) {
    (void)state;
    fill();
    FILE *file = fopen(path, "r");
    char whole[2048];
    const size_t length = fread(whole, 1, sizeof whole, file);
    fclose(file);
    for (size_t cut = 0; cut <= length; cut++) {
        file = fopen(path, "w");
        assert_int_equal(fwrite(whole, 1, cut, file), cut);
        fclose(file);
        size_t lines = 0;
        for (size_t i = 0; i < cut; i++)
            lines += whole[i] == '\n';
        struct journal *journal = open_it();
        size_t found = 0;
        for (size_t line = 1; line <= 10; line++)
            found += journal_find(journal, line, request_of(line)) != NULL;
        assert_int_equal(found, lines);
        assert_int_equal(journal_add(journal, result_of(4), NULL), STATUS_OK);
        journal_close(journal);
        journal = open_it();
        assert_string_equal(journal_find(journal, 4, request_of(4)), result_of(4));
        journal_close(journal);
    }
}

// Zeros in place of the first results, and no whole one after them: what the power may leave.
static void a_file_that_begins_with_zeros_goes_on(void **state) {
    (void)state;
    static const char *const ends[] = {"", "{\"li", "{\"line\":2,\"request\":\"5f"};
    static const char zeros[5000];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        for (size_t count = 1; count <= sizeof zeros; count += 833) {
            FILE *file = fopen(path, "w");
            assert_int_equal(fwrite(zeros, 1, count, file), count);
            fputs(ends[i], file);
            fclose(file);
            struct journal *journal = open_it();
            assert_int_equal(journal_add(journal, result_of(4), NULL), STATUS_OK);
            journal_close(journal);
            journal = open_it();
            assert_string_equal(journal_find(journal, 4, request_of(4)), result_of(4));
            journal_close(journal);
        }
}

static void what_is_no_result_is_passed_over(void **state) {
    (void)state;
    FILE *file = fopen(path, "w");
    fprintf(file,
            "\nnot json\n[1]\n{\"line\":0}\n{\"line\":-1,\"request\":\"x\"}\n"
            "{\"line\":1e300,\"request\":\"x\"}\n{\"line\":\"2\",\"request\":5}\n%s\n",
            result_of(2));
    fclose(file);
    struct journal *journal = open_it();
    assert_string_equal(journal_find(journal, 2, request_of(2)), result_of(2));
    journal_close(journal);
}

// A slip in its name must not cost a file its last line.
static void a_file_that_is_no_journal_stays_as_it_is(void **state) {
    (void)state;
    static const char *const texts[] = {"notes without an end", "two lines\nand a half", "\n",
                                        "{\"prompt\":\"Hi\"}\n{\"prompt\":\"Ho\"}", "{\"lines"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char after[64] = "";
        struct journal *journal = NULL;
        struct error err = {0};
        FILE *file = fopen(path, "w");
        fputs(texts[i], file);
        fclose(file);
        assert_int_equal(journal_open(path, &journal, &err), STATUS_BAD_INPUT);
        assert_non_null(strstr(err.text, "something else than results"));
        assert_null(journal);
        file = fopen(path, "r");
        assert_int_equal(fread(after, 1, sizeof after - 1, file), strlen(texts[i]));
        fclose(file);
        assert_string_equal(after, texts[i]);
    }
}

static void a_file_that_can_not_be_read_is_not_empty(void **state) {
    (void)state;
    struct journal *journal = NULL;
    struct error err = {0};
    assert_int_equal(journal_open("/proc/self/mem", &journal, &err), STATUS_IO); // nothing is at 0
    assert_non_null(strstr(err.text, strerror(EIO)));
    assert_null(journal);
}

static void two_runs_do_not_write_one_journal(void **state) {
    (void)state;
    struct journal *journal = open_it(), *other = NULL;
    struct error err = {0};
    assert_int_equal(journal_open(path, &other, &err), STATUS_BUSY);
    assert_null(other);
    assert_non_null(strstr(err.text, "another run"));
    journal_close(journal);
    assert_int_equal(journal_open("/nonexistent/journal", &other, &err), STATUS_IO);
    assert_null(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_are_found_by_line_and_request, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_cut_anywhere_goes_on, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_begins_with_zeros_goes_on, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_result_is_passed_over, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_no_journal_stays_as_it_is, begin, end),
        cmocka_unit_test(a_file_that_can_not_be_read_is_not_empty),
        cmocka_unit_test_setup_teardown(two_runs_do_not_write_one_journal, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
