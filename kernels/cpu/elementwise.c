// kernels/cpu/elementwise.c — rmsnorm, narrow, add_rows and act_and_mul: rows, divided among
// threads.
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/cpu/device.h"

enum { TASK_ELEMENTS = 8192 }; // fewer take less time than waking a thread

struct rmsnorm_job {
    const struct cpu_isa *isa;
    const struct rmsnorm *args;
};

struct add_job {
    const struct cpu_isa *isa;
    const struct add_rows *args;
};

struct act_job {
    const struct cpu_isa *isa;
    const struct act_and_mul *args;
};

static int64_t rows_per_task(int32_t dim) { return 1 + TASK_ELEMENTS / (1 + (int64_t)dim); }

static void norm_rows(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct rmsnorm_job *job = context;
    for (int64_t row = begin; row < end; row++)
        job->isa->rmsnorm(job->args, (int32_t)row);
}

static void copy_rows(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct narrow *args = context;
    const size_t dim = (size_t)args->dim, at = (size_t)begin * dim;
    memcpy((float *)args->y + at, (const float *)args->x + at,
           (size_t)(end - begin) * dim * sizeof(float));
}

static void add_rows_of(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct add_job *job = context;
    for (int64_t row = begin; row < end; row++)
        job->isa->add_row(job->args, (int32_t)row);
}

static void act_rows_of(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct act_job *job = context;
    const size_t dim = (size_t)job->args->dim;
    for (size_t row = (size_t)begin; row < (size_t)end; row++) {
        float *gate = (float *)job->args->gate + row * dim;
        const float *up = (const float *)job->args->up + row * dim;
        if (job->args->act == ACT_XIELU)
            job->isa->xielu(&job->args->xielu, gate, dim);
        else if (job->args->act == ACT_LIMITED)
            job->isa->limited(job->args->limit, gate, up, dim);
        else
            job->isa->act_and_mul(job->args->act, gate, up, dim);
    }
}

void cpu_rmsnorm(struct device *device, const struct rmsnorm *args) {
    ASSERT(args->y != args->x);
    ASSERT(args->rows >= 0 && args->dim > 0);
    struct rmsnorm_job job = {device->isa, args};
    threads_for(device->threads, args->rows, rows_per_task(args->dim), norm_rows, &job);
}

// Activations and the residual have the same type here.
void cpu_narrow(struct device *device, const struct narrow *args) {
    ASSERT(args->y != args->x);
    ASSERT(args->rows >= 0 && args->dim > 0);
    struct narrow copy = *args;
    threads_for(device->threads, args->rows, rows_per_task(args->dim), copy_rows, &copy);
}

void cpu_add_rows(struct device *device, const struct add_rows *args) {
    ASSERT(args->y != args->x);
    ASSERT(args->rows >= 0 && args->dim > 0);
    struct add_job job = {device->isa, args};
    threads_for(device->threads, args->rows, rows_per_task(args->dim), add_rows_of, &job);
}

void cpu_act_and_mul(struct device *device, const struct act_and_mul *args) {
    ASSERT(args->rows >= 0 && args->dim > 0);
    struct act_job job = {device->isa, args};
    threads_for(device->threads, args->rows, rows_per_task(args->dim), act_rows_of, &job);
}
