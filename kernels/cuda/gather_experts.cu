// kernels/cuda/gather_experts.cu — matrices of a token's experts, out of host memory.
//
//   from  of each expert, as in the file, in pinned memory
//   rows  [count] of them, on the card; and biases
//
//   grid   BLOCKS;  block  THREADS: threads take 16 bytes each, all of one matrix after the other
//
// Which experts are wanted is known on the card only, so that a step can be recorded; a copy would
// have to be told by the host, which learns it later. Arranging reads a file's blocks in an order
// that does not suit the link, so whole matrices cross first.
//
// Bound by the link.
#include "kernels/cuda/device.cuh"

enum { THREADS = 512, BLOCKS = 64 };
enum { MATRICES_MAX = 256 }; // a thread finds where one is
static_assert((int)MATRICES_MAX <= (int)THREADS, "a thread for each matrix");

struct gather_plan {
    struct gather_experts args;
    size_t bytes[GATHERED_STACKS]; // of a matrix
};

// The matrix of one expert, and its bias.
static __device__ inline void gather(const gather_plan &plan, const uint4 *from, int stack, int j) {
    const size_t first = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t step = (size_t)gridDim.x * THREADS;
    const auto &of = plan.args.stacks[stack];
    const size_t expert = (size_t)plan.args.chosen[j];
    const size_t bytes = plan.bytes[stack], rows = (size_t)of.from.rows;
    uint4 *to = (uint4 *)((char *)of.rows + j * bytes);
    for (size_t i = first; i < bytes / sizeof *to; i += step)
        to[i] = __ldcs(from + i);
    for (size_t i = first; of.bias && i < rows; i += step)
        of.bias[j * rows + i] = of.from.bias[expert * rows + i];
}

static __global__ __launch_bounds__(THREADS) void gather_kernel(const gather_plan plan) {
    __shared__ const uint4 *from[MATRICES_MAX]; // in lists that lie beyond the link, too
    const int count = plan.args.count, matrices = plan.args.stack_count * count;
    if (threadIdx.x < matrices)
        from[threadIdx.x] = (const uint4 *)plan.args.stacks[threadIdx.x / count]
                                .from.data[plan.args.chosen[threadIdx.x % count]];
    __syncthreads(); // orders the writes before the reads
    for (int i = 0; i < matrices; i++)
        gather(plan, from[i], i / count, i % count);
    const int j = blockIdx.x * THREADS + threadIdx.x;
    if (j >= count) return;
    plan.args.ids[j] = j;
    for (int i = 0; i < plan.args.stack_count; i++)
        plan.args.stacks[i].list[j] = plan.args.stacks[i].to + j * plan.args.stacks[i].stride_bytes;
}

// Its launch waits for all that was written before, and what follows waits for all of it.
extern "C" void cuda_gather_experts(struct device *device, const struct gather_experts *args) {
    struct gather_plan plan = {};
    plan.args = *args;
    ASSERT(args->count > 0 && args->stack_count > 0 && args->stack_count <= GATHERED_STACKS);
    ASSERT(args->count * args->stack_count <= MATRICES_MAX);
    for (int i = 0; i < args->stack_count; i++) {
        const struct expert_weights *from = &args->stacks[i].from;
        plan.bytes[i] = (size_t)from->rows * dtype_row_bytes(from->type, from->columns);
        ASSERT(plan.bytes[i] % sizeof(uint4) == 0);
    }
    gather_kernel<<<BLOCKS, THREADS, 0, device->stream>>>(plan);
    device_note(device, cudaGetLastError());
}
