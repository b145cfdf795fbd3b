// kernels/cuda/rope_and_cache.cu — q/k norm, rotary embedding, and K and V into their slots.
//
//   q             [num_tokens, num_heads, head_size]  fp16, in and out
//   k, v          [num_tokens, num_kv_heads, head_size]  fp16, in
//   q_norm, k_norm  [head_size] fp32, or NULL;  inv_freq  [rotary / 2] fp32
//   cache         either layout, fp32, fp16 or bf16
//
//   grid   (num_tokens, heads of q, then of k, then of v);  block  one warp
//   smem   head_size fp32
//
// Arithmetic is fp32 from the load to the one rounding at the store. Bound by the launch.
#include "kernels/cuda/cuda.cuh"

enum { LANES = 32, MAX_HEAD = 512 };

static __device__ void norm_head(float *head, const float *weight, int size, float eps) {
    float squares = 0;
    for (int i = threadIdx.x; i < size; i += LANES)
        squares += head[i] * head[i];
    const float scale = rsqrtf(warp_sum(squares) / size + eps);
    for (int i = threadIdx.x; i < size; i += LANES)
        head[i] *= scale * weight[i];
    __syncwarp(); // the rotation reads what other lanes have written
}

static __device__ void rotate_head(float *head, const rope_and_cache &args, int position) {
    for (int p = threadIdx.x; p < args.rotary / 2; p += LANES) {
        const int a = args.interleaved ? 2 * p : p,
                  b = args.interleaved ? a + 1 : a + args.rotary / 2;
        float sine, cosine;
        sincosf((float)position * args.inv_freq[p], &sine, &cosine);
        sine *= args.magnitude;
        cosine *= args.magnitude;
        const float x = head[a], y = head[b];
        head[a] = x * cosine - y * sine;
        head[b] = x * sine + y * cosine;
    }
    __syncwarp(); // the store reads what other lanes have written
}

template <typename cache_t>
static __global__ void rope_kernel(const rope_and_cache args, const kv_cache cache,
                                   const batch batch) {
    __shared__ float head[MAX_HEAD];
    const int token = blockIdx.x, size = cache.head_size, kv_heads = cache.num_kv_heads;
    const int index = blockIdx.y;
    const bool is_q = index < args.num_heads, is_k = !is_q && index < args.num_heads + kv_heads;
    const int h = is_q ? index : (index - args.num_heads) % kv_heads;
    const __half *from = (const __half *)(is_q   ? args.q
                                          : is_k ? args.k
                                                 : args.v) +
                         ((size_t)token * (is_q ? args.num_heads : kv_heads) + h) * size;
    grid_launch_dependents();
    grid_wait();
    for (int i = threadIdx.x; i < size; i += LANES)
        head[i] = __half2float(from[i]);
    __syncwarp(); // norm and rotation read what other lanes have loaded
    const float *weight = is_q ? args.q_norm : is_k ? args.k_norm : nullptr;
    if (weight) norm_head(head, weight, size, args.eps);
    if (is_q || is_k) rotate_head(head, args, batch.positions[token]);
    if (is_q) {
        __half *to = (__half *)args.q + ((size_t)token * args.num_heads + h) * size;
        for (int i = threadIdx.x; i < size; i += LANES)
            from_float(head[i], &to[i]);
        return;
    }
    const int64_t slot = batch.slot_mapping[token];
    const size_t plane = (size_t)kv_heads * cache.block_size * size;
    cache_t *to =
        (cache_t *)cache.data + ((size_t)(slot / cache.block_size) * 2 * cache.num_layers +
                                 2 * (size_t)args.layer + (is_k ? 0 : 1)) *
                                    plane;
    const int offset = (int)(slot % cache.block_size);
    for (int i = threadIdx.x; i < size; i += LANES)
        from_float(head[i], &to[kv_element<cache_t>(cache, !is_k, h, offset, i)]);
}

extern "C" void cuda_rope_and_cache(struct device *device, const struct rope_and_cache *args) {
    const struct kv_cache *cache = args->cache;
    ASSERT(cache->head_size <= MAX_HEAD && args->rotary <= cache->head_size);
    ASSERT(cache->layout == KV_LAYOUT_ROWS ||
           dtype_row_bytes(cache->type, cache->head_size) % 16 == 0);
    const dim3 grid(args->batch->num_tokens, args->num_heads + 2 * cache->num_kv_heads);
    const auto kernel = cache->type == DTYPE_F32   ? rope_kernel<float>
                        : cache->type == DTYPE_F16 ? rope_kernel<__half>
                                                   : rope_kernel<__nv_bfloat16>;
    launch_after(device, kernel, grid, dim3(LANES), 0, *args, *cache, *args->batch);
}
