// kernels/cuda/clusters.cuh — what blocks of a cluster need to read and write each other's shared
// memory: compute capability 9.0 and later. Compiled for an earlier one they do nothing, and
// nothing launches clusters there.
#pragma once
#include "kernels/cuda/device.cuh"

// Orders what the threads of a cluster stored in shared memory before their next loads.
static __device__ inline void cluster_sync() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

// The address of what lies at `at` in this block, in block `block` of the cluster.
static __device__ inline unsigned cluster_address(const void *at, int block) {
    unsigned there = 0;
#if __CUDA_ARCH__ >= 900
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(at)), "r"(block));
#endif
    return there;
}

// Stores in shared memory of block `block`.
static __device__ inline void cluster_store(float *at, int block, float value) {
#if __CUDA_ARCH__ >= 900
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(cluster_address(at, block)), "f"(value)
                 : "memory");
#endif
}

// Loads from there, at a cluster_address().
static __device__ inline float2 cluster_load2(unsigned at) {
    float2 value = {};
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.v2.f32 {%0, %1}, [%2];"
                 : "=f"(value.x), "=f"(value.y)
                 : "r"(at)
                 : "memory");
#endif
    return value;
}

static __device__ inline float4 cluster_load4(unsigned at) {
    float4 value = {};
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "r"(at)
                 : "memory");
#endif
    return value;
}
