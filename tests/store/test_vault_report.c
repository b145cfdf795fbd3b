// tests/store/test_vault_report.c — what people are told of the cache adds up, and what they take
// away is gone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"
#include "tests/store/vault_fixture.h"

enum { PAYLOAD = 8000, RECORD = 12288 };

static struct vault_fixture fixture;
static struct vault_summary summary;
static struct listed listed;

// 1 … 6, forked at 3 into 7, 8; at 2 into 9, which nobody holds. 20 … 22 is nobody's.
static void make_forks(void) {
    vault_fixture_init(&fixture, PAYLOAD, true);
    fixture.limit_bytes = 123 << 20;
    vault_fixture_open(&fixture);
    must(vault_fixture_write(&fixture, 1, 6, 0), &fixture.err);
    must(vault_fixture_write(&fixture, 7, 2, 3), &fixture.err);
    must(vault_fixture_write(&fixture, 9, 1, 2), &fixture.err);
    must(vault_fixture_write(&fixture, 20, 3, 0), &fixture.err);
    fixture.tier->verbs->hold(fixture.tier, 1, fixture_key(6));
    fixture.tier->verbs->hold(fixture.tier, 2, fixture_key(8));
}

static void summarise(void) {
    must(vault_summarise(fixture.folder, &summary, &fixture.err), &fixture.err);
    assert_int_equal(summary.stored_bytes,
                     summary.record_bytes + summary.orphan_bytes + summary.index_bytes);
}

static void nothing_is_there_without_a_folder(void **state) {
    (void)state;
    struct vault_report report = {.blocks = 7};
    uint64_t freed = 7;
    vault_fixture_init(&fixture, PAYLOAD, true);
    summary.blocks = 7;
    assert_int_equal(vault_summarise(fixture.folder, &summary, &fixture.err), STATUS_NOT_FOUND);
    assert_int_equal(vault_check(fixture.folder, NULL, NULL, &report, NULL), STATUS_NOT_FOUND);
    assert_int_equal(vault_drop(fixture.folder, &freed, NULL), STATUS_NOT_FOUND);
    assert_int_equal(vault_strip(fixture.folder, 1, &freed, NULL), STATUS_NOT_FOUND);
    assert_true(summary.blocks == 7 && report.blocks == 7 && freed == 7);
    assert_int_not_equal(access(fixture.folder, F_OK), 0);
    vault_fixture_deinit(&fixture);
}

static void a_summary_adds_up(void **state) {
    (void)state;
    make_forks();
    summarise(); // while it is open, too
    vault_summary_deinit(&summary);
    vault_fixture_close(&fixture);
    summarise();
    assert_int_equal(summary.stored_bytes, vault_fixture_stored(&fixture));
    assert_int_equal(summary.segments, 1);
    assert_int_equal(summary.blocks, 12);
    assert_int_equal(summary.limit_bytes, 123 << 20);
    assert_int_equal(summary.record_bytes, 12 * RECORD);
    assert_int_equal(summary.orphan_bytes, 0);
    assert_int_equal(summary.unheld_bytes, 4 * RECORD); // 9, 20, 21, 22
    assert_int_equal(summary.format_count, 1);
    assert_int_equal(summary.formats[0].blocks, 12);
    assert_int_equal(summary.formats[0].payload_bytes, 12 * PAYLOAD);
    assert_int_equal(summary.formats[0].block_size, FIXTURE_TOKENS);
    assert_string_equal(summary.formats[0].model, "a model");
    assert_int_equal(summary.holder_count, 2);
    assert_int_equal(summary.holders[0].holder, 1);
    assert_int_equal(summary.holders[0].unique_bytes, 3 * RECORD);
    assert_int_equal(summary.holders[0].shared_bytes, 3 * RECORD);
    assert_int_equal(summary.holders[0].tokens, 5 * 16 + 3); // block 5 is a short one
    assert_int_equal(summary.holders[1].holder, 2);
    assert_int_equal(summary.holders[1].unique_bytes, 2 * RECORD);
    assert_int_equal(summary.holders[1].shared_bytes, 3 * RECORD);
    vault_summary_deinit(&summary);
    vault_fixture_deinit(&fixture);
}

static void orphan_bytes_are_seen_and_cleared(void **state) {
    (void)state;
    make_forks();
    vault_fixture_close(&fixture);
    vault_fixture_sql(&fixture, "DELETE FROM kv_block WHERE id = 2");
    summarise();
    assert_int_equal(summary.orphan_bytes, RECORD);
    vault_summary_deinit(&summary);
    assert_int_equal(vault_fixture_check(&fixture).orphan_bytes, RECORD);
    summarise();
    assert_int_equal(summary.orphan_bytes, 0);
    vault_summary_deinit(&summary);
    vault_fixture_deinit(&fixture);
}

static void stripping_takes_what_only_that_holder_needed(void **state) {
    (void)state;
    uint64_t freed;
    make_forks();
    must(vault_fixture_write(&fixture, 30, 2, 5), &fixture.err); // below 5, held by nobody
    vault_fixture_close(&fixture);
    must(vault_strip(fixture.folder, 1, &freed, &fixture.err), &fixture.err);
    assert_in_range(freed, 4 * RECORD + 1, 5 * RECORD); // the index may have grown
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 9);
    for (int64_t number = 1; number < 40; number++) {
        const bool gone = (number >= 4 && number <= 6) || number == 30 || number == 31;
        assert_true(!gone || !listed.listed[number]);
    }
    assert_int_equal(listed.leaves[1], 0);
    assert_int_equal(listed.leaves[2], 8);
    vault_fixture_close(&fixture);
    must(vault_strip(fixture.folder, 2, &freed, &fixture.err), &fixture.err);
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 3); // 20, 21, 22
    vault_fixture_close(&fixture);
    must(vault_strip(fixture.folder, 2, &freed, &fixture.err), &fixture.err); // none any more
    assert_int_equal(vault_fixture_check(&fixture).blocks, 3);
    vault_fixture_deinit(&fixture);
}

static void dropping_leaves_nothing(void **state) {
    (void)state;
    uint64_t freed;
    make_forks();
    vault_fixture_close(&fixture);
    const uint64_t before = vault_fixture_stored(&fixture);
    must(vault_drop(fixture.folder, &freed, &fixture.err), &fixture.err);
    assert_true(freed >= 12 * RECORD && freed <= before);
    summarise();
    assert_int_equal(summary.blocks + summary.segments + summary.holder_count, 0);
    vault_summary_deinit(&summary);
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 0);
    must(vault_fixture_write(&fixture, 1, 3, 0), &fixture.err);
    vault_fixture_reopen(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 3);
    vault_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_there_without_a_folder),
        cmocka_unit_test(a_summary_adds_up),
        cmocka_unit_test(orphan_bytes_are_seen_and_cleared),
        cmocka_unit_test(stripping_takes_what_only_that_holder_needed),
        cmocka_unit_test(dropping_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
