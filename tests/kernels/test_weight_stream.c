// tests/kernels/test_weight_stream.c — what crosses is computed with the card's bits, and the slot
// is never overrun nor overwritten too early.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdlib.h>
#include <string.h>

#include "kernels/cost.h"
#include "tests/kernels/offload_fixture.h"

static bool pins_nothing;

size_t __real_host_spare_memory(void);
size_t __wrap_host_spare_memory(void);

size_t __wrap_host_spare_memory(void) { return pins_nothing ? 0 : __real_host_spare_memory(); }

// From as many tokens on, weights cross, and the bits are the card's.
static void weights_cross_for_many_tokens(void **state) {
    (void)state;
    enum { MANY = OFFLOAD_STREAM_TOKENS, FEW = MANY - 1 };
    const float bias[ROWS] = {3, 2, 1};
    const size_t slot_bytes = (size_t)1 << 17; // not for all of the experts
    struct offload_fixture f;
    fixture_open(&f, backend_reference(), &(struct offload_memory){.slot_bytes = slot_bytes});
    for (int32_t tokens = FEW; tokens <= MANY; tokens++) {
        const struct backend *right = tokens == MANY ? backend_reference() : backend_cpu();
        struct device *device = tokens == MANY ? f.card : f.processor;
        const size_t count = (size_t)tokens * ROWS;
        struct linear linear = {.in = {.x = f.x, .tokens = tokens},
                                .parts = {{f.y, matrix(&f, 0, ROWS, COLUMNS, true), bias}},
                                .count = 1};
        f.backend->linear(f.device, &linear);
        linear.parts[0].y = f.expected;
        right->linear(device, &linear);
        assert_rows(f.y, f.expected, count);
        struct gated_linear gated = {.in = {.x = f.x, .tokens = tokens},
                                     .y = f.y,
                                     .up_rows = f.normed,
                                     .gate = matrix(&f, 0, ROWS, COLUMNS, true),
                                     .up = matrix(&f, 1, ROWS, COLUMNS, true)};
        f.backend->gated_linear(f.device, &gated);
        gated.y = f.expected;
        right->gated_linear(device, &gated);
        assert_rows(f.y, f.expected, count);
    }
    fixture_close(&f);
}

static void check_experts(size_t slot_bytes, int32_t tokens, bool scattered, int32_t at_once);

// As many of them at a time as the slot has place for, next to lists and biases.
static void experts_cross_some_at_a_time(void **state) {
    (void)state;
    for (int scattered = 0; scattered < 2; scattered++) {
        check_experts((size_t)1 << 20, OFFLOAD_STREAM_TOKENS - 1, scattered, 0);
        check_experts((size_t)1 << 20, OFFLOAD_STREAM_TOKENS, scattered, EXPERTS);
        check_experts((size_t)1 << 20, MOST, scattered, EXPERTS);
        check_experts((size_t)100 << 10, MOST, scattered, 3);
        check_experts((size_t)1 << 16, MOST, scattered, 2);
        check_experts((size_t)1 << 15, OFFLOAD_STREAM_TOKENS, scattered, 1);
        check_experts((size_t)1 << 14, MOST, scattered, 0); // not even for one
    }
}

// A card that spoils memory as soon as it is there, and matrices in the slot after each use.
static int experts_calls;

static void spoil_after_experts(struct device *device, const struct experts *args) {
    backend_reference()->experts(device, args);
    experts_calls++;
    for (int32_t e = 0; e < args->experts; e++) // lists and biases stay for the whole op
        if (expert_within(&args->only, e))
            memset((void *)(uintptr_t)args->up.data[e], 0xff,
                   ROWS * dtype_row_bytes(DTYPE_Q8_0, COLUMNS));
}

// The sum of the whole, computed by parts in the order of experts.
static void add_in_parts(struct device *card, struct experts args, int32_t at_once) {
    for (int32_t first = 0; first < EXPERTS; first += at_once) {
        if (at_once < EXPERTS) args.only = (struct expert_range){first, at_once};
        backend_reference()->experts(card, &args);
        args.add = true;
    }
}

// With biases; scattered: each matrix by itself, in another order. at_once 0: the processor
// computes.
static void check_experts(size_t slot_bytes, int32_t tokens, bool scattered, int32_t at_once) {
    struct backend card = *backend_reference();
    struct offload_fixture f;
    const void *at[3][EXPERTS];
    static float bias[3][EXPERTS * ROWS];
    int32_t *chosen = calloc(MOST * USED, sizeof *chosen);
    unsigned seed = SEED;
    float *shares = random_rows(&seed, MOST * USED);
    assert_non_null(chosen);
    card.alloc = alloc_spoiled;
    card.experts = spoil_after_experts;
    experts_calls = 0;
    fixture_open(&f, &card, &(struct offload_memory){.slot_bytes = slot_bytes});
    for (int32_t i = 0; i < MOST * USED; i++)
        chosen[i] = (i / USED * 5 + i % USED) % EXPERTS;
    struct experts args = {.x = f.x,
                           .chosen = chosen,
                           .shares = shares,
                           .gate = stack(&f, at[0], 0, ROWS, COLUMNS),
                           .up = stack(&f, at[1], 1, ROWS, COLUMNS),
                           .down = stack(&f, at[2], 2, COLUMNS, ROWS),
                           .tokens = tokens,
                           .experts = EXPERTS,
                           .used = USED,
                           .add = scattered};
    for (int i = 0; i < 3; i++) {
        const void *first = at[i][0];
        for (int e = 0; e < EXPERTS * ROWS; e++)
            bias[i][e] = (float)(e % 7 + i);
        if (scattered) at[i][0] = at[i][EXPERTS - 1];
        if (scattered) at[i][EXPERTS - 1] = first;
    }
    args.gate.bias = bias[0];
    args.up.bias = bias[1];
    args.down.bias = bias[2];
    for (int twice = 0; twice < 2; twice++) { // over what the first has left
        memcpy(f.expected, f.y, (size_t)tokens * COLUMNS * sizeof f.y[0]);
        args.y = f.y;
        f.backend->experts(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        args.y = f.expected;
        if (at_once > 0)
            add_in_parts(f.card, args, at_once);
        else
            backend_cpu()->experts(f.processor, &args);
        if (at_once > 0 || !args.add)
            assert_rows(f.y, f.expected, (size_t)tokens * COLUMNS);
        else
            assert_true(difference(f.y, f.expected, (size_t)tokens * COLUMNS) < 1e-6);
    }
    assert_int_equal(experts_calls, at_once > 0 ? 2 * EXPERTS / at_once : 0);
    fixture_close(&f);
    free(chosen);
    free(shares);
}

static bool copies_fail, copy_failed;
static int copy_count;
static size_t largest_copy;
static const void *copied; // the newest

static void note_copy(struct device *device, const struct weight *weight, void *memory) {
    backend_reference()->copy_weights(device, weight, memory);
    copy_failed = copies_fail;
    copy_count++;
    copied = weight->data;
    if (weight_bytes(weight) > largest_copy) largest_copy = weight_bytes(weight);
}

static enum status sync_of_copies(struct device *device) {
    const bool failed = copy_failed;
    copy_failed = false;
    (void)device;
    return failed ? STATUS_DEVICE : STATUS_OK;
}

// What crosses takes memory of the card's, which may be short; it is found out before any answer.
// As many copies are on the way at once as ever will be, out of pinned memory, and of no more than
// a slot holds twice.
static void memory_for_what_crosses_is_taken_in_time(void **state) {
    struct backend card = *backend_reference();
    struct offload_fixture f;
    const void *data;
    (void)state;
    card.copy_weights = note_copy;
    card.sync = sync_of_copies;
    for (int fails = 0; fails < 2; fails++) {
        const size_t slot_bytes = (size_t)1 << (fails ? 16 : 13);
        fixture_open(&f, &card, &(struct offload_memory){.slot_bytes = slot_bytes});
        copies_fail = fails > 0;
        copy_count = 0;
        largest_copy = 0;
        const struct weight weight = matrix(&f, 0, ROWS, COLUMNS, true);
        assert_int_equal(f.backend->weights(f.device, &weight, &data), STATUS_OK);
        assert_int_equal(f.backend->reserve(f.device, &limits),
                         fails ? STATUS_NO_MEMORY : STATUS_OK);
        assert_int_equal(copy_count, CROSSING_PARTS);
        assert_ptr_equal(copied, data);
        assert_true(data != weight.data && largest_copy <= slot_bytes / 2);
        fixture_close(&f);
    }
}

// The first rows of a lone token's products are the card's, and the others the processor's.
static void some_rows_for_a_lone_token_cross(void **state) {
    enum { FIRST = 64 }; // of 0.4 x WIDE
    const struct offload_memory memory = {.slot_bytes = (size_t)1 << 20, .crossing_share = 0.4};
    static float bias[WIDE];
    struct offload_fixture f;
    (void)state;
    fixture_open(&f, backend_reference(), &memory);
    for (int i = 0; i < WIDE; i++)
        bias[i] = (float)(i % 7 - 3) / 4;
    for (int32_t i = 0; i < 4 * 3; i++) {
        const int32_t tokens = 1 + i / 6, first = tokens == 1 ? FIRST : 0;
        const enum linear_store store = (enum linear_store)(i % 3);
        struct linear args = {.in = {.x = f.x, .tokens = tokens},
                              .parts = {{f.y, matrix(&f, 0, WIDE, COLUMNS, true), bias}},
                              .count = 1,
                              .store = store};
        const size_t count = (size_t)tokens * WIDE;
        float *cards = f.normed, *processors = f.expected;
        memcpy(cards, f.y, count * sizeof(float));
        memcpy(processors, f.y, count * sizeof(float));
        if (i % 2 || store == LINEAR_ADD) args.parts[0].bias = NULL;
        struct linear right = args;
        const float behind = f.y[count];
        f.backend->linear(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        assert_rows(f.y + count, &behind, 1);
        right.parts[0].y = cards;
        backend_reference()->linear(f.card, &right);
        right.parts[0].y = processors;
        backend_cpu()->linear(f.processor, &right);
        assert_rows(f.y, cards, (size_t)first);
        if (store != LINEAR_ADD) // there the sum is the card's
            assert_rows(f.y + first, processors + first, count - (size_t)first);
        assert_true(difference(f.y, cards, count) < 0.01);
        struct gated_linear gated = {.in = {.x = f.x, .tokens = tokens},
                                     .y = f.y,
                                     .up_rows = f.normed,
                                     .gate = matrix(&f, 0, WIDE, COLUMNS, true),
                                     .up = matrix(&f, 2, WIDE, COLUMNS, true)};
        f.backend->gated_linear(f.device, &gated);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        assert_rows(f.y + count, &behind, 1);
        gated.y = processors;
        backend_cpu()->gated_linear(f.processor, &gated);
        assert_rows(f.y + first, processors + first, count - (size_t)first);
        backend_reference()->gated_linear(f.card, &gated);
        assert_rows(f.y, processors, (size_t)first);
    }
    fixture_close(&f);
}

static int arranged; // matrices, or parts of them

static void note_arranged(struct device *device, const struct weight *weight, void *memory) {
    arranged++;
    backend_reference()->arrange_weights(device, weight, memory);
}

static size_t stacks_take_more(const struct weight *weight) {
    return weight_bytes(weight) + (size_t)(weight->rows > ROWS) * 64;
}

// Where the slot is too small, a matrix has a scale of its own, or weights are not pinned, which
// the card would have to wait for, the processor computes all rows.
static void rows_cross_only_where_they_can(void **state) {
    enum { CROSS, SMALL, SCALED, UNPINNED, CASES };
    struct backend card = *backend_reference();
    (void)state;
    card.arrange_weights = note_arranged;
    for (int i = 0; i < CASES; i++) {
        const struct offload_memory memory = {.slot_bytes = (size_t)1 << (i == SMALL ? 13 : 14),
                                              .crossing_share = 0.7};
        struct offload_fixture f;
        const void *data;
        arranged = 0;
        fixture_open(&f, &card, &memory);
        struct weight weight = matrix(&f, 0, ROWS, COLUMNS, true);
        if (i == SCALED) weight.scale = 1;
        pins_nothing = i == UNPINNED;
        assert_int_equal(f.backend->weights(f.device, &weight, &data), STATUS_OK);
        pins_nothing = false;
        struct linear args = {
            .in = {.x = f.x, .tokens = 1}, .parts = {{f.y, weight, NULL}}, .count = 1};
        f.backend->linear(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        args.parts[0].y = f.expected;
        backend_cpu()->linear(f.processor, &args);
        if (i != CROSS) assert_rows(f.y, f.expected, ROWS);
        assert_int_equal(arranged, i == CROSS);
        fixture_close(&f);
    }
}

static int gather_count;

static void note_gather(struct device *device, const struct gather_experts *args) {
    gather_count += args->count;
    backend_reference()->gather_experts(device, args);
}

// The card computes what a lone token chose first, and the processor the others.
static void check_gathered(size_t slot_bytes, int32_t tokens, bool gated, int crossing) {
    enum { CHOSEN = USED_MOST, STEPS = 20 };
    const struct offload_memory memory = {.slot_bytes = slot_bytes, .gathered_experts = 2};
    struct backend card = *backend_reference();
    const void *at[3][EXPERTS];
    static float bias[EXPERTS * ROWS];
    float shares[2 * CHOSEN] = {0.5F, 0.25F, 0.75F, 0.125F, 1, 0.5F};
    struct offload_fixture f;
    unsigned seed = SEED;
    card.gather_experts = note_gather;
    fixture_open(&f, &card, &memory);
    for (int i = 0; i < EXPERTS * ROWS; i++)
        bias[i] = (float)(i % 7 - 3) / 4;
    gather_count = 0;
    for (int step = 0; step < STEPS; step++) {
        const size_t count = (size_t)tokens * COLUMNS;
        const int32_t from = rand_r(&seed) % EXPERTS;
        int32_t chosen[2 * CHOSEN], left[2 * CHOSEN];
        for (int j = 0; j < 2 * CHOSEN; j++)
            chosen[j] = left[j] = (from + 2 * j) % EXPERTS;
        struct experts args = {.x = f.x + (size_t)step * COLUMNS,
                               .chosen = chosen,
                               .shares = shares,
                               .up = stack(&f, at[0], 0, ROWS, COLUMNS),
                               .gate = stack(&f, at[gated], gated, ROWS, COLUMNS),
                               .down = stack(&f, at[2], 2, COLUMNS, ROWS),
                               .tokens = tokens,
                               .experts = EXPERTS,
                               .used = CHOSEN,
                               .add = step % 2};
        args.gate.bias = args.up.bias = args.down.bias = step % 4 < 2 ? bias : NULL;
        memcpy(f.expected, f.y, count * sizeof(float));
        args.y = f.y;
        f.backend->experts(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        for (int32_t j = crossing; j < CHOSEN * tokens; j++)
            chosen[j] = EXPERT_NONE;
        args.y = f.expected;
        if (crossing > 0) backend_reference()->experts(f.card, &args);
        for (int32_t j = 0; j < crossing; j++)
            left[j] = EXPERT_NONE;
        args.chosen = left;
        args.y = f.normed;
        const bool adds = args.add || crossing > 0;
        args.add = false;
        backend_cpu()->experts(f.processor, &args);
        for (size_t i = 0; i < count; i++)
            f.expected[i] = (adds ? f.expected[i] : 0) + f.normed[i];
        assert_rows(f.y, f.expected, count);
    }
    assert_int_equal(gather_count, crossing * STEPS);
    fixture_close(&f);
}

static void some_experts_of_a_lone_token_cross(void **state) {
    (void)state;
    for (int gated = 0; gated < 2; gated++) {
        check_gathered((size_t)1 << 20, 1, gated, 2);
        check_gathered((size_t)1 << 20, 2, gated, 0); // of two tokens none
        check_gathered((size_t)1 << 14, 1, gated, 0); // there is no room
    }
}

// Matrices with scales of their own, or where a card could not read them, or would keep a stack of
// them otherwise than one by one, are the processor's.
static void experts_cross_only_where_they_can(void **state) {
    enum { CROSS, SCALED, SHIFTED, APART, CASES, SHIFT = 8 };
    const struct offload_memory memory = {.slot_bytes = (size_t)1 << 20, .gathered_experts = 2};
    static const int32_t chosen[USED_MOST] = {0, 2, 4};
    static const float shares[USED_MOST] = {0.5F, 0.25F, 0.75F};
    static const float scales[EXPERTS] = {1, 1, 1, 1, 1, 1};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        const size_t bytes = ROWS * dtype_row_bytes(DTYPE_Q8_0, COLUMNS);
        struct backend card = *backend_reference();
        const void *at[3][EXPERTS];
        struct offload_fixture f;
        card.gather_experts = note_gather;
        if (i == APART) card.weight_bytes = stacks_take_more;
        gather_count = 0;
        fixture_open(&f, &card, &memory);
        char *shifted = calloc(1, bytes + SHIFT);
        assert_non_null(shifted);
        struct experts args = mixture(&f, at, chosen, shares);
        args.used = USED_MOST;
        memcpy(shifted + SHIFT, at[2][EXPERTS - 1], bytes);
        if (i == SCALED) args.down.scales = scales;
        if (i == SHIFTED) at[2][EXPERTS - 1] = shifted + SHIFT;
        f.backend->experts(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        args.y = f.expected;
        backend_cpu()->experts(f.processor, &args);
        if (i != CROSS) assert_rows(f.y, f.expected, COLUMNS);
        assert_true(difference(f.y, f.expected, COLUMNS) < 0.01);
        assert_int_equal(gather_count, i == CROSS ? 2 : 0);
        fixture_close(&f);
        free(shifted);
    }
}

static float crossed_scales[EXPERTS * 3];
static int crossed_count;

static void note_scale(struct device *device, const struct weight *weight, void *memory) {
    assert_true(crossed_count < EXPERTS * 3);
    crossed_scales[crossed_count++] = weight->scale;
    backend_reference()->copy_weights(device, weight, memory);
}

// A card keeps a scale with its matrix, so it has to cross with it, one by one.
static void scales_cross_with_their_matrices(void **state) {
    static const float scales[EXPERTS] = {1, 2, 4, 8, 16, 32};
    struct backend card = *backend_reference();
    const void *at[3][EXPERTS];
    struct offload_fixture f;
    int32_t chosen[OFFLOAD_STREAM_TOKENS] = {0};
    float shares[OFFLOAD_STREAM_TOKENS] = {0};
    (void)state;
    card.copy_weights = note_scale;
    crossed_count = 0;
    fixture_open(&f, &card, &(struct offload_memory){.slot_bytes = (size_t)1 << 20});
    struct experts args = mixture(&f, at, chosen, shares);
    args.tokens = OFFLOAD_STREAM_TOKENS;
    args.used = 1;
    args.up.scales = args.gate.scales = args.down.scales = scales;
    f.backend->experts(f.device, &args);
    assert_int_equal(f.backend->sync(f.device), STATUS_OK);
    assert_int_equal(crossed_count, 3 * EXPERTS);
    for (int i = 0; i < crossed_count; i++)
        assert_true(fabsf(crossed_scales[i] - scales[i % EXPERTS]) <= 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_cross_for_many_tokens),
        cmocka_unit_test(experts_cross_some_at_a_time),
        cmocka_unit_test(memory_for_what_crosses_is_taken_in_time),
        cmocka_unit_test(some_rows_for_a_lone_token_cross),
        cmocka_unit_test(some_experts_of_a_lone_token_cross),
        cmocka_unit_test(rows_cross_only_where_they_can),
        cmocka_unit_test(experts_cross_only_where_they_can),
        cmocka_unit_test(scales_cross_with_their_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
