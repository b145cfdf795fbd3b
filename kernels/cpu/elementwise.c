// kernels/cpu/elementwise.c — rmsnorm and silu_and_mul: rows, cut among the threads.
#include "engine/base/assert.h"
#include "kernels/cpu/device.h"

enum { RUN_ELEMENTS = 8192 }; // less than this is done faster than a thread is called

struct rmsnorm_job {
    const struct cpu_isa *isa;
    const struct rmsnorm *args;
};

struct silu_job {
    const struct cpu_isa *isa;
    const struct silu_and_mul *args;
};

static int64_t rows_per_run(int32_t dim) { return 1 + RUN_ELEMENTS / (1 + (int64_t)dim); }

static void norm_rows(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct rmsnorm_job *job = context;
    for (int64_t row = begin; row < end; row++)
        job->isa->rmsnorm(job->args, (int32_t)row);
}

static void silu_rows(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct silu_job *job = context;
    const size_t dim = (size_t)job->args->dim;
    for (size_t row = (size_t)begin; row < (size_t)end; row++)
        job->isa->silu_and_mul((float *)job->args->gate + row * dim,
                               (const float *)job->args->up + row * dim, dim);
}

void cpu_rmsnorm(struct device *device, const struct rmsnorm *args) {
    ASSERT(args->y != args->x);
    struct rmsnorm_job job = {device->isa, args};
    threads_for(device->threads, args->rows, rows_per_run(args->dim), norm_rows, &job);
}

void cpu_silu_and_mul(struct device *device, const struct silu_and_mul *args) {
    struct silu_job job = {device->isa, args};
    threads_for(device->threads, args->rows, rows_per_run(args->dim), silu_rows, &job);
}
