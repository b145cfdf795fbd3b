// kernels/cuda/flash_prefill.cu — softmax(q K^T scale) V over pages, many queries a sequence.
//
//   q, out  [num_tokens, num_heads, head_size]  fp16
//   cache   rows layout, fp16, bf16 or eight bits, which become fp16 on their way
//
// A warp computes 16 rows and walks the keys in tiles of 16, 32 or 64: flash_rows.cuh. Heads of
// more than 256 have too many columns for a block: each of two computes all scores and half of the
// columns, with all or most of its queries in shared memory.
//
//   grid   (num_kv_heads, twice for large heads; row tiles of all sequences, at most)
//   block  mma_shape::threads, for tiles of threads / 2 rows
//   smem   2 x (K, V) x keys x row,  row = its elements and padding to an odd chunk; queries
//
// Each row sums over its keys from the first on, tile by tile, so results do not depend on the
// batch.
// Probabilities are rounded to 16 bits before the second product, the result at the store.
// Bound by the tensor cores.
#include "kernels/cuda/flash_spans.cuh"

template <typename type, int SIZE, bool SMALL = false> struct mma_tiles : mma_shape<SIZE, SMALL> {
    typedef mma_shape<SIZE, SMALL> shape;
    typedef typename kv_traits<type>::multiplied cache_t;
    typedef row_queries<SIZE, shape::threads, shape::kept> queries;
    using shape::chunks, shape::columns, shape::keys, shape::plane, shape::row, shape::threads,
        shape::v_chunks, shape::v_row;

    // Copies columns from `first` on of K or V to rows of CHUNKS chunks.
    template <int CHUNKS>
    static __device__ inline void copy_plane(const kv_cache &cache, unsigned to,
                                             const unsigned *rows, int begin, int end, int first,
                                             unsigned offset) {
        const cache_t *data = (const cache_t *)cache.data;
#pragma unroll
        for (int i = 0; i < keys * CHUNKS / threads; i++) {
            const int index = threadIdx.x + i * threads;
            const int key = index / CHUNKS, column = first + index % CHUNKS * 8;
            const bool valid = key >= begin && key < end && column < cache.head_size;
            const size_t from = valid ? (size_t)rows[key] + offset : 0;
            copy16(to + key * (CHUNKS | 1) * 16 + index % CHUNKS * 16,
                   data + from * cache.head_size + (valid ? column : 0), valid);
        }
    }

    // The same of elements of eight bits, which become fp16 on their way. Some threads, side by
    // side, convert a key.
    template <int COLUMNS, bool OF_V>
    static __device__ inline void widen_plane(const kv_cache &cache, unsigned to,
                                              const unsigned *rows, int begin, int end, int first) {
        const int of_key = threads / keys, key = threadIdx.x / of_key;
        const bool there = key >= begin && key < end;
        const kv_place place = kv_place_of(cache, there ? rows[key] : 0);
        const char *data = (const char *)cache.data, *row_at = data + (OF_V ? place.v : place.k);
        const bf16 scale = *(const bf16 *)(data + (OF_V ? place.v_scale : place.k_scale));
        const kv_factors factors = kv_unpack_factors(kv_pack_factors(scale));
#pragma unroll
        for (int at = threadIdx.x % of_key * 16; at < COLUMNS; at += of_key * 16) {
            const bool valid = there && first + at < cache.head_size;
            const uint4 bytes = valid ? *(const uint4 *)(row_at + first + at) : uint4{};
            const unsigned put = to + key * (COLUMNS / 8 | 1) * 16 + at * 2;
            store16(put, valid ? kv_halves8(bytes.x, bytes.y, factors, type()) : uint4{});
            store16(put + 16, valid ? kv_halves8(bytes.z, bytes.w, factors, type()) : uint4{});
        }
    }

    // Keys begin ... end - 1 of a tile, and zeros for the others; rows[] says where they lie.
    template <int FROM>
    static __device__ void copy(const kv_cache &cache, unsigned to, const unsigned *rows, int begin,
                                int end) {
        static_assert(FROM == 0, "all threads copy");
        const int first = first_column<mma_tiles>();
        if constexpr (kv_traits<type>::scaled) {
            widen_plane<SIZE, false>(cache, to, rows, begin, end, 0);
            widen_plane<columns, true>(cache, to + plane, rows, begin, end, first);
        } else {
            copy_plane<chunks>(cache, to, rows, begin, end, 0, 0);
            copy_plane<v_chunks>(cache, to + plane, rows, begin, end, first,
                                 cache.num_kv_heads * cache.block_size);
        }
        copy_commit();
    }

    template <int PENDING> static __device__ inline void landed() { copy_wait<PENDING>(); }

    // scores[16 x keys] = q K^T, of a warp
    static __device__ inline void score(float (&scores)[keys / 8][4], const queries &q,
                                        unsigned k_plane) {
        const int lane = threadIdx.x % 32;
        const unsigned from = k_plane + ((lane / 16) * 8 + lane % 8) * row + (lane / 8 % 2) * 16;
#pragma unroll
        for (int n = 0; n < keys / 8; n++)
            scores[n][0] = scores[n][1] = scores[n][2] = scores[n][3] = 0;
#pragma unroll
        for (int k = 0; k < SIZE / 16; k++) {
            unsigned a[4];
            q.get(a, k);
#pragma unroll
            for (int n = 0; n < keys / 16; n++) {
                unsigned b[4];
                load_matrices(b, from + n * 16 * row + k * 32);
                multiply(scores[2 * n], a, b[0], b[1], cache_t());
                multiply(scores[2 * n + 1], a, b[2], b[3], cache_t());
            }
        }
    }

    // values[16 x columns] += p[16 x keys] V, of a warp
    static __device__ inline void weigh(float (&values)[columns / 8][4],
                                        const float (&p)[keys / 8][4], unsigned v_plane) {
        const int lane = threadIdx.x % 32;
        const unsigned from = v_plane + (lane % 16) * v_row + (lane / 16) * 16;
#pragma unroll
        for (int k = 0; k < keys / 16; k++) {
            const unsigned a[4] = {pack_pair(p[2 * k][0], p[2 * k][1], cache_t()),
                                   pack_pair(p[2 * k][2], p[2 * k][3], cache_t()),
                                   pack_pair(p[2 * k + 1][0], p[2 * k + 1][1], cache_t()),
                                   pack_pair(p[2 * k + 1][2], p[2 * k + 1][3], cache_t())};
#pragma unroll
            for (int n = 0; n < columns / 16; n++) {
                unsigned b[4];
                load_transposed(b, from + k * 16 * v_row + n * 32);
                multiply(values[2 * n], a, b[0], b[1], cache_t());
                multiply(values[2 * n + 1], a, b[2], b[3], cache_t());
            }
        }
    }
};

struct prefill_launch {
    struct device *device;
    const struct paged_attention *args;
    int least;
    template <typename cache_t, int SIZE> void run() const {
        if constexpr (SIZE > 256)
            if (!tiles_fit<mma_shape<SIZE, false>, 2>(&device->properties))
                return launch_rows<mma_tiles<cache_t, SIZE, true>>(device, args, least);
        launch_rows<mma_tiles<cache_t, SIZE>>(device, args, least);
    }
};

void flash_prefill(struct device *device, const struct paged_attention *args, int least) {
    ASSERT(least > 0 && args->batch->num_tokens > 0);
    flash_choose(args->cache, prefill_launch{device, args, least});
}

struct spans_launch {
    struct device *device;
    const struct paged_attention *args;
    const void *q;
    template <typename cache_t, int SIZE> void run() const {
        if constexpr (SIZE <= FLASH_SHARED_HEAD_MAX)
            launch_spans<mma_tiles<cache_t, SIZE>>(device, args, q);
    }
};

void flash_shared(struct device *device, const struct paged_attention *args, const void *q) {
    ASSERT(args->cache->head_size <= FLASH_SHARED_HEAD_MAX);
    if (flash_has_hopper(device, args->cache))
        flash_shared_hopper(device, args, q);
    else
        flash_choose(args->cache, spans_launch{device, args, q});
}
