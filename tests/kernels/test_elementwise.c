// tests/kernels/test_elementwise.c — rmsnorm, narrow, add_rows, copy_parts, act_and_mul, and the
// ops of the device itself.
#include "tests/kernels/subjects.h"

enum { SEED = 77101, THREADS = 2 };

static const int32_t dims[] = {1, 3, 8, 16, 31, 64, 100, 1024, 3073};

static void check_rmsnorm(const struct subject *subject, int32_t rows, int32_t dim, bool centered,
                          bool biased, uint64_t *random) {
    const size_t count = (size_t)rows * (size_t)dim;
    float *x = random_floats(random, count), *weight = random_floats(random, (size_t)dim);
    float *y = floats_alloc(count), *bias = random_floats(random, (size_t)dim);
    const struct rmsnorm args = {.y = y,
                                 .x = x,
                                 .weight = weight,
                                 .rows = rows,
                                 .dim = dim,
                                 .eps = 1e-5F,
                                 .centered = centered,
                                 .bias = biased ? bias : NULL};
    for (size_t i = 0; i < count; i++)
        x[i] += 3; // so that there is a mean
    subject->backend->rmsnorm(subject->device, &args);
    for (size_t r = 0; r < (size_t)rows; r++) {
        double squares = 0, mean = 0;
        for (size_t i = r * (size_t)dim; i < (r + 1) * (size_t)dim && centered; i++)
            mean += (double)x[i] / dim;
        for (size_t i = r * (size_t)dim; i < (r + 1) * (size_t)dim; i++)
            squares += ((double)x[i] - mean) * ((double)x[i] - mean);
        const double scale = 1 / sqrt(squares / dim + 1e-5);
        for (size_t i = 0; i < (size_t)dim; i++) {
            const double gain = scale * (double)weight[i];
            const double more = biased ? (double)bias[i] : 0;
            const double expected = ((double)x[r * (size_t)dim + i] - mean) * gain + more;
            const double got = (double)y[r * (size_t)dim + i];
            assert_true(fabs(got - expected) <=
                        2e-6 * (fabs(expected) + fabs(more)) + mean * 2e-6 * fabs(gain));
        }
    }
    floats_free(x, count);
    floats_free(weight, (size_t)dim);
    floats_free(bias, (size_t)dim);
    floats_free(y, count);
}

static void rmsnorm_matches_its_formula(void **state) {
    (void)state;
    uint64_t random = SEED;
    printf("seed %d\n", SEED);
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, THREADS)) continue;
        for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++)
            for (int32_t rows = 1; rows < 60; rows += 29) {
                check_rmsnorm(&subject, rows, dims[i], false, false, &random);
                check_rmsnorm(&subject, rows, dims[i], true, false, &random);
                check_rmsnorm(&subject, rows, dims[i], true, true, &random);
            }
        subject_close(&subject);
    }
}

#define LIMIT 1.5F

static double act_of(enum act act, double g, double u) {
    if (act == ACT_SILU) return g / (1 + exp(-g)) * u;
    if (act == ACT_GELU) // (1 + tanh z) / 2 without its loss far below zero
        return g / (1 + exp(-2 * 0.79788456080286536 * (g + 0.044715 * g * g * g))) * u;
    if (act == ACT_GELU_ALONE) return act_of(ACT_GELU, g, 1);
    if (act == ACT_LIMITED)
        return fmin(g / (1 + exp(-g)), (double)LIMIT) *
               fmin(fmax(u, -(double)LIMIT), (double)LIMIT);
    if (act == ACT_RELU) return g > 0 ? g * u : 0;
    if (act == ACT_SIGMOID) return u / (1 + exp(-g));
    if (act == ACT_SOFTPLUS) return u * (fmax(g, 0) + log1p(exp(-fabs(g))));
    g = g > 7 ? 7 : g;
    u = u > 7 ? 7 : u < -7 ? -7 : u;
    return g / (1 + exp(-1.702 * g)) * (u + 1);
}

static const struct xielu XIELU = {.positive = 0.9F, .negative = 1.7F, .slope = 0.5F};

static double xielu_of(double g) {
    const double curve =
        g > 0 ? (double)XIELU.positive * g * g : (double)XIELU.negative * (exp(g) - 1 - g);
    return curve + (double)XIELU.slope * g;
}

static void check_act(const struct subject *subject, enum act act, int32_t dim, uint64_t *random) {
    const size_t count = 13 * (size_t)dim;
    float *gate = random_floats(random, count), *up = random_floats(random, count);
    float *before = floats_alloc(count);
    for (size_t i = 0; i < count; i++) {
        before[i] = gate[i] *= i % 5 == 0 ? 100 : i % 5 == 1 ? 1e-6F : 8;
        up[i] *= i % 3 == 0 ? 20 : 1;
    }
    const struct act_and_mul args = {
        .gate = gate, .up = up, .rows = 13, .dim = dim, .act = act, .xielu = XIELU, .limit = LIMIT};
    subject->backend->act_and_mul(subject->device, &args);
    for (size_t i = 0; i < count; i++) {
        const double expected = act == ACT_XIELU ? xielu_of((double)before[i])
                                                 : act_of(act, (double)before[i], (double)up[i]);
        // Where 1 + tanh() cancels, what is left is small beside the gate itself. A product is the
        // power's argument, so that its rounding counts as many times as it is large.
        // Of a power less 1 its rounding stays, however little is left.
        const double lost = act == ACT_GELU         ? 2e-7 * fabs((double)before[i] * (double)up[i])
                            : act == ACT_GELU_ALONE ? 2e-7 * fabs((double)before[i])
                            : act == ACT_XIELU      ? 2e-7
                                                    : 0;
        if (!(fabs((double)gate[i] - expected) <= 1e-5 * fabs(expected) + lost + 1e-33))
            fail_msg("%s act %d: %g and %g gave %g, not %g", subject_name(subject), act,
                     (double)before[i], (double)up[i], (double)gate[i], expected);
    }
    floats_free(gate, count);
    floats_free(up, count);
    floats_free(before, count);
}

// The heads of tokens, [7, 3, 5], put head by head into the middle of rows of 11.
static void strided_copy_writes_only_the_addressed_elements(void **state) {
    enum { HEADS = 3, TOKENS = 7, PART = 5, WIDE = 11, X = TOKENS * HEADS * PART };
    enum { Y = HEADS * TOKENS * WIDE };
    (void)state;
    uint64_t random = SEED;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        float *x = random_floats(&random, X), *y = floats_alloc(Y);
        for (int i = 0; i < Y; i++)
            y[i] = 99;
        const struct copy_parts args = {.y = y + 2,
                                        .x = x,
                                        .rows = HEADS,
                                        .columns = TOKENS,
                                        .elements = PART,
                                        .y_row = TOKENS * WIDE,
                                        .y_column = WIDE,
                                        .x_row = PART,
                                        .x_column = HEADS * PART};
        subject.backend->copy_parts(subject.device, &args);
        assert_int_equal(subject.backend->sync(subject.device), STATUS_OK);
        for (int i = 0; i < Y; i++) {
            const int head = i / (TOKENS * WIDE), token = i / WIDE % TOKENS, at = i % WIDE - 2;
            const bool copied = at >= 0 && at < PART;
            assert_true(y[i] == (copied ? x[(token * HEADS + head) * PART + at] : 99));
        }
        floats_free(x, X);
        floats_free(y, Y);
        subject_close(&subject);
    }
}

static void check_scale_rows(bool keeps) {
    enum { ROWS = 3, DIM = 37 };
    uint64_t random = SEED;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        float *x = random_floats(&random, ROWS * DIM), *before = floats_alloc(ROWS * DIM);
        float *factors = floats_alloc(ROWS);
        memcpy(before, x, ROWS * DIM * sizeof *x);
        for (int r = 0; r < ROWS; r++)
            factors[r] = 0.25F * (float)r;
        const struct scale_rows args = {
            .x = x, .factors = factors, .rows = ROWS, .dim = DIM, .keeps = keeps};
        subject.backend->scale_rows(subject.device, &args);
        for (int i = 0; i < ROWS * DIM; i++)
            assert_true(x[i] == before[i] * 0.25F * (float)(i / DIM));
        for (int r = 0; r < ROWS; r++)
            assert_true(factors[r] == (keeps ? 0.25F * (float)r : 1));
        floats_free(x, ROWS * DIM);
        floats_free(before, ROWS * DIM);
        floats_free(factors, ROWS);
        subject_close(&subject);
    }
}

static void rows_are_scaled_once_and_factors_reset_to_one(void **state) {
    (void)state;
    check_scale_rows(false);
}

static void factors_that_are_kept_scale_again(void **state) {
    (void)state;
    check_scale_rows(true);
}

static void act_and_mul_matches_its_formula_from_tiny_to_huge(void **state) {
    (void)state;
    uint64_t random = SEED + 1;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, THREADS)) continue;
        for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++)
            for (int act = ACT_SILU; act <= ACT_XIELU; act++)
                check_act(&subject, (enum act)act, dims[d], &random);
        subject_close(&subject);
    }
}

struct adding {
    bool normed, overwrites;
    float gain;
};

static void check_add_rows(const struct subject *subject, int32_t dim, const struct adding *how,
                           uint64_t *random) {
    enum { ROWS = 7 };
    const size_t count = ROWS * (size_t)dim, width = (size_t)dim;
    float *x = random_floats(random, count), *y = random_floats(random, count);
    float *norm = random_floats(random, width), *before = floats_alloc(count);
    const bool normed = how->normed;
    const double gain = (double)how->gain;
    memcpy(before, x, count * sizeof *x);
    for (size_t i = 0; i < count && how->overwrites; i++) {
        x[i] = NAN;
        before[i] = 0;
    }
    const struct add_rows args = {.x = x,
                                  .y = y,
                                  .norm = normed ? norm : NULL,
                                  .rows = ROWS,
                                  .dim = dim,
                                  .eps = 1e-5F,
                                  .scale = 0.22F,
                                  .gain = how->gain,
                                  .overwrites = how->overwrites};
    subject->backend->add_rows(subject->device, &args);
    for (size_t r = 0; r < ROWS; r++) {
        double squares = 0;
        for (size_t i = 0; i < width; i++)
            squares += (double)y[r * width + i] * (double)y[r * width + i];
        const double root = normed ? 1 / sqrt(squares / dim + 1e-5) : 1;
        for (size_t i = 0; i < width; i++) {
            const size_t at = r * width + i;
            const double weight = normed ? (double)norm[i] : 1;
            const double added = (double)0.22F * (double)y[at] * root * weight;
            const double expected = gain * ((double)before[at] + added);
            assert_true(fabs((double)x[at] - expected) <=
                        1e-6 * gain * (fabs(added) + fabs((double)before[at])));
        }
    }
    floats_free(x, count);
    floats_free(y, count);
    floats_free(norm, width);
    floats_free(before, count);
}

static void add_rows_matches_its_formula_for_all_optional_inputs(void **state) {
    (void)state;
    static const struct adding ways[] = {{.gain = 1},
                                         {.normed = true, .gain = 1},
                                         {.gain = 0.07F},
                                         {.normed = true, .gain = 3},
                                         {.normed = true, .overwrites = true, .gain = 1},
                                         {.overwrites = true, .gain = 0.5F}};
    uint64_t random = SEED + 3;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, THREADS)) continue;
        for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++)
            for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++)
                check_add_rows(&subject, dims[i], &ways[way], &random);
        subject_close(&subject);
    }
}

static void narrow_copies_every_row_unchanged(void **state) {
    (void)state;
    enum { ROWS = 33, DIM = 517, COUNT = ROWS * DIM };
    uint64_t random = SEED + 4;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, THREADS)) continue;
        float *x = random_floats(&random, COUNT), *y = floats_alloc(COUNT);
        subject.backend->narrow(subject.device,
                                &(struct narrow){.y = y, .x = x, .rows = ROWS, .dim = DIM});
        assert_memory_equal(x, y, COUNT * sizeof *x);
        floats_free(x, COUNT);
        floats_free(y, COUNT);
        subject_close(&subject);
    }
}

static void other_rows_do_not_change_a_row_bit_for_bit(void **state) {
    (void)state;
    enum { ROWS = 40, DIM = 777, COUNT = ROWS * DIM };
    uint64_t random = SEED + 2;
    for (int which = 0; which < SUBJECTS; which++)
        for (int32_t threads = 1; threads <= 3; threads++) {
            struct subject subject;
            if (!subject_open(&subject, which, threads)) continue;
            float *x = random_floats(&random, COUNT), *up = random_floats(&random, COUNT);
            float *all = floats_alloc(COUNT), *one = floats_alloc(DIM);
            struct rmsnorm norm = {
                .y = all, .x = x, .weight = up, .rows = ROWS, .dim = DIM, .eps = 1e-6F};
            subject.backend->rmsnorm(subject.device, &norm);
            norm.y = one;
            norm.rows = 1;
            for (size_t r = 0; r < ROWS; r++) {
                norm.x = x + r * DIM;
                subject.backend->rmsnorm(subject.device, &norm);
                assert_memory_equal(one, all + r * DIM, DIM * sizeof *one);
            }
            memcpy(all, x, COUNT * sizeof *x);
            struct act_and_mul silu = {.gate = all, .up = up, .rows = ROWS, .dim = DIM};
            subject.backend->act_and_mul(subject.device, &silu);
            for (size_t r = 0; r < ROWS; r++) {
                silu = (struct act_and_mul){
                    .gate = x + r * DIM, .up = up + r * DIM, .rows = 1, .dim = DIM};
                subject.backend->act_and_mul(subject.device, &silu);
            }
            assert_memory_equal(all, x, COUNT * sizeof *x);
            floats_free(x, COUNT);
            floats_free(up, COUNT);
            floats_free(all, COUNT);
            floats_free(one, DIM);
            subject_close(&subject);
        }
}

static void device_memory_is_aligned_and_reads_back_as_written(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 4096, 100001, (3 << 20) + 5};
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, THREADS)) continue;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            void *memory;
            char *there = malloc(sizes[i] + 1), *back = malloc(sizes[i] + 1);
            assert_int_equal(subject.backend->alloc(subject.device, sizes[i], &memory), STATUS_OK);
            assert_int_equal((uintptr_t)memory % 64, 0);
            memset(there, (int)(i + 1), sizes[i]);
            subject.backend->to_device(subject.device, memory, there, sizes[i]);
            for (int pattern = 0; pattern < READ_PATTERNS; pattern++)
                subject.backend->read(subject.device, memory, sizes[i], pattern);
            subject.backend->to_host(subject.device, back, memory, sizes[i]);
            assert_int_equal(subject.backend->sync(subject.device), STATUS_OK);
            assert_memory_equal(there, back, sizes[i]);
            subject.backend->release(subject.device, memory, sizes[i]);
            free(there);
            free(back);
        }
        subject.backend->release(subject.device, NULL, 100);
        subject_close(&subject);
    }
}

static void an_allocation_larger_than_memory_is_refused(void **state) {
    (void)state;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 1)) continue;
        void *memory = &subject;
        assert_int_equal(subject.backend->alloc(subject.device, SIZE_MAX, &memory),
                         STATUS_NO_MEMORY);
        assert_int_equal(subject.backend->alloc(subject.device, SIZE_MAX / 4, &memory),
                         STATUS_NO_MEMORY);
        assert_ptr_equal(memory, &subject);
        subject_close(&subject);
    }
}

static void weights_are_not_copied_and_info_names_the_device(void **state) {
    (void)state;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 3)) continue;
        const float mapped[8] = {0};
        const struct weight in_file = {.data = mapped, .type = DTYPE_F32, .rows = 2, .columns = 4};
        const void *weights = NULL;
        assert_int_equal(subject.backend->weights(subject.device, &in_file, &weights), STATUS_OK);
        assert_ptr_equal(weights, mapped);
        struct device_info info;
        subject.backend->info(subject.device, &info);
        assert_non_null(strstr(info.name, subject.isa ? "3 threads" : "1 thread, reference"));
        assert_non_null(strstr(info.name, subject_name(&subject)));
        assert_true(info.memory_total >= info.memory_free && info.memory_free > 0);
        subject_close(&subject);
    }
    backend_cpu()->close(NULL);
    backend_reference()->close(NULL);
    assert_false(isa_force("no such instruction set"));
}

static void the_environment_names_an_instruction_set_that_the_processor_has(void **state) {
    (void)state;
    const struct device_options options = {.threads = 1};
    struct device *device = NULL;
    struct device_info info;
    struct error err;
    assert_int_equal(setenv("QUIRE_ISA", "generic", 1), 0);
    assert_int_equal(backend_cpu()->open(&options, &device, &err), STATUS_OK);
    backend_cpu()->info(device, &info);
    assert_non_null(strstr(info.name, "generic"));
    backend_cpu()->close(device);
    device = NULL;
    assert_int_equal(setenv("QUIRE_ISA", "z80", 1), 0);
    assert_int_equal(backend_cpu()->open(&options, &device, &err), STATUS_UNSUPPORTED);
    assert_null(device);
    assert_non_null(strstr(err.text, "\"z80\""));
    assert_non_null(strstr(err.text, "generic"));
    assert_int_equal(unsetenv("QUIRE_ISA"), 0);
    assert_true(isa_force(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_names_an_instruction_set_that_the_processor_has),
        cmocka_unit_test(rmsnorm_matches_its_formula),
        cmocka_unit_test(strided_copy_writes_only_the_addressed_elements),
        cmocka_unit_test(act_and_mul_matches_its_formula_from_tiny_to_huge),
        cmocka_unit_test(rows_are_scaled_once_and_factors_reset_to_one),
        cmocka_unit_test(factors_that_are_kept_scale_again),
        cmocka_unit_test(add_rows_matches_its_formula_for_all_optional_inputs),
        cmocka_unit_test(narrow_copies_every_row_unchanged),
        cmocka_unit_test(other_rows_do_not_change_a_row_bit_for_bit),
        cmocka_unit_test(device_memory_is_aligned_and_reads_back_as_written),
        cmocka_unit_test(an_allocation_larger_than_memory_is_refused),
        cmocka_unit_test(weights_are_not_copied_and_info_names_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
