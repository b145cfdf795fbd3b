// tests/store/disk_cache/test_limit.c — a cache stays within its limit, drops what is worth least,
// and writes hardly more than it was given; with and without holes in files.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/disk_cache/disk_fixture.h"
#include "tests/store/store_fixture.h"

enum { PAYLOAD = 8000, STRIDE = 8192, LIMIT = 2 << 20, MIB = 1 << 20 };

static struct disk_fixture fixture;
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
    disk_fixture_init(&fixture, PAYLOAD, true);
    fixture.limit_bytes = limit_bytes;
    disk_fixture_open(&fixture);
}

static void close_limited(void) {
    disk_fixture_close(&fixture);
    disk_fixture_check(&fixture);
    disk_fixture_deinit(&fixture);
    no_holes = false;
}

// Older by minutes than what is written from now on.
static void age_all(void) { disk_fixture_sql(&fixture, "UPDATE kv_slot SET used = used - 1"); }

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
        must(disk_fixture_write(&fixture, 1 + chain * CHAIN, CHAIN, 0), &fixture.err);
        assert_true(disk_fixture_stored(&fixture) <= LIMIT);
        assert_int_equal(fixture.pool->ops->usage(fixture.pool).stored_bytes,
                         disk_fixture_stored(&fixture));
        disk_fixture_list(&fixture, &listed);
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
    assert_true(listed.count * STRIDE > LIMIT / 2);
    assert_int_equal(fixture.dropped_count + listed.count, CHAIN * CHAINS);
    disk_fixture_read_all(&fixture, &listed);
    close_limited();
}

static void the_oldest_leaves_are_dropped_first(void **state) {
    (void)state;
    the_oldest_goes_first_and_leaves_before_parents(true);
}

static void the_oldest_leaves_are_dropped_first_without_holes(void **state) {
    (void)state;
    the_oldest_goes_first_and_leaves_before_parents(false);
}

static void referenced_blocks_outlive_unreferenced_ones(void **state) {
    (void)state;
    open_limited(LIMIT, true);
    must(disk_fixture_write(&fixture, 1, 20, 0), &fixture.err);
    disk_fixture_reference(&fixture, 7, 10); // 1 … 10
    for (int64_t first = 21; first < 1000; first += 20) {
        age_all();
        must(disk_fixture_write(&fixture, first, 20, 0), &fixture.err);
    }
    disk_fixture_list(&fixture, &listed);
    assert_int_equal(count_listed(1, 10), 10);
    assert_int_equal(count_listed(11, 20), 0);
    assert_int_equal(listed.leaves[7], 10);
    close_limited();
}

// When all are needed, the longest unused goes: a reference is no lease for ever.
static void referenced_blocks_are_dropped_if_all_are_referenced(void **state) {
    (void)state;
    open_limited(LIMIT, true);
    for (int64_t chain = 0; chain < 30; chain++) {
        age_all();
        must(disk_fixture_write(&fixture, 1 + chain * 20, 20, 0), &fixture.err);
        disk_fixture_reference(&fixture, (uint64_t)chain, (chain + 1) * 20);
    }
    disk_fixture_list(&fixture, &listed);
    assert_int_equal(count_listed(1, 20), 0);
    assert_int_equal(count_listed(29 * 20 + 1, 30 * 20), 20);
    close_limited();
}

static void a_recently_used_path_is_kept(void **state) {
    (void)state;
    open_limited(LIMIT, true);
    must(disk_fixture_write(&fixture, 1, 20, 0), &fixture.err);
    for (int64_t first = 21; first < 1000; first += 20) {
        age_all();
        disk_fixture_reference(&fixture, 3, 5); // used, and then needed no more
        disk_fixture_reference(&fixture, 3, 0);
        must(disk_fixture_write(&fixture, first, 20, 0), &fixture.err);
    }
    disk_fixture_list(&fixture, &listed);
    assert_int_equal(count_listed(1, 5), 5);
    assert_int_equal(count_listed(6, 20), 0);
    close_limited();
}

static void blocks_of_other_formats_are_dropped_by_last_use(void **state) {
    (void)state;
    struct disk_cache_summary summary;
    open_limited(LIMIT, true);
    must(disk_fixture_write(&fixture, 1, 20, 0), &fixture.err);
    disk_fixture_close(&fixture);
    age_all();
    fixture.format.id.low++;
    fixture.format.payload_bytes = 30000;
    fixture.format.model = "another";
    disk_fixture_open(&fixture);
    for (int64_t first = 1; first < 100; first += 20)
        must(disk_fixture_write(&fixture, first, 20, 0), &fixture.err);
    disk_fixture_close(&fixture);
    must(disk_cache_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
    assert_int_equal(summary.format_count, 1);
    assert_string_equal(summary.formats[0].model, "another");
    assert_int_equal(summary.files, 1);
    disk_cache_summary_deinit(&summary);
    disk_fixture_open(&fixture);
    close_limited();
}

// The end of a conversation must not push out its beginning.
static void ancestors_are_never_dropped_for_their_descendants(void **state) {
    (void)state;
    enum status status = STATUS_OK;
    int64_t first = 1;
    open_limited(LIMIT, true);
    for (; first < 1000 && status == STATUS_OK; first += 8)
        status = disk_fixture_write(&fixture, first, 8, first - 1);
    assert_int_equal(status, STATUS_FULL);
    assert_int_equal(fixture.dropped_count, 0);
    const int32_t kept = disk_fixture_read_all(&fixture, &listed);
    assert_int_equal(kept, first - 9 + fixture.written); // as much of the batch as there is space
    assert_in_range(LIMIT / STRIDE - kept, 0, LIMIT / STRIDE / 10);
    const struct disk_usage before = fixture.pool->ops->usage(fixture.pool);
    assert_int_equal(disk_fixture_write(&fixture, kept + 1, 8, kept), STATUS_FULL);
    assert_int_equal(fixture.pool->ops->usage(fixture.pool).written_bytes, before.written_bytes);
    assert_true(disk_fixture_stored(&fixture) <= LIMIT);
    must(disk_fixture_write(&fixture, 2000, 8, 0), &fixture.err); // for another, it may go
    close_limited();
}

static void the_start_of_a_batch_beyond_the_limit_is_kept(void **state) {
    (void)state;
    open_limited(200 * 1024, true);
    assert_int_equal(disk_fixture_write(&fixture, 1, 32, 0), STATUS_FULL);
    disk_fixture_list(&fixture, &listed);
    assert_in_range(listed.count, 10, 31);
    assert_int_equal(count_listed(1, listed.count), listed.count);
    assert_true(disk_fixture_stored(&fixture) <= 200 * 1024);
    assert_int_equal(disk_fixture_write(&fixture, 100, 2, 32), STATUS_NOT_FOUND); // of a lost end
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), listed.count);
    close_limited();
}

static void opening_with_a_lower_limit_drops_just_enough(void **state) {
    (void)state;
    open_limited(0, true);
    for (int64_t first = 1; first < 640; first += 32)
        must(disk_fixture_write(&fixture, first, 32, 0), &fixture.err);
    assert_true(disk_fixture_stored(&fixture) > 3 * MIB);
    fixture.limit_bytes = LIMIT;
    disk_fixture_reopen(&fixture);
    assert_true(disk_fixture_stored(&fixture) <= LIMIT);
    assert_true(disk_fixture_stored(&fixture) > LIMIT - LIMIT / 50); // and no more than that
    must(disk_fixture_write(&fixture, 1000, 1, 0), &fixture.err);
    assert_true(disk_fixture_stored(&fixture) <= LIMIT);
    disk_fixture_read_all(&fixture, &listed);
    assert_true(listed.listed[1000]);
    close_limited();
}

// Nothing is moved: what is written is blocks and rows.
static void dropping_blocks_moves_no_data(void **state) {
    (void)state;
    open_limited(LIMIT, true);
    for (int64_t first = 1; first < 3900; first += 32)
        must(disk_fixture_write(&fixture, first, 32, 0), &fixture.err);
    const struct disk_usage usage = fixture.pool->ops->usage(fixture.pool);
    assert_true(usage.payload_bytes == (uint64_t)3904 * PAYLOAD);
    assert_true(usage.written_bytes > usage.payload_bytes &&
                usage.written_bytes < 2 * usage.payload_bytes);
    close_limited();
}

static void sealed_blocks_are_written_with_little_overhead(void **state) {
    (void)state;
    enum { KIB_176 = 176 << 10, BATCHES = 12 };
    disk_fixture_init(&fixture, KIB_176, true);
    disk_fixture_open(&fixture);
    for (int64_t batch = 0; batch < BATCHES; batch++)
        must(disk_fixture_write(&fixture, 1 + batch * 32, 32, 0), &fixture.err);
    const struct disk_usage usage = fixture.pool->ops->usage(fixture.pool);
    const double amplification = (double)usage.written_bytes / (double)usage.payload_bytes;
    print_message("written %.4f times the payload, stored %.4f times\n", amplification,
                  (double)usage.stored_bytes / (double)usage.payload_bytes);
    assert_true(usage.payload_bytes == (uint64_t)BATCHES * 32 * KIB_176);
    assert_true(amplification > 1.0 && amplification <= 1.05);
    disk_fixture_close(&fixture);
    disk_fixture_check(&fixture);
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BATCHES * 32);
    disk_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_leaves_are_dropped_first),
        cmocka_unit_test(the_oldest_leaves_are_dropped_first_without_holes),
        cmocka_unit_test(referenced_blocks_outlive_unreferenced_ones),
        cmocka_unit_test(referenced_blocks_are_dropped_if_all_are_referenced),
        cmocka_unit_test(a_recently_used_path_is_kept),
        cmocka_unit_test(blocks_of_other_formats_are_dropped_by_last_use),
        cmocka_unit_test(ancestors_are_never_dropped_for_their_descendants),
        cmocka_unit_test(the_start_of_a_batch_beyond_the_limit_is_kept),
        cmocka_unit_test(opening_with_a_lower_limit_drops_just_enough),
        cmocka_unit_test(dropping_blocks_moves_no_data),
        cmocka_unit_test(sealed_blocks_are_written_with_little_overhead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
