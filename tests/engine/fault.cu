// tests/engine/fault.cu — a kernel that writes where there is no memory.
#include "tests/engine/fault.h"

#include <cuda_runtime.h>

static __global__ void write_nowhere(volatile int *nowhere) { *nowhere = 1; }

extern "C" bool card_is_here(void) {
    const bool here = cudaFree(nullptr) == cudaSuccess;
    cudaGetLastError(); // or the engine's next call would report it
    return here;
}

extern "C" void card_reset(void) { cudaDeviceReset(); }

extern "C" bool card_fault(void) {
    write_nowhere<<<1, 1>>>(nullptr);
    return cudaDeviceSynchronize() != cudaSuccess;
}
