// tests/kernels/test_shared_past.c — what sequences have in common: the plan, and attention by it.
#include "tests/kernels/subjects.h"

#include "kernels/host.h"
#include "tests/kernels/trees.h"

enum { SEED = 40911, TREES = 400, LAYERS = 2, LAYER = 1, MOST_KEYS = 500 };

static const int32_t BLOCKS[] = {8, 16, 32}, GROUPS[] = {1, 4, 1, 3, 20, 8};

// Keys in whole blocks that two sequences have in common before both queries.
static int32_t keys_in_common(const struct tree *tree, int32_t a, int32_t b, int32_t block_size) {
    int32_t blocks = 0;
    const int32_t *starts = tree->starts;
    if (starts[a + 1] - starts[a] > 1 || starts[b + 1] - starts[b] > 1) return 0;
    while ((blocks + 1) * block_size < tree->keys[a] && (blocks + 1) * block_size < tree->keys[b] &&
           tree_row(tree, a)[blocks] == tree_row(tree, b)[blocks])
        blocks++;
    return blocks * block_size;
}

static bool is_in(const struct shared_span *span, int32_t rank) {
    return rank >= span->first && rank < span->first + span->count;
}

static void check_span(const struct tree *tree, const struct shared_span *span, int32_t block_size,
                       int32_t keys, int32_t least) {
    int32_t shortest = INT32_MAX;
    assert_true(span->count > 1 && span->begin < span->end);
    assert_true(span->begin % keys == 0 && span->end % keys == 0);
    assert_true((span->count - 1) * (span->end - span->begin) >= least);
    for (int32_t i = 0; i < span->count; i++) {
        const int32_t s = tree->order[span->first + i];
        assert_true(keys_in_common(tree, tree->order[span->first], s, block_size) >= span->end);
        shortest = tree->keys[s] < shortest ? tree->keys[s] : shortest;
    }
    assert_int_equal(span->shortest, shortest);
}

// A sequence's spans follow one another from key 0 to what is its own.
static void check_path(const struct tree *tree, int32_t rank) {
    int32_t covered = 0, depth = 0, both = 0;
    for (int32_t i = 0; i < SHARED_SPANS_MAX; i++) {
        if (tree->spans[i].count == 0 || !is_in(&tree->spans[i], rank)) continue;
        assert_int_equal(tree->spans[i].begin, covered);
        assert_int_equal(tree->spans[i].depth, depth);
        covered = tree->spans[i].end;
        depth++;
        if (is_in(&tree->spans[i], rank + 1)) both = covered;
    }
    assert_true(depth <= SHARED_DEPTH_MAX && depth <= tree->depth);
    assert_int_equal(tree->own[tree->order[rank]], covered);
    assert_int_equal(tree->common[rank], both);
}

static void check_tree(const struct tree *tree, int32_t block_size, int32_t keys, int32_t least) {
    bool seen[TREE_SEQS_MAX] = {false};
    int32_t spans = 0;
    for (int32_t i = 0; i < tree->batch.num_seqs; i++) {
        assert_false(seen[tree->order[i]]);
        seen[tree->order[i]] = true;
        check_path(tree, i);
    }
    for (int32_t i = 0; i < SHARED_SPANS_MAX && tree->spans[i].count > 0; i++, spans++)
        check_span(tree, &tree->spans[i], block_size, keys, least);
    for (int32_t s = 0; s < tree->batch.num_seqs; s++) {
        int32_t depth = 0, most = 0;
        for (int32_t i = 0; i < spans; i++)
            for (int32_t m = 0; m < tree->spans[i].count; m++)
                depth += tree->order[tree->spans[i].first + m] == s;
        for (int32_t other = 0; other < tree->batch.num_seqs; other++) {
            const int32_t common = other == s ? 0 : keys_in_common(tree, s, other, block_size);
            most = common / keys * keys > most ? common / keys * keys : most;
        }
        if (least == 1 && depth < SHARED_DEPTH_MAX && spans < SHARED_SPANS_MAX)
            assert_int_equal(tree->own[s], most);
        assert_true(tree->own[s] <= most);
    }
}

static void spans_cover_the_common_prefixes_of_block_tables(void **state) {
    (void)state;
    static const int32_t LEAST[] = {1, 100, 4096};
    uint64_t random = SEED;
    int32_t shared = 0;
    for (int32_t i = 0; i < TREES; i++) {
        const struct tree_shape shape = {.seqs = 1 + random_below(&random, TREE_SEQS_MAX),
                                         .longest = i % 10 ? 700 : 9000,
                                         .block_size = BLOCKS[i % 3],
                                         .forks = random_below(&random, 11),
                                         .has_mixed = i % 4 == 0};
        struct tree tree;
        tree_make(&tree, &shape, &random);
        const int32_t keys = i % 2 ? 32 : 128, least = LEAST[i / 3 % 3];
        const bool shares = tree_share(&tree, shape.block_size, keys, least);
        check_tree(&tree, shape.block_size, keys, least);
        assert_int_equal(shares, tree.spans[0].count > 0);
        shared += shares;
        tree_drop(&tree);
    }
    assert_true(shared > TREES / 4);
}

// ---- attention

struct scene {
    struct tree tree;
    struct kv_cache cache;
    struct paged_attention args;
    size_t cache_bytes, count; // of q and out
    float *q, *out, *sinks;
};

// Every slot in which no key lies that a query sees stays poison.
static void fill_cache(struct scene *s, uint64_t *random) {
    const struct kv_cache *cache = &s->cache;
    const struct tree *tree = &s->tree;
    for (int32_t q = 0; q < tree->batch.num_seqs; q++) {
        const int32_t first = tree->keys[q] - (tree->starts[q + 1] - tree->starts[q]) + 1;
        const int32_t begin = s->args.window > 0 ? first - s->args.window : 0;
        for (int32_t key = begin > 0 ? begin : 0; key < tree->keys[q]; key++)
            for (int32_t row = 0; row < 2 * cache->num_kv_heads; row++) {
                const uint32_t block = (uint32_t)tree_row(tree, q)[key / cache->block_size];
                const int32_t offset = key % cache->block_size;
                char *head = kv_element(cache, block, LAYER, row % 2, row / 2, offset, 0);
                if (kv_is_scaled(cache->type))
                    kv_head_scales(cache, block, LAYER, row % 2, row / 2)[offset] =
                        random_elements(cache->type, (uint8_t *)head, cache->head_size, random);
                else
                    dtype_fill_random(cache->type, head, (size_t)cache->head_size, 1,
                                      (uint64_t)random_below(random, 1 << 30));
            }
    }
}

static struct tree_shape short_tree(int32_t which, uint64_t *random) {
    return (struct tree_shape){.seqs = 2 + random_below(random, 20),
                               .longest = MOST_KEYS - 64,
                               .block_size = BLOCKS[which % 3],
                               .forks = 8,
                               .has_mixed = which % 4 == 0};
}

static void scene_make(struct scene *s, int32_t which, const struct tree_shape *shape,
                       int32_t kv_heads, int32_t head_size, uint64_t *random) {
    static const enum dtype TYPES[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_FP8, DTYPE_INT8};
    tree_make(&s->tree, shape, random);
    s->cache = (struct kv_cache){.type = TYPES[which / 2 % 5],
                                 .num_layers = LAYERS,
                                 .num_kv_heads = kv_heads,
                                 .head_size = head_size,
                                 .block_size = shape->block_size,
                                 .num_blocks = (uint32_t)s->tree.num_blocks};
    s->cache_bytes = s->cache.num_blocks * kv_block_bytes(&s->cache);
    s->cache.data = guarded_alloc(s->cache_bytes);
    const int32_t heads = kv_heads * GROUPS[which % 6];
    s->count = (size_t)s->tree.batch.num_tokens * (size_t)heads * (size_t)s->cache.head_size;
    s->q = random_floats(random, s->count);
    s->out = floats_alloc(s->count);
    s->sinks = random_floats(random, (size_t)heads);
    s->args = (struct paged_attention){
        .out = s->out,
        .q = s->q,
        .num_heads = heads,
        .layer = LAYER,
        .scale = 0.7F,
        .softcap = which % 5 == 1 ? 3 : 0,
        .window = which % 3 == 2 ? 1 + random_below(random, shape->longest / 2) : 0,
        .sinks = which % 5 == 2 ? s->sinks : NULL,
        .cache = &s->cache,
        .batch = &s->tree.batch};
    fill_cache(s, random);
}

static void scene_drop(struct scene *s) {
    guarded_free(s->cache.data, s->cache_bytes);
    floats_free(s->q, s->count);
    floats_free(s->out, s->count);
    floats_free(s->sinks, (size_t)s->args.num_heads);
    tree_drop(&s->tree);
}

static void run_attention(const struct subject *subject, const struct scene *s, bool shares,
                          float *out) {
    struct batch batch = s->tree.batch;
    struct paged_attention args = s->args;
    if (shares)
        batch.shared = (struct shared_past){s->tree.order, s->tree.common, s->tree.own,
                                            s->tree.spans, s->tree.depth};
    args.batch = &batch;
    args.out = out;
    memset(out, 0xFF, s->count * sizeof *out);
    subject->backend->paged_attention(subject->device, &args);
    assert_int_equal(subject->backend->sync(subject->device), STATUS_OK);
}

static void expect_close(const struct subject *subject, const float *got, const float *expected,
                         size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(got[i] - expected[i]) <= (subject->splits ? 4e-3F : 2e-5F)))
            fail_msg("%s: element %zu: %g, not %g", subject_name(subject), i, (double)got[i],
                     (double)expected[i]);
}

// Returns how deep the sequences' spans lie; 0: nothing is shared.
static int32_t check_attention(const struct subject *subject, const struct scene *s, int32_t least,
                               const float *expected) {
    struct scene shared = *s;
    float *alone = floats_alloc(s->count);
    const bool shares = tree_share(&shared.tree, s->cache.block_size, 32, least);
    run_attention(subject, s, false, alone);
    run_attention(subject, &shared, shares, s->out);
    assert_memory_equal(s->out, alone, s->count * sizeof *alone);
    expect_close(subject, s->out, expected, s->count);
    floats_free(alone, s->count);
    return shared.tree.depth;
}

// Returns whether the scene's sequences share anything.
static bool check_short(const struct subject *reference, const struct subject *subject,
                        int32_t which, uint64_t *random) {
    static const int32_t KV_HEADS[] = {1, 2, 3, 2, 1, 1}, SIZES[] = {64, 80, 13, 128, 32, 96};
    const struct tree_shape shape = short_tree(which, random);
    struct scene s;
    scene_make(&s, which, &shape, KV_HEADS[which % 6], SIZES[which / 3 % 6], random);
    float *expected = floats_alloc(s.count);
    run_attention(reference, &s, false, expected);
    const bool shares = check_attention(subject, &s, which % 2 ? 1 : 200, expected) > 0;
    floats_free(expected, s.count);
    scene_drop(&s);
    return shares;
}

static void reading_a_shared_past_once_does_not_change_a_bit(void **state) {
    (void)state;
    enum { SCENES = CHECK_THREADS ? 10 : 40 };
    uint64_t random = SEED + 1;
    struct subject reference;
    assert_true(subject_open(&reference, SUBJECT_REFERENCE, 1));
    for (int i = SUBJECT_GENERIC; i < SUBJECTS; i++) {
        struct subject subject;
        int32_t shared = 0;
        if (!subject_open(&subject, i, i)) continue;
        for (int32_t which = 0; which < SCENES; which++)
            shared += check_short(&reference, &subject, which, &random);
        assert_true(shared > SCENES / 2);
        subject_close(&subject);
    }
    subject_close(&reference);
}

// ---- long pasts

enum { LONGEST = 40000, LONG_ELEMENTS = 20 << 20 };

// Any number of leaves; as long as the elements of all keys allow.
static struct tree_shape long_tree(int32_t which, int32_t head_size, uint64_t *random) {
    const int32_t seqs = 1 + random_below(random, TREE_SEQS_MAX);
    const int32_t allowed = LONG_ELEMENTS / head_size / seqs;
    const int32_t most = allowed < LONGEST ? allowed : LONGEST;
    assert_true(most > 500);
    return (struct tree_shape){.seqs = seqs,
                               .longest = most - random_below(random, most / 2),
                               .block_size = BLOCKS[which % 3],
                               .forks = 9,
                               .has_mixed = which % 4 == 3};
}

static bool open_for_long(struct subject *subject, int which) {
    const struct workspace workspace = {.max_tokens = 300,
                                        .max_seqs = TREE_SEQS_MAX,
                                        .max_context = LONGEST,
                                        .num_heads = 20,
                                        .head_size = 576};
    if (!subject_open(subject, which, which == SUBJECT_REFERENCE ? 1 : 2)) return false;
    assert_int_equal(subject->backend->reserve(subject->device, &workspace), STATUS_OK);
    return true;
}

// Of every size of heads that models have; WALK_TREES=N takes N trees instead.
static void long_pasts_of_nested_forks_match_the_reference(void **state) {
    (void)state;
    static const int32_t SIZES[] = {64, 128, 256, 80, 512, 96, 576, 112, 192, 32, 40, 72, 160, 13};
    const char *text = getenv("WALK_TREES");
    const int32_t trees = text ? atoi(text) : CHECK_ROUNDS(14, 2);
    uint64_t random = SEED + 2 + (uint64_t)trees;
    struct subject subjects[SUBJECTS];
    bool opened[SUBJECTS];
    for (int i = 0; i < SUBJECTS; i++)
        opened[i] = open_for_long(&subjects[i], i);
    for (int32_t which = 0; which < trees; which++) {
        const int32_t head_size = SIZES[which % 14];
        const struct tree_shape shape = long_tree(which, head_size, &random);
        struct scene s;
        scene_make(&s, which, &shape, 1, head_size, &random);
        float *expected = floats_alloc(s.count);
        run_attention(&subjects[SUBJECT_REFERENCE], &s, false, expected);
        int32_t depth = 0;
        for (int i = SUBJECT_GENERIC; i < SUBJECTS; i++)
            if (opened[i])
                depth = check_attention(&subjects[i], &s, which % 2 ? 32 : 4096, expected);
        print_message("%d sequences, up to %d keys, heads of %d, depth %d\n", shape.seqs,
                      shape.longest, head_size, depth);
        floats_free(expected, s.count);
        scene_drop(&s);
    }
    for (int i = 0; i < SUBJECTS; i++)
        if (opened[i]) subject_close(&subjects[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_cover_the_common_prefixes_of_block_tables),
        cmocka_unit_test(reading_a_shared_past_once_does_not_change_a_bit),
        cmocka_unit_test(long_pasts_of_nested_forks_match_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
