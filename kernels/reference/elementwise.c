// kernels/reference/elementwise.c — rmsnorm (arXiv 1910.07467) and silu_and_mul.
#include <math.h>

#include "engine/base/assert.h"
#include "kernels/reference/reference.h"

void reference_rmsnorm(struct device *device, const struct rmsnorm *args) {
    (void)device;
    ASSERT(args->y != args->x);
    const size_t dim = (size_t)args->dim;
    for (int32_t r = 0; r < args->rows; r++) {
        const float *x = (const float *)args->x + (size_t)r * dim;
        float *y = (float *)args->y + (size_t)r * dim;
        double squares = 0;
        for (size_t i = 0; i < dim; i++)
            squares += (double)x[i] * (double)x[i];
        const double scale = 1 / sqrt(squares / (double)args->dim + (double)args->eps);
        for (size_t i = 0; i < dim; i++)
            y[i] = (float)((double)x[i] * scale) * args->weight[i];
    }
}

void reference_silu_and_mul(struct device *device, const struct silu_and_mul *args) {
    (void)device;
    const size_t count = (size_t)args->rows * (size_t)args->dim;
    float *gate = args->gate;
    const float *up = args->up;
    for (size_t i = 0; i < count; i++)
        gate[i] = gate[i] / (1 + expf(-gate[i])) * up[i];
}
