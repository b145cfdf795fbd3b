// tests/engine/kv/test_block_table.c — block_pool.h and block_table.h rule by rule, then at random.
#include "engine/kv/block_table.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>

static void a_full_pool_returns_full_and_recovers(void **state) {
    (void)state;
    struct block_pool *pool = block_pool_create(1);
    struct block_index first, second = {77};
    assert_int_equal(block_pool_alloc(pool, &first), STATUS_OK);
    assert_int_equal(block_pool_alloc(pool, &second), STATUS_FULL);
    assert_int_equal(second.number, 77); // an out-parameter is untouched on failure
    block_pool_release(pool, first);
    assert_int_equal(block_pool_alloc(pool, &second), STATUS_OK);
    block_pool_release(pool, second);
    block_pool_check(pool);
    block_pool_destroy(pool);
}

static void a_table_allocates_blocks_only_as_it_grows(void **state) {
    (void)state;
    struct block_pool *pool = block_pool_create(8);
    struct block_table table;
    struct block_copy copy;
    assert_int_equal(block_table_init(&table, 100, 16), STATUS_OK);
    for (int32_t length = 1; length <= 100; length++) {
        assert_int_equal(block_table_grow(&table, pool, length, &copy), STATUS_OK);
        assert_false(copy.needed);
        assert_int_equal(table.count, (length + 15) / 16); // the waste is less than one block
        block_table_check(&table, pool);
    }
    block_table_deinit(&table, pool);
    assert_int_equal(block_pool_free(pool), 8);
    block_pool_destroy(pool);
}

static void a_grow_that_does_not_fit_changes_nothing(void **state) {
    (void)state;
    struct block_pool *pool = block_pool_create(2);
    struct block_table table;
    struct block_copy copy = {.source = {5}};
    assert_int_equal(block_table_init(&table, 100, 16), STATUS_OK);
    assert_int_equal(block_table_grow(&table, pool, 33, &copy), STATUS_FULL);
    assert_int_equal(copy.source.number, 5);
    assert_int_equal(table.count, 0);
    assert_int_equal(block_pool_free(pool), 2);
    block_table_deinit(&table, pool);
    block_pool_destroy(pool);
}

static void a_fork_copies_one_block_on_its_first_write(void **state) {
    (void)state;
    struct block_pool *pool = block_pool_create(16);
    struct block_table table, fork;
    struct block_copy copy;
    assert_int_equal(block_table_init(&table, 200, 16), STATUS_OK);
    assert_int_equal(block_table_init(&fork, 200, 16), STATUS_OK);
    assert_int_equal(block_table_grow(&table, pool, 40, &copy), STATUS_OK);
    block_table_fork(&table, pool, 40, &fork);
    assert_int_equal(block_pool_free(pool), 13); // nothing taken
    assert_int_equal(block_pool_shared(pool), 3);

    assert_int_equal(block_table_grow(&fork, pool, 41, &copy), STATUS_OK);
    assert_true(copy.needed);
    assert_true(block_equal(copy.source, table.blocks[2]));
    assert_true(block_equal(copy.destination, fork.blocks[2]));
    assert_false(block_equal(fork.blocks[2], table.blocks[2]));
    assert_true(block_equal(fork.blocks[1], table.blocks[1]));

    assert_int_equal(block_table_grow(&table, pool, 41, &copy), STATUS_OK);
    assert_false(copy.needed); // the tail is its own again
    block_table_deinit(&table, pool);
    block_table_deinit(&fork, pool);
    assert_int_equal(block_pool_free(pool), 16);
    block_pool_destroy(pool);
}

// The plainest model of a paged cache: what is in every slot of every block, and what each
// sequence should read back. Growing writes fresh values; forks and truncations must never
// change what somebody else reads.
enum { BLOCKS = 24, SIZE = 4, TABLES = 5, LONGEST = 40 };

struct model {
    int slots[BLOCKS][SIZE];
    int expected[TABLES][LONGEST];
};

static void write_tokens(struct model *model, const struct block_table *table, int who, int from,
                         int *fresh) {
    for (int i = from; i < table->length; i++)
        model->slots[table->blocks[i / SIZE].number][i % SIZE] = model->expected[who][i] = ++*fresh;
}

static void tables_read_back_their_writes_in_a_random_walk(void **state) {
    (void)state;
    static struct model model;
    struct block_pool *pool = block_pool_create(BLOCKS);
    struct block_table tables[TABLES];
    uint32_t seed = 20261121;
    int fresh = 0, fulls = 0, copies = 0;
    printf("seed %u\n", seed);
    for (int i = 0; i < TABLES; i++)
        assert_int_equal(block_table_init(&tables[i], LONGEST, SIZE), STATUS_OK);
    for (int step = 0; step < 100000; step++) {
        seed = seed * 1664525u + 1013904223u;
        const int who = (int)(seed >> 28) % TABLES, other = (int)(seed >> 24 & 15) % TABLES;
        const int32_t amount = (int32_t)(seed >> 16 & 255), length = tables[who].length;
        const int verb = (int)(seed >> 12 & 3);
        if (verb < 2 && length < LONGEST) {
            struct block_copy copy;
            const int32_t longer = length + 1 + amount % (LONGEST - length);
            if (block_table_grow(&tables[who], pool, longer, &copy) == STATUS_OK) {
                if (copy.needed)
                    memcpy(model.slots[copy.destination.number], model.slots[copy.source.number],
                           sizeof model.slots[0]);
                copies += copy.needed;
                write_tokens(&model, &tables[who], who, length, &fresh);
            } else {
                fulls++;
            }
        } else if (verb == 2) {
            block_table_truncate(&tables[who], pool, amount % (length + 1));
        } else if (other != who) {
            block_table_truncate(&tables[other], pool, 0);
            block_table_fork(&tables[who], pool, amount % (length + 1), &tables[other]);
            memcpy(model.expected[other], model.expected[who], sizeof model.expected[0]);
        }
        block_pool_check(pool);
        for (int t = 0; t < TABLES; t++) {
            block_table_check(&tables[t], pool);
            for (int i = 0; i < tables[t].length; i++)
                assert_int_equal(model.slots[tables[t].blocks[i / SIZE].number][i % SIZE],
                                 model.expected[t][i]);
        }
    }
    assert_true(fulls > 100 && copies > 100); // else the walk has missed its point
    for (int i = 0; i < TABLES; i++)
        block_table_deinit(&tables[i], pool);
    assert_int_equal(block_pool_free(pool), BLOCKS);
    block_pool_destroy(pool);
}

static void a_sparse_table_keeps_the_last_block_of_each_grow(void **state) {
    (void)state;
    struct block_pool *pool = block_pool_create(8);
    struct block_table table, fork;
    struct block_copy copy;
    assert_int_equal(block_table_init(&table, 200, 16), STATUS_OK);
    assert_int_equal(block_table_init(&fork, 200, 16), STATUS_OK);
    table.sparse = fork.sparse = true;
    assert_int_equal(block_table_need(&table, pool, 96), 1);
    assert_int_equal(block_table_grow(&table, pool, 96, &copy), STATUS_OK);
    assert_int_equal(block_table_grow(&table, pool, 101, &copy), STATUS_OK);
    assert_int_equal(block_pool_free(pool), 6);
    assert_int_equal(block_table_blocks(&table), 2);
    static const int32_t lasts[][2] = {{101, 101}, {100, 96}, {96, 96}, {95, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof lasts / sizeof lasts[0]; i++)
        assert_int_equal(block_table_last_state(&table, lasts[i][0]), lasts[i][1]);

    block_table_fork(&table, pool, 101, &fork);
    assert_int_equal(block_table_need(&fork, pool, 102), 1); // a copy: it is written in place
    assert_int_equal(block_table_grow(&fork, pool, 102, &copy), STATUS_OK);
    assert_true(copy.needed && block_equal(copy.source, table.blocks[6]) &&
                block_equal(copy.destination, fork.blocks[6]));
    block_table_check(&fork, pool);

    assert_int_equal(block_table_grow(&table, pool, 120, &copy), STATUS_OK);
    block_table_drop_state(&table, pool, 101); // it has no state after 112 tokens
    assert_int_equal(block_table_last_state(&table, 119), 96);
    block_table_truncate(&table, pool, 96);
    block_table_skip(&table, pool, 5);
    block_table_check(&table, pool);
    assert_int_equal(block_table_last_state(&table, 96), 96);
    block_table_deinit(&table, pool);
    block_table_deinit(&fork, pool);
    assert_int_equal(block_pool_free(pool), 8);
    block_pool_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_pool_returns_full_and_recovers),
        cmocka_unit_test(a_table_allocates_blocks_only_as_it_grows),
        cmocka_unit_test(a_grow_that_does_not_fit_changes_nothing),
        cmocka_unit_test(a_fork_copies_one_block_on_its_first_write),
        cmocka_unit_test(a_sparse_table_keeps_the_last_block_of_each_grow),
        cmocka_unit_test(tables_read_back_their_writes_in_a_random_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
