// kernels/cuda/act_and_mul.cu — gate = act(gate, up), for each element.
//
//   gate, up  [rows, dim]  fp16;  gate in and out
//
//   grid   elements / (8 THREADS);  block  THREADS, 16 bytes a thread
//
// Arithmetic is fp32, rounded once at the store. Bound by memory: two reads and a write.
#include "kernels/cuda/act.cuh"

enum { THREADS = 256 };

struct alignas(16) halfx8 {
    __half v[8];
};

static __global__ void act_and_mul_kernel(halfx8 *gate, const halfx8 *up, size_t vectors,
                                          enum act act, struct xielu xielu, float limit) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    grid_launch_dependents();
    grid_wait();
    if (i >= vectors) return;
    halfx8 g = gate[i];
    const halfx8 u = up[i];
    with_act(act, [&](auto chosen) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            from_float(chosen.value == ACT_XIELU ? xielu_of(xielu, __half2float(g.v[k]))
                                                 : act_of(chosen.value, __half2float(g.v[k]),
                                                          __half2float(u.v[k]), limit),
                       &g.v[k]);
    });
    gate[i] = g;
}

extern "C" void cuda_act_and_mul(struct device *device, const struct act_and_mul *args) {
    const size_t elements = (size_t)args->rows * (size_t)args->dim;
    ASSERT(elements > 0 && args->dim % 8 == 0);
    launch_after(device, act_and_mul_kernel, dim3(ceil_divide(elements / 8, THREADS)),
                 dim3(THREADS), 0, (halfx8 *)args->gate, (const halfx8 *)args->up, elements / 8,
                 args->act, args->xielu, args->limit);
}
