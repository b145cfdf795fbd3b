// tests/store/test_vault_faults.c — the n-th call of the system, or the n-th allocation, fails: it
// is said, nothing of that write counts, what was there stays, and the next write works.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"
#include "tests/store/vault_fixture.h"

enum { PAYLOAD = 20000, RECORD = 20480, BEFORE = 6, BATCH = 5 };

static struct vault_fixture fixture;
static struct listed listed;

static long calls, fail_at; // fail_at 0: none fails
static int fail_with;
static bool armed_for_memory;

static bool fails(void) { return fail_at > 0 && !armed_for_memory && ++calls == fail_at; }
static bool out_of_memory(void) { return fail_at > 0 && armed_for_memory && ++calls == fail_at; }

ssize_t __real_pwritev(int file, const struct iovec *pieces, int count, off_t offset);
int __real_fdatasync(int file);
int __real_fallocate(int file, int mode, off_t offset, off_t length);
int __real_ftruncate(int file, off_t length);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *string);
ssize_t __wrap_pwritev(int file, const struct iovec *pieces, int count, off_t offset);
int __wrap_fdatasync(int file);
int __wrap_fallocate(int file, int mode, off_t offset, off_t length);
int __wrap_ftruncate(int file, off_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *string);

// A full disk takes a part first: what is there by then must go again.
ssize_t __wrap_pwritev(int file, const struct iovec *pieces, int count, off_t offset) {
    if (!fails()) return __real_pwritev(file, pieces, count, offset);
    (void)!__real_pwritev(file, pieces, 1, offset);
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
void *__wrap_malloc(size_t size) { return out_of_memory() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) {
    return out_of_memory() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
    return out_of_memory() ? NULL : __real_realloc(memory, size);
}
char *__wrap_strdup(const char *string) { return out_of_memory() ? NULL : __real_strdup(string); }

static sqlite3_mem_methods plain;
static void *sqlite_malloc(int size) { return out_of_memory() ? NULL : plain.xMalloc(size); }
static void *sqlite_realloc(void *memory, int size) {
    return out_of_memory() ? NULL : plain.xRealloc(memory, size);
}

static void hook_sqlite(void) {
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain), SQLITE_OK);
    sqlite3_mem_methods hooked = plain;
    hooked.xMalloc = sqlite_malloc;
    hooked.xRealloc = sqlite_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &hooked), SQLITE_OK);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
}

static void arm(long at, bool memory) {
    calls = 0;
    fail_at = at;
    armed_for_memory = memory;
}

static void make_sound(void) {
    vault_fixture_init(&fixture, PAYLOAD, true);
    vault_fixture_open(&fixture);
    must(vault_fixture_write(&fixture, 1, BEFORE, 0), &fixture.err);
}

// After a write that failed: what was there is there, and nothing else.
static void expect_before(void) {
    char path[128];
    struct stat info;
    vault_fixture_path(&fixture, "segment-00000001.kv", path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, BEFORE * RECORD);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BEFORE);
    assert_int_equal(fixture.dropped_count, 0);
}

static void expect_write_works(void) {
    must(vault_fixture_write(&fixture, 101, BATCH, BEFORE), &fixture.err);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BEFORE + BATCH);
    vault_fixture_reopen(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BEFORE + BATCH);
    vault_fixture_close(&fixture);
    const struct vault_report report = vault_fixture_check(&fixture);
    assert_int_equal(report.blocks, BEFORE + BATCH);
    assert_int_equal(report.damaged, 0);
}

static void fail_every_call_of_a_write(int with, enum status expected) {
    fail_with = with;
    long at = 1;
    for (bool more = true; more; at++) {
        make_sound();
        arm(at, false);
        const enum status status = vault_fixture_write(&fixture, 101, BATCH, BEFORE);
        more = calls >= at;
        arm(0, false);
        assert_int_equal(status, more ? expected : STATUS_OK);
        if (more) {
            assert_true(strlen(fixture.err.text) > 0 && !strchr(fixture.err.text, '\n'));
            expect_before();
        }
        expect_write_works();
        vault_fixture_deinit(&fixture);
    }
    print_message("%ld calls\n", at - 2);
    assert_true(at - 2 >= BATCH + 1);
}

static void a_full_disk_in_the_middle_of_a_write_is_full(void **state) {
    (void)state;
    fail_every_call_of_a_write(ENOSPC, STATUS_FULL);
}

static void a_broken_disk_in_the_middle_of_a_write_is_io(void **state) {
    (void)state;
    fail_every_call_of_a_write(EIO, STATUS_IO);
}

// The cut that follows a failed write fails as well: the bytes stay behind, and that segment is
// not written to before they were looked at.
static void what_cannot_be_cut_off_is_found_at_the_next_opening(void **state) {
    (void)state;
    make_sound();
    fail_with = EIO;
    struct rlimit limit, old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = (BEFORE + 3) * RECORD; // ends within the batch
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    arm(5, false); // three writes and one that finds no room come before the cut
    const enum status status = vault_fixture_write(&fixture, 101, BATCH, BEFORE);
    arm(0, false);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_not_equal(status, STATUS_OK);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BEFORE);
    vault_fixture_reopen(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BEFORE + 3); // they are whole
    expect_write_works();
    vault_fixture_deinit(&fixture);
}

static void a_limit_on_files_is_full_and_later_writes_work(void **state) {
    (void)state;
    struct rlimit limit, old;
    make_sound();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = BEFORE * RECORD + 50000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum status status = vault_fixture_write(&fixture, 101, BATCH, BEFORE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, STATUS_FULL);
    expect_before();
    expect_write_works();
    vault_fixture_deinit(&fixture);
}

// One of everything. Whatever fails, the answers are statuses and the vault stays sound.
static void use_all(void) {
    static const uint8_t payload[PAYLOAD];
    const struct vault_options options = {.folder = fixture.folder, .limit_bytes = 600 * 1024};
    int32_t ids[TIER_MAX_BATCH][FIXTURE_TOKENS];
    struct tier_block blocks[TIER_MAX_BATCH];
    const void *payloads[TIER_MAX_BATCH];
    enum status outcome;
    struct vault_report report;
    struct vault_summary summary;
    uint64_t freed;
    struct tier *tier = vault_create(&options);
    if (!tier) return;
    for (int i = 0; i < 8; i++) {
        fixture.parents[200 + i] = i == 0 ? 0 : 199 + i;
        blocks[i] = fixture_block(&fixture, 200 + i, ids[i]);
        payloads[i] = payload;
    }
    if (tier->verbs->begin(tier, &fixture.format, NULL, NULL, NULL) == STATUS_OK) {
        if (tier->verbs->write(tier, blocks, payloads, 8, NULL) == STATUS_OK) {
            static uint8_t room[PAYLOAD];
            void *const into = room;
            tier->verbs->read(tier, blocks, &into, 1, &outcome);
        }
        tier->verbs->hold(tier, 1, blocks[7].key);
        tier->verbs->touch(tier, blocks, 8);
        tier->verbs->drop(tier, blocks + 6, 1);
        tier->verbs->note_speed(tier, (struct tier_speed){1, 2});
    }
    tier->verbs->close(tier);
    if (vault_summarise(fixture.folder, &summary, NULL) == STATUS_OK)
        vault_summary_deinit(&summary);
    (void)!vault_check(fixture.folder, NULL, NULL, &report, NULL);
    (void)!vault_strip(fixture.folder, 1, &freed, NULL);
}

static void the_nth_allocation_fails_and_the_vault_stays_sound(void **state) {
    (void)state;
    enum { EVERY_ONE = 300, STRIDE = 17 };
    long at = 1;
    bool more = true;
    for (; more; at += at < EVERY_ONE ? 1 : STRIDE) {
        make_sound();
        vault_fixture_close(&fixture);
        arm(at, true);
        use_all();
        more = calls >= at;
        arm(0, false);
        vault_fixture_open(&fixture);
        vault_fixture_list(&fixture, &listed);
        for (int64_t i = 1; i <= BEFORE; i++)
            assert_int_equal(vault_fixture_read(&fixture, i, listed.places[i]), STATUS_OK);
        vault_fixture_close(&fixture);
        const struct vault_report report = vault_fixture_check(&fixture);
        assert_int_equal(report.damaged, 0);
        vault_fixture_deinit(&fixture);
    }
    print_message("%ld allocations\n", at);
}

int main(void) {
    hook_sqlite();
    signal(SIGXFSZ, SIG_IGN); // a write beyond the limit then fails with EFBIG
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_in_the_middle_of_a_write_is_full),
        cmocka_unit_test(a_broken_disk_in_the_middle_of_a_write_is_io),
        cmocka_unit_test(what_cannot_be_cut_off_is_found_at_the_next_opening),
        cmocka_unit_test(a_limit_on_files_is_full_and_later_writes_work),
        cmocka_unit_test(the_nth_allocation_fails_and_the_vault_stays_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
