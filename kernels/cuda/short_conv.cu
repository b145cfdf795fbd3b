// kernels/cuda/short_conv.cu — a gated convolution over the last few tokens.
//
//   q, k, v  [num_tokens, dim]  fp16, in;  out the same, none of them
//   weight   [width, dim]       fp32, in
//   cache    a row of dim fp32 for each token: half in the plane of K, half in that of V
//
//   grid   (dim / THREADS, num_tokens);  block  THREADS, a channel a thread
//
// u of a token of this batch is computed again by each of the tokens that read it, so that no block
// waits for another; it has the same bits. Arithmetic is fp32, rounded once at the store of out.
// Bound by memory: three reads, a write, and the write to the cache.
#include "kernels/cuda/device.cuh"

enum { THREADS = 256 };

struct conv_cache {
    char *layer; // the planes of block 0
    size_t block_bytes, plane_bytes;
    int block_size, columns;
};

static __device__ inline float *cached(const conv_cache &cache, const int32_t *table, int position,
                                       int c) {
    char *plane = cache.layer + (size_t)table[position / cache.block_size] * cache.block_bytes +
                  (c / cache.columns) * cache.plane_bytes;
    return (float *)plane + (size_t)(position % cache.block_size) * cache.columns +
           c % cache.columns;
}

static __global__ __launch_bounds__(THREADS) void conv_kernel(const short_conv args,
                                                              const batch batch,
                                                              const conv_cache cache) {
    const int c = blockIdx.x * THREADS + threadIdx.x, t = blockIdx.y, dim = args.dim;
    const __half *q = (const __half *)args.q, *k = (const __half *)args.k,
                 *v = (const __half *)args.v;
    grid_launch_dependents();
    grid_wait();
    if (c >= dim) return;
    int s = 0;
    while (batch.cu_seqlens_q[s + 1] <= t)
        s++;
    const int first = batch.cu_seqlens_q[s];
    const int position = batch.seq_lens_kv[s] - batch.cu_seqlens_q[s + 1] + t;
    const int32_t *table = batch.block_table + (size_t)s * batch.max_blocks_per_seq;
    float sum = 0;
    for (int j = 0; j < args.width; j++) {
        const int back = args.width - 1 - j;
        const size_t at = (size_t)(t - back) * dim + c;
        if (position < back) continue;
        const float u = t - back >= first ? __half2float(k[at]) * __half2float(v[at])
                                          : *cached(cache, table, position - back, c);
        sum += args.weight[(size_t)j * dim + c] * u;
        if (back == 0) *cached(cache, table, position, c) = u;
    }
    const size_t at = (size_t)t * dim + c;
    ((__half *)args.out)[at] = __float2half(__half2float(q[at]) * sum);
}

extern "C" void cuda_short_conv(struct device *device, const struct short_conv *args) {
    const struct kv_cache *kv = args->cache;
    ASSERT(short_conv_fits(args) && args->batch->num_tokens > 0);
    const conv_cache cache = {
        (char *)kv->data + 2 * (size_t)args->layer * kv_plane_bytes(kv),
        kv_block_bytes(kv),
        kv_plane_bytes(kv),
        kv->block_size,
        kv->head_size,
    };
    const dim3 grid(ceil_divide((size_t)args->dim, THREADS), (unsigned)args->batch->num_tokens);
    launch_after(device, conv_kernel, grid, dim3(THREADS), 0, *args, *args->batch, cache);
}
