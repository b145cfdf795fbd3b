// tests/kernels/test_recurrence.c — a recurrent layer over sequences that are cut anyhow.
#include "tests/kernels/subjects.h"

enum { SEED = 433, BLOCK = 8, BLOCKS = 40, LAYERS = 2, SEQS = 3, TOKENS = 60, TABLE = 16 };
enum { QKV, Z, ALPHA, BETA, INPUTS };
enum { WEIGHTS = 5 };

struct sequence {
    float *inputs[INPUTS]; // [TOKENS, width of each]
    float *out;            // [TOKENS, value_heads * value_size]
    int32_t done;
    int32_t table[TABLE];
};

struct scene {
    const struct subject *subject;
    struct kv_cache cache;
    struct recurrence args; // what does not change
    struct sequence seqs[SEQS];
    float *weights[WEIGHTS];
    size_t counts[WEIGHTS];
};

static size_t width_of(const struct scene *scene, int input) {
    const struct recurrence *args = &scene->args;
    if (input == QKV) return (size_t)recurrence_channels(args);
    return (size_t)args->value_heads * (input == Z ? (size_t)args->value_size : 1);
}

// One call with up to `most` further tokens of each sequence that has some left.
static int32_t advance_scene(struct scene *scene, int32_t most, uint64_t *random) {
    int32_t cu[SEQS + 1] = {0}, lengths[SEQS], tables[SEQS][TABLE], which[SEQS], count = 0;
    float *rows[INPUTS];
    for (int i = 0; i < INPUTS; i++)
        rows[i] = floats_alloc((size_t)SEQS * TOKENS * width_of(scene, i));
    for (int32_t s = 0; s < SEQS; s++) {
        struct sequence *seq = &scene->seqs[s];
        const int32_t left = TOKENS - 7 * s - seq->done;
        const int32_t chunk = 1 + random_below(random, most), add = chunk < left ? chunk : left;
        if (add == 0) continue;
        for (int i = 0; i < INPUTS; i++) {
            const size_t width = width_of(scene, i);
            memcpy(rows[i] + (size_t)cu[count] * width, seq->inputs[i] + (size_t)seq->done * width,
                   (size_t)add * width * sizeof(float));
        }
        seq->done += add;
        memcpy(tables[count], seq->table, sizeof seq->table);
        which[count] = s;
        lengths[count++] = seq->done;
        cu[count] = cu[count - 1] + add;
    }
    const struct batch batch = {.num_seqs = count,
                                .num_tokens = cu[count],
                                .max_blocks_per_seq = TABLE,
                                .cu_seqlens_q = cu,
                                .seq_lens_kv = lengths,
                                .block_table = tables[0]};
    struct recurrence args = scene->args;
    args.z = rows[Z];
    args.qkv = rows[QKV];
    args.alpha = rows[ALPHA];
    args.beta = rows[BETA];
    args.batch = &batch;
    if (count > 0) scene->subject->backend->recurrence(scene->subject->device, &args);
    for (int32_t i = 0; i < count; i++) {
        struct sequence *seq = &scene->seqs[which[i]];
        const int32_t add = cu[i + 1] - cu[i];
        const size_t width = width_of(scene, Z);
        memcpy(seq->out + (size_t)(seq->done - add) * width, rows[Z] + (size_t)cu[i] * width,
               (size_t)add * width * sizeof(float));
    }
    for (int i = 0; i < INPUTS; i++)
        floats_free(rows[i], (size_t)SEQS * TOKENS * width_of(scene, i));
    return count;
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double convolved(const struct scene *scene, const struct sequence *seq, int32_t t,
                        int32_t c) {
    const size_t channels = width_of(scene, QKV);
    const bool biased = scene->args.rule == RECURRENCE_SSD;
    double sum =
        biased ? (double)scene->args.conv[(size_t)scene->args.width * channels + (size_t)c] : 0;
    for (int32_t j = 0; j < scene->args.width && j <= t; j++)
        sum +=
            (double)scene->args.conv[(size_t)(scene->args.width - 1 - j) * channels + (size_t)c] *
            (double)seq->inputs[QKV][(size_t)(t - j) * channels + (size_t)c];
    return sum * sigmoid(sum);
}

// c, at least `eps` long, divided by its length.
static void unit(double *c, int32_t size, double eps) {
    double squares = eps;
    for (int32_t i = 0; i < size; i++)
        squares += c[i] * c[i];
    for (int32_t i = 0; i < size; i++)
        c[i] /= sqrt(squares);
}

static double gated(const struct sequence *seq, size_t at, double y) {
    const double z = (double)seq->inputs[Z][at];
    return z * sigmoid(z) * y;
}

// expected [TOKENS, width of z], of one head; of SSD before the norm
static void run_head(const struct scene *scene, const struct sequence *seq, int32_t head,
                     double *expected) {
    const struct recurrence *args = &scene->args;
    const int32_t keys = args->key_size, values = args->value_size, heads = args->value_heads;
    const int32_t key = args->tiled ? head % args->key_heads : head / (heads / args->key_heads);
    const struct recurrence_parts parts = recurrence_parts_of(args);
    const bool delta = args->rule == RECURRENCE_DELTA;
    static double state[RECURRENCE_SIZE_MAX][RECURRENCE_SIZE_MAX];
    double q[RECURRENCE_SIZE_MAX], k[RECURRENCE_SIZE_MAX], o[RECURRENCE_SIZE_MAX];
    memset(state, 0, sizeof state);
    for (int32_t t = 0; t < seq->done; t++) {
        const size_t at = (size_t)t * (size_t)heads + (size_t)head, z = at * (size_t)values;
        const double step = log1p(exp((double)seq->inputs[ALPHA][at] + (double)args->bias[head]));
        const double decay = exp((double)args->decay[head] * step);
        double squares = 0;
        for (int32_t i = 0; i < keys; i++) {
            q[i] = convolved(scene, seq, t, parts.q + key * keys + i);
            k[i] = convolved(scene, seq, t, parts.k + key * keys + i);
        }
        if (delta) unit(q, keys, (double)args->eps);
        if (delta) unit(k, keys, (double)args->eps);
        for (int32_t j = 0; j < values; j++) {
            const double v = convolved(scene, seq, t, parts.v + head * values + j);
            double known = 0;
            for (int32_t i = 0; i < keys; i++)
                known += (state[i][j] *= decay) * k[i];
            const double change =
                delta ? sigmoid((double)seq->inputs[BETA][at]) * (v - known) : step * v;
            o[j] = delta ? 0 : (double)args->skip[head] * v;
            for (int32_t i = 0; i < keys; i++) {
                state[i][j] += k[i] * change;
                o[j] += state[i][j] * q[i] / (delta ? sqrt(keys) : 1);
            }
            squares += o[j] * o[j];
        }
        const double length = delta ? sqrt(squares / values + (double)args->eps) : 1;
        for (int32_t j = 0; j < values; j++)
            expected[z + (size_t)j] =
                gated(seq, z + (size_t)j, delta ? (double)args->norm[j] * o[j] / length : o[j]);
    }
}

static void check_sequence(const struct scene *scene, const struct sequence *seq) {
    const struct recurrence *args = &scene->args;
    const size_t width = width_of(scene, Z), group = width / (size_t)args->key_heads;
    double *expected = calloc(TOKENS * width, sizeof *expected);
    assert_non_null(expected);
    for (int32_t head = 0; head < args->value_heads; head++)
        run_head(scene, seq, head, expected);
    for (size_t i = 0; i < (size_t)seq->done * width; i += group) {
        double squares = 0;
        for (size_t j = i; j < i + group; j++)
            squares += expected[j] * expected[j];
        const bool normed = args->rule == RECURRENCE_SSD && args->norm;
        const double length = normed ? sqrt(squares / (double)group + (double)args->eps) : 1;
        for (size_t j = i; j < i + group; j++) {
            const double weight = normed ? (double)args->norm[j % width] : 1;
            const double right = expected[j] / length * weight;
            assert_true(fabs((double)seq->out[j] - right) < 2e-4 * (1 + fabs(right)));
        }
    }
    free(expected);
}

static void fill_scene(struct scene *scene, uint64_t *random) {
    struct recurrence *args = &scene->args;
    const size_t heads = (size_t)args->value_heads, values = (size_t)args->value_size;
    const bool delta = args->rule == RECURRENCE_DELTA;
    const size_t counts[WEIGHTS] = {heads, heads, delta ? values : heads * values,
                                    (size_t)(args->width + (delta ? 0 : 1)) * width_of(scene, QKV),
                                    heads};
    for (int i = 0; i < WEIGHTS; i++) {
        scene->counts[i] = counts[i];
        scene->weights[i] = random_floats(random, counts[i]);
    }
    for (size_t i = 0; i < heads; i++)
        scene->weights[0][i] = -0.5f * fabsf(scene->weights[0][i]);
    args->decay = scene->weights[0];
    args->bias = scene->weights[1];
    args->norm = delta || args->width != 2 ? scene->weights[2] : NULL;
    args->conv = scene->weights[3];
    args->skip = scene->weights[4];
    int32_t block = 0;
    for (int32_t s = 0; s < SEQS; s++) {
        struct sequence *seq = &scene->seqs[s];
        for (int i = 0; i < INPUTS; i++)
            seq->inputs[i] = random_floats(random, TOKENS * width_of(scene, i));
        seq->out = floats_alloc(TOKENS * width_of(scene, Z));
        for (int32_t i = 0; i * BLOCK < TOKENS; i++)
            seq->table[i] = (7 * block++ + 3) % BLOCKS; // 7 and 40 have no divisor in common
    }
}

static void free_scene(struct scene *scene) {
    for (int i = 0; i < WEIGHTS; i++)
        floats_free(scene->weights[i], scene->counts[i]);
    for (int32_t s = 0; s < SEQS; s++) {
        for (int i = 0; i < INPUTS; i++)
            floats_free(scene->seqs[s].inputs[i], TOKENS * width_of(scene, i));
        floats_free(scene->seqs[s].out, TOKENS * width_of(scene, Z));
    }
}

static void check_scene(struct scene *scene, uint64_t *random) {
    const size_t count = TOKENS * width_of(scene, Z);
    const size_t bytes = BLOCKS * kv_block_bytes(&scene->cache);
    float *first[SEQS];
    fill_scene(scene, random);
    for (int how = 0; how < 4; how++) { // as much as there is; one by one; any chunks, twice
        scene->cache.data = guarded_alloc(bytes);
        for (int32_t s = 0; s < SEQS; s++)
            scene->seqs[s].done = 0;
        while (advance_scene(scene, how == 0 ? 1 << 20 : how == 1 ? 1 : 20, random) > 0)
            ;
        for (int32_t s = 0; s < SEQS; s++) {
            const struct sequence *seq = &scene->seqs[s];
            const size_t known = (size_t)seq->done * width_of(scene, Z) * sizeof(float);
            if (how == 0) check_sequence(scene, seq);
            if (how == 0) first[s] = memcpy(floats_alloc(count), seq->out, known);
            assert_memory_equal(first[s], seq->out, known);
        }
        guarded_free(scene->cache.data, bytes);
    }
    for (int32_t s = 0; s < SEQS; s++)
        floats_free(first[s], count);
    free_scene(scene);
}

static void recurrence_matches_its_formula_for_any_batching(void **state) {
    // Without a norm where the width is 2.
    static const struct recurrence shapes[] = {
        {.key_heads = 1, .value_heads = 1, .key_size = 1, .value_size = 1, .width = 1},
        {.key_heads = 2, .value_heads = 2, .key_size = 6, .value_size = 6, .width = 4},
        {.key_heads = 2,
         .value_heads = 4,
         .key_size = 34,
         .value_size = 34,
         .width = 4,
         .tiled = 1},
        {.key_heads = 2, .value_heads = 6, .key_size = 16, .value_size = 16, .width = 3},
        {.key_heads = 1, .value_heads = 2, .key_size = 128, .value_size = 128, .width = 4},
        {.key_heads = 3, .value_heads = 3, .key_size = 70, .value_size = 70, .width = 8},
        {RECURRENCE_SSD, .key_heads = 1, .value_heads = 1, .key_size = 1, .value_size = 3,
         .width = 1},
        {RECURRENCE_SSD, .key_heads = 1, .value_heads = 4, .key_size = 16, .value_size = 8,
         .width = 4},
        {RECURRENCE_SSD, .key_heads = 2, .value_heads = 6, .key_size = 7, .value_size = 33,
         .width = 2},
        {RECURRENCE_SSD, .key_heads = 2, .value_heads = 2, .key_size = 128, .value_size = 64,
         .width = 8},
    };
    uint64_t random = SEED;
    (void)state;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            if (!CHECK_SHOWS_THREADS(which + (int)i)) continue;
            struct scene scene = {.subject = &subject,
                                  .cache = {.type = DTYPE_F32,
                                            .num_layers = LAYERS,
                                            .latent = true,
                                            .block_size = BLOCK,
                                            .num_blocks = BLOCKS},
                                  .args = shapes[i]};
            scene.args.eps = 1e-6f;
            scene.args.layer = (int32_t)(i % LAYERS);
            scene.cache.state_bytes = recurrence_state_bytes(&scene.args);
            scene.args.cache = &scene.cache;
            check_scene(&scene, &random);
        }
        subject_close(&subject);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recurrence_matches_its_formula_for_any_batching)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
