// tests/kernels/test_offload_late.c — a step's results are the same on a card that begins only when
// it is waited for.
//
// A card reads arguments when an op is enqueued, and everything else when its turn comes. The
// reference backend computes at once; this one notes its ops, and runs them in sync(). Copies in
// the background are made only when they have been asked for a few times. So anything that is
// changed or reused too early always shows here. Recorded ops are kept for later steps, and some
// steps end early, because the card fails.
#include "tests/check.h" // cmocka and the headers that it wants first

#include "kernels/cost.h"
#include "tests/kernels/offload_fixture.h"

enum { OPS = 512, LAYERS = 2, FEW = 3, MANY = 40, LATE_LOOKS = 2, FAILING = 8 };

struct bytes {
    void *to;
    const void *from;
    size_t count;
};

struct call {
    void (*function)(void *user);
    void *user;
};

struct op {
    struct device *device;
    void (*run)(struct device *device, const struct op *op);
    union {
        struct linear linear;
        struct gated_linear gated_linear;
        struct experts experts;
        struct rmsnorm rmsnorm;
        struct add_rows add_rows;
        struct ask_host ask_host;
        struct take_answer take_answer;
        struct gather_experts gather_experts;
        struct bytes bytes;
        struct call call;
    };
};

struct ops {
    struct op of[OPS];
    int count;
};

static struct ops enqueued, background, recorded[FEW + 1]; // recorded: by their number of tokens
static int seen[FEW + 1], looks;
static struct ops *recording; // or NULL
static int fails_after = -1;  // so many ops of the next step; -1: it does not
static bool arranges;         // the newest op; who reads weights early would not wait for it

static void run_all(struct ops *ops) {
    for (int i = 0; i < ops->count; i++)
        ops->of[i].run(ops->of[i].device, &ops->of[i]);
    ops->count = 0;
}

static void append(struct ops *ops, const struct op *op) {
    assert_true(ops->count < OPS);
    ops->of[ops->count++] = *op;
}

static void note(const struct op *op) { append(recording ? recording : &enqueued, op); }

static void note_reader(const struct op *op) {
    assert_false(arranges);
    note(op);
}

#define LATE_MAP(X) \
    X(linear)       \
    X(gated_linear) X(experts) X(rmsnorm) X(add_rows) X(ask_host) X(take_answer) X(gather_experts)
#define LATE(name)                                                                     \
    static void run_##name(struct device *device, const struct op *op) {               \
        backend_reference()->name(device, &op->name);                                  \
    }                                                                                  \
    static void late_##name(struct device *device, const struct name *args) {          \
        note_reader(&(struct op){.device = device, .run = run_##name, .name = *args}); \
    }
LATE_MAP(LATE)

static void run_copy(struct device *device, const struct op *op) {
    (void)device;
    memcpy(op->bytes.to, op->bytes.from, op->bytes.count);
}

static void late_copy(struct device *device, void *to, const void *from, size_t count) {
    note(&(struct op){.device = device, .run = run_copy, .bytes = {to, from, count}});
    arranges = false;
}

static void late_copy_weights(struct device *device, const struct weight *from, void *to) {
    late_copy(device, to, from->data, weight_bytes(from));
    arranges = true;
}

static bool late_copy_in_background(struct device *device, const struct weight *from, void *to) {
    const struct bytes bytes = {to, from->data, weight_bytes(from)};
    append(&background, &(struct op){.device = device, .run = run_copy, .bytes = bytes});
    looks = LATE_LOOKS;
    return true;
}

static bool is_copied_late(struct device *device) {
    (void)device;
    if (looks-- > 0) return false;
    run_all(&background);
    return true;
}

static void run_call(struct device *device, const struct op *op) {
    (void)device;
    op->call.function(op->call.user);
}

static void late_call_host(struct device *device, void (*function)(void *user), void *user) {
    note(&(struct op){.device = device, .run = run_call, .call = {function, user}});
}

static enum status late_sync(struct device *device) {
    const bool fails = fails_after >= 0 && fails_after < enqueued.count;
    assert_null(recording);
    if (fails) enqueued.count = fails_after;
    fails_after = -1;
    run_all(&enqueued);
    return fails ? STATUS_DEVICE : backend_reference()->sync(device);
}

static void close_idle(struct device *device) {
    assert_int_equal(enqueued.count, 0);
    backend_reference()->close(device);
}

static void release_after_all(struct device *device, void *memory, size_t bytes) {
    run_all(&enqueued);
    run_all(&background);
    backend_reference()->release(device, memory, bytes);
}

static void enqueue_recorded(const struct ops *ops) {
    for (int i = 0; i < ops->count; i++)
        append(&enqueued, &ops->of[i]);
}

// As a card does: seen once, recorded then, and replayed from the third time on.
static bool late_replay(struct device *device, uint64_t key) {
    (void)device;
    assert_true(key <= FEW);
    const int times = seen[key]++;
    if (times > 1) enqueue_recorded(&recorded[key]);
    if (times == 1) recording = &recorded[key];
    return times > 1;
}

static bool end_recording(struct device *device) {
    (void)device;
    if (recording) enqueue_recorded(recording);
    recording = NULL;
    return true;
}

static struct backend late_card(bool asks) {
    struct backend card = *backend_reference();
#define SET(name) card.name = late_##name;
    LATE_MAP(SET)
    card.to_device = late_copy;
    card.to_host = late_copy;
    card.copy_weights = card.arrange_weights = late_copy_weights;
    card.copy_in_background = late_copy_in_background;
    card.background_copies_done = is_copied_late;
    card.call_host = late_call_host;
    card.sync = late_sync;
    card.close = close_idle;
    card.alloc = alloc_spoiled;
    card.release = release_after_all;
    card.release_host = release_after_all;
    card.replay = late_replay;
    card.recorded = end_recording;
    if (!asks) card.ask_host = NULL;
    if (!asks) card.take_answer = NULL;
    enqueued.count = background.count = looks = 0;
    arranges = false;
    for (int i = 0; i <= FEW; i++)
        recorded[i].count = seen[i] = 0;
    return card;
}

struct rows { // of one layer
    float mixed[MANY * ROWS], inner[MANY * ROWS], dense[MANY * COLUMNS];
    int32_t chosen[MANY * USED];
    const void *at[3][EXPERTS];
};

static struct rows ours[LAYERS], right[LAYERS];
static float shares[MANY * USED], up_rows[MANY * ROWS];

// A mixture, which has no gate in the second layer, and a dense feed-forward.
static void enqueue_layer(const struct offload_fixture *f, const struct backend *backend,
                          struct device *device, int layer, int32_t tokens) {
    const bool in_host = backend == f->backend;
    struct rows *rows = &(in_host ? ours : right)[layer];
    struct experts experts = {.y = rows->mixed,
                              .x = f->x,
                              .chosen = ours[layer].chosen,
                              .shares = shares,
                              .gate = stack(f, rows->at[0], layer, ROWS, COLUMNS),
                              .up = stack(f, rows->at[1], 1 - layer, ROWS, COLUMNS),
                              .down = stack(f, rows->at[2], 2, COLUMNS, ROWS),
                              .tokens = tokens,
                              .experts = EXPERTS,
                              .used = USED};
    if (layer > 0) experts.gate = experts.up;
    const struct gated_linear gated = {.in = {.x = f->x, .tokens = tokens},
                                       .y = rows->inner,
                                       .up_rows = up_rows,
                                       .gate =
                                           matrix(f, 3 * EXPERTS + layer, ROWS, COLUMNS, in_host),
                                       .up = matrix(f, 3 * EXPERTS + 2, ROWS, COLUMNS, in_host)};
    const struct linear down = {
        .in = {.x = rows->inner, .tokens = tokens},
        .parts = {{rows->dense, matrix(f, 3 * EXPERTS + 3, COLUMNS, ROWS, in_host), NULL}},
        .count = 1,
        .store = layer ? LINEAR_ADD : LINEAR_RESIDUAL};
    backend->experts(device, &experts);
    backend->gated_linear(device, &gated);
    backend->linear(device, &down);
}

static void enqueue_step(const struct offload_fixture *f, int32_t tokens) {
    const bool replays = tokens <= FEW;
    if (replays && f->backend->replay(f->device, (uint64_t)tokens)) return;
    for (int layer = 0; layer < LAYERS; layer++)
        enqueue_layer(f, f->backend, f->device, layer, tokens);
    if (replays) assert_true(f->backend->recorded(f->device));
}

// A step's first token mostly has the experts of the step before.
static void choose(unsigned *seed, int32_t tokens, int32_t *chosen) {
    for (int32_t i = 0; i < tokens * USED; i += USED) {
        if (i == 0 && rand_r(seed) % 4) continue;
        chosen[i] = rand_r(seed) % EXPERTS;
        chosen[i + 1] = (chosen[i] + 1 + rand_r(seed) % (EXPERTS - 1)) % EXPERTS;
    }
}

static void take_step(const struct offload_fixture *f, unsigned *seed, int32_t tokens, bool fails) {
    for (int32_t i = 0; i < tokens * COLUMNS; i++)
        f->x[i] = (float)(rand_r(seed) % 1000) / 1000 - 0.5F;
    for (int32_t i = 0; i < tokens * USED; i++)
        shares[i] = (float)(1 + rand_r(seed) % 8) / 8;
    for (int layer = 0; layer < LAYERS; layer++)
        choose(seed, tokens, ours[layer].chosen);
    for (int layer = 0; layer < LAYERS; layer++) {
        memset(ours[layer].dense, 0, sizeof ours[layer].dense);
        memset(right[layer].dense, 0, sizeof right[layer].dense);
    }
    enqueue_step(f, tokens);
    if (fails) fails_after = rand_r(seed) % enqueued.count;
    assert_int_equal(f->backend->sync(f->device), fails ? STATUS_DEVICE : STATUS_OK);
    if (fails) return;
    for (int layer = 0; layer < LAYERS; layer++) {
        const size_t count = (size_t)tokens * COLUMNS;
        enqueue_layer(f, backend_reference(), f->card, layer, tokens);
        assert_true(difference(ours[layer].mixed, right[layer].mixed, count) < 0.02);
        assert_true(difference(ours[layer].dense, right[layer].dense, count) < 0.02);
    }
}

static int32_t tokens_of(int step) { return step % 10 == 9 ? MANY : 1 + step % FEW; }

static void open_late(struct offload_fixture *f, const struct backend *card,
                      const struct offload_memory *memory) {
    for (int layer = 0; layer < LAYERS; layer++)
        for (int i = 0; i < MANY * USED; i++)
            ours[layer].chosen[i] = i % USED;
    fixture_open(f, card, memory);
}

static void take_steps(const struct offload_memory *memory) {
    enum { STEPS = 60 };
    for (int asks = 0; asks < 2; asks++) {
        const struct backend card = late_card(asks);
        struct offload_fixture f;
        unsigned seed = SEED;
        open_late(&f, &card, memory);
        for (int step = 0; step < STEPS; step++)
            take_step(&f, &seed, tokens_of(step), step % FAILING == 0);
        fixture_close(&f);
    }
}

static void parts_on_the_host_live_as_long_as_their_step(void **state) {
    (void)state;
    take_steps(&(struct offload_memory){0});
}

static void weights_that_cross_wait_for_those_before(void **state) {
    (void)state;
    take_steps(&(struct offload_memory){.slot_bytes = (size_t)1 << 16});
    take_steps(&(struct offload_memory){.slot_bytes = (size_t)1 << 20});
    take_steps(&(struct offload_memory){
        .slot_bytes = (size_t)1 << 20, .gathered_experts = 1, .crossing_share = 0.7});
}

// What waits for an answer gets it before there is nobody to give it.
static void a_device_may_be_closed_in_the_middle_of_a_step(void **state) {
    const struct backend card = late_card(true);
    struct offload_fixture f;
    (void)state;
    open_late(&f, &card, &(struct offload_memory){0});
    enqueue_step(&f, MANY);
    assert_true(enqueued.count > 0);
    fixture_close(&f);
}

// And what was lent belongs to nobody else once it is taken back.
static void copies_are_used_when_they_are_done(void **state) {
    enum { STEPS = 300, SLOTS = 3, OWNERS = 0x5a };
    const struct offload_memory memory = {.mixtures = LAYERS,
                                          .expert_bytes = (size_t)3 << 13,
                                          .expert_slots = SLOTS,
                                          .lent_bytes = (size_t)3 << 13};
    const struct backend card = late_card(true);
    struct offload_fixture f;
    unsigned seed = SEED;
    (void)state;
    open_late(&f, &card, &memory);
    const size_t bytes = offload_slab_bytes(f.device);
    char *slab = malloc(bytes);
    assert_non_null(slab);
    memset(slab, OWNERS, bytes);
    for (int step = 0; step < STEPS; step++) {
        const bool lent = step % 7 < 4;
        if (step % 7 == 0) assert_true(offload_lend(f.device, slab));
        if (step % 7 == 4) offload_take_back(f.device);
        if (step % 7 == 4) memset(slab, OWNERS, bytes);
        take_step(&f, &seed, 1 + step % FEW, step % FAILING == 0);
        for (size_t i = 0; i < bytes && !lent; i++)
            assert_int_equal(slab[i], OWNERS);
    }
    const struct offload_counts counts = offload_counts(f.device);
    assert_true(counts.hits > STEPS && counts.copied > STEPS / 4);
    fixture_close(&f);
    free(slab);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_on_the_host_live_as_long_as_their_step),
        cmocka_unit_test(weights_that_cross_wait_for_those_before),
        cmocka_unit_test(a_device_may_be_closed_in_the_middle_of_a_step),
        cmocka_unit_test(copies_are_used_when_they_are_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
