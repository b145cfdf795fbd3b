// tests/device/test_copies.cu — matrices that cross in the middle of a step, one after the other
// into the same memory, beside it, and as experts that a token chose, are what weights() makes of
// them.
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/tiles.cuh"
#include "tests/device/scene.cuh"
#include "tests/device/tests.cuh"

enum { MATRICES = 24, COLUMNS = 512 };

struct copies {
    struct device *device;
    struct tally *tally;
    struct weight weights[MATRICES]; // in pinned memory
    std::vector<std::vector<char>> expected;
    size_t bytes; // on the card
};

static void fill(struct copies *copies, enum dtype type, int32_t rows) {
    copies->expected.clear();
    for (int i = 0; i < MATRICES; i++) {
        struct weight *weight = &copies->weights[i];
        void *memory;
        const void *data;
        *weight = {};
        weight->type = type;
        weight->rows = rows;
        weight->columns = COLUMNS;
        CUDA(cudaHostAlloc(&memory, (size_t)rows * dtype_row_bytes(type, COLUMNS),
                           cudaHostAllocDefault));
        dtype_fill_random(type, memory, (size_t)rows * COLUMNS, 0.1f,
                          copies->tally->seed + (uint64_t)i);
        weight->data = memory;
        copies->bytes = backend_cuda()->weight_bytes(weight);
        if (backend_cuda()->weights(copies->device, weight, &data) != STATUS_OK)
            CUDA(cudaErrorMemoryAllocation);
        CUDA(cudaStreamSynchronize(copies->device->stream));
        std::vector<char> expected(copies->bytes);
        CUDA(cudaMemcpy(expected.data(), data, copies->bytes, cudaMemcpyDeviceToHost));
        copies->expected.push_back(expected);
    }
}

static int count_wrong(const struct copies *copies, const char *memory) {
    std::vector<char> found(copies->bytes);
    int wrong = 0;
    for (int i = 0; i < MATRICES; i++) {
        CUDA(cudaMemcpy(found.data(), memory + (size_t)i * copies->bytes, copies->bytes,
                        cudaMemcpyDeviceToHost));
        wrong += memcmp(found.data(), copies->expected[i].data(), copies->bytes) != 0;
    }
    return wrong;
}

// What reads a matrix is a copy to another place on the card.
static void test_type(struct copies *copies, enum dtype type, int32_t rows) {
    void *slot, *all, *beside;
    bool begun = true;
    fill(copies, type, rows);
    CUDA(cudaMalloc(&slot, copies->bytes));
    CUDA(cudaMalloc(&all, MATRICES * copies->bytes));
    CUDA(cudaMalloc(&beside, MATRICES * copies->bytes));
    for (int i = 0; i < MATRICES; i++) {
        char *to = (char *)all + (size_t)i * copies->bytes;
        backend_cuda()->copy_weights(copies->device, &copies->weights[i], slot);
        CUDA(cudaMemcpyAsync(to, slot, copies->bytes, cudaMemcpyDeviceToDevice,
                             copies->device->stream));
        char *copied = (char *)beside + (size_t)i * copies->bytes;
        begun = backend_cuda()->copy_in_background(copies->device, &copies->weights[i], copied) &&
                begun;
    }
    const bool synced = backend_cuda()->sync(copies->device) == STATUS_OK;
    while (!backend_cuda()->background_copies_done(copies->device)) {
    }
    const bool fails = backend_cuda()->sync(copies->device) != STATUS_OK;
    const int wrong = count_wrong(copies, (const char *)all);
    const int wrong_beside = count_wrong(copies, (const char *)beside);
    char what[96];
    snprintf(what, sizeof what, "copies of %d %s matrices of %d rows", (int)MATRICES,
             dtype_name(type), (int)rows);
    tally_count(copies->tally, begun && synced && !fails && wrong + wrong_beside == 0, what,
                wrong + wrong_beside);
    for (void *memory : {slot, all, beside})
        CUDA(cudaFree(memory));
    for (const struct weight &weight : copies->weights)
        CUDA(cudaFreeHost((void *)weight.data));
}

// Experts that a token chose, out of pinned memory, and a bias of each.
static void test_gathered(struct copies *copies, enum dtype type, int32_t rows, int32_t chosen) {
    std::vector<const void *> list(MATRICES);
    std::vector<float> bias(MATRICES * (size_t)rows);
    std::vector<int32_t> choices(chosen);
    const size_t bytes = (size_t)rows * dtype_row_bytes(type, COLUMNS);
    uint64_t state = copies->tally->seed;
    void *pinned_list, *pinned_bias;
    fill(copies, type, rows);
    for (int i = 0; i < MATRICES; i++)
        list[i] = copies->weights[i].data;
    for (float &value : bias)
        value = (float)(random_next(&state) % 1000);
    for (int i = 0; i < chosen; i++)
        choices[i] = (int32_t)((random_next(&state) + (uint64_t)i) % MATRICES);
    CUDA(cudaHostAlloc(&pinned_list, list.size() * sizeof list[0], cudaHostAllocDefault));
    CUDA(cudaHostAlloc(&pinned_bias, bias.size() * sizeof bias[0], cudaHostAllocDefault));
    memcpy(pinned_list, list.data(), list.size() * sizeof list[0]);
    memcpy(pinned_bias, bias.data(), bias.size() * sizeof bias[0]);
    struct gather_experts args = {};
    args.chosen = (const int32_t *)copy_to_card(choices.data(), choices.size() * sizeof choices[0]);
    args.count = chosen;
    args.stack_count = GATHERED_STACKS;
    CUDA(cudaMalloc(&args.ids, (size_t)chosen * sizeof args.ids[0]));
    for (struct gathered &stack : args.stacks) {
        stack.from.data = (const void *const *)pinned_list;
        stack.from.type = type;
        stack.from.rows = rows;
        stack.from.columns = COLUMNS;
        stack.from.bias = (const float *)pinned_bias;
        stack.stride_bytes = copies->bytes;
        CUDA(cudaMalloc(&stack.rows, (size_t)chosen * bytes));
        CUDA(cudaMalloc(&stack.bias, (size_t)chosen * (size_t)rows * sizeof stack.bias[0]));
        CUDA(cudaMalloc(&stack.list, (size_t)chosen * sizeof stack.list[0]));
        CUDA(cudaMalloc(&stack.to, (size_t)chosen * copies->bytes));
    }
    backend_cuda()->gather_experts(copies->device, &args);
    for (const struct gathered &stack : args.stacks) {
        struct weight all = {};
        all.data = stack.rows;
        all.type = type;
        all.rows = rows * chosen;
        all.columns = COLUMNS;
        backend_cuda()->arrange_weights(copies->device, &all, stack.to);
    }
    int wrong = backend_cuda()->sync(copies->device) != STATUS_OK;
    std::vector<int32_t> ids(chosen);
    CUDA(cudaMemcpy(ids.data(), args.ids, ids.size() * sizeof ids[0], cudaMemcpyDeviceToHost));
    for (const struct gathered &stack : args.stacks) {
        std::vector<char> found(copies->bytes);
        std::vector<float> biases((size_t)chosen * (size_t)rows);
        std::vector<const void *> lists(chosen);
        CUDA(cudaMemcpy(biases.data(), stack.bias, biases.size() * sizeof biases[0],
                        cudaMemcpyDeviceToHost));
        CUDA(cudaMemcpy(lists.data(), stack.list, lists.size() * sizeof lists[0],
                        cudaMemcpyDeviceToHost));
        for (int j = 0; j < chosen; j++) {
            const char *to = stack.to + (size_t)j * stack.stride_bytes;
            CUDA(cudaMemcpy(found.data(), to, copies->bytes, cudaMemcpyDeviceToHost));
            wrong += found != copies->expected[choices[j]] || lists[j] != to || ids[j] != j;
            wrong +=
                memcmp(&biases[(size_t)j * (size_t)rows], &bias[(size_t)choices[j] * (size_t)rows],
                       (size_t)rows * sizeof bias[0]) != 0;
        }
        for (void *memory : {stack.rows, (void *)stack.bias, (void *)stack.list, (void *)stack.to})
            CUDA(cudaFree(memory));
    }
    char what[96];
    snprintf(what, sizeof what, "%d gathered experts of %s, %d rows", (int)chosen, dtype_name(type),
             (int)rows);
    tally_count(copies->tally, wrong == 0, what, wrong);
    CUDA(cudaFree((void *)args.chosen));
    CUDA(cudaFree(args.ids));
    CUDA(cudaFreeHost(pinned_list));
    CUDA(cudaFreeHost(pinned_bias));
    for (const struct weight &weight : copies->weights)
        CUDA(cudaFreeHost((void *)weight.data));
}

// A matrix that crosses in parts, out of memory that is not pinned, too; and a table that stays in
// host memory. The whole of it, arranged in one piece, says what is right.
static void test_large(struct copies *copies, enum dtype type) {
    struct weight large = {};
    large.type = type;
    large.columns = 8 * COLUMNS;
    large.rows = 2 * CROSSING_PART_BYTES / (int32_t)dtype_row_bytes(type, large.columns) /
                     TILE_ROWS * TILE_ROWS +
                 5;
    const size_t raw_bytes = (size_t)large.rows * dtype_row_bytes(type, large.columns);
    const size_t bytes = backend_cuda()->weight_bytes(&large);
    const size_t whole_tiles = (size_t)large.rows / TILE_ROWS, tiles = whole_tiles + 1;
    std::vector<char> raw(raw_bytes), expected(bytes), found(bytes);
    dtype_fill_random(type, raw.data(), (size_t)large.rows * (size_t)large.columns, 0.1f,
                      copies->tally->seed);
    void *whole, *slot;
    const void *on_card, *in_host;
    CUDA(cudaMalloc(&whole, bytes));
    CUDA(cudaMalloc(&slot, bytes));
    CUDA(cudaMemset(whole, 0, bytes));
    CUDA(cudaMemset(slot, 0, bytes));
    large.data = copy_to_card(raw.data(), raw_bytes);
    backend_cuda()->arrange_weights(copies->device, &large, whole);
    CUDA(cudaStreamSynchronize(copies->device->stream));
    CUDA(cudaMemcpy(expected.data(), whole, bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaFree((void *)large.data));
    large.data = raw.data();
    backend_cuda()->copy_weights(copies->device, &large, slot);
    int wrong = backend_cuda()->weights(copies->device, &large, &on_card) != STATUS_OK;
    large.pinned = true;
    wrong += backend_cuda()->weights(copies->device, &large, &in_host) != STATUS_OK;
    wrong += backend_cuda()->sync(copies->device) != STATUS_OK;
    cudaPointerAttributes is = {};
    for (const void *memory : {(const void *)slot, on_card, in_host}) {
        CUDA(cudaPointerGetAttributes(&is, memory));
        wrong += is.type != (memory == in_host ? cudaMemoryTypeHost : cudaMemoryTypeDevice);
        CUDA(cudaMemcpy(found.data(), memory, bytes, cudaMemcpyDefault));
        wrong += memcmp(found.data(), expected.data(), bytes / tiles * whole_tiles) != 0;
    }
    char what[96];
    snprintf(what, sizeof what, "a large matrix of %s in parts, and in host memory",
             dtype_name(type));
    tally_count(copies->tally, wrong == 0, what, wrong);
    CUDA(cudaFree(whole));
    CUDA(cudaFree(slot));
}

void test_copies(struct device *, struct tally *tally) {
    struct copies copies = {};
    struct error err;
    const struct device_options options = {};
    copies.tally = tally;
    if (backend_cuda()->open(&options, &copies.device, &err) != STATUS_OK)
        CUDA(cudaErrorInitializationError);
    for (enum dtype type : {DTYPE_Q4_K, DTYPE_Q6_K, DTYPE_Q8_0, DTYPE_MXFP4, DTYPE_BF16, DTYPE_F16})
        for (int32_t rows : {16, 768, 8192}) // the buffers grow
            if (tally_takes(tally, type)) test_type(&copies, type, rows);
    for (enum dtype type : {DTYPE_Q4_K, DTYPE_Q6_K, DTYPE_Q8_0, DTYPE_MXFP4, DTYPE_BF16, DTYPE_F16})
        for (int32_t chosen : {1, 2, 7})
            if (tally_takes(tally, type)) test_gathered(&copies, type, 8 * 96, chosen);
    for (enum dtype type : {DTYPE_Q4_K, DTYPE_Q6_K, DTYPE_MXFP4, DTYPE_BF16, DTYPE_F16})
        if (tally_takes(tally, type)) test_large(&copies, type);
    backend_cuda()->close(copies.device);
}
