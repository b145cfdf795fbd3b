// kernels/cuda/flash_hopper.cu — flash_prefill.cu for cards of compute capability 9.0.
//
// Tiles and arithmetic are the same, but whole warpgroups multiply (wgmma). Queries and
// probabilities come from registers, K and V from shared memory, in panels of 64 elements in the
// tensor cores' 128-byte swizzle: chunk c of key k lies at chunk c ^ (k % 8).
//
//   grid   (num_kv_heads, tiles of threads / 2 rows over all sequences, at most)
//   block  GROUPS x 128, 64 rows a warpgroup
//   smem   2 x (K, V) x SIZE / 64 panels x KEYS x 128 bytes, aligned to 1024
//
// Bound by the tensor cores.
#include "kernels/cuda/flash_spans.cuh"
#include "kernels/cuda/flash_split.cuh"

enum { GROUPS = 2, KEYS = 128, PANEL = KEYS * 128 };

// A matrix descriptor for wgmma: 128-byte swizzle, 8 rows every 1024 bytes, panels PANEL apart.
static __device__ inline uint64_t describe(unsigned at) {
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)(PANEL >> 4) << 16 |
           (at & 0x3FFFF) >> 4;
}

static __device__ inline void products_begin() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ inline void products_end() {
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
}

// sums[64 x 8 N] (+)= a[64 x 16] b[16 x 8 N]; b is stored by its columns, or by its rows.
#define SUMS(i) "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
#define SUMS8(i)                                                                           \
    SUMS(i), SUMS(i + 1), SUMS(i + 2), SUMS(i + 3), SUMS(i + 4), SUMS(i + 5), SUMS(i + 6), \
        SUMS(i + 7)
#define NAMES32                                                              \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES64                                                                                  \
    NAMES32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
            "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define OPERANDS "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add)
#define MULTIPLY_64(name, type, ptx_type, by_rows)                                           \
    static __device__ inline void name(float(&d)[8][4], const unsigned(&a)[4], uint64_t b,   \
                                       int add, type) {                                      \
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %37, 0;\n\t"                      \
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32." ptx_type "." ptx_type     \
                     " {" NAMES32 "}, {%32, %33, %34, %35}, %36, p, 1, 1, " by_rows ";\n\t}" \
                     : SUMS8(0)                                                              \
                     : OPERANDS);                                                            \
    }
#define MULTIPLY_128(name, type, ptx_type, by_rows)                                          \
    static __device__ inline void name(float(&d)[16][4], const unsigned(&a)[4], uint64_t b,  \
                                       int add, type) {                                      \
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %69, 0;\n\t"                      \
                     "wgmma.mma_async.sync.aligned.m64n128k16.f32." ptx_type "." ptx_type    \
                     " {" NAMES64 "}, {%64, %65, %66, %67}, %68, p, 1, 1, " by_rows ";\n\t}" \
                     : SUMS8(0), SUMS8(8)                                                    \
                     : OPERANDS);                                                            \
    }
MULTIPLY_128(multiply_columns, __half, "f16", "0")
MULTIPLY_128(multiply_columns, __nv_bfloat16, "bf16", "0")
MULTIPLY_64(multiply_rows, __half, "f16", "1")
MULTIPLY_64(multiply_rows, __nv_bfloat16, "bf16", "1")
MULTIPLY_128(multiply_rows, __half, "f16", "1")
MULTIPLY_128(multiply_rows, __nv_bfloat16, "bf16", "1")
#undef MULTIPLY_128
#undef MULTIPLY_64
#undef OPERANDS
#undef NAMES64
#undef NAMES32
#undef SUMS8
#undef SUMS

template <typename type, int SIZE> struct wgmma_tiles {
    typedef type cache_t;
    typedef row_queries<SIZE, GROUPS * 128, SIZE / 16> queries;
    static const int size = SIZE, columns = SIZE, threads = GROUPS * 128, blocks = 1, keys = KEYS;
    static const int together = 128, span_stages = SIZE > 64 ? 3 : 4, copiers = 128;
    static const int chunks = SIZE / 8, alignment = 1024, cluster = 1;
    static const int plane = SIZE / 64 * PANEL, stage = 2 * plane, bytes = 2 * stage + alignment;
    static_assert(SIZE % 64 == 0 && KEYS * chunks % threads == 0, "whole panels and copies");

    // Where a chunk of a key lies in K or V of a tile.
    static __device__ inline unsigned place(int key, int chunk) {
        return chunk / 8 * PANEL + key * 128 + ((chunk ^ key) % 8) * 16;
    }

    // Keys begin ... end - 1 of a tile, and zeros for the others; rows[] says where they lie.
    // Threads from FROM on copy: all, or one warpgroup for the other, whose tile no other block
    // reads.
    template <int FROM>
    static __device__ void copy(const kv_cache &cache, unsigned to, const unsigned *rows, int begin,
                                int end) {
        const unsigned v_rows = cache.num_kv_heads * cache.block_size;
        const cache_t *data = (const cache_t *)cache.data;
        const uint64_t policy = read_once_policy();
        const int count = KEYS * chunks / (threads - FROM);
#pragma unroll(FROM > 0 ? 4 : count)
        for (int i = 0; i < count; i++) {
            const int index = (int)threadIdx.x - FROM + i * (threads - FROM);
            const int key = index / chunks, chunk = index % chunks;
            const bool valid = key >= begin && key < end && chunk * 8 < cache.head_size;
            const size_t row = valid ? rows[key] : 0;
            const int column = valid ? chunk * 8 : 0;
            const unsigned at = to + place(key, chunk);
            const cache_t *k = data + row * cache.head_size + column;
            const cache_t *v = data + (row + v_rows) * cache.head_size + column;
            FROM > 0 ? copy16_once(at, k, valid, policy) : copy16(at, k, valid);
            FROM > 0 ? copy16_once(at + plane, v, valid, policy) : copy16(at + plane, v, valid);
        }
        copy_commit();
    }

    template <int PENDING> static __device__ inline void landed() {
        copy_wait<PENDING>();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // copies before wgmma's reads
    }

    // scores[64 x KEYS] = q K^T, of a warpgroup
    static __device__ inline void score(float (&scores)[KEYS / 8][4], const queries &q,
                                        unsigned k_plane) {
        products_begin();
#pragma unroll
        for (int k = 0; k < SIZE / 16; k++)
            multiply_columns(scores, q.at[k], describe(k_plane + k / 4 * PANEL + k % 4 * 32), k > 0,
                             cache_t());
        products_end();
    }

    // values[64 x SIZE] += p[64 x KEYS] V, of a warpgroup
    static __device__ inline void weigh(float (&values)[SIZE / 8][4], const float (&p)[KEYS / 8][4],
                                        unsigned v_plane) {
        unsigned a[KEYS / 16][4];
#pragma unroll
        for (int k = 0; k < KEYS / 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                a[k][i] = pack_pair(p[2 * k + i / 2][i % 2 * 2], p[2 * k + i / 2][i % 2 * 2 + 1],
                                    cache_t());
        products_begin();
#pragma unroll
        for (int k = 0; k < KEYS / 16; k++)
            multiply_rows(values, a[k], describe(v_plane + k * 16 * 128), 1, cache_t());
        products_end();
    }
};

template <typename type, int SIZE> struct split_tiles : wgmma_tiles<type, SIZE> {
    static const int cluster = SPLITS;
};

// Calls launch(tiles) with those for the cache's type and heads.
template <template <typename, int> class tiles, typename launch_t>
static void with_tiles(const struct kv_cache *cache, const launch_t &launch) {
    const bool is_half = cache->type == DTYPE_F16;
    if (cache->head_size <= 64)
        is_half ? launch(tiles<__half, 64>()) : launch(tiles<__nv_bfloat16, 64>());
    else
        is_half ? launch(tiles<__half, 128>()) : launch(tiles<__nv_bfloat16, 128>());
}

// A block has whole tiles of keys. With few rows most of a tile of rows is empty, and with many
// keys that costs more than it saves.
bool flash_splits(const struct device *device, const struct paged_attention *args) {
    enum { ROWS = 64, FEW_ROWS = 8, FEW_ROWS_KEYS = 4096 };
    const struct batch *batch = args->batch;
    const int kv_heads = args->cache->num_kv_heads;
    const int rows = (batch->num_tokens - batch->num_seqs + 1) * args->num_heads / kv_heads;
    const int64_t keys = (int64_t)batch->max_blocks_per_seq * args->cache->block_size; // at most
    return flash_has_hopper(device, args->cache) && !batch->shared.own && rows <= ROWS &&
           (rows > FEW_ROWS || keys <= FEW_ROWS_KEYS) &&
           batch->num_seqs * kv_heads * SPLITS <= device->properties.multiProcessorCount;
}

void flash_split(struct device *device, const struct paged_attention *args,
                 const struct rope_and_cache *rope) {
    ASSERT(flash_splits(device, args));
    with_tiles<split_tiles>(args->cache,
                            [&](auto tiles) { launch_split<decltype(tiles)>(device, args, rope); });
}

void flash_hopper(struct device *device, const struct paged_attention *args, int least) {
    ASSERT(flash_has_hopper(device, args->cache) && least > 0);
    with_tiles<wgmma_tiles>(args->cache,
                            [&](auto tiles) { launch_rows<decltype(tiles)>(device, args, least); });
}

void flash_shared_hopper(struct device *device, const struct paged_attention *args, const void *q) {
    ASSERT(flash_has_hopper(device, args->cache));
    with_tiles<wgmma_tiles>(args->cache,
                            [&](auto tiles) { launch_spans<decltype(tiles)>(device, args, q); });
}
