// kernels/reference/elementwise.c — rows: rmsnorm (arXiv 1910.07467), narrow, add_rows,
// act_and_mul.
#include <math.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/reference/reference.h"

static const double PI = 3.14159265358979323846;

void reference_rmsnorm(struct device *device, const struct rmsnorm *args) {
    (void)device;
    ASSERT(args->y != args->x);
    ASSERT(args->dim > 0 && (args->centered || !args->bias));
    const size_t dim = (size_t)args->dim;
    for (int32_t r = 0; r < args->rows; r++) {
        const float *x = (const float *)args->x + (size_t)r * dim;
        float *y = (float *)args->y + (size_t)r * dim;
        double squares = 0, mean = 0;
        for (size_t i = 0; i < dim && args->centered; i++)
            mean += (double)x[i] / (double)args->dim;
        for (size_t i = 0; i < dim; i++)
            squares += ((double)x[i] - mean) * ((double)x[i] - mean);
        const double scale = 1 / sqrt(squares / (double)args->dim + (double)args->eps);
        for (size_t i = 0; i < dim; i++)
            y[i] = (float)(((double)x[i] - mean) * scale) * args->weight[i] +
                   (args->bias ? args->bias[i] : 0);
    }
}

void reference_narrow(struct device *device, const struct narrow *args) {
    (void)device;
    ASSERT(args->y != args->x);
    memcpy(args->y, args->x, (size_t)args->rows * (size_t)args->dim * sizeof(float));
}

void reference_add_rows(struct device *device, const struct add_rows *args) {
    (void)device;
    ASSERT(args->y != args->x);
    const size_t dim = (size_t)args->dim;
    for (size_t r = 0; r < (size_t)args->rows; r++) {
        float *x = (float *)args->x + r * dim;
        const float *y = (const float *)args->y + r * dim;
        double squares = 0, scale = (double)args->scale;
        for (size_t i = 0; i < dim; i++)
            squares += (double)y[i] * (double)y[i];
        if (args->norm) scale /= sqrt(squares / (double)args->dim + (double)args->eps);
        for (size_t i = 0; i < dim; i++) {
            const double more = (double)y[i] * scale * (double)(args->norm ? args->norm[i] : 1.0f);
            x[i] = args->gain * ((args->overwrites ? 0 : x[i]) + (float)more);
        }
    }
}

float reference_act(enum act act, float gate, float up, float limit) {
    const double g = (double)gate, clamp = (double)ACT_CLAMP;
    switch (act) {
    case ACT_SILU:
        return gate / (1 + expf(-gate)) * up;
    case ACT_GELU_ALONE:
        return reference_act(ACT_GELU, gate, 1, 0);
    case ACT_LIMITED:
        return fminf(gate / (1 + expf(-gate)), limit) * fminf(fmaxf(up, -limit), limit);
    case ACT_GELU:
        return (float)(g / 2 * (1 + tanh(sqrt(2 / PI) * (g + 0.044715 * g * g * g)))) * up;
    case ACT_RELU:
        return gate > 0 ? gate * up : 0;
    case ACT_SIGMOID:
        return up / (1 + expf(-gate));
    case ACT_SOFTPLUS:
        return (float)(fmax(g, 0) + log1p(exp(-fabs(g)))) * up;
    case ACT_CLAMPED:
    case ACT_XIELU: // has numbers of its own
        break;
    }
    const double low = fmin(g, clamp), through = fmin(fmax((double)up, -clamp), clamp);
    return (float)(low / (1 + exp(-(double)ACT_SLOPE * low)) * (through + 1));
}

static float xielu(const struct xielu *args, float gate) {
    const double g = (double)gate, slope = (double)args->slope * g;
    if (g > 0) return (float)((double)args->positive * g * g + slope);
    return (float)((double)args->negative * (expm1(g) - g) + slope);
}

void reference_act_and_mul(struct device *device, const struct act_and_mul *args) {
    (void)device;
    const size_t count = (size_t)args->rows * (size_t)args->dim;
    float *gate = args->gate;
    const float *up = args->up;
    for (size_t i = 0; i < count; i++)
        gate[i] = args->act == ACT_XIELU ? xielu(&args->xielu, gate[i])
                                         : reference_act(args->act, gate[i], up[i], args->limit);
}
