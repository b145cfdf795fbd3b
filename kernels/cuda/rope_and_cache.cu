// kernels/cuda/rope_and_cache.cu — q/k norm, rotary embedding, and K and V into their slots.
//
//   q             [num_tokens, num_heads, head_size]  fp16, in and out
//   k, v          [num_tokens, num_kv_heads, head_size]  fp16, in
//   q_norm, k_norm  [head_size] fp32, or NULL;  inv_freq  [rotary / 2] fp32
//   cache         either layout, fp32, fp16 or bf16
//
//   grid   (num_tokens, heads of q, then of k, then of v);  block  one warp
//
// Arithmetic is fp32 from the load to the one rounding at the store. Bound by the launch. A batch
// of decodes that flash_decode serves is turned there, and written: this is for all others.
#include "kernels/cuda/rope.cuh"

enum { LANES = 32, MAX_HEAD = 512, PAIRS = MAX_HEAD / 2 / LANES };

template <typename cache_t>
static __global__ void rope_kernel(const rope_and_cache args, const kv_cache cache,
                                   const batch batch) {
    const int token = blockIdx.x, size = cache.head_size, kv_heads = cache.num_kv_heads;
    const int index = blockIdx.y;
    const bool is_q = index < args.num_heads, is_k = !is_q && index < args.num_heads + kv_heads;
    const int h = is_q ? index : (index - args.num_heads) % kv_heads;
    const __half *from = (const __half *)(is_q   ? args.q
                                          : is_k ? args.k
                                                 : args.v) +
                         ((size_t)token * (is_q ? args.num_heads : kv_heads) + h) * size;
    grid_launch_dependents();
    float2 turns[PAIRS];
#pragma unroll
    for (int i = 0; i < PAIRS; i++) // before the wait: positions come by copies
        if ((is_q || is_k) && (int)threadIdx.x + LANES * i < args.rotary / 2)
            turns[i] = rope_turn(args, batch.positions[token], threadIdx.x + LANES * i);
    grid_wait();
    rope_head<PAIRS> head;
    rope_load(head, args, from, size);
    const float *weight = is_q ? args.q_norm : is_k ? args.k_norm : nullptr;
    if (weight) rope_norm(head, args, weight, size);
    if (is_q || is_k) rope_rotate(head, args, turns);
    const int64_t slot = batch.slot_mapping[token];
    const size_t plane = (size_t)kv_heads * cache.block_size * size;
    cache_t *to =
        (cache_t *)cache.data + ((size_t)(slot / cache.block_size) * 2 * cache.num_layers +
                                 2 * (size_t)args.layer + (is_k ? 0 : 1)) *
                                    plane;
    const int offset = (int)(slot % cache.block_size);
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const int2 pair = rope_pair(args, threadIdx.x + LANES * i);
        for (int side = 0; side < 2; side++) {
            const int at = side ? pair.y : pair.x;
            if (at >= size) continue;
            if (is_q)
                from_float(head.x[i][side], (__half *)from + at);
            else
                from_float(head.x[i][side], &to[kv_element<cache_t>(cache, !is_k, h, offset, at)]);
        }
    }
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
