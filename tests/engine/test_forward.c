// tests/engine/test_forward.c — properties of the whole: what must not change an answer.
//
// Each on both processor backends and to the bit: a token's logits depend on the tokens before
// it and on nothing else. With AMX that is so on a deterministic device only (kernels/cpu/cpu.c).
#include "engine/model/kv_shape.h"
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LENGTH = 101, VOCABULARY_MAX = 512 };

static const char *const NAMES[] = {"llama", "qwen2", "qwen3", "gemma4"};
static const char *const WINDOWED[] = {"gemma2", "gemma3", "gemma4", "gpt-oss", "mistral", "phi3"};
static uint32_t seed = 42;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static void random_ids(int32_t *ids, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        ids[i] = (int32_t)dice(64); // as few as any of them has
}

static void open_model(struct harness *harness, const char *name, const struct backend *backend) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s.gguf", TESTS_DIR, name);
    harness_open(harness, &(struct harness_options){.path = path,
                                                    .backend = backend,
                                                    .kv_type = DTYPE_F16,
                                                    .deterministic = true});
    assert_true(harness->model.config.vocabulary <= VOCABULARY_MAX);
}

static void new_table(struct harness *harness, struct block_table *table) {
    assert_int_equal(block_table_init(table, 512, harness->caches[0].block_size), STATUS_OK);
}

// The logits after ids[0..LENGTH), computed in one go on a fresh table.
static void whole(struct harness *harness, const int32_t *ids, float *logits) {
    struct block_table table;
    new_table(harness, &table);
    memcpy(logits, harness_run(harness, &table, ids, 0, LENGTH, 1),
           (size_t)harness->model.config.vocabulary * sizeof logits[0]);
    block_table_deinit(&table, harness->pool);
}

static void for_each_rig(const char *const *names, size_t count,
                         void (*check)(struct harness *harness)) {
    const struct backend *const backends[] = {backend_reference(), backend_cpu()};
    for (size_t b = 0; b < 2; b++)
        for (size_t n = 0; n < count; n++) {
            struct harness harness;
            open_model(&harness, names[n], backends[b]);
            check(&harness);
            block_pool_check(harness.pool);
            assert_int_equal(block_pool_free(harness.pool), block_pool_total(harness.pool));
            harness_close(&harness);
        }
}

static void assert_same_bits(const struct harness *harness, const float *found,
                             const float *expected) {
    assert_memory_equal(found, expected,
                        (size_t)harness->model.config.vocabulary * sizeof found[0]);
}

static void check_chunks(struct harness *harness) {
    int32_t ids[LENGTH];
    float expected[VOCABULARY_MAX];
    random_ids(ids, LENGTH);
    whole(harness, ids, expected);
    for (int round = 0; round < 4; round++) {
        struct block_table table;
        const float *logits = NULL;
        new_table(harness, &table);
        for (int32_t done = 0; done < LENGTH;) {
            const int32_t most = round == 0 ? 1 : 30; // the first round goes one by one
            int32_t count = 1 + (int32_t)dice((uint32_t)most);
            if (count > LENGTH - done) count = LENGTH - done;
            logits = harness_run(harness, &table, ids + done, done, count, 1);
            done += count;
        }
        assert_same_bits(harness, logits, expected);
        block_table_deinit(&table, harness->pool);
    }
}

static void chunked_prefill_equals_whole_prefill(void **state) {
    (void)state;
    for_each_rig(NAMES, sizeof NAMES / sizeof NAMES[0], check_chunks);
}

// The same tokens with their blocks side by side, and strewn over the pool in random order.
static void check_scatter(struct harness *harness) {
    int32_t ids[LENGTH];
    float expected[VOCABULARY_MAX];
    random_ids(ids, LENGTH);
    whole(harness, ids, expected); // a fresh pool gives neighbours
    struct block_index order[64];
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(block_pool_alloc(harness->pool, &order[i]), STATUS_OK);
    for (uint32_t i = 63; i > 0; i--) {
        const uint32_t other = dice(i + 1);
        const struct block_index kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = 0; i < 64; i++)
        block_pool_release(harness->pool, order[i]);
    struct block_table table;
    new_table(harness, &table);
    assert_same_bits(harness, harness_run(harness, &table, ids, 0, LENGTH, 1), expected);
    int32_t neighbours = 0;
    for (int32_t i = 1; i < table.count; i++)
        neighbours += table.blocks[i].number == table.blocks[i - 1].number + 1;
    assert_true(neighbours < table.count - 1); // else nothing was scattered
    block_table_deinit(&table, harness->pool);
}

static void a_paged_cache_equals_a_contiguous_one(void **state) {
    (void)state;
    for_each_rig(NAMES, sizeof NAMES / sizeof NAMES[0], check_scatter);
}

// Five sequences in one batch: prefill chunks and decodes of different lengths.
static void check_batch(struct harness *harness) {
    enum { SEQS = 5 };
    static const int32_t cached[SEQS] = {0, 16, 40, 7, 0}, count[SEQS] = {33, 1, 1, 20, 1};
    int32_t ids[SEQS][64];
    float expected[SEQS][VOCABULARY_MAX];
    struct block_table tables[SEQS];
    for (int s = 0; s < SEQS; s++) {
        random_ids(ids[s], 64);
        new_table(harness, &tables[s]);
        if (cached[s]) harness_run(harness, &tables[s], ids[s], 0, cached[s], 0);
        const float *alone =
            harness_run(harness, &tables[s], ids[s] + cached[s], cached[s], count[s], 1);
        memcpy(expected[s], alone, (size_t)harness->model.config.vocabulary * sizeof(float));
        block_table_truncate(&tables[s], harness->pool, cached[s]);
    }
    forward_begin(harness->forward);
    for (int s = 0; s < SEQS; s++) {
        harness_grow(harness, &tables[s], cached[s] + count[s]);
        harness_add(harness, &tables[s], ids[s] + cached[s], cached[s], count[s], 1);
    }
    assert_int_equal(forward_run(harness->forward, NULL, NULL), STATUS_OK);
    for (int s = 0; s < SEQS; s++) {
        assert_same_bits(harness, forward_logits(harness->forward, s), expected[s]);
        block_table_deinit(&tables[s], harness->pool);
    }
}

static void a_batch_equals_separate_runs(void **state) {
    (void)state;
    for_each_rig(NAMES, sizeof NAMES / sizeof NAMES[0], check_batch);
}

// A past of 37 tokens (the third block is partly filled), two continuations.
static void check_fork(struct harness *harness) {
    enum { PAST = 37, MORE = 30 };
    int32_t past[PAST], left[MORE], right[MORE];
    float expected[2][VOCABULARY_MAX];
    random_ids(past, PAST);
    random_ids(left, MORE);
    random_ids(right, MORE);
    for (int side = 0; side < 2; side++) {
        struct block_table alone;
        new_table(harness, &alone);
        harness_run(harness, &alone, past, 0, PAST, 0);
        memcpy(expected[side], harness_run(harness, &alone, side ? right : left, PAST, MORE, 1),
               (size_t)harness->model.config.vocabulary * sizeof(float));
        block_table_deinit(&alone, harness->pool);
    }
    struct block_table original, fork;
    new_table(harness, &original);
    new_table(harness, &fork);
    harness_run(harness, &original, past, 0, PAST, 0);
    block_table_fork(&original, harness->pool, PAST, &fork);
    for (int32_t i = 0; i < MORE; i++) { // in turns, one token each
        const float *logits = harness_run(harness, &original, left + i, PAST + i, 1, 1);
        if (i == MORE - 1) assert_same_bits(harness, logits, expected[0]);
        logits = harness_run(harness, &fork, right + i, PAST + i, 1, 1);
        if (i == MORE - 1) assert_same_bits(harness, logits, expected[1]);
    }
    assert_int_equal(block_pool_shared(harness->pool), 2); // the full blocks of the past
    block_table_deinit(&original, harness->pool);
    block_table_deinit(&fork, harness->pool);
}

static void diverging_forks_equal_two_runs(void **state) {
    (void)state;
    for_each_rig(NAMES, sizeof NAMES / sizeof NAMES[0], check_fork);
}

static void poison(struct harness *harness, int group, struct block_index block) {
    enum { MOST = 1 << 16 };
    static unsigned char bytes[MOST];
    const size_t size = kv_block_bytes(&harness->caches[group]);
    assert_true(size <= MOST);
    memset(bytes, 0xff, size); // NaN
    harness->backend->to_device(
        harness->device, (char *)harness->caches[group].data + block.number * size, bytes, size);
}

// The last `count` tokens, once more with tables that lack what no query of these sees.
static void check_window(struct harness *harness, int32_t count) {
    const int32_t from = LENGTH - count, size = harness->caches[0].block_size;
    int32_t ids[LENGTH], skipped = 0;
    float expected[VOCABULARY_MAX];
    struct block_index blocks[KV_GROUPS][LENGTH], nobodys;
    struct block_table table, tables[KV_GROUPS];
    random_ids(ids, LENGTH);
    assert_int_equal(block_pool_alloc(harness->pool, &nobodys), STATUS_OK);
    new_table(harness, &table);
    harness_run(harness, &table, ids, 0, from, 0);
    memcpy(expected, harness_run(harness, &table, ids + from, from, count, 1),
           (size_t)harness->model.config.vocabulary * sizeof expected[0]);
    const struct kv_shape shape = kv_shape_of(&harness->model.config);
    for (int group = 0; group < harness->groups; group++) {
        const int32_t reach = shape.groups[group].reach;
        tables[group] = table;
        tables[group].first = reach && from + 1 > reach ? (from + 1 - reach) / size : 0;
        tables[group].blocks =
            memcpy(blocks[group], table.blocks, (size_t)table.count * sizeof table.blocks[0]);
        for (int32_t i = 0; i < tables[group].first; i++, skipped++) {
            poison(harness, group, table.blocks[i]);
            blocks[group][i] = BLOCK_NONE;
        }
        poison(harness, group, nobodys);
    }
    assert_int_equal(nobodys.number, 0); // as what a table lacks is written
    assert_true(skipped > 0);
    forward_begin(harness->forward);
    forward_add(harness->forward, tables, ids + from, from, count, 1);
    assert_int_equal(forward_run(harness->forward, NULL, NULL), STATUS_OK);
    assert_same_bits(harness, forward_logits(harness->forward, 0), expected);
    block_table_deinit(&table, harness->pool);
    block_pool_release(harness->pool, nobodys);
}

static void check_windows(struct harness *harness) {
    check_window(harness, 1);
    check_window(harness, 37);
}

static void tokens_before_a_window_are_not_read(void **state) {
    (void)state;
    for_each_rig(WINDOWED, sizeof WINDOWED / sizeof WINDOWED[0], check_windows);
}

static bool stops_at_0(void *user) { return (*(int *)user)-- <= 0; }

// Between any two layers. The same tokens can be computed at once.
static void check_stop(struct harness *harness) {
    int32_t ids[LENGTH];
    float expected[VOCABULARY_MAX];
    struct block_table table;
    random_ids(ids, LENGTH);
    whole(harness, ids, expected);
    new_table(harness, &table);
    harness_grow(harness, &table, LENGTH);
    for (int before = 0; before < harness->model.config.layers; before++) {
        int left = before;
        forward_begin(harness->forward);
        harness_add(harness, &table, ids, 0, LENGTH, 1);
        assert_int_equal(forward_run(harness->forward, stops_at_0, &left), STATUS_CANCELLED);
        assert_int_equal(left, -1);
    }
    int left = 1000;
    forward_begin(harness->forward);
    harness_add(harness, &table, ids, 0, LENGTH, 1);
    assert_int_equal(forward_run(harness->forward, stops_at_0, &left), STATUS_OK);
    assert_int_equal(left, 1000 - harness->model.config.layers);
    assert_same_bits(harness, forward_logits(harness->forward, 0), expected);
    left = 0; // of a short run nobody asks
    forward_begin(harness->forward);
    harness_add(harness, &table, ids + LENGTH - 1, LENGTH - 1, 1, 1);
    assert_int_equal(forward_run(harness->forward, stops_at_0, &left), STATUS_OK);
    assert_int_equal(left, 0);
    block_table_deinit(&table, harness->pool);
}

static void a_run_stops_between_layers(void **state) {
    (void)state;
    for_each_rig(NAMES, sizeof NAMES / sizeof NAMES[0], check_stop);
}

// A card that does what it was told later: each time that somebody asks whether to stop, it has
// done a third of a layer, of those whose weights cross.
static struct {
    void (*functions[64])(void *user);
    void *user;
    int told, done, thirds, asked, stop_after;
    int most; // that were on their way when nobody told more
} late;

static void call_later(struct device *device, void (*function)(void *user), void *user) {
    (void)device;
    assert_true(late.told < 64);
    late.functions[late.told++] = function;
    late.user = user;
}

static void do_next(void) { late.functions[late.done++](late.user); }

static enum status sync_later(struct device *device) {
    if (late.told - late.done > late.most) late.most = late.told - late.done;
    while (late.done < late.told)
        do_next();
    return backend_reference()->sync(device);
}

static bool stops_later(void *user) {
    (void)user;
    if (late.done < late.told && ++late.thirds % 3 == 0) do_next();
    return ++late.asked > late.stop_after;
}

// Whenever it is stopped, no more than the layer that is computed and the next one are on their
// way.
static void a_run_whose_weights_cross_stops_two_layers_later(void **state) {
    static const char *const CROSSING[] = {"gemma3", "llama4"};
    struct backend card = *backend_reference();
    (void)state;
    card.call_host = call_later;
    card.sync = sync_later;
    for (size_t n = 0; n < sizeof CROSSING / sizeof CROSSING[0]; n++) {
        struct harness harness;
        struct block_table table;
        char path[512];
        int32_t ids[LENGTH];
        bool stopped = true;
        int most = 0;
        snprintf(path, sizeof path, "%s/golden/%s.gguf", TESTS_DIR, CROSSING[n]);
        harness_open(&harness, &(struct harness_options){.path = path,
                                                         .backend = &card,
                                                         .kv_type = DTYPE_F32,
                                                         .host = HARNESS_ALL_IN_HOST});
        random_ids(ids, LENGTH);
        new_table(&harness, &table);
        harness_grow(&harness, &table, LENGTH);
        for (int asked = 0; stopped; asked++) {
            memset(&late, 0, sizeof late);
            late.stop_after = asked;
            forward_begin(harness.forward);
            harness_add(&harness, &table, ids, 0, LENGTH, 1);
            const enum status status = forward_run(harness.forward, stops_later, NULL);
            stopped = status == STATUS_CANCELLED;
            assert_true(stopped || status == STATUS_OK);
            if (late.most > most) most = late.most;
        }
        assert_int_equal(most, 2);
        block_table_deinit(&table, harness.pool);
        harness_close(&harness);
    }
}

static _Thread_local bool is_impatient; // it does not sleep
static int sleeps;                      // that it has left out

int __real_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left) {
    if (is_impatient) sleeps++;
    return is_impatient ? 0 : __real_nanosleep(wanted, left);
}

static void call_never(struct device *device, void (*function)(void *user), void *user) {
    (void)device;
    (void)function;
    (void)user;
}

static bool has_failed;

static enum status sync_failed(struct device *device) {
    const enum status status = backend_reference()->sync(device);
    return has_failed ? STATUS_DEVICE : status;
}

static bool never_stops(void *user) {
    (void)user;
    return false;
}

// It is waited for once, and not before each layer that is left.
static void a_card_that_fails_in_a_long_run_is_found_out_once(void **state) {
    enum { WAITS = 50000 };
    struct backend card = *backend_reference();
    struct harness harness;
    struct block_table table;
    char path[512];
    int32_t ids[LENGTH];
    (void)state;
    card.call_host = call_never;
    card.sync = sync_failed;
    snprintf(path, sizeof path, "%s/golden/gemma3.gguf", TESTS_DIR);
    harness_open(&harness, &(struct harness_options){.path = path,
                                                     .backend = &card,
                                                     .kv_type = DTYPE_F32,
                                                     .host = HARNESS_ALL_IN_HOST});
    assert_true(harness.model.config.layers > 3);
    random_ids(ids, LENGTH);
    new_table(&harness, &table);
    harness_grow(&harness, &table, LENGTH);
    is_impatient = has_failed = true;
    for (int run = 1; run <= 2; run++) {
        forward_begin(harness.forward);
        harness_add(&harness, &table, ids, 0, LENGTH, 1);
        assert_int_equal(forward_run(harness.forward, never_stops, NULL), STATUS_DEVICE);
        assert_int_equal(sleeps, run * WAITS);
    }
    is_impatient = has_failed = false;
    block_table_deinit(&table, harness.pool);
    harness_close(&harness);
}

// Of some rows of a step the best are wanted, as where drafts are verified, and of others all.
static void check_choices(struct harness *harness) {
    enum { ROWS = 4 };
    const int32_t from = LENGTH - ROWS, vocabulary = harness->model.config.vocabulary;
    const struct choice best = {.count = 1, .repeat_penalty = 1};
    int32_t ids[LENGTH];
    float expected[ROWS][VOCABULARY_MAX];
    struct block_table table, tables[KV_GROUPS];
    random_ids(ids, LENGTH);
    new_table(harness, &table);
    harness_run(harness, &table, ids, 0, LENGTH, ROWS);
    for (int32_t row = 0; row < ROWS; row++)
        memcpy(expected[row], forward_logits(harness->forward, row),
               (size_t)vocabulary * sizeof expected[row][0]);
    for (int group = 0; group < harness->groups; group++)
        tables[group] = table;
    forward_begin(harness->forward);
    forward_add(harness->forward, tables, ids + from, from, ROWS, ROWS);
    forward_choose(harness->forward, ROWS - 1, &best, NULL);
    forward_choose(harness->forward, 1, &best, NULL);
    assert_int_equal(forward_run(harness->forward, NULL, NULL), STATUS_OK);
    for (int32_t row = 0; row < ROWS; row++) {
        const struct candidate *found = forward_candidates(harness->forward, row);
        assert_int_equal(found != NULL, row % 2 == 0);
        if (!found) {
            assert_same_bits(harness, forward_logits(harness->forward, row), expected[row]);
            continue;
        }
        for (int32_t id = 0; id < vocabulary; id++)
            assert_true(expected[row][id] <= found->logit);
        assert_true(expected[row][found->id] == found->logit);
    }
    block_table_deinit(&table, harness->pool);
}

static void any_row_of_a_step_may_be_chosen_from(void **state) {
    (void)state;
    for_each_rig(NAMES, sizeof NAMES / sizeof NAMES[0], check_choices);
}

int main(void) {
    printf("seed %u\n", seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunked_prefill_equals_whole_prefill),
        cmocka_unit_test(a_paged_cache_equals_a_contiguous_one),
        cmocka_unit_test(a_batch_equals_separate_runs),
        cmocka_unit_test(diverging_forks_equal_two_runs),
        cmocka_unit_test(tokens_before_a_window_are_not_read),
        cmocka_unit_test(a_run_stops_between_layers),
        cmocka_unit_test(a_run_whose_weights_cross_stops_two_layers_later),
        cmocka_unit_test(a_card_that_fails_in_a_long_run_is_found_out_once),
        cmocka_unit_test(any_row_of_a_step_may_be_chosen_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
