// tests/kernels/test_linear.c — embedding, linear and logits against a double-precision loop.
#include "tests/kernels/subjects.h"

enum { SEED = 77001, BITS_TOKENS = 37 };

struct problem {
    struct weight weight;
    int32_t tokens;
    size_t bytes;   // of the weights
    void *data;     // weights, owned
    float *x;       // [tokens, columns], owned
    float *bias;    // [rows], owned
    float *decoded; // [rows, columns], owned
};

static size_t elements_of(const struct problem *p) {
    return (size_t)p->weight.rows * (size_t)p->weight.columns;
}

// What the weights stand for.
static void decode(struct problem *p) {
    dtype_to_float(p->weight.type, p->data, p->decoded, elements_of(p));
    for (size_t i = 0; i < elements_of(p) && p->weight.scale != 0; i++)
        p->decoded[i] *= p->weight.scale;
}

static struct problem make_problem(enum dtype type, int32_t rows, int32_t columns, int32_t tokens,
                                   uint64_t *state) {
    struct problem p = {.weight = {.type = type, .rows = rows, .columns = columns},
                        .tokens = tokens,
                        .bytes = (size_t)rows * dtype_row_bytes(type, columns)};
    p.data = guarded_alloc(p.bytes);
    dtype_fill_random(type, p.data, elements_of(&p), 0.3F, *state);
    p.weight.data = p.data;
    p.weight.scale = type == DTYPE_NVFP4 ? 0.7F : 0;
    p.x = random_floats(state, (size_t)tokens * (size_t)columns);
    p.bias = random_floats(state, (size_t)rows);
    p.decoded = floats_alloc(elements_of(&p));
    decode(&p);
    return p;
}

static void drop_problem(struct problem *p) {
    guarded_free(p->data, p->bytes);
    floats_free(p->x, (size_t)p->tokens * (size_t)p->weight.columns);
    floats_free(p->bias, (size_t)p->weight.rows);
    floats_free(p->decoded, elements_of(p));
}

// The activation that a quantising backend multiplies with: 127 steps to the largest of 32.
static float rounded(const float *x, int32_t c) {
    const float *group = x + c / 32 * 32;
    float top = 0;
    for (int i = 0; i < 32; i++)
        top = fmaxf(top, fabsf(group[i]));
    return top > 0 ? top / 127 * rintf(x[c] * (127 / top)) : 0;
}

static void expect_product(const struct problem *p, const struct subject *subject, const float *y,
                           const float *x, const float *bias) {
    static double met[4096]; // the activations that the weights meet
    const bool packed = dtype_block_elements(p->weight.type) > 1;
    const bool splits = subject->splits && !packed && p->weight.type != DTYPE_F32;
    const bool rounds = subject->isa && packed;
    assert_true(p->weight.columns <= 4096);
    for (int32_t c = 0; c < p->weight.columns; c++)
        met[c] = (double)(rounds ? rounded(x, c) : x[c]);
    for (int32_t r = 0; r < p->weight.rows; r++) {
        double sum = bias ? (double)bias[r] : 0, size = fabs(sum);
        for (int32_t c = 0; c < p->weight.columns; c++) {
            const double w = (double)p->decoded[(size_t)r * (size_t)p->weight.columns + (size_t)c];
            sum += w * met[c];
            size += fabs(w * met[c]);
        }
        // Nibbles without their offset, and mins, are sums of their own, up to some times larger.
        // Two bf16 numbers are within 2^-18 of an activation, and so is what is left out.
        const double allowed = (rounds || splits ? 8e-6 : 1e-6) * size;
        if (!(fabs((double)y[r] - sum) <= allowed))
            fail_msg("%s %s [%d, %d], %d tokens, row %d: %g, not %g", subject_name(subject),
                     dtype_name(p->weight.type), p->weight.rows, p->weight.columns, p->tokens, r,
                     (double)y[r], sum);
    }
}

static void run_linear(const struct subject *subject, const struct problem *p, const float *x,
                       const float *bias, int32_t tokens, float *y) {
    const struct linear args = {.in = {.x = x, .tokens = tokens},
                                .parts = {{.y = y, .weight = p->weight, .bias = bias}},
                                .count = 1};
    subject->backend->linear(subject->device, &args);
    assert_int_equal(subject->backend->sync(subject->device), STATUS_OK);
}

static void check_linear(const struct subject *subject, const struct problem *p, bool with_bias) {
    const size_t rows = (size_t)p->weight.rows, columns = (size_t)p->weight.columns;
    const size_t count = rows * (size_t)p->tokens;
    const float *bias = with_bias ? p->bias : NULL;
    float *y = floats_alloc(count);
    run_linear(subject, p, p->x, bias, p->tokens, y);
    for (size_t t = 0; t < (size_t)p->tokens; t++)
        expect_product(p, subject, y + t * rows, p->x + t * columns, bias);
    floats_free(y, count);
}

static int32_t fitting_columns(enum dtype type, int32_t wanted) {
    const int32_t block = dtype_block_elements(type);
    return (wanted + block - 1) / block * block;
}

static void linear_matches_the_product_for_all_types_and_odd_shapes(void **state) {
    (void)state;
    static const int32_t shapes[][3] = {
        // rows, columns at least, tokens
        {1, 1, 1},    {1, 33, 3},    {7, 96, 1},   {8, 513, 2},   {9, 1100, 5},
        {17, 300, 4}, {37, 1024, 9}, {65, 160, 7}, {130, 544, 6}, {19, 1056, 131},
        {33, 31, 17}, {5, 3072, 10}, {200, 7, 1},
    };
    uint64_t random = SEED;
    printf("seed %d\n", SEED);
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = 0; type < DTYPE_COUNT; type++)
            for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
                if (!CHECK_TAKES(which + (int)type + (int)i)) continue;
                const int32_t columns = fitting_columns(type, shapes[i][1]);
                struct problem p = make_problem(type, shapes[i][0], columns, shapes[i][2], &random);
                check_linear(&subject, &p, i % 2 == 0);
                drop_problem(&p);
            }
        subject_close(&subject);
    }
}

// The largest quants and activations at once: no integer sum on the way may overflow.
static void linear_does_not_overflow_on_the_largest_quants(void **state) {
    (void)state;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 1)) continue;
        for (int bytes = 0; bytes < 3; bytes++)
            for (enum dtype type = DTYPE_Q8_0; type < DTYPE_COUNT; type++) {
                uint64_t random = SEED;
                struct problem p = make_problem(type, 20, 512, 5, &random);
                static const int fills[] = {0xFF, 0x80, 0x00};
                const size_t step = (size_t)dtype_block_bytes(type);
                memset(p.data, fills[bytes], p.bytes);
                for (size_t at = 0; at < p.bytes; at += step)
                    dtype_set_scale(type, (char *)p.data + at, 0.25F, 0.5F);
                for (size_t i = 0; i < 5 * 512; i++)
                    p.x[i] = i / 512 % 2 ? -1 : 1;
                decode(&p);
                check_linear(&subject, &p, false);
                drop_problem(&p);
            }
        subject_close(&subject);
    }
}

enum { FUSED_TOKENS = 9, FUSED_ROWS = 70, FUSED_COLUMNS = 512 };

// x of p, normed, as floats of its shape.
static float *normed_rows(const struct subject *subject, const struct problem *p,
                          const float *weight) {
    float *normed = floats_alloc((size_t)p->tokens * (size_t)p->weight.columns);
    const struct rmsnorm args = {.y = normed,
                                 .x = p->x,
                                 .weight = weight,
                                 .rows = p->tokens,
                                 .dim = p->weight.columns,
                                 .eps = 1e-5F};
    subject->backend->rmsnorm(subject->device, &args);
    return normed;
}

static void check_parts(const struct subject *subject, const struct problem p[3],
                        const float *norm) {
    const size_t inputs = (size_t)p->tokens * (size_t)p->weight.columns;
    float *normed = normed_rows(subject, &p[0], norm), *scratch = floats_alloc(inputs), *y[3];
    struct linear args = {.in = {p[0].x, norm, scratch, p->tokens, 1e-5F, true}, .count = 3};
    for (int i = 0; i < 3; i++) {
        y[i] = floats_alloc((size_t)p->tokens * (size_t)p[i].weight.rows);
        args.parts[i] = (struct projection){y[i], p[i].weight, i == 1 ? NULL : p[i].bias};
    }
    subject->backend->linear(subject->device, &args);
    assert_memory_equal(scratch, normed, inputs * sizeof *normed);
    for (int i = 0; i < 3; i++) {
        const size_t count = (size_t)p->tokens * (size_t)p[i].weight.rows;
        float *alone = floats_alloc(count);
        run_linear(subject, &p[i], normed, args.parts[i].bias, p->tokens, alone);
        assert_memory_equal(y[i], alone, count * sizeof *alone);
        floats_free(alone, count);
        floats_free(y[i], count);
    }
    floats_free(normed, inputs);
    floats_free(scratch, inputs);
}

static void check_gated(const struct subject *subject, const struct problem p[2],
                        const float *norm) {
    const size_t inputs = (size_t)p->tokens * (size_t)p->weight.columns;
    const size_t count = (size_t)p->tokens * (size_t)p->weight.rows;
    float *normed = normed_rows(subject, &p[0], norm), *scratch = floats_alloc(inputs);
    float *y = floats_alloc(count), *up_rows = floats_alloc(count), *gate = floats_alloc(count);
    const struct gated_linear args = {.in = {p[0].x, norm, scratch, p->tokens, 1e-5F},
                                      .y = y,
                                      .up_rows = up_rows,
                                      .gate = p[0].weight,
                                      .up = p[1].weight};
    subject->backend->gated_linear(subject->device, &args);
    run_linear(subject, &p[0], normed, NULL, p->tokens, gate);
    run_linear(subject, &p[1], normed, NULL, p->tokens, up_rows);
    const struct act_and_mul product = {
        .gate = gate, .up = up_rows, .rows = p->tokens, .dim = p->weight.rows};
    subject->backend->act_and_mul(subject->device, &product);
    assert_memory_equal(y, gate, count * sizeof *y);
    floats_free(y, count);
    floats_free(up_rows, count);
    floats_free(gate, count);
    floats_free(normed, inputs);
    floats_free(scratch, inputs);
}

// y += x W^T is y plus the product, up to one more rounding for each piece that is added.
static void check_add(const struct subject *subject, const struct problem *p, uint64_t *random) {
    const size_t count = (size_t)p->tokens * (size_t)p->weight.rows;
    float *y = random_floats(random, count), *before = floats_alloc(count);
    float *product = floats_alloc(count);
    memcpy(before, y, count * sizeof *y);
    run_linear(subject, p, p->x, NULL, p->tokens, product);
    const struct linear args = {.in = {.x = p->x, .tokens = p->tokens},
                                .parts = {{.y = y, .weight = p->weight}},
                                .count = 1,
                                .store = LINEAR_ADD};
    subject->backend->linear(subject->device, &args);
    for (size_t i = 0; i < count; i++) {
        const double expected = (double)before[i] + (double)product[i];
        assert_true(fabs((double)y[i] - expected) <= 2e-5 * (1 + fabs(expected)));
    }
    floats_free(y, count);
    floats_free(before, count);
    floats_free(product, count);
}

static void fused_products_equal_their_separate_parts(void **state) {
    (void)state;
    uint64_t random = SEED + 7;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        float *norm = random_floats(&random, FUSED_COLUMNS);
        for (enum dtype type = 0; type < DTYPE_COUNT; type++) {
            if (!CHECK_TAKES(which + (int)type)) continue;
            const enum dtype other = type == DTYPE_Q6_K ? DTYPE_Q4_K : DTYPE_Q6_K;
            struct problem p[3];
            for (int i = 0; i < 3; i++)
                p[i] = make_problem(i < 2 ? type : other, i < 2 ? FUSED_ROWS : 33, FUSED_COLUMNS,
                                    FUSED_TOKENS, &random);
            check_parts(&subject, p, norm);
            check_gated(&subject, p, norm);
            check_add(&subject, &p[0], &random);
            for (int i = 0; i < 3; i++)
                drop_problem(&p[i]);
        }
        floats_free(norm, FUSED_COLUMNS);
        subject_close(&subject);
    }
}

static void logits_use_the_indexed_rows(void **state) {
    (void)state;
    uint64_t random = SEED + 1;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = 0; type < DTYPE_COUNT; type++) {
            const int32_t index[] = {5, 0, 6, 6, 2};
            const int32_t columns = fitting_columns(type, 100);
            struct problem p = make_problem(type, 131, columns, 7, &random);
            float *y = floats_alloc(5 * 131);
            const struct logits args = {
                .y = y, .x = p.x, .row_index = index, .weight = p.weight, .rows = 5, .scale = 1};
            subject.backend->logits(subject.device, &args);
            for (size_t i = 0; i < 5; i++)
                expect_product(&p, &subject, y + i * 131, p.x + (size_t)index[i] * (size_t)columns,
                               NULL);
            floats_free(y, 5 * 131);
            drop_problem(&p);
        }
        subject_close(&subject);
    }
}

// Row r has the exponent r, from subnormal scales to those near the largest number, in one block.
// The others are zeros. One token goes another way than two.
static void every_mxfp4_exponent_scales_by_its_power_of_two(void **state) {
    (void)state;
    enum { BLOCKS = 16, ROWS = 240, COLUMNS = 32 * BLOCKS, TOKENS = 2 };
    const size_t bytes = (size_t)dtype_block_bytes(DTYPE_MXFP4);
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        uint64_t random = SEED + 13;
        if (!subject_open(&subject, which, 1)) continue;
        struct problem p = make_problem(DTYPE_MXFP4, ROWS, COLUMNS, TOKENS, &random);
        float *y = floats_alloc(TOKENS * ROWS);
        for (size_t b = 0; b < ROWS * BLOCKS; b++) {
            uint8_t *block = (uint8_t *)p.data + b * bytes;
            const size_t r = b / BLOCKS;
            if (b % BLOCKS != r % BLOCKS) memset(block, 0, bytes);
            block[0] = (uint8_t)r;
        }
        dtype_to_float(DTYPE_MXFP4, p.data, p.decoded, ROWS * COLUMNS);
        for (size_t i = 0; i < TOKENS * COLUMNS; i++)
            p.x[i] = i % 3 ? 127 : -127; // exact in 8 bits
        for (size_t i = 0; i < 2 * TOKENS * ROWS; i++) {
            const size_t r = i % ROWS, t = i / ROWS % TOKENS;
            if (i == 0) run_linear(&subject, &p, p.x, NULL, TOKENS, y);
            if (i >= TOKENS * ROWS && r == 0)
                run_linear(&subject, &p, p.x + t * COLUMNS, NULL, 1, y + t * ROWS);
            double expected = 0;
            for (size_t c = 0; c < COLUMNS; c++)
                expected += (double)p.decoded[r * COLUMNS + c] * (double)p.x[t * COLUMNS + c];
            const double found = (double)y[t * ROWS + r];
            if (!(fabs(found - expected) <= 1e-6 * fabs(expected)))
                fail_msg("%s: exponent %zu: %g, not %g", subject_name(&subject), r, found,
                         expected);
        }
        floats_free(y, TOKENS * ROWS);
        drop_problem(&p);
        subject_close(&subject);
    }
}

// Row r has the scale r: those with a sign's bit set too, and the one that is no number.
static void every_nvfp4_scale_is_read_as_its_definition_says(void **state) {
    (void)state;
    enum { ROWS = 256, COLUMNS = 128, TOKENS = 2 };
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        uint64_t random = SEED + 14;
        if (!subject_open(&subject, which, 1)) continue;
        struct problem p = make_problem(DTYPE_NVFP4, ROWS, COLUMNS, TOKENS, &random);
        const size_t step = (size_t)dtype_block_bytes(DTYPE_NVFP4);
        for (size_t at = 0; at < p.bytes; at += step)
            memset((char *)p.data + at, (int)(at / step / (COLUMNS / 64)), 4);
        decode(&p);
        check_linear(&subject, &p, false);
        drop_problem(&p);
        subject_close(&subject);
    }
}

static void logits_are_scaled_before_they_are_capped(void **state) {
    (void)state;
    enum { ROWS = 203, COLUMNS = 64, TOKENS = 3, COUNT = TOKENS * ROWS };
    const int32_t index[TOKENS] = {0, 1, 2};
    uint64_t random = SEED + 11;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        struct problem p = make_problem(DTYPE_F32, ROWS, COLUMNS, TOKENS, &random);
        float *plain = floats_alloc(COUNT), *y = floats_alloc(COUNT);
        float *bias = random_floats(&random, ROWS);
        struct logits args = {.y = plain,
                              .x = p.x,
                              .row_index = index,
                              .weight = p.weight,
                              .rows = TOKENS,
                              .scale = 1};
        subject.backend->logits(subject.device, &args);
        args.y = y;
        for (int way = 0; way < 4; way++) {
            const bool capped = way % 2, biased = way >= 2;
            args.scale = 3;
            args.softcap = capped ? 4 : 0;
            args.bias = biased ? bias : NULL;
            subject.backend->logits(subject.device, &args);
            for (size_t i = 0; i < COUNT; i++) {
                const double more = biased ? (double)bias[i % ROWS] : 0;
                const double scaled = 3 * ((double)plain[i] + more);
                const double expected = capped ? 4 * tanh(scaled / 4) : scaled;
                assert_true(fabs((double)y[i] - expected) <= 2e-6);
            }
        }
        floats_free(plain, COUNT);
        floats_free(y, COUNT);
        floats_free(bias, ROWS);
        drop_problem(&p);
        subject_close(&subject);
    }
}

static void embedding_scales_its_rows(void **state) {
    (void)state;
    enum { COLUMNS = 70 };
    uint64_t random = SEED + 12;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        struct problem p = make_problem(DTYPE_BF16, 5, COLUMNS, 1, &random);
        const int32_t ids[] = {4, 0};
        float *y = floats_alloc(2 * COLUMNS);
        const struct embedding args = {
            .y = y, .token_ids = ids, .table = p.weight, .tokens = 2, .scale = 12.5F, .stride = 1};
        subject.backend->embedding(subject.device, &args);
        for (size_t i = 0; i < 2 * COLUMNS; i++)
            assert_true(y[i] ==
                        12.5F * p.decoded[(size_t)ids[i / COLUMNS] * COLUMNS + i % COLUMNS]);
        floats_free(y, 2 * COLUMNS);
        drop_problem(&p);
        subject_close(&subject);
    }
}

static void embedding_finds_the_nth_of_several_rows_of_a_token(void **state) {
    (void)state;
    enum { COLUMNS = 64, STRIDE = 3, NTH = 2 };
    uint64_t random = SEED + 13;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        struct problem p = make_problem(DTYPE_BF16, 5 * STRIDE, COLUMNS, 1, &random);
        const int32_t ids[] = {4, 0, 3};
        float *y = floats_alloc(3 * COLUMNS);
        const struct embedding args = {.y = y,
                                       .token_ids = ids,
                                       .table = p.weight,
                                       .tokens = 3,
                                       .scale = 1,
                                       .stride = STRIDE,
                                       .first = NTH};
        subject.backend->embedding(subject.device, &args);
        for (size_t t = 0; t < 3; t++)
            assert_memory_equal(y + t * COLUMNS,
                                p.decoded + ((size_t)ids[t] * STRIDE + NTH) * COLUMNS,
                                COLUMNS * sizeof *y);
        floats_free(y, 3 * COLUMNS);
        drop_problem(&p);
        subject_close(&subject);
    }
}

static void embedding_decodes_the_rows_of_its_tokens(void **state) {
    (void)state;
    uint64_t random = SEED + 2;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = 0; type < DTYPE_COUNT; type++) {
            const int32_t columns = fitting_columns(type, 90);
            const size_t width = (size_t)columns;
            struct problem p = make_problem(type, 11, columns, 1, &random);
            int32_t ids[23];
            for (int t = 0; t < 23; t++)
                ids[t] = random_below(&random, 11);
            float *y = floats_alloc(23 * width);
            const struct embedding args = {
                .y = y, .token_ids = ids, .table = p.weight, .tokens = 23, .scale = 1, .stride = 1};
            subject.backend->embedding(subject.device, &args);
            for (size_t t = 0; t < 23; t++)
                assert_memory_equal(y + t * width, p.decoded + (size_t)ids[t] * width,
                                    width * sizeof *y);
            floats_free(y, 23 * width);
            drop_problem(&p);
        }
        subject_close(&subject);
    }
}

static void batch_and_thread_count_do_not_change_a_bit_of_a_token(void **state) {
    (void)state;
    enum { ROWS = 75 };
    uint64_t random = SEED + 3;
    for (int which = 0; which < SUBJECTS; which++)
        for (int32_t threads = 1; threads <= 3; threads++) {
            struct subject subject, single;
            if (which == SUBJECT_SPLITS || !subject_open(&subject, which, threads)) continue;
            assert_true(subject_open(&single, which, 1));
            for (enum dtype type = 0; type < DTYPE_COUNT; type++) {
                if (!CHECK_TAKES(which + threads + (int)type)) continue;
                const int32_t columns = fitting_columns(type, 1050);
                struct problem p = make_problem(type, ROWS, columns, BITS_TOKENS, &random);
                float *all = floats_alloc(ROWS * BITS_TOKENS), *one = floats_alloc(ROWS);
                run_linear(&subject, &p, p.x, p.bias, BITS_TOKENS, all);
                for (size_t t = 0; t < BITS_TOKENS; t++) {
                    run_linear(&single, &p, p.x + t * (size_t)columns, p.bias, 1, one);
                    assert_memory_equal(one, all + t * ROWS, ROWS * sizeof *one);
                }
                floats_free(one, ROWS);
                floats_free(all, ROWS * BITS_TOKENS);
                drop_problem(&p);
            }
            subject_close(&single);
            subject_close(&subject);
        }
}

// Safetensors files put plain weights where they come.
static void plain_weights_need_no_alignment(void **state) {
    (void)state;
    enum { ROWS = 19, COLUMNS = 543, TOKENS = 21 };
    uint64_t random = SEED + 8;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = 0; type < DTYPE_Q8_0; type++) {
            struct problem p = make_problem(type, ROWS, COLUMNS, TOKENS, &random);
            float *a = floats_alloc(ROWS * TOKENS), *b = floats_alloc(ROWS * TOKENS);
            char *moved = guarded_alloc(p.bytes + 1);
            memcpy(moved + 1, p.data, p.bytes);
            run_linear(&subject, &p, p.x, p.bias, TOKENS, a);
            p.weight.data = moved + 1;
            run_linear(&subject, &p, p.x, p.bias, TOKENS, b);
            assert_memory_equal(a, b, ROWS * TOKENS * sizeof *a);
            guarded_free(moved, p.bytes + 1);
            floats_free(a, ROWS * TOKENS);
            floats_free(b, ROWS * TOKENS);
            drop_problem(&p);
        }
        subject_close(&subject);
    }
}

// quantized.inc promises it: integers are exact and every rounding is named.
static void packed_weights_give_the_same_bits_on_every_isa(void **state) {
    (void)state;
    enum { ROWS = 53, MOST = 1300 };
    struct subject generic;
    assert_true(subject_open(&generic, SUBJECT_GENERIC, 1));
    uint64_t random = SEED + 4;
    for (int which = SUBJECT_GENERIC + 1; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = DTYPE_Q8_0; type < DTYPE_COUNT; type++) {
            const int32_t tokens = 1 + random_below(&random, 8);
            const int32_t columns = fitting_columns(type, 1 + random_below(&random, MOST));
            const size_t count = (size_t)tokens * ROWS;
            struct problem p = make_problem(type, ROWS, columns, tokens, &random);
            float *a = floats_alloc(count), *b = floats_alloc(count);
            run_linear(&generic, &p, p.x, p.bias, tokens, a);
            run_linear(&subject, &p, p.x, p.bias, tokens, b);
            assert_memory_equal(a, b, count * sizeof *a);
            floats_free(a, count);
            floats_free(b, count);
            drop_problem(&p);
        }
        subject_close(&subject);
    }
    subject_close(&generic);
}

// Up to eight go another way for each width, and so does one alone.
static void a_row_has_the_same_bits_however_many_there_are(void **state) {
    (void)state;
    enum { ROWS = 53, MOST = 1300, TOKENS = 9 };
    uint64_t random = SEED + 5;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = 0; type < DTYPE_COUNT; type++) {
            const int32_t columns = fitting_columns(type, 1 + random_below(&random, MOST));
            struct problem p = make_problem(type, ROWS, columns, TOKENS, &random);
            float *all = floats_alloc(ROWS * TOKENS), *one = floats_alloc(ROWS);
            for (int32_t tokens = 2; tokens <= TOKENS; tokens++) {
                const int32_t t = random_below(&random, tokens);
                run_linear(&subject, &p, p.x, p.bias, tokens, all);
                run_linear(&subject, &p, p.x + (size_t)t * (size_t)columns, p.bias, 1, one);
                assert_memory_equal(all + (size_t)t * ROWS, one, ROWS * sizeof *one);
            }
            floats_free(all, ROWS * TOKENS);
            floats_free(one, ROWS);
            drop_problem(&p);
        }
        subject_close(&subject);
    }
}

// One token's activations are laid out for 4096 columns at a time.
static void one_token_has_the_same_bits_in_rows_of_many_columns(void **state) {
    (void)state;
    enum { ROWS = 37, MOST = 4096, TOKENS = 2 };
    uint64_t random = SEED + 6;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = DTYPE_Q8_0; type < DTYPE_COUNT; type++) {
            if (!CHECK_TAKES(which + (int)type)) continue;
            const int32_t columns = fitting_columns(type, MOST + 1 + random_below(&random, 1000));
            struct problem p = make_problem(type, ROWS, columns, TOKENS, &random);
            float both[TOKENS * ROWS], one[ROWS];
            run_linear(&subject, &p, p.x, p.bias, TOKENS, both);
            for (size_t t = 0; t < TOKENS; t++) {
                run_linear(&subject, &p, p.x + t * (size_t)columns, p.bias, 1, one);
                assert_memory_equal(both + t * ROWS, one, sizeof one);
            }
            drop_problem(&p);
        }
        subject_close(&subject);
    }
}

// A call without tokens, and activations of nothing but zeros, are everyday.
static void no_tokens_write_nothing_and_zeros_give_the_bias(void **state) {
    (void)state;
    uint64_t random = SEED + 5;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = 0; type < DTYPE_COUNT; type++) {
            struct problem p = make_problem(type, 9, 256, 2, &random);
            float *y = floats_alloc(2 * 9);
            memset(p.x, 0, 2 * 256 * sizeof *p.x);
            run_linear(&subject, &p, p.x, p.bias, 0, y);
            assert_true(isnan(y[0]));
            run_linear(&subject, &p, p.x, p.bias, 2, y);
            for (int i = 0; i < 18; i++)
                assert_true(y[i] == p.bias[i % 9]);
            floats_free(y, 2 * 9);
            drop_problem(&p);
        }
        subject_close(&subject);
    }
}

// A model that computes nonsense must not look as if it did not.
static void a_non_finite_token_stays_so_and_spoils_no_other(void **state) {
    (void)state;
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    uint64_t random = SEED + 6;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (enum dtype type = 0; type < DTYPE_COUNT; type++)
            for (size_t i = 0; i < 4; i++) {
                struct problem p = make_problem(type, 19, 512, 3, &random);
                float *y = floats_alloc(3 * 19);
                p.x[512 + random_below(&random, 512)] = bad[i];
                run_linear(&subject, &p, p.x, NULL, 3, y);
                for (int j = 0; j < 3 * 19; j++)
                    assert_true(!isfinite(y[j]) == (j / 19 == 1));
                floats_free(y, 3 * 19);
                drop_problem(&p);
            }
        subject_close(&subject);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_matches_the_product_for_all_types_and_odd_shapes),
        cmocka_unit_test(linear_does_not_overflow_on_the_largest_quants),
        cmocka_unit_test(fused_products_equal_their_separate_parts),
        cmocka_unit_test(logits_use_the_indexed_rows),
        cmocka_unit_test(every_mxfp4_exponent_scales_by_its_power_of_two),
        cmocka_unit_test(every_nvfp4_scale_is_read_as_its_definition_says),
        cmocka_unit_test(logits_are_scaled_before_they_are_capped),
        cmocka_unit_test(embedding_scales_its_rows),
        cmocka_unit_test(embedding_finds_the_nth_of_several_rows_of_a_token),
        cmocka_unit_test(embedding_decodes_the_rows_of_its_tokens),
        cmocka_unit_test(batch_and_thread_count_do_not_change_a_bit_of_a_token),
        cmocka_unit_test(plain_weights_need_no_alignment),
        cmocka_unit_test(packed_weights_give_the_same_bits_on_every_isa),
        cmocka_unit_test(a_row_has_the_same_bits_however_many_there_are),
        cmocka_unit_test(one_token_has_the_same_bits_in_rows_of_many_columns),
        cmocka_unit_test(no_tokens_write_nothing_and_zeros_give_the_bias),
        cmocka_unit_test(a_non_finite_token_stays_so_and_spoils_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
