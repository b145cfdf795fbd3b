// tests/store/disk_cache/test_disk_cache.c — what is written is there, in this run and in the next;
// who needs it, and what people are told of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/disk_cache/slots.h"
#include "tests/check.h"
#include "tests/store/disk_cache/disk_fixture.h"
#include "tests/store/store_fixture.h"

static struct disk_fixture fixture;
static struct listed listed;

static void open_new(size_t payload_bytes) {
    disk_fixture_init(&fixture, payload_bytes, true);
    disk_fixture_open(&fixture);
}

static void an_empty_folder_has_no_blocks(void **state) {
    (void)state;
    open_new(1000);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 0);
    disk_fixture_deinit(&fixture);
}

static void written_blocks_read_back_now_and_after_reopening(void **state) {
    (void)state;
    open_new(10000);
    must(disk_fixture_write(&fixture, 1, 5, 0), &fixture.err);
    must(disk_fixture_write(&fixture, 6, 3, 2), &fixture.err); // another branch
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 8);
    disk_fixture_reopen(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 8);
    must(disk_fixture_write(&fixture, 9, 1, 8), &fixture.err);
    disk_fixture_reopen(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 9);
    disk_fixture_deinit(&fixture);
}

static void each_block_of_a_batch_read_has_its_own_outcome(void **state) {
    (void)state;
    enum { COUNT = DISK_MAX_BATCH };
    struct disk_block blocks[COUNT];
    int32_t ids[COUNT][FIXTURE_TOKENS];
    void *payloads[COUNT];
    enum status outcomes[COUNT];
    open_new(5000);
    for (int64_t number = 1; number <= COUNT; number++)
        must(disk_fixture_write(&fixture, number, 1, 0), &fixture.err);
    disk_fixture_list(&fixture, &listed);
    disk_fixture_drop(&fixture, 7);
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = fixture_block(&fixture, i + 1, ids[i]);
        payloads[i] = malloc(5000);
    }
    fixture.pool->ops->read(fixture.pool, blocks, payloads, COUNT, outcomes);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(outcomes[i] == STATUS_OK, i + 1 != 7);
        if (outcomes[i] == STATUS_OK)
            assert_memory_equal(payloads[i], fixture_payload(&fixture, i + 1), 5000);
        free(payloads[i]);
    }
    assert_int_equal(outcomes[6], STATUS_NOT_FOUND);
    assert_int_equal(fixture.dropped_count, 1);
    disk_fixture_deinit(&fixture);
}

static void writing_a_block_again_stores_nothing(void **state) {
    (void)state;
    const int64_t again[] = {2, 4, 4, 1}, first[] = {1, 2, 3};
    open_new(5000);
    fixture.parents[2] = fixture.parents[3] = fixture.parents[4] = 1;
    must(disk_fixture_write_these(&fixture, first, 3), &fixture.err);
    const struct disk_usage before = fixture.pool->ops->usage(fixture.pool);
    must(disk_fixture_write_these(&fixture, first, 3), &fixture.err);
    const struct disk_usage same = fixture.pool->ops->usage(fixture.pool);
    assert_int_equal(same.written_bytes, before.written_bytes);
    must(disk_fixture_write_these(&fixture, again, 4), &fixture.err);
    const struct disk_usage after = fixture.pool->ops->usage(fixture.pool);
    assert_int_equal(after.payload_bytes, before.payload_bytes + 5000);
    assert_int_equal(after.blocks, 4);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 4);
    disk_fixture_deinit(&fixture);
}

static void a_block_is_not_written_without_its_parent(void **state) {
    (void)state;
    const int64_t child = 5, both[] = {5, 4};
    open_new(100);
    must(disk_fixture_write(&fixture, 1, 5, 0), &fixture.err);
    disk_fixture_reference(&fixture, 9, 5);
    disk_fixture_drop(&fixture, 4);
    assert_int_equal(fixture.dropped_count, 2); // 5 hung on it
    disk_fixture_list(&fixture, &listed);
    assert_int_equal(listed.count, 3);
    assert_int_equal(listed.leaves[9], 3); // what is left of the path
    assert_int_equal(disk_fixture_write_these(&fixture, &child, 1), STATUS_NOT_FOUND);
    assert_int_equal(disk_fixture_write_these(&fixture, both, 2), STATUS_NOT_FOUND);
    must(disk_fixture_write_these(&fixture, &child, 1), &fixture.err);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 5);
    disk_fixture_deinit(&fixture);
}

static void a_failed_read_drops_the_block_and_says_why(void **state) {
    (void)state;
    open_new(2000);
    must(disk_fixture_write(&fixture, 1, 4, 0), &fixture.err);
    disk_fixture_drop(&fixture, 4);
    assert_int_equal(disk_fixture_read(&fixture, 4), STATUS_NOT_FOUND);
    fixture.parents[3] = 0; // not what was written
    assert_int_equal(disk_fixture_read(&fixture, 3), STATUS_BAD_FILE);
    fixture.parents[3] = 2;
    assert_int_equal(disk_fixture_read(&fixture, 3), STATUS_NOT_FOUND);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 2);
    disk_fixture_deinit(&fixture);
}

static void free_slots_are_reused_before_the_file_grows(void **state) {
    (void)state;
    char path[128];
    struct stat before, after;
    open_new(5000);
    for (int64_t number = 1; number <= 8; number++)
        must(disk_fixture_write(&fixture, number, 1, 0), &fixture.err);
    disk_fixture_file(&fixture, path);
    assert_int_equal(stat(path, &before), 0);
    disk_fixture_drop(&fixture, 3);
    disk_fixture_drop(&fixture, 6);
    must(disk_fixture_write(&fixture, 20, 2, 0), &fixture.err);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 8);
    disk_fixture_deinit(&fixture);
}

static void free_slots_are_truncated_or_become_holes(void **state) {
    (void)state;
    enum { HEADER = 4096, STRIDE = 8192 };
    char path[128];
    struct stat info;
    open_new(8000);
    for (int64_t number = 1; number <= 8; number++)
        must(disk_fixture_write(&fixture, number, 1, 0), &fixture.err);
    disk_fixture_file(&fixture, path);
    disk_fixture_drop(&fixture, 2);
    assert_int_equal(stat(path, &info), 0);
    assert_in_range(info.st_size, HEADER + 7 * STRIDE + 8000, HEADER + 8 * STRIDE);
    assert_true(info.st_blocks * 512 <= HEADER + 7 * STRIDE);
    disk_fixture_drop(&fixture, 7);
    disk_fixture_drop(&fixture, 8);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, HEADER + 6 * STRIDE);
    for (int64_t number = 1; number <= 6; number++)
        disk_fixture_drop(&fixture, number);
    assert_int_not_equal(stat(path, &info), 0); // of no block: no file
    must(disk_fixture_write(&fixture, 30, 3, 0), &fixture.err);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 3);
    disk_fixture_deinit(&fixture);
}

static void formats_do_not_see_each_others_blocks(void **state) {
    (void)state;
    open_new(2000);
    must(disk_fixture_write(&fixture, 1, 3, 0), &fixture.err);
    disk_fixture_reference(&fixture, 1, 3);
    disk_fixture_close(&fixture);
    fixture.format.id.low++;
    fixture.format.payload_bytes = 6000;
    fixture.format.model = "b model";
    disk_fixture_open(&fixture);
    disk_fixture_list(&fixture, &listed);
    assert_int_equal(listed.count, 0);
    assert_int_equal(listed.leaves[1], 0);
    must(disk_fixture_write(&fixture, 1, 2, 0), &fixture.err);
    disk_fixture_reference(&fixture, 1, 2);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 2);
    assert_int_equal(listed.leaves[1], 2);
    disk_fixture_close(&fixture);
    struct disk_cache_summary summary;
    must(disk_cache_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
    assert_int_equal(summary.format_count, 2);
    assert_int_equal(summary.reference_count, 1);
    assert_int_equal(summary.blocks, 5);
    assert_int_equal(summary.references[0].tokens, 5 * 16);
    disk_cache_summary_deinit(&summary);
    fixture.format.id.low--;
    fixture.format.payload_bytes = 2000;
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 3);
    disk_fixture_deinit(&fixture);
}

static void a_conversation_references_one_leaf_or_none(void **state) {
    (void)state;
    open_new(100);
    must(disk_fixture_write(&fixture, 1, 3, 0), &fixture.err);
    disk_fixture_reference(&fixture, 5, 1);
    disk_fixture_reference(&fixture, 6, 2);
    disk_fixture_reference(&fixture, 5, 3);
    disk_fixture_reopen(&fixture);
    disk_fixture_list(&fixture, &listed);
    assert_int_equal(listed.leaves[5], 3);
    assert_int_equal(listed.leaves[6], 2);
    disk_fixture_reference(&fixture, 5, 0);
    disk_fixture_reopen(&fixture);
    disk_fixture_list(&fixture, &listed);
    assert_int_equal(listed.leaves[5], 0);
    assert_int_equal(listed.leaves[6], 2);
    disk_fixture_deinit(&fixture);
}

static void ignore_block(void *user, const struct disk_block *block) {
    (void)user;
    (void)block;
}

static struct disk_speed speed_of_opening(const struct disk_speed *noted_at_closing) {
    const struct disk_cache_options options = {.folder = fixture.folder};
    const struct disk_listener listener = {.block = ignore_block};
    struct disk_speed speed = {-1, -1};
    struct disk_pool *pool = disk_cache_create(&options);
    must(pool->ops->open(pool, &fixture.format, &listener, &speed, &fixture.err), &fixture.err);
    pool->ops->close(pool, noted_at_closing);
    return speed;
}

static void measured_speeds_survive_reopening(void **state) {
    (void)state;
    const struct disk_speed noted = {.prefill_us_per_token = 123.5, .read_us_per_byte = 0.00031};
    open_new(100);
    assert_true(speed_of_opening(&noted).prefill_us_per_token <= 0);
    for (int i = 0; i < 2; i++) { // a closing without any keeps those of before
        const struct disk_speed found = speed_of_opening(NULL);
        assert_true(found.prefill_us_per_token > 123.49 && found.prefill_us_per_token < 123.51);
        assert_true(found.read_us_per_byte > 0.00030999 && found.read_us_per_byte < 0.00031001);
    }
    disk_fixture_deinit(&fixture);
}

static void a_second_use_at_the_same_time_writes_nothing(void **state) {
    (void)state;
    open_new(100);
    must(disk_fixture_write(&fixture, 1, 3, 0), &fixture.err);
    disk_fixture_reference(&fixture, 1, 3);
    disk_fixture_sql(&fixture, "UPDATE kv_slot SET used = used + 2");
    const uint64_t before = fixture.pool->ops->usage(fixture.pool).written_bytes;
    disk_fixture_reference(&fixture, 1, 3);
    assert_int_equal(fixture.pool->ops->usage(fixture.pool).written_bytes, before);
    disk_fixture_sql(&fixture, "UPDATE kv_slot SET used = used - 9");
    disk_fixture_reference(&fixture, 1, 3);
    assert_true(fixture.pool->ops->usage(fixture.pool).written_bytes > before);
    disk_fixture_check(&fixture);
    disk_fixture_deinit(&fixture);
}

static void files_are_readable_only_by_their_owner(void **state) {
    (void)state;
    struct stat info;
    char path[128];
    open_new(100);
    must(disk_fixture_write(&fixture, 1, 1, 0), &fixture.err);
    assert_int_equal(stat(fixture.folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            disk_fixture_path(&fixture, "index.db", path);
        else
            disk_fixture_file(&fixture, path);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    disk_fixture_deinit(&fixture);
}

static void a_format_beyond_the_limits_is_refused(void **state) {
    (void)state;
    disk_fixture_init(&fixture, 100, true);
    const struct disk_cache_options options = {.folder = fixture.folder};
    struct disk_format odd[3] = {fixture.format, fixture.format, fixture.format};
    const struct disk_listener listener = {.block = ignore_block};
    struct disk_speed speed;
    odd[0].block_size = SLOTS_MAX_TOKENS + 1;
    odd[1].block_size = 0;
    odd[2].payload_bytes = (size_t)SLOTS_MAX_PAYLOAD + 1;
    for (int i = 0; i < 3; i++) {
        struct disk_pool *pool = disk_cache_create(&options);
        assert_int_equal(pool->ops->open(pool, &odd[i], &listener, &speed, &fixture.err),
                         STATUS_UNSUPPORTED);
        pool->ops->close(pool, NULL);
    }
    disk_fixture_deinit(&fixture);
}

static void long_and_odd_model_names_are_truncated_safely(void **state) {
    (void)state;
    static const char *const names[] = {
        "", "not \xFF UTF-8",
        "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
        "890123456789012345678901234567\xC3\xA9\xC3\xA9\xC3\xA9"};
    static const size_t lengths[] = {0, 0, 120};
    for (size_t i = 0; i < 3; i++) {
        struct disk_cache_summary summary;
        disk_fixture_init(&fixture, 100, true);
        fixture.format.model = names[i];
        disk_fixture_open(&fixture);
        must(disk_fixture_write(&fixture, 1, 1, 0), &fixture.err);
        disk_fixture_close(&fixture);
        must(disk_cache_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
        assert_int_equal(summary.format_count, 1);
        assert_int_equal(strlen(summary.formats[0].model), lengths[i]);
        disk_cache_summary_deinit(&summary);
        disk_fixture_deinit(&fixture);
    }
}

static void a_summary_writes_nothing_and_sees_new_blocks(void **state) {
    (void)state;
    struct disk_cache_summary summary;
    open_new(3000);
    for (int64_t first = 1; first < 40; first += 4) {
        must(disk_fixture_write(&fixture, first, 4, 0), &fixture.err);
        const uint64_t stored = disk_fixture_stored(&fixture);
        must(disk_cache_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
        assert_int_equal(summary.blocks, first + 3);
        disk_cache_summary_deinit(&summary);
        assert_int_equal(disk_fixture_stored(&fixture), stored);
    }
    disk_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_folder_has_no_blocks),
        cmocka_unit_test(written_blocks_read_back_now_and_after_reopening),
        cmocka_unit_test(each_block_of_a_batch_read_has_its_own_outcome),
        cmocka_unit_test(writing_a_block_again_stores_nothing),
        cmocka_unit_test(a_block_is_not_written_without_its_parent),
        cmocka_unit_test(free_slots_are_reused_before_the_file_grows),
        cmocka_unit_test(free_slots_are_truncated_or_become_holes),
        cmocka_unit_test(a_failed_read_drops_the_block_and_says_why),
        cmocka_unit_test(formats_do_not_see_each_others_blocks),
        cmocka_unit_test(a_conversation_references_one_leaf_or_none),
        cmocka_unit_test(measured_speeds_survive_reopening),
        cmocka_unit_test(a_second_use_at_the_same_time_writes_nothing),
        cmocka_unit_test(files_are_readable_only_by_their_owner),
        cmocka_unit_test(a_format_beyond_the_limits_is_refused),
        cmocka_unit_test(long_and_odd_model_names_are_truncated_safely),
        cmocka_unit_test(a_summary_writes_nothing_and_sees_new_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
