// tests/device/test_copies.cu — matrices that cross in the middle of a step, one after the other
// into the same memory, and beside it, are what weights() makes of them.
#include <stdio.h>
#include <string.h>

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
    fill(copies, type, rows);
    CUDA(cudaMalloc(&slot, copies->bytes));
    CUDA(cudaMalloc(&all, MATRICES * copies->bytes));
    CUDA(cudaMalloc(&beside, MATRICES * copies->bytes));
    for (int i = 0; i < MATRICES; i++) {
        char *to = (char *)all + (size_t)i * copies->bytes;
        backend_cuda()->copy_weights(copies->device, &copies->weights[i], slot);
        CUDA(cudaMemcpyAsync(to, slot, copies->bytes, cudaMemcpyDeviceToDevice,
                             copies->device->stream));
        backend_cuda()->copy_aside(copies->device, &copies->weights[i],
                                   (char *)beside + (size_t)i * copies->bytes);
    }
    const bool synced = backend_cuda()->sync(copies->device) == STATUS_OK;
    while (!backend_cuda()->is_copied_aside(copies->device)) {
    }
    const bool fails = backend_cuda()->sync(copies->device) != STATUS_OK;
    const int wrong = count_wrong(copies, (const char *)all);
    const int wrong_beside = count_wrong(copies, (const char *)beside);
    char what[96];
    snprintf(what, sizeof what, "copies of %d %s matrices of %d rows", (int)MATRICES,
             dtype_name(type), (int)rows);
    tally_count(copies->tally, synced && !fails && wrong + wrong_beside == 0, what,
                wrong + wrong_beside);
    for (void *memory : {slot, all, beside})
        CUDA(cudaFree(memory));
    for (const struct weight &weight : copies->weights)
        CUDA(cudaFreeHost((void *)weight.data));
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
    backend_cuda()->close(copies.device);
}
