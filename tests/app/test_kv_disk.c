// tests/app/test_kv_disk.c — where blocks lie on the disk, how many may, and whose they are.
#include "app/cli/digest.h"
#include "app/cli/kv_disk.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static char folder[] = "/tmp/quire-test-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static void read_args(struct args *args, int count, char *const *words) {
    struct error err;
    args_init(args);
    assert_int_equal(args_read_words(args, count, words, &err), STATUS_OK);
}

static void the_folder_is_the_given_one_or_the_caches(void **state) {
    (void)state;
    struct args args;
    struct config config = {0};
    struct text found = {0};
    char *words[] = {(char[]){"--kv-dir=/elsewhere"}};
    assert_int_equal(text_append_string(&config.cache_path, "/c/quire"), STATUS_OK);
    read_args(&args, 0, NULL);
    assert_int_equal(kv_disk_folder(&args, &config, &found), STATUS_OK);
    assert_string_equal(text_string(&found), "/c/quire/kv");
    text_clear(&found);
    read_args(&args, 1, words);
    assert_int_equal(kv_disk_folder(&args, &config, &found), STATUS_OK);
    assert_string_equal(text_string(&found), "/elsewhere");
    text_deinit(&found);
    text_deinit(&config.cache_path);
}

// Free space moves while the test runs, so a quarter of it is known to a few per cent.
static void without_a_word_a_quarter_of_the_free_space_is_the_limit(void **state) {
    (void)state;
    struct args args;
    struct statvfs system;
    char missing[64];
    read_args(&args, 0, NULL);
    snprintf(missing, sizeof missing, "%s/not/there/yet", folder);
    assert_int_equal(statvfs(folder, &system), 0);
    const uint64_t free_bytes = (uint64_t)system.f_bavail * system.f_frsize;
    const uint64_t limit = kv_disk_limit(&args, missing);
    assert_true(limit <= (uint64_t)32 << 30);
    if (free_bytes / 4 < (uint64_t)30 << 30)
        assert_true(limit > free_bytes / 5 && limit < free_bytes / 3);
    else
        assert_true(limit >= (uint64_t)20 << 30);
}

static void what_was_said_is_the_limit_and_nothing_is_none(void **state) {
    (void)state;
    struct args args;
    char *some[] = {(char[]){"--kv-disk"}, (char[]){"3G"}}, *none[] = {(char[]){"--kv-disk=0"}};
    read_args(&args, 2, some);
    assert_true(kv_disk_limit(&args, folder) == (uint64_t)3 << 30);
    read_args(&args, 1, none);
    assert_true(kv_disk_limit(&args, folder) == 0);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_model_in_anothers_place_is_not_taken_for_it(void **state) {
    (void)state;
    struct db *db = NULL;
    struct error err = {0};
    struct hash128 found;
    const struct hash128 digest = {1, 2};
    char path[64], other[64];
    snprintf(path, sizeof path, "%s/model.gguf", folder);
    snprintf(other, sizeof other, "%s/other.gguf", folder);
    assert_int_equal(db_open(":memory:", &db, &err), STATUS_OK);
    assert_false(digest_find(db, path, &found));
    write_file(path, "weights");
    assert_false(digest_find(db, path, &found));
    digest_remember(db, path, digest);
    assert_true(digest_find(db, path, &found));
    assert_true(hash_equal(found, digest));

    struct stat before;
    assert_int_equal(stat(path, &before), 0);
    const struct timespec times[2] = {before.st_atim, before.st_mtim};
    do { // the clock of inodes moves in steps
        write_file(other, "WEIGHTS");
        assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
        assert_int_equal(rename(other, path), 0);
        struct stat after;
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(after.st_size, before.st_size);
        assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
        if (after.st_ctim.tv_nsec != before.st_ctim.tv_nsec) break;
    } while (true);
    assert_false(digest_find(db, path, &found));
    db_close(db);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder_is_the_given_one_or_the_caches),
        cmocka_unit_test(without_a_word_a_quarter_of_the_free_space_is_the_limit),
        cmocka_unit_test(what_was_said_is_the_limit_and_nothing_is_none),
        cmocka_unit_test(a_model_in_anothers_place_is_not_taken_for_it),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
