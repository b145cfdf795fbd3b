// tests/device/time_linear.cu — how long the products of a step take, at llama-3-8b's shape.
//
// Each cell: microseconds of a layer, and GB/s of packed weights, or, of prefills, TFLOP/s. Steps
// of decodes are recorded, as those of the program are; eight layers hold more than any cache.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "kernels/cuda/device.cuh"
#include "tests/device/tests.cuh"

enum {
    LAYERS = 8,
    DIM = 4096,
    KV_DIM = 1024,
    FFN = 14336,
    REPEATS = 20,
    RECORDED = 64,
    MOST_TOKENS = 2048
};
enum { QKV, OUTPUT, GATE_UP, DOWN, PRODUCTS, WHOLE = PRODUCTS };

struct layer_weights {
    struct weight q, k, v, o, gate, up, down;
};

struct harness {
    const struct backend *backend;
    struct device *device;
    std::vector<layer_weights> layers;
    void *stream, *normed, *qkv[3], *rows, *gated, *up_rows;
    float *norm;
    uint64_t key;
};

static void *zeros(size_t bytes) {
    void *memory;
    CUDA(cudaMalloc(&memory, bytes));
    CUDA(cudaMemset(memory, 0, bytes));
    return memory;
}

// A card multiplies zeros with less power, and so faster.
static void *noise(enum dtype type, size_t count) {
    std::vector<char> values(count * (size_t)dtype_block_bytes(type));
    void *memory = zeros(values.size());
    dtype_fill_random(type, values.data(), count, 1, 1);
    CUDA(cudaMemcpy(memory, values.data(), values.size(), cudaMemcpyHostToDevice));
    return memory;
}

static struct weight load(struct harness *harness, enum dtype type, const void *blocks,
                          int32_t rows, int32_t columns) {
    struct weight weight = {blocks, type, rows, columns, 0};
    if (harness->backend->weights(harness->device, &weight, &weight.data) != STATUS_OK) exit(2);
    return weight;
}

// All matrices are made of the same random blocks.
static void load_layers(struct harness *harness, enum dtype type) {
    std::vector<char> blocks((size_t)FFN * dtype_row_bytes(type, DIM));
    dtype_fill_random(type, blocks.data(), (size_t)FFN * DIM, 0.02f, 1);
    const void *from = blocks.data();
    for (int i = 0; i < LAYERS; i++)
        harness->layers.push_back(
            {load(harness, type, from, DIM, DIM), load(harness, type, from, KV_DIM, DIM),
             load(harness, type, from, KV_DIM, DIM), load(harness, type, from, DIM, DIM),
             load(harness, type, from, FFN, DIM), load(harness, type, from, FFN, DIM),
             load(harness, type, from, DIM, FFN)});
}

static void take_rows(struct harness *harness, size_t tokens) {
    harness->stream = noise(DTYPE_F32, tokens * DIM);
    harness->normed = zeros(tokens * DIM * 2);
    for (int i = 0; i < 3; i++)
        harness->qkv[i] = zeros(tokens * DIM * 2);
    harness->rows = noise(DTYPE_F16, tokens * DIM);
    harness->gated = noise(DTYPE_F16, tokens * FFN);
    harness->up_rows = zeros(tokens * FFN * 2);
    harness->norm = (float *)noise(DTYPE_F32, DIM);
    CUDA(cudaDeviceSynchronize());
}

static void add(struct harness *harness, const void *rows, const struct weight *weight,
                int32_t tokens) {
    struct linear args = {};
    args.in.x = rows;
    args.in.tokens = tokens;
    args.parts[0] = {harness->stream, *weight, nullptr};
    args.count = 1;
    args.store = LINEAR_ADD;
    harness->backend->linear(harness->device, &args);
}

static void enqueue(struct harness *harness, int product, int32_t tokens) {
    const struct linear_input normed = {harness->stream, harness->norm, harness->normed, tokens,
                                        1e-5f};
    for (const layer_weights &layer : harness->layers) {
        if (product == QKV || product == WHOLE) {
            struct linear args = {};
            args.in = normed;
            args.parts[0] = {harness->qkv[0], layer.q, nullptr};
            args.parts[1] = {harness->qkv[1], layer.k, nullptr};
            args.parts[2] = {harness->qkv[2], layer.v, nullptr};
            args.count = 3;
            harness->backend->linear(harness->device, &args);
        }
        if (product == OUTPUT || product == WHOLE) add(harness, harness->rows, &layer.o, tokens);
        if (product == GATE_UP || product == WHOLE) {
            const struct gated_linear args = {normed, harness->gated, harness->up_rows, layer.gate,
                                              layer.up};
            harness->backend->gated_linear(harness->device, &args);
        }
        if (product == DOWN || product == WHOLE) add(harness, harness->gated, &layer.down, tokens);
    }
}

static void step(struct harness *harness, int product, int32_t tokens) {
    if (tokens > RECORDED) {
        enqueue(harness, product, tokens);
        return;
    }
    if (harness->backend->replay(harness->device, harness->key)) return;
    enqueue(harness, product, tokens);
    if (!harness->backend->recorded(harness->device)) enqueue(harness, product, tokens);
}

static double bytes_of(enum dtype type, int product) {
    const double row = (double)dtype_row_bytes(type, DIM);
    const double bytes[PRODUCTS] = {(DIM + 2 * KV_DIM) * row, DIM * row, 2 * FFN * row,
                                    DIM * (double)dtype_row_bytes(type, FFN)};
    if (product < PRODUCTS) return bytes[product];
    return bytes[QKV] + bytes[OUTPUT] + bytes[GATE_UP] + bytes[DOWN];
}

static void time_product(struct harness *harness, enum dtype type, int product, int32_t tokens) {
    cudaEvent_t begin, end;
    float ms = 0;
    harness->key++;
    for (int i = 0; i < 4; i++) // as it is, recorded, and replayed
        step(harness, product, tokens);
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin, harness->device->stream));
    for (int i = 0; i < REPEATS; i++)
        step(harness, product, tokens);
    CUDA(cudaEventRecord(end, harness->device->stream));
    if (harness->backend->sync(harness->device) != STATUS_OK) exit(2);
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    const double us = (double)ms * 1e3 / REPEATS / LAYERS;
    if (tokens <= RECORDED)
        printf("  %7.1f %5.0f", us, bytes_of(type, product) / us / 1e3);
    else
        printf("  %7.1f %5.0f", us, bytes_of(DTYPE_F16, product) * tokens / us / 1e6);
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
}

static void time_type(enum dtype type) {
    struct error err;
    struct harness harness = {};
    const struct device_options options = {};
    const struct workspace workspace = {MOST_TOKENS, FFN, 64, 4096, 32, 128};
    harness.backend = backend_cuda();
    if (harness.backend->open(&options, &harness.device, &err) != STATUS_OK ||
        harness.backend->reserve(harness.device, &workspace) != STATUS_OK)
        exit(2);
    load_layers(&harness, type);
    take_rows(&harness, MOST_TOKENS);
    for (int32_t tokens : {1, 2, 4, 5, 8, 16, 32, 64, 512, (int32_t)MOST_TOKENS}) {
        printf("%-5s %6d", dtype_name(type), tokens);
        for (int product = 0; product <= WHOLE; product++)
            time_product(&harness, type, product, tokens);
        printf("\n");
    }
    for (void *memory :
         {harness.stream, harness.normed, harness.qkv[0], harness.qkv[1], harness.qkv[2],
          harness.rows, harness.gated, harness.up_rows, (void *)harness.norm})
        CUDA(cudaFree(memory));
    harness.backend->close(harness.device);
}

void time_linear(struct device *, struct tally *tally) {
    printf("type  tokens    q, k, v       output        gate, up      down          a layer\n");
    for (int type = DTYPE_F16; type < DTYPE_COUNT; type++)
        if (tally_takes(tally, (enum dtype)type)) time_type((enum dtype)type);
}
