// tests/engine/kv/test_block_cache.c — block_cache.h case by case. test_cache_walk.c has the rest.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/engine/kv/cache_fixture.h"

#include <stdio.h>
#include <string.h>

#include "kernels/base/log.h"

#define A8 "aaaaaaaa"
#define B8 "bbbbbbbb"
#define C8 "cccccccc"
#define D8 "dddddddd"
#define E8 "eeeeeeee"

static const struct fixture_options DEVICE_ONLY = {.no_disk = true};
static const struct fixture_options WITH_HOST = {.no_disk = true, .host_slots = 24};
static const struct fixture_options DISK_ONLY = {.blocks = 64};

static void open_with(struct cache_fixture *f, const struct fixture_options *options) {
    fixture_init(f, options);
    fixture_open(f);
}

static void log_of(struct cache_fixture *f, struct fixture_log *log, const char *text) {
    fixture_log_init(f, log);
    fixture_set(f, log, text);
}

static void evict_all(struct cache_fixture *f) {
    assert_true(block_cache_make_free(f->cache, f->shapes[0].num_blocks));
    block_cache_check(f->cache);
}

// Computes the text, lets it go, and leaves what it has in the cache.
static void remember(struct cache_fixture *f, const char *text) {
    struct fixture_log log;
    log_of(f, &log, text);
    fixture_compute(f, &log);
    fixture_log_deinit(f, &log);
}

// How much of the text the device has.
static int32_t on_device(struct cache_fixture *f, const char *text) {
    struct fixture_log log;
    log_of(f, &log, text);
    const int32_t tokens = fixture_adopt(f, &log);
    fixture_log_deinit(f, &log);
    return tokens;
}

static struct restore_tally bring_back(struct cache_fixture *f, const char *text,
                                       int32_t expected) {
    struct fixture_log log;
    struct restore_tally tally;
    log_of(f, &log, text);
    assert_int_equal(fixture_restore(f, &log, KV_RESTORE_ALWAYS, &tally), expected);
    fixture_log_deinit(f, &log);
    return tally;
}

static void new_day(struct cache_fixture *f) {
    fixture_close(f);
    fixture_open(f);
}

// ---- the device

static void blocks_computed_twice_at_once_are_deduplicated(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a, b;
    open_with(&f, &DEVICE_ONLY);
    log_of(&f, &a, A8 B8 "cc");
    log_of(&f, &b, A8 B8 "cc");
    assert_int_equal(fixture_begin(&f, &a, 18), STATUS_OK);
    assert_int_equal(fixture_begin(&f, &b, 18), STATUS_OK);
    assert_int_equal(fixture_usage(&f).groups[0].device_held, 6);
    fixture_commit(&f, &a);
    fixture_commit(&f, &b);
    block_cache_check(f.cache);
    assert_int_equal(fixture_usage(&f).duplicate_blocks, 2);
    assert_int_equal(fixture_usage(&f).groups[0].device_held, 4); // two full ones, and a tail each
    assert_int_equal(fixture_usage(&f).groups[0].device_spared, 2);
    assert_true(block_equal(a.tables.of[0].blocks[0], b.tables.of[0].blocks[0]));
    assert_true(block_equal(a.tables.of[0].blocks[1], b.tables.of[0].blocks[1]));
    assert_false(block_equal(a.tables.of[0].blocks[2], b.tables.of[0].blocks[2]));
    fixture_verify(&f, &a);
    fixture_verify(&f, &b);
    fixture_log_deinit(&f, &a);
    fixture_log_deinit(&f, &b);
    assert_int_equal(fixture_usage(&f).groups[0].device_cached, 3); // and one tail of the two
    fixture_deinit(&f);
}

static void writing_to_a_fork_copies_one_block(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a, b;
    open_with(&f, &DEVICE_ONLY);
    log_of(&f, &a, A8 B8 "cccc");
    fixture_compute(&f, &a);
    fixture_log_init(&f, &b);
    fixture_fork(&f, &a, &b);
    assert_int_equal(fixture_usage(&f).groups[0].device_held, 3);
    const struct block_index tail = a.tables.of[0].blocks[2];
    fixture_push(&f, &b, 'x');
    fixture_compute(&f, &b);
    assert_int_equal(fixture_usage(&f).groups[0].device_held, 4);
    fixture_push(&f, &a, 'y');
    fixture_compute(&f, &a);
    assert_int_equal(fixture_usage(&f).groups[0].device_held, 4);
    assert_true(block_equal(a.tables.of[0].blocks[2], tail)); // its own again
    fixture_verify(&f, &a);
    fixture_verify(&f, &b);
    fixture_log_deinit(&f, &a);
    fixture_log_deinit(&f, &b);
    fixture_deinit(&f);
}

static void truncating_and_extending_leaves_sealed_blocks_unchanged(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a;
    open_with(&f, &DEVICE_ONLY);
    log_of(&f, &a, A8 B8);
    fixture_compute(&f, &a);
    fixture_truncate(&f, &a, 11);
    fixture_push(&f, &a, 'x');
    fixture_compute(&f, &a);
    fixture_verify(&f, &a);
    assert_int_equal(on_device(&f, A8 B8), 16);
    assert_int_equal(on_device(&f, A8 "bbb"), 11); // the beginning of a block will do
    fixture_log_deinit(&f, &a);
    assert_int_equal(on_device(&f, A8 "bbbx"), 12);
    fixture_deinit(&f);
}

static void a_found_tail_is_extended_in_place(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a, b;
    open_with(&f, &DEVICE_ONLY);
    remember(&f, A8 "bbbb");
    log_of(&f, &a, A8 "bbbbxxxx");
    assert_int_equal(fixture_adopt(&f, &a), 12);
    const struct block_index tail = a.tables.of[0].blocks[1];
    assert_int_equal(block_cache_need(f.cache, &a.tables.of[0], 16), 0);
    fixture_compute(&f, &a);
    assert_true(block_equal(a.tables.of[0].blocks[1], tail)); // thawed: nobody else had it
    fixture_verify(&f, &a);

    fixture_truncate(&f, &a, 8);
    log_of(&f, &b, A8 "bbbbyyyy");
    assert_int_equal(fixture_adopt(&f, &b), 12);
    assert_int_equal(block_cache_need(f.cache, &b.tables.of[0], 16), 1);
    fixture_compute(&f, &b);
    assert_false(
        block_equal(b.tables.of[0].blocks[1], tail)); // copied: it names more than this has
    fixture_verify(&f, &b);
    assert_int_equal(on_device(&f, A8 "bbbbxxxx"), 16);
    fixture_log_deinit(&f, &a);
    fixture_log_deinit(&f, &b);
    fixture_deinit(&f);
}

static void a_writer_copies_a_shared_tail(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a, b;
    open_with(&f, &DEVICE_ONLY);
    remember(&f, A8 "bbbb");
    log_of(&f, &a, A8 "bbbbx");
    log_of(&f, &b, A8 "bbbby");
    assert_int_equal(fixture_adopt(&f, &a), 12);
    assert_int_equal(fixture_adopt(&f, &b), 12);
    assert_int_equal(block_cache_need(f.cache, &a.tables.of[0], 13), 1);
    fixture_compute(&f, &a);
    assert_int_equal(on_device(&f, A8 "bbbb"), 12); // it has its name still
    assert_int_equal(block_cache_need(f.cache, &b.tables.of[0], 13), 0);
    fixture_compute(&f, &b);
    fixture_verify(&f, &a);
    fixture_verify(&f, &b);
    fixture_log_deinit(&f, &a);
    fixture_log_deinit(&f, &b);
    fixture_deinit(&f);
}

// A fork of a running sequence shares the block that is being written; its end names the rows that
// it had, and then the block is full and gets a name of its own.
static void a_fork_can_end_while_its_source_is_computing(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a, fork;
    open_with(&f, &DEVICE_ONLY);
    log_of(&f, &a, A8 "bbb");
    fixture_compute(&f, &a);
    for (int i = 0; i < 13; i++)
        fixture_push(&f, &a, 'c');
    assert_int_equal(fixture_begin(&f, &a, 24), STATUS_OK);
    fixture_log_init(&f, &fork);
    fixture_fork(&f, &a, &fork);
    fork.length = fork.cached;
    fixture_log_deinit(&f, &fork);
    block_cache_check(f.cache);
    fixture_commit(&f, &a);
    block_cache_check(f.cache);
    fixture_verify(&f, &a);
    fixture_log_deinit(&f, &a);
    assert_int_equal(on_device(&f, A8 "bbbccccccccccccc"), 24);
    fixture_deinit(&f);
}

static void leaves_are_evicted_before_their_parents(void **state) {
    (void)state;
    struct cache_fixture f;
    open_with(&f, &DEVICE_ONLY);
    remember(&f, A8 B8 C8 "dd");
    for (uint32_t left = 4; left-- > 0;) {
        assert_true(block_cache_make_free(f.cache, f.shapes[0].num_blocks - left));
        block_cache_check(f.cache);
        assert_int_equal(on_device(&f, A8 B8 C8 "dd"), (int32_t)left * FIXTURE_BLOCK);
    }
    assert_int_equal(fixture_usage(&f).lost_blocks, 4);
    assert_int_equal(fixture_usage(&f).evicted_blocks, 4);
    fixture_deinit(&f);
}

// Whatever raises a child raises its parents: a fork has them, but did not find them again.
static void a_parent_ranks_no_lower_than_its_children(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a, b;
    open_with(&f, &DEVICE_ONLY);
    log_of(&f, &a, A8 B8 C8);
    fixture_compute(&f, &a);
    fixture_log_init(&f, &b);
    fixture_fork(&f, &a, &b);
    block_cache_truncate(f.cache, &b.tables.of[0], b.ids, 8);
    b.cached = 8;
    assert_int_equal(fixture_adopt(&f, &b), 16);
    fixture_log_deinit(&f, &a);
    fixture_log_deinit(&f, &b);
    for (uint32_t left = 3; left-- > 0;) {
        assert_true(block_cache_make_free(f.cache, f.shapes[0].num_blocks - left));
        block_cache_check(f.cache);
    }

    remember(&f, A8 B8);
    log_of(&f, &a, A8 C8);
    assert_int_equal(fixture_begin(&f, &a, 16), STATUS_OK);
    block_cache_pin(f.cache, &a.tables.of[0],
                    16); // before its first block is found to be a duplicate
    fixture_commit(&f, &a);
    fixture_log_deinit(&f, &a);
    for (uint32_t left = 3; left-- > 0;) {
        assert_true(block_cache_make_free(f.cache, f.shapes[0].num_blocks - left));
        block_cache_check(f.cache);
    }
    fixture_deinit(&f);
}

static void flood(struct cache_fixture *f, int32_t logs) { // each new, of seven blocks
    for (int32_t i = 0; i < logs; i++) {
        struct fixture_log log;
        fixture_log_init(f, &log);
        for (int32_t at = 0; at < FIXTURE_LONGEST; at++)
            fixture_push(f, &log, 1000 + i);
        fixture_compute(f, &log);
        fixture_log_deinit(f, &log);
    }
}

static void pinned_blocks_are_evicted_last(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a;
    open_with(&f, &DEVICE_ONLY);
    log_of(&f, &a, A8 B8 C8 D8);
    fixture_compute(&f, &a);
    block_cache_pin(f.cache, &a.tables.of[0], 17);
    fixture_log_deinit(&f, &a);
    flood(&f, 10);
    assert_int_equal(on_device(&f, A8 B8 C8 D8), 16);
    evict_all(&f); // even that is no promise
    assert_int_equal(on_device(&f, A8 B8 C8 D8), 0);
    fixture_deinit(&f);
}

static void a_long_job_does_not_evict_reused_blocks(void **state) {
    (void)state;
    struct cache_fixture f;
    open_with(&f, &DEVICE_ONLY);
    remember(&f, E8 E8);
    remember(&f, A8 B8 C8);
    assert_int_equal(on_device(&f, A8 B8 C8), 24); // found again once
    flood(&f, 10);
    assert_int_equal(on_device(&f, E8 E8), 0);
    assert_int_equal(on_device(&f, A8 B8 C8), 24);
    fixture_deinit(&f);
}

static void a_failed_grow_changes_nothing(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a, b;
    const struct fixture_options options = {.no_disk = true, .blocks = 4};
    open_with(&f, &options);
    log_of(&f, &a, A8 B8 "cc");
    fixture_compute(&f, &a);
    log_of(&f, &b, D8 D8);
    assert_int_equal(block_cache_grow(f.cache, &b.tables.of[0], 16), STATUS_FULL);
    assert_int_equal(b.tables.of[0].count, 0);
    assert_int_equal(fixture_usage(&f).groups[0].device_free, 1);
    assert_false(block_cache_make_free(f.cache, 2));
    fixture_verify(&f, &a);
    fixture_log_deinit(&f, &a);
    fixture_compute(&f, &b);
    fixture_log_deinit(&f, &b);
    fixture_deinit(&f);
}

// ---- the host

static void blocks_evicted_to_the_host_return_unchanged(void **state) {
    (void)state;
    struct cache_fixture f;
    open_with(&f, &WITH_HOST);
    remember(&f, A8 B8 C8 "ddd");
    evict_all(&f);
    assert_int_equal(fixture_usage(&f).groups[0].host_cached, 4);
    assert_int_equal(fixture_usage(&f).swap_out_bytes, 4 * fixture_usage(&f).groups[0].block_bytes);
    assert_int_equal(fixture_usage(&f).lost_blocks, 0);
    assert_int_equal(on_device(&f, A8 B8 C8 "ddd"), 0);
    memset(f.shapes[0].data, 0x77, f.shapes[0].num_blocks * kv_block_bytes(&f.shapes[0]));
    const struct restore_tally tally = bring_back(&f, A8 B8 C8 "ddd", 27);
    assert_int_equal(tally.host_tokens, 27);
    assert_int_equal(fixture_usage(&f).swap_in_bytes, 4 * fixture_usage(&f).groups[0].block_bytes);
    evict_all(&f); // the copies are there still: nothing is moved again
    assert_int_equal(fixture_usage(&f).swap_out_bytes, 4 * fixture_usage(&f).groups[0].block_bytes);
    fixture_deinit(&f);
}

static void a_full_host_tier_evicts_its_oldest_leaf(void **state) {
    (void)state;
    struct cache_fixture f;
    const struct fixture_options options = {.no_disk = true, .host_slots = 4};
    open_with(&f, &options);
    remember(&f, A8 B8 C8);
    evict_all(&f);
    remember(&f, D8 E8);
    evict_all(&f);
    assert_int_equal(fixture_usage(&f).lost_blocks, 1);
    (void)bring_back(&f, A8 B8 C8, 16);
    (void)bring_back(&f, D8 E8, 16);
    fixture_deinit(&f);
}

// ---- the disk

static void blocks_written_behind_are_evicted_and_read_back(void **state) {
    (void)state;
    struct cache_fixture f;
    struct memory_store_counts counts;
    open_with(&f, &DISK_ONLY);
    remember(&f, A8 B8 C8);
    assert_int_equal(fixture_usage(&f).unwritten_blocks, 3);
    fixture_write_all(&f);
    memory_store_count(f.store, &counts);
    assert_int_equal(counts.written_blocks, 3);
    assert_int_equal(fixture_usage(&f).unwritten_blocks, 0);
    assert_int_equal(fixture_usage(&f).disk_blocks, 3);
    flood(&f, 3); // pushes the copies out of the slots that the writes took
    fixture_write_all(&f);
    evict_all(&f);
    assert_int_equal(fixture_usage(&f).lost_blocks, 0);
    const struct restore_tally tally = bring_back(&f, A8 B8 C8, 24);
    assert_int_equal(tally.disk_tokens, 24);
    fixture_write_all(&f);
    memory_store_count(f.store, &counts);
    assert_int_equal(counts.written_blocks, 24); // each once
    assert_int_equal(counts.repeated_blocks, 0);
    fixture_deinit(&f);
}

static void disk_reads_overtake_queued_writes(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a;
    struct memory_store_counts counts;
    struct restore_tally tally = {0};
    open_with(&f, &DISK_ONLY);
    remember(&f, A8 B8);
    new_day(&f);
    memory_store_count(f.store, &counts);
    const uint64_t writes = counts.writes;
    remember(&f, C8 D8);
    block_cache_write_behind(f.cache);
    log_of(&f, &a, A8 B8);
    assert_int_equal(block_cache_restore(f.cache, &a.tables.of[0], a.ids, 0, 16, &tally),
                     RESTORE_WAITS);
    assert_true(block_cache_work_disk(f.cache));
    memory_store_count(f.store, &counts);
    assert_int_equal(counts.read_blocks, 2);
    assert_int_equal(counts.writes, writes);
    fixture_log_deinit(&f, &a);
    fixture_deinit(&f);
}

static void a_restart_finds_every_block_and_tail_on_disk(void **state) {
    (void)state;
    struct cache_fixture f;
    open_with(&f, &DISK_ONLY);
    remember(&f, A8 B8 "cccc");
    remember(&f, A8 D8 "eee");
    new_day(&f);
    assert_int_equal(fixture_usage(&f).disk_blocks, 5);
    const struct restore_tally tally = bring_back(&f, A8 B8 "cccc", 20);
    assert_int_equal(tally.disk_tokens, 20);
    (void)bring_back(&f, A8 D8 "eee", 19);
    (void)bring_back(&f, A8 D8 "exe", 17);
    f.format.low++; // another model
    new_day(&f);
    assert_int_equal(fixture_usage(&f).disk_blocks, 0);
    (void)bring_back(&f, A8 B8 "cccc", 0);
    fixture_deinit(&f);
}

static void the_plan_restores_only_what_is_cheaper_than_prefill(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log a;
    struct restore_plan plan;
    const struct disk_speed speed = {.read_us_per_byte = 1}; // 256 us a block
    fixture_init(&f, &DISK_ONLY);
    struct disk_pool *pool = memory_store_open(f.store);
    pool->ops->close(pool, &speed);
    fixture_open(&f);
    remember(&f, A8 B8 C8);
    new_day(&f);
    log_of(&f, &a, A8 B8 C8 D8);
    fixture_plan(&f, &a, 32, KV_RESTORE_AUTO, 1, &plan);
    assert_int_equal(plan.target, 0);
    assert_int_equal(plan.left_tokens, 24);
    assert_in_range(plan.left_us, 3 * 256, 4 * 256);
    fixture_plan(&f, &a, 32, KV_RESTORE_AUTO, 100, &plan);
    assert_int_equal(plan.target, 24);
    assert_int_equal(plan.left_tokens, 0);
    assert_int_equal(plan.prefill_us, 2400);
    assert_in_range(plan.restore_us, 3 * 256, 4 * 256);
    fixture_plan(&f, &a, 32, KV_RESTORE_AUTO, 0, &plan);
    assert_int_equal(plan.target, 24); // nobody knows how slow: slow
    fixture_plan(&f, &a, 32, KV_RESTORE_ALWAYS, 1, &plan);
    assert_int_equal(plan.target, 24);
    fixture_plan(&f, &a, 32, KV_RESTORE_NEVER, 100, &plan);
    assert_int_equal(plan.target, 0);
    assert_int_equal(plan.left_tokens, 24);
    fixture_set(&f, &a, A8);
    fixture_compute(&f, &a);
    fixture_park(&f, &a);
    fixture_set(&f, &a, A8 B8 C8 D8);
    fixture_plan(&f, &a, 32, KV_RESTORE_NEVER, 100, &plan);
    assert_int_equal(plan.target, 8); // what the device has costs nothing
    fixture_log_deinit(&f, &a);
    fixture_deinit(&f);
}

static void failed_writes_are_retried_and_lose_no_block(void **state) {
    (void)state;
    struct cache_fixture f;
    struct memory_store_counts counts;
    const struct fixture_options options = {.blocks = 80, .disk_slots = 80};
    open_with(&f, &options);
    flood(&f, 6); // 42 blocks: two jobs, and the second has children of the first's
    memory_store_fail_write(f.store, 1, STATUS_IO);
    block_cache_write_behind(f.cache);
    assert_true(block_cache_work_disk(f.cache));
    memory_store_fail_write(f.store, 1, STATUS_FULL);
    assert_true(block_cache_work_disk(f.cache));
    block_cache_check(f.cache);
    assert_int_equal(fixture_usage(&f).failed_writes, 42);
    assert_int_equal(fixture_usage(&f).unwritten_blocks, 42);
    block_cache_write_behind(f.cache); // not at once
    assert_int_equal(fixture_work(&f), 0);
    fixture_pass_time(31000000);
    fixture_write_all(&f);
    assert_int_equal(fixture_usage(&f).disk_blocks, 42);
    memory_store_count(f.store, &counts);
    assert_int_equal(counts.written_blocks, 42);
    assert_int_equal(counts.orphan_blocks, 0);

    remember(&f, A8 B8 C8);
    memory_store_fail_write(f.store, 1, STATUS_IO);
    block_cache_write_behind(f.cache);
    fixture_work(&f);
    new_day(&f); // closing tries once more
    (void)bring_back(&f, A8 B8 C8, 24);
    assert_int_equal(fixture_usage(&f).disk_blocks, 45);
    fixture_deinit(&f);
}

static int warnings;

static void count_warnings(enum log_level level, const char *text) {
    (void)text;
    warnings += level == LOG_WARNING;
}

static void a_job_that_is_refused_does_not_end_the_pause_after_a_failure(void **state) {
    (void)state;
    struct cache_fixture f;
    open_with(&f, &DISK_ONLY);
    log_set_sink(count_warnings);
    warnings = 0;
    for (int attempt = 0; attempt < 2; attempt++) {
        static const char *const TEXTS[] = {A8 B8, A8 B8 C8 D8, A8 B8 C8 D8 E8 E8};
        for (int job = 0; job < 2; job++) { // the second hangs on the first
            remember(&f, TEXTS[attempt + job]);
            fixture_pass_time(31000000);
            block_cache_write_behind(f.cache);
        }
        memory_store_fail_write(f.store, 1, STATUS_FULL);
        assert_int_equal(fixture_work(&f), 2);
        block_cache_write_behind(f.cache); // not at once
        assert_int_equal(fixture_work(&f), 0);
    }
    log_set_sink(NULL);
    assert_int_equal(warnings, 1);
    block_cache_check(f.cache);
    fixture_pass_time(31000000);
    fixture_write_all(&f);
    assert_int_equal(fixture_usage(&f).disk_blocks, 6);
    fixture_deinit(&f);
}

static void a_failed_read_keeps_the_prefix_before_it(void **state) {
    (void)state;
    static const enum status outcomes[] = {STATUS_IO, STATUS_NOT_FOUND, STATUS_BAD_FILE};
    for (int i = 0; i < 3; i++)
        for (uint32_t nth = 1; nth <= 5; nth++) {
            struct cache_fixture f;
            struct fixture_log a;
            struct restore_tally tally;
            open_with(&f, &DISK_ONLY);
            remember(&f, A8 B8 C8 D8 E8);
            new_day(&f);
            memory_store_fail_read(f.store, nth, outcomes[i]);
            log_of(&f, &a, A8 B8 C8 D8 E8);
            assert_int_equal(fixture_restore(&f, &a, KV_RESTORE_ALWAYS, &tally), (nth - 1) * 8);
            assert_int_equal(fixture_usage(&f).failed_reads, 1);
            fixture_compute(&f, &a);
            fixture_verify(&f, &a);
            fixture_log_deinit(&f, &a);
            new_day(&f);
            (void)bring_back(&f, A8 B8 C8 D8 E8, 40);
            fixture_deinit(&f);
        }
}

static void damaged_blocks_are_dropped_and_recomputed(void **state) {
    (void)state;
    struct cache_fixture f;
    open_with(&f, &DISK_ONLY);
    remember(&f, A8 B8 C8);
    new_day(&f);
    assert_true(memory_store_damage(f.store, 1));
    (void)bring_back(&f, A8 B8 C8, 8);
    assert_int_equal(memory_store_blocks(f.store), 2);
    remember(&f, A8 B8 C8);
    new_day(&f);
    (void)bring_back(&f, A8 B8 C8, 24);
    fixture_deinit(&f);
}

static void blocks_dropped_by_the_disk_are_forgotten(void **state) {
    (void)state;
    struct cache_fixture f;
    open_with(&f, &DISK_ONLY);
    memory_store_limit(f.store, 8);
    remember(&f, A8 B8 C8);
    fixture_write_all(&f);
    flood(&f, 1);
    fixture_write_all(&f);
    assert_int_equal(memory_store_blocks(f.store), 8);
    assert_int_equal(fixture_usage(&f).disk_blocks, 8);
    new_day(&f);
    assert_int_equal(fixture_usage(&f).disk_blocks, 8);
    (void)bring_back(&f, A8 B8 C8, 8);
    fixture_deinit(&f);
}

static void the_cache_runs_without_a_disk_that_fails_to_open(void **state) {
    (void)state;
    for (int at_list = 0; at_list < 2; at_list++) {
        struct cache_fixture f;
        open_with(&f, &DISK_ONLY);
        remember(&f, A8 B8);
        fixture_close(&f);
        memory_store_fail_opening(f.store, at_list, STATUS_BAD_FILE);
        fixture_open(&f);
        assert_false(memory_store_is_open(f.store));
        assert_false(fixture_usage(&f).has_disk);
        (void)bring_back(&f, A8 B8, 0);
        remember(&f, A8 C8);
        evict_all(&f); // the slots are there
        (void)bring_back(&f, A8 C8, 16);
        new_day(&f);
        (void)bring_back(&f, A8 B8, 16);
        fixture_deinit(&f);
    }
}

// ---- references

static struct node_index hold(struct cache_fixture *f, uint64_t conversation, const char *text) {
    struct fixture_log log;
    log_of(f, &log, text);
    const struct node_index leaf = block_cache_leaf(f->cache, log.ids, log.length);
    block_cache_reference(f->cache, conversation, leaf);
    fixture_log_deinit(f, &log);
    return leaf;
}

static void usage_tells_unique_from_shared_blocks(void **state) {
    (void)state;
    struct cache_fixture f;
    struct conversation_usage usage[3];
    const uint64_t names[3] = {7, 8, 9};
    open_with(&f, &DISK_ONLY);
    remember(&f, A8 B8 C8);
    remember(&f, A8 D8 "eee");
    (void)hold(&f, 7, A8 B8 C8);
    (void)hold(&f, 8, A8 D8 "eee");
    for (int day = 0; day < 2; day++) {
        block_cache_conversation_usage(f.cache, names, 3, false, usage);
        assert_int_equal(usage[0].tokens, 24);
        assert_int_equal(usage[0].unique_blocks, 2);
        assert_int_equal(usage[0].shared_blocks, 1);
        assert_int_equal(usage[day].device_tokens, day ? 0 : 24);
        assert_int_equal(usage[0].disk_tokens, day ? 24 : 0);
        assert_int_equal(usage[1].tokens, 16);
        assert_int_equal(usage[1].unique_blocks, 1);
        assert_int_equal(usage[2].tokens + (int32_t)usage[2].unique_blocks, 0); // nobody
        if (day == 0) new_day(&f);
    }
    block_cache_release(f.cache, 8);
    block_cache_conversation_usage(f.cache, names, 3, false, usage);
    assert_int_equal(usage[0].unique_blocks, 3);
    assert_int_equal(usage[1].tokens, 0);
    fixture_deinit(&f);
}

static uint64_t strip(struct cache_fixture *f, uint64_t conversation) { // in blocks
    return block_cache_strip(f->cache, conversation) / kv_block_bytes(&f->shapes[0]);
}

static void strip_removes_only_unshared_blocks(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log live;
    open_with(&f, &DISK_ONLY);
    remember(&f, A8 B8 C8 C8);
    remember(&f, A8 B8 D8);
    (void)hold(&f, 7, A8 B8 C8 C8);
    (void)hold(&f, 8, A8 B8 D8);
    fixture_write_all(&f);
    assert_int_equal(strip(&f, 7), 2);
    fixture_work(&f);
    block_cache_check(f.cache);
    assert_int_equal(memory_store_blocks(f.store), 3);
    assert_int_equal(on_device(&f, A8 B8 C8 C8), 16);
    assert_int_equal(on_device(&f, A8 B8 D8), 24);

    log_of(&f, &live, A8 B8);
    assert_int_equal(fixture_adopt(&f, &live), 16);
    assert_int_equal(strip(&f, 8), 1); // the rest is in use
    fixture_verify(&f, &live);
    (void)hold(&f, 8, A8 B8);
    fixture_log_deinit(&f, &live);
    assert_int_equal(strip(&f, 8), 2);
    fixture_work(&f);
    assert_int_equal(memory_store_blocks(f.store), 0);
    assert_int_equal(fixture_usage(&f).groups[0].device_free, f.shapes[0].num_blocks);
    assert_int_equal(strip(&f, 99), 0);
    new_day(&f);
    (void)bring_back(&f, A8 B8 D8, 0);
    fixture_deinit(&f);
}

// More than the disk's queue has jobs, and the queue is full.
static void strip_reaches_the_disk_past_a_full_queue(void **state) {
    (void)state;
    struct cache_fixture f;
    const struct fixture_options options = {.blocks = 400, .disk_slots = 100};
    open_with(&f, &options);
    for (int32_t i = 0; i < 40; i++) {
        struct fixture_log log;
        log_of(&f, &log, A8);
        while (log.length < FIXTURE_LONGEST)
            fixture_push(&f, &log, 1000 + i);
        fixture_compute(&f, &log);
        fixture_log_deinit(&f, &log);
    }
    fixture_write_all(&f);
    assert_int_equal(memory_store_blocks(f.store), 241);
    (void)hold(&f, 7, A8);
    for (uint64_t i = 100; i < 200; i++)
        block_cache_release(f.cache, i);
    assert_int_equal(strip(&f, 7), 241);
    fixture_work(&f);
    assert_int_equal(memory_store_blocks(f.store), 0);
    new_day(&f);
    assert_int_equal(fixture_usage(&f).disk_blocks, 0);
    fixture_deinit(&f);
}

static void hold_all(struct cache_fixture *f, uint64_t conversation, const char *text) {
    struct fixture_log log;
    log_of(f, &log, text);
    grouped_cache_reference(&f->all, conversation, log.ids, log.length);
    fixture_log_deinit(f, &log);
}

static void strip_removes_the_states_of_its_blocks(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log live;
    open_with(&f, &(struct fixture_options){.blocks = 64, .states = true});
    const uint64_t block = kv_block_bytes(&f.shapes[0]), one = kv_block_bytes(&f.shapes[1]);
    remember(&f, A8 B8); // each has a state at its end
    remember(&f, A8 B8 C8 C8);
    remember(&f, A8 B8 D8);
    hold_all(&f, 7, A8 B8 C8 C8);
    hold_all(&f, 8, A8 B8 D8);
    fixture_write_all(&f);
    assert_int_equal(memory_store_blocks(f.store), 5 + 3);
    assert_int_equal(fixture_usage(&f).groups[1].device_cached, 3);
    assert_int_equal(grouped_cache_strip(&f.all, 7), 2 * block + one);
    fixture_work(&f);
    fixture_check(&f);
    assert_int_equal(memory_store_blocks(f.store), 3 + 2);
    assert_int_equal(fixture_usage(&f).groups[1].device_cached, 2);

    log_of(&f, &live, A8 B8 "c");
    assert_int_equal(fixture_adopt(&f, &live), 16);
    assert_int_equal(grouped_cache_strip(&f.all, 8), block + one); // the rest is in use
    fixture_verify(&f, &live);
    hold_all(&f, 8, A8 B8);
    fixture_log_deinit(&f, &live);
    assert_int_equal(grouped_cache_strip(&f.all, 8), 2 * block + one);
    fixture_work(&f);
    assert_int_equal(memory_store_blocks(f.store), 0);
    assert_int_equal(fixture_usage(&f).groups[1].device_cached, 0);
    fixture_deinit(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_computed_twice_at_once_are_deduplicated),
        cmocka_unit_test(writing_to_a_fork_copies_one_block),
        cmocka_unit_test(truncating_and_extending_leaves_sealed_blocks_unchanged),
        cmocka_unit_test(a_found_tail_is_extended_in_place),
        cmocka_unit_test(a_writer_copies_a_shared_tail),
        cmocka_unit_test(a_fork_can_end_while_its_source_is_computing),
        cmocka_unit_test(leaves_are_evicted_before_their_parents),
        cmocka_unit_test(a_parent_ranks_no_lower_than_its_children),
        cmocka_unit_test(pinned_blocks_are_evicted_last),
        cmocka_unit_test(a_long_job_does_not_evict_reused_blocks),
        cmocka_unit_test(a_failed_grow_changes_nothing),
        cmocka_unit_test(blocks_evicted_to_the_host_return_unchanged),
        cmocka_unit_test(a_full_host_tier_evicts_its_oldest_leaf),
        cmocka_unit_test(blocks_written_behind_are_evicted_and_read_back),
        cmocka_unit_test(disk_reads_overtake_queued_writes),
        cmocka_unit_test(a_restart_finds_every_block_and_tail_on_disk),
        cmocka_unit_test(the_plan_restores_only_what_is_cheaper_than_prefill),
        cmocka_unit_test(failed_writes_are_retried_and_lose_no_block),
        cmocka_unit_test(a_job_that_is_refused_does_not_end_the_pause_after_a_failure),
        cmocka_unit_test(a_failed_read_keeps_the_prefix_before_it),
        cmocka_unit_test(damaged_blocks_are_dropped_and_recomputed),
        cmocka_unit_test(blocks_dropped_by_the_disk_are_forgotten),
        cmocka_unit_test(the_cache_runs_without_a_disk_that_fails_to_open),
        cmocka_unit_test(usage_tells_unique_from_shared_blocks),
        cmocka_unit_test(strip_removes_only_unshared_blocks),
        cmocka_unit_test(strip_reaches_the_disk_past_a_full_queue),
        cmocka_unit_test(strip_removes_the_states_of_its_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
