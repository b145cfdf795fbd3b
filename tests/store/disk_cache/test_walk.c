// tests/store/disk_cache/test_walk.c — random operations and reopenings against the plainest model:
// an array of what is there.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/disk_cache/disk_fixture.h"
#include "tests/store/store_fixture.h"

enum { SEEDS = 4, STEPS = 700, CONVERSATIONS = 6, PAYLOAD = 8000, LIMIT = 1400 * 1024 };

struct walk {
    struct disk_fixture fixture;
    bool present[FIXTURE_BLOCKS];
    int64_t drops[FIXTURE_BLOCKS]; // scratch of drop_one()
    int64_t leaves[CONVERSATIONS];
    int64_t made; // numbers up to it were used
    uint32_t random;
    int full;
};

static struct walk walk;
static struct listed listed;

static uint32_t draw_below(uint32_t below) {
    walk.random = walk.random * 1664525u + 1013904223u;
    return (walk.random >> 8) % below;
}

// A block that was made once, there or not; 0 when there is none yet.
static int64_t draw_block(void) {
    return walk.made == 0 ? 0 : 1 + (int64_t)draw_below((uint32_t)walk.made);
}

// What the pool gave up is gone from the model too, and conversations need what is left above it.
static void follow_drops(void) {
    for (int64_t i = 1; i <= walk.made; i++)
        if (walk.fixture.dropped[i]) walk.present[i] = false;
    for (int i = 0; i < CONVERSATIONS; i++)
        while (walk.leaves[i] && !walk.present[walk.leaves[i]])
            walk.leaves[i] = walk.fixture.parents[walk.leaves[i]];
    memset(walk.fixture.dropped, 0, sizeof walk.fixture.dropped);
}

// The blocks of this write are made first, so what was dropped for them is not one of them.
static void settle_write(enum status status, const int64_t *numbers, int32_t count) {
    follow_drops();
    if (status != STATUS_FULL && status != STATUS_NOT_FOUND) must(status, &walk.fixture.err);
    for (int32_t i = 0; i < count; i++) {
        const int64_t parent = walk.fixture.parents[numbers[i]];
        const enum status outcome = walk.fixture.outcomes[i];
        const bool possible = parent == 0 || walk.present[parent];
        walk.full += outcome == STATUS_FULL;
        if (outcome == STATUS_FULL)
            assert_true(walk.fixture.limit_bytes > 0 && !walk.present[numbers[i]]);
        else
            assert_int_equal(outcome, possible ? STATUS_OK : STATUS_NOT_FOUND);
        if (outcome == STATUS_OK) walk.present[numbers[i]] = true;
    }
    if (walk.fixture.limit_bytes > 0)
        assert_true(disk_fixture_stored(&walk.fixture) <= walk.fixture.limit_bytes);
}

static void write_new(void) {
    int64_t numbers[DISK_MAX_BATCH];
    const int32_t count = 1 + (int32_t)draw_below(draw_below(4) == 0 ? DISK_MAX_BATCH : 4);
    if (walk.made + count >= FIXTURE_BLOCKS) return;
    const int64_t first = walk.made + 1, parent = draw_below(4) == 0 ? 0 : draw_block();
    for (int32_t i = 0; i < count; i++)
        numbers[i] = first + i;
    walk.made += count;
    settle_write(disk_fixture_write(&walk.fixture, first, count, parent), numbers, count);
}

static void write_again(void) {
    int64_t numbers[DISK_MAX_BATCH];
    const int32_t count = 1 + (int32_t)draw_below(5);
    if (walk.made == 0) return;
    for (int32_t i = 0; i < count; i++)
        numbers[i] = draw_block();
    settle_write(disk_fixture_write_these(&walk.fixture, numbers, count), numbers, count);
}

static void read_one(void) {
    const int64_t number = draw_block();
    if (number == 0) return;
    assert_int_equal(disk_fixture_read(&walk.fixture, number),
                     walk.present[number] ? STATUS_OK : STATUS_NOT_FOUND);
}

// What hangs on it goes with it.
static void drop_one(void) {
    const int64_t number = draw_block();
    if (number == 0) return;
    disk_fixture_drop(&walk.fixture, number);
    for (int64_t i = number; i <= walk.made; i++) { // a child has a higher number
        const bool hangs = i == number || walk.drops[walk.fixture.parents[i]] == number;
        walk.drops[i] = hangs ? number : 0;
        assert_int_equal(walk.fixture.dropped[i], hangs && walk.present[i]);
    }
    follow_drops();
}

static void change_reference(void) {
    const uint32_t conversation = draw_below(CONVERSATIONS);
    const int64_t leaf = draw_below(4) == 0 ? 0 : draw_block();
    if (leaf == 0 || walk.present[leaf]) walk.leaves[conversation] = leaf;
    disk_fixture_reference(&walk.fixture, conversation, leaf);
}

static void pass_time(void) {
    disk_fixture_sql(&walk.fixture, "UPDATE kv_slot SET used = used - 1");
}

static void close_and_look(void) {
    struct disk_cache_summary summary;
    disk_fixture_close(&walk.fixture);
    const uint32_t what = draw_below(8);
    char path[128];
    if (what == 0 && draw_below(4) == 0) { // files without an index are of no use
        disk_fixture_path(&walk.fixture, "index.db", path);
        assert_int_equal(unlink(path), 0);
        memset(walk.leaves, 0, sizeof walk.leaves);
        memset(walk.present, 0, sizeof walk.present);
    } else if (what == 1) {
        const struct disk_cache_report report = disk_fixture_check(&walk.fixture);
        assert_int_equal(report.damaged, 0);
        assert_int_equal(report.missing, 0);
    } else {
        must(disk_cache_summarise(walk.fixture.folder, &summary, &walk.fixture.err),
             &walk.fixture.err);
        assert_int_equal(summary.stored_bytes,
                         summary.block_bytes + summary.free_bytes + summary.index_bytes);
        assert_int_equal(summary.stored_bytes, disk_fixture_stored(&walk.fixture));
        assert_true(summary.unreferenced_bytes <= summary.block_bytes);
        disk_cache_summary_deinit(&summary);
    }
    disk_fixture_open(&walk.fixture);
}

static void check_list(void) {
    disk_fixture_list(&walk.fixture, &listed);
    for (int64_t i = 1; i <= walk.made; i++)
        assert_int_equal(listed.listed[i], walk.present[i]);
    for (int i = 0; i < CONVERSATIONS; i++)
        assert_int_equal(listed.leaves[i], walk.leaves[i]);
}

static void step_walk(void) {
    const uint32_t what = draw_below(100);
    if (what < 22)
        write_new();
    else if (what < 40)
        write_again();
    else if (what < 60)
        read_one();
    else if (what < 70)
        drop_one();
    else if (what < 82)
        change_reference();
    else if (what < 90)
        pass_time();
    else if (what < 95)
        close_and_look();
    else
        check_list();
}

static void take_walks(uint64_t limit_bytes) {
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        print_message("seed %u\n", seed);
        walk = (struct walk){.random = seed};
        disk_fixture_init(&walk.fixture, PAYLOAD, true);
        walk.fixture.limit_bytes = limit_bytes;
        disk_fixture_open(&walk.fixture);
        for (int i = 0; i < STEPS; i++)
            step_walk();
        check_list();
        disk_fixture_read_all(&walk.fixture, &listed);
        follow_drops();
        check_list();
        print_message("%lld blocks made, %d there, %d writes were FULL\n", (long long)walk.made,
                      listed.count, walk.full);
        assert_true(listed.count > 20);
        disk_fixture_deinit(&walk.fixture);
    }
}

static void a_random_walk_agrees_with_a_naive_cache(void **state) {
    (void)state;
    take_walks(0);
}

static void a_random_walk_agrees_within_a_limit(void **state) {
    (void)state;
    take_walks(LIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_walk_agrees_with_a_naive_cache),
        cmocka_unit_test(a_random_walk_agrees_within_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
