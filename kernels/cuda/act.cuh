// kernels/cuda/act.cuh — the activation functions of gated layers: enum act of backend.h.
#pragma once
#include "kernels/cuda/device.cuh"

#include <type_traits>

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

// Calls compute(act) with a constant. A loop over many values then contains one function's code:
// the code of all functions, for each value again, does not fit the instruction cache.
template <typename compute_t>
static __device__ inline void with_act(enum act act, const compute_t &compute) {
    switch (act) {
    case ACT_SILU:
        return compute(std::integral_constant<enum act, ACT_SILU>());
    case ACT_GELU:
        return compute(std::integral_constant<enum act, ACT_GELU>());
    case ACT_CLAMPED:
        return compute(std::integral_constant<enum act, ACT_CLAMPED>());
    case ACT_LIMITED:
        return compute(std::integral_constant<enum act, ACT_LIMITED>());
    case ACT_RELU:
        return compute(std::integral_constant<enum act, ACT_RELU>());
    case ACT_GELU_ALONE:
        return compute(std::integral_constant<enum act, ACT_GELU_ALONE>());
    case ACT_SIGMOID:
        return compute(std::integral_constant<enum act, ACT_SIGMOID>());
    case ACT_SOFTPLUS:
        return compute(std::integral_constant<enum act, ACT_SOFTPLUS>());
    case ACT_XIELU:
        return compute(std::integral_constant<enum act, ACT_XIELU>());
    }
}
