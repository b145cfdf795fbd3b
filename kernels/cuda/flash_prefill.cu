// kernels/cuda/flash_prefill.cu — softmax(q K^T scale) V over pages, many queries a sequence.
//
//   q, out  [num_tokens, num_heads, head_size]  fp16
//   cache   rows layout, fp16 or bf16
//
// The queries of a sequence and the heads of one group are the rows of a tile: row r is query
// r / group under head r % group, so K and V are read once for the group (FlashAttention-2,
// arXiv 2307.08691). A warp holds 16 rows and walks over the keys, KEYS at a time.
//
//   grid   (num_kv_heads, tiles of ROWS rows over all sequences, at most)
//   block  WARPS x 32
//   smem   STAGES x (K, V) x KEYS x row,  row = SIZE elements and padding to an odd chunk
//
// Each row's sums run over its keys from 0 on in tiles of KEYS: they do not depend on the batch.
// Probabilities are rounded to 16 bits before the second product, the result at the store.
// Bound by the tensor cores.
#include "kernels/cuda/flash_rows.cuh"

enum { WARPS = 4, THREADS = WARPS * 32, ROWS = WARPS * 16, STAGES = 2 };

template <int SIZE> struct layout {
    static const int keys = SIZE > 128 ? 32 : 64; // of a tile
    static const int blocks = SIZE > 128 ? 2 : 3; // on a multiprocessor
    static const int chunks = SIZE / 8;
    static const int row = (chunks | 1) * 16;          // bytes
    static const int plane = keys * row;               // K or V of a tile
    static const int bytes = STAGES * 2 * plane;       // all of it
    static const int rounds = keys * chunks / THREADS; // copies a thread makes of a plane
    static_assert(keys * chunks % THREADS == 0, "whole rounds");
    static_assert(keys <= THREADS, "a thread looks up one key of a tile");
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
        const int column = some ? chunk * 8 : 0;
        const unsigned at = to + key * shape::row + chunk * 16;
        copy16(at, data + row * cache.head_size + column, some);
        copy16(at + shape::plane, data + (row + v_rows) * cache.head_size + column, some);
    }
    copy_commit();
}

// scores[16 x KEYS] = q K^T
template <typename cache_t, int SIZE>
static __device__ inline void score_tile(float (&scores)[layout<SIZE>::keys / 8][4],
                                         const unsigned (&q)[SIZE / 16][4], unsigned k_plane) {
    const int KEYS = layout<SIZE>::keys, lane = threadIdx.x % 32;
    const unsigned from =
        k_plane + ((lane / 16) * 8 + lane % 8) * layout<SIZE>::row + (lane / 8 % 2) * 16;
#pragma unroll
    for (int n = 0; n < KEYS / 8; n++)
        scores[n][0] = scores[n][1] = scores[n][2] = scores[n][3] = 0;
#pragma unroll
    for (int k = 0; k < SIZE / 16; k++)
#pragma unroll
        for (int n = 0; n < KEYS / 16; n++) {
            unsigned b[4];
            load_matrices(b, from + n * 16 * layout<SIZE>::row + k * 32);
            multiply(scores[2 * n], q[k], b[0], b[1], cache_t());
            multiply(scores[2 * n + 1], q[k], b[2], b[3], cache_t());
        }
}

// values[16 x SIZE] += p[16 x KEYS] V
template <typename cache_t, int SIZE>
static __device__ inline void weigh_tile(float (&values)[SIZE / 8][4],
                                         const float (&p)[layout<SIZE>::keys / 8][4],
                                         unsigned v_plane) {
    const int KEYS = layout<SIZE>::keys, lane = threadIdx.x % 32;
    const unsigned from = v_plane + (lane % 16) * layout<SIZE>::row + (lane / 16) * 16;
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++) {
        const unsigned a[4] = {pack_pair(p[2 * k][0], p[2 * k][1], cache_t()),
                               pack_pair(p[2 * k][2], p[2 * k][3], cache_t()),
                               pack_pair(p[2 * k + 1][0], p[2 * k + 1][1], cache_t()),
                               pack_pair(p[2 * k + 1][2], p[2 * k + 1][3], cache_t())};
#pragma unroll
        for (int n = 0; n < SIZE / 16; n++) {
            unsigned b[4];
            load_transposed(b, from + k * 16 * layout<SIZE>::row + n * 32);
            multiply(values[2 * n], a, b[0], b[1], cache_t());
            multiply(values[2 * n + 1], a, b[2], b[3], cache_t());
        }
    }
}

template <typename cache_t, int SIZE>
static __global__ __launch_bounds__(THREADS, layout<SIZE>::blocks) void prefill_kernel(
    const paged_attention args, const kv_cache cache, const batch batch, int least) {
    typedef layout<SIZE> shape;
    const int KEYS = shape::keys;
    extern __shared__ __align__(16) char memory[]; // [STAGES][K, V][KEYS][row]
    __shared__ unsigned rows[2][KEYS];
    const int group = args.num_heads / cache.num_kv_heads, kv_head = blockIdx.x;
    const tile tile = find_tile<ROWS>(batch, group, least, blockIdx.y);
    if (tile.sequence < 0) return;
    const int32_t *table = batch.block_table + (size_t)tile.sequence * batch.max_blocks_per_seq;
    const int keys = keys_of<ROWS>(tile, group), tiles = (keys + KEYS - 1) / KEYS;
    const float scale = args.scale * 1.44269504f; // powers of two, not of e
    const unsigned stages = shared_address(memory);

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
        __syncthreads(); // tile i is there for all, and all are done with tile i - 1
        if (i + 1 < tiles)
            copy_tile<cache_t, SIZE>(cache, stages + (i + 1) % STAGES * 2 * shape::plane,
                                     rows[(i + 1) % 2], keys - (i + 1) * KEYS);
        unsigned next = 0;
        if (threadIdx.x < KEYS && ahead < keys)
            next = flash_row(cache, table, args.layer, kv_head, ahead);
        float scores[KEYS / 8][4];
        score_tile<cache_t, SIZE>(scores, q, stage);
        const float2 old = soften<KEYS>(scores, state, i * KEYS, scale);
        rescale<SIZE>(values, old);
        weigh_tile<cache_t, SIZE>(values, scores, stage + shape::plane);
        if (threadIdx.x < KEYS) rows[i % 2][threadIdx.x] = next;
    }
    store_rows<SIZE>(args, tile, values, state, kv_head, group, cache.head_size);
}

struct prefill_launch {
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
                    cudaFuncSetAttribute(prefill_kernel<cache_t, SIZE>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
        prefill_kernel<cache_t, SIZE>
            <<<grid, THREADS, shared, device->stream>>>(*args, *args->cache, *batch, least);
        device_note(device, cudaGetLastError());
    }
};

void flash_prefill(struct device *device, const struct paged_attention *args, int least) {
    flash_choose(args->cache, prefill_launch{device, args, least});
}
