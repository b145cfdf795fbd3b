// kernels/reference/recurrence.c — a recurrent layer, token by token.
#include <math.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/host.h"
#include "kernels/reference/reference.h"

// A sequence's new tokens, and its state before and after them.
struct stretch {
    int32_t begin, end; // tokens of the batch
    const float *before;
    float *after;
};

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

// One channel: its inputs, the last of them kept in the state, become what the convolution makes.
static void convolve(const struct recurrence *args, const struct stretch *stretch,
                     int32_t channel) {
    const size_t channels = (size_t)recurrence_channels(args), c = (size_t)channel;
    const int32_t kept = args->width - 1;
    float *qkv = (float *)args->qkv + c;
    double past[SHORT_CONV_MAX] = {0}; // the newest last
    for (int32_t j = 0; j < kept && stretch->before; j++)
        past[j + 1] = (double)stretch->before[(size_t)j * channels + c];
    for (int32_t t = stretch->begin; t < stretch->end; t++) {
        float *row = qkv + (size_t)t * channels;
        double sum = args->rule == RECURRENCE_SSD
                         ? (double)args->conv[(size_t)args->width * channels + c]
                         : 0;
        memmove(past, past + 1, (size_t)kept * sizeof past[0]);
        past[kept] = (double)*row;
        for (int32_t j = 0; j < args->width; j++)
            sum += (double)args->conv[(size_t)j * channels + c] * past[j];
        *row = (float)(sum * sigmoid(sum));
    }
    for (int32_t j = 0; j < kept; j++)
        stretch->after[(size_t)j * channels + c] = (float)past[j + 1];
}

static double scale_of(const float *x, int32_t count, double eps) { // to the length of 1
    double squares = eps;
    for (int32_t i = 0; i < count; i++)
        squares += (double)x[i] * (double)x[i];
    return 1 / sqrt(squares);
}

// The rule for one token: S [key_size, value_size], and o of it.
static void update(const struct recurrence *args, int32_t head, int32_t token, float *state,
                   double *o) {
    const int32_t keys = args->key_size, values = args->value_size, heads = args->value_heads;
    const int32_t key = args->tiled ? head % args->key_heads : head / (heads / args->key_heads);
    const bool delta = args->rule == RECURRENCE_DELTA;
    const size_t at = (size_t)token * (size_t)heads + (size_t)head;
    const struct recurrence_parts parts = recurrence_parts_of(args);
    const float *row = (const float *)args->qkv + (size_t)token * (size_t)recurrence_channels(args);
    const float *q = row + parts.q + key * keys, *k = row + parts.k + key * keys;
    const float *v = row + parts.v + head * values;
    const double eps = (double)args->eps;
    const double q_scale = delta ? scale_of(q, keys, eps) / sqrt((double)keys) : 1;
    const double k_scale = delta ? scale_of(k, keys, eps) : 1;
    const double raw = (double)(((const float *)args->alpha)[at] + args->bias[head]);
    const double step = raw > 30 ? raw : log1p(exp(raw));
    const double decay = exp((double)args->decay[head] * step);
    const double share = delta ? sigmoid((double)((const float *)args->beta)[at]) : step;
    for (int32_t j = 0; j < values; j++) {
        double known = 0;
        for (int32_t i = 0; i < keys && delta; i++)
            known += decay * (double)state[i * values + j] * (double)k[i] * k_scale;
        const double change = share * ((double)v[j] - known);
        o[j] = delta ? 0 : (double)args->skip[head] * (double)v[j];
        for (int32_t i = 0; i < keys; i++) {
            float *s = &state[i * values + j];
            *s = (float)(decay * (double)*s + (double)k[i] * k_scale * change);
            o[j] += (double)*s * (double)q[i] * q_scale;
        }
    }
}

static void run_head(const struct recurrence *args, const struct stretch *stretch, int32_t head) {
    const size_t size = (size_t)args->value_size, square = (size_t)args->key_size * size;
    const size_t skipped = (size_t)(args->width - 1) * (size_t)recurrence_channels(args);
    const bool delta = args->rule == RECURRENCE_DELTA;
    float *state = stretch->after + skipped + (size_t)head * square;
    double o[RECURRENCE_SIZE_MAX];
    if (stretch->before)
        memmove(state, stretch->before + skipped + (size_t)head * square, square * sizeof *state);
    else
        memset(state, 0, square * sizeof *state);
    for (int32_t t = stretch->begin; t < stretch->end; t++) {
        const size_t at = ((size_t)t * (size_t)args->value_heads + (size_t)head) * size;
        float *z = (float *)args->z + at;
        double squares = 0;
        update(args, head, t, state, o);
        for (size_t i = 0; i < size; i++)
            squares += o[i] * o[i];
        const double scale = 1 / sqrt(squares / (double)size + (double)args->eps);
        for (size_t i = 0; i < size; i++)
            z[i] = (float)((double)z[i] * sigmoid((double)z[i]) * o[i] *
                           (delta ? (double)args->norm[i] * scale : 1));
    }
}

// z of the value heads of each key head together.
static void norm_groups(const struct recurrence *args) {
    const int32_t all = args->value_heads * args->value_size, size = all / args->key_heads;
    for (int32_t row = 0; row < args->batch->num_tokens * args->key_heads; row++) {
        float *z = (float *)args->z + (size_t)row * (size_t)size;
        const float *norm = args->norm + row % args->key_heads * size;
        const double scale = scale_of(z, size, (double)args->eps * size) * sqrt((double)size);
        for (int32_t i = 0; i < size; i++)
            z[i] = (float)((double)z[i] * scale * (double)norm[i]);
    }
}

void reference_recurrence(struct device *device, const struct recurrence *args) {
    const struct batch *batch = args->batch;
    (void)device;
    ASSERT(recurrence_fits(args));
    for (int32_t s = 0; s < batch->num_seqs; s++) {
        const int32_t length = batch->seq_lens_kv[s];
        const int32_t begin = batch->cu_seqlens_q[s], end = batch->cu_seqlens_q[s + 1];
        const struct stretch stretch = {begin, end,
                                        recurrence_state(args, s, length - (end - begin)),
                                        recurrence_state(args, s, length)};
        for (int32_t c = 0; c < recurrence_channels(args); c++)
            convolve(args, &stretch, c);
        for (int32_t head = 0; head < args->value_heads; head++)
            run_head(args, &stretch, head);
    }
    if (args->rule == RECURRENCE_SSD && args->norm) norm_groups(args);
}
