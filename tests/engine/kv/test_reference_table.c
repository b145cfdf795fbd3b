// tests/engine/kv/test_reference_table.c — random changes against a plain array, and how many
// entries a look-up compares, however many there are.
#include "engine/kv/reference_table.h"
#include "tests/check.h"

static uint64_t draw(uint64_t *random) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

static void the_reference_table_agrees_with_a_plain_array(void **state) {
    (void)state;
    enum { CONVERSATIONS = 40, CAPACITY = 24, STEPS = 20000 };
    struct node_index leaves[CONVERSATIONS]; // NODE_NONE: not entered
    uint64_t random = 7;
    uint32_t count = 0;
    struct reference_table table;
    assert_int_equal(reference_table_init(&table, CAPACITY), STATUS_OK);
    for (int i = 0; i < CONVERSATIONS; i++)
        leaves[i] = NODE_NONE;
    print_message("seed %d\n", 7);
    for (int step = 0; step < STEPS; step++) {
        const uint64_t conversation = draw(&random) % CONVERSATIONS;
        const struct node_index leaf = {(uint32_t)(draw(&random) % 1000)};
        struct reference *found = reference_find(&table, conversation);
        assert_int_equal(found != NULL, node_valid(leaves[conversation]));
        if (found) assert_true(node_equal(found->leaf, leaves[conversation]));
        if (found && draw(&random) % 2) {
            reference_remove(&table, found);
            leaves[conversation] = NODE_NONE;
            count--;
        } else {
            struct reference *entered = reference_enter(&table, conversation);
            assert_int_equal(entered != NULL, found || count < CAPACITY);
            count += entered && !found;
            if (entered) leaves[conversation] = entered->leaf = leaf;
        }
        assert_int_equal(table.count, count);
        reference_table_check(&table);
    }
    reference_table_deinit(&table);
}

// Numbers as conversations have them, and numbers in a row: neither may share a few chains.
static void lookup_cost_does_not_grow_with_the_entry_count(void **state) {
    (void)state;
    static const uint32_t COUNTS[] = {1000, 65536};
    for (int in_row = 0; in_row < 2; in_row++)
        for (int i = 0; i < 2; i++) {
            const uint32_t count = COUNTS[i];
            uint64_t random = 3;
            struct reference_table table;
            assert_int_equal(reference_table_init(&table, 65536), STATUS_OK);
            for (uint32_t k = 0; k < count; k++)
                assert_non_null(reference_enter(&table, in_row ? k : draw(&random)));
            reference_table_check(&table);
            const uint64_t to_enter = table.compared;
            random = 3;
            for (uint32_t k = 0; k < count; k++)
                assert_non_null(reference_find(&table, in_row ? k : draw(&random)));
            const uint64_t to_find = table.compared - to_enter;
            print_message("%u references: %.2f compared to enter one, %.2f to find one\n", count,
                          (double)to_enter / count, (double)to_find / count);
            assert_true(to_enter < 2 * (uint64_t)count && to_find < 2 * (uint64_t)count);
            reference_table_deinit(&table);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_table_agrees_with_a_plain_array),
        cmocka_unit_test(lookup_cost_does_not_grow_with_the_entry_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
