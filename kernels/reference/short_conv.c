// kernels/reference/short_conv.c — a gated convolution over the last few tokens.
#include "kernels/base/assert.h"
#include "kernels/host.h"
#include "kernels/reference/reference.h"

// Element c of u at a position of sequence `seq`.
static float *cached(const struct short_conv *args, int32_t seq, int32_t position, int32_t c) {
    const struct batch *batch = args->batch;
    const int32_t size = args->cache->block_size, columns = args->cache->head_size;
    const int32_t *table = batch->block_table + (size_t)seq * (size_t)batch->max_blocks_per_seq;
    return (float *)(void *)kv_element(args->cache, (uint32_t)table[position / size], args->layer,
                                       c / columns, 0, position % size, c % columns);
}

static void convolve(const struct short_conv *args, int32_t seq, int32_t token, int32_t position) {
    const size_t row = (size_t)token * (size_t)args->dim;
    for (int32_t c = 0; c < args->dim; c++) {
        const size_t at = row + (size_t)c;
        double sum = 0;
        *cached(args, seq, position, c) =
            ((const float *)args->k)[at] * ((const float *)args->v)[at];
        for (int32_t j = 0; j < args->width; j++) {
            const int32_t before = position - args->width + 1 + j;
            if (before < 0) continue;
            sum += (double)args->weight[(size_t)j * (size_t)args->dim + (size_t)c] *
                   (double)*cached(args, seq, before, c);
        }
        ((float *)args->out)[at] = ((const float *)args->q)[at] * (float)sum;
    }
}

void reference_short_conv(struct device *device, const struct short_conv *args) {
    const struct batch *batch = args->batch;
    (void)device;
    ASSERT(short_conv_fits(args));
    for (int32_t s = 0; s < batch->num_seqs; s++)
        for (int32_t t = batch->cu_seqlens_q[s]; t < batch->cu_seqlens_q[s + 1]; t++)
            convolve(args, s, t, batch->seq_lens_kv[s] - batch->cu_seqlens_q[s + 1] + t);
}
