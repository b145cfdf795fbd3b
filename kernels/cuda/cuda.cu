// kernels/cuda/cuda.cu — the CUDA backend's table: device life cycle, memory, copies.
#include "kernels/cuda/card.cuh"
#include "kernels/cuda/flash_shared.cuh"
#include "kernels/cuda/stream_k.cuh"
#include "kernels/cuda/unpacked.cuh"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

static const size_t HUGE_BYTES = (size_t)2 << 20;

// Tells apart the reasons that call for different action. The runtime reports a missing driver as
// one that is too old.
static enum status refuse(cudaError_t failure, struct error *err) {
    const bool has_driver =
        access("/proc/driver/nvidia/version", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
    if (failure == cudaErrorNoDevice || !has_driver)
        return error_set(err, STATUS_DEVICE, "no NVIDIA GPU found; use --backend cpu");
    if (failure == cudaErrorInsufficientDriver)
        return error_set(err, STATUS_DEVICE,
                         "the NVIDIA driver is too old for CUDA %d.%d; update it, or use "
                         "--backend cpu",
                         CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (failure == cudaErrorDevicesUnavailable) // or kept from the process whose kernel failed
        return error_set(err, STATUS_DEVICE,
                         "the GPU is in use, or not given back to quire after a failure; start "
                         "quire again or use --backend cpu");
    return error_set(err, STATUS_DEVICE, "cannot use the GPU (%s); use --backend cpu",
                     cudaGetErrorString(failure));
}

static cudaError_t start(struct device *device) {
    int count = 0, least, greatest; // priorities; unpacking ahead gets the least
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaSuccess && count == 0) result = cudaErrorNoDevice;
    if (result == cudaSuccess) result = cudaSetDevice(device->index);
    if (result == cudaSuccess) result = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    if (result == cudaSuccess)
        result = cudaStreamCreateWithPriority(&device->stream, cudaStreamNonBlocking, greatest);
    if (result == cudaSuccess) result = cudaMalloc(&device->blas_workspace, BLAS_WORKSPACE_BYTES);
    return result;
}

static void free_shared(struct device *device) {
    void *const all[] = {device->shared.values,      device->shared.extremes,
                         device->shared.own_values,  device->shared.own_extremes,
                         device->shared.own_weights, device->shared.q};
    for (void *memory : all)
        device_note(device, cudaFree(memory));
    device->shared = {};
}

static void cuda_close(struct device *device) {
    if (!device) return;
    unpacked_destroy(device->unpacked);
    cuda_close_copies(device);
    cuda_free_weights(device);
    cuda_free_staging(device);
    cuda_forget_recordings(device);
    if (device->blas) cublasLtDestroy(device->blas);
    cudaFree(device->flash_parts);
    cudaFree(device->flash_arrived);
    free_shared(device);
    cudaFree(device->stream_k_parts);
    cudaFree(device->stream_k_arrived);
    cudaFree(device->partitions);
    cudaFree(device->candidate_keys);
    cudaFree(device->candidates_arrived);
    cuda_free_experts(device);
    cudaFree(device->mail);
    cuda_free_timers(device);
    cudaFree(device->blas_workspace);
    if (device->done) cudaEventDestroy(device->done);
    if (device->stream) cudaStreamDestroy(device->stream);
    // After a fault in a kernel every call fails until there is another context.
    if (cudaFree(nullptr) != cudaSuccess) cudaDeviceReset();
    free(device);
}

static enum status cuda_open(const struct device_options *options, struct device **result,
                             struct error *err) {
    struct device *device = (struct device *)calloc(1, sizeof *device);
    if (!device) return error_set(err, STATUS_NO_MEMORY, "not enough memory for the device");
    device->deterministic = options->deterministic;
    const cudaError_t failure = start(device);
    if (failure == cudaSuccess) {
        const enum status status = card_open(device, err);
        if (status != STATUS_OK) cuda_close(device);
        if (status != STATUS_OK) return status;
    }
    if (failure != cudaSuccess || cublasLtCreate(&device->blas) != CUBLAS_STATUS_SUCCESS) {
        cuda_close(device);
        return failure != cudaSuccess ? refuse(failure, err)
                                      : error_set(err, STATUS_DEVICE, "cuBLASLt did not start");
    }
    cuda_open_ranges();
    *result = device;
    return STATUS_OK;
}

// What is free, or would be on the card that the device is limited to.
static void read_memory(struct device *device, size_t *unused, size_t *total) {
    device_note(device, cudaMemGetInfo(unused, total));
    *unused -= min(*unused, device->withheld_bytes);
    *total = min(*total, device->properties.totalGlobalMem);
}

static void cuda_info(struct device *device, struct device_info *info) {
    *info = (struct device_info){};
    info->plain_bytes = device->plain_bytes;
    info->plain_head_size = device->plain_head_size;
    snprintf(info->name, sizeof info->name, "%s", device->properties.name);
    card_describe(&device->properties, info->trial, sizeof info->trial);
    read_memory(device, &info->memory_free, &info->memory_total);
    info->cache_bytes = (size_t)device->properties.l2CacheSize;
}

extern "C" enum status cuda_alloc(struct device *device, size_t bytes, void **memory) {
    void *taken;
    size_t unused = SIZE_MAX, total;
    if (device->limited) read_memory(device, &unused, &total);
    if (bytes > unused || cudaMalloc(&taken, bytes ? bytes : 1) != cudaSuccess) {
        cudaGetLastError(); // clears the error, which the next launch would report as its own
        return STATUS_NO_MEMORY;
    }
    *memory = taken;
    return STATUS_OK;
}

static enum status reserve_flash(struct device *device) {
    ASSERT(device->limits.max_seqs > 0 && device->limits.num_heads > 0);
    const size_t blocks = (size_t)device->properties.multiProcessorCount * FLASH_BLOCKS;
    const size_t counters = (size_t)device->limits.max_seqs * (size_t)device->limits.num_heads;
    void *parts, *arrived;
    if (!device->flash_parts) {
        TRY(cuda_alloc(device, 2 * blocks * FLASH_PART_FLOATS * sizeof(float), &parts));
        device->flash_parts = (float *)parts;
    }
    TRY(cuda_alloc(device, counters * sizeof(unsigned), &arrived));
    device_note(device, cudaFree(device->flash_arrived));
    device->flash_arrived = (unsigned *)arrived;
    device_note(device, cudaMemsetAsync(arrived, 0, counters * sizeof(unsigned), device->stream));
    return STATUS_OK;
}

static enum status reserve_shared(struct device *device) {
    const struct workspace *limits = &device->limits;
    const size_t own = (size_t)limits->max_seqs * (size_t)limits->num_heads;
    const size_t size = (size_t)limits->head_size, rows = shared_part_rows(device);
    struct shared_sums *shared = &device->shared;
    free_shared(device);
    if (limits->max_seqs < 2) return STATUS_OK;
    TRY(cuda_alloc(device, own * size * sizeof(float), (void **)&shared->own_values));
    TRY(cuda_alloc(device, own * sizeof(float2), (void **)&shared->own_extremes));
    if (device->deterministic)
        return cuda_alloc(device, own * sizeof(float4), (void **)&shared->own_weights);
    TRY(cuda_alloc(device, rows * size * sizeof(float), (void **)&shared->values));
    TRY(cuda_alloc(device, rows * sizeof(float2), (void **)&shared->extremes));
    return cuda_alloc(device, own * size * sizeof(__half), (void **)&shared->q);
}

static enum status reserve_stream_k(struct device *device) {
    const size_t blocks = (size_t)device->properties.multiProcessorCount;
    const size_t counters = blocks * STREAM_K_WARPS * sizeof(unsigned);
    void *parts, *arrived;
    if (device->stream_k_arrived) return STATUS_OK;
    if (!device->stream_k_parts) {
        TRY(cuda_alloc(device, blocks * STREAM_K_PARTS * STREAM_K_PART_FLOATS * sizeof(float),
                       &parts));
        device->stream_k_parts = (float *)parts;
    }
    TRY(cuda_alloc(device, counters, &arrived));
    device->stream_k_arrived = (unsigned *)arrived;
    device_note(device, cudaMemsetAsync(arrived, 0, counters, device->stream));
    return STATUS_OK;
}

static enum status reserve_partitions(struct device *device) {
    const size_t bytes = cuda_partitions_bytes(&device->limits);
    device_note(device, cudaFree(device->partitions));
    device->partitions = NULL;
    return bytes ? cuda_alloc(device, bytes, &device->partitions) : STATUS_OK;
}

static enum status reserve_candidates(struct device *device) {
    const size_t rows = (size_t)device->limits.max_logits;
    void *keys, *arrived;
    device_note(device, cudaFree(device->candidate_keys));
    device_note(device, cudaFree(device->candidates_arrived));
    device->candidate_keys = NULL;
    device->candidates_arrived = NULL;
    TRY(cuda_alloc(device, cuda_candidate_keys(&device->limits) * sizeof(uint64_t), &keys));
    device->candidate_keys = (uint64_t *)keys;
    TRY(cuda_alloc(device, rows * sizeof(unsigned), &arrived));
    device->candidates_arrived = (unsigned *)arrived;
    device_note(device, cudaMemsetAsync(arrived, 0, rows * sizeof(unsigned), device->stream));
    return STATUS_OK;
}

static enum status cuda_reserve(struct device *device, const struct workspace *workspace) {
    ASSERT(workspace->max_tokens > 0 && workspace->head_size > 0);
    device->limits = *workspace;
    cuda_forget_recordings(device);
    cuda_free_staging(device);
    TRY(reserve_flash(device));
    TRY(reserve_shared(device));
    TRY(reserve_stream_k(device));
    TRY(reserve_partitions(device));
    TRY(reserve_candidates(device));
    TRY(cuda_reserve_experts(device));
    TRY(cuda_reserve_mail(device));
    if (!device->unpacked && !device->deterministic) device->unpacked = unpacked_create(device);
    return device->unpacked || device->deterministic ? STATUS_OK : STATUS_NO_MEMORY;
}

// Kernels are loaded when they are first launched, and the last slab of weights is not full.
static size_t cuda_reserve_bytes(const struct workspace *workspace) {
    const size_t others = (size_t)384 << 20, unpacked = (size_t)256 << 20;
    const size_t slots = (size_t)workspace->max_tokens * (size_t)workspace->experts_used;
    const size_t slot_bytes = (size_t)workspace->expert_rows * sizeof(__half) +
                              (size_t)workspace->expert_outputs * sizeof(float);
    return others + unpacked + cuda_partitions_bytes(workspace) + slots * slot_bytes +
           cuda_candidate_keys(workspace) * sizeof(uint64_t);
}

static void cuda_release(struct device *device, void *memory, size_t bytes) {
    (void)bytes;
    device_note(device, cudaFree(memory));
}

// Large memory is read by the processor from end to end, which huge pages make faster: the driver's
// own has small ones. So it is mapped here and only registered with the driver.
static bool is_large(size_t bytes) { return bytes >= 8 * HUGE_BYTES; }

static size_t whole_pages(size_t bytes) {
    return (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
}

static char *map_huge_pages(size_t bytes) { // NULL: there is no memory
    const size_t whole = whole_pages(bytes), all = whole + HUGE_BYTES;
    if (bytes > SIZE_MAX / 2) return NULL;
    void *mapped = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return NULL;
    char *const begin = (char *)mapped, *const end = begin + all;
    char *const aligned = (char *)whole_pages((size_t)mapped);
    if (aligned > begin) munmap(begin, (size_t)(aligned - begin));
    if (end > aligned + whole) munmap(aligned + whole, (size_t)(end - aligned) - whole);
    (void)madvise(aligned, whole, MADV_HUGEPAGE); // a hint: a refusal costs speed only
    // A child must not make us copy pages that the card knows.
    (void)madvise(aligned, whole, MADV_DONTFORK);
    return aligned;
}

static void *alloc_large(size_t bytes) { // NULL: the system does not let us, or has no memory
    char *const mapped = map_huge_pages(bytes);
    if (!mapped) return NULL;
    if (cudaHostRegister(mapped, whole_pages(bytes), cudaHostRegisterMapped) == cudaSuccess)
        return mapped;
    cudaGetLastError();
    munmap(mapped, whole_pages(bytes));
    return NULL;
}

extern "C" enum status cuda_alloc_host(struct device *device, size_t bytes, void **memory) {
    (void)device;
    void *taken = is_large(bytes) ? alloc_large(bytes) : NULL;
    if (!taken && cudaHostAlloc(&taken, bytes ? bytes : 1, cudaHostAllocDefault) != cudaSuccess) {
        cudaGetLastError();
        return STATUS_NO_MEMORY;
    }
    *memory = taken;
    return STATUS_OK;
}

extern "C" void cuda_release_host(struct device *device, void *memory, size_t bytes) {
    if (is_large(bytes) && memory) {
        if (cudaHostUnregister(memory) == cudaSuccess) {
            munmap(memory, whole_pages(bytes));
            return;
        }
        cudaGetLastError(); // it is the driver's own
    }
    device_note(device, cudaFreeHost(memory));
}

static void cuda_to_device(struct device *device, void *memory, const void *host, size_t bytes) {
    ASSERT(bytes == 0 || (memory && host));
    device_note(device,
                cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, device->stream));
}

static void cuda_to_host(struct device *device, void *host, const void *memory, size_t bytes) {
    ASSERT(bytes == 0 || (memory && host));
    device_note(device,
                cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDeviceToHost, device->stream));
}

static cudaError_t wait_asleep(struct device *device) {
    const cudaError_t recorded = cudaEventRecord(device->done, device->stream);
    return recorded == cudaSuccess ? cudaEventSynchronize(device->done) : recorded;
}

static enum status cuda_sync(struct device *device) {
    device_note(device, device->done ? wait_asleep(device) : cudaStreamSynchronize(device->stream));
    cuda_note_exceeding(device);
    const cudaError_t failure = device->failure;
    device->failure = cudaSuccess;
    return failure == cudaSuccess ? STATUS_OK : STATUS_DEVICE;
}

extern "C" void device_wait_asleep(struct device *device) {
    if (!device->done)
        device_note(device, cudaEventCreateWithFlags(&device->done, cudaEventBlockingSync |
                                                                        cudaEventDisableTiming));
}

static void cuda_call_host(struct device *device, void (*function)(void *user), void *user) {
    device_wait_asleep(device);
    device_note(device, cudaLaunchHostFunc(device->stream, function, user));
}

extern "C" const struct backend *backend_cuda(void) {
    static const struct backend table = {
        .name = "cuda",
        .activation = DTYPE_F16,
        .residual = DTYPE_F32,
        .batch_tokens = 2048,
        .shared_keys = FLASH_SHARED_KEYS,
        .shared_least = 10240,
        .open = cuda_open,
        .close = cuda_close,
        .info = cuda_info,
        .attention_check = cuda_attention_check,
        .reserve = cuda_reserve,
        .reserve_bytes = cuda_reserve_bytes,
        .alloc = cuda_alloc,
        .release = cuda_release,
        .alloc_host = cuda_alloc_host,
        .release_host = cuda_release_host,
        .weights = cuda_weights,
        .copy_weights = cuda_copy_weights,
        .arrange_weights = cuda_arrange_weights,
        .copy_in_background = cuda_copy_in_background,
        .background_copies_done = cuda_background_copies_done,
        .weight_bytes = cuda_weight_bytes,
        .to_device = cuda_to_device,
        .to_host = cuda_to_host,
        .sync = cuda_sync,
        .call_host = cuda_call_host,
        .ask_host = cuda_ask_host,
        .take_answer = cuda_take_answer,
        .gather_experts = cuda_gather_experts,
        .embedding = cuda_embedding,
        .rmsnorm = cuda_rmsnorm,
        .narrow = cuda_narrow,
        .add_rows = cuda_add_rows,
        .linear = cuda_linear,
        .gated_linear = cuda_gated_linear,
        .rope_and_cache = cuda_rope_and_cache,
        .paged_attention = cuda_paged_attention,
        .attention = cuda_attention,
        .short_conv = cuda_short_conv,
        .recurrence = cuda_recurrence,
        .copy_parts = cuda_copy_parts,
        .scale_rows = cuda_scale_rows,
        .act_and_mul = cuda_act_and_mul,
        .route = cuda_route,
        .experts = cuda_experts,
        .logits = cuda_logits,
        .candidates = cuda_candidates,
        .copy_blocks = cuda_copy_blocks,
        .swap_blocks = cuda_swap_blocks,
        .swap_time = cuda_swap_time,
        .replay = cuda_replay,
        .recorded = cuda_recorded,
        .read = cuda_read,
    };
    return &table;
}
