// kernels/cpu/linear.c — products with a matrix: who quantises and who does which rows.
//
// Few tokens are bound by the bytes of the weights, many by arithmetic; either way threads take
// runs of whole tiles of rows. Activations for packed weights become int8 once a call.
#include "engine/base/assert.h"
#include "kernels/cpu/device.h"

// A run is small enough that a thread that loses its processor for a while holds up little,
// and large enough that taking it costs nothing.
enum { RUN_ROWS = 2 * MAX_LANES, RUNS_PER_THREAD = 4, QUANTIZE_ROWS = 4, CAP_ELEMENTS = 8192 };

struct linear_job {
    struct device *device;
    struct linear_part part;
};

static bool is_plain(enum dtype type) {
    return type == DTYPE_F32 || type == DTYPE_F16 || type == DTYPE_BF16;
}

static void quantize_tokens(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct linear_job *job = context;
    const size_t columns = (size_t)job->part.weight.columns;
    for (int64_t t = begin; t < end; t++) {
        const int64_t row = job->part.row_index ? job->part.row_index[t] : t;
        job->device->isa->quantize(job->device->activations + (size_t)t * (columns / 32),
                                   job->part.x + (size_t)row * columns, job->part.weight.columns);
    }
}

static void multiply_rows(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct linear_job *job = context;
    struct linear_part part = job->part;
    part.first_row = (int32_t)begin;
    part.end_row = (int32_t)end;
    if (is_plain(part.weight.type))
        job->device->isa->linear_plain(&part);
    else
        job->device->isa->linear_quantized(&part);
}

void cpu_multiply(struct device *device, const struct linear_part *args) {
    struct linear_job job = {device, *args};
    struct linear_part *part = &job.part;
    ASSERT(part->tokens <= device->max_rows);
    ASSERT(part->weight.columns <= device->limits.max_features);
    if (part->tokens <= 0) return;
    if (!is_plain(part->weight.type)) {
        threads_for(device->threads, part->tokens, QUANTIZE_ROWS, quantize_tokens, &job);
        part->x8 = device->activations;
    }
    const int32_t rows = part->weight.rows;
    const int32_t share = rows / (threads_count(device->threads) * RUNS_PER_THREAD);
    const int32_t grain = share / RUN_ROWS * RUN_ROWS;
    threads_for(device->threads, rows, grain > RUN_ROWS ? grain : RUN_ROWS, multiply_rows, &job);
}

struct embedding_job {
    const struct embedding *args;
};

static void embed_tokens(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct embedding *args = ((const struct embedding_job *)context)->args;
    const size_t columns = (size_t)args->table.columns;
    const size_t row_bytes = dtype_row_bytes(args->table.type, args->table.columns);
    for (int64_t t = begin; t < end; t++) {
        const int32_t row = args->token_ids[t] * (args->stride ? args->stride : 1) + args->first;
        ASSERT(row >= 0 && row < args->table.rows);
        dtype_to_float(args->table.type, (const char *)args->table.data + (size_t)row * row_bytes,
                       (float *)args->y + (size_t)t * columns, columns);
        for (size_t i = 0; i < columns && args->scale != 0; i++)
            ((float *)args->y)[(size_t)t * columns + i] *= args->scale;
    }
}

void cpu_embedding(struct device *device, const struct embedding *args) {
    struct embedding_job job = {args};
    threads_for(device->threads, args->tokens, QUANTIZE_ROWS, embed_tokens, &job);
}

// The rows that a product reads.
static const float *input_rows(struct device *device, const struct linear_input *in,
                               int32_t columns) {
    if (!in->norm) return in->x;
    cpu_rmsnorm(device, &(struct rmsnorm){.y = in->normed,
                                          .x = in->x,
                                          .weight = in->norm,
                                          .rows = in->tokens,
                                          .dim = columns,
                                          .eps = in->eps});
    return in->normed;
}

static void project(struct device *device, const float *x, int32_t tokens,
                    const struct projection *part, bool add) {
    ASSERT(!add || !part->bias);
    cpu_multiply(device, &(struct linear_part){.weight = part->weight,
                                               .y = part->y,
                                               .x = x,
                                               .bias = part->bias,
                                               .add = add,
                                               .tokens = tokens});
}

void cpu_linear(struct device *device, const struct linear *args) {
    ASSERT(args->count > 0 && args->count <= LINEAR_PARTS);
    const float *x = input_rows(device, &args->in, args->parts[0].weight.columns);
    for (int32_t i = 0; i < args->count; i++)
        project(device, x, args->in.tokens, &args->parts[i], args->store == LINEAR_ADD);
}

void cpu_gated_linear(struct device *device, const struct gated_linear *args) {
    const struct projection gate = {.y = args->y, .weight = args->gate};
    const struct projection up = {.y = args->up_rows, .weight = args->up};
    const float *x = input_rows(device, &args->in, args->gate.columns);
    project(device, x, args->in.tokens, &gate, false);
    project(device, x, args->in.tokens, &up, false);
    cpu_act_and_mul(device, &(struct act_and_mul){.gate = args->y,
                                                  .up = args->up_rows,
                                                  .rows = args->in.tokens,
                                                  .dim = args->gate.rows,
                                                  .act = args->act});
}

struct cap_job {
    const struct cpu_isa *isa;
    const struct logits *args;
};

static void cap_part(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct cap_job *job = context;
    const float scale = job->args->scale != 0 ? job->args->scale : 1;
    job->isa->scale_and_cap(job->args->y + begin, (size_t)(end - begin), scale, job->args->softcap);
}

void cpu_logits(struct device *device, const struct logits *args) {
    cpu_multiply(device, &(struct linear_part){.weight = args->weight,
                                               .y = args->y,
                                               .x = args->x,
                                               .row_index = args->row_index,
                                               .tokens = args->rows});
    struct cap_job job = {device->isa, args};
    if (args->scale != 0 || args->softcap > 0)
        threads_for(device->threads, (int64_t)args->rows * args->weight.rows, CAP_ELEMENTS,
                    cap_part, &job);
}
