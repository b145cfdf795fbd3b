// tests/kernels/test_delta_net.c — a gated delta net over sequences that are cut anyhow.
#include "tests/kernels/subjects.h"

enum { SEED = 433, BLOCK = 8, BLOCKS = 40, LAYERS = 2, SEQS = 3, TOKENS = 60, TABLE = 16 };
enum { QKV, Z, ALPHA, BETA, INPUTS };
enum { WEIGHTS = 4 };

struct sequence {
    float *inputs[INPUTS]; // [TOKENS, width of each]
    float *out;            // [TOKENS, value_heads * size]
    int32_t done;
    int32_t table[TABLE];
};

struct scene {
    const struct subject *subject;
    struct kv_cache cache;
    struct delta_net args; // what does not change
    struct sequence seqs[SEQS];
    float *weights[WEIGHTS];
    size_t counts[WEIGHTS];
};

static size_t width_of(const struct scene *scene, int input) {
    const struct delta_net *args = &scene->args;
    if (input == QKV) return (size_t)delta_channels(args);
    return (size_t)args->value_heads * (input == Z ? (size_t)args->size : 1);
}

// One call with up to `most` further tokens of each sequence that has some left.
static int32_t advance(struct scene *scene, int32_t most, uint64_t *random) {
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
    struct delta_net args = scene->args;
    args.z = rows[Z];
    args.qkv = rows[QKV];
    args.alpha = rows[ALPHA];
    args.beta = rows[BETA];
    args.batch = &batch;
    if (count > 0) scene->subject->backend->delta_net(scene->subject->device, &args);
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
    double sum = 0;
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

static void check_head(const struct scene *scene, const struct sequence *seq, int32_t head) {
    const struct delta_net *args = &scene->args;
    const int32_t size = args->size, keys = args->key_heads, each = args->value_heads / keys;
    const int32_t key = args->tiled ? head % keys : head / each;
    static double state[DELTA_SIZE_MAX][DELTA_SIZE_MAX];
    double q[DELTA_SIZE_MAX], k[DELTA_SIZE_MAX], o[DELTA_SIZE_MAX];
    memset(state, 0, sizeof state);
    for (int32_t t = 0; t < seq->done; t++) {
        const size_t at = (size_t)t * (size_t)args->value_heads + (size_t)head;
        const double raw = (double)seq->inputs[ALPHA][at] + (double)args->bias[head];
        const double decay = exp((double)args->decay[head] * log1p(exp(raw)));
        double squares = 0;
        for (int32_t i = 0; i < size; i++) {
            q[i] = convolved(scene, seq, t, key * size + i);
            k[i] = convolved(scene, seq, t, (keys + key) * size + i);
        }
        unit(q, size, (double)args->eps);
        unit(k, size, (double)args->eps);
        for (int32_t j = 0; j < size; j++) {
            double delta = convolved(scene, seq, t, (2 * keys + head) * size + j);
            for (int32_t i = 0; i < size; i++) {
                state[i][j] *= decay;
                delta -= state[i][j] * k[i];
            }
            o[j] = 0;
            for (int32_t i = 0; i < size; i++) {
                state[i][j] += k[i] * delta * sigmoid((double)seq->inputs[BETA][at]);
                o[j] += state[i][j] * q[i] / sqrt(size);
            }
            squares += o[j] * o[j];
        }
        for (int32_t j = 0; j < size; j++) {
            const double z = (double)seq->inputs[Z][at * (size_t)size + (size_t)j];
            const double expected = z * sigmoid(z) * (double)args->norm[j] * o[j] /
                                    sqrt(squares / size + (double)args->eps);
            assert_true(fabs((double)seq->out[at * (size_t)size + (size_t)j] - expected) < 2e-4);
        }
    }
}

static void fill_scene(struct scene *scene, uint64_t *random) {
    struct delta_net *args = &scene->args;
    const size_t heads = (size_t)args->value_heads,
                 counts[WEIGHTS] = {heads, heads, (size_t)args->size,
                                    (size_t)args->width * width_of(scene, QKV)};
    for (int i = 0; i < WEIGHTS; i++) {
        scene->counts[i] = counts[i];
        scene->weights[i] = random_floats(random, counts[i]);
    }
    for (size_t i = 0; i < heads; i++)
        scene->weights[0][i] = -0.5f * fabsf(scene->weights[0][i]);
    args->decay = scene->weights[0];
    args->bias = scene->weights[1];
    args->norm = scene->weights[2];
    args->conv = scene->weights[3];
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
        while (advance(scene, how == 0 ? 1 << 20 : how == 1 ? 1 : 20, random) > 0)
            ;
        for (int32_t s = 0; s < SEQS; s++) {
            const struct sequence *seq = &scene->seqs[s];
            const size_t known = (size_t)seq->done * width_of(scene, Z) * sizeof(float);
            for (int32_t head = 0; head < scene->args.value_heads && how == 0; head++)
                check_head(scene, seq, head);
            if (how == 0) first[s] = memcpy(floats_alloc(count), seq->out, known);
            assert_memory_equal(first[s], seq->out, known);
        }
        guarded_free(scene->cache.data, bytes);
    }
    for (int32_t s = 0; s < SEQS; s++)
        floats_free(first[s], count);
    free_scene(scene);
}

static void it_is_its_formula_however_tokens_come(void **state) {
    static const struct {
        int32_t keys, values, size, width;
        bool tiled;
    } shapes[] = {{1, 1, 1, 1, false},  {2, 2, 6, 4, false},  {2, 4, 34, 4, true},
                  {2, 6, 16, 3, false}, {1, 2, 128, 4, true}, {3, 3, 70, 8, false}};
    uint64_t random = SEED;
    (void)state;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            struct scene scene = {.subject = &subject,
                                  .cache = {.type = DTYPE_F32,
                                            .num_layers = LAYERS,
                                            .latent = true,
                                            .block_size = BLOCK,
                                            .num_blocks = BLOCKS},
                                  .args = {.key_heads = shapes[i].keys,
                                           .value_heads = shapes[i].values,
                                           .size = shapes[i].size,
                                           .width = shapes[i].width,
                                           .tiled = shapes[i].tiled,
                                           .eps = 1e-6f,
                                           .layer = (int32_t)(i % LAYERS)}};
            scene.cache.state_bytes = delta_state_bytes(&scene.args);
            scene.args.cache = &scene.cache;
            check_scene(&scene, &random);
        }
        subject_close(&subject);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_its_formula_however_tokens_come)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
