// tests/fault/test_disk_full.c — no more bytes can be written: it is said, and nothing is broken.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"

enum { LARGE = 20000, ROOM = 256 * 1024, ENOUGH = 10000 };

// The largest file that this process may write from now on.
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static enum status add_large(struct store_fixture *fixture, int64_t parent, int64_t *id) {
    static char text[LARGE];
    memset(text, 'x', sizeof text);
    const struct message message = {
        .parent = parent, .role = MESSAGE_USER, .text = text, .length = sizeof text};
    return message_add(fixture->db, &message, 0, NULL, 0, id, &fixture->err);
}

static void check_path(struct store_fixture *fixture, int64_t tip, size_t expected) {
    struct message *path;
    size_t count;
    must(message_path(fixture->db, tip, &path, &count, &fixture->err), &fixture->err);
    assert_int_equal(count, expected);
    message_path_free(path, count);
}

static void a_full_disk_is_reported_and_loses_no_message(void **state) {
    (void)state;
    struct store_fixture fixture;
    int64_t tip = MESSAGE_NONE;
    size_t stored = 0;
    store_fixture_init(&fixture, true);
    limit_files(ROOM);
    enum status status = STATUS_OK;
    for (int i = 0; i < ENOUGH && status == STATUS_OK; i++) {
        status = add_large(&fixture, tip, &tip);
        stored += status == STATUS_OK;
    }
    assert_int_equal(status, STATUS_IO);
    assert_non_null(strstr(fixture.err.text, fixture.path));
    if (!strstr(fixture.err.text, "disk is full")) fail_msg("%s", fixture.err.text);
    assert_true(stored > 0);
    check_path(&fixture, tip, stored); // the past can still be read

    limit_files(RLIM_INFINITY); // somebody has freed some space
    must(add_large(&fixture, tip, &tip), &fixture.err);
    check_path(&fixture, tip, stored + 1);
    store_fixture_reopen(&fixture);
    check_path(&fixture, tip, stored + 1);
    store_fixture_deinit(&fixture);
}

static void a_full_disk_during_creation_is_reported(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, false);
    for (rlim_t room = 0; room < 100000; room += 5000) {
        limit_files(room);
        const enum status status = db_open(fixture.path, &fixture.db, &fixture.err);
        limit_files(RLIM_INFINITY);
        if (status == STATUS_OK) break;
        assert_int_equal(status, STATUS_IO);
        assert_non_null(strstr(fixture.err.text, fixture.path));
        assert_null(fixture.db);
    }
    store_fixture_reopen(&fixture); // what is left of the attempts is not in the way
    store_fixture_deinit(&fixture);
}

int main(void) {
    signal(SIGXFSZ, SIG_IGN); // a write beyond the limit then fails with EFBIG
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_is_reported_and_loses_no_message),
        cmocka_unit_test(a_full_disk_during_creation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
