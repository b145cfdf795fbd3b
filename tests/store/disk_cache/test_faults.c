// tests/store/disk_cache/test_faults.c — the n-th call of the system, or the n-th allocation,
// fails: it is said, nothing of that write counts, what was there stays, and the next write works.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/disk_cache/disk_fixture.h"
#include "tests/store/no_memory.h"
#include "tests/store/store_fixture.h"

enum { PAYLOAD = 20000, STRIDE = 20480, HEADER = 4096, BEFORE = 6, BATCH = 5 };

static struct disk_fixture fixture;
static struct listed listed;

static long calls, fail_at; // fail_at 0: none fails
static int fail_with;
static bool armed_for_memory;

static bool fails(void) { return fail_at > 0 && !armed_for_memory && ++calls == fail_at; }
static bool out_of_memory(void) { return fail_at > 0 && armed_for_memory && ++calls == fail_at; }

ssize_t __real_pwrite(int file, const void *bytes, size_t length, off_t offset);
int __real_fdatasync(int file);
int __real_fallocate(int file, int mode, off_t offset, off_t length);
int __real_ftruncate(int file, off_t length);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t length, off_t offset);
int __wrap_fdatasync(int file);
int __wrap_fallocate(int file, int mode, off_t offset, off_t length);
int __wrap_ftruncate(int file, off_t length);

// A full disk takes a part first: what is there by then must go again.
ssize_t __wrap_pwrite(int file, const void *bytes, size_t length, off_t offset) {
    if (!fails()) return __real_pwrite(file, bytes, length, offset);
    (void)!__real_pwrite(file, bytes, length / 2, offset);
    errno = fail_with;
    return -1;
}
int __wrap_fdatasync(int file) {
    if (!fails()) return __real_fdatasync(file);
    errno = fail_with;
    return -1;
}
int __wrap_fallocate(int file, int mode, off_t offset, off_t length) {
    if (!fails()) return __real_fallocate(file, mode, offset, length);
    errno = fail_with;
    return -1;
}
int __wrap_ftruncate(int file, off_t length) {
    if (!fails()) return __real_ftruncate(file, length);
    errno = fail_with;
    return -1;
}
static void arm(long at, bool memory) {
    calls = 0;
    fail_at = at;
    armed_for_memory = memory;
}

static void make_sound(void) {
    disk_fixture_init(&fixture, PAYLOAD, true);
    disk_fixture_open(&fixture);
    must(disk_fixture_write(&fixture, 1, BEFORE, 0), &fixture.err);
}

// After a write that failed: what was there is there, and nothing else.
static void expect_before(void) {
    char path[128];
    struct stat info;
    disk_fixture_file(&fixture, path);
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size <= HEADER + BEFORE * STRIDE);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BEFORE);
    assert_int_equal(fixture.dropped_count, 0);
}

static void expect_write_works(void) {
    must(disk_fixture_write(&fixture, 101, BATCH, BEFORE), &fixture.err);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BEFORE + BATCH);
    disk_fixture_reopen(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BEFORE + BATCH);
    disk_fixture_close(&fixture);
    const struct disk_cache_report report = disk_fixture_check(&fixture);
    assert_int_equal(report.blocks, BEFORE + BATCH);
    assert_int_equal(report.damaged, 0);
}

static void fail_every_call_of_a_write(int with, enum status expected) {
    fail_with = with;
    long at = 1;
    for (bool more = true; more; at++) {
        make_sound();
        arm(at, false);
        const enum status status = disk_fixture_write(&fixture, 101, BATCH, BEFORE);
        more = calls >= at;
        arm(0, false);
        assert_int_equal(status, more ? expected : STATUS_OK);
        if (more) {
            assert_true(strlen(fixture.err.text) > 0 && !strchr(fixture.err.text, '\n'));
            expect_before();
        }
        expect_write_works();
        disk_fixture_deinit(&fixture);
    }
    print_message("%ld calls\n", at - 2);
    assert_true(at - 2 >= BATCH + 1);
}

static void a_full_disk_during_a_write_returns_full(void **state) {
    (void)state;
    fail_every_call_of_a_write(ENOSPC, STATUS_FULL);
}

static void a_broken_disk_during_a_write_returns_io(void **state) {
    (void)state;
    fail_every_call_of_a_write(EIO, STATUS_IO);
}

// The cut that follows a failed write fails as well: the bytes stay until the next opening.
static void a_failed_truncation_is_repeated_at_the_next_open(void **state) {
    (void)state;
    make_sound();
    fail_with = EIO;
    struct rlimit limit, old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = HEADER + (BEFORE + 3) * STRIDE; // ends within the batch
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    arm(5, false); // three writes and one that fails come before the cut
    const enum status status = disk_fixture_write(&fixture, 101, BATCH, BEFORE);
    arm(0, false);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_not_equal(status, STATUS_OK);
    disk_fixture_reopen(&fixture);
    expect_before();
    expect_write_works();
    disk_fixture_deinit(&fixture);
}

static void a_file_size_limit_returns_full_until_it_is_raised(void **state) {
    (void)state;
    struct rlimit limit, old;
    make_sound();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = HEADER + BEFORE * STRIDE + 50000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum status status = disk_fixture_write(&fixture, 101, BATCH, BEFORE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, STATUS_FULL);
    expect_before();
    expect_write_works();
    disk_fixture_deinit(&fixture);
}

static void use_all(void) {
    static const uint8_t payload[PAYLOAD];
    const struct disk_cache_options options = {.folder = fixture.folder, .limit_bytes = 600 * 1024};
    int32_t ids[DISK_MAX_BATCH][FIXTURE_TOKENS];
    struct disk_block blocks[DISK_MAX_BATCH];
    const void *payloads[DISK_MAX_BATCH];
    enum status outcomes[2], written[8];
    const struct disk_listener listener = DISK_FIXTURE_DEAF;
    struct disk_speed speed;
    struct disk_cache_report report;
    struct disk_cache_summary summary;
    uint64_t freed;
    struct disk_pool *pool = disk_cache_create(&options);
    if (!pool) return;
    for (int i = 0; i < 8; i++) {
        fixture.parents[200 + i] = i == 0 ? 0 : 199 + i;
        blocks[i] = fixture_block(&fixture, 200 + i, ids[i]);
        payloads[i] = payload;
    }
    bool open = false;
    if (pool->ops->open(pool, &fixture.format, &listener, &speed, NULL) == STATUS_OK) {
        open = true;
        if (pool->ops->write(pool, blocks, payloads, 8, written, NULL) == STATUS_OK) {
            static uint8_t space[2][PAYLOAD];
            void *const into[] = {space[0], space[1]};
            pool->ops->read(pool, blocks, into, 2, outcomes);
        }
        pool->ops->reference(pool, 1, blocks[7].key);
        pool->ops->drop(pool, &blocks[6].key, 1);
    }
    pool->ops->close(pool, open ? &(struct disk_speed){1, 2} : NULL);
    if (disk_cache_summarise(fixture.folder, &summary, NULL) == STATUS_OK)
        disk_cache_summary_deinit(&summary);
    (void)!disk_cache_check(fixture.folder, NULL, NULL, &report, NULL);
    (void)!disk_cache_forget(fixture.folder, &(uint64_t){1}, 1, &freed, NULL);
}

static void the_cache_stays_sound_if_any_allocation_fails(void **state) {
    (void)state;
    enum { EVERY_ONE = CHECK_ROUNDS(300, 100), STEP = CHECK_FULL ? 31 : 67 };
    long at = 1;
    bool more = true;
    for (; more; at += at < EVERY_ONE ? 1 : STEP) {
        make_sound();
        disk_fixture_reference(&fixture, 2, BEFORE);
        disk_fixture_close(&fixture);
        arm(at, true);
        use_all();
        more = calls >= at;
        arm(0, false);
        disk_fixture_open(&fixture);
        disk_fixture_list(&fixture, &listed);
        for (int64_t i = 1; i <= BEFORE; i++)
            assert_int_equal(disk_fixture_read(&fixture, i), STATUS_OK);
        disk_fixture_close(&fixture);
        const struct disk_cache_report report = disk_fixture_check(&fixture);
        assert_int_equal(report.damaged, 0);
        disk_fixture_deinit(&fixture);
    }
    print_message("%ld allocations\n", at);
}

int main(void) {
    hook_sqlite();
    signal(SIGXFSZ, SIG_IGN); // a write beyond the limit then fails with EFBIG
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_during_a_write_returns_full),
        cmocka_unit_test(a_broken_disk_during_a_write_returns_io),
        cmocka_unit_test(a_failed_truncation_is_repeated_at_the_next_open),
        cmocka_unit_test(a_file_size_limit_returns_full_until_it_is_raised),
        cmocka_unit_test(the_cache_stays_sound_if_any_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
