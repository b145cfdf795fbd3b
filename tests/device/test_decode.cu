// tests/device/test_decode.cu — the op attention against its two ops in turn, and plain loops.
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/flash_shared.cuh"
#include "tests/device/rope_plain.cuh"
#include "tests/device/scene.cuh"
#include "tests/device/tests.cuh"

#include <algorithm>

enum { SEQUENCES = 7, LONGEST = 3000, LONGEST_TREE = 40000, POISON = 0xff };

struct decode_tests {
    struct device *device, *deterministic;
    struct tally *tally;
    uint64_t state;
};

struct decode_case {
    struct scene_shape shape;
    int rotary;
    bool interleaved, has_norm, norm_last;
};

struct decode { // arguments of the op that a scene does not have
    std::vector<uint16_t> q, k, v;
    std::vector<float> q_norm, k_norm, inv_freq;
    std::vector<int32_t> positions, table;
    std::vector<int64_t> slots;
    struct rope_plain plain;
    struct attention args;
};

static int below(struct decode_tests *tests, int limit) {
    return (int)(random_next(&tests->state) % (uint64_t)limit);
}

static float draw(struct decode_tests *tests) { // -1 ... 1
    return (float)(random_next(&tests->state) >> 40) * (2.0f / (1 << 24)) - 1;
}

static std::vector<uint16_t> half_draws(struct decode_tests *tests, size_t count) {
    std::vector<uint16_t> values(count);
    for (uint16_t &value : values)
        value = float_to_half(1.2f * draw(tests));
    return values;
}

static std::vector<float> draws(struct decode_tests *tests, size_t count) {
    std::vector<float> values(count);
    for (float &value : values)
        value = 1.5f * draw(tests);
    return values;
}

template <typename type> static const type *on_card(const std::vector<type> &values) {
    return (const type *)copy_to_card(values.data(), values.size() * sizeof(type));
}

template <typename type> static std::vector<type> fetch(const type *memory, size_t count) {
    std::vector<type> values(count);
    CUDA(cudaMemcpy(values.data(), memory, count * sizeof(type), cudaMemcpyDeviceToHost));
    return values;
}

static struct device *open_device(bool deterministic) {
    const struct device_options options = {0, deterministic};
    const struct workspace workspace = {LONGEST, 64 * 512, 64, LONGEST_TREE, 64, 512};
    struct device *device;
    struct error err;
    if (backend_cuda()->open(&options, &device, &err) != STATUS_OK ||
        backend_cuda()->reserve(device, &workspace) != STATUS_OK)
        CUDA(cudaErrorInitializationError);
    return device;
}

static void finish(struct device *device) {
    CUDA(device->failure);
    CUDA(cudaStreamSynchronize(device->stream));
}

static void place_tokens(const struct decode_case *it, const struct scene *scene,
                         struct decode *in) {
    const size_t width = (size_t)scene->batch.max_blocks_per_seq;
    const int size = it->shape.block_size;
    in->table = fetch(scene->batch.block_table, width * it->shape.keys.size());
    for (size_t s = 0; s < it->shape.keys.size(); s++)
        for (int key = it->shape.keys[s] - it->shape.queries[s]; key < it->shape.keys[s]; key++) {
            in->positions.push_back(key);
            in->slots.push_back((int64_t)in->table[s * width + key / size] * size + key % size);
        }
}

static struct decode decode_fill(struct decode_tests *tests, const struct decode_case *it,
                                 struct scene *scene) {
    const size_t row = (size_t)scene->batch.num_tokens * it->shape.head_size;
    struct decode in = {};
    in.q = half_draws(tests, row * it->shape.num_heads);
    in.k = half_draws(tests, row * it->shape.num_kv_heads);
    in.v = half_draws(tests, row * it->shape.num_kv_heads);
    in.q_norm = draws(tests, it->shape.head_size);
    in.k_norm = draws(tests, it->shape.head_size);
    in.inv_freq = draws(tests, it->rotary / 2 + 1);
    place_tokens(it, scene, &in);
    scene->batch.positions = on_card(in.positions);
    scene->batch.slot_mapping = on_card(in.slots);
    struct rope_and_cache *rope = &in.args.rope;
    rope->q = (void *)scene->args.q;
    rope->k = (void *)on_card(in.k);
    rope->v = on_card(in.v);
    rope->q_norm = on_card(in.q_norm);
    rope->k_norm = on_card(in.k_norm);
    rope->inv_freq = on_card(in.inv_freq);
    rope->eps = 1e-6f;
    rope->magnitude = 1.1f;
    rope->interleaved = it->interleaved;
    rope->rotary = it->rotary;
    rope->num_heads = it->shape.num_heads;
    rope->layer = scene->args.layer;
    rope->cache = &scene->cache;
    rope->batch = &scene->batch;
    in.args.attend = scene->args;
    return in;
}

static void decode_release(const struct scene *scene, const struct decode *in, const float *q_norm,
                           const float *k_norm) {
    const struct rope_and_cache *rope = &in->args.rope;
    const void *all[] = {rope->k,
                         rope->v,
                         q_norm,
                         k_norm,
                         rope->inv_freq,
                         scene->batch.positions,
                         scene->batch.slot_mapping};
    for (const void *memory : all)
        CUDA(cudaFree((void *)memory));
}

// Byte of the cache where a token's K begins, or V, index by index as in backend.h.
static size_t row_at(const struct scene *scene, int64_t slot, int plane, int head) {
    const struct kv_cache *cache = &scene->cache;
    size_t row = ((size_t)scene->args.layer * 2 + plane) * cache->num_kv_heads + head;
    row = row * cache->block_size + slot % cache->block_size;
    return (size_t)(slot / cache->block_size) * kv_block_bytes(cache) +
           row * dtype_row_bytes(cache->type, cache->head_size);
}

// The same of its scale, in a cache of eight bits: behind all rows of the block.
static size_t scale_at(const struct scene *scene, int64_t slot, int plane, int head) {
    const struct kv_cache *cache = &scene->cache;
    const size_t block = (size_t)(slot / cache->block_size);
    const size_t rows = (size_t)2 * cache->num_layers * cache->num_kv_heads * cache->block_size;
    const size_t row = row_at(scene, slot, plane, head) - block * kv_block_bytes(cache);
    return block * kv_block_bytes(cache) + rows * cache->head_size + row / cache->head_size * 2;
}

// The scene's cache, in which the new tokens' slots are NaN.
static std::vector<char> cache_before(const struct scene *scene, const struct decode *in) {
    std::vector<char> bytes = fetch((const char *)scene->cache.data,
                                    scene->cache.num_blocks * kv_block_bytes(&scene->cache));
    const size_t row = dtype_row_bytes(scene->cache.type, scene->cache.head_size);
    for (int64_t slot : in->slots)
        for (int plane = 0; plane < 2; plane++)
            for (int head = 0; head < scene->cache.num_kv_heads; head++) {
                memset(&bytes[row_at(scene, slot, plane, head)], POISON, row);
                if (kv_is_scaled(scene->cache.type))
                    memset(&bytes[scale_at(scene, slot, plane, head)], POISON, 2);
            }
    return bytes;
}

// How far an element of eight bits is from the nearest one to `expected`: more than 1 is wrong.
static double scaled_error(enum dtype type, const char *element, const char *scale_bytes,
                           double expected) {
    bf16 bits;
    float got;
    memcpy(&bits, scale_bytes, sizeof bits);
    dtype_to_float(type, element, &got, 1);
    const double scale = (double)bf16_to_float(bits);
    const double half_step =
        scale * (type == DTYPE_INT8 ? 0.5 : fmax(fabs(expected) / scale / 16, 0x1p-10));
    const double error = fabs(got * scale - expected) / (half_step * 1.01 + 1e-4);
    return error < 1e9 ? error : 1e9; // NaN is not below it
}

// How wrong the new tokens' slots are; 1e9 where another byte is not as it was.
static double written_error(const struct scene *scene, const struct decode *in,
                            const std::vector<char> &before, std::vector<char> after) {
    const size_t size = (size_t)scene->cache.head_size;
    const size_t element = dtype_row_bytes(scene->cache.type, 1);
    const float *norm = in->args.rope.k_norm ? in->k_norm.data() : nullptr;
    double worst = 0;
    for (size_t t = 0; t < in->slots.size(); t++)
        for (int head = 0; head < scene->cache.num_kv_heads; head++) {
            const size_t from = (t * scene->cache.num_kv_heads + head) * size;
            const std::vector<double> k =
                rope_plain_turn(&in->plain, &in->k[from], norm, in->positions[t]);
            for (int plane = 0; plane < 2; plane++) {
                const size_t at = row_at(scene, in->slots[t], plane, head);
                const bool scaled = kv_is_scaled(scene->cache.type);
                char *scale = scaled ? &after[scale_at(scene, in->slots[t], plane, head)] : nullptr;
                for (size_t i = 0; i < size; i++) {
                    const double value = plane ? (double)half_to_float(in->v[from + i]) : k[i];
                    const char *got = &after[at + i * element];
                    worst = fmax(worst, scaled ? scaled_error(scene->cache.type, got, scale, value)
                                               : stored_error(scene->cache.type, got, value));
                }
                memset(&after[at], POISON, size * element);
                if (scaled) memset(scale, POISON, 2);
            }
        }
    return after == before ? worst : 1e9;
}

// q as attention meets it: turned, rounded to fp16 and to the cache's type.
static std::vector<uint16_t> turned_queries(const struct scene *scene, const struct decode *in) {
    const size_t size = (size_t)scene->cache.head_size;
    const float *norm = in->args.rope.q_norm ? in->q_norm.data() : nullptr;
    std::vector<uint16_t> q(in->q.size());
    for (size_t head = 0; head < q.size() / size; head++) {
        const std::vector<double> x = rope_plain_turn(&in->plain, &in->q[head * size], norm,
                                                      in->positions[head / scene->args.num_heads]);
        for (size_t i = 0; i < size; i++) {
            q[head * size + i] = float_to_half((float)x[i]);
            if (scene->cache.type == DTYPE_BF16)
                q[head * size + i] =
                    float_to_half(bf16_to_float(float_to_bf16(half_to_float(q[head * size + i]))));
        }
    }
    return q;
}

struct made {
    std::vector<uint16_t> out;
    std::vector<char> cache;
    bool operator==(const made &other) const { return out == other.out && cache == other.cache; }
};

// What the op makes of the same start, in one or in turn.
static struct made make(struct device *device, const struct scene *scene, const struct decode *in,
                        const std::vector<char> &before, bool unfused) {
    CUDA(cudaMemcpy(scene->cache.data, before.data(), before.size(), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(in->args.rope.q, in->q.data(), 2 * in->q.size(), cudaMemcpyHostToDevice));
    scene_poison(scene);
    if (unfused)
        attention_unfused(backend_cuda(), device, &in->args);
    else
        backend_cuda()->attention(device, &in->args);
    finish(device);
    return {scene_output(scene), fetch((const char *)scene->cache.data, before.size())};
}

static void describe(char *text, size_t bytes, const struct decode_case *it, const char *way) {
    const struct scene_shape *shape = &it->shape;
    int at = snprintf(text, bytes,
                      "attention %s, %s, %d/%d heads of %d, blocks of %d, rotary %d%s%s, cap %g, "
                      "window %d%s,",
                      way, dtype_name(shape->type), shape->num_heads, shape->num_kv_heads,
                      shape->head_size, shape->block_size, it->rotary,
                      it->interleaved ? " interleaved" : "",
                      it->has_norm ? it->norm_last ? ", norms last" : ", norms" : "",
                      (double)shape->softcap, shape->window, shape->has_sinks ? ", sinks" : "");
    for (size_t s = 0; s < shape->keys.size() && at < (int)bytes; s++)
        at += snprintf(text + at, bytes - at, " %d/%d", shape->queries[s], shape->keys[s]);
}

static void count(struct decode_tests *tests, const struct decode_case *it, const char *way,
                  bool passed, double error) {
    char what[400];
    describe(what, sizeof what, it, way);
    tally_count(tests->tally, passed, what, error);
}

static void test_case(struct decode_tests *tests, const struct decode_case *it) {
    const double tolerance = it->shape.type == DTYPE_BF16   ? 1e-2
                             : kv_is_scaled(it->shape.type) ? 4e-3
                                                            : 2e-3;
    if (tests->tally->cases++ % tests->tally->every) return;
    struct scene scene;
    scene_fill(&scene, &it->shape, random_next(&tests->state));
    struct decode in = decode_fill(tests, it, &scene);
    const float *q_norm = in.args.rope.q_norm, *k_norm = in.args.rope.k_norm;
    if (!it->has_norm) in.args.rope.q_norm = in.args.rope.k_norm = nullptr;
    in.args.rope.norm_last = it->norm_last;
    in.plain = {it->shape.head_size, it->rotary, it->interleaved, in.inv_freq.data(), 1.1f, 1e-6f,
                it->norm_last};
    const std::vector<char> before = cache_before(&scene, &in);
    const struct made ordered = make(tests->deterministic, &scene, &in, before, false);
    count(tests, it, "on a deterministic device",
          make(tests->deterministic, &scene, &in, before, true) == ordered, 0);
    if (it->shape.tree) {
        const struct shared_past shared = scene.batch.shared;
        scene.batch.shared = {};
        count(tests, it, "deterministic, as if nothing was shared",
              make(tests->deterministic, &scene, &in, before, false) == ordered, 0);
        scene.batch.shared = shared;
    }
    const struct made unfused = make(tests->device, &scene, &in, before, true);
    const struct made in_one = make(tests->device, &scene, &in, before, false);
    count(tests, it, "as in turn", in_one == unfused, 0);
    const double written = written_error(&scene, &in, before, in_one.cache);
    count(tests, it, "writes the cache", written <= 1, written);
    const std::vector<uint16_t> q = turned_queries(&scene, &in);
    CUDA(cudaMemcpy(in.args.rope.q, q.data(), 2 * q.size(), cudaMemcpyHostToDevice));
    const double error = scene_error(&scene, scene_attend(&scene));
    count(tests, it, "attends", error <= tolerance && scene_guard_holds(&scene), error);
    decode_release(&scene, &in, q_norm, k_norm);
    scene_release(&scene);
}

static void set_lengths(struct decode_tests *tests, struct scene_shape *shape, bool mixed) {
    static const int LONG[] = {40, 700, LONGEST - 1};
    const int longest = LONG[below(tests, tests->tally->quick ? 2 : 3)];
    shape->keys = {longest, 1, shape->block_size, shape->block_size + 1};
    while (shape->keys.size() < SEQUENCES)
        shape->keys.push_back(1 + below(tests, longest));
    for (size_t i = SEQUENCES; i > 1; i--)
        std::swap(shape->keys[i - 1], shape->keys[below(tests, (int)i)]);
    shape->queries.assign(SEQUENCES, 1);
    for (size_t s = 0; s < SEQUENCES && mixed; s += 2)
        shape->queries[s] = 1 + below(tests, shape->keys[s]);
    shape->keys.resize(1 + below(tests, SEQUENCES));
    shape->queries.resize(shape->keys.size());
}

static void set_features(struct decode_tests *tests, struct decode_case *it) {
    static const int WINDOWS[] = {1, 16, 17, 64, 100, 500};
    const int which = below(tests, 8), size = it->shape.head_size;
    it->shape.window = which & 1 ? WINDOWS[below(tests, 6)] : 0;
    it->shape.softcap = which & 2 ? 0.5f + (float)below(tests, 8) : 0;
    it->shape.has_sinks = (which & 4) != 0;
    const int rotaries[] = {size, size, size / 2, 8, 0};
    it->rotary = rotaries[below(tests, 5)] / 2 * 2;
    it->interleaved = below(tests, 2);
    it->has_norm = below(tests, 2);
    it->norm_last = below(tests, 2);
}

static void test_sizes(struct decode_tests *tests, struct decode_case *it) {
    static const int SIZES[] = {64, 80, 96, 112, 120, 128, 192, 256, 512, 8},
                     BLOCKS[] = {8, 16, 32};
    for (int size : SIZES)
        for (int block : BLOCKS) {
            if (tests->tally->quick && block != BLOCKS[(size / 8 + it->shape.num_heads) % 3])
                continue;
            it->shape.head_size = size;
            it->shape.block_size = block;
            for (int variant = 0; variant < 5; variant++) {
                set_features(tests, it);
                if (variant < 3)
                    set_lengths(tests, &it->shape, false);
                else
                    scene_set_few(&it->shape, LONGEST - 1, &tests->state);
                test_case(tests, it);
            }
        }
}

// Sequences that fork from one another: what they share is read once.
static void test_tree(struct decode_tests *tests, struct decode_case *it,
                      const struct tree_shape *shape) {
    struct tree tree;
    tree_make(&tree, shape, &tests->state);
    it->shape.block_size = shape->block_size;
    set_features(tests, it);
    it->shape.keys.assign(tree.keys, tree.keys + shape->seqs);
    it->shape.queries.assign(shape->seqs, 1);
    if (below(tests, 4)) tree_share(&tree, shape->block_size, FLASH_SHARED_KEYS, 1);
    it->shape.tree = &tree;
    test_case(tests, it);
    it->shape.tree = nullptr;
    tree_drop(&tree);
}

static const int TREE_HEADS[] = {64, 80, 96, 120, 128, 192, 256, 512}, TREE_BLOCKS[] = {8, 16, 32};

static void test_trees(struct decode_tests *tests, struct decode_case *it) {
    const int cases = tests->tally->quick ? 3 : 10;
    for (int i = 0; i < cases; i++) {
        const struct tree_shape shape = {1 + below(tests, i % 5 ? 20 : TREE_SEQS_MAX),
                                         below(tests, 3) ? LONGEST - 1 : 700,
                                         TREE_BLOCKS[below(tests, 3)], 5 + below(tests, 6), false};
        it->shape.head_size = TREE_HEADS[below(tests, 8)];
        test_tree(tests, it, &shape);
    }
}

// Any number of leaves of forks of forks, as long as the elements of all keys allow.
static void test_long_trees(struct decode_tests *tests, enum dtype type) {
    enum { ELEMENTS = 24 << 20 };
    static const int HEADS[][2] = {{1, 1}, {2, 2}, {8, 2}, {16, 1}, {7, 1}};
    for (int i = 0; i < (tests->tally->quick ? 1 : 8); i++) {
        const int *heads = HEADS[below(tests, 5)], seqs = 1 + below(tests, TREE_SEQS_MAX);
        struct decode_case it = {{type, heads[0], heads[1], TREE_HEADS[i]}};
        const int most = std::min(LONGEST_TREE - 1, ELEMENTS / (heads[1] * TREE_HEADS[i] * seqs));
        const struct tree_shape shape = {seqs, most - below(tests, most / 2),
                                         TREE_BLOCKS[below(tests, 3)], 9, false};
        test_tree(tests, &it, &shape);
    }
}

// What flash_decode and flash_few do not serve: many queries, a cache of fp32, heads of other
// sizes.
static void test_others(struct decode_tests *tests) {
    static const int SHAPES[][3] = {
        {64, 16, DTYPE_F16}, {128, 32, DTYPE_BF16}, {64, 16, DTYPE_F32}, {20, 5, DTYPE_F16}};
    for (const int *shape : SHAPES) {
        struct decode_case it = {{(enum dtype)shape[2], 6, 2, shape[0], shape[1]}};
        set_features(tests, &it);
        set_lengths(tests, &it.shape, true);
        test_case(tests, &it);
    }
}

// The numbers of a step in which each sequence has `left` fewer keys than in the scene.
static void send_step(struct device *device, const struct scene *scene, const struct decode *in,
                      const std::vector<int32_t> &lengths, int left) {
    const size_t width = (size_t)scene->batch.max_blocks_per_seq;
    const int size = scene->cache.block_size;
    std::vector<int32_t> keys, positions;
    std::vector<int64_t> slots;
    for (size_t s = 0; s < lengths.size(); s++) {
        const int key = lengths[s] - left - 1;
        keys.push_back(key + 1);
        positions.push_back(key);
        slots.push_back((int64_t)in->table[s * width + key / size] * size + key % size);
    }
    const struct backend *backend = backend_cuda();
    backend->to_device(device, (void *)scene->batch.seq_lens_kv, keys.data(), 4 * keys.size());
    backend->to_device(device, (void *)scene->batch.positions, positions.data(), 4 * keys.size());
    backend->to_device(device, (void *)scene->batch.slot_mapping, slots.data(), 8 * keys.size());
}

// Steps of growing sequences as in a forward pass: an embedding, then every layer, which in turn
// wait for one another and in one do not. Returns all that they wrote.
static struct made run_steps(struct decode_tests *tests, struct scene *scene,
                             const struct decode *in, const std::vector<char> &before,
                             const struct embedding *embedding, bool unfused) {
    const int steps = tests->tally->quick ? 4 : 40;
    const struct backend *backend = backend_cuda();
    const std::vector<int32_t> lengths = fetch(scene->batch.seq_lens_kv, scene->batch.num_seqs);
    struct device *device = tests->device;
    struct made made = {std::vector<uint16_t>(steps * scene->out_bytes / 2), {}};
    CUDA(cudaMemcpy(scene->cache.data, before.data(), before.size(), cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
    for (int step = 0; step < steps; step++) {
        send_step(device, scene, in, lengths, steps - 1 - step);
        backend->to_device(device, in->args.rope.q, in->q.data(), 2 * in->q.size());
        backend->embedding(device, embedding);
        for (int layer = 0; layer < scene->cache.num_layers; layer++) {
            struct attention args = in->args;
            args.rope.layer = args.attend.layer = layer;
            unfused ? attention_unfused(backend, device, &args) : backend->attention(device, &args);
            if (!unfused) continue;
            backend->to_device(device, in->args.rope.q, in->q.data(), 2 * in->q.size());
            finish(device);
        }
        backend->to_host(device, &made.out[step * scene->out_bytes / 2], scene->args.out,
                         scene->out_bytes);
    }
    finish(device);
    made.cache = fetch((const char *)scene->cache.data, before.size());
    return made;
}

// What a step writes, the next one reads, though its first copies begin early.
static void test_steps(struct decode_tests *tests, enum dtype type) {
    enum { ROWS = 8, COLUMNS = 64 };
    struct decode_case it = {{type, 8, 2, 64, 16, {1, 1, 1}, {700, 41, 130}}, 64, false, false};
    struct scene scene;
    scene_fill(&scene, &it.shape, random_next(&tests->state));
    struct decode in = decode_fill(tests, &it, &scene);
    const float *q_norm = in.args.rope.q_norm, *k_norm = in.args.rope.k_norm;
    in.args.rope.q_norm = in.args.rope.k_norm = nullptr;
    const std::vector<char> before(scene.cache.num_blocks * kv_block_bytes(&scene.cache), 0);
    const std::vector<float> rows(ROWS * COLUMNS);
    const std::vector<int32_t> ids(ROWS);
    struct embedding embedding = {(void *)on_card(rows), on_card(ids)};
    embedding.table = {rows.data(), DTYPE_F32, ROWS, COLUMNS};
    embedding.tokens = scene.batch.num_seqs;
    embedding.scale = 1;
    embedding.stride = 1;
    if (backend_cuda()->weights(tests->device, &embedding.table, &embedding.table.data))
        CUDA(cudaErrorMemoryAllocation);
    const struct made unfused = run_steps(tests, &scene, &in, before, &embedding, true);
    const struct made in_one = run_steps(tests, &scene, &in, before, &embedding, false);
    count(tests, &it, "step by step", in_one == unfused, 0);
    CUDA(cudaFree(embedding.y));
    CUDA(cudaFree((void *)embedding.token_ids));
    decode_release(&scene, &in, q_norm, k_norm);
    scene_release(&scene);
}

void test_decode(struct device *, struct tally *tally) {
    static const int HEADS[][2] = {{6, 6}, {8, 2}, {16, 1}, {15, 3}, {32, 4}};
    struct decode_tests tests = {open_device(false), open_device(true), tally, tally->seed};
    for (enum dtype type : {DTYPE_F16, DTYPE_BF16, DTYPE_FP8, DTYPE_INT8}) {
        for (int h = 0; h < 5; h++) {
            struct decode_case it = {{type, HEADS[h][0], HEADS[h][1]}};
            if (!tally->quick || (h + type) % 2) test_sizes(&tests, &it);
            test_trees(&tests, &it);
        }
        test_long_trees(&tests, type);
        test_steps(&tests, type);
    }
    test_others(&tests);
    backend_cuda()->close(tests.device);
    backend_cuda()->close(tests.deterministic);
}
