#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

#include "app/screen/input_history.h"
#include "tests/check.h"

static char folder[] = "/tmp/quire-history-XXXXXX";
static char path[sizeof folder + 16];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/history", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static const char *entry(int index) {
    const HIST_ENTRY *found = history_get(history_base + index);
    return found ? found->line : NULL;
}

static void entries_of_several_lines_are_read_back_whole(void **state) {
    (void)state;
    const char *const entries[] = {"one line", "two\nlines", "\\n is no newline \\",
                                   "#1700000000\nlooks like a time", "last\n"};
    enum { COUNT = sizeof entries / sizeof entries[0] };
    unlink(path);
    input_history_open(path);
    for (int i = 0; i < COUNT; i++)
        input_history_add(entries[i]);
    input_history_close();
    input_history_open(path);
    assert_int_equal(history_length, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_string_equal(entry(i), entries[i]);
    input_history_close();
}

static void the_history_file_is_private(void **state) {
    (void)state;
    unlink(path);
    input_history_open(path);
    input_history_add("secret");
    input_history_close();
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
}

static void a_repeated_entry_is_kept_once(void **state) {
    (void)state;
    unlink(path);
    input_history_open(path);
    input_history_add("same");
    input_history_add("same");
    input_history_add("");
    input_history_add(" \n\t");
    input_history_close();
    input_history_open(path);
    assert_int_equal(history_length, 1);
    input_history_close();
}

static void a_long_history_is_cut_to_the_newest_entries(void **state) {
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i <= 2 * INPUT_HISTORY_ENTRIES; i++)
        fprintf(file, "entry %d\n", i);
    fclose(file);
    input_history_open(path);
    input_history_close();
    input_history_open(path);
    assert_int_equal(history_length, INPUT_HISTORY_ENTRIES);
    char newest[32];
    snprintf(newest, sizeof newest, "entry %d", 2 * INPUT_HISTORY_ENTRIES);
    assert_string_equal(entry(INPUT_HISTORY_ENTRIES - 1), newest);
    input_history_close();
}

// As on a full disk: what there is stays, and nothing half-written beside it.
static void a_history_that_cannot_be_cut_keeps_every_entry(void **state) {
    (void)state;
    struct rlimit limit;
    struct stat before, after;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i <= 2 * INPUT_HISTORY_ENTRIES; i++)
        fprintf(file, "entry %d\n", i);
    fclose(file);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    for (rlim_t most = 0; most <= 4096; most += 4096) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, limit.rlim_max});
        input_history_open(path);
        input_history_close();
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, SIG_DFL);
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(after.st_size, before.st_size);
    }
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
}

// Somebody's file by the name that a new history has for a while, and a history that is a link.
static void links_are_neither_replaced_nor_written_through(void **state) {
    (void)state;
    char theirs[sizeof path + 8], beside[sizeof path + 24], kept[sizeof path + 8];
    struct stat info;
    snprintf(theirs, sizeof theirs, "%s/theirs", folder);
    snprintf(kept, sizeof kept, "%s/kept", folder);
    snprintf(beside, sizeof beside, "%s.quire-new", kept);
    for (int kind = 0; kind < 3; kind++) { // nothing in the way, a link, a second name
        FILE *file = fopen(kept, "w");
        assert_non_null(file);
        for (int i = 0; i <= 2 * INPUT_HISTORY_ENTRIES; i++)
            fprintf(file, "entry %d\n", i);
        fclose(file);
        file = fopen(theirs, "w");
        assert_true(file && fputs("letters", file) >= 0 && fclose(file) == 0);
        if (kind == 1) assert_int_equal(symlink(theirs, beside), 0);
        if (kind == 2) assert_int_equal(link(theirs, beside), 0);
        assert_int_equal(symlink(kept, path), 0);
        assert_int_equal(stat(kept, &info), 0);
        const off_t before = info.st_size;
        input_history_open(path);
        input_history_close();
        assert_int_equal(stat(kept, &info), 0);
        assert_int_equal(info.st_size < before, kind == 0);
        assert_int_equal(lstat(path, &info), 0);
        assert_true(S_ISLNK(info.st_mode));
        assert_int_equal(stat(theirs, &info), 0);
        assert_int_equal(info.st_size, 7);
        input_history_open(path);
        assert_int_equal(history_length, INPUT_HISTORY_ENTRIES);
        input_history_close();
        unlink(beside);
        assert_int_equal(unlink(theirs) + unlink(kept) + unlink(path), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_several_lines_are_read_back_whole),
        cmocka_unit_test(the_history_file_is_private),
        cmocka_unit_test(a_repeated_entry_is_kept_once),
        cmocka_unit_test(a_long_history_is_cut_to_the_newest_entries),
        cmocka_unit_test(a_history_that_cannot_be_cut_keeps_every_entry),
        cmocka_unit_test(links_are_neither_replaced_nor_written_through),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
