// kernels/cuda/device.cuh — what every kernel file here shares.
#pragma once
#define CUDA_NO_HALF // half is the bits of one in dtype.h
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/backend.h"
#include "kernels/base/assert.h"

struct copied_weights { // a slab of many matrices, kept until the device is closed
    void *memory;
    size_t bytes, used;
    bool pinned; // host memory
    struct copied_weights *next;
};

// What attention leaves of sequences that share a past until their sums are merged: weighted
// values, and of each the maximum and the sum of the weights.
struct shared_sums {
    float *values;     // [rows of spans, head_size]
    float2 *extremes;  // [rows of spans]
    float *own_values; // [max_seqs x num_heads, head_size] of the keys that are not shared
    float2 *own_extremes;
    __half *q;           // [max_seqs x num_heads, head_size] rotated queries
    float4 *own_weights; // [max_seqs x num_heads] sums of the weights of every fourth column
};

struct swap_timer {
    cudaEvent_t start, stop; // or NULL
    int32_t pairs;           // of the swap that is timed; 0: none
};

enum { SWAP_TIMERS = 32 };

// What the driver was asked for a kernel. It forgets that when the card is reset after a fault, and
// the device, which is closed then, does too.
struct allowed_shared {
    const void *kernel; // NULL: a free place
    size_t bytes;
};

struct mail_counters { // of the kernels that talk to the host: mail.cu
    uint32_t requests; // that there have been
    unsigned arrived;  // blocks of the newest; 0 between them
};

struct background_copies { // copies of weights while ops run: weights.cu
    cudaStream_t stream;   // or NULL: there was none yet
    cudaEvent_t done;
    void *staging;
    size_t staging_bytes;
};

struct stages {          // of weights that cross for the ops to come, as in the file: weights.cu
    cudaStream_t stream; // or NULL: there was none yet
    struct {
        void *memory;
        size_t bytes;
        cudaEvent_t copied, repacked;
    } of[CROSSING_PARTS];
    int next;
};

enum { ALLOWED_PLACES = 1024 }; // more than there are such kernels

struct device {
    cudaStream_t stream;
    cudaError_t failure; // first since the last sync
    cudaEvent_t done;    // of a device that calls the host: waiting must not take a processor from
                         // what it calls; else NULL
    struct cudaDeviceProp properties; // or another card's, which it is limited to: card.cuh
    int index;
    bool limited;
    size_t withheld_bytes; // of its memory, where it is limited
    bool compiled_for_90;  // kernels may start before the previous one ends: launch_after()
    bool deterministic;
    struct copied_weights *weights;
    size_t plain_bytes;      // of weights that only the plain product takes
    int32_t plain_head_size; // asked about in attention_check() and without a fast kernel; 0: none
    void *staging;           // of weights that are being loaded, until the next reserve()
    size_t staging_bytes;
    struct background_copies background;
    struct stages stages;
    bool crossed[DTYPE_COUNT]; // types of weights that did, in the middle of a step
    struct workspace limits;
    struct recordings *recordings;
    cublasLtHandle_t blas;
    void *blas_workspace;       // [BLAS_WORKSPACE_BYTES]
    struct unpacked *unpacked;  // NULL on a deterministic device, which has no use for it
    float *flash_parts;         // of work items that blocks share: flash_decode.cu
    unsigned *flash_arrived;    // [max_seqs x num_heads], 0 between calls
    struct shared_sums shared;  // of sequences that share a past: flash_shared.cuh
    float *stream_k_parts;      // sums of tiles that blocks share: stream_k_kernel.cuh
    unsigned *stream_k_arrived; // [blocks x STREAM_K_WARPS], 0 between calls
    void *partitions;           // of paged_attention_v2, if reserved; else NULL

    // Of mixtures, if reserved; slots are max_tokens x experts_used.
    __half *expert_hidden;            // [slots, expert_rows]
    float *expert_results;            // [slots, expert_outputs]
    int32_t *expert_slots;            // [slots + 1]: slots by rank, then the number of items
    struct expert_item *expert_items; // experts.cuh

    struct swap_timer swap_timers[SWAP_TIMERS];
    struct allowed_shared allowed[ALLOWED_PLACES]; // by the kernel's address: device_allow_more()

    struct mail_counters *mail; // on the card

    uint64_t *candidate_keys;     // [cuda_candidate_keys()]
    unsigned *candidates_arrived; // [max_logits], 0 between calls
};

enum { LEAST_SHARED = 99 << 10 }; // bytes that a block can have on any card from 8.0 on

static const size_t BLAS_WORKSPACE_BYTES = (size_t)32 << 20;

// Keeps the first failure; call it after each launch.
static inline void device_note(struct device *device, cudaError_t result) {
    if (device->failure == cudaSuccess) device->failure = result;
}

static __device__ inline float to_float(float value) { return value; }
static __device__ inline float to_float(__half value) { return __half2float(value); }
static __device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

static __device__ inline void from_float(float value, float *out) { *out = value; }
// Activations are fp16; values beyond its range saturate.
static __device__ inline float clamp_half(float value) {
    return fminf(fmaxf(value, -65504.0f), 65504.0f);
}
static __device__ inline void from_float(float value, __half *out) {
    *out = __float2half_rn(clamp_half(value));
}
static __device__ inline __half2 halves(float a, float b) {
    return __floats2half2_rn(clamp_half(a), clamp_half(b));
}
static __device__ inline void from_float(float value, __nv_bfloat16 *out) {
    *out = __float2bfloat16_rn(value);
}

// Which plane of an extent is a layer's K or V, as kv_plane() says. A layer behind the last: how
// many there are.
static __device__ inline size_t plane_of(const kv_cache &cache, int layer, bool of_v) {
    return cache.latent ? (size_t)layer : 2 * (size_t)layer + of_v;
}

// The index of element d of a key in its block's plane of one layer, K's or V's.
template <typename cache_t>
static __device__ inline size_t kv_element(const kv_cache &cache, bool of_v, int kv_head,
                                           int offset, int d) {
    enum { X = 16 / sizeof(cache_t) };
    const int size = cache.head_size, block_size = cache.block_size;
    if (cache.layout == KV_LAYOUT_ROWS) return ((size_t)kv_head * block_size + offset) * size + d;
    if (of_v) return ((size_t)kv_head * size + d) * block_size + offset;
    return (((size_t)kv_head * (size / X) + d / X) * block_size + offset) * X + d % X;
}

static __device__ inline unsigned shared_address(const void *memory) {
    return (unsigned)__cvta_generic_to_shared(memory);
}

static __device__ inline float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

// Sum of the values of this lane and of those before it.
static __device__ inline int warp_scan(int value) {
    const int lane = threadIdx.x % 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        const int lower = __shfl_up_sync(0xffffffffu, value, offset);
        if (lane >= offset) value += lower;
    }
    return value;
}

static __device__ inline float warp_max(float value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

// Counts a block's or a warp's arrival; true for the last of `others` + 1. The last sees all that
// the others wrote before they arrived, and leaves the counter at 0.
static __device__ inline bool count_arrival(unsigned *arrived, unsigned others) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(arrived), "r"(others)
                 : "memory");
    return before == others;
}

// Sum over the block, returned to every thread. blockDim.x must be THREADS.
template <int THREADS> static __device__ inline float block_sum(float value) {
    static_assert(THREADS % 32 == 0 && THREADS <= 1024, "whole warps");
    __shared__ float partial[THREADS / 32];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads(); // orders the partial sums before they are read
    const int lane = threadIdx.x % 32;
    return warp_sum(lane < THREADS / 32 ? partial[lane] : 0.0f);
}

// A kernel that was launched with launch_after() may start while the previous one still runs; it
// must call grid_wait() before it touches what others write or read. A kernel that calls
// grid_launch_dependents() lets the next one start as soon as all its own blocks have done so.
//
// Results of a step's copies and of earlier steps may be read without waiting: a step begins with
// embedding(), which is launched plainly, after everything before it, and every other kernel of the
// step starts after that one has. What the step itself writes may not.
static __device__ inline void grid_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
static __device__ inline void grid_launch_dependents() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// The same in clusters of `cluster` blocks, on a card of compute capability 9.0 or later.
template <typename... params_t, typename... args_t>
static inline void launch_clusters_after(struct device *device, void (*kernel)(params_t...),
                                         dim3 grid, unsigned cluster, dim3 block,
                                         size_t shared_bytes, const args_t &...args) {
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = device->stream;
    config.attrs = attributes;
    config.numAttrs = cluster > 1 ? 2 : device->compiled_for_90;
    device_note(device, cudaLaunchKernelEx(&config, kernel, args...));
}

template <typename... params_t, typename... args_t>
static inline void launch_after(struct device *device, void (*kernel)(params_t...), dim3 grid,
                                dim3 block, size_t shared_bytes, const args_t &...args) {
    launch_clusters_after(device, kernel, grid, 1, block, shared_bytes, args...);
}

// Lets a kernel be launched with more than 48 KiB of shared memory. A card says itself what is too
// much; for one that it is limited to, this does.
static inline void device_allow_shared(struct device *device, const void *kernel, size_t bytes) {
    struct cudaFuncAttributes attributes = {};
    if (device->limited) device_note(device, cudaFuncGetAttributes(&attributes, kernel));
    device_note(device,
                attributes.sharedSizeBytes + bytes > device->properties.sharedMemPerBlockOptin
                    ? cudaErrorInvalidValue
                    : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)bytes));
}

// The same for kernels that are launched with more at one time than at another: the driver is asked
// only for more than before. Where all places are taken, it is asked each time.
static inline void device_allow_more(struct device *device, const void *kernel, size_t bytes) {
    enum { NO_NEED = 46 << 10 }; // leaves 2 KiB of the 48 for static memory
    if (bytes <= NO_NEED) return;
    const uint64_t hash = (uint64_t)(uintptr_t)kernel * 0x9e3779b97f4a7c15u >> 32;
    for (int i = 0; i < ALLOWED_PLACES; i++) {
        struct allowed_shared *place = &device->allowed[(hash + (unsigned)i) % ALLOWED_PLACES];
        if (place->kernel && place->kernel != kernel) continue;
        if (place->bytes >= bytes) return;
        *place = {kernel, bytes};
        break;
    }
    device_allow_shared(device, kernel, bytes);
}

static inline unsigned ceil_divide(size_t a, size_t b) { return (unsigned)((a + b - 1) / b); }

extern "C" {
enum status cuda_alloc(struct device *device, size_t bytes, void **memory);
enum status cuda_alloc_host(struct device *device, size_t bytes, void **memory);
void cuda_release_host(struct device *device, void *memory, size_t bytes);
void cuda_embedding(struct device *device, const struct embedding *args);
void cuda_rmsnorm(struct device *device, const struct rmsnorm *args);
void cuda_narrow(struct device *device, const struct narrow *args);
void cuda_add_rows(struct device *device, const struct add_rows *args);
void cuda_linear(struct device *device, const struct linear *args);
void cuda_gated_linear(struct device *device, const struct gated_linear *args);
void cuda_rope_and_cache(struct device *device, const struct rope_and_cache *args);
void cuda_paged_attention(struct device *device, const struct paged_attention *args);
void cuda_attention(struct device *device, const struct attention *args);
enum status cuda_attention_check(struct device *device, const struct paged_attention *args,
                                 int32_t max_context, struct error *err);
// Of device->partitions, for ops up to these shapes.
size_t cuda_partitions_bytes(const struct workspace *workspace);
void cuda_short_conv(struct device *device, const struct short_conv *args);
void cuda_recurrence(struct device *device, const struct recurrence *args);
void cuda_copy_parts(struct device *device, const struct copy_parts *args);
void cuda_scale_rows(struct device *device, const struct scale_rows *args);
void cuda_act_and_mul(struct device *device, const struct act_and_mul *args);
void cuda_route(struct device *device, const struct route *args);
void cuda_experts(struct device *device, const struct experts *args);
enum status cuda_reserve_experts(struct device *device);
void cuda_free_experts(struct device *device);
void cuda_open_ranges(void);
void cuda_logits(struct device *device, const struct logits *args);
void cuda_candidates(struct device *device, const struct candidates *args);
void device_wait_asleep(struct device *device); // in sync() from now on: the host has work to do
enum status cuda_reserve_mail(struct device *device);
void cuda_ask_host(struct device *device, const struct ask_host *args);
void cuda_take_answer(struct device *device, const struct take_answer *args);
void cuda_gather_experts(struct device *device, const struct gather_experts *args);
size_t cuda_candidate_keys(const struct workspace *workspace); // keys that candidates needs
void cuda_copy_blocks(struct device *device, const struct copy_blocks *args);
void cuda_swap_blocks(struct device *device, const struct swap_blocks *args);
struct swap_time cuda_swap_time(struct device *device);
void cuda_free_timers(struct device *device);
void cuda_read(struct device *device, const void *memory, size_t bytes, int pattern);
void cuda_copy_weights(struct device *device, const struct weight *in_file, void *memory);
void cuda_arrange_weights(struct device *device, const struct weight *on_device, void *memory);
bool cuda_copy_in_background(struct device *device, const struct weight *in_file, void *memory);
bool cuda_background_copies_done(struct device *device);
void cuda_close_copies(struct device *device);
enum status cuda_weights(struct device *device, const struct weight *in_file, const void **data);
size_t cuda_weight_bytes(const struct weight *in_file);
void cuda_free_weights(struct device *device);
void cuda_note_exceeding(struct device *device); // after waiting for the device
void cuda_free_staging(struct device *device);
bool cuda_replay(struct device *device, uint64_t key);
bool cuda_recorded(struct device *device);
void cuda_forget_recordings(struct device *device);
}
