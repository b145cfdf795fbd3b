// kernels/cuda/reshape_and_cache.cu — K and V of new tokens go to their slots.
//
//   k, v          [num_tokens, num_kv_heads, head_size]  fp16, bf16 or fp32, in
//   slot_mapping  [num_tokens] int64, in; below 0: the token has no slot
//   caches        paged_attention.cuh, either layout, the same type or fp8 e4m3, out
//
//   grid   num_tokens;  block  THREADS, an element of K and of V a thread and step
//   smem   none
//
// Copies bits, or rounds once from value / scale to fp8, saturating. Bound by stores: V's packed
// layout takes one element each block_size elements, so a sector is written for each.

#include "kernels/cuda/paged_attention.cuh"

enum { THREADS = 256 };

template <typename type_t>
static __device__ inline void cache_element(type_t in, float, type_t *out) {
    *out = in;
}
template <typename type_t>
static __device__ inline void cache_element(type_t in, float scale, __nv_fp8_storage_t *out) {
    *out = __nv_cvt_float_to_fp8(to_float(in) / scale, __NV_SATFINITE, __NV_E4M3);
}

template <typename type_t, typename cache_t>
static __global__
__launch_bounds__(THREADS) void reshape_kernel(const __grid_constant__ reshape_and_cache args) {
    enum { X = 16 / sizeof(cache_t) };
    const int64_t slot = args.slot_mapping[blockIdx.x];
    if (slot < 0) return;
    const size_t block = (size_t)(slot / args.block_size) * args.block_bytes;
    const int offset = (int)(slot % args.block_size), size = args.head_size;
    cache_t *k_block = (cache_t *)((char *)args.k_cache + block);
    cache_t *v_block = (cache_t *)((char *)args.v_cache + block);
    const int elements = args.num_kv_heads * size;
    const size_t first = (size_t)blockIdx.x * elements;
    for (int i = threadIdx.x; i < elements; i += THREADS) {
        const int h = i / size, d = i % size;
        int k_at = (h * args.block_size + offset) * size + d, v_at = k_at;
        if (args.layout == KV_LAYOUT_PACKED) {
            k_at = ((h * (size / X) + d / X) * args.block_size + offset) * X + d % X;
            v_at = (h * size + d) * args.block_size + offset;
        }
        cache_element(((const type_t *)args.k)[first + i], args.k_scale, &k_block[k_at]);
        cache_element(((const type_t *)args.v)[first + i], args.v_scale, &v_block[v_at]);
    }
}

template <typename type_t>
static void launch(struct device *device, const struct reshape_and_cache *args) {
    if (args->format == CACHE_FP8_E4M3)
        reshape_kernel<type_t, __nv_fp8_storage_t>
            <<<args->num_tokens, THREADS, 0, device->stream>>>(*args);
    else
        reshape_kernel<type_t, type_t><<<args->num_tokens, THREADS, 0, device->stream>>>(*args);
    device_note(device, cudaGetLastError());
}

extern "C" void cuda_reshape_and_cache(struct device *device,
                                       const struct reshape_and_cache *args) {
    const int bytes = args->format == CACHE_FP8_E4M3 ? 1 : args->type == DTYPE_F32 ? 4 : 2;
    ASSERT(args->num_tokens > 0 && args->num_kv_heads > 0 && args->block_size > 0);
    ASSERT(args->layout == KV_LAYOUT_ROWS || args->head_size * bytes % 16 == 0);
    if (args->type == DTYPE_F32)
        launch<float>(device, args);
    else if (args->type == DTYPE_F16)
        launch<__half>(device, args);
    else
        launch<__nv_bfloat16>(device, args);
}
