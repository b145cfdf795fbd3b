// kernels/cuda/rope_and_cache.cu — q/k norm, rotary embedding, and K and V into their slots.
//
//   q             [num_tokens, num_heads, head_size]  fp16, in and out
//   k, v          [num_tokens, num_kv_heads, head_size]  fp16, in, or NULL
//   q_norm, k_norm  [head_size] fp32, or NULL;  inv_freq  [rotary / 2] fp32
//   cache         either layout, any type; of eight bits with the head's scale
//
//   grid   (num_tokens, blocks that share its heads);  block  WARPS x 32, one head a warp at a
//          time: heads of q, then of k, then of v
//
// Arithmetic is fp32 from the load to the one rounding at the store. A warp computes the cosines of
// its token once for all its heads. Bound by the launch, or by reading and writing. flash_decode
// does all this itself for a batch of decodes; this kernel serves all others.
#include "kernels/cuda/kv_bytes.cuh"
#include "kernels/cuda/rope.cuh"

enum { LANES = 32, WARPS = 4, MAX_HEAD = 576, MANY_TOKENS = 64 };

// Where a head of a token is read and written.
struct head_location {
    bool is_q, is_k;
    int head;
    const __half *from;
};

static __device__ inline head_location location_of(const rope_and_cache &args,
                                                   const kv_cache &cache, int token, int index) {
    const int kv_heads = cache.num_kv_heads;
    const bool is_q = index < args.num_heads, is_k = !is_q && index < args.num_heads + kv_heads;
    const int head = is_q ? index : (index - args.num_heads) % kv_heads;
    const void *rows = is_q ? args.q : is_k ? args.k : args.v;
    const size_t row = (size_t)token * (is_q ? args.num_heads : kv_heads) + head;
    return {is_q, is_k, head, (const __half *)rows + row * cache.head_size};
}

template <typename cache_t, int PAIRS>
static __device__ inline void store_head(const rope_head<PAIRS> &head, const rope_and_cache &args,
                                         const kv_cache &cache, const head_location &location,
                                         int64_t slot) {
    const size_t plane = (size_t)cache.num_kv_heads * cache.block_size * cache.head_size;
    const size_t block =
        (size_t)(slot / cache.block_size) * plane_of(cache, cache.num_layers, false);
    cache_t *to =
        (cache_t *)cache.data + (block + plane_of(cache, args.layer, !location.is_k)) * plane;
    const int offset = (int)(slot % cache.block_size);
    rope_store(head, args, cache.head_size, [&](int at, float value) {
        if (location.is_q)
            from_float(value, (__half *)location.from + at);
        else
            from_float(value,
                       &to[kv_element<cache_t>(cache, !location.is_k, location.head, offset, at)]);
    });
}

// K or V of a cache of eight bits.
template <typename cache_t, int PAIRS>
static __device__ inline void store_scaled(const rope_head<PAIRS> &head, const rope_and_cache &args,
                                           const kv_cache &cache, const head_location &location,
                                           int64_t slot) {
    const bf16 scale = kv_scale_of<cache_t>(rope_highest(head));
    const float inverse = kv_inverse(scale);
    const int32_t block = (int32_t)(slot / cache.block_size);
    const int offset = (int)(slot % cache.block_size);
    // K's row of the first head and key, and that of this head and key
    const unsigned plane = (unsigned)(block * plane_of(cache, cache.num_layers, false) +
                                      plane_of(cache, args.layer, false));
    const unsigned first = plane * cache.num_kv_heads * cache.block_size;
    const kv_place planes = kv_place_of(cache, first);
    const kv_place place = kv_place_of(cache, first + location.head * cache.block_size + offset);
    char *data = (char *)cache.data;
    uint8_t *to = (uint8_t *)(data + (location.is_k ? planes.k : planes.v));
    if (threadIdx.x % LANES == 0)
        *(bf16 *)(data + (location.is_k ? place.k_scale : place.v_scale)) = scale;
    rope_store(head, args, cache.head_size, [&](int at, float value) {
        to[kv_element<cache_t>(cache, !location.is_k, location.head, offset, at)] =
            kv_element_of(value, inverse, cache_t());
    });
}

template <typename cache_t, int PAIRS>
static __global__ __launch_bounds__(WARPS *LANES) void rope_kernel(const rope_and_cache args,
                                                                   const kv_cache cache,
                                                                   const batch batch) {
    const int token = blockIdx.x, lane = threadIdx.x % LANES;
    const int heads = args.num_heads + (args.k ? (args.v ? 2 : 1) * cache.num_kv_heads : 0);
    grid_launch_dependents();
    float2 cos_sin[PAIRS];
#pragma unroll
    for (int i = 0; i < PAIRS; i++) // may precede the wait: positions are copied, not computed
        if (lane + LANES * i < args.rotary / 2)
            cos_sin[i] =
                rope_cos_sin(args, batch.positions[token], args.inv_freq[lane + LANES * i]);
    grid_wait();
    const int64_t slot = batch.slot_mapping[token];
    for (int index = blockIdx.y * WARPS + threadIdx.x / LANES; index < heads;
         index += gridDim.y * WARPS) {
        const head_location location = location_of(args, cache, token, index);
        const float *weight = location.is_q ? args.q_norm : location.is_k ? args.k_norm : nullptr;
        rope_head<PAIRS> head;
        rope_load(head, args, location.from, cache.head_size);
        if (weight && !args.norm_last) rope_norm(head, args, weight, cache.head_size);
        if (location.is_q || location.is_k) rope_rotate(head, args, cos_sin);
        if (weight && args.norm_last) rope_norm(head, args, weight, cache.head_size);
        if constexpr (!kv_traits<cache_t>::scaled)
            store_head<cache_t>(head, args, cache, location, slot);
        else if (location.is_q)
            store_head<__half>(head, args, cache, location, slot);
        else
            store_scaled<cache_t>(head, args, cache, location, slot);
    }
}

template <int PAIRS>
static void launch_rope(struct device *device, const struct rope_and_cache *args) {
    ASSERT(args->batch->num_tokens > 0);
    const struct kv_cache *cache = args->cache;
    const int of_kv = args->k ? (args->v ? 2 : 1) * cache->num_kv_heads : 0;
    const unsigned heads = (unsigned)(args->num_heads + of_kv);
    const int32_t tokens = args->batch->num_tokens;
    const dim3 grid(tokens, tokens < MANY_TOKENS ? ceil_divide(heads, WARPS) : 1);
    const auto kernel = cache->type == DTYPE_F32    ? rope_kernel<float, PAIRS>
                        : cache->type == DTYPE_F16  ? rope_kernel<__half, PAIRS>
                        : cache->type == DTYPE_BF16 ? rope_kernel<__nv_bfloat16, PAIRS>
                        : cache->type == DTYPE_FP8  ? rope_kernel<kv_fp8, PAIRS>
                                                    : rope_kernel<kv_int8, PAIRS>;
    launch_after(device, kernel, grid, dim3(WARPS * LANES), 0, *args, *cache, *args->batch);
}

extern "C" void cuda_rope_and_cache(struct device *device, const struct rope_and_cache *args) {
    ASSERT(args->layer >= 0 && args->layer < args->cache->num_layers && args->rotary % 2 == 0);
    const struct kv_cache *cache = args->cache;
    ASSERT(!args->k || !args->v == cache->latent);
    ASSERT(cache->head_size <= MAX_HEAD && args->rotary <= cache->head_size);
    ASSERT(cache->layout == KV_LAYOUT_ROWS ||
           dtype_row_bytes(cache->type, cache->head_size) % 16 == 0);
    if (cache->head_size <= 4 * LANES)
        launch_rope<2>(device, args);
    else
        launch_rope<MAX_HEAD / 2 / LANES>(device, args);
}
