// kernels/cuda/flash_hopper.cu — flash_prefill.cu for cards of compute capability 9.0.
//
// The same tiles and the same arithmetic, with the products on whole warpgroups (wgmma): queries
// and probabilities come from registers, K and V from shared memory, in panels of 64 elements
// that lie in the tensor cores' 128-byte swizzle: chunk c of key k at chunk c ^ (k % 8).
//
//   grid   (num_kv_heads, tiles of ROWS rows over all sequences, at most)
//   block  GROUPS x 128, a warpgroup 64 rows
//   smem   STAGES x (K, V) x SIZE / 64 panels x KEYS x 128 bytes, from a multiple of 1024 on
//
// Bound by the tensor cores.
#include "kernels/cuda/flash_rows.cuh"

enum { GROUPS = 2, THREADS = GROUPS * 128, ROWS = GROUPS * 64, KEYS = 128, STAGES = 2 };
enum { PANEL = KEYS * 128, SWIZZLE_BYTES = 1024 };
static_assert(KEYS <= THREADS, "a thread looks up one key of a tile");

template <int SIZE> struct layout {
    static const int chunks = SIZE / 8;
    static const int plane = SIZE / 64 * PANEL;
    static const int bytes = STAGES * 2 * plane + SWIZZLE_BYTES;
    static const int rounds = KEYS * chunks / THREADS;
    static_assert(SIZE % 64 == 0 && KEYS * chunks % THREADS == 0, "whole panels and rounds");
};

// Starts copying KEYS rows of K and V; rows[] says where they lie.
template <typename cache_t, int SIZE>
static __device__ void copy_tile(const kv_cache &cache, unsigned to, const unsigned *rows,
                                 int keys) {
    typedef layout<SIZE> shape;
    const unsigned v_rows = cache.num_kv_heads * cache.block_size;
    const cache_t *data = (const cache_t *)cache.data;
#pragma unroll
    for (int i = 0; i < shape::rounds; i++) {
        const int index = threadIdx.x + i * THREADS;
        const int key = index / shape::chunks, chunk = index % shape::chunks;
        const bool some = key < keys && chunk * 8 < cache.head_size;
        const size_t row = some ? rows[key] : 0;
        const unsigned at = to + chunk / 8 * PANEL + key * 128 + ((chunk ^ key) % 8) * 16;
        copy16(at, data + row * cache.head_size + chunk * 8, some);
        copy16(at + shape::plane, data + (row + v_rows) * cache.head_size + chunk * 8, some);
    }
    copy_commit();
}

// Where a matrix lies for wgmma: 128-byte swizzle, 8 rows every 1024 bytes, panels PANEL apart.
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
static __device__ inline void multiply_columns(float (&d)[16][4], const unsigned (&a)[4],
                                               uint64_t b, int add, __half) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %69, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, p, 1, 1, 0;\n\t}"
                 : SUMS8(0), SUMS8(8)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
static __device__ inline void multiply_columns(float (&d)[16][4], const unsigned (&a)[4],
                                               uint64_t b, int add, __nv_bfloat16) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %69, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, p, 1, 1, 0;\n\t}"
                 : SUMS8(0), SUMS8(8)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
static __device__ inline void multiply_rows(float (&d)[8][4], const unsigned (&a)[4], uint64_t b,
                                            int add, __half) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %37, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "{%32, %33, %34, %35}, %36, p, 1, 1, 1;\n\t}"
                 : SUMS8(0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
static __device__ inline void multiply_rows(float (&d)[8][4], const unsigned (&a)[4], uint64_t b,
                                            int add, __nv_bfloat16) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %37, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "{%32, %33, %34, %35}, %36, p, 1, 1, 1;\n\t}"
                 : SUMS8(0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
static __device__ inline void multiply_rows(float (&d)[16][4], const unsigned (&a)[4], uint64_t b,
                                            int add, __half) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %69, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, p, 1, 1, 1;\n\t}"
                 : SUMS8(0), SUMS8(8)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
static __device__ inline void multiply_rows(float (&d)[16][4], const unsigned (&a)[4], uint64_t b,
                                            int add, __nv_bfloat16) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %69, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, p, 1, 1, 1;\n\t}"
                 : SUMS8(0), SUMS8(8)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
#undef SUMS8
#undef SUMS

// scores[ROWS x KEYS] = q K^T
template <typename cache_t, int SIZE>
static __device__ inline void score_tile(float (&scores)[KEYS / 8][4],
                                         const unsigned (&q)[SIZE / 16][4], unsigned k_plane) {
    products_begin();
#pragma unroll
    for (int k = 0; k < SIZE / 16; k++)
        multiply_columns(scores, q[k], describe(k_plane + k / 4 * PANEL + k % 4 * 32), k > 0,
                         cache_t());
    products_end();
}

// values[ROWS x SIZE] += p[ROWS x KEYS] V
template <typename cache_t, int SIZE>
static __device__ inline void weigh_tile(float (&values)[SIZE / 8][4],
                                         const float (&p)[KEYS / 8][4], unsigned v_plane) {
    unsigned a[KEYS / 16][4];
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[k][i] =
                pack_pair(p[2 * k + i / 2][i % 2 * 2], p[2 * k + i / 2][i % 2 * 2 + 1], cache_t());
    products_begin();
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++)
        multiply_rows(values, a[k], describe(v_plane + k * 16 * 128), 1, cache_t());
    products_end();
}

template <typename cache_t, int SIZE>
static __global__ __launch_bounds__(THREADS, 1) void hopper_kernel(const paged_attention args,
                                                                   const kv_cache cache,
                                                                   const batch batch, int least) {
    typedef layout<SIZE> shape;
    extern __shared__ __align__(16) char memory[]; // [STAGES][K, V][panels][KEYS][128 bytes]
    __shared__ unsigned rows[2][KEYS];
    const int group = args.num_heads / cache.num_kv_heads, kv_head = blockIdx.x;
    const tile tile = find_tile<ROWS>(batch, group, least, blockIdx.y);
    if (tile.sequence < 0) return;
    const int32_t *table = batch.block_table + (size_t)tile.sequence * batch.max_blocks_per_seq;
    const int keys = keys_of<ROWS>(tile, group), tiles = (keys + KEYS - 1) / KEYS;
    const float scale = args.scale * 1.44269504f; // powers of two, not of e
    const unsigned stages =
        (shared_address(memory) + SWIZZLE_BYTES - 1) / SWIZZLE_BYTES * SWIZZLE_BYTES;

    for (int i = threadIdx.x; i < 2 * KEYS; i += THREADS)
        if (i < keys) rows[0][i] = flash_row(cache, table, args.layer, kv_head, i);
    __syncthreads(); // the first two tiles' rows are known
    copy_tile<cache_t, SIZE>(cache, stages, rows[0], keys);

    unsigned q[SIZE / 16][4];
    load_queries<cache_t, SIZE>(q, args, tile, kv_head, group, cache.head_size);
    row_state state = {{-INFINITY, -INFINITY}, {}, {}};
    set_limits(state.limit, tile, group, keys);
    float values[SIZE / 8][4] = {};

    for (int i = 0; i < tiles; i++) {
        const unsigned stage = stages + i % STAGES * 2 * shape::plane;
        const int ahead = (i + 2) * KEYS + threadIdx.x;
        copy_wait<0>();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // wgmma reads the copies
        __syncthreads(); // tile i is there for all, and all are done with tile i - 1
        if (i + 1 < tiles)
            copy_tile<cache_t, SIZE>(cache, stages + (i + 1) % STAGES * 2 * shape::plane,
                                     rows[(i + 1) % 2], keys - (i + 1) * KEYS);
        unsigned next = 0;
        if (threadIdx.x < KEYS && ahead < keys)
            next = flash_row(cache, table, args.layer, kv_head, ahead);
        float scores[KEYS / 8][4];
        score_tile<cache_t, SIZE>(scores, q, stage);
        rescale<SIZE>(values, soften<KEYS>(scores, state, i * KEYS, scale));
        weigh_tile<cache_t, SIZE>(values, scores, stage + shape::plane);
        if (threadIdx.x < KEYS) rows[i % 2][threadIdx.x] = next;
    }
    store_rows<SIZE>(args, tile, values, state, kv_head, group, cache.head_size);
}

struct hopper_launch {
    struct device *device;
    const struct paged_attention *args;
    int least;
    template <typename cache_t, int SIZE> void run() const {
        const struct batch *batch = args->batch;
        const int group = args->num_heads / args->cache->num_kv_heads;
        const size_t rows = (size_t)batch->num_tokens * group;
        const dim3 grid(args->cache->num_kv_heads, (unsigned)(rows / ROWS) + batch->num_seqs);
        const int shared = layout<SIZE>::bytes;
        device_note(device,
                    cudaFuncSetAttribute(hopper_kernel<cache_t, SIZE>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
        hopper_kernel<cache_t, SIZE>
            <<<grid, THREADS, shared, device->stream>>>(*args, *args->cache, *batch, least);
        device_note(device, cudaGetLastError());
    }
};

void flash_hopper(struct device *device, const struct paged_attention *args, int least) {
    const hopper_launch launch = {device, args, least};
    const bool is_half = args->cache->type == DTYPE_F16;
    if (args->cache->head_size <= 64)
        is_half ? launch.run<__half, 64>() : launch.run<__nv_bfloat16, 64>();
    else
        is_half ? launch.run<__half, 128>() : launch.run<__nv_bfloat16, 128>();
}
