// tests/store/test_vault.c — what is written is there, in this run and in the next; who holds it,
// and what people are told of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/record.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"
#include "tests/store/vault_fixture.h"

static struct vault_fixture fixture;
static struct listed listed;

static void open_new(size_t payload_bytes) {
    vault_fixture_init(&fixture, payload_bytes, true);
    vault_fixture_open(&fixture);
}

static void hold(uint64_t holder, int64_t leaf) {
    fixture.tier->verbs->hold(fixture.tier, holder, fixture_key(leaf));
}

static void an_empty_folder_has_no_blocks(void **state) {
    (void)state;
    open_new(1000);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 0);
    vault_fixture_deinit(&fixture);
}

static void what_was_written_is_read_in_this_run_and_the_next(void **state) {
    (void)state;
    open_new(10000);
    must(vault_fixture_write(&fixture, 1, 5, 0), &fixture.err);
    must(vault_fixture_write(&fixture, 6, 3, 2), &fixture.err); // another branch
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 8);
    vault_fixture_reopen(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 8);
    must(vault_fixture_write(&fixture, 9, 1, 8), &fixture.err);
    vault_fixture_reopen(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 9);
    vault_fixture_deinit(&fixture);
}

static void a_batch_is_read_at_once_and_each_block_has_its_own_outcome(void **state) {
    (void)state;
    enum { COUNT = TIER_MAX_BATCH };
    struct tier_block blocks[COUNT];
    int32_t ids[COUNT][FIXTURE_TOKENS];
    void *payloads[COUNT];
    enum status outcomes[COUNT];
    open_new(5000);
    must(vault_fixture_write(&fixture, 1, COUNT, 0), &fixture.err);
    vault_fixture_list(&fixture, &listed);
    vault_fixture_drop(&fixture, 7);
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = fixture_block(&fixture, i + 1, ids[i]);
        blocks[i].place = listed.places[i + 1];
        payloads[i] = malloc(5000);
    }
    fixture.tier->verbs->read(fixture.tier, blocks, payloads, COUNT, outcomes);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(outcomes[i] == STATUS_OK, i + 1 != 7);
        if (outcomes[i] == STATUS_OK)
            assert_memory_equal(payloads[i], fixture_payload(&fixture, i + 1), 5000);
        free(payloads[i]);
    }
    assert_int_equal(fixture.dropped_count, 1);
    assert_true(fixture.dropped[7]);
    vault_fixture_deinit(&fixture);
}

static void a_block_is_written_once(void **state) {
    (void)state;
    const int64_t again[] = {2, 4, 4, 1}, first[] = {1, 2, 3};
    open_new(5000);
    fixture.parents[2] = fixture.parents[3] = fixture.parents[4] = 1;
    must(vault_fixture_write_these(&fixture, first, 3), &fixture.err);
    const struct tier_usage before = fixture.tier->verbs->usage(fixture.tier);
    must(vault_fixture_write_these(&fixture, first, 3), &fixture.err);
    const struct tier_usage same = fixture.tier->verbs->usage(fixture.tier);
    assert_int_equal(same.written_bytes, before.written_bytes);
    must(vault_fixture_write_these(&fixture, again, 4), &fixture.err);
    const struct tier_usage after = fixture.tier->verbs->usage(fixture.tier);
    assert_int_equal(after.payload_bytes, before.payload_bytes + 5000);
    assert_int_equal(after.blocks, 4);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 4);
    vault_fixture_deinit(&fixture);
}

static void a_parent_that_is_written_after_its_child_is_listed_before_it(void **state) {
    (void)state;
    const int64_t parent = 1;
    open_new(100);
    must(vault_fixture_write(&fixture, 1, 4, 0), &fixture.err);
    vault_fixture_drop(&fixture, 1);
    vault_fixture_list(&fixture, &listed);
    assert_int_equal(listed.count, 3);
    must(vault_fixture_write_these(&fixture, &parent, 1), &fixture.err);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 4); // which looks at the order
    vault_fixture_deinit(&fixture);
}

static void parents_in_a_circle_are_all_listed(void **state) {
    (void)state;
    const int64_t numbers[] = {1, 2, 3, 4};
    open_new(100);
    fixture.parents[1] = 3;
    fixture.parents[2] = 1;
    fixture.parents[3] = 2;
    fixture.parents[4] = 4;
    must(vault_fixture_write_these(&fixture, numbers, 4), &fixture.err);
    int32_t count = 0;
    vault_fixture_close(&fixture);
    struct vault_summary summary;
    must(vault_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
    count = (int32_t)summary.blocks;
    vault_summary_deinit(&summary);
    assert_int_equal(count, 4);
    vault_fixture_deinit(&fixture);
}

static void a_read_names_what_is_wrong_and_drops_the_block(void **state) {
    (void)state;
    open_new(2000);
    must(vault_fixture_write(&fixture, 1, 4, 0), &fixture.err);
    vault_fixture_list(&fixture, &listed);
    // The record at 2's place is 2's: 3 is found by its row.
    assert_int_equal(vault_fixture_read(&fixture, 3, listed.places[2]), STATUS_OK);
    vault_fixture_drop(&fixture, 4);
    assert_int_equal(vault_fixture_read(&fixture, 4, listed.places[2]), STATUS_NOT_FOUND);
    assert_true(fixture.dropped[4]);
    const struct tier_place nowhere = {.segment = 77, .offset = 1ull << 63};
    assert_int_equal(vault_fixture_read(&fixture, 4, nowhere), STATUS_NOT_FOUND);
    fixture.parents[2] = 3; // not what was written
    assert_int_equal(vault_fixture_read(&fixture, 2, listed.places[2]), STATUS_BAD_FILE);
    fixture.parents[2] = 1;
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 2);
    vault_fixture_deinit(&fixture);
}

static void formats_do_not_see_each_other(void **state) {
    (void)state;
    open_new(2000);
    must(vault_fixture_write(&fixture, 1, 3, 0), &fixture.err);
    hold(1, 3);
    vault_fixture_close(&fixture);
    fixture.format.id.low++;
    fixture.format.payload_bytes = 6000;
    fixture.format.model = "b model";
    vault_fixture_open(&fixture);
    vault_fixture_list(&fixture, &listed);
    assert_int_equal(listed.count, 0);
    assert_int_equal(listed.leaves[1], 0);
    must(vault_fixture_write(&fixture, 1, 2, 0), &fixture.err);
    hold(1, 2);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 2);
    assert_int_equal(listed.leaves[1], 2);
    vault_fixture_close(&fixture);
    struct vault_summary summary;
    must(vault_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
    assert_int_equal(summary.format_count, 2);
    assert_int_equal(summary.holder_count, 1);
    assert_int_equal(summary.blocks, 5);
    assert_int_equal(summary.holders[0].tokens, 5 * 16);
    vault_summary_deinit(&summary);
    fixture.format.id.low--;
    fixture.format.payload_bytes = 2000;
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 3);
    vault_fixture_deinit(&fixture);
}

static void a_holder_has_one_leaf_until_it_lets_go(void **state) {
    (void)state;
    open_new(100);
    must(vault_fixture_write(&fixture, 1, 3, 0), &fixture.err);
    hold(5, 1);
    hold(6, 2);
    hold(5, 3);
    vault_fixture_reopen(&fixture);
    vault_fixture_list(&fixture, &listed);
    assert_int_equal(listed.leaves[5], 3);
    assert_int_equal(listed.leaves[6], 2);
    fixture.tier->verbs->let_go(fixture.tier, 5);
    vault_fixture_reopen(&fixture);
    vault_fixture_list(&fixture, &listed);
    assert_int_equal(listed.leaves[5], 0);
    assert_int_equal(listed.leaves[6], 2);
    vault_fixture_deinit(&fixture);
}

static void speeds_are_remembered(void **state) {
    (void)state;
    const struct tier_speed noted = {.prefill_us_per_token = 123.5, .read_us_per_byte = 0.00031};
    open_new(100);
    assert_true(fixture.tier->verbs->speed(fixture.tier).prefill_us_per_token <= 0);
    fixture.tier->verbs->note_speed(fixture.tier, noted);
    vault_fixture_reopen(&fixture);
    const struct tier_speed found = fixture.tier->verbs->speed(fixture.tier);
    assert_true(found.prefill_us_per_token > 123.49 && found.prefill_us_per_token < 123.51);
    assert_true(found.read_us_per_byte > 0.00030999 && found.read_us_per_byte < 0.00031001);
    vault_fixture_deinit(&fixture);
}

// Only the time of a use that is some minutes old is worth a write.
static void a_touch_is_written_when_the_last_is_old(void **state) {
    (void)state;
    int32_t ids[FIXTURE_TOKENS];
    open_new(100);
    must(vault_fixture_write(&fixture, 1, 2, 0), &fixture.err);
    const struct tier_block block = fixture_block(&fixture, 1, ids);
    const uint64_t before = fixture.tier->verbs->usage(fixture.tier).written_bytes;
    vault_fixture_sql(&fixture, "UPDATE kv_block SET used_ms = used_ms - 500000");
    fixture.tier->verbs->touch(fixture.tier, &block, 1);
    assert_int_equal(fixture.tier->verbs->usage(fixture.tier).written_bytes, before);
    vault_fixture_sql(&fixture, "UPDATE kv_block SET used_ms = used_ms - 200000");
    fixture.tier->verbs->touch(fixture.tier, &block, 1);
    assert_true(fixture.tier->verbs->usage(fixture.tier).written_bytes > before);
    vault_fixture_deinit(&fixture);
}

static void only_the_owner_may_look(void **state) {
    (void)state;
    static const char *const names[] = {"index.db", "segment-00000001.kv"};
    struct stat info;
    char path[128];
    open_new(100);
    must(vault_fixture_write(&fixture, 1, 1, 0), &fixture.err);
    assert_int_equal(stat(fixture.folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    for (int i = 0; i < 2; i++) {
        vault_fixture_path(&fixture, names[i], path);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    vault_fixture_deinit(&fixture);
}

static void a_format_beyond_the_limits_is_refused(void **state) {
    (void)state;
    vault_fixture_init(&fixture, 100, true);
    const struct vault_options options = {.folder = fixture.folder};
    struct tier_format odd[3] = {fixture.format, fixture.format, fixture.format};
    odd[0].block_size = RECORD_MAX_TOKENS + 1;
    odd[1].block_size = 0;
    odd[2].payload_bytes = (size_t)RECORD_MAX_PAYLOAD + 1;
    for (int i = 0; i < 3; i++) {
        struct tier *tier = vault_create(&options);
        assert_int_equal(tier->verbs->begin(tier, &odd[i], NULL, NULL, &fixture.err),
                         STATUS_UNSUPPORTED);
        tier->verbs->close(tier);
    }
    vault_fixture_deinit(&fixture);
}

static void long_and_odd_names_of_models_are_kept_as_far_as_they_fit(void **state) {
    (void)state;
    static const char *const names[] = {
        "", "not \xFF UTF-8",
        "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
        "890123456789012345678901234567\xC3\xA9\xC3\xA9\xC3\xA9"};
    static const size_t lengths[] = {0, 0, 120};
    for (size_t i = 0; i < 3; i++) {
        struct vault_summary summary;
        vault_fixture_init(&fixture, 100, true);
        fixture.format.model = names[i];
        vault_fixture_open(&fixture);
        must(vault_fixture_write(&fixture, 1, 1, 0), &fixture.err);
        vault_fixture_close(&fixture);
        must(vault_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
        assert_int_equal(summary.format_count, 1);
        assert_int_equal(strlen(summary.formats[0].model), lengths[i]);
        vault_summary_deinit(&summary);
        vault_fixture_deinit(&fixture);
    }
}

static void a_vault_that_is_read_only_changes_nothing(void **state) {
    (void)state;
    open_new(3000);
    must(vault_fixture_write(&fixture, 1, 4, 0), &fixture.err);
    hold(1, 4);
    vault_fixture_close(&fixture);
    const uint64_t stored = vault_fixture_stored(&fixture);
    fixture.read_only = true;
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 4);
    assert_int_equal(vault_fixture_write(&fixture, 5, 1, 4), STATUS_UNSUPPORTED);
    hold(2, 2);
    vault_fixture_drop(&fixture, 3);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 3); // until it is closed
    assert_int_equal(vault_fixture_stored(&fixture), stored);
    vault_fixture_close(&fixture);
    fixture.read_only = false;
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 4);
    assert_int_equal(listed.leaves[1], 4);
    assert_int_equal(listed.leaves[2], 0);
    vault_fixture_deinit(&fixture);
}

static void a_read_only_vault_follows_one_that_is_being_written(void **state) {
    (void)state;
    static struct vault_fixture reader;
    open_new(3000);
    must(vault_fixture_write(&fixture, 1, 4, 0), &fixture.err);
    reader = fixture;
    reader.tier = NULL;
    reader.read_only = true;
    vault_fixture_open(&reader);
    assert_int_equal(vault_fixture_read_all(&reader, &listed), 4);
    vault_fixture_close(&reader);
    vault_fixture_deinit(&fixture);
}

static void a_read_only_vault_without_an_index_reads_the_segments(void **state) {
    (void)state;
    char path[128];
    open_new(3000);
    must(vault_fixture_write(&fixture, 1, 4, 0), &fixture.err);
    vault_fixture_close(&fixture);
    vault_fixture_path(&fixture, "index.db", path);
    assert_int_equal(unlink(path), 0);
    fixture.read_only = true;
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 4);
    assert_int_not_equal(access(path, F_OK), 0);
    vault_fixture_deinit(&fixture);
}

static void a_read_only_vault_makes_no_folder(void **state) {
    (void)state;
    vault_fixture_init(&fixture, 100, true);
    const struct vault_options options = {.folder = fixture.folder, .read_only = true};
    struct tier *tier = vault_create(&options);
    assert_int_equal(tier->verbs->begin(tier, &fixture.format, NULL, NULL, &fixture.err),
                     STATUS_IO);
    tier->verbs->close(tier);
    assert_int_not_equal(access(fixture.folder, F_OK), 0);
    vault_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_folder_has_no_blocks),
        cmocka_unit_test(what_was_written_is_read_in_this_run_and_the_next),
        cmocka_unit_test(a_batch_is_read_at_once_and_each_block_has_its_own_outcome),
        cmocka_unit_test(a_block_is_written_once),
        cmocka_unit_test(a_parent_that_is_written_after_its_child_is_listed_before_it),
        cmocka_unit_test(parents_in_a_circle_are_all_listed),
        cmocka_unit_test(a_read_names_what_is_wrong_and_drops_the_block),
        cmocka_unit_test(formats_do_not_see_each_other),
        cmocka_unit_test(a_holder_has_one_leaf_until_it_lets_go),
        cmocka_unit_test(speeds_are_remembered),
        cmocka_unit_test(a_touch_is_written_when_the_last_is_old),
        cmocka_unit_test(only_the_owner_may_look),
        cmocka_unit_test(a_format_beyond_the_limits_is_refused),
        cmocka_unit_test(long_and_odd_names_of_models_are_kept_as_far_as_they_fit),
        cmocka_unit_test(a_vault_that_is_read_only_changes_nothing),
        cmocka_unit_test(a_read_only_vault_follows_one_that_is_being_written),
        cmocka_unit_test(a_read_only_vault_without_an_index_reads_the_segments),
        cmocka_unit_test(a_read_only_vault_makes_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
