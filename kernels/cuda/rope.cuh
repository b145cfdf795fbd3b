// kernels/cuda/rope.cuh — one warp norms and rotates a head, in registers and in fp32.
//
// Lane l holds pairs l, l + 32, ...: first those that are rotated, then neighbours that are not.
// Fused multiply-adds are written out, so that a head has the same bits in every kernel.
#pragma once
#include "kernels/cuda/device.cuh"

template <int PAIRS> struct rope_head {
    float x[PAIRS][2]; // 0 past the head's end
};

// The elements of a pair.
static __device__ inline int2 rope_pair(const rope_and_cache &args, int pair) {
    const int half = args.rotary / 2;
    return args.interleaved || pair >= half ? make_int2(2 * pair, 2 * pair + 1)
                                            : make_int2(pair, pair + half);
}

// Cosine and sine of a rotated pair, whose element of inv_freq is `frequency`.
static __device__ inline float2 rope_cos_sin(const rope_and_cache &args, int position,
                                             float frequency) {
    float sine, cosine;
    sincosf((float)position * frequency, &sine, &cosine);
    return make_float2(cosine * args.magnitude, sine * args.magnitude);
}

template <int PAIRS>
static __device__ inline void rope_load(rope_head<PAIRS> &head, const rope_and_cache &args,
                                        const __half *from, int size) {
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const int2 at = rope_pair(args, threadIdx.x % 32 + 32 * i);
        head.x[i][0] = at.x < size ? __half2float(from[at.x]) : 0;
        head.x[i][1] = at.y < size ? __half2float(from[at.y]) : 0;
    }
}

template <int PAIRS>
static __device__ inline void rope_norm(rope_head<PAIRS> &head, const rope_and_cache &args,
                                        const float *weight, int size) {
    float squares = 0;
#pragma unroll
    for (int i = 0; i < PAIRS; i++)
        for (float x : head.x[i])
            squares = fmaf(x, x, squares);
    const float scale = rsqrtf(warp_sum(squares) / size + args.eps);
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const int2 at = rope_pair(args, threadIdx.x % 32 + 32 * i);
        if (at.x < size) head.x[i][0] *= scale * weight[at.x];
        if (at.y < size) head.x[i][1] *= scale * weight[at.y];
    }
}

// cos_sin[i] belongs to this lane's pair i, if that is rotated.
template <int PAIRS>
static __device__ inline void rope_rotate(rope_head<PAIRS> &head, const rope_and_cache &args,
                                          const float2 (&cos_sin)[PAIRS]) {
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        if ((int)threadIdx.x % 32 + 32 * i >= args.rotary / 2) continue;
        const float x = head.x[i][0], y = head.x[i][1];
        head.x[i][0] = fmaf(x, cos_sin[i].x, -__fmul_rn(y, cos_sin[i].y));
        head.x[i][1] = fmaf(x, cos_sin[i].y, __fmul_rn(y, cos_sin[i].x));
    }
}

// Calls store(element, value) for this lane's elements of a head that are below `size`.
template <int PAIRS, typename store_t>
static __device__ inline void rope_store(const rope_head<PAIRS> &head, const rope_and_cache &args,
                                         int size, const store_t &store) {
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const int2 pair = rope_pair(args, threadIdx.x % 32 + 32 * i);
        for (int side = 0; side < 2; side++) {
            const int at = side ? pair.y : pair.x;
            if (at < size) store(at, head.x[i][side]);
        }
    }
}

// The largest magnitude of a head; NaN if a number of it is not finite.
template <int PAIRS> static __device__ inline float rope_highest(const rope_head<PAIRS> &head) {
    float highest = 0, zeros = 0;
#pragma unroll
    for (int i = 0; i < PAIRS; i++)
        for (float x : head.x[i]) {
            highest = fmaxf(highest, fabsf(x));
            zeros += __fmul_rn(x, 0);
        }
    return warp_max(highest) + warp_sum(zeros);
}
