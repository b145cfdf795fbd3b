// kernels/cuda/flash.cuh — what the flash kernels share: pages and tensor-core tiles.
//
// Queries and probabilities are rounded to the cache's 16-bit type before they meet K and V;
// products, maxima and sums are fp32. In shared memory a row of K or V takes an odd number of
// 16-byte chunks, so that the eight rows of an ldmatrix use different banks.
#pragma once
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/kv_bytes.cuh"

enum {
    FLASH_GROUP_MAX = 16,
    FLASH_HEAD_MAX = 512,
    FLASH_WIDE_GROUP_MAX = 8, // of heads of more than 256
    FLASH_FEW = 9,            // queries of a sequence that flash_few() computes, at most
    FLASH_FEW_HEAD_MAX = 256,
    FLASH_BLOCKS = 2, // of flash_decode that a multiprocessor holds, at most
    FLASH_PART_FLOATS = FLASH_GROUP_MAX * (FLASH_HEAD_MAX + 2),
};

// The number of the row of head_size elements, in the whole cache, that is K of `key`; its V is
// num_kv_heads * block_size rows further. block_size is a power of two: a division takes as long as
// a load.
static __device__ inline unsigned flash_row(const kv_cache &cache, const int32_t *table, int layer,
                                            int kv_head, int key) {
    const int page = key >> (31 - __clz(cache.block_size));
    const unsigned plane = (unsigned)table[page] * 2 * cache.num_layers + 2 * layer;
    return (plane * cache.num_kv_heads + kv_head) * cache.block_size +
           (key & (cache.block_size - 1));
}

static __device__ inline void store16(unsigned to, uint4 value) { // to shared memory
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y),
                 "r"(value.z), "r"(value.w)
                 : "memory");
}

static __device__ inline void load_matrices(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
static __device__ inline void load_transposed(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
static __device__ inline unsigned transpose(unsigned matrix) { // 8 x 8 of 16 bits, over a warp
    unsigned result;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(matrix));
    return result;
}

// sums[16 x 8] += a[16 x 16] b[16 x 8]
static __device__ inline void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0,
                                       unsigned b1, __half) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ inline void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0,
                                       unsigned b1, __nv_bfloat16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ inline unsigned pack_pair(float low, float high, __half) {
    const __half2 pair = __floats2half2_rn(low, high);
    return *(const unsigned *)&pair;
}
static __device__ inline unsigned pack_pair(float low, float high, __nv_bfloat16) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *(const unsigned *)&pair;
}

// Two neighbouring elements of a query, in the cache's type.
static __device__ inline unsigned query_pair(const __half *q, __half) {
    return *(const unsigned *)q;
}
static __device__ inline unsigned query_pair(const __half *q, __nv_bfloat16 type) {
    const float2 pair = __half22float2(*(const __half2 *)q);
    return pack_pair(pair.x, pair.y, type);
}

static __device__ inline float power_of_two(float exponent) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(exponent));
    return result;
}

// How a score s = q K^T, capped where there is a cap, becomes a weight: 2^(s * scale - the largest
// of these).
struct scoring {
    float scale;
    float inner; // 0: no cap; else s = tanh of s * scale / softcap, as 1 - 2 / (2^(s * inner) + 1)
    int window;  // keys that a query sees at most
};

static const float LOG2_E = 1.44269504f;

static __device__ inline scoring scoring_of(const paged_attention &args) {
    const int window = args.window > 0 ? args.window : INT32_MAX;
    if (args.softcap > 0)
        return {args.softcap * LOG2_E, 2 * LOG2_E * args.scale / args.softcap, window};
    return {args.scale * LOG2_E, 0, window};
}

static __device__ inline float cap_score(float score, float inner) {
    return 1 - __fdividef(2, power_of_two(score * inner) + 1);
}

// A sink's weight in a sum whose largest exponent of two is `highest`.
static __device__ inline float sink_weight(const paged_attention &args, int head, float highest) {
    return args.sinks ? power_of_two(args.sinks[head] * LOG2_E - highest) : 0;
}

// Calls launch.run<cache type, SIZE>() with the smallest compiled SIZE that holds head_size.
template <typename cache_t, typename launch_t>
static void flash_choose_size(int head_size, const launch_t &launch) {
    if (head_size <= 64)
        launch.template run<cache_t, 64>();
    else if (head_size <= 80)
        launch.template run<cache_t, 80>();
    else if (head_size <= 96)
        launch.template run<cache_t, 96>();
    else if (head_size <= 112)
        launch.template run<cache_t, 112>();
    else if (head_size <= 128)
        launch.template run<cache_t, 128>();
    else if (head_size <= 192)
        launch.template run<cache_t, 192>();
    else if (head_size <= 256)
        launch.template run<cache_t, 256>();
    else
        launch.template run<cache_t, 512>();
}

template <typename launch_t>
static void flash_choose(const struct kv_cache *cache, const launch_t &launch) {
    if (cache->type == DTYPE_F16)
        flash_choose_size<__half>(cache->head_size, launch);
    else if (cache->type == DTYPE_BF16)
        flash_choose_size<__nv_bfloat16>(cache->head_size, launch);
    else if (cache->type == DTYPE_FP8)
        flash_choose_size<kv_fp8>(cache->head_size, launch);
    else
        flash_choose_size<kv_int8>(cache->head_size, launch);
}

// Wgmma reads K and V in shared memory as they are in the cache.
static inline bool flash_has_hopper(const struct device *device, const struct kv_cache *cache) {
    return device->properties.major == 9 && device->compiled_for_90 && cache->head_size <= 128 &&
           !kv_is_scaled(cache->type);
}

// Computes the sequences with at least `least` queries, and only those.
void gather_attention(struct device *device, const struct paged_attention *args, int least);
// Computes the sequences with one query, and only those. With `rope`, which needs a batch without
// others, rope_and_cache comes first.
void flash_decode(struct device *device, const struct paged_attention *args,
                  const struct rope_and_cache *rope);
// Computes all sequences, of which none has more than FLASH_FEW queries, as a token and drafts
// after it. With `rope`, which needs a batch that shares no past, rope_and_cache comes first.
void flash_few(struct device *device, const struct paged_attention *args,
               const struct rope_and_cache *rope);
// The same on the tensor cores of compute capability 9.0, where the batch has so few sequences that
// it is faster.
bool flash_splits(const struct device *device, const struct paged_attention *args);
void flash_split(struct device *device, const struct paged_attention *args,
                 const struct rope_and_cache *rope);
// Computes the sequences with at least `least` queries, 1 or 2, and only those.
void flash_prefill(struct device *device, const struct paged_attention *args, int least);
// The same on the tensor cores of compute capability 9.0, for heads of at most 128.
void flash_hopper(struct device *device, const struct paged_attention *args, int least);
