// tests/engine/test_forward.c — properties of the whole: what must not change an answer.
//
// Each on both processor backends and to the bit: a token's logits depend on the tokens before
// it and on nothing else.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/rig/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 101, VOCABULARY_MAX = 512 };

static const char *const names[] = {"llama", "qwen2", "qwen3"};
static uint32_t seed = 42;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static void random_ids(int32_t *ids, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        ids[i] = (int32_t)dice(256);
}

static void open_model(struct rig *rig, const char *name, const struct backend *backend) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s.gguf", TESTS_DIR, name);
    rig_open(rig, &(struct rig_options){.path = path, .backend = backend, .kv_type = DTYPE_F16});
    assert_true(rig->model.config.vocabulary <= VOCABULARY_MAX);
}

static void new_table(struct rig *rig, struct block_table *table) {
    assert_int_equal(block_table_init(table, 512, rig->cache.block_size), STATUS_OK);
}

// The logits after ids[0..LENGTH), computed in one go on a fresh table.
static void whole(struct rig *rig, const int32_t *ids, float *logits) {
    struct block_table table;
    new_table(rig, &table);
    memcpy(logits, rig_run(rig, &table, ids, 0, LENGTH, 1),
           (size_t)rig->model.config.vocabulary * sizeof logits[0]);
    block_table_deinit(&table, rig->pool);
}

static void for_each_rig(void (*check)(struct rig *rig)) {
    const struct backend *const backends[] = {backend_reference(), backend_cpu()};
    for (size_t b = 0; b < 2; b++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            struct rig rig;
            open_model(&rig, names[n], backends[b]);
            check(&rig);
            block_pool_check(rig.pool);
            assert_int_equal(block_pool_free(rig.pool), block_pool_total(rig.pool));
            rig_close(&rig);
        }
}

static void assert_same_bits(const struct rig *rig, const float *found, const float *expected) {
    assert_memory_equal(found, expected, (size_t)rig->model.config.vocabulary * sizeof found[0]);
}

static void check_chunks(struct rig *rig) {
    int32_t ids[LENGTH];
    float expected[VOCABULARY_MAX];
    random_ids(ids, LENGTH);
    whole(rig, ids, expected);
    for (int round = 0; round < 4; round++) {
        struct block_table table;
        const float *logits = NULL;
        new_table(rig, &table);
        for (int32_t done = 0; done < LENGTH;) {
            const int32_t most = round == 0 ? 1 : 30; // the first round goes one by one
            int32_t count = 1 + (int32_t)dice((uint32_t)most);
            if (count > LENGTH - done) count = LENGTH - done;
            logits = rig_run(rig, &table, ids + done, done, count, 1);
            done += count;
        }
        assert_same_bits(rig, logits, expected);
        block_table_deinit(&table, rig->pool);
    }
}

static void chunked_prefill_equals_whole(void **state) {
    (void)state;
    for_each_rig(check_chunks);
}

// The same tokens with their blocks side by side, and strewn over the pool in random order.
static void check_scatter(struct rig *rig) {
    int32_t ids[LENGTH];
    float expected[VOCABULARY_MAX];
    random_ids(ids, LENGTH);
    whole(rig, ids, expected); // a fresh pool gives neighbours
    uint32_t order[64];
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(block_pool_alloc(rig->pool, &order[i]), STATUS_OK);
    for (uint32_t i = 63; i > 0; i--) {
        const uint32_t other = dice(i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = 0; i < 64; i++)
        block_pool_release(rig->pool, order[i]);
    struct block_table table;
    new_table(rig, &table);
    assert_same_bits(rig, rig_run(rig, &table, ids, 0, LENGTH, 1), expected);
    int32_t neighbours = 0;
    for (int32_t i = 1; i < table.count; i++)
        neighbours += table.blocks[i] == table.blocks[i - 1] + 1;
    assert_true(neighbours < table.count - 1); // else nothing was scattered
    block_table_deinit(&table, rig->pool);
}

static void paged_equals_contiguous(void **state) {
    (void)state;
    for_each_rig(check_scatter);
}

// Five sequences in one batch: prefill chunks and decodes of different lengths.
static void check_batch(struct rig *rig) {
    enum { SEQS = 5 };
    static const int32_t cached[SEQS] = {0, 16, 40, 7, 0}, count[SEQS] = {33, 1, 1, 20, 1};
    int32_t ids[SEQS][64];
    float expected[SEQS][VOCABULARY_MAX];
    struct block_table tables[SEQS];
    for (int s = 0; s < SEQS; s++) {
        random_ids(ids[s], 64);
        new_table(rig, &tables[s]);
        if (cached[s]) rig_run(rig, &tables[s], ids[s], 0, cached[s], 0);
        const float *alone = rig_run(rig, &tables[s], ids[s] + cached[s], cached[s], count[s], 1);
        memcpy(expected[s], alone, (size_t)rig->model.config.vocabulary * sizeof(float));
        block_table_truncate(&tables[s], rig->pool, cached[s]);
    }
    forward_begin(rig->forward);
    for (int s = 0; s < SEQS; s++) {
        rig_grow(rig, &tables[s], cached[s] + count[s]);
        forward_add(rig->forward, &tables[s], ids[s] + cached[s], cached[s], count[s], 1);
    }
    assert_int_equal(forward_run(rig->forward), STATUS_OK);
    for (int s = 0; s < SEQS; s++) {
        assert_same_bits(rig, forward_logits(rig->forward, s), expected[s]);
        block_table_deinit(&tables[s], rig->pool);
    }
}

static void batch_of_n_equals_n_runs(void **state) {
    (void)state;
    for_each_rig(check_batch);
}

// A past of 37 tokens (the third block is partly filled), two continuations.
static void check_fork(struct rig *rig) {
    enum { PAST = 37, MORE = 30 };
    int32_t past[PAST], left[MORE], right[MORE];
    float expected[2][VOCABULARY_MAX];
    random_ids(past, PAST);
    random_ids(left, MORE);
    random_ids(right, MORE);
    for (int side = 0; side < 2; side++) {
        struct block_table alone;
        new_table(rig, &alone);
        rig_run(rig, &alone, past, 0, PAST, 0);
        memcpy(expected[side], rig_run(rig, &alone, side ? right : left, PAST, MORE, 1),
               (size_t)rig->model.config.vocabulary * sizeof(float));
        block_table_deinit(&alone, rig->pool);
    }
    struct block_table original, fork;
    new_table(rig, &original);
    new_table(rig, &fork);
    rig_run(rig, &original, past, 0, PAST, 0);
    block_table_fork(&original, rig->pool, PAST, &fork);
    for (int32_t i = 0; i < MORE; i++) { // in turns, one token each
        const float *logits = rig_run(rig, &original, left + i, PAST + i, 1, 1);
        if (i == MORE - 1) assert_same_bits(rig, logits, expected[0]);
        logits = rig_run(rig, &fork, right + i, PAST + i, 1, 1);
        if (i == MORE - 1) assert_same_bits(rig, logits, expected[1]);
    }
    assert_int_equal(block_pool_shared(rig->pool), 2); // the full blocks of the past
    block_table_deinit(&original, rig->pool);
    block_table_deinit(&fork, rig->pool);
}

static void fork_then_diverge_equals_two_runs(void **state) {
    (void)state;
    for_each_rig(check_fork);
}

int main(void) {
    printf("seed %u\n", seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunked_prefill_equals_whole),
        cmocka_unit_test(paged_equals_contiguous),
        cmocka_unit_test(batch_of_n_equals_n_runs),
        cmocka_unit_test(fork_then_diverge_equals_two_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
