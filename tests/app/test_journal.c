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
    snprintf(result, sizeof result,
             "{\"line\":%zu,\"request\":\"%s\",\"text\":\"%zu\\nü\",\"seed\":7}", line,
             hash_hex(request_of(line), hex), line);
    return result;
}

static struct journal *open_it(void) {
    struct journal *journal;
    struct error err = {0};
    if (journal_open(path, &journal, &err) != STATUS_OK) fail_msg("%s", err.text);
    return journal;
}

static int create_journal_file(void **state) {
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

static size_t read_file(char *bytes, size_t most) {
    FILE *file = fopen(path, "r");
    const size_t length = fread(bytes, 1, most, file);
    fclose(file);
    return length;
}

// A new file, because truncating the old one is slow on ext4, which then writes it out.
static void write_file(const char *bytes, size_t length) {
    unlink(path);
    FILE *file = fopen(path, "w");
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void fill_journal(void) {
    static const size_t order[RESULTS] = {3, 1, 7, 2, 10};
    struct journal *journal = open_it();
    for (int i = 0; i < RESULTS; i++)
        assert_int_equal(journal_add(journal, result_of(order[i]), NULL), STATUS_OK);
    journal_close(journal);
}

static void results_are_found_by_line_and_request(void **state) {
    (void)state;
    fill_journal();
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
static void a_journal_cut_anywhere_can_be_continued(void **state) {
    (void)state;
    fill_journal();
    char whole[2048];
    const size_t length = read_file(whole, sizeof whole);
    for (size_t cut = 0; cut <= length; cut++) {
        write_file(whole, cut);
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
static void a_journal_that_starts_with_zeros_can_be_continued(void **state) {
    (void)state;
    static const char *const ends[] = {"", "{\"li", "{\"line\":2,\"request\":\"5f"};
    enum { MOST_ZEROS = 5000 };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        for (size_t count = 1; count <= MOST_ZEROS; count += 833) {
            char bytes[MOST_ZEROS + 32] = "";
            strcpy(bytes + count, ends[i]);
            write_file(bytes, count + strlen(ends[i]));
            struct journal *journal = open_it();
            assert_int_equal(journal_add(journal, result_of(4), NULL), STATUS_OK);
            journal_close(journal);
            journal = open_it();
            assert_string_equal(journal_find(journal, 4, request_of(4)), result_of(4));
            journal_close(journal);
        }
}

// Opens what was changed: the results are those that were there, or it is refused and stays.
static void check_changed(const char *bytes, size_t length, const char *what) {
    struct journal *journal = NULL;
    struct error err = {0};
    char after[2048];
    write_file(bytes, length);
    const enum status status = journal_open(path, &journal, &err);
    for (size_t line = 1; line <= 10 && status == STATUS_OK; line++) {
        const char *found = journal_find(journal, line, request_of(line));
        if (found && strcmp(found, result_of(line)) != 0) fail_msg("%s: %s", what, found);
    }
    journal_close(journal);
    if (status == STATUS_OK) return;
    assert_int_equal(status, STATUS_BAD_INPUT);
    assert_true(strstr(err.text, "damaged") || strstr(err.text, "not a file of batch results"));
    assert_int_equal(read_file(after, sizeof after), length);
    assert_memory_equal(after, bytes, length);
}

static void a_changed_bit_is_noticed(void **state) {
    (void)state;
    char whole[2048], what[64];
    fill_journal();
    const size_t length = read_file(whole, sizeof whole);
    for (size_t at = 0; at < length; at++)
        for (int bit = 0; bit < 8; bit++) {
            whole[at] = (char)(whole[at] ^ 1 << bit);
            snprintf(what, sizeof what, "bit %d of byte %zu", bit, at);
            check_changed(whole, length, what);
            whole[at] = (char)(whole[at] ^ 1 << bit);
        }
    for (size_t at = 0; at < length; at++) { // or is gone
        char less[2048];
        memcpy(less, whole, at);
        memcpy(less + at, whole + at + 1, length - at - 1);
        snprintf(what, sizeof what, "without byte %zu", at);
        check_changed(less, length - 1, what);
    }
}

static void lines_with_crlf_endings_are_read(void **state) {
    (void)state;
    char line[256];
    write_file(line, (size_t)snprintf(line, sizeof line, "%s\r\n", result_of(2)));
    struct journal *journal = open_it();
    assert_string_equal(journal_find(journal, 2, request_of(2)), result_of(2));
    assert_int_equal(journal_add(journal, result_of(3), NULL), STATUS_OK);
    journal_close(journal);
    journal = open_it();
    assert_string_equal(journal_find(journal, 2, request_of(2)), result_of(2));
    assert_string_equal(journal_find(journal, 3, request_of(3)), result_of(3));
    journal_close(journal);
}

static void damaged_results_are_refused_by_line(void **state) {
    (void)state;
    static const char *const lines[] = {"not json",
                                        "[1]",
                                        "{\"line\":0}",
                                        "{\"line\":-1,\"request\":\"x\"}",
                                        "{\"line\":1e300,\"request\":\"x\"}",
                                        "{\"line\":\"2\",\"request\":5}"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct journal *journal = NULL;
        struct error err = {0};
        char text[256];
        write_file(text, (size_t)snprintf(text, sizeof text, "%s\n%s\n", result_of(2), lines[i]));
        assert_int_equal(journal_open(path, &journal, &err), STATUS_BAD_INPUT);
        if (!strstr(err.text, "line 2: damaged")) fail_msg("%s: %s", lines[i], err.text);
    }
}

// A slip in its name must not cost a file its last line.
static void other_files_are_refused_and_left_unchanged(void **state) {
    (void)state;
    static const char *const texts[] = {"notes without an end", "two lines\nand a half", "\n",
                                        "{\"prompt\":\"Hi\"}\n{\"prompt\":\"Ho\"}", "{\"lines"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char after[64] = "";
        struct journal *journal = NULL;
        struct error err = {0};
        write_file(texts[i], strlen(texts[i]));
        assert_int_equal(journal_open(path, &journal, &err), STATUS_BAD_INPUT);
        assert_non_null(strstr(err.text, "is not a file of batch results"));
        assert_null(journal);
        assert_int_equal(read_file(after, sizeof after - 1), strlen(texts[i]));
        assert_string_equal(after, texts[i]);
    }
}

static void an_unreadable_journal_is_an_error(void **state) {
    (void)state;
    struct journal *journal = NULL;
    struct error err = {0};
    assert_int_equal(journal_open("/proc/self/mem", &journal, &err), STATUS_IO); // nothing is at 0
    assert_non_null(strstr(err.text, strerror(EIO)));
    assert_null(journal);
}

static void a_second_run_cannot_open_the_same_journal(void **state) {
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
        cmocka_unit_test_setup_teardown(results_are_found_by_line_and_request, create_journal_file,
                                        end),
        cmocka_unit_test_setup_teardown(a_journal_cut_anywhere_can_be_continued,
                                        create_journal_file, end),
        cmocka_unit_test_setup_teardown(a_journal_that_starts_with_zeros_can_be_continued,
                                        create_journal_file, end),
        cmocka_unit_test_setup_teardown(a_changed_bit_is_noticed, create_journal_file, end),
        cmocka_unit_test_setup_teardown(lines_with_crlf_endings_are_read, create_journal_file, end),
        cmocka_unit_test_setup_teardown(damaged_results_are_refused_by_line, create_journal_file,
                                        end),
        cmocka_unit_test_setup_teardown(other_files_are_refused_and_left_unchanged,
                                        create_journal_file, end),
        cmocka_unit_test(an_unreadable_journal_is_an_error),
        cmocka_unit_test_setup_teardown(a_second_run_cannot_open_the_same_journal,
                                        create_journal_file, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
