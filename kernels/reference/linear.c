// kernels/reference/linear.c — products with a matrix: embedding, linear, logits.
#include "engine/base/assert.h"
#include "kernels/reference/reference.h"

static const void *weight_row(const struct weight *weight, int32_t row) {
    return (const char *)weight->data +
           (size_t)row * dtype_row_bytes(weight->type, weight->columns);
}

static float dot(const float *a, const float *b, int32_t count) {
    double sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return (float)sum;
}

void reference_embedding(struct device *device, const struct embedding *args) {
    (void)device;
    const size_t columns = (size_t)args->table.columns;
    float *y = args->y;
    for (int32_t t = 0; t < args->tokens; t++) {
        const int32_t id = args->token_ids[t];
        ASSERT(id >= 0 && id < args->table.rows);
        dtype_to_float(args->table.type, weight_row(&args->table, id), y + (size_t)t * columns,
                       columns);
    }
}

void reference_linear(struct device *device, const struct linear *args) {
    const struct weight *weight = &args->weight;
    ASSERT(args->tokens <= device->limits.max_tokens);
    ASSERT(weight->columns <= device->limits.max_features);
    const size_t rows = (size_t)weight->rows, columns = (size_t)weight->columns;
    const float *x = args->x;
    float *y = args->y;
    for (int32_t r = 0; r < weight->rows; r++) {
        dtype_to_float(weight->type, weight_row(weight, r), device->row, columns);
        for (int32_t t = 0; t < args->tokens; t++) {
            const float sum = dot(x + (size_t)t * columns, device->row, weight->columns);
            y[(size_t)t * rows + (size_t)r] = args->bias ? sum + args->bias[r] : sum;
        }
    }
}

void reference_logits(struct device *device, const struct logits *args) {
    const struct weight *weight = &args->weight;
    ASSERT(weight->columns <= device->limits.max_features);
    const size_t rows = (size_t)weight->rows, columns = (size_t)weight->columns;
    const float *x = args->x;
    for (int32_t r = 0; r < weight->rows; r++) {
        dtype_to_float(weight->type, weight_row(weight, r), device->row, columns);
        for (int32_t i = 0; i < args->rows; i++) {
            const float *row = x + (size_t)args->row_index[i] * columns;
            args->y[(size_t)i * rows + (size_t)r] = dot(row, device->row, weight->columns);
        }
    }
}
