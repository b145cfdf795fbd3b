// tests/kernels/test_short_conv.c — a convolution over a sequence's last tokens, cut anyhow.
#include "tests/kernels/subjects.h"

enum { SEED = 421, BLOCK = 8, BLOCKS = 40, LAYERS = 2, SEQS = 3, TOKENS = 60, TABLE = 16 };

struct sequence {
    float *q, *k, *v, *out; // [TOKENS, dim]
    int32_t done;
    int32_t table[TABLE];
};

struct scene {
    const struct subject *subject;
    struct kv_cache cache;
    float *weight;
    int32_t dim, width, layer;
    struct sequence seqs[SEQS];
};

static float *copy_rows(float *to, const float *from, int32_t rows, int32_t dim) {
    memcpy(to, from, (size_t)rows * (size_t)dim * sizeof *to);
    return to + (size_t)rows * (size_t)dim;
}

// One call with up to `most` further tokens of each sequence that has some left.
static int32_t advance_scene(struct scene *scene, int32_t most, uint64_t *random) {
    int32_t cu[SEQS + 1] = {0}, lengths[SEQS], tables[SEQS][TABLE], which[SEQS], count = 0;
    const int32_t dim = scene->dim;
    const size_t size = (size_t)SEQS * TOKENS * (size_t)dim;
    float *rows[4];
    for (int part = 0; part < 4; part++)
        rows[part] = floats_alloc(size);
    float *next[3] = {rows[0], rows[1], rows[2]};
    for (int32_t s = 0; s < SEQS; s++) {
        struct sequence *seq = &scene->seqs[s];
        const int32_t left = TOKENS - 7 * s - seq->done;
        const int32_t chunk = 1 + random_below(random, most), add = chunk < left ? chunk : left;
        const size_t at = (size_t)seq->done * (size_t)dim;
        if (add == 0) continue;
        next[0] = copy_rows(next[0], seq->q + at, add, dim);
        next[1] = copy_rows(next[1], seq->k + at, add, dim);
        next[2] = copy_rows(next[2], seq->v + at, add, dim);
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
    const struct short_conv args = {rows[3],       rows[0], rows[1],      rows[2],
                                    scene->weight, dim,     scene->width, scene->layer,
                                    &scene->cache, &batch};
    if (count > 0) scene->subject->backend->short_conv(scene->subject->device, &args);
    for (int32_t i = 0; i < count; i++) {
        struct sequence *seq = &scene->seqs[which[i]];
        const int32_t add = cu[i + 1] - cu[i];
        copy_rows(seq->out + (size_t)(seq->done - add) * (size_t)dim,
                  rows[3] + (size_t)cu[i] * (size_t)dim, add, dim);
    }
    for (int part = 0; part < 4; part++)
        floats_free(rows[part], size);
    return count;
}

static void check_formula(const struct scene *scene, const struct sequence *seq, int32_t tokens) {
    const int32_t dim = scene->dim, width = scene->width;
    for (int32_t t = 0; t < tokens; t++)
        for (int32_t c = 0; c < dim; c++) {
            double sum = 0;
            for (int32_t j = 0; j < width && j <= t; j++) {
                const size_t at = (size_t)(t - j) * (size_t)dim + (size_t)c;
                sum += (double)scene->weight[(width - 1 - j) * dim + c] * (double)seq->k[at] *
                       (double)seq->v[at];
            }
            const size_t at = (size_t)t * (size_t)dim + (size_t)c;
            assert_true(fabs((double)seq->out[at] - sum * (double)seq->q[at]) < 2e-6);
        }
}

static void fill_scene(struct scene *scene, uint64_t *random) {
    const size_t count = (size_t)TOKENS * (size_t)scene->dim;
    scene->weight = random_floats(random, (size_t)(scene->width * scene->dim));
    int32_t block = 0;
    for (int32_t s = 0; s < SEQS; s++) {
        struct sequence *seq = &scene->seqs[s];
        *seq = (struct sequence){random_floats(random, count),
                                 random_floats(random, count),
                                 random_floats(random, count),
                                 floats_alloc(count),
                                 0,
                                 {0}};
        for (int32_t i = 0; i * BLOCK < TOKENS; i++)
            seq->table[i] = (7 * block++ + 3) % BLOCKS; // 7 and 40 have no divisor in common
    }
}

static void check_scene(struct scene *scene, uint64_t *random) {
    const size_t count = (size_t)TOKENS * (size_t)scene->dim;
    float *first[SEQS];
    fill_scene(scene, random);
    for (int how = 0; how < 4; how++) { // as much as there is; one by one; any chunks, twice
        const size_t bytes = BLOCKS * kv_block_bytes(&scene->cache);
        scene->cache.data = guarded_alloc(bytes);
        for (int32_t s = 0; s < SEQS; s++)
            scene->seqs[s].done = 0;
        while (advance_scene(scene, how == 0 ? 1 << 20 : how == 1 ? 1 : 20, random) > 0)
            ;
        for (int32_t s = 0; s < SEQS; s++) {
            const struct sequence *seq = &scene->seqs[s];
            const size_t known = (size_t)seq->done * (size_t)scene->dim * sizeof(float);
            check_formula(scene, seq, seq->done);
            if (how == 0) first[s] = memcpy(floats_alloc(count), seq->out, known);
            assert_memory_equal(first[s], seq->out, known);
        }
        guarded_free(scene->cache.data, bytes);
    }
    for (int32_t s = 0; s < SEQS; s++) {
        float *const all[] = {scene->seqs[s].q, scene->seqs[s].k, scene->seqs[s].v,
                              scene->seqs[s].out, first[s]};
        for (int i = 0; i < 5; i++)
            floats_free(all[i], count);
    }
    floats_free(scene->weight, (size_t)(scene->width * scene->dim));
}

static void short_conv_matches_its_formula_for_any_batching(void **state) {
    static const int32_t dims[] = {2, 6, 34, 64, 514};
    (void)state;
    uint64_t random = SEED;
    for (int which = 0; which < SUBJECTS; which++) {
        struct subject subject;
        if (!subject_open(&subject, which, 2)) continue;
        for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++)
            for (int32_t width = 1; width <= SHORT_CONV_MAX; width++) {
                if (!CHECK_SHOWS_THREADS(which + (int)d + width)) continue;
                struct scene scene = {.subject = &subject,
                                      .cache = {.type = DTYPE_F32,
                                                .num_layers = LAYERS,
                                                .num_kv_heads = 1,
                                                .head_size = dims[d] / 2,
                                                .block_size = BLOCK,
                                                .num_blocks = BLOCKS},
                                      .dim = dims[d],
                                      .width = width,
                                      .layer = width % LAYERS};
                check_scene(&scene, &random);
            }
        subject_close(&subject);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_conv_matches_its_formula_for_any_batching)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
