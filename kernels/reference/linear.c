// kernels/reference/linear.c — products with a matrix: embedding, linear, logits.
#include <math.h>

#include "kernels/base/assert.h"
#include "kernels/host.h"
#include "kernels/reference/reference.h"

// Four sums, because each addition waits for the one before it.
static float dot(const float *a, const float *b, int32_t count) {
    enum { AT_ONCE = 4 };
    double sums[AT_ONCE] = {0}, rest = 0;
    int32_t i = 0;
    for (; i + AT_ONCE <= count; i += AT_ONCE) {
        sums[0] += (double)a[i] * (double)b[i];
        sums[1] += (double)a[i + 1] * (double)b[i + 1];
        sums[2] += (double)a[i + 2] * (double)b[i + 2];
        sums[3] += (double)a[i + 3] * (double)b[i + 3];
    }
    for (; i < count; i++)
        rest += (double)a[i] * (double)b[i];
    return (float)(sums[0] + sums[1] + sums[2] + sums[3] + rest);
}

void reference_embedding(struct device *device, const struct embedding *args) {
    (void)device;
    ASSERT(args->first >= 0 && args->first < args->stride);
    const size_t columns = (size_t)args->table.columns;
    float *y = args->y;
    for (int32_t t = 0; t < args->tokens; t++) {
        const int32_t row = args->token_ids[t] * args->stride + args->first;
        host_weight_row(&args->table, row, y + (size_t)t * columns);
        for (size_t i = 0; i < columns; i++)
            y[(size_t)t * columns + i] *= args->scale;
    }
}

// The rows that a product reads: x, or x normed.
static const float *input_rows(struct device *device, const struct linear_input *in,
                               int32_t columns) {
    ASSERT(in->tokens <= device->limits.max_tokens);
    ASSERT(!in->norm || in->normed != in->x);
    if (!in->norm) return in->x;
    reference_rmsnorm(device, &(struct rmsnorm){.y = in->normed,
                                                .x = in->x,
                                                .weight = in->norm,
                                                .rows = in->tokens,
                                                .dim = columns,
                                                .eps = in->eps});
    return in->normed;
}

static void project(struct device *device, const float *x, int32_t tokens,
                    const struct projection *part, bool add) {
    const struct weight *weight = &part->weight;
    ASSERT(part->y != x && !(add && part->bias));
    ASSERT(weight->columns <= device->limits.max_features);
    const size_t rows = (size_t)weight->rows, columns = (size_t)weight->columns;
    for (int32_t r = 0; r < weight->rows; r++) {
        host_weight_row(weight, r, device->row);
        for (int32_t t = 0; t < tokens; t++) {
            float *y = (float *)part->y + (size_t)t * rows + (size_t)r;
            const float sum = dot(x + (size_t)t * columns, device->row, weight->columns);
            *y = (add ? *y : 0) + (part->bias ? sum + part->bias[r] : sum);
        }
    }
}

void reference_linear(struct device *device, const struct linear *args) {
    ASSERT(args->count > 0 && args->count <= LINEAR_PARTS);
    const float *x = input_rows(device, &args->in, args->parts[0].weight.columns);
    for (int32_t i = 0; i < args->count; i++)
        project(device, x, args->in.tokens, &args->parts[i], args->store == LINEAR_ADD);
}

void reference_gated_linear(struct device *device, const struct gated_linear *args) {
    ASSERT(args->gate.rows == args->up.rows && args->gate.columns == args->up.columns);
    ASSERT(args->y != args->up_rows);
    const struct projection gate = {.y = args->y, .weight = args->gate};
    const struct projection up = {.y = args->up_rows, .weight = args->up};
    const float *x = input_rows(device, &args->in, args->gate.columns);
    project(device, x, args->in.tokens, &gate, false);
    project(device, x, args->in.tokens, &up, false);
    reference_act_and_mul(device, &(struct act_and_mul){.gate = args->y,
                                                        .up = args->up_rows,
                                                        .rows = args->in.tokens,
                                                        .dim = args->gate.rows,
                                                        .act = args->act});
}

static float scaled_and_capped(const struct logits *args, float y) {
    const float scaled = y * args->scale;
    return args->softcap > 0 ? args->softcap * tanhf(scaled / args->softcap) : scaled;
}

void reference_logits(struct device *device, const struct logits *args) {
    const struct weight *weight = &args->weight;
    ASSERT(weight->columns <= device->limits.max_features);
    const size_t rows = (size_t)weight->rows, columns = (size_t)weight->columns;
    const float *x = args->x;
    for (int32_t r = 0; r < weight->rows; r++) {
        host_weight_row(weight, r, device->row);
        for (int32_t i = 0; i < args->rows; i++) {
            ASSERT(args->row_index[i] >= 0);
            const float *row = x + (size_t)args->row_index[i] * columns;
            args->y[(size_t)i * rows + (size_t)r] = scaled_and_capped(
                args, dot(row, device->row, weight->columns) + (args->bias ? args->bias[r] : 0));
        }
    }
}
