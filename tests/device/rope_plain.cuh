// tests/device/rope_plain.cuh — what a head comes to when it is normed and turned, in double.
#pragma once
#include <math.h>

#include "kernels/dtype.h"

#include <vector>

struct rope_plain {
    int head_size, rotary;
    bool interleaved;
    const float *inv_freq; // [rotary / 2]
    float magnitude, eps;
    bool norm_last;
};

static inline void rope_plain_norm(const struct rope_plain *it, const float *norm,
                                   std::vector<double> *x) {
    double squares = 0;
    for (double value : *x)
        squares += value * value;
    for (size_t i = 0; i < x->size() && norm; i++)
        (*x)[i] *= (double)norm[i] / sqrt(squares / it->head_size + (double)it->eps);
}

// norm: [head_size], or NULL.
static inline std::vector<double> rope_plain_turn(const struct rope_plain *it, const uint16_t *head,
                                                  const float *norm, int position) {
    std::vector<double> x((size_t)it->head_size);
    for (int i = 0; i < it->head_size; i++)
        x[i] = (double)half_to_float(head[i]);
    if (!it->norm_last) rope_plain_norm(it, norm, &x);
    for (int p = 0; p < it->rotary / 2; p++) {
        const double angle = (double)((float)position * it->inv_freq[p]);
        double &a = x[it->interleaved ? 2 * p : p];
        double &b = x[it->interleaved ? 2 * p + 1 : p + it->rotary / 2];
        const double cosine = cos(angle) * (double)it->magnitude;
        const double sine = sin(angle) * (double)it->magnitude, a_was = a;
        a = a_was * cosine - b * sine;
        b = a_was * sine + b * cosine;
    }
    if (it->norm_last) rope_plain_norm(it, norm, &x);
    return x;
}

// How far is this from one rounding to its type? More than 1 is wrong.
static inline double stored_error(enum dtype type, const void *at, double expected) {
    const double got = type == DTYPE_F32   ? (double)*(const float *)at
                       : type == DTYPE_F16 ? (double)half_to_float(*(const uint16_t *)at)
                                           : (double)bf16_to_float(*(const uint16_t *)at);
    const double bit = type == DTYPE_F32 ? 0x1p-16 : type == DTYPE_F16 ? 0x1p-10 : 0x1p-7;
    const double error = fabs(got - expected) / (bit * (fabs(expected) + 0.05));
    return error < 1e9 ? error : 1e9; // NaN is not below it
}
