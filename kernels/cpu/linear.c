// kernels/cpu/linear.c — products with a matrix: the input is prepared once, then rows are divided
// among threads.
//
// A task multiplies some rows with all tokens, so that weights are read once. What the input
// becomes depends on the weights, and on whether there are enough tokens for the matrix unit:
//
//   weights          few tokens, or no unit       many tokens on a matrix unit
//   packed           int8, a scale each 32        the same, 16 tokens side by side
//   F16, BF16        as it is                     a sum of two bf16 numbers, 16 tokens side by side
//   F32              as it is                     as it is
//
// A deterministic device does not split F16 and BF16, because its sums would have other bits.
//
// Products of one input, such as q, k and v or the chosen experts of a token, are one job. Their
// rows are numbered through, and each part begins at a whole task; numbers between are nobody's.
// With tasks of 32 rows:
//
//   q has 100 rows    0 … 99      k has 40 rows    128 … 167      v has 40 rows    192 … 231
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/cpu/device.h"
#include "kernels/host.h"

// A task is small enough that a thread that loses its processor for a while delays little, however
// large the product.
enum {
    TASK_ROWS = 2 * MAX_LANES,
    MATRIX_ROWS = 64,
    MATRIX_TASKS_PER_THREAD = 2,
    QUANTIZE_ROWS = 4,
    CAP_ELEMENTS = 8192
};

struct linear_job {
    struct device *device;
    struct linear_part *parts; // [count], the first of which begins at token 0
    int32_t count;
    int32_t tokens; // of the input that parts share
};

static bool is_plain(enum dtype type) {
    return type == DTYPE_F32 || type == DTYPE_F16 || type == DTYPE_BF16;
}

static bool is_half(enum dtype type) { return type == DTYPE_F16 || type == DTYPE_BF16; }

static void quantize_tokens(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct linear_job *job = context;
    const struct linear_part *part = &job->parts[0];
    const size_t columns = (size_t)part->weight.columns;
    ASSERT(columns % 32 == 0 && end <= job->tokens);
    for (int64_t t = begin; t < end; t++) {
        const int64_t row = part->row_index ? part->row_index[t] : t;
        job->device->isa->quantize(job->device->activations + (size_t)t * (columns / 32),
                                   part->x + (size_t)row * columns, part->weight.columns);
    }
}

// Activations of up to 16 tokens, side by side.
static void pack_tile(struct act_tile *tiles, const struct act_block *x8, size_t groups,
                      int32_t tokens) {
    ASSERT(tokens > 0 && tokens <= MATRIX_TOKENS);
    memset(tiles, 0, groups * sizeof *tiles);
    for (int32_t t = 0; t < tokens; t++, x8 += groups)
        for (size_t g = 0; g < groups; g++) {
            memcpy(tiles[g].q[t], x8[g].q, sizeof x8[g].q);
            tiles[g].scale[t] = x8[g].scale;
            tiles[g].sum[t] = x8[g].scaled_sum;
            for (int h = 0; h < 2; h++)
                tiles[g].half_sum[h][t] = x8[g].scale * ((float)x8[g].half_offsets[h] * -0.03125F);
        }
}

static void quantize_tiles(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct linear_job *job = context;
    const size_t groups = (size_t)job->parts[0].weight.columns / 32;
    for (int64_t tile = begin; tile < end; tile++) {
        const int64_t first = tile * MATRIX_TOKENS, left = job->parts[0].tokens - first;
        const int64_t tokens = left < MATRIX_TOKENS ? left : MATRIX_TOKENS;
        quantize_tokens(context, first, first + tokens, thread);
        pack_tile(job->device->tiles + (size_t)tile * groups,
                  job->device->activations + (size_t)first * groups, groups, (int32_t)tokens);
    }
}

static void split_tiles(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct linear_job *job = context;
    const struct linear_part *part = &job->parts[0];
    const int32_t columns = part->weight.columns;
    const size_t count = ((size_t)columns + 31) / 32;
    for (int64_t tile = begin; tile < end; tile++) {
        struct act_bf16 *units = job->device->bf16_tiles + (size_t)tile * BF16_PARTS * count;
        const int64_t first = tile * MATRIX_TOKENS, left = part->tokens - first;
        ASSERT(left > 0);
        if (left < MATRIX_TOKENS) memset(units, 0, BF16_PARTS * count * sizeof *units);
        for (int32_t i = 0; i < MATRIX_TOKENS && i < left; i++) {
            const int64_t row = part->row_index ? part->row_index[first + i] : first + i;
            job->device->matrix->split(units, units + count, i,
                                       part->x + (size_t)row * (size_t)columns, columns);
        }
    }
}

static void split_input(struct linear_job *job) {
    ASSERT(job->count > 0 && job->parts[0].tokens == job->tokens);
    ASSERT(job->device->matrix && job->device->bf16_tiles);
    threads_for(job->device->threads, (job->parts[0].tokens + MATRIX_TOKENS - 1) / MATRIX_TOKENS, 1,
                split_tiles, job);
    for (int32_t i = 0; i < job->count; i++)
        job->parts[i].bf16_tiles = job->device->bf16_tiles;
}

static void quantize_input(struct linear_job *job) {
    struct device *device = job->device;
    const size_t groups = (size_t)job->parts[0].weight.columns / 32;
    const bool matrix = device->tiles && job->parts[0].tokens >= TILES_LEAST;
    if (matrix)
        threads_for(device->threads, (job->tokens + MATRIX_TOKENS - 1) / MATRIX_TOKENS, 1,
                    quantize_tiles, job);
    else
        threads_for(device->threads, job->tokens, QUANTIZE_ROWS, quantize_tokens, job);
    for (int32_t i = 0; i < job->count; i++) {
        job->parts[i].x8 = device->activations + (size_t)job->parts[i].first_token * groups;
        job->parts[i].tiles = matrix ? device->tiles : NULL;
    }
}

static int64_t numbered_rows(const struct linear_part *part) {
    return ((int64_t)part->weight.rows + TASK_ROWS - 1) / TASK_ROWS * TASK_ROWS;
}

static void multiply_rows(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct linear_job *job = context;
    const struct cpu_isa *isa = job->device->isa;
    const struct cpu_matrix *matrix = job->device->matrix;
    ASSERT(begin >= 0 && begin < end);
    for (int32_t i = 0; i < job->count && end > 0; i++) {
        const int64_t from = begin, to = end, rows = job->parts[i].weight.rows;
        begin -= numbered_rows(&job->parts[i]);
        end -= numbered_rows(&job->parts[i]);
        if (from >= rows) continue;
        struct linear_part part = job->parts[i];
        part.first_row = from > 0 ? (int32_t)from : 0;
        part.end_row = (int32_t)(to < rows ? to : rows);
        if (i + 1 < job->count) part.next = job->parts[i + 1].weight.data;
        if (part.bf16_tiles && is_half(part.weight.type))
            matrix->linear_pairs(&part);
        else if (is_plain(part.weight.type))
            isa->linear_plain(&part);
        else
            (part.tiles ? matrix->linear_quantized : isa->linear_quantized)(&part);
    }
}

void cpu_multiply(struct device *device, struct linear_part *parts, int32_t count) {
    ASSERT(count > 0 && parts->first_token == 0);
    ASSERT(parts->weight.columns <= device->limits.max_features);
    struct linear_job job = {.device = device, .parts = parts, .count = count};
    bool packed = false, halves = false;
    int64_t rows = 0;
    for (int32_t i = 0; i < count; i++) {
        struct linear_part *part = &parts[i];
        const int32_t end = part->first_token + part->tokens;
        ASSERT(part->x == job.parts->x && part->row_index == job.parts->row_index);
        ASSERT(part->weight.columns == parts->weight.columns);
        ASSERT((const void *)part->y != (const void *)part->x);
        if (part->row_index)
            part->row_index += part->first_token;
        else
            part->x += (size_t)part->first_token * (size_t)part->weight.columns;
        part->in_order = device->matrix == NULL;
        job.tokens = end > job.tokens ? end : job.tokens;
        rows += numbered_rows(part);
        packed = packed || !is_plain(part->weight.type);
        halves = halves || is_half(part->weight.type);
    }
    if (job.tokens <= 0) return;
    ASSERT(job.tokens <= device->max_rows);
    if (packed) quantize_input(&job);
    if (halves && device->bf16_tiles && parts->tokens >= PAIRS_LEAST) split_input(&job);
    const bool matrix = job.parts[0].tiles || job.parts[0].bf16_tiles;
    const int64_t share = rows / (threads_count(device->threads) * MATRIX_TASKS_PER_THREAD);
    if (!matrix)
        threads_for_small(device->threads, rows, MAX_LANES, multiply_rows, &job);
    else
        threads_for(device->threads, rows,
                    share > MATRIX_ROWS ? share / TASK_ROWS * TASK_ROWS : MATRIX_ROWS,
                    multiply_rows, &job);
}

struct embedding_job {
    const struct embedding *args;
};

static void embed_tokens(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct embedding *args = ((const struct embedding_job *)context)->args;
    const size_t columns = (size_t)args->table.columns;
    for (int64_t t = begin; t < end; t++) {
        const int32_t row = args->token_ids[t] * args->stride + args->first;
        host_weight_row(&args->table, row, (float *)args->y + (size_t)t * columns);
        for (size_t i = 0; i < columns && args->scale != 1; i++)
            ((float *)args->y)[(size_t)t * columns + i] *= args->scale;
    }
}

void cpu_embedding(struct device *device, const struct embedding *args) {
    ASSERT(args->first >= 0 && args->first < args->stride);
    struct embedding_job job = {args};
    threads_for(device->threads, args->tokens, QUANTIZE_ROWS, embed_tokens, &job);
}

// The rows that a product reads: x, or x normed.
static const float *input_rows(struct device *device, const struct linear_input *in,
                               int32_t columns) {
    ASSERT(in->tokens <= device->max_rows && columns <= device->limits.max_features);
    if (!in->norm) return in->x;
    cpu_rmsnorm(device, &(struct rmsnorm){.y = in->normed,
                                          .x = in->x,
                                          .weight = in->norm,
                                          .rows = in->tokens,
                                          .dim = columns,
                                          .eps = in->eps});
    return in->normed;
}

static void project(struct device *device, const struct linear_input *in, const float *x,
                    const struct projection *projections, int32_t count, bool add) {
    struct linear_part parts[LINEAR_PARTS];
    ASSERT(count > 0 && count <= LINEAR_PARTS);
    for (int32_t i = 0; i < count; i++) {
        ASSERT(!add || !projections[i].bias);
        parts[i] = (struct linear_part){.weight = projections[i].weight,
                                        .y = projections[i].y,
                                        .x = x,
                                        .bias = projections[i].bias,
                                        .add = add,
                                        .tokens = in->tokens};
    }
    cpu_multiply(device, parts, count);
}

void cpu_linear(struct device *device, const struct linear *args) {
    const float *x = input_rows(device, &args->in, args->parts[0].weight.columns);
    project(device, &args->in, x, args->parts, args->count, args->store == LINEAR_ADD);
}

void cpu_gated_linear(struct device *device, const struct gated_linear *args) {
    ASSERT(args->gate.rows == args->up.rows && args->gate.columns == args->up.columns);
    ASSERT(args->y != args->up_rows);
    const struct projection both[] = {{.y = args->y, .weight = args->gate},
                                      {.y = args->up_rows, .weight = args->up}};
    const float *x = input_rows(device, &args->in, args->gate.columns);
    project(device, &args->in, x, both, 2, false);
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
    const struct logits *args = job->args;
    job->isa->scale_and_cap(args->y + begin, (size_t)(end - begin), args->scale, args->softcap);
}

void cpu_logits(struct device *device, const struct logits *args) {
    struct linear_part part = {.weight = args->weight,
                               .y = args->y,
                               .x = args->x,
                               .row_index = args->row_index,
                               .bias = args->bias,
                               .tokens = args->rows};
    cpu_multiply(device, &part, 1);
    struct cap_job job = {device->isa, args};
    if (args->scale != 1 || args->softcap > 0)
        threads_for(device->threads, (int64_t)args->rows * args->weight.rows, CAP_ELEMENTS,
                    cap_part, &job);
}
