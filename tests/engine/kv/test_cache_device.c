// tests/engine/kv/test_cache_device.c — a device that moves blocks as late as it may, or fails.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/engine/kv/cache_fixture.h"

#include <stdio.h>
#include <string.h>

#include "kernels/base/log.h"

#define A8 "aaaaaaaa"
#define B8 "bbbbbbbb"
#define C8 "cccccccc"
#define D8 "dddddddd"

enum { SWAPS_MOST = 256, SWAP_US = 700 };

// The reference's, but swaps wait for the sync, which may fail: then they are lost.
static struct backend late;
static struct swap {
    struct swap_blocks args;
    uint32_t block, slot;
} swaps[SWAPS_MOST];
static int swap_count, warnings;
static struct swap_time timed; // of swaps to the device that are done
static bool fails;

static void swap_late(struct device *device, const struct swap_blocks *args) {
    (void)device;
    assert_true(args->pairs == 1 && swap_count < SWAPS_MOST);
    swaps[swap_count++] = (struct swap){*args, args->blocks[0], args->slots[0]};
}

static enum status sync_late(struct device *device) {
    for (int i = 0; i < swap_count && !fails; i++) {
        swaps[i].args.blocks = &swaps[i].block;
        swaps[i].args.slots = &swaps[i].slot;
        backend_reference()->swap_blocks(device, &swaps[i].args);
        if (swaps[i].args.out) continue;
        timed.us += SWAP_US;
        timed.pairs++;
    }
    swap_count = 0;
    const bool failed = fails;
    fails = false;
    return failed ? STATUS_DEVICE : backend_reference()->sync(device);
}

static struct swap_time time_late(struct device *device) {
    (void)device;
    const struct swap_time time = timed;
    timed = (struct swap_time){0};
    return time;
}

static void count_warnings(enum log_level level, const char *text) {
    (void)text;
    warnings += level == LOG_WARNING;
}

static void open_late(struct cache_fixture *f, uint32_t slots) {
    const struct fixture_options options = {.host_slots = slots, .disk_slots = slots};
    late = *backend_reference();
    late.swap_blocks = swap_late;
    late.sync = sync_late;
    late.swap_time = time_late;
    swap_count = warnings = 0;
    fails = false;
    fixture_init(f, &options);
    f->backend = &late;
    fixture_open(f);
}

static void sync(const struct cache_fixture *f) {
    assert_int_equal(late.sync(f->device), STATUS_OK);
}

static void log_of(struct cache_fixture *f, struct fixture_log *log, const char *text) {
    fixture_log_init(f, log);
    fixture_set(f, log, text);
}

static void remember(struct cache_fixture *f, const char *text) {
    struct fixture_log log;
    log_of(f, &log, text);
    fixture_compute(f, &log);
    fixture_log_deinit(f, &log);
}

static void evict_all(struct cache_fixture *f) {
    assert_true(block_cache_make_free(f->cache, f->shapes[0].num_blocks));
}

// As the engine does it, without a sync of its own before all is there.
static void bring_back(struct cache_fixture *f, const char *text) {
    struct fixture_log log;
    struct restore_tally tally = {0};
    enum restore_outcome outcome;
    log_of(f, &log, text);
    do {
        outcome = block_cache_restore(f->cache, &log.tables.of[0], log.ids, 0, log.length, &tally);
        block_cache_check(f->cache);
        if (outcome == RESTORE_WAITS) assert_true(fixture_work(f) > 0);
    } while (outcome == RESTORE_WAITS);
    assert_int_equal(outcome, RESTORE_DONE);
    assert_int_equal(log.tables.of[0].length, log.length);
    sync(f);
    log.cached = log.tables.of[0].length;
    fixture_verify(f, &log);
    fixture_log_deinit(f, &log);
}

static void a_host_slot_is_reused_only_after_its_swap_in(void **state) {
    (void)state;
    static const char text[] = A8 B8 C8 D8 A8 B8 C8; // more than the host has room for
    struct cache_fixture f;
    open_late(&f, 4);
    remember(&f, text);
    fixture_write_all(&f);
    evict_all(&f);
    sync(&f);
    bring_back(&f, text);
    fixture_deinit(&f);
}

static void restore_estimates_use_the_measured_swap_time(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log log;
    struct restore_plan plan;
    open_late(&f, 4);
    remember(&f, A8 B8);
    for (int i = 0; i < 2; i++) { // what one restore took the next one learns
        evict_all(&f);
        sync(&f);
        bring_back(&f, A8 B8);
    }
    evict_all(&f);
    sync(&f);
    log_of(&f, &log, A8 B8);
    fixture_plan(&f, &log, log.length, KV_RESTORE_ALWAYS, 1, &plan);
    assert_int_equal(plan.restore_us, 2 * SWAP_US);
    fixture_log_deinit(&f, &log);
    fixture_deinit(&f);
}

static void a_host_slot_is_reused_only_after_its_swap_out(void **state) {
    (void)state;
    struct cache_fixture f;
    open_late(&f, 4);
    remember(&f, A8 B8);
    fixture_write_all(&f);
    evict_all(&f);
    sync(&f);
    remember(&f, D8 C8 B8 A8);
    evict_all(&f);
    bring_back(&f, A8 B8);
    fixture_deinit(&f);
}

static uint32_t blocks_on_disk(struct cache_fixture *f) { return memory_store_blocks(f->store); }

static void blocks_of_a_failed_copy_are_never_written(void **state) {
    (void)state;
    struct cache_fixture f;
    open_late(&f, 4);
    remember(&f, A8 B8);
    fixture_write_all(&f);
    remember(&f, C8 D8 "aaa");
    fails = true;
    block_cache_write_behind(f.cache);
    block_cache_check(f.cache);
    assert_true(f.all.device_failed);
    assert_true(block_cache_is_written(f.cache)); // nobody waits for the rest
    assert_int_equal(fixture_work(&f), 0);
    remember(&f, D8);
    block_cache_write_behind(f.cache); // though the device claims to work again
    assert_int_equal(fixture_work(&f), 0);
    assert_int_equal(fixture_usage(&f).groups[0].host_moving, 0);
    fixture_close(&f);
    assert_int_equal(blocks_on_disk(&f), 2);
    assert_int_equal(warnings, 1);
    fixture_deinit(&f);
}

static void a_failed_device_restores_nothing(void **state) {
    (void)state;
    static const char text[] = A8 B8 C8 D8 A8 B8 C8;
    struct cache_fixture f;
    struct fixture_log log;
    struct restore_tally tally = {0};
    open_late(&f, 4);
    remember(&f, text);
    fixture_write_all(&f);
    evict_all(&f);
    sync(&f);
    log_of(&f, &log, text);
    fails = true; // which is seen before the disk is asked for the rest
    assert_int_equal(
        block_cache_restore(f.cache, &log.tables.of[0], log.ids, 0, log.length, &tally),
        RESTORE_DONE);
    block_cache_check(f.cache);
    assert_true(f.all.device_failed);
    assert_int_equal(fixture_work(&f), 0);
    assert_int_equal(fixture_usage(&f).groups[0].host_moving, 0);
    block_table_truncate(&log.tables.of[0], block_cache_pool(f.cache), 0);
    assert_int_equal(
        block_cache_restore(f.cache, &log.tables.of[0], log.ids, 0, log.length, &tally),
        RESTORE_DONE);
    assert_int_equal(log.tables.of[0].length, 0);
    fixture_log_deinit(&f, &log);
    fixture_deinit(&f);
}

static void closing_a_distrusted_cache_writes_nothing(void **state) {
    (void)state;
    struct cache_fixture f;
    open_late(&f, 4);
    remember(&f, A8 B8 "ccc");
    block_cache_distrust(f.cache); // somebody else has seen it fail
    fixture_close(&f);
    assert_int_equal(blocks_on_disk(&f), 0);
    fixture_deinit(&f);
}

int main(void) {
    log_set_sink(count_warnings);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_slot_is_reused_only_after_its_swap_in),
        cmocka_unit_test(restore_estimates_use_the_measured_swap_time),
        cmocka_unit_test(a_host_slot_is_reused_only_after_its_swap_out),
        cmocka_unit_test(blocks_of_a_failed_copy_are_never_written),
        cmocka_unit_test(a_failed_device_restores_nothing),
        cmocka_unit_test(closing_a_distrusted_cache_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
