// tests/device/time_experts.cu — how long a mixture's products take, at the shapes of
// qwen3-30b-a3b and gpt-oss-20b.
//
// Each cell: microseconds of a layer's op experts, and GB/s of the experts that were read. Steps
// are recorded, as those of the program are; layers hold more than any cache.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "kernels/cuda/device.cuh"
#include "tests/device/tests.cuh"

enum { LAYERS = 4, REPEATS = 10, MOST_TOKENS = 2048 };

struct mixture_shape {
    const char *name;
    enum dtype type, down_type;
    int32_t experts, used, rows, dim;
};

static const struct mixture_shape SHAPES[] = {
    {"qwen3-30b-a3b Q4_K", DTYPE_Q4_K, DTYPE_Q4_K, 128, 8, 768, 2048},
    {"qwen3-30b-a3b Q4_K, Q6_K", DTYPE_Q4_K, DTYPE_Q6_K, 128, 8, 768, 2048},
    {"qwen3-30b-a3b Q8_0", DTYPE_Q8_0, DTYPE_Q8_0, 128, 8, 768, 2048},
    {"gpt-oss-20b MXFP4", DTYPE_MXFP4, DTYPE_MXFP4, 32, 4, 2880, 2880},
};

struct timed_layer {
    struct expert_weights gate, up, down;
    const int32_t *chosen; // [MOST_TOKENS, used]
    int32_t distinct[MOST_TOKENS + 1];
};

static void *to_card(const void *host, size_t bytes) {
    void *memory;
    CUDA(cudaMalloc(&memory, bytes));
    host ? CUDA(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice))
         : CUDA(cudaMemset(memory, 0, bytes));
    return memory;
}

static struct expert_weights load(struct device *device, const struct mixture_shape &shape,
                                  enum dtype type, int32_t rows, int32_t columns) {
    const size_t count = (size_t)rows * (size_t)columns;
    std::vector<char> blocks((size_t)rows * dtype_row_bytes(type, columns));
    std::vector<const void *> data((size_t)shape.experts);
    dtype_fill_random(type, blocks.data(), count, 0.02f, 1);
    const struct weight one = {blocks.data(), type, rows, columns, 0};
    for (const void *&expert : data)
        if (backend_cuda()->weights(device, &one, &expert) != STATUS_OK) exit(2);
    return {(const void *const *)to_card(data.data(), data.size() * sizeof data[0]), type, rows,
            columns, nullptr};
}

static void choose(struct timed_layer *layer, const struct mixture_shape &shape, uint64_t *state) {
    std::vector<int32_t> chosen, all((size_t)shape.experts);
    std::vector<bool> seen((size_t)shape.experts);
    for (int32_t e = 0; e < shape.experts; e++)
        all[(size_t)e] = e;
    layer->distinct[0] = 0;
    for (int32_t t = 0; t < MOST_TOKENS; t++) {
        layer->distinct[t + 1] = layer->distinct[t];
        for (size_t j = 0; j < (size_t)shape.used; j++) {
            std::swap(all[j], all[j + random_next(state) % (all.size() - j)]);
            chosen.push_back(all[j]);
            layer->distinct[t + 1] += !seen[(size_t)all[j]];
            seen[(size_t)all[j]] = true;
        }
    }
    layer->chosen = (const int32_t *)to_card(chosen.data(), chosen.size() * sizeof chosen[0]);
}

struct timed_mixture {
    struct device *device;
    const struct mixture_shape *shape;
    std::vector<timed_layer> layers;
    void *x, *y;
    float *shares;
    uint64_t key;
};

static void enqueue(struct timed_mixture *m, int32_t tokens) {
    for (const timed_layer &layer : m->layers) {
        const struct experts args = {
            m->y,       m->x,   layer.chosen,      m->shares,      layer.gate, layer.up,
            layer.down, tokens, m->shape->experts, m->shape->used, ACT_SILU};
        backend_cuda()->experts(m->device, &args);
    }
}

static void step(struct timed_mixture *m, int32_t tokens) {
    if (backend_cuda()->replay(m->device, m->key)) return;
    enqueue(m, tokens);
    if (!backend_cuda()->recorded(m->device)) enqueue(m, tokens);
}

static void time_tokens(struct timed_mixture *m, int32_t tokens) {
    cudaEvent_t begin, end;
    float ms = 0;
    m->key++;
    for (int i = 0; i < 4; i++) // as it is, recorded, and replayed
        step(m, tokens);
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin, m->device->stream));
    for (int i = 0; i < REPEATS; i++)
        step(m, tokens);
    CUDA(cudaEventRecord(end, m->device->stream));
    if (backend_cuda()->sync(m->device) != STATUS_OK) exit(2);
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    double bytes = 0;
    for (const timed_layer &layer : m->layers)
        for (const struct expert_weights *w : {&layer.gate, &layer.up, &layer.down})
            bytes += (double)layer.distinct[tokens] * w->rows *
                     (double)dtype_row_bytes(w->type, w->columns) / LAYERS;
    const double us = (double)ms * 1e3 / REPEATS / LAYERS;
    printf("  %5d: %7.1f us %5.0f GB/s\n", tokens, us, bytes / us / 1e3);
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
}

static void time_shape(const struct mixture_shape &shape) {
    struct error err;
    const struct device_options options = {};
    struct workspace workspace = {MOST_TOKENS, 4096, 64, 4096, 32, 128};
    struct timed_mixture m = {nullptr, &shape};
    uint64_t state = 7;
    workspace.experts = shape.experts;
    workspace.experts_used = shape.used;
    workspace.expert_rows = shape.rows;
    workspace.expert_outputs = shape.dim;
    if (backend_cuda()->open(&options, &m.device, &err) != STATUS_OK ||
        backend_cuda()->reserve(m.device, &workspace) != STATUS_OK)
        exit(2);
    for (int i = 0; i < LAYERS; i++) {
        m.layers.push_back({load(m.device, shape, shape.type, shape.rows, shape.dim),
                            load(m.device, shape, shape.type, shape.rows, shape.dim),
                            load(m.device, shape, shape.down_type, shape.dim, shape.rows)});
        choose(&m.layers.back(), shape, &state);
    }
    std::vector<uint16_t> x((size_t)MOST_TOKENS * (size_t)shape.dim);
    for (uint16_t &value : x)
        value = float_to_half((float)(random_next(&state) >> 40) * 0x1p-23f - 1);
    m.x = to_card(x.data(), x.size() * sizeof x[0]);
    m.y = to_card(nullptr, x.size() * sizeof(float));
    const size_t slots = (size_t)MOST_TOKENS * (size_t)shape.used;
    m.shares = (float *)to_card(nullptr, slots * sizeof(float));
    printf("%s\n", shape.name);
    for (int32_t tokens : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 2048})
        time_tokens(&m, tokens);
    for (const timed_layer &layer : m.layers)
        for (const void *memory : {(const void *)layer.gate.data, (const void *)layer.up.data,
                                   (const void *)layer.down.data, (const void *)layer.chosen})
            CUDA(cudaFree((void *)memory));
    for (void *memory : {m.x, m.y, (void *)m.shares})
        CUDA(cudaFree(memory));
    backend_cuda()->close(m.device);
}

void time_experts(struct device *, struct tally *) {
    for (const struct mixture_shape &shape : SHAPES)
        time_shape(shape);
}
