// tests/device/test_recurrence.cu — a recurrent layer against the reference backend: two sequences,
// at once and in random chunks, which have the same bits.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "kernels/host.h"
#include "tests/device/tests.cuh"

enum { SEQS = 2, BLOCK = 16 };

template <typename type> struct shared_array { // of the card and the host; poisoned
    type *at;
    size_t count;
    explicit shared_array(size_t n) : count(n) {
        CUDA(cudaMallocManaged((void **)&at, n * sizeof(type)));
        memset(at, 0xff, n * sizeof(type));
    }
    ~shared_array() { CUDA(cudaFree(at)); }
    shared_array(const shared_array &) = delete;
};

struct recurrence_scene {
    uint64_t state;
    struct recurrence args; // what does not change
    int tokens[SEQS], blocks;
    std::vector<float> inputs[SEQS][4]; // qkv, z, alpha, beta; whole fp16 numbers
};

static float draw(uint64_t *state, float size) {
    return size * ((float)(random_next(state) >> 40) * (2.0f / (1 << 24)) - 1);
}

static size_t width_of(const struct recurrence &args, int input) {
    if (input == 0) return (size_t)recurrence_channels(&args);
    return (size_t)args.value_heads * (input == 1 ? (size_t)args.value_size : 1);
}

static void store(uint16_t *to, float value) { *to = float_to_half(value); }
static void store(float *to, float value) { *to = value; }
static float as_float(uint16_t half) { return half_to_float(half); }
static float as_float(float value) { return value; }

// All tokens in steps of up to `most` for each sequence. Appends z, then the states.
template <typename type>
static std::vector<float> run(const struct backend *backend, struct device *device,
                              struct recurrence_scene *scene, int most) {
    struct recurrence args = scene->args;
    const size_t bytes = recurrence_state_bytes(&args);
    const int table_width = scene->blocks;
    shared_array<char> data((size_t)SEQS * table_width * bytes);
    shared_array<int32_t> cu(SEQS + 1), lengths(SEQS), table((size_t)SEQS * table_width);
    for (int i = 0; i < SEQS * table_width; i++)
        table.at[i] = SEQS * table_width - 1 - i;
    struct kv_cache cache = {data.at, DTYPE_F32, KV_LAYOUT_ROWS, 1, 1, 1, BLOCK};
    cache.num_blocks = (uint32_t)(SEQS * table_width), cache.latent = true;
    cache.state_bytes = bytes;
    std::vector<float> out[SEQS];
    int done[SEQS] = {};
    while (done[0] < scene->tokens[0] || done[1] < scene->tokens[1]) {
        struct batch batch = {0, 0, table_width, cu.at, lengths.at, nullptr};
        shared_array<int32_t> rows((size_t)SEQS * table_width);
        int which[SEQS], add[SEQS];
        cu.at[0] = 0;
        for (int s = 0; s < SEQS; s++) {
            const int left = scene->tokens[s] - done[s];
            const int chunk = std::min(left, 1 + (int)(random_next(&scene->state) % most));
            if (left == 0) continue;
            const int n = batch.num_seqs++;
            which[n] = s, add[n] = chunk, done[s] += chunk;
            lengths.at[n] = done[s], cu.at[n + 1] = cu.at[n] + chunk;
            memcpy(rows.at + n * table_width, table.at + s * table_width, table_width * 4);
        }
        batch.num_tokens = cu.at[batch.num_seqs], batch.block_table = rows.at;
        shared_array<type> qkv(batch.num_tokens * width_of(args, 0)),
            z(batch.num_tokens * width_of(args, 1)), alpha(batch.num_tokens * width_of(args, 2)),
            beta(batch.num_tokens * width_of(args, 3));
        type *const to[] = {qkv.at, z.at, alpha.at, beta.at};
        for (int n = 0; n < batch.num_seqs; n++)
            for (int input = 0; input < 4; input++) {
                const size_t width = width_of(args, input);
                const size_t from = (size_t)(done[which[n]] - add[n]) * width;
                for (size_t i = 0; i < add[n] * width; i++)
                    store(to[input] + cu.at[n] * width + i,
                          scene->inputs[which[n]][input][from + i]);
            }
        args.qkv = qkv.at, args.z = z.at, args.alpha = alpha.at, args.beta = beta.at;
        args.cache = &cache, args.batch = &batch;
        backend->recurrence(device, &args);
        if (backend->sync(device) != STATUS_OK) exit(2);
        for (int n = 0; n < batch.num_seqs; n++)
            for (size_t i = cu.at[n] * width_of(args, 1); i < cu.at[n + 1] * width_of(args, 1); i++)
                out[which[n]].push_back(as_float(z.at[i]));
    }
    std::vector<float> all;
    for (int s = 0; s < SEQS; s++) {
        const int block = table.at[s * table_width + (scene->tokens[s] - 1) / BLOCK];
        const float *state = (const float *)(data.at + (size_t)block * bytes);
        all.insert(all.end(), out[s].begin(), out[s].end());
        all.insert(all.end(), state, state + bytes / sizeof(float));
    }
    return all;
}

struct shape {
    recurrence_rule rule;
    int keys, values, key_size, value_size, width, tokens;
};

static void test_shape(struct device *device, struct device *reference, struct tally *tally,
                       const struct shape &shape) {
    struct recurrence_scene scene = {tally->seed};
    struct recurrence &args = scene.args;
    const bool delta = shape.rule == RECURRENCE_DELTA;
    args.rule = shape.rule, args.key_heads = shape.keys, args.value_heads = shape.values;
    args.key_size = shape.key_size, args.value_size = shape.value_size, args.width = shape.width;
    args.tiled = delta && shape.key_size % 3 == 0, args.eps = 1e-6f;
    const size_t channels = (size_t)recurrence_channels(&args), heads = (size_t)args.value_heads;
    scene.tokens[0] = shape.tokens, scene.tokens[1] = shape.tokens / 2 + 1;
    scene.blocks = (shape.tokens + BLOCK - 1) / BLOCK;
    shared_array<float> conv((size_t)(args.width + !delta) * channels), decay(heads), bias(heads),
        skip(heads), norm((delta ? 1 : heads) * args.value_size);
    for (size_t i = 0; i < conv.count; i++)
        conv.at[i] = draw(&scene.state, 1);
    for (size_t i = 0; i < heads; i++)
        decay.at[i] = -1 - draw(&scene.state, 1), bias.at[i] = draw(&scene.state, 1),
        skip.at[i] = draw(&scene.state, 1);
    for (size_t i = 0; i < norm.count; i++)
        norm.at[i] = 1 + draw(&scene.state, 0.5f);
    args.conv = conv.at, args.decay = decay.at, args.bias = bias.at;
    args.skip = skip.at, args.norm = delta || shape.width != 2 ? norm.at : nullptr;
    for (auto &inputs : scene.inputs)
        for (int input = 0; input < 4; input++) {
            inputs[input].resize((size_t)shape.tokens * width_of(args, input));
            for (float &value : inputs[input])
                value = half_to_float(float_to_half(draw(&scene.state, 2)));
        }
    const std::vector<float> right =
        run<float>(backend_reference(), reference, &scene, shape.tokens);
    const std::vector<float> whole = run<uint16_t>(backend_cuda(), device, &scene, shape.tokens);
    const std::vector<float> pieces = run<uint16_t>(backend_cuda(), device, &scene, 7);
    double difference = 0, size = 0;
    for (size_t i = 0; i < right.size(); i++) {
        difference += pow((double)whole[i] - (double)right[i], 2);
        size += pow((double)right[i], 2);
    }
    const double error = sqrt(difference / size);
    const bool same = whole.size() == pieces.size() &&
                      !memcmp(whole.data(), pieces.data(), whole.size() * sizeof(float));
    char what[128];
    snprintf(what, sizeof what, "%s %d and %d heads of %d and %d, width %d, %d tokens%s",
             delta ? "delta net" : "SSD", shape.keys, shape.values, shape.key_size,
             shape.value_size, shape.width, shape.tokens, same ? "" : ", other bits in chunks");
    tally_count(tally, same && error < 4e-3, what, error);
}

void test_recurrence(struct device *, struct tally *tally) {
    const recurrence_rule DELTA = RECURRENCE_DELTA, SSD = RECURRENCE_SSD;
    const struct shape SHAPES[] = {
        // SSD without a norm where the width is 2
        {DELTA, 1, 1, 8, 8, 1, 5},      {DELTA, 2, 4, 16, 16, 4, 37},
        {DELTA, 2, 2, 24, 24, 3, 33},   {DELTA, 2, 6, 64, 64, 4, 20},
        {DELTA, 4, 8, 128, 128, 4, 50}, {DELTA, 1, 2, 192, 192, 2, 19},
        {DELTA, 1, 1, 256, 256, 4, 17}, {DELTA, 2, 4, 128, 128, 8, 1},
        {SSD, 1, 2, 8, 4, 1, 5},        {SSD, 2, 4, 16, 20, 4, 37},
        {SSD, 1, 48, 128, 64, 4, 40},   {SSD, 8, 16, 128, 64, 4, 21},
        {SSD, 1, 3, 256, 128, 2, 19},   {SSD, 2, 4, 64, 8, 8, 1},
    };
    const struct device_options options = {};
    struct device *device, *reference;
    struct error err;
    if (backend_cuda()->open(&options, &device, &err) != STATUS_OK ||
        backend_reference()->open(&options, &reference, &err) != STATUS_OK)
        CUDA(cudaErrorInitializationError);
    for (const auto &shape : SHAPES)
        test_shape(device, reference, tally, shape);
    backend_cuda()->close(device);
    backend_reference()->close(reference);
}
