// kernels/cpu/delta_net.c — a gated delta net: first its convolution, channels divided among
// threads, then the heads of all sequences. A head goes through its tokens in order and its state
// stays in a core's cache, so what it comes to does not depend on how the tokens were cut.
#include <math.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/cpu/device.h"
#include "kernels/host.h"

enum { CHANNELS = 256 }; // at once, of one thread

struct delta_job {
    const struct cpu_isa *isa;
    const struct delta_net *args;
    float k_scale[DELTA_SIZE_MAX], q_scale[DELTA_SIZE_MAX]; // that norms to the length of 1 need
};

struct stretch { // a sequence's new tokens, and its state before and after them
    int32_t begin, end;
    const float *before; // NULL: zeros
    float *after;
};

static struct stretch stretch_of(const struct delta_net *args, int32_t seq) {
    const struct batch *batch = args->batch;
    const int32_t begin = batch->cu_seqlens_q[seq], end = batch->cu_seqlens_q[seq + 1];
    const int32_t length = batch->seq_lens_kv[seq];
    return (struct stretch){begin, end, delta_state(args, seq, length - (end - begin)),
                            delta_state(args, seq, length)};
}

// The input `back` tokens before the batch's token t, of channels from `first` on.
static const float *input(const struct delta_net *args, const struct stretch *stretch, int32_t t,
                          int32_t back, size_t first) {
    static const float zeros[CHANNELS];
    const size_t channels = (size_t)delta_channels(args);
    const int32_t from = t - back, old = args->width - 1 + from - stretch->begin;
    if (from >= stretch->begin) return (const float *)args->qkv + (size_t)from * channels + first;
    return stretch->before ? stretch->before + (size_t)old * channels + first : zeros;
}

// From the last token back, since each takes the place of its input.
static void convolve_stretch(const struct delta_job *job, const struct stretch *stretch,
                             size_t first, size_t count) {
    const struct delta_net *args = job->args;
    const size_t channels = (size_t)delta_channels(args), bytes = count * sizeof(float);
    const int32_t kept = args->width - 1;
    float last[SHORT_CONV_MAX][CHANNELS], sum[CHANNELS];
    for (int32_t j = 0; j < kept; j++)
        memcpy(last[j], input(args, stretch, stretch->end - 1, kept - 1 - j, first), bytes);
    for (int32_t t = stretch->end - 1; t >= stretch->begin; t--) {
        const float *rows[SHORT_CONV_MAX];
        for (int32_t j = 0; j < args->width; j++)
            rows[j] = input(args, stretch, t, kept - j, first);
        job->isa->convolve(sum, NULL, rows, args->conv + first, channels, args->width, count);
        memcpy((float *)args->qkv + (size_t)t * channels + first, sum, bytes);
    }
    for (int32_t j = 0; j < kept; j++)
        memcpy(stretch->after + (size_t)j * channels + first, last[j], bytes);
}

static void convolve(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct delta_job *job = context;
    (void)thread;
    for (int32_t s = 0; s < job->args->batch->num_seqs; s++) {
        const struct stretch stretch = stretch_of(job->args, s);
        for (int64_t first = begin; first < end; first += CHANNELS)
            convolve_stretch(job, &stretch, (size_t)first,
                             (size_t)(end - first < CHANNELS ? end - first : CHANNELS));
    }
}

static void run_token(const struct delta_job *job, struct delta_step *step, int32_t head,
                      int32_t token) {
    const struct delta_net *args = job->args;
    const int32_t size = args->size, heads = args->value_heads;
    const int32_t key = args->tiled ? head % args->key_heads : head / (heads / args->key_heads);
    const size_t wide = (size_t)size, keys = (size_t)args->key_heads * wide;
    const size_t at = (size_t)token * (size_t)heads + (size_t)head;
    const float *row = (const float *)args->qkv + (size_t)token * (size_t)delta_channels(args);
    const float raw = ((const float *)args->alpha)[at] + args->bias[head];
    float q[DELTA_SIZE_MAX], k[DELTA_SIZE_MAX], o[DELTA_SIZE_MAX];
    memcpy(q, row + (size_t)key * wide, wide * sizeof *q);
    memcpy(k, row + keys + (size_t)key * wide, wide * sizeof *k);
    job->isa->norm_head(q, job->q_scale, size, args->eps / (float)size);
    job->isa->norm_head(k, job->k_scale, size, args->eps / (float)size);
    step->q = q;
    step->k = k;
    step->v = row + 2 * keys + (size_t)head * wide;
    step->out = o;
    step->decay = expf(args->decay[head] * (raw > 20 ? raw : log1pf(expf(raw))));
    step->beta = 1 / (1 + expf(-((const float *)args->beta)[at]));
    job->isa->delta_step(step);
    job->isa->norm_head(o, args->norm, size, args->eps);
    job->isa->act_and_mul(ACT_SILU, (float *)args->z + at * wide, o, wide);
}

// Task i is head i % value_heads of sequence i / value_heads.
static void run_heads(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct delta_job *job = context;
    const struct delta_net *args = job->args;
    const size_t square = (size_t)args->size * (size_t)args->size;
    const size_t skipped = (size_t)(args->width - 1) * (size_t)delta_channels(args);
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int32_t head = (int32_t)(i % args->value_heads);
        const struct stretch stretch = stretch_of(args, (int32_t)(i / args->value_heads));
        const size_t at = skipped + (size_t)head * square;
        struct delta_step step = {.state = stretch.after + at, .size = args->size};
        if (!stretch.before)
            memset(step.state, 0, square * sizeof(float));
        else if (stretch.before != stretch.after)
            memcpy(step.state, stretch.before + at, square * sizeof(float));
        for (int32_t t = stretch.begin; t < stretch.end; t++)
            run_token(job, &step, head, t);
    }
}

void cpu_delta_net(struct device *device, const struct delta_net *args) {
    ASSERT(delta_net_fits(args));
    struct delta_job job = {.isa = device->isa, .args = args};
    for (int32_t i = 0; i < args->size; i++) {
        job.k_scale[i] = 1 / sqrtf((float)args->size);
        job.q_scale[i] = 1 / (float)args->size;
    }
    threads_for(device->threads, delta_channels(args), CHANNELS, convolve, &job);
    threads_for(device->threads, (int64_t)args->batch->num_seqs * args->value_heads, 1, run_heads,
                &job);
}
