// kernels/cpu/recurrence.c — a recurrent layer: convolution, heads, norms.
//
// A sequence's state is the last inputs of the convolution and a matrix for each head. Three steps,
// each divided among all threads, because each needs all of the one before:
//
//   convolve       by channels, in place. From the last token back: an output takes the place of
//                  its input, which later tokens need and earlier ones do not. The inputs that the
//                  next step will need are set aside before
//   run_heads      by heads of a sequence. A head goes through its tokens in order, with its state
//                  in a core's cache
//   norm_groups    only where a norm spans several heads
//
// A head's result depends on its tokens alone, so it is the same however they were cut into steps
// or divided among threads.
#include <math.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/cpu/device.h"
#include "kernels/host.h"

enum { CHANNELS = 256 }; // at once, of one thread

struct state_job {
    const struct cpu_isa *isa;
    const struct recurrence *args;
    float k_scale[RECURRENCE_SIZE_MAX], q_scale[RECURRENCE_SIZE_MAX]; // of norms to the length of 1
};

struct stretch { // a sequence's new tokens, and its state before and after them
    int32_t begin, end;
    const float *before; // NULL: zeros
    float *after;
};

static struct stretch stretch_of(const struct recurrence *args, int32_t seq) {
    const struct batch *batch = args->batch;
    const int32_t begin = batch->cu_seqlens_q[seq], end = batch->cu_seqlens_q[seq + 1];
    const int32_t length = batch->seq_lens_kv[seq];
    return (struct stretch){begin, end, recurrence_state(args, seq, length - (end - begin)),
                            recurrence_state(args, seq, length)};
}

// The input `back` tokens before the batch's token t, of channels from `first` on.
static const float *input(const struct recurrence *args, const struct stretch *stretch, int32_t t,
                          int32_t back, size_t first) {
    static const float zeros[CHANNELS];
    const size_t channels = (size_t)recurrence_channels(args);
    const int32_t from = t - back, old = args->width - 1 + from - stretch->begin;
    if (from >= stretch->begin) return (const float *)args->qkv + (size_t)from * channels + first;
    return stretch->before ? stretch->before + (size_t)old * channels + first : zeros;
}

// From the last token back, since each takes the place of its input.
static void convolve_stretch(const struct state_job *job, const struct stretch *stretch,
                             size_t first, size_t count) {
    const struct recurrence *args = job->args;
    const size_t channels = (size_t)recurrence_channels(args), bytes = count * sizeof(float);
    const int32_t kept = args->width - 1;
    float last[SHORT_CONV_MAX][CHANNELS], sum[CHANNELS], ones[CHANNELS];
    for (size_t i = 0; i < count; i++)
        ones[i] = 1;
    for (int32_t j = 0; j < kept; j++)
        memcpy(last[j], input(args, stretch, stretch->end - 1, kept - 1 - j, first), bytes);
    for (int32_t t = stretch->end - 1; t >= stretch->begin; t--) {
        const float *rows[SHORT_CONV_MAX + 1];
        for (int32_t j = 0; j < args->width; j++)
            rows[j] = input(args, stretch, t, kept - j, first);
        rows[args->width] = ones; // of SSD's bias
        job->isa->convolve(sum, NULL, rows, args->conv + first, channels,
                           args->width + (args->rule == RECURRENCE_SSD), count);
        memcpy((float *)args->qkv + (size_t)t * channels + first, sum, bytes);
    }
    for (int32_t j = 0; j < kept; j++)
        memcpy(stretch->after + (size_t)j * channels + first, last[j], bytes);
}

static void convolve(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct state_job *job = context;
    (void)thread;
    for (int32_t s = 0; s < job->args->batch->num_seqs; s++) {
        const struct stretch stretch = stretch_of(job->args, s);
        for (int64_t first = begin; first < end; first += CHANNELS)
            convolve_stretch(job, &stretch, (size_t)first,
                             (size_t)(end - first < CHANNELS ? end - first : CHANNELS));
    }
}

// Of a delta net, a head's q and k in `both`, normed to the length of 1.
static void norm_keys(const struct state_job *job, struct state_step *step, float *both) {
    const int32_t size = job->args->key_size;
    const size_t bytes = (size_t)size * sizeof *both;
    float *q = memcpy(both, step->q, bytes);
    float *k = memcpy(both + RECURRENCE_SIZE_MAX, step->k, bytes);
    job->isa->norm_head(q, job->q_scale, size, job->args->eps / (float)size);
    job->isa->norm_head(k, job->k_scale, size, job->args->eps / (float)size);
    step->q = q;
    step->k = k;
}

static void run_token(const struct state_job *job, struct state_step *step, int32_t head,
                      int32_t token) {
    const struct recurrence *args = job->args;
    const struct recurrence_parts parts = recurrence_parts_of(args);
    const int32_t values = args->value_size, heads = args->value_heads;
    const int32_t key = args->tiled ? head % args->key_heads : head / (heads / args->key_heads);
    const bool delta = args->rule == RECURRENCE_DELTA;
    const size_t at = (size_t)token * (size_t)heads + (size_t)head;
    const float *row = (const float *)args->qkv + (size_t)token * (size_t)recurrence_channels(args);
    const float raw = ((const float *)args->alpha)[at] + args->bias[head];
    const float time = raw > 20 ? raw : log1pf(expf(raw));
    float both[2 * RECURRENCE_SIZE_MAX], o[RECURRENCE_SIZE_MAX];
    step->q = row + parts.q + key * args->key_size;
    step->k = row + parts.k + key * args->key_size;
    step->v = row + parts.v + head * values;
    step->out = o;
    step->decay = expf(args->decay[head] * time);
    step->beta = delta ? 1 / (1 + expf(-((const float *)args->beta)[at])) : time;
    step->skip = delta ? 0 : args->skip[head];
    if (delta) norm_keys(job, step, both);
    job->isa->state_step(step);
    if (delta) job->isa->norm_head(o, args->norm, values, args->eps);
    job->isa->act_and_mul(ACT_SILU, (float *)args->z + at * (size_t)values, o, (size_t)values);
}

// Task i is head i % value_heads of sequence i / value_heads.
static void run_heads(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct state_job *job = context;
    const struct recurrence *args = job->args;
    const size_t square = (size_t)args->key_size * (size_t)args->value_size;
    const size_t skipped = (size_t)(args->width - 1) * (size_t)recurrence_channels(args);
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int32_t head = (int32_t)(i % args->value_heads);
        const struct stretch stretch = stretch_of(args, (int32_t)(i / args->value_heads));
        const size_t at = skipped + (size_t)head * square;
        struct state_step step = {.state = stretch.after + at,
                                  .rows = args->key_size,
                                  .columns = args->value_size,
                                  .corrects = args->rule == RECURRENCE_DELTA};
        if (!stretch.before)
            memset(step.state, 0, square * sizeof(float));
        else if (stretch.before != stretch.after)
            memcpy(step.state, stretch.before + at, square * sizeof(float));
        for (int32_t t = stretch.begin; t < stretch.end; t++)
            run_token(job, &step, head, t);
    }
}

// Task i is z of the value heads of key head i % key_heads of token i / key_heads.
static void norm_groups(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct state_job *job = context;
    const struct recurrence *args = job->args;
    const int32_t size = args->value_heads / args->key_heads * args->value_size;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        job->isa->norm_head((float *)args->z + (size_t)i * (size_t)size,
                            args->norm + i % args->key_heads * size, size, args->eps);
}

void cpu_recurrence(struct device *device, const struct recurrence *args) {
    ASSERT(recurrence_fits(args));
    struct state_job job = {.isa = device->isa, .args = args};
    for (int32_t i = 0; i < args->key_size; i++) {
        job.k_scale[i] = 1 / sqrtf((float)args->key_size);
        job.q_scale[i] = 1 / (float)args->key_size;
    }
    threads_for(device->threads, recurrence_channels(args), CHANNELS, convolve, &job);
    threads_for(device->threads, (int64_t)args->batch->num_seqs * args->value_heads, 1, run_heads,
                &job);
    if (args->rule == RECURRENCE_SSD && args->norm)
        threads_for(device->threads, (int64_t)args->batch->num_tokens * args->key_heads, 1,
                    norm_groups, &job);
}
