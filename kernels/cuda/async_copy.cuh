// kernels/cuda/async_copy.cuh — copies from global to shared memory that continue while a thread
// computes.
//
// A thread's copies before a copy_commit() are a group, and copy_wait() waits for groups in order.
// It says nothing of other threads' copies: a barrier after it does.
#pragma once
#include "kernels/cuda/device.cuh"

// Copies 16 bytes; if not valid, writes zeros and reads nothing.
static __device__ inline void copy16(unsigned to, const void *from, bool valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(valid ? 16 : 0)
                 : "memory");
}
static __device__ inline void copy16(void *to, const void *from, bool valid) {
    copy16(shared_address(to), from, valid);
}
static __device__ inline void copy16(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
}

// The same for rows that are read whole and by one block only: L2 fetches 128 bytes at once, and
// evicts them before other data.
static __device__ inline uint64_t read_once_policy() {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
static __device__ inline void copy16_once(unsigned to, const void *from, bool valid,
                                          uint64_t policy) {
    asm volatile(
        "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2, %3;" ::"r"(to),
        "l"(from), "r"(valid ? 16 : 0), "l"(policy)
        : "memory");
}

// Copies 4 bytes.
static __device__ inline void copy4(unsigned to, const void *from, bool valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
                 "r"(valid ? 4 : 0)
                 : "memory");
}

static __device__ inline void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits for all groups but the newest PENDING.
template <int PENDING> static __device__ inline void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
