// tests/device/test_flash.cu — the kernels behind paged_attention against attention in double.
#include <math.h>
#include <stdio.h>

#include "tests/device/scene.cuh"
#include "tests/device/tests.cuh"

#include <algorithm>

enum { SEQUENCES = 7, LONGEST = 4096 };
enum way { WAY_OP, WAY_DETERMINISTIC, WAY_PREFILL, WAY_HOPPER, WAY_GATHER, WAYS };

static const char *const way_names[] = {"the op", "the deterministic op", "flash_prefill",
                                        "flash_hopper", "gather"};

struct flash_tests {
    struct device *device, *deterministic;
    struct tally *tally;
    uint64_t state;
};

static struct device *open_device(bool deterministic) {
    const struct device_options options = {0, deterministic};
    const struct workspace workspace = {LONGEST, 64 * 512, SEQUENCES, LONGEST, 64, 512};
    struct device *device;
    struct error err;
    if (backend_cuda()->open(&options, &device, &err) != STATUS_OK ||
        backend_cuda()->reserve(device, &workspace) != STATUS_OK)
        CUDA(cudaErrorInitializationError);
    return device;
}

static bool has_way(const struct flash_tests *tests, enum way way,
                    const struct scene_shape *shape) {
    const bool scaled = kv_is_scaled(shape->type),
               is_wgmma = tests->device->properties.major == 9 && tests->device->compiled_for_90;
    if (way == WAY_PREFILL && scaled) return shape->head_size % 16 == 0;
    return way != WAY_HOPPER || (is_wgmma && shape->head_size <= 128 && !scaled);
}

static void attend(struct flash_tests *tests, enum way way, const struct paged_attention *args) {
    struct device *device = way == WAY_DETERMINISTIC ? tests->deterministic : tests->device;
    switch (way) {
    case WAY_OP:
    case WAY_DETERMINISTIC:
        backend_cuda()->paged_attention(device, args);
        break;
    case WAY_PREFILL:
        flash_prefill(device, args, 1);
        break;
    case WAY_HOPPER:
        flash_hopper(device, args, 1);
        break;
    case WAY_GATHER:
        gather_attention(device, args, 1);
        break;
    case WAYS:
        break;
    }
    CUDA(device->failure);
    CUDA(cudaStreamSynchronize(device->stream));
}

static void describe(char *text, size_t bytes, const struct scene_shape *shape, const char *way) {
    int at = snprintf(text, bytes, "%s, %s, %d/%d heads of %d, blocks of %d, cap %g, window %d%s,",
                      way, dtype_name(shape->type), shape->num_heads, shape->num_kv_heads,
                      shape->head_size, shape->block_size, (double)shape->softcap, shape->window,
                      shape->has_sinks ? ", sinks" : "");
    for (size_t s = 0; s < shape->keys.size() && at < (int)bytes; s++)
        at += snprintf(text + at, bytes - at, " %d/%d", shape->queries[s], shape->keys[s]);
}

// Queries first ... first + count - 1 of sequence s, by themselves.
static void attend_alone(struct flash_tests *tests, const struct scene *scene,
                         const struct scene_shape *shape, size_t s, int first, int count) {
    const size_t row = (size_t)shape->num_heads * shape->head_size;
    const int32_t lengths[] = {0, count, shape->keys[s] - shape->queries[s] + first + count};
    int32_t *on_card = (int32_t *)copy_to_card(lengths, sizeof lengths);
    struct batch batch = scene->batch;
    batch.num_seqs = 1;
    batch.num_tokens = count;
    batch.cu_seqlens_q = on_card;
    batch.seq_lens_kv = on_card + 2;
    batch.block_table += s * (size_t)batch.max_blocks_per_seq;
    struct paged_attention args = scene->args;
    args.batch = &batch;
    args.q = (const __half *)args.q + (scene->starts[s] + first) * row;
    args.out = (__half *)args.out + (scene->starts[s] + first) * row;
    attend(tests, WAY_DETERMINISTIC, &args);
    CUDA(cudaFree(on_card));
}

// A query has the same bits among others and with few of its own sequence; output is the former's.
static void compare_alone(struct flash_tests *tests, struct scene *scene,
                          const struct scene_shape *shape) {
    const std::vector<uint16_t> together = scene_output(scene);
    scene_poison(scene);
    for (size_t s = 0; s < shape->keys.size(); s++) {
        const int count = shape->queries[s], cut = (int)(random_next(&tests->state) % count);
        if (cut > 0) attend_alone(tests, scene, shape, s, 0, cut);
        attend_alone(tests, scene, shape, s, cut, 1);
        if (count - cut > 1) attend_alone(tests, scene, shape, s, cut + 1, count - cut - 1);
    }
    char what[256];
    describe(what, sizeof what, shape, "in parts, to the bit");
    tally_count(tests->tally, scene_output(scene) == together, what, 0);
}

static void test_shape(struct flash_tests *tests, const struct scene_shape *shape) {
    // Probabilities are rounded to the cache's type, the output to fp16.
    const double tolerance = shape->type == DTYPE_BF16   ? 6e-3
                             : kv_is_scaled(shape->type) ? 4e-3
                                                         : 1.2e-3;
    struct scene scene;
    scene_fill(&scene, shape, random_next(&tests->state));
    const std::vector<double> expected = scene_attend(&scene);
    for (int way = 0; way < WAYS; way++) {
        if (!has_way(tests, (enum way)way, shape)) continue;
        char what[256];
        scene_poison(&scene);
        attend(tests, (enum way)way, &scene.args);
        const double error = scene_error(&scene, expected);
        describe(what, sizeof what, shape, way_names[way]);
        tally_count(tests->tally, error <= tolerance && scene_guard_holds(&scene), what, error);
        if (way == WAY_DETERMINISTIC) compare_alone(tests, &scene, shape);
    }
    scene_release(&scene);
}

static int below(struct flash_tests *tests, int limit) {
    return (int)(random_next(&tests->state) % (uint64_t)limit);
}

// One query each: the longest, one key, a whole block, and any lengths.
static void set_decodes(struct flash_tests *tests, struct scene_shape *shape) {
    const int longest = tests->tally->quick ? 700 : LONGEST;
    shape->queries.assign(SEQUENCES, 1);
    shape->keys = {longest - below(tests, 30), 1, shape->block_size};
    while (shape->keys.size() < SEQUENCES)
        shape->keys.push_back(1 + below(tests, longest));
    for (size_t i = SEQUENCES; i > 1; i--)
        std::swap(shape->keys[i - 1], shape->keys[below(tests, (int)i)]);
}

// Decodes, chunks behind a cached prefix and whole prompts, in any order.
static void set_mixed(struct flash_tests *tests, struct scene_shape *shape) {
    const int most = tests->tally->quick ? 40 : 200, past = tests->tally->quick ? 150 : 1500;
    shape->queries = {1, 1, 2, 1 + below(tests, 9), 20 + below(tests, most), below(tests, most) + 1,
                      1};
    shape->keys = {1 + below(tests, past), 1, 2, 0, 0, 0, 1 + below(tests, past)};
    for (int s = 3; s < 6; s++)
        shape->keys[s] = shape->queries[s] + (s == 5 ? 0 : below(tests, past));
    for (size_t i = SEQUENCES; i > 1; i--) {
        const int j = below(tests, (int)i);
        std::swap(shape->keys[i - 1], shape->keys[j]);
        std::swap(shape->queries[i - 1], shape->queries[j]);
    }
}

static void set_features(struct flash_tests *tests, struct scene_shape *shape) {
    static const int WINDOWS[] = {1, 16, 17, 64, 100, 127, 500, 1000};
    const int which = 1 + below(tests, 7); // at least one of three
    shape->window = which & 1 ? WINDOWS[below(tests, 8)] : 0;
    shape->softcap = which & 2 ? 0.5f + (float)below(tests, 8) : 0;
    shape->has_sinks = which & 4;
}

static void test_sizes(struct flash_tests *tests, struct scene_shape *shape) {
    static const int SIZES[] = {64, 80, 96, 112, 120, 128, 192, 256, 512}, BLOCKS[] = {8, 16, 32};
    for (int size : SIZES)
        for (int block : BLOCKS) {
            if (tests->tally->quick && (size % 64 == 32 || size % 64 == 48 || size == 192))
                continue;
            if (tests->tally->quick && block != BLOCKS[(size / 8 + shape->num_heads) % 3]) continue;
            shape->head_size = size;
            shape->block_size = block;
            for (int variant = 0; variant < 6; variant++) {
                shape->window = 0;
                shape->softcap = 0;
                shape->has_sinks = false;
                if (variant >= 3) set_features(tests, shape);
                if (variant % 3 == 0)
                    set_decodes(tests, shape);
                else if (variant % 3 == 1)
                    set_mixed(tests, shape);
                else
                    scene_set_few(shape, tests->tally->quick ? 700 : LONGEST, &tests->state);
                test_shape(tests, shape);
            }
        }
}

// What flash has no tiles for: a cache of fp32 or of latent rows, heads of an odd size, blocks of
// any size.
static void test_gathered(struct flash_tests *tests) {
    static const int SHAPES[][4] = {{64, 16, DTYPE_F32},       {20, 5, DTYPE_F32},
                                    {13, 16, DTYPE_F16},       {576, 16, DTYPE_F16, true},
                                    {40, 8, DTYPE_BF16, true}, {576, 32, DTYPE_FP8, true},
                                    {72, 16, DTYPE_INT8, true}};
    for (const int *it : SHAPES) {
        const int kv_heads = it[3] ? 1 : 2;
        struct scene_shape shape = {
            (enum dtype)it[2], 6, kv_heads, it[0], it[1], {}, {}, 0, 0, false};
        shape.latent = it[3];
        set_mixed(tests, &shape);
        set_features(tests, &shape);
        struct scene scene;
        char what[256];
        scene_fill(&scene, &shape, random_next(&tests->state));
        const std::vector<double> expected = scene_attend(&scene);
        scene_poison(&scene);
        attend(tests, WAY_OP, &scene.args);
        const double error = scene_error(&scene, expected);
        describe(what, sizeof what, &shape, "gathered");
        tally_count(tests->tally, error <= 1e-3 && scene_guard_holds(&scene), what, error);
        scene_release(&scene);
    }
}

void test_flash(struct device *, struct tally *tally) {
    static const int HEADS[][2] = {{40, 40}, {64, 8}, {32, 8}, {16, 1}};
    static const int QUICK_HEADS[][2] = {{3, 3}, {8, 1}, {8, 2}, {12, 1}};
    struct flash_tests tests = {open_device(false), open_device(true), tally, tally->seed};
    for (int h = 0; h < 4; h++)
        for (enum dtype type : {DTYPE_F16, DTYPE_BF16, DTYPE_FP8, DTYPE_INT8}) {
            if (tally->quick && type % 2 == h % 2) continue;
            struct scene_shape shape = {type};
            shape.num_heads = tally->quick ? QUICK_HEADS[h][0] : HEADS[h][0];
            shape.num_kv_heads = tally->quick ? QUICK_HEADS[h][1] : HEADS[h][1];
            test_sizes(&tests, &shape);
        }
    test_gathered(&tests);
    backend_cuda()->close(tests.device);
    backend_cuda()->close(tests.deterministic);
}
