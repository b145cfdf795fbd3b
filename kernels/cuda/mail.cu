// kernels/cuda/mail.cu — rows that cross to a thread of the host in the middle of a step, and its
// results.
//
//   ask_host     parts[i].to = parts[i].from;  then the job and the number of the request
//                grid  a block for each 8 KiB, at most ASK_BLOCKS;  block  THREADS
//   take_answer  waits for the reply;  y [count] fp32 or fp16 = or += results
//                grid  a block for each THREADS values of 16 bytes, at most TAKE_BLOCKS;
//                block  THREADS
//
// Pinned memory is read and written in place: for a few rows a kernel's loads and stores across the
// link are done before a copy would have begun. The last block of a request to finish writes its
// number, so that the host sees the number only after all rows. How many requests there have been
// is counted on the card: a recorded step has the same arguments every time.
//
// Bound by the latency of the link.
#include "kernels/cuda/device.cuh"

enum { THREADS = 256, ASK_BLOCKS = 16, TAKE_BLOCKS = 32, BLOCK_BYTES = 8 << 10, PAUSE_NS = 100 };

static bool is_aligned(const void *a, const void *b, size_t bytes) {
    return ((uintptr_t)a | (uintptr_t)b | bytes) % sizeof(uint4) == 0;
}

struct ask_plan {
    struct ask_host args;
    struct mail_counters *counters;
    bool aligned[ASK_PARTS];
};

static __global__ __launch_bounds__(THREADS) void ask_kernel(const ask_plan plan) {
    const size_t first = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t step = (size_t)gridDim.x * THREADS;
    grid_wait();
    grid_launch_dependents();
    for (int i = 0; i < plan.args.count; i++) {
        const auto &part = plan.args.parts[i];
        if (plan.aligned[i])
            for (size_t at = first; at < part.bytes / sizeof(uint4); at += step)
                ((uint4 *)part.to)[at] = ((const uint4 *)part.from)[at];
        else
            for (size_t at = first; at < part.bytes / sizeof(uint16_t); at += step)
                ((uint16_t *)part.to)[at] = ((const uint16_t *)part.from)[at];
    }
    __threadfence_system(); // orders this thread's rows before the block's arrival
    __syncthreads();        // and those of the other threads
    if (threadIdx.x > 0) return;
    struct mail_counters *counters = plan.counters;
    if (atomicAdd(&counters->arrived, 1u) + 1 < gridDim.x) return;
    volatile struct host_mail *mail = plan.args.mail;
    counters->arrived = 0;
    mail->job = plan.args.job;
    __threadfence_system(); // orders the job and all blocks' rows before the number
    mail->request = ++counters->requests;
}

static __device__ inline void wait_for(const volatile uint32_t *reply, uint32_t request) {
    while (*reply != request)
        __nanosleep(PAUSE_NS);
    __threadfence_system(); // orders the reply before the reads of the results
}

static __global__ __launch_bounds__(THREADS) void take_kernel(const take_answer args,
                                                              const mail_counters *counters,
                                                              bool aligned) {
    const size_t first = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t step = (size_t)gridDim.x * THREADS;
    grid_wait();
    grid_launch_dependents();
    if (threadIdx.x == 0) wait_for(&args.mail->reply, counters->requests);
    __syncthreads(); // orders the reply before the other threads' reads
    if (args.type == DTYPE_F16) {
        if (aligned)
            for (size_t at = first; at < args.count / 8; at += step)
                ((uint4 *)args.y)[at] = __ldcv((const uint4 *)args.results + at);
        else
            for (size_t at = first; at < args.count; at += step)
                ((uint16_t *)args.y)[at] = __ldcv((const uint16_t *)args.results + at);
        return;
    }
    if (!aligned) {
        for (size_t at = first; at < args.count; at += step) {
            float *y = (float *)args.y + at;
            *y = (args.add ? *y : 0) + __ldcv((const float *)args.results + at);
        }
        return;
    }
    for (size_t at = first; at < args.count / 4; at += step) {
        float4 *y = (float4 *)args.y + at;
        const float4 old = args.add ? *y : float4{};
        const float4 more = __ldcv((const float4 *)args.results + at);
        *y = make_float4(old.x + more.x, old.y + more.y, old.z + more.z, old.w + more.w);
    }
}

extern "C" enum status cuda_reserve_mail(struct device *device) {
    void *memory;
    if (device->mail) return STATUS_OK;
    TRY(cuda_alloc(device, sizeof *device->mail, &memory));
    device->mail = (struct mail_counters *)memory;
    device_note(device, cudaMemsetAsync(memory, 0, sizeof *device->mail, device->stream));
    return STATUS_OK;
}

extern "C" void cuda_ask_host(struct device *device, const struct ask_host *args) {
    struct ask_plan plan = {*args, device->mail, {}};
    size_t bytes = 0;
    ASSERT(device->mail && args->count >= 0 && args->count <= ASK_PARTS);
    for (int i = 0; i < args->count; i++) {
        plan.aligned[i] = is_aligned(args->parts[i].to, args->parts[i].from, args->parts[i].bytes);
        bytes += args->parts[i].bytes;
    }
    device_wait_asleep(device);
    const unsigned blocks = max(1u, min((unsigned)ASK_BLOCKS, ceil_divide(bytes, BLOCK_BYTES)));
    launch_after(device, ask_kernel, dim3(blocks), dim3(THREADS), 0, plan);
}

extern "C" void cuda_take_answer(struct device *device, const struct take_answer *args) {
    const size_t each = args->type == DTYPE_F16 ? sizeof(__half) : sizeof(float);
    ASSERT(device->mail && (args->type == DTYPE_F32 || (args->type == DTYPE_F16 && !args->add)));
    const bool aligned = is_aligned(args->y, args->results, args->count * each);
    const unsigned needed = ceil_divide(args->count * each, THREADS * sizeof(uint4));
    const unsigned blocks = max(1u, min((unsigned)TAKE_BLOCKS, needed));
    launch_after(device, take_kernel, dim3(blocks), dim3(THREADS), 0, *args,
                 (const mail_counters *)device->mail, aligned);
}
