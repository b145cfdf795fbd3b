// tests/store/test_lock.c — one writer for a conversation, whatever happens to it.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"

// A process that holds the lock until it is told to stop by closing `go`.
static pid_t start_holder(const struct store_fixture *fixture, const char *id, int go[2]) {
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct db *db;
        close(go[1]);
        if (db_open(fixture->path, &db, NULL) != STATUS_OK ||
            conversation_lock(db, id, NULL) != STATUS_OK || write(ready[1], "x", 1) != 1)
            _exit(1);
        _exit(read(go[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(ready[1]);
    close(go[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void a_locked_conversation_names_the_process_that_has_it(void **state) {
    (void)state;
    struct store_fixture fixture;
    int go[2], result;
    char pid[32];
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation ours = store_fixture_talk(&fixture, "ours", 0, NULL, NULL);
    const struct conversation theirs = store_fixture_talk(&fixture, "theirs", 0, NULL, NULL);
    const pid_t child = start_holder(&fixture, theirs.id, go);
    assert_int_equal(conversation_lock(fixture.db, theirs.id, err), STATUS_BUSY);
    snprintf(pid, sizeof pid, "process (%ld)", (long)child);
    assert_non_null(strstr(err->text, pid));
    assert_non_null(strstr(err->text, theirs.id));
    must(conversation_lock(fixture.db, ours.id, err), err);
    close(go[1]);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    must(conversation_lock(fixture.db, theirs.id, err), err);
    store_fixture_deinit(&fixture);
}

static void a_killed_process_leaves_no_lock(void **state) {
    (void)state;
    struct store_fixture fixture;
    int go[2];
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", 0, NULL, NULL);
    const pid_t child = start_holder(&fixture, talk.id, go);
    assert_int_equal(conversation_lock(fixture.db, talk.id, err), STATUS_BUSY);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(go[1]);
    must(conversation_lock(fixture.db, talk.id, err), err);
    store_fixture_deinit(&fixture);
}

static void two_opens_in_one_process_exclude_each_other(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct db *other;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", 0, NULL, NULL);
    must(db_open(fixture.path, &other, err), err);
    must(conversation_lock(fixture.db, talk.id, err), err);
    assert_int_equal(conversation_lock(other, talk.id, err), STATUS_BUSY);
    conversation_unlock(fixture.db, talk.id);
    conversation_unlock(fixture.db, talk.id); // which has it no more: nothing
    must(conversation_lock(other, talk.id, err), err);
    assert_int_equal(conversation_lock(fixture.db, talk.id, err), STATUS_BUSY);
    db_close(other);
    must(conversation_lock(fixture.db, talk.id, err), err);
    store_fixture_deinit(&fixture);
}

static void an_open_conversation_cannot_be_opened_twice(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", 0, NULL, NULL);
    must(conversation_lock(fixture.db, talk.id, err), err);
    assert_int_equal(conversation_lock(fixture.db, talk.id, err), STATUS_BUSY);
    assert_non_null(strstr(err->text, talk.id));
    conversation_unlock(fixture.db, talk.id);
    must(conversation_lock(fixture.db, talk.id, err), err);
    store_fixture_deinit(&fixture);
}

static void the_lock_file_is_private_and_empty(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct stat info;
    char path[128];
    store_fixture_init(&fixture, true);
    const struct conversation talk = store_fixture_talk(&fixture, "", 0, NULL, NULL);
    must(conversation_lock(fixture.db, talk.id, &fixture.err), &fixture.err);
    snprintf(path, sizeof path, "%s.lock", fixture.path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(info.st_size, 0);
    store_fixture_deinit(&fixture);
}

static void a_database_in_memory_needs_no_lock(void **state) {
    (void)state;
    struct db *db;
    struct conversation talk;
    struct error err = {0};
    must(db_open(":memory:", &db, &err), &err);
    must(conversation_create(db, "", 0, &talk, &err), &err);
    must(conversation_lock(db, talk.id, &err), &err);
    assert_int_equal(conversation_lock(db, talk.id, &err), STATUS_BUSY);
    conversation_unlock(db, talk.id);
    must(db_check(db, &err), &err);
    db_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_locked_conversation_names_the_process_that_has_it),
        cmocka_unit_test(a_killed_process_leaves_no_lock),
        cmocka_unit_test(two_opens_in_one_process_exclude_each_other),
        cmocka_unit_test(an_open_conversation_cannot_be_opened_twice),
        cmocka_unit_test(the_lock_file_is_private_and_empty),
        cmocka_unit_test(a_database_in_memory_needs_no_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
