// kernels/cuda/norm.cuh — four columns of the products that norm what they read:
// x / sqrt(mean(x^2) + eps) * weight.
#pragma once
#include "kernels/cuda/tiles.cuh"

static __device__ inline float squares_of(float4 v) {
    return v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
}

// With `scale` = 1 / sqrt(mean(x^2) + eps).
static __device__ inline uint2 scaled(float4 v, float4 weight, float scale) {
    return make_uint2(as_bits(halves(v.x * scale * weight.x, v.y * scale * weight.y)),
                      as_bits(halves(v.z * scale * weight.z, v.w * scale * weight.w)));
}
