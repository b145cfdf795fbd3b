// tests/app/test_kv_disk.c — where blocks lie on the disk, how many may, and whose they are.
#include "app/cli/digest.h"
#include "app/cli/kv_disk.h"
#include "engine/engine.h"
#include "engine/model/checkpoint.h"
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

static void the_cache_folder_is_the_given_one_or_the_default(void **state) {
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
static void the_default_disk_limit_is_a_quarter_of_the_free_space(void **state) {
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

static void the_given_disk_limit_is_used_and_zero_means_none(void **state) {
    (void)state;
    struct args args;
    char *some[] = {(char[]){"--kv-disk"}, (char[]){"3G"}}, *none[] = {(char[]){"--kv-disk=0"}};
    read_args(&args, 2, some);
    assert_true(kv_disk_limit(&args, folder) == (uint64_t)3 << 30);
    read_args(&args, 1, none);
    assert_true(kv_disk_limit(&args, folder) == 0);
}

// A small model whose last weight is moved by `change`.
static void write_model(const char *path, unsigned change) {
    static unsigned char bytes[1 << 22];
    FILE *from = fopen(TESTS_DIR "/golden/llama.gguf", "rb"), *to = fopen(path, "wb");
    assert_true(from && to);
    const size_t length = fread(bytes, 1, sizeof bytes, from);
    assert_true(length > 0 && length < sizeof bytes);
    bytes[length - 1] ^= (unsigned char)change;
    assert_int_equal(fwrite(bytes, 1, length, to), length);
    assert_int_equal(fclose(from) + fclose(to), 0);
}

static char model[64], other[64];

// The other one has this place, size and modification time; the clock of inodes moves in steps.
static void replace_model(void) {
    struct stat before, after;
    assert_int_equal(stat(model, &before), 0);
    const struct timespec times[2] = {before.st_atim, before.st_mtim};
    do {
        write_model(other, 2);
        assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
        assert_int_equal(rename(other, model), 0);
        assert_int_equal(stat(model, &after), 0);
        assert_int_equal(after.st_size, before.st_size);
        assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
    } while (after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

static bool is_known(struct db *db, struct hash128 expected) {
    struct digest_file file;
    struct hash128 found;
    digest_identify(model, &file);
    return digest_find(db, &file, &found) && hash_equal(found, expected);
}

// Opens and hashes the model; halfway, `meanwhile` happens.
static struct hash128 hash_model(struct db *db, void (*meanwhile)(void), bool before_opening) {
    struct digest_file file;
    struct gguf *gguf = NULL;
    struct error err = {0};
    digest_identify(model, &file);
    if (meanwhile && before_opening) meanwhile();
    assert_int_equal(checkpoint_open(model, &gguf, &err), STATUS_OK);
    const struct hash128 digest = gguf_digest(gguf);
    if (meanwhile && !before_opening) meanwhile();
    digest_remember(db, &file, gguf, digest);
    gguf_close(gguf);
    return digest;
}

static void write_into_model(void) {
    struct stat before, after;
    assert_int_equal(stat(model, &before), 0);
    do {
        write_model(model, 4);
        assert_int_equal(stat(model, &after), 0);
    } while (after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

static void a_digest_is_forgotten_when_its_file_is_replaced(void **state) {
    (void)state;
    struct db *db = NULL;
    struct error err = {0};
    struct hash128 digest = {1, 2};
    snprintf(model, sizeof model, "%s/model.gguf", folder);
    snprintf(other, sizeof other, "%s/other.gguf", folder);
    assert_int_equal(db_open(":memory:", &db, &err), STATUS_OK);
    assert_false(is_known(db, digest));
    write_model(model, 0);
    assert_false(is_known(db, digest));
    digest = hash_model(db, NULL, false);
    assert_true(is_known(db, digest));
    replace_model();
    assert_false(is_known(db, digest));
    db_close(db);
    unlink(model);
}

static void a_file_replaced_while_hashed_is_not_remembered(void **state) {
    (void)state;
    static void (*const meanwhile[])(void) = {replace_model, write_into_model};
    struct error err = {0};
    for (int what = 0; what < 4; what++) {
        struct db *db = NULL;
        assert_int_equal(db_open(":memory:", &db, &err), STATUS_OK);
        write_model(model, 0);
        const struct hash128 digest = hash_model(db, meanwhile[what % 2], what / 2);
        assert_false(is_known(db, digest));
        const struct hash128 next = hash_model(db, NULL, false);
        assert_true(is_known(db, next));
        assert_int_equal(hash_equal(next, digest), what / 2);
        db_close(db);
    }
    unlink(model);
}

// What the engine is told of a file that is another one by now does not count.
static void the_engine_ignores_a_digest_of_a_replaced_file(void **state) {
    (void)state;
    struct engine *engine = NULL;
    struct error err = {0};
    struct digest_file file;
    const struct hash128 told = {1, 2};
    write_model(model, 0);
    digest_identify(model, &file);
    for (int is_replaced = 0; is_replaced < 2; is_replaced++) {
        if (is_replaced) replace_model();
        const struct engine_options options = {
            .model_path = model, .backend = "cpu", .digest = &told, .digest_state = &file.state};
        assert_int_equal(engine_open(&options, &engine, &err), STATUS_OK);
        assert_int_equal(hash_equal(engine_digest(engine), told), !is_replaced);
        engine_close(engine);
    }
    unlink(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cache_folder_is_the_given_one_or_the_default),
        cmocka_unit_test(the_default_disk_limit_is_a_quarter_of_the_free_space),
        cmocka_unit_test(the_given_disk_limit_is_used_and_zero_means_none),
        cmocka_unit_test(a_digest_is_forgotten_when_its_file_is_replaced),
        cmocka_unit_test(a_file_replaced_while_hashed_is_not_remembered),
        cmocka_unit_test(the_engine_ignores_a_digest_of_a_replaced_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
