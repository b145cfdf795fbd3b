// tests/store/disk_cache/test_report.c — what people are told of the cache adds up, and what they
// take away is gone.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/disk_cache/disk_fixture.h"
#include "tests/store/store_fixture.h"

enum { PAYLOAD = 8000, STRIDE = 8192 };

static struct disk_fixture fixture;
static struct disk_cache_summary summary;
static struct listed listed;

static int64_t minutes_each_look, looks;
int64_t __real_store_now_ms(void);
int64_t __wrap_store_now_ms(void);
int64_t __wrap_store_now_ms(void) {
    return __real_store_now_ms() + 60000 * minutes_each_look * looks++;
}

// 1 … 6, forked at 3 into 7, 8; at 2 into 9, which nobody needs. 20 … 22 is nobody's.
static void make_forks(void) {
    disk_fixture_init(&fixture, PAYLOAD, true);
    fixture.limit_bytes = 123 << 20;
    disk_fixture_open(&fixture);
    must(disk_fixture_write(&fixture, 1, 6, 0), &fixture.err);
    must(disk_fixture_write(&fixture, 7, 2, 3), &fixture.err);
    must(disk_fixture_write(&fixture, 9, 1, 2), &fixture.err);
    must(disk_fixture_write(&fixture, 20, 3, 0), &fixture.err);
    disk_fixture_reference(&fixture, 1, 6);
    disk_fixture_reference(&fixture, 2, 8);
}

static void summarise(void) {
    must(disk_cache_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
    assert_int_equal(summary.stored_bytes,
                     summary.block_bytes + summary.free_bytes + summary.index_bytes);
}

static void reports_on_a_missing_folder_return_not_found(void **state) {
    (void)state;
    struct disk_cache_report report = {.blocks = 7};
    uint64_t freed = 7;
    disk_fixture_init(&fixture, PAYLOAD, true);
    summary.blocks = 7;
    assert_int_equal(disk_cache_summarise(fixture.folder, &summary, &fixture.err),
                     STATUS_NOT_FOUND);
    assert_int_equal(disk_cache_check(fixture.folder, NULL, NULL, &report, NULL), STATUS_NOT_FOUND);
    assert_int_equal(disk_cache_drop(fixture.folder, &freed, NULL), STATUS_NOT_FOUND);
    assert_int_equal(disk_cache_forget(fixture.folder, &(uint64_t){1}, 1, &freed, NULL),
                     STATUS_NOT_FOUND);
    assert_true(summary.blocks == 7 && report.blocks == 7 && freed == 7);
    assert_int_not_equal(access(fixture.folder, F_OK), 0);
    disk_fixture_deinit(&fixture);
}

// A folder such as one that --kv-dir names by mistake.
static void reports_write_nothing_to_a_folder_without_a_cache(void **state) {
    (void)state;
    struct disk_cache_report report = {.blocks = 7};
    uint64_t freed = 7;
    disk_fixture_init(&fixture, PAYLOAD, true);
    summary.blocks = 7;
    assert_int_equal(mkdir(fixture.folder, 0700), 0);
    assert_int_equal(disk_cache_summarise(fixture.folder, &summary, NULL), STATUS_NOT_FOUND);
    assert_int_equal(disk_cache_check(fixture.folder, NULL, NULL, &report, NULL), STATUS_NOT_FOUND);
    assert_int_equal(disk_cache_drop(fixture.folder, &freed, NULL), STATUS_NOT_FOUND);
    assert_true(summary.blocks == 7 && report.blocks == 7 && freed == 7);
    assert_int_equal(rmdir(fixture.folder), 0); // it is still empty
    disk_fixture_deinit(&fixture);
}

static void a_summary_adds_up(void **state) {
    (void)state;
    make_forks();
    summarise(); // while it is open, too
    disk_cache_summary_deinit(&summary);
    disk_fixture_close(&fixture);
    summarise();
    assert_int_equal(summary.stored_bytes, disk_fixture_stored(&fixture));
    assert_int_equal(summary.files, 1);
    assert_int_equal(summary.blocks, 12);
    assert_int_equal(summary.limit_bytes, 123 << 20);
    assert_int_equal(summary.block_bytes, 12 * STRIDE);
    assert_int_equal(summary.free_bytes, 0);
    assert_int_equal(summary.unreferenced_bytes, 4 * STRIDE); // 9, 20, 21, 22
    assert_int_equal(summary.format_count, 1);
    assert_int_equal(summary.formats[0].blocks, 12);
    assert_int_equal(summary.formats[0].payload_bytes, 12 * PAYLOAD);
    assert_int_equal(summary.formats[0].block_size, FIXTURE_TOKENS);
    assert_string_equal(summary.formats[0].model, "a model");
    assert_int_equal(summary.reference_count, 2);
    assert_int_equal(summary.references[0].conversation, 1);
    assert_int_equal(summary.references[0].unique_bytes, 3 * STRIDE);
    assert_int_equal(summary.references[0].shared_bytes, 3 * STRIDE);
    assert_int_equal(summary.references[0].tokens, 5 * 16 + 3); // block 5 is a short one
    assert_int_equal(summary.references[1].conversation, 2);
    assert_int_equal(summary.references[1].unique_bytes, 2 * STRIDE);
    assert_int_equal(summary.references[1].shared_bytes, 3 * STRIDE);
    disk_cache_summary_deinit(&summary);
    disk_fixture_deinit(&fixture);
}

// As a process leaves them that dies between a drop and giving the bytes back.
static void free_bytes_are_reported_and_reclaimed(void **state) {
    (void)state;
    make_forks();
    disk_fixture_close(&fixture);
    disk_fixture_sql(&fixture, "UPDATE kv_slot SET key = NULL, parent = NULL, position = NULL,"
                               " ids = NULL, checksum = NULL, used = NULL WHERE slot = 8");
    summarise();
    assert_int_equal(summary.free_bytes, STRIDE);
    disk_cache_summary_deinit(&summary);
    assert_int_equal(disk_fixture_check(&fixture).free_bytes, STRIDE);
    summarise();
    assert_int_equal(summary.free_bytes, 0);
    disk_cache_summary_deinit(&summary);
    disk_fixture_deinit(&fixture);
}

#define UNROOT                                                                                    \
    "UPDATE kv_slot SET key = NULL, parent = NULL, position = NULL, ids = NULL, checksum = NULL," \
    " used = NULL WHERE position = 0 AND slot < 9"

// As an older quire left them, or as damage does: the root of 1 … 9 is gone, 20 … 22 are whole.
static void unreachable_blocks_are_counted_and_dropped(void **state) {
    (void)state;
    for (int opens = 0; opens < 2; opens++) {
        make_forks();
        disk_fixture_close(&fixture);
        disk_fixture_sql(&fixture, UNROOT);
        if (opens) {
            disk_fixture_open(&fixture);
            disk_fixture_close(&fixture);
        }
        const struct disk_cache_report report = disk_fixture_check(&fixture);
        assert_int_equal(report.lost, opens ? 0 : 8);
        assert_int_equal(report.damaged + report.missing, 0);
        assert_int_equal(report.blocks, 3);
        summarise();
        assert_int_equal(summary.blocks, 3);
        assert_int_equal(summary.reference_count, 0);
        disk_cache_summary_deinit(&summary);
        disk_fixture_open(&fixture);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), 3);
        must(disk_fixture_write(&fixture, 1, 9, 0), &fixture.err); // and what it was is written
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), 12);
        disk_fixture_deinit(&fixture);
    }
}

static void a_reference_counts_its_longest_present_prefix(void **state) {
    (void)state;
    make_forks(); // conversation 1 needs 1 … 6, 2 needs 1, 2, 3, 7, 8
    disk_fixture_drop(&fixture, 5);
    summarise();
    assert_int_equal(summary.references[0].tokens, 4 * 16);
    assert_int_equal(summary.references[0].unique_bytes, STRIDE);
    assert_int_equal(summary.references[0].shared_bytes, 3 * STRIDE);
    assert_int_equal(summary.unreferenced_bytes, 4 * STRIDE);
    disk_cache_summary_deinit(&summary);
    disk_fixture_drop(&fixture, 3);
    summarise();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(summary.references[i].tokens, 2 * 16);
        assert_int_equal(summary.references[i].shared_bytes, 2 * STRIDE);
    }
    assert_int_equal(summary.block_bytes, summary.unreferenced_bytes + 2 * STRIDE);
    disk_cache_summary_deinit(&summary);
    disk_fixture_drop(&fixture, 1);
    summarise();
    assert_int_equal(summary.reference_count, 0);
    disk_cache_summary_deinit(&summary);
    disk_fixture_deinit(&fixture);
}

// A block is used no later than its parent, however the clock goes between them.
static void a_clock_tick_during_a_write_is_no_damage(void **state) {
    (void)state;
    struct disk_cache_report report;
    for (minutes_each_look = -1; minutes_each_look <= 1; minutes_each_look++) {
        make_forks();
        disk_fixture_close(&fixture);
        must(disk_cache_check(fixture.folder, NULL, NULL, &report, &fixture.err), &fixture.err);
        assert_true(report.blocks == 12 && report.damaged == 0);
        disk_fixture_deinit(&fixture);
    }
    minutes_each_look = 0;
    assert_true(looks > 0);
}

static void dropping_a_cache_leaves_no_blocks(void **state) {
    (void)state;
    uint64_t freed;
    make_forks();
    disk_fixture_close(&fixture);
    const uint64_t before = disk_fixture_stored(&fixture);
    must(disk_cache_drop(fixture.folder, &freed, &fixture.err), &fixture.err);
    assert_true(freed >= 12 * STRIDE && freed <= before);
    summarise();
    assert_int_equal(summary.blocks + summary.files + summary.reference_count, 0);
    disk_cache_summary_deinit(&summary);
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 0);
    must(disk_fixture_write(&fixture, 1, 3, 0), &fixture.err);
    disk_fixture_reopen(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 3);
    disk_fixture_deinit(&fixture);
}

// Do the folder's files have these bytes somewhere?
static bool files_have(const void *bytes, size_t length) {
    static const char *const names[] = {"index.db", "index.db-wal", ""};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        static uint8_t content[4 << 20];
        char path[128];
        if (names[i][0])
            disk_fixture_path(&fixture, names[i], path);
        else
            disk_fixture_file(&fixture, path);
        FILE *file = fopen(path, "rb");
        if (!file) continue;
        const size_t size = fread(content, 1, sizeof content, file);
        fclose(file);
        found |= memmem(content, size, bytes, length) != NULL;
    }
    return found;
}

static bool files_have_block(int64_t number) {
    int32_t ids[FIXTURE_TOKENS];
    fixture_block(&fixture, number, ids);
    return files_have(ids, sizeof ids) ||
           files_have(fixture_payload(&fixture, number), PAYLOAD / 2);
}

static void forgotten_blocks_are_in_no_file(void **state) {
    (void)state;
    const uint64_t second = 2;
    uint64_t freed = 0;
    make_forks();
    assert_true(files_have_block(8) && files_have_block(9) && files_have_block(21));
    must(disk_cache_forget(fixture.folder, &second, 1, &freed, &fixture.err), &fixture.err);
    assert_true(freed >= 6 * STRIDE);
    for (int64_t number = 1; number <= 6; number++)
        assert_int_equal(disk_fixture_read(&fixture, number), STATUS_OK);
    static const int64_t gone[] = {7, 8, 9, 20, 21, 22};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        assert_false(files_have_block(gone[i]));
    assert_true(files_have_block(6));
    disk_fixture_reopen(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 6);
    assert_true(listed.leaves[1] == 6 && listed.leaves[2] == 0);
    must(disk_cache_forget(fixture.folder, &second, 1, &freed, &fixture.err), &fixture.err);
    disk_fixture_close(&fixture);
    assert_int_equal(disk_fixture_check(&fixture).blocks, 6); // it is gone already
    disk_fixture_deinit(&fixture);
}

// SQLite's place for locks, as another process sees it (sqlite.org/lockingv3.html).
static bool is_locked(const char *name) {
    char path[128];
    int outcome;
    disk_fixture_path(&fixture, name, path);
    const pid_t other = fork();
    if (other == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_start = 0x40000000, .l_len = 512};
        const int file = open(path, O_RDWR);
        _exit(file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK);
    }
    assert_int_equal(waitpid(other, &outcome, 0), other);
    return outcome != 0;
}

// A process that closes a file gives up its locks on it, those of SQLite's connections, too.
// Another process that closes the index would then take itself for the last one, and remove the
// log.
static void a_summary_of_an_open_cache_keeps_its_locks(void **state) {
    (void)state;
    make_forks();
    assert_true(is_locked("index.db"));
    summarise();
    disk_cache_summary_deinit(&summary);
    assert_true(is_locked("index.db"));
    disk_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_on_a_missing_folder_return_not_found),
        cmocka_unit_test(reports_write_nothing_to_a_folder_without_a_cache),
        cmocka_unit_test(a_summary_adds_up),
        cmocka_unit_test(free_bytes_are_reported_and_reclaimed),
        cmocka_unit_test(unreachable_blocks_are_counted_and_dropped),
        cmocka_unit_test(a_reference_counts_its_longest_present_prefix),
        cmocka_unit_test(a_clock_tick_during_a_write_is_no_damage),
        cmocka_unit_test(dropping_a_cache_leaves_no_blocks),
        cmocka_unit_test(forgotten_blocks_are_in_no_file),
        cmocka_unit_test(a_summary_of_an_open_cache_keeps_its_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
