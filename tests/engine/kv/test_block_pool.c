// tests/engine/kv/test_block_pool.c — block_pool.h against a model that sorts, after each step.
#include "engine/kv/block_pool.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>

enum { MOST = 24, STEPS = 300000 };

// The model: every block's facts, and when it came to its queue. A higher time is later.
struct facts {
    uint32_t references;
    struct node_index node;
    enum block_rank rank;
    uint64_t queued;
};

struct model {
    uint32_t total, lent;
    struct facts blocks[MOST];
    uint64_t time;
};

static uint32_t seed = 20261121;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static bool is_cached(const struct facts *b) { return b->references == 0 && node_valid(b->node); }

static uint32_t count_cached(const struct model *m, int rank) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->total; i++)
        count += is_cached(&m->blocks[i]) && (int)m->blocks[i].rank == rank;
    return count;
}

static struct block_index oldest(const struct model *m, int rank) {
    struct block_index found = BLOCK_NONE;
    for (uint32_t i = 0; i < m->total; i++)
        if (is_cached(&m->blocks[i]) && (int)m->blocks[i].rank == rank &&
            (!block_valid(found) || m->blocks[i].queued < m->blocks[found.number].queued))
            found = (struct block_index){i};
    return found;
}

static void model_release(struct model *m, struct block_index block) {
    struct facts *b = &m->blocks[block.number];
    b->queued = ++m->time;
    if (--b->references > 0) return;
    if (!node_valid(b->node)) b->rank = BLOCK_FRESH;
    if (!node_valid(b->node)) return;
    const uint32_t most[BLOCK_RANK_COUNT] = {m->total, m->total, m->total - m->total / 4,
                                             m->total / 5};
    for (int rank = BLOCK_PINNED; rank > BLOCK_FRESH; rank--) {
        if (count_cached(m, rank) <= most[rank]) continue;
        struct facts *demoted = &m->blocks[oldest(m, rank).number];
        demoted->rank = (enum block_rank)(rank - 1);
        demoted->queued = ++m->time;
    }
}

static void model_set_node(struct model *m, struct block_index block, struct node_index node) {
    struct facts *b = &m->blocks[block.number];
    b->node = node;
    if (b->references == 0 && !node_valid(node)) b->rank = BLOCK_FRESH;
}

static void compare(const struct model *m, const struct block_pool *pool) {
    uint32_t free = 0, cached = 0, shared = 0;
    struct block_index victim = BLOCK_NONE, found = BLOCK_NONE;
    uint64_t spared = 0;
    for (uint32_t i = 0; i < m->total; i++) {
        const struct facts *b = &m->blocks[i];
        const struct block_index block = {i};
        free += b->references == 0 && !node_valid(b->node) && i < m->total - m->lent;
        cached += is_cached(b);
        shared += b->references > 1;
        if (b->references > 1) spared += b->references - 1;
        assert_int_equal(block_pool_references(pool, block), b->references);
        assert_true(node_equal(block_pool_node(pool, block), b->node));
        assert_int_equal(block_pool_rank(pool, block), b->rank);
    }
    for (int rank = BLOCK_PINNED; rank >= BLOCK_RETIRED; rank--)
        if (block_valid(oldest(m, rank))) victim = oldest(m, rank);
    assert_int_equal(block_pool_free(pool), free);
    assert_int_equal(block_pool_lent(pool), m->lent);
    assert_int_equal(block_pool_cached(pool), cached);
    assert_int_equal(block_pool_shared(pool), shared);
    assert_int_equal(block_pool_spared(pool), spared);
    assert_int_equal(block_pool_find_victim(pool, &found), block_valid(victim));
    assert_true(block_equal(found, victim));
    block_pool_check(pool);
}

// Alloc, with an eviction where it needs one.
static void step_alloc(struct model *m, struct block_pool *pool, uint64_t counts[3]) {
    struct block_index block;
    if (block_pool_alloc(pool, &block) == STATUS_FULL) {
        counts[0]++;
        assert_int_equal(block_pool_free(pool), 0);
        if (!block_pool_find_victim(pool, &block)) return;
        counts[1]++;
        block_pool_set_node(pool, block, NODE_NONE);
        model_set_node(m, block, NODE_NONE);
        return;
    }
    struct facts *b = &m->blocks[block.number];
    assert_int_equal(b->references, 0);
    assert_false(node_valid(b->node));
    assert_true(block.number < m->total - m->lent);
    b->references = 1;
}

// Lends the last blocks, or takes some of them back.
static void step_lend(struct model *m, struct block_pool *pool) {
    const uint32_t count = 1 + dice(3), end = m->total - m->lent;
    bool are_free = count <= end;
    for (uint32_t i = 0; i < count && are_free; i++) {
        const struct facts *b = &m->blocks[end - 1 - i];
        are_free = b->references == 0 && !node_valid(b->node);
    }
    if (dice(2)) {
        assert_int_equal(block_pool_lend(pool, count), are_free);
        if (are_free) m->lent += count;
    } else if (count <= m->lent) {
        block_pool_take_back(pool, count);
        m->lent -= count;
    }
}

// Moves what a CACHED block holds to a FREE one that lies before some block.
static void step_replace(struct model *m, struct block_pool *pool, struct block_index block) {
    const uint32_t end = dice(m->total - m->lent + 1);
    struct block_index by;
    bool possible = false;
    for (uint32_t i = 0; i < end; i++)
        possible |= m->blocks[i].references == 0 && !node_valid(m->blocks[i].node);
    assert_int_equal(block_pool_replace(pool, block, end, &by), possible);
    if (!possible) return;
    assert_true(by.number < end);
    assert_true(m->blocks[by.number].references == 0 && !node_valid(m->blocks[by.number].node));
    m->blocks[by.number] = m->blocks[block.number];
    m->blocks[block.number] = (struct facts){.node = NODE_NONE, .rank = BLOCK_FRESH};
}

static void step(struct model *m, struct block_pool *pool, uint64_t counts[3]) {
    const struct block_index block = {dice(m->total)};
    struct facts *b = &m->blocks[block.number];
    const bool is_free = b->references == 0 && !node_valid(b->node);
    const uint32_t verb = dice(12);
    if (verb < 3) {
        step_alloc(m, pool, counts);
    } else if (verb == 3 && !is_free) {
        block_pool_retain(pool, block);
        b->references++;
    } else if (verb == 6 && b->references > 0) {
        block_pool_retire(pool, block);
        if (b->references == 1 && b->rank == BLOCK_FRESH) b->rank = BLOCK_RETIRED;
        model_release(m, block);
    } else if (verb < 6 && b->references > 0) {
        block_pool_release(pool, block);
        model_release(m, block);
    } else if (verb == 7 && !is_free) {
        const struct node_index node = dice(8) ? (struct node_index){dice(1000)} : NODE_NONE;
        block_pool_set_node(pool, block, node);
        model_set_node(m, block, node);
    } else if (verb == 8 && b->references > 0) {
        const enum block_rank rank = (enum block_rank)dice(BLOCK_RANK_COUNT);
        assert_int_equal(block_pool_raise(pool, block, rank), rank > b->rank);
        counts[2]++;
        if (rank > b->rank) b->rank = rank;
    } else if (verb == 9 && !is_free) {
        block_pool_touch(pool, block);
        if (b->references == 0) b->queued = ++m->time;
    } else if (verb == 10) {
        step_lend(m, pool);
    } else if (verb == 11 && is_cached(b)) {
        step_replace(m, pool, block);
    }
}

static void a_random_walk_agrees_with_a_naive_pool(void **state) {
    (void)state;
    uint64_t counts[3] = {0};
    printf("seed %u\n", seed);
    for (uint32_t total = 1; total <= MOST; total = total < 4 ? total + 1 : total + 5) {
        struct block_pool *pool = block_pool_create(total);
        static struct model model;
        model = (struct model){.total = total};
        for (uint32_t i = 0; i < total; i++)
            model.blocks[i] = (struct facts){.node = NODE_NONE, .rank = BLOCK_FRESH};
        assert_int_equal(block_pool_total(pool), total);
        for (int i = 0; i < STEPS / 8; i++) {
            step(&model, pool, counts);
            compare(&model, pool);
        }
        block_pool_destroy(pool);
    }
    assert_true(counts[0] > 1000 && counts[1] > 1000 && counts[2] > 1000);
}

static struct block_index cached_block(struct block_pool *pool, struct node_index node) {
    struct block_index block;
    assert_int_equal(block_pool_alloc(pool, &block), STATUS_OK);
    block_pool_set_node(pool, block, node);
    block_pool_release(pool, block);
    return block;
}

static void the_last_freed_block_is_allocated_first(void **state) {
    (void)state;
    struct block_pool *pool = block_pool_create(4);
    struct block_index blocks[4], again;
    for (int i = 0; i < 4; i++)
        assert_int_equal(block_pool_alloc(pool, &blocks[i]), STATUS_OK);
    block_pool_release(pool, blocks[2]);
    block_pool_release(pool, blocks[1]);
    assert_int_equal(block_pool_alloc(pool, &again), STATUS_OK);
    assert_true(block_equal(again, blocks[1]));
    block_pool_destroy(pool);
}

static void eviction_goes_by_rank_then_by_release_time(void **state) {
    (void)state;
    struct block_pool *pool = block_pool_create(8);
    struct block_index blocks[4], victim;
    for (uint32_t i = 0; i < 4; i++)
        blocks[i] = cached_block(pool, (struct node_index){i});
    block_pool_retain(pool, blocks[0]);
    assert_true(block_pool_raise(pool, blocks[0], BLOCK_PINNED));
    assert_false(block_pool_raise(pool, blocks[0], BLOCK_REUSED)); // never lowered
    block_pool_release(pool, blocks[0]);
    block_pool_retain(pool, blocks[1]);
    assert_true(block_pool_raise(pool, blocks[1], BLOCK_REUSED));
    block_pool_release(pool, blocks[1]);
    block_pool_touch(pool, blocks[2]);
    const struct block_index order[4] = {blocks[3], blocks[2], blocks[1], blocks[0]};
    for (int i = 0; i < 4; i++) {
        assert_true(block_pool_find_victim(pool, &victim));
        assert_true(block_equal(victim, order[i]));
        block_pool_set_node(pool, victim, NODE_NONE);
    }
    assert_false(block_pool_find_victim(pool, &victim));
    assert_int_equal(block_pool_free(pool), 8);
    block_pool_destroy(pool);
}

static void a_freed_block_becomes_fresh_again(void **state) {
    (void)state;
    struct block_pool *pool = block_pool_create(1);
    struct block_index block;
    assert_int_equal(block_pool_alloc(pool, &block), STATUS_OK);
    assert_true(block_pool_raise(pool, block, BLOCK_PINNED));
    block_pool_release(pool, block);
    assert_int_equal(block_pool_rank(pool, block), BLOCK_FRESH);
    block_pool_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_walk_agrees_with_a_naive_pool),
        cmocka_unit_test(the_last_freed_block_is_allocated_first),
        cmocka_unit_test(eviction_goes_by_rank_then_by_release_time),
        cmocka_unit_test(a_freed_block_becomes_fresh_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
