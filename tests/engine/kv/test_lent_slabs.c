// tests/engine/kv/test_lent_slabs.c — which blocks are lent, and when, while others come and go.
//
// The device is this test: it wants so many slabs, and notes where they lie.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdlib.h>

#include "engine/kv/lending.h"
#include "kernels/offload.h"

enum { BLOCKS = 96, SLAB_BLOCKS = 3, MOST_SLABS = 16, SHARE = BLOCKS / 16, STEPS = 20000 };

static char data[BLOCKS << 8];
static const struct kv_cache shape = {.data = data,
                                      .type = DTYPE_F32,
                                      .num_layers = 1,
                                      .num_kv_heads = 1,
                                      .head_size = 8,
                                      .block_size = 4,
                                      .num_blocks = BLOCKS};

static char *slabs[2 * MOST_SLABS];
static int slab_count, wanted; // lent, and at most

size_t __wrap_offload_slab_bytes(const struct device *device);
bool __wrap_offload_lend(struct device *device, void *slab);
bool __wrap_offload_wants_slab(const struct device *device);
void __wrap_offload_take_back(struct device *device);

size_t __wrap_offload_slab_bytes(const struct device *device) { // of not quite whole blocks
    return device || wanted == 0 ? 0 : SLAB_BLOCKS * kv_block_bytes(&shape) - 1;
}

bool __wrap_offload_wants_slab(const struct device *device) {
    return !device && slab_count < wanted;
}

bool __wrap_offload_lend(struct device *device, void *slab) {
    if (!__wrap_offload_wants_slab(device)) return false;
    slabs[slab_count++] = slab;
    return true;
}

void __wrap_offload_take_back(struct device *device) {
    assert_null(device);
    assert_true(slab_count > 0);
    slab_count--;
}

static unsigned dice(unsigned *seed, unsigned sides) { return (unsigned)rand_r(seed) % sides; }

static bool is_free(const struct block_pool *pool, uint32_t number) {
    return block_pool_references(pool, (struct block_index){number}) == 0;
}

// Slabs lie one before the other at the end of the pool, and as many more are lent as may be.
static void check(const struct lending *lending, bool has_lent) {
    const uint32_t free = block_pool_free(lending->pool), lent = block_pool_lent(lending->pool);
    const uint32_t end = BLOCKS - lent;
    assert_int_equal(lent, slab_count * SLAB_BLOCKS);
    for (int i = 0; i < slab_count; i++)
        assert_ptr_equal(slabs[i],
                         data + (size_t)(BLOCKS - (i + 1) * SLAB_BLOCKS) * kv_block_bytes(&shape));
    if (has_lent) assert_true(free >= SLAB_BLOCKS + SHARE);
    bool may_lend = slab_count < wanted && free >= 2 * SLAB_BLOCKS + SHARE;
    for (uint32_t i = end; i > end - SLAB_BLOCKS && may_lend; i--)
        may_lend = is_free(lending->pool, i - 1);
    assert_false(may_lend);
    block_pool_check(lending->pool);
}

// A block, for which a slab goes back if none is FREE. False: all are USED.
static bool take_block(struct lending *lending, struct block_index *block) {
    if (block_pool_alloc(lending->pool, block) == STATUS_OK) return true;
    const int before = slab_count;
    assert_int_equal(lending_take_back(lending), before > 0);
    if (before == 0) return false;
    assert_int_equal(slab_count, before - 1);
    assert_int_equal(block_pool_free(lending->pool), SLAB_BLOCKS);
    lending_lend(lending); // it stays with the cache
    assert_int_equal(slab_count, before - 1);
    assert_int_equal(block_pool_alloc(lending->pool, block), STATUS_OK);
    return true;
}

static void blocks_are_lent_as_long_as_some_stay_free(void **state) {
    struct block_pool *pool = block_pool_create(BLOCKS);
    struct block_index used[BLOCKS];
    struct lending lending;
    unsigned seed = 4711, count = 0, most = 0, refused = 0;
    (void)state;
    assert_non_null(pool);
    assert_true(BLOCKS * kv_block_bytes(&shape) <= sizeof data);
    wanted = MOST_SLABS;
    slab_count = 0;
    lending_init(&lending, NULL, &shape, pool);
    for (int step = 0; step < STEPS; step++) {
        const bool fills = step / 500 % 2;
        const int before = slab_count;
        lending_lend(&lending);
        check(&lending, slab_count > before);
        if ((unsigned)slab_count > most) most = (unsigned)slab_count;
        if (dice(&seed, 8) < (fills ? 6 : 2)) {
            if (take_block(&lending, &used[count]))
                count++;
            else
                refused++;
        } else if (count > 0) {
            const unsigned at = dice(&seed, count);
            block_pool_release(pool, used[at]);
            used[at] = used[--count];
        }
    }
    assert_int_equal(most, MOST_SLABS);
    assert_true(refused > 0);
    block_pool_destroy(pool);
}

// After a slab went back, and after each wish, some steps pass first.
static void wishes_come_after_quiet_steps(void **state) {
    struct block_pool *pool = block_pool_create(BLOCKS);
    struct block_index block;
    struct lending lending;
    struct lending_wish wish;
    (void)state;
    assert_non_null(pool);
    wanted = MOST_SLABS;
    slab_count = 0;
    lending_init(&lending, NULL, &shape, pool);
    for (int i = 0; i < BLOCKS; i++) // nothing is FREE
        assert_int_equal(block_pool_alloc(pool, &block), STATUS_OK);
    for (int round = 0; round < 3; round++)
        for (int step = 1; step <= LENDING_QUIET_STEPS; step++) {
            lending_lend(&lending);
            assert_int_equal(lending_wishes(&lending, &wish), step == LENDING_QUIET_STEPS);
        }
    assert_int_equal(wish.first, BLOCKS - SLAB_BLOCKS);
    assert_int_equal(wish.count, SLAB_BLOCKS);
    assert_int_equal(wish.free, 2 * SLAB_BLOCKS + SHARE);
    for (uint32_t i = 0; i < wish.free; i++) // as the wish has it
        block_pool_release(pool, (struct block_index){BLOCKS - 1 - i});
    for (int step = 1; step < LENDING_QUIET_STEPS; step++)
        lending_lend(&lending);
    assert_int_equal(slab_count, 1);
    assert_true(lending_take_back(&lending));
    for (uint32_t i = 0; i < wish.free; i++)
        assert_int_equal(block_pool_alloc(pool, &block), STATUS_OK);
    for (int step = 1; step <= LENDING_QUIET_STEPS; step++) {
        lending_lend(&lending);
        assert_int_equal(lending_wishes(&lending, &wish), step == LENDING_QUIET_STEPS);
    }
    block_pool_destroy(pool);
}

// The device has enough, or the pool has lent what it can.
static void no_more_slabs_are_asked_for_than_are_wanted(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct block_pool *pool = block_pool_create(BLOCKS);
        struct lending lending;
        struct lending_wish wish;
        assert_non_null(pool);
        wanted = i ? 2 * MOST_SLABS : 2;
        slab_count = 0;
        lending_init(&lending, NULL, &shape, pool);
        for (int step = 0; step <= LENDING_QUIET_STEPS; step++) {
            lending_lend(&lending);
            assert_false(lending_wishes(&lending, &wish));
        }
        assert_int_equal(slab_count, i ? (BLOCKS - SLAB_BLOCKS - SHARE) / SLAB_BLOCKS : 2);
        block_pool_destroy(pool);
    }
}

// Nor does a pool that is no larger than a slab lend one.
static void a_device_without_use_for_slabs_is_lent_none(void **state) {
    struct kv_cache small = shape;
    struct lending lending;
    struct lending_wish wish;
    (void)state;
    for (int i = 0; i < 2; i++) {
        small.num_blocks = i ? SLAB_BLOCKS : BLOCKS;
        struct block_pool *pool = block_pool_create(small.num_blocks);
        assert_non_null(pool);
        wanted = i ? 1 : 0;
        slab_count = 0;
        lending_init(&lending, NULL, &small, pool);
        for (int step = 0; step <= LENDING_QUIET_STEPS; step++) {
            lending_lend(&lending);
            assert_false(lending_wishes(&lending, &wish));
        }
        assert_false(lending_take_back(&lending));
        assert_int_equal(slab_count, 0);
        block_pool_destroy(pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_lent_as_long_as_some_stay_free),
        cmocka_unit_test(wishes_come_after_quiet_steps),
        cmocka_unit_test(no_more_slabs_are_asked_for_than_are_wanted),
        cmocka_unit_test(a_device_without_use_for_slabs_is_lent_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
