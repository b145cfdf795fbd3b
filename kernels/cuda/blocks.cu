// kernels/cuda/blocks.cu — whole extents: copied on the device, swapped with the host, read.
//
//   copy_blocks  one launch for all pairs; grid (pairs, COPIERS), 16 bytes a thread and step
//   swap_blocks  one asynchronous copy for each run of consecutive blocks, timed by events
//   read         every byte once, with 4, 8 or 16 blocks a multiprocessor, by pattern
#include "kernels/cuda/device.cuh"

enum { THREADS = 256, COPIERS = 16, PAIRS_AT_ONCE = 128, READERS_PER_SM = 4 };

struct pairs { // by value: no copy of the lists to the device
    uint32_t source[PAIRS_AT_ONCE], destination[PAIRS_AT_ONCE];
};

static __global__ void copy_kernel(char *data, size_t bytes,
                                   const __grid_constant__ struct pairs pairs) {
    const uint4 *from = (const uint4 *)(data + pairs.source[blockIdx.x] * bytes);
    uint4 *to = (uint4 *)(data + pairs.destination[blockIdx.x] * bytes);
    const size_t vectors = bytes / sizeof(uint4);
    for (size_t i = blockIdx.y * THREADS + threadIdx.x; i < vectors; i += COPIERS * THREADS)
        to[i] = from[i];
}

extern "C" void cuda_copy_blocks(struct device *device, const struct copy_blocks *args) {
    ASSERT(args->pairs >= 0);
    const size_t bytes = kv_block_bytes(args->cache);
    ASSERT(bytes % sizeof(uint4) == 0);
    for (int32_t first = 0; first < args->pairs; first += PAIRS_AT_ONCE) {
        const int32_t left = args->pairs - first;
        const int32_t count = left < PAIRS_AT_ONCE ? left : PAIRS_AT_ONCE;
        struct pairs pairs;
        for (int32_t i = 0; i < count; i++) {
            pairs.source[i] = args->source[first + i];
            pairs.destination[i] = args->destination[first + i];
        }
        copy_kernel<<<dim3(count, COPIERS), THREADS, 0, device->stream>>>((char *)args->cache->data,
                                                                          bytes, pairs);
        device_note(device, cudaGetLastError());
    }
}

// A timer for a swap; NULL if all are in use, or there is none.
static struct swap_timer *start_timer(struct device *device, const struct swap_blocks *args) {
    ASSERT(args->pairs >= 0);
    struct swap_timer *timer = device->swap_timers;
    const struct swap_timer *end = timer + SWAP_TIMERS;
    while (timer < end && timer->pairs > 0)
        timer++;
    if (args->out || args->pairs == 0 || timer == end) return nullptr;
    if (!timer->start && (cudaEventCreate(&timer->start) != cudaSuccess ||
                          cudaEventCreate(&timer->stop) != cudaSuccess))
        return nullptr;
    timer->pairs = args->pairs;
    device_note(device, cudaEventRecord(timer->start, device->stream));
    return timer;
}

extern "C" struct swap_time cuda_swap_time(struct device *device) {
    struct swap_time sum = {};
    for (struct swap_timer &timer : device->swap_timers) {
        float ms;
        if (timer.pairs == 0 || cudaEventQuery(timer.stop) != cudaSuccess ||
            cudaEventElapsedTime(&ms, timer.start, timer.stop) != cudaSuccess)
            continue;
        sum.us += 1e3 * (double)ms;
        sum.pairs += timer.pairs;
        timer.pairs = 0;
    }
    cudaGetLastError(); // clears that one is not ready, which the next launch would report
    return sum;
}

extern "C" void cuda_free_timers(struct device *device) {
    for (struct swap_timer &timer : device->swap_timers) {
        if (timer.start) cudaEventDestroy(timer.start);
        if (timer.stop) cudaEventDestroy(timer.stop);
    }
}

extern "C" void cuda_swap_blocks(struct device *device, const struct swap_blocks *args) {
    ASSERT(args->pairs == 0 || (args->host && args->cache->data));
    struct swap_timer *timer = start_timer(device, args);
    const size_t bytes = kv_block_bytes(args->cache);
    for (int32_t i = 0, run; i < args->pairs; i += run) {
        for (run = 1; i + run < args->pairs; run++)
            if (args->blocks[i + run] != args->blocks[i] + (uint32_t)run ||
                args->slots[i + run] != args->slots[i] + (uint32_t)run)
                break;
        char *extent = (char *)args->cache->data + args->blocks[i] * bytes;
        char *slot = (char *)args->host + args->slots[i] * bytes;
        device_note(device,
                    cudaMemcpyAsync(args->out ? slot : extent, args->out ? extent : slot,
                                    (size_t)run * bytes,
                                    args->out ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice,
                                    device->stream));
    }
    if (timer) device_note(device, cudaEventRecord(timer->stop, device->stream));
}

static __global__ void read_kernel(const uint4 *memory, size_t vectors, unsigned *sink) {
    unsigned sum = 0;
    const size_t stride = (size_t)gridDim.x * THREADS;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < vectors; i += stride) {
        const uint4 v = __ldcs(memory + i);
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x5eed1e55u) *sink = sum; // never, but the compiler cannot know
}

extern "C" void cuda_read(struct device *device, const void *memory, size_t bytes, int pattern) {
    const int blocks = device->properties.multiProcessorCount * (READERS_PER_SM << pattern);
    read_kernel<<<blocks, THREADS, 0, device->stream>>>(
        (const uint4 *)memory, bytes / sizeof(uint4), (unsigned *)device->blas_workspace);
    device_note(device, cudaGetLastError());
}
