// kernels/cuda/act.cuh — the activation functions of gated layers: enum act of backend.h.
#pragma once
#include "kernels/cuda/device.cuh"

static __device__ inline float xielu_of(const struct xielu &of, float g) {
    return (g > 0 ? of.positive * g * g : of.negative * (expm1f(g) - g)) + of.slope * g;
}

static __device__ inline float act_of(enum act act, float g, float up, float limit) {
    if (act == ACT_SILU) return g / (1 + __expf(-g)) * up;
    if (act == ACT_GELU || act == ACT_GELU_ALONE) { // (1 + tanh(z)) / 2 is 1 / (1 + e^-2z)
        const float curve = g / (1 + __expf(-1.5957691216f * (g + 0.044715f * g * g * g)));
        return act == ACT_GELU ? curve * up : curve;
    }
    if (act == ACT_LIMITED)
        return fminf(g / (1 + __expf(-g)), limit) * fminf(fmaxf(up, -limit), limit);
    if (act == ACT_RELU) return g > 0 ? g * up : 0;
    if (act == ACT_SIGMOID) return up / (1 + __expf(-g));
    if (act == ACT_SOFTPLUS) return up * (fmaxf(g, 0) + log1pf(__expf(-fabsf(g))));
    const float low = fminf(g, ACT_CLAMP), through = fminf(fmaxf(up, -ACT_CLAMP), ACT_CLAMP);
    return low / (1 + __expf(-ACT_SLOPE * low)) * (through + 1);
}
