// tests/kernels/test_offload.c — weights in host memory give what the processor makes of the rows
// that cross, and weights on the card what the card does.
//
// The card is the reference backend, which asks a thread of the host; of a second one rows are
// copied and the host is called. Another has fp16 activations, which only cross; others replay what
// they were told to call or to ask.
#include "tests/check.h" // cmocka and the headers that it wants first

#include "kernels/cost.h"
#include "tests/kernels/offload_fixture.h"

enum { CALLS = 16 };

static struct called {
    void (*function)(void *user);
    void *user;
} calls[CALLS];
static int call_count;

static void note_call(struct device *device, void (*function)(void *user), void *user) {
    (void)device;
    assert_true(call_count < CALLS);
    calls[call_count++] = (struct called){function, user};
    function(user);
}

static struct ask_host asked[CALLS];
static struct take_answer taken[CALLS];
static int ask_count, take_count;

static void note_ask(struct device *device, const struct ask_host *args) {
    assert_true(ask_count < CALLS);
    asked[ask_count++] = *args;
    backend_reference()->ask_host(device, args);
}

static void note_take(struct device *device, const struct take_answer *args) {
    assert_true(take_count < CALLS);
    taken[take_count++] = *args;
    backend_reference()->take_answer(device, args);
}

static struct backend copying_card(void) {
    struct backend card = *backend_reference();
    card.ask_host = NULL;
    card.take_answer = NULL;
    return card;
}

// ---- a card that counts its memory, and fails to allocate once

enum { HELD_MOST = 64 };

static struct held {
    void *memory;
    size_t bytes;
} held[HELD_MOST];
static int allocs_left = -1; // any number

static bool may_alloc(void) { return allocs_left < 0 || allocs_left-- > 0; }

static struct held *find_held(const void *memory) {
    for (int i = 0; i < HELD_MOST; i++)
        if (held[i].memory == memory) return &held[i];
    return NULL;
}

static enum status hold(enum status status, void *memory, size_t bytes) {
    struct held *free_one = find_held(NULL);
    assert_non_null(free_one);
    if (status == STATUS_OK) *free_one = (struct held){memory, bytes};
    return status;
}

static void give_up(const void *memory, size_t bytes) {
    struct held *one = find_held(memory);
    if (!memory) return;
    assert_non_null(one);
    assert_int_equal(one->bytes, bytes);
    *one = (struct held){0};
}

static enum status alloc_held(struct device *device, size_t bytes, void **memory) {
    if (!may_alloc()) return STATUS_NO_MEMORY;
    const enum status status = backend_reference()->alloc(device, bytes, memory);
    return hold(status, *memory, bytes);
}

static enum status alloc_host_held(struct device *device, size_t bytes, void **memory) {
    if (!may_alloc()) return STATUS_NO_MEMORY;
    const enum status status = backend_reference()->alloc_host(device, bytes, memory);
    return hold(status, *memory, bytes);
}

static void release_held(struct device *device, void *memory, size_t bytes) {
    give_up(memory, bytes);
    backend_reference()->release(device, memory, bytes);
}

static void release_host_held(struct device *device, void *memory, size_t bytes) {
    give_up(memory, bytes);
    backend_reference()->release_host(device, memory, bytes);
}

static size_t held_bytes(void) {
    size_t bytes = 0;
    for (int i = 0; i < HELD_MOST; i++)
        bytes += held[i].bytes;
    return bytes;
}

static size_t most_held; // by others while the card reserves

static enum status reserve_beside_others(struct device *device, const struct workspace *workspace) {
    if (held_bytes() > most_held) return STATUS_NO_MEMORY;
    return backend_reference()->reserve(device, workspace);
}

static bool replay_nothing(struct device *device, uint64_t key) {
    (void)device;
    return key == 0;
}

static bool record_all(struct device *device) {
    (void)device;
    return true;
}

static const int32_t TOKENS[] = {1, 3, 511, 512, MOST};
enum { CASES = sizeof TOKENS / sizeof TOKENS[0] };

static void check_linear(struct offload_fixture *f, int32_t tokens, enum linear_store store,
                         bool norm) {
    const float bias[ROWS] = {1, -2, 3}, weight[COLUMNS] = {2, 1, 4};
    float *more = f->normed; // the second part's
    const size_t count = (size_t)tokens * ROWS;
    struct linear args = {.in = {.x = f->x, .tokens = tokens},
                          .parts = {{f->y, matrix(f, 0, ROWS, COLUMNS, true), NULL}},
                          .count = 1,
                          .store = store};
    struct linear right = args;
    float *rows = calloc(2 * MOST, COLUMNS * sizeof *rows);
    assert_non_null(rows);
    if (store != LINEAR_ADD) {
        args.parts[0].bias = right.parts[0].bias = bias;
        args.parts[1] = (struct projection){more, matrix(f, 1, ROWS / 2, COLUMNS, true), NULL};
        args.count = 2;
    }
    if (norm) {
        const struct rmsnorm rmsnorm = {rows, f->x, weight, tokens, COLUMNS, 1e-5F, false, NULL};
        backend_reference()->rmsnorm(NULL, &rmsnorm);
        args.in.norm = weight;
        args.in.eps = 1e-5F;
        args.in.normed = rows + MOST * COLUMNS;
        right.in.x = rows;
    }
    right.parts[0].y = f->expected;
    right.store = LINEAR_RESIDUAL;
    backend_cpu()->linear(f->processor, &right);
    for (size_t i = 0; i < count && store == LINEAR_ADD; i++)
        f->expected[i] += f->y[i];
    f->backend->linear(f->device, &args);
    assert_int_equal(f->backend->sync(f->device), STATUS_OK);
    if (norm) assert_rows(args.in.normed, rows, (size_t)tokens * COLUMNS);
    assert_rows(f->y, f->expected, count);
    if (args.count == 2) {
        right.parts[0] = (struct projection){f->expected, args.parts[1].weight, NULL};
        backend_cpu()->linear(f->processor, &right);
        assert_rows(more, f->expected, count / 2);
    }
    free(rows);
}

static void check_products(const struct backend *card) {
    struct offload_fixture f;
    fixture_open(&f, card, &(struct offload_memory){0});
    for (int i = 0; i < CASES; i++)
        for (int store = LINEAR_ACTIVATION; store <= LINEAR_ADD; store++)
            for (int norm = 0; norm < 2; norm++)
                check_linear(&f, TOKENS[i], (enum linear_store)store, norm);
    for (int i = 0; i < CASES; i++) {
        struct gated_linear args = {.in = {.x = f.x, .tokens = TOKENS[i]},
                                    .y = f.y,
                                    .up_rows = f.normed,
                                    .gate = matrix(&f, 0, ROWS, COLUMNS, true),
                                    .up = matrix(&f, 1, ROWS, COLUMNS, true)};
        f.backend->gated_linear(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        args.y = f.expected;
        backend_cpu()->gated_linear(f.processor, &args);
        assert_rows(f.y, f.expected, (size_t)TOKENS[i] * ROWS);
    }
    fixture_close(&f);
}

static void products_are_the_processors(void **state) {
    const struct backend copying = copying_card();
    (void)state;
    check_products(backend_reference());
    check_products(&copying);
}

static void weights_on_the_card_are_its_own(void **state) {
    (void)state;
    struct offload_fixture f;
    fixture_open(&f, backend_reference(), &(struct offload_memory){0});
    struct linear args = {.in = {.x = f.x, .tokens = 9},
                          .parts = {{f.y, matrix(&f, 0, ROWS, COLUMNS, false), NULL}},
                          .count = 1};
    f.backend->linear(f.device, &args);
    args.parts[0].y = f.expected;
    backend_reference()->linear(f.card, &args);
    assert_rows(f.y, f.expected, 9 * ROWS);
    fixture_close(&f);
}

static void check_mixture(const struct backend *card) {
    struct offload_fixture f;
    const void *at[3][EXPERTS];
    int32_t *chosen = calloc(MOST * USED, sizeof *chosen);
    unsigned seed = SEED;
    float *shares = random_rows(&seed, MOST * USED);
    assert_non_null(chosen);
    fixture_open(&f, card, &(struct offload_memory){0});
    for (int32_t i = 0; i < MOST * USED; i++)
        chosen[i] = (i / USED * 5 + i % USED) % EXPERTS;
    struct experts args = {.x = f.x,
                           .chosen = chosen,
                           .shares = shares,
                           .gate = stack(&f, at[0], 0, ROWS, COLUMNS),
                           .up = stack(&f, at[1], 1, ROWS, COLUMNS),
                           .down = stack(&f, at[2], 2, COLUMNS, ROWS),
                           .experts = EXPERTS,
                           .used = USED};
    for (int i = 0; i < 2 * CASES; i++) {
        const size_t count = (size_t)TOKENS[i / 2] * COLUMNS;
        args.tokens = TOKENS[i / 2];
        args.add = false;
        args.y = f.expected;
        backend_cpu()->experts(f.processor, &args);
        for (size_t j = 0; j < count && i % 2; j++)
            f.expected[j] += f.y[j];
        args.add = i % 2;
        args.y = f.y;
        f.backend->experts(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        assert_rows(f.y, f.expected, count);
    }
    fixture_close(&f);
    free(chosen);
    free(shares);
}

static void experts_are_the_processors(void **state) {
    const struct backend copying = copying_card();
    (void)state;
    check_mixture(backend_reference());
    check_mixture(&copying);
}

// Rows come and go as fp16, and what is beyond its range saturates.
static void activations_are_rounded_where_they_cross(void **state) {
    (void)state;
    struct backend card = *backend_reference();
    struct offload_fixture f;
    half x[COLUMNS], y[ROWS];
    float bias[ROWS] = {1e6F, -1e6F};
    card.activation = DTYPE_F16;
    fixture_open(&f, &card, &(struct offload_memory){0});
    for (int i = 0; i < COLUMNS; i++) {
        x[i] = float_to_half(f.x[i]);
        f.x[i] = half_to_float(x[i]);
    }
    struct linear args = {.in = {.x = x, .tokens = 1},
                          .parts = {{y, matrix(&f, 0, ROWS, COLUMNS, true), bias}},
                          .count = 1};
    f.backend->linear(f.device, &args);
    args.in.x = f.x;
    args.parts[0].y = f.expected;
    backend_cpu()->linear(f.processor, &args);
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(y[i], float_to_half(fmaxf(fminf(f.expected[i], 65504), -65504)));
    fixture_close(&f);
}

// Records a product of two rows, computes others, and repeats what was recorded.
static void check_recorded(struct backend card, bool asks) {
    struct offload_fixture f;
    card.replay = replay_nothing;
    card.recorded = record_all;
    call_count = ask_count = take_count = 0;
    fixture_open(&f, &card, &(struct offload_memory){0});
    struct linear args = {.in = {.x = f.x, .tokens = 2},
                          .parts = {{f.y, matrix(&f, 0, ROWS, COLUMNS, true), NULL}},
                          .count = 1};
    for (int i = 0; i < 2; i++) { // seen, then recorded
        assert_false(f.backend->replay(f.device, 7));
        f.backend->linear(f.device, &args);
        assert_true(f.backend->recorded(f.device));
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
    }
    assert_ptr_equal(calls[0].user, calls[1].user);
    assert_int_equal(asked[0].job, asked[1].job);
    struct linear other = args;
    for (other.in.tokens = 3; other.in.tokens < 6; other.in.tokens++)
        f.backend->linear(f.device, &other);
    assert_int_equal(f.backend->sync(f.device), STATUS_OK);
    f.backend->linear(f.device, &other);
    assert_int_equal(f.backend->sync(f.device), STATUS_OK);
    if (asks) { // still of two tokens
        memset(f.y, 0, 2 * ROWS * sizeof f.y[0]);
        assert_true(f.backend->replay(f.device, 0));
        backend_reference()->ask_host(NULL, &asked[0]);
        backend_reference()->take_answer(NULL, &taken[0]);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
    } else {
        calls[0].function(calls[0].user);
    }
    args.parts[0].y = f.expected;
    backend_cpu()->linear(f.processor, &args);
    assert_rows(f.y, f.expected, (size_t)2 * ROWS);
    fixture_close(&f);
}

static size_t odd_rows_take_nothing(const struct weight *weight) {
    return weight->columns == COLUMNS ? weight_bytes(weight) : 0;
}

// Rows that the card cannot compute with would have no place where they cross to.
static void rows_that_the_card_cannot_read_are_refused(void **state) {
    struct backend card = *backend_reference();
    struct offload_fixture f;
    const void *data = NULL;
    (void)state;
    card.weight_bytes = odd_rows_take_nothing;
    fixture_open(&f, &card, &(struct offload_memory){.slot_bytes = (size_t)1 << 16});
    const struct weight odd = matrix(&f, 0, ROWS, COLUMNS / 2, true),
                        even = matrix(&f, 0, ROWS, COLUMNS, true);
    assert_int_equal(f.backend->weights(f.device, &odd, &data), STATUS_UNSUPPORTED);
    assert_null(data);
    assert_int_equal(f.backend->weights(f.device, &even, &data), STATUS_OK);
    fixture_close(&f);
}

static void recorded_steps_find_their_parts_again(void **state) {
    struct backend copying = copying_card(), asking = *backend_reference();
    (void)state;
    copying.call_host = note_call;
    asking.ask_host = note_ask;
    asking.take_answer = note_take;
    check_recorded(copying, false);
    check_recorded(asking, true);
}

static int callocs_left = -1; // any number

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes) {
    if (callocs_left == 0) return NULL;
    if (callocs_left > 0) callocs_left--;
    return __real_calloc(count, bytes);
}

static bool replay_the_first(struct device *device, uint64_t key) {
    (void)device;
    return key == 1 && ask_count > 0;
}

// Of weights that cross for many tokens, and in part for a lone one.
static void check_after_failures(const struct offload_fixture *f) {
    static const int32_t COUNTS[] = {1, MOST};
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        struct linear args = {.in = {.x = f->x, .tokens = COUNTS[i]},
                              .parts = {{f->y, matrix(f, 0, ROWS, COLUMNS, true), NULL}},
                              .count = 1};
        const size_t count = (size_t)COUNTS[i] * ROWS;
        f->backend->linear(f->device, &args);
        assert_int_equal(f->backend->sync(f->device), STATUS_OK);
        args.parts[0].y = f->expected;
        backend_reference()->linear(f->card, &args);
        assert_true(difference(f->y, f->expected, count) < 0.01);
    }
}

// Each allocation of reserve() fails once. Nothing is lost or released twice, also if the device is
// closed then, and it works as soon as there is memory.
static void a_reservation_that_fails_may_be_repeated(void **state) {
    enum { FEWEST = 7 }; // there are at least so many
    const struct offload_memory memory = {.slot_bytes = (size_t)1 << 20, .crossing_share = 0.7};
    (void)state;
    for (int copies = 0; copies < 2; copies++) {
        struct backend card = copies ? copying_card() : *backend_reference();
        enum status status = STATUS_NO_MEMORY;
        card.alloc = alloc_held;
        card.alloc_host = alloc_host_held;
        card.release = release_held;
        card.release_host = release_host_held;
        for (int n = 0; status != STATUS_OK; n++)
            for (int again = 0; again < 2; again++) {
                struct offload_fixture f;
                fixture_open(&f, &card, &memory);
                allocs_left = n;
                status = f.backend->reserve(f.device, &limits);
                allocs_left = -1;
                assert_true(status == STATUS_NO_MEMORY || (status == STATUS_OK && n >= FEWEST));
                if (again) {
                    assert_int_equal(f.backend->reserve(f.device, &limits), STATUS_OK);
                    check_after_failures(&f);
                }
                fixture_close(&f);
                for (int i = 0; i < HELD_MOST; i++)
                    assert_null(held[i].memory);
            }
    }
}

// All that copies of experts had is free again when the card reserves once more.
static void a_new_reservation_has_the_memory_of_slots(void **state) {
    const struct offload_memory memory = {
        .mixtures = 1, .expert_bytes = (size_t)1 << 15, .expert_slots = EXPERTS};
    struct backend card = copying_card();
    struct offload_fixture f;
    (void)state;
    card.alloc = alloc_held;
    card.release = release_held;
    card.reserve = reserve_beside_others;
    most_held = SIZE_MAX;
    fixture_open(&f, &card, &memory);
    assert_int_equal(offload_counts(f.device).expert_slots, EXPERTS);
    most_held = held_bytes() - memory.expert_bytes;
    assert_int_equal(f.backend->reserve(f.device, &limits), STATUS_OK);
    assert_int_equal(offload_counts(f.device).expert_slots, EXPERTS);
    fixture_close(&f);
}

// Those would take this device for theirs.
static void ops_between_the_two_devices_are_hidden_from_callers(void **state) {
    (void)state;
    struct offload_fixture f;
    fixture_open(&f, backend_reference(), &(struct offload_memory){0});
    assert_null(f.backend->open);
    assert_null(f.backend->copy_weights);
    assert_null(f.backend->arrange_weights);
    assert_null(f.backend->copy_in_background);
    assert_null(f.backend->background_copies_done);
    assert_null(f.backend->ask_host);
    assert_null(f.backend->take_answer);
    assert_null(f.backend->gather_experts);
    fixture_close(&f);
}

// What was recorded without one of its parts would leave old results in place.
static void a_step_that_lost_a_part_is_not_replayed(void **state) {
    struct backend card = *backend_reference();
    struct offload_fixture f;
    (void)state;
    card.replay = replay_the_first;
    card.recorded = record_all;
    card.ask_host = note_ask;
    card.take_answer = note_take;
    ask_count = take_count = 0;
    fixture_open(&f, &card, &(struct offload_memory){0});
    struct linear args = {.in = {.x = f.x, .tokens = 1},
                          .parts = {{f.y, matrix(&f, 0, ROWS, COLUMNS, true), NULL}},
                          .count = 1};
    struct linear other = args;
    other.in.tokens = 2;
    assert_false(f.backend->replay(f.device, 1));
    f.backend->linear(f.device, &args);
    callocs_left = 0; // none is left for the second part
    f.backend->linear(f.device, &other);
    callocs_left = -1;
    assert_true(f.backend->recorded(f.device));
    assert_int_equal(f.backend->sync(f.device), STATUS_NO_MEMORY);
    assert_false(f.backend->replay(f.device, 1));
    f.backend->linear(f.device, &args);
    f.backend->linear(f.device, &other);
    assert_true(f.backend->recorded(f.device));
    assert_int_equal(f.backend->sync(f.device), STATUS_OK);
    other.parts[0].y = f.expected;
    backend_cpu()->linear(f.processor, &other);
    assert_rows(f.y, f.expected, (size_t)2 * ROWS);
    assert_int_equal(f.backend->reserve(f.device, &limits), STATUS_OK);
    assert_true(f.backend->replay(f.device, 1)); // and what is recorded from now on is
    assert_int_equal(f.backend->sync(f.device), STATUS_OK);
    fixture_close(&f);
}

// The router's choices of a text: each of a token's experts is mostly one of the token before.
static void choose(int32_t chosen[USED], unsigned *seed) {
    for (int j = 0; j < USED; j++) {
        if (rand_r(seed) % 8) continue;
        do
            chosen[j] = rand_r(seed) % EXPERTS;
        while (j > 0 && chosen[j] == chosen[0]);
    }
    if (chosen[0] == chosen[1]) chosen[1] = (chosen[0] + 1) % EXPERTS;
}

// Whatever is in which slot, a token gets the sum of all its experts, with their biases. The two
// layers have the same matrices in another order. Slots are lent on the way, and taken back.
static void experts_in_slots_and_in_memory_add_up(void **state) {
    enum { LAYERS = 2, STEPS = 300, SLOTS = 6, FEW = 3 };
    const struct offload_memory memory = {.slot_bytes = (size_t)1 << 20,
                                          .mixtures = LAYERS,
                                          .expert_bytes = (size_t)1 << 15,
                                          .expert_slots = SLOTS,
                                          .lent_bytes = (size_t)1 << 15};
    const void *at[LAYERS][3][EXPERTS];
    static float bias[EXPERTS * ROWS];
    int32_t chosen[FEW * USED] = {0, 1, 2, 3, 4, 5};
    float shares[FEW * USED] = {0.5F, 0.25F, 0.75F, 0.125F, 1, 0.5F};
    unsigned seed = SEED;
    struct offload_fixture f;
    (void)state;
    fixture_open(&f, backend_reference(), &memory);
    void *slab = calloc(1, offload_slab_bytes(f.device));
    assert_non_null(slab);
    for (int i = 0; i < EXPERTS * ROWS; i++)
        bias[i] = (float)(i % 7 - 3) / 4;
    for (int step = 0; step < STEPS; step++) {
        const int32_t tokens = 1 + step % FEW;
        const size_t count = (size_t)tokens * COLUMNS;
        for (int32_t t = 0; t < tokens; t++)
            choose(chosen + t * USED, &seed);
        for (int layer = 0; layer < LAYERS; layer++) {
            struct experts args = {.x = f.x + (size_t)(step % 50) * COLUMNS,
                                   .chosen = chosen,
                                   .shares = shares,
                                   .gate = stack(&f, at[layer][0], layer, ROWS, COLUMNS),
                                   .up = stack(&f, at[layer][1], 1 - layer, ROWS, COLUMNS),
                                   .down = stack(&f, at[layer][2], 2, COLUMNS, ROWS),
                                   .tokens = tokens,
                                   .experts = EXPERTS,
                                   .used = USED,
                                   .add = step % 2};
            args.gate.bias = args.down.bias = bias;
            memcpy(f.expected, f.y, count * sizeof(float));
            args.y = f.y;
            f.backend->experts(f.device, &args);
            args.y = f.expected;
            backend_reference()->experts(f.card, &args);
            assert_int_equal(f.backend->sync(f.device), STATUS_OK);
            assert_true(difference(f.y, f.expected, count) < 0.01);
        }
        if (step == STEPS / 3) assert_true(offload_lend(f.device, slab));
        if (step == STEPS / 3) assert_false(offload_lend(f.device, slab)); // there are enough
        if (step == STEPS / 3) assert_int_equal(offload_counts(f.device).expert_slots, SLOTS + 1);
        if (step != 2 * STEPS / 3) continue;
        offload_take_back(f.device);
        memset(slab, 0xff, offload_slab_bytes(f.device));
    }
    const struct offload_counts counts = offload_counts(f.device);
    assert_true(counts.hits > 100 && counts.misses > 100 && counts.copied >= SLOTS);
    assert_int_equal(counts.expert_slots, SLOTS);
    free(slab);
    fixture_close(&f);
}

// From the end of the first step on, which may be of a prompt: a slot for each expert misses none.
static void slots_are_full_after_the_first_step(void **state) {
    const struct offload_memory memory = {.slot_bytes = (size_t)1 << 20,
                                          .mixtures = 1,
                                          .expert_bytes = (size_t)1 << 15,
                                          .expert_slots = EXPERTS};
    const void *at[3][EXPERTS];
    static int32_t chosen[OFFLOAD_STREAM_TOKENS * USED];
    static float shares[OFFLOAD_STREAM_TOKENS * USED];
    struct offload_fixture f;
    (void)state;
    fixture_open(&f, backend_reference(), &memory);
    for (int i = 0; i < OFFLOAD_STREAM_TOKENS * USED; i++) {
        chosen[i] = i % EXPERTS;
        shares[i] = 0.5F;
    }
    for (int32_t tokens = OFFLOAD_STREAM_TOKENS; tokens >= 1; tokens -= OFFLOAD_STREAM_TOKENS - 1) {
        struct experts args = mixture(&f, at, chosen, shares);
        args.tokens = tokens;
        f.backend->experts(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        args.y = f.expected;
        backend_reference()->experts(f.card, &args);
        assert_true(difference(f.y, f.expected, (size_t)tokens * COLUMNS) < 0.01);
    }
    assert_int_equal(offload_counts(f.device).hits, USED);
    assert_int_equal(offload_counts(f.device).misses, 0);
    fixture_close(&f);
}

// Of lone tokens alone, and of a quarter of the experts, whatever else is among the chosen.
static void a_device_without_copies_counts_what_they_would_hit(void **state) {
    enum { STEPS = 400 };
    const struct offload_memory memory = {.mixtures = 1};
    const void *at[3][EXPERTS];
    struct offload_fixture f;
    const float shares[2 * USED] = {0.5F, 0.25F, 0.125F, 1};
    (void)state;
    fixture_open(&f, backend_reference(), &memory);
    for (int step = 0; step < STEPS; step++) {
        const bool lone = step % 2 == 0;
        const int32_t chosen[2 * USED] = {3, EXPERT_NONE, step / 2 % 3, 4 + step / 2 % 2};
        const struct experts args = {.y = f.y,
                                     .x = f.x,
                                     .chosen = chosen + (lone ? 0 : USED),
                                     .shares = shares,
                                     .up = stack(&f, at[0], 0, ROWS, COLUMNS),
                                     .gate = stack(&f, at[1], 1, ROWS, COLUMNS),
                                     .down = stack(&f, at[2], 2, COLUMNS, ROWS),
                                     .tokens = lone ? 1 : 2,
                                     .experts = EXPERTS,
                                     .used = lone ? USED : USED / 2};
        f.backend->experts(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
    }
    const struct offload_counts counts = offload_counts(f.device);
    assert_int_equal(counts.expert_slots, 0);
    assert_true(counts.lately.hits > 0.99);
    assert_true(fabs(counts.lately.held - 2.0 / EXPERTS) < 0.01); // a quarter, rounded up
    fixture_close(&f);
}

static bool fails;      // the card, in this step
static bool fill_fails; // what comes between the first step and the second

static void copy_unless_it_fails(struct device *device, const struct weight *weight, void *memory) {
    if (!fails) backend_reference()->copy_weights(device, weight, memory);
}

static int refusals,
    background_copies; // copies of each other matrix that are still refused; and all of them

static bool copy_in_background_unless_refused(struct device *device, const struct weight *weight,
                                              void *memory) {
    if (background_copies++ % 2 && refusals > 0) {
        refusals--;
        return false;
    }
    copy_unless_it_fails(device, weight, memory);
    return true;
}

static void to_device_unless_it_fails(struct device *device, void *memory, const void *host,
                                      size_t bytes) {
    if (!fails) backend_reference()->to_device(device, memory, host, bytes);
}

static void experts_unless_it_fails(struct device *device, const struct experts *args) {
    if (!fails) backend_reference()->experts(device, args);
}

static bool is_copied(struct device *device) { return device != NULL; }

static enum status sync_unless_it_fails(struct device *device) {
    const enum status status = fails ? STATUS_DEVICE : backend_reference()->sync(device);
    fails = fill_fails; // what is enqueued from now on is of the next one
    fill_fails = false;
    return status;
}

static struct backend failing_card(void) {
    struct backend card = *backend_reference();
    fails = false;
    card.alloc = alloc_spoiled;
    card.copy_in_background = copy_in_background_unless_refused;
    card.copy_weights = copy_unless_it_fails;
    card.to_device = to_device_unless_it_fails;
    card.experts = experts_unless_it_fails;
    card.background_copies_done = is_copied;
    card.sync = sync_unless_it_fails;
    return card;
}

// Copies of a step that failed may never have been made, nor the lists and the zeros that came with
// it: a slot is used only after one that was.
static void check_steps(int failed, int32_t slots) {
    enum { STEPS = 12 };
    const struct offload_memory memory = {
        .mixtures = 1, .expert_bytes = (size_t)1 << 15, .expert_slots = slots};
    const size_t count = COLUMNS;
    const struct backend card = failing_card();
    const void *at[3][EXPERTS];
    float shares[USED] = {0.5F, 0.25F};
    struct offload_fixture f;
    fixture_open(&f, &card, &memory);
    for (int step = 0; step < STEPS; step++) {
        const int32_t chosen[USED] = {EXPERTS - 1 - step / 3 % 2, EXPERTS - 3 - step % 2};
        struct experts args = mixture(&f, at, chosen, shares);
        fails = step == failed;
        f.backend->experts(f.device, &args);
        const enum status expected = fails ? STATUS_DEVICE : STATUS_OK;
        assert_int_equal(f.backend->sync(f.device), expected);
        args.y = f.expected;
        backend_reference()->experts(f.card, &args);
        if (step != failed) assert_true(difference(f.y, f.expected, count) < 0.01);
    }
    assert_true(offload_counts(f.device).hits > 0);
    fixture_close(&f);
}

static void copies_of_a_failed_step_are_made_again(void **state) {
    (void)state;
    for (int failed = 0; failed < 8; failed++)
        for (int32_t slots = 2; slots <= EXPERTS; slots++)
            check_steps(failed, slots);
    for (int32_t slots = 2; slots <= EXPERTS; slots++) {
        fill_fails = true;
        check_steps(-1, slots);
    }
}

// And what is copied next waits behind it. Some slots are in use by then, as the second layer comes
// late.
static void a_filling_that_failed_is_made_again(void **state) {
    enum { STEPS = 24, LATE = 8, SLOTS = 6, LAYERS = 2 };
    const struct offload_memory memory = {
        .mixtures = LAYERS, .expert_bytes = (size_t)1 << 15, .expert_slots = SLOTS};
    const struct backend card = failing_card();
    const void *at[LAYERS][3][EXPERTS];
    const float shares[USED] = {0.5F, 0.25F};
    struct offload_fixture f;
    (void)state;
    fixture_open(&f, &card, &memory);
    for (int step = 0; step < STEPS; step++) {
        const int32_t first = step >= LATE || step % 4 < 2 ? EXPERTS - 1 : EXPERTS - 3;
        const int32_t chosen[USED] = {first, first - 1};
        fill_fails = step == LATE;
        for (int layer = 0; layer < (step < LATE ? 1 : LAYERS); layer++) {
            struct experts args = {.x = f.x,
                                   .y = f.y + layer * COLUMNS,
                                   .chosen = chosen,
                                   .shares = shares,
                                   .up = stack(&f, at[layer][0], layer, ROWS, COLUMNS),
                                   .gate = stack(&f, at[layer][1], 1 - layer, ROWS, COLUMNS),
                                   .down = stack(&f, at[layer][2], 2, COLUMNS, ROWS),
                                   .tokens = 1,
                                   .experts = EXPERTS,
                                   .used = USED};
            f.backend->experts(f.device, &args);
            args.y = f.expected + layer * COLUMNS;
            backend_reference()->experts(f.card, &args);
        }
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        const size_t count = (size_t)COLUMNS * (step < LATE ? 1 : LAYERS);
        assert_true(difference(f.y, f.expected, count) < 0.02);
    }
    fixture_close(&f);
}

// Where another program has taken what copies cross through: they are made once there is memory.
static void copies_without_memory_are_made_later(void **state) {
    (void)state;
    for (int refused = 1; refused < 8; refused++) {
        refusals = refused;
        check_steps(-1, 4);
        assert_int_equal(refusals, 0);
    }
}

// A copy that was refused is not made later into a slab that has been taken back and lent again.
static void copies_are_forgotten_with_their_slab(void **state) {
    enum { ALL = 64 };
    const struct offload_memory memory = {
        .mixtures = 1, .expert_bytes = (size_t)1 << 15, .lent_bytes = (size_t)1 << 16};
    const void *at[3][EXPERTS];
    const float shares[USED] = {0.5F, 0.25F};
    const int32_t chosen[USED] = {EXPERTS - 1, EXPERTS - 2};
    struct backend card = *backend_reference();
    struct offload_fixture f;
    (void)state;
    fails = false;
    card.copy_in_background = copy_in_background_unless_refused;
    card.background_copies_done = is_copied;
    fixture_open(&f, &card, &memory);
    void *slab = calloc(1, offload_slab_bytes(f.device));
    assert_non_null(slab);
    assert_true(offload_lend(f.device, slab));
    refusals = ALL;
    background_copies = 1; // the first one is refused
    for (int step = 0; step < 3; step++) {
        const struct experts args = mixture(&f, at, chosen, shares);
        f.backend->experts(f.device, &args);
        assert_int_equal(f.backend->sync(f.device), STATUS_OK);
        if (step == 1) {
            assert_int_equal(background_copies, 2);
            offload_take_back(f.device);
            assert_true(offload_lend(f.device, slab));
        }
    }
    assert_int_equal(background_copies, 2);
    refusals = 0;
    free(slab);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_the_processors),
        cmocka_unit_test(weights_on_the_card_are_its_own),
        cmocka_unit_test(experts_are_the_processors),
        cmocka_unit_test(activations_are_rounded_where_they_cross),
        cmocka_unit_test(recorded_steps_find_their_parts_again),
        cmocka_unit_test(a_reservation_that_fails_may_be_repeated),
        cmocka_unit_test(a_new_reservation_has_the_memory_of_slots),
        cmocka_unit_test(ops_between_the_two_devices_are_hidden_from_callers),
        cmocka_unit_test(a_step_that_lost_a_part_is_not_replayed),
        cmocka_unit_test(rows_that_the_card_cannot_read_are_refused),
        cmocka_unit_test(experts_in_slots_and_in_memory_add_up),
        cmocka_unit_test(slots_are_full_after_the_first_step),
        cmocka_unit_test(a_device_without_copies_counts_what_they_would_hit),
        cmocka_unit_test(copies_of_a_failed_step_are_made_again),
        cmocka_unit_test(a_filling_that_failed_is_made_again),
        cmocka_unit_test(copies_without_memory_are_made_later),
        cmocka_unit_test(copies_are_forgotten_with_their_slab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
