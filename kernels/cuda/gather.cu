// kernels/cuda/gather.cu — softmax(q K^T scale) V over pages, the plain form.
//
//   q, out  [num_tokens, num_heads, head_size]  fp16
//   cache   either layout, any type
//
//   grid   (num_tokens, num_heads);  block  WARPS x 32: warps take keys round robin, lanes elements
//   smem   WARPS x (head_size + 2) fp32
//
// Each warp keeps a running maximum, sum and weighted values (online softmax, arXiv 1805.02867);
// the warps' parts are merged at the end. fp32 throughout. Every head reads its keys for itself.
// The other kernels are compared with this one, and it serves a cache of fp32, head sizes that the
// flash kernels do not support, and several queries of a sequence over packed pages.
#include "kernels/cuda/flash.cuh"

enum { WARPS = 4, MAX_PER_LANE = 18 };

// The sequence that query `token` belongs to.
static __device__ int sequence_of(const batch &batch, int token) {
    int low = 0, high = batch.num_seqs - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (batch.cu_seqlens_q[middle] <= token)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// The plane of a layer's K in the block where a key lies, that of V being the next one unless it is
// the same, and the key's scales; 1 where elements have none.
template <typename cache_t> struct key_plane {
    const cache_t *k;
    float k_scale, v_scale;
};

template <typename cache_t>
static __device__ key_plane<cache_t> find_plane(const kv_cache &cache, const int32_t *table,
                                                int layer, int kv_head, int key) {
    const size_t plane = (size_t)cache.num_kv_heads * cache.block_size * cache.head_size;
    const size_t block = (size_t)table[key / cache.block_size];
    const size_t planes =
        block * plane_of(cache, cache.num_layers, false) + plane_of(cache, layer, false);
    if constexpr (kv_traits<cache_t>::scaled) {
        const char *data = (const char *)cache.data;
        const unsigned first = (unsigned)planes * cache.num_kv_heads * cache.block_size;
        const kv_place place = kv_place_of(cache, first + (unsigned)kv_head * cache.block_size +
                                                      key % cache.block_size);
        return {(const cache_t *)(data + kv_place_of(cache, first).k),
                __uint_as_float((unsigned)*(const bf16 *)(data + place.k_scale) << 16),
                __uint_as_float((unsigned)*(const bf16 *)(data + place.v_scale) << 16)};
    } else {
        return {(const cache_t *)cache.data + planes * plane, 1, 1};
    }
}

// Computes the sequences with at least `least` queries.
template <typename cache_t, int PER_LANE>
static __global__ __launch_bounds__(WARPS * 32) void gather_kernel(const paged_attention args,
                                                                   const kv_cache cache,
                                                                   const batch batch, int least) {
    extern __shared__ float parts[]; // [WARPS, head_size + 2]
    const int token = blockIdx.x, head = blockIdx.y, size = cache.head_size;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int kv_head = head / (args.num_heads / cache.num_kv_heads);
    const int s = sequence_of(batch, token);
    if (batch.cu_seqlens_q[s + 1] - batch.cu_seqlens_q[s] < least) return;
    const int32_t *table = batch.block_table + (size_t)s * batch.max_blocks_per_seq;
    const int keys = batch.seq_lens_kv[s] - (batch.cu_seqlens_q[s + 1] - 1 - token);
    const size_t plane = cache.latent ? 0 : (size_t)cache.num_kv_heads * cache.block_size * size;
    const size_t row = ((size_t)token * args.num_heads + head) * size;
    const __half *q = (const __half *)args.q + row;

    float query[PER_LANE], value[PER_LANE] = {}, highest = -INFINITY, sum = 0;
#pragma unroll
    for (int i = 0; i < PER_LANE; i++)
        query[i] = lane + 32 * i < size ? __half2float(q[lane + 32 * i]) * args.scale : 0;
    const int begin = args.window > 0 ? max(0, keys - args.window) : 0;
    for (int key = begin + warp; key < keys; key += WARPS) {
        const key_plane<cache_t> at = find_plane<cache_t>(cache, table, args.layer, kv_head, key);
        const cache_t *k = at.k, *v = k + plane;
        const int offset = key % cache.block_size;
        float score = 0;
#pragma unroll
        for (int i = 0; i < PER_LANE; i++) {
            const int d = lane + 32 * i;
            if (d < size)
                score +=
                    query[i] * to_float(k[kv_element<cache_t>(cache, false, kv_head, offset, d)]);
        }
        score = warp_sum(score) * at.k_scale;
        if (args.softcap > 0) score = args.softcap * tanhf(score / args.softcap);
        const float top = fmaxf(highest, score);
        const float old = __expf(highest - top), weight = __expf(score - top);
        highest = top;
        sum = sum * old + weight;
#pragma unroll
        for (int i = 0; i < PER_LANE; i++) {
            const int d = lane + 32 * i;
            if (d < size)
                value[i] = value[i] * old +
                           weight * at.v_scale *
                               to_float(v[kv_element<cache_t>(cache, true, kv_head, offset, d)]);
        }
    }
    float *part = parts + warp * (size + 2);
    for (int i = 0; i < PER_LANE; i++)
        if (lane + 32 * i < size) part[lane + 32 * i] = value[i];
    if (lane == 0) {
        part[size] = highest;
        part[size + 1] = sum;
    }
    __syncthreads(); // all parts are written before they are merged
    for (int w = 0; w < WARPS; w++)
        highest = fmaxf(highest, parts[w * (size + 2) + size]);
    if (args.sinks) highest = fmaxf(highest, args.sinks[head]);
    float total = args.sinks ? __expf(args.sinks[head] - highest) : 0;
    for (int w = 0; w < WARPS; w++)
        total += parts[w * (size + 2) + size + 1] * __expf(parts[w * (size + 2) + size] - highest);
    for (int i = threadIdx.x; i < size; i += WARPS * 32) {
        float merged = 0;
        for (int w = 0; w < WARPS; w++)
            merged += parts[w * (size + 2) + i] * __expf(parts[w * (size + 2) + size] - highest);
        from_float(merged / total, &((__half *)args.out)[row + i]);
    }
}

template <typename cache_t>
static void launch(struct device *device, const struct paged_attention *args, int least) {
    const struct kv_cache *cache = args->cache;
    const dim3 grid(args->batch->num_tokens, args->num_heads);
    const size_t shared = WARPS * (size_t)(cache->head_size + 2) * sizeof(float);
    const int per_lane = (cache->head_size + 31) / 32;
    ASSERT(per_lane <= MAX_PER_LANE);
    if (per_lane <= 2)
        gather_kernel<cache_t, 2>
            <<<grid, WARPS * 32, shared, device->stream>>>(*args, *cache, *args->batch, least);
    else if (per_lane <= 4)
        gather_kernel<cache_t, 4>
            <<<grid, WARPS * 32, shared, device->stream>>>(*args, *cache, *args->batch, least);
    else
        gather_kernel<cache_t, MAX_PER_LANE>
            <<<grid, WARPS * 32, shared, device->stream>>>(*args, *cache, *args->batch, least);
    device_note(device, cudaGetLastError());
}

void gather_attention(struct device *device, const struct paged_attention *args, int least) {
    ASSERT(least > 0);
    ASSERT(args->num_heads % args->cache->num_kv_heads == 0);
    if (args->cache->type == DTYPE_F32)
        launch<float>(device, args, least);
    else if (args->cache->type == DTYPE_F16)
        launch<__half>(device, args, least);
    else if (args->cache->type == DTYPE_BF16)
        launch<__nv_bfloat16>(device, args, least);
    else if (args->cache->type == DTYPE_FP8)
        launch<kv_fp8>(device, args, least);
    else
        launch<kv_int8>(device, args, least);
}
