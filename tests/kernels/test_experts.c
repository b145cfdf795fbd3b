// tests/kernels/test_experts.c — route and experts against the plainest loops.
#include "tests/kernels/plain_route.h"
#include "tests/kernels/subjects.h"

enum { SEED = 77501, EXPERTS = 12, ROWS = 256, DIM = 256 };

#define LIMIT 1.5F

static double act_of(enum act act, double g, double u) {
    if (act == ACT_SILU) return g / (1 + exp(-g)) * u;
    if (act == ACT_GELU)
        return g / 2 * (1 + tanh(0.79788456080286536 * (g + 0.044715 * g * g * g))) * u;
    if (act == ACT_LIMITED)
        return fmin(g / (1 + exp(-g)), (double)LIMIT) *
               fmin(fmax(u, -(double)LIMIT), (double)LIMIT);
    if (act == ACT_RELU) return g > 0 ? g * u : 0;
    g = fmin(g, 7);
    return g / (1 + exp(-1.702 * g)) * (fmin(fmax(u, -7), 7) + 1);
}

// Returns how many tokens have choices that are clear.
static int32_t check_route(const struct subject *subject, const int32_t shape[4], int kind,
                           uint64_t *random) {
    enum { TOKENS = 11 };
    const size_t experts = (size_t)shape[0], used = (size_t)shape[1], count = TOKENS * used;
    float *scores = random_floats(random, TOKENS * experts), *shares = floats_alloc(count);
    float *bias = random_floats(random, experts), *gains = random_floats(random, experts);
    int32_t *chosen = guarded_alloc(count * sizeof *chosen), clear = 0;
    struct route args = {chosen, shares, scores, .tokens = TOKENS, .gains = gains, .bias = bias};
    for (size_t i = 0; i < TOKENS * experts; i++)
        scores[i] = i % 3 ? 8 * scores[i] : 1; // many are equal
    const bool is = route_kind(shape, kind, &args);
    if (is) subject->backend->route(subject->device, &args);
    assert_int_equal(subject->backend->sync(subject->device), STATUS_OK);
    for (size_t t = 0; t < TOKENS && is; t++) {
        int32_t right[EXPERTS_USED_MAX];
        double portions[EXPERTS_USED_MAX];
        if (!plain_route(&args, scores + t * experts, right, portions)) continue;
        clear++;
        for (size_t j = 0; j < used; j++) {
            assert_int_equal(chosen[t * used + j], right[j]);
            assert_true(fabs((double)shares[t * used + j] - portions[j]) <= 1e-6);
        }
    }
    floats_free(scores, TOKENS * experts);
    floats_free(shares, count);
    floats_free(bias, experts);
    floats_free(gains, experts);
    guarded_free(chosen, count * sizeof *chosen);
    return is ? clear : TOKENS;
}

static void route_picks_the_best_experts_in_order(void **state) {
    (void)state;
    uint64_t random = SEED;
    printf("seed %d\n", SEED);
    for (int which = 0; which < 2; which++) { // no instruction set of its own
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (size_t i = 0; i < sizeof ROUTE_SHAPES / sizeof ROUTE_SHAPES[0]; i++)
            for (int kind = 0; kind < ROUTE_KINDS; kind++)
                if (CHECK_TAKES(which + (int)i + kind))
                    assert_in_range(check_route(&subject, ROUTE_SHAPES[i], kind, &random), 1, 11);
        subject_close(&subject);
    }
}

static void impossible_routes_are_refused(void **state) {
    (void)state;
    static const float bias[8] = {0};
    static const struct route wrong[] = {
        {.experts = 8, .used = 0},
        {.experts = 8, .used = 9},
        {.experts = 64, .used = EXPERTS_USED_MAX + 1},
        {.experts = EXPERTS_MAX + 1, .used = 1},
        {.experts = 8, .used = 2, .groups = 3, .groups_used = 2},
        {.experts = 8, .used = 2, .groups = 8, .groups_used = 2},
        {.experts = 8, .used = 2, .groups = 4, .groups_used = 5},
        {.experts = 8, .used = 3, .groups = 4, .groups_used = 1},
        {.experts = 80, .used = 2, .groups = 40, .groups_used = 2},
        {.experts = 8, .used = 2, .groups = -1},
        {.experts = 8, .used = 2, .gating = GATING_SPARSE_MIXER, .groups = 2, .groups_used = 1},
        {.experts = 8, .used = 2, .gating = GATING_SPARSE_MIXER, .bias = bias},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(route_is_possible(&wrong[i]));
}

static void nan_scores_still_choose_valid_experts(void **state) {
    (void)state;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 1)) continue;
        const float scores[] = {NAN, NAN, 3, NAN, 1, NAN, NAN, NAN, NAN, NAN};
        int32_t chosen[6];
        float shares[6];
        struct route args = {chosen, shares, scores, .tokens = 2, .experts = 5, .used = 3};
        for (int mixes = 0; mixes < 2; mixes++) {
            args.gating = mixes ? GATING_SPARSE_MIXER : GATING_SOFTMAX;
            args.raw = mixes;
            subject.backend->route(subject.device, &args);
            assert_int_equal(chosen[0], 2);
            assert_int_equal(chosen[1], 4);
            for (int i = 0; i < 6; i++)
                assert_in_range(chosen[i], 0, 4);
            for (int i = 0; i < 6 && mixes; i++) // of NaN alone nothing is near
                assert_true(shares[i] == (i < 2 ? 1.0F : 0.0F));
        }
        subject_close(&subject);
    }
}

struct matrices { // of all experts, one after the other
    struct expert_weights weights;
    void *data;
    size_t bytes;
    const void *at[EXPERTS];
    float *decoded, *bias;
    float scales[EXPERTS]; // of NVFP4
};

static struct matrices make_matrices(enum dtype type, int32_t rows, int32_t columns, bool bias,
                                     uint64_t *random) {
    const size_t count = (size_t)EXPERTS * (size_t)rows * (size_t)columns;
    struct matrices m = {.weights = {.type = type, .rows = rows, .columns = columns}};
    m.bytes = (size_t)EXPERTS * (size_t)rows * dtype_row_bytes(type, columns);
    m.data = guarded_alloc(m.bytes);
    dtype_fill_random(type, m.data, count, 0.2F, *random);
    m.decoded = floats_alloc(count);
    dtype_to_float(type, m.data, m.decoded, count);
    for (size_t i = 0; i < count && type == DTYPE_NVFP4; i++) {
        const size_t e = i / ((size_t)rows * (size_t)columns);
        m.scales[e] = 0.5F + 0.1F * (float)e;
        m.decoded[i] *= m.scales[e];
    }
    m.bias = random_floats(random, EXPERTS * (size_t)rows);
    if (bias) m.weights.bias = m.bias;
    for (size_t e = 0; e < EXPERTS; e++)
        m.at[e] = (const char *)m.data + e * m.bytes / EXPERTS;
    return m;
}

static void drop_matrices(struct matrices *m) {
    const size_t rows = EXPERTS * (size_t)m->weights.rows;
    guarded_free(m->data, m->bytes);
    floats_free(m->decoded, rows * (size_t)m->weights.columns);
    floats_free(m->bias, rows);
}

static double product(const struct matrices *m, int32_t expert, int32_t row, const double *x) {
    const size_t at = (size_t)expert * (size_t)m->weights.rows + (size_t)row;
    double sum = m->weights.bias ? (double)m->bias[at] : 0;
    for (size_t i = 0; i < (size_t)m->weights.columns; i++)
        sum += (double)m->decoded[at * (size_t)m->weights.columns + i] * x[i];
    return sum;
}

// y [DIM] of one token.
static void plain_answer(const struct experts *args, const struct matrices m[3], int32_t token,
                         double *y) {
    double x[DIM], hidden[ROWS];
    for (size_t i = 0; i < DIM; i++) {
        x[i] = (double)((const float *)args->x)[(size_t)token * DIM + i];
        y[i] = 0;
    }
    for (int32_t j = 0; j < args->used; j++) {
        const int32_t slot = token * args->used + j, e = args->chosen[slot];
        for (int32_t r = 0; r < ROWS; r++)
            hidden[r] = act_of(args->act, product(&m[0], e, r, x), product(&m[1], e, r, x));
        for (int32_t r = 0; r < DIM; r++)
            y[r] += (double)args->shares[slot] * product(&m[2], e, r, hidden);
    }
}

struct scene {
    struct matrices m[3]; // gate, up, down
    int32_t tokens, used;
    float *x, *y, *shares;
    int32_t *chosen;
};

// Gate and up of one type, down of the next one.
static struct scene scene_make(enum dtype type, bool bias, int32_t tokens, int32_t used,
                               uint64_t *random) {
    const enum dtype next = (enum dtype)((type + 1) % DTYPE_COUNT);
    struct scene s = {.tokens = tokens, .used = used};
    s.m[0] = make_matrices(type, ROWS, DIM, bias, random);
    s.m[1] = make_matrices(type, ROWS, DIM, bias, random);
    s.m[2] = make_matrices(next, DIM, ROWS, bias, random);
    s.x = random_floats(random, (size_t)tokens * DIM);
    s.y = floats_alloc((size_t)tokens * DIM);
    s.shares = random_floats(random, (size_t)(tokens * used));
    s.chosen = guarded_alloc((size_t)(tokens * used) * sizeof *s.chosen);
    for (int32_t t = 0; t < tokens; t++) {
        const int32_t first = random_below(random, EXPERTS);
        for (int32_t j = 0; j < used; j++)
            s.chosen[t * used + j] = (first + 5 * j) % EXPERTS; // 5 and 12: none comes twice
    }
    return s;
}

static struct experts args_of(const struct scene *s, enum act act) {
    struct experts args = {.y = s->y,
                           .x = s->x,
                           .chosen = s->chosen,
                           .shares = s->shares,
                           .tokens = s->tokens,
                           .experts = EXPERTS,
                           .used = s->used,
                           .act = act,
                           .limit = LIMIT};
    struct expert_weights *places[] = {&args.gate, &args.up, &args.down};
    for (int i = 0; i < 3; i++) {
        *places[i] = s->m[i].weights;
        places[i]->data = s->m[i].at;
        places[i]->scales = places[i]->type == DTYPE_NVFP4 ? s->m[i].scales : NULL;
        places[i]->bias = places[i]->bias ? s->m[i].bias : NULL;
    }
    return args;
}

static void scene_drop(struct scene *s) {
    for (int i = 0; i < 3; i++)
        drop_matrices(&s->m[i]);
    floats_free(s->x, (size_t)s->tokens * DIM);
    floats_free(s->y, (size_t)s->tokens * DIM);
    floats_free(s->shares, (size_t)(s->tokens * s->used));
    guarded_free(s->chosen, (size_t)(s->tokens * s->used) * sizeof *s->chosen);
}

// Plain weights to fp32's precision; packed ones meet activations of 8 bits.
static void check_experts(const struct subject *subject, const struct scene *s, enum act act) {
    struct experts args = args_of(s, act);
    args.add = act == ACT_GELU; // one of them, to ones
    for (size_t i = 0; i < (size_t)s->tokens * DIM; i++)
        s->y[i] = args.add ? 1 : NAN;
    const bool packed = subject->isa && (dtype_block_elements(args.gate.type) > 1 ||
                                         dtype_block_elements(args.down.type) > 1);
    double difference = 0, size = 0, expected[DIM];
    subject->backend->experts(subject->device, &args);
    assert_int_equal(subject->backend->sync(subject->device), STATUS_OK);
    for (int32_t t = 0; t < s->tokens; t++) {
        plain_answer(&args, s->m, t, expected);
        for (size_t i = 0; i < DIM; i++) {
            const double whole = expected[i] + (args.add ? 1 : 0);
            const double d = (double)s->y[(size_t)t * DIM + i] - whole;
            difference += d * d;
            size += whole * whole;
        }
    }
    if (!(sqrt(difference / size) <= (packed ? 2e-2 : subject->splits ? 2e-5 : 2e-6)))
        fail_msg("%s, %s, act %d, %d tokens: relative error %g", subject_name(subject),
                 dtype_name(args.gate.type), act, s->tokens, sqrt(difference / size));
}

static void routed_experts_equal_each_expert_run_alone(void **state) {
    (void)state;
    static const int32_t shapes[][2] = {{1, 1}, {1, 4}, {9, 2}, {20, 5}};
    uint64_t random = SEED + 1;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = 0; type < DTYPE_COUNT; type++)
            for (size_t i = type % 2; i < 4; i += 2) {
                if (!CHECK_TAKES(which + (int)type / 2 + (int)i / 2)) continue;
                struct scene s = scene_make(type, i > 1, shapes[i][0], shapes[i][1], &random);
                for (int act = ACT_SILU; act <= (i < 3 ? ACT_LIMITED : ACT_SILU); act++)
                    check_experts(&subject, &s, (enum act)act);
                scene_drop(&s);
            }
        subject_close(&subject);
    }
}

// Each count of threads for ThreadSanitizer, which sees few subjects.
static bool takes_threads(int which, int32_t threads) {
    return CHECK_THREADS || CHECK_TAKES(which + threads);
}

static void other_tokens_do_not_change_a_tokens_expert_output(void **state) {
    (void)state;
    enum { TOKENS = 41, USED = 3 };
    uint64_t random = SEED + 2;
    for (int which = 0; which < SUBJECTS; which++)
        for (int32_t threads = 1; threads <= 3; threads++) {
            struct subject subject;
            if (which == SUBJECT_SPLITS || !takes_threads(which, threads)) continue;
            if (!subject_open(&subject, which, threads)) continue;
            struct scene s = scene_make(DTYPE_Q8_0, true, TOKENS, USED, &random);
            struct experts args = args_of(&s, ACT_CLAMPED);
            float one[DIM];
            subject.backend->experts(subject.device, &args);
            args.y = one;
            args.tokens = 1;
            for (size_t t = 0; t < TOKENS; t++) {
                args.x = s.x + t * DIM;
                args.chosen = s.chosen + t * USED;
                args.shares = s.shares + t * USED;
                subject.backend->experts(subject.device, &args);
                assert_memory_equal(one, s.y + t * DIM, sizeof one);
            }
            scene_drop(&s);
            subject_close(&subject);
        }
}

enum { FEW_ROWS = 256 }; // or outputs of an expert, at most

struct few_shape {
    enum dtype type, down; // of gate and up, and of down
    int32_t rows, columns, out, used;
};

// y [down.rows] of one token, its experts one after the other by the ops that dense layers use.
static void answer_alone(const struct subject *subject, const struct experts *args, int32_t token,
                         float *y) {
    float hidden[FEW_ROWS], up[FEW_ROWS], result[FEW_ROWS];
    const struct expert_weights *of[] = {&args->gate, &args->up, &args->down};
    const float *x = (const float *)args->x + (size_t)token * (size_t)args->gate.columns;
    const bool gated = args->gate.data != args->up.data;
    for (int32_t i = 0; i < args->down.rows; i++)
        y[i] = 0;
    for (int32_t j = 0; j < args->used; j++) {
        const int32_t e = args->chosen[token * args->used + j];
        struct projection p[] = {{.y = hidden}, {.y = up}, {.y = result}};
        for (int i = 0; i < 3; i++) {
            const struct expert_weights *w = of[i];
            p[i].weight = expert_weight(w, e);
            p[i].bias = w->bias ? w->bias + (size_t)e * (size_t)w->rows : NULL;
        }
        subject->backend->linear(subject->device, &(struct linear){.in = {.x = x, .tokens = 1},
                                                                   .parts = {p[0], p[1]},
                                                                   .count = gated ? 2 : 1});
        subject->backend->act_and_mul(subject->device,
                                      &(struct act_and_mul){.gate = hidden,
                                                            .up = gated ? up : hidden,
                                                            .rows = 1,
                                                            .dim = args->gate.rows,
                                                            .act = args->act});
        subject->backend->linear(
            subject->device,
            &(struct linear){.in = {.x = hidden, .tokens = 1}, .parts = {p[2]}, .count = 1});
        for (int32_t i = 0; i < args->down.rows; i++)
            y[i] += args->shares[token * args->used + j] * result[i];
    }
}

// `spread` is how many experts the tokens choose among, so that some have many tokens and others
// none.
static void check_few(const struct subject *subject, const struct few_shape *shape, int32_t tokens,
                      int32_t spread, uint64_t *random) {
    const bool gated = tokens % 2 == 0;
    const int32_t used = shape->used < spread ? shape->used : spread;
    struct matrices m[] = {make_matrices(shape->type, shape->rows, shape->columns, true, random),
                           make_matrices(shape->type, shape->rows, shape->columns, true, random),
                           make_matrices(shape->down, shape->out, shape->rows, true, random)};
    const size_t slots = (size_t)(tokens * used), outputs = (size_t)(tokens * shape->out);
    float *x = random_floats(random, (size_t)(tokens * shape->columns)), *y = floats_alloc(outputs);
    float *shares = random_floats(random, slots), one[FEW_ROWS];
    int32_t *chosen = guarded_alloc(slots * sizeof *chosen);
    struct experts args = {y,           x, chosen, shares, .tokens = tokens, .experts = EXPERTS,
                           .used = used};
    struct expert_weights *places[] = {&args.gate, &args.up, &args.down};
    for (int i = 0; i < 3; i++) {
        *places[i] = m[i].weights;
        places[i]->data = m[i].at;
        places[i]->bias = m[i].bias;
    }
    if (!gated) args.up = args.gate;
    args.act = gated ? ACT_SILU : ACT_RELU;
    for (int32_t s = 0; s < tokens * used; s++)
        chosen[s] = s % used ? (chosen[s - 1] + 1) % spread : random_below(random, spread);
    subject->backend->experts(subject->device, &args);
    assert_int_equal(subject->backend->sync(subject->device), STATUS_OK);
    for (int32_t t = 0; t < tokens; t++) {
        answer_alone(subject, &args, t, one);
        if (memcmp(one, y + t * shape->out, (size_t)shape->out * sizeof *y) != 0)
            fail_msg("%s, %s: token %d of %d, %d of %d experts", subject_name(subject),
                     dtype_name(shape->type), t, tokens, used, spread);
    }
    for (int i = 0; i < 3; i++)
        drop_matrices(&m[i]);
    floats_free(x, (size_t)(tokens * shape->columns));
    floats_free(y, outputs);
    floats_free(shares, slots);
    guarded_free(chosen, slots * sizeof *chosen);
}

static void experts_computed_together_have_the_bits_of_each_alone(void **state) {
    (void)state;
    static const struct few_shape shapes[] = {
        {DTYPE_Q4_K, DTYPE_Q6_K, 256, 512, 77, 8}, {DTYPE_Q8_0, DTYPE_Q4_0, 96, 160, 33, 3},
        {DTYPE_F16, DTYPE_BF16, 37, 51, 65, 8},    {DTYPE_BF16, DTYPE_Q8_0, 64, 67, 1, 1},
        {DTYPE_Q5_K, DTYPE_F32, 99, 256, 97, 5},
    };
    uint64_t random = SEED + 3;
    for (int which = 1; which < SUBJECTS; which++)
        for (int32_t threads = 1; threads <= 3; threads++) {
            struct subject subject;
            if (!takes_threads(which, threads)) continue;
            if (!subject_open(&subject, which, threads)) continue;
            const struct workspace tight = {.max_tokens = 9, // not all of its experts are one job
                                            .max_features = 512,
                                            .experts = EXPERTS,
                                            .experts_used = 8,
                                            .expert_rows = FEW_ROWS};
            if (threads == 2)
                assert_int_equal(subject.backend->reserve(subject.device, &tight), STATUS_OK);
            for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
                for (int32_t tokens = 1; tokens <= 9; tokens += threads)
                    check_few(&subject, &shapes[i], tokens, tokens % 3 ? EXPERTS : 5, &random);
            subject_close(&subject);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(route_picks_the_best_experts_in_order),
        cmocka_unit_test(impossible_routes_are_refused),
        cmocka_unit_test(nan_scores_still_choose_valid_experts),
        cmocka_unit_test(routed_experts_equal_each_expert_run_alone),
        cmocka_unit_test(other_tokens_do_not_change_a_tokens_expert_output),
        cmocka_unit_test(experts_computed_together_have_the_bits_of_each_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
