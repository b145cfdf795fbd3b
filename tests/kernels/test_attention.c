// tests/kernels/test_attention.c — the paged cache: what is written, what attention sees.
#include "tests/kernels/subjects.h"

enum { SEED = 77201, MAX_SEQS = 5, LAYERS = 2, LAYER = 1 };

// Of 1 and the value, whichever is more; of FP8 and INT8 half a step at the top of a head's range,
// which norms make as large as 5.
static const double type_error[] = {[DTYPE_F32] = 2e-6,
                                    [DTYPE_F16] = 6e-4,
                                    [DTYPE_BF16] = 5e-3,
                                    [DTYPE_FP8] = 0.07,
                                    [DTYPE_INT8] = 0.03};

// A batch over a cache with random tables; all arrays owned.
struct scene {
    struct kv_cache cache;
    struct batch batch;
    size_t cache_bytes;
    int32_t num_heads;
    int32_t *cu_seqlens_q, *seq_lens_kv, *block_table, *positions;
    int64_t *slot_mapping;
    float *q, *out; // [num_tokens, num_heads, head_size]
    size_t count;   // of q
    float softcap;
    int32_t window;
    const float *sinks;
};

static void *ints(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static int64_t slot_of(const struct scene *s, int32_t sequence, int32_t key) {
    const int32_t size = s->cache.block_size;
    const int32_t block = s->block_table[sequence * s->batch.max_blocks_per_seq + key / size];
    return (int64_t)block * size + key % size;
}

// Blocks in random order, no two alike.
static void shuffle_tables(struct scene *s, uint64_t *random) {
    const int32_t blocks = (int32_t)s->cache.num_blocks;
    int32_t *order = ints((size_t)blocks, sizeof *order), next = 0;
    for (int32_t i = 0; i < blocks; i++) {
        const int32_t j = random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int32_t q = 0; q < s->batch.num_seqs; q++)
        for (int32_t i = 0; i * s->cache.block_size < s->seq_lens_kv[q]; i++)
            s->block_table[q * s->batch.max_blocks_per_seq + i] = order[next++];
    free(order);
}

static void place_tokens(struct scene *s) {
    for (int32_t q = 0; q < s->batch.num_seqs; q++)
        for (int32_t t = s->cu_seqlens_q[q]; t < s->cu_seqlens_q[q + 1]; t++) {
            s->positions[t] = s->seq_lens_kv[q] - s->cu_seqlens_q[q + 1] + t;
            s->slot_mapping[t] = slot_of(s, q, s->positions[t]);
        }
}

static char *kv_at(const struct scene *s, int64_t slot, int32_t layer, size_t plane, int32_t head) {
    const struct kv_cache *c = &s->cache;
    const size_t block = (size_t)(slot / c->block_size), key = (size_t)(slot % c->block_size);
    size_t row = (size_t)layer; // the layout of kv_cache.h, index by index
    row = c->latent ? row : row * 2 + plane;
    row = row * (size_t)c->num_kv_heads + (size_t)head;
    row = row * (size_t)c->block_size + key;
    return (char *)c->data + block * kv_block_bytes(c) +
           row * dtype_row_bytes(c->type, c->head_size);
}

// The scale of a head of a key: after all planes, by planes, heads and keys.
static char *scale_of(const struct scene *s, int64_t slot, int32_t layer, size_t plane,
                      int32_t head) {
    const struct kv_cache *c = &s->cache;
    const size_t block = (size_t)(slot / c->block_size), key = (size_t)(slot % c->block_size);
    const size_t heads = (size_t)c->num_kv_heads, size = (size_t)c->block_size;
    const size_t both = c->latent ? 1 : 2;
    const size_t planes = LAYERS * both * heads * size * (size_t)c->head_size;
    const size_t scales = LAYERS * both * heads * size * 2;
    const size_t nth = ((size_t)layer * both + (c->latent ? 0 : plane)) * heads + (size_t)head;
    return (char *)c->data + block * (planes + scales) + planes + (nth * size + key) * 2;
}

static int32_t first_seen(const struct scene *s, int32_t position) {
    return s->window > 0 && position >= s->window ? position - s->window + 1 : 0;
}

// A head of a key as it is kept.
static void read_head(const struct scene *s, int64_t slot, size_t plane, int32_t head,
                      float *values) {
    const size_t size = (size_t)s->cache.head_size;
    dtype_to_float(s->cache.type, kv_at(s, slot, LAYER, plane, head), values, size);
    if (!kv_is_scaled(s->cache.type)) return;
    bf16 scale;
    memcpy(&scale, scale_of(s, slot, LAYER, plane, head), sizeof scale);
    for (size_t i = 0; i < size; i++)
        values[i] *= bf16_to_float(scale);
}

static void fill_head(const struct scene *s, int64_t slot, size_t plane, int32_t head,
                      uint64_t *random) {
    const enum dtype type = s->cache.type;
    uint8_t *elements = (uint8_t *)kv_at(s, slot, LAYER, plane, head);
    if (!kv_is_scaled(type)) {
        dtype_fill_random(type, elements, (size_t)s->cache.head_size, 1,
                          (uint64_t)random_below(random, 1 << 30));
        return;
    }
    const bf16 scale = random_elements(type, elements, s->cache.head_size, random);
    memcpy(scale_of(s, slot, LAYER, plane, head), &scale, sizeof scale);
}

// Every slot in which no key lies that a query sees stays poison: a NaN that reaches a result is
// found.
static void fill_cache(struct scene *s, uint64_t *random) {
    for (int32_t q = 0; q < s->batch.num_seqs; q++)
        for (int32_t key =
                 first_seen(s, s->seq_lens_kv[q] - s->cu_seqlens_q[q + 1] + s->cu_seqlens_q[q]);
             key < s->seq_lens_kv[q]; key++)
            for (int32_t h = 0; h < s->cache.num_kv_heads; h++)
                for (size_t plane = 0; plane < (s->cache.latent ? 1 : 2); plane++)
                    fill_head(s, slot_of(s, q, key), plane, h, random);
}

struct shape {
    enum dtype type;
    int32_t kv_heads, group, head_size, block_size;
    int32_t seqs, lengths[MAX_SEQS][2]; // past, new
    bool latent;
};

static void scene_attach(struct scene *s) {
    s->batch.cu_seqlens_q = s->cu_seqlens_q;
    s->batch.seq_lens_kv = s->seq_lens_kv;
    s->batch.block_table = s->block_table;
    s->batch.positions = s->positions;
    s->batch.slot_mapping = s->slot_mapping;
}

static struct scene scene_make(const struct shape *shape, uint64_t *random) {
    struct scene s = {.num_heads = shape->kv_heads * shape->group};
    int32_t most = 0, blocks = 3, tokens = 0;
    s.cu_seqlens_q = ints(MAX_SEQS + 1, sizeof *s.cu_seqlens_q);
    s.seq_lens_kv = ints(MAX_SEQS, sizeof *s.seq_lens_kv);
    for (int32_t q = 0; q < shape->seqs; q++) {
        const int32_t length = shape->lengths[q][0] + shape->lengths[q][1];
        const int32_t needed = (length + shape->block_size - 1) / shape->block_size;
        s.seq_lens_kv[q] = length;
        s.cu_seqlens_q[q + 1] = tokens += shape->lengths[q][1];
        most = needed > most ? needed : most;
        blocks += needed;
    }
    s.batch = (struct batch){
        .num_seqs = shape->seqs, .num_tokens = tokens, .max_blocks_per_seq = most + 1};
    s.block_table = ints((size_t)(MAX_SEQS * (most + 1)), sizeof *s.block_table);
    s.positions = ints((size_t)tokens, sizeof *s.positions);
    s.slot_mapping = ints((size_t)tokens, sizeof *s.slot_mapping);
    s.cache = (struct kv_cache){.type = shape->type,
                                .num_layers = LAYERS,
                                .num_kv_heads = shape->kv_heads,
                                .head_size = shape->head_size,
                                .block_size = shape->block_size,
                                .num_blocks = (uint32_t)blocks,
                                .latent = shape->latent};
    s.cache_bytes = (size_t)blocks * kv_block_bytes(&s.cache);
    s.cache.data = guarded_alloc(s.cache_bytes);
    s.count = (size_t)tokens * (size_t)s.num_heads * (size_t)shape->head_size;
    s.q = random_floats(random, s.count);
    s.out = floats_alloc(s.count);
    shuffle_tables(&s, random);
    place_tokens(&s);
    scene_attach(&s);
    return s;
}

static void scene_drop(struct scene *s) {
    guarded_free(s->cache.data, s->cache_bytes);
    floats_free(s->q, s->count);
    floats_free(s->out, s->count);
    free(s->cu_seqlens_q);
    free(s->seq_lens_kv);
    free(s->block_table);
    free(s->positions);
    free(s->slot_mapping);
}

static struct paged_attention attention_args(const struct scene *s, const struct batch *batch,
                                             const float *q, float *out) {
    return (struct paged_attention){.out = out,
                                    .q = q,
                                    .num_heads = s->num_heads,
                                    .layer = LAYER,
                                    .scale = 0.7F,
                                    .softcap = s->softcap,
                                    .window = s->window,
                                    .sinks = s->sinks,
                                    .cache = &s->cache,
                                    .batch = batch};
}

static void run_attention(const struct subject *subject, const struct scene *s,
                          const struct batch *batch, const float *q, float *out) {
    const struct paged_attention args = attention_args(s, batch, q, out);
    subject->backend->paged_attention(subject->device, &args);
    assert_int_equal(subject->backend->sync(subject->device), STATUS_OK);
}

enum { MOST_KEYS = 512, MOST_SIZE = 576 };

static void expect_softmax(const struct subject *subject, const struct scene *s, int32_t sequence,
                           int32_t t, int32_t head) {
    static float k[MOST_KEYS][MOST_SIZE], v[MOST_KEYS][MOST_SIZE];
    static double weight[MOST_KEYS];
    const int32_t size = s->cache.head_size, keys = s->positions[t] + 1;
    const int32_t kv_head = head / (s->num_heads / s->cache.num_kv_heads);
    const size_t at = ((size_t)t * (size_t)s->num_heads + (size_t)head) * (size_t)size;
    const int32_t first = first_seen(s, s->positions[t]);
    double highest = -INFINITY, sum = 0;
    if (s->sinks) highest = (double)s->sinks[head];
    for (int32_t j = first; j < keys; j++) {
        const int64_t slot = slot_of(s, sequence, j);
        read_head(s, slot, 0, kv_head, k[j]);
        read_head(s, slot, 1, kv_head, v[j]);
        weight[j] = 0;
        for (int32_t i = 0; i < size; i++)
            weight[j] += (double)s->q[at + (size_t)i] * (double)k[j][i] * (double)0.7F;
        if (s->softcap > 0) weight[j] = (double)s->softcap * tanh(weight[j] / (double)s->softcap);
        highest = fmax(highest, weight[j]);
    }
    if (s->sinks) sum = exp((double)s->sinks[head] - highest);
    for (int32_t j = first; j < keys; j++)
        sum += weight[j] = exp(weight[j] - highest);
    for (int32_t i = 0; i < size; i++) {
        double expected = 0;
        for (int32_t j = first; j < keys; j++)
            expected += weight[j] / sum * (double)v[j][i];
        const double got = (double)s->out[at + (size_t)i];
        // A matrix unit rounds weights to bf16, and each is within 2^-9.
        if (!(fabs(got - expected) <= (subject->splits ? 4e-3 : 2e-5)))
            fail_msg("%s: sequence %d, token %d, head %d: %g, not %g", subject_name(subject),
                     sequence, t, head, got, expected);
    }
}

struct feature {
    float softcap;
    int32_t window;
    bool has_sinks;
};

static void scene_set(struct scene *s, const struct feature *feature, const float *sinks) {
    s->softcap = feature->softcap;
    s->window = feature->window;
    s->sinks = feature->has_sinks ? sinks : NULL;
}

static void check_attention(const struct subject *subject, const struct shape *shape,
                            const struct feature *feature, uint64_t *random) {
    enum { MOST_HEADS = 40 };
    struct scene s = scene_make(shape, random);
    float *sinks = random_floats(random, MOST_HEADS);
    scene_set(&s, feature, sinks);
    fill_cache(&s, random);
    run_attention(subject, &s, &s.batch, s.q, s.out);
    for (int32_t q = 0; q < s.batch.num_seqs; q++)
        for (int32_t t = s.cu_seqlens_q[q]; t < s.cu_seqlens_q[q + 1]; t++)
            for (int32_t h = 0; h < s.num_heads; h++)
                expect_softmax(subject, &s, q, t, h);
    floats_free(sinks, MOST_HEADS);
    scene_drop(&s);
}

static const struct shape shapes[] = {
    {DTYPE_F32, 1, 1, 8, 16, 1, {{0, 1}}, false},
    {DTYPE_F16, 2, 2, 64, 16, 3, {{5, 1}, {0, 40}, {31, 1}}, false},
    {DTYPE_BF16, 1, 5, 80, 8, 2, {{64, 3}, {33, 32}}, false},
    {DTYPE_F32, 3, 1, 20, 5, 4, {{0, 1}, {17, 9}, {40, 1}, {63, 1}}, false},
    {DTYPE_F16, 1, 8, 128, 32, 2, {{200, 1}, {0, 70}}, false},
    {DTYPE_BF16, 2, 3, 13, 16, 5, {{0, 7}, {95, 1}, {32, 1}, {1, 1}, {30, 35}}, false},
    {DTYPE_F32, 1, 40, 32, 1, 1, {{3, 6}}, false},
    {DTYPE_F16, 1, 2, 256, 16, 1, {{100, 33}}, false},
    {DTYPE_F16, 4, 2, 96, 16, 2, {{70, 37}, {0, 5}}, false},
    {DTYPE_BF16, 2, 2, 64, 16, 2, {{0, 45}, {77, 20}}, false},
    {DTYPE_F16, 1, 3, 64, 16, 3, {{21, 70}, {0, 33}, {30, 9}}, false},
    {DTYPE_INT8, 2, 1, 32, 16, 2, {{11, 90}, {48, 80}}, false},
    {DTYPE_FP8, 2, 4, 128, 16, 3, {{130, 1}, {0, 40}, {31, 9}}, false},
    {DTYPE_INT8, 2, 4, 128, 16, 3, {{130, 1}, {0, 40}, {31, 9}}, false},
    {DTYPE_FP8, 3, 1, 13, 8, 2, {{64, 3}, {33, 32}}, false},
    {DTYPE_INT8, 3, 1, 20, 5, 4, {{0, 1}, {17, 9}, {40, 1}, {63, 1}}, false},
    {DTYPE_FP8, 1, 2, 256, 32, 2, {{100, 33}, {0, 1}}, false},
    {DTYPE_INT8, 1, 5, 96, 32, 2, {{70, 37}, {0, 5}}, false},
    {DTYPE_F16, 1, 16, 576, 16, 3, {{45, 1}, {0, 9}, {31, 1}}, true},
    {DTYPE_F32, 1, 40, 40, 16, 2, {{5, 1}, {33, 7}}, true},
    {DTYPE_FP8, 1, 20, 72, 8, 2, {{64, 3}, {33, 1}}, true},
    {DTYPE_INT8, 1, 4, 96, 32, 2, {{70, 37}, {0, 5}}, true},
};

static const struct feature plain,
    features[] = {
        {0, 1, false}, {0, 33, false}, {0, 64, true}, {0.5F, 0, false}, {0, 0, true}, {3, 20, true},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0], FEATURES = sizeof features / sizeof features[0] };

static void attention_is_a_softmax_over_the_visible_pages(void **state) {
    (void)state;
    uint64_t random = SEED;
    printf("seed %d\n", SEED);
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (int i = 0; i < SHAPES; i++)
            if (CHECK_SHOWS_THREADS(which + i))
                check_attention(&subject, &shapes[i], &plain, &random);
        subject_close(&subject);
    }
}

static void window_cap_and_sinks_change_the_softmax_as_defined(void **state) {
    (void)state;
    uint64_t random = SEED + 5;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (int i = 0; i < SHAPES; i++)
            for (int f = 0; f < FEATURES; f++)
                if (CHECK_TAKES(which + i + f))
                    check_attention(&subject, &shapes[i], &features[f], &random);
        subject_close(&subject);
    }
}

// Queries from token t on that may be attended alone: one, but a matrix unit keeps 16 aligned
// positions together where the sequence has them all.
static int32_t queries_together(const struct scene *s, int which, int32_t t, int32_t end) {
    const bool whole = s->positions[t] % 16 == 0 && t + 16 <= end;
    return which == SUBJECT_SPLITS && whole ? 16 : 1;
}

// The same sequences batched, and cut as small as they may be: batched, chunked and alone.
static void batching_and_chunking_do_not_change_a_bit_of_a_query(void **state) {
    (void)state;
    uint64_t random = SEED + 1;
    for (int which = 0; which < SUBJECTS; which++)
        for (int i = 0; i < SHAPES; i++) {
            struct subject subject, single;
            if (!CHECK_SHOWS_THREADS(which + i)) continue;
            if (!subject_open(&subject, which, 1 + i % 3)) continue;
            assert_true(subject_open(&single, which, 1));
            struct scene s = scene_make(&shapes[i], &random);
            s.window = i % 2 ? 40 : 0;
            fill_cache(&s, &random);
            run_attention(&subject, &s, &s.batch, s.q, s.out);
            const size_t row = (size_t)s.num_heads * (size_t)s.cache.head_size;
            float *one = floats_alloc(16 * row);
            for (int32_t q = 0; q < s.batch.num_seqs; q++)
                for (int32_t t = s.cu_seqlens_q[q], n; t < s.cu_seqlens_q[q + 1]; t += n) {
                    n = queries_together(&s, which, t, s.cu_seqlens_q[q + 1]);
                    const int32_t start[] = {0, n}, keys = s.positions[t] + n;
                    struct batch batch = s.batch;
                    batch.num_seqs = 1;
                    batch.num_tokens = n;
                    batch.cu_seqlens_q = start;
                    batch.seq_lens_kv = &keys;
                    batch.block_table = s.block_table + q * batch.max_blocks_per_seq;
                    run_attention(&single, &s, &batch, s.q + (size_t)t * row, one);
                    assert_memory_equal(one, s.out + (size_t)t * row,
                                        (size_t)n * row * sizeof *one);
                }
            floats_free(one, 16 * row);
            scene_drop(&s);
            subject_close(&single);
            subject_close(&subject);
        }
}

// Moves all keys from random blocks of `from` to blocks side by side, of another size.
static void check_contiguous(const struct subject *subject, enum dtype type, uint64_t *random) {
    struct shape paged = {type, 2, 2, 64, 16, 2, {{70, 9}, {33, 1}}, false}, whole = paged;
    whole.block_size = 128;
    struct scene s = scene_make(&paged, random), c = scene_make(&whole, random);
    const size_t row = dtype_row_bytes(type, 64);
    fill_cache(&s, random);
    for (int32_t q = 0; q < 2; q++)
        for (int32_t key = 0; key < s.seq_lens_kv[q]; key++)
            for (int32_t h = 0; h < 2; h++)
                for (size_t plane = 0; plane < 2; plane++) {
                    const int64_t from = slot_of(&s, q, key), to = slot_of(&c, q, key);
                    memcpy(kv_at(&c, to, LAYER, plane, h), kv_at(&s, from, LAYER, plane, h), row);
                    if (!kv_is_scaled(type)) continue;
                    memcpy(scale_of(&c, to, LAYER, plane, h), scale_of(&s, from, LAYER, plane, h),
                           sizeof(bf16));
                }
    run_attention(subject, &s, &s.batch, s.q, s.out);
    run_attention(subject, &c, &c.batch, s.q, c.out);
    assert_memory_equal(s.out, c.out, s.count * sizeof *s.out);
    scene_drop(&s);
    scene_drop(&c);
}

static void paged_attention_equals_contiguous_attention_bit_for_bit(void **state) {
    (void)state;
    uint64_t random = SEED + 2;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        check_contiguous(&subject, DTYPE_F16, &random);
        check_contiguous(&subject, DTYPE_FP8, &random);
        check_contiguous(&subject, DTYPE_INT8, &random);
        subject_close(&subject);
    }
}

struct rope_case {
    int32_t rotary;
    bool interleaved, norm, norm_last;
    float magnitude;
};

struct rope_input {
    float *q, *k, *v, *q_norm, *k_norm, *inv_freq;
    size_t q_count, kv_count, size;
};

static struct rope_input rope_input_make(const struct scene *s, uint64_t *random) {
    struct rope_input in = {.q_count = s->count, .size = (size_t)s->cache.head_size};
    in.kv_count = in.q_count / (size_t)s->num_heads * (size_t)s->cache.num_kv_heads;
    in.q = random_floats(random, in.q_count);
    in.k = random_floats(random, in.kv_count);
    in.v = random_floats(random, in.kv_count);
    in.q_norm = random_floats(random, in.size);
    in.k_norm = random_floats(random, in.size);
    in.inv_freq = random_floats(random, in.size);
    return in;
}

static void rope_input_drop(struct rope_input *in) {
    floats_free(in->q, in->q_count);
    floats_free(in->k, in->kv_count);
    floats_free(in->v, in->kv_count);
    floats_free(in->q_norm, in->size);
    floats_free(in->k_norm, in->size);
    floats_free(in->inv_freq, in->size);
}

static void expect_norm(const struct rope_input *in, const float *norm, double *head) {
    double squares = 0;
    for (size_t i = 0; i < in->size; i++)
        squares += head[i] * head[i];
    for (size_t i = 0; i < in->size; i++)
        head[i] *= (double)norm[i] / sqrt(squares / (double)in->size + 1e-6);
}

static void expect_head(const struct rope_case *c, const struct rope_input *in, const float *before,
                        const float *norm, int32_t position, double *expected) {
    for (size_t i = 0; i < in->size; i++)
        expected[i] = (double)before[i];
    if (c->norm && !c->norm_last) expect_norm(in, norm, expected);
    for (int32_t p = 0; p < c->rotary / 2; p++) {
        const float angle = (float)position * in->inv_freq[p];
        const int32_t a = c->interleaved ? 2 * p : p;
        const int32_t b = c->interleaved ? 2 * p + 1 : p + c->rotary / 2;
        const double x = expected[a], y = expected[b];
        const double cosine = cos((double)angle) * (double)c->magnitude;
        const double sine = sin((double)angle) * (double)c->magnitude;
        expected[a] = x * cosine - y * sine;
        expected[b] = x * sine + y * cosine;
    }
    if (c->norm && c->norm_last) expect_norm(in, norm, expected);
}

static void expect_close(const float *got, const double *expected, size_t size, double error) {
    for (size_t i = 0; i < size; i++)
        if (!(fabs((double)got[i] - expected[i]) <= error * (1 + fabs(expected[i]))))
            fail_msg("element %zu: %g, not %g", i, (double)got[i], expected[i]);
}

static struct rope_and_cache rope_args(const struct scene *s, const struct rope_case *c,
                                       const struct rope_input *in, float *q, float *k) {
    return (struct rope_and_cache){.q = q,
                                   .k = k,
                                   .v = s->cache.latent ? NULL : in->v,
                                   .q_norm = c->norm ? in->q_norm : NULL,
                                   .k_norm = c->norm ? in->k_norm : NULL,
                                   .inv_freq = in->inv_freq,
                                   .eps = 1e-6F,
                                   .magnitude = c->magnitude,
                                   .interleaved = c->interleaved,
                                   .norm_last = c->norm_last,
                                   .rotary = c->rotary,
                                   .num_heads = s->num_heads,
                                   .layer = LAYER,
                                   .cache = &s->cache,
                                   .batch = &s->batch};
}

static void run_rope(const struct subject *subject, const struct scene *s,
                     const struct rope_case *c, const struct rope_input *in, float *q, float *k) {
    const struct rope_and_cache args = rope_args(s, c, in, q, k);
    subject->backend->rope_and_cache(subject->device, &args);
}

static void check_written(const struct scene *s, const struct rope_case *c,
                          const struct rope_input *in, int32_t t) {
    double expected[MOST_SIZE];
    float got[MOST_SIZE];
    for (int32_t h = 0; h < s->cache.num_kv_heads; h++) {
        const size_t at = ((size_t)t * (size_t)s->cache.num_kv_heads + (size_t)h) * in->size;
        const double error = type_error[s->cache.type];
        expect_head(c, in, in->k + at, in->k_norm, s->positions[t], expected);
        read_head(s, s->slot_mapping[t], 0, h, got);
        expect_close(got, expected, in->size, error);
        for (size_t i = 0; i < in->size && !s->cache.latent; i++)
            expected[i] = (double)in->v[at + i];
        read_head(s, s->slot_mapping[t], 1, h, got);
        expect_close(got, expected, in->size, error);
    }
}

// Bytes of the cache that are still poison.
static size_t untouched(const struct scene *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->cache_bytes; i++)
        count += ((const uint8_t *)s->cache.data)[i] == 0xFF;
    return count;
}

static void check_rope(const struct subject *subject, const struct shape *shape,
                       const struct rope_case *c, uint64_t *random) {
    struct scene s = scene_make(shape, random);
    struct rope_input in = rope_input_make(&s, random);
    float *q = floats_alloc(in.q_count), *k = floats_alloc(in.kv_count);
    double expected[MOST_SIZE];
    memcpy(q, in.q, in.q_count * sizeof *q);
    memcpy(k, in.k, in.kv_count * sizeof *k);
    run_rope(subject, &s, c, &in, q, k);
    for (int32_t t = 0; t < s.batch.num_tokens; t++) {
        for (int32_t h = 0; h < s.num_heads; h++) {
            const size_t at = ((size_t)t * (size_t)s.num_heads + (size_t)h) * in.size;
            expect_head(c, &in, in.q + at, in.q_norm, s.positions[t], expected);
            expect_close(q + at, expected, in.size, 2e-6);
        }
        check_written(&s, c, &in, t);
    }
    const size_t scales = kv_is_scaled(s.cache.type) ? in.kv_count / in.size * sizeof(bf16) : 0;
    const size_t written =
        (shape->latent ? 1 : 2) * (in.kv_count * dtype_row_bytes(s.cache.type, 1) + scales);
    assert_true(untouched(&s) >= s.cache_bytes - written);
    floats_free(q, in.q_count);
    floats_free(k, in.kv_count);
    rope_input_drop(&in);
    scene_drop(&s);
}

static void rope_rotates_heads_and_writes_only_their_slots(void **state) {
    (void)state;
    uint64_t random = SEED + 3;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (int i = 0; i < SHAPES; i++)
            for (int variant = 0; variant < 8; variant++) {
                const int32_t even = shapes[i].head_size / 2 * 2;
                const int32_t rotaries[] = {even, even, even, even, 4, 0, even, 4};
                const struct rope_case c = {.rotary = rotaries[variant],
                                            .interleaved = variant % 2 == 1,
                                            .norm = variant / 2 % 2 == 1,
                                            .norm_last = variant >= 6,
                                            .magnitude = variant == 3 ? 1.2F : 1};
                check_rope(&subject, &shapes[i], &c, &random);
            }
        subject_close(&subject);
    }
}

static void check_rope_of_queries(const struct subject *subject, const struct shape *shape,
                                  uint64_t *random) {
    struct scene s = scene_make(shape, random);
    struct rope_input in = rope_input_make(&s, random);
    const struct rope_case c = {.rotary = 4, .norm = true, .magnitude = 1};
    const size_t poison = untouched(&s);
    float *q = floats_alloc(in.q_count), *v = in.v;
    double expected[MOST_SIZE];
    memcpy(q, in.q, in.q_count * sizeof *q);
    in.v = NULL;
    run_rope(subject, &s, &c, &in, q, NULL);
    in.v = v;
    for (int32_t t = 0; t < s.batch.num_tokens; t++)
        for (int32_t h = 0; h < s.num_heads; h++) {
            const size_t at = ((size_t)t * (size_t)s.num_heads + (size_t)h) * in.size;
            expect_head(&c, &in, in.q + at, in.q_norm, s.positions[t], expected);
            expect_close(q + at, expected, in.size, 2e-6);
        }
    assert_true(untouched(&s) == poison);
    floats_free(q, in.q_count);
    rope_input_drop(&in);
    scene_drop(&s);
}

static void rope_without_keys_rotates_only_queries(void **state) {
    (void)state;
    uint64_t random = SEED + 31;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (int i = 0; i < SHAPES; i++)
            check_rope_of_queries(&subject, &shapes[i], &random);
        subject_close(&subject);
    }
}

static void check_both(const struct subject *subject, const struct shape *shape, uint64_t *random) {
    struct scene s = scene_make(shape, random);
    struct rope_input in = rope_input_make(&s, random);
    const struct rope_case c = {.rotary = 4, .norm = true, .magnitude = 1};
    const size_t out_bytes = s.count * sizeof *s.out;
    float *q = floats_alloc(in.q_count), *k = floats_alloc(in.kv_count);
    float *expected = floats_alloc(s.count);
    char *before = guarded_alloc(s.cache_bytes), *after = guarded_alloc(s.cache_bytes);
    memcpy(q, in.q, in.q_count * sizeof *q);
    memcpy(k, in.k, in.kv_count * sizeof *k);
    s.window = 20;
    fill_cache(&s, random);
    memcpy(before, s.cache.data, s.cache_bytes);
    run_rope(subject, &s, &c, &in, q, k);
    run_attention(subject, &s, &s.batch, q, expected);
    memcpy(after, s.cache.data, s.cache_bytes);

    memcpy(s.cache.data, before, s.cache_bytes);
    const struct attention args = {rope_args(&s, &c, &in, in.q, in.k),
                                   attention_args(&s, &s.batch, in.q, s.out)};
    subject->backend->attention(subject->device, &args);
    assert_int_equal(subject->backend->sync(subject->device), STATUS_OK);
    assert_memory_equal(s.out, expected, out_bytes);
    assert_memory_equal(s.cache.data, after, s.cache_bytes);
    assert_memory_not_equal(before, after, s.cache_bytes);
    guarded_free(before, s.cache_bytes);
    guarded_free(after, s.cache_bytes);
    floats_free(expected, s.count);
    floats_free(q, in.q_count);
    floats_free(k, in.kv_count);
    rope_input_drop(&in);
    scene_drop(&s);
}

static void fused_attention_equals_rope_then_paged_attention(void **state) {
    (void)state;
    uint64_t random = SEED + 6;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (int i = 0; i < SHAPES; i++)
            check_both(&subject, &shapes[i], &random);
        subject_close(&subject);
    }
}

static void the_thread_count_does_not_change_a_cached_token(void **state) {
    (void)state;
    const struct shape *shape = &shapes[5];
    const struct rope_case c = {.rotary = 12, .norm = true, .magnitude = 1};
    for (int which = 0; which < SUBJECTS; which++) {
        float *first = NULL;
        for (int32_t threads = 1; threads <= 3; threads++) {
            struct subject subject;
            uint64_t random = SEED + 4;
            if (!subject_open(&subject, which, threads)) continue;
            struct scene s = scene_make(shape, &random);
            struct rope_input in = rope_input_make(&s, &random);
            run_rope(&subject, &s, &c, &in, in.q, in.k);
            if (!first) {
                first = floats_alloc(in.q_count);
                memcpy(first, in.q, in.q_count * sizeof *first);
            }
            assert_memory_equal(first, in.q, in.q_count * sizeof *first);
            if (threads == 3) floats_free(first, in.q_count);
            rope_input_drop(&in);
            scene_drop(&s);
            subject_close(&subject);
        }
    }
}

// Where packed pages have what rows have at kv_at(...)[d]: the layout of backend.h, by its indices.
static char *packed_at(const struct scene *s, void *pages, int64_t slot, int32_t layer,
                       size_t plane, int32_t head, size_t d) {
    const struct kv_cache *c = &s->cache;
    const size_t bytes = dtype_row_bytes(c->type, 1), x = 16 / bytes;
    const size_t block_size = (size_t)c->block_size, size = (size_t)c->head_size;
    const size_t block = (size_t)slot / block_size, key = (size_t)slot % block_size;
    char *extent = (char *)pages + block * kv_block_bytes(c);
    size_t row = ((size_t)layer * 2 + plane) * (size_t)c->num_kv_heads;
    row += (size_t)head;
    if (plane == 1) return extent + ((row * size + d) * block_size + key) * bytes;
    return extent + (((row * (size / x) + d / x) * block_size + key) * x + d % x) * bytes;
}

// Every element of a cache of rows, used or not, has its place in packed pages, and scales lie in
// the same ones.
static void pack(const struct scene *s, void *pages) {
    memcpy(pages, s->cache.data, s->cache_bytes);
    const size_t bytes = dtype_row_bytes(s->cache.type, 1);
    const int64_t slots = (int64_t)s->cache.num_blocks * s->cache.block_size;
    for (int64_t slot = 0; slot < slots; slot++)
        for (int32_t layer = 0; layer < LAYERS; layer++)
            for (size_t plane = 0; plane < 2; plane++)
                for (int32_t h = 0; h < s->cache.num_kv_heads; h++)
                    for (size_t d = 0; d < (size_t)s->cache.head_size; d++)
                        memcpy(packed_at(s, pages, slot, layer, plane, h, d),
                               kv_at(s, slot, layer, plane, h) + d * bytes, bytes);
}

static void check_packed(const struct subject *subject, const struct shape *shape,
                         uint64_t *random) {
    struct scene rows = scene_make(shape, random), packed = rows;
    const size_t out_bytes = rows.count * sizeof *rows.out;
    float *of_rows = floats_alloc(rows.count);
    char *expected = guarded_alloc(rows.cache_bytes);
    struct rope_input in = rope_input_make(&rows, random);
    const struct rope_case c = {.rotary = shape->head_size, .magnitude = 1};
    packed.cache.layout = KV_LAYOUT_PACKED;
    packed.cache.data = guarded_alloc(rows.cache_bytes);
    float *k = floats_alloc(in.kv_count); // rope_and_cache spoils its k
    memcpy(k, in.k, in.kv_count * sizeof *k);
    run_rope(subject, &rows, &c, &in, in.q, in.k);
    run_rope(subject, &packed, &c, &in, in.q, k);
    pack(&rows, expected);
    assert_memory_equal(packed.cache.data, expected, rows.cache_bytes);

    fill_cache(&rows, random);
    pack(&rows, packed.cache.data);
    run_attention(subject, &rows, &rows.batch, rows.q, rows.out);
    memcpy(of_rows, rows.out, out_bytes);
    memset(rows.out, 0xFF, out_bytes);
    run_attention(subject, &packed, &packed.batch, packed.q, packed.out);
    assert_memory_equal(of_rows, packed.out, out_bytes);

    floats_free(k, in.kv_count);
    floats_free(of_rows, rows.count);
    guarded_free(expected, rows.cache_bytes);
    guarded_free(packed.cache.data, rows.cache_bytes);
    rope_input_drop(&in);
    scene_drop(&rows);
}

static void packed_pages_match_rows_bit_for_bit(void **state) {
    (void)state;
    uint64_t random = SEED + 5;
    struct subject subject;
    int checked = 0;
    assert_true(subject_open(&subject, SUBJECT_REFERENCE, 1)); // the cpu backend has rows only
    for (int i = 0; i < SHAPES; i++) {
        if (dtype_row_bytes(shapes[i].type, shapes[i].head_size) % 16 || shapes[i].latent) continue;
        check_packed(&subject, &shapes[i], &random);
        checked++;
    }
    assert_true(checked >= 5);
    subject_close(&subject);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_is_a_softmax_over_the_visible_pages),
        cmocka_unit_test(window_cap_and_sinks_change_the_softmax_as_defined),
        cmocka_unit_test(batching_and_chunking_do_not_change_a_bit_of_a_query),
        cmocka_unit_test(paged_attention_equals_contiguous_attention_bit_for_bit),
        cmocka_unit_test(rope_without_keys_rotates_only_queries),
        cmocka_unit_test(rope_rotates_heads_and_writes_only_their_slots),
        cmocka_unit_test(fused_attention_equals_rope_then_paged_attention),
        cmocka_unit_test(the_thread_count_does_not_change_a_cached_token),
        cmocka_unit_test(packed_pages_match_rows_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
