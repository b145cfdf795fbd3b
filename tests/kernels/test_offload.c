// tests/kernels/test_offload.c — weights in host memory give what the processor makes of the rows
// that cross, and weights on the card what the card does.
//
// The card is the reference backend, which asks a thread of the host; of a second one rows are
// copied and the host is called. Another has fp16 activations, which only cross; others replay what
// they were told to call or to ask.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernels/base/log.h"
#include "kernels/cost.h"
#include "kernels/offload.h"
#include "kernels/offload_worker.h"
#include "kernels/part_speed.h"

enum { SEED = 4711, COLUMNS = 64, ROWS = 96, EXPERTS = 6, USED = 2, MOST = 700, CALLS = 16 };

static const struct workspace limits = {.max_tokens = MOST,
                                        .max_features = ROWS,
                                        .max_seqs = 1,
                                        .experts = EXPERTS,
                                        .experts_used = USED,
                                        .expert_rows = ROWS,
                                        .expert_outputs = COLUMNS};

struct both { // the device under test, and a processor of its own
    const struct backend *backend;
    struct device *device, *processor;
    char *matrices;
    float *x, *y, *expected, *normed;
};

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

static bool replay_nothing(struct device *device, uint64_t key) {
    (void)device;
    return key == 0;
}

static bool record_all(struct device *device) {
    (void)device;
    return true;
}

static float *random_rows(unsigned *state, size_t count) {
    float *rows = calloc(count, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = (float)rand_r(state) / (float)RAND_MAX - 0.5F;
    return rows;
}

static void open_both(struct both *both, const struct backend *card, size_t slot_bytes) {
    const struct device_options options = {.threads = 2};
    const size_t count = (size_t)4 * ROWS * COLUMNS * EXPERTS;
    unsigned seed = SEED;
    both->backend = card;
    assert_int_equal(card->open(&options, &both->device, NULL), STATUS_OK);
    assert_int_equal(offload_open(&both->backend, &both->device, &options,
                                  &(struct offload_memory){.slot_bytes = slot_bytes}, NULL),
                     STATUS_OK);
    assert_int_equal(both->backend->reserve(both->device, &limits), STATUS_OK);
    assert_int_equal(backend_cpu()->open(&options, &both->processor, NULL), STATUS_OK);
    assert_int_equal(backend_cpu()->reserve(both->processor, &limits), STATUS_OK);
    both->matrices = calloc(count, 2);
    assert_non_null(both->matrices);
    dtype_fill_random(DTYPE_Q8_0, both->matrices, count, 0.1F, SEED);
    both->x = random_rows(&seed, MOST * ROWS);
    both->y = random_rows(&seed, MOST * ROWS);
    both->expected = calloc(MOST * ROWS, sizeof(float));
    both->normed = calloc(MOST * ROWS, sizeof(float));
    assert_non_null(both->expected);
    assert_non_null(both->normed);
}

static void close_both(struct both *both) {
    both->backend->close(both->device);
    backend_cpu()->close(both->processor);
    free(both->matrices);
    free(both->x);
    free(both->y);
    free(both->expected);
    free(both->normed);
}

static struct weight matrix(const struct both *both, int nth, int32_t rows, int32_t columns,
                            bool in_host) {
    const size_t bytes = ROWS * dtype_row_bytes(DTYPE_Q8_0, COLUMNS);
    return (struct weight){.data = both->matrices + (size_t)nth * bytes,
                           .type = DTYPE_Q8_0,
                           .rows = rows,
                           .columns = columns,
                           .in_host = in_host};
}

static void assert_rows(const float *found, const float *expected, size_t count) {
    assert_memory_equal(found, expected, count * sizeof found[0]);
}

static double difference(const float *found, const float *expected, size_t count) {
    double sum = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)(found[i] - expected[i]) * (double)(found[i] - expected[i]);
        norm += (double)expected[i] * (double)expected[i];
    }
    return sqrt(sum / norm);
}

static const int32_t TOKENS[] = {1, 3, 511, 512, MOST};
enum { CASES = sizeof TOKENS / sizeof TOKENS[0] };

static void check_linear(struct both *both, int32_t tokens, enum linear_store store, bool norm) {
    const float bias[ROWS] = {1, -2, 3}, weight[COLUMNS] = {2, 1, 4};
    float *more = both->normed; // the second part's
    const size_t count = (size_t)tokens * ROWS;
    struct linear args = {.in = {.x = both->x, .tokens = tokens},
                          .parts = {{both->y, matrix(both, 0, ROWS, COLUMNS, true), NULL}},
                          .count = 1,
                          .store = store};
    struct linear right = args;
    float *rows = calloc(2 * MOST, COLUMNS * sizeof *rows);
    assert_non_null(rows);
    if (store != LINEAR_ADD) {
        args.parts[0].bias = right.parts[0].bias = bias;
        args.parts[1] = (struct projection){more, matrix(both, 1, ROWS / 2, COLUMNS, true), NULL};
        args.count = 2;
    }
    if (norm) {
        const struct rmsnorm rmsnorm = {rows, both->x, weight, tokens, COLUMNS, 1e-5F, false, NULL};
        backend_reference()->rmsnorm(NULL, &rmsnorm);
        args.in.norm = weight;
        args.in.eps = 1e-5F;
        args.in.normed = rows + MOST * COLUMNS;
        right.in.x = rows;
    }
    right.parts[0].y = both->expected;
    right.store = LINEAR_RESIDUAL;
    backend_cpu()->linear(both->processor, &right);
    for (size_t i = 0; i < count && store == LINEAR_ADD; i++)
        both->expected[i] += both->y[i];
    both->backend->linear(both->device, &args);
    assert_int_equal(both->backend->sync(both->device), STATUS_OK);
    if (norm) assert_rows(args.in.normed, rows, (size_t)tokens * COLUMNS);
    assert_rows(both->y, both->expected, count);
    if (args.count == 2) {
        right.parts[0] = (struct projection){both->expected, args.parts[1].weight, NULL};
        backend_cpu()->linear(both->processor, &right);
        assert_rows(more, both->expected, count / 2);
    }
    free(rows);
}

static void check_products(const struct backend *card) {
    struct both both;
    open_both(&both, card, 0);
    for (int i = 0; i < CASES; i++)
        for (int store = LINEAR_ACTIVATION; store <= LINEAR_ADD; store++)
            for (int norm = 0; norm < 2; norm++)
                check_linear(&both, TOKENS[i], (enum linear_store)store, norm);
    for (int i = 0; i < CASES; i++) {
        struct gated_linear args = {.in = {.x = both.x, .tokens = TOKENS[i]},
                                    .y = both.y,
                                    .up_rows = both.normed,
                                    .gate = matrix(&both, 0, ROWS, COLUMNS, true),
                                    .up = matrix(&both, 1, ROWS, COLUMNS, true)};
        both.backend->gated_linear(both.device, &args);
        assert_int_equal(both.backend->sync(both.device), STATUS_OK);
        args.y = both.expected;
        backend_cpu()->gated_linear(both.processor, &args);
        assert_rows(both.y, both.expected, (size_t)TOKENS[i] * ROWS);
    }
    close_both(&both);
}

static void products_are_the_processors(void **state) {
    const struct backend copying = copying_card();
    (void)state;
    check_products(backend_reference());
    check_products(&copying);
}

static void weights_on_the_card_are_its_own(void **state) {
    (void)state;
    struct both both;
    struct device *plain;
    open_both(&both, backend_reference(), 0);
    assert_int_equal(backend_reference()->open(&(struct device_options){0}, &plain, NULL),
                     STATUS_OK);
    assert_int_equal(backend_reference()->reserve(plain, &limits), STATUS_OK);
    struct linear args = {.in = {.x = both.x, .tokens = 9},
                          .parts = {{both.y, matrix(&both, 0, ROWS, COLUMNS, false), NULL}},
                          .count = 1};
    both.backend->linear(both.device, &args);
    args.parts[0].y = both.expected;
    backend_reference()->linear(plain, &args);
    assert_rows(both.y, both.expected, 9 * ROWS);
    backend_reference()->close(plain);
    close_both(&both);
}

static struct expert_weights stack(const struct both *both, const void **at, int nth, int32_t rows,
                                   int32_t columns) {
    for (int e = 0; e < EXPERTS; e++)
        at[e] = matrix(both, nth * EXPERTS + e, rows, columns, true).data;
    return (struct expert_weights){
        .data = at, .type = DTYPE_Q8_0, .rows = rows, .columns = columns, .in_host = true};
}

// From as many tokens on, weights cross, and the bits are the card's.
static void weights_cross_for_many_tokens(void **state) {
    (void)state;
    enum { MANY = OFFLOAD_STREAM_TOKENS, FEW = MANY - 1 };
    const float bias[ROWS] = {3, 2, 1};
    const size_t slot_bytes = (size_t)1 << 17; // not for all of the experts
    struct both both;
    struct device *plain;
    open_both(&both, backend_reference(), slot_bytes);
    assert_int_equal(backend_reference()->open(&(struct device_options){0}, &plain, NULL),
                     STATUS_OK);
    assert_int_equal(backend_reference()->reserve(plain, &limits), STATUS_OK);
    for (int32_t tokens = FEW; tokens <= MANY; tokens++) {
        const struct backend *right = tokens == MANY ? backend_reference() : backend_cpu();
        struct device *device = tokens == MANY ? plain : both.processor;
        const size_t count = (size_t)tokens * ROWS;
        struct linear linear = {.in = {.x = both.x, .tokens = tokens},
                                .parts = {{both.y, matrix(&both, 0, ROWS, COLUMNS, true), bias}},
                                .count = 1};
        both.backend->linear(both.device, &linear);
        linear.parts[0].y = both.expected;
        right->linear(device, &linear);
        assert_rows(both.y, both.expected, count);
        struct gated_linear gated = {.in = {.x = both.x, .tokens = tokens},
                                     .y = both.y,
                                     .up_rows = both.normed,
                                     .gate = matrix(&both, 0, ROWS, COLUMNS, true),
                                     .up = matrix(&both, 1, ROWS, COLUMNS, true)};
        both.backend->gated_linear(both.device, &gated);
        gated.y = both.expected;
        right->gated_linear(device, &gated);
        assert_rows(both.y, both.expected, count);
    }
    backend_reference()->close(plain);
    close_both(&both);
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

static void check_mixture(const struct backend *card) {
    struct both both;
    const void *at[3][EXPERTS];
    int32_t *chosen = calloc(MOST * USED, sizeof *chosen);
    unsigned seed = SEED;
    float *shares = random_rows(&seed, MOST * USED);
    assert_non_null(chosen);
    open_both(&both, card, 0);
    for (int32_t i = 0; i < MOST * USED; i++)
        chosen[i] = (i / USED * 5 + i % USED) % EXPERTS;
    struct experts args = {.x = both.x,
                           .chosen = chosen,
                           .shares = shares,
                           .gate = stack(&both, at[0], 0, ROWS, COLUMNS),
                           .up = stack(&both, at[1], 1, ROWS, COLUMNS),
                           .down = stack(&both, at[2], 2, COLUMNS, ROWS),
                           .experts = EXPERTS,
                           .used = USED};
    for (int i = 0; i < 2 * CASES; i++) {
        const size_t count = (size_t)TOKENS[i / 2] * COLUMNS;
        args.tokens = TOKENS[i / 2];
        args.add = false;
        args.y = both.expected;
        backend_cpu()->experts(both.processor, &args);
        for (size_t j = 0; j < count && i % 2; j++)
            both.expected[j] += both.y[j];
        args.add = i % 2;
        args.y = both.y;
        both.backend->experts(both.device, &args);
        assert_int_equal(both.backend->sync(both.device), STATUS_OK);
        assert_rows(both.y, both.expected, count);
    }
    close_both(&both);
    free(chosen);
    free(shares);
}

static void experts_are_the_processors(void **state) {
    const struct backend copying = copying_card();
    (void)state;
    check_mixture(backend_reference());
    check_mixture(&copying);
}

// A card that spoils memory as soon as it is there, and matrices in the slot after each use.
static int experts_calls;

static enum status alloc_spoiled(struct device *device, size_t bytes, void **memory) {
    TRY(backend_reference()->alloc(device, bytes, memory));
    memset(*memory, 0xff, bytes);
    return STATUS_OK;
}

static void spoil_after_experts(struct device *device, const struct experts *args) {
    backend_reference()->experts(device, args);
    experts_calls++;
    for (int32_t e = 0; e < args->experts; e++) // lists and biases stay for the whole op
        if (expert_within(&args->only, e))
            memset((void *)(uintptr_t)args->up.data[e], 0xff,
                   ROWS * dtype_row_bytes(DTYPE_Q8_0, COLUMNS));
}

// The sum of the whole, computed by parts in the order of experts.
static void add_in_parts(struct device *plain, struct experts args, int32_t at_once) {
    for (int32_t first = 0; first < EXPERTS; first += at_once) {
        if (at_once < EXPERTS) args.only = (struct expert_range){first, at_once};
        backend_reference()->experts(plain, &args);
        args.add = true;
    }
}

// With biases; scattered: each matrix by itself, in another order. at_once 0: the processor
// computes.
static void check_experts(size_t slot_bytes, int32_t tokens, bool scattered, int32_t at_once) {
    struct backend card = *backend_reference();
    struct both both;
    struct device *plain;
    const void *at[3][EXPERTS];
    static float bias[3][EXPERTS * ROWS];
    int32_t *chosen = calloc(MOST * USED, sizeof *chosen);
    unsigned seed = SEED;
    float *shares = random_rows(&seed, MOST * USED);
    assert_non_null(chosen);
    card.alloc = alloc_spoiled;
    card.experts = spoil_after_experts;
    experts_calls = 0;
    open_both(&both, &card, slot_bytes);
    assert_int_equal(backend_reference()->open(&(struct device_options){0}, &plain, NULL),
                     STATUS_OK);
    assert_int_equal(backend_reference()->reserve(plain, &limits), STATUS_OK);
    for (int32_t i = 0; i < MOST * USED; i++)
        chosen[i] = (i / USED * 5 + i % USED) % EXPERTS;
    struct experts args = {.x = both.x,
                           .chosen = chosen,
                           .shares = shares,
                           .gate = stack(&both, at[0], 0, ROWS, COLUMNS),
                           .up = stack(&both, at[1], 1, ROWS, COLUMNS),
                           .down = stack(&both, at[2], 2, COLUMNS, ROWS),
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
        memcpy(both.expected, both.y, (size_t)tokens * COLUMNS * sizeof both.y[0]);
        args.y = both.y;
        both.backend->experts(both.device, &args);
        assert_int_equal(both.backend->sync(both.device), STATUS_OK);
        args.y = both.expected;
        if (at_once > 0)
            add_in_parts(plain, args, at_once);
        else
            backend_cpu()->experts(both.processor, &args);
        if (at_once > 0 || !args.add)
            assert_rows(both.y, both.expected, (size_t)tokens * COLUMNS);
        else
            assert_true(difference(both.y, both.expected, (size_t)tokens * COLUMNS) < 1e-6);
    }
    assert_int_equal(experts_calls, at_once > 0 ? 2 * EXPERTS / at_once : 0);
    backend_reference()->close(plain);
    close_both(&both);
    free(chosen);
    free(shares);
}

// Rows come and go as fp16, and what is beyond its range saturates.
static void activations_are_rounded_where_they_cross(void **state) {
    (void)state;
    struct backend card = *backend_reference();
    struct both both;
    half x[COLUMNS], y[ROWS];
    float bias[ROWS] = {1e6F, -1e6F};
    card.activation = DTYPE_F16;
    open_both(&both, &card, 0);
    for (int i = 0; i < COLUMNS; i++) {
        x[i] = float_to_half(both.x[i]);
        both.x[i] = half_to_float(x[i]);
    }
    struct linear args = {.in = {.x = x, .tokens = 1},
                          .parts = {{y, matrix(&both, 0, ROWS, COLUMNS, true), bias}},
                          .count = 1};
    both.backend->linear(both.device, &args);
    args.in.x = both.x;
    args.parts[0].y = both.expected;
    backend_cpu()->linear(both.processor, &args);
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(y[i], float_to_half(fmaxf(fminf(both.expected[i], 65504), -65504)));
    close_both(&both);
}

// Records a product of two rows, computes others, and repeats what was recorded.
static void check_recorded(struct backend card, bool asks) {
    struct both both;
    card.replay = replay_nothing;
    card.recorded = record_all;
    call_count = ask_count = take_count = 0;
    open_both(&both, &card, 0);
    struct linear args = {.in = {.x = both.x, .tokens = 2},
                          .parts = {{both.y, matrix(&both, 0, ROWS, COLUMNS, true), NULL}},
                          .count = 1};
    for (int i = 0; i < 2; i++) { // seen, then recorded
        assert_false(both.backend->replay(both.device, 7));
        both.backend->linear(both.device, &args);
        assert_true(both.backend->recorded(both.device));
        assert_int_equal(both.backend->sync(both.device), STATUS_OK);
    }
    assert_ptr_equal(calls[0].user, calls[1].user);
    assert_int_equal(asked[0].job, asked[1].job);
    struct linear other = args;
    for (other.in.tokens = 3; other.in.tokens < 6; other.in.tokens++)
        both.backend->linear(both.device, &other);
    assert_int_equal(both.backend->sync(both.device), STATUS_OK);
    both.backend->linear(both.device, &other);
    assert_int_equal(both.backend->sync(both.device), STATUS_OK);
    if (asks) { // still of two tokens
        memset(both.y, 0, 2 * ROWS * sizeof both.y[0]);
        assert_true(both.backend->replay(both.device, 0));
        backend_reference()->ask_host(NULL, &asked[0]);
        backend_reference()->take_answer(NULL, &taken[0]);
        assert_int_equal(both.backend->sync(both.device), STATUS_OK);
    } else {
        calls[0].function(calls[0].user);
    }
    args.parts[0].y = both.expected;
    backend_cpu()->linear(both.processor, &args);
    assert_rows(both.y, both.expected, (size_t)2 * ROWS);
    close_both(&both);
}

static enum status pin_nothing(struct device *device, size_t bytes, void **memory) {
    const size_t weights = ROWS * dtype_row_bytes(DTYPE_Q8_0, COLUMNS);
    return bytes >= weights && bytes % weights == 0
               ? STATUS_NO_MEMORY
               : backend_reference()->alloc_host(device, bytes, memory);
}

static size_t spare_bytes = SIZE_MAX; // of the machine's memory; SIZE_MAX: what there is

size_t __real_host_spare_memory(void);
size_t __wrap_host_spare_memory(void);

size_t __wrap_host_spare_memory(void) {
    return spare_bytes < SIZE_MAX ? spare_bytes : __real_host_spare_memory();
}

static char warned[256];

static void keep_warning(enum log_level level, const char *text) {
    if (level == LOG_WARNING) snprintf(warned, sizeof warned, "%s", text);
}

// They are used where they lie, and one line says how many.
static void weights_that_cannot_be_pinned_are_named(void **state) {
    struct backend card = *backend_reference();
    struct both both;
    const void *data;
    (void)state;
    card.alloc_host = pin_nothing;
    open_both(&both, &card, 0);
    const struct weight weight = matrix(&both, 0, ROWS, COLUMNS, true);
    log_set_sink(keep_warning);
    assert_int_equal(both.backend->weights(both.device, &weight, &data), STATUS_OK);
    assert_ptr_equal(data, weight.data);
    assert_int_equal(both.backend->reserve(both.device, &limits), STATUS_OK);
    assert_non_null(strstr(warned, "6.4 KiB of the weights in memory could not be pinned; "));
    warned[0] = '\0';
    assert_int_equal(both.backend->reserve(both.device, &limits), STATUS_OK); // it was said
    assert_string_equal(warned, "");
    log_set_sink(NULL);
    close_both(&both);
}

// Some memory stays for everything else, whatever the card would pin.
static void weights_that_others_need_the_memory_of_are_not_pinned(void **state) {
    struct both both;
    const void *data;
    (void)state;
    open_both(&both, backend_reference(), 0);
    const struct weight weight = matrix(&both, 0, ROWS, COLUMNS, true);
    for (int missing = 0; missing < 2; missing++) {
        spare_bytes = weight_bytes(&weight) - (size_t)missing;
        warned[0] = '\0';
        log_set_sink(keep_warning);
        assert_int_equal(both.backend->weights(both.device, &weight, &data), STATUS_OK);
        assert_int_equal(data == weight.data, missing);
        assert_int_equal(both.backend->reserve(both.device, &limits), STATUS_OK);
        assert_int_equal(strstr(warned, "could not be pinned; ") != NULL, missing);
        log_set_sink(NULL);
    }
    spare_bytes = SIZE_MAX;
    close_both(&both);
}

// As of a shell's `ulimit -v`: so many bytes more than there are now.
static void limit_memory(struct rlimit *before, size_t more) {
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu", &pages), 1);
    (void)fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, before), 0);
    struct rlimit limit = *before;
    limit.rlim_cur = pages * 4096 + more;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void a_trial_takes_what_memory_there_is(void **state) {
    const struct device_options options = {.threads = 2};
    const struct part_trial how = {
        .shape = {COLUMNS, ROWS, USED, DTYPE_Q8_0}, .tokens = 1, .in_host = true};
    const struct backend *backend = backend_reference();
    struct rlimit before;
    struct device *device;
    (void)state;
    if (!CHECK_FULL) skip(); // instruments need addresses of their own
    assert_int_equal(backend->open(&options, &device, NULL), STATUS_OK);
    assert_int_equal(offload_open(&backend, &device, &options, &(struct offload_memory){0}, NULL),
                     STATUS_OK);
    limit_memory(&before, (size_t)768 << 20);
    const struct part_speed speed = part_speed_measure(backend, device, &how);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(speed.seconds > 0);
    backend->close(device);
}

static size_t odd_rows_take_nothing(const struct weight *weight) {
    return weight->columns == COLUMNS ? weight_bytes(weight) : 0;
}

// Rows that the card cannot compute with would have no place where they cross to.
static void rows_that_the_card_cannot_read_are_refused(void **state) {
    struct backend card = *backend_reference();
    struct both both;
    const void *data = NULL;
    (void)state;
    card.weight_bytes = odd_rows_take_nothing;
    open_both(&both, &card, (size_t)1 << 16);
    const struct weight odd = matrix(&both, 0, ROWS, COLUMNS / 2, true),
                        even = matrix(&both, 0, ROWS, COLUMNS, true);
    assert_int_equal(both.backend->weights(both.device, &odd, &data), STATUS_UNSUPPORTED);
    assert_null(data);
    assert_int_equal(both.backend->weights(both.device, &even, &data), STATUS_OK);
    close_both(&both);
}

static bool copy_fails;

static void fail_copy(struct device *device, const struct weight *weight, void *memory) {
    backend_reference()->copy_weights(device, weight, memory);
    copy_fails = true;
}

static enum status sync_of_copies(struct device *device) {
    const bool failed = copy_fails;
    copy_fails = false;
    (void)device;
    return failed ? STATUS_DEVICE : STATUS_OK;
}

// What crosses takes memory of the card's, which may be short; it is found out before any answer.
static void memory_for_what_crosses_is_taken_in_time(void **state) {
    struct backend card = *backend_reference();
    struct both both;
    const void *data;
    (void)state;
    card.copy_weights = fail_copy;
    card.sync = sync_of_copies;
    open_both(&both, &card, (size_t)1 << 16); // nothing has to cross yet
    const struct weight weight = matrix(&both, 0, ROWS, COLUMNS, true);
    assert_int_equal(both.backend->weights(both.device, &weight, &data), STATUS_OK);
    assert_int_equal(both.backend->reserve(both.device, &limits), STATUS_NO_MEMORY);
    close_both(&both);
}

// On the processor alone, and through a card.
static void parts_are_timed(void **state) {
    (void)state;
    enum { MANY_TOKENS = 5 };
    const struct device_options options = {.threads = 2};
    static const struct part_shape SHAPES[] = {
        {COLUMNS, ROWS, 0, DTYPE_Q8_0}, {COLUMNS, ROWS, USED, DTYPE_Q8_0}, {48, 80, 1, DTYPE_F32}};
    for (size_t i = 0; i < 2 * sizeof SHAPES / sizeof SHAPES[0]; i++) {
        const struct part_shape *shape = &SHAPES[i / 2];
        const bool in_host = i % 2 > 0;
        const struct backend *backend = in_host ? backend_reference() : backend_cpu();
        struct device *device;
        assert_int_equal(backend->open(&options, &device, NULL), STATUS_OK);
        if (in_host)
            assert_int_equal(
                offload_open(&backend, &device, &options, &(struct offload_memory){0}, NULL),
                STATUS_OK);
        const struct part_trial how = {
            .shape = *shape, .tokens = i % 4 ? 1 : MANY_TOKENS, .in_host = in_host};
        const struct part_speed speed = part_speed_measure(backend, device, &how);
        const size_t elements = (size_t)3 * (size_t)shape->dim * (size_t)shape->width;
        const size_t count = shape->used > 0 ? (size_t)shape->used : 1;
        assert_true(speed.seconds > 0);
        assert_int_equal(speed.bytes, count * elements / (size_t)dtype_block_elements(shape->type) *
                                          (size_t)dtype_block_bytes(shape->type));
        backend->close(device);
    }
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

// What was recorded without one of its parts would leave old results in place.
static void a_step_that_lost_a_part_is_not_replayed(void **state) {
    struct backend card = *backend_reference();
    struct both both;
    (void)state;
    card.replay = replay_the_first;
    card.recorded = record_all;
    card.ask_host = note_ask;
    card.take_answer = note_take;
    ask_count = take_count = 0;
    open_both(&both, &card, 0);
    struct linear args = {.in = {.x = both.x, .tokens = 1},
                          .parts = {{both.y, matrix(&both, 0, ROWS, COLUMNS, true), NULL}},
                          .count = 1};
    struct linear other = args;
    other.in.tokens = 2;
    assert_false(both.backend->replay(both.device, 1));
    both.backend->linear(both.device, &args);
    callocs_left = 0; // none is left for the second part
    both.backend->linear(both.device, &other);
    callocs_left = -1;
    assert_true(both.backend->recorded(both.device));
    assert_int_equal(both.backend->sync(both.device), STATUS_NO_MEMORY);
    assert_false(both.backend->replay(both.device, 1));
    both.backend->linear(both.device, &args);
    both.backend->linear(both.device, &other);
    assert_true(both.backend->recorded(both.device));
    assert_int_equal(both.backend->sync(both.device), STATUS_OK);
    other.parts[0].y = both.expected;
    backend_cpu()->linear(both.processor, &other);
    assert_rows(both.y, both.expected, (size_t)2 * ROWS);
    assert_int_equal(both.backend->reserve(both.device, &limits), STATUS_OK);
    assert_true(both.backend->replay(both.device, 1)); // and what is recorded from now on is
    assert_int_equal(both.backend->sync(both.device), STATUS_OK);
    close_both(&both);
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
    const struct device_options options = {.threads = 2};
    const void *at[LAYERS][3][EXPERTS];
    static float bias[EXPERTS * ROWS];
    int32_t chosen[FEW * USED] = {0, 1, 2, 3, 4, 5};
    float shares[FEW * USED] = {0.5F, 0.25F, 0.75F, 0.125F, 1, 0.5F};
    unsigned seed = SEED;
    struct both both;
    (void)state;
    open_both(&both, backend_reference(), 0);
    both.backend->close(both.device);
    both.backend = backend_reference();
    assert_int_equal(both.backend->open(&options, &both.device, NULL), STATUS_OK);
    struct device *plain = NULL;
    assert_int_equal(backend_reference()->open(&options, &plain, NULL), STATUS_OK);
    assert_int_equal(backend_reference()->reserve(plain, &limits), STATUS_OK);
    assert_int_equal(offload_open(&both.backend, &both.device, &options, &memory, NULL), STATUS_OK);
    assert_int_equal(both.backend->reserve(both.device, &limits), STATUS_OK);
    void *slab = calloc(1, offload_slab_bytes(both.device));
    assert_non_null(slab);
    for (int i = 0; i < EXPERTS * ROWS; i++)
        bias[i] = (float)(i % 7 - 3) / 4;
    for (int step = 0; step < STEPS; step++) {
        const int32_t tokens = 1 + step % FEW;
        const size_t count = (size_t)tokens * COLUMNS;
        for (int32_t t = 0; t < tokens; t++)
            choose(chosen + t * USED, &seed);
        for (int layer = 0; layer < LAYERS; layer++) {
            struct experts args = {.x = both.x + (size_t)(step % 50) * COLUMNS,
                                   .chosen = chosen,
                                   .shares = shares,
                                   .gate = stack(&both, at[layer][0], layer, ROWS, COLUMNS),
                                   .up = stack(&both, at[layer][1], 1 - layer, ROWS, COLUMNS),
                                   .down = stack(&both, at[layer][2], 2, COLUMNS, ROWS),
                                   .tokens = tokens,
                                   .experts = EXPERTS,
                                   .used = USED,
                                   .add = step % 2};
            args.gate.bias = args.down.bias = bias;
            memcpy(both.expected, both.y, count * sizeof(float));
            args.y = both.y;
            both.backend->experts(both.device, &args);
            args.y = both.expected;
            backend_reference()->experts(plain, &args);
            assert_int_equal(both.backend->sync(both.device), STATUS_OK);
            assert_true(difference(both.y, both.expected, count) < 0.01);
        }
        if (step == STEPS / 3) assert_true(offload_lend(both.device, slab));
        if (step == STEPS / 3) assert_false(offload_lend(both.device, slab)); // there are enough
        if (step == STEPS / 3)
            assert_int_equal(offload_counts(both.device).expert_slots, SLOTS + 1);
        if (step != 2 * STEPS / 3) continue;
        offload_take_back(both.device);
        memset(slab, 0xff, offload_slab_bytes(both.device));
    }
    const struct offload_counts counts = offload_counts(both.device);
    assert_true(counts.hits > 100 && counts.misses > 100 && counts.copied >= SLOTS);
    assert_int_equal(counts.expert_slots, SLOTS);
    free(slab);
    backend_reference()->close(plain);
    close_both(&both);
}

static bool fails; // the card, in this step

static void copy_unless_it_fails(struct device *device, const struct weight *weight, void *memory) {
    if (!fails) backend_reference()->copy_weights(device, weight, memory);
}

static int refusals, asides; // copies of each other matrix that are still refused; and all of them

static bool copy_aside_unless_it_fails(struct device *device, const struct weight *weight,
                                       void *memory) {
    if (asides++ % 2 && refusals > 0) {
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
    fails = false; // what is enqueued from now on is of the next one
    return status;
}

// Copies of a step that failed may never have been made, nor the lists and the zeros that came with
// it: a slot is used only after one that was.
static void check_steps(int failed, int32_t slots) {
    enum { STEPS = 12 };
    const struct offload_memory memory = {
        .mixtures = 1, .expert_bytes = (size_t)1 << 15, .expert_slots = slots};
    const struct device_options options = {.threads = 2};
    const size_t count = COLUMNS;
    struct backend card = *backend_reference();
    const void *at[3][EXPERTS];
    float shares[USED] = {0.5F, 0.25F};
    struct both both;
    struct device *plain = NULL;
    fails = false;
    open_both(&both, backend_reference(), 0);
    both.backend->close(both.device);
    card.alloc = alloc_spoiled;
    card.copy_aside = copy_aside_unless_it_fails;
    card.copy_weights = copy_unless_it_fails;
    card.to_device = to_device_unless_it_fails;
    card.experts = experts_unless_it_fails;
    card.is_copied_aside = is_copied;
    card.sync = sync_unless_it_fails;
    both.backend = &card;
    assert_int_equal(card.open(&options, &both.device, NULL), STATUS_OK);
    assert_int_equal(backend_reference()->open(&options, &plain, NULL), STATUS_OK);
    assert_int_equal(backend_reference()->reserve(plain, &limits), STATUS_OK);
    assert_int_equal(offload_open(&both.backend, &both.device, &options, &memory, NULL), STATUS_OK);
    assert_int_equal(both.backend->reserve(both.device, &limits), STATUS_OK);
    for (int step = 0; step < STEPS; step++) {
        const int32_t chosen[USED] = {step / 3 % 2, 2 + step % 2};
        struct experts args = {.x = both.x,
                               .y = both.y,
                               .chosen = chosen,
                               .shares = shares,
                               .up = stack(&both, at[0], 0, ROWS, COLUMNS),
                               .gate = stack(&both, at[1], 1, ROWS, COLUMNS),
                               .down = stack(&both, at[2], 2, COLUMNS, ROWS),
                               .tokens = 1,
                               .experts = EXPERTS,
                               .used = USED};
        fails = step == failed;
        both.backend->experts(both.device, &args);
        const enum status expected = fails ? STATUS_DEVICE : STATUS_OK;
        assert_int_equal(both.backend->sync(both.device), expected);
        args.y = both.expected;
        backend_reference()->experts(plain, &args);
        if (step != failed) assert_true(difference(both.y, both.expected, count) < 0.01);
    }
    assert_true(offload_counts(both.device).hits > 0);
    backend_reference()->close(plain);
    close_both(&both);
}

static void copies_of_a_failed_step_are_made_again(void **state) {
    (void)state;
    for (int failed = 0; failed < 8; failed++)
        for (int32_t slots = 2; slots <= EXPERTS; slots++)
            check_steps(failed, slots);
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

// The first rows of a lone token's products are the card's, and the others the processor's.
static void some_rows_for_a_lone_token_cross(void **state) {
    enum { WIDE = 192, FIRST = 64 }; // of 0.4 x 192
    const struct offload_memory memory = {.slot_bytes = (size_t)1 << 20, .crossing_share = 0.4};
    const struct device_options options = {.threads = 2};
    static float bias[WIDE];
    struct workspace most = limits;
    struct both both;
    struct device *plain = NULL;
    (void)state;
    most.max_features = WIDE;
    open_both(&both, backend_reference(), 0);
    both.backend->close(both.device);
    backend_cpu()->close(both.processor);
    both.backend = backend_reference();
    assert_int_equal(both.backend->open(&options, &both.device, NULL), STATUS_OK);
    assert_int_equal(backend_reference()->open(&options, &plain, NULL), STATUS_OK);
    assert_int_equal(backend_cpu()->open(&options, &both.processor, NULL), STATUS_OK);
    assert_int_equal(offload_open(&both.backend, &both.device, &options, &memory, NULL), STATUS_OK);
    assert_int_equal(both.backend->reserve(both.device, &most), STATUS_OK);
    assert_int_equal(backend_reference()->reserve(plain, &most), STATUS_OK);
    assert_int_equal(backend_cpu()->reserve(both.processor, &most), STATUS_OK);
    for (int i = 0; i < WIDE; i++)
        bias[i] = (float)(i % 7 - 3) / 4;
    for (int32_t i = 0; i < 4 * 3; i++) {
        const int32_t tokens = 1 + i / 6, first = tokens == 1 ? FIRST : 0;
        const enum linear_store store = (enum linear_store)(i % 3);
        struct linear args = {.in = {.x = both.x, .tokens = tokens},
                              .parts = {{both.y, matrix(&both, 0, WIDE, COLUMNS, true), bias}},
                              .count = 1,
                              .store = store};
        const size_t count = (size_t)tokens * WIDE;
        float *cards = both.normed, *processors = both.expected;
        memcpy(cards, both.y, count * sizeof(float));
        memcpy(processors, both.y, count * sizeof(float));
        if (i % 2 || store == LINEAR_ADD) args.parts[0].bias = NULL;
        struct linear right = args;
        const float behind = both.y[count];
        both.backend->linear(both.device, &args);
        assert_int_equal(both.backend->sync(both.device), STATUS_OK);
        assert_rows(both.y + count, &behind, 1);
        right.parts[0].y = cards;
        backend_reference()->linear(plain, &right);
        right.parts[0].y = processors;
        backend_cpu()->linear(both.processor, &right);
        assert_rows(both.y, cards, (size_t)first);
        if (store != LINEAR_ADD) // there the sum is the card's
            assert_rows(both.y + first, processors + first, count - (size_t)first);
        assert_true(difference(both.y, cards, count) < 0.01);
        struct gated_linear gated = {.in = {.x = both.x, .tokens = tokens},
                                     .y = both.y,
                                     .up_rows = both.normed,
                                     .gate = matrix(&both, 0, WIDE, COLUMNS, true),
                                     .up = matrix(&both, 2, WIDE, COLUMNS, true)};
        both.backend->gated_linear(both.device, &gated);
        assert_int_equal(both.backend->sync(both.device), STATUS_OK);
        assert_rows(both.y + count, &behind, 1);
        gated.y = processors;
        backend_cpu()->gated_linear(both.processor, &gated);
        assert_rows(both.y + first, processors + first, count - (size_t)first);
        backend_reference()->gated_linear(plain, &gated);
        assert_rows(both.y, processors, (size_t)first);
    }
    backend_reference()->close(plain);
    close_both(&both);
}

static int gather_count;

static void note_gather(struct device *device, const struct gather_experts *args) {
    gather_count += args->count;
    backend_reference()->gather_experts(device, args);
}

// The card computes what a lone token chose first, and the processor the others.
static void check_gathered(size_t slot_bytes, int32_t tokens, bool gated, int crossing) {
    enum { CHOSEN = 3, STEPS = 20 };
    const struct offload_memory memory = {.slot_bytes = slot_bytes, .gathered_experts = 2};
    const struct device_options options = {.threads = 2};
    struct workspace most = limits;
    struct backend card = *backend_reference();
    const void *at[3][EXPERTS];
    static float bias[EXPERTS * ROWS];
    float shares[2 * CHOSEN] = {0.5F, 0.25F, 0.75F, 0.125F, 1, 0.5F};
    struct both both;
    struct device *plain = NULL;
    unsigned seed = SEED;
    open_both(&both, backend_reference(), 0);
    both.backend->close(both.device);
    backend_cpu()->close(both.processor);
    card.gather_experts = note_gather;
    most.experts_used = CHOSEN;
    both.backend = &card;
    assert_int_equal(card.open(&options, &both.device, NULL), STATUS_OK);
    assert_int_equal(backend_reference()->open(&options, &plain, NULL), STATUS_OK);
    assert_int_equal(backend_cpu()->open(&options, &both.processor, NULL), STATUS_OK);
    assert_int_equal(offload_open(&both.backend, &both.device, &options, &memory, NULL), STATUS_OK);
    assert_int_equal(both.backend->reserve(both.device, &most), STATUS_OK);
    assert_int_equal(backend_reference()->reserve(plain, &most), STATUS_OK);
    assert_int_equal(backend_cpu()->reserve(both.processor, &most), STATUS_OK);
    for (int i = 0; i < EXPERTS * ROWS; i++)
        bias[i] = (float)(i % 7 - 3) / 4;
    gather_count = 0;
    for (int step = 0; step < STEPS; step++) {
        const size_t count = (size_t)tokens * COLUMNS;
        const int32_t from = rand_r(&seed) % EXPERTS;
        int32_t chosen[2 * CHOSEN], left[2 * CHOSEN];
        for (int j = 0; j < 2 * CHOSEN; j++)
            chosen[j] = left[j] = (from + 2 * j) % EXPERTS;
        struct experts args = {.x = both.x + (size_t)step * COLUMNS,
                               .chosen = chosen,
                               .shares = shares,
                               .up = stack(&both, at[0], 0, ROWS, COLUMNS),
                               .gate = stack(&both, at[gated], gated, ROWS, COLUMNS),
                               .down = stack(&both, at[2], 2, COLUMNS, ROWS),
                               .tokens = tokens,
                               .experts = EXPERTS,
                               .used = CHOSEN,
                               .add = step % 2};
        args.gate.bias = args.up.bias = args.down.bias = step % 4 < 2 ? bias : NULL;
        memcpy(both.expected, both.y, count * sizeof(float));
        args.y = both.y;
        both.backend->experts(both.device, &args);
        assert_int_equal(both.backend->sync(both.device), STATUS_OK);
        for (int32_t j = crossing; j < CHOSEN * tokens; j++)
            chosen[j] = EXPERT_NONE;
        args.y = both.expected;
        if (crossing > 0) backend_reference()->experts(plain, &args);
        for (int32_t j = 0; j < crossing; j++)
            left[j] = EXPERT_NONE;
        args.chosen = left;
        args.y = both.normed;
        const bool adds = args.add || crossing > 0;
        args.add = false;
        backend_cpu()->experts(both.processor, &args);
        for (size_t i = 0; i < count; i++)
            both.expected[i] = (adds ? both.expected[i] : 0) + both.normed[i];
        assert_rows(both.y, both.expected, count);
    }
    assert_int_equal(gather_count, crossing * STEPS);
    backend_reference()->close(plain);
    close_both(&both);
}

static atomic_int answers, begun_answers; // that have ended, and that have begun
static _Atomic(void *) answered;

static void answer_slowly(void *job) {
    atomic_fetch_add(&begun_answers, 1);
    usleep(20000);
    atomic_store(&answered, job);
    atomic_fetch_add(&answers, 1);
}

static void ask(struct host_mail *mail, void *job) {
    backend_reference()->ask_host(
        NULL, &(struct ask_host){.mail = mail, .job = (uint64_t)(uintptr_t)job});
}

// A device that fails leaves a step in the middle. What the worker does then has ended when it
// rests, and it is not done later, when the job is gone.
static void a_step_that_ends_early_leaves_nothing_to_answer(void **state) {
    enum { ROUNDS = 4 };
    struct host_mail mail = {0};
    struct offload_worker *worker;
    float result = 0, y = 0;
    const struct take_answer take = {.mail = &mail, .y = &y, .results = &result, .count = 1};
    int first, second;
    (void)state;
    assert_int_equal(offload_worker_create(&mail, answer_slowly, &worker), STATUS_OK);
    for (int round = 0; round < ROUNDS; round++) {
        const int before = atomic_load(&answers);
        offload_worker_wake(worker);
        ask(&mail, &first);
        while (atomic_load(&begun_answers) == before)
            (void)sched_yield();
        offload_worker_rest(worker);
        assert_int_equal(atomic_load(&answers), before + 1);
        ask(&mail, &first); // which nobody waits for
        offload_worker_rest(worker);
        offload_worker_wake(worker);
        ask(&mail, &second);
        backend_reference()->take_answer(NULL, &take);
        assert_int_equal(atomic_load(&answers), before + 2);
        assert_ptr_equal(atomic_load(&answered), &second);
        offload_worker_rest(worker);
    }
    offload_worker_destroy(worker);
}

static void some_experts_of_a_lone_token_cross(void **state) {
    (void)state;
    for (int gated = 0; gated < 2; gated++) {
        check_gathered((size_t)1 << 20, 1, gated, 2);
        check_gathered((size_t)1 << 20, 2, gated, 0); // of two tokens none
        check_gathered((size_t)1 << 14, 1, gated, 0); // there is no room
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_rows_for_a_lone_token_cross),
        cmocka_unit_test(some_experts_of_a_lone_token_cross),
        cmocka_unit_test(products_are_the_processors),
        cmocka_unit_test(weights_on_the_card_are_its_own),
        cmocka_unit_test(experts_are_the_processors),
        cmocka_unit_test(weights_cross_for_many_tokens),
        cmocka_unit_test(experts_cross_some_at_a_time),
        cmocka_unit_test(activations_are_rounded_where_they_cross),
        cmocka_unit_test(recorded_steps_find_their_parts_again),
        cmocka_unit_test(a_step_that_lost_a_part_is_not_replayed),
        cmocka_unit_test(a_step_that_ends_early_leaves_nothing_to_answer),
        cmocka_unit_test(weights_that_cannot_be_pinned_are_named),
        cmocka_unit_test(weights_that_others_need_the_memory_of_are_not_pinned),
        cmocka_unit_test(a_trial_takes_what_memory_there_is),
        cmocka_unit_test(rows_that_the_card_cannot_read_are_refused),
        cmocka_unit_test(memory_for_what_crosses_is_taken_in_time),
        cmocka_unit_test(parts_are_timed),
        cmocka_unit_test(experts_in_slots_and_in_memory_add_up),
        cmocka_unit_test(copies_of_a_failed_step_are_made_again),
        cmocka_unit_test(copies_without_memory_are_made_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
