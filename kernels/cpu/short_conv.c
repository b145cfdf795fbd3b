// kernels/cpu/short_conv.c — a gated convolution over the last few tokens: channels, divided among
// threads. Each goes through the batch in order, so what it reads of earlier tokens is written.
#include "kernels/base/assert.h"
#include "kernels/cpu/device.h"
#include "kernels/host.h"

enum { TASK_ELEMENTS = 8192, LEAST_CHANNELS = 64 };

struct conv_job {
    const struct cpu_isa *isa;
    const struct short_conv *args;
};

// Channels [begin, end) of one half of u, at a position of sequence `seq`.
static float *cached(const struct short_conv *args, int32_t seq, int32_t position, int64_t begin) {
    const struct batch *batch = args->batch;
    const int32_t size = args->cache->block_size, columns = args->cache->head_size;
    const int32_t *table = batch->block_table + (size_t)seq * (size_t)batch->max_blocks_per_seq;
    char *rows = kv_head_rows(args->cache, (uint32_t)table[position / size], args->layer,
                              begin >= columns, 0);
    return (float *)(void *)rows + (size_t)(position % size) * (size_t)columns + begin % columns;
}

static void convolve_token(const struct conv_job *job, int32_t seq, int32_t token, int64_t begin,
                           int64_t end) {
    const struct short_conv *args = job->args;
    const struct batch *batch = args->batch;
    const int32_t position = batch->seq_lens_kv[seq] - batch->cu_seqlens_q[seq + 1] + token;
    const int32_t taps = position + 1 < args->width ? position + 1 : args->width;
    const size_t dim = (size_t)args->dim, at = (size_t)token * dim + (size_t)begin;
    const float *k = (const float *)args->k + at, *v = (const float *)args->v + at;
    const float *rows[SHORT_CONV_MAX];
    float *u = cached(args, seq, position, begin);
    for (int64_t i = 0; i < end - begin; i++)
        u[i] = k[i] * v[i];
    for (int32_t j = 0; j < taps; j++)
        rows[j] = cached(args, seq, position + 1 - taps + j, begin);
    job->isa->convolve((float *)args->out + at, (const float *)args->q + at, rows,
                       args->weight + (size_t)(args->width - taps) * dim + begin, dim, taps,
                       (size_t)(end - begin));
}

static void convolve_channels(void *context, int64_t begin, int64_t end, int32_t thread) {
    (void)thread;
    const struct conv_job *job = context;
    const struct batch *batch = job->args->batch;
    const int64_t columns = job->args->cache->head_size;
    if (begin < columns && end > columns) {
        convolve_channels(context, begin, columns, thread);
        begin = columns;
    }
    for (int32_t s = 0; s < batch->num_seqs; s++)
        for (int32_t t = batch->cu_seqlens_q[s]; t < batch->cu_seqlens_q[s + 1]; t++)
            convolve_token(job, s, t, begin, end);
}

void cpu_short_conv(struct device *device, const struct short_conv *args) {
    ASSERT(short_conv_fits(args));
    const int64_t share = TASK_ELEMENTS / (1 + (int64_t)args->batch->num_tokens);
    struct conv_job job = {device->isa, args};
    threads_for(device->threads, args->dim, share > LEAST_CHANNELS ? share : LEAST_CHANNELS,
                convolve_channels, &job);
}
