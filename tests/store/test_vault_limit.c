// tests/store/test_vault_limit.c — a vault stays within its limit, drops what is worth least, and
// writes hardly more than it was given; with and without holes in files.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"
#include "tests/store/vault_fixture.h"

enum { PAYLOAD = 8000, RECORD = 12288, LIMIT = 2 << 20, MIB = 1 << 20 };

static struct vault_fixture fixture;
static struct listed listed;
static bool no_holes; // as on a file system that cannot punch them

int __real_fallocate(int file, int mode, off_t offset, off_t length);
int __wrap_fallocate(int file, int mode, off_t offset, off_t length);
int __wrap_fallocate(int file, int mode, off_t offset, off_t length) {
    if (!no_holes) return __real_fallocate(file, mode, offset, length);
    errno = EOPNOTSUPP;
    return -1;
}

static void open_limited(uint64_t limit_bytes, bool holes) {
    no_holes = !holes;
    vault_fixture_init(&fixture, PAYLOAD, true);
    fixture.limit_bytes = limit_bytes;
    vault_fixture_open(&fixture);
}

static void close_limited(void) {
    vault_fixture_close(&fixture);
    vault_fixture_check(&fixture);
    vault_fixture_deinit(&fixture);
    no_holes = false;
}

// Older by minutes than what is written from now on.
static void age_all(void) {
    vault_fixture_sql(&fixture, "UPDATE kv_block SET used_ms = used_ms - 60000");
}

static int32_t count_listed(int64_t first, int64_t last) {
    int32_t count = 0;
    for (int64_t i = first; i <= last; i++)
        count += listed.listed[i];
    return count;
}

// Chains of 16; the oldest goes first, from its end.
static void the_oldest_goes_first_and_leaves_before_parents(bool holes) {
    enum { CHAIN = 16, CHAINS = 40 };
    open_limited(LIMIT, holes);
    for (int64_t chain = 0; chain < CHAINS; chain++) {
        age_all();
        must(vault_fixture_write(&fixture, 1 + chain * CHAIN, CHAIN, 0), &fixture.err);
        assert_true(vault_fixture_stored(&fixture) <= LIMIT);
        assert_int_equal(fixture.tier->verbs->usage(fixture.tier).stored_bytes,
                         vault_fixture_stored(&fixture));
        vault_fixture_list(&fixture, &listed);
        assert_int_equal(count_listed(1 + chain * CHAIN, (chain + 1) * CHAIN), CHAIN);
        bool younger_is_whole = true;
        for (int64_t i = chain; i >= 0; i--) { // whole chains, then a piece, then nothing
            const int32_t left = count_listed(1 + i * CHAIN, (i + 1) * CHAIN);
            if (!younger_is_whole) assert_int_equal(left, 0);
            for (int32_t k = 0; k < left; k++)
                assert_true(listed.listed[1 + i * CHAIN + k]);
            younger_is_whole = left == CHAIN;
        }
    }
    assert_true(listed.count * RECORD > LIMIT / 2);
    assert_int_equal(fixture.dropped_count + listed.count, CHAIN * CHAINS);
    vault_fixture_read_all(&fixture, &listed);
    close_limited();
}

static void the_oldest_goes_first(void **state) {
    (void)state;
    the_oldest_goes_first_and_leaves_before_parents(true);
}

static void without_holes_the_oldest_goes_first_too(void **state) {
    (void)state;
    the_oldest_goes_first_and_leaves_before_parents(false);
}

static void what_a_holder_needs_outlives_what_nobody_needs(void **state) {
    (void)state;
    open_limited(LIMIT, true);
    must(vault_fixture_write(&fixture, 1, 20, 0), &fixture.err);
    fixture.tier->verbs->hold(fixture.tier, 7, fixture_key(10)); // 1 … 10
    for (int64_t first = 21; first < 1000; first += 20) {
        age_all();
        must(vault_fixture_write(&fixture, first, 20, 0), &fixture.err);
    }
    vault_fixture_list(&fixture, &listed);
    assert_int_equal(count_listed(1, 10), 10);
    assert_int_equal(count_listed(11, 20), 0);
    assert_int_equal(listed.leaves[7], 10);
    close_limited();
}

// When all are held, the longest unused goes; a holder is no lease for ever.
static void held_blocks_go_when_nothing_else_is_left(void **state) {
    (void)state;
    open_limited(LIMIT, true);
    for (int64_t chain = 0; chain < 30; chain++) {
        age_all();
        must(vault_fixture_write(&fixture, 1 + chain * 20, 20, 0), &fixture.err);
        fixture.tier->verbs->hold(fixture.tier, (uint64_t)chain, fixture_key((chain + 1) * 20));
    }
    vault_fixture_list(&fixture, &listed);
    assert_int_equal(count_listed(1, 20), 0);
    assert_int_equal(count_listed(29 * 20 + 1, 30 * 20), 20);
    close_limited();
}

static void a_touched_block_stays_and_all_above_it(void **state) {
    (void)state;
    int32_t ids[FIXTURE_TOKENS];
    open_limited(LIMIT, true);
    must(vault_fixture_write(&fixture, 1, 20, 0), &fixture.err);
    for (int64_t first = 21; first < 1000; first += 20) {
        vault_fixture_sql(&fixture, "UPDATE kv_block SET used_ms = used_ms - 700000");
        const struct tier_block block = fixture_block(&fixture, 5, ids);
        fixture.tier->verbs->touch(fixture.tier, &block, 1);
        must(vault_fixture_write(&fixture, first, 20, 0), &fixture.err);
    }
    vault_fixture_list(&fixture, &listed);
    assert_int_equal(count_listed(1, 5), 5);
    assert_int_equal(count_listed(6, 20), 0);
    close_limited();
}

// The end of a conversation must not push out its beginning.
static void what_is_above_the_written_block_is_never_dropped_for_it(void **state) {
    (void)state;
    enum status status = STATUS_OK;
    int64_t first = 1;
    open_limited(LIMIT, true);
    for (; first < 1000 && status == STATUS_OK; first += 8)
        status = vault_fixture_write(&fixture, first, 8, first - 1);
    assert_int_equal(status, STATUS_FULL);
    assert_non_null(strstr(fixture.err.text, fixture.folder));
    assert_int_equal(fixture.dropped_count, 0);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), first - 9);
    assert_true(vault_fixture_stored(&fixture) <= LIMIT);
    must(vault_fixture_write(&fixture, 2000, 8, 0), &fixture.err); // for another, it may go
    close_limited();
}

static void a_batch_beyond_the_limit_is_refused(void **state) {
    (void)state;
    open_limited(200 * 1024, true);
    assert_int_equal(vault_fixture_write(&fixture, 1, 32, 0), STATUS_FULL);
    must(vault_fixture_write(&fixture, 1, 1, 0), &fixture.err);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 1);
    close_limited();
}

static void a_lower_limit_is_reached_at_the_next_write(void **state) {
    (void)state;
    open_limited(0, true);
    for (int64_t first = 1; first < 640; first += 32)
        must(vault_fixture_write(&fixture, first, 32, 0), &fixture.err);
    assert_true(vault_fixture_stored(&fixture) > 3 * MIB);
    fixture.limit_bytes = LIMIT;
    vault_fixture_reopen(&fixture);
    must(vault_fixture_write(&fixture, 1000, 1, 0), &fixture.err);
    assert_true(vault_fixture_stored(&fixture) <= LIMIT);
    vault_fixture_read_all(&fixture, &listed);
    assert_true(listed.listed[1000]);
    close_limited();
}

// Where there are holes nothing is moved: what is written is records and rows.
static void dropping_costs_no_writing(void **state) {
    (void)state;
    open_limited(LIMIT, true);
    for (int64_t first = 1; first < 3900; first += 32)
        must(vault_fixture_write(&fixture, first, 32, 0), &fixture.err);
    const struct tier_usage usage = fixture.tier->verbs->usage(fixture.tier);
    assert_true(usage.payload_bytes == (uint64_t)3904 * PAYLOAD);
    const uint64_t records = (uint64_t)3904 * RECORD;
    assert_true(usage.written_bytes > records && usage.written_bytes < 2 * records);
    close_limited();
}

static void a_sealed_block_is_written_once(void **state) {
    (void)state;
    enum { KIB_176 = 176 << 10, BATCHES = 12 };
    vault_fixture_init(&fixture, KIB_176, true);
    vault_fixture_open(&fixture);
    for (int64_t batch = 0; batch < BATCHES; batch++)
        must(vault_fixture_write(&fixture, 1 + batch * 32, 32, 0), &fixture.err);
    const struct tier_usage usage = fixture.tier->verbs->usage(fixture.tier);
    const double amplification = (double)usage.written_bytes / (double)usage.payload_bytes;
    print_message("written %.4f times the payload, stored %.4f times\n", amplification,
                  (double)usage.stored_bytes / (double)usage.payload_bytes);
    assert_true(usage.payload_bytes == (uint64_t)BATCHES * 32 * KIB_176);
    assert_true(amplification > 1.0 && amplification <= 1.1);
    vault_fixture_close(&fixture);
    vault_fixture_check(&fixture);
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BATCHES * 32);
    vault_fixture_deinit(&fixture);
}

static int count_segments(void) {
    int count = 0;
    char name[32], path[128];
    for (int i = 1; i < 100; i++) {
        snprintf(name, sizeof name, "segment-%08d.kv", i);
        vault_fixture_path(&fixture, name, path);
        count += access(path, F_OK) == 0;
    }
    return count;
}

// 40 records of 2.25 MiB: a segment is full at 64 MiB, and one without a block is removed.
static void segments_fill_and_vanish(void **state) {
    (void)state;
    enum { LARGE = 9 << 18 };
    vault_fixture_init(&fixture, LARGE, true);
    vault_fixture_open(&fixture);
    for (int64_t first = 1; first <= 40; first += 8)
        must(vault_fixture_write(&fixture, first, 8, first - 1), &fixture.err);
    assert_int_equal(count_segments(), 2);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 40);
    for (int64_t number = 40; number > 0; number--)
        if (listed.places[number].segment == 1) vault_fixture_drop(&fixture, number);
    assert_int_equal(count_segments(), 1);
    vault_fixture_reopen(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 8);
    must(vault_fixture_write(&fixture, 1, 8, 0), &fixture.err);
    assert_true(vault_fixture_stored(&fixture) < 17 * (uint64_t)LARGE);
    vault_fixture_deinit(&fixture);
}

// Files that are open but removed, whose bytes still take room.
static int count_removed_files(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char target[256];
        const ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        count += strstr(target, fixture.folder) && strstr(target, "(deleted)");
    }
    closedir(folder);
    return count;
}

// The engine knows places from the listing; compaction, here another's, has moved the records.
static void a_record_that_was_moved_is_found_by_its_row(void **state) {
    (void)state;
    static struct listed before;
    open_limited(0, false);
    must(vault_fixture_write(&fixture, 1, 32, 0), &fixture.err);
    for (int64_t number = 3; number < 32; number += 4)
        vault_fixture_drop(&fixture, number);
    vault_fixture_reopen(&fixture); // so that its segment is not locked
    vault_fixture_read_all(&fixture, &before);
    const struct vault_report report = vault_fixture_check(&fixture);
    assert_int_equal(report.blocks, 24);
    assert_int_equal(report.orphan_bytes, 8 * RECORD);
    for (int64_t number = 1; number <= 32; number++)
        if (before.listed[number])
            assert_int_equal(vault_fixture_read(&fixture, number, before.places[number]),
                             STATUS_OK);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 24);
    assert_int_not_equal(listed.places[1].segment, before.places[1].segment);
    assert_int_equal(count_removed_files(), 0);
    assert_true(vault_fixture_stored(&fixture) < 28 * RECORD + 300000);
    close_limited();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_goes_first),
        cmocka_unit_test(without_holes_the_oldest_goes_first_too),
        cmocka_unit_test(what_a_holder_needs_outlives_what_nobody_needs),
        cmocka_unit_test(held_blocks_go_when_nothing_else_is_left),
        cmocka_unit_test(a_touched_block_stays_and_all_above_it),
        cmocka_unit_test(what_is_above_the_written_block_is_never_dropped_for_it),
        cmocka_unit_test(a_batch_beyond_the_limit_is_refused),
        cmocka_unit_test(a_lower_limit_is_reached_at_the_next_write),
        cmocka_unit_test(dropping_costs_no_writing),
        cmocka_unit_test(a_sealed_block_is_written_once),
        cmocka_unit_test(segments_fill_and_vanish),
        cmocka_unit_test(a_record_that_was_moved_is_found_by_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
