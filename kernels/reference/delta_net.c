// kernels/reference/delta_net.c — a gated delta net, token by token.
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
static void convolve(const struct delta_net *args, const struct stretch *stretch, int32_t channel) {
    const size_t channels = (size_t)delta_channels(args), c = (size_t)channel;
    const int32_t kept = args->width - 1;
    float *qkv = (float *)args->qkv + c;
    double past[SHORT_CONV_MAX] = {0}; // the newest last
    for (int32_t j = 0; j < kept && stretch->before; j++)
        past[j + 1] = (double)stretch->before[(size_t)j * channels + c];
    for (int32_t t = stretch->begin; t < stretch->end; t++) {
        float *row = qkv + (size_t)t * channels;
        double sum = 0;
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

// The rule for one token: S [size, size], and o of it.
static void update(const struct delta_net *args, int32_t head, int32_t token, float *state,
                   double *o) {
    const int32_t size = args->size, heads = args->value_heads;
    const int32_t key = args->tiled ? head % args->key_heads : head / (heads / args->key_heads);
    const size_t at = (size_t)token * (size_t)heads + (size_t)head;
    const float *q = (const float *)args->qkv + (size_t)token * (size_t)delta_channels(args);
    const float *k = q + (size_t)args->key_heads * (size_t)size;
    const float *v = k + (size_t)args->key_heads * (size_t)size + (size_t)head * (size_t)size;
    q += (size_t)key * (size_t)size;
    k += (size_t)key * (size_t)size;
    const double q_scale = scale_of(q, size, (double)args->eps) / sqrt((double)size);
    const double k_scale = scale_of(k, size, (double)args->eps);
    const double raw = (double)(((const float *)args->alpha)[at] + args->bias[head]);
    const double decay = exp((double)args->decay[head] * (raw > 30 ? raw : log1p(exp(raw))));
    const double beta = sigmoid((double)((const float *)args->beta)[at]);
    for (int32_t j = 0; j < size; j++) {
        double known = 0;
        for (int32_t i = 0; i < size; i++)
            known += decay * (double)state[i * size + j] * (double)k[i] * k_scale;
        const double delta = beta * ((double)v[j] - known);
        o[j] = 0;
        for (int32_t i = 0; i < size; i++) {
            float *s = &state[i * size + j];
            *s = (float)(decay * (double)*s + (double)k[i] * k_scale * delta);
            o[j] += (double)*s * (double)q[i] * q_scale;
        }
    }
}

static void run_head(const struct delta_net *args, const struct stretch *stretch, int32_t head) {
    const size_t size = (size_t)args->size, square = size * size;
    const size_t skipped = (size_t)(args->width - 1) * (size_t)delta_channels(args);
    float *state = stretch->after + skipped + (size_t)head * square;
    double o[DELTA_SIZE_MAX];
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
            z[i] = (float)((double)z[i] * sigmoid((double)z[i]) * (double)args->norm[i] * o[i] *
                           scale);
    }
}

void reference_delta_net(struct device *device, const struct delta_net *args) {
    const struct batch *batch = args->batch;
    (void)device;
    ASSERT(delta_net_fits(args));
    for (int32_t s = 0; s < batch->num_seqs; s++) {
        const int32_t length = batch->seq_lens_kv[s];
        const int32_t begin = batch->cu_seqlens_q[s], end = batch->cu_seqlens_q[s + 1];
        const struct stretch stretch = {begin, end, delta_state(args, s, length - (end - begin)),
                                        delta_state(args, s, length)};
        for (int32_t c = 0; c < delta_channels(args); c++)
            convolve(args, &stretch, c);
        for (int32_t head = 0; head < args->value_heads; head++)
            run_head(args, &stretch, head);
    }
}
