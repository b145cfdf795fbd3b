// kernels/cuda/flash_merge.cuh — one softmax of several parts' sums, by their maxima.
#pragma once
#include "kernels/cuda/flash.cuh"

enum { MERGED = 8 };

static __device__ inline void store4(__half *to, float4 value) {
    *(__half2 *)to = halves(value.x, value.y);
    *(__half2 *)(to + 2) = halves(value.z, value.w);
}

// A thread's sums over the parts of an item: four elements of a head.
struct merged {
    float4 sum;
    float highest, total;
};

// Adds parts, in order. One without keys, which a query may see none of, is -INFINITY and zeros.
static __device__ inline void add_loaded(merged &merged, const float4 (&values)[MERGED],
                                         const float2 (&extremes)[MERGED]) {
    float top = merged.highest;
#pragma unroll
    for (int i = 0; i < MERGED; i++)
        top = fmaxf(top, extremes[i].x);
    const float offset = top > -INFINITY ? top : 0;
    const float old = power_of_two(merged.highest - offset);
    merged.highest = top;
    merged.total *= old;
    merged.sum.x *= old;
    merged.sum.y *= old;
    merged.sum.z *= old;
    merged.sum.w *= old;
#pragma unroll
    for (int i = 0; i < MERGED; i++) {
        const float weight = power_of_two(extremes[i].x - offset);
        merged.total = fmaf(weight, extremes[i].y, merged.total);
        merged.sum.x = fmaf(weight, values[i].x, merged.sum.x);
        merged.sum.y = fmaf(weight, values[i].y, merged.sum.y);
        merged.sum.z = fmaf(weight, values[i].z, merged.sum.z);
        merged.sum.w = fmaf(weight, values[i].w, merged.sum.w);
    }
}

// Adds `count` parts from `parts` on, in order, after starting all their loads.
static __device__ inline void add_parts(merged &merged, const float *values_at, size_t stride,
                                        const float2 *extremes_at, size_t extremes_stride,
                                        int count) {
    float4 values[MERGED];
    float2 extremes[MERGED];
#pragma unroll
    for (int i = 0; i < MERGED; i++) {
        extremes[i] = make_float2(-INFINITY, 0);
        values[i] = {};
        if (i >= count) continue;
        extremes[i] = __ldcg(extremes_at + i * extremes_stride);
        values[i] = __ldcg((const float4 *)(values_at + i * stride));
    }
    add_loaded(merged, values, extremes);
}

// Stores four elements of `row`, which is a token's head.
static __device__ inline void store_result(const paged_attention &args, const merged &merged,
                                           size_t row, int head_size, int at) {
    const float total =
        merged.total + sink_weight(args, (int)(row % args.num_heads), merged.highest);
    store4((__half *)args.out + row * head_size + at,
           make_float4(merged.sum.x / total, merged.sum.y / total, merged.sum.z / total,
                       merged.sum.w / total));
}
